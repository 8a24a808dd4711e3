"""The hazards: each bad spelling fails on real Lean with the message it announces, and its cure checks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.lean_project.conftest import SOURCES, Built, module_path
from tracker.lean.failure import FailureClass, classify_check

CLASSES = {
    "LiteralDimsBad": (FailureClass.MAX_REC_DEPTH, "NetTies.Hazards.leaf"),
    "SavesComposedBad": (FailureClass.KERNEL_TIMEOUT, "NetTies.Hazards.tie"),
    "PeelUnfoldsBad": (FailureClass.KERNEL_TIMEOUT, "NetTies.Hazards.tie"),
}
CURES = {
    "LiteralDimsBad": "LiteralDimsGood",
    "SavesComposedBad": "SavesNamedGood",
    "PeelUnfoldsBad": "PeelByRwGood",
}
EXPECT = re.compile(r"^-- expect: (.+)$", re.MULTILINE)


def hazard(name: str) -> Path:
    return SOURCES / module_path(f"Hazards.{name}", ".lean")


def statement(name: str, theorem: str) -> str:
    text = hazard(name).read_text(encoding="utf-8")
    found = re.search(rf"theorem {theorem} .*?:= ?", text, re.DOTALL)
    assert found is not None
    return " ".join(found.group().split())


def test_every_hazard_is_tested() -> None:
    assert {file.stem for file in (SOURCES / "Hazards").glob("*.lean")} == {*CURES, *CURES.values()}


@pytest.mark.parametrize("name", sorted(CURES))
def test_the_bad_spelling_fails_as_it_announces(built: Built, name: str) -> None:
    announced = EXPECT.search(hazard(name).read_text(encoding="utf-8"))
    assert announced is not None
    checked = built.check(hazard(name))
    cls, declaration = CLASSES[name]
    assert checked.exit_code == 1
    assert checked.errors
    assert all(announced[1] in error.text for error in checked.errors)
    assert {error.declaration for error in checked.errors} == {declaration}
    failures = classify_check(checked.messages, checked.stderr, checked.exit_code)
    assert {failure.cls for failure in failures} == {cls}


@pytest.mark.parametrize("name", sorted(CURES.values()))
def test_the_cure_checks_without_a_word(built: Built, name: str) -> None:
    assert EXPECT.search(hazard(name).read_text(encoding="utf-8")) is None
    checked = built.check(hazard(name))
    assert (checked.exit_code, checked.messages, checked.stderr) == (0, (), "")


@pytest.mark.parametrize(("bad", "good"), sorted(CURES.items()))
def test_a_cure_proves_the_same_statement(bad: str, good: str) -> None:
    theorem = CLASSES[bad][1].rsplit(".", 1)[1]
    assert statement(bad, theorem).removesuffix(" by") == statement(good, theorem).removesuffix(" by")


def test_hazards_are_outside_the_default_targets(built: Built) -> None:
    assert not list(built.lib.glob("Hazards/**/*"))
