"""The law of a cost is told from its figures."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tracker.levels.growth import growth

LEVELS = range(2, 13)
WOBBLE = (1.04, 0.97, 1.02, 0.98, 1.01, 0.96, 1.03, 0.99, 1.0, 1.02, 0.97)


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ([0.005 + 1e-5 * 3**k for k in LEVELS], "triples per stage"),
        ([2.0**k for k in LEVELS], "doubles per stage (×2.00)"),
        ([0.01 * 4.1**k for k in LEVELS], "quadruples per stage"),
        ([1.4**k for k in LEVELS], "grows exponentially per stage (×1.40)"),
        ([3.0 * k for k in LEVELS], "grows linearly (k^1.00)"),
        ([0.5 * k * k for k in LEVELS], "grows quadratically (k^2.00)"),
        ([0.1 for _ in LEVELS], "does not grow"),
        ([0.011, 0.007, 0.006, 0.019, 0.005, 0.007], "does not grow"),
        ([0.1, 0.2], "too few levels to tell"),
        ([0.0 for _ in LEVELS], "too few levels to tell"),
        ([0.1, 0.1, 0.1, 900.0, 0.2, 900.0, 0.1, 900.0], "follows no clear law"),
    ],
)
def test_laws_have_names(costs: list[float], words: str) -> None:
    assert words in str(growth(list(zip(LEVELS, costs, strict=False))))


@given(st.floats(1.3, 6.0), st.floats(1e-4, 1e3))
def test_a_factor_is_found_whatever_the_unit(rate: float, unit: float) -> None:
    found = growth([(k, unit * rate**k * w) for k, w in zip(LEVELS, WOBBLE, strict=True)])
    assert found.law == "exponential"
    assert found.rate == pytest.approx(rate, rel=0.05)


@given(st.floats(1.0, 4.0), st.floats(1e-4, 1e3))
def test_an_exponent_is_found_whatever_the_unit(degree: float, unit: float) -> None:
    found = growth([(k, unit * float(k) ** degree * w) for k, w in zip(LEVELS, WOBBLE, strict=True)])
    assume(found.law != "flat")
    assert found.law == "power"
    assert found.rate == pytest.approx(degree, abs=0.25)


@given(st.lists(st.tuples(st.integers(-3, 50), st.floats(-1, 1e9)), max_size=12))
def test_no_figures_break_it(points: list[tuple[int, float]]) -> None:
    assert str(growth(sorted(dict(points).items())))
