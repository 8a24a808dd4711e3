"""Orders, circles and spare edges against networkx."""

from __future__ import annotations

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from tracker.catalogue import graph

NODES = [f"n{i}" for i in range(9)]


@st.composite
def any_graph(draw: st.DrawFn) -> dict[str, list[str]]:
    return {node: draw(st.lists(st.sampled_from(NODES), unique=True, max_size=4)) for node in NODES}


@st.composite
def acyclic(draw: st.DrawFn) -> dict[str, list[str]]:
    order = draw(st.permutations(NODES))
    place = {node: i for i, node in enumerate(order)}
    written = draw(st.permutations(NODES))
    return {
        node: draw(st.lists(st.sampled_from(order[: place[node]]), unique=True, max_size=4))
        if place[node]
        else []
        for node in written
    }


def as_networkx(deps: dict[str, list[str]]) -> nx.DiGraph[str]:
    made: nx.DiGraph[str] = nx.DiGraph()
    made.add_nodes_from(deps)
    made.add_edges_from((node, dep) for node, targets in deps.items() for dep in targets)
    return made


@given(acyclic())
def test_dependencies_come_first_and_each_once(deps: dict[str, list[str]]) -> None:
    order = graph.topological_order(deps)
    assert sorted(order) == sorted(deps)
    place = {node: i for i, node in enumerate(order)}
    assert all(place[dep] < place[node] for node in deps for dep in deps[node])
    assert graph.cycles(deps) == []


@given(st.permutations(NODES))
def test_the_written_order_is_kept_where_nothing_forbids_it(order: list[str]) -> None:
    assert graph.topological_order({node: [] for node in order}) == tuple(order)


@given(any_graph())
def test_one_real_circle_for_each_knot(deps: dict[str, list[str]]) -> None:
    deps = {node: [d for d in targets if d != node] for node, targets in deps.items()}
    knots = [c for c in nx.strongly_connected_components(as_networkx(deps)) if len(c) > 1]
    circles = graph.cycles(deps)
    assert len(circles) == len(knots)
    for circle in circles:
        assert len(set(circle)) == len(circle)
        assert all(b in deps[a] for a, b in zip(circle, [*circle[1:], circle[0]], strict=True))
        assert any(set(circle) <= knot for knot in knots)
        shortest = nx.shortest_path_length(as_networkx(deps), circle[1], circle[0]) + 1
        assert len(circle) <= len(NODES)
        assert shortest <= len(circle)


@given(acyclic())
def test_spare_edges_are_those_that_the_transitive_reduction_drops(deps: dict[str, list[str]]) -> None:
    made = as_networkx(deps)
    dropped = set(made.edges) - set(nx.transitive_reduction(made).edges)
    found = graph.redundant_edges(deps)
    assert {(node, dep) for node, dep, _ in found} == dropped
    for node, dep, way in found:
        assert way in deps[node]
        assert nx.has_path(made, way, dep)
        assert way != dep


def test_a_chain_longer_than_the_recursion_limit() -> None:
    deps = {f"c{i}": [f"c{i - 1}"] if i else [] for i in reversed(range(20_000))}
    assert graph.topological_order(deps)[0] == "c0"
    assert graph.redundant_edges(deps) == []
    deps["c0"] = ["c19999"]
    assert len(graph.cycles(deps)[0]) == 20_000
