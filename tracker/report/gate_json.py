"""The gate's report as plain data, under the published schema `schema/gate.schema.json`."""

from __future__ import annotations

from typing import Any

from tracker import __version__
from tracker.gate.explain import explanations
from tracker.gate.model import Finding, GateReport, Result

SCHEMA_VERSION = 1


def gate_json(report: GateReport, against: str) -> dict[str, Any]:
    """Return everything that the gate says. Shares are numbers of which 1 is the whole."""
    now = report.facts.present
    return {
        "schema_version": SCHEMA_VERSION,
        "tracker": __version__,
        "passed": report.passed,
        "against": against,
        "toolchain": now.snapshot.identity,
        "lean": now.snapshot.lean,
        "run": now.run.number if now.run else None,
        "commit": now.snapshot.commit,
        "rules": [_rule(result) for result in report.results],
        "waivers": [
            {
                "code": w.code, "subject": w.subject, "reason": w.reason, "owner": w.owner,
                "expires": w.expires.isoformat(),
            }
            for w in report.facts.settings.waivers
        ],
    }  # fmt: skip


def _rule(result: Result) -> dict[str, Any]:
    measure = result.measure
    return {
        "code": result.rule.code, "title": result.rule.title, "outcome": str(result.outcome),
        "value": measure.value, "limit": measure.limit, "margin": measure.margin, "unit": measure.unit,
        "at_least": measure.at_least, "detail": measure.detail, "notes": list(measure.notes),
        "findings": [_finding(finding) for finding in measure.findings],
        "cure": explanations()[result.rule.code].cure,
    }  # fmt: skip


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "subject": finding.subject, "message": finding.message, "file": finding.file or None,
        "line": finding.line or None, "waived": finding.waiver is not None,
    }  # fmt: skip
