"""Child processes: started cheaply, their output in files without names, ended with this process.

`subprocess` would cost more to import than all else before the first `lean` starts. Output goes to files
rather than pipes, so nothing has to be read while a child runs, and no child can be stopped by a full pipe.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from typing import Any, NoReturn
else:
    import _signal as signal  # the plain module builds enumerations at import

_PR_SET_PDEATHSIG = 1
_CANNOT_START = 255  # what Lean's own runtime exits with when exec fails in the child
GRACE_S = 2.0


class Child:
    """A running child. `out` and `err` are file descriptors of what it writes."""

    __slots__ = ("err", "out", "pid")

    def __init__(self, args: list[str], environment: dict[str, str]) -> None:
        self.out = unnamed_file("stdout")
        self.err = unnamed_file("stderr")
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                _run(args, environment, self.out, self.err, parent)
            finally:
                os._exit(_CANNOT_START)

    def output(self) -> tuple[bytes, bytes]:
        """Return what it wrote, and let go of the files."""
        texts = []
        for fd in (self.out, self.err):
            os.lseek(fd, 0, os.SEEK_SET)
            with open(fd, "rb") as file:
                texts.append(file.read())
        return texts[0], texts[1]


def _run(args: list[str], environment: dict[str, str], out: int, err: int, parent: int) -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
    die_with_parent(parent)
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (out, 1), (err, 2)):
        os.dup2(source, target)
    try:
        os.execvpe(args[0], args, environment)
    except OSError:
        os.write(2, f"could not execute external process '{args[0]}'\n".encode())
    os._exit(_CANNOT_START)


def die_with_parent(parent: int) -> None:
    """Have the kernel end this process when `parent` ends, however that happens (Linux).

    By SIGTERM, so that a program which runs `lean` for us can end it first. `_ctypes` alone is a third of
    the import of `ctypes`; where it is missing, a killed lake leaves its `lean` to run to its end.
    """
    if sys.platform != "linux":
        return
    try:
        import _ctypes

        ours: Any = _ctypes
        prctl = ours.dlsym(ours.dlopen(None, 0), "prctl")
        ours.call_cdeclfunction(prctl, (_PR_SET_PDEATHSIG, int(signal.SIGTERM)))
    except (ImportError, AttributeError, OSError):
        return
    if os.getppid() != parent:
        os._exit(_CANNOT_START)


def unnamed_file(name: str) -> int:
    """Return a descriptor, not inherited by programs, of a file that ends with its last user."""
    if hasattr(os, "memfd_create"):
        return int(os.memfd_create(name))
    import tempfile

    descriptor, path = tempfile.mkstemp()
    os.unlink(path)
    return descriptor


def exit_code(status: int) -> int:
    """Return the exit code of a wait status, 128 + n for signal n, as Lean's runtime does."""
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def capture(args: list[str]) -> tuple[int, bytes, bytes]:
    """Run a program to its end; return its exit code and what it wrote."""
    child = Child(args, dict(os.environ))
    check_signals()
    _, status = os.waitpid(child.pid, 0)
    return (exit_code(status), *child.output())


def end(pids: list[int]) -> None:
    """Ask the children to end, wait, and end those that do not."""
    import time

    left = set(pids)
    for number, patience in ((signal.SIGTERM, GRACE_S), (signal.SIGKILL, GRACE_S)):
        for pid in left:
            _kill(pid, number)
        deadline = time.monotonic() + patience
        while left and time.monotonic() < deadline:
            for pid in list(left):
                try:
                    done, _ = os.waitpid(pid, os.WNOHANG)
                except ChildProcessError:
                    done = pid
                if done:
                    left.discard(pid)
            time.sleep(0.01)


def _kill(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


class Interrupted(BaseException):
    """SIGINT or SIGTERM arrived."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def become(args: list[str], environment: dict[str, str]) -> int:
    """Replace this process by the program; return an exit code when it cannot be started."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        os.execvpe(args[0], args, environment)
    except OSError:
        os.write(2, f"could not execute external process '{args[0]}'\n".encode())
    return _CANNOT_START


class signals_held:  # noqa: N801 - a context manager; contextlib costs an import
    """Holds back SIGINT and SIGTERM, so that no child is started and then not known."""

    def __enter__(self) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})

    def __exit__(self, *_: object) -> None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})


_caught: list[int] = []


def catch_signals() -> None:
    """Turn SIGINT and SIGTERM into Interrupted, so that children are ended and files put right."""

    def interrupted(number: int, _frame: object) -> None:
        for again in (signal.SIGINT, signal.SIGTERM):
            signal.signal(again, signal.SIG_IGN)
        _caught.append(number)
        raise Interrupted(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupted)


def check_signals() -> None:
    """Raise Interrupted for a signal that came before; to be called ahead of every long wait.

    Python drops what is raised within a destructor or a callback of an import, also by a signal's handler.
    """
    if _caught:
        raise Interrupted(_caught[0])


def die_of(number: int) -> NoReturn:
    """End as a process that never caught the signal."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(128 + number)
