"""What the rules about trust say, whole: value, limit, unit, detail, findings with their places, notes."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from math import inf
from typing import Any

import pytest

from tests.gate import facts as f
from tests.gate.facts import changed as now
from tests.gate.facts import counted, mod, ob
from tracker.gate import rules_trust, witness
from tracker.gate.compare import Change, Difference
from tracker.gate.model import Finding, Measure
from tracker.gate.unsound import Bug, BugTable


def bug(ident: str, *fixed: str, **fields: Any) -> Bug:
    return Bug(ident, f"title of {ident}", "when", fixed, date(2026, 7, 1), ("first", "second"), **fields)


TABLE = BugTable(
    date(2026, 10, 10), "4.35.0",
    (
        bug("old", "4.32.1", "4.33.0"), bug("open", since="4.34.0"), bug("mended", "4.36.0"),
        bug("quiet", note=True), bug("rare", "4.37.0", note=True),
    ),
)  # fmt: skip
OPEN = Finding("open", "title of open (when); first")
MENDED = Finding("mended", "title of mended (when); fixed in 4.36.0; first")
QUIET, RARE = "quiet: title of quiet (when); first", "rare: title of rare (when); fixed in 4.37.0; first"
AS_OF = "by what was known on 2026-10-10"


@pytest.mark.parametrize(
    ("lean", "expected"),
    [
        ("mine", counted(Finding("toolchain", "'mine' is no version of Lean that can be looked up"))),
        (
            "4.32.0",
            counted(
                Finding("old", "title of old (when); fixed in 4.32.1, 4.33.0; first"), MENDED,
                detail=f"Lean 4.32.0, {AS_OF}", notes=(QUIET, RARE),
            ),
        ),
        ("4.35.0", counted(OPEN, MENDED, detail=f"Lean 4.35.0, {AS_OF}", notes=(QUIET, RARE))),
        (
            "4.37.0",
            counted(
                OPEN, detail=f"Lean 4.37.0, {AS_OF}",
                notes=(QUIET, "the table knows releases until 4.35.0, and not Lean 4.37.0"),
            ),
        ),
    ],
)  # fmt: skip
def test_unsound(lean: str, expected: Measure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules_trust, "bug_table", lambda: TABLE)
    assert rules_trust.check_unsound(f.facts(f.snapshot(lean=lean))) == expected


LAKE: dict[str, Any] = {"witness": ("lake", "check")}


def said(code: int | None, output: str = "") -> witness.Testimony:
    return witness.Testimony(("lake", "check"), "x", 1.7e9, 12.0, code, output)


@pytest.mark.parametrize(
    ("testimony", "expected"),
    [
        (None, counted(Finding("lake check", "it was not asked about what is there now"))),
        (said(0, "fine"), counted(detail="`lake check` agreed, in 12.0 s")),
        (said(1), counted(Finding("lake check", "it ended with exit code 1"))),
        (
            said(2, "  \nchecking\nDemo.lemma: forged \n\n"),
            counted(Finding("lake check", "it ended with exit code 2: Demo.lemma: forged")),
        ),
        (said(None, "a\nb\nc"), counted(Finding("lake check", "it was stopped: c"))),
    ],
)
def test_witness(testimony: witness.Testimony | None, expected: Measure) -> None:
    assert rules_trust.check_witness(f.facts(testimony=testimony, **LAKE)) == expected


def test_no_witness() -> None:
    assert rules_trust.check_witness(f.facts()) == counted(
        detail="none is configured; `tracker doctor` says how to add one"
    )


def test_ratchet() -> None:
    """Toolchain, obligations and modules that got better or are new, modules that are gone."""
    before = replace(
        now(
            f.obligation("b", label="sorry"), f.obligation("c"), f.obligation("d", label="sorry"),
            f.module("Demo.Mid", warnings=1), f.module("Old"), f.module("Worse"),
        ),
        identity="4.34.0 x",
    )  # fmt: skip
    after = replace(
        now(
            f.obligation("a"), f.obligation("b"), f.obligation("c", label="sorry"),
            f.module("New"), f.module("Worse", passed=False),
        ),
        identity="4.35.0 y",
    )  # fmt: skip
    better = (
        Finding("toolchain", "the baseline is of Lean 4.34.0 x, not of 4.35.0 y"),
        ob("a", "new: proved"),
        ob("b", "gained: sorry → proved"),
        mod("Demo.Mid", "fewer warnings: 1 → 0"),
        mod("New", "new: passed"),
        Finding("Old", "the module is gone, and the baseline still has it"),
    )
    assert rules_trust.check_ratchet(f.facts(after, before)) == counted(*better)
    assert rules_trust.check_ratchet(f.facts(after, before, ratchet=False)) == counted(
        detail="off by the settings", notes=tuple(f"{b.subject}: {b.message}" for b in better)
    )
    assert rules_trust.check_ratchet(f.facts(after, before=None)) == counted()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ({"axioms": None}, {}, "Lean answers now (axioms): none → propext"),
        ({}, {"axioms": ()}, "fewer axioms (propext): propext → none"),
        ({}, {"net": None}, "kind or net changed: leaf-tie of vit → leaf-tie"),
        ({}, {"label": "sorry"}, None),
        ({}, {"digest": ""}, None),
    ],
)
def test_what_got_better_of_an_obligation(old: dict[str, Any], new: dict[str, Any], said: str | None) -> None:
    facts = f.facts(now(f.obligation("x", **new)), now(f.obligation("x", **old)))
    assert rules_trust.check_ratchet(facts) == counted(*([ob("x", said)] if said else []))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ({"passed": False}, {}, "gained: failed → passed"),
        ({"costs": None}, {}, "measured now (wall s): none → 5.00 s"),
        ({"costs": f.costs(9.0)}, {}, "faster (CPU s): 9.00 s → 4.00 s"),
        ({"costs": f.costs(mib=2560.0)}, {}, "lighter (bytes): 2.5 GiB → 0.977 GiB"),
        ({"deprecations": 2}, {"deprecations": 1}, "fewer deprecations: 2 → 1"),
        ({"limits": {"a": 9.0}}, {}, "resource limits lowered (a): 9 → Lean's default"),
        ({"limits": {"maxRecDepth": 9.0}}, {}, None),
        (
            {},
            {"limits": {"maxRecDepth": 9.0}},
            "resource limits lowered (maxRecDepth): Lean's default of 512 → 9",
        ),
        ({}, {"costs": f.costs(9.0, 2560.0), "warnings": 1, "limits": {"a": 9.0}}, None),
        ({}, {"costs": None}, None),
    ],
)
def test_what_got_better_of_a_module(old: dict[str, Any], new: dict[str, Any], said: str | None) -> None:
    facts = f.facts(now(f.module("M", **new)), now(f.module("M", **old)))
    assert rules_trust.check_ratchet(facts) == counted(*([mod("M", said)] if said else []))


@pytest.mark.parametrize(
    ("difference", "words"),
    [
        ((Change.ADDED, None, "proved"), "new: proved"),
        ((Change.GAINED, "sorry", "proved"), "gained: sorry → proved"),
        ((Change.REMOVED, "proved", None), "removed: proved → none"),
        ((Change.ANSWERED, None, "0123456789abcdef0", "statement"),
         "Lean answers now (statement): none → SHA-256 0123456789ab"),
        ((Change.STATEMENT, "0123456789abcdef0", "123456789abcdef01", "SHA-256"),
         "statement changed (SHA-256): 0123456789ab → 123456789abc"),
        ((Change.STATEMENT, "1 = 1", "2 = 2"), "statement changed: 1 = 1 → 2 = 2"),
        ((Change.AXIOMS_FEWER, "propext", "", "propext"), "fewer axioms (propext): propext → none"),
        ((Change.FASTER, 90.0, 0.5, "CPU s"), "faster (CPU s): 1 min 30 s → 500 ms"),
        ((Change.MEASURED, None, 5.0, "wall s"), "measured now (wall s): none → 5.00 s"),
        ((Change.LIGHTER, 2.5 * 2**30, 512.5, "bytes"), "lighter (bytes): 2.5 GiB → 512 B"),
        ((Change.WARNINGS_FEWER, 3, 0), "fewer warnings: 3 → 0"),
        ((Change.LIMITS_LOWERED, 1024.0, 512.0, "maxRecDepth"),
         "resource limits lowered (maxRecDepth): 1024 → 512"),
        ((Change.LIMITS_LOWERED, inf, 4e6, "maxHeartbeats"),
         "resource limits lowered (maxHeartbeats): unlimited → 4000000"),
        ((Change.LIMITS, None, 4e6, "maxHeartbeats"),
         "resource limits raised (maxHeartbeats): Lean's default of 200000 → 4000000"),
    ],
)  # fmt: skip
def test_a_difference_in_words(difference: tuple[Any, ...], words: str) -> None:
    assert rules_trust.improvement(Difference("x", *difference)) == words
