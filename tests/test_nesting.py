"""Text nested so deeply that its parser gives up is damaged input like any other, or none at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tracker.config import load_settings
from tracker.embedded import manifest
from tracker.embedded.lake import trace
from tracker.embedded.lake.file import _header
from tracker.embedded.lake.log import LakeError
from tracker.errors import LeanError, TrackerError, UsageError
from tracker.gate.baseline import parse_baseline
from tracker.gate.bisect_run import _read_steps
from tracker.importers.formalization import read as read_formalization
from tracker.lean._toml import TomlError
from tracker.lean._toml import loads as read_toml
from tracker.lean.ilean import read_ilean
from tracker.lean.lakelog import read_trace
from tracker.lean.messages import parse_message
from tracker.locks import read_lock

if TYPE_CHECKING:
    from collections.abc import Callable

DEEP = "[" * 100_000
DEEP_TOML = "a = " + DEEP


@pytest.fixture(name="file")
def _file(tmp_path: Path) -> Path:
    file = tmp_path / manifest.NAME
    file.write_text(DEEP, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("read", "error"),
    [
        (read_lock, UsageError),
        (read_ilean, LeanError),
        (lambda file: _read_steps(file, 3), UsageError),
        (lambda file: read_formalization(file.read_text(), "f.yaml"), UsageError),
        (lambda file: _header(file.read_text()), LakeError),
    ],
)
def test_damaged_files(file: Path, read: Callable[[Path], object], error: type[Exception]) -> None:
    with pytest.raises(error):
        read(file)


def test_damaged_settings(tmp_path: Path) -> None:
    with pytest.raises(TomlError, match="nested too deeply"):
        read_toml(DEEP_TOML)
    (tmp_path / "tracker.toml").write_text(DEEP_TOML, encoding="utf-8")
    with pytest.raises(TrackerError):
        load_settings(tmp_path)


def test_no_baseline_is_read(file: Path) -> None:
    damages = parse_baseline(file.read_text()).damages
    assert [damage.line for damage in damages] == [1]


def test_what_is_no_record_of_lean_or_lake(file: Path) -> None:
    assert read_trace(file.read_bytes()) is None
    assert parse_message('{"severity": ' + DEEP) is None
    assert manifest.read(file.parent) is None
    assert trace.read(str(file)) == "unknown trace format"
