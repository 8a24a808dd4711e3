"""From the bytes of any log to clean lines: line ends, ANSI, CI time stamps, over-long lines.

Everything stays UTF-8 in bytes, which is a good deal faster; texts are decoded when somebody reads them. The
result depends on the bytes only, never on how they were cut into chunks.
"""

from __future__ import annotations

import codecs
import re
from functools import cache

MAX_LINE = 1 << 20
"""Bytes of one line that are kept; a note says how many more there were."""

_TIME = rb"(?:\xef\xbb\xbf|)[0-9-]{10}T[0-9:]{8}[0-9.]*Z(?: |(?=\n|\Z))"
"""A time, maybe behind a byte order mark; runs and `(?:x|)` take half the time of `\\d\\d` and `(?:x)?`."""


@cache
def _ansi() -> re.Pattern[bytes]:
    """Escape sequences of ECMA-48: CSI, OSC (to BEL, ST or the end of the line), and the two-byte ones."""
    return re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-~]|)")


@cache
def _stamp() -> re.Pattern[bytes]:
    """What GitHub and GitLab put before a line in their raw logs; a byte order mark may come first."""
    return re.compile(rb"\n%b(?:\d\d[OE]\+? ?|)" % _TIME)


@cache
def _job_stamp() -> re.Pattern[bytes]:
    """What `gh run view --log` puts before a line: job, step, and the raw log's stamp."""
    return re.compile(rb"\n[^\t\n]+\t[^\t\n]+\t%b" % _TIME)


@cache
def _lone_return() -> re.Pattern[bytes]:
    """The CR of a progress display."""
    return re.compile(rb"\r(?!\n)")


class Cleaner:
    """Turns chunks of bytes into whole lines, without decorations."""

    def __init__(self) -> None:
        self._transcoder: codecs.IncrementalDecoder | None = None
        self._begun = False
        self._held = b""  # raw bytes too few to know the encoding; later a CR that may be half a line end
        self._pending = b""
        self._omitted = 0
        self.cut_line = False
        """Whether the log ended in the middle of a line; known after `close`."""

    def feed(self, chunk: bytes) -> bytes:
        """Return the whole lines that `chunk` completes, each behind its newline instead of before it."""
        if not self._begun:
            self._held += chunk
            if len(self._held) < 3:
                return b""
            chunk, self._held = self._begin(self._held), b""
        chunk = self._transcoded(chunk)
        if self._held:
            chunk, self._held = self._held + chunk, b""
        if chunk.endswith(b"\r"):
            chunk, self._held = chunk[:-1], b"\r"
        return self._lines(_newlines(chunk))

    def close(self) -> bytes:
        """Return the last line, when the log does not end with a newline."""
        rest = self._held if self._begun else self._transcoded(self._begin(self._held))
        text = self._lines(_newlines(rest + self._transcoded(b"", final=True)))
        self.cut_line = bool(self._pending)
        return text + self._lines(b"\n") if self.cut_line else text

    def _transcoded(self, chunk: bytes, *, final: bool = False) -> bytes:
        if self._transcoder is None:
            return chunk
        return self._transcoder.decode(chunk, final=final).encode("utf-8", "replace")

    def _begin(self, chunk: bytes) -> bytes:
        """Choose the encoding by the first bytes; PowerShell's redirection writes UTF-16."""
        self._begun = True
        if chunk.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            self._transcoder = codecs.getincrementaldecoder("utf-16")(errors="replace")
        return chunk.removeprefix(codecs.BOM_UTF8)

    def _lines(self, text: bytes) -> bytes:
        end = text.rfind(b"\n")
        if end < 0:
            self._hold(text)
            return b""
        if self._omitted:
            first = text.index(b"\n")
            note = _note(self._pending, self._omitted + first)
            whole = b"\n" + note + _shortened(text[first:end])
        else:  # in one copy, since every further one takes a tenth of the time of all there is to do
            whole = _shortened(b"".join((b"\n", self._pending, memoryview(text)[:end])))
        self._pending, self._omitted = b"", 0
        self._hold(text[end + 1 :])
        return _undecorated(whole)

    def _hold(self, text: bytes) -> None:
        """Keep the beginning of an unfinished line, and only count what comes after `MAX_LINE`."""
        self._pending += text
        if len(self._pending) > MAX_LINE:
            self._omitted += len(self._pending) - MAX_LINE
            self._pending = self._pending[:MAX_LINE]


def _newlines(text: bytes) -> bytes:
    """Turn CRLF, and the lone CR of a progress display, into newlines."""
    if b"\r" in text and _lone_return().search(text):
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return text.replace(b"\r", b"")  # six times as fast as the replacement of CRLF


def _undecorated(text: bytes) -> bytes:
    if b"\x1b" in text:
        text = _ansi().sub(b"", text)
    if b"Z" in text:
        text = _stamp().sub(b"\n", text)
    if b"\t" in text and b"Z" in text:
        text = _job_stamp().sub(b"\n", text)
    return text


def _note(line: bytes, omitted: int) -> bytes:
    return b"%b[%d further bytes left out]" % (line, omitted)


def _shortened(text: bytes) -> bytes:
    """Cut lines that came whole within one chunk as an unfinished one would have been cut."""
    if len(text) <= MAX_LINE:
        return text
    lines = text.split(b"\n")
    return b"\n".join(
        _note(line[:MAX_LINE], len(line) - MAX_LINE) if len(line) > MAX_LINE else line for line in lines
    )
