"""What an upgrade would do: two trials of one tree compared, judged and ranked. Pure: no Lean, no files.

Verdicts: `loses N` when anything that was proved is not proved any more, or a module that checked does not;
`costs more` when all is still proved and a module needs more CPU time or memory, beyond what noise explains,
or its cost is not known any more; `nothing to compare` when nothing was proved before; else `safe`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tracker.gate.compare import Change, Difference, Tolerance, compare_modules, compare_obligations
from tracker.gate.rollup import Cause, headline_ids, root_causes
from tracker.gate.snapshot import Costs
from tracker.gate.trial import Trial
from tracker.units import show_count

_CLIFF = 5.0
_GROWN = (Change.SLOWER, Change.HEAVIER)


class Fate(StrEnum):
    """What becomes of one obligation, the gravest that is true of it."""

    LOST = "lost"
    CLASS = "class changed"
    """Not proved before and after, in another way."""
    UNPROVED = "not proved in both"
    SLOWER = "slower"
    HEAVIER = "heavier"
    AXIOMS = "proved, on more axioms"
    PRINTS = "statement prints differently"
    GAINED = "gained"
    PROVED = "proved in both"


class Ruling(StrEnum):
    """The verdict on an upgrade."""

    SAFE = "safe"
    COSTS = "costs more"
    LOSES = "loses"
    NOTHING = "nothing to compare"


@dataclass(frozen=True)
class ObligationFate:
    """One obligation before and after. Labels are empty where the catalogue does not have it."""

    id: str
    kind: str
    net: str | None
    module: str
    before: str
    after: str
    fate: Fate
    changes: tuple[Difference, ...]
    reason: str = ""
    """Why it is not proved after, in one line."""


@dataclass(frozen=True)
class Growth:
    """A module that passes on both sides and needs more: CPU seconds or bytes."""

    module: str
    unit: str
    """`CPU s` or `bytes`."""
    before: float
    after: float
    floor: float
    """What of a growth is noise, in the same unit."""
    obligations: tuple[str, ...]
    headlines: tuple[str, ...]

    @property
    def factor(self) -> float:
        """Return how many times as much it needs."""
        return self.after / max(self.before, 1e-9)

    @property
    def weight(self) -> float:
        """Return what ranks it: its factor times its growth, the latter in units of the noise floor."""
        return self.factor * (self.after - self.before) / max(self.floor, 1e-9)

    @property
    def cliff(self) -> bool:
        """Return whether it grew to so many times as much that something has changed in kind."""
        return self.factor >= _CLIFF


@dataclass(frozen=True)
class Total:
    """All modules together that were measured on both sides: CPU seconds, and the highest peak in bytes."""

    modules: int
    cpu_s: tuple[float, float]
    peak_bytes: tuple[float, float]


@dataclass(frozen=True)
class Upgrade:
    """What becomes of every obligation and every cost."""

    before: Trial
    after: Trial
    fates: Mapping[str, ObligationFate]
    growth: tuple[Growth, ...]
    """The worst first."""
    causes: tuple[Cause, ...]
    headlines: tuple[str, ...]
    modules: tuple[Difference, ...]
    """Every difference of a module."""
    total: Total
    ruling: Ruling

    @property
    def counts(self) -> Mapping[Fate, int]:
        """Return how many obligations have each fate; all fates are there."""
        found = Counter(fate.fate for fate in self.fates.values())
        return {fate: found[fate] for fate in Fate}

    @property
    def verdict(self) -> str:
        """Return the verdict in words: `safe`, `costs more`, `loses 3`, `loses 1 module`, …"""
        if self.ruling is not Ruling.LOSES:
            return str(self.ruling)
        if lost := self.counts[Fate.LOST]:
            return f"{self.ruling} {lost}"
        return f"{self.ruling} {show_count(len(self.differing(Change.LOST)), 'module')}"

    def having(self, fate: Fate) -> list[ObligationFate]:
        """Return the obligations of one fate, by id."""
        return [found for found in self.fates.values() if found.fate is fate]

    def differing(self, change: Change) -> list[Difference]:
        """Return the modules that differ in one way, by name."""
        return [found for found in self.modules if found.change is change]


def suspects(before: Trial, after: Trial, tolerance: Tolerance) -> list[str]:
    """Return the modules that seem to cost more, by name: those worth measuring again."""
    found = compare_modules(before.snapshot, after.snapshot, tolerance)
    return sorted({d.subject for d in found if d.change in _GROWN})


def compare_trials(before: Trial, after: Trial, tolerance: Tolerance) -> Upgrade:
    """Return what becomes of every obligation and module of either trial."""
    modules = tuple(compare_modules(before.snapshot, after.snapshot, tolerance))
    fates = _fates(before, after, modules)
    named = dict.fromkeys((*headline_ids(before.catalogue), *headline_ids(after.catalogue)))
    headlines = tuple(ident for ident in named if ident in fates)
    lost = [fate.id for fate in fates.values() if fate.fate is Fate.LOST]
    growth = _growth(modules, fates, headlines, tolerance)
    return Upgrade(
        before=before, after=after, fates=fates, growth=growth,
        causes=root_causes(lost, after.snapshot, headlines),
        headlines=headlines, modules=modules, total=_total(before, after),
        ruling=_ruling(fates.values(), growth, modules),
    )  # fmt: skip


def _ruling(
    fates: Iterable[ObligationFate], growth: Sequence[Growth], modules: Sequence[Difference]
) -> Ruling:
    known = list(fates)
    # A module that checked and does not any more is a loss also where no obligation names it.
    if any(fate.fate is Fate.LOST for fate in known) or any(d.change is Change.LOST for d in modules):
        return Ruling.LOSES
    if not any(fate.before == "proved" for fate in known):
        return Ruling.NOTHING
    # A cost that cannot be told counts as one that grew: missing data is no good news.
    unknown = any(d.change is Change.UNMEASURED for d in modules)
    return Ruling.COSTS if growth or unknown else Ruling.SAFE


def _fates(before: Trial, after: Trial, modules: Iterable[Difference]) -> dict[str, ObligationFate]:
    old, new = before.snapshot.obligations, after.snapshot.obligations
    changes: dict[str, list[Difference]] = {ident: [] for ident in sorted({*old, *new})}
    for difference in compare_obligations(before.snapshot, after.snapshot):
        changes[difference.subject].append(difference)
    costs: dict[str, list[Difference]] = {}
    for difference in modules:
        if difference.change in _GROWN:
            costs.setdefault(difference.subject, []).append(difference)
    found = {}
    for ident, own in changes.items():
        facts = new.get(ident) or old[ident]
        every = (*own, *costs.get(facts.module, ()))
        labels = (
            old[ident].label if ident in old else "",
            new[ident].label if ident in new else "",
        )
        found[ident] = ObligationFate(
            ident, facts.kind, facts.net, facts.module, *labels,
            fate=_fate(*labels, {d.change for d in every}), changes=every,
            reason=new[ident].reason if ident in new else "the catalogue does not have it any more",
        )  # fmt: skip
    return found


def _fate(before: str, after: str, changes: set[Change]) -> Fate:
    if before == "proved" and after != "proved":
        return Fate.LOST
    if after != "proved":
        return Fate.UNPROVED if before == after else Fate.CLASS
    if before != "proved":
        return Fate.GAINED
    for fate, signs in (
        (Fate.SLOWER, {Change.SLOWER}),
        (Fate.HEAVIER, {Change.HEAVIER}),
        (Fate.AXIOMS, {Change.AXIOMS_MORE}),
        (Fate.PRINTS, {Change.PRINTS, Change.STATEMENT}),
    ):
        if changes & signs:
            return fate
    return Fate.PROVED


def _growth(
    modules: Iterable[Difference], fates: Mapping[str, ObligationFate], headlines: Sequence[str],
    tolerance: Tolerance,
) -> tuple[Growth, ...]:  # fmt: skip
    homes: dict[str, list[str]] = {}
    for fate in fates.values():
        homes.setdefault(fate.module, []).append(fate.id)
    found = []
    for difference in modules:
        if difference.change in _GROWN:
            assert isinstance(difference.before, float | int)
            assert isinstance(difference.after, float | int)
            slower = difference.change is Change.SLOWER
            ids = tuple(homes.get(difference.subject, ()))
            found.append(
                Growth(
                    difference.subject, "CPU s" if slower else "bytes", difference.before, difference.after,
                    tolerance.floor_s if slower else tolerance.floor_bytes,
                    ids, tuple(i for i in ids if i in headlines),
                )
            )  # fmt: skip
    return tuple(sorted(found, key=lambda g: (-g.weight, g.module, g.unit)))


def _total(before: Trial, after: Trial) -> Total:
    modules = after.snapshot.modules
    pairs = [
        (old.costs, new.costs)
        for name, old in before.snapshot.modules.items()
        if old.costs and (new := modules.get(name)) and new.costs
    ]
    return Total(
        len(pairs),
        (sum(old.cpu_s.median for old, _ in pairs), sum(new.cpu_s.median for _, new in pairs)),
        (_highest(old for old, _ in pairs), _highest(new for _, new in pairs)),
    )


def _highest(costs: Iterable[Costs]) -> float:
    return max((cost.peak_rss_bytes.median for cost in costs), default=0.0)
