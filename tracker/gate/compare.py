"""What changed between two snapshots: pure comparison, no judgement of what may land.

A cost counts as changed only when it is beyond a ratio *and* an absolute floor *and* the noise that was seen:

    |after - before| > max(floor, (ratio - 1) * min(before, after), deviations * 1.4826 * MAD)

where MAD is the larger of the two median absolute deviations and 1.4826 makes it the standard deviation of
normal noise (Rousseeuw and Croux 1993). So what is slower one way is faster the other way. Times of unlike
machines are not compared, memory only where system and architecture are the same; that they are unlike is
itself reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from tracker.gate.snapshot import Costs, Figure, ModuleFacts, ObligationFacts, Snapshot
from tracker.lean.failures.options import DEFAULTS

_NORMAL = 1.4826
SHA_256 = "SHA-256"
"""The detail of a difference whose values are digests of compiled statements."""
_DIGITS = 12


class Change(StrEnum):
    """One way in which an obligation or a module differs."""

    LOST = "lost"
    GAINED = "gained"
    REMOVED = "removed"
    ADDED = "added"
    LABEL = "label changed"
    """Not proved before and after, for other reasons: the class of the failure changed, say."""
    STATEMENT = "statement changed"
    PRINTS = "statement prints differently"
    """The text differs and the compiled statement, for the same Lean, does not; or the Lean differs."""
    AXIOMS_MORE = "more axioms"
    AXIOMS_FEWER = "fewer axioms"
    MOVED = "declaration or module changed"
    REGROUPED = "kind or net changed"
    UNASKED = "Lean no longer answers"
    """There was a statement or a set of axioms, and now there is none."""
    ANSWERED = "Lean answers now"
    SLOWER = "slower"
    FASTER = "faster"
    HEAVIER = "heavier"
    LIGHTER = "lighter"
    UNMEASURED = "no longer measured"
    MEASURED = "measured now"
    UNLIKE = "measured on unlike machines"
    CLASSES = "failure classes changed"
    WARNINGS = "more warnings"
    WARNINGS_FEWER = "fewer warnings"
    DEPRECATIONS = "more deprecations"
    DEPRECATIONS_FEWER = "fewer deprecations"
    LIMITS = "resource limits raised"
    LIMITS_LOWERED = "resource limits lowered"


@dataclass(frozen=True)
class Tolerance:
    """What of a cost is noise: seconds, bytes, and numbers without a unit."""

    ratio: float = 1.5
    memory_ratio: float = 1.5
    floor_s: float = 2.0
    floor_bytes: float = 256 * 2**20
    deviations: float = 4.0


@dataclass(frozen=True)
class Difference:
    """One difference of one subject: an obligation's id or a module's name."""

    subject: str
    change: Change
    before: str | float | None
    after: str | float | None
    detail: str = ""


def short_digest(digest: str) -> str:
    """Return as much of a digest as people need to tell it from others."""
    return digest[:_DIGITS]


def margin(before: Figure, after: Figure, ratio: float, floor: float, deviations: float) -> float:
    """Return how much `after` may differ from `before` and still be the same; in their unit."""
    noise = _NORMAL * max(before.mad, after.mad) * deviations
    return max(floor, (ratio - 1) * min(before.median, after.median), noise)


def time_margin(before: Costs, after: Costs, tolerance: Tolerance) -> float:
    """Return how many seconds of CPU may differ."""
    return margin(before.cpu_s, after.cpu_s, tolerance.ratio, tolerance.floor_s, tolerance.deviations)


def memory_margin(before: Costs, after: Costs, tolerance: Tolerance) -> float:
    """Return how many bytes the peaks may differ."""
    peaks = before.peak_rss_bytes, after.peak_rss_bytes
    return margin(*peaks, tolerance.memory_ratio, tolerance.floor_bytes, tolerance.deviations)


def compare_obligations(before: Snapshot, after: Snapshot) -> Iterator[Difference]:
    """Yield every difference of an obligation, by id."""
    same_lean = before.identity == after.identity
    for ident in sorted({*before.obligations, *after.obligations}):
        old, new = before.obligations.get(ident), after.obligations.get(ident)
        if old is None or new is None:
            change = Change.ADDED if old is None else Change.REMOVED
            yield Difference(ident, change, old.label if old else None, new.label if new else None)
        else:
            yield from _obligation(old, new, same_lean=same_lean)


def _obligation(old: ObligationFacts, new: ObligationFacts, *, same_lean: bool) -> Iterator[Difference]:
    if old.label != new.label:
        change = Change.LOST if old.proved else Change.GAINED if new.proved else Change.LABEL
        yield Difference(new.id, change, old.label, new.label)
    if (old.decl, old.module) != (new.decl, new.module):
        yield Difference(new.id, Change.MOVED, f"{old.decl} in {old.module}", f"{new.decl} in {new.module}")
    if (old.kind, old.net) != (new.kind, new.net):
        yield Difference(new.id, Change.REGROUPED, _group(old), _group(new))
    yield from _answers(old, new)
    yield from _statement(old, new, same_lean=same_lean)
    yield from _axioms(old, new)


def _answers(old: ObligationFacts, new: ObligationFacts) -> Iterator[Difference]:
    for what, before, after in (
        ("statement", old.digest or None, new.digest or None),
        ("axioms", old.axioms, new.axioms),
    ):
        if (before is None) != (after is None):
            change = Change.ANSWERED if before is None else Change.UNASKED
            yield Difference(new.id, change, _listed(before), _listed(after), detail=what)


def _listed(answer: str | tuple[str, ...] | None) -> str | None:
    return ", ".join(answer) if isinstance(answer, tuple) else answer


def _group(ob: ObligationFacts) -> str:
    return f"{ob.kind} of {ob.net}" if ob.net else ob.kind


def _statement(old: ObligationFacts, new: ObligationFacts, *, same_lean: bool) -> Iterator[Difference]:
    if not old.digest or not new.digest:
        return
    texts = bool(old.statement and new.statement) and old.statement != new.statement
    # A baseline has digests only; a text and a digest side by side would tell nobody anything.
    pair = (old.statement, new.statement, "") if texts else (old.digest, new.digest, SHA_256)
    if old.digest != new.digest and same_lean:
        yield Difference(new.id, Change.STATEMENT, *pair)
    elif old.digest != new.digest or texts:
        yield Difference(new.id, Change.PRINTS, *pair)


def _axioms(old: ObligationFacts, new: ObligationFacts) -> Iterator[Difference]:
    if old.axioms is None or new.axioms is None or old.axioms == new.axioms:
        return
    more, fewer = set(new.axioms) - set(old.axioms), set(old.axioms) - set(new.axioms)
    names = (", ".join(old.axioms), ", ".join(new.axioms))
    if more:
        yield Difference(new.id, Change.AXIOMS_MORE, *names, detail=", ".join(sorted(more)))
    if fewer:
        yield Difference(new.id, Change.AXIOMS_FEWER, *names, detail=", ".join(sorted(fewer)))


def compare_modules(before: Snapshot, after: Snapshot, tolerance: Tolerance) -> Iterator[Difference]:
    """Yield every difference of a module, by name."""
    for name in sorted({*before.modules, *after.modules}):
        old, new = before.modules.get(name), after.modules.get(name)
        if old is None or new is None:
            yield Difference(
                name,
                Change.ADDED if old is None else Change.REMOVED,
                old.state if old else None,
                new.state if new else None,
            )
            if new is not None:
                yield from (d for d in _limits(name, {}, new.limits) if d.change is Change.LIMITS)
        else:
            yield from _module(old, new, tolerance)


def _module(old: ModuleFacts, new: ModuleFacts, tolerance: Tolerance) -> Iterator[Difference]:
    states = (old.state, new.state)
    if states[0] != states[1]:
        change = Change.LOST if old.passed else Change.GAINED if new.passed else Change.LABEL
        yield Difference(new.module, change, *states)
    elif old.classes != new.classes:
        yield Difference(new.module, Change.CLASSES, ", ".join(old.classes), ", ".join(new.classes))
    yield from _costs(old, new, tolerance)
    for count, more, fewer in (
        ((old.warnings, new.warnings), Change.WARNINGS, Change.WARNINGS_FEWER),
        ((old.deprecations, new.deprecations), Change.DEPRECATIONS, Change.DEPRECATIONS_FEWER),
    ):
        if count[0] != count[1]:
            yield Difference(new.module, more if count[1] > count[0] else fewer, *count)
    yield from _limits(new.module, old.limits, new.limits)


def _limits(module: str, old: Mapping[str, float], new: Mapping[str, float]) -> Iterator[Difference]:
    for option in sorted({*old, *new}):
        before, after = (_in_force(option, limits) for limits in (old, new))
        if before != after:
            change = Change.LIMITS if after > before else Change.LIMITS_LOWERED
            yield Difference(module, change, old.get(option), new.get(option), detail=option)


def _in_force(option: str, limits: Mapping[str, float]) -> float:
    """Return the value of an option: as set, or Lean's own; below every value where that is not known."""
    return limits.get(option, float(DEFAULTS.get(option, 0)))


