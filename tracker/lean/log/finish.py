"""The last step of reading a log: what belongs to which module, and whether the log is whole."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cached_property
from typing import overload

from tracker.lean.log import grammar
from tracker.lean.log.build import LogBuilder
from tracker.lean.log.jobs import Job, Region, WholeJob, decoded, expanded, fails, single
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
        tuple(builder.rest.loose),
        tuple(builder.rest.unrecognised),
        tuple(builder.rest.notes),
        ended,
        builder.succeeded and ended,
        tuple(builder.rest.failed),
        builder.lines,
        dict(+builder.omitted),
        builder.failed_builds,
    )


class _Jobs(Modules):
    """Reads jobs from their printed form as they are asked for."""

    def __init__(self, builder: LogBuilder, *, ended: bool) -> None:
        self._jobs = builder.jobs
        self._limit = builder.limits.entry_bytes
        self._failed = frozenset(builder.rest.failed)
        self._ended = ended
        self._named: dict[str, Status] = dict.fromkeys(builder.rest.failed, "failed")
        if builder.running and not ended:
            self._named.setdefault(builder.running, "running")

    @cached_property
    def _extra(self) -> list[ModuleLog]:
        """Targets that only the footer or the spinner names."""
        known = {_caption(job) for job in _troubled(self._jobs)} if self._named else set()
        return [_named_only(name, status) for name, status in self._named.items() if name not in known]

    @cached_property
    def _all(self) -> list[Job | WholeJob]:
        one_by_one: list[Job | WholeJob] = []
        for job in self._jobs:
            if isinstance(job, Region):
                one_by_one += job.jobs()
            else:
                one_by_one.append(job)
        return one_by_one

    def __len__(self) -> int:
        return len(self._all) + len(self._extra)

    @overload
    def __getitem__(self, index: int) -> ModuleLog: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ModuleLog]: ...
    def __getitem__(self, index: int | slice) -> ModuleLog | Sequence[ModuleLog]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        index = range(len(self))[index]
        if index >= len(self._all):
            return self._extra[index - len(self._all)]
        return self._read(self._all[index])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash((len(self), self._failed))

    def troubled(self) -> Iterator[ModuleLog]:
        for job in _troubled(self._jobs):
            yield self._read(job)
        yield from self._extra

    def failed(self) -> Iterator[ModuleLog]:
        for job in _troubled(self._jobs):
            if _says_failure(job) or (self._failed and _caption(job) in self._failed):
                yield self._read(job)
        yield from (target for target in self._extra if target.status == "failed")

    def _read(self, job: Job | WholeJob) -> ModuleLog:
        job = job if isinstance(job, Job) else expanded(job)
        raw = sorted((one for run in job.entries for one in single(run)), key=lambda entry: entry[1])
        entries = tuple(decoded(entry, self._limit) for entry in raw)
        return _module(job, entries, failed=job.failed or job.caption in self._failed, ended=self._ended)


_NOT_CLEAN = ("⚠ [".encode(), "ℹ [".encode())


def _troubled(jobs: Iterable[Job | WholeJob | Region]) -> Iterator[Job | WholeJob]:
    """Yield the jobs that did more than end well."""
    for job in jobs:
        if isinstance(job, Region):
            if any(icon in job.text for icon in _NOT_CLEAN):
                yield from (one for one in job.jobs() if not one[0].startswith(grammar.CLEAN))
        elif isinstance(job, Job):
            if _marked(job):
                yield job
        elif not job[0].startswith(grammar.CLEAN):
            yield job


def _marked(job: Job) -> bool:
    return job.failed or bool(job.entries) or not job.head.startswith("✔ ")


def _says_failure(job: Job | WholeJob) -> bool:
    return job.failed if isinstance(job, Job) else fails(job[0].partition(b"\n")[0])


def _caption(job: Job | WholeJob) -> str:
    if isinstance(job, Job):
        return job.caption
    found = grammar.plain_headline().fullmatch(job[0].partition(b"\n")[0])
    return found["caption"].decode("utf-8", "replace") if found else expanded(job).caption


def _kind(builder: LogBuilder) -> LogKind:
    lake = builder.jobs or builder.ended or builder.running
    if lake or any(entry.message is None for entry in builder.rest.loose):
        return "lake"
    return "lean" if builder.rest.lean.messages else "text"


def _ended(builder: LogBuilder, kind: LogKind, cut_line: bool) -> bool:
    """Whether the log came to its end: Lake's last line, or an error outside all jobs after the last job."""
    if kind == "lean":
        return not cut_line
    if builder.ended or kind != "lake":
        return builder.ended
    if builder.running:
        return False
    job = builder.jobs[-1] if builder.jobs else None
    line = 0 if job is None else job.line if isinstance(job, Job) else job[1]
    if isinstance(job, Region):
        line += job.text.count(b"\n")
    if isinstance(job, Job) and not _has_icon(job) and builder.last_exit > line:
        return True  # old style has no last line; a failure's end is the last thing in it
    return any(
        entry.level == "error" and not entry.message and entry.line > line for entry in builder.rest.loose
    )


def _has_icon(job: Job) -> bool:
    return bool(job.head) and job.head[0] != "["


def _adopt(builder: LogBuilder) -> None:
    """Give entries to the module whose file they name, where they stood elsewhere.

    They do where logs interleave, and where the headline is missing because the log was cut at its beginning.
    """
    if not builder.strays and not any(
        _owner(entry.text, ()) for entry in builder.rest.loose if not entry.message
    ):
        return
    one_by_one: list[Job | WholeJob] = []
    for job in builder.jobs:
        one_by_one += job.jobs() if isinstance(job, Region) else [job]
    builder.jobs = [
        job if isinstance(job, Job) or job[0].startswith(grammar.CLEAN) else expanded(job)
        for job in one_by_one
    ]
    by_module = {
        grammar.split_caption(job.caption)[0]: job
        for job in builder.jobs
        if isinstance(job, Job) and _marked(job)
    }
    for holder, entry in builder.strays:
        text = decoded(entry, builder.limits.entry_bytes).text
        owner = by_module.get(_owner(text, by_module) or "", holder)
        owner.entries.append(entry)
    _adopt_loose(builder, by_module)


def _owner(text: str, known: Container[str]) -> str | None:
    found = place_head().match(text)
    if found is None or found["file"].endswith("lakefile.lean"):
        return None
    return grammar.module_of_file(found["file"], known)


def _adopt_loose(builder: LogBuilder, by_module: dict[str, Job]) -> None:
    kept: list[LogEntry] = []
    last: Job | None = None
    for entry in builder.rest.loose:
        owner = None if entry.message else _owner(entry.text, by_module)
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
    builder.rest.loose = kept


def _module(job: Job, entries: tuple[LogEntry, ...], *, failed: bool, ended: bool) -> ModuleLog:
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
        entries,
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
