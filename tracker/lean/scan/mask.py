"""Lean source text with its comments, strings and quoted names blanked out, every offset kept.

What is left can be searched with plain regular expressions. The lexical grammar is that of Lean 4: nested
`/- -/`, `--`, strings with escapes, raw and interpolated strings, character literals and `«…»` names.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# Every alternative starts with a literal, so that `re` skips to candidates quickly.
_MARK = re.compile(r""""|'(?=\\|[^\\'\n]')|--|/-|«""")
_STRING = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_CHAR = re.compile(r"'(?:\\(?:u[0-9a-fA-F]+|x[0-9a-fA-F]+|.)|[^\\'\n])'", re.DOTALL)
_INTERPOLATED = re.compile(r'\\.|["{}]', re.DOTALL)
_QUOTED = re.compile(r"«[^»\n]*»?")
_EDGE = re.compile(r"/-|-/")
_TOKEN_COMMAND = re.compile(r"\b(?:notation|infix[lr]?|prefix|postfix|syntax|macro|elab)")
_ODD_TOKEN = re.compile(r'"[^"\n]*?(?:--|/-|-/|[\\\\\'«»#!]|r *")')
_NEAR = 400


class Masked(NamedTuple):
    """`code` is as long as the text, with the same line ends; `docs` are the places of doc comments.

    Both `/-- -/` and `/-! -/` count as doc comments. A string keeps its quotes, a quoted name becomes
    `«___»` of the same length.
    """

    code: str
    docs: list[tuple[int, int]]


def declares_odd_tokens(text: str) -> bool:
    """Return whether a text may declare tokens by which Lean reads as code what `mask` blanks out.

    After `notation "<--" => Nat`, say, the rest of a line behind `<--` is code. Rather too often than missed.
    """
    return any(
        _ODD_TOKEN.search(text, match.end(), match.end() + _NEAR) for match in _TOKEN_COMMAND.finditer(text)
    )


def mask(text: str) -> Masked:
    """Return the text with comments and strings blanked; never raises, whatever the text."""
    kept: list[str] = []
    docs: list[tuple[int, int]] = []
    position, search = 0, _MARK.search
    while match := search(text, position):
        start, sign = match.start(), match.group()
        kept.append(text[position:start])
        if sign == "--":
            end = text.find("\n", start)
            position = len(text) if end < 0 else end
            kept.append(" " * (position - start))
        elif sign == "/-":
            position = _comment_end(text, start)
            if text.startswith(("/--", "/-!"), start) and not text.startswith("/--/", start):
                docs.append((start, position))
            kept.append(_blank(text[start:position]))
        elif sign == "«":
            quoted = _QUOTED.match(text, start)
            position = quoted.end() if quoted else start + 1
            whole = text.endswith("»", start, position)
            kept.append(f"«{'_' * (position - start - 2)}»" if whole else text[start:position])
        elif sign == '"':
            position = _string_end(text, start)
            close = '"' + "#" * _hashes(text, start)
            if position - start <= len(close) or not text.endswith(close, start, position):
                close = '"'  # it has no end
            inner = _blank(text[start + 1 : position - len(close)])
            kept.append(f'"{inner}{close}' if position - start > 1 else '"')
        else:
            position = _char_end(text, start)
            kept.append(" " * (position - start) if position - start > 1 else "'")
    kept.append(text[position:])
    return Masked("".join(kept), docs)


def _hashes(text: str, start: int) -> int:
    """Return how many `#` stand between the `r` of a raw string and its quote at `start`; else 0."""
    before = start
    while before and text[before - 1] == "#":
        before -= 1
    return start - before if before and text[before - 1] == "r" else 0


def _blank(text: str) -> str:
    if "\n" not in text:
        return " " * len(text)
    return "\n".join([" " * len(line) for line in text.split("\n")])


def _comment_end(text: str, start: int) -> int:
    depth, position = 0, start
    while edge := _EDGE.search(text, position):
        position = edge.end()
        depth += 1 if edge.group() == "/-" else -1
        if depth == 0:
            return position
    return len(text)


def _is_name_char(char: str) -> bool:
    return char.isalnum() or char in "_!?'"


def _string_end(text: str, start: int) -> int:
    before = start
    while before and text[before - 1] == "#":
        before -= 1
    if before and text[before - 1] == "r" and not (before > 1 and _is_name_char(text[before - 2])):
        closing = '"' + "#" * (start - before)
        end = text.find(closing, start + 1)
        return len(text) if end < 0 else end + len(closing)
    if start > 1 and text[start - 1] == "!" and text[start - 2].isalpha():
        return _interpolated_end(text, start + 1)
    match = _STRING.match(text, start + 1)
    return match.end() if match else len(text)


def _interpolated_end(text: str, position: int) -> int:
    """Return the end of an interpolated string; terms in its braces may hold strings: `s!"{f "x"}"`."""
    depth, nested = 0, False
    while edge := _INTERPOLATED.search(text, position):
        position, sign = edge.end(), edge.group()
        if sign == '"':
            if depth == 0:
                return position
            nested = not nested
        elif not nested and sign == "{":
            depth += 1
        elif not nested and sign == "}" and depth:
            depth -= 1
    return len(text)


def _char_end(text: str, start: int) -> int:
    if start and _is_name_char(text[start - 1]):
        return start + 1  # the prime of a name
    match = _CHAR.match(text, start)
    return match.end() if match else start + 1
