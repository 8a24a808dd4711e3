"""Rules about what checking costs and says: time, memory, room up to the limits, warnings, raised options."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf

from tracker.gate.compare import (
    Change,
    Difference,
    Tolerance,
    comparable_peaks,
    comparable_times,
    memory_margin,
    time_margin,
)
from tracker.gate.model import Facts, Finding, Measure
from tracker.gate.rules_proof import counted
from tracker.gate.snapshot import Costs, Figure, ModuleFacts, ObligationFacts
from tracker.lean.failures.options import DEFAULTS
from tracker.units import show_bytes, show_seconds

_LEAST = 1e-6
"""Seconds or bytes that stand for a margin of 0, which settings may ask for."""


def check_time(facts: Facts) -> Measure:
    """No module takes more CPU time than ratio, floor and noise allow."""
    return _growth(
        facts, Change.SLOWER, comparable_times, lambda c: c.cpu_s, time_margin,
        lambda seconds: f"{show_seconds(seconds)} CPU",
    )  # fmt: skip


def check_memory(facts: Facts) -> Measure:
    """No module's peak is higher than ratio, floor and noise allow."""
    return _growth(
        facts, Change.HEAVIER, comparable_peaks, lambda c: c.peak_rss_bytes, memory_margin,
        lambda size: show_bytes(int(size)),
    )  # fmt: skip


def _growth(
    facts: Facts, change: Change, comparable: Callable[[Costs, Costs], bool], pick: Callable[[Costs], Figure],
    margin: Callable[[Costs, Costs, Tolerance], float], show: Callable[[float], str],
) -> Measure:  # fmt: skip
    """Return how much of the growth that is allowed the worst module has used."""
    pairs = [(name, old, new) for name, old, new in _costs(facts) if comparable(old, new)]
    if not pairs:
        return Measure(0, 1, "share of the growth allowed", "no figures to compare with", comparable=False)

    def used(old: Costs, new: Costs) -> float:
        return (pick(new).median - pick(old).median) / (margin(old, new, facts.tolerance) or _LEAST)

    worst, old, new = max(pairs, key=lambda pair: used(*pair[1:]))
    detail = (
        f"{len(pairs)} compared; most: {worst} {show(pick(old).median)} → {show(pick(new).median)},"
        f" {show(margin(old, new, facts.tolerance))} more would pass"
    )
    findings = tuple(
        facts.finding(d.subject, f"{show(_number(d.before))} → {show(_number(d.after))}")
        for d in facts.changes(change)
    )
    return Measure(max(used(old, new), 0.0), 1, "share of the growth allowed", detail, findings)


def _costs(facts: Facts) -> Iterator[tuple[str, Costs, Costs]]:
    before = facts.baseline.snapshot.modules if facts.baseline else {}
    for name, module in facts.present.snapshot.modules.items():
        old = before[name].costs if name in before else None
        if old is not None and module.costs is not None:
            yield name, old, module.costs


def _number(value: str | float | None) -> float:
    return float(value or 0.0)


def check_headroom(facts: Facts) -> Measure:
    """Every module leaves a share of its time and memory limits unused, every declaration of Lean's."""
    least, now = facts.settings.headroom, facts.present.snapshot
    left = [room for module in now.modules.values() for room in _room(module)]
    left += [room for ob in now.obligations.values() for room in _declaration_room(ob)]
    if not left:
        return Measure(1, least, "share left", "no module has a limit", at_least=True)
    worst = min(left, key=lambda room: room[1])
    findings = tuple(facts.finding(name, text) for name, share, text in left if share < least)
    return Measure(worst[1], least, "share left", f"least: {worst[0]} {worst[2]}", findings, at_least=True)


def _room(module: ModuleFacts) -> Iterator[tuple[str, float, str]]:
    costs = module.costs
    if costs is None:
        return
    peak = costs.peak_rss_bytes.median
    for seconds, allowed, what in (
        (costs.wall_s.median, module.allowed_wall_s, "wall"),
        (costs.cpu_s.median, module.allowed_cpu_s, "CPU"),
    ):
        if allowed:
            text = f"uses {show_seconds(seconds)} of {show_seconds(allowed)} {what}"
            yield module.module, _left(seconds, allowed), text
    if module.allowed_bytes:
        text = f"uses {show_bytes(int(peak))} of {show_bytes(module.allowed_bytes)}"
        yield module.module, _left(peak, module.allowed_bytes), text


def _left(used: float, limit: float) -> float:
    """Return the share of a limit that is not used; the difference first, which loses least."""
    return (limit - used) / limit


def _declaration_room(ob: ObligationFacts) -> Iterator[tuple[str, float, str]]:
    for option, (needed, limit) in ob.needs.items():
        if limit:
            yield ob.id, _left(needed, limit), f"needs {needed:,} of {limit:,} {option}"


def check_machine(facts: Facts) -> Measure:
    """The figures were taken on the machine of the baseline's; else times are not compared."""
    unlike = list(facts.changes(Change.UNLIKE))
    machines = sorted({str(d.before) for d in unlike})
    here = sorted({str(d.after) for d in unlike})
    detail = f"baseline: {'; '.join(machines)}. Here: {'; '.join(here)}" if unlike else ""
    findings: tuple[Finding, ...] = ()
    if facts.settings.unlike_machines == "fail":
        findings = tuple(facts.finding(d.subject, f"measured on {d.after}") for d in unlike)
    return Measure(
        len(unlike), 0, "modules measured on unlike machines", detail, findings, comparable=not unlike
    )


def check_warnings(facts: Facts) -> Measure:
    """No module has more warnings or deprecations than it had."""
    now = facts.present.snapshot.modules.values()
    more = list(facts.changes(Change.WARNINGS, Change.DEPRECATIONS))
    findings = tuple(facts.finding(d.subject, f"{d.change}: {d.before} → {d.after}") for d in more)
    total, deprecations = sum(m.warnings for m in now), sum(m.deprecations for m in now)
    excess = sum(_number(d.after) - _number(d.before) for d in more)
    detail = f"{total} in all, {deprecations} of them deprecations"
    return Measure(excess, 0, "warnings more than before", detail, findings)


def check_limits(facts: Facts) -> Measure:
    """No module's resource options are raised, nor, in a new module, above Lean's own."""
    return counted(
        facts.finding(d.subject, f"{d.detail}: {show_limits(d)}") for d in facts.changes(Change.LIMITS)
    )


def show_limits(d: Difference) -> str:
    """Return what became of a resource option; None is Lean's own value."""
    return f"{_limit(d.detail, d.before)} → {_limit(d.detail, d.after)}"


def _limit(option: str, value: str | float | None) -> str:
    if value is None:
        default = DEFAULTS.get(option)
        return "Lean's default" + (f" of {default}" if default else "")
    return "unlimited" if value == inf else f"{float(value):.0f}"
