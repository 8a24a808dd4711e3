"""Which Lean a project is pinned to, by every file that says so.

`lean-toolchain` files (elan), `lake-manifest.json` (Lake: `packages[].inputRev`, before version 7 of it
`packages[].git.inputRev?`) and the `rev` of the lakefiles' requirements. A revision counts when it is a tag
of a Lean release, as Mathlib and the packages that follow it have: `v4.35.0`, `v4.35.0-rc1`,
`nightly-testing-2026-01-31`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from tracker.errors import ProjectError
from tracker.lean.lakefile import LEAN, TOML, Lakefile, read_lakefile

TOOLCHAIN = "lean-toolchain"
MANIFEST = "lake-manifest.json"
_RELEASE = re.compile(r"v?(4\.\d+\.\d+(?:-rc\d+)?)(?!\d)")
_NIGHTLY = re.compile(r"nightly-(?:testing-)?(\d{4}-\d\d-\d\d)")


class Pin(NamedTuple):
    """One file's word: `package` is empty for the toolchain itself; `lean` is the version that it means."""

    path: str
    package: str
    written: str
    lean: str


class Pins(NamedTuple):
    """All pins; `versions` has more than one entry when they disagree. `stale` tells of old manifests."""

    pins: tuple[Pin, ...]
    stale: tuple[str, ...]
    unreadable: tuple[str, ...]

    @property
    def versions(self) -> tuple[str, ...]:
        """The Lean versions that are pinned, each once, in the order of the pins."""
        return tuple(dict.fromkeys([pin.lean for pin in self.pins]))

    @property
    def agree(self) -> bool:
        """Whether all name one version and every manifest has what its lakefile requires."""
        return len(self.versions) < 2 and not self.stale


def lean_version(text: str) -> str:
    """Return the Lean version that a toolchain's or tag's name means, empty for any other name."""
    name = text.strip().rpartition(":")[2]
    if match := _NIGHTLY.match(name):
        return f"nightly-{match[1]}"
    match = _RELEASE.match(name)
    return match[1] if match else ""


def read_pins(root: str) -> Pins:
    """Return the pins of all files below `root`; hidden directories, `.lake` with them, are left out."""
    pins: list[Pin] = []
    stale: list[str] = []
    bad: list[str] = []
    for directory, inner, files in os.walk(root):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        here = os.path.relpath(directory, root).replace(os.sep, "/")
        prefix = "" if here == "." else f"{here}/"
        try:
            if TOOLCHAIN in files:
                pins.append(_toolchain(os.path.join(directory, TOOLCHAIN), prefix + TOOLCHAIN))
            required = dict(_required(directory)) if TOML in files or LEAN in files else {}
            name = LEAN if LEAN in files else TOML
            pins.extend(_tags(prefix + name, required))
            if MANIFEST in files:
                locked = dict(_locked(os.path.join(directory, MANIFEST)))
                pins.extend(_tags(prefix + MANIFEST, locked))
                stale.extend(
                    f"{prefix}{MANIFEST} has {package} at {locked[package]}, {name} requires {rev}"
                    for package, rev in required.items()
                    if rev and locked.get(package, rev) != rev
                )
        except (OSError, ValueError, TypeError, AttributeError, RecursionError, ProjectError) as error:
            bad.append(f"{prefix or './'}: {_reason(error)}")
    return Pins(tuple(pins), tuple(stale), tuple(bad))


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{os.path.basename(error.filename or '')}: {error.strerror}"
    return error.message if isinstance(error, ProjectError) else f"unreadable pin: {error}"


def _toolchain(file: str, path: str) -> Pin:
    with open(file, encoding="utf-8") as stream:
        written = stream.read().strip()
    return Pin(path, "", written, lean_version(written) or written)


def _tags(path: str, revisions: dict[str, str]) -> Iterator[Pin]:
    for package, revision in revisions.items():
        if version := lean_version(revision):
            yield Pin(path, package, revision, version)


def _required(directory: str) -> Iterator[tuple[str, str]]:
    lakefile: Lakefile = read_lakefile(directory)
    for require in lakefile.requires:
        yield require.name.strip("«»"), require.rev


def _locked(file: str) -> Iterator[tuple[str, str]]:
    with open(file, "rb") as stream:
        data: Any = json.loads(stream.read())
    for entry in data.get("packages", ()):
        package = entry.get("git", entry)  # manifests before version 7 wrap each package
        revision = package.get("inputRev", package.get("inputRev?"))
        if isinstance(revision, str):
            yield str(package.get("name", "")).strip("«»"), revision
