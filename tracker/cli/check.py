"""`tracker check`: is the catalogue itself in order? Needs no Lean."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tracker.catalogue.diagnostics import Diagnostic, Severity
from tracker.catalogue.load import LoadResult, load_catalogue
from tracker.cli.options import json_option, print_json
from tracker.config import load_settings
from tracker.errors import UsageError
from tracker.text import show_text
from tracker.units import show_count

if TYPE_CHECKING:
    from tracker.presence import Presence

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--catalogue", metavar="PATH", help="The catalogue (default: tracker.toml, else obligations/).")
@click.option("--project", metavar="PATH", help="Also say which declarations the Lean project there has.")
@click.option("--strict", is_flag=True, help="Let warnings fail the check too.")
@click.option("--info", is_flag=True, help="Also show what is no fault but may be worth knowing.")
@json_option
def check(
    paths: tuple[str, ...],
    catalogue: str | None,
    project: str | None,
    strict: bool,
    info: bool,
    as_json: bool,
) -> int:
    """Check the catalogue without Lean: YAML, fields, names, dependencies, cycles, families, chains.

    Every fault is reported at once, with its file, line and column. PATHs are files or directories that
    make one catalogue; without any, it is the configured one.

    With --project the sources of a Lean project are read too, still without Lean: which of the declarations
    they hold, and which under an older name or in another module. Declarations that macros make are not seen.

    Exit code 0 when there is no error (with --strict: nor warning), else 2; 1 when with --strict and
    --project a declaration is not where the catalogue says.

    \b
    tracker check
    tracker check other/obligations --strict
    tracker check examples/lean4-mlir --project ../lean4-mlir
    tracker check --json | jq -r '.diagnostics[] | "\\(.file):\\(.line) \\(.code)"'
    """
    result = load_catalogue(_places(paths, catalogue), info=info)
    found, problems = _presence(result, project)
    if as_json:
        data = result.to_json()
        print_json(data if found is None else {**data, "project": _project_json(project, found, problems)})
    else:
        for diagnostic in result.diagnostics:
            _echo(diagnostic)
        click.echo(_summary(result))
        if found is not None:
            _echo_presence(project, found, problems)
    if result.catalogue is None or (strict and result.warnings):
        return 2
    return int(strict and any(each.where != "here" for each in found or ()))


def _presence(result: LoadResult, project: str | None) -> tuple[tuple[Presence, ...] | None, tuple[str, ...]]:
    """Where the declarations are, None if that was not asked; and what is wrong with the project."""
    if project is None or result.catalogue is None:
        return None, ()
    from tracker.lean.project import load_project
    from tracker.presence import presence

    loaded = load_project(project)
    return presence(result.catalogue, loaded), tuple(str(problem) for problem in loaded.problems)


def _project_json(
    project: str | None, found: tuple[Presence, ...], problems: tuple[str, ...]
) -> dict[str, object]:
    return {
        "path": project,
        "problems": list(problems),
        "declarations": [each.to_json() for each in found],
    }


def _echo_presence(project: str | None, found: tuple[Presence, ...], problems: tuple[str, ...]) -> None:
    """Print what is not in its place, then how many declarations are."""
    for problem in problems:
        click.echo(show_text(problem))
    counts = Counter(str(each.where) for each in found)
    for each in found:
        if each.where != "here":
            label = click.style(str(each.where), fg="yellow", bold=True)
            click.echo(f"{each.obligation.source}: {label}: {show_text(each.message())}", color=_colour())
    rest = ", ".join(f"{n} {where}" for where, n in sorted(counts.items()) if where != "here")
    place = show_text(project or "")
    where = "is where it" if counts["here"] == 1 else "are where they"
    text = f"{counts['here']} of {show_count(len(found), 'declaration')} {where} should be in {place}"
    click.echo(f"▲ {text}; {rest}" if rest else f"✔ {text}")


def _places(paths: tuple[str, ...], catalogue: str | None) -> tuple[Path, ...]:
    if paths:
        return tuple(Path(path) for path in paths)
    places = load_settings(Path.cwd(), {"catalogue": catalogue}).catalogue
    missing = [place for place in places if not os.path.lexists(place)]
    if missing:
        raise UsageError(
            "no-catalogue",
            f"there is no catalogue at {missing[0]}",
            "`tracker init` writes a first one; or name it by --catalogue or in tracker.toml",
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
        show_count(n, str(severity))
        for severity in (Severity.ERROR, Severity.WARNING)
        if (n := len(result.of(severity)))
    ]
    where = show_count(len(result.files), "file")
    if result.catalogue is None:
        return f"✘ {', '.join(counts)} in {where}; `tracker explain CODE` explains each"
    what = f"{show_count(len(result.catalogue), 'obligation')} in {where}"
    return f"▲ {what}, {counts[0]}" if counts else f"✔ {what}"
