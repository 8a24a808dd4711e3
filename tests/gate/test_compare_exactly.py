"""One edit of one fact, and exactly the differences that it makes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.gate import facts as f
from tracker.gate.compare import (
    Change,
    Difference,
    Tolerance,
    compare_modules,
    compare_obligations,
    margin,
    memory_margin,
    time_margin,
)
from tracker.gate.snapshot import Costs, Figure

C = Change
OLD: dict[str, Any] = {"digest": "d", "statement": "1 = 1"}


def obligation(**fields: Any) -> Any:
    return f.obligation("x", **{**OLD, **fields})


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({}, {"label": "sorry"}, [(C.LOST, "proved", "sorry", "")]),
        ({"label": "sorry"}, {}, [(C.GAINED, "sorry", "proved", "")]),
        ({"label": "sorry"}, {"label": "blocked"}, [(C.LABEL, "sorry", "blocked", "")]),
        ({}, {"decl": "D.y"}, [(C.MOVED, "Demo.x in Demo.Mid", "D.y in Demo.Mid", "")]),
        ({}, {"module": "M"}, [(C.MOVED, "Demo.x in Demo.Mid", "Demo.x in M", "")]),
        ({}, {"kind": "tie"}, [(C.REGROUPED, "leaf-tie of vit", "tie of vit", "")]),
        ({}, {"net": None}, [(C.REGROUPED, "leaf-tie of vit", "leaf-tie", "")]),
        ({}, {"digest": "", "statement": ""}, [(C.UNASKED, "d", None, "statement")]),
        ({"digest": ""}, {}, [(C.ANSWERED, None, "d", "statement")]),
        ({"axioms": ("a", "b")}, {"axioms": None}, [(C.UNASKED, "a, b", None, "axioms")]),
        ({"axioms": None}, {"axioms": ()}, [(C.ANSWERED, None, "", "axioms")]),
        ({}, {"digest": "e"}, [(C.STATEMENT, "d", "e", "SHA-256")]),
        ({}, {"digest": "e", "statement": "2 = 2"}, [(C.STATEMENT, "1 = 1", "2 = 2", "")]),
        ({"statement": ""}, {"digest": "e"}, [(C.STATEMENT, "d", "e", "SHA-256")]),
        ({"statement": ""}, {"digest": "e", "statement": ""}, [(C.STATEMENT, "d", "e", "SHA-256")]),
        ({}, {"statement": "1 ≡ 1"}, [(C.PRINTS, "1 = 1", "1 ≡ 1", "")]),
        ({"statement": ""}, {"statement": "1 = 1"}, []),
        ({"statement": "1 = 1"}, {"statement": ""}, []),
        (
            {"axioms": ("a", "b")}, {"axioms": ("c", "d")},
            [(C.AXIOMS_MORE, "a, b", "c, d", "c, d"), (C.AXIOMS_FEWER, "a, b", "c, d", "a, b")],
        ),
        ({"axioms": ("a",)}, {"axioms": ("a", "b")}, [(C.AXIOMS_MORE, "a", "a, b", "b")]),
        ({"axioms": ("b", "a")}, {"axioms": ("a", "b")}, []),
        ({"axioms": ("a", "b")}, {"axioms": ("b",)}, [(C.AXIOMS_FEWER, "a, b", "b", "a")]),
        ({}, {"reason": "r", "file": "f", "line": 9, "blocked_by": ("y",)}, []),
    ],
)  # fmt: skip
def test_an_obligation(old: dict[str, Any], new: dict[str, Any], expected: list[Any]) -> None:
    before, after = f.snapshot(obligation(**old)), f.snapshot(obligation(**new))
    assert list(compare_obligations(before, after)) == [
        Difference("x", change, was, now, detail) for change, was, now, detail in expected
    ]


def test_under_another_lean_a_statement_only_prints_differently() -> None:
    before = f.snapshot(obligation())
    after = f.snapshot(obligation(digest="e", statement="1 ≡ 1"), identity="4.36.0 x")
    assert list(compare_obligations(before, after)) == [Difference("x", C.PRINTS, "1 = 1", "1 ≡ 1")]


def test_what_comes_and_goes_in_the_order_of_names() -> None:
    before, after = (
        f.snapshot(f.obligation("b"), f.obligation("c")),
        f.snapshot(f.obligation("a"), f.obligation("b", label="sorry")),
    )
    assert list(compare_obligations(before, after)) == [
        Difference("a", C.ADDED, None, "proved"),
        Difference("b", C.LOST, "proved", "sorry"),
        Difference("c", C.REMOVED, "proved", None),
    ]
    here, there = (
        f.snapshot(f.module("N"), f.module("P")),
        f.snapshot(f.module("M", passed=False), f.module("N", warnings=1)),
    )
    assert list(compare_modules(here, there, Tolerance())) == [
        Difference("M", C.ADDED, None, "failed"),
        Difference("N", C.WARNINGS, 0, 1),
        Difference("P", C.REMOVED, "passed", None),
    ]


DEPTH = "maxRecDepth"
INF = float("inf")
DEAR = f.costs(40.0, 5000.0)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({}, {"passed": False, "costs": f.costs()}, [(C.LOST, "passed", "failed", "")]),
        ({"passed": False}, {}, [(C.GAINED, "failed", "passed", "")]),
        ({"passed": False}, {"passed": False, "checked": False}, [(C.LABEL, "failed", "unchecked", "")]),
        (
            {"passed": False, "classes": ("a", "b")}, {"passed": False, "classes": ("c", "b")},
            [(C.CLASSES, "a, b", "c, b", "")],
        ),
        ({"passed": False, "classes": ("a",)}, {}, [(C.GAINED, "failed", "passed", "")]),
        ({}, {"costs": None}, [(C.UNMEASURED, 5.0, None, "wall s")]),
        ({"costs": None}, {}, [(C.MEASURED, None, 5.0, "wall s")]),
        ({"costs": None}, {"costs": None}, []),
        (
            {}, {"costs": DEAR},
            [(C.SLOWER, 4.0, 40.0, "CPU s"), (C.HEAVIER, 1000.0 * f.MIB, 5000.0 * f.MIB, "bytes")],
        ),
        (
            {"costs": DEAR}, {},
            [(C.FASTER, 40.0, 4.0, "CPU s"), (C.LIGHTER, 5000.0 * f.MIB, 1000.0 * f.MIB, "bytes")],
        ),
        (
            {}, {"costs": f.costs(40.0, 5000.0, f.OTHER_CPU)},
            [(C.UNLIKE, f.MACHINE, f.OTHER_CPU, ""), (C.HEAVIER, 1000.0 * f.MIB, 5000.0 * f.MIB, "bytes")],
        ),
        ({}, {"costs": f.costs(40.0, 5000.0, f.OTHER_SYSTEM)}, [(C.UNLIKE, f.MACHINE, f.OTHER_SYSTEM, "")]),
        ({"warnings": 2}, {"warnings": 3}, [(C.WARNINGS, 2, 3, "")]),
        ({"warnings": 3}, {"warnings": 2}, [(C.WARNINGS_FEWER, 3, 2, "")]),
        ({}, {"deprecations": 1}, [(C.DEPRECATIONS, 0, 1, "")]),
        ({"deprecations": 1}, {}, [(C.DEPRECATIONS_FEWER, 1, 0, "")]),
        (
            {"limits": {"a": 1.0, "c": 9.0}}, {"limits": {"b": 2.0, "c": INF}},
            [
                (C.LIMITS_LOWERED, 1.0, None, "a"), (C.LIMITS, None, 2.0, "b"), (C.LIMITS, 9.0, INF, "c"),
            ],
        ),
        ({"limits": {"a": 2.0}}, {"limits": {"a": 1.0}}, [(C.LIMITS_LOWERED, 2.0, 1.0, "a")]),
        ({"limits": {"a": 0.5}}, {"limits": {}}, [(C.LIMITS_LOWERED, 0.5, None, "a")]),
        ({"limits": {}}, {"limits": {"a": 0.5}}, [(C.LIMITS, None, 0.5, "a")]),
        ({"limits": {DEPTH: 100.0}}, {}, [(C.LIMITS, 100.0, None, DEPTH)]),
        ({}, {"limits": {DEPTH: 100.0}}, [(C.LIMITS_LOWERED, None, 100.0, DEPTH)]),
        ({"limits": {DEPTH: 4000.0}}, {}, [(C.LIMITS_LOWERED, 4000.0, None, DEPTH)]),
        ({}, {"limits": {DEPTH: 513.0}}, [(C.LIMITS, None, 513.0, DEPTH)]),
        ({}, {"limits": {DEPTH: 512.0}}, []),
    ],
)  # fmt: skip
def test_a_module(old: dict[str, Any], new: dict[str, Any], expected: list[Any]) -> None:
    before, after = f.snapshot(f.module("M", **old)), f.snapshot(f.module("M", **new))
    assert list(compare_modules(before, after, Tolerance())) == [
        Difference("M", change, was, now, detail) for change, was, now, detail in expected
    ]


def test_a_new_module_raises_what_is_above_leans_own() -> None:
    heartbeats, limits = "maxHeartbeats", {DEPTH: 512.0, "maxHeartbeats": 200001.0, "maxErrors": 1.0}
    limits |= {"synthInstance.maxHeartbeats": 20000.0, "synthInstance.maxSize": 127.0}
    added = f.snapshot(f.module("M", limits=limits))
    assert list(compare_modules(f.snapshot(), added, Tolerance())) == [
        Difference("M", C.ADDED, None, "passed"),
        Difference("M", C.LIMITS, None, 1.0, "maxErrors"),
        Difference("M", C.LIMITS, None, 200001.0, heartbeats),
    ]
    assert list(compare_modules(added, f.snapshot(), Tolerance())) == [
        Difference("M", C.REMOVED, "passed", None)
    ]


def test_margins_are_the_widest_of_floor_ratio_and_noise() -> None:
    assert margin(Figure(10.0), Figure(30.0), 1.5, 2.0, 4.0) == 5.0
    assert margin(Figure(30.0), Figure(10.0), 1.5, 2.0, 4.0) == 5.0
    assert margin(Figure(10.0), Figure(30.0), 1.5, 6.0, 4.0) == 6.0
    assert margin(Figure(10.0, 2.0), Figure(30.0), 1.5, 6.0, 4.0) == pytest.approx(4 * 1.4826 * 2)
    assert margin(Figure(10.0), Figure(30.0, 2.0), 1.5, 6.0, 4.0) == pytest.approx(4 * 1.4826 * 2)


def test_time_and_memory_have_margins_of_their_own() -> None:
    tolerance = Tolerance(ratio=1.1, memory_ratio=3.0, floor_s=0.5, floor_bytes=7.0, deviations=0.0)
    costs = Costs("m", Figure(100.0), Figure(20.0), Figure(50.0))
    dearer = Costs("m", Figure(900.0), Figure(40.0), Figure(60.0))
    assert time_margin(costs, dearer, tolerance) == pytest.approx(2.0)
    assert memory_margin(costs, dearer, tolerance) == pytest.approx(100.0)
    cheap = Costs("m", Figure(1.0), Figure(1.0), Figure(1.0))
    assert time_margin(cheap, cheap, tolerance) == 0.5
    assert memory_margin(cheap, cheap, tolerance) == 7.0


def test_what_is_noise_unless_told_otherwise() -> None:
    assert Tolerance() == Tolerance(1.5, 1.5, 2.0, 256 * 2**20, 4.0)
