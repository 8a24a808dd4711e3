"""A small project that other files cite, rightly and wrongly; it is not compiled."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Done

PROJECT = Path(__file__).parent / "project"


def tracker(directory: Path, *args: str) -> Done:
    done = subprocess.run(
        [sys.executable, "-m", "tracker", *args],
        cwd=directory, env=os.environ, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def cited(tmp_path: Path) -> Path:
    shutil.copytree(PROJECT, tmp_path, dirs_exist_ok=True)
    return tmp_path
