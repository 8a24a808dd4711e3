"""`tracker explain` knows every error that is raised, every state and every finding, and none besides."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import tracker
from tracker import explanations
from tracker.catalogue.codes import CODES
from tracker.cli.explain import explain
from tracker.edges import Difference
from tracker.errors import TrackerError
from tracker.lean import lakefile, olean  # noqa: F401 - they have errors of their own
from tracker.verdict import State

PACKAGE = Path(tracker.__file__).parent


def kinds_of_error() -> dict[str, type[TrackerError]]:
    """Return `TrackerError` and all classes below it, by name."""
    found = [TrackerError]
    for cls in found:
        found += cls.__subclasses__()
    return {cls.__name__: cls for cls in found}


KINDS = kinds_of_error()


def raised(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the class and the code of every error made in a source; some classes fix the code themselves."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name, bases=[ast.Name(id=base), *_]) if base in KINDS:
                yield from ((name, code) for call in ast.walk(node) for code in own_code(call))
                assert name in KINDS
            case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str(code)), *_]) if name in KINDS:
                yield name, code
            case ast.Call(func=ast.Name(id=name), args=[code, *_]) if name in KINDS:
                passed_on = isinstance(code, ast.Attribute) and code.attr == "code"
                assert passed_on or "__init__" in vars(KINDS[name]), ast.unparse(node)


def own_code(node: ast.AST) -> Iterator[str]:
    """Yield the code in `super().__init__("CODE", …)`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="__init__"), args=[ast.Constant(value=str(code)), *_]):
            yield code


@pytest.fixture(scope="module")
def codes() -> dict[str, set[int]]:
    """Every code with the exit codes of the classes that carry it."""
    found: dict[str, set[int]] = {}
    for file in PACKAGE.rglob("*.py"):
        for name, code in raised(ast.parse(file.read_text(encoding="utf-8"))):
            found.setdefault(code, set()).add(KINDS[name].exit_code)
    assert {"USAGE", "STORE-EDITED", "INTERNAL", "LAKEFILE", "OLEAN-UNREADABLE", "LOCK-UNREADABLE"} <= set(
        found
    )
    return found


def asked(code: str) -> Result:
    return CliRunner().invoke(explain, [code], standalone_mode=False)


def test_every_error_is_explained_and_nothing_else(codes: dict[str, set[int]]) -> None:
    assert set(explanations.errors()) == set(codes) - set(CODES)


def test_the_exit_code_is_that_of_the_error(codes: dict[str, set[int]]) -> None:
    said = {code: {entry.exit_code} for code, entry in explanations.errors().items()}
    assert said == {code: exits for code, exits in codes.items() if code in said}


def test_errors_are_listed_in_order() -> None:
    assert list(explanations.errors()) == sorted(explanations.errors())


def test_every_state_is_explained_and_nothing_else() -> None:
    assert list(explanations._table("states.toml")) == list(State) == list(explanations.states())


def test_every_finding_of_edges_is_explained_and_nothing_else() -> None:
    """Whatever stands as a label in front of a line of `tracker edges`."""
    tree = ast.parse((PACKAGE / "cli" / "edges.py").read_text(encoding="utf-8"))
    labels = {
        node.args[1].value.removeprefix("≠ ")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "_line"
        if isinstance(node.args[1], ast.Constant)
    }
    assert labels == {"claim", "proof"}
    assert list(explanations.edge_findings()) == [*Difference, *sorted(labels)]


def test_a_word_that_is_a_state_and_a_finding_is_explained_as_both() -> None:
    text = asked("missing").output
    assert "missing: its module checks, but does not declare it" in text
    assert "missing: the proof uses an obligation that `depends_on` does not reach" in text


ENTRIES = [
    *explanations.errors().values(), *explanations.states().values(), *explanations.edge_findings().values()
]  # fmt: skip


@pytest.mark.parametrize("entry", ENTRIES)
def test_what_is_said(entry: explanations.Explanation) -> None:
    text = asked(entry.code).output
    assert entry.title in text
    assert f"error[{entry.code}]: " in text or entry.exit_code is None
    assert len(entry.title) <= 70
    assert not entry.title.endswith(".")
    assert entry.what.endswith(".")
    assert entry.cure.endswith(".")
    assert "\n\nCure: " in text


def test_a_code_of_several_tables_is_explained_from_each() -> None:
    said = asked("unreadable").output
    assert "error[unreadable]: " in said
    assert "error[UNREADABLE]: " in said


@pytest.mark.parametrize("spelling", ["over budget", "over-budget", "Over Budget", "failed:over-budget"])
def test_a_state_of_two_words(spelling: str) -> None:
    assert asked(spelling).output.startswith("over budget: proved, at more than its budget\n")


def test_what_is_printed_can_be_asked_for() -> None:
    error = asked("no-such-thing-anywhere").exception
    assert isinstance(error, TrackerError)
    printed = str(error).partition(":")[0]
    assert asked(printed).output.startswith("error[unknown-code]: ")
