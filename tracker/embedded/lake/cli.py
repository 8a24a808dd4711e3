"""The commands of the embedded lake."""

from __future__ import annotations

import os

from tracker.embedded.lake.install import Install, find_install
from tracker.embedded.lake.log import ERROR, WARNING, LakeError, Stream, io_error, render
from tracker.embedded.lake.options import Arguments, Options
from tracker.embedded.lake.workspace import Workspace, config_exists, load_workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tracker.embedded.lake.graph import Graph

NEEDS_BUILD = 3
NO_CONFIG = 2
# Commands of the real Lake that have no meaning without dependencies, compiler, scripts or network.
_LACKING = (
    "new", "init", "query", "query-kind", "update", "upgrade", "resolve-deps", "pack", "unpack", "upload",
    "cache", "test", "check-test", "lint", "check-lint", "shake", "script", "scripts", "run", "exe", "exec",
    "translate-config", "reservoir-config", "version-tags", "self-check",
)  # fmt: skip


def main(words: list[str]) -> int:
    """Run the command; return the exit code."""
    from tracker.embedded.lake import process

    try:
        process.catch_signals()
        return run(words)
    except LakeError as error:
        if error.message:
            Stream(2, Stream(2).ansi).log([(ERROR, error.message)], ERROR)
        return error.code
    except process.Interrupted as interruption:
        process.die_of(interruption.number)


def run(words: list[str]) -> int:
    """Run the command. Raises LakeError for everything that ends it."""
    arguments = Arguments(words)
    if not words:
        return _print(_help(""))
    if words == ["--version"]:
        return _print(f"Lake version 5.0.0-embedded (Lean version {find_install().version})")
    arguments.leading_options()
    if not arguments.words:
        if arguments.options.help:
            return _print(_help(""))
        raise LakeError("missing command")
    command = arguments.words.pop(0)
    arguments.leading_options()
    if arguments.options.help:
        return _print(_help(command))
    commands: dict[str, Callable[[Arguments], int]] = {
        "build": _build,
        "check-build": _check_build,
        "clean": _clean,
        "env": _env,
        "help": lambda args: _print(_help(args.words[0] if args.words else "")),
        "lean": _lean,
        "serve": _serve,
        "setup-file": _setup_file,
    }
    if command in commands:
        return commands[command](arguments)
    if command in _LACKING:
        raise LakeError(
            f"the embedded lake has no command '{command}'; install Lean with elan for Lake's own"
        )
    if command.startswith("+"):
        raise LakeError(
            "the `+` option is an Elan feature; rerun Lake via Elan and ensure this option comes first."
        )
    raise LakeError(f"unknown command '{command}'")


def _help(command: str) -> str:
    from tracker.embedded.lake.help import help_text

    return help_text(command)


def _print(text: str) -> int:
    Stream(1, False).write(text + "\n")
    return 0


def _load(options: Options) -> Workspace:
    return load_workspace(options.directory, options.config_file, find_install())


def _build(arguments: Arguments) -> int:
    from tracker.embedded.lake.target import parse_targets

    arguments.all_options()
    options = arguments.options
    workspace = _load(options)
    goals = parse_targets(workspace, arguments.words)
    if not goals and not options.allow_empty:
        warning = (
            "no targets specified and no default targets configured"
            "\n  Note: This will be an error in a future version of Lake."
            "\n  Hint: This warning (or error) can be suppressed with '--allow-empty'."
        )
        Stream(2, options.ansi).log([(WARNING, warning)], options.out_level)
        if options.fail_level <= WARNING:
            return 1
    make_all(workspace, options, lambda graph: [goal(graph) for goal in goals], Stream(1, options.ansi), True)
    return 0


def make_all(
    workspace: Workspace,
    options: Options,
    plan: Callable[[Graph], object],
    stream: Stream,
    show_success: bool = False,
) -> Graph:
    """Build what `plan` adds to a graph and show it. Raises LakeError when the build failed."""
    from tracker.embedded.lake.build import Builder
    from tracker.embedded.lake.graph import Failure, Graph
    from tracker.embedded.lake.job import Job
    from tracker.embedded.lake.monitor import Monitor

    graph, monitor = Graph(workspace), Monitor(stream, options)
    computation = Job("job computation")
    try:
        plan(graph)
    except Failure:
        computation.log = graph.log
    monitor.total = len(graph.nodes)
    monitor.report(computation)
    Builder(graph, options, monitor).run()
    monitor.footer(show_success)
    if monitor.failures:
        if options.no_build and monitor.wants_rebuild:
            raise LakeError("", NEEDS_BUILD)
        raise LakeError("build failed")
    return graph


def _check_build(arguments: Arguments) -> int:
    arguments.all_options()
    arguments.end()
    return 0 if _load(arguments.options).lakefile.default_targets else 1


def _clean(arguments: Arguments) -> int:
    arguments.all_options()
    workspace = _load(arguments.options)
    for name in arguments.words:
        if name != workspace.lakefile.name:
            raise LakeError(f"unknown package `{name}`")
    import shutil

    try:
        shutil.rmtree(workspace.build_dir)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise LakeError(io_error(error)) from None
    return 0


def _environment(options: Options) -> dict[str, str]:
    from tracker.embedded.lake.workspace import base_environment

    if config_exists(options.directory, options.config_file):
        return _load(options).environment()
    return base_environment(find_install())


def _env(arguments: Arguments) -> int:
    variables = _environment(arguments.options)
    if not arguments.words:
        return _print("\n".join([f"{name}={value}" for name, value in variables.items()]))
    return _replace(arguments.words, variables)


def _replace(args: list[str], variables: dict[str, str]) -> int:
    """Become another program; return only when it cannot be started."""
    from tracker.embedded.lake.process import become

    return become(args, {**os.environ, **variables})


def _lean(arguments: Arguments) -> int:
    from tracker.embedded.lake.file import run_lean

    arguments.all_options()
    file = arguments.take("Lean file")
    arguments.end()
    return run_lean(_load(arguments.options), arguments.options, file)


def _setup_file(arguments: Arguments) -> int:
    from tracker.embedded.lake.file import setup_file

    arguments.all_options()
    options = arguments.options
    file = arguments.take("file path")
    header = arguments.words.pop(0) if arguments.words else None
    arguments.end()
    if not config_exists(options.directory, options.config_file):
        return NO_CONFIG
    broken = os.environ.get("LAKE_INVALID_CONFIG")
    if broken is not None:
        cure = "Please restart the server after fixing the Lake configuration file."
        Stream(2, False).write(f"{broken}Invalid Lake configuration.  {cure}\n")
        return 1
    return setup_file(_load(options), options, file, header)


def _serve(arguments: Arguments) -> int:
    arguments.all_options()
    arguments.end()
    options, install = arguments.options, find_install()
    variables, more = _server(options, install)
    return _replace([install.lean, "--server", *more, *options.rest], variables)


def _server(options: Options, install: Install) -> tuple[dict[str, str], list[str]]:
    """Return the server's environment and arguments; a broken configuration does not stop it."""
    from tracker.embedded.lake.workspace import base_environment

    try:
        workspace = load_workspace(options.directory, options.config_file, install)
        return workspace.environment(), list(workspace.lakefile.server_args)
    except LakeError as error:
        text = render((ERROR, error.message), False)
        Stream(2, False).write(
            text + "warning: package configuration has errors, falling back to plain `lean --server`\n"
        )
        return {**base_environment(install), "LAKE_INVALID_CONFIG": text}, []
