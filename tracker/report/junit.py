"""The gate as JUnit XML: a test a rule, and a test an obligation, in the form that CI servers read."""

from __future__ import annotations

from xml.etree import ElementTree

from tracker.gate.explain import explanations
from tracker.gate.model import Finding, GateReport, Outcome, Result
from tracker.report.gate import amount, finding_line
from tracker.report.terminal import plain


def gate_junit(report: GateReport) -> str:
    """Return two suites: the rules, and the obligations with what open findings say of them."""
    root = ElementTree.Element("testsuites", name="tracker gate")
    _add_suite(root, "gate", [_rule_case(result) for result in report.results])
    _add_suite(root, "obligations", _obligation_cases(report))
    for key in ("tests", "failures", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"


def _add_suite(root: ElementTree.Element, name: str, cases: list[ElementTree.Element]) -> None:
    suite = ElementTree.SubElement(root, "testsuite", name=name, tests=str(len(cases)), errors="0")
    suite.set("failures", str(sum(case.find("failure") is not None for case in cases)))
    suite.set("skipped", str(sum(case.find("skipped") is not None for case in cases)))
    suite.extend(cases)


def _rule_case(result: Result) -> ElementTree.Element:
    measure = result.measure
    case = ElementTree.Element("testcase", classname="gate", name=result.rule.code)
    numbers = f"value {amount(measure.value, measure.unit)}, limit {amount(measure.limit, measure.unit)}"
    said = "\n".join([*map(finding_line, measure.findings), f"Cure: {explanations()[result.rule.code].cure}"])
    if result.outcome is Outcome.FAIL:
        _fail(case, f"{result.rule.title}: {numbers}", result.rule.code, said)
    elif result.outcome is not Outcome.PASS:
        ElementTree.SubElement(case, "skipped", message=_clean(f"{result.outcome}: {measure.detail}"))
    out = ElementTree.SubElement(case, "system-out")
    out.text = _clean("\n".join([numbers, *([measure.detail] if measure.detail else []), *measure.notes]))
    return case


def _obligation_cases(report: GateReport) -> list[ElementTree.Element]:
    against: dict[str, list[tuple[str, Finding]]] = {}
    for result in report.results:
        for finding in result.open_findings:
            against.setdefault(finding.subject, []).append((result.rule.code, finding))
    cases = []
    for ob in report.facts.present.snapshot.obligations.values():
        group = f"{ob.net}.{ob.kind}" if ob.net else ob.kind
        case = ElementTree.Element("testcase", classname=_clean(group), name=_clean(ob.id))
        found = against.get(ob.id, [])
        if found:
            said = "\n".join(f"{code}: {finding_line(finding)}" for code, finding in found)
            _fail(case, found[0][1].message, found[0][0], said)
        elif not ob.proved:
            ElementTree.SubElement(case, "skipped", message=_clean(f"{ob.label}, which the gate lets pass"))
        cases.append(case)
    return cases


def _fail(case: ElementTree.Element, message: str, kind: str, text: str) -> None:
    failure = ElementTree.SubElement(case, "failure", message=_clean(message), type=kind)
    failure.text = _clean(text)


def _clean(text: str) -> str:
    """Return text that XML 1.0 can hold."""
    return "".join(c for c in plain(text) if c not in "\ufffe\uffff")
