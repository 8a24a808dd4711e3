"""`tracker bisect`: which commit, or which Lean, broke it or made it slow."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, get_args

import click

from tracker.cli.options import (
    console,
    end_by_sigterm,
    json_option,
    make_workspace,
    print_json,
    workspace_options,
)
from tracker.cli.output import write_file
from tracker.config import Settings, parse_limit
from tracker.errors import UsageError
from tracker.gate.bisect import Oracle, OracleKind
from tracker.gate.bisect_range import Candidate, commit_range, toolchain_range
from tracker.gate.bisect_run import BisectRequest, bisection_json
from tracker.gate.bisect_run import bisect as run_bisect
from tracker.gate.upgrade_run import Packages
from tracker.gate.worktree import Repository, find_repository
from tracker.report.progress import ProgressLines
from tracker.report.upgrade_bisect import print_bisection
from tracker.text import show_text
from tracker.units import parse_bytes, parse_seconds


@click.command()
@click.option("--toolchains", metavar="A,B,…", help="The Leans to try, the good end first; A..B: elan's.")
@click.option("--good", metavar="COMMIT", help="A commit where it was good.")
@click.option("--bad", metavar="COMMIT", help="A later commit where it is bad (default: HEAD).")
@click.option(
    "--ref", metavar="COMMIT", default="HEAD", show_default=True, help="The commit for --toolchains."
)
@click.option(
    "--obligation", "ids", multiple=True, required=True, metavar="ID", help="What to look at; repeatable."
)
@click.option(
    "--oracle", "kind", type=click.Choice(get_args(OracleKind)), default="label", show_default=True,
    help="Bad is: not proved; failing in one class; more CPU time, or more memory, than a threshold.",
)  # fmt: skip
@click.option("--class", "cls", metavar="LABEL", help="For `class` (default: the bad end's label).")
@click.option("--threshold", metavar="AMOUNT", help="For `time` and `memory`, such as 30s or 4GiB.")
@click.option(
    "--repeat", "repeats", type=click.IntRange(1, 99), default=5, metavar="N",
    help="How often at most a cost near the threshold is measured (default: 5).",
)  # fmt: skip
@click.option(
    "--band", type=click.FloatRange(0.0, 1.0), default=0.1, show_default=True,
    help="How near, as a part of the threshold, is near.",
)  # fmt: skip
@click.option(
    "--packages", type=click.Choice(get_args(Packages)), default="refuse", show_default=True,
    help="Packages that go with another Lean: see `tracker upgrade`.",
)  # fmt: skip
@click.option("--fresh", is_flag=True, help="Forget the steps of an earlier search for the same.")
@click.option("--output", "-o", metavar="FILE", help="Write results.json there too.")
@json_option
@workspace_options
def bisect(
    toolchains: str | None,
    good: str | None,
    bad: str | None,
    ref: str,
    output: str | None,
    as_json: bool,
    **options: Any,
) -> int:
    """Find the first commit, or the first Lean, with which an obligation is not proved or costs too much.

    Both ends are verified first. What cannot be tested (the obligation does not exist there, another failure
    is in the way, the toolchain is not installed) is stepped around. Everything happens in a scratch tree;
    what was tried is kept in .tracker/bisect/, so that the same command goes on where it was cut off. Exit
    code 0 when the first bad one is found, 1 when it is one of several, 2 when an end is not what it must be.

    \b
    tracker bisect --good v1.0 --obligation vitTinyInputGradB_correct
    tracker bisect --toolchains v4.33.0..v4.36.0 --obligation vitTinyInputGradB_correct --oracle time
    tracker bisect --toolchains embedded,shallow --obligation vitTinyInputGradB_correct --oracle class
    """
    places = {key: options.pop(key) for key in ("project", "catalogue", "state", "toolchain")}
    settings = make_workspace(**places).settings
    repository = find_repository(settings.project)
    candidates = _candidates(settings, repository, toolchains, good, bad, ref)
    request = BisectRequest(
        axis="toolchains" if toolchains is not None else "commits",
        candidates=tuple(candidates),
        packages=options.pop("packages"),
        fresh=options.pop("fresh"),
        oracle=_oracle(**options),
    )
    end_by_sigterm()
    err = console(stderr=True)
    found = run_bisect(
        settings,
        repository,
        request,
        lambda: ProgressLines(err),
        lambda text: click.echo(show_text(text), err=True),
    )
    if output is not None:
        write_file(Path(output), found.file.read_text(encoding="utf-8"))
    if as_json:
        print_json(bisection_json(found))
    else:
        print_bisection(found, console())
    return 0 if found.turn is not None and found.turn.certain else 1


def _candidates(
    settings: Settings, repository: Repository, toolchains: str | None, good: str | None, bad: str | None,
    ref: str,
) -> list[Candidate]:  # fmt: skip
    if (toolchains is None) == (good is None):
        raise UsageError(
            "BISECT-RANGE", "a bisection is over commits or over toolchains", "give --good, or --toolchains"
        )
    if toolchains is not None:
        if bad is not None:
            raise UsageError("BISECT-RANGE", "--bad goes with --good", "leave it out")
        return toolchain_range(toolchains, repository.commit(ref).sha, os.environ)
    assert good is not None
    return commit_range(repository, good, bad or "HEAD", settings.toolchain)


def _oracle(
    ids: tuple[str, ...], kind: OracleKind, cls: str | None, threshold: str | None, repeats: int, band: float
) -> Oracle:
    if cls is not None and kind != "class":
        raise UsageError("BISECT-ORACLE", "--class goes with --oracle class")
    if threshold is not None and kind not in ("time", "memory"):
        raise UsageError("BISECT-ORACLE", "--threshold goes with --oracle time or memory")
    if threshold is None and kind in ("time", "memory") and len(ids) > 1:
        raise UsageError(
            "BISECT-ORACLE",
            "several obligations share no threshold",
            "give --threshold, or one obligation",
        )
    amount = 0.0
    if threshold is not None:
        parse = parse_seconds if kind == "time" else parse_bytes
        amount = parse_limit(threshold, parse, "--threshold")
    return Oracle(kind, tuple(dict.fromkeys(ids)), cls or "", amount, band, repeats)
