"""Reading Lake's logs: any generation, live or stored by a CI runner, whole or cut short.

`read_log` takes a stream, `LakeLogParser` chunks as they come, `read_trace` Lake's own `.trace` files. No
input makes them raise; memory is bounded by `LogLimits`, and what was not kept is counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import BinaryIO

from tracker.lean.log.build import LogBuilder
from tracker.lean.log.clean import Cleaner
from tracker.lean.log.finish import finished
from tracker.lean.log.grammar import PrintedTime, command_options, module_of_file, split_caption
from tracker.lean.log.model import LakeLog, LogEntry, LogLimits, ModuleLog, NoModules, Status

__all__ = [
    "LakeLog",
    "LakeLogParser",
    "LogEntry",
    "LogLimits",
    "ModuleLog",
    "PrintedTime",
    "Status",
    "command_options",
    "module_of_file",
    "read_log",
    "read_trace",
    "split_caption",
    "time_of",
]

_CHUNK = 1 << 18
_TRACE_BYTES = 64 << 20


class LakeLogParser:
    """Takes a log in chunks of bytes; however it is cut, the result is the same."""

    def __init__(self, limits: LogLimits | None = None) -> None:
        self._cleaner = Cleaner()
        self._builder = LogBuilder(limits or LogLimits())

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the log."""
        if text := self._cleaner.feed(chunk):
            self._builder.add(text)

    def close(self) -> LakeLog:
        """Return the log; nothing may be fed afterwards."""
        if text := self._cleaner.close():
            self._builder.add(text)
        self._builder.close()
        return finished(self._builder, cut_line=self._cleaner.cut_line)


def read_log(stream: BinaryIO | Iterable[bytes], limits: LogLimits | None = None) -> LakeLog:
    """Return what a log says; `stream` is read to its end in pieces."""
    parser = LakeLogParser(limits)
    chunks = iter(lambda: stream.read(_CHUNK), b"") if hasattr(stream, "read") else stream
    for chunk in chunks:
        parser.feed(chunk)
    return parser.close()


def time_of(output: str, module: str) -> PrintedTime | None:
    """Return the time that Lake printed for a module in what it said of a build, or None."""
    jobs = read_log([output.encode("utf-8", "replace")]).modules
    return next((job.time for job in jobs if job.module == module and job.time is not None), None)


def read_trace(data: bytes) -> LakeLog | None:
    """Return the log that Lake stored beside a module (`.trace`, `.log.json`), or None for other data.

    Formats: a list of entries (4.8), an object with `log` (2025: `depHash`, later `schemaVersion`); each
    entry has `level` and `message`. A bare hash (before 4.8) holds no log. Such a file is written only after
    a successful build.
    """
    try:
        found = json.loads(data[:_TRACE_BYTES].decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None
    if isinstance(found, dict):
        found = found.get("log")
    if not isinstance(found, list):
        return None
    entries = tuple(entry for number, item in enumerate(found, 1) if (entry := _trace_entry(item, number)))
    return LakeLog("trace", NoModules(), entries, (), (), True, True, (), len(entries), {})


def _trace_entry(item: object, number: int) -> LogEntry | None:
    if not isinstance(item, dict) or not isinstance(item.get("message"), str):
        return None
    level = item.get("level")
    text = item["message"].encode("utf-8", "replace").decode("utf-8")
    return LogEntry(level if level in ("trace", "info", "warning", "error") else "info", text, number)
