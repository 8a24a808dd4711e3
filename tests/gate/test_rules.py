"""Every rule fails where it must and passes where it may; all are heard; waivers end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given

from tests.gate import facts as f
from tests.gate.test_compare import snapshots
from tracker.claims import ClaimResult
from tracker.gate import witness
from tracker.gate.baseline import parse_baseline
from tracker.gate.compare import Change
from tracker.gate.evaluate import ALL_RULES, evaluate
from tracker.gate.explain import explanations
from tracker.gate.model import Facts, GateReport, Measure, Outcome, Result, Rule
from tracker.gate.snapshot import Snapshot

SORRY = ("propext", "sorryAx")
SLOW, HEAVY = f.costs(9.0), f.costs(4.0, 2000)
OLD = f.snapshot(*f.NORMAL.obligations.values(), *f.NORMAL.modules.values(), lean="4.34.0")
LAKE = {"witness": ("lake", "check")}


def said(code: int | None) -> witness.Testimony:
    return witness.Testimony(("lake", "check"), "x", 1.7e9, 12.0, code, "checking\nDemo.lemma: forged\n")


def one(ob_label: str, reason: str = "") -> Snapshot:
    return f.changed(f.obligation(label=ob_label, reason=reason))


FAILING: Mapping[str, Mapping[str, Facts]] = {
    "GATE-BASELINE": {
        "none": f.facts(before=None),
        "damaged": f.facts(before=parse_baseline("{}")),
    },
    "GATE-EMPTY": {
        "no obligations": f.facts(f.without("lemma", "main")),
        "nothing checked": f.facts(f.snapshot(f.obligation())),
    },
    "GATE-MISSING": {
        "module unchecked": f.facts(f.changed(f.module(checked=False, passed=False, costs=None))),
        "cost unknown": f.facts(f.changed(f.module(costs=None))),
        "cost of a failure no longer known": f.facts(
            f.changed(f.module(passed=False, classes=("type-error",), costs=None)),
            f.changed(f.module(passed=False, classes=("type-error",))),
        ),
        "obsolete": f.facts(one("obsolete")),
        "never asked": f.facts(one("unchecked")),
    },
    "GATE-UNSEEN": {
        "in no target": f.facts(f.changed(f.module("Lost.lean", listed=False, checked=False))),
        "outside the default targets": f.facts(f.changed(f.module("Hazards.A", expected=False))),
        "unbuilt": f.facts(one("unbuilt")),
        "in no baseline": f.facts(f.changed(f.obligation("new")), ratchet=False),
    },
    "GATE-LOST": {
        "failed": f.facts(one("failed:type-error")),
        "over budget": f.facts(one("over budget")),
        "removed": f.facts(f.without("lemma")),
        "module failed": f.facts(f.changed(f.module("Demo.Top", passed=False, classes=("parse-error",)))),
    },
    "GATE-SORRY": {
        "own": f.facts(f.changed(f.obligation(label="sorry", axioms=SORRY))),
        "below": f.facts(f.changed(f.obligation(label="blocked", axioms=SORRY))),
        "of a new one": f.facts(f.changed(f.obligation("new", label="sorry", axioms=SORRY))),
    },
    "GATE-AXIOM": {
        "allowed, but new": f.facts(f.changed(f.obligation(axioms=("Classical.choice", "propext")))),
        "not allowed": f.facts(f.changed(f.obligation(label="axiom", axioms=("Demo.magic", "propext")))),
        "of a new one": f.facts(f.changed(f.obligation("new", label="axiom", axioms=("Demo.magic",)))),
        "a premise that is False": f.facts(one("axiom", "it assumes `False`, so that it says nothing")),
    },
    "GATE-DRIFT": {
        "from the lock": f.facts(one("drifted")),
        "from the baseline": f.facts(f.changed(f.obligation(digest="e" * 64))),
        "another declaration": f.facts(f.changed(f.obligation(decl="Demo.lemma'"))),
        "another module": f.facts(f.changed(f.obligation(module="Demo.Top"))),
        "under another Lean": f.facts(replace(f.changed(f.obligation(digest="e" * 64)), identity="4.36.0 x")),
    },
    "GATE-COVERAGE": {
        "unproved ones added": f.facts(f.changed(f.obligation("new", label="failed:type-error"))),
        "in one net only": f.facts(
            f.changed(f.obligation("a", net="r50"), f.obligation("b", net="r50", label="blocked")),
            f.changed(f.obligation("a", net="r50"), f.obligation("c", net=None, label="blocked")),
        ),
    },
    "GATE-CLASS": {
        "of an obligation": f.facts(one("failed:kernel-timeout"), one("failed:type-error")),
        "of a module": f.facts(
            f.changed(f.module(passed=False, classes=("out-of-memory",))),
            f.changed(f.module(passed=False, classes=("type-error",))),
        ),
        "Lean no longer answers": f.facts(
            f.changed(f.obligation(label="blocked", digest="", axioms=None)), one("blocked")
        ),
    },
    "GATE-CLAIMS": {"false": f.facts(claims=(ClaimResult("lemma", "vjp_comp", 3, 2),))},
    "GATE-TIME": {"slower": f.facts(f.changed(f.module(costs=SLOW)))},
    "GATE-MEMORY": {
        "heavier": f.facts(f.changed(f.module(costs=HEAVY))),
        "on another processor": f.facts(f.changed(f.module(costs=f.costs(4.0, 2000, f.OTHER_CPU)))),
    },
    "GATE-HEADROOM": {
        "memory": f.facts(f.changed(f.module(allowed_bytes=1100 * f.MIB))),
        "time": f.facts(f.changed(f.module(allowed_wall_s=6.0))),
        "CPU time": f.facts(f.changed(f.module(allowed_cpu_s=4.5))),
        "beyond it": f.facts(f.changed(f.module(allowed_wall_s=4.0)), headroom=0.0),
        "recursion": f.facts(f.changed(f.obligation(needs={"maxRecDepth": (410, 512)}))),
    },
    "GATE-MACHINE": {
        "unlike": f.facts(
            f.changed(f.module(costs=f.costs(machine=f.OTHER_CPU))), unlike_machines="fail"
        ),
    },
    "GATE-WARNINGS": {
        "warnings": f.facts(f.changed(f.module(warnings=1))),
        "deprecations": f.facts(
            f.changed(f.module(warnings=1, deprecations=1)), f.changed(f.module(warnings=1))
        ),
    },
    "GATE-LIMITS": {
        "raised": f.facts(f.changed(f.module(limits={"maxRecDepth": 1024.0}))),
        "in a new module": f.facts(f.changed(f.module("Demo.New", limits={"maxRecDepth": 1024.0}))),
        "unlimited": f.facts(
            f.changed(f.module(limits={"maxHeartbeats": float("inf")})),
            f.changed(f.module(limits={"maxHeartbeats": 4e6})),
        ),
    },
    "GATE-UNSOUND": {
        "known": f.facts(OLD, OLD),
        "no version": f.facts(replace(f.NORMAL, lean="mine")),
    },
    "GATE-WITNESS": {
        "not asked": f.facts(**LAKE),
        "disagrees": f.facts(testimony=said(1), **LAKE),
        "stopped": f.facts(testimony=said(None), **LAKE),
    },
    "GATE-RATCHET": {
        "gained": f.facts(f.NORMAL, one("failed:type-error")),
        "new obligation": f.facts(f.changed(f.obligation("new"))),
        "new module": f.facts(f.changed(f.module("Demo.New"))),
        "module gone": f.facts(f.without("Demo.Top")),
        "faster": f.facts(f.NORMAL, f.changed(f.module(costs=SLOW))),
        "lighter": f.facts(f.NORMAL, f.changed(f.module(costs=HEAVY))),
        "fewer axioms": f.facts(f.changed(f.obligation(axioms=()))),
        "fewer warnings": f.facts(f.NORMAL, f.changed(f.module(warnings=2))),
        "limit lowered": f.facts(f.NORMAL, f.changed(f.module(limits={"maxRecDepth": 1024.0}))),
        "another toolchain": f.facts(replace(f.NORMAL, identity="4.35.1 x")),
        "another net": f.facts(f.changed(f.obligation(net="r50"))),
    },
    "GATE-WAIVER": {
        "expired": f.facts(
            f.changed(f.module(costs=SLOW)), waivers=(f.waiver("GATE-TIME", expires=date(2026, 11, 29)),)
        ),
        "unused": f.facts(waivers=(f.waiver("GATE-TIME"),)),
        "of no rule": f.facts(waivers=(f.waiver("GATE-TEMPO"),)),
        "of what cannot be waived": f.facts(before=None, waivers=(f.waiver("GATE-BASELINE"),)),
    },
}  # fmt: skip

PASSING: Mapping[str, Facts] = {
    "GATE-BASELINE": f.facts(),
    "GATE-EMPTY": f.facts(f.snapshot(f.obligation(), f.module())),
    "GATE-MISSING": f.facts(
        f.changed(
            f.module("Hazards.A", checked=False, passed=False, expected=False),
            f.module("Demo.Top", checked=False, passed=False, blocked_by="Demo.Mid"),
        )
    ),
    "GATE-UNSEEN": f.facts(
        f.changed(f.module("Lost.lean", listed=False), f.module("Hazards.A", expected=False)),
        ignore=("Hazards.*", "Lost.lean"),
    ),
    "GATE-LOST": f.facts(one("failed:type-error"), one("failed:type-error")),
    "GATE-SORRY": f.facts(f.changed(f.obligation(label="sorry", axioms=SORRY)),
                          f.changed(f.obligation(label="sorry", axioms=SORRY))),
    "GATE-AXIOM": f.facts(f.changed(f.obligation(axioms=()))),
    "GATE-DRIFT": f.facts(f.changed(f.obligation(statement="1 ≡ 1"))),
    "GATE-COVERAGE": f.facts(f.changed(f.obligation("new"))),
    "GATE-CLASS": f.facts(one("failed:type-error"), one("failed:type-error")),
    "GATE-CLAIMS": f.facts(claims=(ClaimResult("lemma", "vjp_comp", 3, 3),)),
    "GATE-TIME": f.facts(f.changed(f.module(costs=f.costs(5.9)))),
    "GATE-MEMORY": f.facts(f.changed(f.module(costs=f.costs(4.0, 1400)))),
    "GATE-HEADROOM": f.facts(
        f.changed(
            f.module(allowed_wall_s=None, allowed_bytes=1251 * f.MIB),
            f.obligation(needs={"maxRecDepth": (409, 512), "maxHeartbeats": (10**9, 0)}),
        )
    ),
    "GATE-MACHINE": f.facts(unlike_machines="fail"),
    "GATE-WARNINGS": f.facts(f.changed(f.module(warnings=1)), f.changed(f.module(warnings=2))),
    "GATE-LIMITS": f.facts(f.changed(f.module(limits={"maxRecDepth": 512.0})),
                           f.changed(f.module(limits={"maxRecDepth": 512.0}))),
    "GATE-UNSOUND": f.facts(),
    "GATE-WITNESS": f.facts(testimony=said(0), **LAKE),
    "GATE-RATCHET": f.facts(f.changed(f.module(costs=f.costs(3.5)))),
    "GATE-WAIVER": f.facts(f.changed(f.module(costs=SLOW)), waivers=(f.waiver("GATE-TIME", "Demo.*"),)),
}  # fmt: skip


def result_of(code: str, report: GateReport) -> Result:
    return next(result for result in report.results if result.rule.code == code)


def codes(report: GateReport) -> set[str]:
    return {result.rule.code for result in report.failed}


CASES = [(code, name) for code, cases in FAILING.items() for name in cases]


@pytest.mark.parametrize(("code", "name"), CASES, ids=[f"{code}-{name}" for code, name in CASES])
def test_it_fails(code: str, name: str) -> None:
    report = evaluate(FAILING[code][name])
    result = result_of(code, report)
    assert result.outcome is Outcome.FAIL
    assert not report.passed
    assert result.open_findings
    assert all(finding.message for finding in result.open_findings)


@pytest.mark.parametrize("code", PASSING)
def test_it_passes(code: str) -> None:
    assert result_of(code, evaluate(PASSING[code])).outcome is Outcome.PASS


def test_every_rule_has_examples_and_an_explanation() -> None:
    known = [rule.code for rule in ALL_RULES]
    assert list(FAILING) == list(PASSING) == list(explanations()) == known
    for entry in explanations().values():
        assert all((entry.what, entry.why, entry.fails, entry.passes, entry.cure))
        assert all(len(line) <= 80 or " " not in line.strip() for line in entry.text().splitlines())


def test_the_gate_is_open_when_nothing_has_changed() -> None:
    report = evaluate(f.facts())
    assert report.passed
    assert {result.outcome for result in report.results} == {Outcome.PASS}


@pytest.mark.parametrize(("code", "name"), CASES)
def test_all_rules_are_evaluated_whatever_fails(code: str, name: str) -> None:
    report = evaluate(FAILING[code][name])
    assert [result.rule for result in report.results] == list(ALL_RULES)


@given(snapshots, snapshots)
def test_no_difference_goes_unheard(before: Snapshot, now: Snapshot) -> None:
    """Each difference is an objection of some rule."""
    looked = f.facts(now, before)
    report = evaluate(looked)
    heard = {f.subject for result in report.results for f in result.measure.findings}
    for difference in looked.differences:
        if difference.change is Change.UNLIKE:
            assert result_of("GATE-MACHINE", report).outcome is Outcome.NOT_COMPARABLE
        else:
            assert difference.subject in heard, difference


@given(snapshots, snapshots)
def test_a_value_beyond_its_limit_has_a_finding(before: Snapshot, now: Snapshot) -> None:
    for result in evaluate(f.facts(now, before)).results:
        measure = result.measure
        if measure.margin < 0 and measure.comparable:
            assert measure.findings, result.rule.code


def test_a_rule_that_crashes_has_failed() -> None:
    def crash(_facts: Facts) -> Measure:
        raise KeyError("gone")

    report = evaluate(f.facts(), (Rule("GATE-LOST", "it looks", crash), ALL_RULES[0]))
    assert [r.outcome for r in report.results] == [Outcome.FAIL, Outcome.PASS, Outcome.PASS]
    assert "KeyError" in report.failed[0].measure.findings[0].message


def test_times_of_unlike_machines_are_said_not_to_be_compared() -> None:
    now = f.changed(*(f.module(name, costs=f.costs(40.0, machine=f.OTHER_CPU)) for name in f.NORMAL.modules))
    report = evaluate(f.facts(now))
    assert report.passed
    assert result_of("GATE-TIME", report).outcome is Outcome.NOT_COMPARABLE
    assert result_of("GATE-MACHINE", report).outcome is Outcome.NOT_COMPARABLE
    assert f.OTHER_CPU in result_of("GATE-MACHINE", report).measure.detail
    assert result_of("GATE-MEMORY", report).outcome is Outcome.PASS


def test_without_a_baseline_nothing_is_said_to_hold_that_was_not_compared() -> None:
    report = evaluate(f.facts(before=None))
    silent = {r.rule.code for r in report.results if r.outcome is Outcome.NOT_COMPARABLE}
    assert silent >= {"GATE-LOST", "GATE-TIME", "GATE-MEMORY", "GATE-COVERAGE", "GATE-RATCHET"}
    assert codes(report) == {"GATE-BASELINE"}


def test_what_is_only_blocked_comes_after_its_cause() -> None:
    now = f.changed(f.obligation("a", label="blocked"), f.obligation("b", label="failed:type-error"))
    report = evaluate(f.facts(now, f.changed(f.obligation("a"), f.obligation("b"))))
    assert [x.subject for x in result_of("GATE-LOST", report).open_findings] == ["b", "a"]


SLOWER = f.changed(f.module(costs=SLOW), f.module("Demo.Top", costs=SLOW))


def test_a_waiver_covers_what_it_names_and_nothing_else() -> None:
    report = evaluate(f.facts(SLOWER, waivers=(f.waiver("GATE-TIME", "Demo.Mid"),)))
    time = result_of("GATE-TIME", report)
    assert time.outcome is Outcome.FAIL
    assert [x.subject for x in time.open_findings] == ["Demo.Top"]
    assert [x.subject for x in time.measure.findings if x.waiver] == ["Demo.Mid"]


def test_a_waived_rule_passes_and_is_listed() -> None:
    report = evaluate(f.facts(SLOWER, waivers=(f.waiver("GATE-TIME"),)))
    assert report.passed
    assert result_of("GATE-TIME", report).outcome is Outcome.WAIVED
    assert "ada" in result_of("GATE-WAIVER", report).measure.notes[0]


def test_a_waiver_holds_on_its_last_day_and_not_after() -> None:
    for today, passed in ((date(2027, 1, 31), True), (date(2027, 2, 1), False)):
        report = evaluate(f.facts(SLOWER, waivers=(f.waiver("GATE-TIME"),), today=today))
        assert report.passed is passed
        assert codes(report) == (set() if passed else {"GATE-TIME", "GATE-WAIVER"})


def test_without_the_ratchet_gains_are_said() -> None:
    report = evaluate(f.facts(f.NORMAL, one("failed:type-error"), ratchet=False))
    assert report.passed
    assert result_of("GATE-RATCHET", report).measure.notes == ("lemma: gained: failed:type-error → proved",)


def test_what_is_proved_for_the_first_time_may_use_allowed_axioms() -> None:
    """Nobody knows what it rested on before: only that it was not proved."""
    report = evaluate(
        f.facts(f.NORMAL, f.changed(f.obligation(label="failed:type-error", axioms=None, digest="")))
    )
    assert codes(report) == {"GATE-RATCHET"}


FORGED = {
    "deleted": (None, {"GATE-BASELINE"}),
    "empty": (parse_baseline(""), {"GATE-BASELINE", "GATE-RATCHET"}),
    "a line left out": (f.stored(f.without("lemma")), {"GATE-RATCHET"}),
    "proved nothing": (f.stored(one("failed:type-error")), {"GATE-RATCHET"}),
    "another statement": (f.stored(f.changed(f.obligation(digest="e" * 64))), {"GATE-BASELINE"}),
    "fewer axioms": (f.stored(f.changed(f.obligation(axioms=()))), {"GATE-BASELINE"}),
    "slow": (f.stored(f.changed(f.module(costs=f.costs(400.0)))), {"GATE-RATCHET"}),
}


@pytest.mark.parametrize("name", FORGED)
def test_what_would_land_is_looked_at_beside_another_commit_s(name: str) -> None:
    landing, expected = FORGED[name]
    report = evaluate(replace(f.facts(), elsewhere=True, landing=landing))
    assert codes(report) == expected


def test_a_gain_that_is_written_down_may_land_beside_another_commit_s() -> None:
    facts = f.facts(f.NORMAL, one("failed:type-error"))
    assert codes(evaluate(replace(facts, elsewhere=True, landing=f.stored(f.NORMAL)))) == set()
    assert codes(evaluate(replace(facts, elsewhere=True, landing=facts.baseline))) == {"GATE-RATCHET"}
