"""The one error tree. Each class carries the exit code of the command that it ends.

Exit codes: 0 pass, 1 a check or gate failed, 2 usage or catalogue error, 3 Lean or Lake could not
run, 130 interrupted.
"""

from __future__ import annotations

from tracker.text import show_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class TrackerError(Exception):
    """An error shown to the user as `error[CODE]: message`, with a hint how to cure it.

    The message may quote anything: it becomes one line. What shall stand on lines of its own is in `lines`.
    """

    exit_code = 2

    def __init__(
        self, code: str, message: str, hint: str | None = None, *, lines: Iterable[str] = ()
    ) -> None:
        self.code = code
        self.message = "\n".join(map(show_text, (message, *lines)))
        self.hint = None if hint is None else show_text(hint)
        super().__init__(self.message)

    def __str__(self) -> str:
        text = f"error[{self.code}]: {self.message}"
        return f"{text}\n  hint: {self.hint}" if self.hint else text


class UsageError(TrackerError):
    """The command line, a configuration file or a path is wrong."""


class CatalogueError(TrackerError):
    """The catalogue cannot be used; the diagnostics were already printed or are in the message."""


class ProjectError(TrackerError):
    """The Lean project cannot be read: no lakefile, a bad one, an unreadable directory."""


class StoreError(TrackerError):
    """The evidence store cannot be read or written."""


class LeanError(TrackerError):
    """Lean or Lake is missing or could not run."""

    exit_code = 3
