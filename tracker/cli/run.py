"""`tracker run`: have Lean check what changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

from tracker.budgets import ModuleUse, module_budget
from tracker.cli.options import (
    console,
    end_by_sigterm,
    json_option,
    make_workspace,
    print_json,
    workspace_options,
)
from tracker.cli.status import status_of
from tracker.config import parse_limit
from tracker.errors import UsageError
from tracker.evidence import ModuleCheck
from tracker.lean.counter import why_not
from tracker.report.progress import ProgressLines
from tracker.report.prospect import print_prospect, prospect_json
from tracker.report.summary import Status, status_json
from tracker.report.terminal import print_status
from tracker.run.selection import parse_shard
from tracker.run.session import Result, RunOptions, execute_run, plan_run
from tracker.units import parse_bytes, parse_seconds, show_count
from tracker.verdict import State
from tracker.workspace import Workspace

N = TypeVar("N", int, float)


@click.command()
@click.argument("targets", nargs=-1, metavar="[TARGET…]")
@click.option("--fresh", is_flag=True, help="Check again what has evidence that still holds.")
@click.option("--dry-run", is_flag=True, help="Say what would be checked, and check nothing.")
@click.option(
    "-j",
    "--jobs",
    metavar="N",
    type=click.IntRange(1),
    default=1,
    help="Check N modules at a time (default: 1).",
)
@click.option(
    "--memory", metavar="SIZE",
    help="What modules at work may use together, by their records (default: what the machine has).",
)  # fmt: skip
@click.option("--whole", is_flag=True, help="One `lake build` for all, as many at a time as Lake sees fit.")
@click.option(
    "--executor", type=click.Choice(["local", "dask"]), default="local", help="Who builds (default: local)."
)
@click.option("--scheduler", metavar="ADDR", help="Of the dask cluster: tcp://HOST:PORT, or its file.")
@click.option("--cache-get", is_flag=True, help="First `lake exe cache get`, where Mathlib is required.")
@click.option(
    "--failing-first", is_flag=True, help="Begin with what failed the last time, and what it needs."
)
@click.option("--only", multiple=True, metavar="PATTERN", help="Only modules with such a name, and imports.")
@click.option(
    "--changed-since", metavar="REF", help="Only what differs from a commit, and what imports that."
)
@click.option("--shard", metavar="K/N", help="Only the K-th of N parts; `tracker merge` puts them together.")
@click.option("--repeat", metavar="N", type=click.IntRange(1), default=1, help="Check N times, for the cost.")
@click.option("--profile", "with_profile", is_flag=True, help="Then measure each declaration of TARGET.")
@click.option("--instructions", is_flag=True, help="Count instructions too, where the system allows it.")
@click.option("--wall", metavar="TIME", help="Stop a module after this time, such as 10min.")
@click.option("--module-memory", metavar="SIZE", help="Stop a module above this memory, such as 8GiB.")
@json_option
@workspace_options
def run(
    targets: tuple[str, ...],
    fresh: bool,
    dry_run: bool,
    whole: bool,
    executor: str,
    scheduler: str | None,
    cache_get: bool,
    failing_first: bool,
    only: tuple[str, ...],
    changed_since: str | None,
    shard: str | None,
    jobs: int,
    repeat: int,
    instructions: bool,
    with_profile: bool,
    memory: str | None,
    wall: str | None,
    module_memory: str | None,
    as_json: bool,
    **places: str | None,
) -> int:
    """Have Lean check what has no evidence yet, module by module, and show the status.

    TARGET is a module, an obligation's id or declaration, a net, or a pattern over ids; none means the
    whole project. What is finished is kept when the run is cut off; the next run goes on from there.
    With -j, modules are packed by the time and memory that were recorded of them, the longest way to the
    end first; what has no record yet, or needs more than all the memory, runs alone. With --repeat, a module
    must pass each time, and its cost is the median. With --whole nothing needs a record: the way to check a
    project for the first time.
    Exit code 0 when all obligations are proved (with --shard: when nothing in it is wrong), 1 when any is
    not, 3 when Lean or Lake could not run.

    \b
    tracker run
    tracker run 'vit*' --wall 5min --module-memory 8GiB
    tracker run -j 4 --memory 20GiB --dry-run
    tracker run --changed-since origin/main --failing-first
    tracker run --shard 2/4
    tracker run NetTies.Foundation.VJP --fresh
    """
    if whole and (jobs > 1 or repeat > 1 or memory is not None):
        raise UsageError(
            "WHOLE", "with --whole Lake decides what is at work: -j, --memory and --repeat have no say",
            "leave them out; LEAN_NUM_THREADS in the environment is heeded by Lake",
        )  # fmt: skip
    if (executor == "dask") != (scheduler is not None) or (scheduler and (whole or jobs > 1 or memory)):
        raise UsageError(
            "EXECUTOR", "--executor dask goes with --scheduler, and without -j, --memory and --whole",
            "the workers' threads and their resource `memory` decide what is at work",
        )  # fmt: skip
    options = RunOptions(
        targets,
        fresh,
        wall_s=_amount(wall, parse_seconds, "--wall"),
        module_memory_bytes=_amount(module_memory, parse_bytes, "--module-memory"),
        jobs=jobs,
        memory_bytes=_amount(memory, parse_bytes, "--memory"),
        only=only,
        changed_since=changed_since,
        shard=None if shard is None else parse_shard(shard),
        failing_first=failing_first,
        together=whole,
        cache_get=cache_get,
        scheduler=scheduler,
        times=repeat,
        count_instructions=instructions,
    )
    workspace = make_workspace(**places)
    if dry_run:
        prospect = plan_run(workspace, options)
        if as_json:
            print_json(prospect_json(prospect))
        else:
            print_prospect(prospect, console())
        return 0
    end_by_sigterm()

    def over_budget(check: ModuleCheck) -> str:
        budget = module_budget(check.module, workspace.catalogue, workspace.settings.budgets)
        use = ModuleUse(check.module, budget, check.cost, workspace.settings.budgets.runner_bytes)
        return f"over its {' and '.join(use.over)} budget" if use.over else ""

    with ProgressLines(console(stderr=True), over_budget) as lines:
        if instructions and (reason := why_not()):
            lines.note(f"instructions are not counted: {reason}")
        result = execute_run(workspace, options, lines)
        if with_profile:
            _profile(workspace, options, lines)
    now = status_of(workspace, result.evidence, result.run)
    if as_json:
        print_json(status_json(now, workspace.catalogue))
    else:
        print_status(now, workspace.catalogue, console())
    passed = now.passed if options.shard is None else _shard_passed(workspace, result, now)
    return 0 if passed else 1


def _shard_passed(workspace: Workspace, result: Result, now: Status) -> bool:
    """Return whether nothing that a shard answers for is wrong; what depends on other shards, they decide."""
    plan, catalogue = result.plan, workspace.catalogue
    checks = [result.evidence.check_of(module) for module in plan.modules]
    own = [now.verdicts[ob.id] for module in plan.chosen for ob in catalogue.by_module.get(module, ())]
    fine = (State.PROVED, State.BLOCKED)
    return all(check is not None and check.passed for check in checks) and all(v.state in fine for v in own)


def _profile(workspace: Workspace, options: RunOptions, lines: ProgressLines) -> None:
    """Measure the declarations of the run's targets, and keep it; `tracker profile` and `show` have it."""
    from tracker.lean.process import Limits
    from tracker.run.profiling import profile_modules

    limits = Limits(options.wall_s or workspace.settings.wall_s, workspace.settings.memory_bytes)
    found = profile_modules(
        workspace, options.targets, limits, lambda module: lines.note(f"profiling {module}")
    )
    count = sum(len(costs) for _, costs in found)
    have = show_count(count, "declaration has", "declarations have")
    lines.note(f"{have} a profile: `tracker profile` shows it")


def _amount(text: str | None, parse: Callable[[str], N], option: str) -> N | None:
    return None if text is None else parse_limit(text, parse, option)
