"""One run from lock to last record: what `tracker run` does, without a command line."""

from __future__ import annotations

import subprocess
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from tracker.errors import StoreError
from tracker.evidence import Evidence, Run
from tracker.git import run_git
from tracker.lean.lake import Lake
from tracker.lean.process import Limits, Supervisor
from tracker.lean.project import Project
from tracker.machine import Machine, this_machine
from tracker.run.artifacts import lib_dir
from tracker.run.crew import Crew, LocalCrew
from tracker.run.distributed import DaskCrew, Job, Site, connect, machines
from tracker.run.driver import Driver, Listener
from tracker.run.packages import fetch_mathlib, require_mathlib
from tracker.run.plan import Plan, make_plan
from tracker.run.schedule import Forecast, Packer, Task, forecast, nearest
from tracker.run.selection import Shard, changed_since, matching, shard_modules
from tracker.store.lock import LOCK_NAME
from tracker.store.queries import Record, records
from tracker.workspace import Workspace

if TYPE_CHECKING:
    from distributed import Client

_PATIENCE_S = 0.2  # who only looks whether a run is at work holds the lock for a moment


@dataclass(frozen=True)
class RunOptions:
    """What the user asked of a run."""

    targets: Sequence[str] = ()
    fresh: bool = False
    wall_s: float | None = None
    """Limit of one module."""
    module_memory_bytes: int | None = None
    """Limit of one module."""
    jobs: int = 1
    """How many modules may be at work at a time."""
    memory_bytes: int | None = None
    """What they may use together by their records; None is what the machine has."""
    only: Sequence[str] = ()
    """Patterns over names of modules."""
    changed_since: str | None = None
    """A commit that git knows."""
    shard: Shard | None = None
    failing_first: bool = False
    times: int = 1
    """How often each module is checked, for its cost."""
    count_instructions: bool = False
    together: bool = False
    """Whether one `lake build` checks all, as many modules at a time as Lake sees fit."""
    scheduler: str | None = None
    """Of a dask cluster whose workers build: an address or a scheduler file; None builds here."""
    cache_get: bool = False
    """Whether Mathlib's compiled files are fetched first."""


@dataclass(frozen=True)
class Prospect:
    """What a run would do, and how it would go by what was recorded."""

    plan: Plan
    forecast: Forecast
    jobs: int
    memory_bytes: int
    machine: Machine
    foreign: tuple[str, ...]
    """Modules to check whose record is of another machine."""


def plan_run(workspace: Workspace, options: RunOptions) -> Prospect:
    """Return what a run would do now; nothing is started or written."""
    history = workspace.open_history(write=False)
    evidence, costs = Evidence(workspace.fingerprints, {}, {}), dict[str, Record]()
    if history is not None:
        with closing(history):
            evidence, costs = history.evidence(workspace.fingerprints), dict(records(history))
    plan = _plan(workspace, options, evidence, costs)
    machine = this_machine()
    memory = options.memory_bytes or _memory_of(machine)
    tasks = [
        task if task.wall_s is None else replace(task, wall_s=task.wall_s * options.times)
        for task in _tasks(workspace.project, plan, costs)
    ]
    seen = forecast(tasks, options.jobs, memory, _urgent(options, evidence))
    return Prospect(
        plan, seen, options.jobs, memory, machine,
        tuple(m for m in plan.todo if m in costs and costs[m].machine != str(machine)),
    )  # fmt: skip


def _plan(workspace: Workspace, options: RunOptions, evidence: Evidence, costs: Mapping[str, Record]) -> Plan:
    def choose(modules: Sequence[str]) -> frozenset[str]:
        chosen = frozenset(modules)
        if options.shard is not None:
            seconds = {module: cost.wall_s for module, cost in costs.items()}
            chosen &= shard_modules(modules, workspace.project, seconds, options.shard)
        if options.only:
            chosen &= matching(modules, options.only)
        if options.changed_since is not None:
            chosen &= changed_since(workspace.project, options.changed_since)
        return chosen

    return make_plan(
        workspace.project, workspace.catalogue, evidence, options.targets,
        fresh=options.fresh, limits=_limits(workspace, options), choose=choose,
    )  # fmt: skip


def _urgent(options: RunOptions, evidence: Evidence) -> frozenset[str]:
    """Return the modules that are to go first: those whose newest check failed, if that is asked for."""
    if not options.failing_first:
        return frozenset()
    return frozenset(module for module, check in evidence.checks.items() if not check.passed)


def _tasks(project: Project, plan: Plan, costs: Mapping[str, Record]) -> list[Task]:
    imports = nearest(plan.modules, plan.todo, {m: project.imports(m) for m in plan.modules})
    return [
        Task(module, imports[module], found.wall_s, found.peak_rss_bytes)
        if (found := costs.get(module))
        else Task(module, imports[module])
        for module in plan.todo
    ]


