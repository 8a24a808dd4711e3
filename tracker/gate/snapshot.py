"""A snapshot: everything that the gate compares of one moment, as plain facts.

Gate, upgrade, bisection and diff all compare two of these. A snapshot covers every obligation of the
catalogue and every module of the project, so that nothing can leave a comparison by not being mentioned.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from types import MappingProxyType

from tracker.catalogue.model import Catalogue
from tracker.evidence import Cost, Evidence, ModuleCheck
from tracker.lean.project import Project
from tracker.lean.scan.source import scan_source
from tracker.lean.toolchain import Toolchain
from tracker.run.artifacts import read_source
from tracker.verdict import Verdict


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
class Sample:
    """One measurement of one module's check, and the machine that it was made on."""

    module: str
    machine: str
    cost: Cost


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
    """The highest value that its source sets each resource option to; infinity stands for Lean's 0."""


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
    measured: dict[str, list[Sample]] = {}
    for sample in samples:
        measured.setdefault(sample.module, []).append(sample)
    modules = [
        _module_facts(project, name, evidence.check_of(name), measured.get(name, []))
        for name in project.modules
    ]
    modules += [ModuleFacts(file, listed=False, checked=False, passed=False) for file in project.stray]
    obligations = [_obligation_facts(verdict, catalogue) for verdict in found.values()]
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
    middle = median(values)
    return Figure(middle, median(abs(v - middle) for v in values), len(values))


def _module_facts(
    project: Project, name: str, check: ModuleCheck | None, samples: Sequence[Sample]
) -> ModuleFacts:
    warnings = [m.text for m in check.messages if m.severity == "warning"] if check else []
    return ModuleFacts(
        module=name,
        listed=True,
        checked=check is not None,
        passed=check is not None and check.passed,
        classes=tuple(dict.fromkeys(str(f.cls) for f in check.failures)) if check else (),
        costs=summarize_samples(samples),
        warnings=len(warnings),
        deprecations=sum("deprecated" in text for text in warnings),
        limits=_limits(read_source(project, name)),
    )


def _limits(source: str) -> Mapping[str, float]:
    """Return the highest value of each resource option that a source sets; Lean's 0 means no limit."""
    found: dict[str, float] = {}
    for mark in scan_source(source).marks:
        digits = mark.value.replace("_", "")
        if mark.kind == "limit" and digits.isdecimal():
            value = float(digits) or float("inf")
            found[mark.text] = max(found.get(mark.text, 0.0), value)
    return MappingProxyType(dict(sorted(found.items())))


def _obligation_facts(verdict: Verdict, catalogue: Catalogue) -> ObligationFacts:
    ob, probe = catalogue[verdict.id], verdict.probe
    here = probe is not None and probe.found
    return ObligationFacts(
        id=ob.id, kind=ob.kind, net=ob.net, decl=ob.decl, module=ob.module, label=verdict.label,
        axioms=tuple(sorted(probe.axioms)) if probe is not None and here else None,
        digest=probe.digest if probe is not None and here else "",
        statement=probe.statement if probe is not None and here else "",
        blocked_by=verdict.blocked_by,
    )  # fmt: skip
