"""The facts of a report as plain data, under the published schema `schema/report.schema.json`.

Times are seconds, points in time seconds since 1970, sizes bytes. Fields are only ever added within one
`schema_version`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tracker import __version__
from tracker.evidence import Cost, Run
from tracker.headroom.measure import Headroom
from tracker.lean.profiler import DeclarationCost
from tracker.report.html.causes import Cause, Place
from tracker.report.html.changes import Comparison
from tracker.report.html.costs import ModuleCost, ToolchainComparison
from tracker.report.html.matrix import Cell, Matrix
from tracker.report.html.model import Dashboard
from tracker.report.html.words import headline
from tracker.report.summary import status_json
from tracker.verdict import State

SCHEMA_VERSION = 1


def report_json(board: Dashboard) -> dict[str, Any]:
    """Return everything that the report says, as plain data."""
    status = status_json(board.status, board.catalogue)
    since = {ident: run.number for ident, run in board.records.replay.since().items()}
    for entry in status["obligations"]:
        ob = board.catalogue[entry["id"]]
        entry["depends_on"] = list(ob.depends_on)
        entry["since_run"] = since.get(ob.id)
        entry["headroom"] = [_headroom(near) for near in board.measured.headroom_of(ob)]
        profile = board.measured.profile_of(ob)
        entry["profile"] = None if profile is None else _profile(profile)
    return {
        **status,
        "schema_version": SCHEMA_VERSION,
        "tracker": __version__,
        "title": board.title,
        "made_at": board.made_at,
        "headline": headline(board.status),
        "complete_since": _run(board.complete_since),
        "last_complete": _run(board.last_complete),
        "matrix": _matrix(board.matrix),
        "families": [_matrix(matrix) for matrix in board.families],
        "causes": [_cause(cause) for cause in board.causes],
        "since_last_run": _comparison(board.since_last_run),
        "since_baseline": _comparison(board.since_baseline),
        "costs": [_module_cost(cost) for cost in board.costs],
        "toolchains": [
            {"identity": span.identity, "first_run": span.first.number, "last_run": span.last.number}
            for span in board.toolchains
        ],
        "toolchain_comparison": _toolchains(board.comparison),
        "runs": [
            {**_run_facts(run), "proved": proved}
            for run, proved in zip(board.records.runs, board.records.replay.proved_counts(), strict=True)
        ],
    }  # fmt: skip


def _headroom(near: Headroom) -> dict[str, Any]:
    return {
        "option": near.option, "limit": near.limit, "needed": near.needed, "use": near.use,
        "fails_at": near.fails_at, "failure": near.failure or None,
    }  # fmt: skip


def _profile(cost: DeclarationCost) -> dict[str, Any]:
    return {
        "elaboration_s": cost.elaboration_s, "kernel_s": cost.kernel_s,
        "compilation_s": cost.compilation_s, "linting_s": cost.linting_s,
    }  # fmt: skip


def _run(run: Run | None) -> dict[str, Any] | None:
    return None if run is None else _run_facts(run)


def _run_facts(run: Run) -> dict[str, Any]:
    return {
        "number": run.number, "started_at": run.started_at, "ended_at": run.ended_at, "state": run.state,
        "toolchain": run.toolchain_identity, "machine": run.machine, "commit": run.commit, "dirty": run.dirty,
        "modules_checked": run.checked, "modules_failed": run.failed,
    }  # fmt: skip


def _counts(counts: Mapping[State, int]) -> dict[str, int]:
    return {str(state): count for state, count in counts.items()}


def _cell(cell: Cell) -> dict[str, Any]:
    data: dict[str, Any] = {"total": cell.total, "proved": cell.proved, "counts": _counts(cell.counts)}
    return data | ({"note": cell.note} if cell.note and not cell.total else {})


def _matrix(matrix: Matrix) -> dict[str, Any]:
    return {
        "rows_are": matrix.rows_are, "columns_are": matrix.axis,
        "columns": [{"key": key, "title": title} for key, title in matrix.columns],
        "rows": [
            {
                "key": row.key, "title": row.title, "all": _cell(row.whole),
                "cells": [_cell(cell) for cell in row.cells],
            }
            for row in matrix.rows
        ],
    }  # fmt: skip


def _cause(cause: Cause) -> dict[str, Any]:
    return {
        "label": cause.label, "state": str(cause.state), "class": cause.cls or None,
        "phase": cause.phase or None,
        "message": cause.message, "options": dict(cause.options), "advice": cause.advice,
        "places": [_place(place) for place in cause.places], "blocks": list(cause.blocked),
    }  # fmt: skip


def _place(place: Place) -> dict[str, Any]:
    return {
        "module": place.module, "declaration": place.declaration, "obligation": place.obligation,
        "file": place.file or None, "line": place.line, "column": place.column, "reason": place.reason,
    }  # fmt: skip


def _comparison(comparison: Comparison | None) -> dict[str, Any] | None:
    if comparison is None:
        return None
    return {
        "with": comparison.title, "new": comparison.new, "gone": list(comparison.gone),
        "changes": [
            {"before": c.before, "after": c.after, "obligations": list(c.ids)} for c in comparison.changes
        ],
    }  # fmt: skip


def _cost(cost: Cost | None) -> dict[str, Any] | None:
    if cost is None:
        return None
    return {
        "wall_s": cost.wall_s, "cpu_s": cost.cpu_s, "peak_rss_bytes": cost.peak_rss_bytes,
        "peak_anon_bytes": cost.peak_anon_bytes,
    }  # fmt: skip


def _module_cost(entry: ModuleCost) -> dict[str, Any]:
    budget = entry.budget
    return {
        "module": entry.module, "cost": _cost(entry.cost), "before": _cost(entry.before),
        "budget": {"wall_s": budget.wall_s, "cpu_s": budget.cpu_s, "memory_bytes": budget.memory_bytes},
        "budget_share": entry.budget_share,
    }  # fmt: skip


def _toolchains(two: ToolchainComparison | None) -> dict[str, Any] | None:
    if two is None:
        return None
    return {
        "old": two.old.identity, "new": two.new.identity, "same_machine": two.same_machine,
        "proved_under_both": two.kept, "lost": list(two.lost), "gained": list(two.gained),
        "modules": [
            {
                "module": shift.module, "old": _cost(shift.old.cost), "new": _cost(shift.new.cost),
                "old_passed": shift.old.passed, "new_passed": shift.new.passed,
                "wall_ratio": shift.wall_ratio, "memory_ratio": shift.memory_ratio,
                "slower": two.same_machine and shift.slower, "heavier": two.same_machine and shift.heavier,
            }
            for shift in two.shifts
        ],
    }  # fmt: skip
