"""Counts in words: one thing is never `1 things`."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import tracker
from tracker.units import show_count

PACKAGE = Path(tracker.__file__).parent
NOUNS = (
    "answers", "causes", "claims", "cores", "declarations", "dependencies", "differences", "edges", "files",
    "findings", "instructions", "lines", "modules", "obligations", "places", "proofs", "rules", "runs",
    "statements", "toolchains", "uses",
)  # fmt: skip
VERBS = ("fail", "follow")
COUNTED = re.compile(rf" (more )?({'|'.join((*NOUNS, *VERBS))})\b")


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 modules"), (1, "1 module"), (2, "2 modules"), (12345, "12,345 modules")]
)
def test_a_number_with_what_it_counts(number: int, said: str) -> None:
    assert show_count(number, "module") == said


def test_a_plural_of_its_own() -> None:
    assert show_count(1, "entry is", "entries are") == "1 entry is"
    assert show_count(2, "entry is", "entries are") == "2 entries are"


def bare_counts(source: str) -> list[str]:
    """Return every f-string in which a plural, or a verb of one, follows right after a value."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            found += [
                ast.unparse(node)
                for value, text in zip(node.values, node.values[1:], strict=False)
                if isinstance(value, ast.FormattedValue)
                and isinstance(text, ast.Constant)
                and COUNTED.match(str(text.value))
            ]
    return found


def test_every_count_in_python_goes_through_it() -> None:
    assert len(bare_counts('f"{n} modules"; f"{n} more modules"; f"{n} in modules"; f"{n} fail"')) == 3
    found = {
        file.relative_to(PACKAGE).as_posix(): counts
        for file in PACKAGE.rglob("*.py")
        if (counts := bare_counts(file.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_every_count_in_a_template_goes_through_it() -> None:
    for file in PACKAGE.rglob("*.html"):
        bare = re.findall(rf"\}}\}} (?:{'|'.join(NOUNS)})\b", file.read_text(encoding="utf-8"))
        assert bare == [], file.name
