"""The driver: has Lean check what the plan says, module by module, and keeps what it said.

Builds run beside each other; everything that is kept goes through one thread, in the order of their ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Protocol

from tracker.catalogue.model import Catalogue
from tracker.evidence import Evidence, ModuleCheck
from tracker.lean.failure import Failure
from tracker.lean.lake import Lake, LakeBuild
from tracker.lean.process import Limits, Memory
from tracker.lean.project import Project
from tracker.lean.records import LeanRecord
from tracker.run.artifacts import Sources, olean_digest
from tracker.run.check import check_of, checks_of, objections, repeated, unrecorded
from tracker.run.crew import Crew
from tracker.run.plan import Plan
from tracker.run.probing import probe_modules
from tracker.run.schedule import Packer
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
    _passed: dict[str, bool] = field(default_factory=dict, init=False)
    _failures: dict[str, Failure] = field(default_factory=dict, init=False)
    _oleans: dict[str, str | None] = field(default_factory=dict, init=False)
    _intact: dict[str, bool] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._sources = Sources(self.project)

    def execute(
        self, plan: Plan, evidence: Evidence, packer: Packer, crew: AbstractContextManager[Crew]
    ) -> None:
        """Check and probe what the plan says, the checks as the packer packs them.

        Raises LeanError when Lean or Lake cannot run at all.
        """
        self._recall(plan, evidence)
        if packer.slots > 1 and plan.todo:
            self._settle(plan)
        with crew as hands:
            self._check_all(len(plan.todo), packer, hands)
        self._probe(plan)

    def _recall(self, plan: Plan, evidence: Evidence) -> None:
        """Note what is known of the modules that are not checked now."""
        todo = set(plan.todo)
        for module in plan.modules:
            check = evidence.check_of(module)
            if check is not None and module not in todo:
                self._passed[module] = check.passed
                self._oleans[module] = check.olean_digest
                self._remember(check)

    def execute_together(self, plan: Plan, evidence: Evidence) -> None:
        """Check what the plan says in one `lake build`, and probe. Raises LeanError as `execute` does.

        Each record is kept as it comes, so that a build that is cut off loses only what was at work.
        """
        self._recall(plan, evidence)
        todo = [module for module in plan.todo if self._may_start(module)]
        for module in todo:
            self.lake.set_aside(module)
        if todo:
            build = self.lake.build_together(todo, self.limits, *self._following(len(todo)))
            for check in objections(build, self.project, self.fingerprints, self.limits):
                if self._passed.get(check.module):
                    self._keep(check)
            for module in todo:
                if module not in self._passed and not self._is_blocked(module):
                    self._keep(self._unrecorded(module, build))
        self._probe(plan)

    def _following(self, total: int) -> tuple[Callable[[str, Memory], None], Callable[[LeanRecord], None]]:
        """Return what hears the memory of modules, and what keeps their records as they come."""
        seen: set[str] = set()

        def started(module: str) -> None:
            if module not in seen:
                seen.add(module)
                self.listener.started(module, len(seen), total)

        def heard(module: str, reading: Memory) -> None:
            started(module)
            self.listener.memory(module, reading)

        def recorded(record: LeanRecord) -> None:
            fingerprint = self.fingerprints.get(record.module)
            if fingerprint is not None:
                started(record.module)  # one that was too quick to be seen at work
                self._keep(check_of(record, self.project, fingerprint, self.limits, self._failures))

        return heard, recorded

    def _settle(self, plan: Plan) -> None:
        """Have Lake bring up to date what is imported and not checked, before several Lakes are at work.

        Lake holds no lock while it builds: two that found the same import out of date would both write it.
        They also find the package's configuration and manifest already made.
        """
        closures = {module: self.project.closure(module) for module in plan.todo}
        # What imports a module that failed will not be tried, so that nothing has to lie ready for it.
        tried = [c for c in closures.values() if not any(self._passed.get(name) is False for name in c)]
        needed = frozenset().union(*tried) - closures.keys()
        lower = {i for module in needed for i in self.project.closure(module)}
        build = self.lake.settle([module for module in plan.modules if module in needed - lower], self.limits)
        self._keep_all((), build)

    def _check_all(self, total: int, packer: Packer, crew: Crew) -> None:
        started = 0
        while not packer.done:
            for module in packer.at_work:
                packer.observe(module, crew.peak(module))
            for module in packer.take():
                started += 1
                if self._may_start(module):
                    self.listener.started(module, started, total)
                    crew.start(module)
                else:
                    packer.finish(module)
            if packer.at_work:
                module, builds = crew.next()
                if builds[-1].outcome.limit == "machine-memory" and len(packer.at_work) > 1:
                    started -= 1
                    self.listener.note(f"{module} made room for the others; it is checked again, alone")
                    packer.put_back(module)
                else:
                    self._keep_all((module,), *builds)
                    packer.finish(module)

    def _may_start(self, module: str) -> bool:
        if module in self._passed:
            return False  # checked on the way to another
        if self._is_blocked(module):
            return False
        edited = self._sources.edited(module)
        if edited is not None:
            self._refuse(module, edited)
        return edited is None

    def _is_blocked(self, module: str) -> bool:
        """Return whether an import of `module` is known not to check; say so of the first in import order."""
        closure = self.project.closure(module)
        by = next((m for m in self.project.modules if m in closure and self._passed.get(m) is False), None)
        if by is not None:
            self._passed[module] = False
            self.listener.blocked(module, by)
        return by is not None

    def _keep_all(self, targets: Sequence[str], build: LakeBuild, *again: LakeBuild) -> None:
        """Keep what a build says of its targets, and of all others that it checked on the way.

        `again` holds further builds of the same target, made for their costs.
        """
        seen = set()
        for check in self._checks(targets, build):
            seen.add(check.module)
            more = [self._check_in(other, check.module) for other in again] if check.module in targets else []
            self._keep(repeated([check, *more]))
        for module in targets:
            if module not in seen and not self._is_blocked(module):
                self._keep(self._unrecorded(module, build))

    def _checks(self, targets: Sequence[str], build: LakeBuild) -> Iterator[ModuleCheck]:
        return checks_of(targets, build, self.project, self.fingerprints, self.limits, self._failures)

    def _check_in(self, build: LakeBuild, module: str) -> ModuleCheck:
        checks = self._checks((module,), build)
        own = next((check for check in checks if check.module == module), None)
        return own or self._unrecorded(module, build)

    def _unrecorded(self, module: str, build: LakeBuild) -> ModuleCheck:
        return unrecorded(module, build, self.fingerprints[module], self.limits, self._failures)

    def _keep(self, check: ModuleCheck) -> None:
        edited = self._sources.touched(check.module)
        if edited is not None:
            self._refuse(check.module, edited)
            return
        self.history.add_check(self.run, check)
        self._passed[check.module] = check.passed
        self._oleans[check.module] = check.olean_digest
        self._remember(check)
        self.listener.finished(check)

    def _remember(self, check: ModuleCheck) -> None:
        """Note what failed, by module and declaration, for the failures that will only follow from it."""
        for failure in reversed(check.failures):
            self._failures[failure.declaration or check.module] = failure
        if check.failures:
            self._failures[check.module] = check.failures[0]

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
