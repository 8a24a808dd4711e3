"""Whatever a file holds, loading ends with findings, never with a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.catalogue.conftest import HERE, NEGATIVE, POSITIVE, name
from tracker.catalogue import yamltext
from tracker.catalogue.load import load_catalogue, load_text

TEXTS = [file.read_bytes() for file in sorted(HERE.rglob("*.y*ml")) if file.stat().st_size < 4000]
BITS = [
    "{i}",
    "{0..2}",
    "{",
    "}",
    "[",
    "]",
    ": ",
    "- ",
    "&a ",
    "*a",
    "!!x ",
    "'",
    '"',
    "|",
    "\n",
    "\t",
    "~",
    "0",
    "é",
    "\x00",
]


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """An example with a few pieces cut out or put in."""
    text = draw(st.sampled_from(TEXTS)).decode("utf-8", "replace")
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.sampled_from(BITS)) + text[at + draw(st.integers(0, 8)) :]
    return text


@given(damaged())
def test_a_damaged_file_gives_a_catalogue_or_findings(text: str) -> None:
    result = load_text(text, info=True)
    assert (result.catalogue is None) == bool(result.errors)
    lines = text.count("\n") + 1
    for found in result.diagnostics:
        assert 1 <= found.source.line <= lines + 1
        assert found.source.column >= 1
        assert found.message
        assert "\n" not in found.message


@given(st.binary(max_size=200))
def test_any_bytes_give_findings(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "any.yaml"
    file.write_bytes(data)
    result = load_catalogue(file)
    assert (result.catalogue is None) == bool(result.errors)


@pytest.mark.parametrize("case", POSITIVE, ids=name)
def test_without_libyaml_the_same_is_read(case: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = load_catalogue(case)
    monkeypatch.setattr(yamltext, "_LOADER", yaml.SafeLoader)
    slow = load_catalogue(case)
    assert slow == fast
    assert slow.catalogue is not None
    assert fast.catalogue is not None
    assert [ob.positions for ob in slow.catalogue] == [ob.positions for ob in fast.catalogue]


@pytest.mark.parametrize("case", NEGATIVE, ids=name)
def test_without_libyaml_the_same_codes_are_found(case: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = load_catalogue(case, info=True)
    monkeypatch.setattr(yamltext, "_LOADER", yaml.SafeLoader)
    slow = load_catalogue(case, info=True)
    assert {d.code for d in slow.diagnostics} == {d.code for d in fast.diagnostics}
