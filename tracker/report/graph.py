"""The obligation graph for other programs and in words: export, impact of a change, why, critical path."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tracker.catalogue.model import Catalogue
from tracker.evidence import Evidence
from tracker.lean.project import Project
from tracker.verdict import State, Verdict

if TYPE_CHECKING:
    import networkx as nx

SCHEMA_VERSION = 1
_FILLS = {
    State.PROVED: "#cfe3f7", State.FAILED: "#f7cfcf", State.MISSING: "#f7cfcf", State.UNBUILT: "#f7cfcf",
    State.BLOCKED: "#e6d5ee", State.SORRY: "#f7ecc2", State.AXIOM: "#f7ecc2", State.DRIFTED: "#f7ecc2",
    State.OVER_BUDGET: "#f7ecc2",
}  # fmt: skip


def neighbourhood(
    catalogue: Catalogue, focus: str | None, up: int | None, down: int | None
) -> nx.DiGraph[str]:
    """Return the graph, or the part around `focus`. Edges run from a dependency to its dependent.

    `up` is how many steps of what it rests on, `down` how many of what rests on it; None means all.
    """
    import networkx as nx

    graph = catalogue.graph()
    if focus is None:
        return graph
    kept = {focus}
    for direction, steps in ((graph.reverse(copy=False), up), (graph, down)):
        kept |= set(nx.single_source_shortest_path_length(direction, focus, cutoff=steps))
    return graph.subgraph(kept).copy()


def as_dot(graph: nx.DiGraph[str], found: Mapping[str, Verdict]) -> str:
    """Return the graph in Graphviz's language; the state stands in word and colour."""
    lines = ["digraph obligations {", "  rankdir=BT;", "  node [shape=box, style=filled];"]
    for node in graph:
        verdict = found[node]
        label = rf"{_escaped(node)}\n{_escaped(verdict.label)}"
        fill = _FILLS.get(verdict.state, "#eeeeee")
        lines.append(f'  "{_escaped(node)}" [label="{label}", fillcolor="{fill}"];')
    lines += [f'  "{_escaped(a)}" -> "{_escaped(b)}";' for a, b in graph.edges]
    return "\n".join([*lines, "}"]) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def as_mermaid(graph: nx.DiGraph[str], found: Mapping[str, Verdict]) -> str:
    """Return the graph as a Mermaid flowchart; nodes are numbered, since ids may hold any character."""
    number = {node: f"n{i}" for i, node in enumerate(graph)}
    lines = ["flowchart BT"]
    for node, name in number.items():
        label = f"{node}<br>{found[node].label}".replace('"', "#quot;")
        lines.append(f'  {name}["{label}"]:::{found[node].state.name.lower()}')
    lines += [f"  {number[a]} --> {number[b]}" for a, b in graph.edges]
    lines += [f"  classDef {state.name.lower()} fill:{fill}" for state, fill in _FILLS.items()]
    return "\n".join(lines) + "\n"


def as_graphml(graph: nx.DiGraph[str], found: Mapping[str, Verdict]) -> str:
    """Return the graph as GraphML, with kind, net, declaration, module and state of each node."""
    import networkx as nx

    plain: nx.DiGraph[str] = nx.DiGraph()
    for node in graph:
        plain.add_node(node, **_facts(graph, node, found))
    plain.add_edges_from(graph.edges)
    out = io.BytesIO()
    nx.write_graphml(plain, out)
    return out.getvalue().decode()


def as_json(graph: nx.DiGraph[str], found: Mapping[str, Verdict]) -> str:
    """Return the graph as JSON: nodes with their facts, edges as pairs."""
    nodes = [{"id": node, **_facts(graph, node, found)} for node in graph]
    data = {"schema_version": SCHEMA_VERSION, "nodes": nodes, "edges": [list(edge) for edge in graph.edges]}
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _facts(graph: nx.DiGraph[str], node: str, found: Mapping[str, Verdict]) -> dict[str, str]:
    ob = graph.nodes[node]["obligation"]
    return {
        "kind": ob.kind, "net": ob.net or "", "decl": ob.decl, "module": ob.module,
        "state": found[node].label,
    }  # fmt: skip


