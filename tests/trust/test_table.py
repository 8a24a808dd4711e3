"""The table of docs/trust.md names every attack that is tested, with its rule, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from tests.trust.attacks import SOURCES
from tests.trust.edits import EDITS
from tests.trust.test_lean_project import OURS
from tests.trust.test_surroundings import CASES

ROOT = Path(__file__).parents[2]
ROW = re.compile(
    r"^\| (?P<attack>[^|]+) \| (?P<rule>[^|]*) \| (?P<shown>[^|]*) \| `(?P<test>[^|`]+)` \|$", re.M
)
DOCUMENT = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
TESTS = {file.stem: file for file in (*ROOT.glob("tests/trust/test_*.py"), *ROOT.glob("tests/run/test_*.py"))}


def rows(test: str) -> list[tuple[str, str, str]]:
    found = (row for row in ROW.finditer(DOCUMENT) if row["test"] == test)
    return [(row["attack"], row["rule"], row["shown"]) for row in found]


def test_attacks_by_sources_are_all_in_the_table() -> None:
    assert rows("test_sources") == [(a.name, f"`{a.code}`", f"`{a.label}`") for a in SOURCES]


def test_attacks_on_the_surroundings_are_all_in_the_table() -> None:
    assert rows("test_surroundings") == [(c.name, f"`{c.code}`", "") for c in CASES]


def test_attacks_on_our_proofs_are_all_in_the_table() -> None:
    edits = [(e.name, f"`{e.code}`", f"`{e.label}`" if e.label else "") for e in EDITS]
    assert rows("test_lean_project") == edits + [(c.name, f"`{c.code}`", "") for c in OURS]


def test_other_rows_name_a_test_that_exists() -> None:
    others = [row for row in ROW.finditer(DOCUMENT) if "::" in row["test"]]
    assert len(others) >= 12
    for row in others:
        file, _, name = row["test"].partition("::")
        assert f"def {name}(" in TESTS[file].read_text(encoding="utf-8"), row["test"]
    assert len(SOURCES) + len(CASES) + len(EDITS) + len(OURS) + len(others) >= 110
