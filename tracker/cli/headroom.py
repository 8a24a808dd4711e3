"""`tracker headroom`: how near each declaration is to the limits of the elaborator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

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
from tracker.errors import UsageError
from tracker.report.terminal import plain
from tracker.units import parse_seconds

if TYPE_CHECKING:
    from tracker.headroom.measure import Headroom
    from tracker.headroom.session import ModuleHeadroom

_OPTIONS = ("maxRecDepth", "maxHeartbeats")
_CHOICES = (*_OPTIONS, "memory")


@click.command()
@click.argument("targets", nargs=-1, metavar="[TARGET…]")
@click.option(
    "--option",
    "options",
    multiple=True,
    type=click.Choice(_CHOICES),
    help="Search this one only; memory, in MiB, is that of the whole module (`lean -M`).",
)
@click.option(
    "--precision", type=click.FloatRange(0.001, 1.0), default=0.02, show_default=True, metavar="RATIO",
    help="End a search when passing and failing value are this close.",
)  # fmt: skip
@click.option("--no-dead", is_flag=True, help="Do not try modules without the limits that they raise.")
@click.option(
    "--max-use", type=click.FloatRange(0.0, 1.0), metavar="RATIO",
    help="Exit with 1 when a declaration needs more than this part of its limit, or was not measured.",
)  # fmt: skip
@click.option("--wall", metavar="TIME", help="Wall-clock limit of one check.")
@json_option
@workspace_options
def headroom(
    targets: tuple[str, ...], options: tuple[str, ...], precision: float, no_dead: bool,
    max_use: float | None, wall: str | None, as_json: bool, **places: str | None,
) -> int:  # fmt: skip
    """Find by bisection the smallest limits under which declarations still check.

    TARGET is an obligation's id or declaration, a module, a net, or a pattern over ids; none means all of the
    catalogue. Lean checks each module some ten to forty times, so name what you want to know. `set_option
    max…` that a module raises and would pass without are called dead.

    \b
    tracker headroom 'vit*'
    tracker headroom NetTies.Nets.ViT.ViTTiny --option maxRecDepth
    tracker headroom convnextImagenetInputGradB_eq_vjp --max-use 0.8 --json
    """
    from tracker.headroom.session import HeadroomOptions, measure_headroom

    end_by_sigterm()
    workspace = make_workspace(**places)
    wish = HeadroomOptions(
        targets, options or _OPTIONS, precision, not no_dead,
        None if wall is None else parse_limit(wall, parse_seconds, "--wall"),
    )  # fmt: skip
    with console(stderr=True).status("") as line:
        results = list(_shown(measure_headroom(workspace, wish, line.update), quiet=as_json))
    found = [h for r in results for h in r.found]
    lost = [u for r in results for u in r.unmeasured]
    if not found and not lost:
        raise UsageError("NOTHING-MEASURED", "the catalogue has no obligation to measure")
    if as_json:
        print_json(_as_json(results))
    near = [h for h in found if max_use is not None and h.use is not None and h.use > max_use]
    for item in near:
        click.echo(f"{item.declaration or item.module} needs {_percent(item)} of its {item.option}", err=True)
    return 1 if near or (max_use is not None and lost) or not found else 0


def _percent(item: Headroom) -> str:
    return "–" if item.use is None else f"{100 * item.use:.0f} %"


def _shown(results: Iterable[ModuleHeadroom], *, quiet: bool) -> Iterable[ModuleHeadroom]:
    """Pass results on, each printed as soon as it is known: measuring takes long."""
    for result in results:
        if not quiet:
            _print(result)
        yield result


def _print(result: ModuleHeadroom) -> None:
    click.echo(result.module)
    name: str | None = None
    for h in result.found:
        if h.declaration != name:
            name = h.declaration
            click.echo(f"  {plain(name)}" if name else "  the whole module, in MiB")
        limit = f"{h.limit:,}" if h.limit else "no limit"
        below = f"below that {h.failure}" if h.failure else "no value was seen to fail"
        click.echo(f"    {h.option:14}{h.needed:>9,} of {limit:>9} {_percent(h):>6}  {below}")
    for lost in result.unmeasured:
        click.echo(f"  {plain(lost.declaration)}: not measured: {lost.reason}")
    for written in result.limits:
        word = "dead: the module passes without it" if written.dead else "needed"
        click.echo(f"  line {written.line}: set_option {written.option} {written.value}: {word}")


def _as_json(results: Sequence[ModuleHeadroom]) -> dict[str, Any]:
    """Return the results as plain data; `use` is a ratio, null where there is no limit."""
    return {
        "schema_version": 1,
        "declarations": [{**asdict(h), "use": h.use} for r in results for h in r.found],
        "limits": [asdict(limit) for r in results for limit in r.limits],
        "unmeasured": [asdict(u) for r in results for u in r.unmeasured],
    }
