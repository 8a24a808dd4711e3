"""Throughput of the Lake log parser against a bare Python loop over the same lines.

    python bench/lakelog.py [--size 200] [--keep FILE]

Writes a log of the given size (MB) as Lake prints them (clean modules, replayed linter warnings, verbose
`trace:` lines, failed modules with goals), once plain and once as a Windows CI runner stores it (time stamps,
ANSI colours, CRLF), and prints for each: the loop's CPU seconds, the parser's, their ratio, and the peak
memory that the parser added. The aim is a ratio of at most 6 on the plain log.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tracker.lean.lakelog import read_log

PATHS = ":".join(f"/home/ada/orchard/.lake/packages/{name}/.lake/build/lib/lean" for name in "abcdefghij")
GOAL = "case inl\nα : Type u_1\ninst✝ : Ring α\nx y : α\nhxy : x ≤ y\n⊢ x * y ≤ y * x\n"


def module_log(chance: random.Random, index: int, total: int) -> str:
    name = f"Orchard.Part{index % 97}.Module{index}"
    file = name.replace(".", "/") + ".lean"
    place = f"{file}:{chance.randrange(1, 900)}:{chance.randrange(60)}"
    trace = (
        f"trace: .> LEAN_PATH={PATHS} /home/ada/.elan/toolchains/leanprover--lean4---v4.34.0/bin/lean {file} "
        f"-o .lake/build/lib/lean/{file[:-5]}.olean -i .lake/build/lib/lean/{file[:-5]}.ilean "
        f"-c .lake/build/ir/{file[:-5]}.c --setup .lake/build/ir/{file[:-5]}.setup.json --json\n"
    )
    kind = chance.random()
    if kind < 0.55:
        head = f"✔ [{index}/{total}] Built {name} ({chance.randrange(200, 999)}ms)\n"
        return head + (trace if chance.random() < 0.2 else "")
    if kind < 0.93:
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


def decorated(text: str) -> str:
    stamp = "2026-05-28T15:16:05.6172835Z "
    lines = text.split("\n")[:-1]
    coloured = (f"\x1b[1;33m{line[:9]}\x1b[m{line[9:]}" if line[:1] in "✔⚠✖wie" else line for line in lines)
    return "".join(f"{stamp}{line}\r\n" for line in coloured)


def chunks(size: int, *, decorate: bool) -> Iterator[str]:
    chance, written, index = random.Random(7), 0, 0
    while written < size:
        index += 1
        text = module_log(chance, index, 99_999)
        text = decorated(text) if decorate else text
        written += len(text.encode())
        yield text
    end = "Some required targets logged failures:\n- Orchard.Part1.Module1\nerror: build failed\n"
    yield decorated(end) if decorate else end


def bare_loop(path: Path) -> tuple[float, int]:
    start, count = time.process_time(), 0
    with path.open("rb") as stream:
        for _line in stream:
            count += 1
    return time.process_time() - start, count


def measure(path: Path) -> None:
    bare_loop(path)  # the file is then in the page cache for both
    loop = min(bare_loop(path)[0] for _ in range(3))
    lines = bare_loop(path)[1]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    times = []
    for _ in range(3):
        start = time.process_time()
        with path.open("rb") as stream:
            log = read_log(stream)
        times.append(time.process_time() - start)
    added = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(
        f"{path.stat().st_size / 1e6:6.0f} MB, {lines} lines, {len(log.modules)} modules: loop {loop:.2f} s, "
        f"parser {min(times):.2f} s, ratio {min(times) / loop:.1f}, peak memory +{added // 1024} MiB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=200, help="MB of log")
    parser.add_argument("--keep", type=Path, help="write the plain log there and keep it")
    options = parser.parse_args()
    for decorate in (False, True):
        handle, name = tempfile.mkstemp(suffix=".log")
        os.close(handle)
        path = options.keep if options.keep and not decorate else Path(name)
        try:
            with path.open("w", encoding="utf-8", newline="") as out:
                out.writelines(chunks(options.size * 1_000_000, decorate=decorate))
            print("decorated:" if decorate else "plain:    ", end=" ")
            measure(path)
        finally:
            Path(name).unlink(missing_ok=True)


if __name__ == "__main__":
    main()
