"""The facts of the dashboard, gathered once from catalogue, sources and store. No Lean is started."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tracker.budgets import module_budget
from tracker.catalogue.model import Budget, Catalogue
from tracker.evidence import Evidence, Run
from tracker.lean.failure import Failure
from tracker.lean.process import Memory
from tracker.lean.project import Project
from tracker.report.html.agreed import agreed
from tracker.report.html.causes import Cause, root_causes
from tracker.report.html.changes import Comparison, compare
from tracker.report.html.costs import (
    ModuleCost,
    ToolchainComparison,
    ToolchainSpan,
    compare_toolchains,
    module_costs,
    toolchain_spans,
)
from tracker.report.html.matrix import Matrix, family_matrices, net_matrix
from tracker.report.html.measured import Measured, read_measured
from tracker.report.html.replay import Replay, replay
from tracker.report.html.source import Remote, find_remote
from tracker.report.summary import Status, summarize
from tracker.store.history import History
from tracker.store.queries import CheckPoint, all_runs, check_points, curves, past_failures, probe_points
from tracker.workspace import Workspace

Series = Mapping[str, tuple[CheckPoint, ...]]


@dataclass(frozen=True)
class Records:
    """What the store holds of the past."""

    runs: tuple[Run, ...]
    series: Series
    """By module: its checks, oldest first."""
    curves: Mapping[int, tuple[Memory, ...]]
    """By id of a check: its memory over time; of each module's newest check under each toolchain."""
    replay: Replay


@dataclass(frozen=True)
class Dashboard:
    """Everything that the faces of a report show: HTML, Markdown, JSON, badge."""

    title: str
    made_at: float
    status: Status
    catalogue: Catalogue
    project: Project
    evidence: Evidence
    records: Records
    complete_since: Run | None
    """Since which run everything is proved; None where it is not so now."""
    last_complete: Run | None
    matrix: Matrix
    families: tuple[Matrix, ...]
    since_last_run: Comparison | None
    since_baseline: Comparison | None
    causes: tuple[Cause, ...]
    budgets: Mapping[str, Budget]
    """By module, those that only the catalogue names among them."""
    costs: tuple[ModuleCost, ...]
    measured: Measured
    toolchains: tuple[ToolchainSpan, ...]
    comparison: ToolchainComparison | None
    past: Mapping[tuple[str, str], tuple[CheckPoint, Failure]]
    remote: Remote | None

    @property
    def run(self) -> Run | None:
        """Return the newest run."""
        return self.records.runs[-1] if self.records.runs else None

    @property
    def live(self) -> bool:
        """Return whether a run is under way, as far as the store knows."""
        return self.run is not None and self.run.state == "running"


def gather(workspace: Workspace, *, now: float | None = None) -> Dashboard:
    """Return the facts, as of `now` (s since 1970; None is the present).

    Raises what the parts of a workspace raise: CatalogueError, ProjectError, LeanError, StoreError; and
    UsageError for a baseline that cannot be read.
    """
    catalogue, project, lock = workspace.catalogue, workspace.project, workspace.lock
    history = workspace.open_history(write=False)
    try:
        with _uncollected():
            evidence, records = _read(history, workspace)
            measured = read_measured(history, workspace)
    finally:
        if history is not None:
            history.close()
    found = workspace.verdicts(evidence)
    run = records.runs[-1] if records.runs else None
    status = summarize(catalogue, project, workspace.toolchain, evidence, run, found, lock)
    spans = toolchain_spans(records.runs)
    budgets = {
        name: module_budget(name, catalogue, workspace.settings.budgets)
        for name in (*project.modules, *catalogue.by_module)
    }
    baseline = agreed(workspace)
    past = records.replay
    before = past.after(spans[-2].last.number) if len(spans) > 1 else {}
    return Dashboard(
        title=project.lakefile.name or Path(project.root).name,
        made_at=time.time() if now is None else now,
        status=status, catalogue=catalogue, project=project, evidence=evidence, records=records,
        complete_since=past.complete_since() if status.all_proved else None,
        last_complete=past.last_complete(),
        matrix=net_matrix(catalogue, found),
        families=family_matrices(catalogue, found),
        since_last_run=_since_last_run(status, records),
        since_baseline=compare(baseline.title, baseline.labels, found) if baseline else None,
        causes=root_causes(status, catalogue),
        budgets=budgets,
        costs=module_costs(budgets, project, evidence, records.series),
        measured=measured,
        toolchains=spans,
        comparison=compare_toolchains(spans, records.runs, records.series, before, found),
        past=past_failures(point for series in records.series.values() for point in series),
        remote=find_remote(Path(project.root), run.commit if run else None),
    )  # fmt: skip


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep the garbage collector out: it finds nothing among many facts, and takes a seventh of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _read(history: History | None, workspace: Workspace) -> tuple[Evidence, Records]:
    catalogue, project, lock = workspace.catalogue, workspace.project, workspace.lock
    prints = workspace.fingerprints
    if history is None:
        empty = replay(catalogue, project, lock, (), (), (), prints)
        return Evidence(prints, {}, {}), Records((), {}, {}, empty)
    points, probes = check_points(history), probe_points(history)
    runs = all_runs(history)  # last, so that every point's run is among them while one goes on
    series: dict[str, list[CheckPoint]] = {}
    for point in points:
        series.setdefault(point.module, []).append(point)
    past = replay(catalogue, project, lock, runs, points, probes, prints)
    frozen = {module: tuple(checks) for module, checks in series.items()}
    wanted = [point.id for checks in frozen.values() for point in _with_curves(checks, runs)]
    return history.evidence(prints), Records(runs, frozen, curves(history, wanted), past)


def _with_curves(checks: tuple[CheckPoint, ...], runs: tuple[Run, ...]) -> list[CheckPoint]:
    """Return the newest check under each toolchain, the newest two toolchains at most."""
    identity = {run.number: run.toolchain_identity for run in runs}
    newest: dict[str, CheckPoint] = {}
    for point in reversed(checks):
        newest.setdefault(identity[point.run], point)
        if len(newest) == 2:
            break
    return list(newest.values())


def _since_last_run(status: Status, records: Records) -> Comparison | None:
    """Return what changed in and after the newest run; None with fewer than two runs."""
    if len(records.runs) < 2:
        return None
    before = records.runs[-2]
    return compare(f"run {before.number}", records.replay.after(before.number), status.verdicts)
