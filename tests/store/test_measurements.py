"""Measurements of declarations are kept, hold for their sources only, and show when they were edited."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from tests.store.test_history import opened
from tracker.errors import StoreError
from tracker.store.history import FILE_NAME
from tracker.store.measurements import Measurement, add_measurements, measurements
from tracker.store.merge import merge

ONE = Measurement("M", "M.x", "f", "headroom", "maxRecDepth", "box", 5.0, {"needed": 20})


def test_the_newest_that_holds_is_returned(tmp_path: Path) -> None:
    history = opened(tmp_path)
    newer = replace(ONE, measured_at=6.0, body={"needed": 30})
    other = replace(ONE, subject="maxHeartbeats")
    add_measurements(history, [ONE, newer, other, replace(ONE, kind="profile", subject="")])
    assert measurements(history, "headroom", {"M": "f"}) == (newer, other)
    assert measurements(history, "headroom", {"M": "g"}) == ()
    assert len(measurements(history, "profile", {"M": "f"})) == 1


def test_an_edited_one_is_refused(tmp_path: Path) -> None:
    history = opened(tmp_path)
    add_measurements(history, [ONE])
    with sqlite3.connect(tmp_path / FILE_NAME) as db:
        db.execute("UPDATE measurement SET body = '{\"needed\": 1}'")
    with pytest.raises(StoreError, match="not as it was recorded"):
        measurements(history, "headroom", {"M": "f"})


def test_merging_brings_them_once(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    source, target = opened(tmp_path / "a"), opened(tmp_path / "b")
    add_measurements(source, [ONE])
    for _ in range(2):
        merge(target, [tmp_path / "a"])
    assert measurements(target, "headroom", {"M": "f"}) == (ONE,)
    assert len(target.select("SELECT * FROM measurement")) == 1
