"""GitHub's workflow commands, as in its documentation "Workflow commands for GitHub Actions".

GitHub shows ten annotations of each kind a step, so the last of ten says how many there are beyond.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tracker.gate.model import Finding, GateReport, Result
from tracker.report.gate import verdict_line
from tracker.verdict import one_line

MOST = 10
"""Annotations of one kind that GitHub shows of a step."""


def github_annotations(report: GateReport, place: Callable[[str], str]) -> str:
    """Return an error for each open finding, a warning for each waived one, and the answer as plain text."""
    pairs = [(result, finding) for result in report.results for finding in result.measure.findings]
    errors = [_annotation("error", r, f, place) for r, f in pairs if f.waiver is None]
    warnings = [_annotation("warning", r, f, place) for r, f in pairs if f.waiver is not None]
    lines = [*_limited("error", errors), *_limited("warning", warnings), verdict_line(report)]
    return "".join(line + "\n" for line in lines)


def _annotation(kind: str, result: Result, finding: Finding, place: Callable[[str], str]) -> str:
    properties = [("title", f"{result.rule.code} {finding.subject}")]
    if finding.file:
        properties.append(("file", place(finding.file)))
    if finding.line:
        properties.append(("line", str(finding.line)))
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties)
    return f"::{kind} {listed}::{_data(one_line(finding.message))}"


def _limited(kind: str, lines: Sequence[str]) -> list[str]:
    if len(lines) <= MOST:
        return list(lines)
    rest = len(lines) - MOST + 1
    return [*lines[: MOST - 1], f"::{kind} title=tracker gate::and {rest} more: `tracker gate --all`"]


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
