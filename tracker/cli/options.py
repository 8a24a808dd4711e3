"""Options that several verbs share, and what they make of them."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import click
from rich.console import Console

from tracker.config import load_settings
from tracker.workspace import Workspace

_UNBOUNDED = 1 << 16  # columns: longer than any line

F = TypeVar("F", bound=Callable[..., Any])

_PLACES = ("project", "catalogue", "state", "toolchain")


def workspace_options(command: F) -> F:
    """Add the options that say which project, catalogue, state and toolchain are meant."""
    for option in reversed(
        (
            click.option(
                "--project", metavar="DIR", help="The Lake project (default: tracker.toml, else lean/)."
            ),
            click.option("--catalogue", metavar="PATH", help="The catalogue (default: obligations/)."),
            click.option("--state", metavar="DIR", help="Where evidence is kept (default: .tracker/)."),
            click.option(
                "--toolchain", metavar="NAME", help="auto, lake, embedded, or a name from tracker.toml."
            ),
        )
    ):
        command = option(command)
    return command


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON (with schema_version).")


def make_workspace(**places: str | None) -> Workspace:
    """Return the workspace for the current directory. Raises UsageError."""
    settings = load_settings(Path.cwd(), {key: places.get(key) for key in _PLACES})
    return Workspace(settings, on_progress=lambda text: click.echo(text, err=True))


def end_by_sigterm() -> None:
    """Let SIGTERM end this process as Ctrl-C does: what was begun is tidied up, what was finished is kept."""
    signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to the caller what a reader that has gone means; rich would end the process."""
        raise BrokenPipeError


def console(*, stderr: bool = False) -> Console:
    """Return a console that is plain when it is no terminal; rich honours NO_COLOR and FORCE_COLOR.

    Where there is neither a terminal nor COLUMNS nothing is wrapped: lines are whole for grep and editors.
    """
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or _has_columns() else _UNBOUNDED
    return _Console(file=stream, width=width, highlight=False, soft_wrap=False)


def _has_columns() -> bool:
    columns = os.environ.get("COLUMNS", "")
    return columns.isdecimal() and int(columns) > 0


def print_json(data: dict[str, Any]) -> None:
    """Print data as JSON, for programs: stable, one document, UTF-8 or, in another locale, ASCII."""
    unicode = (getattr(sys.stdout, "encoding", None) or "").lower() in ("utf-8", "utf8")
    click.echo(json.dumps(data, ensure_ascii=not unicode, indent=2))
