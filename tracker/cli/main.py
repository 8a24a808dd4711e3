"""`tracker`: the command line. Exit codes: 0 pass, 1 a check failed, 2 usage, 3 no Lean, 130 interrupted."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import sys
from typing import Any

import click

from tracker import __version__
from tracker.errors import TrackerError

# Verb -> module under tracker.cli; loaded only when it is asked for, since start-up time is felt.
VERBS = {
    "init": "init",
    "add": "add",
    "run": "run",
    "merge": "merge",
    "budget": "budget",
    "status": "status",
    "show": "show",
    "check": "check",
    "edges": "edges",
    "lock": "lock",
    "gate": "gate",
    "diff": "diff",
    "history": "history",
    "graph": "graph",
    "impact": "graph",
    "why": "graph",
    "doctor": "doctor",
    "upgrade": "upgrade",
    "bisect": "bisect",
    "explain": "explain",
    "classify": "classify",
    "report": "report",
    "scan": "scan",
    "headroom": "headroom",
    "levels": "levels",
    "profile": "profile",
}


class _Verbs(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in VERBS:
            return None
        command = getattr(importlib.import_module(f"tracker.cli.{VERBS[cmd_name]}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from tracker.catalogue.suggest import did_you_mean

            hint = did_you_mean(args[0], VERBS) if args else None
            raise click.UsageError(f"{error.message} {hint or ''}".strip(), ctx) from error


@click.group(
    cls=_Verbs,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 everything asked for holds; 1 something is not proved; 2 usage or catalogue error; "
    "3 Lean or Lake could not run; 130 interrupted.",
)
@click.version_option(__version__, "--version", prog_name="tracker")
@click.option("--debug", is_flag=True, help="Show a traceback with an error.")
@click.pass_context
def cli(ctx: click.Context, debug: bool) -> None:
    """Track what must be proved in a Lean 4 formalization: what is proved today, and at what cost.

    \b
    tracker check        the catalogue, without Lean
    tracker run          have Lean check what changed, and record what it said
    tracker status       what is proved, what is not and why
    tracker show ID      everything known of one obligation
    """
    ctx.obj = {"debug": debug}


def main(args: list[str] | None = None) -> None:
    """Run the command line and exit with its code; never with a traceback, unless `--debug` is given."""
    arguments = sys.argv[1:] if args is None else args
    _prepare_streams()
    sys.exit(_outcome(arguments))


def _prepare_streams() -> None:
    """Let nothing that can be said fail: closed streams (`>&-`) write to nowhere, where Python has None.

    A file opened later, such as the store, must not get the number of a stream that children write to.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a locale without ✔, a file name that is not UTF-8
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for the rest of the process
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def _outcome(args: list[str]) -> int:
    try:
        result: Any = cli.main(args, prog_name="tracker", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except TrackerError as error:
        if "--debug" in args:
            raise
        click.echo(str(error), err=True)
        return error.exit_code
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted; what was finished is kept", err=True)
        return 130
    except Exception as error:
        if "--debug" in args and not isinstance(error, click.ClickException):
            raise
        return _report_unforeseen(error)


def _report_unforeseen(error: Exception) -> int:
    """Say what no other error class stands for, and return the exit code."""
    if isinstance(error, click.ClickException):
        error.show()
        return 2
    if isinstance(error, BrokenPipeError):
        _abandon_output()
        return 1  # what was to be said was not heard
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        text = f"{where}{error.strerror or error}"
        known = TrackerError("SYSTEM", text, "the system refused it; `tracker --debug` shows where")
    else:
        text = f"{type(error).__name__}: {error}"
        known = TrackerError("INTERNAL", text, "a defect of tracker; `tracker --debug` shows where")
    with contextlib.suppress(OSError):
        click.echo(str(known), err=True)
    _abandon_output()
    return known.exit_code


def _abandon_output() -> None:
    """Drop what cannot be written any more; Python would try again, and complain, while it ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
