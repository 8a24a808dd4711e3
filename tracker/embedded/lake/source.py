"""A module's source, read once per process: its header and the hash of its text."""

from __future__ import annotations

from tracker.embedded.lake.log import ERROR, io_error
from tracker.embedded.lake.trace import digest
from tracker.lean.header import Header, HeaderError, parse_header

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracker.embedded.lake.log import Entry


class Source:
    """What was read: a header and a hash, or else the error that Lake would log."""

    __slots__ = ("error", "hash", "header")

    def __init__(self, header: Header | None, text_hash: str, error: Entry | None) -> None:
        self.header = header
        self.hash = text_hash
        self.error = error


def read_source(path: str, shown: str | None = None) -> Source:
    """Return the source at `path`; header errors name it as `shown`."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        text = data.decode()
    except OSError as error:
        return Source(None, "", (ERROR, io_error(error, path)))
    except UnicodeDecodeError:
        return Source(None, "", (ERROR, f"Tried to read file '{path}' containing non UTF-8 data."))
    try:
        header = parse_header(text)
    except HeaderError as error:
        return Source(None, "", (ERROR, f"{shown or path}:{error}"))
    return Source(header, digest(data.replace(b"\r\n", b"\n") if b"\r" in data else data), None)
