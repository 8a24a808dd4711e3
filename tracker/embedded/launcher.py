"""The `lean` command line, out of the runtime libraries of a PyPI wheel.

Started by `bin/lean` of the sysroot as `python -I -S launcher.py LIBDIR SYSROOT [ARGUMENT]...`, where
LIBDIR holds the shared libraries and SYSROOT is what `lean --print-prefix` says. The exported C
function `lean_main` is the whole program; what is left to do here is to look to Lean like the
process that its own `main` would have been given. Standard library only, and little of it: every
import is paid at each start of Lean.
"""

from __future__ import annotations

import ctypes
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing costs more than the rest of this file
    import signal as _signal
    from typing import NoReturn
else:
    import _signal  # what `signal` is made of, without its enumerations: 6 ms at each start

# Order of dependency: each needs the symbols of those before it.
LIBRARIES = ("libInit_shared", "libleanshared_2", "libleanshared_1", "libleanshared")
CANNOT_START = 127  # the shell's status for a command that could not be started
IOLBF = 1 if sys.platform != "win32" else 0x40


def load(libdir: str) -> ctypes.CDLL:
    """Load the runtime and return its last library, the one with `lean_main`; OSError when one is bad."""
    suffix = ".dylib" if sys.platform == "darwin" else ".so"
    for name in LIBRARIES:
        library = ctypes.CDLL(f"{libdir}/{name}{suffix}", ctypes.RTLD_GLOBAL)
    return library


def set_environment(sysroot: str) -> None:
    """Let Lean find its library, its sources and itself.

    Lean looks for them next to its executable, which is a Python here. The environment has the same
    three places; the library comes last on the path, as it does in Lean's own order.
    """
    for variable, place in (("LEAN_PATH", "lib/lean"), ("LEAN_SRC_PATH", "src/lean")):
        own, given = f"{sysroot}/{place}", os.environ.get(variable)
        if given is None:
            os.environ[variable] = own
        elif given.split(":")[-1] != own:  # a Lean started by this Lean has it already
            os.environ[variable] = f"{given}:{own}"
    os.environ.setdefault("LEAN_WORKER_PATH", f"{sysroot}/bin/lean")


def restore_signals() -> None:
    """Undo what the Python interpreter did to signals at its start."""
    if (
        _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler
    ):  # not where it was inherited as ignored
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    for name in ("SIGPIPE", "SIGXFSZ"):
        if hasattr(_signal, name):
            _signal.signal(getattr(_signal, name), _signal.SIG_DFL)


def buffer_by_line(libc: ctypes.CDLL) -> None:
    """Let every finished line leave the process: what a killed Lean had said is what one looks for."""
    stdout = ctypes.c_void_p.in_dll(libc, "__stdoutp" if sys.platform == "darwin" else "stdout")
    libc.setvbuf(stdout, None, IOLBF, ctypes.c_size_t(1 << 16))


def call(library: ctypes.CDLL, arguments: list[str]) -> int:
    """Run `lean_main` and return its exit status."""
    argv = [b"lean", *map(os.fsencode, arguments)]
    return int(library.lean_main(len(argv), (ctypes.c_char_p * (len(argv) + 1))(*argv, None)))


def asks_for_prefix(arguments: list[str]) -> bool:
    """Whether `--print-prefix` or `--print-libdir` (or a short form of it) is among Lean's own options."""
    own = arguments[: arguments.index("--run")] if "--run" in arguments else arguments
    return any(argument.startswith("--print-") for argument in own)


def call_for_prefix(library: ctypes.CDLL, libc: ctypes.CDLL, arguments: list[str], sysroot: str) -> int:
    """Run `lean_main` and put the sysroot where it prints the prefix of the Python executable."""
    import tempfile

    executable = (
        os.readlink("/proc/self/exe") if sys.platform == "linux" else os.path.realpath(sys.executable)
    )
    wrong = os.fsencode(os.path.dirname(os.path.dirname(executable)))
    real_stdout = os.dup(1)
    with tempfile.TemporaryFile() as captured:
        os.dup2(captured.fileno(), 1)
        status = call(library, arguments)
        libc.fflush(None)
        os.dup2(real_stdout, 1)
        captured.seek(0)
        output = captured.read()
    if output.startswith(wrong):
        output = os.fsencode(sysroot) + output[len(wrong) :]
    os.write(1, output)
    return status


def main(arguments: list[str]) -> NoReturn:
    """Be `lean`: arguments are LIBDIR, SYSROOT and those of Lean."""
    libdir, sysroot, *rest = arguments
    if rest == ["--print-prefix"]:  # lake asks this at each of its starts: spare it the loading
        os.write(1, os.fsencode(f"{sysroot}\n"))
        os._exit(0)
    try:
        library = load(libdir)
    except OSError as error:
        os.write(2, os.fsencode(f"lean: cannot load the Lean runtime: {error}\n"))
        os._exit(CANNOT_START)
    libc = ctypes.CDLL(None)
    set_environment(sysroot)
    restore_signals()
    buffer_by_line(libc)
    prefix = asks_for_prefix(rest)
    status = call_for_prefix(library, libc, rest, sysroot) if prefix else call(library, rest)
    libc.exit(status)  # not os._exit: the C++ streams still hold text
    raise AssertionError  # pragma: no cover - exit does not return


if __name__ == "__main__":
    main(sys.argv[1:])
