"""A tried upgrade as JSON, for programs. Seconds and bytes; `schema_version` changes when a meaning does."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tracker.gate.compare import Difference
from tracker.gate.trial import Trial
from tracker.gate.upgrade import Growth, ObligationFate
from tracker.gate.upgrade_pins import PinMoves
from tracker.gate.upgrade_run import TriedUpgrade

SCHEMA_VERSION = 1


def upgrade_json(tried: TriedUpgrade) -> dict[str, Any]:
    """Return everything that is known of a tried upgrade."""
    found = tried.upgrade
    return {
        "schema_version": SCHEMA_VERSION,
        "verdict": found.verdict,
        "ruling": str(found.ruling),
        "commit": tried.commit.sha,
        "dirty": tried.dirty,
        "uncommitted": list(tried.changes),
        "before": _trial(found.before),
        "after": _trial(found.after),
        "pins": _pins(tried.moves),
        "counts": {str(fate): count for fate, count in found.counts.items()},
        "headlines": [
            {"id": i, "before": found.fates[i].before, "after": found.fates[i].after} for i in found.headlines
        ],
        "causes": [asdict(cause) for cause in found.causes],
        "growth": [_growth(growth) for growth in found.growth],
        "obligations": [_fate(fate) for fate in found.fates.values()],
        "modules": [{"module": d.subject, **_difference(d)} for d in found.modules],
        "total": {
            "modules": found.total.modules,
            "cpu_s": list(found.total.cpu_s),
            "peak_bytes": list(found.total.peak_bytes),
        },
    }


def _trial(trial: Trial) -> dict[str, Any]:
    tool = trial.toolchain
    return {
        "name": trial.name, "toolchain": tool.name, "lean": tool.version, "githash": tool.githash,
        "lean_args": list(tool.lean_args), "identity": tool.identity,
        "proved": sum(ob.proved for ob in trial.snapshot.obligations.values()),
        "obligations": len(trial.snapshot.obligations),
    }  # fmt: skip


def _pins(moves: PinMoves) -> dict[str, Any]:
    return {
        "moved": [
            {"file": m.pin.path, "package": m.pin.package, "before": m.pin.written, "after": m.after}
            for m in moves.moved
        ],
        "left": [
            {"file": left.pin.path, "package": left.pin.package, "at": left.pin.written, "why": left.why}
            for left in moves.left
        ],
        "unreadable": list(moves.unreadable),
    }


def _growth(growth: Growth) -> dict[str, Any]:
    return {
        "module": growth.module, "unit": growth.unit, "before": growth.before, "after": growth.after,
        "factor": growth.factor, "cliff": growth.cliff, "obligations": list(growth.obligations),
        "headlines": list(growth.headlines),
    }  # fmt: skip


def _fate(fate: ObligationFate) -> dict[str, Any]:
    return {
        "id": fate.id, "kind": fate.kind, "net": fate.net, "module": fate.module, "before": fate.before,
        "after": fate.after, "fate": str(fate.fate), "reason": fate.reason,
        "changes": [_difference(d) for d in fate.changes],
    }  # fmt: skip


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "change": str(difference.change), "before": _finite(difference.before),
        "after": _finite(difference.after), "detail": difference.detail,
    }  # fmt: skip


def _finite(value: str | float | None) -> str | float | None:
    """Return the value; JSON has no infinity, which stands for an option without a limit."""
    return "unlimited" if value == float("inf") else value
