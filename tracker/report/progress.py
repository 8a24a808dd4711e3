"""Progress of a run: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import time
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, cast

from rich.console import Console
from rich.text import Text

from tracker.evidence import ModuleCheck
from tracker.lean.process import Memory
from tracker.report.terminal import MARKS, plain
from tracker.units import show_bytes, show_seconds
from tracker.verdict import State

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class ProgressLines(AbstractContextManager["ProgressLines"]):
    """Says what a run does: one line a module when it has ended, and on a terminal what is at work."""

    def __init__(self, out: Console) -> None:
        self._out = out
        self._position = ""
        self._since = 0.0
        self._live = _bar(out) if out.is_terminal else None
        self._task = self._live.add_task("", total=None, memory="") if self._live else cast("TaskID", 0)

    def __enter__(self) -> ProgressLines:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def started(self, module: str, position: int, total: int) -> None:
        """Lean starts on a module."""
        self._position = f"[{position:>{len(str(total))}}/{total}]"
        self._since = time.monotonic()
        self._show(f"{self._position} {module}", position - 1, total)

    def memory(self, _module: str, reading: Memory, /) -> None:
        """Show the memory of the module's `lean`."""
        if self._live is not None:
            self._live.update(self._task, memory=show_bytes(reading.rss_bytes))

    def finished(self, check: ModuleCheck) -> None:
        """Say how a module's check ended."""
        state = State.PROVED if check.passed else State.FAILED
        symbol, colour = MARKS[state]
        cost = check.cost
        price = f"{show_seconds(cost.wall_s):>9} {show_bytes(cost.peak_rss_bytes):>9}" if cost else " " * 19
        why = f"  {check.failures[0].cls}" if check.failures else ""
        text = Text.assemble(
            f"{self._position} ", (symbol, colour), f" {price}  {check.module}", (why, colour)
        )
        self._say(text)

    def blocked(self, module: str, by: str) -> None:
        """Say that a module was not tried."""
        symbol, colour = MARKS[State.BLOCKED]
        self._say(
            Text.assemble((symbol, colour), f" {module} not tried: {by}, which it imports, did not check")
        )

    def probing(self, declarations: int) -> None:
        """Say that Lean is asked about declarations."""
        self._show(f"asking Lean about {declarations} declarations", 0, 0)
        if self._live is None:
            self._say(Text(f"asking Lean about {declarations} declarations"))

    def note(self, text: str) -> None:
        """Say something that the user should know."""
        self._say(Text(plain(text)))

    def _say(self, text: Text) -> None:
        """Print a line; a reader that has gone, or a full disk under a log, does not end the run."""
        with contextlib.suppress(OSError):
            self._out.print(text, soft_wrap=True)

    def _show(self, text: str, done: int, total: int) -> None:
        if self._live is not None:
            self._live.update(
                self._task, description=text[:60], completed=done, total=total or None, memory=""
            )


def _bar(out: Console) -> Progress:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    what, memory = TextColumn("{task.description}"), TextColumn("{task.fields[memory]}")
    return Progress(what, BarColumn(20), memory, TimeElapsedColumn(), console=out, transient=True)
