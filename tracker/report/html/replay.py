"""What was proved after each past run: today's judge over the evidence of that time.

Catalogue, lock and import graph are today's; sources of the past are not kept. So a module's check counts as
current after run R when it is its newest until then, was made by R's toolchain, and no module that it imports
has been checked with other content since. Everything else is `tracker.verdict`'s own judgement.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tracker.catalogue.model import Catalogue
from tracker.evidence import DeclarationProbe, Evidence, ModuleCheck, Run
from tracker.lean.project import Project
from tracker.locks import Lock
from tracker.store.queries import CheckPoint, ProbePoint
from tracker.verdict import Judge, Verdict

Labels = Mapping[str, str]


@dataclass(frozen=True)
class Step:
    """One run's effect: the new label of every obligation whose label changed in it."""

    run: Run
    changed: Labels


@dataclass(frozen=True)
class Replay:
    """The labels of all obligations over the runs; before the first run all are `unchecked`."""

    steps: tuple[Step, ...]
    start: Labels

    def after(self, number: int) -> dict[str, str]:
        """Return the labels after the run of this number."""
        labels = dict(self.start)
        for step in self.steps:
            if step.run.number > number:
                break
            labels |= step.changed
        return labels

    def proved_counts(self) -> list[int]:
        """Return how many obligations were proved after each run."""
        proved = {ident for ident, label in self.start.items() if label == "proved"}
        counts = []
        for step in self.steps:
            for ident, label in step.changed.items():
                (proved.add if label == "proved" else proved.discard)(ident)
            counts.append(len(proved))
        return counts

    def complete_since(self) -> Run | None:
        """Return the first run of the unbroken row of runs, up to the newest, after which all was proved."""
        since = None
        for step, count in zip(self.steps, self.proved_counts(), strict=True):
            since = (since or step.run) if count == len(self.start) > 0 else None
        return since

    def last_complete(self) -> Run | None:
        """Return the newest run after which all was proved."""
        pairs = zip(self.steps, self.proved_counts(), strict=True)
        return next((s.run for s, count in reversed(list(pairs)) if count == len(self.start) > 0), None)

    def since(self) -> dict[str, Run]:
        """Return for each obligation the run in which it got the label that it had after the newest run."""
        found: dict[str, Run] = {}
        for step in self.steps:
            found |= dict.fromkeys(step.changed, step.run)
        return found


def replay(
    catalogue: Catalogue, project: Project, lock: Lock, runs: Sequence[Run],
    checks: Iterable[CheckPoint], probes: Iterable[ProbePoint], checkable: Iterable[str],
) -> Replay:  # fmt: skip
    """Return the labels after each of `runs`, which are in order, oldest first.

    `checkable` are the modules that are on no import cycle.
    """
    by_run: dict[int, list[CheckPoint]] = {}
    for check in checks:
        by_run.setdefault(check.run, []).append(check)
    asked: dict[int, list[ProbePoint]] = {}
    for probe in probes:
        asked.setdefault(probe.run, []).append(probe)
    player = _Player(catalogue, project, lock, frozenset(checkable))
    start = dict(player.labels)
    steps = [
        Step(run, player.play(run, by_run.get(run.number, []), asked.get(run.number, []))) for run in runs
    ]
    return Replay(tuple(steps), start)


@dataclass
class _Module:
    """What is known of a module at one moment of the replay."""

    newest: CheckPoint | None = None
    toolchain: str = ""
    since: int = 0
    """The check in which its present content was first seen."""
    current: bool = False
    state: tuple[object, ...] = ()


