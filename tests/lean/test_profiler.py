"""Lean's profiler, read into where the time of each declaration went."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.lean.messages import DeclarationRange, Message, Position
from tracker.lean.profiler import declaration_costs


def said(text: str, declaration: str | None = "a") -> Message:
    return Message("information", text, "A.lean", declaration=declaration)


def test_parts_are_told_apart_and_added() -> None:
    (cost,) = declaration_costs(
        [
            said("typeclass inference of NetTies.Scalars took 0.5ms\nelaboration took 1.5ms\n"),
            said("type checking took 1.2s\n"),
            said("compilation (LCNF base) took 3ms\ncompilation (IR) took 1ms\n"),
            said("linting took 250µs\n"),
            said("it took 3 men"),
        ]
    )
    assert cost.elaboration_s == pytest.approx(0.002)
    assert cost.kernel_s == pytest.approx(1.2)
    assert cost.compilation_s == pytest.approx(0.004)
    assert cost.linting_s == pytest.approx(0.00025)
    assert cost.total_s == pytest.approx(1.20625)


def test_errors_and_strangers_do_not_count() -> None:
    error = Message("error", "elaboration took 5s", "A.lean", declaration="a")
    assert declaration_costs([error, said("elaboration took 5s", None)]) == ()


def test_a_declaration_at_the_very_start_of_a_file_has_its_time() -> None:
    place = Position(1, 0)
    here = DeclarationRange("a", place, Position(2, 0), Position(1, 8), Position(1, 9))
    message = Message("information", "type checking took 1s", "A.lean", place)
    assert [cost.kernel_s for cost in declaration_costs([message], [here])] == [1.0]


@given(st.text())
def test_no_text_breaks_it(text: str) -> None:
    declaration_costs([said(text)])
