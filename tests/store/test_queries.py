"""What reports ask of the store: runs, costs over runs, probes without repetitions, curves, past failures."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from tests.store.test_history import a_check, opened
from tracker.errors import StoreError
from tracker.evidence import Cost, DeclarationProbe, Location
from tracker.lean.failure import Failure, FailureClass
from tracker.lean.process import Memory
from tracker.run.session import only_one
from tracker.store.history import FILE_NAME, History
from tracker.store.measurements import Measurement, add_measurements
from tracker.store.queries import all_runs, check_points, curves, newest_id, past_failures, probe_points

COST = Cost(1.5, 1.0, 0.2, 1000, None, 3, 4)
PROBE = DeclarationProbe(
    "M.x", "M", "f", True, "theorem", ("propext",), digest="d", location=Location("M.lean", 3, 8)
)


def begin(history: History) -> int:
    return history.begin_run("embedded", "4.35.0 abc", "machine", "c0ffee", True)


def test_runs_are_oldest_first_and_counted(tmp_path: Path) -> None:
    history = opened(tmp_path)
    first, second = begin(history), begin(history)
    history.add_check(first, a_check())
    history.add_check(second, a_check())
    history.add_check(second, replace(a_check(), passed=False))
    with only_one(tmp_path):
        runs = all_runs(history)
        assert list(reversed(runs)) == history.runs(), "the same facts as the store's own list"
    assert [(r.number, r.state, r.checked, r.failed) for r in runs] == [
        (first, "interrupted", 1, 0), (second, "running", 2, 1),
    ]  # fmt: skip
    assert (runs[0].commit, runs[0].dirty) == ("c0ffee", True)


def test_checks_keep_their_order_costs_and_failures(tmp_path: Path) -> None:
    history = opened(tmp_path)
    run = begin(history)
    failure = Failure(FailureClass.CRASH, "runtime", "boom", declaration="M.x")
    history.add_check(run, replace(a_check("one"), cost=COST))
    history.add_check(run, replace(a_check("two"), passed=False, failures=(failure,)))
    one, two = check_points(history)
    assert (one.fingerprint, one.cost, one.failures, one.passed) == ("one", COST, (), True)
    assert (two.fingerprint, two.cost, two.failures, two.passed) == ("two", None, (failure,), False)


def test_probes_that_say_the_same_again_are_left_out_but_not_those_that_change_back(tmp_path: Path) -> None:
    history = opened(tmp_path)
    other = replace(PROBE, axioms=("propext", "sorryAx"))
    for probe in (PROBE, PROBE, other, other, PROBE, replace(PROBE, absurd=True)):
        history.add_probes(begin(history), [probe, replace(probe, declaration="M.y")])
    points = [p for p in probe_points(history) if p.probe.declaration == "M.x"]
    assert [p.run for p in points] == [1, 3, 5, 6]
    assert points[0].probe == PROBE
    assert len(probe_points(history)) == 8


def test_curves_of_some_checks(tmp_path: Path) -> None:
    history = opened(tmp_path)
    run = begin(history)
    curve = (Memory(0.0, 100, None), Memory(0.5, 200, 50))
    for _ in range(3):
        history.add_check(run, replace(a_check(), curve=curve))
    ids = [point.id for point in check_points(history)]
    assert curves(history, ids[1:]) == dict.fromkeys(ids[1:], curve)
    assert curves(history, []) == {}
    assert len(curves(history, ids * 400)) == 3, "more than one statement may hold"


def test_the_newest_failure_of_each_declaration(tmp_path: Path) -> None:
    history = opened(tmp_path)
    old = Failure(FailureClass.HEARTBEATS, "elaborator", "old", declaration="M.x")
    new = Failure(FailureClass.CRASH, "runtime", "new", declaration="M.x")
    whole = Failure(FailureClass.WALL_TIMEOUT, "runtime", "whole")
    for failure in (old, new, whole):
        history.add_check(begin(history), replace(a_check(), passed=False, failures=(failure,)))
    found = past_failures(check_points(history))
    assert {key: failure.message for key, (_, failure) in found.items()} == {
        ("M", "M.x"): "new",
        ("M", ""): "whole",
    }


def test_news_show_in_the_newest_ids(tmp_path: Path) -> None:
    history = opened(tmp_path)
    seen = {newest_id(history)}
    with only_one(tmp_path):
        run = begin(history)
        seen.add(newest_id(history))
        history.add_check(run, a_check())
        seen.add(newest_id(history))
        history.add_probes(run, [PROBE])
        seen.add(newest_id(history))
        history.end_run(run, "finished")
    seen.add(newest_id(history))
    add_measurements(history, [Measurement("M", "M.x", "f", "profile", "", "box", 5.0, {})])
    seen.add(newest_id(history))
    assert len(seen) == 6


@pytest.mark.parametrize(
    "damage", ["UPDATE module_check SET failures = '{'", "UPDATE probe SET axioms = 'x'", "DROP TABLE probe"]
)
def test_damage_is_a_store_error(tmp_path: Path, damage: str) -> None:
    history = opened(tmp_path)
    run = begin(history)
    history.add_check(run, replace(a_check(), passed=False))
    history.add_probes(run, [PROBE])
    with sqlite3.connect(tmp_path / FILE_NAME) as db:
        db.execute(damage)
    db.close()
    with pytest.raises(StoreError):
        (check_points(history), probe_points(history))
    history.close()
