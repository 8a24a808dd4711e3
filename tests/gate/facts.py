"""Made-up facts for the gate: small snapshots that tests change in one place."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tracker.claims import ClaimResult
from tracker.config import GateSettings, Waiver
from tracker.evidence import Run
from tracker.gate.baseline import Baseline, baseline_text, parse_baseline
from tracker.gate.model import Facts, Finding, Measure
from tracker.gate.now import Present
from tracker.gate.snapshot import Costs, Figure, ModuleFacts, ObligationFacts, Snapshot
from tracker.gate.witness import Testimony

MACHINE = "AMD EPYC, 2 cores, 24 GiB, Linux x86_64"
OTHER_CPU = "Intel Xeon, 8 cores, 64 GiB, Linux x86_64"
OTHER_SYSTEM = "Apple M4, 10 cores, 32 GiB, Darwin arm64"
IDENTITY = "4.35.0 eb6cafb7290e8bd5f2937522d8d804f58f02bafc"
TODAY = date(2026, 11, 30)
MIB = 2**20


def obligation(ident: str = "lemma", **fields: Any) -> ObligationFacts:
    made = ObligationFacts(
        id=ident, kind="leaf-tie", net="vit", decl=f"Demo.{ident}", module="Demo.Mid", label="proved",
        axioms=("propext",), digest="d" * 64, statement="1 = 1", file="Demo/Mid.lean", line=3,
    )  # fmt: skip
    return replace(made, **fields)


def costs(cpu_s: float = 4.0, mib: float = 1000.0, machine: str = MACHINE, mad: float = 0.0) -> Costs:
    return Costs(machine, Figure(cpu_s + 1, mad), Figure(cpu_s, mad), Figure(mib * MIB, mad * MIB))


def module(name: str = "Demo.Mid", **fields: Any) -> ModuleFacts:
    limits = MappingProxyType(fields.pop("limits", {}))
    made = ModuleFacts(
        name, listed=True, checked=True, passed=True, costs=costs(), limits=limits,
        file=name.replace(".", "/") + ".lean", allowed_wall_s=60.0, allowed_bytes=4096 * MIB,
    )  # fmt: skip
    return replace(made, **fields)


def snapshot(
    *facts: ObligationFacts | ModuleFacts, identity: str = IDENTITY, lean: str = "4.35.0"
) -> Snapshot:
    obligations = [f for f in facts if isinstance(f, ObligationFacts)]
    modules = [f for f in facts if isinstance(f, ModuleFacts)]
    return Snapshot(
        lean, identity, "c" * 40,
        {ob.id: ob for ob in sorted(obligations, key=lambda ob: ob.id)},
        {m.module: m for m in sorted(modules, key=lambda m: m.module)},
    )  # fmt: skip


NORMAL = snapshot(obligation(), obligation("main"), module(), module("Demo.Top"))


def changed(*facts: ObligationFacts | ModuleFacts, base: Snapshot = NORMAL) -> Snapshot:
    """Return the base with some of its facts replaced, or with new ones."""
    kept = {**base.obligations, **base.modules}
    for fact in facts:
        kept[fact.id if isinstance(fact, ObligationFacts) else fact.module] = fact
    return snapshot(*kept.values(), identity=base.identity, lean=base.lean)


def without(*names: str, base: Snapshot = NORMAL) -> Snapshot:
    kept = {**base.obligations, **base.modules}
    return snapshot(*(fact for name, fact in kept.items() if name not in names))


def stored(now: Snapshot) -> Baseline:
    """Return a baseline as a file gives it back."""
    return parse_baseline(baseline_text(now))


def waiver(code: str, subject: str = "*", expires: date = date(2027, 1, 31)) -> Waiver:
    return Waiver(code, subject, "known, being mended", "ada", expires)


def facts(
    now: Snapshot = NORMAL, before: Snapshot | Baseline | None = NORMAL, *,
    claims: tuple[ClaimResult, ...] = (), misread: tuple[str, ...] = (), testimony: Testimony | None = None,
    today: date = TODAY, **settings: Any,
) -> Facts:  # fmt: skip
    run = Run(7, 1.7e9, 1.7e9, "finished", "embedded", IDENTITY, MACHINE, "c" * 40, False, 2, 0)
    baseline = stored(before) if isinstance(before, Snapshot) else before
    gate = GateSettings(Path("reports/baseline.jsonl"), **settings)
    return Facts(gate, Present(now, run, claims, misread), baseline, today, testimony)


def counted(*findings: Finding, detail: str = "", notes: tuple[str, ...] = ()) -> Measure:
    """Return what a rule says that allows no finding."""
    return Measure(len(findings), 0, "findings", detail, findings, notes)


def ob(ident: str, message: str) -> Finding:
    """Return a finding at the place that every obligation has here."""
    return Finding(ident, message, "Demo/Mid.lean", 3)


def mod(name: str, message: str) -> Finding:
    """Return a finding at the place that a module has here."""
    return Finding(name, message, name.replace(".", "/") + ".lean", 0)
