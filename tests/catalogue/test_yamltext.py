"""Nodes hold what PyYAML's own composer finds, where it finds it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tracker.catalogue.diagnostics import Report
from tracker.catalogue.nodes import Map, Node, Scalar, Seq, plain
from tracker.catalogue.yamltext import read_yaml

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=8)
VALUES = st.recursive(
    TEXT | st.integers() | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)


def read(text: str) -> tuple[Node | None, list[str]]:
    report = Report()
    node = read_yaml(text, "t.yaml", report)
    return node, [str(d).split("\n")[0] for d in report.diagnostics]


def same(ours: Node, theirs: Any) -> None:
    """Compare structure, text and position with a tree of PyYAML's composer."""
    assert (ours.line, ours.column) == (theirs.start_mark.line + 1, theirs.start_mark.column + 1)
    if isinstance(theirs, yaml.ScalarNode):
        assert isinstance(ours, Scalar)
        assert ours.text == theirs.value
    elif isinstance(theirs, yaml.SequenceNode):
        assert isinstance(ours, Seq)
        assert len(ours.items) == len(theirs.value)
        for mine, its in zip(ours.items, theirs.value, strict=True):
            same(mine, its)
    else:
        assert isinstance(ours, Map)
        assert len(ours.entries) == len(theirs.value)
        for (key, mine), (its_key, its) in zip(ours.entries.items(), theirs.value, strict=True):
            same(ours.keys[key], its_key)
            same(mine, its)


@given(VALUES, st.booleans())
def test_structure_and_positions_are_those_of_the_reference(value: Any, flow: bool) -> None:
    text = yaml.safe_dump(value, default_flow_style=flow, allow_unicode=True, sort_keys=False)
    node, faults = read(text)
    if value is None:
        assert "empty-file" in faults[0]
        return
    reference = yaml.compose(text, Loader=yaml.SafeLoader)
    if faults:  # only keys that look like no text are refused
        assert all("error[bad-key]" in fault for fault in faults)
        return
    assert node is not None
    same(node, reference)


@given(st.text(max_size=60))
def test_any_text_gives_a_node_or_a_finding(text: str) -> None:
    node, faults = read(text)
    assert node is not None or faults


INDICATORS = [
    "- ",
    "[",
    "]",
    "{",
    "}",
    ": ",
    "&a ",
    "*a ",
    "!t ",
    "'",
    '"',
    "|\n",
    "\n",
    " ",
    "\t",
    "x",
    "#",
    "? ",
]


@given(st.lists(st.sampled_from([*INDICATORS, "---\n", "%YAML 1.2\n"]), max_size=25))
def test_any_mixture_of_indicators_gives_a_node_or_a_finding(pieces: list[str]) -> None:
    node, faults = read("".join(pieces))
    assert node is not None or faults


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"), ("on", "on"), ("2026-09-14", "2026-09-14"), ("1:30", "1:30"), ("1_000", "1_000"),
        ("012", 12), ("0o17", 15), ("0x1F", 31), ("+3", 3), ("-0", 0), ("1e3", 1000.0), (".5", 0.5),
        ("5.", 5.0), (".inf", float("inf")), ("-.INF", float("-inf")), ("true", True), ("False", False),
        ("tRUE", "tRUE"), ("~", None), ("Null", None), ("'3'", "3"), ('"true"', "true"), ("4.34.0", "4.34.0"),
        ("- x", ["x"]), ("1e", "1e"), (".", "."), ("9" * 5000, float("inf")),
    ],
)  # fmt: skip
def test_plain_scalars_are_read_by_the_core_schema(text: str, value: object) -> None:
    node, _ = read(f"k: {text}" if not text.startswith("-") or text[1:2] != " " else f"k:\n  {text}")
    assert node is not None
    assert plain(node) == {"k": value}
    assert type(plain(node)["k"]) is type(value)  # type: ignore[call-overload,index]


def test_aliases_share_what_they_stand_for() -> None:
    node, faults = read("a: &x [1, 2]\nb: *x\nc: &y z\nd: *y\n")
    assert faults == []
    assert node is not None
    assert plain(node) == {"a": [1, 2], "b": [1, 2], "c": "z", "d": "z"}


def test_a_few_aliases_in_a_small_file_are_no_bomb() -> None:
    node, faults = read("a: &a [x, x, x, x, x]\nb: [*a, *a, *a, *a, *a, *a]\n")
    assert faults == []
    assert node is not None
