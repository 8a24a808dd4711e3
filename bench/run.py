"""The driver's two ratios, measured side by side on lean/ with the embedded Lean.

1. A second `tracker run` with nothing changed, against `tracker status`.
2. A cold run with one job, against a plain shell loop that runs the same `lean` on the same modules.

Usage: python bench/run.py [REPEATS]
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tracker.embedded.sysroot import ensure
from tracker.lean.project import load_project

ROOT = Path(__file__).parent.parent
TRACKER = [sys.executable, "-m", "tracker"]


def timed(command: Sequence[str], cwd: Path, environment: dict[str, str]) -> float:
    """Return the wall seconds of a command that must succeed."""
    begin = time.monotonic()
    subprocess.run(
        command, cwd=cwd, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    return time.monotonic() - begin


def side_by_side(repeats: int, one: Callable[[], float], other: Callable[[], float]) -> tuple[float, float]:
    """Return the medians of two measurements taken in turn."""
    pairs = [(one(), other()) for _ in range(repeats)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def shell_loop(project: Path, lean: Path, out: Path) -> str:
    """Return a script that runs `lean` on every module in import order, as a user without Lake would."""
    lines = ["set -e"]
    found = load_project(project)
    options = " ".join(f"-D{name}={str(value).lower()}" for name, value in found.lakefile.config.lean_options)
    for name in (name for name in found.modules if name in found.default_modules):
        module = found.modules[name]
        target = out / Path(*name.split("."))
        lines.append(f"mkdir -p {target.parent}")
        lines.append(f"{lean} -R . -o {target}.olean -i {target}.ilean {options} --json {module.path}")
    return "\n".join(lines)


def main() -> None:
    """Print both ratios."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    lean = Path(ensure().lean)
    with tempfile.TemporaryDirectory() as scratch:
        site = Path(scratch) / "site"
        shutil.copytree(
            ROOT,
            site,
            ignore=shutil.ignore_patterns(".git", ".venv", ".lake", ".tracker", ".hypothesis", "tests"),
        )
        environment = {**os.environ, "TRACKER_TOOLCHAIN": "embedded"}
        out = site / "loop"

        def cold_run() -> float:
            shutil.rmtree(site / ".tracker", ignore_errors=True)
            shutil.rmtree(site / "lean" / ".lake", ignore_errors=True)
            return timed([*TRACKER, "run"], site, environment)

        def loop() -> float:
            shutil.rmtree(out, ignore_errors=True)
            script = shell_loop(site / "lean", lean, out)
            return timed(["sh", "-c", script], site / "lean", {**environment, "LEAN_PATH": str(out)})

        # The copy's embedded Lean is compiled before the clock starts.
        subprocess.run([*TRACKER, "doctor"], cwd=site, env=environment, check=True, capture_output=True)
        run, plain = side_by_side(repeats, cold_run, loop)
        print(f"cold run, one job: {run:.2f} s; shell loop: {plain:.2f} s; ratio {run / plain:.2f} (<= 1.25)")
        again, status = side_by_side(
            2 * repeats,
            lambda: timed([*TRACKER, "run"], site, environment),
            lambda: timed([*TRACKER, "status"], site, environment),
        )
        print(f"second run: {again:.3f} s; status: {status:.3f} s; ratio {again / status:.2f} (<= 1.5)")


if __name__ == "__main__":
    main()
