"""From clean lines to jobs and entries, within fixed limits of memory.

The text is cut at the headlines. A job that looks as Lake always prints one is put away whole, and what it
says is read when somebody asks (`finish`); everything else takes the slow path, entry by entry. Both paths
must come to the same result, since where a chunk of the log ends decides which one is taken.
"""

from __future__ import annotations

import re
import sys

from tracker.lean.log import grammar
from tracker.lean.log.grammar import LEVELS
from tracker.lean.log.jobs import (
    HEADS,
    MARKS,
    Job,
    RawEntry,
    Region,
    WholeJob,
    decoded,
    expanded,
    fails,
    first_mark,
    is_common,
    is_plain_failure,
    is_quiet,
    only_ending,
    text_of,
)
from tracker.lean.log.loose import Rest
from tracker.lean.log.model import LogLimits


class LogBuilder:
    """Takes blocks of whole lines, each with a newline before it.

    An entry's text runs to the next entry or headline; behind any other line of Lake's, what starts nothing
    is loose.
    """

    def __init__(self, limits: LogLimits) -> None:
        self.limits = limits
        self.jobs: list[Job | WholeJob | Region] = []
        self.strays: list[tuple[Job, RawEntry]] = []
        self.rest = Rest(limits)
        self.omitted = self.rest.omitted
        self.ended = self.succeeded = False
        self.running: str | None = None
        self.lines = self.last_exit = self.failed_builds = 0
        self._job: Job | None = None
        self._rank = -1  # the highest level that an entry of the present job can have; -1 outside all jobs
        self._room = limits.total_bytes  # -1 when a job had to be left out
        self._error_room = limits.error_bytes  # for the logs of failed jobs
        self._bulk = False
        self._failed_kept = 0
        self._last_whole = -1
        """The rank of the job that was put away last (10 more if there was no place for it), else -1."""
        self._open: list[bytes] = []
        self._open_line = self._open_size = 0
        self._old: dict[str, Job] = {}  # old style: by module, since its lines interleave

    # segments

    def add(self, text: bytes) -> None:
        """Take whole lines, each with a newline before it."""
        starts, quiet = grammar.job_starts(), grammar.quiet_region().match
        found = starts.search(text)
        place = found.start() if found else len(text)
        if place:
            self._continue(text[1:place])
        while place < len(text):
            self._close_entry()
            region = quiet(text, place + 1)
            if region is not None:
                end = region.end()
                if not grammar.next_job().match(text, end):  # then the last of them may go on
                    end = _last_job(text, place, end)
                if end > place:
                    self._quiet_jobs(text, place, end)
                    place = end
                    continue
            found = starts.search(text, place + 1)
            end = found.start() if found else len(text)
            self._take(text[place + 1 : end], complete=found is not None)
            place = end

    def close(self) -> None:
        """Take the end of the log."""
        self._close_entry()
        self._settle()

    def _take(self, segment: bytes, *, complete: bool) -> None:
        """Take what starts with a headline or another line of Lake's."""
        rank = grammar.RANK_OF_ICON.get(segment[:3])
        if complete and rank is not None and self._put_away(segment, rank, self.lines + 1):
            self.lines += segment.count(b"\n") + 1
        else:
            self._segment(segment)

    def _quiet_jobs(self, text: bytes, begin: int, end: int) -> None:
        """Take several jobs that ended well, from the newline before the first of them."""
        size = end - begin
        if self._room >= size:
            self._room -= size
            self.jobs.append(Region(text[begin + 1 : end], self.lines + 1))
        elif self._room < 0:
            self._leave_out(text, begin, end)
        else:
            for segment in grammar.quiet_starts().split(text[begin + 1 : end]):
                self._take(segment, complete=True)
                self._close_entry()
            return
        self.lines += text.count(b"\n", begin, end)

    def _settle(self) -> None:
        """Make the present job what it was before it was put away whole: see `_last_whole`."""
        rank, self._last_whole = self._last_whole, -1
        if rank < 0:
            return
        self._job, self._rank, self.ended, self.succeeded = None, rank % 10, False, False
        whole = self.jobs[-1] if rank < 10 else None
        if isinstance(whole, Job):
            self._job = whole
        elif whole is not None and not isinstance(whole, Region):
            self._job = self.jobs[-1] = expanded(whole)
            self._job.cost = len(whole[0]) + 1

    def _put_away(self, segment: bytes, rank: int, line: int) -> bool:
        """Keep a job as printed if it has the common form, else return False, having done nothing."""
        end = segment.find(b"\n")
        end = len(segment) if end < 0 else end
        head = grammar.plain_headline().fullmatch(segment, 0, end)
        if head is None or (end < len(segment) and not is_common(head["caption"], segment, end, rank)):
            return False
        failed = rank == 3 or (rank == 2 and head["verb"].endswith(b"ing"))
        log = len(segment) - end
        if not self._has_place(len(segment) + 1, failed=failed):
            self._leave_out(b"\n" + segment)
            self._last_whole = 10 + rank
            return True
        if failed and 0 < self._error_room < log:
            return False
        if not failed:
            self._room -= len(segment) + 1
            self.jobs.append((segment, line, False))
        elif log <= self._error_room:
            self._error_room -= log
            self.jobs.append((segment, line, False))
        else:
            self._leave_out(segment[end:])
            self.jobs.append(only_ending(segment, line))
        self._failed_kept += failed
        self._last_whole = rank
        return True

    def _has_place(self, size: int, *, failed: bool) -> bool:
        """Whether a job can be kept. After the first that ended well and cannot be, none that did is."""
        if failed:
            return self._failed_kept < self.limits.failed_jobs
        if self._room < size:
            self._room = -1
        return self._room >= 0

    def _leave_out(self, text: bytes, begin: int = 0, end: int = sys.maxsize) -> None:
        """Count what is not kept, each line with a newline before it."""
        found = b"".join(grammar.counted().findall(text, begin, end))
        for start, what in (b"\ni", "info"), (b"\nw", "warning"), (b"\ne", "error"), (b"\n\xe2", "jobs"):
            self.omitted[what] += found.count(start)

    def _segment(self, segment: bytes) -> None:
        """Take a line that starts a job, or something else of Lake's, and the lines that follow it."""
        self._settle()
        start, newline, rest = segment.partition(b"\n")
        first = start.decode("utf-8", "replace")
        self.lines += 1
        if first.startswith(("##[", "::")):
            self.rest.note(first, self.lines)
        elif found := grammar.last_line().match(first):
            self._last_line(found)
        elif head := grammar.headline().match(first):
            self._headline(head, self.lines)
        else:
            self.rest.lines(start, self.lines)
        if newline:
            self._continue(rest)

    def _continue(self, text: bytes) -> None:
        """Take lines that start no job: entries, the rest of one, loose lines."""
        if self._in_bulk(text):
            return
        first, *entries = grammar.entry_starts().split(b"\n" + text)
        if first:
            self._more(first[1:])
        for entry in entries:
            self._close_entry()
            line = self.lines + 1
            self.lines += entry.count(b"\n") + 1
            kind = grammar.one_line().match(entry)
            if kind is None:
                self._open, self._open_line, self._open_size = [entry], line, len(entry)
                continue
            own, newline, rest = entry.partition(b"\n")
            self._one_line(kind, own, line)
            if newline:
                self.rest.lines(rest, line + 1)

    def _more(self, text: bytes) -> None:
        """Take lines that belong to the entry before them, if there is one."""
        if self._bulk:
            self._extend(text)
        elif not self._open:
            self.rest.lines(text, self.lines + 1)
        else:
            self._open_size += len(text) + 1
            if self._open_size - len(text) <= self.limits.entry_bytes:
                self._open.append(text)
        self.lines += text.count(b"\n") + 1

    def _in_bulk(self, text: bytes) -> bool:
        """Keep or leave out many entries of one job at once; return False, having done nothing, if it cannot.

        The last of them stays open (`_bulk`): lines that start nothing belong to it.
        """
        marked = b"\n" + text
        if not self._may_be_bulk(marked):
            return False
        start = 0 if marked.startswith(MARKS) else first_mark(marked)
        if start < 0 or (start and not (self._open or self._bulk)):
            return False
        if start:
            self._more(marked[1:start])
            marked = marked[start:]
        self._close_entry()
        line, self.lines = self.lines + 1, self.lines + marked.count(b"\n")
        self._bulk = True
        job = self._job  # only now: there may have been no room for what it had said before
        if job is None or not self._has_room(job, len(marked)):
            self._leave_out(marked)
        else:
            job.entries.append((marked[1:], line, 0))
        return True

    def _may_be_bulk(self, marked: bytes) -> bool:
        """Whether all or nothing will be kept; of a failed job a part may be, unless there is no room."""
        failed = self._job is not None and self._job.failed
        if failed:
            return self._rank == 3 and not self._error_room and is_plain_failure(marked)
        return self._rank in (1, 2) and is_quiet(marked, self._rank)

    def _extend(self, text: bytes) -> None:
        job = self._job
        if job is not None and self._has_room(job, len(text) + 1):
            before, line, unseen = job.entries[-1]
            job.entries[-1] = (before + b"\n" + text, line, unseen)

    def _close_entry(self) -> None:
        """Something else starts: an entry, a footer's list and a plain message end here."""
        if self._open:
            whole = b"\n".join(self._open)
            self._open = []
            self._entry(whole, self._open_line, self._open_size - len(whole))
        self._bulk = False
        self.rest.end()

    # jobs

    def _headline(self, head: re.Match[str], line: int) -> None:
        if head["icon"] is not None and head["icon"] in grammar.SPINNER:
            self.running = head["caption"]
        else:
            self._begin(head["caption"], head.string, line)

    def _begin(self, caption: str, head: str, line: int) -> None:
        rank = grammar.ICONS.get(head[0], 3)
        job = Job(caption, head, line, failed=fails(head.encode()))
        self.ended = self.succeeded = False
        job.cost = 0 if job.failed else len(head.encode()) + 1
        place = self._has_place(job.cost, failed=job.failed)
        if place:
            self._room -= job.cost
            self._failed_kept += job.failed
            self.jobs.append(job)
        else:
            self.omitted["jobs"] += 1
        if head[0] != "[":
            self._job, self._rank = job if place else None, rank
            return
        if place:
            self._old[caption] = job
        if self._job is None or self._job.head[:1] not in ("[", ""):
            self._job, self._rank = None, -1  # old style: what follows need not belong to this job

    def _old_command(self, command: str, line: int) -> None:
        """Old style: `error: > COMMAND` says which job failed; the job's own line may stand far above."""
        file = grammar.command_file(command)
        caption = (grammar.module_of_file(file, self._old) if file else None) or "?"
        job = self._old.get(caption)
        if job is None:
            job = self._old[caption] = Job(caption, "", line)
            self.jobs.append(job)
        job.failed, job.command = True, command
        self._job, self._rank = job, 3

    def _last_line(self, found: re.Match[str]) -> None:
        self._job, self._rank, self.ended = None, -1, True
        if found["success"]:
            self.succeeded = True
        else:
            self.rest.footer = "summary" if found.group().startswith("Build summary") else "list"

    # entries

    def _one_line(self, kind: re.Match[bytes], entry: bytes, line: int) -> None:
        text = text_of(entry)
        self._settle()
        if kind["command"]:
            self._old_command(text[2:].strip()[: self.limits.entry_bytes], line)
        elif kind["failed"]:
            self.failed_builds += 1
            self.ended, self._job, self._rank = True, None, -1
        elif kind["head"] and (head := grammar.headline().match(text)):
            self._headline(head, line)
        else:
            self._entry(entry, line)
            if kind["code"] and self._job is not None:
                self._job.exit_code, self._job.failed = int(kind["code"]), True
                self.last_exit = line

    def _entry(self, entry: bytes, line: int, unseen: int = 0) -> None:
        rank = grammar.RANK_OF_BYTE[entry[0]]
        kept = entry[: self.limits.entry_bytes]
        unseen += len(entry) - len(kept)
        if rank <= self._rank:
            self._job_entry(rank, kept, line, unseen)
        else:
            self.rest.add(decoded((kept, line, unseen), self.limits.entry_bytes))

    def _job_entry(self, rank: int, entry: bytes, line: int, unseen: int) -> None:
        job = self._job
        if job is None or not self._has_room(job, len(entry) + unseen + 1):
            if rank:
                self.omitted[LEVELS[rank]] += 1
        elif rank == 0:
            job.command = job.command or (grammar.command_of(text_of(entry)) if job.failed else None)
        else:
            raw = (entry, line, unseen)
            stray = rank == 3 and entry.find(job.path, 0, 600) < 0 and b".lean:" in entry
            if stray:
                self.strays.append((job, raw))
            else:
                job.entries.append(raw)

    def _has_room(self, job: Job, size: int) -> bool:
        """Take room for an entry: failed jobs' logs are kept while there is some, other jobs whole or not."""
        if job.failed:
            if self._error_room < size:
                job.cut, self._error_room = True, 0
                return False
            self._error_room -= size
            return True
        job.cost += size
        self._room -= size
        if self._room >= 0:
            return True
        self._room, self._job = -1, None
        self.omitted["jobs"] += 1
        self.jobs.remove(job)
        for entry in job.entries:
            self._leave_out(b"\n" + entry[0])
        return False


def _last_job(text: bytes, begin: int, end: int) -> int:
    """Return where the last job of a quiet region starts, at the newline before it."""
    return max(text.rfind(head, begin, end) for head in HEADS)
