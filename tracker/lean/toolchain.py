"""A Lean toolchain: which `lake` and `lean` are run, and exactly which Lean that is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from tracker.errors import LeanError

# `Lean (version 4.35.0, x86_64-unknown-linux-gnu, commit eb6c…, Release)`; nightlies have a suffix.
_VERSION = re.compile(r"Lean \(version ([^,\s]+),(?: [^,]+,)? commit ([0-9a-f]{7,40})")

ORIGIN = "leanprover/lean4"
"""The repository of Lean's releases, as `lean-toolchain` files name it."""


@dataclass(frozen=True)
class Toolchain:
    """A `lake`/`lean` pair and its identity."""

    name: str
    """`lake` (found on PATH), `embedded`, an entry of tracker.toml, or a toolchain of elan."""
    lake: Path
    lean: Path
    version: str
    """Lean's version, such as `4.35.0`."""
    githash: str
    """The commit that this Lean was built from."""
    reason: str
    """Why this one is used, in words for the user."""
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """What `lake` needs in its environment besides the caller's."""
    lean_args: tuple[str, ...] = ()
    """Options that this entry adds to every call of `lean`."""

    @property
    def identity(self) -> str:
        """Return what fingerprints hold of the toolchain: version, commit and added options."""
        return " ".join((self.version, self.githash, *self.lean_args))


def identify(lean: Path) -> tuple[str, str]:
    """Return version and commit of the `lean` at a path, as `lean --version` says. Raises LeanError."""
    try:
        result = subprocess.run(
            [lean, "--version"], capture_output=True, text=True, errors="replace", timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LeanError(
            "LEAN-BROKEN", f"{lean} --version did not answer: {error}", "run it by hand to see what is wrong"
        ) from error
    match = _VERSION.search(result.stdout)
    if match is None:
        said = (result.stdout + result.stderr).strip()[:300]
        raise LeanError(
            "LEAN-BROKEN",
            f"{lean} --version said nothing that names a version: {said!r}",
            "the path must be a `lean` of Lean 4",
        )
    return match[1], match[2]


def find_lake(project: Path, environment: Mapping[str, str]) -> Toolchain | None:
    """Return the toolchain of the `lake` on PATH for a project, or None when there is none.

    elan's shims are looked through, so that elan never downloads a toolchain unasked. Raises LeanError
    when the project's pinned toolchain is not installed.
    """
    found = shutil.which("lake", path=environment.get("PATH"))
    if found is None:
        return None
    lake = Path(found)
    reason = f"`lake` is on PATH: {lake}"
    if (lake.parent / "elan").exists():
        directory, pin = _elan_toolchain(lake, project, environment)
        lake = directory / "bin" / "lake"
        reason = f"elan's toolchain {pin} for this project"
    lean = lake.parent / "lean"
    if not lean.exists():
        other = shutil.which("lean", path=environment.get("PATH"))
        if other is None:
            raise LeanError(
                "LEAN-MISSING", f"{lake} has no `lean` beside it and none is on PATH", "reinstall Lean"
            )
        lean = Path(other)
    version, githash = identify(lean)
    return Toolchain("lake", lake, lean, version, githash, reason)


def _elan_toolchain(lake: Path, project: Path, environment: Mapping[str, str]) -> tuple[Path, str]:
    """Return directory and name of the toolchain that elan's shim would choose (elan's own rules)."""
    home = Path(environment.get("ELAN_HOME") or lake.parent.parent)
    pin = environment.get("ELAN_TOOLCHAIN") or _pin(project) or _elan_default(home)
    if pin is None:
        raise LeanError(
            "TOOLCHAIN-MISSING",
            f"{project} pins no toolchain and elan has no default",
            "write `leanprover/lean4:v4.35.0` (or another release) into lean-toolchain",
        )
    return _installed(home, pin), pin


def _installed(home: Path, pin: str) -> Path:
    """Return the directory of an installed toolchain (elan's own naming of it). Raises LeanError."""
    directory = home / "toolchains" / pin.replace("/", "--").replace(":", "---")
    if not (directory / "bin" / "lake").exists():
        raise LeanError(
            "TOOLCHAIN-MISSING",
            f"the toolchain {pin} is not installed ({directory} does not exist)",
            f"`elan toolchain install {pin}`: the tracker never downloads one by itself",
        )
    return directory


def elan_home(environment: Mapping[str, str]) -> Path:
    """Return where elan keeps its toolchains: `ELAN_HOME`, else above its shim on PATH, else `~/.elan`."""
    if home := environment.get("ELAN_HOME"):
        return Path(home)
    shim = shutil.which("elan", path=environment.get("PATH"))
    return Path(shim).parent.parent if shim else Path.home() / ".elan"


def elan_toolchain(name: str, environment: Mapping[str, str]) -> Toolchain:
    """Return an installed toolchain of elan by its name; `v4.36.0` is short for `leanprover/lean4:v4.36.0`.

    Raises LeanError when it is not installed: nothing is downloaded.
    """
    pin = name if ":" in name else f"{ORIGIN}:{name}"
    directory = _installed(elan_home(environment), pin)
    lake, lean = directory / "bin" / "lake", directory / "bin" / "lean"
    version, githash = identify(lean)
    return Toolchain(pin, lake, lean, version, githash, f"elan's toolchain {pin}, asked for")


def installed_toolchains(environment: Mapping[str, str]) -> list[str]:
    """Return the names of elan's installed toolchains, sorted; custom (linked) ones keep their own names."""
    try:
        names = [entry.name for entry in (elan_home(environment) / "toolchains").iterdir() if entry.is_dir()]
    except OSError:
        return []
    return sorted(name.replace("---", ":").replace("--", "/") for name in names)


def _pin(project: Path) -> str | None:
    """Return the text of the nearest `lean-toolchain` at or above the project."""
    for directory in (project.resolve(), *project.resolve().parents):
        file = directory / "lean-toolchain"
        if file.is_file():
            return file.read_text(encoding="utf-8", errors="replace").strip() or None
    return None


def _elan_default(home: Path) -> str | None:
    try:
        settings = tomllib.loads((home / "settings.toml").read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return None
    default = settings.get("default_toolchain")
    return default if isinstance(default, str) else None


def named_toolchain(name: str, lake: Path, lean: Path, lean_args: tuple[str, ...], why: str) -> Toolchain:
    """Return the toolchain of an explicit `lake`/`lean` pair. Raises LeanError when either is missing."""
    for path in (lake, lean):
        if not os.access(path, os.X_OK):
            raise LeanError(
                "TOOLCHAIN-MISSING",
                f"toolchain {name!r}: {path} is not there or not executable",
                "mend the path in tracker.toml",
            )
    version, githash = identify(lean)
    return Toolchain(name, lake, lean, version, githash, why, lean_args=lean_args)
