"""What the wrapper leaves of each `lean` that a build runs, read as it comes; limits for each of them."""

from __future__ import annotations

import ast
import contextlib
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracker.lean.process import Limit, Limits, Memory
from tracker.machine import available_bytes

_KEPT_OUTPUT = 64 * 2**20
_GRACE_S = 2.0


@dataclass(frozen=True)
class LeanRecord:
    """What one `lean` process did, as the wrapper recorded it. `stdout` holds Lean's JSON messages."""

    module: str
    started_at: float
    wall_s: float
    user_s: float
    system_s: float
    peak_rss_bytes: int
    minor_faults: int
    major_faults: int
    exit_code: int | None
    signal: int | None
    stdout: bytes
    stderr: bytes
    curve: tuple[Memory, ...]
    instructions: int | None = None
    limit: Limit | None = None
    """The limit of its own for which it was stopped, while the build went on."""


class Records:
    """The records of one build, in the directory that the wrapper writes to.

    With `each`, a `lean` that passes those limits is stopped, and only that one. `on_memory` hears readings
    with the module that is checked, `on_record` each record soon after its `lean` has ended.
    """

    def __init__(
        self,
        directory: Path,
        module_of: Callable[[Sequence[str]], str | None],
        on_memory: Callable[[str, Memory], None] | None = None,
        on_record: Callable[[LeanRecord], None] | None = None,
        each: Limits | None = None,
    ) -> None:
        self._directory = directory
        self._module_of = module_of
        self._on_memory = on_memory
        self._on_record = on_record
        self._each = each
        self._modules: dict[int, str | None] = {}
        self._curves: dict[int, list[Memory]] = {}
        self._began: dict[int, float] = {}
        self._in_use: dict[int, int] = {}
        self._stopped: dict[int, tuple[Limit, float]] = {}
        self._read: set[str] = set()
        self.found: list[LeanRecord] = []

    def active(self) -> list[int]:
        """Return the process ids of the `lean` processes at work, and read what has ended since."""
        names = os.listdir(self._directory)
        files = [self._directory / name for name in names if name.endswith(".active")]
        pids = [pid for pid in map(self._at_work, files) if pid is not None]
        self._in_use = {pid: size for pid, size in self._in_use.items() if pid in pids}
        self._take(names)
        return pids

    def _at_work(self, file: Path) -> int | None:
        try:
            number, _, args = file.read_text(encoding="utf-8", errors="surrogateescape").partition("\n")
            pid = int(number)
            if pid not in self._modules:
                self._modules[pid] = self._module_of(ast.literal_eval(args))
        except (OSError, ValueError, SyntaxError):
            return None  # just ended
        return pid

    def heard(self, pid: int, reading: Memory) -> None:
        """Keep a reading of a `lean` at work, and stop it where it is past a limit of its own."""
        self._curves.setdefault(pid, []).append(reading)
        module = self._modules.get(pid)
        if self._on_memory is not None and module is not None:
            self._on_memory(module, reading)
        if self._each is not None:
            self._in_use[pid] = reading.rss_bytes
            elapsed = reading.at_s - self._began.setdefault(pid, reading.at_s)
            limit = self._passed(self._each, pid, reading, elapsed)
            if limit is not None:
                self._stop(pid, limit, reading.at_s)

    def _passed(self, each: Limits, pid: int, reading: Memory, elapsed_s: float) -> Limit | None:
        if pid in self._stopped:
            return self._stopped[pid][0]
        if each.wall_s is not None and elapsed_s > each.wall_s:
            return "wall"
        if each.memory_bytes is not None and reading.rss_bytes > each.memory_bytes:
            return "memory"
        # The heaviest makes room for the others, one at a time.
        heaviest = max(self._in_use, key=lambda one: (self._in_use[one], one)) == pid
        making_room = any(one in self._in_use for one in self._stopped)
        short = available_bytes() < each.reserve_bytes
        return "machine-memory" if heaviest and not making_room and short else None

    def _stop(self, pid: int, limit: Limit, at_s: float) -> None:
        _, since = self._stopped.setdefault(pid, (limit, at_s))
        how = signal.SIGKILL if at_s - since > _GRACE_S else signal.SIGTERM
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, how)

    def finish(self) -> int:
        """Read what is left after the build's end; return how many `lean` processes left no record."""
        names = os.listdir(self._directory)
        self._take(names)
        return sum(name.endswith(".out") for name in names) - sum(name.endswith(".record") for name in names)

    def _take(self, names: Sequence[str]) -> None:
        fresh = [
            self._directory / name for name in names if name.endswith(".record") and name not in self._read
        ]
        for file in sorted(fresh, key=lambda path: path.stat().st_mtime_ns):
            self._read.add(file.name)
            record = self._record(file)
            if record is not None:
                self.found.append(record)
                if self._on_record is not None:
                    self._on_record(record)

    def _record(self, file: Path) -> LeanRecord | None:
        data: dict[str, Any] = ast.literal_eval(file.read_text(encoding="utf-8", errors="surrogateescape"))
        module, pid = self._module_of(data.pop("args")), data.pop("pid")
        if module is None:
            return None  # a package's module, not the project's
        stdout, stderr = (_head(file.with_suffix(end)) for end in (".out", ".err"))
        limit = self._stopped[pid][0] if pid in self._stopped else None
        curve = tuple(self._curves.pop(pid, ()))
        return LeanRecord(module=module, stdout=stdout, stderr=stderr, curve=curve, limit=limit, **data)


def _head(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(_KEPT_OUTPUT)