def _costs(old: ModuleFacts, new: ModuleFacts, tolerance: Tolerance) -> Iterator[Difference]:
    if old.costs is None or new.costs is None:
        if old.costs is not None:
            yield Difference(new.module, Change.UNMEASURED, old.costs.wall_s.median, None, "wall s")
        elif new.costs is not None:
            yield Difference(new.module, Change.MEASURED, None, new.costs.wall_s.median, "wall s")
        return
    before, after = old.costs, new.costs
    if before.machine != after.machine:
        yield Difference(new.module, Change.UNLIKE, before.machine, after.machine)
    times, peaks = (before.cpu_s, after.cpu_s), (before.peak_rss_bytes, after.peak_rss_bytes)
    if comparable_times(before, after) and _differ(*times, time_margin(before, after, tolerance)):
        change = Change.SLOWER if after.cpu_s.median > before.cpu_s.median else Change.FASTER
        yield Difference(new.module, change, before.cpu_s.median, after.cpu_s.median, detail="CPU s")
    if comparable_peaks(before, after) and _differ(*peaks, memory_margin(before, after, tolerance)):
        more = after.peak_rss_bytes.median > before.peak_rss_bytes.median
        change = Change.HEAVIER if more else Change.LIGHTER
        yield Difference(new.module, change, peaks[0].median, peaks[1].median, detail="bytes")


def _differ(before: Figure, after: Figure, by: float) -> bool:
    return abs(after.median - before.median) > by


def comparable_times(before: Costs, after: Costs) -> bool:
    """Return whether times may be compared: they were taken on machines that are described alike."""
    return before.machine == after.machine


def comparable_peaks(before: Costs, after: Costs) -> bool:
    """Return whether peaks of memory may be compared: system and architecture are the same."""
    return _system(before.machine) == _system(after.machine)


def _system(machine: str) -> str:
    """Return the last part of a machine's description, such as `Linux x86_64`."""
    return machine.rpartition(", ")[2]
