"""What the page's scripts work with: plain tables in columns, small enough for thousands of obligations.

`core` is read when the page opens. `history` (costs, labels and curves over runs) is packed, and unpacked
when it is first looked at; so are the texts: `tracker.report.html.texts`. Units: ms, KiB, s since 1970.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tracker import __version__
from tracker.catalogue.graph import redundant_edges
from tracker.catalogue.model import Label
from tracker.evidence import ModuleCheck
from tracker.lean.process import Memory
from tracker.report.html.changes import state_of
from tracker.report.html.index import Index, brief, kib, ms
from tracker.report.html.layout import lay_out
from tracker.report.html.matrix import net_title, nets_in_order
from tracker.report.html.model import Dashboard
from tracker.report.html.states import LOOKS
from tracker.store.queries import CheckPoint
from tracker.verdict import State

_CURVE_POINTS = 48


class Payload:
    """The tables of one dashboard."""

    def __init__(self, board: Dashboard) -> None:
        self._board = board
        catalogue = board.catalogue
        self._obligations = Index(catalogue.obligations)
        self._modules = Index((*board.project.modules, *catalogue.by_module))
        self._nets = Index(nets_in_order(catalogue))
        self._kinds = Index(sorted(catalogue.by_kind, key=lambda k: (catalogue.kinds[k].order, k)))
        self._tiers = Index(catalogue.by_tier)
        self._labels = Index(str(state) for state in State)
        self._runs = Index(run.number for run in board.records.runs)
        self._toolchains = Index(run.toolchain_identity for run in board.records.runs)
        self._machines = Index(run.machine for run in board.records.runs)

    def core(self) -> dict[str, Any]:
        """Return what the page needs at once."""
        board, catalogue = self._board, self._board.catalogue
        tool = board.status.toolchain
        obligations = self._obligation_columns()
        table: dict[str, Any] = {
            "title": board.title, "madeAt": round(board.made_at, 3), "tracker": __version__,
            "lean": {"version": tool.version, "name": tool.name, "githash": tool.githash},
            "states": [
                {"word": str(s), "key": look.key, "mark": look.mark, "path": look.path}
                for s, look in LOOKS.items()
            ],
            "nets": [[net or "", net_title(catalogue, net)] for net in self._nets.values],
            "kinds": [[kind, catalogue.kinds[kind].title] for kind in self._kinds.values],
            "tiers": [
                [t or "", _title(t, catalogue.tiers)] for t in self._tiers.values
            ],
            "families": [
                {"id": f.id, "title": f.title, "members": [self._obligations(i) for i in f.members]}
                for f in catalogue.families.values()
            ],
            "obligations": obligations, **self._graph(),
            "modules": self._module_columns(), "runs": self._run_columns(),
            "toolchains": self._toolchains.values, "machines": self._machines.values,
            "remote": None if board.remote is None else {"base": board.remote.url("")},
        }  # fmt: skip
        # Labels come last: what is written above may have added to them.
        labels = self._labels.values
        states = [str(state) for state in State]
        table["labels"] = [[label, states.index(state_of(label))] for label in labels]
        return table

    def _obligation_columns(self) -> dict[str, Any]:
        board = self._board
        obligations = list(board.catalogue)
        verdicts = [board.status.verdicts[ob.id] for ob in obligations]
        reasons = Index([""])
        since = board.records.replay.since()
        last = board.records.replay.after(board.records.runs[-1].number) if board.records.runs else {}
        return {
            "id": [ob.id for ob in obligations], "decl": [ob.decl for ob in obligations],
            "kind": [self._kinds(ob.kind) for ob in obligations],
            "net": [self._nets(ob.net) for ob in obligations],
            "tier": [self._tiers(ob.tier) for ob in obligations],
            "module": [self._modules(ob.module) for ob in obligations],
            "label": [self._labels(v.label) for v in verdicts],
            "reason": [reasons(v.reason) for v in verdicts],
            "since": [
                self._runs(since[v.id].number) if v.id in since and last.get(v.id) == v.label else None
                for v in verdicts
            ],
            "line": [v.probe.location.line if v.probe and v.probe.location else None for v in verdicts],
            "deps": [[self._obligations(dep) for dep in ob.depends_on] for ob in obligations],
            "use": self._uses(),
            "reasons": reasons.values,
        }  # fmt: skip

    def _uses(self) -> dict[int, float]:
        """Return by obligation the greatest part of a limit that it was measured to need."""
        by_use = self._board.measured.by_use(self._board.catalogue)
        return {self._obligations(ob.id): round(near.use or 0.0, 4) for ob, near in by_use}

    def _graph(self) -> dict[str, Any]:
        catalogue = self._board.catalogue
        deps = {ob.id: ob.depends_on for ob in catalogue}
        nets = [net or "" for net in nets_in_order(catalogue)]
        order = sorted(nets, key=lambda net: net != "")  # what is shared stands on top
        layout = lay_out(deps, {ob.id: ob.net or "" for ob in catalogue}, order)
        return {
            "x": [round(layout.places[ident][0], 1) for ident in deps],
            "y": [round(layout.places[ident][1], 2) for ident in deps],
            "lanes": [
                [net_title(catalogue, lane.key or None), round(lane.top, 1), round(lane.bottom, 1)]
                for lane in layout.lanes
            ],
            "spare": [[self._obligations(a), self._obligations(b)] for a, b, _ in redundant_edges(deps)],
        }  # fmt: skip

    def _module_columns(self) -> dict[str, Any]:
        board = self._board
        names = self._modules.values
        checks = [board.evidence.check_of(name) for name in names]
        newest = [board.evidence.checks.get(name) for name in names]
        budgets = [board.budgets[name] for name in names]
        modules = board.project.modules
        return {
            "name": names,
            "path": [modules[n].path if n in modules else None for n in names],
            "imports": [
                [self._modules(i) for i in board.project.imports(n)] if n in modules else [] for n in names
            ],
            "state": [_module_state(check, old) for check, old in zip(checks, newest, strict=True)],
            "wall": [ms(c.cost.wall_s) if c and c.cost else None for c in newest],
            "cpu": [ms(c.cost.cpu_s) if c and c.cost else None for c in newest],
            "peak": [kib(c.cost.peak_rss_bytes) if c and c.cost else None for c in newest],
            "budgetWall": [ms(b.wall_s) for b in budgets],
            "budgetCpu": [ms(b.cpu_s) for b in budgets],
            "budgetMemory": [kib(b.memory_bytes) for b in budgets],
        }  # fmt: skip

    def _run_columns(self) -> dict[str, Any]:
        runs = self._board.records.runs
        return {
            "number": [run.number for run in runs],
            "start": [round(run.started_at, 1) for run in runs],
            "end": [round(run.ended_at, 1) if run.ended_at is not None else None for run in runs],
            "state": [run.state for run in runs],
            "toolchain": [self._toolchains(run.toolchain_identity) for run in runs],
            "machine": [self._machines(run.machine) for run in runs],
            "commit": [run.commit for run in runs], "dirty": [int(run.dirty) for run in runs],
            "checked": [run.checked for run in runs], "failed": [run.failed for run in runs],
        }  # fmt: skip

    def history(self) -> dict[str, Any]:
        """Return costs by module over the runs, the labels that each run changed, and memory curves."""
        records = self._board.records
        starts = {run.number: run.started_at for run in records.runs}
        labels: list[list[Any]] = [
            [
                [self._obligations(ident) for ident in step.changed],
                [self._labels(label) for label in step.changed.values()],
            ]
            for step in records.replay.steps
        ]
        classes = Index[str]()
        checks = {
            str(self._modules(module)): self._series(series, starts, classes)
            for module, series in records.series.items()
        }
        return {
            "modules": self._modules.values,  # with those that have left the project
            "checks": checks, "classes": classes.values, "labels": labels,
            "start": [self._labels(label) for label in records.replay.start.values()],
            "labelNames": self._labels.values, "curves": self._curves(),
        }  # fmt: skip

    def _series(
        self, series: Sequence[CheckPoint], starts: Mapping[int, float], classes: Index[str]
    ) -> list[list[Any]]:
        """Return columns: run, start (ms after the run's), wall, CPU, peak, anonymous peak, failure class."""
        return [
            [self._runs(p.run) for p in series],
            [_start(p.started_at - starts[p.run]) for p in series],
            [brief(ms(p.cost.wall_s)) if p.cost else None for p in series],
            [brief(ms(p.cost.cpu_s)) if p.cost else None for p in series],
            [brief(kib(p.cost.peak_rss_bytes)) if p.cost else None for p in series],
            [brief(kib(p.cost.peak_anon_bytes)) if p.cost else None for p in series],
            [
                None if p.passed else classes(str(p.failures[0].cls) if p.failures else "failed")
                for p in series
            ],
        ]

    def _curves(self) -> dict[str, list[Any]]:
        records = self._board.records
        found: dict[str, list[Any]] = {}
        for module, series in records.series.items():
            for point in reversed(series):
                curve = records.curves.get(point.id)
                if curve:
                    entry = [self._runs(point.run), *_thinned(curve)]
                    found.setdefault(str(self._modules(module)), []).append(entry)
        return found


def _start(seconds: float) -> int:
    """Return whole milliseconds; from 100 s on to a tenth of a second, finer than any timeline."""
    return int(round(seconds * 1000, -2 if seconds >= 100 else 0))


def _title(name: str | None, labels: Mapping[str, Label]) -> str:
    return labels[name].title if name in labels else (name or "none")  # type: ignore[index]


def _module_state(check: ModuleCheck | None, newest: ModuleCheck | None) -> int | None:
    """Return 1 passed, 0 failed, 2 passed and 3 failed for other sources, None never checked."""
    if check is not None:
        return int(check.passed)
    return None if newest is None else 3 - int(newest.passed)


def _thinned(curve: Sequence[Memory]) -> list[list[Any]]:
    """Return times, resident and anonymous sizes of at most `_CURVE_POINTS` readings, the peak among them."""
    if len(curve) > _CURVE_POINTS:
        peak = max(range(len(curve)), key=lambda i: curve[i].rss_bytes)
        step = (len(curve) - 1) / (_CURVE_POINTS - 2)
        kept = sorted({peak, *(round(i * step) for i in range(_CURVE_POINTS - 1))})
        curve = [curve[i] for i in kept]
    return [
        [brief(ms(m.at_s)) for m in curve], [brief(kib(m.rss_bytes)) for m in curve],
        [brief(kib(m.anon_bytes)) for m in curve] if any(m.anon_bytes is not None for m in curve) else [],
    ]  # fmt: skip
