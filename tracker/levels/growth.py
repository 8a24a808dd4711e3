"""How a cost grows with a parameter, and what people call that.

A cost is flat when the median of its upper half of levels is less than twice that of the lower half. Else two
laws are fitted by least squares on logarithms, y = a b^k and y = a k^b, to the levels where the cost has left
its constant part behind; the one with the smaller squared error is taken, unless it is a bad fit too.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Literal

Law = Literal["flat", "power", "exponential", "unknown"]

_FLAT = 2.0
_LEAVES_CONSTANT = 3.0
_FEWEST = 3
_BAD_FIT = log(2)
_NEAR = 0.15
_WORDS = {2: "doubles", 3: "triples", 4: "quadruples"}
_DEGREES = {1: "linearly", 2: "quadratically", 3: "cubically"}


@dataclass(frozen=True)
class Growth:
    """The law of a cost. `rate` is the factor per step if exponential, the exponent if a power."""

    law: Law
    rate: float | None = None
    error: float | None = None
    """Root mean square of the errors of the fit, as a ratio less one."""

    def __str__(self) -> str:
        if self.law == "flat":
            return "does not grow"
        if self.rate is None:
            return "follows no clear law" if self.error is not None else "too few levels to tell"
        if self.law == "exponential":
            whole = round(self.rate)
            near = whole in _WORDS and abs(self.rate / whole - 1) <= _NEAR
            name = _WORDS[whole] if near else "grows exponentially"
            return f"{name} per stage (×{self.rate:.2f})"
        degree = round(self.rate)
        near = degree in _DEGREES and abs(self.rate - degree) <= 2 * _NEAR
        return f"grows {_DEGREES[degree] if near else 'polynomially'} (k^{self.rate:.2f})"


def growth(points: Sequence[tuple[int, float]]) -> Growth:
    """Return the law of costs at levels, which ascend; costs must be positive where they are to count."""
    usable = [(k, y) for k, y in points if y > 0 and k > 0]
    if len(usable) < _FEWEST:
        return Growth("unknown")
    least = min(y for _, y in usable)
    half = len(usable) // 2
    lower, upper = (statistics.median(y for _, y in part) for part in (usable[:half], usable[half:]))
    if upper < _FLAT * lower:
        return Growth("flat")
    tail = [(k, y) for k, y in usable if y >= _LEAVES_CONSTANT * least]
    if len(tail) < _FEWEST:
        tail = usable[-max(_FEWEST, len(usable) // 2) :]
    exponential = _fit([float(k) for k, _ in tail], [log(y) for _, y in tail])
    power = _fit([log(k) for k, _ in tail], [log(y) for _, y in tail])
    law: Law = "exponential" if exponential[1] <= power[1] else "power"
    slope, error = exponential if law == "exponential" else power
    if slope <= 0 or error > _BAD_FIT:
        return Growth("unknown", None, exp(error) - 1)
    return Growth(law, exp(slope) if law == "exponential" else slope, exp(error) - 1)


def _fit(xs: Sequence[float], ys: Sequence[float]) -> tuple[float, float]:
    """Return the slope of the least-squares line and the root mean square of its errors."""
    slope, intercept = statistics.linear_regression(xs, ys)
    squares = [(y - slope * x - intercept) ** 2 for x, y in zip(xs, ys, strict=True)]
    return slope, statistics.fmean(squares) ** 0.5
