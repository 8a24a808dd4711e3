"""What the rules about costs say, whole: value, limit, unit, detail, findings with their places."""

from __future__ import annotations

from typing import Any

import pytest

from tests.gate import facts as f
from tests.gate.facts import changed as now
from tests.gate.facts import counted, mod, ob
from tracker.gate import rules_cost
from tracker.gate.model import Facts, Finding, Measure
from tracker.gate.snapshot import ModuleFacts

SHARE = "share of the growth allowed"


def costing(name: str, cpu_s: float, mib: float = 1000.0, **fields: Any) -> ModuleFacts:
    return f.module(name, costs=f.costs(cpu_s, mib, **fields))


def grown(share: float, detail: str, *findings: Finding) -> Measure:
    return Measure(share, 1, SHARE, detail, findings)


NOT_COMPARED = Measure(0, 1, SHARE, "no figures to compare with", comparable=False)
OTHERS = (
    costing("New", 900.0), f.module("Unmeasured", costs=None), costing("Unlike", 900.0, machine=f.OTHER_CPU),
    costing("Measured", 900.0),
)  # fmt: skip
"""Modules whose times are not compared, whatever they are."""
BEFORE = now(f.module("Unmeasured"), f.module("Unlike"), f.module("Measured", costs=None))


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (
            f.facts(),
            grown(0.0, "2 compared; most: Demo.Mid 4.00 s CPU → 4.00 s CPU, 2.00 s CPU more would pass"),
        ),
        (f.facts(before=None), NOT_COMPARED),
        (f.facts(f.snapshot(*OTHERS), BEFORE), NOT_COMPARED),
        (
            f.facts(now(*OTHERS, costing("Demo.Top", 7.0)), BEFORE),
            grown(
                1.5, "2 compared; most: Demo.Top 4.00 s CPU → 7.00 s CPU, 2.00 s CPU more would pass",
                mod("Demo.Top", "4.00 s CPU → 7.00 s CPU"),
            ),
        ),
        (
            f.facts(now(costing("Demo.Mid", 9.0), costing("Demo.Top", 8.0))),
            grown(
                2.5, "2 compared; most: Demo.Mid 4.00 s CPU → 9.00 s CPU, 2.00 s CPU more would pass",
                mod("Demo.Mid", "4.00 s CPU → 9.00 s CPU"), mod("Demo.Top", "4.00 s CPU → 8.00 s CPU"),
            ),
        ),
        (
            f.facts(now(costing("Demo.Mid", 9.0), costing("Demo.Top", 8.0)), time_floor_s=10.0),
            grown(0.5, "2 compared; most: Demo.Mid 4.00 s CPU → 9.00 s CPU, 10.0 s CPU more would pass"),
        ),
        (
            f.facts(now(costing("Demo.Mid", 1.0), costing("Demo.Top", 3.0))),
            grown(0.0, "2 compared; most: Demo.Top 4.00 s CPU → 3.00 s CPU, 2.00 s CPU more would pass"),
        ),
        (  # The module that used most of what it may, not the one that grew most.
            f.facts(
                f.snapshot(costing("A", 144.0), costing("B", 7.0)),
                f.snapshot(costing("A", 100.0), costing("B", 4.0)), time_ratio=2.0,
            ),
            grown(0.75, "2 compared; most: B 4.00 s CPU → 7.00 s CPU, 4.00 s CPU more would pass"),
        ),
    ],
)  # fmt: skip
def test_time(facts: Facts, expected: Measure) -> None:
    assert rules_cost.check_time(facts) == expected


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (f.facts(before=None), NOT_COMPARED),
        (
            f.facts(f.snapshot(costing("A", 4.0, machine=f.OTHER_SYSTEM)), f.snapshot(f.module("A"))),
            NOT_COMPARED,
        ),
        (
            f.facts(now(costing("Demo.Top", 40.0, 1250.0))),
            grown(0.5, "2 compared; most: Demo.Top 0.977 GiB → 1.22 GiB, 500 MiB more would pass"),
        ),
        (
            f.facts(now(costing("Demo.Top", 4.0, 2000.0, machine=f.OTHER_CPU))),
            grown(
                2.0, "2 compared; most: Demo.Top 0.977 GiB → 1.95 GiB, 500 MiB more would pass",
                mod("Demo.Top", "0.977 GiB → 1.95 GiB"),
            ),
        ),
    ],
)  # fmt: skip
def test_memory(facts: Facts, expected: Measure) -> None:
    assert rules_cost.check_memory(facts) == expected


EXACT: dict[str, Any] = {"time_ratio": 1.0, "time_floor_s": 0.0}


def test_where_nothing_may_grow_any_growth_is_beyond_the_limit() -> None:
    detail = "2 compared; most: Demo.Mid 4.00 s CPU → {} s CPU, 0 ms CPU more would pass"
    assert rules_cost.check_time(f.facts(**EXACT)) == grown(0.0, detail.format("4.00"))
    assert rules_cost.check_time(f.facts(now(costing("Demo.Mid", 4.5)), **EXACT)) == grown(
        5e5, detail.format("4.50"), mod("Demo.Mid", "4.00 s CPU → 4.50 s CPU")
    )


def room(share: float, detail: str, *findings: Finding, least: float = 0.2) -> Measure:
    return Measure(share, least, "share left", detail, findings, at_least=True)


