"""Store, catalogue, project or build deleted, unwritable or full of garbage: a clear error and a cure."""

from __future__ import annotations

import os
import shutil
import sqlite3

import pytest

from tests.conftest import Done, Site


def assert_clear(done: Done, *words: str, code: int = 2) -> None:
    assert done.code == code, done.out + done.err
    assert "Traceback" not in done.out + done.err
    assert "error[" in done.err
    assert "hint:" in done.err
    for word in words:
        assert word in done.err


@pytest.mark.parametrize("verb", [("status",), ("run",), ("show", "main")])
def test_a_store_full_of_garbage(proved: Site, verb: tuple[str, ...]) -> None:
    for leftover in (proved.root / ".tracker").glob("history.db-*"):
        leftover.unlink()
    (proved.root / ".tracker" / "history.db").write_bytes(b"garbage" * 4096)
    assert_clear(proved.tracker(*verb), "history.db", "move")


@pytest.mark.parametrize("time", ["9e12", "9e99", "-1e12"])
def test_a_run_at_a_time_that_is_no_date(proved: Site, time: str) -> None:
    with sqlite3.connect(proved.root / ".tracker" / "history.db") as db:
        db.execute(f"UPDATE run SET started_at = {time}")
    db.close()
    gate = [("gate", "--format", form) for form in ("github", "markdown", "json", "sarif", "junit")]
    for verb in (*gate, ("status", "--json"), ("history", "main"), ("report",), ("diff",)):
        assert_clear(proved.tracker(*verb), "error[STORE-EDITED]", "run 1", "move")


def test_a_store_deleted(proved: Site) -> None:
    shutil.rmtree(proved.root / ".tracker")
    done = proved.tracker("status")
    assert done.code == 1
    assert "tracker run" in done.out
    assert set(proved.labels().values()) == {"unchecked"}
    assert proved.tracker("run").code == 0


def test_a_state_directory_that_is_a_file(site: Site) -> None:
    (site.root / ".tracker").write_text("in the way")
    assert_clear(site.tracker("run"), ".tracker", "--state")


def test_a_state_directory_that_cannot_be_made(site: Site) -> None:
    assert_clear(site.tracker("run", "--state", "/proc/self/tracker"), "--state")


@pytest.mark.parametrize("verb", [("status",), ("run",), ("show", "main"), ("check",)])
def test_a_catalogue_deleted(proved: Site, verb: tuple[str, ...]) -> None:
    shutil.rmtree(proved.root / "obligations")
    done = proved.tracker(*verb)
    assert done.code == 2
    assert "obligations" in done.out + done.err
    assert "Traceback" not in done.out + done.err


@pytest.mark.parametrize("content", [b"", b"\xff\xfe garbage", b"obligations: [", b"obligations: 3\n"])
def test_a_catalogue_full_of_garbage(site: Site, content: bytes) -> None:
    (site.root / "obligations" / "demo.yaml").write_bytes(content)
    done = site.tracker("status")
    assert done.code == 2
    assert "demo.yaml" in done.err
    assert "Traceback" not in done.err


def test_a_build_directory_that_is_a_file(site: Site) -> None:
    (site.root / "lean" / ".lake").write_text("in the way")
    assert_clear(site.tracker("run"), ".lake", code=3)


def test_a_build_directory_full_of_garbage(proved: Site) -> None:
    for file in (proved.root / "lean" / ".lake" / "build").rglob("*"):
        if file.is_file():
            file.write_bytes(b"garbage")
    done = proved.tracker("run")
    assert done.code == 0, done.out + done.err
    assert "Demo.Base" in done.err, "what was damaged is checked again"


def test_the_name_of_a_file_that_is_not_utf_8(proved: Site) -> None:
    (proved.root / "lean" / "Demo" / os.fsdecode(b"bad\xffname.lean")).write_text("def x := 1\n")
    gate = [("gate", "--format", form) for form in ("github", "markdown", "json", "sarif", "junit")]
    verbs = (
        ("run",),
        ("status",),
        ("status", "--json"),
        ("gate",),
        ("report",),
        ("edges",),
        ("scan", "lean"),
    )
    for verb in (*gate, *verbs):
        assert_clear(proved.tracker(*verb), "error[FILE-NAME]: Demo/bad\\xffname.lean:", "rename")


def test_no_project(site: Site) -> None:
    shutil.rmtree(site.root / "lean")
    assert_clear(site.tracker("run"), "lakefile")


@pytest.mark.parametrize("content", ["not = [toml", "", 'name = "Demo"\n[[lean_lib]]\nname = 3\n'])
def test_a_bad_lakefile(site: Site, content: str) -> None:
    (site.root / "lean" / "lakefile.toml").write_text(content)
    done = site.tracker("run")
    assert done.code in (1, 2)
    assert "Traceback" not in done.out + done.err
    assert done.code == 1 or "lakefile.toml" in done.err


def test_a_module_that_is_not_text(site: Site) -> None:
    (site.root / "lean" / "Demo" / "Base.lean").write_bytes(b"\xff\xfe\x00garbage")
    done = site.tracker("run")
    assert done.code == 1
    assert "Traceback" not in done.out + done.err
    assert site.labels()["two"].startswith("failed:")


def test_a_lock_full_of_garbage(proved: Site) -> None:
    (proved.root / "obligations" / "statements.lock").write_text("garbage\n")
    assert_clear(proved.tracker("status"), "statements.lock:1")


def test_no_lean_at_all(site: Site) -> None:
    (site.root / "tracker.toml").write_text('[tracker]\nproject = "lean"\ntoolchain = "lake"\n')
    done = site.tracker("run", environment={"PATH": "/nonexistent"})
    assert_clear(done, "lake", code=3)


def test_an_unknown_target_and_an_unknown_verb(site: Site) -> None:
    assert_clear(site.tracker("run", "topp"), "did you mean `top`?")
    assert site.tracker("sttaus").code == 2
