"""Verdicts: derived from catalogue and evidence, never stored and never set by hand.

An obligation is `proved` only when all of this holds: its module is in a build target and checked without
an error at the present fingerprint; Lean found the declaration, in that module, and the kernel checked it in
full (it is not `unsafe`); its axioms are allowed and `sorryAx` is not among them; its statement is the locked
one; its cost is within its budget; and everything that it depends on is proved. Whatever is not known counts
against it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from tracker.catalogue.model import Budget, Catalogue, Obligation
from tracker.catalogue.suggest import did_you_mean
from tracker.evidence import DeclarationProbe, Evidence, ModuleCheck
from tracker.lean.failure import Failure
from tracker.lean.project import Project
from tracker.locks import Lock
from tracker.units import show_bytes, show_seconds

SORRY_AXIOM = "sorryAx"
_ENDLESS = ("unsafe", "partial")
_LINE = 240


class State(StrEnum):
    """What is true of an obligation today. Only `proved` is green."""

    PROVED = "proved"
    OVER_BUDGET = "over budget"
    OBSOLETE = "obsolete"
    UNCHECKED = "unchecked"
    BLOCKED = "blocked"
    DRIFTED = "drifted"
    SORRY = "sorry"
    AXIOM = "axiom"
    FAILED = "failed"
    MISSING = "missing"
    UNBUILT = "unbuilt"


@dataclass(frozen=True)
class Verdict:
    """The state of one obligation and why."""

    id: str
    state: State
    reason: str = ""
    """One line for people; empty for `proved`."""
    failure: Failure | None = None
    blocked_by: tuple[str, ...] = ()
    """Root causes, as ids of obligations or names of modules."""
    check: ModuleCheck | None = None
    probe: DeclarationProbe | None = None

    @property
    def proved(self) -> bool:
        """Return whether Lean proved it, as stated, today."""
        return self.state is State.PROVED

    @property
    def label(self) -> str:
        """Return the state with the class of the failure: `failed:kernel-timeout`."""
        return f"failed:{self.failure.cls}" if self.failure else str(self.state)


def verdicts(catalogue: Catalogue, project: Project, evidence: Evidence, lock: Lock) -> Mapping[str, Verdict]:
    """Return the verdict on every obligation, in the catalogue's order."""
    judge = Judge(catalogue, project, evidence, lock)
    found: dict[str, Verdict] = {}
    for obligation_id in catalogue.topological():
        own = judge.own(catalogue[obligation_id])
        found[obligation_id] = judge.with_dependencies(catalogue[obligation_id], own, found)
    return {ob.id: found[ob.id] for ob in catalogue}


