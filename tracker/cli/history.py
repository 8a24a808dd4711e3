"""`tracker history`: one obligation over all runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

import click

from tracker.catalogue.model import Obligation
from tracker.catalogue.suggest import listed_hint
from tracker.cli.diff import open_past
from tracker.cli.options import console, json_option, make_workspace, print_json, workspace_options
from tracker.errors import UsageError
from tracker.report.past import Past
from tracker.report.terminal import plain
from tracker.units import show_bytes, show_seconds


@dataclass(frozen=True)
class Entry:
    """One run that said something of an obligation. Seconds since 1970, seconds, bytes."""

    run: int
    started_at: float
    commit: str | None
    toolchain: str
    machine: str
    label: str
    label_changed: bool
    toolchain_changed: bool
    cpu_s: float | None
    wall_s: float | None
    peak_rss_bytes: int | None


@click.command()
@click.argument("name", metavar="ID")
@json_option
@workspace_options
def history(name: str, as_json: bool, **places: str | None) -> int:
    """Show what became of one obligation over all runs: state, cost of its module, toolchain.

    ID is an id, a declaration, or an older name of it. Runs that neither checked its module nor changed
    its state are left out. Labels are judged anew with today's catalogue and lock. Starts no Lean. Exit
    code 0.

    \b
    tracker history vitTinyInputGradB_correct
    tracker history vitTinyInputGradB_correct --json
    """
    workspace = make_workspace(**places)
    ob = workspace.catalogue.find(name)
    if ob is None:
        hint = listed_hint(name, [ob.id for ob in workspace.catalogue])
        raise UsageError("NO-SUCH-OBLIGATION", f"no obligation is called {name!r}", hint)
    past = open_past(workspace)
    entries = list(_entries(past, ob))
    older = _older_names(past, ob)
    if as_json:
        rows = [asdict(entry) for entry in entries]
        print_json({"schema_version": 1, "id": ob.id, "decl": ob.decl, "aliases": older, "runs": rows})
        return 0
    out = console()
    out.print(plain(f"{ob.id}: {ob.decl} in {ob.module}"), markup=False, soft_wrap=True)
    for alias, run in older.items():
        seen = f"last found by run {run}" if run else "never found"
        out.print(plain(f"  once {alias}: {seen}"), markup=False, soft_wrap=True)
    for entry in entries:
        out.print(plain(_line(entry)), markup=False, soft_wrap=True)
    if not entries:
        out.print("  no run has said anything of it")
    return 0


def _entries(past: Past, ob: Obligation) -> Iterator[Entry]:
    changed = {step.run.number: step.changed[ob.id] for step in past.replay.steps if ob.id in step.changed}
    label, toolchain = past.replay.start.get(ob.id, ""), ""
    points = {point.run: point for point in past.checks if point.module == ob.module}
    for run in past.runs:
        point = points.get(run.number)
        moved = bool(toolchain) and toolchain != run.toolchain_identity
        toolchain = run.toolchain_identity
        before, label = label, changed.get(run.number, label)
        if point is None and label == before and not moved:
            continue
        cost = point.cost if point else None
        yield Entry(
            run=run.number, started_at=run.started_at, commit=run.commit, toolchain=run.toolchain_identity,
            machine=run.machine, label=label, label_changed=label != before, toolchain_changed=moved,
            cpu_s=cost.cpu_s if cost else None, wall_s=cost.wall_s if cost else None,
            peak_rss_bytes=cost.peak_rss_bytes if cost else None,
        )  # fmt: skip


def _older_names(past: Past, ob: Obligation) -> dict[str, int | None]:
    """Return for each older name of the declaration the newest run that found it."""
    found: dict[str, int | None] = {alias.name: None for alias in ob.aliases}
    for point in past.probes:
        if point.probe.declaration in found and point.probe.found:
            found[point.probe.declaration] = point.run
    return found


def _line(entry: Entry) -> str:
    day = datetime.fromtimestamp(entry.started_at, UTC).strftime("%Y-%m-%d %H:%M")
    costs = f"{show_seconds(entry.cpu_s):>12} {show_bytes(entry.peak_rss_bytes):>9}"
    mark = "→" if entry.label_changed else " "
    lean = f"  Lean {entry.toolchain.partition(' ')[0]}"
    new = " (new)" if entry.toolchain_changed else ""
    return f"  run {entry.run:<4} {day} {mark} {entry.label:<22}{costs}{lean}{new}"
