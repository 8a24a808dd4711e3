"""The tree that a YAML file becomes: texts, lists and mappings that know where they were written.

Plain scalars are read by the YAML 1.2 core schema (https://yaml.org/spec/1.2.2/, section 10.3), as
editors and JSON Schema tools read them: `yes`, `on` and dates are texts, not booleans or dates.
"""

from __future__ import annotations

import re
from typing import Final

_INT: Final = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_WORDS: Final[dict[str, bool | float | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **{f"{sign}.{word}": float(f"{sign}inf") for sign in ("", "+", "-") for word in ("inf", "Inf", "INF")},
}
_STARTS_A_NUMBER: Final = frozenset("0123456789+-.")
_MAX_DIGITS: Final = 4000  # Python refuses to convert longer texts to int

Plain = str | int | float | bool | None | list["Plain"] | dict[str, "Plain"]


class Scalar:
    """A text, number, boolean or null as written."""

    __slots__ = ("column", "line", "quoted", "text")

    def __init__(self, text: str, quoted: bool, line: int, column: int) -> None:
        self.text = text
        self.quoted = quoted
        self.line = line
        self.column = column

    @property
    def value(self) -> str | int | float | bool | None:
        """The value by the core schema."""
        text = self.text
        if self.quoted:
            return text
        if text in _WORDS:
            return _WORDS[text]
        return _number(text) if text[0] in _STARTS_A_NUMBER else text


def _number(text: str) -> str | int | float:
    if _INT.fullmatch(text):
        if len(text) > _MAX_DIGITS:
            return float("inf")
        return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
    return float(text) if _FLOAT.fullmatch(text) else text


class Seq:
    """A list."""

    __slots__ = ("column", "items", "line")

    def __init__(self, items: list[Node], line: int, column: int) -> None:
        self.items = items
        self.line = line
        self.column = column


class Map:
    """A mapping with text keys: `entries` holds the values, `keys` where each key stands."""

    __slots__ = ("column", "entries", "keys", "line")

    def __init__(self, line: int, column: int) -> None:
        self.entries: dict[str, Node] = {}
        self.keys: dict[str, Scalar] = {}
        self.line = line
        self.column = column


Node = Scalar | Seq | Map


def plain(node: Node) -> Plain:
    """Return the node as JSON-like data, which is what the JSON Schema speaks of."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Seq):
        return [plain(item) for item in node.items]
    return {key: plain(value) for key, value in node.entries.items()}


def describe(node: Node) -> str:
    """Return what the node is in the words of an error message: `a list`, `the number 3`."""
    if isinstance(node, Seq):
        return "a list"
    if isinstance(node, Map):
        return "a mapping"
    value = node.value
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return f"the boolean {node.text}"
    if isinstance(value, int | float):
        return f"the number {shorten(node.text)}"
    return f"the text `{shorten(value)}`"


def shorten(text: str, limit: int = 60) -> str:
    """Return `text` on one line and cut to `limit` characters, fit to be quoted in a message."""
    line = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in " ".join(text.split()))
    return line if len(line) <= limit else line[: limit - 1] + "…"
