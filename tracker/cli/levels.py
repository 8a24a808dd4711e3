"""`tracker levels`: how the cost of a family of proofs grows with the number of stages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
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
from tracker.units import parse_bytes, parse_seconds, show_bytes, show_seconds

if TYPE_CHECKING:
    from tracker.lean.lake import Lake
    from tracker.levels.growth import Growth
    from tracker.levels.sweep import Level
    from tracker.workspace import Workspace


@click.command()
@click.argument("template", type=click.Path(path_type=Path))
@click.option("--from", "first", type=click.IntRange(1), default=2, show_default=True, metavar="K")
@click.option("--to", "last", type=click.IntRange(1), default=8, show_default=True, metavar="K")
@click.option("--step", type=click.IntRange(1), default=1, show_default=True, metavar="N")
@click.option("--budget", metavar="TIME", default="60s", show_default=True, help="Wall clock of one level.")
@click.option("--memory", metavar="SIZE", help="Memory of one level, such as 8GiB.")
@json_option
@workspace_options
def levels(
    template: Path, first: int, last: int, step: int, budget: str, memory: str | None, as_json: bool,
    **places: str | None,
) -> int:  # fmt: skip
    """Check one proof at growing numbers of stages, and name how its cost grows.

    TEMPLATE is Lean text in which `{{ k }}` is the number of stages and `{% for i in range(k) %}` repeats
    (jinja2). It may import the project's modules, which must be built: `tracker run`. The sweep ends at the
    first level that does not pass within the budget. Exit code 1 when there is one.

    \b
    tracker levels lean/levels/saves-composed.lean.j2 --to 10 --budget 30s
    tracker levels lean/levels/saves-named.lean.j2 --from 4 --to 32 --step 4 --json
    """
    from tracker.lean.process import Limits
    from tracker.levels.growth import growth
    from tracker.levels.sweep import render, sweep

    if first > last:
        raise UsageError("LEVELS", f"--from {first} is above --to {last}", "give the smaller one first")
    limits = Limits(
        wall_s=parse_limit(budget, parse_seconds, "--budget"),
        memory_bytes=None if memory is None else parse_limit(memory, parse_bytes, "--memory"),
    )
    end_by_sigterm()
    workspace = make_workspace(**places)
    render(template, last)  # a bad template is told before Lean starts
    with _lake(workspace) as lake, console(stderr=True).status("") as line:
        found = list(
            _shown(
                sweep(
                    lake, template, range(first, last + 1, step), limits, lambda k: line.update(f"k = {k}")
                ),
                quiet=as_json,
            )
        )
    passed = [level for level in found if level.failure is None]
    laws = {
        "kernel": growth([(level.k, level.kernel_s) for level in passed]),
        "elaboration": growth([(level.k, level.elaboration_s) for level in passed]),
        "memory": growth([(level.k, float(level.peak_rss_bytes)) for level in passed]),
    }
    if as_json:
        print_json(_as_json(template, found, laws))
    else:
        for name, law in laws.items():
            click.echo(f"{name:12} {law}")
    return 0 if len(passed) == len(found) and found else 1


@contextmanager
def _lake(workspace: Workspace) -> Iterator[Lake]:
    """Hold Lake for the project, and the project for us alone."""
    from tracker.lean.lake import Lake
    from tracker.lean.process import Supervisor
    from tracker.run.artifacts import lib_dir
    from tracker.run.session import only_one

    root = Path(workspace.project.root)
    with (
        only_one(workspace.settings.state),
        Supervisor() as supervisor,
        Lake(workspace.toolchain, root, lib_dir(workspace.project), supervisor) as lake,
    ):
        yield lake


def _shown(found: Iterable[Level], *, quiet: bool) -> Iterator[Level]:
    """Pass levels on, each printed as soon as it is known."""
    if not quiet:
        click.echo(f"{'k':>4} {'kernel':>10} {'elaboration':>12} {'wall':>10} {'memory':>9}")
    for level in found:
        if not quiet:
            click.echo(
                f"{level.k:>4} {show_seconds(level.kernel_s):>10} {show_seconds(level.elaboration_s):>12} "
                f"{show_seconds(level.wall_s):>10} {show_bytes(level.peak_rss_bytes):>9}"
            )
            if level.failure is not None:
                where = f" in {plain(level.failure.declaration)}" if level.failure.declaration else ""
                click.echo(f"     {level.failure.cls}{where}")
        yield level


def _as_json(template: Path, found: list[Level], laws: dict[str, Growth]) -> dict[str, Any]:
    """Return the sweep as plain data. Times in seconds, memory in bytes."""
    return {
        "schema_version": 1,
        "template": str(template),
        "levels": [
            {
                "k": level.k, "passed": level.failure is None,
                "class": str(level.failure.cls) if level.failure else None,
                "declaration": level.failure.declaration if level.failure else None,
                "kernel_s": level.kernel_s, "elaboration_s": level.elaboration_s, "wall_s": level.wall_s,
                "peak_rss_bytes": level.peak_rss_bytes, "slowest": level.slowest,
            }
            for level in found
        ],
        "growth": {
            name: {"law": law.law, "rate": law.rate, "error": law.error, "words": str(law)}
            for name, law in laws.items()
        },
    }  # fmt: skip
