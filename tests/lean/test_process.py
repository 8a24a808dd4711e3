"""Supervision: costs are exact, limits hold, and nothing outlives the supervisor."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.errors import LeanError
from tracker.lean.guard import carriers
from tracker.lean.process import HeadTail, Limits, Memory, Outcome, Supervisor, read_memory

HERE = Path(__file__).parent


NO_LIMITS = Limits()


def run(script: str, limits: Limits = NO_LIMITS) -> Outcome:
    with Supervisor() as supervisor:
        outcome = supervisor.run(["sh", "-c", script], cwd=HERE, limits=limits)
        assert carriers(supervisor.nonce) == []
    return outcome


def test_exit_code_and_streams() -> None:
    outcome = run("echo out; echo err >&2; exit 7")
    assert (outcome.exit_code, outcome.signal, outcome.limit) == (7, None, None)
    assert (outcome.stdout, outcome.stderr) == (b"out\n", b"err\n")


def test_death_by_signal_is_told_from_an_exit() -> None:
    outcome = run("kill -SEGV $$")
    assert (outcome.exit_code, outcome.signal) == (None, signal.SIGSEGV)


def test_cpu_and_wall_are_measured() -> None:
    asleep, at_work = run("sleep 0.5"), run("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done")
    assert 0 < asleep.user_s + asleep.system_s < asleep.wall_s
    assert asleep.user_s + asleep.system_s < at_work.user_s + at_work.system_s


def test_wall_limit() -> None:
    outcome = run("echo begun; sleep 60", Limits(wall_s=0.3))
    assert outcome.limit == "wall"
    assert outcome.stdout == b"begun\n", "what was said before the end is kept"


def test_a_process_that_ignores_sigterm_is_killed() -> None:
    outcome = run("trap '' TERM; while true; do sleep 0.1; done", Limits(wall_s=0.2))
    assert (outcome.limit, outcome.signal) == ("wall", signal.SIGKILL)


def test_a_daemon_that_left_the_group_is_found_by_its_nonce() -> None:
    began = time.monotonic()
    outcome = run("setsid sleep 61 >/dev/null 2>&1 & echo gone")
    assert outcome.exit_code == 0
    assert time.monotonic() - began < 30


def test_a_daemon_that_holds_the_streams_does_not_hold_the_run() -> None:
    began = time.monotonic()
    assert run("setsid sleep 62 & exit 0").exit_code == 0
    assert time.monotonic() - began < 30


def test_memory_limit() -> None:
    eat = f"exec {sys.executable} -c 'x = []\nwhile True: x.append(bytearray(10**7))'"
    outcome = run(eat, Limits(memory_bytes=300 * 2**20))
    assert outcome.limit == "memory"
    assert outcome.peak_rss_bytes > 300 * 2**20


def test_the_machine_keeps_its_reserve() -> None:
    outcome = run("sleep 60", Limits(reserve_bytes=2**60))
    assert outcome.limit == "machine-memory"


def together(supervisor: Supervisor, limits: Limits, *scripts: str) -> list[Outcome]:
    with ThreadPoolExecutor(len(scripts)) as pool:
        runs = [
            pool.submit(supervisor.run, ["sh", "-c", script], cwd=HERE, limits=limits) for script in scripts
        ]
        return [run.result() for run in runs]


def test_the_end_of_one_leaves_the_others_alone() -> None:
    with Supervisor() as supervisor:
        short, long = together(supervisor, NO_LIMITS, "setsid sleep 60 & exit 3", "sleep 1; echo fine")
        assert carriers(supervisor.nonce) == []
    assert (short.exit_code, long.exit_code, long.stdout) == (3, 0, b"fine\n")


def test_the_heaviest_must_make_room() -> None:
    supervisor = Supervisor()
    assert supervisor.is_heaviest(1, 100)
    assert not supervisor.is_heaviest(2, 50)
    assert supervisor.is_heaviest(2, 200)
    assert not supervisor.is_heaviest(1, 100)


def test_stop_ends_all_that_is_at_work() -> None:
    with Supervisor() as supervisor:
        threading.Timer(0.3, supervisor.stop).start()
        outcomes = together(supervisor, NO_LIMITS, "sleep 60", "trap '' TERM; sleep 60 & wait", "sleep 60")
        assert carriers(supervisor.nonce) == []
    assert [outcome.limit for outcome in outcomes] == ["interrupted"] * 3


def test_endless_output_is_read_and_bounded() -> None:
    outcome = run("echo first; yes | head -c 20000000; echo last", Limits(output_bytes=2**20))
    assert outcome.stdout.startswith(b"first\n")
    assert outcome.stdout.endswith(b"last\n")
    assert len(outcome.stdout) < 2 * 2**20
    assert b"bytes dropped" in outcome.stdout


@given(st.lists(st.binary(max_size=50)), st.integers(2, 64))
def test_head_and_tail_are_kept_whatever_the_chunks(chunks: list[bytes], room: int) -> None:
    kept = HeadTail(room)
    for chunk in chunks:
        kept.add(chunk)
    whole = b"".join(chunks)
    if kept.dropped == 0:
        assert kept.value() == whole
    else:
        half = room // 2
        assert kept.value().startswith(whole[:half])
        assert kept.value().endswith(whole[len(whole) - half :])
        assert len(whole) > kept.dropped > 0


def test_a_program_that_is_not_there() -> None:
    with Supervisor() as supervisor, pytest.raises(LeanError, match="no-such-lake") as caught:
        supervisor.run(["/no-such-lake", "build"], cwd=HERE)
    assert caught.value.exit_code == 3


def test_memory_of_a_process_and_of_none() -> None:
    reading = read_memory(os.getpid(), 1.5)
    assert isinstance(reading, Memory)
    assert reading.at_s == 1.5
    assert reading.rss_bytes > 2**20
    assert reading.anon_bytes is None or 0 < reading.anon_bytes <= reading.rss_bytes
    assert read_memory(2**22 + 1, 0.0) is None


DRIVER = """
import sys
from pathlib import Path
from tracker.lean.process import Supervisor
with Supervisor(nonce=sys.argv[1]) as supervisor:
    script = "setsid sleep 63 & (sleep 64; true) & echo ready > $1; sleep 65"
    supervisor.run(["sh", "-c", script, "sh", sys.argv[2]], cwd=Path("/"))
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_driver_leaves_no_process(how: int, tmp_path: Path) -> None:
    nonce, ready = f"test-{how}-{os.getpid()}", tmp_path / "ready"
    driver = subprocess.Popen([sys.executable, "-c", DRIVER, nonce, str(ready)], stderr=subprocess.DEVNULL)
    try:
        wait_for(ready.exists)
        assert carriers(nonce)
    finally:
        driver.send_signal(how)
        driver.wait(30)
    wait_for(lambda: not carriers(nonce))


def wait_for(condition, seconds: float = 20) -> None:  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)
