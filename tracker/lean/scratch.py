"""Scratch directories that do not outlive their owner: a killed one's are removed by the next run.

An owner holds a lock on a file in its directory; the system lets go of it however the owner ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

PREFIX: Final = "tracker-"
_OWNER = "owner.lock"


@contextmanager
def scratch_directory() -> Iterator[Path]:
    """Provide an empty directory that is removed afterwards. Raises OSError where none can be made."""
    sweep()
    directory = Path(tempfile.mkdtemp(prefix=PREFIX))
    try:
        # Named only when it is locked: a sweep of another run must never find it free.
        with (directory / f"{_OWNER}.new").open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            os.rename(lock.name, directory / _OWNER)
            yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def sweep() -> list[Path]:
    """Remove the scratch directories whose owners are gone; return them."""
    found = []
    for file in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{_OWNER}"):
        with contextlib.suppress(OSError), file.open("rb") as lock:  # not ours, or just being removed
            if file.stat().st_uid == os.getuid():
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(file.parent)
                found.append(file.parent)
    return found
