"""`tracker merge`: put the evidence of several machines together."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from tracker.cli.options import console, json_option, make_workspace, print_json, workspace_options
from tracker.cli.status import status_of
from tracker.report.summary import status_json
from tracker.report.terminal import plain, print_status
from tracker.run.session import only_one
from tracker.store.merge import merge as merge_stores
from tracker.store.merge import refuse_foreign
from tracker.units import show_count


@click.command()
@click.argument("stores", nargs=-1, required=True, metavar="STORE…", type=click.Path(path_type=Path))
@json_option
@workspace_options
def merge(stores: tuple[Path, ...], as_json: bool, **places: str | None) -> int:
    """Add the evidence of other stores to this one, and show the status that follows.

    STORE is a history.db, or the .tracker directory that holds one, as `tracker run --shard K/N` leaves it
    on each of several machines. Every record must be as it was sealed, and keeps the machine that made it;
    a run that is here already is left alone. Runs are ordered by when they began: those here that are later
    than what is added get new numbers. A shard that is missing leaves its modules unchecked.
    Exit code 0 when all obligations are proved, 1 when any is not, 2 when a store is damaged, edited or of
    another project.

    \b
    tracker merge shard-1/.tracker shard-2/.tracker
    tracker merge ci/*/history.db --json
    """
    workspace = make_workspace(**places)
    with only_one(workspace.settings.state), closing(workspace.open_history(write=True)) as history:
        refuse_foreign(history, stores, workspace.project.modules)
        merged = merge_stores(history, stores)
        evidence, newest = history.evidence(workspace.fingerprints), history.newest_run()
    now = status_of(workspace, evidence, newest)
    if as_json:
        facts = {
            "runs": merged.runs, "checks": merged.checks, "probes": merged.probes, "known": merged.known,
            "machines": list(merged.machines), "moved": merged.moved,
        }  # fmt: skip
        print_json({**status_json(now, workspace.catalogue), "merged": facts})
        return 0 if now.passed else 1
    again = f", {merged.known} known already" if merged.known else ""
    later = show_count(merged.moved, "later run here has a new number", "later runs here have new numbers")
    moved = f"; {later}" if merged.moved else ""
    click.echo(
        f"{show_count(merged.runs, 'run')} added{again}: {show_count(merged.checks, 'check')}, "
        f"{show_count(merged.probes, 'declaration')}, from "
        f"{' and '.join(map(plain, merged.machines)) or 'no machine'}{moved}",
        err=True,
    )
    print_status(now, workspace.catalogue, console())
    return 0 if now.passed else 1
