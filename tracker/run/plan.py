"""The plan of a run: which modules Lean must check now, and which have evidence that still holds."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tracker.catalogue.model import Catalogue
from tracker.catalogue.suggest import listed_hint
from tracker.errors import UsageError
from tracker.evidence import Evidence, ModuleCheck
from tracker.lean.failure import FailureClass
from tracker.lean.process import Limits
from tracker.lean.project import Project
from tracker.run.artifacts import olean_digest

# What another attempt may pass though nothing in the sources changed.
TRANSIENT = frozenset(
    {
        FailureClass.INTERRUPTED,
        FailureClass.KILLED,
        FailureClass.OUT_OF_MEMORY,
        FailureClass.DISK_FULL,
        FailureClass.TOOLCHAIN_MISSING,
        FailureClass.OLEAN_MISMATCH,
    }
)

_NO_LIMITS = Limits()


@dataclass(frozen=True)
class Plan:
    """What a run does, in the order of the import graph."""

    modules: tuple[str, ...]
    """The modules that the run is about: the targets' and all that these import."""
    todo: tuple[str, ...]
    """Those that Lean must check now."""
    probes: Mapping[str, tuple[str, ...]]
    """By module: the declarations to ask about when the module has checked."""
    chosen: frozenset[str]
    """Those of `modules` that were asked for, and are not there for another's sake."""


def select_modules(project: Project, catalogue: Catalogue, targets: Sequence[str]) -> tuple[str, ...]:
    """Return the modules that the targets need, imports first.

    A target is a module, an obligation's id or declaration, a net, or a pattern over ids such as
    `vit*`; none means the `scope`. Raises UsageError for a target that is nothing.
    """
    if not targets:
        return scope(project, catalogue)
    return _with_imports(project, named_modules(project, catalogue, targets))


def named_modules(project: Project, catalogue: Catalogue, targets: Sequence[str]) -> set[str]:
    """Return the modules that the targets name, without what these import. Raises UsageError."""
    wanted: set[str] = set()
    for target in targets:
        modules = _modules_of(target, project, catalogue)
        if not modules:
            names = [*catalogue.obligations, *project.modules, *(n for n in catalogue.by_net if n)]
            raise UsageError(
                "NO-SUCH-TARGET",
                f"{target!r} is no module, obligation, net or pattern that matches one",
                listed_hint(target, names),
            )
        wanted |= modules
    return wanted


def scope(project: Project, catalogue: Catalogue) -> tuple[str, ...]:
    """Return the modules that the tracker answers for, imports first.

    Those of Lake's default targets and those that the catalogue names, with all that these import. Where
    the lakefile names no default target, every module of the project.
    """
    named = {module for module in catalogue.by_module if module in project.modules}
    return _with_imports(project, (project.default_modules or frozenset(project.modules)) | named)


def _with_imports(project: Project, wanted: frozenset[str] | set[str]) -> tuple[str, ...]:
    closure = wanted.union(*(project.closure(module) for module in wanted))
    return tuple(module for module in project.modules if module in closure)


def _modules_of(target: str, project: Project, catalogue: Catalogue) -> set[str]:
    if target in project.modules:
        return {target}
    found = catalogue.find(target)
    if found is not None:
        obligations: Iterable[str] = [found.module]
    elif target in catalogue.by_net:
        obligations = [ob.module for ob in catalogue.by_net[target]]
    else:
        obligations = [ob.module for ob in catalogue if fnmatch.fnmatchcase(ob.id, target)]
    return {module for module in obligations if module in project.modules}


def make_plan(
    project: Project,
    catalogue: Catalogue,
    evidence: Evidence,
    targets: Sequence[str],
    *,
    fresh: bool,
    limits: Limits = _NO_LIMITS,
    choose: Callable[[Sequence[str]], Collection[str]] | None = None,
) -> Plan:
    """Return the plan for the targets. With `fresh`, every module of it is checked again.

    What a limit stopped is tried again under a wider one. `choose` picks some of the modules: of the others
    only those are checked that a chosen one imports, and nothing is asked about them.
    """
    modules = select_modules(project, catalogue, targets)
    chosen = set(modules if choose is None else choose(modules))
    modules = _with_imports(project, chosen)
    due = {m for m in modules if m in evidence.fingerprints and _is_due(m, evidence, limits)}
    todo = {module for module in chosen if fresh and module in evidence.fingerprints} | (due & chosen)
    tampered = {
        module
        for module in modules
        if (check := evidence.check_of(module)) is not None
        and check.olean_digest is not None
        and olean_digest(project, module) not in (None, check.olean_digest)
    }
    todo |= tampered
    probes = _due_probes([m for m in modules if m in chosen], catalogue, evidence, todo)
    # What Lean will import must lie on disk: a module whose olean is gone is checked again.
    needed = {i for module in {*todo, *probes} for i in project.closure(module)} | set(probes)
    todo |= needed & due
    todo |= {
        m
        for m in needed
        if m in evidence.fingerprints and _passed(m, evidence) and not olean_digest(project, m)
    }
    return Plan(modules, tuple(m for m in modules if m in todo), probes, frozenset(chosen))


def _is_due(module: str, evidence: Evidence, limits: Limits) -> bool:
    check = evidence.check_of(module)
    return check is None or (not check.passed and (is_transient(check) or _has_more_room(check, limits)))


def _has_more_room(check: ModuleCheck, limits: Limits) -> bool:
    """Return whether a limit stopped the check, and is wider now."""
    had, has = {
        "wall": (check.wall_limit_s, limits.wall_s),
        "memory": (check.memory_limit_bytes, limits.memory_bytes),
    }.get(check.limit or "", (None, None))
    return had is not None and (has is None or has > had)


def is_transient(check: ModuleCheck) -> bool:
    """Return whether a failed check may pass when it is merely tried again."""
    return any(failure.cls in TRANSIENT for failure in check.failures)


def _passed(module: str, evidence: Evidence) -> bool:
    check = evidence.check_of(module)
    return check is not None and check.passed


def _due_probes(
    modules: Sequence[str], catalogue: Catalogue, evidence: Evidence, todo: set[str]
) -> dict[str, tuple[str, ...]]:
    due: dict[str, tuple[str, ...]] = {}
    for module in modules:
        names = tuple(
            ob.decl
            for ob in catalogue.by_module.get(module, ())
            if module in todo or (_passed(module, evidence) and not evidence.probe_of(module, ob.decl))
        )
        if names:
            due[module] = names
    return due
