"""The search finds the smallest sufficient value, whatever it is, in few steps."""

from __future__ import annotations

from math import log2

from hypothesis import given
from hypothesis import strategies as st

from tracker.headroom.search import Bracket

HIGH = st.integers(1, 10**7)


@given(HIGH, st.data())
def test_the_smallest_value_is_found(high: int, data: st.DataObject) -> None:
    need = data.draw(st.integers(1, high))
    bracket, steps = Bracket(0, high), 0
    while not bracket.settled(0.0):
        value = bracket.guess()
        assert bracket.low < value < bracket.high
        bracket = bracket.passed(value) if value >= need else bracket.failed(value)
        steps += 1
    assert bracket.high == need
    assert bracket.low == need - 1
    assert steps <= 2 * log2(high + 1) + 2


@given(HIGH, st.floats(0.01, 1.0), st.data())
def test_precision_is_a_ratio(high: int, precision: float, data: st.DataObject) -> None:
    need = data.draw(st.integers(1, high))
    bracket = Bracket(0, high)
    while not bracket.settled(precision):
        value = bracket.guess()
        bracket = bracket.passed(value) if value >= need else bracket.failed(value)
    assert bracket.low < need <= bracket.high
    assert bracket.high <= max(bracket.low * (1 + precision), bracket.low + 1)


def test_what_is_known_is_not_forgotten() -> None:
    assert Bracket(10, 20).passed(30) == Bracket(10, 20)
    assert Bracket(10, 20).failed(5) == Bracket(10, 20)
