"""Kills, Ctrl-C and two at once: nothing is lost, nothing is left behind."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pexpect
import psutil
import pytest

from tests.conftest import Site
from tracker.store.history import open_history

MODULES = 6
KILLS = int(os.environ.get("KILLS", "6"))


@pytest.fixture
def chain(site: Site) -> Site:
    """A project whose check takes a few seconds: modules that import one another."""
    lines = ["obligations:"]
    for i in range(MODULES):
        head = f"import Demo.C{i - 1}\n" if i else ""
        site.write(f"C{i}", f"{head}\ntheorem Demo.c{i} (n : Nat) : n + 0 = n := rfl\n")
        after = f", depends_on: [c{i - 1}]" if i else ""
        lines.append(f"  - {{id: c{i}, kind: foundation, decl: Demo.c{i}, module: Demo.C{i}{after}}}")
    (site.root / "obligations" / "demo.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name in ("Base", "Mid", "Top", "Side"):
        (site.root / "lean" / "Demo" / f"{name}.lean").unlink()
    return site


def start(site: Site, *options: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tracker", "run", *options], cwd=site.root,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def at_work(site: Site) -> list[psutil.Process]:
    """Return the processes that stand in the site's directory: lake, wrapper, lean and the probe."""
    found = []
    for process in psutil.process_iter():
        try:
            if Path(process.cwd()).is_relative_to(site.root) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


def wait_until_idle(site: Site) -> None:
    deadline = time.monotonic() + 20
    while processes := at_work(site):
        assert time.monotonic() < deadline, [p.cmdline() for p in processes]
        time.sleep(0.02)


@pytest.mark.parametrize("options", [(), ("-j", "2"), ("--whole",)])
def test_kills_at_random_moments(
    chain: Site, options: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Nothing is lost, no process and no scratch is left. `bench/kills.py` does the same 200 times."""
    scratch = tmp_path_factory.mktemp("scratch")
    monkeypatch.setenv("TMPDIR", str(scratch))
    began = time.monotonic()
    assert chain.tracker("run", *options).code == 0
    whole = time.monotonic() - began
    undisturbed = chain.labels()
    shutil.rmtree(chain.root / ".tracker")
    shutil.rmtree(chain.root / "lean" / ".lake")
    random.seed(20)
    kept = 0
    for _ in range(KILLS):
        driver = start(chain, *options)
        time.sleep(random.uniform(0.05, 0.6) * whole)
        driver.kill()
        driver.wait()
        wait_until_idle(chain)
        now = checked_in(chain.root / ".tracker" / "history.db")
        assert now >= kept, "what was kept stays"
        kept = now
    with closing(sqlite3.connect(chain.root / ".tracker" / "history.db")) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert chain.tracker("run", *options).code == 0
    assert chain.labels() == undisturbed == {f"c{i}": "proved" for i in range(MODULES)}
    assert chain.tracker("run", "--dry-run", "--json").json["todo"] == []
    # The second run sweeps what the last kill left.
    assert chain.tracker("run", *options, "--fresh").code == 0
    assert list(scratch.iterdir()) == []


def test_a_killed_run_goes_on_where_it_was(chain: Site) -> None:
    driver = start(chain)
    store = chain.root / ".tracker" / "history.db"
    deadline = time.monotonic() + 60
    while checked_in(store) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    driver.kill()
    driver.wait()
    wait_until_idle(chain)
    assert "(cut off)" in chain.tracker("status").out
    assert chain.tracker("status", "--json").json["run"]["state"] == "interrupted"
    assert chain.tracker("report", "--format", "json").json["runs"][0]["state"] == "interrupted"
    assert ", cut off" in chain.tracker("report", "--format", "markdown").out
    todo = chain.tracker("run", "--dry-run", "--json").json["todo"]
    assert len(todo) <= MODULES - 2
    assert chain.tracker("run").code == 0
    with sqlite3.connect(store) as db:
        states = [state for (state,) in db.execute("SELECT state FROM run ORDER BY number")]
    db.close()
    assert states == ["interrupted", "finished"]


def checked_in(store: Path) -> int:
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as db:
            row = db.execute("SELECT COUNT(*) FROM module_check").fetchone()
        db.close()
    except sqlite3.Error:
        return 0
    return int(row[0])


def test_ctrl_c_on_a_terminal(chain: Site) -> None:
    child = pexpect.spawn(
        sys.executable, ["-m", "tracker", "run"], cwd=str(chain.root), encoding="utf-8", dimensions=(24, 80)
    )
    child.expect(r"Demo\.C0", timeout=60)
    child.sendintr()
    child.expect("interrupted; what was finished is kept", timeout=30)
    child.expect(pexpect.EOF, timeout=30)
    child.close()
    assert child.exitstatus == 130
    assert "Traceback" not in (child.before or "")
    wait_until_idle(chain)


def test_sigterm_ends_a_run_like_ctrl_c(chain: Site) -> None:
    driver = start(chain)
    deadline = time.monotonic() + 60
    while checked_in(chain.root / ".tracker" / "history.db") < 1:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    driver.send_signal(signal.SIGTERM)
    assert driver.wait(30) == 130
    wait_until_idle(chain)


def test_two_runs_at_once(chain: Site) -> None:
    first = start(chain)
    deadline = time.monotonic() + 60
    while not (chain.root / ".tracker" / "history.db").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    second = chain.tracker("run")
    assert second.code == 2
    assert "another `tracker run`" in second.err
    assert first.wait(120) == 0


def test_progress_is_plain_lines_where_there_is_no_terminal(chain: Site) -> None:
    done = chain.tracker("run")
    assert done.code == 0
    for i in range(MODULES):
        assert f"Demo.C{i}" in done.err
    assert "\x1b" not in done.err + done.out
    assert all(len(line) <= 80 for line in done.out.splitlines()), "the status fits 80 columns"


def test_the_clock_set_back_does_not_make_old_evidence_newer(chain: Site) -> None:
    assert chain.tracker("run").code == 0
    history = open_history(chain.root / ".tracker", write=True)
    for check in history.evidence({}).checks.values():
        history.add_check(1, replace(check, started_at=check.started_at + 1e9))
    history.close()
    (chain.root / "lean" / "Demo" / "C5.lean").write_text(
        "import Demo.C4\n\ntheorem Demo.c5 (n : Nat) : n + 0 = n := sorry\n", encoding="utf-8"
    )
    os.utime(chain.root / "lean" / "Demo" / "C5.lean", (0, 0))
    assert chain.tracker("run").code == 1
    assert chain.labels()["c5"] == "sorry"
