"""`tracker budget`: what is over its budget, and whether all of it fits a smaller machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from tracker.budgets import RESERVE_BYTES, ModuleUse, module_uses
from tracker.catalogue.model import Budget
from tracker.cli.options import console, json_option, make_workspace, print_json, workspace_options
from tracker.config import parse_limit
from tracker.report.terminal import MARKS, plain
from tracker.run.plan import select_modules
from tracker.run.schedule import Forecast, Task, forecast
from tracker.units import parse_bytes, show_bytes, show_count, show_seconds
from tracker.verdict import State
from tracker.workspace import Workspace

_JOBS = (1, 2, 4, 8)


@dataclass(frozen=True)
class _Answer:
    uses: tuple[ModuleUse, ...]
    runner_bytes: int
    schedules: tuple[tuple[int, Forecast], ...]

    @property
    def within(self) -> bool:
        return bool(self.uses) and all(use.within for use in self.uses)

    @property
    def by_state(self) -> dict[str, list[ModuleUse]]:
        return {
            "over": [use for use in self.uses if use.over],
            "too_big": [use for use in self.uses if use.fit == "too big"],
            "unknown": [use for use in self.uses if use.cost is None],
        }


@click.command()
@click.argument("targets", nargs=-1, metavar="[TARGET…]")
@click.option(
    "--runner", metavar="SIZE", help="Memory of the machine to fit (default: 16GiB, or tracker.toml)."
)
@click.option("--all", "show_all", is_flag=True, help="List every module.")
@json_option
@workspace_options
def budget(
    targets: tuple[str, ...], runner: str | None, show_all: bool, as_json: bool, **places: str | None
) -> int:
    """Say which modules are over budget, and whether each, and a parallel run, would fit a smaller machine.

    By the costs of the newest checks; starts no Lean. A module over its budget counts although it passed; one
    whose cost is not known counts too. Budgets stand at obligations in the catalogue, and in [budgets] of
    tracker.toml for modules, kinds and by default.
    Exit code 0 when all are within their budgets and fit, 1 when one is not or is not known.

    \b
    tracker budget
    tracker budget --runner 7GiB 'vit*'
    tracker budget --json | jq '.modules[] | select(.fit != "fits")'
    """
    workspace = make_workspace(**places)
    answer = _answer(workspace, targets, runner)
    if as_json:
        print_json(_json(answer))
    else:
        _print(answer, console(), show_all=show_all)
    return 0 if answer.within else 1


def _answer(workspace: Workspace, targets: Sequence[str], runner: str | None) -> _Answer:
    settings = workspace.settings.budgets
    size = settings.runner_bytes if runner is None else parse_limit(runner, parse_bytes, "--runner")
    modules = select_modules(workspace.project, workspace.catalogue, targets)
    evidence, _ = workspace.read_evidence()
    found = module_uses(modules, workspace.catalogue, settings, evidence)
    uses = tuple(ModuleUse(use.module, use.budget, use.cost, size) for use in found)
    tasks = [_task(workspace, use, modules) for use in uses]
    room = max(0, size - RESERVE_BYTES)
    return _Answer(uses, size, tuple((jobs, forecast(tasks, jobs, room)) for jobs in _JOBS))


def _task(workspace: Workspace, use: ModuleUse, modules: Sequence[str]) -> Task:
    imports = tuple(name for name in workspace.project.imports(use.module) if name in modules)
    if use.cost is None:
        return Task(use.module, imports)
    return Task(use.module, imports, use.cost.wall_s, use.cost.peak_rss_bytes)


def _json(answer: _Answer) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "within": answer.within,
        "runner_bytes": answer.runner_bytes,
        "reserve_bytes": RESERVE_BYTES,
        "modules": [
            {
                "module": use.module, "budget": asdict(use.budget), "over": list(use.over), "fit": use.fit,
                "wall_s": use.cost.wall_s if use.cost else None,
                "cpu_s": use.cost.cpu_s if use.cost else None,
                "peak_rss_bytes": use.cost.peak_rss_bytes if use.cost else None,
            }
            for use in answer.uses
        ],
        "schedules": [
            {"jobs": jobs, "wall_s": seen.wall_s, "peak_bytes": seen.peak_bytes, "fits": _fits(answer, seen)}
            for jobs, seen in answer.schedules
        ],
    }  # fmt: skip


def _fits(answer: _Answer, seen: Forecast) -> bool | None:
    """Return whether a schedule stays below the runner's memory; None where too little is known."""
    if seen.peak_bytes > answer.runner_bytes - RESERVE_BYTES:
        return False
    return None if seen.unknown else True


def _print(answer: _Answer, out: Console, *, show_all: bool) -> None:
    groups = answer.by_state
    shown = answer.uses if show_all else [use for use in answer.uses if not use.within]
    for use in shown:
        _print_use(use, out)
    if shown:
        out.print()
    size = show_bytes(answer.runner_bytes)
    state = State.PROVED if answer.within else State.FAILED
    symbol, colour = MARKS[state]
    counts = (
        f"{len(groups['over'])} over budget, {len(groups['too_big'])} too big for {size}, "
        f"{len(groups['unknown'])} not known"
    )
    modules = show_count(len(answer.uses), "module")
    out.print(Text.assemble((symbol, colour), f" {modules}: {counts}"), soft_wrap=True)
    for jobs, seen in answer.schedules:
        fits = {True: "fits", False: "does not fit", None: "not known whether it fits"}[_fits(answer, seen)]
        out.print(
            f"  -j {jobs} on {size}: {fits}; {show_seconds(seen.wall_s)}, peak {show_bytes(seen.peak_bytes)}"
            + (f", {show_count(len(seen.unknown), 'module')} not counted" if seen.unknown else ""),
            soft_wrap=True,
        )


def _print_use(use: ModuleUse, out: Console) -> None:
    state = State.PROVED if use.within else State.UNCHECKED if use.cost is None else State.OVER_BUDGET
    symbol, colour = MARKS[state]
    cost = use.cost
    price = f"{show_seconds(cost.wall_s):>9} {show_bytes(cost.peak_rss_bytes):>9}" if cost else f"{'–':>19}"
    words = [f"over its {part} budget of {_amount(use.budget, part)}" for part in use.over]
    words += ["its cost is not known"] if cost is None else []
    words += [f"too big for {show_bytes(use.runner_bytes)}"] if use.fit == "too big" else []
    why = f"  {'; '.join(words)}" if words else ""
    out.print(
        Text.assemble((symbol, colour), f" {price}  {plain(use.module)}", (why, colour)), soft_wrap=True
    )


def _amount(budget: Budget, part: str) -> str:
    shown = {
        "wall": show_seconds(budget.wall_s),
        "cpu": show_seconds(budget.cpu_s),
        "memory": show_bytes(budget.memory_bytes),
    }
    return shown[part]
