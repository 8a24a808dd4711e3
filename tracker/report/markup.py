"""Markdown that untrusted text cannot leave: escaped words, code spans, fences, tables, bounded pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tracker.report.terminal import plain
from tracker.units import show_count

_LONGEST_MESSAGE = 1500
_RESERVE = 200  # for the line that says how many were left out, and what closes a list


class Page:
    """Markdown that grows until it is full."""

    def __init__(self, limit: int) -> None:
        self._left = limit
        self._parts: list[str] = []

    def add(self, block: str) -> bool:
        """Add a block if there is room; return whether there was."""
        size = len(block.encode("utf-8")) + 1
        if size > self._left:
            return False
        self._parts.append(block + "\n")
        self._left -= size
        return True

    def add_list(self, head: str, items: Sequence[str], what: str) -> None:
        """Add as many items as there is room for, and say how many are left out; `what` is one of them."""
        room = self._left - _RESERVE - len(head.encode("utf-8"))
        shown: list[str] = []
        for item in items:
            room -= len(item.encode("utf-8"))
            if room < 0:
                break
            shown.append(item)
        rest = len(items) - len(shown)
        more = f"\nand {show_count(rest, f'more {what}')}: see the HTML report\n" if rest else ""
        if shown or rest:
            self.add(head + "".join(shown) + more)

    def text(self) -> str:
        """Return the whole text."""
        return "".join(self._parts)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], right: int | None = None) -> str:
    """Return a table; columns from number `right` on are aligned to the right."""
    rule = [":--" if right is None or i < right else "--:" for i in range(len(head))]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (head, rule, *rows))


_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|!~&@$])")


def text(raw: str) -> str:
    """Return untrusted text as one line in which nothing is markup, link, mention or HTML."""
    return _SPECIAL.sub(lambda m: f"&#{ord(m[1])};", " ".join(plain(raw).split()))


def code(raw: str) -> str:
    """Return untrusted text as a code span, also inside a table."""
    line = " ".join(plain(raw).split()).replace("|", "\N{DIVIDES}")
    longest = max((len(run) for run in re.findall(r"`+", line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}" if line else "–"


def fenced(raw: str) -> str:
    """Return untrusted text as a code block that it cannot end."""
    body = plain(raw).strip("\n")
    if len(body) > _LONGEST_MESSAGE:
        rest = len(body) - _LONGEST_MESSAGE
        body = f"{body[:_LONGEST_MESSAGE]}\n[{show_count(rest, 'further character')}: see the HTML report]"
    longest = max((len(run) for run in re.findall(r"`+", body)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{body}\n{fence}\n"
