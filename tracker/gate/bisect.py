"""Bisection: where between a good and a bad end something turned bad. Pure: no Lean, no files, no clock.

Candidates are positions 0 … n-1, the good end first. `next_position` says from the known outcomes which one
to try next, so that a search can be cut off and gone on with at any time. Both ends are verified before
anything between them is tried; what cannot be tested is stepped around, as `git bisect skip` does. With one
change from good to bad and nothing untestable, at most 2 + ⌈log₂(n - 1)⌉ candidates are tried.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import sqrt
from typing import Literal

from tracker.errors import UsageError
from tracker.gate.snapshot import Figure
from tracker.units import show_bytes, show_seconds

_NORMAL = 1.4826
"""Makes the median absolute deviation the standard deviation of normal noise (Rousseeuw and Croux 1993)."""

OracleKind = Literal["label", "class", "time", "memory"]


class Outcome(StrEnum):
    """What one try says of a candidate."""

    GOOD = "good"
    BAD = "bad"
    UNTESTABLE = "untestable"
    """It says nothing: another failure is in the way, the obligation does not exist there, …"""


@dataclass(frozen=True)
class Turn:
    """Where it turned: the last position known to be good, the first known to be bad."""

    good: int
    bad: int

    @property
    def suspects(self) -> range:
        """Return the positions of which one is the first bad one; one alone when that is certain."""
        return range(self.good + 1, self.bad + 1)

    @property
    def certain(self) -> bool:
        """Return whether nothing untestable lies between good and bad."""
        return self.bad == self.good + 1


def next_position(outcomes: Mapping[int, Outcome], count: int) -> int | Turn:
    """Return the position to try next, or the turn when there is nothing left to try.

    Raises UsageError when there are fewer than two candidates, or an end is not what it must be.
    """
    if count < 2:
        raise UsageError("BISECT-RANGE", "a bisection needs a good and a bad end", "name at least two")
    for position, expected in ((0, Outcome.GOOD), (count - 1, Outcome.BAD)):
        outcome = outcomes.get(position)
        if outcome is None:
            return position
        if outcome is not expected:
            raise UsageError(
                "BISECT-ENDS",
                f"the {expected} end is {outcome}",
                "choose other ends (were they swapped?), another obligation or another oracle",
            )
    bad = min(p for p, outcome in outcomes.items() if outcome is Outcome.BAD)
    good = max(p for p in range(bad) if outcomes.get(p) is Outcome.GOOD)
    untried = [p for p in range(good + 1, bad) if p not in outcomes]
    if not untried:
        return Turn(good, bad)
    middle = (good + bad) / 2
    return min(untried, key=lambda p: (abs(p - middle), p))


@dataclass(frozen=True)
class Observation:
    """What one try showed of one obligation."""

    id: str
    label: str
    """Its verdict with the class of the failure; empty where the catalogue does not have it."""
    reason: str = ""
    transient: bool = False
    """Whether what failed may pass when merely tried again: killed, out of memory, no disk."""
    cpu_s: Figure | None = None
    peak_rss_bytes: Figure | None = None

    @property
    def proved(self) -> bool:
        """Return whether Lean proved it; at what price is another question."""
        return self.label in ("proved", "over budget")


@dataclass(frozen=True)
class Judgement:
    """An outcome and why; `close` says that a figure is so near the threshold that noise could decide."""

    outcome: Outcome
    reason: str
    close: bool = False


@dataclass(frozen=True)
class Oracle:
    """The question that is put to every candidate.

    `label`: are all proved?  `class`: does one fail in the class `cls`?  `time`, `memory`: does the module of
    one need more CPU seconds, or bytes, than `threshold`? Anything else is untestable, not bad.
    """

    kind: OracleKind
    ids: tuple[str, ...]
    cls: str = ""
    threshold: float = 0.0
    band: float = 0.1
    """How near the threshold, as a part of it, a figure must be measured again."""
    repeats: int = 5
    """How often at most one figure is measured."""

    def judge(self, observations: Sequence[Observation]) -> Judgement:
        """Return the outcome for all obligations together: bad if one is, good if all are."""
        judged = [self._judge(observation) for observation in observations]
        for wanted in (Outcome.BAD, Outcome.UNTESTABLE):
            for judgement in judged:
                if judgement.outcome is wanted:
                    return judgement
        if not judged:
            return Judgement(Outcome.UNTESTABLE, "nothing was observed")
        return next((j for j in judged if j.close), judged[0])

    def figure(self, observation: Observation) -> Figure | None:
        """Return what is measured of an obligation's module; None for oracles that measure nothing."""
        return {"time": observation.cpu_s, "memory": observation.peak_rss_bytes}.get(self.kind)

    def show(self, cost: float) -> str:
        """Return what is measured with its unit: CPU time or memory."""
        return f"{show_seconds(cost)} CPU" if self.kind == "time" else show_bytes(round(cost))

    def near(self, figure: Figure) -> bool:
        """Return whether noise could put the figure on the other side of the threshold."""
        margin = max(self.band * self.threshold, 3 * _NORMAL * figure.mad)
        return abs(figure.median - self.threshold) <= margin

    def wants_more(self, observations: Sequence[Observation]) -> bool:
        """Return whether the modules should be measured once more before the outcome is believed."""
        figures = [f for o in observations if o.proved and (f := self.figure(o)) is not None]
        return any(f.count < self.repeats and self.near(f) for f in figures)

    def _judge(self, seen: Observation) -> Judgement:
        said = f"{seen.id} is {seen.label}" + (f": {seen.reason}" if seen.reason else "")
        if not seen.label:
            return Judgement(Outcome.UNTESTABLE, seen.reason or f"there is no {seen.id}")
        if seen.transient or seen.label == "unchecked":
            return Judgement(Outcome.UNTESTABLE, f"{said}; that may pass another time")
        if self.kind == "label":
            return Judgement(Outcome.GOOD if seen.proved else Outcome.BAD, said)
        if self.kind == "class":
            return Judgement(self._by_class(seen), said)
        return self._by_figure(seen, said)

    def _by_class(self, seen: Observation) -> Outcome:
        if seen.label == self.cls:
            return Outcome.BAD
        return Outcome.GOOD if seen.proved else Outcome.UNTESTABLE

    def _by_figure(self, seen: Observation, said: str) -> Judgement:
        figure = self.figure(seen)
        if not seen.proved or figure is None:
            return Judgement(Outcome.UNTESTABLE, f"{said}; its cost is not known")
        outcome = Outcome.BAD if figure.median > self.threshold else Outcome.GOOD
        cost, threshold = self.show(figure.median), self.show(self.threshold)
        return Judgement(
            outcome, f"{seen.id}: {cost} (threshold {threshold}, {figure.count}×)", close=self.near(figure)
        )

    def threshold_between(self, good: Figure, bad: Figure) -> float:
        """Return a threshold between the costs of both ends: their geometric mean.

        Raises UsageError when the cost grew by no more than twice the band: there is nothing to look for.
        """
        low, high = good.median, bad.median
        if high <= low * (1 + 2 * self.band):
            raise UsageError(
                "BISECT-ENDS",
                f"the bad end costs {self.show(high)}, the good one {self.show(low)}: no more than noise",
                "give --threshold, or other ends",
            )
        return sqrt(low * high)
