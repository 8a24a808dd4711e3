"""Lean files checked with the small Init; add a file to a folder to add a test.

Files in `positive/` pass without a word but those of `#check` and its like. Files in `negative/` say,
by comments `-- error: …`, `-- warning: …`, `-- info: …`, what Lean must say, in the order of the file
and nothing else; the text after the colon is the message's beginning of a line, or a part of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Message

HERE = Path(__file__).parent
EXPECTATION = re.compile(r"^-- (error|warning|info): (.*)$", re.MULTILINE)
SEVERITY = {"information": "info"}

Check = Callable[[Path], tuple[int, list[Message]]]


def ids(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", sorted((HERE / "positive").glob("*.lean")), ids=ids)
def test_checks(path: Path, messages: Check) -> None:
    status, said = messages(path)
    assert [m for m in said if m.severity != "information"] == []
    assert status == 0


@pytest.mark.parametrize("path", sorted((HERE / "negative").glob("*.lean")), ids=ids)
def test_is_refused(path: Path, messages: Check) -> None:
    status, said = messages(path)
    expected = EXPECTATION.findall(path.read_text(encoding="utf-8"))
    assert expected, "the file says nothing of what it expects"
    assert [SEVERITY.get(m.severity, m.severity) for m in said] == [severity for severity, _ in expected]
    for message, (_, text) in zip(said, expected, strict=True):
        assert text in message.text
    assert status == int(any(severity == "error" for severity, _ in expected))


def test_printing_is_lean_s_own(tmp_path: Path, messages: Check) -> None:
    """Symbols are not made by `infixl`; what they print has to be the same nevertheless."""
    samples = [
        "∃ x y, x = y ∧ y ≠ 3 : Prop",
        "∀ (x : Nat), x ≤ 3 → ¬x = 2 ∨ x > 3 : Prop",
        "{ n // n = 3 } : Type",
        "(n : Nat) × Fin n : Type",
        "[1, 2] : List Nat",
        "(1, 2, 3) : Nat × Nat × Nat",
        "1 + 2 * 3 - 4 / 5 ^ 6 % 7 : Nat",
        "(1 + 2) * (3 - (4 - 5)) : Nat",
        "(fun x => x) ∘ fun x => x + 1 : Nat → Nat",
        "True ∧ False ∨ True ↔ False : Prop",
        "¬(True ∧ False) : Prop",
        "(true && !false || true) = true : Prop",
        "(2 == 3) = true : Prop",
        "2 ∣ 4 : Prop",
        "1 ∈ [1] : Prop",
        "[1] ++ [2] : List Nat",
        "() : Unit",
        "if 2 = 3 then 1 else 2 : Nat",
    ]
    path = tmp_path / "printing.lean"
    source = (sample.rsplit(" : ", 1) for sample in samples)
    path.write_text("".join(f"#check ({term} : {type_})\n" for term, type_ in source), encoding="utf-8")
    status, said = messages(path)
    assert [m.text for m in said] == samples
    assert status == 0
