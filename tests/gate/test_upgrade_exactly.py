"""An upgrade by value: the fate of each obligation, what ranks a growth, the totals, the verdict in words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.gate import facts as f
from tracker.catalogue.model import Catalogue, Obligation, Source
from tracker.gate.compare import Change, Difference, Tolerance
from tracker.gate.rollup import Cause
from tracker.gate.snapshot import ModuleFacts, ObligationFacts
from tracker.gate.trial import Trial
from tracker.gate.upgrade import Fate, Growth, ObligationFate, Total, Upgrade, compare_trials, suspects
from tracker.lean.toolchain import Toolchain

TOLERANCE = Tolerance(floor_s=2.0, floor_bytes=4 * f.MIB)
TOOL = Toolchain("t", Path("lake"), Path("lean"), "4.35.0", "abc", "")


def trial(*facts: ObligationFacts | ModuleFacts, **kinds: str) -> Trial:
    """Return a trial of these facts; its catalogue has their obligations, of the given kinds."""
    now = f.snapshot(*facts)
    obligations = [
        Obligation(i, kinds.get(i, "tie"), ob.decl, ob.module, Source("c.yaml", 1, 1))
        for i, ob in now.obligations.items()
    ]
    return Trial("t", TOOL, now, {}, Catalogue({ob.id: ob for ob in obligations}))


def upgrade(before: Trial, after: Trial, tolerance: Tolerance = TOLERANCE) -> Upgrade:
    return compare_trials(before, after, tolerance)


def one(before: dict[str, Any], after: dict[str, Any], cpu_s: float = 4.0, mib: float = 100.0) -> Fate:
    """Return the fate of the one obligation of the one module, whose costs change so."""
    old = trial(f.obligation("x", **before), f.module(costs=f.costs(4.0, 100.0)))
    new = trial(f.obligation("x", **after), f.module(costs=f.costs(cpu_s, mib)))
    return upgrade(old, new).fates["x"].fate


SORRY, OTHER, MORE = {"label": "sorry"}, {"label": "failed:type-error"}, {"axioms": ("a", "propext")}
PRINT = {"statement": "1 ≡ 1"}


@pytest.mark.parametrize(
    ("before", "after", "costs", "fate"),
    [
        ({}, {}, {}, Fate.PROVED),
        ({}, SORRY, {"cpu_s": 90.0}, Fate.LOST),
        (SORRY, SORRY, {"cpu_s": 90.0}, Fate.UNPROVED),
        (SORRY, OTHER, {}, Fate.CLASS),
        (SORRY, {}, {"cpu_s": 90.0}, Fate.GAINED),
        ({}, MORE | PRINT, {"cpu_s": 90.0, "mib": 900.0}, Fate.SLOWER),
        ({}, MORE | PRINT, {"mib": 900.0}, Fate.HEAVIER),
        ({}, MORE | PRINT, {}, Fate.AXIOMS),
        ({}, PRINT, {}, Fate.PRINTS),
        ({}, {"digest": "e" * 64}, {}, Fate.PRINTS),
        (MORE, {}, {}, Fate.PROVED),
        ({}, {}, {"cpu_s": 1.0, "mib": 10.0}, Fate.PROVED),
    ],
)
def test_the_gravest_that_is_true(
    before: dict[str, Any], after: dict[str, Any], costs: dict[str, float], fate: Fate
) -> None:
    assert one(before, after, **costs) is fate


def test_a_fate_has_its_own_changes_and_those_of_its_module() -> None:
    before = trial(f.obligation("x"), f.obligation("y", module="Other"), f.module(), f.module("Other"))
    dear = f.module(costs=f.costs(40.0, 5000.0), warnings=1)
    after = trial(
        f.obligation("x", label="sorry", reason="why"), f.obligation("new"), dear, f.module("Other")
    )
    slower = Difference("Demo.Mid", Change.SLOWER, 4.0, 40.0, "CPU s")
    heavier = Difference("Demo.Mid", Change.HEAVIER, 1000.0 * f.MIB, 5000.0 * f.MIB, "bytes")
    fates = upgrade(before, after).fates
    assert list(fates.items()) == [
        ("new", ObligationFate(
            "new", "leaf-tie", "vit", "Demo.Mid", "", "proved", Fate.GAINED,
            (Difference("new", Change.ADDED, None, "proved"), slower, heavier),
        )),
        ("x", ObligationFate(
            "x", "leaf-tie", "vit", "Demo.Mid", "proved", "sorry", Fate.LOST,
            (Difference("x", Change.LOST, "proved", "sorry"), slower, heavier), "why",
        )),
        ("y", ObligationFate(
            "y", "leaf-tie", "vit", "Other", "proved", "", Fate.LOST,
            (Difference("y", Change.REMOVED, "proved", None),), "the catalogue does not have it any more",
        )),
    ]  # fmt: skip


def test_an_obligation_is_shown_where_it_is_now() -> None:
    moved = f.obligation("x", kind="apex", net=None, module="Other")
    fate = upgrade(trial(f.obligation("x")), trial(moved)).fates["x"]
    assert (fate.kind, fate.net, fate.module) == ("apex", None, "Other")


def test_growth_has_its_figures_and_whom_it_concerns() -> None:
    names = (f.obligation("x"), f.obligation("y"), f.obligation("z", module="Other"))
    rest = (f.module("Other"), f.module("A", warnings=1))
    before = trial(*names, f.module(), f.module("Other"), f.module("A"), y="apex", z="capstone")
    after = trial(*names, f.module(costs=f.costs(40.0, 5000.0)), *rest, y="apex", z="capstone")
    found = upgrade(before, after)
    assert sorted(found.growth, key=lambda growth: growth.unit) == [
        Growth("Demo.Mid", "CPU s", 4.0, 40.0, 2.0, ("x", "y"), ("y",)),
        Growth("Demo.Mid", "bytes", 1000.0 * f.MIB, 5000.0 * f.MIB, 4.0 * f.MIB, ("x", "y"), ("y",)),
    ]
    assert found.headlines == ("y", "z")


@pytest.mark.parametrize(
    ("before", "after", "floor", "factor", "weight", "cliff"),
    [
        (4.0, 40.0, 2.0, 10.0, 180.0, True),
        (4.0, 20.0, 2.0, 5.0, 40.0, True),
        (4.0, 19.0, 2.0, 4.75, 35.625, False),
        (0.0, 1.0, 2.0, 1e9, 5e8, True),
        (1.0, 2.0, 0.0, 2.0, 2e9, False),
    ],
)
def test_what_ranks_a_growth(
    before: float, after: float, floor: float, factor: float, weight: float, cliff: bool
) -> None:
    growth = Growth("M", "CPU s", before, after, floor, (), ())
    assert growth.factor == pytest.approx(factor)
    assert growth.weight == pytest.approx(weight)
    assert growth.cliff is cliff


def test_the_worst_growth_comes_first_then_by_module_and_unit() -> None:
    same = Tolerance(floor_s=2.0, floor_bytes=2.0)

    def side(cpu_s: float, worst: float) -> Trial:
        costs = f.costs(cpu_s, cpu_s / f.MIB)
        return trial(
            f.module("B", costs=costs), f.module("A", costs=costs), f.module("C", costs=f.costs(worst, 100.0))
        )

    found = upgrade(side(10.0, 10.0), side(30.0, 40.0), same)
    assert [(growth.module, growth.unit) for growth in found.growth] == [
        ("C", "CPU s"), ("A", "CPU s"), ("A", "bytes"), ("B", "CPU s"), ("B", "bytes"),
    ]  # fmt: skip


def test_the_total_is_of_what_was_measured_on_both_sides() -> None:
    before = trial(
        f.module("A", costs=f.costs(1.0, 300.0)), f.module("B", costs=f.costs(2.0, 200.0)),
        f.module("C", costs=None), f.module("D", costs=f.costs(64.0, 9999.0)), f.module("E"),
    )  # fmt: skip
    after = trial(
        f.module("A", costs=f.costs(4.0, 300.0)), f.module("B", costs=f.costs(8.0, 400.0)),
        f.module("C", costs=f.costs(16.0, 9999.0)), f.module("D", costs=None), f.module("F"),
    )  # fmt: skip
    assert upgrade(before, after).total == Total(2, (3.0, 12.0), (300.0 * f.MIB, 400.0 * f.MIB))
    assert upgrade(trial(), trial()).total == Total(0, (0.0, 0.0), (0.0, 0.0))


GONE = f.module(passed=False)


@pytest.mark.parametrize(
    ("after", "verdict"),
    [
        ((f.obligation("x"), f.obligation("y"), f.module(), f.module("N")), "safe"),
        ((f.obligation("x"), f.obligation("y"), f.module(), f.module("N", warnings=9)), "safe"),
        (
            (f.obligation("x"), f.obligation("y"), f.module(costs=f.costs(40.0)), f.module("N")),
            "costs more",
        ),
        (
            (f.obligation("x"), f.obligation("y"), f.module(costs=f.costs(4.0, 5000.0)), f.module("N")),
            "costs more",
        ),
        ((f.obligation("x"), f.obligation("y"), f.module(costs=None), f.module("N")), "costs more"),
        ((f.obligation("x", label="sorry"), f.obligation("y"), GONE, f.module("N")), "loses 1"),
        ((f.obligation("x", label="sorry"), GONE), "loses 2"),
        ((f.obligation("x"), f.obligation("y"), GONE, f.module("N")), "loses 1 module"),
        (
            (f.obligation("x"), f.obligation("y"), GONE, f.module("N", checked=False, passed=False)),
            "loses 2 modules",
        ),
    ],
)
def test_the_verdict(after: tuple[ObligationFacts | ModuleFacts, ...], verdict: str) -> None:
    before = trial(f.obligation("x"), f.obligation("y"), f.module(), f.module("N"))
    assert upgrade(before, trial(*after)).verdict == verdict


def test_without_anything_proved_before_there_is_nothing_to_compare() -> None:
    before = trial(f.obligation("x", label="sorry"), f.module())
    dear = trial(f.obligation("x"), f.module(costs=f.costs(40.0)))
    assert upgrade(before, dear).verdict == "nothing to compare"
    assert upgrade(before, trial(f.obligation("x"), GONE)).verdict == "loses 1 module"
    assert upgrade(trial(f.module()), trial(f.module())).verdict == "nothing to compare"


def test_what_is_counted_and_listed() -> None:
    before = trial(f.obligation("a"), f.obligation("b"), f.obligation("c", label="sorry"), f.module())
    after = trial(f.obligation("a"), f.obligation("b", label="sorry", reason="why"), f.obligation("c"), GONE)
    found = upgrade(before, after)
    assert found.counts == dict.fromkeys(Fate, 0) | {Fate.PROVED: 1, Fate.LOST: 1, Fate.GAINED: 1}
    assert list(found.counts) == list(Fate)
    assert [fate.id for fate in found.having(Fate.GAINED)] == ["c"]
    assert found.causes == (Cause("b", "sorry", "why", ("b",), ("b",)),)
    assert (found.before, found.after) == (before, after)
    lost = Difference("Demo.Mid", Change.LOST, "passed", "failed")
    assert found.modules == (lost,)
    assert found.differing(Change.LOST) == [lost]
    assert found.differing(Change.SLOWER) == []


def test_headlines_are_those_of_both_catalogues_each_once() -> None:
    before = trial(f.obligation("a"), f.obligation("b"), a="apex", b="capstone")
    after = trial(f.obligation("b"), f.obligation("c"), b="apex", c="apex")
    assert upgrade(before, after).headlines == ("a", "b", "c")
    unknown = replace(before, snapshot=f.snapshot(f.obligation("b")))
    assert upgrade(unknown, unknown).headlines == ("b",)


def test_suspects_by_name_each_once() -> None:
    before = trial(*(f.module(name) for name in "ABCD"))
    dear, cheap = f.costs(40.0, 5000.0), f.costs(1.0, 1.0)
    after = trial(
        f.module("D", costs=dear), f.module("C", costs=f.costs(40.0)), f.module("B", costs=cheap),
        f.module("A", costs=f.costs(4.0, 5000.0)),
    )  # fmt: skip
    assert suspects(before, after, TOLERANCE) == ["A", "C", "D"]