def bounded(name: str = "Demo.Mid", **allowed: Any) -> ModuleFacts:
    """Return a module of 4 s CPU, 5 s and 1000 MiB with these limits only."""
    return f.module(name, **{"allowed_wall_s": None, "allowed_bytes": None, **allowed})


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (f.facts(f.snapshot(bounded())), room(1, "no module has a limit")),
        (
            f.facts(f.snapshot(f.module(costs=None)), headroom=0.5),
            room(1, "no module has a limit", least=0.5),
        ),
        (f.facts(), room(1 - 1000 / 4096, "least: Demo.Mid uses 0.977 GiB of 4 GiB")),
        (
            f.facts(f.snapshot(bounded(allowed_wall_s=12.5, allowed_cpu_s=40.0))),
            room(0.6, "least: Demo.Mid uses 5.00 s of 12.5 s wall"),
        ),
        (  # What leaves just enough passes.
            f.facts(f.snapshot(bounded(allowed_cpu_s=8.0)), headroom=0.5),
            room(0.5, "least: Demo.Mid uses 4.00 s of 8.00 s CPU", least=0.5),
        ),
        (
            f.facts(
                f.snapshot(
                    f.module("A", costs=None),
                    bounded("B", allowed_wall_s=4.0, allowed_cpu_s=4.5, allowed_bytes=1100 * f.MIB),
                    bounded("C", allowed_bytes=500 * f.MIB),
                    f.obligation(
                        needs={"a": (9, 0), "maxHeartbeats": (180_000, 200_000), "maxRecDepth": (9, 512)}
                    ),
                )
            ),
            room(
                -1.0, "least: C uses 0.977 GiB of 500 MiB",
                mod("B", "uses 5.00 s of 4.00 s wall"), mod("B", "uses 4.00 s of 4.50 s CPU"),
                mod("B", "uses 0.977 GiB of 1.07 GiB"), mod("C", "uses 0.977 GiB of 500 MiB"),
                ob("lemma", "needs 180,000 of 200,000 maxHeartbeats"),
            ),
        ),
        (
            f.facts(f.snapshot(f.obligation(needs={"maxRecDepth": (256, 512)}))),
            room(0.5, "least: lemma needs 256 of 512 maxRecDepth"),
        ),
    ],
)  # fmt: skip
def test_headroom(facts: Facts, expected: Measure) -> None:
    assert rules_cost.check_headroom(facts) == expected


ELSEWHERE = now(
    costing("Demo.Mid", 4.0, machine=f.OTHER_CPU), costing("Demo.Top", 4.0, machine=f.OTHER_SYSTEM),
    costing("Far", 4.0, machine=f.OTHER_CPU),
)  # fmt: skip
HERE = now(f.module("Far", costs=f.costs(machine="Z80")))


@pytest.mark.parametrize("unlike", ["report", "fail"])
def test_machine(unlike: str) -> None:
    unit = "modules measured on unlike machines"
    findings = (
        mod("Demo.Mid", f"measured on {f.OTHER_CPU}"), mod("Demo.Top", f"measured on {f.OTHER_SYSTEM}"),
        mod("Far", f"measured on {f.OTHER_CPU}"),
    ) if unlike == "fail" else ()  # fmt: skip
    detail = f"baseline: {f.MACHINE}; Z80. Here: {f.OTHER_SYSTEM}; {f.OTHER_CPU}"
    assert rules_cost.check_machine(f.facts(ELSEWHERE, HERE, unlike_machines=unlike)) == Measure(
        3, 0, unit, detail, findings, comparable=False
    )
    assert rules_cost.check_machine(f.facts(unlike_machines=unlike)) == Measure(0, 0, unit)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ((0, 0), (0, 0), (0, "1 in all, 1 of them deprecations", [])),
        ((3, 2), (1, 1), (0, "2 in all, 2 of them deprecations", [])),
        ((0, 0), (4, 0), (4, "5 in all, 1 of them deprecations", ["more warnings: 0 → 4"])),
        (
            (2, 0), (5, 1),
            (4, "6 in all, 2 of them deprecations", ["more warnings: 2 → 5", "more deprecations: 0 → 1"]),
        ),
    ],
)  # fmt: skip
def test_warnings(old: tuple[int, int], new: tuple[int, int], expected: tuple[int, str, list[str]]) -> None:
    noisy = f.module("Noisy", warnings=1, deprecations=1)
    before, after = (now(f.module("A", warnings=w, deprecations=d), noisy) for w, d in (old, new))
    excess, detail, messages = expected
    assert rules_cost.check_warnings(f.facts(after, before)) == Measure(
        excess, 0, "warnings more than before", detail, tuple(mod("A", m) for m in messages)
    )


LIMITS = {"maxHeartbeats": float("inf"), "maxRecDepth": 256.0}


def test_limits() -> None:
    before = now(f.module("A", limits={"maxHeartbeats": 4e6, "maxRecDepth": 512.0, "x": 9.0}))
    after = now(
        f.module("A", limits={"maxHeartbeats": float("inf"), "maxRecDepth": 1024.0, "y": 4e6, "x": 8.0})
    )
    assert rules_cost.check_limits(f.facts(after, before)) == counted(
        mod("A", "maxHeartbeats: 4000000 → unlimited"),
        mod("A", "maxRecDepth: 512 → 1024"),
        mod("A", "y: Lean's default → 4000000"),
    )


def test_limits_against_leans_own() -> None:
    before = now(f.module("A", limits={"maxRecDepth": 100.0}), f.module("B"))
    after = now(f.module("A"), f.module("B", limits={"maxRecDepth": 100.0}), f.module("New", limits=LIMITS))
    assert rules_cost.check_limits(f.facts(after, before)) == counted(
        mod("A", "maxRecDepth: 100 → Lean's default of 512"),
        mod("New", "maxHeartbeats: Lean's default of 200000 → unlimited"),
    )
