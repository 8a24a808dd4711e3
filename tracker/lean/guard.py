"""The guard: a tiny process that outlives a killed driver and ends what the driver had started.

Started as `python -I -S guard.py NONCE`; standard input is a pipe from the driver. A line `+PGID`
registers a process group, `-PGID` releases it, `bye` ends the guard. When the pipe closes without
`bye` (the driver was killed), the guard kills every registered group, then every process that
carries the run's nonce in its environment, until none is left. Standard library only, few imports:
it is paid for by every run.
"""

import os
import signal
import sys
import time

NONCE_VARIABLE = "TRACKER_RUN_NONCE"
JOB_VARIABLE = "TRACKER_JOB_NONCE"
_SWEEPS = 50


def carriers(nonce: str, variable: str = NONCE_VARIABLE) -> list[int]:
    """Return the ids of the processes that carry `nonce` in their environment (Linux; else none)."""
    needle = f"{variable}={nonce}".encode()
    found = []
    try:
        entries = os.listdir("/proc")
    except OSError:
        return []
    me = os.getpid()
    for entry in entries:
        if not entry.isdigit() or int(entry) == me:
            continue
        try:
            with open(f"/proc/{entry}/environ", "rb") as file:
                if needle in file.read().split(b"\0") and not _is_zombie(entry):
                    found.append(int(entry))
        except OSError:
            continue  # ended meanwhile, or not ours
    return found


def _is_zombie(pid: str) -> bool:
    with open(f"/proc/{pid}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()[0] == b"Z"


def end_group(pgid: int, how: int) -> None:
    """Send signal `how` to a process group, if it is still there."""
    try:
        os.killpg(pgid, how)
    except (ProcessLookupError, PermissionError):
        return


def sweep(nonce: str, how: int, variable: str = NONCE_VARIABLE) -> bool:
    """Send signal `how` to every carrier of the nonce; return whether there were any."""
    pids = carriers(nonce, variable)
    for pid in pids:
        try:
            os.kill(pid, how)
        except (ProcessLookupError, PermissionError):
            continue
    return bool(pids)


def _listen(groups: set[int]) -> bool:
    """Follow the driver's words; return whether it said `bye`."""
    for line in sys.stdin:
        word = line.strip()
        if word == "bye":
            return True
        if word[:1] == "+":
            groups.add(int(word[1:]))
        elif word[:1] == "-":
            groups.discard(int(word[1:]))
    return False


def main(nonce: str) -> None:
    """Wait for the driver's end and, when it was not a farewell, end everything of its run."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    groups: set[int] = set()
    if _listen(groups):
        return
    for pgid in groups:
        end_group(pgid, signal.SIGKILL)
    for _ in range(_SWEEPS):
        if not sweep(nonce, signal.SIGKILL):
            return
        time.sleep(0.02)


if __name__ == "__main__":
    main(sys.argv[1])
