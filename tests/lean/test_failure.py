"""Judging one check: endings, cascades, options, fingerprints, and the explanations."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracker.lean.failure import (
    Failure,
    FailureClass,
    classify_check,
    classify_ending,
    classify_text,
    link_causes,
    sorry_declarations,
)
from tracker.lean.failures.cascade import same_name, unknown_name
from tracker.lean.failures.explain import advice, explanations, markdown
from tracker.lean.failures.fingerprint import fingerprint, normalised
from tracker.lean.failures.lake_rules import exit_code_in, is_exit_echo
from tracker.lean.failures.process import ending, is_abrupt
from tracker.lean.messages import Message, Position, RawLine, declaration_ranges

C = FailureClass
DOCS = Path(__file__).parents[2] / "docs" / "failures.md"


def error(text: str, declaration: str | None = None, line: int = 5, **rest: object) -> Message:
    return Message(
        "error", text, "A.lean", Position(line, 0), Position(line, 9), declaration=declaration, **rest
    )  # type: ignore[arg-type]


def classes(failures: tuple[Failure, ...]) -> list[FailureClass]:
    return [failure.cls for failure in failures]


# endings


@pytest.mark.parametrize(
    ("code", "cls", "where"),
    [
        (134, C.CRASH, "SIGABRT"),
        (137, C.KILLED, "SIGKILL"),
        (138, C.CRASH, "SIGBUS"),
        (139, C.CRASH, "SIGSEGV"),
        (143, C.INTERRUPTED, "SIGTERM"),
        (130, C.INTERRUPTED, "SIGINT"),
        (152, C.WALL_TIMEOUT, "SIGXCPU"),
        (153, C.IO_ERROR, "SIGXFSZ"),
        (124, C.WALL_TIMEOUT, "timeout"),
        (127, C.TOOLCHAIN_MISSING, "not found"),
        (-9, C.KILLED, "SIGKILL"),
        (3221225477, C.CRASH, "access violation"),
        (-1073741819, C.CRASH, "access violation"),
        (3221225725, C.STACK_OVERFLOW, ""),
        (3221225786, C.INTERRUPTED, "Ctrl-C"),
        (128 + 60, C.CRASH, "signal 60"),
    ],
)
def test_exit_codes_that_tell(code: int, cls: FailureClass, where: str) -> None:
    end = ending(code)
    assert end is not None
    assert (end.cls, end.where) == (cls, where)
    assert is_abrupt(code)


@pytest.mark.parametrize("code", [0, 1, 2, 3, 77, 255])
def test_exit_codes_that_tell_nothing(code: int) -> None:
    assert ending(code) is None
    assert not is_abrupt(code)


@settings(deadline=None)
@given(st.integers())
def test_any_exit_code_has_an_answer(code: int) -> None:
    ending(code)


def test_what_stderr_says_goes_before_the_bare_signal() -> None:
    failure = classify_ending(134, stderr="\nStack overflow detected. Aborting.\n")
    assert failure is not None
    assert failure.cls is C.STACK_OVERFLOW
    silent = classify_ending(134, stderr="bash: line 1: 77 Aborted  lean")
    assert silent is not None
    assert (silent.cls, silent.where) == (C.CRASH, "SIGABRT")


def test_a_limit_goes_before_everything() -> None:
    failure = classify_ending(None, 9, "memory", "std::bad_alloc")
    assert failure is not None
    assert (failure.cls, failure.where) == (C.OUT_OF_MEMORY, "memory limit")
    assert "std::bad_alloc" in failure.message, "nothing that was said is dropped"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Lean exited with code 137", 137),
        ("error: Lean exited with code 3221225477", 3221225477),
        ("external command `/x/bin/lean` exited with code 1", 1),
        ("external command 'C:\\lean.exe' exited with code 1", 1),
        ("external command 'git' exited with code 128", None),
        ("Lean exited with code 1 or so", None),
    ],
)
def test_exit_codes_in_lakes_words(text: str, code: int | None) -> None:
    assert exit_code_in(text) == code
    assert is_exit_echo(text) == (code is not None)


# one check


def test_a_check_that_passed() -> None:
    warning = Message("warning", "declaration uses `sorry`", "A.lean", Position(1, 8), kind="hasSorry")
    assert classify_check([warning], "PANIC at x M:1:2: y", 0) == ()
    assert sorry_declarations([warning]) == ("A.lean:1",)


def test_exit_code_zero_beside_errors_is_said() -> None:
    failures = classify_check([error("Type mismatch\n  h")], "", 0)
    assert classes(failures) == [C.TYPE_ERROR, C.INCONSISTENT_EXIT]
    assert "although 1 error message was printed" in failures[1].message


def test_a_bad_exit_without_a_word_is_kept() -> None:
    [failure] = classify_check([RawLine("odd words")], "and more\n", 1)
    assert failure.cls is C.UNCLASSIFIED
    assert failure.message == "exit code 1, no error message; it said:\nodd words\nand more"
    [silent] = classify_check([], "", 77)
    assert silent.message == "exit code 77, no error message"


def test_never_empty_when_the_exit_was_bad() -> None:
    for code, signal in ((1, None), (2, None), (None, 11), (None, 64)):
        assert classify_check([], "", code, signal)


def test_plain_output_is_read_too() -> None:
    lines = [RawLine("A.lean:3:0: error: unsolved goals"), RawLine("⊢ False")]
    [failure] = classify_check(lines, "", 1)
    assert (failure.cls, failure.message, failure.pos) == (
        C.TACTIC_FAILED,
        "unsolved goals\n⊢ False",
        Position(3, 0),
    )


def test_a_message_cut_off_by_death_still_tells() -> None:
    cut = RawLine('{"caption":"","data":"(kernel) deterministic timeout","endPos":{"column":1')
    assert classes(classify_check([cut], "", None, 9)) == [C.KILLED, C.KERNEL_TIMEOUT]
    half = RawLine('{"caption":"","data":"maximum recursion depth has been reached\\nuse `set_opt\\u00')
    assert C.MAX_REC_DEPTH in classes(classify_check([half], "", None, 9))
    assert classify_check([cut], "", 0) == ()


def test_errors_said_twice_are_one_failure() -> None:
    assert len(classify_check([error("unsolved goals"), error("unsolved goals")], "", 1)) == 1


def test_lakes_echo_of_the_exit_code_is_no_failure_of_its_own() -> None:
    texts = ["A.lean: bad import 'B'", "Lean exited with code 1", "build failed"]
    assert classes(classify_check([], "", 1, lake=texts)) == [C.BAD_IMPORT]


# options


def test_options_in_force() -> None:
    source = "set_option maxRecDepth 900\nset_option maxHeartbeats 7 in\ntheorem t : 1 = 1 := rfl\n"
    messages = [
        error("maximum recursion depth has been reached", "t"),
        error("(kernel) deterministic timeout", "t"),
        error("(kernel) deep recursion detected"),
    ]
    found = classify_check(
        messages,
        "",
        1,
        options={"maxRecDepth": "800", "warningAsError": "true"},
        all_options=True,
        declarations=declaration_ranges(source),
    )
    assert [dict(failure.options) for failure in found] == [
        {"maxRecDepth": "900", "warningAsError": "true"},
        {"maxHeartbeats": "7", "warningAsError": "true"},
        {"maxRecDepth": "800", "warningAsError": "true"},
    ]


def test_defaults_are_only_claimed_where_all_options_are_known() -> None:
    text = "(kernel) deterministic timeout"
    assert classify_text(text).options == ()
    assert classify_text(text, all_options=True).options == (("maxHeartbeats", "200000"),)


def test_the_value_in_the_message_wins() -> None:
    text = (
        "failed to synthesize\n  Foo\n(deterministic) timeout at `typeclass`, maximum number of heartbeats "
        "(5) has been reached\n\nNote: Use `set_option synthInstance.maxHeartbeats <num>` to set the limit."
    )
    failure = classify_text(text, options={"synthInstance.maxHeartbeats": "9"}, all_options=True)
    assert (failure.cls, failure.where) == (C.HEARTBEATS, "typeclass")
    assert failure.options == (("synthInstance.maxHeartbeats", "5"),)


# rules


@pytest.mark.parametrize(
    "text",
    [
        "Type mismatch\n  (kernel) deterministic timeout\nhas type\n  x",
        "Type mismatch\n  h : unknown constant 'x'",
    ],
)
def test_words_quoted_in_a_message_do_not_decide(text: str) -> None:
    assert classify_text(text).cls is C.TYPE_ERROR


def test_lean_kind_helps_where_no_rule_knows_the_text() -> None:
    assert classify_text("ganz neue Worte", kind="Tactic.unsolvedGoals").cls is C.TACTIC_FAILED
    assert classify_text("ganz neue Worte", kind="linter.all").cls is C.WARNING_AS_ERROR
    unknown = classify_text("ganz neue Worte", kind="new.kind")
    assert (unknown.cls, unknown.where, unknown.message) == (C.UNCLASSIFIED, "new.kind", "ganz neue Worte")


@settings(deadline=None)
@given(st.text(max_size=300), st.booleans())
def test_any_text_is_a_failure_kept_whole(text: str, lake: bool) -> None:
    failure = classify_text(text, lake=lake)
    assert failure.message == text
    assert len(failure.fingerprint) == 16


def test_a_text_of_megabytes_is_judged_by_its_ends() -> None:
    assert classify_text("Type mismatch\n" + "  x\n" * 2_000_000).cls is C.TYPE_ERROR
    assert classify_text("words\n" * 500_000 + "Stack overflow detected. Aborting.").cls is C.STACK_OVERFLOW


# cascades


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Unknown identifier `A.x`", "A.x"),
        ("unknown constant 'A.it's'", "A.it's"),
        ("(kernel) unknown constant 'A.x'", "A.x"),
        ("Unknown identifier `x`\n\nNote: It is not possible to treat `x` as …", "x"),
        ("Invalid field `f`: The environment does not contain `A.f`, so it is not possible", "A.f"),
        ("Type mismatch", None),
    ],
)
def test_the_name_that_is_missing(text: str, name: str | None) -> None:
    assert unknown_name(text) == name


@pytest.mark.parametrize(
    ("full", "written", "same"),
    [
        ("A.B.x", "x", True),
        ("A.B.x", "B.x", True),
        ("A.B.x", "A.B.x", True),
        ("A.Bx", "x", False),
        ("x", "A.x", False),
        ("A.T", "T.mk", True),
        ("A.T", "T.other", False),
        ("_private.M.0.A.x", "A.x", True),
    ],
)
def test_names_that_can_mean_a_declaration(full: str, written: str, same: bool) -> None:
    assert same_name(full, written) is same


def test_a_cascade_points_at_its_root_and_roots_come_first() -> None:
    failures = classify_check(
        [
            error("Unknown identifier `gone`", "N.other"),
            error("(kernel) deterministic timeout", "N.slow"),
            error("Unknown constant `slow`", "N.uses"),
            error("Unknown constant `N.uses`", "N.top"),
        ],
        "",
        1,
    )
    assert [(f.declaration, f.cause) for f in failures] == [
        ("N.other", None),
        ("N.slow", None),
        ("N.uses", "N.slow"),
        ("N.top", "N.slow"),
    ]


def test_a_kernel_error_after_an_elaboration_error_follows_from_it() -> None:
    mismatch, kernel = classify_check(
        [error("Type mismatch\n  h", "x"), error("(kernel) declaration has metavariables 'x'", "x")], "", 1
    )
    assert (mismatch.cause, kernel.cause) == (None, mismatch.fingerprint)
    [alone] = classify_check([error("(kernel) declaration has metavariables 'x'", "x")], "", 1)
    assert alone.is_root


def test_a_name_that_failed_in_an_imported_module() -> None:
    root = Failure(C.MAX_REC_DEPTH, "elaborator", "…", declaration="B.base", fingerprint="0")
    [failure] = classify_check([error("Unknown constant `B.base`", "A.x")], "", 1, earlier={"B.base": root})
    assert failure.cause == "B.base"


def test_after_a_broken_header_all_else_follows() -> None:
    header = Message("error", "unknown module prefix 'X'", "A.lean", Position(1, 0))
    failures = classify_check([header, error("unknown namespace `X`"), error("unsolved goals")], "", 1)
    assert [f.cause for f in failures] == [None, failures[0].fingerprint, failures[0].fingerprint]


def test_a_linter_that_ran_out_after_its_declaration_did() -> None:
    spent = "(deterministic) timeout at `whnf`, maximum number of heartbeats (200) has been reached"
    first, second = classify_check(
        [error(spent, "x"), error(f"linter Lean.Linter.some failed: {spent}", "x")], "", 1
    )
    assert (first.cause, second.cause) == (None, first.fingerprint)


def test_linking_is_stable() -> None:
    failures = classify_check([error("unsolved goals", "a"), error("Unknown constant `a`", "b")], "", 1)
    assert link_causes(failures, {}) == failures


# fingerprints


NEW_DEPTH = """maximum recursion depth has been reached
use `set_option maxRecDepth <num>` to increase limit
use `set_option diagnostics true` to get diagnostic information"""
OLD_DEPTH = "maximum recursion depth has been reached (use `set_option maxRecDepth <num>` to increase limit)"
NEW_TIMEOUT = """(deterministic) timeout at `whnf`, maximum number of heartbeats (200000) has been reached

