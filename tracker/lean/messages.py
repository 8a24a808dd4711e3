"""Lean's messages as `lean --json` prints them, one JSON object a line.

Format (Lean 4.35, keys in this order): `caption`, `data`, `endPos`, `fileName`, `isSilent`, `keepFullRange`,
`kind`, `pos`, `severity`. Lines count from 1, columns from 0 in code points. Everything read here was written
by a program under test: no input makes this module raise, and no line is dropped.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, BinaryIO, Literal, NamedTuple, TypeAlias

from tracker.lean.log.source import DeclarationRange, Position, declaration_ranges

__all__ = [
    "MAX_LINE",
    "MAX_TEXT",
    "DeclarationRange",
    "Message",
    "Position",
    "RawLine",
    "Severity",
    "attribute",
    "cut_text",
    "declaration_ranges",
    "kernel_names",
    "parse_message",
    "ranges_from_ilean",
    "read_messages",
]

Severity: TypeAlias = Literal["information", "warning", "error"]
SEVERITIES: Mapping[object, Severity] = {"information": "information", "warning": "warning", "error": "error"}

MAX_TEXT = 1 << 20
"""Characters of a message's text that are kept; the rest is counted in a note."""
MAX_LINE = 32 << 20
"""Bytes of one line that are held at once; a longer line is kept by its beginning and its end."""
_TAIL = 1 << 12
_LOOKED_AT = 1 << 16


@dataclass(frozen=True, slots=True)
class Message:
    """One message of Lean.

    `kind` is Lean's own tag (`hasSorry`, `trace`, `runtime.maxRecDepth`, …; `[anonymous]` for most errors and
    for all kernel errors). `declaration` is filled in by `attribute`; `pos` is absent where there was none.
    """

    severity: Severity
    text: str
    file: str
    pos: Position | None = None
    end_pos: Position | None = None
    kind: str = "[anonymous]"
    declaration: str | None = None
    caption: str = ""


class RawLine(NamedTuple):
    """A line that is not a message: text as printed, and the bytes of it that were left out."""

    text: str
    omitted: int = 0


def parse_message(line: str) -> Message | None:
    """Return the message that `line` of `lean --json` holds, or None where it is something else."""
    if '"severity"' not in line:
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("data"), str):
        return None
    severity = SEVERITIES.get(_text(found, "severity"))
    if severity is None:
        return None
    return Message(
        severity,
        _clipped(_text(found, "data")),
        _text(found, "fileName"),
        _position(found.get("pos")),
        _position(found.get("endPos")),
        _text(found, "kind") or "[anonymous]",
        caption=_text(found, "caption"),
    )


def _text(found: Mapping[str, Any], key: str) -> str:
    value = found.get(key)
    if not isinstance(value, str):
        return ""
    # JSON may spell half a surrogate pair, which no output stream could print.
    return value if value.isprintable() else value.encode("utf-8", "replace").decode("utf-8")


def _clipped(text: str) -> str:
    if len(text) <= MAX_TEXT:
        return text
    return f"{text[:MAX_TEXT]}\n[{len(text) - MAX_TEXT} further characters left out]"


def _position(value: object) -> Position | None:
    if not isinstance(value, dict):
        return None
    line, column = value.get("line"), value.get("column")
    if type(line) is not int or type(column) is not int or line < 1 or column < 0:
        return None
    return Position(line, column)


@cache
def _data() -> re.Pattern[str]:
    return re.compile(r'"data":"((?:[^"\\]|\\.)*)')


def cut_text(line: str) -> str | None:
    """Return the text of a message whose line was cut off when its program died, or None for other lines."""
    found = _data().search(line[:_LOOKED_AT]) if line.startswith('{"') else None
    if found is None or parse_message(line):
        return None
    for left_out in range(6):  # an escape such as `\u00e9` may be cut too
        try:
            return str(json.loads('"' + found[1][: len(found[1]) - left_out] + '"'))
        except ValueError:
            continue
    return None


def read_messages(stream: BinaryIO) -> Iterator[Message | RawLine]:
    """Yield what a stream of `lean --json` holds, in order: messages, and every other line that is not blank.

    Bytes that are not UTF-8 become U+FFFD. A line longer than `MAX_LINE` is kept by its beginning; its
    severity and place are read from its end, where Lean writes them.
    """
    for head, tail, omitted in _lines(stream):
        text = head.decode("utf-8", "replace").rstrip("\r\n")
        if not text.strip():
            continue
        if omitted:
            note = f"{text[:MAX_TEXT]}\n[{omitted} further bytes left out]"
            yield _salvaged(note, tail) or RawLine(note, omitted)
        else:
            yield parse_message(text) or RawLine(text)


