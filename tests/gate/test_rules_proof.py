"""What the rules about proofs say, whole: value, limit, unit, detail, findings with their places, notes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.gate import facts as f
from tests.gate.facts import changed as now
from tests.gate.facts import counted, mod, ob
from tracker.claims import ClaimResult
from tracker.gate import rules_proof
from tracker.gate.baseline import Baseline, Damage
from tracker.gate.model import Facts, Finding, Measure
from tracker.gate.snapshot import Snapshot

NO_BASELINE = Finding("baseline", "there is none at reports/baseline.jsonl")


def landing(baseline: Baseline | None, **fields: Any) -> Facts:
    return replace(f.facts(**fields), elsewhere=True, landing=baseline)


DAMAGED = replace(f.stored(f.NORMAL), damages=(Damage(3, "torn"), Damage(5, "burnt")))


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (f.facts(), counted(detail="2 obligations")),
        (f.facts(before=None), counted(NO_BASELINE)),
        (landing(f.stored(f.NORMAL), before=None), counted(NO_BASELINE)),
        (
            f.facts(before=DAMAGED),
            counted(Finding("line 3", "torn"), Finding("line 5", "burnt"), detail="2 obligations"),
        ),
        (landing(f.stored(f.NORMAL)), counted(detail="2 obligations")),
        (replace(landing(DAMAGED), elsewhere=False), counted(detail="2 obligations")),
        (
            landing(None),
            counted(Finding("baseline", "none would land at reports/baseline.jsonl"), detail="2 obligations"),
        ),
        (
            landing(DAMAGED, before=replace(DAMAGED, damages=(Damage(9, "torn"),))),
            counted(
                Finding("line 9", "torn"),
                Finding("line 3", "in the working tree: torn"),
                Finding("line 5", "in the working tree: burnt"),
                detail="2 obligations",
            ),
        ),
        (
            landing(
                f.stored(
                    now(
                        f.obligation("a", digest="e" * 64), f.obligation("b", decl="Demo.c"),
                        f.obligation("d", axioms=()), f.obligation("e", label="sorry"),
                    )
                ),
                now=now(*(f.obligation(name) for name in "abde")),
            ),
            counted(
                ob("a", "the baseline in the working tree says otherwise: statement changed"),
                ob("b", "the baseline in the working tree says otherwise: declaration or module changed"),
                ob("d", "the baseline in the working tree says otherwise: more axioms"),
                detail="2 obligations",
            ),
        ),
    ],
)  # fmt: skip
def test_baseline(facts: Facts, expected: Measure) -> None:
    assert rules_proof.check_baseline(facts) == expected


UNCHECKED = f.module("Demo.Top", checked=False, passed=False, costs=None)


@pytest.mark.parametrize(
    ("snapshot", "checked", "findings"),
    [
        (f.NORMAL, 2, []),
        (now(UNCHECKED), 1, []),
        (f.snapshot(f.module()), 1, [Finding("catalogue", "it has no obligations")]),
        (
            f.snapshot(UNCHECKED), 0,
            [
                Finding("catalogue", "it has no obligations"),
                Finding("modules", "Lean has checked none of them as they are now"),
            ],
        ),
    ],
)  # fmt: skip
def test_empty(snapshot: Snapshot, checked: int, findings: list[Finding]) -> None:
    assert rules_proof.check_empty(f.facts(snapshot)) == Measure(
        checked, 1, "modules checked", findings=tuple(findings), at_least=True
    )


FAILED: dict[str, Any] = {"passed": False, "classes": ("type-error",)}
NO_COST = "it was checked, and its cost is not known"


@pytest.mark.parametrize(
    ("facts", "findings"),
    [
        (f.facts(), []),
        (f.facts(now(UNCHECKED)), [mod("Demo.Top", "Lean has not checked it as it is now")]),
        (f.facts(now(replace(UNCHECKED, expected=False))), []),
        (f.facts(now(replace(UNCHECKED, blocked_by="Demo.Mid"))), []),
        (f.facts(now(UNCHECKED), ignore=("Demo.T*",)), []),
        (f.facts(now(f.module("Demo.Top", costs=None))), [mod("Demo.Top", NO_COST)]),
        (f.facts(now(f.module("Demo.Top", costs=None)), before=None), [mod("Demo.Top", NO_COST)]),
        (f.facts(now(f.module("Demo.Top", costs=None)), ignore=("*",)), [mod("Demo.Top", NO_COST)]),
        # A failure: its cost is missed where it is known of an earlier failure.
        (f.facts(now(f.module("A", costs=None, **FAILED))), []),
        (f.facts(now(f.module("A", costs=None, **FAILED)), now(f.module("A"))), []),
        (
            f.facts(now(f.module("A", costs=None, **FAILED)), now(f.module("A", **FAILED))),
            [mod("A", NO_COST)],
        ),
        (
            f.facts(
                now(f.module("A", costs=None, checked=False, expected=False, **FAILED)),
                now(f.module("A", **FAILED)),
            ),
            [],
        ),
        (
            f.facts(
                now(
                    f.obligation("a", label="obsolete", reason="its source changed"),
                    f.obligation("b", label="unchecked"), f.obligation("c", label="sorry"), UNCHECKED,
                )
            ),
            [
                mod("Demo.Top", "Lean has not checked it as it is now"),
                ob("a", "obsolete: its source changed"),
                ob("b", "unchecked: Lean was not asked about it"),
            ],
        ),
    ],
)  # fmt: skip
def test_missing(facts: Facts, findings: list[Finding]) -> None:
    assert rules_proof.check_missing(facts) == counted(*findings)


STRAYS = now(
    f.module("A", expected=False), f.module("B", listed=False, expected=False), f.module("C", expected=False),
    f.obligation("x", label="unbuilt", reason="no such module"), f.obligation("y"),
)  # fmt: skip
NO_TARGET = "it is in no build target, so that nothing ever checks it"
NOT_NAMED = "no default target has it and no obligation names it"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (
            {},
            counted(
                mod("A", NOT_NAMED), mod("B", NO_TARGET), mod("C", NOT_NAMED),
                ob("x", "unbuilt: no such module"),
            ),
        ),
        (
            {"ignore": ("A", "Demo.*")},
            counted(
                mod("B", NO_TARGET), mod("C", NOT_NAMED), ob("x", "unbuilt: no such module"),
                detail="3 ignored by the settings",
            ),
        ),
        (
            {"ignore": ("[ABC]",), "ratchet": False},
            counted(
                ob("x", "unbuilt: no such module"),
                *(
                    made(name, "the baseline has no line that it is compared with")
                    for made, name in ((ob, "x"), (ob, "y"), (mod, "A"), (mod, "B"), (mod, "C"))
                ),
                detail="3 ignored by the settings",
            ),
        ),
    ],
)  # fmt: skip
def test_unseen(settings: dict[str, Any], expected: Measure) -> None:
    assert rules_proof.check_unseen(f.facts(STRAYS, **settings)) == expected


def test_lost() -> None:
    """What is gone, then obligations, modules, and what is only blocked."""
    before = now(*(f.obligation(name) for name in "abcd"), f.module("A"), f.module("B"), f.module("Z"))
    after = now(
        f.obligation("b", label="blocked", reason="c is not proved"), f.obligation("a", label="blocked"),
        f.obligation("d", label="failed:type-error", reason="no match"), f.obligation("c", label="sorry"),
        f.module("A", checked=False, passed=False, blocked_by="B"), f.module("B", **FAILED),
        base=f.without("main", "Demo.Top"),
    )  # fmt: skip
    assert rules_proof.check_lost(f.facts(after, before)) == counted(
        Finding("main", "it is no longer in the catalogue"),
        ob("c", "was proved, is sorry"),
        ob("d", "was proved, is failed:type-error: no match"),
        mod("B", "was passed, is failed"),
        ob("a", "was proved, is blocked"),
        ob("b", "was proved, is blocked: c is not proved"),
        mod("A", "was passed, is blocked"),
    )
    assert rules_proof.check_lost(f.facts(after, before=None)) == counted()


SORRY = ("propext", "sorryAx")
RESTS_ON_SORRY = "its proof rests on `sorry`"


@pytest.mark.parametrize(
    ("before", "after", "messages"),
    [
        ({}, {}, []),
        ({}, {"label": "sorry", "axioms": None}, [RESTS_ON_SORRY]),
        ({}, {"label": "blocked", "axioms": SORRY}, [RESTS_ON_SORRY]),
        (None, {"label": "sorry"}, [RESTS_ON_SORRY]),
        ({"label": "sorry"}, {"label": "sorry"}, []),
        ({"axioms": SORRY}, {"label": "sorry"}, []),
        ({"label": "sorry"}, {"axioms": SORRY}, []),
        ({"axioms": SORRY}, {}, []),
    ],
)
def test_sorry(before: dict[str, Any] | None, after: dict[str, Any], messages: list[str]) -> None:
    assert rules_proof.check_sorry(edited(before, after)) == counted(*(ob("x", m) for m in messages))


def edited(before: dict[str, Any] | None, after: dict[str, Any]) -> Facts:
    """Return facts in which one obligation is edited; it is new where it was None before."""
    was = f.NORMAL if before is None else now(f.obligation("x", **before))
    return f.facts(now(f.obligation("x", **after)), was)


@pytest.mark.parametrize("check", [rules_proof.check_sorry, rules_proof.check_axioms])
def test_without_a_baseline_every_sorry_and_axiom_is_new(check: Any) -> None:
    after = now(f.obligation("a", label="sorry"), f.obligation("b", label="axiom", reason="magic"))
    assert len(check(f.facts(after, before=None)).findings) == 1


NOT_ALLOWED = "it rests on an axiom that is not allowed"


@pytest.mark.parametrize(
    ("before", "after", "messages"),
    [
        ({}, {}, []),
        ({}, {"axioms": ()}, []),
        ({}, {"axioms": None}, []),
        ({"axioms": None}, {"axioms": ("a",)}, []),
        ({"axioms": ()}, {"axioms": ("b", "a", "sorryAx")}, ["new: a, b"]),
        ({"axioms": ("a",)}, {"axioms": ("a", "b")}, ["new: b"]),
        ({}, {"axioms": SORRY}, []),
        (None, {"axioms": ("a",)}, []),
        (None, {"label": "axiom", "axioms": ("a",)}, [NOT_ALLOWED]),
        ({}, {"label": "axiom"}, [NOT_ALLOWED]),
        ({}, {"label": "axiom", "reason": "it assumes `False`"}, ["it assumes `False`"]),
        ({"label": "axiom"}, {"label": "axiom"}, []),
        ({"label": "axiom"}, {"label": "axiom", "axioms": ("a",)}, ["new: a"]),
    ],
)
def test_axioms(before: dict[str, Any] | None, after: dict[str, Any], messages: list[str]) -> None:
    assert rules_proof.check_axioms(edited(before, after)) == counted(*(ob("x", m) for m in messages))


def test_a_lock_that_reads_otherwise_is_said_and_no_drift() -> None:
    said = "the lock's text is not what Lean prints; the compiled statement is the locked one"
    assert rules_proof.check_drift(f.facts(misread=("a", "b"))) == counted(notes=(f"a: {said}", f"b: {said}"))


def test_drift() -> None:
    """What differs from the lock, then from the baseline: statements, then declarations."""
    before = now(*(f.obligation(name) for name in "abcd"))
    after = now(
        f.obligation("a", decl="Demo.z"), f.obligation("b", digest="e" * 64),
        f.obligation("c", label="drifted", reason="locked: 1 = 2"), f.obligation("d", label="drifted"),
    )  # fmt: skip
    from_lock = [ob("c", "locked: 1 = 2"), ob("d", "it is not what was locked")]
    moved = ob("a", "was Demo.a in Demo.Mid, is Demo.z in Demo.Mid")
    other = "its compiled statement is not the baseline's: SHA-256 dddddddddddd → eeeeeeeeeeee"
    assert rules_proof.check_drift(f.facts(after, before)) == counted(*from_lock, ob("b", other), moved)
    assert rules_proof.check_drift(f.facts(replace(after, identity="4.36.0 x"), before)) == counted(
        *from_lock, ob("b", f"under another Lean {other}"), moved
    )
    assert rules_proof.check_drift(f.facts(after, before=None)) == counted(*from_lock)


def of_nets(**proved: str) -> Snapshot:
    """Return a snapshot with an obligation for each letter: `p` is proved, anything else is not."""
    return f.snapshot(
        *(
            f.obligation(
                f"{net}-{n}", net=None if net == "none" else net, label="proved" if letter == "p" else "sorry"
            )
            for net, letters in proved.items()
            for n, letter in enumerate(letters)
        )
    )


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (of_nets(a="pp-", b="p"), of_nets(a="pp-", b="p"), (0.75, 0.75, "3 of 4", ())),
        (of_nets(a="p-"), of_nets(a="pp", none="p"), (1.0, 0.5, "3 of 3", ())),
        (
            of_nets(a="pp", b="-", c="-", none="p"), of_nets(a="p-", b="p", c="-", none="p"),
            (0.6, 0.6, "3 of 5", (Finding("a", "1 of 2 of it is proved, before 2 of 2"),)),
        ),
        (
            of_nets(a="p", b="p", c="-"), of_nets(b="p-", c="-"),
            (
                1 / 3, 2 / 3, "1 of 3",
                (
                    Finding("all", "1 of 3 of it is proved, before 2 of 3"),
                    Finding("a", "0 of 0 of it is proved, before 1 of 1"),
                    Finding("b", "1 of 2 of it is proved, before 1 of 1"),
                ),
            ),
        ),
        (None, of_nets(a="p-"), (0.5, 0.0, "1 of 2", ())),
        (
            of_nets(none="p"), of_nets(),
            (0.0, 1.0, "0 of 0", (Finding("all", "0 of 0 of it is proved, before 1 of 1"),)),
        ),
    ],
)  # fmt: skip
def test_coverage(before: Snapshot | None, after: Snapshot, expected: tuple[Any, ...]) -> None:
    value, limit, detail, findings = expected
    assert rules_proof.check_coverage(f.facts(after, before)) == Measure(
        value, limit, "share", detail, findings, at_least=True
    )


def test_class() -> None:
    """What fails in another way, by name; then what Lean no longer says, unless that is why."""
    before = now(
        f.obligation("a", label="sorry"), f.obligation("b", label="blocked"), f.obligation("c"),
        f.obligation("d", label="sorry"), f.obligation("e", label="sorry"),
        f.module("A", **FAILED), f.module("z", **FAILED),
    )  # fmt: skip
    unasked: dict[str, Any] = {"digest": "", "axioms": None}
    after = now(
        f.obligation("a", label="failed:type-error", **unasked),
        f.obligation("b", label="blocked", **unasked),
        f.obligation("c", label="failed:type-error", **unasked),
        f.obligation("d", **unasked), f.obligation("e", label="sorry"),
        f.module("A", passed=False, classes=("type-error", "parse-error")),
        f.module("z", passed=False, checked=False),
    )  # fmt: skip
    assert rules_proof.check_class(f.facts(after, before)) == counted(
        mod("A", "was type-error, is type-error, parse-error"),
        ob("a", "was sorry, is failed:type-error"),
        mod("z", "was failed, is unchecked"),
        ob("b", "Lean no longer says its statement"),
        ob("b", "Lean no longer says its axioms"),
    )


def test_claims() -> None:
    claims = (
        ClaimResult("lemma", "vjp_comp", 3, 2), ClaimResult("lemma", "sum", 3, 3),
        ClaimResult("main", "sum", 0, 1),
    )  # fmt: skip
    assert rules_proof.check_claims(f.facts(claims=claims)) == counted(
        ob("lemma", "vjp_comp: 3 claimed, 2 counted"), ob("main", "sum: 0 claimed, 1 counted")
    )
