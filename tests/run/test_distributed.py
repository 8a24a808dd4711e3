"""A local cluster of two workers over one checkout: same records, same verdicts, a lost worker made good."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.conftest import Site, make_site
from tests.run.test_interruption import at_work, checked_in, wait_until_idle
from tests.run.test_parallel import FACTS, SAID, rows


@dataclass
class Cluster:
    """A scheduler and its workers, each a process."""

    file: Path
    processes: list[subprocess.Popen[bytes]]

    def add(self, *words: str) -> subprocess.Popen[bytes]:
        program, *options = words
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{program}", *options],
            cwd=self.file.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.processes.append(process)
        return process

    def worker(self) -> subprocess.Popen[bytes]:
        return self.add(
            "worker", "--scheduler-file", str(self.file), "--nthreads", "1", "--no-nanny", "--no-dashboard",
            "--resources", "memory=4e9",
        )  # fmt: skip

    @property
    def options(self) -> tuple[str, ...]:
        return ("--executor", "dask", "--scheduler", str(self.file))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    pytest.importorskip("distributed")
    made = Cluster(tmp_path_factory.mktemp("cluster") / "scheduler.json", [])
    made.add(
        "scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--no-dashboard",
        "--scheduler-file",
        str(made.file),
    )
    for _ in range(2):
        made.worker()
    try:
        wait_for_workers(made, 2)
        yield made
    finally:
        for process in made.processes:
            process.kill()
            process.wait()


def wait_for_workers(made: Cluster, count: int) -> None:
    script = (
        "import sys; from distributed import Client; c = Client(scheduler_file=sys.argv[1], timeout=60); "
        "c.wait_for_workers(int(sys.argv[2]), timeout=60); c.close()"
    )
    deadline = time.monotonic() + 60
    while not made.file.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    subprocess.run(
        [sys.executable, "-c", script, str(made.file), str(count)], check=True, capture_output=True
    )


def test_the_same_records_and_verdicts(cluster: Cluster, tmp_path: Path) -> None:
    site = make_site(tmp_path)
    site.write("Wrong", "import Demo.Side\n\ntheorem Demo.wrong : 1 = 2 := rfl\n")
    site.write("After", "import Demo.Wrong\n\ntheorem Demo.after : 1 = 2 := Demo.wrong\n")
    there = site.tracker("run", *cluster.options)
    assert there.code == 1, there.err
    assert "Traceback" not in there.err
    assert "Demo.After not tried: Demo.Wrong" in there.err
    facts, said, labels = rows(site, FACTS), rows(site, SAID), site.labels()
    assert site.tracker("run", "--fresh").code == 1
    assert rows(site, FACTS.replace("ORDER", "WHERE run = 2 ORDER")) == facts
    assert rows(site, SAID.replace("ORDER", "WHERE run = 2 ORDER")) == said
    assert site.labels() == labels
    machines = rows(site, "SELECT machine FROM run")
    assert machines[0] == machines[1], "both workers are this machine"
    assert all(cost is not None for (cost,) in rows(site, "SELECT wall_s FROM module_check"))


def builder(cluster: Cluster, site: Site) -> subprocess.Popen[bytes] | None:
    """Return a worker that is building a module of the site."""
    for process in cluster.processes[1:]:
        try:
            if any(
                site.root in Path(child.cwd()).parents for child in psutil.Process(process.pid).children()
            ):
                return process
        except (psutil.Error, OSError):
            continue
    return None


def test_a_lost_worker_s_modules_are_checked_by_another(cluster: Cluster, site: Site) -> None:
    driver = subprocess.Popen(
        [sys.executable, "-m", "tracker", "run", *cluster.options], cwd=site.root,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while (worker := builder(cluster, site)) is None:
        assert time.monotonic() < deadline
        assert driver.poll() is None
        time.sleep(0.01)
    worker.kill()
    _, said = driver.communicate(timeout=120)
    assert driver.returncode == 0, said.decode()
    assert set(site.labels().values()) == {"proved"}
    wait_until_idle(site)
    cluster.worker()
    wait_for_workers(cluster, 2)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_driver_stops_the_workers_builds(cluster: Cluster, proved: Site, how: int) -> None:
    store = proved.root / ".tracker" / "history.db"
    before = checked_in(store)
    driver = subprocess.Popen(
        [sys.executable, "-m", "tracker", "run", "--fresh", *cluster.options], cwd=proved.root,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while checked_in(store) == before and not at_work(proved):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    while builder(cluster, proved) is None and driver.poll() is None:
        time.sleep(0.01)
    driver.send_signal(how)
    _, said = driver.communicate(timeout=30)
    assert driver.returncode == (130 if how == signal.SIGINT else -how)
    assert b"Traceback" not in said
    wait_until_idle(proved)


def test_no_scheduler_and_no_workers(site: Site, tmp_path_factory: pytest.TempPathFactory) -> None:
    pytest.importorskip("distributed")
    done = site.tracker("run", "--executor", "dask")
    assert (done.code, "--scheduler" in done.err) == (2, True)
    assert site.tracker("run", "--executor", "dask", "--scheduler", "tcp://127.0.0.1:9", "-j", "2").code == 2
    lonely = Cluster(tmp_path_factory.mktemp("lonely") / "scheduler.json", [])
    lonely.add(
        "scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--no-dashboard",
        "--scheduler-file",
        str(lonely.file),
    )
    try:
        while not lonely.file.exists():
            time.sleep(0.05)
        done = site.tracker("run", *lonely.options)
        assert done.code == 3
        assert "has no workers" in done.err
    finally:
        lonely.processes[0].kill()
        lonely.processes[0].wait()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_while_the_scheduler_does_not_answer(site: Site, how: int) -> None:
    pytest.importorskip("distributed")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        driver = subprocess.Popen(
            [sys.executable, "-m", "tracker", "run", "--executor", "dask", "--scheduler", address],
            cwd=site.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        silent.settimeout(60)
        with silent.accept()[0]:
            driver.send_signal(how)
            said, _ = driver.communicate(timeout=50)
    assert driver.returncode == 130
    assert said.splitlines()[-1].startswith("interrupted")
