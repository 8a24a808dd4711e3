"""`tracker run`: have Lean check what changed."""

from __future__ import annotations

import signal
from types import FrameType

import click

from tracker.cli.options import console, json_option, make_workspace, print_json, workspace_options
from tracker.cli.status import status_of
from tracker.config import parse_limit
from tracker.report.progress import ProgressLines
from tracker.report.summary import status_json
from tracker.report.terminal import print_status
from tracker.run.plan import Plan
from tracker.run.session import RunOptions, execute_run, plan_run
from tracker.units import parse_bytes, parse_seconds


@click.command()
@click.argument("targets", nargs=-1, metavar="[TARGET…]")
@click.option("--fresh", is_flag=True, help="Check again what has evidence that still holds.")
@click.option("--dry-run", is_flag=True, help="Say what would be checked, and check nothing.")
@click.option("--wall", metavar="TIME", help="Wall-clock limit of one module, such as 10min.")
@click.option("--memory", metavar="SIZE", help="Memory limit of one module's lean, such as 8GiB.")
@json_option
@workspace_options
def run(
    targets: tuple[str, ...],
    fresh: bool,
    dry_run: bool,
    wall: str | None,
    memory: str | None,
    as_json: bool,
    **places: str | None,
) -> int:
    """Have Lean check what has no evidence yet, module by module, and show the status.

    TARGET is a module, an obligation's id or declaration, a net, or a pattern over ids; none means the
    whole project. What is finished is kept when the run is cut off; the next run goes on from there.
    Exit code 0 when all obligations are proved, 1 when any is not, 3 when Lean or Lake could not run.

    \b
    tracker run
    tracker run 'vit-*' --wall 5min --memory 8GiB
    tracker run NetTies.Foundation.VJP --fresh
    """
    options = RunOptions(
        targets,
        fresh,
        None if wall is None else parse_limit(wall, parse_seconds, "--wall"),
        None if memory is None else parse_limit(memory, parse_bytes, "--memory"),
    )
    workspace = make_workspace(**places)
    if dry_run:
        _print_plan(plan_run(workspace, options), as_json)
        return 0
    signal.signal(signal.SIGTERM, _stop)
    with ProgressLines(console(stderr=True)) as lines:
        evidence, newest = execute_run(workspace, options, lines)
    now = status_of(workspace, evidence, newest)
    if as_json:
        print_json(status_json(now, workspace.catalogue))
    else:
        print_status(now, workspace.catalogue, console())
    return 0 if now.passed else 1


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _print_plan(plan: Plan, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "schema_version": 1,
                "modules": list(plan.modules),
                "todo": list(plan.todo),
                "probes": {module: list(names) for module, names in plan.probes.items()},
            }
        )
        return
    click.echo(f"{len(plan.todo)} of {len(plan.modules)} modules would be checked")
    for module in plan.todo:
        click.echo(f"  {module}")
    asked = sum(map(len, plan.probes.values()))
    click.echo(f"Lean would be asked about {asked} declarations")
