"""The graph in other programs' formats and in words."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest

from tests.conftest import Site

EDGES = {("two", "two-eq"), ("lemma", "main"), ("two-eq", "main"), ("main", "top")}


def test_json_has_every_node_and_edge(proved: Site) -> None:
    data = proved.tracker("graph", "--format", "json").json
    assert {tuple(edge) for edge in data["edges"]} == EDGES
    assert {node["id"]: node["state"] for node in data["nodes"]} == proved.labels()


@pytest.mark.parametrize(
    ("up", "down", "expected"),
    [
        ((), (), {"two", "two-eq", "lemma", "main", "top"}),
        (("--up", "0"), ("--down", "0"), {"main"}),
        (("--up", "1"), ("--down", "0"), {"main", "lemma", "two-eq"}),
        (("--up", "0"), (), {"main", "top"}),
    ],
)
def test_focus(proved: Site, up: tuple[str, ...], down: tuple[str, ...], expected: set[str]) -> None:
    done = proved.tracker("graph", "--format", "json", "--focus", "main", *up, *down)
    assert {node["id"] for node in done.json["nodes"]} == expected


def test_graphml_is_xml_with_the_same_graph(proved: Site) -> None:
    root = ET.fromstring(proved.tracker("graph", "--format", "graphml").out)
    space = "{http://graphml.graphdrawing.org/xmlns}"
    assert {(e.get("source"), e.get("target")) for e in root.iter(f"{space}edge")} == EDGES


def test_dot_and_mermaid_name_nodes_edges_and_states(proved: Site) -> None:
    dot = proved.tracker("graph").out
    assert dot.startswith("digraph")
    assert '"main" -> "top";' in dot
    assert r'label="main\nproved"' in dot
    mermaid = proved.tracker("graph", "--format", "mermaid").out
    assert mermaid.startswith("flowchart BT\n")
    assert mermaid.count("-->") == len(EDGES)
    assert "main<br>proved" in mermaid


def test_output_goes_to_a_file(proved: Site) -> None:
    assert proved.tracker("graph", "--format", "json", "--output", "graph.json").out == ""
    assert json.loads((proved.root / "graph.json").read_text())["schema_version"] == 1
    assert proved.tracker("graph", "--output", "no/such/place").code == 2


def test_critical_path(proved: Site) -> None:
    lines = proved.tracker("graph", "--critical-path").out.splitlines()
    assert [line.split()[-1] for line in lines[:-1]] == ["Demo.Base", "Demo.Mid", "Demo.Top"]
    assert "in all" in lines[-1]


def test_critical_path_of_what_was_never_measured(site: Site) -> None:
    done = site.tracker("graph", "--critical-path")
    assert done.code == 2
    assert "tracker run" in done.err


def test_impact_of_an_obligation_and_of_a_file(proved: Site) -> None:
    data = proved.tracker("impact", "lemma", "--json").json
    assert data["obligations"] == ["lemma", "main", "top"]
    assert data["modules"] == ["Demo.Mid", "Demo.Top"]
    assert data["critical_s"] > 0
    assert data["unmeasured"] == 0
    by_file = proved.tracker("impact", "lean/Demo/Base.lean", "--json").json
    assert by_file["modules"] == ["Demo.Base", "Demo.Mid", "Demo.Top"]
    assert set(by_file["obligations"]) == {"two", "two-eq", "lemma", "main", "top"}
    assert "if it breaks, 3 obligations are lost" in proved.tracker("impact", "lemma").out
    assert data["waiting"] == by_file["waiting"] == []


def test_impact_tells_what_waits_as_a_run_blocks_it(proved: Site) -> None:
    told = proved.tracker("impact", "two-eq", "--json").json
    assert told["waiting"] == ["lemma", "two"]
    assert "while Lean rejects it, 2 more cannot be checked" in proved.tracker("impact", "two-eq").out
    proved.edit("Base", "two_eq : Demo.two = 2", "two_eq : Demo.two = 3")
    assert proved.tracker("run").code == 1
    blocked = {ob for ob, label in proved.labels().items() if label == "blocked"}
    assert blocked == {*told["obligations"], *told["waiting"]} - {"two-eq"}
    assert proved.tracker("impact", "no/such.lean").code == 2


def test_why(proved: Site) -> None:
    done = proved.tracker("why", "top", "two")
    assert done.code == 0
    assert done.out.splitlines() == [
        "top", "  depends on main", "    depends on two-eq", "      depends on two",
    ]  # fmt: skip
    assert proved.tracker("why", "two", "top").code == 1
    modules = proved.tracker("why", "Demo.Top", "Demo.Base", "--json").json
    assert modules == {
        "schema_version": 1,
        "relation": "imports",
        "chain": ["Demo.Top", "Demo.Mid", "Demo.Base"],
    }
    assert "did you mean `two`?" in proved.tracker("why", "top", "tow").err
