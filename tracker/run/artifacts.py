"""What a project has on disk, as far as evidence speaks of it: sources and what a build leaves."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tracker.errors import LeanError, ProjectError
from tracker.lean.header import split_name
from tracker.lean.ilean import Ilean, read_ilean
from tracker.lean.project import Module, Project

_Stamp = tuple[int, int, int, int] | None


def lib_dir(project: Project) -> Path:
    """Return the directory that Lake puts `.olean` files under."""
    return Path(project.root, project.lakefile.build_dir, project.lakefile.lean_lib_dir)


def artifact(project: Project, module: str, suffix: str) -> Path:
    """Return where Lake puts a module's file with `suffix`, such as `.olean` (Lake's directory layout)."""
    base = lib_dir(project).joinpath(*split_name(module))
    return base.parent / (base.name + suffix)


def olean_digest(project: Project, module: str) -> str | None:
    """Return the SHA-256 of a module's `.olean` (of all its parts), or None when there is none to read."""
    first = artifact(project, module, ".olean")
    digests = []
    for part in (first, *(first.with_name(first.name + p) for p in (".server", ".private"))):
        try:
            with part.open("rb") as file:
                digests.append(hashlib.file_digest(file, "sha256").hexdigest())
        except OSError:
            if part == first:
                return None
    return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()


def read_index(project: Project, module: str) -> Ilean:
    """Return Lean's index of a module that passed. Raises LeanError when it is gone or cannot be read."""
    file = artifact(project, module, ".ilean")
    if not file.exists():
        raise not_compiled(module, f"the build output of {module} is gone: there is no {file}")
    return read_ilean(file)


def not_compiled(module: str, message: str) -> LeanError:
    """Return the error for a module whose evidence holds and whose build output cannot be used.

    Its cure is `--fresh`: a plain run leaves alone what has evidence.
    """
    return LeanError("NOT-COMPILED", message, f"`tracker run --fresh {module}` builds it again")


def read_source(project: Project, module: str) -> str:
    """Return a module's source; empty when it cannot be read now."""
    try:
        return Path(project.modules[module].file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


class Sources:
    """Watches that what Lean reads is what the fingerprints were taken of, while Lean reads it."""

    def __init__(self, project: Project) -> None:
        self._project = project
        names = ("lean-toolchain", "lake-manifest.json")
        self._settings = [Path(project.lakefile.path), *(Path(project.root, name) for name in names)]
        self._stamps: dict[str, _Stamp] = {}
        self._first = [_stamp(file) for file in self._settings]

    def edited(self, module: str) -> str | None:
        """Return what of a module, its imports and the project's settings is not as it was; None when all is.

        A source that was only written anew with the same text is as it was, if no check saw another one.
        """
        for file, first in zip(self._settings, self._first, strict=True):
            if _stamp(file) != first:
                return file.name
        for name in (module, *self._project.closure(module)):
            stamp = _stamp(Path(self._project.modules[name].file))
            if self._stamps.get(name) != stamp:
                if not self._same_text(name):
                    return name
                self._stamps[name] = stamp
        return None

    def touched(self, module: str) -> str | None:
        """Return what was written since `edited` was asked, even if it reads the same again, else None."""
        for name in (module, *self._project.closure(module)):
            stamp = _stamp(Path(self._project.modules[name].file))
            if self._stamps.setdefault(name, stamp) != stamp:
                return name
        return self.edited(module)

    def _same_text(self, module: str) -> bool:
        known = self._project.modules[module]
        now = Module(known.name, known.lib, known.path, known.file, known.header)
        try:
            return now.digest == known.digest
        except ProjectError:
            return False


def _stamp(file: Path) -> _Stamp:
    """Return what changes whenever a file is written; the time of its last change cannot be set back."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
