"""Laws of comparison: symmetric, nothing that differs is silent, noise is no difference."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.gate import facts as f
from tracker.gate.compare import (
    Change,
    Difference,
    Tolerance,
    compare_modules,
    compare_obligations,
    memory_margin,
    time_margin,
)
from tracker.gate.snapshot import ModuleFacts, ObligationFacts, Snapshot

C = Change
TOLERANCE = Tolerance()
LABELS = ("proved", "sorry", "blocked", "failed:type-error", "failed:kernel-timeout", "unchecked")

obligations = st.builds(
    f.obligation, st.sampled_from(["a", "b"]), kind=st.sampled_from(["tie", "apex"]),
    net=st.sampled_from([None, "vit"]), decl=st.sampled_from(["A.x", "A.y"]), label=st.sampled_from(LABELS),
    axioms=st.sampled_from([None, (), ("propext",), ("propext", "sorryAx")]),
    digest=st.sampled_from(["", "d" * 64, "e" * 64]),
)  # fmt: skip
some_costs = st.builds(
    f.costs, st.floats(0.0, 500.0), st.floats(1.0, 50000.0),
    st.sampled_from([f.MACHINE, f.OTHER_CPU, f.OTHER_SYSTEM]), st.floats(0.0, 5.0),
)  # fmt: skip
limits = st.dictionaries(
    st.sampled_from(["maxRecDepth", "maxHeartbeats"]), st.sampled_from([512.0, 4000.0, float("inf")])
)
DEFAULT = {"maxRecDepth": 512.0, "maxHeartbeats": 200000.0}
names = st.sampled_from(["A", "B"])
modules = st.builds(
    f.module, names, passed=st.booleans(), checked=st.just(True),
    classes=st.sampled_from([(), ("type-error",), ("kernel-timeout",)]), costs=st.none() | some_costs,
    warnings=st.integers(0, 3), deprecations=st.integers(0, 2), limits=limits,
) | st.builds(
    f.module, names, passed=st.just(False), checked=st.just(False), blocked_by=st.sampled_from(["", "C"]),
    costs=st.none(),
)  # fmt: skip
snapshots = st.builds(lambda facts: f.snapshot(*facts), st.lists(obligations | modules, max_size=6))

MIRROR = {
    C.LOST: C.GAINED, C.REMOVED: C.ADDED, C.AXIOMS_MORE: C.AXIOMS_FEWER, C.UNASKED: C.ANSWERED,
    C.SLOWER: C.FASTER, C.HEAVIER: C.LIGHTER, C.UNMEASURED: C.MEASURED, C.WARNINGS: C.WARNINGS_FEWER,
    C.DEPRECATIONS: C.DEPRECATIONS_FEWER, C.LIMITS: C.LIMITS_LOWERED,
}  # fmt: skip
MIRROR |= {new: old for old, new in MIRROR.items()}
ITSELF = {C.LABEL, C.STATEMENT, C.PRINTS, C.MOVED, C.REGROUPED, C.UNLIKE, C.CLASSES}


def compare(before: Snapshot, after: Snapshot) -> list[Difference]:
    return [*compare_obligations(before, after), *compare_modules(before, after, TOLERANCE)]


def kinds(before: Snapshot, after: Snapshot) -> list[Change]:
    return [d.change for d in compare(before, after)]


def test_every_change_has_a_mirror() -> None:
    assert set(MIRROR) | ITSELF == set(Change)


@given(snapshots)
def test_nothing_differs_from_itself(one: Snapshot) -> None:
    assert compare(one, one) == []


@given(snapshots, snapshots)
def test_what_is_lost_one_way_is_gained_the_other(one: Snapshot, other: Snapshot) -> None:
    there = {(d.subject, d.change, str(d.before), str(d.after)) for d in both_ways(one, other)}
    back = {
        (d.subject, MIRROR.get(d.change, d.change), str(d.after), str(d.before))
        for d in both_ways(other, one)
    }
    assert there == back


def both_ways(before: Snapshot, after: Snapshot) -> list[Difference]:
    """Return the differences but the raised limits of new modules: a module that is gone lowers nothing."""
    new = {*after.modules} - {*before.modules}
    return [d for d in compare(before, after) if d.change is not C.LIMITS or d.subject not in new]


def core(fact: ObligationFacts | ModuleFacts) -> object:
    """Return what of a fact must not change unseen; costs have a law of their own."""
    if isinstance(fact, ObligationFacts):
        return replace(fact, reason="", file="", line=0, blocked_by=(), statement="")
    # A module that is not checked has neither classes nor costs of its own.
    return replace(
        fact, costs=None, allowed_bytes=None, allowed_cpu_s=None, allowed_wall_s=None, expected=True, file="",
        blocked_by=str(bool(fact.blocked_by)), limits={**DEFAULT, **fact.limits},
    )  # fmt: skip


@given(snapshots, snapshots)
def test_nothing_changes_silently(one: Snapshot, other: Snapshot) -> None:
    before, after = ({**s.obligations, **s.modules} for s in (one, other))
    said = {d.subject for d in compare(one, other)}
    for name in {*before, *after}:
        old, new = before.get(name), after.get(name)
        if old is None or new is None or core(old) != core(new):
            assert name in said, name


@given(some_costs, some_costs)
def test_a_cost_differs_beyond_its_margin_and_on_like_machines_only(one: object, other: object) -> None:
    old, new = f.module(costs=one), f.module(costs=other)
    found = set(kinds(f.snapshot(old), f.snapshot(new)))
    assert old.costs is not None
    assert new.costs is not None
    grown = new.costs.cpu_s.median - old.costs.cpu_s.median
    same = old.costs.machine == new.costs.machine
    assert (C.SLOWER in found) == (same and grown > time_margin(old.costs, new.costs, TOLERANCE))
    more = new.costs.peak_rss_bytes.median - old.costs.peak_rss_bytes.median
    alike = old.costs.machine.split(", ")[-1] == new.costs.machine.split(", ")[-1]
    assert (C.HEAVIER in found) == (alike and more > memory_margin(old.costs, new.costs, TOLERANCE))
    assert (C.UNLIKE in found) == (not same)


@pytest.mark.parametrize(
    ("before", "after", "slower"),
    [
        (0.4, 1.2, False),  # thrice, but below the floor of 2 s
        (4.0, 6.0, False),  # exactly ratio and floor
        (4.0, 6.01, True),
        (100.0, 149.0, False),
        (100.0, 151.0, True),
        (17.0, 360.0, True),
    ],
)
def test_ratio_and_floor(before: float, after: float, slower: bool) -> None:
    found = kinds(f.snapshot(f.module(costs=f.costs(before))), f.snapshot(f.module(costs=f.costs(after))))
    assert (C.SLOWER in found) is slower


def test_noise_that_was_seen_widens_the_margin() -> None:
    noisy = f.snapshot(f.module(costs=f.costs(4.0, mad=1.0)))
    assert kinds(noisy, f.snapshot(f.module(costs=f.costs(4.0 + 4 * 1.4826 - 0.01)))) == []
    assert C.SLOWER in kinds(noisy, f.snapshot(f.module(costs=f.costs(4.0 + 4 * 1.4826 + 0.01))))


def test_the_same_digest_under_another_print() -> None:
    now = f.changed(f.obligation(statement="1 ≡ 1"))
    assert kinds(f.NORMAL, now) == [C.PRINTS]
    assert kinds(f.NORMAL, f.changed(f.obligation(digest="e" * 64))) == [C.STATEMENT]


def test_another_digest_under_another_lean_is_told_apart() -> None:
    now = f.snapshot(*f.changed(f.obligation(digest="e" * 64)).obligations.values(), identity="4.36.0 x")
    assert [d.change for d in compare_obligations(f.NORMAL, now)] == [C.PRINTS]


def test_an_unlimited_option_is_higher_than_any_number() -> None:
    low, none = f.module(limits={"maxHeartbeats": 4e6}), f.module(limits={"maxHeartbeats": float("inf")})
    assert kinds(f.snapshot(low), f.snapshot(none)) == [C.LIMITS]
