"""The sysroot of the embedded toolchain: made on first use, checked at every later one.

`ensure` is the whole interface. It compiles the small Init into the user's cache directory and
returns the paths of a `lean` and a `lake` that any program can start:

    <cache>/embedded/<key>/bin/lean, bin/lake      scripts that start this Python
    <cache>/embedded/<key>/lib/lean/Init*.olean    the compiled Init
    <cache>/embedded/<key>/src/lean/Init*.lean     its sources, for go-to-definition
    <cache>/embedded/<key>/manifest.json           what each of these files must be

The key is a hash of everything that the files are made from: whatever changes, nothing is changed in
place, and processes that use the old directory go on undisturbed.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tracker.embedded import manifest
from tracker.embedded.runtime import Runtime, find_runtime
from tracker.errors import LeanError

PACKAGE = Path(__file__).parent
LAKE = PACKAGE / "lake/main.py"
INIT = PACKAGE / "init"


@dataclass(frozen=True)
class Sysroot:
    """An embedded toolchain, ready for use.

    `version` is Lean's (`4.35.0`), `githash` the 40 digits of the commit that it was built from.
    """

    root: Path
    lean: Path
    lake: Path
    version: str
    githash: str


def ensure(
    cache: Path | None = None, on_progress: Callable[[str], None] | None = None, *, verify: bool = False
) -> Sysroot:
    """Return the embedded toolchain, building it when it is missing or damaged.

    The first use compiles Init (some seconds, told through `on_progress`). Later ones compare the
    sizes and times of the files, and the contents of those that differ, or of all with `verify`.
    `cache` is the cache directory; by default TRACKER_CACHE, else the user's.

    Raises LeanError: EMBEDDED-MISSING or EMBEDDED-UNLOADABLE for the runtime, EMBEDDED-CACHE when the
    cache cannot be written, EMBEDDED-BUILD when Init does not compile.
    """
    runtime = find_runtime()
    sources = _sources()
    root = (cache or _default_cache()).absolute() / "embedded" / _key(runtime, sources)
    return _ready(root, verify=verify) or _make(root, runtime, sources, on_progress or (lambda _: None))


def _default_cache() -> Path:
    if given := os.environ.get("TRACKER_CACHE"):
        return Path(given)
    from platformdirs import user_cache_path

    return user_cache_path("lean-tracker", appauthor=False)


def _sources() -> dict[str, bytes]:
    """Read Init: the path of each file below the source directory, and its content."""
    paths = [INIT / "Init.lean", *sorted(INIT.glob("Init/**/*.lean"))]
    return {path.relative_to(INIT).as_posix(): path.read_bytes() for path in paths}


def _key(runtime: Runtime, sources: dict[str, bytes]) -> str:
    code = {name: (PACKAGE / name).read_bytes() for name in ("launcher.py", "build.py", "manifest.py")}
    places = f"{sys.executable}\n{PACKAGE}\n{runtime.libdir}\n{runtime.identity}"
    state = hashlib.sha256(os.fsencode(places))
    for name, content in (code | sources).items():
        state.update(f"\n{name} {len(content)}\n".encode())
        state.update(content)
    return state.hexdigest()[:20]


def _ready(root: Path, *, verify: bool) -> Sysroot | None:
    """Return the sysroot at `root`, or None when it is not there or not whole."""
    facts = manifest.read(root)
    if facts is None or not manifest.intact(root, facts, verify=verify):
        return None
    return Sysroot(root, root / "bin/lean", root / "bin/lake", facts.version, facts.githash)


def _make(
    root: Path, runtime: Runtime, sources: dict[str, bytes], progress: Callable[[str], None]
) -> Sysroot:
    """Build the sysroot, unless another process has just done so."""
    from filelock import FileLock

    from tracker.embedded import build

    python = (sys.executable, "-I", "-S")
    lean = (*python, str(PACKAGE / "launcher.py"), str(runtime.libdir), str(root))
    with _cache_errors(root.parent):
        root.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{root}.lock"):
            if found := _ready(root, verify=True):
                return found
            build.build(root, build.Plan(sources, lean, (*python, str(LAKE))), progress)
            found = _ready(root, verify=True)
    if found is None:
        raise LeanError("EMBEDDED-CACHE", f"{root} changed while it was made", "run the command again")
    return found


@contextmanager
def _cache_errors(directory: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f"cannot write the embedded toolchain to {directory}: {error.strerror or error}"
        raise LeanError(
            "EMBEDDED-CACHE", message, "set TRACKER_CACHE to a directory that can be written"
        ) from error
