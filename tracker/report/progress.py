"""Progress of a run: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from tracker.evidence import ModuleCheck
from tracker.lean.process import Memory
from tracker.report.terminal import MARKS, plain
from tracker.units import show_bytes, show_count, show_seconds
from tracker.verdict import State

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class ProgressLines(AbstractContextManager["ProgressLines"]):
    """Says what a run does: one line a module when it has ended, and on a terminal what is at work."""

    def __init__(self, out: Console, over_budget: Callable[[ModuleCheck], str] = lambda _: "") -> None:
        """Write to `out`; `over_budget` says how a check is over its budget, if it is."""
        self._out = out
        self._over_budget = over_budget
        self._ended = 0
        self._total = 0
        self._live = _bar(out) if out.is_terminal else None
        self._at_work: dict[str, TaskID] = {}
        self._asking: TaskID | None = None

    def __enter__(self) -> ProgressLines:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def started(self, module: str, _position: int, total: int, /) -> None:
        """Lean starts on a module."""
        self._total = total
        if self._live is not None and module not in self._at_work:
            self._at_work[module] = self._live.add_task(module[:60], total=None, memory="", position="")
            self._count()

    def memory(self, module: str, reading: Memory, /) -> None:
        """Show the memory of the module's `lean`."""
        task = self._at_work.get(module)
        if self._live is not None and task is not None:
            self._live.update(task, memory=show_bytes(reading.rss_bytes))

    def finished(self, check: ModuleCheck) -> None:
        """Say how a module's check ended."""
        self._end(check.module)
        over = self._over_budget(check) if check.passed else ""
        passed = State.OVER_BUDGET if over else State.PROVED
        symbol, colour = MARKS[passed if check.passed else State.FAILED]
        cost = check.cost
        price = f"{show_seconds(cost.wall_s):>9} {show_bytes(cost.peak_rss_bytes):>9}" if cost else " " * 19
        why = f"  {check.failures[0].cls}" if check.failures else over and f"  {over}"
        text = Text.assemble(
            f"{self._position} ", (symbol, colour), f" {price}  {check.module}", (why, colour), spread(check)
        )
        self._say(text)

    @property
    def _position(self) -> str:
        return f"[{self._ended:>{len(str(self._total))}}/{self._total}]"

    def _end(self, module: str) -> None:
        """Count a module, and take it from those at work."""
        self._ended += 1
        self._total = max(self._total, self._ended)  # some are checked on the way to others
        task = self._at_work.pop(module, None)
        if self._live is not None and task is not None:
            self._live.remove_task(task)
            self._count()

    def _count(self) -> None:
        """Show beside each module at work how many have ended."""
        if self._live is not None:
            for task in self._at_work.values():
                self._live.update(task, position=self._position)

    def blocked(self, module: str, by: str) -> None:
        """Say that a module was not tried."""
        self._end(module)
        symbol, colour = MARKS[State.BLOCKED]
        self._say(
            Text.assemble((symbol, colour), f" {module} not tried: {by}, which it imports, did not check")
        )

    def probing(self, declarations: int) -> None:
        """Say that Lean is asked about declarations."""
        text = f"asking Lean about {show_count(declarations, 'declaration')}"
        if self._live is None:
            self._say(Text(text))
        elif self._asking is None:
            self._asking = self._live.add_task(text, total=None, memory="", position="")

    def note(self, text: str) -> None:
        """Say something that the user should know."""
        self._say(Text(plain(text)))

    def _say(self, text: Text) -> None:
        """Print a line; a reader that has gone, or a full disk under a log, does not end the run."""
        with contextlib.suppress(OSError):
            self._out.print(text, soft_wrap=True)


def spread(check: ModuleCheck) -> str:
    """Return how far the repeats of a check lie apart, to stand behind its wall clock; empty without any."""
    if check.wall_mad_s is None:
        return ""
    return f" ± {show_seconds(check.wall_mad_s)} (median of {len(check.repeats)}, median deviation)"


def _bar(out: Console) -> Progress:
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    position, what = TextColumn("{task.fields[position]}"), TextColumn("{task.description}", markup=False)
    memory = TextColumn("{task.fields[memory]}")
    return Progress(SpinnerColumn(), position, what, memory, TimeElapsedColumn(), console=out, transient=True)
