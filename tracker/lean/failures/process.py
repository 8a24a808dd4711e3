"""What exit codes and signals mean: POSIX, shells, `timeout`, and Windows' NTSTATUS numbers."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from tracker.lean.failures.model import FailureClass, Phase

C = FailureClass
StopReason: TypeAlias = Literal["wall", "memory", "machine-memory", "interrupted"]


class Ending(NamedTuple):
    """How a process ended badly: class, phase, narrower word, and a sentence for people."""

    cls: FailureClass
    phase: Phase
    where: str
    text: str


# signal(7) on Linux; 10 is SIGBUS on macOS and seen as exit code 138 in its logs.
_SIGNALS: dict[int, tuple[FailureClass, Phase, str]] = {
    1: (C.INTERRUPTED, "environment", "SIGHUP"),
    2: (C.INTERRUPTED, "environment", "SIGINT"),
    3: (C.INTERRUPTED, "environment", "SIGQUIT"),
    4: (C.CRASH, "runtime", "SIGILL"),
    5: (C.CRASH, "runtime", "SIGTRAP"),
    6: (C.CRASH, "runtime", "SIGABRT"),
    7: (C.CRASH, "runtime", "SIGBUS"),
    8: (C.CRASH, "runtime", "SIGFPE"),
    9: (C.KILLED, "environment", "SIGKILL"),
    10: (C.CRASH, "runtime", "SIGBUS"),
    11: (C.CRASH, "runtime", "SIGSEGV"),
    13: (C.INTERRUPTED, "environment", "SIGPIPE"),
    15: (C.INTERRUPTED, "environment", "SIGTERM"),
    24: (C.WALL_TIMEOUT, "environment", "SIGXCPU"),
    25: (C.IO_ERROR, "environment", "SIGXFSZ"),
    31: (C.CRASH, "runtime", "SIGSYS"),
}

# [MS-ERREF] 2.3.1 NTSTATUS values, as Lake prints them (unsigned).
_NTSTATUS: dict[int, tuple[FailureClass, Phase, str]] = {
    0xC0000005: (C.CRASH, "runtime", "access violation"),
    0xC0000017: (C.OUT_OF_MEMORY, "environment", "no memory"),
    0xC000001D: (C.CRASH, "runtime", "illegal instruction"),
    0xC00000FD: (C.STACK_OVERFLOW, "runtime", ""),
    0xC0000135: (C.LIBRARY_LOAD, "environment", "DLL not found"),
    0xC0000139: (C.LIBRARY_LOAD, "environment", "entry point not found"),
    0xC000013A: (C.INTERRUPTED, "environment", "Ctrl-C"),
    0xC0000142: (C.LIBRARY_LOAD, "environment", "DLL failed to initialise"),
    0xC0000374: (C.CRASH, "runtime", "heap corruption"),
    0xC0000409: (C.CRASH, "runtime", "fast fail"),
}

_STOPPED: dict[StopReason, tuple[FailureClass, str, str]] = {
    "wall": (C.WALL_TIMEOUT, "wall limit", "stopped: it passed its wall-clock limit"),
    "memory": (C.OUT_OF_MEMORY, "memory limit", "stopped: it passed its memory limit"),
    "machine-memory": (C.OUT_OF_MEMORY, "machine memory", "stopped: the machine was running out of memory"),
    "interrupted": (C.INTERRUPTED, "", "stopped: the run was interrupted"),
}


def ending(
    exit_code: int | None = None, signal: int | None = None, limit: StopReason | None = None
) -> Ending | None:
    """Return how the process ended, or None for exit codes that say nothing of their own (0 and 1 too).

    `exit_code` may be a shell's 128+N, a negative number as Python reports signals, or an NTSTATUS.
    """
    if limit is not None:
        cls, where, text = _STOPPED[limit]
        return Ending(cls, "environment", where, text)
    if signal is None and exit_code is not None:
        signal = _signal_in(exit_code)
    if signal is not None:
        cls, phase, where = _SIGNALS.get(signal, (C.CRASH, "runtime", f"signal {signal}"))
        return Ending(cls, phase, where, f"ended by signal {signal} ({where})")
    if exit_code is None:
        return None
    return _by_code(exit_code)


def _signal_in(code: int) -> int | None:
    if -65 < code < 0:
        return -code
    return code - 128 if 128 < code <= 128 + 64 else None


def _by_code(code: int) -> Ending | None:
    if code == 124:
        return Ending(C.WALL_TIMEOUT, "environment", "timeout", "ended by `timeout` (exit code 124)")
    if code in (126, 127):
        what = "not found" if code == 127 else "not executable"
        return Ending(C.TOOLCHAIN_MISSING, "environment", what, f"program {what} (exit code {code})")
    if (status := code % (1 << 32)) in _NTSTATUS:
        cls, phase, where = _NTSTATUS[status]
        return Ending(cls, phase, where, f"ended with NTSTATUS 0x{status:08X} ({where or cls})")
    return None


def is_abrupt(exit_code: int | None, signal: int | None = None) -> bool:
    """Whether the process did not come to its own end, so that its output may lack its last part."""
    return ending(exit_code, signal) is not None
