"""Fingerprints: the hash of everything that a module's check depends on.

    fingerprint(M) = SHA-256(toolchain, lakefile, manifest, name and source of M, files that texts in the
                             source name, fingerprints of its imports)

so that it changes with the source, the import closure, the options, the toolchain and the packages, and
with nothing else: not with dates, and not with where the project lies.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from tracker.lean.project import Project
from tracker.lean.toolchain import Toolchain


def fingerprints(project: Project, toolchain: Toolchain) -> Mapping[str, str]:
    """Return the fingerprint of each module of the project, as hexadecimal SHA-256.

    Modules on an import cycle, and those that import one, have none: they cannot be checked.
    """
    common = _digest("tracker 3", toolchain.identity, *_configuration(project))
    found: dict[str, str] = {}
    for name, module in project.modules.items():
        imports = project.imports(name)
        if all(i in found for i in imports):
            found[name] = _digest(common, name, module.digest, *sorted(found[i] for i in imports))
    return found


def _configuration(project: Project) -> tuple[str, str, str]:
    """Return what besides sources decides how Lean is called: lakefile, pinned toolchain, pinned packages."""
    return Path(project.lakefile.path).read_text("utf-8"), project.toolchain or "", project.manifest or ""


def _digest(*parts: str) -> str:
    """Return one hash of several texts; their lengths are hashed too, so that joints cannot shift."""
    hasher = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        hasher.update(f"{len(data)}:".encode())
        hasher.update(data)
    return hasher.hexdigest()
