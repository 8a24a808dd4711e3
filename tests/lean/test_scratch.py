"""Scratch directories: gone with their owner, also with one that was killed."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tracker.lean.scratch import scratch_directory, sweep

OWNER = """
import sys
from tracker.lean.scratch import scratch_directory
with scratch_directory() as directory:
    (directory / "file").write_text("x")
    print(directory, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def own_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)


def test_it_goes_when_it_is_left(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), scratch_directory() as directory:
        (directory / "file").write_text(str(1 / 0))
    assert list(tmp_path.iterdir()) == []


def test_a_killed_owner_s_is_swept_and_a_living_one_s_is_not(tmp_path: Path) -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert owner.stdout is not None
    directory = Path(owner.stdout.readline().decode().strip())
    assert sweep() == []
    assert (directory / "file").exists()
    owner.kill()
    owner.communicate()
    assert directory.exists()
    assert sweep() == [directory]
    assert not directory.exists()


def test_what_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "tracker-notes").mkdir()
    (tmp_path / "tracker-other").write_text("a file")
    assert sweep() == []
    assert len(list(tmp_path.iterdir())) == 2
