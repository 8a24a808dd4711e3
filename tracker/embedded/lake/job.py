"""A job of the build: what the monitor shows of it (Lake's `Build/Job`)."""

from __future__ import annotations

from tracker.embedded.lake.log import TRACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracker.embedded.lake.log import Entry

UNKNOWN, REPLAY, FETCH, BUILD = range(4)
_VERBS = (("Ran", "Running"), ("Replayed", "Replaying"), ("Fetched", "Fetching"), ("Built", "Building"))


class Job:
    """One line of the monitor. `ok` is None until the job is done.

    A job without entries in its log is silent even when it is not `ok`: what it waited for failed.
    """

    __slots__ = ("action", "caption", "log", "milliseconds", "ok", "wants_rebuild")

    def __init__(self, caption: str) -> None:
        self.caption = caption
        self.log: list[Entry] = []
        self.action = UNKNOWN
        self.ok: bool | None = None
        self.milliseconds = 0
        self.wants_rebuild = False

    def level(self) -> int:
        """Return the highest level of the log."""
        return max([level for level, _ in self.log], default=TRACE)

    def verb(self, failed: bool) -> str:
        """Return what the headline says that the job did."""
        return _VERBS[self.action][failed]
