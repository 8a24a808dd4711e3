"""One job of a log: as printed, or read entry by entry."""

from __future__ import annotations

from typing import TypeAlias

from tracker.lean.log import grammar
from tracker.lean.log.model import LogEntry

RawEntry: TypeAlias = tuple[bytes, int, int]
"""An entry as printed (`error: …`), its first line's number, and the bytes of it that were left out."""

WHOLE = 1 << 16
"""Bytes of a job's log up to which it may be put away whole."""


MARKS = (b"\ntrace: ", b"\ninfo: ", b"\nwarning: ", b"\nerror: ")


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
"""A job as printed (headline and log), its first line's number, and whether its log was left out."""


def text_of(entry: bytes) -> str:
    """Return an entry's text without its level."""
    return entry.partition(b": ")[2].decode("utf-8", "replace")


def fails(rank: int, head: bytes) -> bool:
    """Whether a headline tells of a failure; `⚠ … Building` does when warnings were to count as failures."""
    if rank != 2:
        return rank == 3 and head[:1] != b"["
    found = grammar.headline().match(head.decode("utf-8", "replace"))
    return bool(found and found["verb"].endswith("ing"))


def is_common(caption: bytes, segment: bytes, end: int, rank: int) -> bool:
    """Whether a job's log, from `end` on, concerns the job only and can wait until it is asked for.

    Entries only, none above the icon's rank, errors only of the job's own file, Lean's exit code last.
    """
    if rank == 0:
        return segment.startswith(MARKS[0], end) and segment.find(b"\n", end + 1) < 0
    if len(segment) > WHOLE or not segment.startswith(MARKS, end) or b"\ninfo: [" in segment:
        return False
    if rank < 3:
        return MARKS[3] not in segment and (rank == 2 or MARKS[2] not in segment)
    own = MARKS[3] + grammar.own_path(caption.decode("utf-8", "replace")).encode()
    exits = segment.count(b"\nerror: Lean exited with code ")
    if exits > 1 or segment.count(MARKS[3]) != segment.count(own) + exits:
        return False
    return not exits or bool(grammar.one_line().fullmatch(segment, segment.rfind(b"\n") + 1))


def expanded(whole: WholeJob) -> Job:
    """Return a job that was kept as printed, read entry by entry."""
    segment, line, cut = whole
    first, *entries = grammar.entry_starts().split(segment)
    head = first.decode("utf-8", "replace")
    found = grammar.headline().match(head)
    job = Job(found["caption"] if found else head, head, line)
    job.failed = fails(grammar.RANK_OF_ICON.get(segment[:3], 3), first)
    job.cut = cut
    line += 1
    for entry in entries:
        if entry[:1] != b"t":
            job.entries.append((entry, line, 0))
        elif job.failed:
            job.command = grammar.command_of(text_of(entry)) or job.command
        line += entry.count(b"\n") + 1
    job.exit_code = _exit_code(entries[-1]) if entries else None
    return job


def only_ending(segment: bytes, line: int) -> Job:
    """Return a failed job for whose log there is no room: its headline and Lean's exit code."""
    head = segment.partition(b"\n")[0]
    job = expanded((head, line, True))
    job.exit_code = _exit_code(segment[segment.rfind(b"\n") + 1 :])
    return job


def _exit_code(entry: bytes) -> int | None:
    ending = grammar.one_line().match(entry)
    return int(ending["code"]) if ending and ending["code"] else None


def decoded(entry: RawEntry) -> LogEntry:
    """Return an entry as text, with a note where its end was left out."""
    segment, line, unseen = entry
    level, _, text = segment.decode("utf-8", "replace").partition(": ")
    return LogEntry(level, f"{text}\n[{unseen} further bytes left out]" if unseen else text, line)
