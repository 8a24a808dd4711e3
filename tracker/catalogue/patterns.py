"""Names with a part in braces: `cnxSavedB{0..10}`, `vitCotD{Q,K,V}`, `cnxSavedB{i-1}`.

A range or a list *enumerates*; `{i}` stands for the value of the entry that is being written out,
`{i-1}` for its neighbour in a range.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

MAX_MEMBERS: Final = 10_000
"""How many names one pattern may stand for."""

_BRACES = re.compile(r"\{([^{}\n\r]*)\}")
_RANGE = re.compile(r"([0-9]{1,9})\.\.([0-9]{1,9})")
_INDEX = re.compile(r"i(?: ?([+-]) ?([0-9]{1,6}))?")


class PatternError(ValueError):
    """A pattern that cannot be written out; carries the message and a hint."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Value:
    """One value of an enumeration. `number` is None for a value from a list of texts."""

    text: str
    number: int | None = None
    width: int = 0

    def shifted(self, offset: int) -> str:
        """Return the text of the value `offset` further; negative numbers keep their sign."""
        if offset == 0:
            return self.text
        if self.number is None:
            raise PatternError(
                f"`{{i{offset:+d}}}` needs a range such as `{{0..10}}`; `{self.text}` is from a list",
                "write `{i}`, or name the neighbours one by one",
            )
        return f"{self.number + offset:0{self.width}d}"


@dataclass(frozen=True, slots=True)
class _Index:
    offset: int


@dataclass(frozen=True, slots=True)
class Template:
    """A parsed pattern: texts and holes; `values` is what its range or list enumerates, if any."""

    parts: tuple[str | _Index | None, ...]  # None: the enumerated value
    values: tuple[Value, ...] | None

    def fill(self, value: Value | None) -> str:
        """Return the name for one value.

        Raises `PatternError` where `{i}` is used and there is no value.
        """
        return "".join(part if isinstance(part, str) else self._hole(part, value) for part in self.parts)

    @staticmethod
    def _hole(part: _Index | None, value: Value | None) -> str:
        if value is None:
            raise PatternError(
                "`{i}` is used, but the entry's id has no range or list",
                "write the id as `name{0..10}` or `name{Q,K,V}`",
            )
        return value.text if part is None else value.shifted(part.offset)

    def is_shifted_below(self, value: Value) -> bool:
        """Return whether a hole such as `{i-1}` falls below 0 at `value`."""
        return value.number is not None and any(
            isinstance(part, _Index) and value.number + part.offset < 0 for part in self.parts
        )

    def skeleton(self) -> str:
        """Return the pattern with every hole alike, by which two patterns of one family are known."""
        return "".join(part if isinstance(part, str) else "{}" for part in self.parts)


@lru_cache(maxsize=4096)
def parse(text: str) -> Template:
    """Return the parsed pattern. Raises `PatternError`."""
    parts: list[str | _Index | None] = []
    values: tuple[Value, ...] | None = None
    end = 0
    for match in _BRACES.finditer(text):
        parts.append(text[end : match.start()])
        end = match.end()
        index = _INDEX.fullmatch(match[1])
        if index:
            parts.append(_Index(int(f"{index[1]}{index[2]}") if index[1] else 0))
            continue
        found = _enumerated(match[1])
        if values is not None and values != found:
            raise PatternError(
                f"`{text}` has two different ranges or lists", "use one, repeated as often as needed"
            )
        values = found
        parts.append(None)
    parts.append(text[end:])
    return Template(tuple(part for part in parts if part != ""), values)


def _enumerated(body: str) -> tuple[Value, ...]:
    span = _RANGE.fullmatch(body)
    if span:
        return _range(span[1], span[2])
    texts = [text.strip() for text in body.split(",")]
    if len(texts) < 2 or not all(texts):
        raise PatternError(
            f"`{{{body}}}` is neither a range, nor a list, nor `{{i}}`",
            "write `{0..10}`, `{Q,K,V}`, `{i}`, `{i-1}` or `{i+1}`",
        )
    if len(set(texts)) < len(texts):
        raise PatternError(f"`{{{body}}}` lists a value twice", "list each value once")
    if len(texts) > MAX_MEMBERS:
        raise PatternError(f"a list may have {MAX_MEMBERS:,} values", "split it over several entries")
    return tuple(Value(text) for text in texts)


def _range(first: str, last: str) -> tuple[Value, ...]:
    low, high = int(first), int(last)
    if low > high:
        raise PatternError(f"the range `{{{first}..{last}}}` runs backwards", f"write `{{{last}..{first}}}`")
    if high - low >= MAX_MEMBERS:
        raise PatternError(
            f"the range `{{{first}..{last}}}` has {high - low + 1:,} members; {MAX_MEMBERS:,} are allowed",
            "split it over several entries",
        )
    width = len(first) if first.startswith("0") and len(first) > 1 else 0
    return tuple(Value(f"{n:0{width}d}", n, width) for n in range(low, high + 1))


_FREE = re.compile(r"\{i(?: ?([+-]) ?([0-9]{1,6}))?\}")


def fill_text(text: str, value: Value | None) -> str:
    """Return free text with `{i}`, `{i-1}`, `{i+1}` filled in; every other brace stays as it is."""
    if value is None or "{i" not in text:
        return text

    def hole(match: re.Match[str]) -> str:
        return value.shifted(int(f"{match[1]}{match[2]}") if match[1] else 0)

    return _FREE.sub(hole, text)
