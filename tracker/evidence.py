"""Evidence: what a Lean process said about a module or a declaration, and what it cost.

Every piece carries the fingerprint it holds for. Nothing here judges; see `tracker.verdict`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median, median_low
from types import MappingProxyType
from typing import Literal

from tracker.lean.failure import Failure
from tracker.lean.messages import Message
from tracker.lean.process import Limit, Memory


@dataclass(frozen=True)
class Cost:
    """What one `lean` process used: seconds, bytes, page faults."""

    wall_s: float
    user_s: float
    system_s: float
    peak_rss_bytes: int
    peak_anon_bytes: int | None
    minor_faults: int
    major_faults: int
    instructions: int | None = None
    """Retired in user mode, by the processor's counter; None where it was not asked for or is not allowed."""

    @property
    def cpu_s(self) -> float:
        """Return user and system seconds together."""
        return self.user_s + self.system_s


def median_cost(costs: Sequence[Cost]) -> Cost:
    """Return the medians of several costs, each figure by itself; None where one of them is not known."""
    anonymous = [cost.peak_anon_bytes for cost in costs if cost.peak_anon_bytes is not None]
    instructions = [cost.instructions for cost in costs if cost.instructions is not None]
    return Cost(
        wall_s=median(cost.wall_s for cost in costs),
        user_s=median(cost.user_s for cost in costs),
        system_s=median(cost.system_s for cost in costs),
        peak_rss_bytes=median_low(cost.peak_rss_bytes for cost in costs),
        peak_anon_bytes=median_low(anonymous) if len(anonymous) == len(costs) else None,
        minor_faults=median_low(cost.minor_faults for cost in costs),
        major_faults=median_low(cost.major_faults for cost in costs),
        instructions=median_low(instructions) if len(instructions) == len(costs) else None,
    )


def deviation(values: Sequence[float]) -> float:
    """Return the median absolute deviation: the median of the distances from the median."""
    middle = median(values)
    return median([abs(value - middle) for value in values])


@dataclass(frozen=True)
class ModuleCheck:
    """One check of one module by Lean, passed or failed."""

    module: str
    fingerprint: str
    passed: bool
    started_at: float
    """Seconds since 1970, by the clock of the machine."""
    cost: Cost | None
    """None when no `lean` process ran, as with a bad import that Lake finds itself; medians of repeats."""
    exit_code: int | None
    signal: int | None
    limit: Limit | None
    wall_limit_s: float | None
    memory_limit_bytes: int | None
    olean_digest: str | None
    messages: tuple[Message, ...]
    failures: tuple[Failure, ...]
    """Root causes first. Never empty when the check did not pass."""
    curve: tuple[Memory, ...]
    lake_output: str
    stderr: str
    repeats: tuple[Cost, ...] = ()
    """The cost of each time, where the check was made several times; empty otherwise."""

    @property
    def wall_mad_s(self) -> float | None:
        """Return the median absolute deviation of the wall clock over the repeats; None without repeats."""
        return deviation([cost.wall_s for cost in self.repeats]) if self.repeats else None


@dataclass(frozen=True)
class Location:
    """Where a declaration's name stands: file relative to the Lake project, 1-based line, 0-based column."""

    file: str
    line: int
    column: int


@dataclass(frozen=True)
class DeclarationProbe:
    """What Lean says of one declaration of a module that checked."""

    declaration: str
    module: str
    """The module that the catalogue names; the probe imports it."""
    fingerprint: str
    found: bool
    kind: str | None = None
    """Lean's word in `#print`: theorem, def, structure, axiom, opaque, …; `unsafe def` and the like, too."""
    axioms: tuple[str, ...] = ()
    statement: str = ""
    """As `#check` shows it, for people."""
    digest: str = ""
    """SHA-256, hexadecimal, of the statement and of the project's definitions under it, as compiled."""
    absurd: bool = False
    """Whether a premise of it is `False`, so that it says nothing."""
    location: Location | None = None
    """None when the declaration is not written in the named module."""
    uses: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """How often its source refers to each other declaration (.ilean)."""
    note: str = ""
    """Lean's own words when it was not found."""


RunState = Literal["running", "finished", "interrupted"]


@dataclass(frozen=True)
class Run:
    """One pass of the driver."""

    number: int
    started_at: float
    ended_at: float | None
    state: RunState
    toolchain: str
    toolchain_identity: str
    machine: str
    commit: str | None
    dirty: bool
    checked: int
    failed: int


@dataclass(frozen=True)
class Evidence:
    """The newest evidence for the present fingerprints, and the newest of any for comparison."""

    fingerprints: Mapping[str, str]
    """The present fingerprint of each module of the project."""
    checks: Mapping[str, ModuleCheck]
    """By module: the newest check, whatever its fingerprint."""
    probes: Mapping[tuple[str, str], DeclarationProbe]
    """By module and declaration: the newest probe, whatever its fingerprint."""

    def check_of(self, module: str) -> ModuleCheck | None:
        """Return the newest check of a module if it holds for the present sources, else None."""
        check = self.checks.get(module)
        return check if check and check.fingerprint == self.fingerprints.get(module) else None

    def probe_of(self, module: str, declaration: str) -> DeclarationProbe | None:
        """Return the newest probe of a declaration if it holds for the present sources, else None."""
        probe = self.probes.get((module, declaration))
        return probe if probe and probe.fingerprint == self.fingerprints.get(module) else None
