"""Log entries, their levels, and Lake's way to print them (Lake's `Util/Log`)."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    Entry = tuple[int, str]

TRACE, INFO, WARNING, ERROR = range(4)
NAMES = ("trace", "info", "warning", "error")
ICONS = "ℹℹ⚠✖"
COLORS = ("34", "34", "33", "31")
OK_COLOR = "32"
_LEVELS = {
    "trace": TRACE,
    "info": INFO,
    "information": INFO,
    "warn": WARNING,
    "warning": WARNING,
    "error": ERROR,
}
# Lean's classes of system errors, with the details that it gives; of others the system's own words.
_ERRORS = {
    1: ("permission denied", "operation not permitted"),
    2: ("no such file or directory", ""),
    13: ("permission denied", ""),
    20: ("inappropriate type", "not a directory"),
    21: ("inappropriate type", "illegal operation on a directory"),
    24: ("resource exhausted", "too many open files"),
    28: ("resource exhausted", "no space left on device"),
    30: ("permission denied", "read-only file system"),
}


class LakeError(Exception):
    """Ends the command: `error: MESSAGE` on standard error."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


def level_of(name: str) -> int | None:
    """Return the level that a user calls `name`, or None."""
    return _LEVELS.get(name.lower())


def chalk(color: str, text: str) -> str:
    """Return the text in bold and in a colour."""
    return f"\x1b[1;{color}m{text}\x1b[m"


def render(entry: Entry, ansi: bool) -> str:
    """Return the entry as Lake prints it, with its line end."""
    level, message = entry
    label = NAMES[level] + ":"
    return f"{chalk(COLORS[level], label) if ansi else label} {message}\n"


def io_error(error: OSError, path: str = "") -> str:
    """Return the text that Lean has for an error of the system."""
    name = path or error.filename or ""
    gist, details = _ERRORS.get(error.errno or 0, ((error.strerror or "unknown error").lower(), ""))
    text = f"{gist} (error code: {error.errno}{details and ', ' + details})"
    return f"{text}\n  file: {name}" if name else text


class Stream:
    """Standard output or error. Like Lake's, it does not mind a reader that has gone."""

    __slots__ = ("ansi", "fd")

    def __init__(self, fd: int, ansi: bool | None = None) -> None:
        self.fd = fd
        self.ansi = os.isatty(fd) if ansi is None else ansi

    def write(self, text: str) -> None:
        """Write all of the text; bytes of `lean` that were not UTF-8 leave as they came."""
        data = text.encode("utf-8", "surrogateescape")
        try:
            while data:
                data = data[os.write(self.fd, data) :]
        except OSError:
            pass

    def log(self, entries: list[Entry], level: int) -> None:
        """Write the entries of that level or above."""
        self.write("".join([render(e, self.ansi) for e in entries if e[0] >= level]))
