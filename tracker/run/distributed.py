"""Building on several machines: a dask cluster whose workers share the checkout (extra `distributed`).

Workers announce their memory as a resource (`dask worker --resources "memory=20e9"`); dask then packs
modules by their recorded peaks, and runs the tasks of a lost worker on another one. Each worker needs this
tracker, and toolchain and project at the same paths.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from tracker.errors import LeanError, UsageError
from tracker.lean.lake import Lake, LakeBuild
from tracker.lean.process import Limits, Supervisor
from tracker.lean.toolchain import Toolchain
from tracker.machine import this_machine
from tracker.run.crew import build_times

if TYPE_CHECKING:
    from distributed import Client

T = TypeVar("T")
_CONNECT_S = 30
_POLL_S = 0.5
_RESOURCE = "memory"


@dataclass(frozen=True)
class Site:
    """Where is built, and with what: the same on the driver's machine and on every worker's."""

    toolchain: Toolchain
    root: Path
    lib_dir: Path


@dataclass(frozen=True)
class Job:
    """All that a worker must know to build a module."""

    site: Site
    limits: Limits
    times: int
    count_instructions: bool


def connect(scheduler: str) -> Client:
    """Return a client of the scheduler at an address, or named by a scheduler file.

    Raises UsageError without dask, LeanError where nobody answers or there are no workers.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise UsageError(
            "NO-DASK", "--executor dask needs dask.distributed", "pip install 'lean-tracker[distributed]'"
        ) from error
    where: dict[str, Any] = (
        {"scheduler_file": scheduler} if Path(scheduler).exists() else {"address": scheduler}
    )
    try:
        client = _interruptible(lambda: Client(**where, timeout=_CONNECT_S, set_as_default=False))
    except (OSError, ValueError) as error:
        raise LeanError(
            "NO-SCHEDULER",
            f"no dask scheduler answers at {scheduler}: {error}",
            "an address such as tcp://host:8786, or the file that `dask scheduler --scheduler-file` writes",
        ) from error
    if not client.scheduler_info(n_workers=-1)["workers"]:
        client.close()
        raise LeanError(
            "NO-WORKERS",
            f"the scheduler at {scheduler} has no workers",
            f"start some: dask worker {scheduler}",
        )
    return client


def _interruptible(call: Callable[[], T]) -> T:
    """Return what `call` returns or raises, from a thread: a client that is interrupted while it connects
    blocks for a minute and prints a traceback.
    """
    done: Future[T] = Future()

    def answer() -> None:
        try:
            done.set_result(call())
        except Exception as error:
            done.set_exception(error)

    threading.Thread(target=answer, daemon=True).start()
    return done.result()


def machines(client: Client) -> str:
    """Return the machines of the workers: one name when they are alike, else each of them."""
    return " + ".join(sorted({str(machine) for machine in client.run(this_machine).values()}))


class DaskCrew:
    """Builds on the workers of a cluster."""

    def __init__(self, client: Client, job: Job, peaks: Mapping[str, int], order: Sequence[str]) -> None:
        """`job` says how to build; `peaks` are recorded bytes by module, `order` the most pressing first."""
        from distributed import as_completed

        self._client = client
        self._job = replace(job, site=_portable(job.site))
        self._peaks = peaks
        self._priority = {module: -n for n, module in enumerate(order)}
        self._ended = as_completed(loop=client.loop)
        self._modules: dict[Any, str] = {}
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        self._most = max((float(w.get("resources", {}).get(_RESOURCE, 0)) for w in workers), default=0.0)

    def __enter__(self) -> DaskCrew:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A worker ends what it builds when its task is cancelled.
        self._client.cancel(list(self._modules))
        self._client.close()

    def start(self, module: str) -> None:
        """Begin to build a module whose imports are built."""
        resources = {}
        if self._most:
            # What is not known, or is more than any worker has, gets a worker to itself.
            resources[_RESOURCE] = min(self._most, float(self._peaks.get(module, 0)) or self._most)
        future = self._client.submit(
            build_on_worker, self._job, module, pure=False, key=f"{module}-{id(self)}",
            resources=resources or None, priority=self._priority.get(module, 0), retries=0,
        )  # fmt: skip
        self._modules[future] = module
        self._ended.add(future)

    def next(self) -> tuple[str, Sequence[LakeBuild]]:
        """Wait until a module is done; return it and its builds, one each time. Raises LeanError."""
        future = next(self._ended)
        module = self._modules.pop(future)
        try:
            builds: list[LakeBuild] = future.result()
        except LeanError:
            raise
        except Exception as error:
            raise LeanError(
                "WORKER",
                f"{module} could not be built on a worker: {type(error).__name__}: {error}",
                "`tracker doctor` must be content on each worker, with the project at the same path",
            ) from error
        return module, builds

    def peak(self, module: str) -> int:  # noqa: ARG002 - dask packs by the records
        """Return 0: what workers use is not known here."""
        return 0


def _portable(site: Site) -> Site:
    """Return the same in a form that can be sent: a mapping proxy cannot."""
    environment = dict(site.toolchain.environment)
    return replace(site, toolchain=replace(site.toolchain, environment=environment))


def build_on_worker(job: Job, module: str) -> list[LakeBuild]:
    """Build a module on the worker that this runs on. Raises LeanError."""
    site, counted = job.site, job.count_instructions
    with Supervisor() as supervisor, _while_wanted(supervisor):
        lake = Lake(site.toolchain, site.root, site.lib_dir, supervisor, count_instructions=counted)
        with lake:
            return list(build_times(lake, module, job.limits, job.times))


class _while_wanted:  # noqa: N801 - a context manager
    """Stops the supervisor when its task is cancelled or its driver gone: dask cannot end a thread."""

    def __init__(self, supervisor: Supervisor) -> None:
        from distributed import get_worker

        self._supervisor = supervisor
        self._worker = get_worker()
        self._key = self._worker.get_current_task()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(_POLL_S):
            task = self._worker.state.tasks.get(self._key)
            if task is None or task.state == "cancelled":
                self._supervisor.stop()
                return
