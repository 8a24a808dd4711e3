"""Logs of all kinds, each with what it tells beside it.

To add one: put LOG under `positive/CLASS/` (it has a failure of that class), `negative/` (whole, no failure)
or `incomplete/` (shows neither success nor failure), and LOG.expected.json beside it.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tracker.lean.failures.explain import explanations
from tracker.lean.failures.from_log import LoggedFailure, LogReport, classify_log
from tracker.lean.failures.model import FailureClass
from tracker.lean.lakelog import LakeLog, read_log, read_trace

HERE = Path(__file__).parent
SIDE = ".expected.json"
LOGS = sorted(
    path
    for folder in ("positive", "negative", "incomplete")
    for path in (HERE / folder).rglob("*")
    if path.is_file() and not path.name.endswith(SIDE)
)
NOT_IN_LOGS = {FailureClass.INCONSISTENT_EXIT, FailureClass.KERNEL_SKIPPED}
"""Classes that only the driver can see."""


def read(path: Path) -> LakeLog:
    data = path.read_bytes()
    return (read_trace(data) if path.suffix == ".trace" else None) or read_log(io.BytesIO(data))


def told(path: Path) -> LogReport:
    return classify_log(read(path))


def summary(entry: LoggedFailure) -> dict[str, Any]:
    failure = entry.failure
    place = f"{failure.file}:{failure.pos.line}:{failure.pos.column}" if failure.pos else ""
    parts = {
        "class": str(failure.cls),
        "phase": failure.phase,
        "where": failure.where,
        "module": entry.module,
        "declaration": failure.declaration or "",
        "place": place,
        "options": dict(failure.options),
        "cause": failure.cause or "",
    }
    return {key: value for key, value in parts.items() if value}


@pytest.mark.parametrize("path", LOGS, ids=lambda path: str(path.relative_to(HERE)))
def test_a_log_tells_what_stands_beside_it(path: Path) -> None:
    expected = json.loads((path.parent / f"{path.name}{SIDE}").read_text(encoding="utf-8"))
    report, log = told(path), read(path)
    assert [summary(entry) for entry in report.failures] == expected["failures"]
    assert (log.complete, report.passed) == (expected["complete"], expected["passed"])


@pytest.mark.parametrize("folder", sorted((HERE / "positive").iterdir()), ids=lambda path: path.name)
def test_a_positive_example_has_a_failure_of_its_folders_class(folder: Path) -> None:
    logs = [path for path in folder.iterdir() if not path.name.endswith(SIDE)]
    assert logs
    for path in logs:
        assert folder.name in {str(entry.failure.cls) for entry in told(path).failures}, path.name


def test_negative_and_incomplete_examples() -> None:
    for path in (HERE / "negative").iterdir():
        if not path.name.endswith(SIDE):
            assert told(path).passed, path.name
    for path in (HERE / "incomplete").iterdir():
        if not path.name.endswith(SIDE):
            report = told(path)
            assert (report.passed, report.failures) == (False, ()), path.name
            assert report.doubts, path.name


def test_every_class_has_an_example_and_an_explanation() -> None:
    shown = {folder.name for folder in (HERE / "positive").iterdir()}
    assert {str(cls) for cls in FailureClass if cls not in NOT_IN_LOGS} == shown
    assert {str(cls) for cls in FailureClass} == set(explanations())


def test_no_side_file_is_left_over() -> None:
    sides = set(HERE.rglob(f"*{SIDE}"))
    assert sides == {path.parent / f"{path.name}{SIDE}" for path in LOGS}
