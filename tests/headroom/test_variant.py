"""Where a limit is put into a source, and how limits are taken out of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.headroom.variant import with_limits, without, written_limits

SOURCE = """\
import Demo.Base

/-! A section. -/

/-- Small. -/
@[simp] theorem a : 1 = 1 := rfl

set_option maxRecDepth 4_000 in
/-- It says `set_option maxRecDepth 9 in`. -/
private theorem b : 2 = 2 := by
  set_option maxRecDepth 900 in
  rfl

theorem c : 3 = 3 := rfl
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a", "/-! A section. -/\n\nset_option maxRecDepth 7 in\n/-- Small. -/\n@[simp] theorem a"),
        ("b", "set_option maxRecDepth 4_000 in\nset_option maxRecDepth 7 in\n/-- It says"),
        ("b", "  set_option maxRecDepth 7 in\n  rfl"),
        ("c", "\n\nset_option maxRecDepth 7 in\ntheorem c"),
    ],
)
def test_a_limit_stands_right_before_the_declaration(name: str, expected: str) -> None:
    assert expected in with_limits(SOURCE, {name: 7}, "maxRecDepth")


def test_others_are_left_alone() -> None:
    assert with_limits(SOURCE, {"nobody": 7}, "maxRecDepth") == SOURCE
    assert "maxRecDepth 900" in with_limits(SOURCE, {"b": 7}, "maxHeartbeats")
    assert "`set_option maxRecDepth 9 in`" in with_limits(SOURCE, {"b": 7}, "maxRecDepth")


def test_a_doc_comment_of_the_module_is_no_part_of_a_declaration() -> None:
    assert with_limits("/-! All. -/\ntheorem a : 1 = 1 := rfl\n", {"a": 7}, "maxRecDepth") == (
        "/-! All. -/\nset_option maxRecDepth 7 in\ntheorem a : 1 = 1 := rfl\n"
    )


def test_written_limits_are_found_and_blanked() -> None:
    found = written_limits(SOURCE)
    assert [(w.option, w.value, w.line) for w in found] == [
        ("maxRecDepth", "4_000", 8),
        ("maxRecDepth", "900", 11),
    ]
    blank = without(SOURCE, found)
    assert "set_option" not in blank.replace("`set_option maxRecDepth 9 in`", "")
    assert len(blank) == len(SOURCE)
    assert blank.count("\n") == SOURCE.count("\n")


@given(st.text(alphabet="theorm a:=1\n-/!set_option maxRecDepth in«»\"'{}()[]@0"))
def test_no_text_breaks_it(text: str) -> None:
    assert without(text, ()) == text
    assert len(without(text, written_limits(text))) == len(text)
    with_limits(text, {"a": 1}, "maxRecDepth")
