"""The driver: has Lean check what the plan says, module by module, and keeps what it said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from tracker.catalogue.model import Catalogue
from tracker.errors import LeanError
from tracker.evidence import Evidence, ModuleCheck
from tracker.lean.lake import Lake
from tracker.lean.process import Limits, Memory
from tracker.lean.project import Project
from tracker.run.artifacts import Sources, olean_digest
from tracker.run.check import checks_of
from tracker.run.plan import Plan
from tracker.run.probing import probe_modules
from tracker.store.history import History


class Listener(Protocol):
    """Hears how a run goes. Every method may be called often and must return quickly."""

    def started(self, module: str, position: int, total: int) -> None:
        """Lean starts on a module."""

    def memory(self, module: str, reading: Memory, /) -> None:
        """A reading of the memory of the module's `lean`."""

    def finished(self, check: ModuleCheck) -> None:
        """A module's check has ended and is in the store."""

    def blocked(self, module: str, by: str) -> None:
        """A module was not tried, since `by`, which it imports, did not check."""

    def probing(self, declarations: int) -> None:
        """Lean is asked about declarations."""

    def note(self, text: str) -> None:
        """Something that the user should know."""


@dataclass
class Driver:
    """One run over a project. What was checked is in the store even when the run is cut off."""

    project: Project
    catalogue: Catalogue
    lake: Lake
    history: History
    run: int
    limits: Limits
    listener: Listener
    fingerprints: Mapping[str, str]
    _passed: dict[str, bool] = field(default_factory=dict)
    _oleans: dict[str, str | None] = field(default_factory=dict)
    _intact: dict[str, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._sources = Sources(self.project)

    def execute(self, plan: Plan, evidence: Evidence) -> None:
        """Check and probe what the plan says. Raises LeanError when Lean or Lake cannot run at all."""
        self._passed = {
            module: check.passed
            for module in plan.modules
            if (check := evidence.check_of(module)) is not None and module not in plan.todo
        }
        self._oleans = {m: c.olean_digest for m in self._passed if (c := evidence.check_of(m))}
        for position, module in enumerate(plan.todo, 1):
            if module in self._passed:
                continue  # checked on the way to another
            blocker = self._blocker(module)
            if blocker is not None:
                self._passed[module] = False
                self.listener.blocked(module, blocker)
                continue
            edited = self._sources.edited(module)
            if edited is not None:
                self._refuse(module, edited)
                continue
            self.listener.started(module, position, len(plan.todo))
            self._check(module)
        self._probe(plan)

    def _blocker(self, module: str) -> str | None:
        """Return the first import of `module`, in import order, that is known not to check."""
        closure = self.project.closure(module)
        return next((m for m in self.project.modules if m in closure and self._passed.get(m) is False), None)

    def _check(self, module: str) -> None:
        try:
            self.lake.set_aside(module)
        except OSError as error:
            raise LeanError(
                "BUILD-DIR",
                f"{error.filename}: {error.strerror}",
                "the project's .lake directory must be writable",
            ) from error
        build = self.lake.build([f"+{module}"], self.limits, lambda m: self.listener.memory(module, m))
        for check in checks_of(module, build, self.project, self.fingerprints, self.limits):
            edited = self._sources.touched(check.module)
            if edited is not None:
                self._refuse(check.module, edited)
                continue
            self.history.add_check(self.run, check)
            self._passed[check.module] = check.passed
            self._oleans[check.module] = check.olean_digest
            self.listener.finished(check)

    def _refuse(self, module: str, edited: str) -> None:
        """Keep nothing of a module whose check may have seen other sources than the run began with."""
        self._passed[module] = False
        self.listener.note(
            f"{edited} was edited meanwhile: what Lean says of {module} is not kept; run again"
        )

    def _probe(self, plan: Plan) -> None:
        due = {m: names for m, names in plan.probes.items() if self._passed.get(m)}
        count = sum(map(len, due.values()))
        if not count:
            return
        self.listener.probing(count)
        for probes in probe_modules(self.lake, self.project, due, self.limits):
            kept = [
                replace(p, fingerprint=self.fingerprints[p.module]) for p in probes if self._genuine(p.module)
            ]
            self.history.add_probes(self.run, kept)

    def _genuine(self, module: str) -> bool:
        """Return whether a module and its imports still lie built as their checks left them."""
        for name in (module, *self.project.closure(module)):
            if name not in self._intact:
                self._intact[name] = olean_digest(self.project, name) == self._oleans.get(name)
            if not self._intact[name]:
                self.listener.note(f"{name} was built anew meanwhile; run again for {module}")
                return False
        return True
