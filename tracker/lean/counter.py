"""Counting what a child executes by the processor's own counters (perf_event_open(2), Linux).

Standard library only, and imported only when it is asked for: the wrapper pays for it with every module.
"""

import ctypes
import errno
import os
import platform
import struct
import sys

HARDWARE, INSTRUCTIONS = 0, 1
SOFTWARE, TASK_CLOCK = 1, 1
_SYSCALL = {"x86_64": 298, "aarch64": 241}
_DISABLED, _INHERIT, _EXCLUDE_KERNEL, _EXCLUDE_HV, _ENABLE_ON_EXEC = 1 << 0, 1 << 1, 1 << 5, 1 << 6, 1 << 12
_SIZE = 64  # PERF_ATTR_SIZE_VER0: every kernel that has the call knows it


def open_counter(kind: int = HARDWARE, event: int = INSTRUCTIONS) -> int:
    """Return a descriptor that counts what programs do, in user mode, that this process executes from now on.

    Not this process itself: each child counts from its `exec` on, with its threads and children. Raises
    OSError where the system does not allow it or has no such counter.
    """
    if sys.platform != "linux" or platform.machine() not in _SYSCALL:
        raise OSError(0, f"no counters on {platform.system()} {platform.machine()}")
    flags = _DISABLED | _INHERIT | _EXCLUDE_KERNEL | _EXCLUDE_HV | _ENABLE_ON_EXEC
    attributes = struct.pack("IIQQQQQIIQ", kind, _SIZE, event, 0, 0, 0, flags, 0, 0, 0)
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(attributes, _SIZE)
    number = libc.syscall(_SYSCALL[platform.machine()], buffer, 0, -1, -1, 0)
    if number < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    os.set_inheritable(number, False)
    return int(number)


def read_counter(descriptor: int) -> int:
    """Return the count so far, of children that have ended too."""
    return int(struct.unpack("Q", os.read(descriptor, 8))[0])


def why_not() -> str:
    """Return why instructions cannot be counted here; empty where they can."""
    try:
        os.close(open_counter())
    except OSError as error:
        known = {
            errno.ENOENT: "this machine has no counter of instructions (virtual ones often have none)",
            errno.EACCES: "the system does not allow it (kernel.perf_event_paranoid)",
            errno.EPERM: "the system does not allow it (kernel.perf_event_paranoid, or the container)",
        }
        return known.get(error.errno or 0, error.strerror or str(error))
    return ""
