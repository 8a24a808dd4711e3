"""`tracker check`: is the catalogue itself in order? Needs no Lean."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from tracker.catalogue.diagnostics import Diagnostic, Severity
from tracker.catalogue.load import LoadResult, load_catalogue
from tracker.cli.options import json_option, print_json
from tracker.config import load_settings
from tracker.errors import UsageError

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--catalogue", metavar="PATH", help="The catalogue (default: tracker.toml, else obligations/).")
@click.option("--strict", is_flag=True, help="Let warnings fail the check too.")
@click.option("--info", is_flag=True, help="Also show what is no fault but may be worth knowing.")
@json_option
def check(paths: tuple[str, ...], catalogue: str | None, strict: bool, info: bool, as_json: bool) -> int:
    """Check the catalogue without Lean: YAML, fields, names, dependencies, cycles, families.

    Every fault is reported at once, with its file, line and column. PATHs are files or directories that
    make one catalogue; without any, it is the configured one.

    Exit code 0 when there is no error (with --strict: nor warning), else 2.

    \b
    tracker check
    tracker check other/obligations --strict
    tracker check --json | jq -r '.diagnostics[] | "\\(.file):\\(.line) \\(.code)"'
    """
    result = load_catalogue(_places(paths, catalogue), info=info)
    if as_json:
        print_json(result.to_json())
    else:
        for diagnostic in result.diagnostics:
            _echo(diagnostic)
        click.echo(_summary(result))
    failed = result.catalogue is None or (strict and bool(result.warnings))
    return 2 if failed else 0


def _places(paths: tuple[str, ...], catalogue: str | None) -> tuple[Path, ...]:
    if paths:
        return tuple(Path(path) for path in paths)
    places = load_settings(Path.cwd(), {"catalogue": catalogue}).catalogue
    missing = [place for place in places if not os.path.lexists(place)]
    if missing:
        raise UsageError(
            "no-catalogue",
            f"there is no catalogue at {missing[0]}",
            "write obligations/core.yaml there, or name the catalogue by --catalogue or in tracker.toml",
        )
    return places


def _echo(found: Diagnostic) -> None:
    severity = click.style(f"{found.severity}[{found.code}]", fg=_COLOURS[found.severity], bold=True)
    click.echo(f"{found.source}: {severity}: {found.message}", color=_colour())
    if found.hint:
        click.echo(f"  hint: {found.hint}")


def _colour() -> bool | None:
    """Whether to colour: NO_COLOR and FORCE_COLOR decide, else whether this is a terminal."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return True if os.environ.get("FORCE_COLOR") else sys.stdout.isatty()


def _summary(result: LoadResult) -> str:
    counts = [
        f"{n} {severity}{'s' if n != 1 else ''}"
        for severity in (Severity.ERROR, Severity.WARNING)
        if (n := len(result.of(severity)))
    ]
    where = f"{len(result.files)} file{'s' if len(result.files) != 1 else ''}"
    if result.catalogue is None:
        return f"✘ {', '.join(counts)} in {where}; `tracker explain CODE` explains each"
    total = len(result.catalogue)
    what = f"{total} obligation{'s' if total != 1 else ''} in {where}"
    return f"▲ {what}, {counts[0]}" if counts else f"✔ {what}"
