"""What modules cost: against their budgets, and under one toolchain against another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tracker.catalogue.model import Budget
from tracker.evidence import Cost, Evidence, Run
from tracker.lean.project import Project
from tracker.store.queries import CheckPoint
from tracker.verdict import Verdict

SLOWER, SLOWER_BY_S = 1.5, 1.0
HEAVIER, HEAVIER_BY_BYTES = 1.3, 100 * 2**20
"""From which ratio, and from which difference, a cost counts as grown: both must be passed."""


@dataclass(frozen=True)
class ModuleCost:
    """The present cost of a module, its budget, and its cost in the check before."""

    module: str
    cost: Cost
    budget: Budget
    before: Cost | None

    @property
    def budget_share(self) -> float | None:
        """Return the largest share that it uses of any budget; None without a budget."""
        pairs = (
            (self.cost.wall_s, self.budget.wall_s),
            (self.cost.cpu_s, self.budget.cpu_s),
            (self.cost.peak_rss_bytes, self.budget.memory_bytes),
        )
        return max((used / limit for used, limit in pairs if limit), default=None)


def module_costs(
    budgets: Mapping[str, Budget], project: Project, evidence: Evidence,
    points: Mapping[str, Sequence[CheckPoint]],
) -> tuple[ModuleCost, ...]:  # fmt: skip
    """Return the cost of every module that has a check for the present sources, in the project's order."""
    found = []
    for name in project.modules:
        check = evidence.check_of(name)
        if check is None or check.cost is None:
            continue
        earlier = [p.cost for p in points.get(name, ())[:-1] if p.cost is not None]
        found.append(ModuleCost(name, check.cost, budgets[name], earlier[-1] if earlier else None))
    return tuple(found)


@dataclass(frozen=True)
class ToolchainSpan:
    """A toolchain and the runs made with it: numbers of the first and the last one."""

    identity: str
    first: Run
    last: Run

    @property
    def version(self) -> str:
        """Return Lean's version, the first word of the identity."""
        return self.identity.partition(" ")[0]


def toolchain_spans(runs: Sequence[Run]) -> tuple[ToolchainSpan, ...]:
    """Return the toolchains of the runs, in the order in which each was last used."""
    found: dict[str, ToolchainSpan] = {}
    for run in runs:
        old = found.pop(run.toolchain_identity, None)
        found[run.toolchain_identity] = ToolchainSpan(run.toolchain_identity, old.first if old else run, run)
    return tuple(found.values())


@dataclass(frozen=True)
class ModuleShift:
    """One module under two toolchains: its last check under the old one, its newest under the new one."""

    module: str
    old: CheckPoint
    new: CheckPoint

    @property
    def wall_ratio(self) -> float | None:
        """Return new over old wall time; None where either is unknown."""
        return _ratio(self.old.cost, self.new.cost, lambda cost: cost.wall_s)

    @property
    def memory_ratio(self) -> float | None:
        """Return new over old peak memory; None where either is unknown."""
        return _ratio(self.old.cost, self.new.cost, lambda cost: float(cost.peak_rss_bytes))

    @property
    def slower(self) -> bool:
        """Return whether both passed and the wall time has grown by ratio and by difference."""
        a, b = self.old.cost, self.new.cost
        return self._both and bool(a and b and grown(a.wall_s, b.wall_s, SLOWER, SLOWER_BY_S))

    @property
    def heavier(self) -> bool:
        """Return whether both passed and the peak memory has grown by ratio and by difference."""
        a, b = self.old.cost, self.new.cost
        return self._both and bool(
            a and b and grown(a.peak_rss_bytes, b.peak_rss_bytes, HEAVIER, HEAVIER_BY_BYTES)
        )

    @property
    def _both(self) -> bool:
        return self.old.passed and self.new.passed


@dataclass(frozen=True)
class ToolchainComparison:
    """Two toolchains on this project. `same_machine` is whether costs may be compared at all."""

    old: ToolchainSpan
    new: ToolchainSpan
    same_machine: bool
    kept: int
    """How many obligations are proved under both."""
    lost: tuple[str, ...]
    """Those that are no longer proved, causes before what they block."""
    gained: tuple[str, ...]
    shifts: tuple[ModuleShift, ...]
    """Modules that Lean checked under both, the largest growth of wall time first."""

    @property
    def cliffs(self) -> tuple[ModuleShift, ...]:
        """Return the modules that pass under both and have become slower or heavier."""
        return tuple(s for s in self.shifts if self.same_machine and (s.slower or s.heavier))


def compare_toolchains(
    spans: Sequence[ToolchainSpan], runs: Sequence[Run], points: Mapping[str, Sequence[CheckPoint]],
    before: Mapping[str, str], found: Mapping[str, Verdict],
) -> ToolchainComparison | None:  # fmt: skip
    """Return the newest toolchain against the one before; None with fewer than two.

    `before` holds the labels after the last run under the old one.
    """
    if len(spans) < 2:
        return None
    old, new = spans[-2:]
    identity = {run.number: run.toolchain_identity for run in runs}
    shifts = []
    for module, series in points.items():
        was = next((p for p in reversed(series) if identity[p.run] == old.identity), None)
        now = next((p for p in reversed(series) if identity[p.run] == new.identity), None)
        if was is not None and now is not None:
            shifts.append(ModuleShift(module, was, now))
    shifts.sort(key=lambda s: (-(s.wall_ratio or 0), s.module))
    was_proved = {ident for ident, label in before.items() if label == "proved"}
    proved = {ident for ident, verdict in found.items() if verdict.proved}
    lost = was_proved - proved
    return ToolchainComparison(
        old, new, old.last.machine == new.last.machine, len(was_proved & proved),
        tuple(sorted((i for i in found if i in lost), key=lambda i: bool(found[i].blocked_by))),
        tuple(i for i in found if i in proved - was_proved), tuple(shifts),
    )  # fmt: skip


def grown(before: float, after: float, ratio: float, difference: float) -> bool:
    """Return whether `after` passes `before` by the ratio and by the difference."""
    return after > before * ratio and after - before > difference


def _ratio(old: Cost | None, new: Cost | None, part: Callable[[Cost], float]) -> float | None:
    if old is None or new is None or part(old) <= 0:
        return None
    return part(new) / part(old)
