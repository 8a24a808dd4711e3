"""The facts of a status, computed once for every face: terminal, JSON, and what else may come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tracker.catalogue.families import holes
from tracker.catalogue.model import Catalogue
from tracker.claims import ClaimResult, check_claims
from tracker.evidence import Evidence, ModuleCheck, Run
from tracker.lean.project import Project
from tracker.lean.toolchain import Toolchain
from tracker.locks import Lock
from tracker.run.plan import scope
from tracker.verdict import State, Verdict, lockable

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Cell:
    """The obligations of one net and kind, counted by label."""

    net: str | None
    kind: str
    counts: Mapping[str, int]

    @property
    def total(self) -> int:
        """Return how many there are."""
        return sum(self.counts.values())

    @property
    def proved(self) -> int:
        """Return how many are proved."""
        return self.counts.get(State.PROVED, 0)


@dataclass(frozen=True)
class Totals:
    """What the checks behind the present evidence cost together. Seconds and bytes."""

    modules: int
    checked: int
    passed: int
    wall_s: float
    cpu_s: float
    peak_rss_bytes: int
    slowest: ModuleCheck | None
    heaviest: ModuleCheck | None


@dataclass(frozen=True)
class Status:
    """What is proved today."""

    toolchain: Toolchain
    run: Run | None
    cells: tuple[Cell, ...]
    verdicts: Mapping[str, Verdict]
    totals: Totals
    unlocked: tuple[str, ...]
    """Obligations whose statement could be locked, and nobody has."""
    unlisted: tuple[str, ...]
    """Modules of no build target."""
    failed_modules: tuple[ModuleCheck, ...]
    claims: tuple[ClaimResult, ...]
    """Every claim that could be counted."""

    @property
    def all_proved(self) -> bool:
        """Return whether there are obligations, and every one of them is proved."""
        return bool(self.verdicts) and all(v.proved for v in self.verdicts.values())

    @property
    def passed(self) -> bool:
        """Return whether everything is proved, no module failed and every claim counted holds."""
        return self.all_proved and not self.failed_modules and all(c.holds for c in self.claims)


def summarize(
    catalogue: Catalogue,
    project: Project,
    toolchain: Toolchain,
    evidence: Evidence,
    run: Run | None,
    found: Mapping[str, Verdict],
    lock: Lock,
) -> Status:
    """Return the status: verdicts by net and kind, and the totals of cost."""
    groups: dict[tuple[str | None, str], Counter[str]] = {}
    for ob in catalogue:
        groups.setdefault((ob.net, ob.kind), Counter())[found[ob.id].label] += 1
    cells = [Cell(net, kind, dict(counts)) for (net, kind), counts in groups.items()]
    cells.sort(key=lambda c: (*_net_order(c.net, catalogue), catalogue.kinds[c.kind].order, c.kind))
    modules = scope(project, catalogue)
    checks = [c for m in modules if (c := evidence.check_of(m)) is not None]
    return Status(
        toolchain=toolchain, run=run, cells=tuple(cells), verdicts=found,
        totals=_totals(len(modules), checks),
        unlocked=tuple(ob.id for ob in catalogue if ob.id not in lock.entries and lockable(found[ob.id])),
        unlisted=tuple(sorted(project.stray)),
        failed_modules=tuple(c for c in checks if not c.passed),
        claims=tuple(check_claims(catalogue, found)),
    )  # fmt: skip


def _net_order(net: str | None, catalogue: Catalogue) -> tuple[int, str]:
    """Return the place of a net in reports: what belongs to none first, then as the catalogue orders them."""
    if net is None:
        return -1, ""
    return (catalogue.nets[net].order if net in catalogue.nets else 0), net


def _totals(modules: int, checks: Sequence[ModuleCheck]) -> Totals:
    measured = [(c, c.cost) for c in checks if c.cost is not None]
    return Totals(
        modules=modules,
        checked=len(checks),
        passed=sum(c.passed for c in checks),
        wall_s=sum(cost.wall_s for _, cost in measured),
        cpu_s=sum(cost.cpu_s for _, cost in measured),
        peak_rss_bytes=max((cost.peak_rss_bytes for _, cost in measured), default=0),
        slowest=max(measured, key=lambda pair: pair[1].wall_s)[0] if measured else None,
        heaviest=max(measured, key=lambda pair: pair[1].peak_rss_bytes)[0] if measured else None,
    )


def blocked_dependants(found: Mapping[str, Verdict], root: str) -> list[str]:
    """Return the obligations that `root`, an obligation or a module, blocks."""
    return [v.id for v in found.values() if root in v.blocked_by]


def verdict_json(verdict: Verdict, catalogue: Catalogue) -> dict[str, Any]:
    """Return one verdict as plain data. Times in seconds, memory in bytes."""
    ob = catalogue[verdict.id]
    check, probe, failure = verdict.check, verdict.probe, verdict.failure
    cost = check.cost if check else None
    data: dict[str, Any] = {
        "id": ob.id, "net": ob.net, "kind": ob.kind, "tier": ob.tier, "decl": ob.decl, "module": ob.module,
        "state": str(verdict.state), "label": verdict.label, "proved": verdict.proved,
        "reason": verdict.reason, "blocked_by": list(verdict.blocked_by),
        "fingerprint": check.fingerprint if check else None,
        "module_cost": {
            "wall_s": cost.wall_s, "cpu_s": cost.cpu_s, "peak_rss_bytes": cost.peak_rss_bytes,
        } if cost else None,
        "axioms": list(probe.axioms) if probe else None,
        "statement": probe.statement if probe else None,
        "statement_sha256": probe.digest if probe else None,
    }  # fmt: skip
    if failure is not None:
        data["failure"] = {
            "class": str(failure.cls), "phase": failure.phase, "declaration": failure.declaration,
            "message": failure.message, "fingerprint": failure.fingerprint,
        }  # fmt: skip
    return data


def status_json(status: Status, catalogue: Catalogue) -> dict[str, Any]:
    """Return the whole status as plain data."""
    totals = status.totals
    return {
        "schema_version": SCHEMA_VERSION,
        "all_proved": status.all_proved,
        "passed": status.passed,
        "toolchain": {
            "name": status.toolchain.name, "version": status.toolchain.version,
            "githash": status.toolchain.githash,
        },
        "run": None if status.run is None else {
            "number": status.run.number, "state": status.run.state, "started_at": status.run.started_at,
            "ended_at": status.run.ended_at, "commit": status.run.commit, "dirty": status.run.dirty,
            "machine": status.run.machine,
        },
        "counts": dict(Counter(v.label for v in status.verdicts.values())),
        "groups": [
            {"net": c.net, "kind": c.kind, "total": c.total, "proved": c.proved, "counts": dict(c.counts)}
            for c in status.cells
        ],
        "obligations": [verdict_json(v, catalogue) for v in status.verdicts.values()],
        "modules": {
            "total": totals.modules, "checked": totals.checked, "passed": totals.passed,
            "wall_s": totals.wall_s, "cpu_s": totals.cpu_s, "peak_rss_bytes": totals.peak_rss_bytes,
            "failed": [c.module for c in status.failed_modules],
            "in_no_target": list(status.unlisted),
        },
        "unlocked": list(status.unlocked),
        "holes": [
            {"family": family.id, "axis": family.axis, "missing": list(gaps)}
            for family in catalogue.families.values() if (gaps := holes(family, catalogue))
        ],
        "claims": {
            "counted": len(status.claims),
            "false": [
                {"id": c.id, "claim": c.claim, "claimed": c.claimed, "counted": c.counted}
                for c in status.claims if not c.holds
            ],
        },
    }  # fmt: skip
