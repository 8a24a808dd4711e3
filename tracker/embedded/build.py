"""Builds a sysroot: compiles Init with the runtime itself and writes the two scripts."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from tracker.embedded import manifest
from tracker.embedded.runtime import CURE
from tracker.errors import LeanError

Progress = Callable[[str], None]

IMPORT = re.compile(rb"^(?:(?:public|meta) )*import (?:all )?([\w.]+)", re.MULTILINE)
VERSION = re.compile(r"version ([^\s,]+),.* commit ([0-9a-f]{40})")
STALE_SUFFIX = ".part"


@dataclass(frozen=True)
class Plan:
    """What a sysroot is made from.

    `sources` are the files of Init by their path below the source directory, `lean` and `lake` the
    command lines that the two scripts start.
    """

    sources: Mapping[str, bytes]
    lean: tuple[str, ...]
    lake: tuple[str, ...]


def build(root: Path, plan: Plan, progress: Progress) -> None:
    """Make the sysroot at `root`, replacing what is there, so that it appears whole or not at all.

    The caller holds the lock of `root`. Raises LeanError when Lean cannot run or refuses a file of
    Init, OSError when the disk does.
    """
    for stale in root.parent.glob(f"{root.name}.*{STALE_SUFFIX}"):  # of builds that were killed
        shutil.rmtree(stale, ignore_errors=True)
    work = Path(tempfile.mkdtemp(prefix=f"{root.name}.", suffix=STALE_SUFFIX, dir=root.parent))
    try:
        version, githash = _identify(plan)
        _write_sources(work / "src/lean", plan.sources)
        _compile(work, plan, progress)
        _write_scripts(work / "bin", root, plan)
        manifest.write(work, root, version, githash)
        work.chmod(0o755)
        if root.exists():
            root.rename(tempfile.mkdtemp(prefix=f"{root.name}.old", suffix=STALE_SUFFIX, dir=root.parent))
        work.rename(root)
        _prune(root.parent)
    finally:
        for leftover in root.parent.glob(f"{root.name}.*{STALE_SUFFIX}"):
            shutil.rmtree(leftover, ignore_errors=True)


def _prune(cache: Path) -> None:
    """Remove the sysroots whose interpreter or launcher is gone: nobody can use them any more."""
    for script in cache.glob("*/bin/lean"):
        try:
            words = shlex.split(script.read_text(encoding="utf-8", errors="surrogateescape"), comments=True)
        except (OSError, ValueError):
            continue
        if words[:1] == ["exec"] and not all(Path(w).exists() for w in words[1:5] if w.startswith("/")):
            shutil.rmtree(script.parents[1], ignore_errors=True)


def _identify(plan: Plan) -> tuple[str, str]:
    """Ask the runtime for its version and commit; the first time that it is loaded."""
    result = subprocess.run(
        [*plan.lean, "--version"], capture_output=True, text=True, errors="replace", check=False
    )
    match = VERSION.search(result.stdout)
    if result.returncode or match is None:
        said = (result.stderr or result.stdout).strip() or f"exit status {result.returncode}"
        raise LeanError("EMBEDDED-UNLOADABLE", f"the embedded Lean does not start: {said}", CURE)
    return match[1], match[2]


def _write_sources(directory: Path, sources: Mapping[str, bytes]) -> None:
    for name, content in sources.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _write_scripts(directory: Path, root: Path, plan: Plan) -> None:
    directory.mkdir()
    exports = f"TRACKER_SYSROOT={shlex.quote(str(root))}\nexport TRACKER_SYSROOT\n"
    for name, command, before in (("lean", plan.lean, ""), ("lake", plan.lake, exports)):
        script = directory / name
        script.write_text(
            f'#!/bin/sh\n{before}exec {shlex.join(command)} "$@"\n',
            encoding="utf-8",
            errors="surrogateescape",
        )
        script.chmod(0o755)


def _compile(work: Path, plan: Plan, progress: Progress) -> None:
    """Compile every module of Init, each as soon as those that it imports are there."""
    waiting = {_module(name): set(imports(content)) for name, content in plan.sources.items()}
    total, running = len(waiting), dict[Future[None], str]()
    (work / "lib/lean/Init").mkdir(parents=True)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        while waiting or running:
            for module in [module for module, needs in waiting.items() if not needs]:
                del waiting[module]
                progress(f"compiling {module} ({total - len(waiting)}/{total})")
                running[pool.submit(_compile_module, work, plan, module)] = module
            if not running:
                raise LeanError(
                    "EMBEDDED-BUILD", f"Init's imports go in a circle: {', '.join(sorted(waiting))}"
                )
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                finished = running.pop(future)
                future.result()
                for needs in waiting.values():
                    needs.discard(finished)


def _module(name: str) -> str:
    return name.removesuffix(".lean").replace("/", ".")


def imports(content: bytes) -> list[str]:
    """Return the modules that a Lean source imports, in its order."""
    return [name.decode() for name in IMPORT.findall(content)]


def _compile_module(work: Path, plan: Plan, module: str) -> None:
    stem = module.replace(".", "/")
    source, output = work / "src/lean", work / "lib/lean" / stem
    command = [
        *plan.lean,
        "-Dlinter.all=false",
        "-R",
        str(source),
        "-o",
        f"{output}.olean",
        "-i",
        f"{output}.ilean",
        f"{source}/{stem}.lean",
    ]
    environment = {**os.environ, "LEAN_PATH": str(work / "lib/lean")}
    result = subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if result.returncode or result.stdout or result.stderr:
        said = (result.stdout + result.stderr).strip() or f"exit status {result.returncode}"
        raise LeanError(
            "EMBEDDED-BUILD", f"the embedded Lean could not compile {module}: {said}", _free_space(work)
        )


def _free_space(directory: Path) -> str | None:
    free = shutil.disk_usage(directory).free
    return f"the disk of {directory} is full" if free < 1 << 20 else None