Note: Use `set_option maxHeartbeats <num>` to set the limit.

Hint: Additional diagnostic information may be available."""
OLD_TIMEOUT = """(deterministic) timeout at 'whnf', maximum number of heartbeats (400) has been reached \
(use 'set_option maxHeartbeats <num>' to set the limit)"""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Unknown identifier `keel`", "unknown identifier 'mast'"),
        (
            "Type mismatch\n  h\nhas type\n  a = b\nbut is expected to have type\n  b = a",
            "type mismatch\n  foo bar\n    baz\nhas type\n  1 = 2 : Prop\nbut is expected to have type\n  x",
        ),
        (NEW_DEPTH, OLD_DEPTH),
        (NEW_TIMEOUT, OLD_TIMEOUT),
        ("unsolved goals\na b : ℕ\nh : a ∣ b\n⊢ ripe a", "unsolved goals\ncase inl\nx : Fin 3\n⊢ x = ?m.77"),
        (
            "failed to read file '/home/a/X.olean', invalid header",
            "failed to read file '/b/Y.olean', invalid header",
        ),
        (
            "(kernel) deep recursion detected",
            "(kernel) deep recursion detected, use `set_option maxRecDepth <num>` to increase the limit",
        ),
    ],
)
def test_particulars_do_not_change_a_fingerprint(one: str, other: str) -> None:
    assert normalised(one) == normalised(other)
    assert fingerprint("c", "w", one) == fingerprint("c", "w", other)


def test_what_makes_a_difference() -> None:
    assert normalised("Unknown identifier `x`") != normalised("Unknown constant `x`")
    assert fingerprint("a", "", "x") != fingerprint("b", "", "x")
    assert fingerprint("a", "whnf", "x") != fingerprint("a", "isDefEq", "x")


@settings(deadline=None)
@given(st.text(max_size=400))
def test_any_text_has_a_fingerprint(text: str) -> None:
    assert fingerprint("c", "", text) == fingerprint("c", "", text)


# explanations


def test_every_explanation_has_its_parts_and_a_source() -> None:
    for code, entry in explanations().items():
        assert entry.title
        assert entry.sources, code
        text = entry.text()
        assert text.startswith(f"failed:{code}: ")
        assert "What others found:" in text
        assert all(len(line) <= 80 for line in text.splitlines() if not line.startswith("    ")), code
        assert entry.others in advice(code)


def test_advice_for_a_code_that_is_none() -> None:
    assert advice("no-such-class") == ""


def test_the_documentation_is_up_to_date() -> None:
    assert DOCS.read_text(encoding="utf-8") == markdown()


def test_classifying_needs_no_heavy_library() -> None:
    code = "import sys, tracker.lean.failure; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"click", "rich", "networkx", "yaml", "psutil"} & set(done.stdout.split())
