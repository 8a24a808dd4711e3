"""A Lake that misbehaves, a disk that is full, a clock that jumps: named, survived, and made good later."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.conftest import Site
from tests.run.test_interruption import wait_until_idle
from tests.run.test_parallel import rows
from tracker.embedded.sysroot import ensure
from tracker.run.session import only_one

FAILED = "SELECT failures FROM module_check WHERE module = 'Demo.Mid' ORDER BY id DESC"


def lake_that(site: Site, before: str, after: str) -> None:
    """Have the site use a `lake` that runs shell commands before and after the real one builds `Demo.Mid`."""
    real = ensure()
    script = site.root / "lake"
    script.write_text(
        f"#!/bin/sh\nLEAN_SYSROOT={real.root}; export LEAN_SYSROOT\n"
        f'case "$*" in *+Demo.Mid*) {before};; esac\n{real.lake} "$@"; code=$?\n'
        f'case "$*" in *+Demo.Mid*) {after};; esac\nexit $code\n'
    )
    script.chmod(0o755)
    (site.root / "tracker.toml").write_text(
        '[tracker]\nproject = "lean"\ntoolchain = "mine"\n'
        f'[toolchains.mine]\nlake = "{script}"\nlean = "{real.lean}"\n'
    )


def failure(site: Site) -> str:
    return str(rows(site, FAILED)[0][0])


STUBBORN = "trap '' TERM INT; while :; do sleep 0.2; done"
HANGING = {
    "hangs": "sleep 600",
    "ignores SIGTERM": STUBBORN,
    "hangs in a daemon's shadow": f'setsid sh -c "{STUBBORN}" & sleep 600',
}


@pytest.mark.parametrize(("how", "jobs"), list(zip(HANGING, ("1", "2", "2"), strict=True)))
def test_a_lake_that_never_ends(site: Site, how: str, jobs: str) -> None:
    lake_that(site, HANGING[how], ":")
    done = site.tracker("run", "Demo.Mid", "-j", jobs, "--wall", "5s")
    assert "Demo.Mid  wall-timeout" in done.err
    assert "✔" in done.err, "what came before is kept"
    wait_until_idle(site)


def test_a_lake_that_leaves_a_daemon(site: Site) -> None:
    lake_that(site, f'setsid sh -c "{STUBBORN}" >/dev/null 2>&1 &', ":")
    site.tracker("run", "Demo.Mid", "Demo.Side", "-j", "2")
    assert site.labels()["lemma"] == "proved"
    wait_until_idle(site)


def test_a_lake_that_prints_without_end(site: Site) -> None:
    """It is read to its end and not kept: memory and store stay small."""
    lake_that(site, "yes 'error: a line that says the same again and again' | head -c 200000000", ":")
    driver = subprocess.Popen(
        [sys.executable, "-m", "tracker", "run", "Demo.Mid"], cwd=site.root,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    _, _, usage = os.wait4(driver.pid, 0)
    driver.returncode = 0
    assert usage.ru_maxrss * 1024 < 400 * 2**20
    assert sum(file.stat().st_size for file in (site.root / ".tracker").iterdir()) < 20 * 2**20
    assert site.labels()["lemma"] == "proved", "whatever Lake prints, Lean checked it"


def test_errors_in_the_log_of_a_lake_that_ran_nothing_and_exits_0(site: Site) -> None:
    lake_that(site, "echo 'error: Demo/Mid.lean:3:0: something is wrong'; exit 0", ":")
    site.tracker("run", "Demo.Mid")
    assert "inconsistent-exit" in failure(site)


def test_errors_of_lean_under_a_lake_that_exits_0(site: Site) -> None:
    lake_that(site, ":", "exit 0")
    site.edit("Mid", "n + 0 = n := rfl", "n + 0 = n := Nat.zero")
    site.tracker("run", "Demo.Mid")
    assert site.labels()["lemma"] == "failed:type-error", "Lean's own exit code counts"


@pytest.mark.parametrize("mode", [(), ("--whole",)])
def test_exit_code_1_without_an_error(site: Site, mode: tuple[str, ...]) -> None:
    """Lake's word stands against Lean's: module by module it fails; for a whole build no module is named."""
    lake_that(site, ":", "exit 1")
    done = site.tracker("run", "Demo.Mid", *mode)
    assert done.code == 1
    if not mode:
        assert "Lake ended with exit code 1" in failure(site)
        assert site.labels()["lemma"] == "failed:unclassified"


def test_a_lake_that_is_killed_says_so(site: Site) -> None:
    lake_that(site, "kill -9 $$", ":")
    site.tracker("run", "Demo.Mid")
    assert '"cls":"killed"' in failure(site)
    assert "Demo.Mid" in site.tracker("run", "--dry-run", "Demo.Mid").out, "it is tried again"


FULL = """
set -e
mount -t tmpfs -o size=96k none "$1"
set +e
"$2" -m tracker run --fresh --state "$1"; echo "first $?"
mount -o remount,size=64m "$1"
"$2" -m tracker run --state "$1"; echo "then $?"
"$2" -m tracker run --dry-run --state "$1"
"""


def test_a_full_disk_under_the_store(site: Site) -> None:
    """The run ends with a cure; with room again the next one goes on, and the store is whole."""
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no file systems can be mounted here")
    state = site.root / "state"
    state.mkdir()
    done = subprocess.run(
        ["unshare", "-rm", "bash", "-c", FULL, "bash", str(state), sys.executable],
        cwd=site.root, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stdout + done.stderr
    assert "first 2" in done.stdout, done.stdout + done.stderr
    assert "make room on the disk" in done.stderr
    assert "then 0" in done.stdout, done.stdout + done.stderr
    assert "0 of 4 modules would be checked" in done.stdout


def test_a_store_that_cannot_be_written(proved: Site) -> None:
    """Reading goes on; a run says at once what is wrong, and starts no Lean."""
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no file systems can be mounted here")
    script = """
        mount --bind "$1" "$1" && mount -o remount,ro,bind "$1"
        "$2" -m tracker status >/dev/null; echo "status $?"
        "$2" -m tracker run --fresh; echo "run $?"
    """
    done = subprocess.run(
        ["unshare", "-rm", "bash", "-c", script, "bash", str(proved.root / ".tracker"), sys.executable],
        cwd=proved.root, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert "status 0" in done.stdout, done.stdout + done.stderr
    assert "run 2" in done.stdout
    assert "--state" in done.stderr
    assert "Demo." not in done.stderr


JUMPED = """
import time
real = time.time
time.time = lambda: real() - 400 * 86400
from tracker.cli.main import main
main(["run"])
"""


def test_the_clock_jumps_back(proved: Site) -> None:
    """Costs come from a clock that does not jump; what is newest is what was kept last."""
    proved.edit("Side", "rfl", "by rfl")
    done = subprocess.run(
        [sys.executable, "-c", JUMPED], cwd=proved.root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    walls = [row[0] for row in rows(proved, "SELECT wall_s FROM module_check WHERE run = 2")]
    assert len(walls) == 1
    assert 0 < float(str(walls[0])) < 600
    proved.edit("Side", "by rfl", "sorry")
    assert proved.tracker("run").code == 1
    assert proved.labels()["side"] == "sorry", "the newest counts, whatever its time"


def test_beside_a_run_one_can_read_and_nobody_else_can_write(proved: Site) -> None:
    with only_one(proved.root / ".tracker"):
        assert proved.tracker("status").code == 0
        for verb in (("run", "-j", "2"), ("merge", ".tracker")):
            done = proved.tracker(*verb)
            assert done.code == 2
            assert "another `tracker run`" in done.err
    assert proved.tracker("run").code == 0
