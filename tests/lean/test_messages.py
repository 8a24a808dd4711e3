"""Lean's JSON messages, plain messages, and where declarations are."""

from __future__ import annotations

import io
import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracker.embedded.sysroot import ensure
from tracker.lean import messages as module
from tracker.lean.log.plain import entry_messages, plain_messages
from tracker.lean.messages import (
    Message,
    Position,
    RawLine,
    attribute,
    declaration_ranges,
    parse_message,
    ranges_from_ilean,
    read_messages,
)


def line(**changes: object) -> str:
    fields: dict[str, object] = {
        "caption": "",
        "data": "Unknown identifier `keel`",
        "endPos": {"column": 8, "line": 5},
        "fileName": "Harbor/Row.lean",
        "isSilent": False,
        "keepFullRange": False,
        "kind": "lean.unknownIdentifier._namedError",
        "pos": {"column": 4, "line": 5},
        "severity": "error",
    }
    return json.dumps({**fields, **changes}, ensure_ascii=False)


def read(data: bytes) -> list[Message | RawLine]:
    return list(read_messages(io.BytesIO(data)))


# parse_message


def test_a_message() -> None:
    kind = "lean.unknownIdentifier._namedError"
    expected = Message(
        "error", "Unknown identifier `keel`", "Harbor/Row.lean", Position(5, 4), Position(5, 8), kind
    )
    assert parse_message(line()) == expected


def test_positions_are_optional() -> None:
    message = parse_message(line(endPos=None, pos=None))
    assert message is not None
    assert (message.pos, message.end_pos) == (None, None)


@pytest.mark.parametrize(
    "changes",
    [{"severity": "fatal"}, {"severity": 3}, {"data": None}, {"data": ["x"]}, {"severity": None}],
)
def test_other_objects_are_no_messages(changes: dict[str, object]) -> None:
    assert parse_message(line(**changes)) is None


@pytest.mark.parametrize(
    "pos", [{"line": 0, "column": 1}, {"line": True, "column": 1}, {"line": 1}, [1, 2], "1:2"]
)
def test_a_wrong_position_is_dropped_and_the_message_kept(pos: object) -> None:
    message = parse_message(line(pos=pos))
    assert message is not None
    assert message.pos is None


def test_half_a_surrogate_pair_can_be_printed() -> None:
    message = parse_message(line().replace("keel", "k\\ud83cl"))
    assert message is not None
    assert message.text.encode() == b"Unknown identifier `k?l`"


def test_json_that_nests_too_deep_is_no_message() -> None:
    assert parse_message('{"severity":' + "[" * 200_000) is None


def test_a_long_text_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_TEXT", 10)
    message = parse_message(line(data="a" * 25))
    assert message is not None
    assert message.text == "a" * 10 + "\n[15 further characters left out]"


# read_messages


def test_other_lines_stay_in_order() -> None:
    entries = read(f"warming up\n{line()}\n\n{line(severity='warning')}\ndone".encode())
    assert [e.text if isinstance(e, RawLine) else e.severity for e in entries] == [
        "warming up",
        "error",
        "warning",
        "done",
    ]


def test_bytes_that_are_not_utf8_are_replaced() -> None:
    assert read(b"caf\xe9\n") == [RawLine("caf\ufffd")]


def test_an_endless_line_is_kept_by_its_beginning_and_judged_by_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_LINE", 1000)
    monkeypatch.setattr(module, "MAX_TEXT", 100)
    [message, after] = read(f"{line(data='x' * 50_000)}\n{line()}\n".encode())
    assert isinstance(message, Message)
    assert isinstance(after, Message)
    assert (message.severity, message.pos, message.file) == ("error", Position(5, 4), "Harbor/Row.lean")
    assert "further bytes left out]" in message.text
    [raw] = read(b"y" * 50_000)
    assert isinstance(raw, RawLine)
    assert raw.omitted == 49_000


@settings(deadline=None)
@given(st.lists(st.one_of(st.binary(max_size=80), st.just(line().encode())), max_size=8))
def test_reading_never_raises_and_loses_no_line(lines: list[bytes]) -> None:
    clean = [entry.replace(b"\n", b"").replace(b"\r", b"") for entry in lines]
    kept = [entry for entry in clean if entry.decode("utf-8", "replace").strip()]
    assert len(read(b"\n".join(clean))) == len(kept)


