"""A snapshot: everything that the gate compares of one moment, as plain facts.

Gate, upgrade, bisection and diff all compare two of these. A snapshot covers every obligation of the
catalogue and every module of the project, so that nothing can leave a comparison by not being mentioned.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from statistics import median
from types import MappingProxyType
from typing import Literal

from tracker.catalogue.model import Budget, Catalogue
from tracker.evidence import Evidence, ModuleCheck, deviation
from tracker.lean.arguments import options_of
from tracker.lean.project import Project
from tracker.lean.scan.mask import declares_odd_tokens
from tracker.lean.scan.source import is_limit, scan_source
from tracker.lean.toolchain import Toolchain
from tracker.run.artifacts import read_source
from tracker.run.check import given_options
from tracker.run.plan import scope
from tracker.store.samples import Sample
from tracker.verdict import Verdict

_SET_OPTION = re.compile(r"\bset_option\s+(\S+)\s+(\w+)")
ModuleState = Literal["passed", "failed", "blocked", "unchecked", "in no target"]


@dataclass(frozen=True)
class Figure:
    """One measured quantity: the median of `count` measurements and their median absolute deviation."""

    median: float
    mad: float = 0.0
    count: int = 1


@dataclass(frozen=True)
class Costs:
    """What checking a module costs on one machine: seconds, seconds, bytes."""

    machine: str
    wall_s: Figure
    cpu_s: Figure
    peak_rss_bytes: Figure


@dataclass(frozen=True)
class ModuleFacts:
    """What is known of one module."""

    module: str
    listed: bool
    """Whether a build target has it; one that is in none is never checked."""
    checked: bool
    """Whether there is evidence for its present sources, options and toolchain."""
    passed: bool
    classes: tuple[str, ...] = ()
    """Classes of its failures, root causes first."""
    costs: Costs | None = None
    warnings: int = 0
    deprecations: int = 0
    """Those of the warnings that say something is deprecated."""
    limits: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """The highest value that its source, the lakefile or the toolchain's options set each resource option to;
    infinity stands for Lean's 0."""
    expected: bool = True
    """Whether a whole run checks it: it is in a default target, or something that is named needs it."""
    file: str = ""
    """Its source, relative to the Lake project."""
    allowed_wall_s: float | None = None
    """What its last check, and the budgets of its obligations, allowed it: seconds of wall clock."""
    allowed_cpu_s: float | None = None
    """What the budgets of its obligations allow it: seconds of CPU."""
    allowed_bytes: int | None = None
    blocked_by: str = ""
    """The first module below it that did not check, so that it could not be tried; empty where none did."""

    @property
    def state(self) -> ModuleState:
        """Return what is known of the module, in words."""
        if not self.checked:
            return "blocked" if self.blocked_by else "unchecked" if self.listed else "in no target"
        return "passed" if self.passed else "failed"


@dataclass(frozen=True)
class ObligationFacts:
    """What is known of one obligation."""

    id: str
    kind: str
    net: str | None
    decl: str
    module: str
    label: str
    """The verdict with the class of the failure: `proved`, `failed:kernel-timeout`."""
    axioms: tuple[str, ...] | None = None
    """Sorted; None where Lean was not asked, or did not find it."""
    digest: str = ""
    """SHA-256 of the statement as compiled; empty where there is none."""
    statement: str = ""
    """As Lean prints it; not part of a baseline, which has the digest."""
    blocked_by: tuple[str, ...] = ()
    reason: str = ""
    """Why it is not proved, in one line; not part of a baseline."""
    file: str = ""
    """Where the declaration stands, else its module's source; relative to the Lake project."""
    line: int = 0
    """1-based; 0 where it is not known."""
    needs: Mapping[str, tuple[int, int]] = field(default_factory=lambda: MappingProxyType({}))
    """By option: what `tracker headroom` found that it needs, and the limit; not part of a baseline."""

    @property
    def proved(self) -> bool:
        """Return whether Lean proved it, as stated."""
        return self.label == "proved"


@dataclass(frozen=True)
class Snapshot:
    """All facts of one moment. Mappings are by id and by module, sorted."""

    lean: str
    """Lean's version."""
    identity: str
    """The toolchain: version, commit and added options."""
    commit: str | None
    obligations: Mapping[str, ObligationFacts]
    modules: Mapping[str, ModuleFacts]


def take_snapshot(
    catalogue: Catalogue, project: Project, toolchain: Toolchain, evidence: Evidence,
    found: Mapping[str, Verdict], samples: Iterable[Sample], commit: str | None,
) -> Snapshot:  # fmt: skip
    """Return the facts that follow from evidence and verdicts.

    `samples` are measurements for the present fingerprints; only those of the machine that a module was
    last measured on count for it.
    """
    measured: defaultdict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        measured[sample.module].append(sample)
    expected = frozenset(scope(project, catalogue))
    blocked = _blocked(project, evidence)
    modules = [
        _module_facts(
            name, evidence.check_of(name), measured[name], expected=name in expected,
            file=project.modules[name].path, limits=_limits(project, name, toolchain.lean_args),
            budgets=[ob.budget for ob in catalogue.by_module.get(name, ())],
            blocked_by=blocked.get(name, ""),
        )
        for name in project.modules
    ]  # fmt: skip
    modules += [
        ModuleFacts(file, listed=False, checked=False, passed=False, file=file) for file in project.stray
    ]
    obligations = [_obligation_facts(verdict, catalogue, project) for verdict in found.values()]
    return Snapshot(
        lean=toolchain.version, identity=toolchain.identity, commit=commit,
        obligations={ob.id: ob for ob in sorted(obligations, key=lambda ob: ob.id)},
        modules={m.module: m for m in sorted(modules, key=lambda m: m.module)},
    )  # fmt: skip


