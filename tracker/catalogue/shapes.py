"""Shapes of YAML values: each reads a node and knows its own JSON Schema, so the two cannot differ.

`read` returns the value, or None after it has reported why there is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from tracker.catalogue.diagnostics import Report
from tracker.catalogue.model import Source
from tracker.catalogue.nodes import Map, Node, Scalar, Seq, describe, shorten
from tracker.catalogue.suggest import did_you_mean

Schema = dict[str, Any]
MAX_COUNT: Final = 1_000_000


class Reader:
    """What reading a file carries along: where to report, and where values were found."""

    def __init__(self, file: str, report: Report) -> None:
        self.file = file
        self.report = report
        self.positions: dict[str, tuple[int, int]] = {}

    def source(self, node: Node) -> Source:
        """Return where `node` starts."""
        return Source(self.file, node.line, node.column)

    def error(self, code: str, node: Node, message: str, hint: str | None = None) -> None:
        """Report a fault at `node`."""
        self.report.add(code, Source(self.file, node.line, node.column), message, hint)


class Shape(Protocol):
    """What a value may look like."""

    def read(self, reader: Reader, node: Node, path: str) -> Any:
        """Return the value of `node`, or None after reporting; `path` names it in messages."""

    def schema(self) -> Schema:
        """Return the JSON Schema of the values that `read` accepts."""


def _wrong_type(reader: Reader, node: Node, path: str, wanted: str, hint: str | None = None) -> None:
    found = describe(node)
    if not path:
        reader.error("wrong-type", node, f"this must be {wanted}, not {found}", hint)
    elif found == "empty":
        reader.error(
            "wrong-type",
            node,
            f"`{path}` is empty; it must be {wanted}",
            hint or "give it a value, or remove it",
        )
    else:
        reader.error("wrong-type", node, f"`{path}` must be {wanted}, not {found}", hint)


class Text:
    """Any text."""

    def read(self, reader: Reader, node: Node, path: str) -> str | None:
        """Return the text."""
        if node.__class__ is Scalar:
            value = node.value
            if value.__class__ is str:
                return value
        quotable = isinstance(node, Scalar) and node.value is not None
        _wrong_type(reader, node, path, "a text", "put it in quotes" if quotable else None)
        return None

    def schema(self) -> Schema:
        """Return the schema of a text."""
        return {"type": "string"}


class Match(Text):
    """A text that matches a pattern."""

    def __init__(self, pattern: str, code: str, what: str, hint: str) -> None:
        self.pattern = pattern
        self.search = re.compile(pattern).search
        self.code = code
        self.what = what
        self.hint = hint

    def read(self, reader: Reader, node: Node, path: str) -> str | None:
        """Return the text if it matches."""
        text = super().read(reader, node, path)
        if text is None or self.search(text):
            return text
        shown = f"`{shorten(text)}`" if text.strip() else "an empty text"
        reader.error(self.code, node, f"`{path}` must be {self.what}, not {shown}", self.hint)
        return None

    def schema(self) -> Schema:
        """Return the schema of a text with a pattern."""
        return {"type": "string", "pattern": self.pattern}


class Choice(Text):
    """One of a few texts."""

    def __init__(self, values: Sequence[str], meant: Mapping[str, str] | None = None) -> None:
        self.values = tuple(values)
        self.meant = meant or {}

    def read(self, reader: Reader, node: Node, path: str) -> str | None:
        """Return the text if it is one of them."""
        text = super().read(reader, node, path)
        if text is None or text in self.values:
            return text
        reader.error(
            "bad-value",
            node,
            f"`{path}` must be one of {', '.join(self.values)}; not `{shorten(text)}`",
            did_you_mean(self.meant.get(text, text), self.values),
        )
        return None

    def schema(self) -> Schema:
        """Return the schema of an enumeration."""
        return {"type": "string", "enum": list(self.values)}


class Count:
    """A whole number from 0, or from `least`, to `most`."""

    def __init__(self, least: int = 0, most: int = MAX_COUNT) -> None:
        self.least = least
        self.most = most

    def read(self, reader: Reader, node: Node, path: str) -> int | None:
        """Return the number."""
        value = node.value if isinstance(node, Scalar) else None
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        if not whole or isinstance(value, bool):
            _wrong_type(reader, node, path, "a whole number")
            return None
        number = int(value)  # type: ignore[arg-type]
        if not self.least <= number <= self.most:
            reader.error(
                "bad-value", node, f"`{path}` must be from {self.least:,} to {self.most:,}, not {number}"
            )
            return None
        return number

    def schema(self) -> Schema:
        """Return the schema of a whole number."""
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


class Flag:
    """True or false."""

    def read(self, reader: Reader, node: Node, path: str) -> bool | None:
        """Return the truth value."""
        value = node.value if isinstance(node, Scalar) else None
        if isinstance(value, bool):
            return value
        _wrong_type(reader, node, path, "true or false")
        return None

    def schema(self) -> Schema:
        """Return the schema of a truth value."""
        return {"type": "boolean"}


class ListOf:
    """A list of one shape."""

    def __init__(self, item: Shape, least: int = 0) -> None:
        self.item = item
        self.least = least

    def read(self, reader: Reader, node: Node, path: str) -> list[Any] | None:
        """Return the good items; `reader.positions` has the place of each."""
        if node.__class__ is not Seq:
            hint = f"write `[{shorten(node.text)}]`" if isinstance(node, Scalar) and node.text else None
            _wrong_type(reader, node, path, "a list", hint)
            return None
        if len(node.items) < self.least:
            reader.error(
                "bad-value", node, f"`{path}` must not be an empty list", "name at least one, or remove it"
            )
            return None
        read, positions = self.item.read, reader.positions
        result: list[Any] = []
        for i, item in enumerate(node.items):
            at = f"{path}[{i}]"
            value = read(reader, item, at)
            if value is not None:
                good = len(result)
                positions[at if good == i else f"{path}[{good}]"] = (item.line, item.column)
                result.append(value)
        return result

    def schema(self) -> Schema:
        """Return the schema of a list."""
        schema: Schema = {"type": "array", "items": self.item.schema()}
        return {**schema, "minItems": self.least} if self.least else schema


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record: its shape and what it means, in one sentence."""

    shape: Shape
    doc: str


