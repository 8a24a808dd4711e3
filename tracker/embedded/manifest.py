"""The manifest of a sysroot: what each file must be, so that damage is seen before Lean meets it.

A truncated `.olean` is mapped into memory by Lean and ends it with SIGSEGV and not one word.

Format (JSON): `root` (absolute path the scripts were written for), `version`, `githash`, and `files`
from relative path to [size in bytes, modification time in ns, SHA-256 in hex].
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAME = "manifest.json"


@dataclass(frozen=True)
class Manifest:
    """What the build of a sysroot wrote down of it."""

    root: str
    version: str
    githash: str
    files: dict[str, tuple[int, int, str]]


def write(directory: Path, root: Path, version: str, githash: str) -> None:
    """Write the manifest of the files under `directory`, which is about to become `root`."""
    files = {}
    for path in sorted(p for p in directory.rglob("*") if p.is_file() and p.name != NAME):
        stat = path.stat()
        files[path.relative_to(directory).as_posix()] = (stat.st_size, stat.st_mtime_ns, _digest(path))
    content = {"root": str(root), "version": version, "githash": githash, "files": files}
    (directory / NAME).write_text(json.dumps(content, indent=0), encoding="utf-8")


def read(root: Path) -> Manifest | None:
    """Return the manifest at `root`; None when there is none, or one that no build has written."""
    try:
        content: Any = json.loads((root / NAME).read_bytes())
        files = {
            name: (int(size), int(time), str(digest))
            for name, (size, time, digest) in content["files"].items()
        }
        return Manifest(content["root"], content["version"], content["githash"], files)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def intact(root: Path, manifest: Manifest, *, verify: bool) -> bool:
    """Whether the files at `root` are those of the manifest.

    Sizes are always compared; contents where the time of a file is not the one written down, and
    everywhere with `verify`.
    """
    if manifest.root != str(root):
        return False
    for name, (size, time, digest) in manifest.files.items():
        path = f"{root}/{name}"
        try:
            stat = os.stat(path)
            if stat.st_size != size:
                return False
            if (verify or stat.st_mtime_ns != time) and _digest(Path(path)) != digest:
                return False
        except OSError:
            return False
    return True


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
