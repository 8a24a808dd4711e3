"""Whether a process is at work on a store: whoever writes to one holds the lock beside it."""

from __future__ import annotations

import fcntl
from pathlib import Path

LOCK_NAME = "run.lock"


def is_held(state: Path) -> bool:
    """Return whether a living process holds the lock of a state directory; the system frees a dead one's.

    Where that cannot be seen, one is taken to be at work.
    """
    try:
        with (state / LOCK_NAME).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)  # freed when the file is closed
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