class Record:
    """A mapping with known fields."""

    def __init__(
        self,
        what: str,
        fields: Mapping[str, Field],
        required: Sequence[str] = (),
        meant: Mapping[str, str] | None = None,
        instead: str | None = None,
    ) -> None:
        self.what = what
        self.fields = fields
        self.required = tuple(required)
        self.meant = meant or {}
        self.instead = instead
        self.readers = {name: field.shape.read for name, field in fields.items()}

    def read(self, reader: Reader, node: Node, path: str) -> dict[str, Any] | None:
        """Return the good fields; unknown and missing ones are reported."""
        if not isinstance(node, Map):
            _wrong_type(reader, node, path, f"a mapping ({self.what})", self.instead)
            return None
        prefix = f"{path}." if path else ""
        readers, positions = self.readers, reader.positions
        result: dict[str, Any] = {}
        for name, child in node.entries.items():
            read = readers.get(name)
            if read is None:
                self._unknown(reader, node.keys[name], name)
                continue
            at = prefix + name
            value = read(reader, child, at)
            if value is not None:
                positions[at] = (child.line, child.column)
                result[name] = value
        for name in self.required:
            if name not in node.entries:
                reader.error("missing-field", node, f"{self.what} needs `{name}`", f"add `{name}:`")
        return result

    def _unknown(self, reader: Reader, key: Node, name: str) -> None:
        if name == "<<":
            hint: str | None = "YAML merge keys are not supported; use `defaults:`"
        elif name in self.meant:
            hint = f"write `{self.meant[name]}`"
        else:
            hint = did_you_mean(name, self.fields) or f"the fields are {', '.join(self.fields)}"
        reader.error("unknown-field", key, f"{self.what} has no field `{shorten(name)}`", hint)

    def schema(self) -> Schema:
        """Return the schema of a closed mapping."""
        properties = {name: {"description": f.doc, **f.shape.schema()} for name, f in self.fields.items()}
        schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
        return {**schema, "required": list(self.required)} if self.required else schema


class MapOf:
    """A mapping from names to one shape; `reader.positions` has the place of each key."""

    def __init__(self, key: Match, value: Shape) -> None:
        self.key = key
        self.value = value

    def read(self, reader: Reader, node: Node, path: str) -> dict[str, Any] | None:
        """Return the good entries."""
        if not isinstance(node, Map):
            _wrong_type(reader, node, path, "a mapping")
            return None
        result = {}
        for name, child in node.entries.items():
            key = node.keys[name]
            good_key = self.key.read(reader, key, f"{path}.{shorten(name)}")
            value = self.value.read(reader, child, f"{path}.{shorten(name)}")
            if good_key is not None and value is not None:
                reader.positions[f"{path}.{name}"] = (key.line, key.column)
                result[name] = value
        return result

    def schema(self) -> Schema:
        """Return the schema of an open mapping."""
        return {
            "type": "object",
            "propertyNames": {"pattern": self.key.pattern},
            "additionalProperties": self.value.schema(),
        }


class Either:
    """A short form written as a text or number, or a long form written as a list or mapping."""

    def __init__(self, short: Shape, long: Shape, long_kind: type[Seq] | type[Map]) -> None:
        self.short = short
        self.long = long
        self.long_kind = long_kind

    def read(self, reader: Reader, node: Node, path: str) -> Any:
        """Return what the form that was written reads as."""
        shape = self.long if isinstance(node, self.long_kind) else self.short
        return shape.read(reader, node, path)

    def schema(self) -> Schema:
        """Return the schema of a choice of forms."""
        return {"anyOf": [self.short.schema(), self.long.schema()]}
