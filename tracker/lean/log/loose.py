"""Lines of a log that are not Lake's: Lean's own output, crash texts, shells, CI runners, and noise."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

from tracker.lean.log.model import LogEntry, LogLimits
from tracker.lean.log.plain import bare_information, plain_head, plain_message
from tracker.lean.messages import MAX_TEXT, Message, parse_message

LEVEL_OF = {"information": "info", "warning": "warning", "error": "error"}


@cache
def _runner() -> re.Pattern[str]:
    """A CI runner's commands and annotations. They are data of a stranger: never obeyed, never believed."""
    return re.compile(r"##\[|::[a-z-]+[: ]|Error: |shell: |\[command\]")


@cache
def _crash() -> re.Pattern[str]:
    """Texts that a dying program, its runtime or the shell around it prints on a line of its own."""
    return re.compile(
        r"(?:INTERNAL )?PANIC[: ]|Stack overflow detected|libc\+\+abi: |terminate called |"
        r"uncaught exception: |Killed\b|Segmentation fault|Aborted\b|Bus error|Illegal instruction|"
        r"fatal: |curl: \(|Error\(|"
        r"(?:[^\s:]+: )?(?:line \d+: )(?:\d+ \w|.*not found)|[^\s:]*(?:lake|lean|elan): |"
        r"(?:sh|bash|zsh|fish|env)(?:: \d+)?: |Out of memory|deep recursion was detected|"
        r"excessive memory consumption|failed to (?:write|read|create|load) |\w[^\n]{0,80}\(error code: \d+|"
        r"ERROR\b"
    )


@cache
def _suspicious() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:error|fatal|failed|failure|panic|exception|abort(?:ed|ing)?|killed)\b", re.IGNORECASE
    )


class LooseLines:
    """Reads loose lines one by one; a plain message of Lean runs over the lines that follow it."""

    def __init__(self) -> None:
        self._head: re.Match[str] | None = None
        self._parts: list[str] = []
        self._size = 0
        self._line = 0
        self.messages = 0
        """How many of Lean's own messages were seen."""

    @property
    def pending(self) -> bool:
        """Whether a plain message is being read."""
        return self._head is not None

    def feed(self, line: str, number: int) -> Iterator[tuple[str, LogEntry]]:
        """Yield (what, entry) for what `line` completes: `entry`, `note`, `unrecognised` or `noise`."""
        if line.startswith('{"') and (message := parse_message(line)):
            yield from self.flush()
            self.messages += 1
            yield "entry", LogEntry(LEVEL_OF[message.severity], message.text, number, message)
            return
        if found := plain_head().match(line):
            yield from self.flush()
            self._head, self._parts, self._line = found, [line[found.end() :]], number
            self._size = len(line)
            return
        note = _runner().match(line)
        if self._head is not None and not note and not _breaks_off(line):
            if self._size < MAX_TEXT:
                self._parts.append(line)
                self._size += len(line)
            return
        yield from self.flush()
        if line and not line.isspace():
            yield _other(line, number, note=bool(note))

    def flush(self) -> Iterator[tuple[str, LogEntry]]:
        """Yield the plain message being read, if any."""
        if self._head is None:
            return
        head, self._head = self._head, None
        message = plain_message(head, self._parts)
        self.messages += 1
        yield "entry", LogEntry(LEVEL_OF[message.severity], message.text, self._line, message)


@cache
def _last_words() -> re.Pattern[str]:
    return re.compile(
        r"Stack overflow detected|libc\+\+abi: |(?:INTERNAL )?PANIC[: ]|terminate called |"
        r"[^\s:]+: line \d+: +\d+ \w|deep recursion was detected"
    )


def _breaks_off(line: str) -> bool:
    """Whether a line cannot belong to the plain message before it: axioms, times, a program's last words."""
    return bool(bare_information().match(line) or _last_words().match(line))


def _other(line: str, number: int, *, note: bool) -> tuple[str, LogEntry]:
    if note:
        return "note", LogEntry("info", line, number)
    if bare_information().match(line):
        return "entry", LogEntry("info", line, number, Message("information", line, ""))
    if _crash().match(line):
        return "entry", LogEntry("error", line, number)
    if _suspicious().search(line):
        return "unrecognised", LogEntry("error", line, number)
    return "noise", LogEntry("info", line, number)


class Rest:
    """What belongs to no job: loose entries, a runner's notes, suspicious lines, the captions of a footer."""

    def __init__(self, limits: LogLimits) -> None:
        self.loose: list[LogEntry] = []
        self.unrecognised: list[LogEntry] = []
        self.notes: list[LogEntry] = []
        self.failed: dict[str, None] = {}
        self.omitted: Counter[str] = Counter()
        self.footer = ""
        """Which list of captions is being read: `list`, `summary`, `failed` (within a summary) or none."""
        self.lean = LooseLines()
        self._limits = limits

    def lines(self, text: bytes, line: int) -> None:
        """Take lines that belong to no entry; the first has this number."""
        for number, content in enumerate(text.decode("utf-8", "replace").split("\n"), line):
            if not (self.footer and self._caption(content)):
                self._sort_in(self.lean.feed(content, number))

    def end(self) -> None:
        """Something else starts: a footer's list and a plain message of Lean end."""
        self.footer = ""
        if self.lean.pending:
            self._sort_in(self.lean.flush())

    def add(self, entry: LogEntry) -> None:
        """Keep an entry of no job."""
        self._keep(self.loose, entry, entry.level)

    def note(self, text: str, line: int) -> None:
        """Keep a CI runner's line."""
        self._keep(self.notes, LogEntry("info", text, line), "notes")

    def _keep(self, into: list[LogEntry], entry: LogEntry, what: str) -> None:
        if len(into) < self._limits.lines:
            into.append(entry)
        else:
            self.omitted[what] += 1

    def _caption(self, content: str) -> bool:
        """Take a line of `Some … logged failures:` or of `Build summary:`; return whether it was one."""
        name = ""
        if self.footer == "list" and content.startswith("- "):
            name = content[2:].rstrip()
        elif self.footer != "list" and content.startswith("  "):
            if content.startswith("    ") and self.footer == "failed":
                name = content.strip()
            else:
                self.footer = "failed" if "✖" in content else "summary"
        else:
            self.footer = ""
        if name and len(self.failed) < self._limits.failed_jobs:
            self.failed[name] = None
        return bool(self.footer)

    def _sort_in(self, found: Iterable[tuple[str, LogEntry]]) -> None:
        for what, entry in found:
            if what == "entry":
                self.add(entry)
            elif what == "noise":
                self.omitted["noise"] += 1
            elif what == "note":
                self.note(entry.text, entry.line)
            else:
                self._keep(self.unrecognised, entry, what)
