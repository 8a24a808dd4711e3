"""Which Lean is known to be unsound, by the package's table."""

from __future__ import annotations

import tomllib
from dataclasses import asdict
from importlib.resources import files

import pytest

from tracker.gate.unsound import Version, bug_table, parse_version


def grave(version: str) -> set[str]:
    known = bug_table().known(version)
    assert known is not None
    return {bug.id.partition("#")[2] for bug in known if not bug.note}


NESTED, OPAQUE, PROP = "14576", "14484", "14613"
OF_4_33_1 = {"14806", "14807", "14838", "14833"}
OF_4_34_1 = {"15241"}


@pytest.mark.parametrize(
    ("version", "bugs"),
    [
        ("4.12.0", {OPAQUE, NESTED, PROP} | OF_4_33_1 | OF_4_34_1),
        ("4.32.0", {OPAQUE, NESTED, PROP} | OF_4_33_1 | OF_4_34_1),
        ("4.32.1", {NESTED, PROP} | OF_4_33_1 | OF_4_34_1),
        ("4.32.2", {PROP} | OF_4_33_1 | OF_4_34_1),
        ("4.33.0-rc1", {OPAQUE, NESTED, PROP} | OF_4_33_1 | OF_4_34_1),
        ("4.33.0-rc2", {PROP} | OF_4_33_1 | OF_4_34_1),
        ("4.33.0", OF_4_33_1 | OF_4_34_1),
        ("4.33.1", OF_4_34_1),
        ("4.34.0-rc1", OF_4_33_1 | OF_4_34_1),
        ("4.34.0-nightly-2026-08-30", OF_4_33_1 | OF_4_34_1),
        ("4.34.0", OF_4_34_1),
        ("4.34.1", set()),
        ("4.35.0-rc2", OF_4_34_1),
        ("4.35.0-rc3", set()),
        ("v4.35.0", set()),
        ("4.36.0-nightly-2026-10-20", set()),
    ],
)
def test_what_is_known_against_a_version(version: str, bugs: set[str]) -> None:
    assert grave(version) == bugs


def test_what_may_be_left_out_of_a_report_is_a_note() -> None:
    def notes(version: str) -> list[str]:
        return [bug.id for bug in bug_table().known(version) or () if bug.note]

    assert notes("4.29.1") == []
    assert notes("4.30.0") == notes("4.35.0") == ["lean4#15226"]


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("4.33.0-nightly-2026-07-01", (4, 33, 0, 0)),
        ("4.33.0-pre", (4, 33, 0, 0)),
        ("4.33.0-rc1", (4, 33, 0, 1)),
        ("v4.33.0-rc12", (4, 33, 0, 12)),
        (" 4.33.10\n", (4, 33, 10, 10**6)),
    ],
)
def test_a_version(text: str, parsed: Version) -> None:
    assert parse_version(text) == parsed


def test_versions_are_ordered() -> None:
    ordered = ["4.9.0", "4.33.0-nightly-2026-07-01", "4.33.0-rc1", "4.33.0-rc2", "4.33.0", "4.33.1", "4.34.0"]
    parsed = [parse_version(text) for text in ordered]
    assert None not in parsed
    assert parsed == sorted(parsed, key=lambda v: v or (0, 0, 0, 0))


@pytest.mark.parametrize("text", ["", "lean", "4.35", "4.35.0-beta", "4.35.0 (mine)"])
def test_what_is_no_version(text: str) -> None:
    assert parse_version(text) is None
    assert bug_table().known(text) is None


def test_the_table_says_how_far_it_reaches() -> None:
    table = bug_table()
    assert table.covers("4.35.0")
    assert not table.covers("4.36.0")
    assert table.as_of.isoformat() == "2026-10-10"
    for bug in table.bugs:
        assert bug.sources
        assert bug.condition
        assert bug.published <= table.as_of
        assert bug.note or bug.fixed


def test_the_table_is_read_as_it_is_written() -> None:
    bug_table.cache_clear()
    written = tomllib.loads(files("tracker.gate").joinpath("unsound.toml").read_text(encoding="utf-8"))
    table = bug_table()
    assert (table.as_of, table.newest) == (written["as_of"], written["newest"])
    assert [asdict(bug) for bug in table.bugs] == [
        {
            "since": None, "note": False, **entry,
            "fixed": tuple(entry["fixed"]), "sources": tuple(entry["sources"]),
        }
        for entry in written["bug"]
    ]  # fmt: skip
