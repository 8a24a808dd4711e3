"""Several modules at a time: the same evidence as one by one, and nothing left behind."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace

import psutil
import pytest

from tests.conftest import Site
from tests.run.test_interruption import at_work, checked_in, wait_until_idle
from tracker.lean.lake import LakeBuild
from tracker.run import session
from tracker.run.crew import LocalCrew

FACTS = """
SELECT module, fingerprint, passed, exit_code, signal, stopped_by, olean_digest, failures,
    (SELECT group_concat(body, char(10)) FROM message WHERE check_id = module_check.id)
FROM module_check ORDER BY module
"""
SAID = "SELECT module, declaration, fingerprint, found, axioms, statement, digest, uses FROM probe ORDER BY 2"


def rows(site: Site, query: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(site.root / ".tracker" / "history.db") as db:
        found = db.execute(query).fetchall()
    db.close()
    return found


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A project with a failure, what it blocks and what it does not, checked once one by one."""
    from tests.conftest import make_site

    made = make_site(tmp_path_factory.mktemp("recorded"))
    made.write("Wrong", "import Demo.Side\n\ntheorem Demo.wrong : 1 = 2 := rfl\n")
    made.write("After", "import Demo.Wrong\n\ntheorem Demo.after : 1 = 2 := Demo.wrong\n")
    assert made.tracker("run").code == 1
    return made


def test_the_same_evidence_and_verdicts(recorded: Site) -> None:
    facts, said, labels = rows(recorded, FACTS), rows(recorded, SAID), recorded.labels()
    done = recorded.tracker("run", "--fresh", "-j", "3")
    assert done.code == 1
    assert "Demo.After not tried: Demo.Wrong" in done.err
    second = rows(recorded, FACTS.replace("ORDER", "WHERE run = 2 ORDER"))
    assert second == facts
    assert rows(recorded, SAID.replace("ORDER", "WHERE run = 2 ORDER")) == said
    assert recorded.labels() == labels


def test_the_estimate(recorded: Site) -> None:
    now = recorded.tracker("run", "--fresh", "--dry-run", "-j", "2", "--memory", "8GiB", "--json").json
    estimate = now["estimate"]
    assert estimate["unknown"] == ["Demo.After"], "it was blocked, so nobody knows"
    assert 0 < estimate["critical_s"] <= estimate["wall_s"]
    assert 0 < estimate["peak_bytes"] < now["memory_bytes"] == 8 * 2**30
    assert len(estimate["slots"]) == len(now["todo"])
    said = recorded.tracker("run", "--fresh", "--dry-run", "-j", "2").out
    assert "1 module without a record, each runs alone" in said
    assert "estimate with -j 2: at least" in said


def test_modules_are_at_work_together(recorded: Site) -> None:
    driver = subprocess.Popen(
        [sys.executable, "-m", "tracker", "run", "--fresh", "-j", "3"], cwd=recorded.root,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    most = 0
    while driver.poll() is None:
        most = max(most, len({target for p in at_work(recorded) for target in targets(p)}))
        time.sleep(0.01)
    assert driver.returncode == 1
    assert most >= 2


def targets(process: psutil.Process) -> list[str]:
    """Return what a Lake at work was told to build."""
    try:
        return [word for word in process.cmdline() if word.startswith("+Demo.")]
    except psutil.Error:
        return []


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_end_at_any_time_leaves_nothing(proved: Site, how: signal.Signals) -> None:
    before = checked_in(proved.root / ".tracker" / "history.db")
    driver = subprocess.Popen(
        [sys.executable, "-m", "tracker", "run", "--fresh", "-j", "3"], cwd=proved.root,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while checked_in(proved.root / ".tracker" / "history.db") == before:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    driver.send_signal(how)
    _, said = driver.communicate(timeout=30)
    assert driver.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
    assert b"Traceback" not in said
    wait_until_idle(proved)
    assert proved.tracker("run", "-j", "2").code == 0


def test_a_stale_import_is_built_once_before_the_others(proved: Site) -> None:
    proved.write("One", "import Demo.Base\n\ntheorem Demo.one : Demo.two = 2 := Demo.two_eq\n")
    proved.write("Other", "import Demo.Base\n\ntheorem Demo.other : Demo.two = 2 := Demo.two_eq\n")
    for file in (proved.root / "lean" / ".lake").rglob("Base.trace"):
        file.unlink()
    assert proved.tracker("run", "-j", "2").code == 0
    counts = dict(rows(proved, "SELECT module, COUNT(*) FROM module_check WHERE run = 2 GROUP BY module"))
    assert counts == {"Demo.Base": 1, "Demo.One": 1, "Demo.Other": 1}


def test_what_failed_before_is_not_built_again_on_the_way(recorded: Site) -> None:
    """A module that imports one whose failure is known waits; nothing is built for it."""
    recorded.write("Late", "import Demo.Wrong\n\ntheorem Demo.late : 1 = 1 := rfl\n")
    done = recorded.tracker("run", "-j", "2")
    assert "Demo.Late not tried: Demo.Wrong" in done.err
    last = "SELECT COUNT(*) FROM module_check WHERE run = (SELECT MAX(number) FROM run)"
    assert rows(recorded, last) == [(0,)]
    (recorded.root / "lean" / "Demo" / "Late.lean").unlink()


class Cramped(LocalCrew):
    """A crew on a machine whose memory runs out once."""

    spared = False

    def next(self) -> tuple[str, Sequence[LakeBuild]]:
        module, builds = super().next()
        if Cramped.spared:
            return module, builds
        Cramped.spared = True
        outcome = replace(builds[-1].outcome, limit="machine-memory")
        return module, [*builds[:-1], replace(builds[-1], outcome=outcome)]


def test_a_module_that_had_to_make_room_is_checked_again(
    recorded: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tracker.cli.main import cli

    monkeypatch.setattr(session, "LocalCrew", Cramped)
    monkeypatch.chdir(recorded.root)
    cli.main(["run", "--fresh", "-j", "2"], standalone_mode=False)
    said = capsys.readouterr().err
    assert Cramped.spared
    assert "made room for the others; it is checked again, alone" in said
    last = "WHERE run = (SELECT MAX(number) FROM run)"
    modules = [row[0] for row in rows(recorded, f"SELECT module FROM module_check {last} ORDER BY 1")]
    assert modules == [row[0] for row in rows(recorded, FACTS.replace("ORDER", "WHERE run = 1 ORDER"))]


def test_a_jobs_number_that_is_none(site: Site) -> None:
    done = site.tracker("run", "-j", "0")
    assert done.code == 2
    assert "--jobs" in done.err
