"""Streams that are closed, full or read by nobody: no traceback, a true exit code, and the run goes on."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import Site


def shell(site: Site, command: str) -> tuple[int, str]:
    """Return exit code and all that was said; `tracker` in the command is this one."""
    script = f'tracker() {{ "{sys.executable}" -m tracker "$@"; }}; {command}'
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", script],
        cwd=site.root, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stdout + done.stderr
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("verb", ["status", "status --json", "show main"])
def test_a_full_disk_under_the_output(proved: Site, verb: str) -> None:
    code, said = shell(proved, f"tracker {verb} >/dev/full")
    assert code == 2
    assert "error[SYSTEM]" in said


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(proved: Site, closed: str) -> None:
    assert shell(proved, f"tracker status {closed}")[0] == 0


def test_a_reader_that_goes_away_is_not_a_pass(proved: Site) -> None:
    assert shell(proved, "tracker status --json | true")[0] in (0, 1)
    assert shell(proved, "tracker run --fresh 2>&1 | head -1 >/dev/null; tracker status | cat")[0] == 0
    code, said = shell(proved, "tracker status")
    assert code == 0
    assert "run 2" in said
    assert "cut off" not in said, "a reader that has gone does not end a run"


def test_a_run_with_closed_streams_leaves_the_store_whole(proved: Site) -> None:
    assert shell(proved, "tracker run --fresh <&- >&- 2>&-")[0] == 0
    assert shell(proved, "tracker status")[0] == 0
