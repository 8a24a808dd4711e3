"""The gate as SARIF 2.1.0 (OASIS), as GitHub's code scanning reads it.

Every finding is a result with a fingerprint of rule and subject, so that it stays the same alert while lines
move; a waived one is suppressed, with its reason.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from tracker import __version__
from tracker.gate.explain import Explanation, explanations
from tracker.gate.model import Finding, GateReport, Result
from tracker.units import show_count

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MOST = 5000
"""Results that GitHub shows of a run."""


def gate_sarif(report: GateReport, place: Callable[[str], str]) -> str:
    """Return a SARIF log of one run; `place` gives paths below the repository's root."""
    rules = list(explanations().values())
    index = {rule.code: number for number, rule in enumerate(rules)}
    results = [
        _result(result, finding, index[result.rule.code], place)
        for result in report.results
        for finding in result.measure.findings
    ]
    results.sort(key=lambda r: "suppressions" in r)
    invocation: dict[str, Any] = {"executionSuccessful": True, "exitCode": 0 if report.passed else 1}
    if len(results) > MOST:
        text = f"{show_count(len(results) - MOST, 'more finding')}: `tracker gate --all` prints them"
        invocation["toolExecutionNotifications"] = [{"level": "warning", "message": {"text": text}}]
    driver = {
        "name": "tracker", "version": __version__, "semanticVersion": __version__,
        "rules": [_rule(rule) for rule in rules],
    }  # fmt: skip
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": "tracker/gate/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "the root of the repository"}}},
        "invocations": [invocation],
        "results": results[:MOST],
    }
    return (
        json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=1)
        + "\n"
    )


def _rule(rule: Explanation) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": "".join(part.capitalize() for part in rule.code.split("-")),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.what},
        "help": {"text": rule.text(), "markdown": f"{rule.what}\n\n{rule.why}\n\n**Cure.** {rule.cure}"},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["lean", "proof"]},
    }


def _result(result: Result, finding: Finding, rule_index: int, place: Callable[[str], str]) -> dict[str, Any]:
    where: dict[str, Any] = {
        "artifactLocation": {"uri": quote(place(finding.file), safe="/"), "uriBaseId": "SRCROOT"},
        "region": {"startLine": max(finding.line, 1)},
    }
    location = {
        "physicalLocation": where,
        "logicalLocations": [{"fullyQualifiedName": finding.subject}],
    }
    mark = hashlib.sha256(f"{result.rule.code}\0{finding.subject}".encode("utf-8", "replace")).hexdigest()
    data: dict[str, Any] = {
        "ruleId": result.rule.code,
        "ruleIndex": rule_index,
        "level": "error",
        "message": {"text": f"{finding.subject}: {finding.message}"},
        "locations": [location],
        "partialFingerprints": {"trackerFinding/v1": mark},
    }
    if finding.waiver is not None:
        text = f"{finding.waiver.reason} ({finding.waiver.owner}, until {finding.waiver.expires})"
        data["suppressions"] = [{"kind": "external", "justification": text}]
    return data