def summarize_samples(samples: Sequence[Sample]) -> Costs | None:
    """Return medians and median absolute deviations over the samples of the newest one's machine."""
    if not samples:
        return None
    machine = samples[-1].machine
    costs = [s.cost for s in samples if s.machine == machine]
    return Costs(
        machine=machine,
        wall_s=_figure([c.wall_s for c in costs]),
        cpu_s=_figure([c.cpu_s for c in costs]),
        peak_rss_bytes=_figure([c.peak_rss_bytes for c in costs]),
    )


def _figure(values: Sequence[float]) -> Figure:
    return Figure(median(values), deviation(values), len(values))


def _module_facts(
    name: str, check: ModuleCheck | None, samples: Sequence[Sample], *, expected: bool, file: str,
    limits: Mapping[str, float], budgets: Sequence[Budget], blocked_by: str,
) -> ModuleFacts:  # fmt: skip
    warnings = [m.text for m in check.messages if m.severity == "warning"] if check else []
    walls = [check.wall_limit_s if check else None, *(b.wall_s for b in budgets)]
    sizes = [check.memory_limit_bytes if check else None, *(b.memory_bytes for b in budgets)]
    return ModuleFacts(
        module=name,
        listed=True,
        checked=check is not None,
        passed=check is not None and check.passed,
        classes=tuple(dict.fromkeys(str(f.cls) for f in check.failures)) if check else (),
        costs=summarize_samples(samples),
        warnings=len(warnings),
        deprecations=sum("deprecated" in text for text in warnings),
        limits=limits,
        expected=expected,
        file=file,
        allowed_wall_s=min((w for w in walls if w is not None), default=None),
        allowed_cpu_s=min((b.cpu_s for b in budgets if b.cpu_s is not None), default=None),
        allowed_bytes=min((s for s in sizes if s is not None), default=None),
        blocked_by="" if check else blocked_by,
    )


def _blocked(project: Project, evidence: Evidence) -> Mapping[str, str]:
    """Return the first module that failed below each one that has such a module."""
    found: dict[str, str] = {}
    for name in project.modules:
        check = evidence.check_of(name)
        if check and not check.passed:
            for above in project.dependents(name):
                found.setdefault(above, name)
    return found


def _limits(project: Project, module: str, lean_args: Sequence[str]) -> Mapping[str, float]:
    """Return the highest value that each resource option is set to for a module; Lean's 0 means no limit."""
    outside = (*given_options(project, module).items(), *options_of(lean_args))
    found: defaultdict[str, list[float]] = defaultdict(list)
    for name, text in (*_set_in_source(project, module), *outside):
        value = _numeral(text)
        if is_limit(name) and value is not None:
            found[name].append(value or inf)
    return MappingProxyType({name: max(found[name]) for name in sorted(found)})


def _set_in_source(project: Project, module: str) -> Iterable[tuple[str, str]]:
    """Return the limits that the source sets; also what looks like a comment, where that may be none."""
    source = read_source(project, module)
    if "set_option" not in source:  # scanning takes its time
        return ()
    limits = [(mark.text, mark.value) for mark in scan_source(source).marks if mark.kind == "limit"]
    odd = any(declares_odd_tokens(read_source(project, name)) for name in (module, *project.closure(module)))
    return [*limits, *_SET_OPTION.findall(source)] if odd else limits


def _numeral(text: str) -> float | None:
    """Return a number as Lean writes it, also in hexadecimal; None when it is none."""
    for base in (10, 0):
        try:
            return float(int(text, base))
        except ValueError:
            continue
    return None


def _obligation_facts(verdict: Verdict, catalogue: Catalogue, project: Project) -> ObligationFacts:
    ob, probe = catalogue[verdict.id], verdict.probe
    found = probe if probe and probe.found else None
    place = probe.location if probe else None
    written = project.modules[ob.module].path if ob.module in project.modules else ""
    return ObligationFacts(
        id=ob.id, kind=ob.kind, net=ob.net, decl=ob.decl, module=ob.module, label=verdict.label,
        axioms=tuple(sorted(found.axioms)) if found else None,
        digest=found.digest if found else "", statement=found.statement if found else "",
        blocked_by=verdict.blocked_by, reason=verdict.reason,
        file=place.file if place else written, line=place.line if place else _failed_line(verdict),
    )  # fmt: skip


def _failed_line(verdict: Verdict) -> int:
    pos = verdict.failure.pos if verdict.failure else None
    return pos.line if pos else 0
