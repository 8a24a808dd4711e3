"""Laws of the bisection and of what its oracles say."""

from __future__ import annotations

from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.errors import UsageError
from tracker.gate.bisect import (
    Judgement,
    Observation,
    Oracle,
    OracleKind,
    Outcome,
    Turn,
    next_position,
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
    threshold = Oracle("time", ("x",), band=0.1).threshold_between(Figure(low), Figure(low * factor))
    assert low < threshold < low * factor


def test_no_threshold_between_ends_that_cost_the_same() -> None:
    oracle = Oracle("time", ("x",), band=0.125)
    with pytest.raises(UsageError) as caught:
        oracle.threshold_between(Figure(1.0), Figure(1.25))
    assert str(caught.value) == (
        "error[BISECT-ENDS]: the bad end costs 1.25 s CPU, the good one 1.00 s CPU: no more than noise\n"
        "  hint: give --threshold, or other ends"
    )
    assert oracle.threshold_between(Figure(1.0), Figure(1.5625)) == 1.25


@pytest.mark.parametrize(
    ("median", "mad", "near"),
    [
        (112.5, 0.0, True),  # just the band
        (112.75, 0.0, False),
        (87.5, 0.0, True),
        (87.25, 0.0, False),
        (100 + 2.99 * 1.4826 * 10, 10.0, True),  # three deviations of the noise
        (100 + 3.01 * 1.4826 * 10, 10.0, False),
    ],
)
def test_what_is_near_the_threshold(median: float, mad: float, near: bool) -> None:
    oracle = Oracle("time", ("x",), threshold=100.0, band=0.125)
    assert oracle.near(Figure(median, mad)) is near


def test_the_words_of_a_judgement() -> None:
    cost = Oracle("time", ("x",), threshold=2.0)
    judged = cost.judge([seen("proved", Figure(3.14159, 0.0, 4))])
    assert judged == Judgement(BAD, "x: 3.14 s CPU (threshold 2.00 s CPU, 4×)")
    memory = Oracle("memory", ("x",), threshold=2.0)
    found = memory.judge([Observation("x", "over budget", peak_rss_bytes=Figure(1.0))])
    assert found == Judgement(GOOD, "x: 1 B (threshold 2 B, 1×)")
    assert cost.judge([seen("proved", Figure(2.0))]) == Judgement(
        GOOD, "x: 2.00 s CPU (threshold 2.00 s CPU, 1×)", close=True
    )
    assert cost.judge([seen("proved")]) == Judgement(UNTESTABLE, "x is proved; its cost is not known")
    assert cost.judge([seen("sorry", Figure(9.0))]).outcome is UNTESTABLE
    label = Oracle("label", ("x",))
    assert label.judge([Observation("x", "sorry", "why")]) == Judgement(BAD, "x is sorry: why")
    assert label.judge([Observation("x", "")]) == Judgement(UNTESTABLE, "there is no x")
    assert label.judge([Observation("x", "", "why")]) == Judgement(UNTESTABLE, "why")
    assert label.judge([seen("unchecked")]) == Judgement(
        UNTESTABLE, "x is unchecked; that may pass another time"
    )
    assert label.judge([]) == Judgement(UNTESTABLE, "nothing was observed")
    cls = Oracle("class", ("x",), cls="sorry")
    assert cls.judge([seen("sorry")]) == Judgement(BAD, "x is sorry")


def test_of_all_that_are_good_the_one_near_the_threshold_is_told() -> None:
    oracle = Oracle("time", ("x", "y"), threshold=10.0)
    near = Observation("y", "proved", cpu_s=Figure(9.5))
    judged = oracle.judge([seen("proved", Figure(1.0)), near])
    assert (judged.close, judged.reason) == (True, "y: 9.50 s CPU (threshold 10.0 s CPU, 1×)")
    assert not oracle.wants_more([seen("proved", Figure(1.0))])
    assert oracle.wants_more([seen("proved", Figure(1.0)), near])
    assert not oracle.wants_more([seen("proved", Figure(9.5, 0.0, 5))])
    assert not oracle.wants_more([seen("sorry", Figure(9.5))]), "what is not proved is not measured"
    assert oracle.figure(near) == Figure(9.5)
    assert Oracle("label", ("y",)).figure(near) is None
    assert (oracle.band, oracle.repeats) == (0.1, 5)


def test_the_words_of_an_end_that_is_wrong() -> None:
    with pytest.raises(UsageError) as caught:
        next_position({0: BAD}, 2)
    assert str(caught.value) == (
        "error[BISECT-ENDS]: the good end is bad\n"
        "  hint: choose other ends (were they swapped?), another obligation or another oracle"
    )
    with pytest.raises(UsageError) as caught:
        next_position({}, 1)
    assert str(caught.value) == (
        "error[BISECT-RANGE]: a bisection needs a good and a bad end\n  hint: name at least two"
    )
