"""The search for the smallest limit that suffices: pure arithmetic, no Lean."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isqrt


@dataclass(frozen=True)
class Bracket:
    """The smallest value that suffices lies above `low` and is at most `high`.

    At `low` it was seen to fail, except where that is 0; at `high` it was seen to pass.
    """

    low: int
    high: int

    def settled(self, precision: float) -> bool:
        """Return whether both ends are next to each other, or within `precision` as a ratio."""
        return self.high - self.low <= 1 or self.high <= self.low * (1 + precision)

    def guess(self) -> int:
        """Return the value to try next, strictly between the ends: their geometric mean.

        Needs grow by factors, so that the logarithm is what is halved. Undefined for neighbours.
        """
        middle = isqrt(max(self.low, 1) * self.high)
        return min(max(middle, self.low + 1), self.high - 1)

    def passed(self, value: int) -> Bracket:
        """Return what is left after it passed at `value`."""
        return replace(self, high=min(self.high, value))

    def failed(self, value: int) -> Bracket:
        """Return what is left after it failed at `value`."""
        return replace(self, low=max(self.low, value))
