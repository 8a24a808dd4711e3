"""Start-up of `bin/lean` against a bare call of `lean_main`.

Prints the best of many runs of `lean --version` by three ways: the script of the sysroot, a Python
script of four lines that loads the libraries and calls `lean_main`, and, with a C compiler, a program
that does the same. The last column is what one start costs more than the cheapest bare call.

    python bench/launcher.py [RUNS]
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tracker.embedded.launcher import LIBRARIES
from tracker.embedded.runtime import SUFFIX, find_runtime
from tracker.embedded.sysroot import ensure

LIMIT = 0.060  # s; what the launcher may cost

BARE_PYTHON = """\
import ctypes, sys
for name in {libraries!r}: library = ctypes.CDLL(sys.argv[1] + "/" + name, ctypes.RTLD_GLOBAL)
ctypes.CDLL(None).exit(library.lean_main(2, (ctypes.c_char_p * 3)(b"lean", b"--version", None)))
"""

BARE_C = """\
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
  const char *names[] = {%s};
  void *library = 0;
  char path[4096];
  for (int i = 0; i < %d; i++) {
    snprintf(path, sizeof path, "%%s/%%s", argv[1], names[i]);
    library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library) { puts(dlerror()); return 1; }
  }
  int (*lean_main)(int, char **) = (int (*)(int, char **)) dlsym(library, "lean_main");
  return lean_main(argc - 1, argv + 1);
}
"""


def best(command: list[str], runs: int) -> float:
    """Return the wall time in s of the fastest run: the least disturbed by others."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - start)
    return min(times)


def bare_commands(libdir: str, directory: Path) -> dict[str, list[str]]:
    names = [name + SUFFIX for name in LIBRARIES]
    script = directory / "bare.py"
    script.write_text(BARE_PYTHON.format(libraries=names), encoding="utf-8")
    commands = {"lean_main from Python": [sys.executable, "-I", "-S", str(script), libdir]}
    if compiler := shutil.which("cc") or shutil.which("gcc"):
        program, source = directory / "bare", directory / "bare.c"
        source.write_text(BARE_C % (", ".join(f'"{name}"' for name in names), len(names)), encoding="utf-8")
        subprocess.run([compiler, "-O1", "-o", program, source, "-ldl"], check=True)
        commands["lean_main from C"] = [str(program), libdir, "--version"]
    return commands


def main(runs: int) -> int:
    sysroot = ensure(on_progress=print)
    with tempfile.TemporaryDirectory() as directory:
        commands = bare_commands(str(find_runtime().libdir), Path(directory))
        commands["bin/lean"] = [str(sysroot.lean), "--version"]
        times = {name: best(command, runs) for name, command in commands.items()}
    floor = min(times.values())
    for name, seconds in times.items():
        excess = (seconds - floor) * 1000
        print(f"{name:24}{seconds * 1000:8.1f} ms   x {seconds / floor:.2f}   + {excess:.1f} ms")
    prefix = best([str(sysroot.lean), "--print-prefix"], runs)
    print(f"{'bin/lean --print-prefix':24}{prefix * 1000:8.1f} ms")
    start = time.perf_counter()
    ensure()
    print(f"{'ensure(), warm':24}{(time.perf_counter() - start) * 1000:8.1f} ms")
    excess = times["bin/lean"] - floor
    print(f"excess {excess * 1000:.1f} ms, allowed {LIMIT * 1000:.0f} ms")
    return int(excess > LIMIT)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 30))
