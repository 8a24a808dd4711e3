"""`tracker gate`: may this land? The evidence against the committed baseline."""

from __future__ import annotations

import sys
from datetime import UTC, date, datetime
from pathlib import Path

import click

from tracker.cli.options import console, json_option, make_workspace, print_json, workspace_options
from tracker.errors import UsageError
from tracker.gate.baseline import (
    baseline_text,
    read_baseline,
    read_committed,
    renewed,
    write_baseline,
)
from tracker.gate.evaluate import evaluate
from tracker.gate.model import Facts, GateReport, Outcome, Result
from tracker.gate.now import Present, take_present
from tracker.gate.rules_trust import improvement
from tracker.gate.witness import ask_witness, read_testimony
from tracker.report.gate import print_gate
from tracker.report.gate_json import gate_json
from tracker.report.terminal import plain
from tracker.units import show_count
from tracker.workspace import Workspace

FORMATS = ("junit", "sarif", "github", "markdown", "json")


@click.command()
@click.option("--against", metavar="COMMIT", help="Compare with the baseline of this commit, by git.")
@click.option("--witness", is_flag=True, help="Run the second witness of the settings first.")
@click.option("--all", "show_all", is_flag=True, help="Print every finding, however many.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="Another form than the terminal's.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write it to a file instead of printing."
)
@click.option("--update-baseline", is_flag=True, help="Show what differs, and write it to the baseline.")
@click.option("--yes", is_flag=True, help="With --update-baseline: do not ask.")
@click.option("--accept-losses", metavar="REASON", help="With --update-baseline: write losses too, and why.")
@click.option("--adopt-costs", is_flag=True, help="With --update-baseline: take all costs measured here.")
@json_option
@workspace_options
def gate(
    against: str | None, witness: bool, show_all: bool, form: str | None, output: Path | None,
    update_baseline: bool, yes: bool, accept_losses: str | None, adopt_costs: bool, as_json: bool,
    **places: str | None,
) -> int:  # fmt: skip
    """Say whether what is proved now may land: no worse than the committed baseline, by every rule.

    Compares the evidence of earlier runs with reports/baseline.jsonl; starts no Lean, and no other program
    but git (--against) and the second witness (--witness). Every rule is evaluated and printed with value,
    limit and margin; `tracker explain GATE-LOST` explains one. A cost counts as changed beyond ratio, floor
    and noise; repeat with `tracker run --fresh`, the median counts.

    Exit code 0 when the gate is open, 1 when a rule fails or the baseline was not written, 2 usage, 3 no
    Lean.

    \b
    tracker gate
    tracker gate --update-baseline
    tracker gate --against origin/main --format sarif -o gate.sarif
    """
    _refuse_nonsense(
        against, update_baseline, form, output, as_json, options=(yes, accept_losses, adopt_costs)
    )
    workspace = make_workspace(**places)
    if witness:
        _ask(workspace)
    facts = _facts(workspace, against)
    report = evaluate(facts)
    if update_baseline:
        return _update(workspace, report, accept_losses, yes=yes, adopt_costs=adopt_costs)
    name = _name(workspace, against)
    if as_json or form == "json":
        _say_json(report, name, output)
    elif form is not None:
        _export(workspace, report, name, form, output)
    else:
        print_gate(report, console(), name, show_all=show_all)
    return 0 if report.passed else 1


def _refuse_nonsense(
    against: str | None, update: bool, form: str | None, output: Path | None, as_json: bool,
    options: tuple[bool | str | None, ...],
) -> None:  # fmt: skip
    if against is not None and not against.strip():
        raise UsageError(
            "USAGE", "--against names no commit", "is a variable empty? name one, such as origin/main"
        )
    if any(options) and not update:
        raise UsageError("USAGE", "--yes, --accept-losses and --adopt-costs go with --update-baseline")
    if update and (against or form or output or as_json):
        raise UsageError("USAGE", "--update-baseline goes with the baseline on disk, and prints for people")
    if output and not (form or as_json):
        raise UsageError("USAGE", "--output needs a --format", f"one of {', '.join(FORMATS)}")


def _ask(workspace: Workspace) -> None:
    if not workspace.settings.gate.witness:
        raise UsageError(
            "NO-WITNESS", "no second witness is configured",
            'such as witness = ["lake", "check"] under [gate] in tracker.toml; `tracker doctor` says more',
        )  # fmt: skip
    click.echo(f"asking {' '.join(workspace.settings.gate.witness)}", err=True)
    ask_witness(workspace)


