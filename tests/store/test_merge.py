"""Stores of several machines put together: the same records, verified, each with its machine."""

from __future__ import annotations

import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import CATALOGUE, MODULES, Site, make_site
from tests.store.test_history import a_check, opened
from tests.store.test_migrations import MESSAGE, make_store
from tracker.errors import StoreError, UsageError
from tracker.evidence import DeclarationProbe
from tracker.lean.messages import Message
from tracker.store.history import FILE_NAME, open_history
from tracker.store.merge import merge, refuse_foreign, store_file


def make(directory: Path, machine: str, *modules: str) -> Path:
    history = opened(directory)
    run = history.begin_run("lake", "4.35.0 abc", machine, "c0ffee", False)
    for module in modules:
        said = (Message("warning", f"of {module}", f"{module}.lean", None, None, "", None, ""),)
        history.add_check(run, replace(a_check(), module=module, messages=said))
        history.add_probes(run, [DeclarationProbe(f"{module}.x", module, "f", True, "theorem", digest="d")])
    history.end_run(run, "finished")
    history.close()
    return directory


def test_the_records_of_all_with_their_machines(tmp_path: Path) -> None:
    sources = [make(tmp_path / "1", "box", "A", "B"), make(tmp_path / "2", "tower", "B", "C")]
    target = opened(make(tmp_path / "here", "laptop", "A"))
    merged = merge(target, sources)
    assert (merged.runs, merged.checks, merged.probes, merged.known) == (2, 4, 4, 0)
    assert merged.machines == ("box", "tower")
    assert [run.machine for run in target.runs()] == ["laptop", "tower", "box"]
    evidence = target.evidence(dict.fromkeys("ABC", "f"))
    for module in "ABC":
        check = evidence.check_of(module)
        assert check is not None
        assert [message.text for message in check.messages] == [f"of {module}"]
        assert evidence.probe_of(module, f"{module}.x") is not None
    target.close()


def began(directory: Path, *times: float) -> Path:
    """Have the runs of a store begin at these times; what is sealed is not touched."""
    with sqlite3.connect(directory / FILE_NAME) as db:
        for number, time in enumerate(times, 1):
            db.execute("UPDATE run SET started_at = ? WHERE number = ?", (time, number))
    db.close()
    return directory


def failing_run(directory: Path, module: str) -> Path:
    history = opened(directory)
    run = history.begin_run("lake", "4.35.0 abc", "laptop", "c0ffee", False)
    said = (Message("error", "no", f"{module}.lean", None, None, "", None, ""),)
    history.add_check(run, replace(a_check(), module=module, passed=False, messages=said))
    history.add_probes(run, [DeclarationProbe(f"{module}.x", module, "f", False, "", digest="")])
    history.end_run(run, "interrupted")
    history.close()
    return directory


def test_an_older_store_does_not_outvote_what_is_here(tmp_path: Path) -> None:
    here = began(failing_run(make(tmp_path / "here", "laptop", "A"), "A"), 10, 30)
    old = began(make(tmp_path / "old", "box", "A", "B"), 20)
    target = opened(here)
    merged = merge(target, [old])
    assert (merged.runs, merged.moved) == (1, 1)
    assert [(run.number, run.machine, run.state) for run in target.runs()] == [
        (4, "laptop", "interrupted"), (3, "box", "finished"), (1, "laptop", "finished"),
    ]  # fmt: skip
    check = target.evidence(dict.fromkeys("AB", "f")).check_of("A")
    assert check is not None
    assert (check.passed, [message.text for message in check.messages]) == (False, ["no"])
    probe = target.evidence(dict.fromkeys("AB", "f")).probe_of("A", "A.x")
    assert probe is not None
    assert not probe.found
    assert target.evidence(dict.fromkeys("AB", "f")).check_of("B") is not None
    for run in (1, 3, 4):
        assert list(target.sealed_checks(run))
        assert list(target.sealed_probes(run))
    assert merge(target, [old]).moved == 0
    assert target.select("PRAGMA foreign_key_check") == []
    target.close()


