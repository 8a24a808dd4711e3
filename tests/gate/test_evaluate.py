"""How results come about: rules that cannot look, waivers, outcomes, and the facts that rules look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from tests.gate import facts as f
from tests.gate.facts import counted
from tracker.config import Waiver
from tracker.gate.compare import Change, Difference, Tolerance
from tracker.gate.evaluate import ALL_RULES, RULES, WAIVER_RULE, evaluate
from tracker.gate.model import Facts, Finding, GateReport, Measure, Outcome, Result, Rule, tolerance_of

TORN, BURNT = Finding("Demo.Mid", "torn", "Demo/Mid.lean", 3), Finding("main", "burnt")


def rule(measure: Measure, code: str = "GATE-X", **fields: Any) -> Rule:
    """Return a rule that always says this."""
    return Rule(code, "it looks", lambda _facts: measure, **fields)


def results(*rules: Rule, waivers: Sequence[Waiver] = (), **given: Any) -> tuple[Result, ...]:
    """Return what the rules say; the result of GATE-WAIVER comes last."""
    return evaluate(f.facts(waivers=tuple(waivers), **given), rules).results


def test_a_report_has_every_rule_and_the_waivers_last() -> None:
    first, second = rule(counted(TORN)), rule(counted(detail="well"), "GATE-Y")
    facts = f.facts()
    none = counted(detail="0 in the settings")
    assert evaluate(facts, (first, second)) == GateReport(
        (
            Result(first, Outcome.FAIL, counted(TORN)),
            Result(second, Outcome.PASS, counted(detail="well")),
            Result(WAIVER_RULE, Outcome.PASS, none),
        ),
        facts,
    )


def test_a_rule_that_crashes_says_so_in_a_finding_of_its_own() -> None:
    def crash(_facts: Facts) -> Measure:
        raise KeyError("gone")

    broken = Rule("GATE-X", "it looks", crash, compares=True)
    for before in (f.NORMAL, None):
        assert results(broken, before=before)[0] == Result(
            broken, Outcome.FAIL, counted(Finding("GATE-X", "the rule itself failed: KeyError: 'gone'"))
        )


COMPARING = "LOST COVERAGE CLASS TIME MEMORY WARNINGS LIMITS"


@pytest.mark.parametrize(
    ("trait", "codes"),
    [
        (lambda r: not r.waivable, "BASELINE EMPTY WAIVER"),
        (lambda r: r.blocks_update, "EMPTY MISSING"),
        (lambda r: r.acceptable, f"{COMPARING} SORRY AXIOM DRIFT"),
        (lambda r: r.compares, f"{COMPARING} MACHINE RATCHET"),
    ],
    ids=["never waived", "blocks a new baseline", "accepted with a reason", "needs a baseline"],
)
def test_which_rules(trait: Callable[[Rule], bool], codes: str) -> None:
    assert {rule.code for rule in ALL_RULES if trait(rule)} == {f"GATE-{code}" for code in codes.split()}


def test_all_rules_are_asked_unless_told_otherwise() -> None:
    assert [result.rule for result in evaluate(f.facts()).results] == [*RULES, WAIVER_RULE] == [*ALL_RULES]


ODD = Measure(3, 2, "share", "odd", (), ("note",), at_least=True)


@pytest.mark.parametrize(
    ("compares", "before", "expected"),
    [
        (True, f.NORMAL, ODD),
        (False, None, ODD),
        (True, None, replace(ODD, comparable=False, detail="there is no baseline to compare with")),
    ],
)
def test_what_compares_says_nothing_without_a_baseline(
    compares: bool, before: Any, expected: Measure
) -> None:
    outcome = Outcome.PASS if expected.comparable else Outcome.NOT_COMPARABLE
    looked = rule(ODD, compares=compares)
    assert results(looked, before=before)[0] == Result(looked, outcome, expected)


def test_what_cannot_be_compared_may_fail_and_be_waived_all_the_same() -> None:
    looked = rule(replace(counted(TORN), comparable=False))
    assert results(looked)[0].outcome is Outcome.FAIL
    assert results(looked, waivers=[f.waiver("GATE-X")])[0].outcome is Outcome.WAIVED


LAST = date(2026, 12, 24)
"""The last day of the waivers below."""


@pytest.mark.parametrize(
    ("waiver", "given", "expected"),
    [
        (("GATE-X", "*"), {}, (Outcome.WAIVED, [True, True], "")),
        (("GATE-X", "*"), {"today": LAST}, (Outcome.WAIVED, [True, True], "")),
        (("GATE-X", "Demo.*"), {}, (Outcome.FAIL, [True, False], "")),
        (("GATE-X", "main"), {}, (Outcome.FAIL, [False, True], "")),
        (
            ("GATE-X", "demo.*"), {},
            (Outcome.FAIL, [False, False], "nothing needs it any more: remove it"),
        ),
        (
            ("GATE-X", "*"), {"today": date(2026, 12, 25)},
            (Outcome.FAIL, [False, False], "it expired on 2026-12-24"),
        ),
        (("GATE-Z", "*"), {}, (Outcome.FAIL, [False, False], "no rule has this code")),
        (("GATE-Y", "*"), {}, (Outcome.FAIL, [False, False], "this rule cannot be waived")),
    ],
)  # fmt: skip
def test_a_waiver(waiver: tuple[str, str], given: dict[str, Any], expected: tuple[Any, ...]) -> None:
    granted = Waiver(*waiver, "being mended", "ada", LAST)
    outcome, covered, objection = expected
    lenient, strict = rule(counted(TORN, BURNT)), rule(counted(TORN), "GATE-Y", waivable=False)
    first, second, last = results(lenient, strict, waivers=[granted], **given)
    assert first.outcome is outcome
    assert first.measure == counted(
        *(
            replace(x, waiver=granted if is_so else None)
            for x, is_so in zip((TORN, BURNT), covered, strict=True)
        )
    )
    assert first.open_findings == tuple(x for x in first.measure.findings if x.waiver is None)
    assert second == Result(strict, Outcome.FAIL, counted(TORN))
    name = " ".join(waiver)
    assert last == Result(
        WAIVER_RULE,
        Outcome.FAIL if objection else Outcome.PASS,
        counted(
            *([Finding(name, objection)] if objection else []),
            detail="1 in the settings",
            notes=(f"{name}: being mended (ada, until 2026-12-24)",),
        ),
    )


def test_of_waivers_that_fit_the_first_in_force_covers_and_no_other_is_needed() -> None:
    expired = f.waiver("GATE-X", "Demo.*", date(2026, 1, 1))
    second, third = f.waiver("GATE-X", "Demo.*"), f.waiver("GATE-X")
    first, last = results(rule(counted(TORN)), waivers=[expired, second, third])
    assert first.measure.findings == (replace(TORN, waiver=second),)
    assert last.measure == counted(
        Finding("GATE-X Demo.*", "it expired on 2026-01-01"),
        Finding("GATE-X *", "nothing needs it any more: remove it"),
        detail="3 in the settings",
        notes=(
            "GATE-X Demo.*: known, being mended (ada, until 2026-01-01)",
            "GATE-X Demo.*: known, being mended (ada, until 2027-01-31)",
            "GATE-X *: known, being mended (ada, until 2027-01-31)",
        ),
    )


def test_only_a_failure_stops_the_gate() -> None:
    failing, waived = rule(counted(TORN)), rule(counted(TORN), "GATE-W")
    silent = rule(replace(ODD, comparable=False), "GATE-S")
    facts = f.facts(waivers=(f.waiver("GATE-W"),))
    report = evaluate(facts, (waived, silent))
    assert (report.passed, report.failed) == (True, ())
    report = evaluate(facts, (waived, failing, silent))
    assert (report.passed, report.failed) == (False, (report.results[1],))
    assert [r.outcome for r in report.results] == [
        Outcome.WAIVED, Outcome.FAIL, Outcome.NOT_COMPARABLE, Outcome.PASS,
    ]  # fmt: skip


def test_the_margin_is_how_far_inside_of_the_limit_a_value_is() -> None:
    assert Measure(3, 5, "findings").margin == 2
    assert Measure(5, 3, "findings").margin == -2
    assert Measure(3, 5, "share", at_least=True).margin == -2


def test_a_finding_stands_where_its_subject_does() -> None:
    now = f.snapshot(f.obligation("x", file="X.lean", line=7), f.module("M", file="M.lean"))
    facts = f.facts(now, f.snapshot(f.obligation("y"), f.module("N")))
    assert facts.finding("x", "m") == Finding("x", "m", "X.lean", 7)
    assert facts.finding("M", "m") == Finding("M", "m", "M.lean", 0)
    for unknown in ("y", "N", "toolchain"):
        assert facts.place(unknown) == ("", 0)


def test_differences_are_of_obligations_then_modules_and_none_without_a_baseline() -> None:
    before = f.changed(f.module("M", warnings=3))
    now = f.changed(f.obligation("a"), f.module("M", costs=f.costs(7.0), warnings=1))
    facts = f.facts(now, before)
    added = Difference("a", Change.ADDED, None, "proved")
    slower = Difference("M", Change.SLOWER, 4.0, 7.0, "CPU s")
    fewer = Difference("M", Change.WARNINGS_FEWER, 3, 1)
    assert facts.module_differences == (slower, fewer)
    assert facts.differences == (added, slower, fewer)
    assert list(facts.changes(Change.WARNINGS_FEWER, Change.ADDED)) == [added, fewer]
    assert list(facts.changes()) == []
    assert f.facts(now, before, time_ratio=2.0).module_differences == (fewer,)
    alone = f.facts(now, before=None)
    assert alone.differences == alone.module_differences == ()


def test_what_would_land_is_compared_with_only_beside_another_commit_s() -> None:
    landing = f.stored(f.without("main"))
    facts = replace(f.facts(), landing=landing)
    assert facts.to_land is facts
    beside = replace(facts, elsewhere=True)
    assert beside.to_land == replace(beside, baseline=landing, elsewhere=False)


def test_what_is_noise_is_what_the_settings_say() -> None:
    facts = f.facts(time_ratio=1.25, memory_ratio=2.0, time_floor_s=3.0, memory_floor_bytes=7, deviations=5.0)
    wanted = Tolerance(ratio=1.25, memory_ratio=2.0, floor_s=3.0, floor_bytes=7, deviations=5.0)
    assert facts.tolerance == tolerance_of(facts.settings) == wanted
