"""What a log says: entries, modules, what belongs to none, and whether it came to its end."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, overload

from tracker.lean.log.grammar import PrintedTime
from tracker.lean.messages import Message

Status: TypeAlias = Literal["built", "replayed", "fetched", "failed", "running"]
LogKind: TypeAlias = Literal["lake", "lean", "trace", "text"]


class LogEntry(NamedTuple):
    """One entry of a log: level (trace, info, warning, error), text, and its first line's number.

    `message` is set where Lean itself printed it, as JSON or in plain form.
    """

    level: str
    text: str
    line: int
    message: Message | None = None


@dataclass(frozen=True, slots=True)
class ModuleLog:
    """One job of Lake: a module, or another target (`lib:shared`), with what it logged.

    `index` of `total` is the count of finished jobs as printed. `command` is the command line shown for a job
    that failed; commands are not among the entries. `cut` says that not all entries were kept.
    """

    caption: str
    module: str
    facet: str
    status: Status
    verb: str
    line: int
    index: int | None = None
    total: int | None = None
    optional: bool = False
    time: PrintedTime | None = None
    entries: tuple[LogEntry, ...] = ()
    exit_code: int | None = None
    command: str | None = None
    cut: bool = False


class Modules(Sequence[ModuleLog]):
    """The jobs of a log in order; `troubled` and `failed` leave out the many others."""

    @abstractmethod
    def troubled(self) -> Iterator[ModuleLog]:
        """Yield the jobs that failed, logged something, or have not ended."""

    @abstractmethod
    def failed(self) -> Iterator[ModuleLog]:
        """Yield the jobs that failed."""


class NoModules(Modules):
    """The jobs of a log that has none."""

    def __len__(self) -> int:
        return 0

    @overload
    def __getitem__(self, index: int) -> ModuleLog: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ModuleLog]: ...
    def __getitem__(self, index: int | slice) -> ModuleLog | Sequence[ModuleLog]:
        if isinstance(index, slice):
            return ()
        raise IndexError(index)

    def troubled(self) -> Iterator[ModuleLog]:
        """Yield nothing."""
        return iter(())

    failed = troubled


@dataclass(frozen=True, slots=True)
class LakeLog:
    """A whole log. `loose` holds entries of no module: configuration, downloads, toolchain, shells.

    `notes` are a CI runner's own lines, kept and never believed. `unrecognised` are lines that look like
    errors but fit no grammar. `complete` says that the end was seen: a log without it proves nothing.
    `omitted` counts what was read but not kept: entries by level, `jobs`, `notes`, `unrecognised`, `noise`.
    """

    kind: LogKind
    modules: Modules
    loose: tuple[LogEntry, ...]
    unrecognised: tuple[LogEntry, ...]
    notes: tuple[LogEntry, ...]
    complete: bool
    succeeded: bool
    failed_captions: tuple[str, ...]
    lines: int
    omitted: Mapping[str, int]
    failed_builds: int = 0
    """How often Lake said `build failed`."""

    def counts(self) -> dict[str, int]:
        """Return how many entries of each level the log has, kept or not; commands do not count."""
        total = Counter(entry.level for entry in self.loose if entry.level != "trace")
        for module in self.modules.troubled():
            total.update(entry.level for entry in module.entries)
        total.update({level: self.omitted.get(level, 0) for level in ("info", "warning", "error")})
        return dict(+total)


@dataclass(frozen=True, slots=True)
class LogLimits:
    """How much of a log is kept, whatever its size. Counts stay complete."""

    entry_bytes: int = 1 << 18
    total_bytes: int = 1 << 24
    error_bytes: int = 1 << 25
    """A budget of their own for the logs of failed jobs, so that warnings cannot crowd them out."""
    failed_jobs: int = 100_000
    lines: int = 5_000
    """Loose entries, unrecognised lines, and notes of a CI runner: of each so many."""