@pytest.mark.parametrize("time", [9e12, 9e99, -1e12])
@pytest.mark.parametrize("edited", ["here", "old"])
def test_a_run_without_a_date_is_refused_on_either_side(tmp_path: Path, edited: str, time: float) -> None:
    make(tmp_path / "here", "laptop", "A")
    make(tmp_path / "old", "box", "B")
    began(tmp_path / edited, time)
    target = opened(tmp_path / "here")
    with pytest.raises(StoreError) as caught:
        merge(target, [tmp_path / "old"])
    assert caught.value.code == "STORE-EDITED"
    assert str(tmp_path / edited) in caught.value.message
    assert [row["machine"] for row in target.select("SELECT machine FROM run")] == ["laptop"]
    target.close()


def test_the_order_here_does_not_follow_a_clock_that_was_set_back(tmp_path: Path) -> None:
    here = began(failing_run(make(tmp_path / "here", "laptop", "A"), "A"), 30, 10)
    target = opened(here)
    assert merge(target, [began(make(tmp_path / "old", "box", "A"), 20)]).moved == 2
    assert [run.started_at for run in target.runs()] == [10, 30, 20]
    check = target.evidence({"A": "f"}).check_of("A")
    assert check is not None
    assert not check.passed
    target.close()


def test_an_edited_row_here_is_not_sealed_anew_when_it_moves(tmp_path: Path) -> None:
    here = began(failing_run(tmp_path / "here", "A"), 30)
    with sqlite3.connect(here / FILE_NAME) as db:
        db.execute("UPDATE module_check SET passed = 1")
    db.close()
    target = opened(here)
    with pytest.raises(StoreError) as caught:
        merge(target, [began(make(tmp_path / "old", "box", "B"), 20)])
    assert caught.value.code == "STORE-EDITED"
    assert len(target.runs()) == 1
    target.close()


def test_what_was_merged_once_is_left_alone(tmp_path: Path) -> None:
    source = make(tmp_path / "1", "box", "A")
    target = opened(tmp_path / "here")
    assert merge(target, [source, source / FILE_NAME]).known == 1
    assert merge(target, [source]).known == 1
    assert len(target.runs()) == 1
    target.close()


def test_what_a_run_recorded_after_its_store_was_copied_is_added_later(tmp_path: Path) -> None:
    source = opened(tmp_path / "1")
    run = source.begin_run("lake", "4.35.0 abc", "box", "c0ffee", False)
    source.add_check(run, replace(a_check(), module="A"))
    target = opened(tmp_path / "here")
    assert (merge(target, [tmp_path / "1"]).checks, target.runs()[0].state) == (1, "interrupted")
    source.add_check(run, replace(a_check(), module="B", passed=False))
    source.add_probes(run, [DeclarationProbe("A.x", "A", "f", True, "theorem", digest="d")])
    source.end_run(run, "finished")
    source.close()
    merged = merge(target, [tmp_path / "1"])
    assert (merged.runs, merged.checks, merged.probes, merged.known) == (1, 1, 1, 0)
    evidence = target.evidence(dict.fromkeys("AB", "f"))
    assert [check.passed for check in evidence.checks.values()] == [True, False]
    assert evidence.probe_of("A", "A.x") is not None
    (only,) = target.runs()
    assert (only.state, only.checked) == ("finished", 2)
    assert merge(target, [tmp_path / "1"]).known == 1
    target.close()


