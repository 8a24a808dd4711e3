"""All rules, evaluated one by one and together: each says what it found, and none hides another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from tracker.config import Waiver
from tracker.gate import rules_cost, rules_proof, rules_trust
from tracker.gate.model import Facts, Finding, GateReport, Measure, Outcome, Result, Rule

RULES: tuple[Rule, ...] = (
    Rule("GATE-BASELINE", "the baseline is there and as it was written", rules_proof.check_baseline,
         waivable=False),
    Rule("GATE-EMPTY", "something was checked", rules_proof.check_empty, waivable=False, blocks_update=True),
    Rule("GATE-MISSING", "there is evidence for everything", rules_proof.check_missing, blocks_update=True),
    Rule("GATE-UNSEEN", "every module and obligation is looked at", rules_proof.check_unseen),
    Rule("GATE-LOST", "nothing that was proved is lost", rules_proof.check_lost,
         acceptable=True, compares=True),
    Rule("GATE-SORRY", "no new sorry", rules_proof.check_sorry, acceptable=True),
    Rule("GATE-AXIOM", "no new axiom", rules_proof.check_axioms, acceptable=True),
    Rule("GATE-DRIFT", "no statement says something else", rules_proof.check_drift, acceptable=True),
    Rule("GATE-COVERAGE", "not less of the catalogue is proved", rules_proof.check_coverage,
         acceptable=True, compares=True),
    Rule("GATE-CLASS", "what fails, fails as before", rules_proof.check_class,
         acceptable=True, compares=True),
    Rule("GATE-CLAIMS", "claims about proofs hold", rules_proof.check_claims),
    Rule("GATE-TIME", "no module is slower", rules_cost.check_time,
         acceptable=True, compares=True),
    Rule("GATE-MEMORY", "no module is heavier", rules_cost.check_memory,
         acceptable=True, compares=True),
    Rule("GATE-HEADROOM", "limits are not near", rules_cost.check_headroom),
    Rule("GATE-MACHINE", "figures are of like machines", rules_cost.check_machine, compares=True),
    Rule("GATE-WARNINGS", "no more warnings", rules_cost.check_warnings,
         acceptable=True, compares=True),
    Rule("GATE-LIMITS", "no resource option is raised", rules_cost.check_limits,
         acceptable=True, compares=True),
    Rule("GATE-UNSOUND", "this Lean is not known to be unsound", rules_trust.check_unsound),
    Rule("GATE-WITNESS", "the second witness agrees", rules_trust.check_witness),
    Rule("GATE-RATCHET", "what got better is committed",
         lambda facts: rules_trust.check_ratchet(facts.to_land), compares=True),
)  # fmt: skip

WAIVER_RULE = Rule(
    "GATE-WAIVER",
    "every waiver is needed and in force",
    lambda _facts: rules_proof.counted([]),
    waivable=False,
)
"""Judged last, over what the other rules made of the waivers."""

ALL_RULES = (*RULES, WAIVER_RULE)


def evaluate(facts: Facts, rules: Sequence[Rule] = RULES) -> GateReport:
    """Return what every rule says, and whether all are content."""
    results = []
    used: set[int] = set()
    for rule in rules:
        measure = _measured(rule, facts)
        findings = tuple(_waived(rule, finding, facts, used) for finding in measure.findings)
        results.append(_result(rule, replace(measure, findings=findings)))
    results.append(_result(WAIVER_RULE, _waivers(facts, used, {rule.code: rule for rule in rules})))
    return GateReport(tuple(results), facts)


def _measured(rule: Rule, facts: Facts) -> Measure:
    try:
        measure = rule.check(facts)
    except Exception as error:  # a rule that cannot look has not passed
        text = f"the rule itself failed: {type(error).__name__}: {error}"
        return Measure(1, 0, "findings", findings=(Finding(rule.code, text),))
    if rule.compares and facts.baseline is None:
        return replace(measure, comparable=False, detail="there is no baseline to compare with")
    return measure


def _result(rule: Rule, measure: Measure) -> Result:
    if any(finding.waiver is None for finding in measure.findings):
        outcome = Outcome.FAIL
    elif measure.findings:
        outcome = Outcome.WAIVED
    else:
        outcome = Outcome.PASS if measure.comparable else Outcome.NOT_COMPARABLE
    return Result(rule, outcome, measure)


def _waived(rule: Rule, finding: Finding, facts: Facts, used: set[int]) -> Finding:
    for number, waiver in enumerate(facts.settings.waivers):
        if waiver.code == rule.code and fnmatchcase(finding.subject, waiver.subject):
            used.add(number)
            if rule.waivable and facts.today <= waiver.expires:
                return replace(finding, waiver=waiver)
    return finding


def _waivers(facts: Facts, used: set[int], rules: dict[str, Rule]) -> Measure:
    findings = []
    notes = []
    for number, waiver in enumerate(facts.settings.waivers):
        name = f"{waiver.code} {waiver.subject}"
        why = _objection(waiver, facts, rules, needed=number in used)
        if why:
            findings.append(Finding(name, why))
        notes.append(f"{name}: {waiver.reason} ({waiver.owner}, until {waiver.expires})")
    return rules_proof.counted(findings, f"{len(facts.settings.waivers)} in the settings", tuple(notes))


def _objection(waiver: Waiver, facts: Facts, rules: dict[str, Rule], *, needed: bool) -> str:
    rule = rules.get(waiver.code)
    if rule is None:
        return "no rule has this code"
    if not rule.waivable:
        return "this rule cannot be waived"
    if facts.today > waiver.expires:
        return f"it expired on {waiver.expires}"
    return "" if needed else "nothing needs it any more: remove it"