class Judge:
    """Judges obligations one at a time: first each by itself, then by what it depends on.

    Who judges many moments of one project, with evidence that changes under the judge, can give
    `failed_import`: of a module, the first one in the project's order that did not check, among those that it
    imports, directly or not; None where all did. Otherwise it is looked for every time.
    """

    def __init__(
        self, catalogue: Catalogue, project: Project, evidence: Evidence, lock: Lock,
        failed_import: Callable[[str], str | None] | None = None,
    ) -> None:  # fmt: skip
        self._catalogue = catalogue
        self._project = project
        self._evidence = evidence
        self._lock = lock
        self._failed_import = failed_import or self._first_failed_import

    def own(self, ob: Obligation) -> Verdict:
        """Return the verdict on `ob` from its own evidence alone."""
        if ob.module not in self._project.modules:
            return Verdict(ob.id, State.UNBUILT, self._why_unbuilt(ob.module))
        if ob.module not in self._evidence.fingerprints:
            return Verdict(
                ob.id, State.BLOCKED, f"{ob.module} is on an import cycle", blocked_by=(ob.module,)
            )
        check = self._evidence.check_of(ob.module)
        if check is None:
            return self._without_check(ob)
        if not check.passed:
            return self._failed(ob, check)
        probe = self._evidence.probe_of(ob.module, ob.decl)
        if probe is None:
            return Verdict(ob.id, State.UNCHECKED, "Lean was not yet asked about it", check=check)
        return self._judged(ob, check, probe)

    def _why_unbuilt(self, module: str) -> str:
        file = next((f for f in self._project.stray if f.endswith(module.replace(".", "/") + ".lean")), None)
        if file is not None:
            return f"{file} is in no build target: import {module}, or add it to a lean_lib of the lakefile"
        hint = did_you_mean(module, self._project.modules)
        return f"the project has no module {module}" + (f"; {hint}" if hint else "")

    def _without_check(self, ob: Obligation) -> Verdict:
        blocker = self._failed_import(ob.module)
        if blocker is not None:
            return self._blocked_by_module(ob, blocker)
        old = self._evidence.checks.get(ob.module)
        probe = self._evidence.probes.get((ob.module, ob.decl))
        if old is not None and old.passed and probe is not None and probe.found:
            reason = "proved for other sources, options or toolchain; run `tracker run`"
            return Verdict(ob.id, State.OBSOLETE, reason, check=old, probe=probe)
        return Verdict(ob.id, State.UNCHECKED, f"Lean has not checked {ob.module} as it is now")

    def _first_failed_import(self, module: str) -> str | None:
        closure = self._project.closure(module)
        for name in self._project.modules:
            if name in closure and (check := self._evidence.check_of(name)) and not check.passed:
                return name
        return None

    def _blocked_by_module(self, ob: Obligation, module: str) -> Verdict:
        check = self._evidence.check_of(module)
        root = _root(check.failures) if check else None
        culprit = self._obligation_of(module, root) or module
        what = f"{root.declaration or module}: {root.cls}" if root else "it did not check"
        return Verdict(
            ob.id, State.BLOCKED, f"imports {module}, which did not check ({what})", blocked_by=(culprit,)
        )

    def _obligation_of(self, module: str, failure: Failure | None) -> str | None:
        for ob in self._catalogue.by_module.get(module, ()):
            if failure is not None and failure.declaration and ob.is_called(failure.declaration):
                return ob.id
        return None

    def _failed(self, ob: Obligation, check: ModuleCheck) -> Verdict:
        own = [f for f in check.failures if f.declaration and ob.is_called(f.declaration)]
        root = _root(own) or (check.failures[0] if _whole_module(check) else None)
        if root is not None:
            return Verdict(ob.id, State.FAILED, one_line(root.message), failure=root, check=check)
        first = _root(check.failures)
        name = (first.declaration if first else None) or ob.module
        culprit = self._obligation_of(ob.module, first) or name
        cls = f" ({first.cls})" if first else ""
        return Verdict(
            ob.id, State.BLOCKED, f"{name} in the same module did not check{cls}", blocked_by=(culprit,),
            check=check,
        )  # fmt: skip

    def _judged(self, ob: Obligation, check: ModuleCheck, probe: DeclarationProbe) -> Verdict:
        """Judge a declaration of a module that checked; the gravest finding is the state."""
        for state, reason in (
            (State.MISSING, self._absence(ob, probe)),
            (State.SORRY, self._sorry(probe)),
            (State.AXIOM, self._axioms(ob, probe) or _absurd(probe)),
            (State.DRIFTED, self._lock.drift(ob, probe)),
            (State.OVER_BUDGET, _over_budget(ob.budget, check)),
        ):
            if reason:
                return Verdict(ob.id, state, reason, check=check, probe=probe)
        return Verdict(ob.id, State.PROVED, check=check, probe=probe)

    def _absence(self, ob: Obligation, probe: DeclarationProbe) -> str:
        if not probe.found:
            return f"{ob.module} checks, but declares no {ob.decl}"
        if probe.location is None:
            return f"{ob.decl} is not written in the project"
        here = str(self._project.modules[ob.module].path)
        if probe.location.file != here:
            return f"{ob.decl} is declared in {probe.location.file}, not in {here}"
        if not probe.digest:
            return f"{ob.module}, as compiled, holds no {ob.decl}"
        return self._unfit(ob, probe)

    def _unfit(self, ob: Obligation, probe: DeclarationProbe) -> str:
        word = (probe.kind or "").partition(" ")[0]
        if word in _ENDLESS:
            return f"{ob.decl} is {word}: the kernel does not demand that it ends"
        expected = self._catalogue.expects_of(ob)
        if expected is not None and not _is_a(probe.kind, expected):
            return f"{ob.decl} is a {probe.kind}; the catalogue expects a {expected}"
        return ""

    def _sorry(self, probe: DeclarationProbe) -> str:
        return "its proof uses `sorry`" if SORRY_AXIOM in probe.axioms else ""

    def _axioms(self, ob: Obligation, probe: DeclarationProbe) -> str:
        extra = [a for a in probe.axioms if a not in self._catalogue.axioms_allowed_for(ob)]
        return f"rests on {_listed(extra)}, not allowed" if extra else ""

    def with_dependencies(self, ob: Obligation, own: Verdict, found: Mapping[str, Verdict]) -> Verdict:
        """Return `own`, or `blocked` where something it depends on is the cause or is not proved."""
        broken = [found[dep] for dep in ob.depends_on if not found[dep].proved]
        if not broken:
            return own
        if own.state is State.SORRY:
            broken = [v for v in broken if _carries(v, SORRY_AXIOM)]
        elif own.state is State.AXIOM and own.probe is not None:
            broken = [v for v in broken if v.probe and set(v.probe.axioms) & self._unwanted(ob, own.probe)]
        elif own.state not in (State.PROVED, State.OVER_BUDGET):
            return own
        if not broken:
            return own
        roots = tuple(dict.fromkeys(root for v in broken for root in (v.blocked_by or (v.id,))))
        names = ", ".join(f"{v.id} ({v.label})" for v in broken[:3])
        more = f" and {len(broken) - 3} more" if len(broken) > 3 else ""
        return Verdict(
            ob.id,
            State.BLOCKED,
            f"depends on {names}{more}",
            blocked_by=roots,
            check=own.check,
            probe=own.probe,
        )

    def _unwanted(self, ob: Obligation, probe: DeclarationProbe) -> set[str]:
        return set(probe.axioms) - self._catalogue.axioms_allowed_for(ob)