@pytest.mark.parametrize(
    "edit",
    ["UPDATE module_check SET passed = 1 - passed", "UPDATE probe SET axioms = '[]', kind = 'def'",
     "DELETE FROM message", "UPDATE message SET severity = 'error', body = replace(body, 'of', 'by')"],
)  # fmt: skip
def test_an_edited_store_adds_nothing_at_all(tmp_path: Path, edit: str) -> None:
    good, bad = make(tmp_path / "1", "box", "A"), make(tmp_path / "2", "tower", "B")
    with sqlite3.connect(bad / FILE_NAME) as db:
        db.execute(edit)
    db.close()
    target = opened(tmp_path / "here")
    with pytest.raises(StoreError) as caught:
        merge(target, [good, bad])
    assert caught.value.code == "STORE-EDITED"
    assert target.runs() == []
    target.close()


def test_a_store_of_an_older_tracker_comes_along(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    make_store(tmp_path / "old", "2")
    target = opened(tmp_path / "here")
    assert merge(target, [tmp_path / "old"]).checks == 2
    assert target.evidence({"M": "f"}).check_of("M") is not None
    assert '"unused"' in MESSAGE
    target.close()


def test_what_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no store"):
        store_file(tmp_path)
    (tmp_path / "notes.txt").write_text("not a database at all")
    target = opened(tmp_path / "here")
    with pytest.raises(StoreError):
        merge(target, [tmp_path / "notes.txt"])
    target.close()


def test_shards_put_together_are_a_whole_run(site: Site, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Two machines check a shard each; a third, which runs no Lean, has the verdicts of both."""
    stores = []
    for k in (1, 2):
        machine = Site(tmp_path_factory.mktemp(f"machine-{k}"))
        shutil.copytree(site.root, machine.root, dirs_exist_ok=True)
        assert machine.tracker("run", "--shard", f"{k}/2").code == 0, "its part is fine"
        stores.append(str(machine.root / ".tracker"))
    first = site.tracker("merge", stores[0])
    assert first.code == 1, "a shard is missing"
    assert set(site.labels().values()) > {"proved"}
    both = site.tracker("merge", *stores, "--json")
    assert both.code == 0, both.err
    assert (both.json["merged"]["runs"], both.json["merged"]["known"]) == (1, 1)
    assert set(site.labels().values()) == {"proved"}
    assert site.tracker("run", "--dry-run", "--json").json["todo"] == []
    history = open_history(site.root / ".tracker", write=False)
    assert history is not None
    assert len(history.runs()) == 2
    history.close()


def test_a_store_of_another_project_is_refused(
    proved: Site, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = make_site(tmp_path_factory.mktemp("other"))
    for name, text in MODULES.items():
        (other.root / "lean" / "Demo" / f"{name}.lean").unlink()
        other.write(f"Other{name}", text.replace("import Demo.", "import Demo.Other"))
    catalogue = other.root / "obligations" / "demo.yaml"
    catalogue.write_text(CATALOGUE.replace("module: Demo.", "module: Demo.Other"), encoding="utf-8")
    assert other.tracker("run").code == 0
    before = proved.tracker("status", "--json").json
    done = proved.tracker("merge", ".tracker", str(other.root / ".tracker"))
    assert done.code == 2
    assert "error[OTHER-PROJECT]" in done.err
    assert "it has checks of Demo.OtherBase, Demo.OtherMid, Demo.OtherSide and 1 more" in done.err
    assert proved.tracker("status", "--json").json == before, "nothing was merged"


def test_one_module_of_now_or_of_earlier_is_enough(tmp_path: Path) -> None:
    """A shard has checks of some modules only, and an old store has modules of other names."""
    target = opened(make(tmp_path / "here", "box", "Old"))
    refuse_foreign(target, [make(tmp_path / "shard", "box", "Gone", "B")], {"A", "B"})
    refuse_foreign(target, [make(tmp_path / "old", "box", "Old")], {"A", "B"})
    refuse_foreign(target, [make(tmp_path / "empty", "box")], {"A", "B"})
    with pytest.raises(UsageError, match="Gone") as caught:
        refuse_foreign(target, [tmp_path / "shard", make(tmp_path / "gone", "box", "Gone")], {"A", "B"})
    assert caught.value.code == "OTHER-PROJECT"
    target.close()
