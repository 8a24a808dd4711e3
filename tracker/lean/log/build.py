"""From clean lines to jobs and entries, within fixed limits of memory.

The text is cut at the headlines. A job that looks as Lake always prints one is put away whole, and what it
says is read when somebody asks (`finish`); everything else takes the slow path, entry by entry. Both paths
must come to the same result, since where a chunk of the log ends decides which one is taken.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from tracker.lean.log import grammar
from tracker.lean.log.grammar import LEVELS
from tracker.lean.log.jobs import (
    MARKS,
    Job,
    RawEntry,
    WholeJob,
    decoded,
    fails,
    is_common,
    only_ending,
    text_of,
)
from tracker.lean.log.loose import LooseLines
from tracker.lean.log.model import LogEntry, LogLimits


class LogBuilder:
    """Takes blocks of whole lines.

    An entry's text runs to the next entry or headline; behind any other line of Lake's, what starts nothing
    is loose.
    """

    def __init__(self, limits: LogLimits) -> None:
        self.limits = limits
        self.jobs: list[Job | WholeJob] = []
        self.strays: list[tuple[Job, RawEntry]] = []
        self.loose: list[LogEntry] = []
        self.unrecognised: list[LogEntry] = []
        self.notes: list[LogEntry] = []
        self.failed: dict[str, None] = {}
        self._uncounted: list[bytes] = []
        self._uncounted_size = 0
        self.omitted: Counter[str] = Counter()
        self.ended = self.succeeded = False
        self.running: str | None = None
        self.lines = 0
        self.lean = LooseLines()
        self._job: Job | None = None
        self._rank = -1  # the highest level that an entry of the present job can have; -1 outside all jobs
        self._rooms = {False: limits.total_bytes, True: limits.error_bytes}  # by whether the job failed
        self._open: list[bytes] = []
        self._open_line = self._open_size = 0
        self._footer = ""
        self._old: dict[str, Job] = {}  # old style: by module, since its lines interleave

    # segments

    def add(self, block: bytes) -> None:
        """Take whole lines, each with its newline."""
        first, *segments = grammar.job_starts().split(b"\n" + block[:-1])
        if first:
            self._continue(first[1:])
        if not segments:
            return
        self._close_entry()
        last = segments.pop()
        self._take(segments)
        self._segment(last)

    def close(self) -> None:
        """Take the end of the log."""
        self._close_entry()
        self._count()

    def _take(self, segments: list[bytes]) -> None:
        """Take jobs that are complete."""
        clean, ranks, jobs, limit = grammar.CLEAN, grammar.RANK_OF_ICON, self.jobs, self.limits.jobs
        line, fast, over = self.lines + 1, False, 0
        for segment in segments:
            if segment[:4] == clean and b"\n" not in segment and b"] Built " in segment:
                if len(jobs) < limit:
                    jobs.append((segment, line, False))
                else:
                    over += 1
                line, fast = line + 1, True
                continue
            rank = ranks.get(segment[:3])
            if rank is not None and self._put_away(segment, rank, line):
                line, fast = line + segment.count(b"\n") + 1, True
                continue
            self.lines = line - 1
            if fast:
                self._between_jobs()
            self._segment(segment)
            self._close_entry()
            line, fast = self.lines + 1, False
        self.lines = line - 1
        if over:
            self.omitted["jobs"] += over
        if fast:
            self._between_jobs()

    def _between_jobs(self) -> None:
        self._job, self._rank, self.ended, self.succeeded = None, -1, False, False

    def _put_away(self, segment: bytes, rank: int, line: int) -> bool:
        """Keep a job as printed if it has the common form, else return False, having done nothing."""
        end = segment.find(b"\n")
        words = grammar.plain_headline(segment if end < 0 else segment[:end])
        if words is None or (end >= 0 and not is_common(words[1], segment, end, rank)):
            return False
        failed = rank == 3 or (rank == 2 and words[0][-3:] == b"ing")
        if not self._has_place(failed=failed):
            self.omitted["jobs"] += 1
            self._leave_out(segment, end)
            return True
        cut = False
        if end >= 0 and rank == 0:
            segment = segment[:end]
        elif end >= 0:
            room = self._rooms[failed] - len(segment) + end
            if room < 0 and failed and self._rooms[True]:
                return False
            if room >= 0:
                self._rooms[failed] = room
            else:
                self._leave_out(segment, end)
                segment, cut = (segment if failed else segment[:end]), True
        self.jobs.append((segment, line, cut) if not (cut and failed) else only_ending(segment, line))
        return True

    def _has_place(self, *, failed: bool) -> bool:
        """Whether one more job can be kept; failed ones have as many places again."""
        return len(self.jobs) < self.limits.jobs * (1 + failed)

    def _leave_out(self, segment: bytes, end: int) -> None:
        """Note the log of a job that is not kept, to be counted together with others."""
        if end >= 0:
            self._uncounted.append(segment[end:])
            self._uncounted_size += len(segment)
            if self._uncounted_size > 1 << 20:
                self._count()

    def _count(self) -> None:
        text, self._uncounted, self._uncounted_size = b"".join(self._uncounted), [], 0
        for level, mark in zip(LEVELS[1:], MARKS[1:], strict=True):
            if count := text.count(mark):
                self.omitted[level] += count

    def _segment(self, segment: bytes) -> None:
        """Take a line that starts a job, or something else of Lake's, and the lines that follow it."""
        start, newline, rest = segment.partition(b"\n")
        first = start.decode("utf-8", "replace")
        self.lines += 1
        if first.startswith(("##[", "::")):
            self._keep(self.notes, LogEntry("info", first, self.lines), "notes")
        elif found := grammar.last_line().match(first):
            self._last_line(found)
        elif head := grammar.headline().match(first):
            self._headline(head, self.lines)
        else:
            self._loose_lines(start, self.lines)
        if newline:
            self._continue(rest)

    def _continue(self, text: bytes) -> None:
        """Take lines that start no job: entries, the rest of one, loose lines."""
        first, *entries = grammar.entry_starts().split(b"\n" + text)
        if first:
            self._more(first[1:])
        for entry in entries:
            self._close_entry()
            line = self.lines + 1
            self.lines += entry.count(b"\n") + 1
            if grammar.one_line().match(entry):
                self._entry(entry, line)
            else:
                self._open, self._open_line, self._open_size = [entry], line, len(entry)

    def _more(self, text: bytes) -> None:
        if not self._open:
            self._loose_lines(text, self.lines + 1)
        else:
            self._open_size += len(text) + 1
            if self._open_size - len(text) <= self.limits.entry_bytes:
                self._open.append(text)
        self.lines += text.count(b"\n") + 1

    def _close_entry(self) -> None:
        """Something else starts: an entry, a footer's list and a plain message end here."""
        if self._open:
            whole = b"\n".join(self._open)
            self._open = []
            self._entry(whole, self._open_line, self._open_size - len(whole))
        self._footer = ""
        if self.lean.pending:
            self._sort_in(self.lean.flush())

    # jobs

    def _headline(self, head: re.Match[str], line: int) -> None:
        if head["icon"] is not None and head["icon"] in grammar.SPINNER:
            self.running = head["caption"]
        else:
            self._begin(head["caption"], head.string, line)

    def _begin(self, caption: str, head: str, line: int) -> None:
        rank = grammar.ICONS.get(head[0], 3)
        job = Job(caption, head, line, failed=fails(rank, head.encode()))
        self.ended = self.succeeded = False
        place = self._has_place(failed=job.failed)
        if place:
            self.jobs.append(job)
        else:
            self.omitted["jobs"] += 1
        if head[0] == "[":  # old style: what follows need not belong to it
            if place:
                self._old[caption] = job
            self._job, self._rank = None, -1
        else:
            self._job, self._rank = job if place else None, rank

    def _old_command(self, command: str, line: int) -> None:
        """Old style: `error: > COMMAND` says which job failed; the job's own line may stand far above."""
        file = grammar.command_file(command)
        caption = (grammar.module_of_file(file, set(self._old)) if file else None) or "?"
        job = self._old.get(caption)
        if job is None:
            job = self._old[caption] = Job(caption, "", line)
            self.jobs.append(job)
        job.failed, job.command = True, command
        self._job, self._rank = job, 3

    def _last_line(self, found: re.Match[str]) -> None:
        self._job, self._rank, self.ended = None, -1, True
        self._footer = "summary" if found.group().startswith("Build summary") else "list"
        if found["success"]:
            self._footer, self.succeeded = "", True

    # entries

    def _entry(self, entry: bytes, line: int, unseen: int = 0) -> None:
        rank = grammar.RANK_OF_BYTE[entry[0]]
        closed, rest = grammar.one_line().match(entry), b""
        if closed:
            entry, _, rest = entry.partition(b"\n")
        elif rank == 3 and (command := grammar.command_of(text_of(entry))):
            self._old_command(command[: self.limits.entry_bytes], line)
            return
        if rank == 1 and entry[6:7] == b"[" and (head := grammar.headline().match(text_of(entry))):
            self._headline(head, line)  # under `lake exe` old releases print `info: [n/m] …`
            return
        if rank <= self._rank:
            self._job_entry(rank, entry, line, unseen)
        else:
            self._loose_entry(rank, entry, line, unseen)
        if closed:
            self._ended_by(closed["code"])
            if rest:
                self._loose_lines(rest, line + 1)

    def _job_entry(self, rank: int, entry: bytes, line: int, unseen: int) -> None:
        job = self._job
        if self._rank == 0:  # a clean job shows nothing but its command
            return
        kept = entry[: self.limits.entry_bytes]
        if job is None or not self._has_room(job, len(entry) + unseen + 1):
            self._omit(rank)
        elif rank == 0:
            job.command = (grammar.command_of(text_of(kept)) if job.failed else None) or job.command
        else:
            raw = (kept, line, unseen + len(entry) - len(kept))
            stray = rank == 3 and kept.find(job.path, 0, 600) < 0 and b".lean:" in kept
            if stray:
                self.strays.append((job, raw))
            else:
                job.entries.append(raw)

    def _omit(self, rank: int) -> None:
        if rank:
            self.omitted[LEVELS[rank]] += 1

    def _has_room(self, job: Job, size: int) -> bool:
        """Take room for an entry: failed jobs' logs are kept while there is some, others' whole or not."""
        room = self._rooms[job.failed] - size
        if room >= 0 and not job.cut:
            self._rooms[job.failed] = room
            job.cost += size
            return True
        job.cut = True
        if job.failed:
            self._rooms[True] = 0
        elif job.entries or job.cost:
            self._rooms[False] += job.cost
            job.cost = 0
            for entry in job.entries:
                self._omit(grammar.RANK_OF_BYTE[entry[0][0]])
            job.entries.clear()
        return False

    def _ended_by(self, code: bytes | None) -> None:
        if code is None:
            self.ended, self._job, self._rank = True, None, -1
        elif self._job is not None:
            self._job.exit_code, self._job.failed = int(code), True

    def _loose_entry(self, rank: int, segment: bytes, line: int, unseen: int) -> None:
        if segment == b"error: build failed":
            return
        kept = segment[: self.limits.entry_bytes]
        self._keep(self.loose, decoded((kept, line, unseen + len(segment) - len(kept))), LEVELS[rank])

    def _keep(self, into: list[LogEntry], entry: LogEntry, what: str) -> None:
        if len(into) < self.limits.lines:
            into.append(entry)
        else:
            self.omitted[what] += 1

    # loose lines

    def _loose_lines(self, text: bytes, line: int) -> None:
        for number, content in enumerate(text.decode("utf-8", "replace").split("\n"), line):
            if not (self._footer and self._footer_line(content)):
                self._sort_in(self.lean.feed(content, number))

    def _footer_line(self, content: str) -> bool:
        """Take a line of `Some … logged failures:` or of `Build summary:`; return whether it was one."""
        if self._footer == "list" and content.startswith("- "):
            self.failed[content[2:].rstrip()] = None
            return True
        if self._footer != "list" and content.startswith("  "):
            if content.startswith("    ") and self._footer == "failed":
                self.failed[content.strip()] = None
            else:
                self._footer = "failed" if "✖" in content else "summary"
            return True
        self._footer = ""
        return False

    def _sort_in(self, found: Iterable[tuple[str, LogEntry]]) -> None:
        for what, entry in found:
            if what == "entry":
                self._keep(self.loose, entry, entry.level)
            elif what == "noise":
                self.omitted["noise"] += 1
            else:
                self._keep(self.notes if what == "note" else self.unrecognised, entry, what)
