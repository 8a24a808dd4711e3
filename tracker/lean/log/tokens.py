"""A light scanner for Lean source text: enough to see commands, blind to comments and strings.

It follows the lexical grammar of Lean 4 (nested `/- -/` comments, `--` comments, strings with escapes, raw
strings, interpolated strings, character literals, `«…»` names) and never fails: text that is cut short or
wrong ends the current token at the end of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple


class Token(NamedTuple):
    """One token of interest: its kind, text and offset (code points from the start of the file).

    Kinds: `name` (identifiers and keywords, dots included), `doc` (a `/-- -/` comment), `open` and `close`
    (brackets), `hash` (a `#command`), `number`, `string`, `at` (`@[`), `symbol` (all else).
    """

    kind: str
    text: str
    offset: int

    @property
    def end(self) -> int:
        """The offset just behind the token."""
        return self.offset + len(self.text)


_PART = r"(?:«[^»\n]*»|(?![λΠΣ])[^\W\d][\w!?']*)"
_TOKEN = rf"""
  (?P<line>--[^\n]*)
| (?P<block>/-)
| (?P<interp>[A-Za-z]+!")
| (?P<raw>r(?P<pounds>\#*)")
| (?P<string>"(?:[^"\\]|\\.)*(?:"|\Z))
| (?P<char>'(?:\\(?:u[0-9a-fA-F]+|x[0-9a-fA-F]+|.)|[^\\'\n])')
| (?P<name>{_PART}(?:\.{_PART})*)
| (?P<hash>\#[A-Za-z_]+)
| (?P<number>\d[\w.]*)
| (?P<at>@\[)
| (?P<open>[(\[{{⟨])
| (?P<close>[)\]}}⟩])
| (?P<symbol>:=|[^\s\w])
"""


@cache
def _token() -> re.Pattern[str]:
    return re.compile(_TOKEN, re.VERBOSE | re.DOTALL)


@cache
def _comment_edge() -> re.Pattern[str]:
    return re.compile(r"/-|-/")


def _comment_end(text: str, start: int) -> int:
    """Return the offset behind the block comment that opens at `start`; comments nest."""
    depth = 0
    for edge in _comment_edge().finditer(text, start):
        depth += 1 if edge.group() == "/-" else -1
        if depth == 0:
            return edge.end()
    return len(text)


@cache
def _interp_edge() -> re.Pattern[str]:
    return re.compile(r'\\.|["{}]', re.DOTALL)


def _interpolated_end(text: str, start: int) -> int:
    """Return the offset behind an interpolated string whose opening quote ends at `start`.

    Terms between braces may hold strings themselves: `s!"{f "x"}"`.
    """
    depth, nested, position = 0, False, start
    while edge := _interp_edge().search(text, position):
        position, mark = edge.end(), edge.group()
        if mark == '"':
            if depth == 0:
                return position
            nested = not nested
        elif not nested and mark == "{":
            depth += 1
        elif not nested and mark == "}" and depth:
            depth -= 1
    return len(text)


def _string_end(text: str, match: re.Match[str]) -> int:
    if match.lastgroup == "interp":
        return _interpolated_end(text, match.end())
    closing = '"' + match["pounds"]
    found = text.find(closing, match.end())
    return len(text) if found < 0 else found + len(closing)


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of `text` in order; comments (other than `/-- -/`) and blanks are left out."""
    scan, position = _token().search, 0
    while match := scan(text, position):
        kind, position = match.lastgroup or "symbol", match.end()
        if kind == "block":
            position = _comment_end(text, match.start())
            if text.startswith("/--", match.start()) and not text.startswith("/--/", match.start()):
                yield Token("doc", text[match.start() : position], match.start())
        elif match.group("interp") or match.group("raw"):
            position = _string_end(text, match)
            yield Token("string", text[match.start() : position], match.start())
        elif kind != "line":
            yield Token("string" if kind == "char" else kind, match.group(), match.start())
