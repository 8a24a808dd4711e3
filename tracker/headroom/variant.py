"""A source with other limits: what `tracker headroom` gives to Lean instead of the file as it is.

A limit is put right before a declaration, `set_option maxRecDepth 64 in`, behind every other one, so that it
is the one that counts; what the declaration itself sets inside of its text is changed too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tracker.lean.scan.mask import Masked, mask
from tracker.lean.scan.source import NAME, is_limit, scan_source


class Edit(NamedTuple):
    """A span of the text, in code points, and what stands there instead."""

    start: int
    stop: int
    text: str


@dataclass(frozen=True)
class WrittenLimit:
    """One `set_option max… value` of a source."""

    option: str
    value: str
    line: int
    """From 1."""
    start: int
    stop: int
    """Its span in code points, with the `in` that ties it to a declaration or a term."""


def with_limits(text: str, limits: Mapping[str, int], option: str) -> str:
    """Return the source in which each named declaration is checked under its own value of `option`."""
    masked = mask(text)
    edits: list[Edit] = []
    for declaration in scan_source(text).declarations:
        value = limits.get(declaration.name)
        if value is None:
            continue
        start = _with_doc(declaration.start, text, masked)
        edits.append(Edit(start, start, f"set_option {option} {value} in\n"))
        inner = _setting(option)
        edits += [
            Edit(*match.span(1), str(value))
            for match in inner.finditer(masked.code, declaration.start, declaration.stop or len(text))
        ]
    return _applied(text, edits)


def _setting(option: str) -> re.Pattern[str]:
    return re.compile(rf"\bset_option\s+{re.escape(option)}\s+([0-9_]+)")


def _with_doc(start: int, text: str, masked: Masked) -> int:
    """Return where the doc comment right before `start` begins; `start` where there is none.

    A module's doc comment, `/-! -/`, is a command of its own and stays where it is.
    """
    index = bisect_right(masked.docs, (start, start)) - 1
    if index < 0:
        return start
    begin, end = masked.docs[index]
    own = text.startswith("/--", begin) and end <= start and not masked.code[end:start].strip()
    return begin if own else start


_LIMIT = re.compile(rf"\bset_option\s+({NAME})\s+([0-9_]+)(\s+in(?=\s))?")


def written_limits(text: str) -> tuple[WrittenLimit, ...]:
    """Return every limit that the source sets, in its order."""
    code = mask(text).code
    return tuple(
        WrittenLimit(m[1], m[2], code.count("\n", 0, m.start()) + 1, m.start(), m.end())
        for m in _LIMIT.finditer(code)
        if is_limit(m[1])
    )


def without(text: str, limits: Iterable[WrittenLimit]) -> str:
    """Return the source in which these limits are blank; every other line and column stays."""
    return _applied(text, [Edit(w.start, w.stop, _blank(text[w.start : w.stop])) for w in limits])


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _applied(text: str, edits: list[Edit]) -> str:
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.stop :]
    return text
