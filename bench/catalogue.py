"""How long loading and checking a catalogue takes, against a bare C compose of the same text.

    python bench/catalogue.py [N ...]

For each N (5,000 and 50,000 if none is given) a catalogue of N obligations is written to a
temporary directory, in files of 1,000. Prints the best of three of each in CPU seconds, their
ratio, and the peak memory of a process that only loads it. The target is a ratio of at most 2.5.
The example catalogue is measured too; its target is a second.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import yaml

from tracker.catalogue.load import load_catalogue

TARGET = 2.5
EXAMPLE = Path(__file__).parents[1] / "examples" / "lean4-mlir"
FILE = """\
defaults:
  net: vit
  tier: T6
  namespace: Proofs.Vit
obligations:
"""
ENTRY = """\
- id: layer{n}_eq_vjp
  kind: leaf-tie
  module: Proofs.Nets.M{m}
  depends_on:
  - layer{a}_eq_vjp
  - layer{b}_eq_vjp
  - layer{c}_eq_vjp
  claims:
    layer{a}_eq_vjp: 3
  budget:
    wall: 90s
    memory: 16GiB
  summary: the batched leaf tie number {n}
  sources:
  - commit 126ab67b
  - the paragraph on leaf ties
"""
FIRST = "- id: layer0_eq_vjp\n  kind: foundation\n  module: Proofs.Nets.M0\n"


def write(directory: Path, count: int) -> None:
    """Write a catalogue of `count` obligations, each resting on three earlier ones where there are three."""
    for start in range(0, count, 1000):
        parts = [FILE]
        for n in range(start, min(start + 1000, count)):
            if n < 3:
                parts.append(FIRST.replace("layer0", f"layer{n}"))
            else:
                parts.append(ENTRY.format(n=n, m=n // 20, a=n - 1, b=n // 2, c=n // 3 if n > 6 else 0))
        (directory / f"part{start // 1000:04d}.yaml").write_text("".join(parts), encoding="utf-8")


def best(action: Callable[[], object]) -> float:
    """Return the least CPU seconds of three runs."""
    times = []
    for _ in range(3):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def measure(directory: Path) -> str:
    """Return one line of figures for the catalogue in `directory`."""
    bare, ours = best(lambda: compose(directory)), best(lambda: load_catalogue(directory))
    verdict = "within" if ours <= TARGET * bare else "ABOVE"
    return (
        f"compose {bare:.2f} s, load and check {ours:.2f} s, ratio {ours / bare:.2f} "
        f"({verdict} {TARGET}), peak {peak(directory) / 2**20:.0f} MiB"
    )


def compose(directory: Path) -> None:
    """Compose every file with libyaml and keep nothing."""
    for file in sorted(directory.iterdir()):
        yaml.compose(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


def peak(directory: Path) -> int:
    """Return the peak resident bytes of a process that loads the catalogue."""
    command = [sys.executable, __file__, "--load", str(directory)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main(counts: list[int]) -> None:
    print(
        f"{EXAMPLE.name}: load and check {best(lambda: load_catalogue(EXAMPLE)):.2f} s (target 1 s)",
        flush=True,
    )
    for count in counts:
        with tempfile.TemporaryDirectory() as name:
            directory = Path(name)
            write(directory, count)
            result = load_catalogue(directory)
            assert result.catalogue is not None, result.errors[:3]
            print(f"{count:>7,} obligations: {measure(directory)}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--load"]:
        load_catalogue(sys.argv[2])
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
    else:
        main([int(arg) for arg in sys.argv[1:]] or [5_000, 50_000])
