"""`tracker doctor`: which Lean is used, why, and what is missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from tracker.cli.options import json_option, make_workspace, print_json, workspace_options
from tracker.errors import TrackerError
from tracker.gate.unsound import parse_version
from tracker.machine import this_machine
from tracker.units import show_count
from tracker.workspace import Workspace

_LAKE_CHECK = (4, 35, 0, 0)
"""The first Lean that has `lake check` (release notes of 4.35.0)."""


@click.command()
@json_option
@workspace_options
def doctor(as_json: bool, **places: str | None) -> int:
    """Say which toolchain is used and why, its version and commit, and what is missing.

    Exit code 0 when a run could start, 3 when there is no Lean, 2 when something else is wrong.
    """
    workspace = make_workspace(**places)
    checks = [
        _attempt("project", lambda: _project(workspace)),
        _attempt("toolchain", lambda: _toolchain(workspace)),
        _attempt("pin", lambda: _pin(workspace)),
        _attempt("catalogue", lambda: _catalogue(workspace)),
        _attempt("store", lambda: _store(workspace)),
        _attempt("witness", lambda: _witness(workspace)),
        _attempt("machine", lambda: ({"machine": str(this_machine())}, str(this_machine()))),
    ]
    if as_json:
        print_json({"schema_version": 1, "checks": [facts for facts, _ in checks]})
    else:
        for facts, text in checks:
            mark = {"ok": "✔", "warning": "▲", "error": "✘"}[facts["state"]]
            click.echo(f"{mark} {facts['name']:<10} {text}")
    return max(int(facts.get("exit_code", 0)) for facts, _ in checks)


Fact = tuple[dict[str, Any], str]


def _attempt(name: str, look: Callable[[], Fact]) -> Fact:
    try:
        facts, text = look()
    except TrackerError as error:
        hint = f"\n             {error.hint}" if error.hint else ""
        facts = {"state": "error", "code": error.code, "message": error.message, "hint": error.hint}
        return {"name": name, **facts, "exit_code": error.exit_code}, f"{error.message}{hint}"
    return {"name": name, "state": "ok", **facts}, text


def _project(workspace: Workspace) -> Fact:
    project = workspace.project
    facts: dict[str, Any] = {"root": str(project.root), "modules": len(project.modules)}
    text = f"{project.root}: {show_count(len(project.modules), 'module')}"
    problems = [str(p) for p in project.problems] + [" -> ".join(c) for c in project.cycles()]
    if problems:
        facts |= {"state": "warning", "problems": problems}
        text += "".join(f"\n             {problem}" for problem in problems)
    return facts, text


def _toolchain(workspace: Workspace) -> Fact:
    tool = workspace.toolchain
    facts = {
        "toolchain": tool.name, "lake": str(tool.lake), "lean": str(tool.lean), "version": tool.version,
        "githash": tool.githash, "reason": tool.reason,
    }  # fmt: skip
    text = f"Lean {tool.version}, commit {tool.githash}"
    return (
        facts,
        f"{text}\n             because {tool.reason}\n             {tool.lake}\n             {tool.lean}",
    )


def _pin(workspace: Workspace) -> Fact:
    pin = workspace.project.toolchain
    used = workspace.toolchain.version
    if pin is None:
        return {
            "state": "warning",
            "pin": None,
        }, "no lean-toolchain file: a build elsewhere may use another Lean"
    if pin.rpartition(":")[2].removeprefix("v") != used:
        return {"state": "warning", "pin": pin}, f"the project pins {pin}; Lean {used} is used"
    return {"pin": pin}, pin


def _catalogue(workspace: Workspace) -> Fact:
    catalogue = workspace.catalogue
    where = ", ".join(str(path) for path in workspace.settings.catalogue)
    return {"obligations": len(catalogue)}, f"{where}: {show_count(len(catalogue), 'obligation')}"


def _store(workspace: Workspace) -> Fact:
    history = workspace.open_history(write=False)
    where = str(workspace.settings.state)
    if history is None:
        return {"runs": 0}, f"{where}: no evidence yet; `tracker run` gathers it"
    try:
        runs = history.runs(1)
    finally:
        history.close()
    number = runs[0].number if runs else 0
    return {"runs": number}, f"{where}: {show_count(number, 'run')}"


def _witness(workspace: Workspace) -> Fact:
    """Say which checkers could be the gate's second witness: Lean's own come with its releases."""
    configured = list(workspace.settings.gate.witness)
    if configured:
        return {"configured": configured}, f"`{' '.join(configured)}`; `tracker gate --witness` asks it"
    tool = workspace.toolchain
    beside = [str(p) for p in (tool.lean.parent / "leanchecker",) if p.exists()]
    parsed = parse_version(tool.version)
    found = (["lake check"] if parsed and parsed >= _LAKE_CHECK and tool.name != "embedded" else []) + beside
    if not found:
        text = (
            "none is configured, and this toolchain brings none: an installed Lean has `lake check` from"
            " 4.35.0,\n             `leanchecker` before; another program: witness = [...] under [gate]"
        )
        return {"configured": [], "found": []}, text
    words = ", ".join(f'"{word}"' for word in found[0].split())
    text = f"none is configured; to have one, write witness = [{words}] under [gate] in tracker.toml"
    return {"configured": [], "found": found}, text
