"""Who builds: modules handed out, and taken back as they end, in whatever order they end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from types import TracebackType
from typing import Protocol

from tracker.lean.lake import Lake, LakeBuild
from tracker.lean.process import Limits, Memory


class Crew(Protocol):
    """Builds modules, several at a time. A context manager: when it is left, nothing is at work."""

    def start(self, module: str) -> None:
        """Begin to build a module whose imports are built."""

    def next(self) -> tuple[str, Sequence[LakeBuild]]:
        """Wait until a module is done; return it and its builds, one each time. Raises LeanError."""

    def peak(self, module: str) -> int:
        """Return the most bytes that a module at work was seen to use; 0 where nothing was seen."""


def build_times(
    lake: Lake, module: str, limits: Limits, times: int, on_memory: Callable[[Memory], None] | None = None
) -> Iterator[LakeBuild]:
    """Build a module anew several times, or until it fails. Raises LeanError."""
    for _ in range(times):
        lake.set_aside(module)
        build = lake.build([f"+{module}"], limits, on_memory)
        yield build
        if build.outcome.exit_code != 0 or build.outcome.limit is not None:
            return


class LocalCrew:
    """Builds by Lake on this machine, each build watched by a thread of its own."""

    def __init__(
        self,
        lake: Lake,
        limits: Limits,
        slots: int,
        on_memory: Callable[[str, Memory], None],
        times: int = 1,
    ) -> None:
        self._times = times
        self._lake = lake
        self._limits = limits
        self._on_memory = on_memory
        self._peaks: dict[str, int] = {}
        self._pool = ThreadPoolExecutor(slots, thread_name_prefix="build")
        self._ended: SimpleQueue[tuple[str, list[LakeBuild] | BaseException]] = SimpleQueue()

    def __enter__(self) -> LocalCrew:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._lake.stop()
        self._pool.shutdown(cancel_futures=True)

    def start(self, module: str) -> None:
        """Begin to build a module whose imports are built."""
        self._peaks[module] = 0
        self._pool.submit(self._build, module)

    def next(self) -> tuple[str, Sequence[LakeBuild]]:
        """Wait until a module is done; return it and its builds, one each time. Raises LeanError."""
        module, result = self._ended.get()
        if isinstance(result, BaseException):
            raise result
        return module, result

    def _build(self, module: str) -> None:
        result: list[LakeBuild] | BaseException
        try:
            result = list(
                build_times(self._lake, module, self._limits, self._times, lambda m: self._heard(module, m))
            )
        except BaseException as error:
            result = error
        self._ended.put((module, result))

    def peak(self, module: str) -> int:
        """Return the most bytes that a module at work was seen to use; 0 where nothing was seen."""
        return self._peaks[module]

    def _heard(self, module: str, reading: Memory) -> None:
        self._peaks[module] = max(self._peaks[module], reading.rss_bytes)
        self._on_memory(module, reading)
