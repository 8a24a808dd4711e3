"""The store: what goes in comes out; damage, other files and newer schemas are refused with a cure."""

from __future__ import annotations

import os
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracker.errors import StoreError
from tracker.evidence import Cost, DeclarationProbe, Location, ModuleCheck
from tracker.lean.failure import Failure, FailureClass
from tracker.lean.messages import Message, Position
from tracker.lean.process import Memory
from tracker.run.session import only_one
from tracker.store.history import FILE_NAME, SCHEMA_VERSION, History, open_history
from tracker.store.queries import all_runs, check_points, newest_id

texts = st.text(st.characters(codec="utf-8"), max_size=30)
seconds = st.floats(0, 1e6)
sizes = st.integers(0, 2**50)
positions = st.builds(Position, st.integers(1, 10**6), st.integers(0, 10**4))
messages = st.builds(
    Message, st.sampled_from(["information", "warning", "error"]), texts, texts,
    st.none() | positions, st.none() | positions, texts, st.none() | texts, texts,
)  # fmt: skip
failures = st.builds(
    Failure, st.sampled_from(FailureClass), st.sampled_from(["kernel", "elaborator"]), texts, texts,
    st.none() | texts, texts, st.none() | positions, st.lists(st.tuples(texts, texts), max_size=2).map(tuple),
    texts, st.none() | texts,
)  # fmt: skip
costs = st.builds(Cost, seconds, seconds, seconds, sizes, st.none() | sizes, sizes, sizes)
checks = st.builds(
    ModuleCheck, module=st.just("M"), fingerprint=texts, passed=st.booleans(), started_at=seconds,
    cost=st.none() | costs, exit_code=st.none() | st.integers(0, 255), signal=st.none() | st.integers(1, 64),
    limit=st.sampled_from([None, "wall", "memory", "machine-memory", "interrupted"]),
    wall_limit_s=st.none() | seconds, memory_limit_bytes=st.none() | sizes, olean_digest=st.none() | texts,
    messages=st.lists(messages, max_size=3).map(tuple), failures=st.lists(failures, max_size=2).map(tuple),
    curve=st.lists(st.builds(Memory, seconds, sizes, st.none() | sizes), max_size=3).map(tuple),
    lake_output=texts, stderr=texts,
)  # fmt: skip
probes = st.builds(
    DeclarationProbe, declaration=st.just("M.x"), module=st.just("M"), fingerprint=texts, found=st.booleans(),
    kind=st.none() | texts, axioms=st.lists(texts, max_size=3).map(tuple), statement=texts,
    digest=texts, absurd=st.booleans(),
    location=st.none() | st.builds(Location, texts, st.integers(1), st.integers(0)),
    uses=st.dictionaries(texts, st.integers(1, 99), max_size=3), note=texts,
)  # fmt: skip


def opened(directory: Path) -> History:
    return open_history(directory, write=True)


@settings(max_examples=50, deadline=None)
@given(check=checks, probe=probes)
def test_what_goes_in_comes_out(
    tmp_path_factory: pytest.TempPathFactory, check: ModuleCheck, probe: DeclarationProbe
) -> None:
    history = opened(tmp_path_factory.mktemp("store"))
    run = history.begin_run("embedded", "4.35.0 abc", "machine", None, False)
    history.add_check(run, check)
    history.add_probes(run, [probe])
    history.end_run(run, "finished")
    evidence = history.evidence({"M": check.fingerprint})
    assert evidence.check_of("M") == check
    assert evidence.probes["M", "M.x"] == probe
    (one,) = history.runs()
    assert (one.state, one.checked, one.failed) == ("finished", 1, int(not check.passed))
    history.close()


def test_only_the_newest_counts_and_older_ones_are_kept(tmp_path: Path) -> None:
    history = opened(tmp_path)
    run = history.begin_run("t", "i", "m", "abc", True)
    for fingerprint in ("old", "new"):
        history.add_check(run, a_check(fingerprint))
    evidence = history.evidence({"M": "old"})
    assert evidence.checks["M"].fingerprint == "new"
    assert evidence.check_of("M") is None, "the newest check is of other sources"
    history.close()
    with sqlite3.connect(tmp_path / FILE_NAME) as db:
        assert db.execute("SELECT COUNT(*) FROM module_check").fetchone() == (2,)
    db.close()


def a_check(fingerprint: str = "f") -> ModuleCheck:
    return ModuleCheck(
        "M", fingerprint, True, 1.0, None, 0, None, None, None, None, None, (), (), (), "", ""
    )  # fmt: skip


def test_a_run_left_open_by_a_killed_driver_is_closed_by_the_next(tmp_path: Path) -> None:
    history = opened(tmp_path)
    with only_one(tmp_path):
        history.begin_run("t", "i", "m", None, False)
        history.begin_run("t", "i", "m", None, False)
        assert [run.state for run in history.runs()] == ["running", "interrupted"]
    history.close()


def test_a_run_that_nobody_is_at_work_on_was_cut_off(tmp_path: Path) -> None:
    history = opened(tmp_path)
    with only_one(tmp_path):
        run = history.begin_run("t", "i", "m", None, False)
        history.add_check(run, a_check())
        assert [(r.state, r.ended_at) for r in history.runs()] == [("running", None)]
        over = newest_id(history)
    [left] = history.runs()
    assert (left.state, left.ended_at) == ("interrupted", 1.0), "its check has no cost: it began at 1"
    assert all_runs(history) == (left,)
    assert newest_id(history) != over, "a page that shows it is made anew"
    history.begin_run("t", "i", "m", None, False)
    assert history.runs()[1] == left, "as the next run closes it"
    history.close()


