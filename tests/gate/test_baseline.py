"""The baseline's file: what is written is read, what was edited is seen, what git merges stays usable."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.gate import facts as f
from tests.gate.test_compare import TOLERANCE, compare, snapshots
from tracker.errors import UsageError
from tracker.gate.baseline import (
    baseline_text,
    parse_baseline,
    read_baseline,
    read_committed,
    renewed,
)
from tracker.gate.snapshot import Snapshot

TEXT = baseline_text(f.NORMAL)


@given(snapshots)
def test_what_is_written_is_read(now: Snapshot) -> None:
    read = parse_baseline(baseline_text(now))
    assert read.damages == ()
    assert (read.snapshot.identity, read.snapshot.lean) == (now.identity, now.lean)
    assert compare(read.snapshot, now) == []


@given(snapshots)
def test_writing_what_was_read_changes_nothing(now: Snapshot) -> None:
    text = baseline_text(now)
    assert baseline_text(parse_baseline(text).snapshot) == text


def test_lines_are_sorted_and_hold_one_thing_each() -> None:
    lines = [json.loads(line) for line in TEXT.splitlines()]
    assert list(lines[0]) == ["format", "lean", "toolchain", "seal"]
    names = [line.get("obligation") or line["module"] for line in lines[1:]]
    assert names == ["lemma", "main", "Demo.Mid", "Demo.Top"]


@given(st.integers(0, len(TEXT) - 1), st.characters(codec="utf-8"))
def test_a_character_edited_is_seen(place: int, new: str) -> None:
    assume(TEXT[place] != new)
    edited = parse_baseline(TEXT[:place] + new + TEXT[place + 1 :])
    at_the_end = place == len(TEXT) - 1
    assert edited.damages or at_the_end
    assert edited.damages or compare(edited.snapshot, f.NORMAL) == []


@given(st.text())
def test_no_text_makes_it_crash(text: str) -> None:
    assert parse_baseline(text).damages


def resealed(change: dict[str, object], line: int = 1) -> str:
    """Return a baseline in which a line was changed by somebody who can compute seals."""
    from tracker.gate.baseline import _sealed

    lines = TEXT.splitlines()
    row = json.loads(lines[line]) | change
    row.pop("seal")
    lines[line] = _sealed(row)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (TEXT.replace('"proved"', '"blocked"', 1), "edited by hand"),
        (TEXT.replace(', "net": "vit"', "", 1), "edited by hand"),
        (TEXT.replace("}", ', "x": 1}', 1), "edited by hand"),
        (TEXT + TEXT.splitlines()[1] + "\n", "two lines: a merge took both"),
        (TEXT.replace("\n", "\n<<<<<<< HEAD\n", 1), "conflict"),
        ("\n".join(TEXT.splitlines()[1:]) + "\n", "the first line"),
        (TEXT.splitlines()[0] + "\n" + TEXT, "the first line, and only it"),
        (TEXT + "\n\n", "no JSON"),
        (TEXT + "[]\n", "no JSON object"),
        (resealed({"more": 1}), "unknown fields: more"),
        (resealed({"axioms": "propext"}), "Expected"),
        (resealed({"state": "fine"}, 3), "Invalid enum value"),
        (resealed({"machine": None}, 3), "no machine"),
        (resealed({"state": "blocked"}, 3), "blocked by nothing"),
    ],
)
def test_damage_is_told(text: str, why: str) -> None:
    damages = parse_baseline(text).damages
    assert any(why in damage.why for damage in damages), damages


def test_line_ends_of_windows_are_no_damage() -> None:
    assert parse_baseline(TEXT.replace("\n", "\r\n")).damages == ()


def git(where: Path, *args: str) -> str:
    named = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    done = subprocess.run(["git", *named, *args], cwd=where, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def branch(where: Path, name: str, text: str) -> None:
    git(where, "checkout", "-q", "-b", name, "main")
    (where / "baseline.jsonl").write_text(text)
    git(where, "commit", "-qam", name)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "baseline.jsonl").write_text(TEXT)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def test_two_branches_merge_cleanly_and_the_merge_is_whole(repository: Path) -> None:
    branch(repository, "one", baseline_text(f.changed(f.obligation("early"), f.module("Demo.A"))))
    branch(repository, "two", baseline_text(f.changed(f.module("Demo.Top", costs=f.costs(9.0)))))
    git(repository, "merge", "-q", "one")
    merged = read_baseline(repository / "baseline.jsonl")
    assert merged is not None
    assert merged.damages == ()
    wanted = f.changed(f.obligation("early"), f.module("Demo.A"), f.module("Demo.Top", costs=f.costs(9.0)))
    assert compare(merged.snapshot, wanted) == []


def test_the_baseline_of_a_commit(repository: Path) -> None:
    branch(repository, "weak", baseline_text(f.without("main")))
    file = repository / "baseline.jsonl"
    assert set(read_committed(file, "main", repository).snapshot.obligations) == {"lemma", "main"}
    assert set(read_committed(file, "weak", repository).snapshot.obligations) == {"lemma"}
    for ref in ("nowhere", "--output=x", ":0", "", "main:baseline.jsonl"):
        with pytest.raises(UsageError, match="NO-SUCH-COMMIT"):
            read_committed(file, ref, repository)
    assert not (repository / "x").exists()
    for name in ("none.jsonl", "none/baseline.jsonl"):
        with pytest.raises(UsageError, match=f"git has no file {name} in 'main'"):
            read_committed(repository / name, "main", repository)


def test_another_repository_does_not_answer_for_the_projects(repository: Path) -> None:
    reports = repository / "reports"
    reports.mkdir()
    git(reports, "init", "-q", "-b", "main")
    (reports / "baseline.jsonl").write_text(baseline_text(f.without("main")))
    git(reports, "add", ".")
    git(reports, "commit", "-qm", "weak")
    git(repository, "-c", "advice.addEmbeddedRepo=false", "add", "reports")
    git(repository, "commit", "-qm", "a repository in the repository")
    with pytest.raises(UsageError, match=r"BASELINE.*git has no file reports/baseline\.jsonl in 'main'"):
        read_committed(reports / "baseline.jsonl", "main", repository)
    with pytest.raises(UsageError, match=r"BASELINE.*is outside of the repository"):
        read_committed(repository / "baseline.jsonl", "main", reports)


def test_a_project_below_the_top_of_its_repository(repository: Path) -> None:
    inner = repository / "proofs"
    (inner / "reports").mkdir(parents=True)
    file = inner / "reports" / "baseline.jsonl"
    file.write_text(baseline_text(f.without("main")))
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "second")
    assert set(read_committed(file, "HEAD", inner).snapshot.obligations) == {"lemma"}


def test_within_the_hook_of_another_repository(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path_factory.mktemp("other")
    git(other, "init", "-q", "-b", "main")
    for name in ("GIT_DIR", "GIT_COMMON_DIR"):
        monkeypatch.setenv(name, str(other / ".git"))
    for name in ("GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_WORK_TREE"):
        monkeypatch.setenv(name, str(other))
    read = read_committed(repository / "baseline.jsonl", "main", repository)
    assert set(read.snapshot.obligations) == {"lemma", "main"}


def test_costs_that_wobble_keep_their_line() -> None:
    old = f.stored(f.NORMAL)
    wobble = f.changed(f.module(costs=f.costs(4.5, 1010)), f.obligation("new"))
    text = baseline_text(renewed(old, wobble, TOLERANCE, adopt_costs=False))
    assert {*TEXT.splitlines()} < {*text.splitlines()}, "only lines are added"


def test_a_cost_that_creeps_is_compared_with_where_it_began() -> None:
    baseline = f.stored(f.NORMAL)
    for cpu_s in (5.0, 5.9):
        now = f.changed(f.module(costs=f.costs(cpu_s)))
        assert compare(baseline.snapshot, now) == []
        baseline = f.stored(renewed(baseline, now, TOLERANCE, adopt_costs=False))
    assert compare(baseline.snapshot, f.changed(f.module(costs=f.costs(6.5)))) != []


@pytest.mark.parametrize("machine", [f.OTHER_CPU, f.OTHER_SYSTEM])
def test_costs_of_another_machine_are_taken_when_asked_for(machine: str) -> None:
    now = f.changed(f.module(costs=f.costs(9.0, machine=machine)))
    for adopt, wanted in ((False, f.MACHINE), (True, machine)):
        kept = renewed(f.stored(f.NORMAL), now, TOLERANCE, adopt_costs=adopt).modules["Demo.Mid"].costs
        assert kept is not None
        assert kept.machine == wanted


def test_memory_that_grew_on_another_processor_is_taken() -> None:
    now = f.changed(f.module(costs=f.costs(9.0, 9000, machine=f.OTHER_CPU)))
    kept = renewed(f.stored(f.NORMAL), now, TOLERANCE, adopt_costs=False).modules["Demo.Mid"].costs
    assert kept is not None
    assert kept.machine == f.OTHER_CPU
