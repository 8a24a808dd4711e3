"""Finding and reading catalogue files."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from tracker.catalogue.diagnostics import Report
from tracker.catalogue.model import Source

MAX_BYTES: Final = 64 * 1024 * 1024
"""The largest file that is read."""
SUFFIXES: Final = (".yaml", ".yml")


def display(path: Path, root: Path) -> str:
    """Return how a path is shown: relative to `root` if it is below it, always with `/`."""
    absolute = Path(os.path.abspath(path))  # not resolved: a link is shown by its own name
    base = Path(os.path.abspath(root))
    return (absolute.relative_to(base) if absolute.is_relative_to(base) else path).as_posix()


def find_files(paths: Iterable[Path], report: Report, root: Path) -> list[Path]:
    """Return the catalogue files under `paths`: files as named, directories by name, recursively.

    Hidden files and directories are passed over, links are followed, a file reached twice is
    returned once.
    """
    walk = _Walk(report, root)
    for path in paths:
        walk.visit(path)
    return walk.found


class _Walk:
    def __init__(self, report: Report, root: Path) -> None:
        self.report = report
        self.root = root
        self.found: list[Path] = []
        self.seen: set[tuple[int, int]] = set()

    def visit(self, path: Path) -> None:
        status = self.status(path)
        if status is None:
            return
        if not stat.S_ISDIR(status.st_mode):
            self.add(path, status)
            return
        before, errors = len(self.found), self.report.errors
        self.directory(path, status, ())
        if len(self.found) == before and self.report.errors == errors:
            hint = "write one, such as obligations/core.yaml, with `obligations:` in it"
            self.fail("no-files", path, f"the directory holds no {' or '.join(SUFFIXES)} file", hint)

    def directory(self, path: Path, status: os.stat_result, above: tuple[tuple[int, int], ...]) -> None:
        key = (status.st_dev, status.st_ino)
        if key in above:
            self.fail(
                "symlink-loop",
                path,
                "this link leads back to a directory that contains it",
                "remove the link",
            )
            return
        try:
            names = sorted(os.listdir(path))
        except OSError as error:
            self.fail("unreadable", path, f"the directory cannot be read: {_reason(error)}")
            return
        for name in names:
            child = path / name
            if name.startswith("."):
                continue
            child_status = self.status(child) if name.endswith(SUFFIXES) or child.is_dir() else None
            if child_status is None:
                continue
            if stat.S_ISDIR(child_status.st_mode):
                self.directory(child, child_status, (*above, key))
            else:
                self.add(child, child_status)

    def add(self, path: Path, status: os.stat_result) -> None:
        key = (status.st_dev, status.st_ino)
        if not stat.S_ISREG(status.st_mode):
            self.fail("unreadable", path, "this is not a regular file", "name a YAML file or a directory")
        elif key not in self.seen or key == (0, 0):
            self.seen.add(key)
            self.found.append(path)

    def status(self, path: Path) -> os.stat_result | None:
        try:
            return path.stat()
        except OSError as error:
            if error.errno == errno.ELOOP:
                self.fail("symlink-loop", path, "this link leads back to itself", "remove the link")
            else:
                self.fail("unreadable", path, f"the file cannot be read: {_reason(error)}", _hint(error))
        except ValueError:  # a NUL in the path
            self.fail("unreadable", path, "this cannot be a path")
        return None

    def fail(self, code: str, path: Path, message: str, hint: str | None = None) -> None:
        self.report.add(code, Source(display(path, self.root), 1, 1), message, hint)


def read_files(paths: Iterable[Path], report: Report, root: Path) -> Iterator[tuple[str, str | None]]:
    """Yield the shown path and the text of each file; the text is None where it could not be read."""
    for path in paths:
        shown = display(path, root)
        yield shown, _read(path, shown, report)


def _read(path: Path, shown: str, report: Report) -> str | None:
    start = Source(shown, 1, 1)
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        report.add("unreadable", start, f"the file cannot be read: {_reason(error)}", _hint(error))
        return None
    if len(data) > MAX_BYTES:
        hint = "split the file; a directory of files is read as one catalogue"
        report.add("too-large", start, f"the file is larger than {MAX_BYTES // 2**20} MiB", hint)
        return None
    return _decode(data, shown, report)


def _decode(data: bytes, shown: str, report: Report) -> str | None:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        report.add(
            "bad-encoding", Source(shown, 1, 1), "the file is UTF-16; it must be UTF-8", "save it as UTF-8"
        )
        return None
    body = data.removeprefix(b"\xef\xbb\xbf")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        before = body[: error.start]
        line_start = before.rfind(b"\n") + 1
        column = len(before[line_start:].decode("utf-8")) + 1
        place = Source(shown, before.count(b"\n") + 1, column)
        offset = error.start + len(data) - len(body)
        message = f"byte 0x{body[error.start]:02x} at offset {offset} is not UTF-8"
        report.add("bad-encoding", place, message, "save the file as UTF-8")
        return None


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _hint(error: OSError) -> str | None:
    if error.errno == errno.ENOENT:
        return "check the path"
    if error.errno == errno.EACCES:
        return "check the permissions"
    return None