def _lines(stream: BinaryIO) -> Iterator[tuple[bytes, bytes, int]]:
    """Yield (line, its end, bytes left out); only the beginning of an over-long line is held."""
    while head := stream.readline(MAX_LINE):
        tail, omitted = b"", 0
        while not head.endswith(b"\n") and (more := stream.readline(MAX_LINE)):
            tail = (tail + more)[-_TAIL:]
            omitted += len(more)
            if more.endswith(b"\n"):
                break
        yield head, tail, omitted


def _salvaged(text: str, tail: bytes) -> Message | None:
    """Read the fields that follow `data` from the end of an over-long line."""
    end = tail.decode("utf-8", "replace")
    start = end.rfind('"endPos":')
    found = parse_message('{"data":"",' + end[start:]) if start >= 0 and text.startswith('{"') else None
    return replace(found, text=text) if found else None


_KERNEL = "typechecking declarations ["


def kernel_names(messages: Iterable[Message]) -> dict[tuple[str, Position], str]:
    """Return (file, place) -> declaration as the kernel names it (`-Dtrace.Kernel=true`).

    Such a message sits on the same token as the kernel error it belongs to, which names nothing itself.
    """
    names: dict[tuple[str, Position], str] = {}
    for message in messages:
        start = message.text.rfind(_KERNEL) if message.kind == "trace" and message.pos else -1
        if start >= 0 and message.pos:
            inside = message.text[start + len(_KERNEL) :].split("]", 1)[0]
            names[message.file, message.pos] = inside.split(", ", 1)[0]
    return names


def attribute(
    messages: Iterable[Message], declarations: Mapping[str, DeclarationRange] | Iterable[DeclarationRange]
) -> list[Message]:
    """Return the messages of one file with `declaration` set, where a declaration holds their position.

    The kernel's own word comes first, then a name that starts exactly there, then the innermost range. A
    name that is set already stays.
    """
    known = list(declarations.values() if isinstance(declarations, Mapping) else declarations)
    messages = list(messages)
    by_kernel = kernel_names(messages)
    if not known and not by_kernel:
        return messages
    by_name = {entry.name_start: entry.name for entry in reversed(known)}
    ranges = _Ranges(known)
    result = []
    for message in messages:
        name = message.declaration
        header = message.pos == (1, 0) and message.end_pos is None  # imports stand before any declaration
        if name is None and message.pos is not None and not header:
            name = by_kernel.get((message.file, message.pos)) if "(kernel)" in message.text else None
            name = name or by_name.get(message.pos) or ranges.innermost(message.pos)
        result.append(message if name == message.declaration else replace(message, declaration=name))
    return result


class _Ranges:
    """Looks up the innermost of ranges that nest or are disjoint (a few overlap: `where`, `open … in`)."""

    def __init__(self, ranges: Iterable[DeclarationRange]) -> None:
        self.ranges = sorted(ranges, key=lambda entry: (entry.start, entry.end))
        self.starts = [entry.start for entry in self.ranges]
        self.reach: list[Position] = []
        for entry in self.ranges:
            self.reach.append(max(entry.end, self.reach[-1]) if self.reach else entry.end)

    def innermost(self, pos: Position) -> str | None:
        index = bisect_right(self.starts, pos) - 1
        while index >= 0 and self.reach[index] >= pos:
            if self.ranges[index].end >= pos:
                return self.ranges[index].name
            index -= 1
        return None


def ranges_from_ilean(
    decls: Mapping[str, tuple[int, ...] | list[int]], source: str | None = None
) -> list[DeclarationRange]:
    """Turn the `decls` of an `.ilean` (lines from 0, columns in UTF-16 units) into ranges as messages count.

    Columns are exact where `source` is given; without it, characters outside the basic plane shift them.
    Entries of an unknown shape are left out.
    """
    lines = source.split("\n") if source is not None else []
    result = []
    for name, numbers in decls.items():
        if len(numbers) >= 8 and all(type(number) is int for number in numbers[:8]):
            start, end, name_start, name_end = (
                _from_utf16(numbers[i], numbers[i + 1], lines) for i in (0, 2, 4, 6)
            )
            result.append(DeclarationRange(name, start, end, name_start, name_end))
    return result


def _from_utf16(line: int, column: int, lines: list[str]) -> Position:
    if 0 <= line < len(lines):
        units = lines[line].encode("utf-16-le", "surrogatepass")[: 2 * column]
        column = len(units.decode("utf-16-le", "replace"))
    return Position(line + 1, column)
