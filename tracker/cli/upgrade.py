"""`tracker upgrade`: would another Lean still prove it, and at what cost."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import click

from tracker.cli.options import console, end_by_sigterm, json_option, make_workspace, workspace_options
from tracker.cli.output import write_file
from tracker.config import Settings, parse_limit
from tracker.gate.compare import Tolerance
from tracker.gate.upgrade import Ruling
from tracker.gate.upgrade_run import Packages, TriedUpgrade, UpgradeRequest, try_upgrade
from tracker.report.progress import ProgressLines
from tracker.report.upgrade import print_upgrade
from tracker.text import show_text
from tracker.units import parse_bytes, parse_seconds

FORMATS = ("text", "json", "markdown")


@click.command()
@click.argument("targets", nargs=-1, metavar="[TARGET…]")
@click.option(
    "--to", "after", metavar="NAME", required=True,
    help="The Lean to try: v4.36.0 (installed by elan), embedded, or an entry [toolchains.NAME].",
)  # fmt: skip
@click.option("--from", "before", metavar="NAME", help="The Lean to compare with (default: the one in use).")
@click.option("--ref", metavar="COMMIT", default="HEAD", show_default=True, help="The commit to try.")
@click.option("--dirty", is_flag=True, help="Try the uncommitted changes too; else only the commit is tried.")
@click.option(
    "--packages", type=click.Choice(get_args(Packages)), default="refuse", show_default=True,
    help="Packages that go with another Lean: refuse to go on; let `lake update` fetch others in the "
    "scratch tree; keep the old ones.",
)  # fmt: skip
@click.option(
    "--repeat", "repeats", type=click.IntRange(1, 99), default=1, metavar="N",
    help="How often a module that seems to cost more is measured on each side (default: 1).",
)  # fmt: skip
@click.option(
    "-j", "--jobs", type=click.IntRange(1), default=1, metavar="N", help="Check N modules at a time."
)
@click.option("--ratio", type=click.FloatRange(1.0), help="What of a growth is noise, as a factor.")
@click.option("--floor-time", metavar="TIME", help="What of a growth is noise, in CPU time.")
@click.option("--floor-memory", metavar="SIZE", help="What of a growth is noise, in memory.")
@click.option(
    "--fail-on", type=click.Choice(("costs", "loss")), default="costs", show_default=True,
    help="What makes the exit code 1: more cost or a loss, or a loss only.",
)  # fmt: skip
@click.option("--wall", metavar="TIME", help="Wall-clock limit of one module, such as 10min.")
@click.option("--module-memory", metavar="SIZE", help="Memory limit of one module, such as 8GiB.")
@click.option("--all", "show_all", is_flag=True, help="List everything that is not as before.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--output", "-o", metavar="FILE", help="Where to write it (default: standard output).")
@json_option
@workspace_options
def upgrade(
    targets: tuple[str, ...],
    fail_on: str,
    show_all: bool,
    form: str,
    output: str | None,
    as_json: bool,
    **options: Any,
) -> int:
    """Try another Lean on this project: what is lost, what costs more, what prints differently.

    The commit is checked by both toolchains in scratch trees, which are removed afterwards; your own tree is
    never touched, and no toolchain is ever downloaded. Evidence that still holds is used, and what was
    finished is kept when this is cut off. Exit code 0 when it is safe, 1 when something is lost, costs
    more, or nothing was proved before, 2 usage, 3 when a Lean could not run.

    \b
    tracker upgrade --to v4.36.0
    tracker upgrade --to v4.36.0 'vit*' --repeat 3
    tracker upgrade --to v4.36.0 --format markdown --output upgrade.md
    tracker upgrade --from embedded --to shallow -j 2
    """
    places = {key: options.pop(key) for key in ("project", "catalogue", "state", "toolchain")}
    settings = _limited(make_workspace(**places).settings, options.pop("wall"), options.pop("module_memory"))
    request = UpgradeRequest(
        targets=targets,
        tolerance=_tolerance(
            settings, options.pop("ratio"), options.pop("floor_time"), options.pop("floor_memory")
        ),
        **options,
    )
    end_by_sigterm()
    err = console(stderr=True)
    tried = try_upgrade(
        settings, request, lambda: ProgressLines(err), lambda text: click.echo(show_text(text), err=True)
    )
    _say(tried, "json" if as_json else form, output, show_all)
    passed = (Ruling.SAFE,) if fail_on == "costs" else (Ruling.SAFE, Ruling.COSTS)
    return 0 if tried.upgrade.ruling in passed else 1


def _limited(settings: Settings, wall: str | None, memory: str | None) -> Settings:
    """Return the settings with the limits of the command line."""
    if wall is not None:
        settings = replace(settings, wall_s=parse_limit(wall, parse_seconds, "--wall"))
    if memory is not None:
        settings = replace(settings, memory_bytes=parse_limit(memory, parse_bytes, "--module-memory"))
    return settings


def _tolerance(settings: Settings, ratio: float | None, time: str | None, memory: str | None) -> Tolerance:
    """Return what of a growth is noise: the gate's settings, less what the command line says."""
    gate = settings.gate
    return Tolerance(
        ratio=ratio or gate.time_ratio,
        memory_ratio=ratio or gate.memory_ratio,
        floor_s=gate.time_floor_s
        if time is None
        else parse_limit(time, parse_seconds, "--floor-time", zero=True),
        floor_bytes=(
            gate.memory_floor_bytes
            if memory is None
            else parse_limit(memory, parse_bytes, "--floor-memory", zero=True)
        ),
        deviations=gate.deviations,
    )


def _say(tried: TriedUpgrade, form: str, output: str | None, show_all: bool) -> None:
    from tracker.report.upgrade_json import upgrade_json
    from tracker.report.upgrade_markdown import upgrade_markdown

    if form == "text" and output is None:
        print_upgrade(tried, console(), show_all=show_all)
        return
    if form == "json":
        text = json.dumps(upgrade_json(tried), ensure_ascii=False, indent=2) + "\n"
    elif form == "markdown":
        text = upgrade_markdown(tried)
    else:
        out = console()
        with out.capture() as caught:
            print_upgrade(tried, out, show_all=show_all)
        text = caught.get()
    if output is None:
        click.echo(text, nl=False)
        return
    write_file(Path(output), text)
