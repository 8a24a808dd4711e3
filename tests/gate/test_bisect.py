"""Laws of the bisection and of what its oracles say."""

from __future__ import annotations

from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.errors import UsageError
from tracker.gate.bisect import (
    Observation,
    Oracle,
    OracleKind,
    Outcome,
    Turn,
    next_position,
    threshold_between,
)
from tracker.gate.snapshot import Figure

GOOD, BAD, UNTESTABLE = Outcome.GOOD, Outcome.BAD, Outcome.UNTESTABLE


@st.composite
def histories(draw: st.DrawFn, *, untestable: bool) -> list[Outcome]:
    """Good ones, then bad ones; between the ends some cannot be tested."""
    count = draw(st.integers(2, 200))
    first_bad = draw(st.integers(1, count - 1))
    truth = [GOOD if p < first_bad else BAD for p in range(count)]
    if untestable:
        for position in draw(st.sets(st.integers(0, count - 1), max_size=count // 2)):
            if 0 < position < count - 1:
                truth[position] = UNTESTABLE
    return truth


def search(truth: list[Outcome], known: dict[int, Outcome] | None = None) -> tuple[Turn, list[int]]:
    outcomes = dict(known or {})
    tried = []
    while isinstance(step := next_position(outcomes, len(truth)), int):
        assert step not in outcomes, "nothing is tried twice"
        tried.append(step)
        outcomes[step] = truth[step]
    return step, tried


@given(histories(untestable=False))
def test_finds_the_first_bad_one_in_logarithmic_time(truth: list[Outcome]) -> None:
    turn, tried = search(truth)
    assert turn.certain
    assert list(turn.suspects) == [truth.index(BAD)]
    assert tried[:2] == [0, len(truth) - 1], "both ends come first"
    assert len(tried) <= 2 + (ceil(log2(len(truth) - 1)) if len(truth) > 2 else 0)


@given(histories(untestable=True))
def test_the_untestable_is_stepped_around(truth: list[Outcome]) -> None:
    turn, _ = search(truth)
    assert truth[turn.good] is GOOD
    assert truth[turn.bad] is BAD
    assert all(truth[p] is UNTESTABLE for p in turn.suspects if p != turn.bad)
    assert turn.certain == (len(turn.suspects) == 1)


@given(histories(untestable=True), st.data())
def test_a_search_cut_off_ends_as_one_that_was_not(truth: list[Outcome], data: st.DataObject) -> None:
    whole, tried = search(truth)
    cut = data.draw(st.integers(0, len(tried)))
    resumed, rest = search(truth, {p: truth[p] for p in tried[:cut]})
    assert resumed == whole
    assert tried[:cut] + rest == tried


@given(st.lists(st.sampled_from(list(Outcome)), min_size=2, max_size=40))
def test_whatever_is_seen_the_answer_lies_between_a_good_and_a_bad_one(truth: list[Outcome]) -> None:
    truth[0], truth[-1] = GOOD, BAD
    turn, _ = search(truth)
    assert 0 <= turn.good < turn.bad < len(truth)
    assert (truth[turn.good], truth[turn.bad]) == (GOOD, BAD)


@pytest.mark.parametrize(
    ("ends", "said"),
    [((BAD, BAD), "good end is bad"), ((GOOD, GOOD), "bad end is good"), ((UNTESTABLE, BAD), "untestable")],
)
def test_an_end_that_is_not_what_it_must_be(ends: tuple[Outcome, Outcome], said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        search([ends[0], GOOD, ends[1]])
    assert caught.value.code == "BISECT-ENDS"


def test_one_candidate_is_no_range() -> None:
    with pytest.raises(UsageError, match="good and a bad end"):
        next_position({}, 1)


def seen(label: str, cpu_s: Figure | None = None, **more: bool) -> Observation:
    return Observation("x", label, cpu_s=cpu_s, **more)


@pytest.mark.parametrize(
    ("kind", "label", "expected"),
    [
        ("label", "proved", GOOD),
        ("label", "over budget", GOOD),
        ("label", "failed:type-error", BAD),
        ("label", "blocked", BAD),
        ("label", "missing", BAD),
        ("label", "unchecked", UNTESTABLE),
        ("label", "", UNTESTABLE),
        ("class", "proved", GOOD),
        ("class", "failed:kernel-timeout", BAD),
        ("class", "failed:type-error", UNTESTABLE),
        ("class", "blocked", UNTESTABLE),
        ("time", "failed:type-error", UNTESTABLE),
        ("time", "proved", UNTESTABLE),
        ("memory", "proved", UNTESTABLE),
    ],
)
def test_what_a_label_says(kind: OracleKind, label: str, expected: Outcome) -> None:
    oracle = Oracle(kind, ("x",), cls="failed:kernel-timeout", threshold=1.0)
    assert oracle.judge([seen(label)]).outcome is expected


def test_what_may_pass_another_time_says_nothing() -> None:
    for kind in ("label", "class"):
        oracle = Oracle(kind, ("x",), cls="failed:killed")  # type: ignore[arg-type]
        assert oracle.judge([seen("failed:killed", transient=True)]).outcome is UNTESTABLE


def test_one_bad_one_is_enough_and_all_must_be_good() -> None:
    oracle = Oracle("label", ("x", "y"))
    assert oracle.judge([seen("proved"), seen("sorry")]).outcome is BAD
    assert oracle.judge([seen(""), seen("sorry")]).outcome is BAD
    assert oracle.judge([seen("proved"), seen("")]).outcome is UNTESTABLE
    assert oracle.judge([seen("proved"), seen("proved")]).outcome is GOOD
    assert oracle.judge([]).outcome is UNTESTABLE


@given(st.floats(0.01, 1e4), st.floats(0.01, 1e4), st.floats(0, 10), st.integers(1, 9))
def test_figures_near_the_threshold_are_measured_again(
    median: float, threshold: float, mad: float, count: int
) -> None:
    oracle = Oracle("time", ("x",), threshold=threshold, repeats=5)
    observation = seen("proved", Figure(median, mad, count))
    judged = oracle.judge([observation])
    assert judged.outcome is (BAD if median > threshold else GOOD)
    assert judged.close == (abs(median - threshold) <= max(0.1 * threshold, 3 * 1.4826 * mad))
    assert oracle.wants_more([observation]) == (judged.close and count < 5)


@given(st.floats(0.01, 1e6), st.floats(1.21, 1e6))
def test_a_threshold_between_the_ends(low: float, factor: float) -> None:
    threshold = threshold_between(Figure(low), Figure(low * factor), 0.1)
    assert low < threshold < low * factor


def test_no_threshold_between_ends_that_cost_the_same() -> None:
    with pytest.raises(UsageError, match="no more than noise"):
        threshold_between(Figure(1.0), Figure(1.1), 0.1)
