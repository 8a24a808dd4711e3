"""Throughput of reading Lake's logs and naming their failures, against bare Python loops over the same lines.

    python bench/lakelog.py [--size 200] [--rounds 5] [--keep DIRECTORY]

Writes logs of the given size (MB) as Lake prints them (clean modules, replayed linter warnings, verbose
`trace:` lines, failed modules with goals): plain, as CI runners store them (time stamps, ANSI colours, CRLF,
all three), one in which one module of 14 fails and one of failures only. Prints for each the median ratios of
CPU seconds, measured in turn, and the memory by which the peak so far rose:

- `read`: `read_log` to a loop over the lines as texts, `for line in path.open(encoding="utf-8")`. The aim is
  at most 6.
- `bytes`: the same to a loop over the lines as bytes, which decodes nothing.
- `named`: reading and naming every failure, which is all that `tracker classify` does but print, to the loop
  over texts. Naming costs by failure, not by line.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tracker.lean.failures.from_log import classify_log
from tracker.lean.lakelog import LakeLog, read_log

T = TypeVar("T")
PATHS = ":".join(f"/home/ada/orchard/.lake/packages/{name}/.lake/build/lib/lean" for name in "abcdefghij")
GOAL = "case inl\nα : Type u_1\ninst✝ : Ring α\nx y : α\nhxy : x ≤ y\n⊢ x * y ≤ y * x\n"


@dataclass(frozen=True, slots=True)
class Style:
    """How a log is written: what a runner adds to each line, and what share of the modules fails."""

    stamps: bool = False
    colours: bool = False
    returns: bool = False
    failing: float = 0.002


STYLES = {
    "plain": Style(),
    "stamped": Style(stamps=True),
    "coloured": Style(colours=True),
    "CRLF": Style(returns=True),
    "all three": Style(stamps=True, colours=True, returns=True),
    "many fail": Style(failing=0.07),
    "all fail": Style(failing=1),
}


def module_log(chance: random.Random, index: int, total: int, *, failing: float) -> str:
    name = f"Orchard.Part{index % 97}.Module{index}"
    file = name.replace(".", "/") + ".lean"
    place = f"{file}:{chance.randrange(1, 900)}:{chance.randrange(60)}"
    trace = (
        f"trace: .> LEAN_PATH={PATHS} /home/ada/.elan/toolchains/leanprover--lean4---v4.34.0/bin/lean {file} "
        f"-o .lake/build/lib/lean/{file[:-5]}.olean -i .lake/build/lib/lean/{file[:-5]}.ilean "
        f"-c .lake/build/ir/{file[:-5]}.c --setup .lake/build/ir/{file[:-5]}.setup.json --json\n"
    )
    failed, kind = chance.random() < failing, chance.random()
    if not failed and kind < 0.6:
        head = f"✔ [{index}/{total}] Built {name} ({chance.randrange(200, 999)}ms)\n"
        return head + (trace if chance.random() < 0.2 else "")
    if not failed:
        lint = "".join(
            f"warning: {place}: This simp argument is unused:\n  lemma_{i}\n\n"
            f"Hint: Omit it from the simp argument list.\n  simp [lemma_{i}]\n\n"
            "Note: This linter can be disabled with `set_option linter.unusedSimpArgs false`\n"
            for i in range(chance.randrange(1, 5))
        )
        return f"⚠ [{index}/{total}] Replayed {name}\n{lint}"
    errors = "".join(
        f"error: {file}:{i}:2: unsolved goals\n{GOAL}"
        f"error: {file}:{i}:4: Type mismatch\n  h\nhas type\n  a = b\n"
        for i in range(chance.randrange(1, 6))
    )
    return f"✖ [{index}/{total}] Building {name} (12s)\n{trace}{errors}error: Lean exited with code 1\n"


def decorated(text: str, style: Style, chance: random.Random) -> str:
    lines = text.split("\n")[:-1]
    if style.colours:
        lines = [
            f"\x1b[1;33m{line[:9]}\x1b[m{line[9:]}" if line[:1] in set("✔⚠✖wie") else line for line in lines
        ]
    if style.stamps:
        lines = [
            f"2026-05-28T15:16:{chance.randrange(10**8, 6 * 10**8) / 1e7:010.7f}Z {line}" for line in lines
        ]
    end = "\r\n" if style.returns else "\n"
    return "".join(line + end for line in lines)


def chunks(size: int, style: Style) -> Iterator[bytes]:
    chance, written, index = random.Random(7), 0, 0
    while written < size:
        index += 1
        text = module_log(chance, index, 99_999, failing=style.failing)
        block = decorated(text, style, chance).encode()
        written += len(block)
        yield block
    end = "Some required targets logged failures:\n- Orchard.Part1.Module1\nerror: build failed\n"
    yield decorated(end, style, chance).encode()


def loop_over_bytes(path: Path) -> None:
    with path.open("rb") as stream:
        for _line in stream:
            pass


def loop_over_texts(path: Path) -> None:
    with path.open(encoding="utf-8", errors="replace") as stream:
        for _line in stream:
            pass


def read(path: Path) -> LakeLog:
    with path.open("rb") as stream:
        return read_log(stream)


def timed(work: Callable[[], T]) -> tuple[float, T]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def one_round(path: Path) -> tuple[float, float, float, str]:
    """Return the three ratios and what was read."""
    in_bytes, _ = timed(lambda: loop_over_bytes(path))
    in_texts, _ = timed(lambda: loop_over_texts(path))
    reading, log = timed(lambda: read(path))
    naming, report = timed(lambda: classify_log(log))
    what = f"{log.lines:8} lines, {len(report.failures):6} failures"
    return reading / in_texts, reading / in_bytes, (reading + naming) / in_texts, what


def measure(name: str, path: Path, rounds: int) -> None:
    loop_over_bytes(path)  # the file is then in the page cache for all
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    done = [one_round(path) for _ in range(rounds)]
    added = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    reads, in_bytes, named = (statistics.median(one[i] for one in done) for i in range(3))
    print(
        f"{name:10}{path.stat().st_size / 1e6:4.0f} MB, {done[0][3]}: "
        f"read {reads:.1f}, bytes {in_bytes:.1f}, named {named:.1f}, peak +{added // 1024} MiB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=200, help="MB of log")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is measured")
    parser.add_argument("--keep", type=Path, help="write the logs there and keep them")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for name, style in STYLES.items():
            path = (options.keep or Path(scratch)) / f"{name.replace(' ', '-')}.log"
            with path.open("wb") as out:
                out.writelines(chunks(options.size * 1_000_000, style))
            measure(name, path, options.rounds)
            if not options.keep:
                path.unlink()


if __name__ == "__main__":
    main()
