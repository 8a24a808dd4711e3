"""The graph's layout: laws that hold for every acyclic graph."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tracker.report.html.layout import _apart, _columns, lay_out

# How fast the machine is decides nothing.
calmly = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def graphs(draw: st.DrawFn) -> tuple[dict[str, list[str]], dict[str, str]]:
    size = draw(st.integers(1, 60))
    names = [f"n{i}" for i in range(size)]
    deps = {
        name: [names[j] for j in draw(st.sets(st.integers(0, i - 1), max_size=4))] if i else []
        for i, name in enumerate(names)
    }
    lanes = {name: draw(st.sampled_from(["", "vit", "r34"])) for name in names}
    return deps, lanes


@calmly
@given(graphs())
def test_edges_point_right_and_nodes_keep_apart(graph: tuple[dict[str, list[str]], dict[str, str]]) -> None:
    deps, lanes = graph
    layout = lay_out(deps, lanes, ["", "vit", "r34"])
    assert set(layout.places) == set(deps)
    for ident, targets in deps.items():
        for target in targets:
            assert layout.places[target][0] < layout.places[ident][0]
    columns = defaultdict(list)
    for column, row in layout.places.values():
        columns[column].append(row)
    for rows in columns.values():
        assert all(b - a >= 1 - 1e-6 for a, b in pairwise(sorted(rows)))


@calmly
@given(graphs())
def test_lanes_are_bands_that_do_not_meet(graph: tuple[dict[str, list[str]], dict[str, str]]) -> None:
    deps, lanes = graph
    layout = lay_out(deps, lanes, ["", "vit", "r34"])
    for above, below in pairwise(layout.lanes):
        assert above.bottom < below.top
    for ident, (_, row) in layout.places.items():
        band = next(lane for lane in layout.lanes if lane.key == lanes[ident])
        assert band.top - 1e-6 <= row <= band.bottom + 1e-6


@calmly
@given(graphs())
def test_the_same_graph_is_always_drawn_the_same(graph: tuple[dict[str, list[str]], dict[str, str]]) -> None:
    deps, lanes = graph
    assert lay_out(deps, lanes, ["", "vit", "r34"]) == lay_out(deps, lanes, ["", "vit", "r34"])


@calmly
@given(st.lists(st.floats(-50, 50), min_size=1, max_size=30))
def test_rows_are_a_row_apart_and_no_single_move_comes_nearer(wanted: list[float]) -> None:
    wanted.sort()
    rows = list(_apart(wanted))
    assert all(b - a >= 1 - 1e-6 for a, b in pairwise(rows))

    def miss(places: list[float]) -> float:
        return sum((a - b) ** 2 for a, b in zip(places, wanted, strict=True))

    for first in range(len(rows)):  # moving any tail, or any head, by a little never helps
        for by in (-0.01, 0.01):
            tail = rows[:first] + [row + by for row in rows[first:]]
            head = [row + by for row in rows[: first + 1]] + rows[first + 1 :]
            for moved in (tail, head):
                if all(b - a >= 1 - 1e-9 for a, b in pairwise(moved)):
                    assert miss(moved) >= miss(rows) - 1e-6


def test_a_chain_is_a_straight_line() -> None:
    chain = {f"c{i}": [f"c{i - 1}"] if i else [] for i in range(12)}
    leaves = {f"l{i}": [f"c{i}"] for i in range(12)}
    layout = lay_out(chain | leaves, dict.fromkeys(chain | leaves, "vit"), ["vit"])
    rows = [layout.places[f"c{i}"][1] for i in range(12)]
    assert max(abs(b - a) for a, b in pairwise(rows)) < 1, "it never jumps a row"


def test_what_rests_on_nothing_stands_next_to_its_first_user() -> None:
    deps: dict[str, list[str]] = {"a": [], "b": ["a"], "c": ["b"], "late": [], "d": ["c", "late"]}
    assert _columns(deps)["late"] == 2


def test_a_crowded_column_becomes_several() -> None:
    deps: dict[str, list[str]] = {f"n{i}": [] for i in range(100)}
    deps["top"] = list(deps)
    layout = lay_out(deps, dict.fromkeys(deps, ""), [""])
    assert max(row for _, row in layout.places.values()) < 40
    assert all(layout.places[i][0] < layout.places["top"][0] for i in deps if i != "top")


def test_nothing_is_drawn_of_nothing() -> None:
    layout = lay_out({}, {}, [])
    assert (layout.places, layout.lanes) == ({}, ())
