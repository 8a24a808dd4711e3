"""What a project has on disk, as far as evidence speaks of it: sources and what a build leaves."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tracker.errors import ProjectError
from tracker.lean.header import split_name
from tracker.lean.project import Module, Project


def lib_dir(project: Project) -> Path:
    """Return the directory that Lake puts `.olean` files under."""
    return Path(project.root, project.lakefile.build_dir, project.lakefile.lean_lib_dir)


def artifact(project: Project, module: str, suffix: str) -> Path:
    """Return where Lake puts a module's file with `suffix`, such as `.olean` (Lake's directory layout)."""
    base = lib_dir(project).joinpath(*split_name(module))
    return base.parent / (base.name + suffix)


def olean_digest(project: Project, module: str) -> str | None:
    """Return the SHA-256 of a module's `.olean`, or None when there is none to read."""
    try:
        with artifact(project, module, ".olean").open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def read_source(project: Project, module: str) -> str:
    """Return a module's source; empty when it cannot be read now."""
    try:
        return Path(project.modules[module].file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def source_unchanged(project: Project, module: str) -> bool:
    """Return whether a module's source still is what its digest, and so its fingerprint, was taken of."""
    known = project.modules[module]
    now = Module(known.name, known.lib, known.path, known.file, known.header)
    try:
        return now.digest == known.digest
    except ProjectError:
        return False
