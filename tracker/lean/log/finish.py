"""The last step of reading a log: what belongs to which module, and whether the log is whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import overload

from tracker.lean.log import grammar
from tracker.lean.log.build import LogBuilder
from tracker.lean.log.jobs import Job, WholeJob, decoded, expanded
from tracker.lean.log.model import LakeLog, LogEntry, LogKind, ModuleLog, Modules, Status
from tracker.lean.log.plain import place_head

_DONE: dict[str, Status] = {
    "Ran": "built",
    "Built": "built",
    "Replayed": "replayed",
    "Fetched": "fetched",
    "Unpacked": "fetched",
}


def finished(builder: LogBuilder, *, cut_line: bool) -> LakeLog:
    """Return the log that `builder` read; `cut_line` says that it ended in the middle of a line."""
    kind = _kind(builder)
    ended = _ended(builder, kind, cut_line)
    _adopt(builder)
    return LakeLog(
        kind,
        _Jobs(builder, ended=ended),
        tuple(builder.loose),
        tuple(builder.unrecognised),
        tuple(builder.notes),
        ended,
        builder.succeeded and ended,
        tuple(builder.failed),
        builder.lines,
        dict(builder.omitted),
    )


class _Jobs(Modules):
    """Reads jobs from their printed form as they are asked for."""

    def __init__(self, builder: LogBuilder, *, ended: bool) -> None:
        self._jobs = builder.jobs
        self._failed = frozenset(builder.failed)
        self._ended = ended
        self._named: dict[str, Status] = dict.fromkeys(builder.failed, "failed")
        if builder.running and not ended:
            self._named.setdefault(builder.running, "running")

    @cached_property
    def _extra(self) -> list[ModuleLog]:
        """Targets that only the footer or the spinner names."""
        known = {_caption(job) for job in self._jobs if not _is_clean(job)} if self._named else set()
        return [_named_only(name, status) for name, status in self._named.items() if name not in known]

    def __len__(self) -> int:
        return len(self._jobs) + len(self._extra)

    @overload
    def __getitem__(self, index: int) -> ModuleLog: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ModuleLog]: ...
    def __getitem__(self, index: int | slice) -> ModuleLog | Sequence[ModuleLog]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        index = range(len(self))[index]
        if index >= len(self._jobs):
            return self._extra[index - len(self._jobs)]
        return self._read(self._jobs[index])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash((len(self), self._failed))

    def troubled(self) -> Iterator[ModuleLog]:
        yield from self._seen()
        yield from self._extra

    def _seen(self) -> Iterator[ModuleLog]:
        for job in self._jobs:
            if not _is_clean(job):
                yield self._read(job)

    def _read(self, job: Job | WholeJob) -> ModuleLog:
        job = job if isinstance(job, Job) else expanded(job)
        return _module(job, failed=job.failed or job.caption in self._failed, ended=self._ended)


def _is_clean(job: Job | WholeJob) -> bool:
    return not isinstance(job, Job) and job[0].startswith(grammar.CLEAN)


def _caption(job: Job | WholeJob) -> str:
    if isinstance(job, Job):
        return job.caption
    words = grammar.plain_headline(job[0].partition(b"\n")[0])
    return words[1].decode("utf-8", "replace") if words else expanded(job).caption


def _kind(builder: LogBuilder) -> LogKind:
    lake = builder.jobs or builder.ended or builder.running
    if lake or any(entry.message is None for entry in builder.loose):
        return "lake"
    return "lean" if builder.lean.messages else "text"


def _ended(builder: LogBuilder, kind: LogKind, cut_line: bool) -> bool:
    """Whether the log came to its end: Lake's last line, or an error outside all jobs after the last job."""
    if kind == "lean":
        return not cut_line
    if builder.ended or kind != "lake":
        return builder.ended
    if builder.running:
        return False
    job = builder.jobs[-1] if builder.jobs else None
    if isinstance(job, Job) and job.failed and not _has_icon(job):
        return True  # old style: nothing follows the last failure
    line = 0 if job is None else job.line if isinstance(job, Job) else job[1]
    return any(entry.level == "error" and not entry.message and entry.line > line for entry in builder.loose)


def _has_icon(job: Job) -> bool:
    return bool(job.head) and job.head[0] != "["


def _adopt(builder: LogBuilder) -> None:
    """Give entries to the module whose file they name, where they stood elsewhere.

    They do where logs interleave, and where the headline is missing because the log was cut at its beginning.
    """
    if not builder.strays and not any(
        _owner(entry.text, set()) for entry in builder.loose if not entry.message
    ):
        return
    by_module: dict[str, Job] = {}
    for place, job in enumerate(builder.jobs):
        if not _is_clean(job):
            read = builder.jobs[place] = job if isinstance(job, Job) else expanded(job)
            by_module[grammar.split_caption(read.caption)[0]] = read
    for holder, entry in builder.strays:
        owner = by_module.get(_owner(decoded(entry).text, set(by_module)) or "", holder)
        owner.entries.append(entry)
    _adopt_loose(builder, by_module)


def _owner(text: str, known: set[str]) -> str | None:
    found = place_head().match(text)
    if found is None or found["file"].endswith("lakefile.lean"):
        return None
    return grammar.module_of_file(found["file"], known)


def _adopt_loose(builder: LogBuilder, by_module: dict[str, Job]) -> None:
    kept: list[LogEntry] = []
    last: Job | None = None
    for entry in builder.loose:
        owner = None if entry.message else _owner(entry.text, set(by_module))
        ending = grammar.one_line().match(f"error: {entry.text}".encode()) if last is not None else None
        if owner:
            last = by_module.get(owner)
            if last is None:
                last = by_module[owner] = Job(owner, "", entry.line)
                builder.jobs.append(last)
            last.failed = last.failed or entry.level == "error"
        elif last is not None and ending and ending["code"]:
            last.exit_code, last.failed = int(ending["code"]), True
        else:
            last = None if entry.level == "error" else last
            kept.append(entry)
            continue
        last.entries.append((f"{entry.level}: {entry.text}".encode(), entry.line, 0))
    builder.loose = kept


def _module(job: Job, *, failed: bool, ended: bool) -> ModuleLog:
    module, facet = grammar.split_caption(job.caption)
    head = grammar.headline().match(job.head)
    status: Status = "failed" if failed else "built" if head is None else _DONE.get(head["verb"], "running")
    if status == "running" and ended:
        status = "built"  # old Lake names a module when it starts and never again
    return ModuleLog(
        job.caption,
        module,
        facet,
        status,
        head["verb"] if head else "",
        job.line,
        _number(head["n"]) if head else None,
        _number(head["m"]) if head else None,
        bool(head and head["optional"]),
        grammar.printed_time(head["time"]) if head and head["time"] else None,
        tuple(decoded(entry) for entry in sorted(job.entries, key=lambda entry: entry[1])),
        job.exit_code,
        job.command,
        job.cut,
    )


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


def _named_only(caption: str, status: Status) -> ModuleLog:
    """A target that only the footer or the spinner names."""
    module, facet = grammar.split_caption(caption)
    return ModuleLog(caption, module, facet, status, "", 0)
