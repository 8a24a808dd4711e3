"""What a rule of the gate starts from and what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from functools import cached_property

from tracker.config import GateSettings, Waiver
from tracker.gate.baseline import Baseline
from tracker.gate.compare import Change, Difference, Tolerance, compare_modules, compare_obligations
from tracker.gate.now import Present
from tracker.gate.witness import Testimony


class Outcome(StrEnum):
    """How a rule ended. Only the first lets the gate pass; the last two are said and do not stop it."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    WAIVED = "waived"
    NOT_COMPARABLE = "not comparable"


@dataclass(frozen=True)
class Finding:
    """One thing that a rule objects to: of an obligation, a module, or what else `subject` names."""

    subject: str
    message: str
    file: str = ""
    """Relative to the Lake project."""
    line: int = 0
    waiver: Waiver | None = None


@dataclass(frozen=True)
class Measure:
    """What a rule measured. A value beyond the limit comes with findings, and findings fail the rule."""

    value: float
    limit: float
    unit: str
    """What is counted, or `share`, a number of which 1 is the whole."""
    detail: str = ""
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    """What is worth saying and fails nothing."""
    at_least: bool = False
    """Whether the limit is the least value that passes, not the greatest."""
    comparable: bool = True

    @property
    def margin(self) -> float:
        """Return how far inside of the limit the value is; negative beyond it."""
        return self.value - self.limit if self.at_least else self.limit - self.value


@dataclass(frozen=True)
class Facts:
    """Everything that the rules look at."""

    settings: GateSettings
    present: Present
    baseline: Baseline | None
    today: date
    testimony: Testimony | None = None
    """What the second witness said of exactly what is there now."""
    elsewhere: bool = False
    """Whether `baseline` is that of another commit, and not the one that would land."""
    landing: Baseline | None = None
    """Where it is, the one that would land: in the working tree."""

    @property
    def to_land(self) -> Facts:
        """Return the same facts beside the baseline that would land."""
        return replace(self, baseline=self.landing, elsewhere=False) if self.elsewhere else self

    @property
    def tolerance(self) -> Tolerance:
        """Return what of a cost is noise."""
        return tolerance_of(self.settings)

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """All differences from the baseline; none without one."""
        if self.baseline is None:
            return ()
        pair = self.baseline.snapshot, self.present.snapshot
        return (*compare_obligations(*pair), *self.module_differences)

    @cached_property
    def module_differences(self) -> tuple[Difference, ...]:
        """The differences of modules."""
        if self.baseline is None:
            return ()
        return tuple(compare_modules(self.baseline.snapshot, self.present.snapshot, self.tolerance))

    def changes(self, *kinds: Change) -> Iterator[Difference]:
        """Yield the differences of these kinds."""
        return (d for d in self.differences if d.change in kinds)

    def place(self, subject: str) -> tuple[str, int]:
        """Return file and line of an obligation or a module; empty and 0 where they are not known."""
        now = self.present.snapshot
        if subject in now.obligations:
            return now.obligations[subject].file, now.obligations[subject].line
        return (now.modules[subject].file, 0) if subject in now.modules else ("", 0)

    def finding(self, subject: str, message: str) -> Finding:
        """Return a finding with its place."""
        return Finding(subject, message, *self.place(subject))


def tolerance_of(settings: GateSettings) -> Tolerance:
    """Return what of a cost is noise."""
    return Tolerance(
        ratio=settings.time_ratio, memory_ratio=settings.memory_ratio, floor_s=settings.time_floor_s,
        floor_bytes=settings.memory_floor_bytes, deviations=settings.deviations,
    )  # fmt: skip


@dataclass(frozen=True)
class Rule:
    """One rule: its code, what it demands in one line, and how it looks."""

    code: str
    title: str
    check: Callable[[Facts], Measure]
    waivable: bool = True
    acceptable: bool = False
    """Whether a new baseline may be written although it fails, when somebody says why."""
    compares: bool = False
    """Whether it says nothing without a baseline."""
    blocks_update: bool = False
    """Whether no baseline is written while it fails, whatever is said."""


@dataclass(frozen=True)
class Result:
    """What a rule said, after waivers."""

    rule: Rule
    outcome: Outcome
    measure: Measure

    @property
    def open_findings(self) -> tuple[Finding, ...]:
        """Return the findings that no waiver covers."""
        return tuple(f for f in self.measure.findings if f.waiver is None)


@dataclass(frozen=True)
class GateReport:
    """What the gate says: every rule's result, none left out."""

    results: tuple[Result, ...]
    facts: Facts

    @property
    def passed(self) -> bool:
        """Return whether no rule failed."""
        return all(result.outcome is not Outcome.FAIL for result in self.results)

    @property
    def failed(self) -> tuple[Result, ...]:
        """Return the results that stop the gate."""
        return tuple(result for result in self.results if result.outcome is Outcome.FAIL)
