"""`tracker graph`, `tracker impact`, `tracker why`: the obligation graph, exported and in words."""

from __future__ import annotations

from pathlib import Path

import click

from tracker.catalogue.suggest import listed_hint
from tracker.cli.options import json_option, make_workspace, print_json, workspace_options
from tracker.errors import UsageError
from tracker.report.graph import FORMATS, critical_path, impact_of_module, impact_of_obligation, neighbourhood
from tracker.report.graph import why as shortest_chain
from tracker.units import show_count, show_seconds
from tracker.workspace import Workspace

_SHOWN = 12


@click.command()
@click.option("--format", "kind", type=click.Choice(list(FORMATS)), default="dot", show_default=True)
@click.option("--focus", metavar="ID", help="Only what is around this obligation.")
@click.option("--up", type=click.IntRange(0), help="Steps of what it rests on (default: all).")
@click.option("--down", type=click.IntRange(0), help="Steps of what rests on it (default: all).")
@click.option("--critical-path", is_flag=True, help="The slowest chain of imports, by measured time.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to a file.")
@workspace_options
def graph(
    kind: str, focus: str | None, up: int | None, down: int | None, critical_path: bool, output: Path | None,
    **places: str | None,
) -> int:  # fmt: skip
    """Export the obligation graph with today's states, for Graphviz, Mermaid, GraphML or as JSON.

    \b
    tracker graph | dot -Tsvg > obligations.svg
    tracker graph --format mermaid --focus vitTinyInputGradB_correct --up 2 --down 1
    tracker graph --critical-path
    """
    workspace = make_workspace(**places)
    if critical_path:
        return _print_critical(workspace)
    name = _known(focus, workspace) if focus else None
    found = workspace.verdicts(workspace.read_evidence()[0])
    text = FORMATS[kind](neighbourhood(workspace.catalogue, name, up, down), found)
    if output is None:
        click.echo(text, nl=False)
        return 0
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            "OUTPUT", f"{output}: {error.strerror}", "choose a place that can be written"
        ) from error
    return 0


def _print_critical(workspace: Workspace) -> int:
    evidence, _ = workspace.read_evidence()
    path, total = critical_path(workspace.project, evidence, workspace.project.modules)
    if not total:
        raise UsageError("NO-EVIDENCE", "no module has been measured yet", "`tracker run` measures them")
    for module in path:
        check = evidence.checks.get(module)
        click.echo(f"{show_seconds(check.cost.wall_s if check and check.cost else None):>12}  {module}")
    click.echo(f"{show_seconds(total):>12}  in all: no number of machines checks the project faster")
    return 0


@click.command()
@click.argument("what", metavar="ID|MODULE|FILE")
@json_option
@workspace_options
def impact(what: str, as_json: bool, **places: str | None) -> int:
    """Say what is lost if something breaks, what a change to it has checked again, and for how long.

    \b
    tracker impact HasVJP
    tracker impact lean/NetTies/Foundation/VJP.lean
    """
    workspace = make_workspace(**places)
    evidence, _ = workspace.read_evidence()
    catalogue, project = workspace.catalogue, workspace.project
    module = _module(what, workspace)
    if module is not None:
        lost = impact_of_module(module, catalogue, project, evidence)
    else:
        lost = impact_of_obligation(_known(what, workspace), catalogue, project, evidence)
    if as_json:
        print_json(
            {
                "schema_version": 1, "obligations": list(lost.obligations), "waiting": list(lost.waiting),
                "modules": list(lost.modules),
                "cpu_s": lost.cpu_s, "critical_s": lost.critical_s, "unmeasured": lost.unmeasured,
            }
        )  # fmt: skip
        return 0
    click.echo(f"if it breaks, {show_count(len(lost.obligations), 'obligation is', 'obligations are')} lost")
    _print_some(lost.obligations)
    if lost.waiting:
        click.echo(
            f"while Lean rejects it, {len(lost.waiting)} more cannot be checked, for their modules' sake"
        )
        _print_some(lost.waiting)
    unknown = f", {lost.unmeasured} not measured yet" if lost.unmeasured else ""
    modules = show_count(len(lost.modules), "module is", "modules are")
    click.echo(
        f"if it changes, {modules} checked again: CPU {show_seconds(lost.cpu_s)}, "
        f"at least {show_seconds(lost.critical_s)}{unknown}"
    )
    _print_some(lost.modules)
    return 0


def _print_some(names: tuple[str, ...]) -> None:
    for name in names[:_SHOWN]:
        click.echo(f"  {name}")
    if len(names) > _SHOWN:
        click.echo(f"  … and {len(names) - _SHOWN} more (--json lists all)")


@click.command()
@click.argument("dependent")
@click.argument("dependency")
@json_option
@workspace_options
def why(dependent: str, dependency: str, as_json: bool, **places: str | None) -> int:
    """Say why one obligation or module rests on another: a shortest chain between them.

    Exit code 1 when it does not.

    \b
    tracker why vitTinyInputGradB_correct vjp_comp_diff_at
    tracker why NetTies.Nets.ViT.ViTTiny NetTies.Foundation.Sum
    """
    workspace = make_workspace(**places)
    project = workspace.project
    if dependent in project.modules and dependency in project.modules:
        word, chain = "imports", shortest_chain(dependent, dependency, project.imports)
        names = (dependent, dependency)
    else:
        catalogue = workspace.catalogue
        names = (_known(dependent, workspace), _known(dependency, workspace))
        word, chain = "depends on", shortest_chain(*names, lambda name: catalogue[name].depends_on)
    if as_json:
        print_json({"schema_version": 1, "relation": word, "chain": list(chain) if chain else None})
    elif chain is None:
        click.echo(f"{names[0]} does not rest on {names[1]}")
    else:
        for number, name in enumerate(chain):
            click.echo("  " * number + (f"{word} " if number else "") + name)
    return 0 if chain else 1


def _known(name: str, workspace: Workspace) -> str:
    found = workspace.catalogue.find(name)
    if found is None:
        names = [*workspace.catalogue.obligations, *workspace.catalogue.by_decl, *workspace.project.modules]
        raise UsageError(
            "NO-SUCH-OBLIGATION", f"no obligation or module is called {name!r}", listed_hint(name, names)
        )
    return found.id


def _module(what: str, workspace: Workspace) -> str | None:
    """Return the module that a name or a path stands for, if it is one."""
    if what in workspace.project.modules:
        return what
    path = Path(what)
    if path.suffix != ".lean":
        return None
    for module in workspace.project.modules.values():
        if path.resolve() == Path(module.file).resolve() or what == module.path:
            return module.name
    raise UsageError(
        "NO-SUCH-MODULE", f"{what} is no module of the project", "give a path from here or its name"
    )