@settings(deadline=None)
@given(st.dictionaries(st.text(), st.recursive(st.none() | st.integers() | st.text(), st.lists)), st.text())
def test_any_json_is_a_message_or_none(found: dict[str, object], text: str) -> None:
    parse_message(json.dumps({**found, "severity": "error", "data": text}))
    parse_message(json.dumps(found))
    parse_message(text)


# plain messages


def test_plain_messages_run_over_lines() -> None:
    text = (
        "before\n"
        "Harbor/Row.lean:5:8: error(lean.unknownIdentifier): Unknown identifier `x`\n\nNote: not there\n"
        "C:\\harbor\\Row.lean:7:0-7:4: warning: declaration uses `sorry`\n"
        "'Harbor.x' does not depend on any axioms\n"
    )
    raw, error, warning, axioms = plain_messages(text.split("\n"))
    assert raw == RawLine("before")
    assert error == Message(
        "error",
        "Unknown identifier `x`\n\nNote: not there",
        "Harbor/Row.lean",
        Position(5, 8),
        None,
        "lean.unknownIdentifier._namedError",
    )
    assert isinstance(warning, Message)
    assert (warning.file, warning.end_pos) == ("C:\\harbor\\Row.lean", Position(7, 4))
    assert axioms == RawLine("'Harbor.x' does not depend on any axioms")


def test_entries_of_lake() -> None:
    [message] = entry_messages("warning", "././A/B.lean:1:2: declaration uses 'sorry'\nmore")
    assert message == Message("warning", "declaration uses 'sorry'\nmore", "././A/B.lean", Position(1, 2))
    assert entry_messages("error", "Lean exited with code 1") == []
    [inner] = entry_messages("error", "stdout:\n./A.lean:3:0: error: no")
    assert isinstance(inner, Message)
    assert (inner.severity, inner.file) == ("error", "./A.lean")


# declarations

SOURCE = """\
/-- A comment with `theorem no` in it. -/
set_option maxHeartbeats 4000 in
@[simp, inline] private theorem Ship.hull {α : Type} (x : α) : x = x := by
  set_option maxRecDepth 10 in
  rfl
namespace Harbor.Quay
section
set_option maxRecDepth 99
/- nested /- def no -/ def no -/
instance : Inhabited Nat where
  default := s!"{f "def no"} theorem no" ; "def no" ; 'd' ; r#"def "no" "#
instance (priority := low) named' : X := 1
end
example : 1 = 1 := rfl
mutual
def «two words».c := 1
inductive T | def_ : T
end
deriving instance Repr for T
protected def _root_.Top.q.{u} := 2
end Harbor.Quay
class inductive K : Prop
noncomputable section
def quoted := `(theorem x : y := z)
#check quoted
attribute [instance] quoted
open Harbor in
scoped instance : K := x
theorem last : 1 = 2 :=
  sorry -- def no
"""


def test_the_scan_knows_the_shapes_of_declarations() -> None:
    found = declaration_ranges(SOURCE)
    assert [(d.name, d.keyword, d.start.line, d.end.line, d.options) for d in found] == [
        ("Ship.hull", "theorem", 1, 5, (("maxHeartbeats", "4000"),)),
        ("Harbor.Quay._instance", "instance", 10, 11, (("maxRecDepth", "99"),)),
        ("Harbor.Quay.named'", "instance", 12, 12, (("maxRecDepth", "99"),)),
        ("Harbor.Quay._example", "example", 14, 14, ()),
        ("Harbor.Quay.«two words».c", "def", 16, 16, ()),
        ("Harbor.Quay.T", "inductive", 17, 17, ()),
        ("Top.q", "def", 20, 20, ()),
        ("K", "class", 22, 22, ()),
        ("quoted", "def", 24, 24, ()),
        ("_instance", "instance", 27, 28, ()),
        ("last", "theorem", 29, 30, ()),
    ]
    lines = SOURCE.split("\n")
    for entry in found:
        written = lines[entry.name_start.line - 1][entry.name_start.column : entry.name_end.column]
        assert entry.name.endswith(written.removeprefix("_root_.")) or written == entry.keyword


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from(list("def theorm\n/-\"'«».(){}[]@:=|`#sin «»\\")), max_size=200))
def test_the_scan_never_raises_and_its_ranges_are_in_order(text: str) -> None:
    found = declaration_ranges(text)
    for entry in found:
        assert entry.start <= entry.name_start <= entry.name_end <= entry.end
    assert [entry.start for entry in found] == sorted(entry.start for entry in found)


