"""`tracker status`: what is proved today, and what is not and why."""

from __future__ import annotations

import click

from tracker.cli.options import console, json_option, make_workspace, print_json, workspace_options
from tracker.evidence import Evidence, Run
from tracker.report.summary import Status, status_json, summarize
from tracker.report.terminal import print_status
from tracker.workspace import Workspace


def status_of(workspace: Workspace, evidence: Evidence, run: Run | None) -> Status:
    """Return the status that follows from evidence; no Lean is started."""
    found = workspace.verdicts(evidence)
    return summarize(
        workspace.catalogue, workspace.project, workspace.toolchain, evidence, run, found, workspace.lock
    )


@click.command()
@click.option("--all", "show_all", is_flag=True, help="List every obligation, proved ones too.")
@json_option
@workspace_options
def status(show_all: bool, as_json: bool, **places: str | None) -> int:
    """Show what is proved today, from the evidence of earlier runs. Starts no Lean.

    Exit code 0 when there are obligations and all are proved, 1 when any is not or nothing was checked.

    \b
    tracker status
    tracker status --all
    tracker status --json | jq '.obligations[] | select(.proved | not) | .id'
    """
    workspace = make_workspace(**places)
    now = status_of(workspace, *workspace.read_evidence())
    if as_json:
        print_json(status_json(now, workspace.catalogue))
    else:
        print_status(now, workspace.catalogue, console(), show_all=show_all)
    return 0 if now.passed else 1