@pytest.mark.parametrize("replacement", [False, True])
def test_a_store_removed_meanwhile_is_told(tmp_path: Path, replacement: bool) -> None:
    history = opened(tmp_path)
    number = history.begin_run("embedded", "i", "box", None, False)
    (tmp_path / FILE_NAME).rename(tmp_path / "moved")
    if replacement:
        opened(tmp_path).close()
    with pytest.raises(StoreError) as caught:
        history.add_check(number, a_check())
    assert caught.value.code == "STORE-GONE"
    history.close()


def test_nothing_to_read_is_none_and_writes_nothing(tmp_path: Path) -> None:
    assert open_history(tmp_path / "absent", write=False) is None
    assert not (tmp_path / "absent").exists()


GARBAGE = [b"", b"garbage", os.urandom(8192), b"SQLite format 3\0" + b"\xff" * 4096]


@pytest.mark.parametrize("content", GARBAGE[1:])
@pytest.mark.parametrize("write", [True, False])
def test_garbage_is_refused_with_a_cure(tmp_path: Path, content: bytes, write: bool) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(StoreError) as caught:
        open_history(tmp_path, write=write)
    assert FILE_NAME in caught.value.message
    assert caught.value.hint
    assert caught.value.exit_code == 2
    assert (tmp_path / FILE_NAME).read_bytes() == content, "nothing is lost"


def test_a_store_cut_short_is_refused(tmp_path: Path) -> None:
    history = opened(tmp_path)
    run = history.begin_run("t", "i", "m", None, False)
    for _ in range(200):
        history.add_check(run, a_check())
    history.close()
    file = tmp_path / FILE_NAME
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(StoreError):
        read_all(tmp_path)


def read_all(directory: Path) -> None:
    history = open_history(directory, write=False)
    assert history is not None
    history.evidence({"M": "f"})


NO_DATES = ("9e12", "9e99", "9e999", "-1e12", "-1", "253402300800")


@pytest.mark.parametrize("time", NO_DATES)
@pytest.mark.parametrize("column", ["started_at", "ended_at"])
def test_a_run_without_a_date_was_edited(tmp_path: Path, column: str, time: str) -> None:
    history = opened(tmp_path)
    history.end_run(history.begin_run("t", "i", "m", None, False), "finished")
    with history.transaction() as db:
        db.execute(f"UPDATE run SET {column} = {time}")
    for read in (history.runs, history.newest_run, lambda: all_runs(history)):
        with pytest.raises(StoreError, match="run 1 is not as it was recorded") as caught:
            read()
        assert caught.value.code == "STORE-EDITED"


@pytest.mark.parametrize("time", ["0", "1.5", "253402300799"])
def test_any_date_between_1970_and_9999_is_one(tmp_path: Path, time: str) -> None:
    history = opened(tmp_path)
    history.begin_run("t", "i", "m", None, False)
    with history.transaction() as db:
        db.execute(f"UPDATE run SET started_at = {time}")
    assert [run.started_at for run in history.runs()] == [float(time)]
    assert [run.started_at for run in all_runs(history)] == [float(time)]


@pytest.mark.parametrize("time", [9e12, -1.0, float("inf")])
def test_a_check_without_a_date_was_edited_whatever_its_seal(tmp_path: Path, time: float) -> None:
    history = opened(tmp_path)
    run = history.begin_run("t", "i", "m", None, False)
    history.add_check(run, replace(a_check(), started_at=time))
    for read in (
        lambda: history.evidence({"M": "f"}),
        lambda: check_points(history),
        lambda: list(history.sealed_checks(run)),
    ):
        with pytest.raises(StoreError) as caught:
            read()
        assert caught.value.code == "STORE-EDITED"


def test_a_text_that_is_not_utf_8_is_no_fault_of_the_store(tmp_path: Path) -> None:
    history = opened(tmp_path)
    run = history.begin_run("t", "i", "m", None, False)
    for write in (
        lambda: history.add_check(run, replace(a_check(), module="bad\udcff")),
        lambda: history.begin_run("t", "i", "bad\udcff", None, False),
        lambda: history.select("SELECT ?", ("bad\udcff",)),
    ):
        with pytest.raises(StoreError) as caught:
            write()
        assert caught.value.code == "NOT-UTF-8"
        assert "bad\\udcff is not UTF-8" in caught.value.message
        assert "move" not in str(caught.value)
    assert history.evidence({}).checks == {}
    assert [run.number for run in history.runs()] == [run]


def test_another_program_s_database_is_not_touched(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE_NAME) as db:
        db.execute("CREATE TABLE precious (x)")
    db.close()
    with pytest.raises(StoreError, match="not a tracker store"):
        open_history(tmp_path, write=True)


def test_a_newer_schema_is_refused_and_kept(tmp_path: Path) -> None:
    opened(tmp_path).close()
    with sqlite3.connect(tmp_path / FILE_NAME) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    db.close()
    with pytest.raises(StoreError, match="schema") as caught:
        open_history(tmp_path, write=False)
    assert caught.value.code == "STORE-NEWER"


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    with pytest.raises(StoreError) as caught:
        open_history(tmp_path / "file" / "state", write=True)
    assert "--state" in str(caught.value)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a directory that nobody can write")
def test_a_read_only_directory() -> None:
    with pytest.raises(StoreError) as caught:
        open_history(Path("/proc/self/tracker"), write=True)
    assert "--state" in str(caught.value)


def test_a_store_on_a_read_only_disk_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = opened(tmp_path)
    history.add_check(history.begin_run("t", "i", "m", None, False), a_check())
    history.close()
    before = sorted(tmp_path.iterdir())
    monkeypatch.setattr(os, "access", lambda *_: False)
    again = open_history(tmp_path, write=False)
    assert again is not None
    assert again.evidence({"M": "f"}).check_of("M") == a_check()
    again.close()
    assert sorted(tmp_path.iterdir()) == before
