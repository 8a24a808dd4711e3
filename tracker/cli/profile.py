"""`tracker profile`: where the time of each declaration goes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from tracker.cli.options import (
    console,
    end_by_sigterm,
    json_option,
    make_workspace,
    print_json,
    workspace_options,
)
from tracker.config import parse_limit
from tracker.report.terminal import plain
from tracker.units import parse_seconds, show_seconds

if TYPE_CHECKING:
    from tracker.lean.profiler import DeclarationCost

_SHOWN = 10


@click.command()
@click.argument("targets", nargs=-1, metavar="[TARGET…]")
@click.option("--fresh", is_flag=True, help="Profile again what has a profile that still holds.")
@click.option("--all", "show_all", is_flag=True, help=f"List every declaration, not the {_SHOWN} slowest.")
@click.option("--wall", metavar="TIME", help="Wall-clock limit of one module.")
@json_option
@workspace_options
def profile(
    targets: tuple[str, ...], fresh: bool, show_all: bool, wall: str | None, as_json: bool,
    **places: str | None,
) -> int:  # fmt: skip
    """Have Lean's profiler tell what each declaration costs: elaboration, kernel, compilation, linting.

    TARGET is as for `tracker run`. Modules that passed are checked once more with the profiler on, which
    takes longer than a plain check; what was found is kept, and `tracker show` has it. Exit code 1 when no
    module of the targets has passed.

    \b
    tracker profile NetTies.Nets.ViT.ViTTiny
    tracker profile 'convnext*' --all
    tracker profile --json | jq '.declarations | sort_by(-.kernel_s) | .[0]'
    """
    from tracker.lean.process import Limits
    from tracker.run.profiling import profile_modules

    end_by_sigterm()
    workspace = make_workspace(**places)
    settings = workspace.settings
    limits = Limits(
        wall_s=settings.wall_s if wall is None else parse_limit(wall, parse_seconds, "--wall"),
        memory_bytes=settings.memory_bytes,
    )
    lost: list[tuple[str, str]] = []
    with console(stderr=True).status("") as line:
        found = list(
            _shown(
                profile_modules(
                    workspace, targets, limits, line.update, fresh=fresh,
                    left_out=lambda module, reason: lost.append((module, reason)),
                ),
                limit=0 if as_json else None if show_all else _SHOWN,
            )
        )  # fmt: skip
    if as_json:
        rows = [{"module": module, **asdict(cost)} for module, costs in found for cost in costs]
        left_out = [{"module": module, "reason": reason} for module, reason in lost]
        print_json({"schema_version": 1, "declarations": rows, "left_out": left_out})
    elif lost or found:
        _say_left_out(lost)
    else:
        click.echo("the project has no module to profile", err=True)
    return 0 if found else 1


def _say_left_out(lost: Sequence[tuple[str, str]]) -> None:
    for module, reason in lost[:_SHOWN]:
        click.echo(f"{module}: not profiled: {reason}", err=True)
    if len(lost) > _SHOWN:
        click.echo(f"and {len(lost) - _SHOWN} more; --json has all", err=True)


def _shown(
    found: Iterable[tuple[str, tuple[DeclarationCost, ...]]], *, limit: int | None
) -> Iterator[tuple[str, tuple[DeclarationCost, ...]]]:
    """Pass modules on, the slowest declarations of each printed as soon as they are known."""
    for module, costs in found:
        if limit != 0:
            click.echo(module)
            for cost in sorted(costs, key=lambda c: -c.total_s)[:limit]:
                other = show_seconds(cost.compilation_s + cost.linting_s)
                click.echo(
                    f"  {show_seconds(cost.elaboration_s):>9} elaboration "
                    f"{show_seconds(cost.kernel_s):>9} kernel {other:>9} other  {plain(cost.declaration)}"
                )
        yield module, costs
