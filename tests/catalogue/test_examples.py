"""Every example file, and every example in the explanations."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.catalogue.conftest import HERE, NEGATIVE, POSITIVE, name
from tracker.catalogue.codes import CODES, explanations
from tracker.catalogue.load import load_catalogue

ONLY_IN_CODE = {"no-catalogue", "unreadable", "symlink-loop", "too-large"}  # test_files.py makes these


@pytest.mark.parametrize("case", POSITIVE, ids=name)
def test_positive_examples_load_without_a_finding(case: Path) -> None:
    result = load_catalogue(case, root=case.parent)
    assert [str(d) for d in result.diagnostics if d.code != "isolated"] == []
    assert result.catalogue is not None
    assert len(result.catalogue) > 0


@pytest.mark.parametrize("case", NEGATIVE, ids=name)
def test_negative_examples_say_what_is_expected(case: Path) -> None:
    result = load_catalogue(case, root=case.parent, info=True)
    said = "".join(f"{d}\n" for d in result.diagnostics)
    expected = case.with_suffix(".expected")
    if os.environ.get("TRACKER_UPDATE_GOLDEN"):
        expected.write_text(said, encoding="utf-8")
    assert said == expected.read_text(encoding="utf-8")
    code = case.parent.name
    assert code in {d.code for d in result.diagnostics}
    assert (result.catalogue is None) == bool(result.errors)


def test_every_code_has_an_example() -> None:
    assert {case.parent.name for case in NEGATIVE} | ONLY_IN_CODE == set(CODES)
    assert all(list((HERE / "negative" / code).glob("*.expected")) for code in set(CODES) - ONLY_IN_CODE)


def test_no_expectation_is_left_without_its_case() -> None:
    kept = {case.with_suffix(".expected") for case in NEGATIVE}
    assert set((HERE / "negative").rglob("*.expected")) == kept


def write(example: str, directory: Path) -> Path:
    """Write an example of an explanation, which may be several files, each under its name."""
    parts = re.split(r"^# obligations/(\S+\.yaml)\n", example, flags=re.MULTILINE)
    named = dict(zip(parts[1::2], parts[2::2], strict=True)) or {"core.yaml": example}
    for file, text in named.items():
        (directory / file).write_text(text + "\n", encoding="utf-8")
    return directory


EXPLAINED = [code for code, rule in CODES.items() if rule.layer != "file"]


@pytest.mark.parametrize("code", EXPLAINED)
def test_the_wrong_example_of_an_explanation_has_just_this_fault(code: str, tmp_path: Path) -> None:
    result = load_catalogue(write(explanations()[code].bad, tmp_path), info=True)
    assert {d.code for d in result.diagnostics} == {code}


@pytest.mark.parametrize("code", EXPLAINED)
def test_the_right_example_of_an_explanation_has_no_fault(code: str, tmp_path: Path) -> None:
    result = load_catalogue(write(explanations()[code].good, tmp_path))
    assert result.diagnostics == ()


@pytest.mark.parametrize("code", CODES)
def test_every_code_is_explained(code: str) -> None:
    found = explanations()[code]
    assert found.what
    assert found.why
    assert found.cure
    assert found.bad
    assert bool(found.good) == (found.rule.layer != "file")
    assert found.text().startswith(f"{found.rule.severity}[{code}]: {found.title}\n")
