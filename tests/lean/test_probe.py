"""The probe's answers: read from Lean's messages by line; whatever is odd is not an answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.lean.probe import probe_source, read_answers, read_axioms


def said(line: int, text: str, severity: str = "information") -> str:
    return json.dumps(
        {"severity": severity, "data": text, "fileName": "Probe.lean", "pos": {"line": line, "column": 0},
         "endPos": None, "kind": "[anonymous]", "caption": ""}
    )  # fmt: skip


def lines_of(source: str) -> dict[str, int]:
    return {text: number for number, text in enumerate(source.splitlines(), 1)}


def answers_to(*replies: tuple[str, str, str]):  # type: ignore[no-untyped-def]
    where = lines_of(probe_source(["A"], ["A.x"]))
    output = "\n".join(said(where[f"{command} A.x"], text, severity) for command, text, severity in replies)
    return read_answers(["A"], ["A.x"], output.encode())


GOOD = (
    ("#print axioms", "'A.x' depends on axioms: [propext, Quot.sound]", "information"),
    ("#check", "A.x : 1 = 1", "information"),
    ("#print", "theorem A.x : @Eq Nat 1 1 :=\n⋯", "information"),
)


def test_a_whole_answer() -> None:
    (answer,), stray = answers_to(*GOOD)
    assert stray == []
    assert (answer.found, answer.kind, answer.axioms) == (True, "theorem", ("propext", "Quot.sound"))
    assert answer.statement == "A.x : 1 = 1"


@pytest.mark.parametrize("missing", range(3))
def test_silence_is_not_a_yes(missing: int) -> None:
    (answer,), _ = answers_to(*(reply for i, reply in enumerate(GOOD) if i != missing))
    assert not answer.found
    assert answer.note


@pytest.mark.parametrize("doubled", range(3))
def test_two_answers_are_none(doubled: int) -> None:
    (answer,), _ = answers_to(*GOOD, GOOD[doubled])
    assert not answer.found


@pytest.mark.parametrize("spoilt", range(3))
@pytest.mark.parametrize("severity", ["error", "warning"])
def test_an_error_or_warning_spoils_the_answer(spoilt: int, severity: str) -> None:
    replies = [(c, t, severity if i == spoilt else s) for i, (c, t, s) in enumerate(GOOD)]
    (answer,), _ = answers_to(*replies)
    assert not answer.found


def test_an_answer_about_another_name_is_none() -> None:
    (answer,), _ = answers_to(
        ("#print axioms", "'B.x' does not depend on any axioms", "information"), *GOOD[1:]
    )
    assert not answer.found
    (answer,), _ = answers_to(*GOOD[:2], ("#print", "theorem B.x : True :=\n⋯", "information"))
    assert not answer.found


def test_what_is_said_elsewhere_is_stray() -> None:
    output = "\n".join([said(1, "unknown module prefix 'A'", "error"), "plain noise"])
    answers, stray = read_answers(["A"], ["A.x"], output.encode())
    assert stray == ["unknown module prefix 'A'", "plain noise"]
    assert not answers[0].found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'x' does not depend on any axioms", ()),
        ("'x' depends on axioms: [propext]", ("propext",)),
        ("'x' depends on axioms: [propext,\n Classical.choice,\n Quot.sound]",
         ("propext", "Classical.choice", "Quot.sound")),
        ("'x' depends on axioms: [«a, b».c, d]", ("«a, b».c", "d")),
        ("'x' depends on axioms: []", None),
        ("'y' does not depend on any axioms", None),
        ("'x' does not depend on any axioms\n'x' depends on axioms: [sorryAx]", None),
        ("nonsense", None),
    ],
)  # fmt: skip
def test_axiom_lists(text: str, expected: tuple[str, ...] | None) -> None:
    assert read_axioms("x", text) == expected


@given(st.lists(st.from_regex(r"[A-Za-z][A-Za-z0-9_']*(\.[a-z][a-z0-9]*)*", fullmatch=True), min_size=1))
def test_wrapped_lists_read_as_flat_ones(names: list[str]) -> None:
    flat, wrapped = ", ".join(names), ",\n ".join(names)
    for text in (flat, wrapped):
        assert read_axioms("T.x", f"'T.x' depends on axioms: [{text}]") == tuple(names)


@given(st.binary())
def test_garbage_never_counts_as_found(output: bytes) -> None:
    answers, _ = read_answers(["A"], ["A.x", "A.y"], output)
    assert not any(answer.found for answer in answers)
