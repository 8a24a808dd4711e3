"""Stores of every version that ever shipped are brought up to date; their history is kept, and is history.

`schemas/` holds the schema of each version as it was.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
from importlib import resources
from pathlib import Path

import pytest

from tests.store.test_history import a_check, opened
from tracker.errors import StoreError
from tracker.evidence import Cost
from tracker.store.history import FILE_NAME, SCHEMA_VERSION, History, open_history
from tracker.store.queries import check_points, probe_points

SCHEMAS = Path(__file__).parent / "schemas"
VERSIONS = sorted(file.stem for file in SCHEMAS.glob("*.sql"))
OLD = [name for name in VERSIONS if name != str(SCHEMA_VERSION)]
COST = Cost(1.5, 1.0, 0.2, 1000, None, 3, 4)
MESSAGE = '{"severity":"warning","text":"unused","file":"M.lean","pos":[1,2],"end_pos":null,"kind":"linter"}'


def make_store(directory: Path, name: str, *, broken: str = "") -> Path:
    """Write a store as the tracker of that version did: one run, two checks, one probe of each module."""
    file = directory / FILE_NAME
    db = sqlite3.connect(file)
    db.row_factory = sqlite3.Row
    db.executescript((SCHEMAS / f"{name}.sql").read_text())
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA application_id = 1953653611")
    db.execute(f"PRAGMA user_version = {int(name[0])}")
    db.execute(
        "INSERT INTO run VALUES (1, 5.0, 9.0, 'finished', 'lake', '4.30.0 abc', 'box', 'c0ffee', 0, '0.1')"
    )
    for number, module in enumerate(("M", "N"), 1):
        db.execute(
            "INSERT INTO module_check (id, run, module, fingerprint, passed, started_at, wall_s, user_s,"
            " system_s, peak_rss_bytes, minor_faults, major_faults, exit_code, failures, curve, lake_output,"
            " stderr)"
            " VALUES (?, 1, ?, 'f', 1, 6, 1.5, 1.0, 0.2, 1000, 3, 4, 0, '[]', '[]', 'said', '')",
            (number, module),
        )
        db.execute("INSERT INTO message VALUES (?, 0, 'warning', 'linter', NULL, ?)", (number, MESSAGE))
        probe = {
            "id": number, "run": 1, "module": module, "declaration": f"{module}.x", "fingerprint": "f",
            "found": 1, "kind": "theorem", "axioms": "[]", "statement": "s", "canonical": "c", "digest": "d",
            "absurd": 0, "uses": "{}", "note": "",
        }  # fmt: skip
        columns = [row["name"] for row in db.execute("PRAGMA table_info(probe)") if row["name"] in probe]
        marks = ", ".join(f":{column}" for column in columns)
        db.execute(f"INSERT INTO probe ({', '.join(columns)}) VALUES ({marks})", probe)
        if name != "1":
            seal(db, "module_check", number, [MESSAGE])
            seal(db, "probe", number)
    if broken:
        db.execute(broken)
    db.commit()
    db.close()
    return file


def seal(db: sqlite3.Connection, table: str, number: int, bodies: list[str] | None = None) -> None:
    """Seal a row as every version did before columns were added: all of it, in the order of its columns."""
    row = db.execute(f"SELECT * FROM {table} WHERE id = ?", (number,)).fetchone()
    values = [row[key] for key in row.keys() if key not in ("seal", "instructions", "repeats")]  # noqa: SIM118
    text = json.dumps([*values, *(bodies or [])])
    db.execute(
        f"UPDATE {table} SET seal = ? WHERE id = ?", (hashlib.sha256(text.encode()).hexdigest(), number)
    )


def read(directory: Path, *, write: bool) -> History:
    history = open_history(directory, write=write)
    assert history is not None
    return history


def shape(file: Path) -> dict[str, set[str]]:
    db = sqlite3.connect(file)
    tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    found = {table: {row[1] for row in db.execute(f"PRAGMA table_info({table})")} for table in tables}
    db.close()
    return found


@pytest.mark.parametrize("name", VERSIONS)
@pytest.mark.parametrize("write", [True, False])
def test_history_is_kept_and_what_is_read_is_whole(tmp_path: Path, name: str, write: bool) -> None:
    make_store(tmp_path, name)
    history = read(tmp_path, write=write)
    assert [(run.number, run.machine, run.commit) for run in history.runs()] == [(1, "box", "c0ffee")]
    assert [point.cost for point in check_points(history)] == [COST, COST]
    assert len(probe_points(history)) == 2
    evidence = history.evidence({"M": "f", "N": "f"})
    assert evidence.checks["M"].messages[0].text == "unused"
    history.close()


@pytest.mark.parametrize("name", VERSIONS)
def test_only_what_holds_all_that_is_asked_today_is_evidence(tmp_path: Path, name: str) -> None:
    make_store(tmp_path, name)
    evidence = read(tmp_path, write=True).evidence({"M": "f", "N": "f"})
    assert (evidence.check_of("M") is not None) == (name != "1")
    assert (evidence.probe_of("M", "M.x") is not None) == (name not in ("1", "2-canonical"))
    assert "M" in evidence.checks, "it is still there, as history"


@pytest.mark.parametrize("name", VERSIONS)
def test_the_same_schema_from_wherever_one_comes(tmp_path: Path, name: str) -> None:
    (tmp_path / "old").mkdir()
    file = make_store(tmp_path / "old", name)
    read(tmp_path / "old", write=True).close()
    opened(tmp_path / "new").close()
    assert shape(file) == shape(tmp_path / "new" / FILE_NAME)


@pytest.mark.parametrize("name", VERSIONS)
def test_a_migrated_store_takes_new_evidence(tmp_path: Path, name: str) -> None:
    make_store(tmp_path, name)
    history = read(tmp_path, write=True)
    history.add_check(history.begin_run("lake", "i", "m", None, False), a_check("new"))
    history.close()
    again = read(tmp_path, write=False)
    assert again.evidence({"M": "new"}).check_of("M") == a_check("new")
    again.close()


@pytest.mark.parametrize("name", [name for name in VERSIONS if name != "1"])
@pytest.mark.parametrize("edit", ["UPDATE probe SET kind = 'def'", "UPDATE module_check SET passed = 0"])
def test_what_was_edited_before_is_still_found_out(tmp_path: Path, name: str, edit: str) -> None:
    make_store(tmp_path, name, broken=edit)
    with pytest.raises(StoreError) as caught:
        read(tmp_path, write=True).evidence({"M": "f"})
    assert caught.value.code == "STORE-EDITED"


@pytest.mark.parametrize("name", OLD)
def test_an_old_store_on_a_read_only_disk_is_read_and_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    file = make_store(tmp_path, name)
    before = file.read_bytes()
    monkeypatch.setattr(os, "access", lambda *_: False)
    history = read(tmp_path, write=False)
    assert len(check_points(history)) == 2
    history.close()
    assert file.read_bytes() == before


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    file = make_store(tmp_path, "1", broken="ALTER TABLE probe ADD COLUMN absurd INTEGER")
    before = shape(file)
    with pytest.raises(StoreError):
        read(tmp_path, write=True)
    assert shape(file) == before
    db = sqlite3.connect(file)
    assert db.execute("PRAGMA user_version").fetchone() == (1,)
    db.close()


def test_the_newest_schema_here_is_the_one_in_use() -> None:
    """When the schema changes: raise its version, write the step, and keep the new one in `schemas/`."""
    now = resources.files("tracker.store").joinpath("schema.sql").read_text(encoding="utf-8")
    assert (SCHEMAS / f"{SCHEMA_VERSION}.sql").read_text(encoding="utf-8") == now
    assert re.match(rf"-- Evidence store, version {SCHEMA_VERSION}\.", now)
