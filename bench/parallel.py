"""Ways of driving Lake side by side on this repository's own project: one at a time, packed, one whole build.

Also a Lake that prints gigabytes: the driver's memory must not follow.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tracker.embedded.sysroot import ensure

ROOT = Path(__file__).parent.parent
TRACKER = [sys.executable, "-m", "tracker"]
SKIPPED = (".*_cache", ".git", ".venv", ".lake", ".tracker", ".hypothesis", "tests")
LOUD_BYTES = 5 * 10**9


def run(site: Path, *options: str, codes: tuple[int, ...] = (0,)) -> tuple[float, int]:
    """Check everything anew; return wall seconds and the driver's peak in bytes."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    if "--toolchain" not in options:
        environment["TRACKER_TOOLCHAIN"] = "embedded"
    begin = time.monotonic()
    child = subprocess.Popen(
        [*TRACKER, "run", *options], cwd=site, env=environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in codes:
        sys.exit(f"tracker run {' '.join(options)} ended with exit code {child.returncode}")
    return time.monotonic() - begin, usage.ru_maxrss * 1024


def loud_toolchain(site: Path) -> None:
    """Give the site a Lake that prints gigabytes before it builds one module."""
    real, lake = ensure(), site / "loud-lake"
    lake.write_text(
        f"#!/bin/sh\nLEAN_SYSROOT={real.root}; export LEAN_SYSROOT\n"
        'case "$*" in *+NetTies.Foundation.Algebra) '
        f'yes "error: the same again" | head -c {LOUD_BYTES};; esac\n'
        f'exec {real.lake} "$@"\n'
    )
    lake.chmod(0o755)
    with (site / "tracker.toml").open("a") as file:
        file.write(f'\n[toolchains.loud]\nlake = "{lake}"\nlean = "{real.lean}"\n')


def main() -> None:
    """Print the ratios and the memory."""
    jobs = str(len(os.sched_getaffinity(0)))
    with tempfile.TemporaryDirectory() as scratch:
        site = Path(scratch) / "site"
        shutil.copytree(ROOT, site, ignore=shutil.ignore_patterns(*SKIPPED))
        whole, _ = run(site, "--whole")
        one, peak = run(site, "--fresh")
        packed, _ = run(site, "--fresh", "-j", jobs)
        print(f"one at a time {one:.1f} s; -j {jobs} {packed:.1f} s, ratio {packed / one:.2f}")
        print(f"--whole {whole:.1f} s, ratio {whole / one:.2f}")
        loud_toolchain(site)
        target = ("NetTies.Foundation.Algebra", "--fresh", "--toolchain", "loud")
        seconds, loud = run(site, *target, codes=(0, 1))  # most obligations are not asked about
        print(f"a log of {LOUD_BYTES / 1e9:.0f} GB: {seconds:.1f} s; peak {loud / peak:.2f} of a usual run's")


if __name__ == "__main__":
    main()