def lockable(verdict: Verdict) -> bool:
    """Return whether the statement may be locked: Lean found it, and nothing of its own speaks against it."""
    found = verdict.probe is not None and verdict.probe.found
    states = (State.PROVED, State.DRIFTED, State.OVER_BUDGET)
    return found and (verdict.state in states or bool(verdict.blocked_by))


def _carries(verdict: Verdict, axiom: str) -> bool:
    return verdict.probe is not None and axiom in verdict.probe.axioms


def _root(failures: tuple[Failure, ...] | list[Failure]) -> Failure | None:
    """Return the first failure that is not the consequence of another, else the first."""
    return next((f for f in failures if f.cause is None), failures[0] if failures else None)


def _whole_module(check: ModuleCheck) -> bool:
    """Return whether the check failed as a whole, so that no declaration can be named."""
    return bool(check.failures) and all(f.declaration is None for f in check.failures)


def _absurd(probe: DeclarationProbe) -> str:
    return "it assumes `False`, so that it says nothing" if probe.absurd else ""


def _is_a(kind: str | None, expected: str) -> bool:
    """Return whether Lean's word for a declaration fits the catalogue's: `#print` shows instances as defs."""
    same = {"abbrev": "def", "instance": "def", "class inductive": "inductive"}
    return kind is not None and same.get(kind, kind) == same.get(expected, expected)


def _over_budget(budget: Budget, check: ModuleCheck) -> str:
    if not budget:
        return ""
    cost = check.cost
    if cost is None:
        return "it has a budget, and its cost is not known"
    over = []
    if budget.wall_s is not None and cost.wall_s > budget.wall_s:
        over.append(f"wall {show_seconds(cost.wall_s)} of {show_seconds(budget.wall_s)}")
    if budget.cpu_s is not None and cost.cpu_s > budget.cpu_s:
        over.append(f"CPU {show_seconds(cost.cpu_s)} of {show_seconds(budget.cpu_s)}")
    if budget.memory_bytes is not None and cost.peak_rss_bytes > budget.memory_bytes:
        over.append(f"memory {show_bytes(cost.peak_rss_bytes)} of {show_bytes(budget.memory_bytes)}")
    return "its module used " + ", ".join(over) if over else ""


def _listed(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def one_line(text: str) -> str:
    """Return a message on one line, cut where it gets long: Lean's first line alone often says too little."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _LINE else flat[:_LINE] + " …"
