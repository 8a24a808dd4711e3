"""Which `lean` is used, and how the environment says so (Lake's `Config/InstallPath` and `Config/Env`).

The `lean` next to this program is used, whatever the environment says, unless LAKE_OVERRIDE_LEAN is set.
Then LEAN names the program, LEAN_SYSROOT its installation; without the latter the program is asked. What
commit it is of is asked as well, unless LEAN_GITHASH or the manifest of an embedded installation tells.
"""

from __future__ import annotations

import os

from tracker.embedded.lake.log import LakeError
from tracker.embedded.lake.trace import digest

_TRUE = ("y", "yes", "t", "true", "on", "1")


class Install:
    """The `lean` program, the installation it belongs to, and what identifies both in traces.

    `home` is this lake's own installation. `stamp` is a hash over the installation's compiled library: two
    toolchains with one commit but another `Init` are two toolchains.
    """

    __slots__ = ("githash", "home", "lean", "stamp", "sysroot", "version")

    def __init__(self, home: str, sysroot: str, lean: str) -> None:
        self.home = home
        self.sysroot = sysroot
        self.lean = lean
        manifest = _manifest(sysroot)
        self.version = _value(manifest, "version") or "unknown"
        given = os.environ.get("LEAN_GITHASH", "")
        self.githash = given or _value(manifest, "githash") or _ask(lean, "--githash")
        self.stamp = _stamp(sysroot, manifest)

    @property
    def lib_dir(self) -> str:
        """The directory of the installation's own `.olean` files."""
        return os.path.join(self.sysroot, "lib", "lean")


def find_install() -> Install:
    """Return the installation to use. Raises LakeError when there is none."""
    home = os.environ.get("TRACKER_SYSROOT", "")
    sysroot, lean = home, os.path.join(home, "bin", "lean")
    if os.environ.get("LAKE_OVERRIDE_LEAN", "").lower() in _TRUE:
        lean = os.environ.get("LEAN", "")
        sysroot = os.environ.get("LEAN_SYSROOT", "")
        if not sysroot:
            sysroot = _ask(lean or "lean", "--print-prefix")
        lean = lean or os.path.join(sysroot, "bin", "lean")
    if not sysroot:
        raise LakeError("could not detect a Lean installation")
    return Install(home or sysroot, sysroot, lean)


def _ask(program: str, question: str) -> str:
    """Return what the program prints, "" when it cannot be run: Lake goes on without as well."""
    from tracker.embedded.lake.process import capture

    code, out, _ = capture([program, question])
    return out.decode("utf-8", "replace").strip() if code == 0 else ""


def _manifest(sysroot: str) -> list[str]:
    """Return the manifest of an embedded sysroot cut at its quotes: strings stand at odd places."""
    try:
        with open(os.path.join(sysroot, "manifest.json"), encoding="utf-8") as file:
            return file.read().split('"')
    except (OSError, UnicodeDecodeError):
        return []


def _value(manifest: list[str], key: str) -> str:
    return manifest[manifest.index(key) + 2] if key in manifest[1::2] else ""


def _stamp(sysroot: str, manifest: list[str]) -> str:
    """Hash the library: the digests of the manifest, or the names and sizes of a foreign installation."""
    strings = manifest[1::2]
    parts = [
        f"{name} {strings[i + 1]}"
        for i, name in enumerate(strings[:-1])
        if name.startswith("lib/lean/") and name.endswith(".olean")
    ]
    if not parts:
        for directory, inner, files in os.walk(os.path.join(sysroot, "lib", "lean")):
            inner.sort()
            names = sorted(name for name in files if name.endswith(".olean"))
            parts += [f"{name} {os.path.getsize(os.path.join(directory, name))}" for name in names]
    return digest("\n".join(parts).encode())
