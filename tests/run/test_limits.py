"""Limits, and helpers of a run that die: said by name, and made good by the next run."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator

import psutil
import pytest

from tests.conftest import Site
from tests.run.test_interruption import start, wait_until_idle


def helpers(driver: int) -> Iterator[psutil.Process]:
    try:
        yield from psutil.Process(driver).children(recursive=True)
    except psutil.Error:
        return


def words(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


@pytest.mark.parametrize("helper", ["wrapper.py", "guard.py"])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_helper_killed_or_stopped(site: Site, helper: str, how: signal.Signals) -> None:
    file = site.root / "tracker.toml"
    file.write_text(file.read_text() + '[limits]\nwall = "5s"\n')
    driver = start(site)
    hit = False
    while not hit and driver.poll() is None:
        for process in helpers(driver.pid):
            if helper in words(process):
                process.send_signal(how)
                hit = True
                break
        time.sleep(0.002)
    assert hit
    assert driver.wait(60) in (0, 1)
    wait_until_idle(site)
    assert site.tracker("run", "--wall", "60s").code == 0, "the next run makes up for it"


def test_a_wall_limit_and_a_wider_one(site: Site) -> None:
    done = site.tracker("run", "Demo.Side", "--wall", "20ms")
    assert "wall-timeout" in done.err
    assert "Demo.Side" not in site.tracker("run", "--dry-run", "--wall", "20ms", "Demo.Side").out
    assert site.tracker("run", "--wall", "2min").code == 0


def test_a_module_that_says_very_much(site: Site) -> None:
    site.write("Loud", f'macro "a" : command => `(#print "{"x" * 100_000}")\n' + "a\n" * 60)
    assert site.tracker("run", "Demo.Loud").code == 1, "the obligations were not asked about"
    assert (site.root / ".tracker" / "history.db").stat().st_size < 6_000_000