def _facts(workspace: Workspace, against: str | None) -> Facts:
    file = workspace.settings.gate.baseline
    baseline = read_committed(file, against, workspace.settings.root) if against else read_baseline(file)
    present = take_present(workspace)
    return Facts(
        workspace.settings.gate, present, baseline, _today(present), read_testimony(workspace),
        elsewhere=against is not None, landing=read_baseline(file) if against else None,
    )  # fmt: skip


def _today(present: Present) -> date:
    """Return today, by the later of clock and newest run: a clock that was set back revives no waiver."""
    today = datetime.now(UTC).date()
    run = present.run
    return max(today, datetime.fromtimestamp(run.started_at, UTC).date()) if run else today


def _name(workspace: Workspace, against: str | None) -> str:
    file = workspace.settings.gate.baseline
    root = workspace.settings.root.resolve()
    name = str(file.relative_to(root)) if file.is_relative_to(root) else str(file)
    return f"{name} of {against}" if against else name


def _say_json(report: GateReport, name: str, output: Path | None) -> None:
    if output is None:
        print_json(gate_json(report, name))
    else:
        import json

        _write(output, json.dumps(gate_json(report, name), ensure_ascii=False, indent=2) + "\n")


def _export(workspace: Workspace, report: GateReport, name: str, form: str, output: Path | None) -> None:
    from tracker.report.gate_exports import export

    text = export(report, name, form, workspace)
    if output is None:
        click.echo(text, nl=False)
    else:
        _write(output, text)


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError("OUTPUT", f"{file}: {error.strerror}", "name a writable file") from error


def _update(
    workspace: Workspace, report: GateReport, reason: str | None, *, yes: bool, adopt_costs: bool
) -> int:
    facts = report.facts
    _print_differences(facts)
    refused = [r for r in report.failed if r.rule.blocks_update]
    losses = [r for r in report.failed if r.rule.acceptable]
    damaged = bool(facts.baseline and facts.baseline.damages)
    if refused or ((losses or damaged) and not (reason or "").strip()):
        _say_refusal(refused, losses, damaged=damaged)
        return 1
    snapshot = renewed(facts.baseline, facts.present.snapshot, facts.tolerance, adopt_costs=adopt_costs)
    text = baseline_text(snapshot, _notes(facts, losses, reason))
    file = workspace.settings.gate.baseline
    if file.exists() and file.read_bytes() == text.encode("utf-8"):
        click.echo(f"{file}: it says already what is")
        return 0
    if not yes and not _agreed(file):
        click.echo("nothing was written", err=True)
        return 1
    write_baseline(file, text)
    obligations = show_count(len(snapshot.obligations), "obligation")
    modules = show_count(len(snapshot.modules), "module")
    click.echo(f"{file}: {obligations}, {modules}; commit it")
    return 0


def _agreed(file: Path) -> bool:
    if not sys.stdin.isatty():
        raise UsageError("USAGE", "--update-baseline asks first, and there is no terminal", "give --yes")
    return click.confirm(f"Write {file}?", err=True)


def _notes(facts: Facts, losses: list[Result], reason: str | None) -> dict[str, str]:
    """Return why each loss was accepted: the new reason, and old ones of what has not changed since."""
    changed = {difference.subject for difference in facts.differences}
    old = facts.baseline.notes if facts.baseline else {}
    lost = {f.subject for result in losses for f in result.open_findings}
    kept = {name: note for name, note in old.items() if name not in changed}
    return kept | dict.fromkeys(lost, (reason or "").strip())


def _print_differences(facts: Facts) -> None:
    if facts.baseline is None:
        click.echo("there is no baseline yet: everything is new")
        return
    for d in facts.differences:
        click.echo(plain(f"{d.subject}: {improvement(d)}"))
    click.echo(f"{show_count(len(facts.differences), 'difference')} from the baseline")


def _say_refusal(refused: list[Result], losses: list[Result], *, damaged: bool) -> None:
    for result in (*refused, *losses):
        if result.outcome is Outcome.FAIL:
            click.echo(f"{result.rule.code}: {show_count(len(result.open_findings), 'finding')}", err=True)
    if damaged:
        click.echo("GATE-BASELINE: the old baseline has lines that cannot be believed", err=True)
    cure = (
        "nothing is written without evidence: `tracker run` first"
        if refused
        else "a loss is written only with a reason: --accept-losses REASON"
    )
    click.echo(cure, err=True)
