"""`tracker report`: the dashboard, and the same facts in other forms."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from tracker.cli.options import make_workspace, workspace_options
from tracker.cli.output import write_file
from tracker.errors import LeanError, UsageError
from tracker.lean.toolchain import Toolchain
from tracker.report.html.model import Dashboard, gather
from tracker.workspace import Workspace

FORMATS = ("html", "markdown", "json", "badge")
_FILE = "report.html"


@click.command()
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="html", show_default=True,
    help="What to write: the page, a GitHub step summary, all facts, or a shields.io endpoint.",
)  # fmt: skip
@click.option(
    "--output", "-o", metavar="PATH",
    help="A file; `-` for standard output; a directory for a whole site. Default: report.html in the state "
    "directory; other forms than html go to standard output.",
)  # fmt: skip
@click.option("--serve", is_flag=True, help="Show the page on this machine, live, until Ctrl-C.")
@click.option("--port", type=click.IntRange(0, 65535), help="The port for --serve; 0 chooses a free one.")
@workspace_options
def report(form: str, output: str | None, serve: bool, port: int | None, **places: str | None) -> int:
    """Write the dashboard from the evidence of earlier runs. Starts no Lean.

    The page is one file that needs no network. A directory gets index.html, report.json, report.md and
    badge.json, ready for a static site. Exit code 0 when it was written, whatever it says: `tracker status`
    is what tells by its exit code whether all is proved.

    \b
    tracker report
    tracker report --output reports/dashboard.html
    tracker report --output site/
    tracker report --format markdown >> "$GITHUB_STEP_SUMMARY"
    tracker report --serve
    """
    if serve:
        if output is not None or form != "html":
            raise UsageError("SERVE", "--serve writes no file and shows every form", "leave the others out")
        return _serve(port, places)
    if port is not None:
        raise UsageError("SERVE", "--port goes with --serve")
    if output == "":
        raise UsageError("OUTPUT", "--output names no file", "give a file, a directory, or `-`")
    workspace = _workspace(places)
    if output is not None and output != "-" and (output.endswith(("/", os.sep)) or Path(output).is_dir()):
        if form != "html":
            raise UsageError("OUTPUT", f"{output} is a directory", "give a file, or leave --format out")
        _write_site(gather(workspace), Path(output))
        return 0
    board = gather(workspace)
    text = _forms(board)[form]()
    if output == "-" or (output is None and form != "html"):
        click.echo(text, nl=False)
        return 0
    file = workspace.settings.state / _FILE if output is None else Path(output)
    write_file(file, text)
    click.echo(f"wrote {file} ({len(text.encode('utf-8', 'replace')) / 1024:.0f} KiB)", err=True)
    return 0


def _forms(board: Dashboard) -> Mapping[str, Callable[[], str]]:
    from tracker.report.badge import badge_json
    from tracker.report.facts_json import report_json
    from tracker.report.html.render import render
    from tracker.report.markdown import report_markdown

    def as_json(data: object) -> str:
        return json.dumps(data, ensure_ascii=False, indent=1) + "\n"

    return {
        "html": lambda: render(board),
        "markdown": lambda: report_markdown(board),
        "json": lambda: as_json(report_json(board)),
        "badge": lambda: as_json(badge_json(board.status)),
    }


def _write_site(board: Dashboard, directory: Path) -> None:
    names = {"html": "index.html", "json": "report.json", "markdown": "report.md", "badge": "badge.json"}
    forms = _forms(board)
    for form, name in names.items():
        write_file(directory / name, forms[form]())
    write_file(directory / ".nojekyll", "")  # GitHub Pages would else run it through Jekyll
    click.echo(f"wrote {directory}: {', '.join(names.values())}", err=True)


def _workspace(places: Mapping[str, str | None]) -> Workspace:
    """Return the workspace; where no Lean can be had, with the toolchain that the newest run recorded."""
    workspace = make_workspace(**places)
    try:
        _ = workspace.toolchain
    except LeanError as error:
        recorded = recorded_toolchain(workspace)
        if recorded is None:
            raise
        click.echo(f"{error.message}: reporting by the toolchain of the newest run", err=True)
        workspace.toolchain = recorded
    return workspace


def recorded_toolchain(workspace: Workspace) -> Toolchain | None:
    """Return the toolchain of the newest run, as a name only; None without a run."""
    history = workspace.open_history(write=False)
    if history is None:
        return None
    try:
        runs = history.runs(1)
    finally:
        history.close()
    if not runs:
        return None
    version, githash, *options = runs[0].toolchain_identity.split(" ")
    return Toolchain(
        runs[0].toolchain, Path("lake"), Path("lean"), version, githash, "recorded", lean_args=tuple(options)
    )


def _serve(port: int | None, places: Mapping[str, str | None]) -> int:
    from tracker.report.html.serve import PORT, make_server

    toolchain = _workspace(places).toolchain  # found once: identifying a Lean takes longer than a page

    def fresh() -> Workspace:
        workspace = make_workspace(**places)
        workspace.toolchain = toolchain
        return workspace

    try:
        server = make_server(fresh, PORT if port is None else port)
    except UsageError:
        if port is not None:
            raise
        server = make_server(fresh, 0)
    click.echo(f"http://127.0.0.1:{server.server_port}/  (Ctrl-C ends it)")
    try:
        server.serve_forever(poll_interval=0.2)
    except KeyboardInterrupt:
        click.echo("\nended", err=True)
    finally:
        server.server_close()
    return 0
