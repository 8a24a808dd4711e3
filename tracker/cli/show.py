"""`tracker show`: everything known of one obligation."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from rich.console import Console
from rich.text import Text

from tracker.catalogue.model import Catalogue, Obligation
from tracker.catalogue.suggest import listed_hint
from tracker.cli.options import console, json_option, make_workspace, print_json, workspace_options
from tracker.errors import UsageError
from tracker.evidence import ModuleCheck
from tracker.lean.lakelog import time_of
from tracker.lean.messages import Position
from tracker.locks import Lock
from tracker.report.progress import spread
from tracker.report.summary import SCHEMA_VERSION, verdict_json
from tracker.report.terminal import MARKS, plain
from tracker.units import show_bytes, show_count, show_seconds
from tracker.verdict import Verdict
from tracker.workspace import Workspace

if TYPE_CHECKING:
    from tracker.headroom.measure import Headroom
    from tracker.lean.lsp import GoalView
    from tracker.lean.profiler import DeclarationCost


@click.command()
@click.argument("obligation", metavar="ID")
@click.option(
    "--goal", "with_goal", is_flag=True,
    help="Ask `lake serve` for the goal where checking failed, else where the proof begins (extra `lsp`).",
)  # fmt: skip
@click.option("--at", "place", metavar="LINE:COLUMN", help="With --goal: another place in the module's file.")
@json_option
@workspace_options
def show(obligation: str, with_goal: bool, place: str | None, as_json: bool, **places: str | None) -> int:
    """Show one obligation: what it says, its state and why, its cost, axioms and dependencies.

    ID is an obligation's id, its declaration, or an older name of that. Exit code 0 when it is proved.

    \b
    tracker show vitTinyInputGradB_correct
    tracker show NetTies.vitInputGradKB_eq_vitKVB_vjp --json
    tracker show vitTinyInputGradB_correct --goal
    """
    if place is not None and not with_goal:
        raise UsageError("GOAL", "--at goes with --goal")
    workspace = make_workspace(**places)
    catalogue = workspace.catalogue
    ob = catalogue.find(obligation)
    if ob is None:
        names = [*catalogue.obligations, *catalogue.by_decl]
        raise UsageError(
            "NO-SUCH-OBLIGATION",
            f"no obligation is called {obligation!r}",
            listed_hint(obligation, names),
        )
    evidence, _ = workspace.read_evidence()
    found = workspace.verdicts(evidence)
    verdict = found[ob.id]
    goal = _goal(workspace, ob, verdict, place) if with_goal else None
    measured = _measured(workspace, ob)
    if as_json:
        data = {
            "schema_version": SCHEMA_VERSION,
            **verdict_json(verdict, catalogue),
            **_more(ob, verdict, workspace.lock),
            **_measured_json(measured),
        }
        print_json(data | ({"goal": asdict(goal)} if goal else {}))
    else:
        _print(ob, verdict, catalogue, found, console(), workspace.lock)
        _print_measured(measured, console())
        if goal is not None:
            _print_goal(goal, console())
    return 0 if verdict.proved else 1


class _Measured(NamedTuple):
    """What was measured of the declaration for its present sources, as far as anybody asked."""

    profile: DeclarationCost | None
    headroom: list[Headroom]


def _measured(workspace: Workspace, ob: Obligation) -> _Measured:
    from tracker.headroom.session import headrooms
    from tracker.run.profiling import profiles

    history = workspace.open_history(write=False)
    if history is None:
        return _Measured(None, [])
    with closing(history):
        costs = profiles(history, workspace).get(ob.module, ())
        near = headrooms(history, workspace).get((ob.module, ob.decl), [])
    return _Measured(next((c for c in costs if c.declaration == ob.decl), None), near)


def _measured_json(measured: _Measured) -> dict[str, Any]:
    """Return the figures as plain data. Times in seconds, `use` as a ratio."""
    return {
        "profile": asdict(measured.profile) if measured.profile else None,
        "headroom": [{**asdict(h), "use": h.use} for h in measured.headroom],
    }


def _print_measured(measured: _Measured, out: Console) -> None:
    if measured.profile is not None:
        cost = measured.profile
        other = show_seconds(cost.compilation_s + cost.linting_s)
        text = f"elaboration {show_seconds(cost.elaboration_s)}, kernel {show_seconds(cost.kernel_s)}"
        _line(out, "itself", f"{text}, other {other}")
    for number, h in enumerate(measured.headroom):
        limit = f"{h.limit:,}" if h.limit else "no limit"
        _line(out, "" if number else "headroom", f"needs {h.needed:,} of {limit} {h.option}")


def _goal(workspace: Workspace, ob: Obligation, verdict: Verdict, place: str | None) -> GoalView:
    """Return what the server shows where the user says, else at the failure, else where the proof begins."""
    from tracker.lean.lsp import proof_start, view
    from tracker.run.artifacts import read_source
    from tracker.run.session import only_one

    project = workspace.project
    if ob.module not in project.modules:
        raise UsageError("GOAL", f"the project has no module {ob.module}", "`tracker check --project`")
    if place is not None:
        at: Position | None = _position(place)
    elif verdict.failure is not None and verdict.failure.pos is not None:
        at = verdict.failure.pos
    else:
        at = proof_start(read_source(project, ob.module), ob.decl)
    if at is None:
        raise UsageError(
            "GOAL", f"{ob.module} writes no proof of {ob.decl}", "name a place: --at LINE:COLUMN"
        )
    with only_one(workspace.settings.state):
        return view(workspace.toolchain, Path(project.root), project.modules[ob.module].path, at)


def _position(text: str) -> Position:
    """Return a place written as editors show it, line and column from 1. Raises UsageError."""
    line, _, column = text.partition(":")
    if not (line.isdecimal() and column.isdecimal() and int(line) and int(column)):
        raise UsageError("GOAL", f"--at {text!r} is no place", "such as --at 12:5, both from 1")
    return Position(int(line), int(column) - 1)


def _print_goal(goal: GoalView, out: Console) -> None:
    words = {
        "goals": "open goals", "done": "no goals: the proof is finished there", "term": "expected type",
        "none": "no goal: no proof stands there",
    }  # fmt: skip
    _line(out, "goal", f"at {goal.at.line}:{goal.at.column + 1}: {words[goal.state]}")
    for text in goal.goals:
        out.print(Text(_indented(plain(text))), soft_wrap=True)
    if goal.hover:
        out.print("  hover")
        out.print(Text(_indented(plain(goal.hover))), soft_wrap=True)


def _more(ob: Obligation, verdict: Verdict, lock: Lock) -> dict[str, Any]:
    check, probe, locked = verdict.check, verdict.probe, lock.entries.get(ob.id)
    return {
        "summary": ob.summary, "depends_on": list(ob.depends_on), "claims": dict(ob.claims),
        "locked": {"decl": locked.decl, "statement": locked.statement, "reason": locked.reason or None}
        if locked else None,
        "repeats": len(check.repeats) if check else 0, "wall_mad_s": check.wall_mad_s if check else None,
        "lake_printed_s": printed.seconds if check and (printed := time_of(check.lake_output, check.module))
        else None,
        "source": str(ob.source), "uses": dict(probe.uses) if probe else None,
        "location": (
            {"file": probe.location.file, "line": probe.location.line, "column": probe.location.column}
            if probe and probe.location else None
        ),
        "messages": [
            {"severity": m.severity, "text": m.text, "declaration": m.declaration} for m in check.messages
        ] if check else None,
    }  # fmt: skip


def _print(
    ob: Obligation,
    verdict: Verdict,
    catalogue: Catalogue,
    found: dict[str, Verdict] | Any,
    out: Console,
    lock: Lock,
) -> None:
    symbol, colour = MARKS[verdict.state]
    out.print(Text.assemble((f"{symbol} {verdict.label}", f"bold {colour}"), f"  {ob.id}"))
    _line(out, "why", verdict.reason)
    _line(out, "about", " ".join(ob.summary.split()))
    _line(
        out, "kind", f"{ob.kind}" + (f" of {ob.net}" if ob.net else "") + (f", {ob.tier}" if ob.tier else "")
    )
    _line(out, "declared", f"{ob.decl} in {ob.module}")
    _line(out, "entry", str(ob.source))
    if verdict.probe is not None:
        probe = verdict.probe
        if probe.location is not None:
            _line(
                out, "stands at", f"{probe.location.file}:{probe.location.line}:{probe.location.column + 1}"
            )
        _line(out, "axioms", ", ".join(probe.axioms) or "none")
        if probe.statement:
            out.print("  says")
            out.print(Text(_indented(plain(probe.statement))), soft_wrap=True)
    if locked := lock.entries.get(ob.id):
        _line(out, "locked", f"accepted because: {locked.reason}" if locked.reason else "as first found")
    if verdict.check is not None and verdict.check.cost is not None:
        cost = verdict.check.cost
        wall = f"{show_seconds(cost.wall_s)}{spread(verdict.check)}{_by_lake(verdict.check)}"
        _line(
            out, "module",
            f"wall {wall}, CPU {show_seconds(cost.cpu_s)}, peak {show_bytes(cost.peak_rss_bytes)}"
            + (f", {show_count(cost.instructions, 'instruction')}" if cost.instructions is not None else ""),
        )  # fmt: skip
        _line(out, "evidence", f"fingerprint {verdict.check.fingerprint[:16]}")
    _print_failure(verdict, out)
    for title, ids in (("rests on", ob.depends_on), ("carries", catalogue.dependents[ob.id])):
        for number, other in enumerate(ids):
            mark = MARKS[found[other].state][0]
            _line(out, title if number == 0 else "", f"{mark} {other} ({found[other].label})")


def _by_lake(check: ModuleCheck) -> str:
    """Return Lake's own figure beside ours: it is rounded, and off by up to a second."""
    printed = time_of(check.lake_output, check.module)
    return f" (Lake prints {show_seconds(printed.seconds)})" if printed else ""


def _print_failure(verdict: Verdict, out: Console) -> None:
    failure = verdict.failure
    if failure is None:
        return
    _line(out, "class", f"{failure.cls} in the {failure.phase}; `tracker explain {failure.cls}`")
    out.print("  Lean said")
    out.print(Text(_indented(plain(failure.message))), soft_wrap=True)


def _line(out: Console, title: str, text: str) -> None:
    if text:
        out.print(Text(f"  {title:<10} {plain(text)}"), soft_wrap=True)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.strip().splitlines())
