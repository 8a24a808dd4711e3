"""`tracker show`: everything known of one obligation."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console
from rich.text import Text

from tracker.catalogue.model import Catalogue, Obligation
from tracker.catalogue.suggest import did_you_mean
from tracker.cli.options import console, json_option, make_workspace, print_json, workspace_options
from tracker.errors import UsageError
from tracker.report.summary import SCHEMA_VERSION, verdict_json
from tracker.report.terminal import MARKS, plain
from tracker.units import show_bytes, show_seconds
from tracker.verdict import Verdict


@click.command()
@click.argument("obligation", metavar="ID")
@json_option
@workspace_options
def show(obligation: str, as_json: bool, **places: str | None) -> int:
    """Show one obligation: what it says, its state and why, its cost, axioms and dependencies.

    ID is an obligation's id, its declaration, or an older name of that. Exit code 0 when it is proved.

    \b
    tracker show vit-tie
    tracker show NetTies.vitInputGradKB_eq_vitKVB_vjp --json
    """
    workspace = make_workspace(**places)
    catalogue = workspace.catalogue
    ob = catalogue.find(obligation)
    if ob is None:
        names = [*catalogue.obligations, *catalogue.by_decl]
        raise UsageError(
            "NO-SUCH-OBLIGATION",
            f"no obligation is called {obligation!r}",
            did_you_mean(obligation, names) or "`tracker status --all` lists them",
        )
    evidence, _ = workspace.read_evidence()
    found = workspace.verdicts(evidence)
    verdict = found[ob.id]
    if as_json:
        print_json(
            {"schema_version": SCHEMA_VERSION, **verdict_json(verdict, catalogue), **_more(ob, verdict)}
        )
    else:
        _print(ob, verdict, catalogue, found, console())
    return 0 if verdict.proved else 1


def _more(ob: Obligation, verdict: Verdict) -> dict[str, Any]:
    check, probe = verdict.check, verdict.probe
    return {
        "summary": ob.summary, "depends_on": list(ob.depends_on), "claims": dict(ob.claims),
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
    ob: Obligation, verdict: Verdict, catalogue: Catalogue, found: dict[str, Verdict] | Any, out: Console
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
            out.print(Text(_indented(plain(probe.statement)), overflow="fold"))
    if verdict.check is not None and verdict.check.cost is not None:
        cost = verdict.check.cost
        _line(
            out, "module", f"wall {show_seconds(cost.wall_s)}, CPU {show_seconds(cost.cpu_s)}, "
            f"peak {show_bytes(cost.peak_rss_bytes)}",
        )  # fmt: skip
        _line(out, "evidence", f"fingerprint {verdict.check.fingerprint[:16]}")
    _print_failure(verdict, out)
    for title, ids in (("rests on", ob.depends_on), ("carries", catalogue.dependents[ob.id])):
        for number, other in enumerate(ids):
            mark = MARKS[found[other].state][0]
            _line(out, title if number == 0 else "", f"{mark} {other} ({found[other].label})")


def _print_failure(verdict: Verdict, out: Console) -> None:
    failure = verdict.failure
    if failure is None:
        return
    _line(out, "class", f"{failure.cls} in the {failure.phase}; `tracker explain {failure.cls}`")
    out.print("  Lean said")
    out.print(Text(_indented(plain(failure.message)), overflow="fold"))


def _line(out: Console, title: str, text: str) -> None:
    if text:
        out.print(Text(f"  {title:<10} {plain(text)}", overflow="fold"))


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.strip().splitlines())
