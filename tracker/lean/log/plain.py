"""Lean's messages in plain form: `FILE:LINE:COLUMN: error: TEXT`, as `lean` prints without `--json`.

Forms seen: `-LINE:COLUMN` after the place (`printMessageEndPos`), an error code (`error(lean.x):`), Lake's
`LEVEL: FILE:LINE:COLUMN: TEXT`. Information has no prefix at all, so its lines cannot be told from what
stands before them, except for a few known beginnings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from tracker.lean.log.source import Position
from tracker.lean.messages import MAX_TEXT, SEVERITIES, Message, RawLine

_PLACE = (
    r"(?P<file>(?:[A-Za-z]:)?[^:\n]+):(?P<line>\d{1,9}):(?P<column>\d{1,9})(?:-(?P<end>\d{1,9}:\d{1,9}))?: "
)


@cache
def plain_head() -> re.Pattern[str]:
    """Return the pattern of a plain message's first line: groups file, line, column, end, severity, code."""
    return re.compile(rf"{_PLACE}(?P<severity>error|warning|info|information)(?:\((?P<code>[\w.]+)\))?: ?")


@cache
def place_head() -> re.Pattern[str]:
    """Return the pattern of `FILE:LINE:COLUMN: ` at the start of an entry of Lake."""
    return re.compile(_PLACE)


@cache
def bare_information() -> re.Pattern[str]:
    """Return the pattern of information that is known by its beginning: axioms, the profiler."""
    return re.compile(r"'.*' (?:depends on axioms: \[|does not depend on any axioms)|[a-z ]+ took \d")


def position(line: str, column: str) -> Position:
    """Return the place that two decimal numbers name; line 0, which no file has, becomes 1."""
    return Position(max(1, int(line)), int(column))


def plain_messages(lines: Iterable[str]) -> Iterator[Message | RawLine]:
    """Group plain output into messages; lines before the first one stay as they are.

    A line that starts no message belongs to the one before it.
    """
    head, parts = None, list[str]()
    for line in lines:
        found = plain_head().match(line)
        if found or head is None or bare_information().match(line):
            if head is not None:
                yield plain_message(head, parts)
            head, parts = found, [line[found.end() :]] if found else []
            if found is None and line.strip():
                yield RawLine(line)
        else:
            parts.append(line)
    if head is not None:
        yield plain_message(head, parts)


def plain_message(head: re.Match[str], parts: list[str]) -> Message:
    """Return the message whose first line `head` matched; `parts` are its text's lines."""
    end = head["end"].split(":") if head["end"] else None
    severity = SEVERITIES.get(head["severity"], "information")
    kind = f"{head['code']}._namedError" if head["code"] else "[anonymous]"
    return Message(
        severity,
        "\n".join(parts).rstrip("\n")[:MAX_TEXT],
        head["file"],
        position(head["line"], head["column"]),
        position(*end) if end else None,
        kind,
    )


def entry_messages(level: str, text: str) -> list[Message | RawLine]:
    """Return Lean's messages in one entry of Lake: the entry itself, or those in its `stdout:` block.

    Lake renders a message as `LEVEL: FILE:LINE:COLUMN: TEXT` (end, kind and error code are lost); old ones
    print Lean's plain output below `error: stdout:`. Other entries are Lake's own and give an empty list.
    """
    if text.startswith("stdout:\n"):
        return list(plain_messages(text.split("\n")[1:]))
    found = place_head().match(text)
    if found is None:
        return []
    severity = SEVERITIES.get("information" if level in ("info", "trace") else level, "information")
    place = position(found["line"], found["column"])
    return [Message(severity, text[found.end() :], found["file"], place)]