@dataclass
class _Player:
    catalogue: Catalogue
    project: Project
    lock: Lock
    checkable: frozenset[str]
    labels: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._modules = {name: _Module() for name in self.project.modules if name in self.checkable}
        self._place = {name: i for i, name in enumerate(self.project.modules)}
        known: set[str] = set()
        self._imports: dict[str, list[str]] = {}
        for name in self._modules:  # imports that come later are on a cycle
            self._imports[name] = [i for i in self.project.imports(name) if i in known]
            known.add(name)
        self._prints = {name: "" for name in self._modules if name in self.checkable}
        self._checks: dict[str, ModuleCheck] = {}
        self._probes: dict[tuple[str, str], DeclarationProbe] = {}
        self._blockers: dict[str, str | None] = dict.fromkeys(self._modules)
        self._toolchain = ""
        self._budgeted = {ob.module for ob in self.catalogue if ob.budget}
        evidence = Evidence(self._prints, self._checks, self._probes)
        self._judge = Judge(self.catalogue, self.project, evidence, self.lock, self._blockers.get)
        self._own: dict[str, Verdict] = {}
        self._found: dict[str, Verdict] = {}
        self._order = [self.catalogue[ident] for ident in self.catalogue.topological()]
        self._rejudge({ob.module for ob in self._order})

    def play(self, run: Run, checks: Iterable[CheckPoint], probes: Iterable[ProbePoint]) -> Labels:
        """Take in one run and return the labels that it changed."""
        touched = set(self._modules) if run.toolchain_identity != self._toolchain else set()
        self._toolchain = run.toolchain_identity
        touched |= {point.module for point in checks if self._take(point)}
        touched |= self._settle(touched)
        for asked in probes:
            asked_of = asked.probe.declaration
            older = self.catalogue.by_alias.get(asked_of)
            self._probes[asked.probe.module, older.decl if older else asked_of] = asked.probe
            touched.add(asked.probe.module)
        return self._rejudge(touched)

    def _take(self, point: CheckPoint) -> bool:
        """Take in a check; return whether it says anything new."""
        module = self._modules.get(point.module)
        if module is None:
            return False  # it has left the project
        before = module.newest
        if before is None or before.fingerprint != point.fingerprint:
            module.since = point.id
        repeats = (
            before is not None
            and (before.fingerprint, before.passed, before.failures)
            == (point.fingerprint, point.passed, point.failures)
            and module.toolchain == self._toolchain
            and module.current
            and point.module not in self._budgeted
        )
        module.newest, module.toolchain = point, self._toolchain
        if not repeats:
            self._checks[point.module] = _as_check(point)
        return not repeats

    def _settle(self, touched: set[str]) -> set[str]:
        """Decide which checks are current and what blocks what; return the modules where that changed."""
        due = set(touched)
        changed = set()
        for name, module in self._modules.items():
            if name not in due:
                continue
            module.current = self._is_current(name, module)
            self._prints[name] = module.newest.fingerprint if module.newest and module.current else ""
            self._blockers[name] = self._first_failed(self._imports[name])
            state = (self._prints[name], module.since, self._blockers[name], self._failed(name))
            if state != module.state:
                module.state = state
                changed.add(name)
                due.update(self.project.importers(name))
        return changed

    def _is_current(self, name: str, module: _Module) -> bool:
        point = module.newest
        if point is None or module.toolchain != self._toolchain:
            return False
        imports = [self._modules[i] for i in self._imports[name]]
        return all(i.current and i.since < point.id for i in imports)

    def _failed(self, name: str) -> bool:
        module = self._modules[name]
        return module.current and module.newest is not None and not module.newest.passed

    def _first_failed(self, imports: Iterable[str]) -> str | None:
        """Return the first module, in the project's order, that failed below `imports` or among them."""
        found = [self._blockers[i] for i in imports] + [i for i in imports if self._failed(i)]
        return min((name for name in found if name), key=self._place.__getitem__, default=None)

    def _rejudge(self, modules: set[str]) -> Labels:
        """Judge the obligations of these modules again, and what rests on those whose verdict is new."""
        by_module = self.catalogue.by_module
        due = {ob.id for module in modules for ob in by_module.get(module, ())}
        fresh = set(due)
        changed: dict[str, str] = {}
        for ob in self._order:
            if ob.id not in due:
                continue
            if ob.id in fresh:
                self._own[ob.id] = self._judge.own(ob)
            verdict = self._judge.with_dependencies(ob, self._own[ob.id], self._found)
            old = self._found.get(ob.id)
            self._found[ob.id] = verdict
            if old is None or (old.state, old.probe) != (verdict.state, verdict.probe):
                due.update(self.catalogue.dependents[ob.id])
            if self.labels.get(ob.id) != verdict.label:
                self.labels[ob.id] = changed[ob.id] = verdict.label
        return changed


def _as_check(point: CheckPoint) -> ModuleCheck:
    return ModuleCheck(
        module=point.module, fingerprint=point.fingerprint, passed=point.passed, started_at=point.started_at,
        cost=point.cost, exit_code=None, signal=None, limit=point.limit, wall_limit_s=None,
        memory_limit_bytes=None, olean_digest=None, messages=(), failures=point.failures, curve=(),
        lake_output="", stderr="",
    )  # fmt: skip
