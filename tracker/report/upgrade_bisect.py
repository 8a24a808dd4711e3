"""A bisection on the terminal: every step with what it said, then where it turned."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tracker.gate.bisect import Outcome
from tracker.gate.bisect_run import Bisection
from tracker.report.terminal import plain

_MARKS = {Outcome.GOOD: ("✔", "blue"), Outcome.BAD: ("✘", "red"), Outcome.UNTESTABLE: ("?", "cyan")}


def print_bisection(found: Bisection, out: Console) -> None:
    """Print the steps in the order of the candidates, and the answer."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(overflow="fold")
    for position in sorted(found.steps):
        judged = found.judge(position)
        mark, colour = _MARKS[judged.outcome]
        reason = judged.reason + (" (close: noise could decide)" if judged.close else "")
        table.add_row(Text(mark, style=colour), Text(plain(found.steps[position].name)), Text(plain(reason)))
    out.print(table)
    if found.turn is None:
        return
    names = [candidate.name for candidate in found.suspects]
    good = found.request.candidates[found.turn.good].name
    if found.turn.certain:
        out.print(Text(f"\nfirst bad: {plain(names[0])}", style="bold"), soft_wrap=True)
    else:
        out.print(Text(f"\nfirst bad is one of {len(names)}; the others are untestable", style="bold"))
        for name in names:
            out.print(Text(f"  {plain(name)}"), soft_wrap=True)
    out.print(Text(f"last good: {plain(good)}"), soft_wrap=True)
    out.print(Text(f"{len(found.steps)} of {len(found.request.candidates)} tried; evidence: {found.file}"),
              soft_wrap=True)  # fmt: skip