def _memory_of(machine: Machine) -> int:
    """Return what may be packed on a machine when nobody says how much, in bytes."""
    return max(1, machine.memory_bytes - Limits().reserve_bytes)


def _limits(workspace: Workspace, options: RunOptions) -> Limits:
    return Limits(
        wall_s=options.wall_s or workspace.settings.wall_s,
        memory_bytes=options.module_memory_bytes or workspace.settings.memory_bytes,
    )


@dataclass(frozen=True)
class Result:
    """All evidence as it is after a run, and what the run was about."""

    evidence: Evidence
    run: Run | None
    """The newest run; None where there was never anything to do."""
    plan: Plan


def execute_run(workspace: Workspace, options: RunOptions, listener: Listener) -> Result:
    """Check and probe what is due, and return all evidence as it is then.

    Everything that was checked is in the store even when this is interrupted. Raises TrackerError.
    """
    limits = _limits(workspace, options)
    # Read everything that can be wrong before the first file is touched.
    catalogue, project, toolchain = workspace.catalogue, workspace.project, workspace.toolchain
    prints = workspace.fingerprints
    if options.cache_get:
        require_mathlib(project)
    with only_one(workspace.settings.state), closing(workspace.open_history(write=True)) as history:
        evidence = history.evidence(prints)
        costs = records(history)
        plan = _plan(workspace, options, evidence, costs)
        if not plan.todo and not plan.probes:
            return Result(evidence, history.newest_run(), plan)
        commit, dirty = _commit(Path(project.root))
        tasks = _tasks(project, plan, costs)
        cluster = connect(options.scheduler) if options.scheduler else None
        machine = machines(cluster) if cluster else str(this_machine())
        number = history.begin_run(toolchain.name, toolchain.identity, machine, commit, dirty)
        state = "interrupted"
        try:
            with (
                cluster or nullcontext(),
                Supervisor() as supervisor,
                Lake(
                    toolchain,
                    Path(project.root),
                    lib_dir(project),
                    supervisor,
                    count_instructions=options.count_instructions,
                ) as lake,
            ):
                driver = Driver(project, catalogue, lake, history, number, limits, listener, prints)
                if options.cache_get:
                    listener.note("fetching Mathlib's compiled files: lake exe cache get")
                    fetch_mathlib(lake)
                if options.together:
                    driver.execute_together(plan, evidence)
                else:
                    site = Site(toolchain, Path(project.root), lib_dir(project))
                    pressing = _urgent(options, evidence)
                    packer, crew = _hands(options, site, lake, limits, tasks, pressing, listener, cluster)
                    driver.execute(plan, evidence, packer, crew)
            state = "finished"
        finally:
            history.end_run(number, state)
        return Result(history.evidence(prints), history.newest_run(), plan)


def _hands(
    options: RunOptions, site: Site, lake: Lake, limits: Limits, tasks: Sequence[Task],
    urgent: Collection[str], listener: Listener, cluster: Client | None,
) -> tuple[Packer, AbstractContextManager[Crew]]:  # fmt: skip
    """Return who builds, here or on a cluster, and what packs the modules for them."""
    if cluster is None:
        memory = options.memory_bytes or _memory_of(this_machine())
        crew = LocalCrew(lake, limits, options.jobs, listener.memory, options.times)
        return Packer(tasks, options.jobs, memory, urgent), crew
    # The cluster packs: it is given all that waits for nothing, with what each needs.
    packer = Packer([replace(task, memory_bytes=0) for task in tasks], max(2, len(tasks)), None, urgent)
    peaks = {task.module: task.memory_bytes for task in tasks if task.memory_bytes is not None}
    job = Job(site, limits, options.times, options.count_instructions)
    return packer, DaskCrew(cluster, job, peaks, packer.order)


@contextmanager
def only_one(state: Path) -> Iterator[None]:
    """Hold the run lock; the system releases it when the process ends, however it ends."""
    try:
        state.mkdir(parents=True, exist_ok=True)
        lock = FileLock(state / LOCK_NAME, timeout=_PATIENCE_S)
        lock.acquire()
    except Timeout as error:
        raise StoreError(
            "RUN-LOCKED", f"another `tracker run` is at work in {state}", "wait for it, or stop it"
        ) from error
    except OSError as error:
        raise StoreError(
            "STORE",
            f"{state}: {error.strerror or error}",
            "make it a writable directory, or choose another place: --state DIR or TRACKER_STATE",
        ) from error
    try:
        yield
    finally:
        lock.release()


def _commit(root: Path) -> tuple[str | None, bool]:
    """Return the project's commit and whether it has changes; None where git does not know it."""

    def git(*args: str) -> str | None:
        try:
            done = run_git(*args, cwd=root, timeout_s=30)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    commit = git("rev-parse", "HEAD")
    return commit, bool(commit and git("status", "--porcelain", "--", "."))
