"""One `lake build` for everything: the same records as module by module, each kept as it comes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import Site, make_site
from tests.run.test_interruption import checked_in, wait_until_idle
from tests.run.test_parallel import FACTS, SAID, rows
from tracker.embedded.sysroot import ensure

REAL = Path(__file__).parent.parent / "lean" / "failures" / "real"
SLOW = (REAL / "kernel_timeout.lean").read_text().replace("maxHeartbeats 400", "maxHeartbeats 0")


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A project with failures of several kinds, and what they block, that nobody has checked yet."""
    made = make_site(tmp_path_factory.mktemp("wrong"))
    made.write("Wrong", "import Demo.Side\n\ntheorem Demo.wrong : 1 = 2 := rfl\n")
    made.write("After", "import Demo.Wrong\n\ntheorem Demo.after : 1 = 2 := Demo.wrong\n")
    made.write("Lost", "import Demo.Nowhere\n\ntheorem Demo.lost : 1 = 1 := rfl\n")
    made.write("Sorry", "theorem Demo.gap : 1 = 2 := sorry\n")
    return made


def test_the_same_records_as_module_by_module(wrong: Site) -> None:
    together = wrong.tracker("run", "--whole")
    assert together.code == 1
    assert "Demo.After not tried: Demo.Wrong" in together.err
    facts, said, labels = rows(wrong, FACTS), rows(wrong, SAID), wrong.labels()
    assert wrong.tracker("run", "--fresh").code == 1
    second = "WHERE run = 2 ORDER"
    assert rows(wrong, FACTS.replace("ORDER", second)) == facts
    assert rows(wrong, SAID.replace("ORDER", second)) == said
    assert wrong.labels() == labels


def test_what_was_finished_is_kept_when_it_is_cut_off(proved: Site) -> None:
    before = checked_in(proved.root / ".tracker" / "history.db")
    driver = subprocess.Popen(
        [sys.executable, "-m", "tracker", "run", "--fresh", "--whole"], cwd=proved.root,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=one_at_a_time(),
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while checked_in(proved.root / ".tracker" / "history.db") == before:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    driver.send_signal(signal.SIGINT)
    _, said = driver.communicate(timeout=30)
    assert driver.returncode == 130
    assert b"Traceback" not in said
    wait_until_idle(proved)
    assert before < checked_in(proved.root / ".tracker" / "history.db") < 2 * before
    assert proved.tracker("run", "--whole").code == 0


def one_at_a_time() -> dict[str, str]:
    return {**os.environ, "LEAN_NUM_THREADS": "1"}


def test_limits_are_each_module_s_own(site: Site) -> None:
    """The module that takes too long is stopped; those beside it are not."""
    site.write("Long", SLOW.replace("tree 24", "tree 60"))
    done = site.tracker("run", "--whole", "--wall", "8s")
    assert "wall-timeout" in done.err
    assert done.err.count("✔") == 4
    ((limit, signal_),) = rows(site, "SELECT stopped_by, signal FROM module_check WHERE module = 'Demo.Long'")
    assert (limit, signal_) == ("wall", 15)


@pytest.mark.parametrize("more", [["-j", "2"], ["--repeat", "2"], ["--memory", "4GiB"]])
def test_what_only_lake_can_decide(site: Site, more: list[str]) -> None:
    done = site.tracker("run", "--whole", *more)
    assert done.code == 2
    assert "LEAN_NUM_THREADS" in done.err


def mathlib_site(site: Site, code: int) -> Site:
    """A project that requires Mathlib, with a Lake that notes when it is asked for the cache."""
    real = ensure()
    lake = site.root / "lake"
    lake.write_text(
        f'#!/bin/sh\n[ "$1" = exe ] && {{ echo "$@" >> {site.root}/asked; echo no network >&2; '
        f"exit {code}; }}\n"
        f'exec {real.lake} "$@"\n'
    )
    lake.chmod(0o755)
    file = site.root / "tracker.toml"
    file.write_text(
        file.read_text().replace('"embedded"', '"asked"')
        + f'[toolchains.asked]\nlake = "lake"\nlean = "{real.lean}"\n'
    )
    packages = [{"name": "mathlib", "url": "https://example.org/mathlib", "type": "git", "rev": "abc"}]
    manifest = {"version": "1.1.0", "packagesDir": ".lake/packages", "packages": packages, "name": "Demo"}
    (site.root / "lean" / "lake-manifest.json").write_text(json.dumps(manifest))
    return site


def test_mathlib_s_cache_is_fetched_on_request_only(site: Site) -> None:
    made = mathlib_site(site, 0)
    environment = {"LEAN_SYSROOT": str(ensure().root)}
    made.tracker("run", "Demo.Side", environment=environment)
    assert not (site.root / "asked").exists()
    made.tracker("run", "Demo.Base", "--cache-get", environment=environment)
    assert (site.root / "asked").read_text() == "exe cache get\n"


def test_a_cache_that_cannot_be_had(site: Site) -> None:
    done = mathlib_site(site, 1).tracker(
        "run", "Demo.Side", "--cache-get", environment={"LEAN_SYSROOT": str(ensure().root)}
    )
    assert done.code == 3
    assert "no network" in done.err
    assert "without --cache-get" in done.err


def test_a_cache_of_what_is_not_required(site: Site) -> None:
    done = site.tracker("run", "--cache-get")
    assert done.code == 2
    assert "does not require Mathlib" in done.err