FORMATS: Mapping[str, Callable[[nx.DiGraph[str], Mapping[str, Verdict]], str]] = {
    "dot": as_dot,
    "mermaid": as_mermaid,
    "graphml": as_graphml,
    "json": as_json,
}


@dataclass(frozen=True)
class Impact:
    """What is lost if something breaks, and what must be checked again, for how long when it changes."""

    obligations: tuple[str, ...]
    modules: tuple[str, ...]
    cpu_s: float
    """Of the modules whose cost is known, one after the other."""
    unmeasured: int
    critical_s: float
    """Wall seconds of the longest chain among the modules: no number of machines is faster."""
    waiting: tuple[str, ...] = ()
    """What rests on none of it, but cannot be checked while Lean rejects it: it shares those modules."""


def impact_of_obligation(name: str, catalogue: Catalogue, project: Project, evidence: Evidence) -> Impact:
    """Return what rests on an obligation, and what a change to its module has checked again."""
    lost = (name, *sorted(catalogue.descendants(name)))
    module = catalogue[name].module
    waiting = set(impact_of_module(module, catalogue, project, evidence).obligations).difference(lost)
    found = _impact(lost, module, project, evidence)
    return replace(found, waiting=tuple(sorted(waiting)))


def impact_of_module(module: str, catalogue: Catalogue, project: Project, evidence: Evidence) -> Impact:
    """Return what stands in a module or in one that imports it, and what rests on that."""
    modules = {module, *project.dependents(module)}
    own = {ob.id for ob in catalogue if ob.module in modules}
    lost = own.union(*(catalogue.descendants(name) for name in own))
    return _impact(tuple(sorted(lost)), module, project, evidence)


def _impact(lost: tuple[str, ...], module: str, project: Project, evidence: Evidence) -> Impact:
    modules: tuple[str, ...] = ()
    if module in project.modules:
        wanted = {module, *project.dependents(module)}
        modules = tuple(m for m in project.modules if m in wanted)
    costs = [check.cost for m in modules if (check := evidence.checks.get(m)) is not None and check.cost]
    _, critical = critical_path(project, evidence, modules)
    return Impact(lost, modules, sum(c.cpu_s for c in costs), len(modules) - len(costs), critical)


def critical_path(
    project: Project, evidence: Evidence, modules: Iterable[str]
) -> tuple[tuple[str, ...], float]:
    """Return the import chain among `modules` with the greatest sum of wall seconds, and that sum."""
    wanted = set(modules)
    best: dict[str, tuple[float, str | None]] = {}
    for name in project.modules:
        if name in wanted:
            check = evidence.checks.get(name)
            own = check.cost.wall_s if check is not None and check.cost is not None else 0.0
            before = max(((best[i][0], i) for i in project.imports(name) if i in best), default=(0.0, None))
            best[name] = (before[0] + own, before[1])
    if not best:
        return (), 0.0
    last: str | None = max(best, key=lambda m: best[m][0])
    total, path = best[last][0], []  # type: ignore[index]
    while last is not None:
        path.append(last)
        last = best[last][1]
    return tuple(reversed(path)), total


def why(start: str, end: str, edges: Callable[[str], Sequence[str]]) -> tuple[str, ...] | None:
    """Return a shortest chain from `start` down to `end`, or None when `start` does not rest on `end`."""
    came: dict[str, str | None] = {start: None}
    level = [start]
    while level and end not in came:
        following = []
        for node in level:
            for other in edges(node):
                if other not in came:
                    came[other] = node
                    following.append(other)
        level = following
    if end not in came:
        return None
    path = [end]
    while (previous := came[path[-1]]) is not None:
        path.append(previous)
    return tuple(reversed(path))
