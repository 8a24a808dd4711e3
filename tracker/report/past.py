"""What was known after a run of the past, as a snapshot: today's judge over the evidence of that time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tracker.evidence import Run
from tracker.gate.snapshot import ModuleFacts, ObligationFacts, Snapshot, summarize_samples
from tracker.report.html.replay import Replay, replay
from tracker.run.plan import scope
from tracker.store.history import History
from tracker.store.queries import CheckPoint, ProbePoint, all_runs, check_points, probe_points
from tracker.store.samples import Sample
from tracker.workspace import Workspace


@dataclass(frozen=True)
class Past:
    """Everything that the store holds, oldest first, and the labels after each run."""

    workspace: Workspace
    runs: tuple[Run, ...]
    checks: tuple[CheckPoint, ...]
    probes: tuple[ProbePoint, ...]
    replay: Replay
    warnings: Mapping[int, tuple[int, int]]
    """Warnings, and deprecations among them, by id of a check."""
    statements: Mapping[int, str]
    """Statements as printed, by id of a probe."""

    def snapshot(self, run: Run) -> Snapshot:
        """Return what was known after a run. Catalogue, lock and import graph are today's.

        Resource options of the past are not kept, and so not in it.
        """
        labels = self.replay.after(run.number)
        machines = {r.number: r.machine for r in self.runs}
        identities = {r.number: r.toolchain_identity for r in self.runs}
        checks: dict[str, list[CheckPoint]] = {}
        for point in self.checks:
            if point.run <= run.number and identities.get(point.run) == run.toolchain_identity:
                checks.setdefault(point.module, []).append(point)
        probes = {
            (p.probe.module, p.probe.declaration): p for p in self.probes if p.run <= run.number
        }  # the newest wins
        catalogue, project = self.workspace.catalogue, self.workspace.project
        expected = frozenset(scope(project, catalogue))
        modules = {
            name: self._module(name, checks.get(name, []), machines, expected=name in expected)
            for name in sorted(project.modules)
        }
        obligations = {
            ob.id: self._obligation(ob.id, labels[ob.id], probes.get((ob.module, ob.decl)))
            for ob in sorted(catalogue, key=lambda ob: ob.id)
        }
        lean = run.toolchain_identity.partition(" ")[0]
        return Snapshot(lean, run.toolchain_identity, run.commit, obligations, modules)

    def _module(
        self, name: str, checks: Sequence[CheckPoint], machines: Mapping[int, str], *, expected: bool
    ) -> ModuleFacts:
        file = self.workspace.project.modules[name].path
        if not checks:
            return ModuleFacts(name, listed=True, checked=False, passed=False, expected=expected, file=file)
        newest = checks[-1]
        same = [
            Sample(name, machines[p.run], p.cost)
            for p in checks
            if p.fingerprint == newest.fingerprint and p.passed and p.cost is not None
        ]
        warnings, deprecations = self.warnings.get(newest.id, (0, 0))
        return ModuleFacts(
            name, listed=True, checked=True, passed=newest.passed,
            classes=tuple(dict.fromkeys(str(f.cls) for f in newest.failures)),
            costs=summarize_samples(same), warnings=warnings, deprecations=deprecations,
            expected=expected, file=file,
        )  # fmt: skip

    def _obligation(self, ident: str, label: str, found: ProbePoint | None) -> ObligationFacts:
        ob = self.workspace.catalogue[ident]
        probe = found.probe if found and found.probe.found else None
        return ObligationFacts(
            id=ob.id, kind=ob.kind, net=ob.net, decl=ob.decl, module=ob.module, label=label,
            axioms=tuple(sorted(probe.axioms)) if probe else None,
            digest=probe.digest if probe else "",
            statement=self.statements.get(found.id, "") if found and probe else "",
        )  # fmt: skip


def read_past(workspace: Workspace, history: History) -> Past:
    """Return everything that the store holds of the past. Raises StoreError."""
    checks, probes = check_points(history), probe_points(history)
    runs = all_runs(history)  # last, so that every point's run is among them while one goes on
    warnings = history.select(
        "SELECT check_id, COUNT(*) AS n, SUM(INSTR(body, 'deprecated') > 0) AS old FROM message"
        " WHERE severity = 'warning' GROUP BY check_id"
    )
    played = replay(
        workspace.catalogue, workspace.project, workspace.lock, runs, checks, probes, workspace.fingerprints
    )
    return Past(
        workspace, runs, checks, probes, played,
        {row["check_id"]: (row["n"], row["old"]) for row in warnings},
        _statements(history, (p.id for p in probes)),
    )  # fmt: skip


def _statements(history: History, ids: Iterable[int]) -> Mapping[int, str]:
    rows = history.select(
        "SELECT id, statement FROM probe WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )
    return {row["id"]: row["statement"] for row in rows}
