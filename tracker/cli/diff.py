"""`tracker diff`: what changed between two runs."""

from __future__ import annotations

import difflib
from typing import Any

import click

from tracker.cli.options import console, json_option, make_workspace, print_json, workspace_options
from tracker.errors import UsageError
from tracker.evidence import Run
from tracker.gate.compare import Change, Difference, compare_modules, compare_obligations
from tracker.gate.model import tolerance_of
from tracker.gate.rules_trust import improvement
from tracker.gate.snapshot import Snapshot
from tracker.report.past import Past, read_past
from tracker.report.terminal import plain
from tracker.units import show_count
from tracker.workspace import Workspace


def open_past(workspace: Workspace) -> Past:
    """Return everything that the store holds of the past. Raises UsageError where there is none."""
    history = workspace.open_history(write=False)
    if history is None:
        raise UsageError("NO-EVIDENCE", "there is no run yet", "`tracker run` makes one")
    try:
        return read_past(workspace, history)
    finally:
        history.close()


def find_run(past: Past, number: int) -> Run:
    """Return the run of this number; those below 1 count from the newest. Raises UsageError."""
    wanted = number if number > 0 else (past.runs[-1].number if past.runs else 0) + number
    found = next((run for run in past.runs if run.number == wanted), None)
    if found is None:
        known = (
            f"known: 1 to {past.runs[-1].number}; 0 is the newest, -1 the one before" if past.runs else None
        )
        raise UsageError("NO-SUCH-RUN", f"there is no run {number}", known)
    return found


def _two_runs(past: Past, before: int, after: int) -> tuple[Run, Run]:
    """Return two runs to compare; one with itself only where it was named so twice. Raises UsageError."""
    if len(past.runs) == 1 and before != after:
        raise UsageError(
            "NO-SUCH-RUN", f"two runs are needed, and there is only run {past.runs[0].number}",
            "`tracker run` after a change makes another",
        )  # fmt: skip
    first, second = find_run(past, before), find_run(past, after)
    if first.number == second.number and before != after:
        raise UsageError(
            "NO-SUCH-RUN", f"two runs are needed, and {before} and {after} are both run {first.number}",
            "0 is the newest, -1 the one before",
        )  # fmt: skip
    return first, second


@click.command()
@click.argument("before", type=int, default=-1, metavar="[RUN]")
@click.argument("after", type=int, default=0, metavar="[RUN]")
@json_option
@workspace_options
def diff(before: int, after: int, as_json: bool, **places: str | None) -> int:
    """Show what changed between two runs: obligations, statements, axioms, costs, warnings.

    A RUN is a number, as `tracker status` names the newest; 0 is the newest. Without any: the newest and the
    one before it. Labels are judged anew, with today's catalogue and lock and the evidence of that time; a
    cost counts as changed beyond the tolerances of [gate]. Starts no Lean. Exit code 0, also when something
    changed; `tracker gate` judges.

    \b
    tracker diff
    tracker diff 3 7
    tracker diff 3 7 --json
    """
    workspace = make_workspace(**places)
    past = open_past(workspace)
    first, second = _two_runs(past, before, after)
    old, new = past.snapshot(first), past.snapshot(second)
    tolerance = tolerance_of(workspace.settings.gate)
    found = [*compare_obligations(old, new), *compare_modules(old, new, tolerance)]
    if as_json:
        print_json(_json(first, second, found))
        return 0
    out = console()
    for run in (first, second):
        name = f"run {run.number}: Lean {run.toolchain_identity}, commit {(run.commit or '?')[:10]}"
        out.print(plain(name), markup=False, soft_wrap=True)
    for difference in found:
        out.print(plain(f"{difference.subject}: {improvement(difference)}"), markup=False, soft_wrap=True)
        if difference.change in (Change.STATEMENT, Change.PRINTS):
            out.print(_statement_diff(difference, old, new), markup=False, soft_wrap=True)
    out.print(show_count(len(found), "difference"))
    return 0


def _statement_diff(difference: Difference, old: Snapshot, new: Snapshot) -> str:
    before, after = (s.obligations[difference.subject].statement.splitlines() for s in (old, new))
    lines = difflib.unified_diff(before, after, "before", "after", lineterm="")
    shown = [f"    {line}" for line in lines]
    return plain("\n".join(shown) or "    it prints the same; something under it changed")


def _json(first: Run, second: Run, found: list[Difference]) -> dict[str, Any]:
    return {
        "schema_version": 1, "before": _run(first), "after": _run(second),
        "differences": [
            {
                "subject": d.subject, "change": str(d.change), "before": d.before, "after": d.after,
                "detail": d.detail,
            }
            for d in found
        ],
    }  # fmt: skip


def _run(run: Run) -> dict[str, Any]:
    return {
        "number": run.number, "started_at": run.started_at, "toolchain": run.toolchain_identity,
        "machine": run.machine, "commit": run.commit, "dirty": run.dirty,
    }  # fmt: skip
