"""One job of a log: as printed, or read entry by entry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from tracker.lean.log import grammar
from tracker.lean.log.model import LogEntry

RawEntry: TypeAlias = tuple[bytes, int, int]
"""Entries as printed (`error: …`), the first line's number, and the bytes left out at the end of the last."""

WHOLE = 1 << 16
"""Bytes of a job's log up to which it may be put away whole."""


HEADS = tuple(f"\n{icon} [".encode() for icon in "✔⚠ℹ")
MARKS = (b"\ntrace: ", b"\ninfo: ", b"\nwarning: ", b"\nerror: ")
EXIT = b"\nerror: Lean exited with code "


class Job:
    """One job that was read entry by entry. `head` is its headline as printed, "" when the log shows none."""

    __slots__ = (
        "caption",
        "command",
        "cost",
        "cut",
        "entries",
        "exit_code",
        "failed",
        "head",
        "line",
        "path",
    )

    def __init__(self, caption: str, head: str, line: int, *, failed: bool = False) -> None:
        self.caption = caption
        self.head = head
        self.line = line
        self.failed = failed
        self.path = grammar.own_path(caption).encode()
        self.entries: list[RawEntry] = []
        self.cost = 0
        self.cut = False
        self.exit_code: int | None = None
        self.command: str | None = None


WholeJob: TypeAlias = tuple[bytes, int, bool]
"""A job as printed, its first line's number, and whether its log was left out but for Lean's exit code."""


class Region(NamedTuple):
    """Jobs in their common form that ended well, as printed, and the first line's number."""

    text: bytes
    line: int

    def jobs(self) -> Iterator[WholeJob]:
        """Yield its jobs."""
        line = self.line
        for job in grammar.quiet_starts().split(self.text):
            yield job, line, False
            line += job.count(b"\n") + 1


def text_of(entry: bytes) -> str:
    """Return an entry's text without its level."""
    return entry.partition(b": ")[2].decode("utf-8", "replace")


def fails(head: bytes) -> bool:
    """Whether a headline tells of a failure.

    `⚠ … Building` does when warnings were to count as failures; behind an icon that a wrong code page
    mangled, the verb decides. Old headlines, without an icon, only say that a job begins.
    """
    icon = head[:3]
    if icon in grammar.RANK_OF_ICON and grammar.RANK_OF_ICON[icon] != 2:
        return grammar.RANK_OF_ICON[icon] == 3
    if head[:1] == b"[":
        return False
    found = grammar.headline().match(head.decode("utf-8", "replace"))
    return bool(found and found["verb"].endswith("ing"))


def is_common(caption: bytes, segment: bytes, end: int, rank: int) -> bool:
    """Whether a job's log, from `end` on, concerns the job only and can wait until it is asked for.

    Entries only, none above the icon's rank; of a failed job errors of its own file only, its exit code last.
    """
    if rank == 0:
        return segment.startswith(MARKS[0], end) and segment.find(b"\n", end + 1) < 0
    if len(segment) > WHOLE or not segment.startswith(MARKS, end):
        return False
    if rank < 3:
        return is_quiet(segment, rank)
    shown = segment.find(MARKS[0], end)
    after = segment.find(b"\n", shown + 1) if shown >= 0 else -1
    if segment.count(MARKS[0]) > 1 or (after >= 0 and not segment.startswith(MARKS, after)):
        return False  # a command is one line; anything behind it is loose
    path = grammar.own_path(caption.decode("utf-8", "replace")).encode()
    own = segment.count(MARKS[3] + path) + segment.count(MARKS[3] + b"././././" + path)
    exits = segment.count(EXIT)
    if exits > 1 or segment.count(MARKS[3]) != own + exits or b"\ninfo: [" in segment:
        return False
    return not exits or exit_code(segment[segment.rfind(b"\n") + 1 :]) is not None


def is_quiet(text: bytes, rank: int) -> bool:
    """Whether lines below a headline of rank 1 or 2 hold nothing but infos and warnings of that job."""
    if MARKS[0] in text or MARKS[3] in text or b"\ninfo: [" in text:
        return False
    return rank == 2 or MARKS[2] not in text


def is_plain_failure(text: bytes) -> bool:
    """Whether lines of a failed job hold nothing that says how the job or the build ended."""
    ends = (b"\nerror: Lean exited", b"\nerror: build failed", b"\nerror: external command", b"\nerror: > ")
    return not any(mark in text for mark in (*ends, MARKS[0], b"\ninfo: ["))


def first_mark(text: bytes) -> int:
    """Return where the first entry in lines starts, at the newline before it, or -1."""
    found = grammar.entry_starts().search(text)
    return found.start() if found else -1


def expanded(whole: WholeJob) -> Job:
    """Return a job that was kept as printed, read entry by entry."""
    segment, line, cut = whole
    first, *entries = grammar.entry_starts().split(segment)
    head = first.decode("utf-8", "replace")
    found = grammar.headline().match(head)
    job = Job(found["caption"] if found else head, head, line, failed=fails(first))
    job.exit_code = exit_code(entries[-1]) if entries else None
    job.cut = cut
    if not cut:
        _read_entries(job, entries)
    return job


def _read_entries(job: Job, entries: list[bytes]) -> None:
    line = job.line + 1
    for entry in entries:
        if entry[:1] != b"t":
            job.entries.append((entry, line, 0))
        elif job.failed:
            job.command = job.command or grammar.command_of(text_of(entry))
        line += entry.count(b"\n") + 1


def only_ending(segment: bytes, line: int) -> WholeJob:
    """Return a failed job for whose log there is no room: its headline and Lean's exit code."""
    end, last = segment.find(b"\n"), segment.rfind(b"\n")
    return segment[:end] + (segment[last:] if segment.startswith(EXIT, last) else b""), line, True


def exit_code(entry: bytes) -> int | None:
    """Return N of an entry `error: Lean exited with code N`, else None."""
    ending = grammar.one_line().match(entry)
    return int(ending["code"]) if ending and ending["code"] else None


def single(raw: RawEntry) -> Iterator[RawEntry]:
    """Yield the entries of a run of entries one by one."""
    text, line, unseen = raw
    entries = grammar.entry_starts().split(text)
    for entry in entries[:-1]:
        yield entry, line, 0
        line += entry.count(b"\n") + 1
    yield entries[-1], line, unseen


def decoded(entry: RawEntry, limit: int) -> LogEntry:
    """Return one entry as text, cut to `limit` bytes with a note of how many were left out."""
    segment, line, unseen = entry
    unseen += max(0, len(segment) - limit)
    level, _, text = segment[:limit].decode("utf-8", "replace").partition(": ")
    return LogEntry(level, f"{text}\n[{unseen} further bytes left out]" if unseen else text, line)
