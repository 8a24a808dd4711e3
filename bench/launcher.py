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


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def best(commands: dict[str, list[str]], runs: int) -> dict[str, float]:
    """Return the wall time in s of the fastest run of each: the least disturbed by others.

    They take turns, so that a busy minute of the machine hits all of them.
    """
    times = {name: [] for name in commands}  # type: dict[str, list[float]]
    for _ in range(runs):
        for name, command in commands.items():
            times[name].append(seconds(command))
    return {name: min(found) for name, found in times.items()}


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
        floor = set(commands)
        commands["bin/lean"] = [str(sysroot.lean), "--version"]
        commands["bin/lean --print-prefix"] = [str(sysroot.lean), "--print-prefix"]
        times = best(commands, runs)
    bare = min(times[name] for name in floor)
    for name, time_ in times.items():
        print(f"{name:24}{time_ * 1000:8.1f} ms   x {time_ / bare:.2f}   {(time_ - bare) * 1000:+.1f} ms")
    start = time.perf_counter()
    ensure()
    print(f"{'ensure(), warm':24}{(time.perf_counter() - start) * 1000:8.1f} ms")
    excess = times["bin/lean"] - bare
    print(f"excess {excess * 1000:.1f} ms, allowed {LIMIT * 1000:.0f} ms")
    return int(excess > LIMIT)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 30))
