"""Writing what a verb was asked to put into a file."""

from __future__ import annotations

import os
from pathlib import Path

from tracker.errors import UsageError


def write_file(file: Path, text: str) -> None:
    """Write a file whole or not at all; to what is no file, such as a pipe, just write. Raises UsageError."""
    data = text.encode("utf-8", "replace")
    try:
        if file.exists() and not file.is_file():  # it must not be replaced: think of /dev/null
            file.write_bytes(data)
            return
        file = Path(os.path.realpath(file))  # a link stays a link
        draft = file.with_name(f".tracker-output-{os.getpid()}")
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            draft.write_bytes(data)
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError("OUTPUT", f"{file}: {error.strerror or error}", "choose another place") from error