@settings(deadline=None)
@given(st.text(max_size=300))
def test_the_scan_takes_any_text(text: str) -> None:
    declaration_ranges(text)


def test_the_scan_agrees_with_lean(tmp_path: Path) -> None:
    source = (
        "namespace Harbor\n"
        "theorem first : 1 = 1 := rfl\n"
        "/-- doc -/\nprivate def «odd name» : Nat := 1\n"
        "section Inner\nvariable (n : Nat)\n@[simp] theorem 𝔽second : n + 0 = n := rfl\nend Inner\n"
        "structure Boat where\n  length : Nat\n"
        "instance small : Inhabited Nat := ⟨0⟩\n"
        "example : 1 = 1 := rfl\n"
        "mutual\ninductive Even : Nat → Prop\n  | zero : Even 0\n"
        "inductive Odd : Nat → Prop\n  | succ (n : Nat) : Even n → Odd (Nat.succ n)\nend\n"
        "end Harbor\n"
        "theorem _root_.outside : 1 = 1 := rfl\n"
    )
    (tmp_path / "A.lean").write_text(source, encoding="utf-8")
    program = ensure().lean
    done = subprocess.run(
        [program, "-i", "A.ilean", "-o", "A.olean", "A.lean"], cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout
    decls = json.loads((tmp_path / "A.ilean").read_text(encoding="utf-8"))["decls"]
    theirs = {d.name: d for d in ranges_from_ilean(decls, source)}
    ours = {d.name: d for d in declaration_ranges(source)}
    for name in ("Harbor.first", "Harbor.𝔽second", "Harbor.Boat", "Harbor.small", "Harbor.Even", "outside"):
        assert (ours[name].name_start, ours[name].name_end) == (
            theirs[name].name_start,
            theirs[name].name_end,
        )
        assert ours[name].end == theirs[name].end, name


def test_messages_get_the_innermost_declaration() -> None:
    source = "theorem one : 1 = 1 :=\n  rfl\n\ntheorem two : 2 = 2 := rfl\n#check two\n"
    placed = [
        Message("error", "x", "A.lean", Position(1, 0), Position(1, 2)),
        Message("error", "header", "A.lean", Position(1, 0)),
        Message("error", "(kernel) x", "A.lean", Position(4, 8)),
        Message("error", "x", "A.lean", Position(5, 7)),
        Message("error", "x", "A.lean", None),
        Message("error", "x", "A.lean", Position(2, 2), declaration="kept"),
    ]
    found = [message.declaration for message in attribute(placed, declaration_ranges(source))]
    assert found == ["one", None, "two", None, None, "kept"]


def test_the_kernels_name_goes_before_the_scans() -> None:
    placed = [
        Message("error", "(kernel) deterministic timeout", "A.lean", Position(1, 8)),
        Message(
            "information",
            "[Elab.async] x\n  [Kernel] [0.4] 💥️ typechecking declarations [_private.A.0.one]",
            "A.lean",
            Position(1, 8),
            kind="trace",
        ),
    ]
    found = attribute(placed, declaration_ranges("theorem one : 1 = 1 := rfl"))
    assert found[0].declaration == "_private.A.0.one"


def test_columns_of_an_ilean_count_utf16_units() -> None:
    [entry] = ranges_from_ilean({"x": [0, 0, 0, 12, 0, 8, 0, 10]}, "«𝔽» def 𝔽x")
    assert entry.name_start == Position(1, 7)
    assert ranges_from_ilean({"x": [0, 0]}) == []
