"""`tracker report` as a command: files, sites, forms, the live server; on what real Lean said."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, expect

from tests.conftest import Site
from tests.report.conftest import new_tab
from tests.report.simulation import VERSIONS, toolchain
from tests.report.synthetic import write_world
from tracker.cli.output import write_file
from tracker.config import load_settings
from tracker.errors import UsageError
from tracker.gate.baseline import baseline_text, write_baseline
from tracker.gate.now import take_present
from tracker.report.html.serve import _key, make_server
from tracker.run.session import only_one
from tracker.workspace import Workspace


@pytest.fixture(scope="module")
def checked_once(proved_once: Site, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A project that real Lean has checked twice: first all well, then with one proof broken."""
    site = Site(tmp_path_factory.mktemp("checked"))
    shutil.copytree(proved_once.root, site.root, dirs_exist_ok=True)
    site.edit("Mid", "rw [Demo.lemma, Demo.two_eq]", "rw [Demo.lemma, Demo.no_such_lemma]")
    assert site.tracker("run").code == 1
    return site


@pytest.fixture
def checked(checked_once: Site, tmp_path: Path) -> Site:
    shutil.copytree(checked_once.root, tmp_path / "site")
    return Site(tmp_path / "site")


def test_what_lean_said_is_in_every_form(checked: Site) -> None:
    data = checked.tracker("report", "--format", "json").json
    labels = {ob["id"]: ob["label"] for ob in data["obligations"]}
    assert labels == {
        "two": "proved", "two-eq": "proved", "lemma": "blocked", "main": "failed:unknown-name",
        "top": "blocked", "side": "proved",
    }  # fmt: skip
    cause = data["causes"][0]
    assert (cause["label"], cause["places"][0]["obligation"]) == ("failed:unknown-name", "main")
    assert cause["places"][0]["file"].endswith("Demo/Mid.lean")
    assert "no_such_lemma" in cause["message"]
    assert set(cause["blocks"]) == {"lemma", "top"}
    changes = {(c["before"], c["after"]): c["obligations"] for c in data["since_last_run"]["changes"]}
    assert changes["proved", "failed:unknown-name"] == ["main"]
    assert data["last_complete"]["number"] == 1
    assert data["complete_since"] is None
    markdown = checked.tracker("report", "--format", "markdown").out
    assert "3 of 6 obligations are proved" in markdown
    assert "no_such_lemma" in markdown
    badge = checked.tracker("report", "--format", "badge").json
    assert badge["message"] == "3 of 6 proved"


def test_the_page_goes_to_the_state_directory_or_where_it_is_told(checked: Site) -> None:
    done = checked.tracker("report")
    assert done.code == 0, "a report is a report, whatever it says"
    page = checked.root / ".tracker" / "report.html"
    assert str(page) in done.err
    assert done.out == ""
    assert "3 of 6 obligations are proved" in page.read_text(encoding="utf-8")
    done = checked.tracker("report", "-o", "out/page.html")
    assert (checked.root / "out" / "page.html").exists()
    assert [file.name for file in (checked.root / "out").iterdir()] == ["page.html"], "no draft is left"
    assert checked.tracker("report", "-o", "-").out.startswith("<!doctype html>")


def test_a_directory_gets_a_whole_site(checked: Site) -> None:
    assert checked.tracker("report", "--output", "site/").code == 0
    names = {file.name for file in (checked.root / "site").iterdir()}
    assert names == {"index.html", "report.json", "report.md", "badge.json", ".nojekyll"}
    badge = json.loads((checked.root / "site" / "badge.json").read_text(encoding="utf-8"))
    assert badge["schemaVersion"] == 1


def test_what_is_no_file_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe, link, target = tmp_path / "pipe", tmp_path / "link", tmp_path / "target"
    os.mkfifo(pipe)
    heard: list[str] = []
    reader = Thread(target=lambda: heard.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    write_file(pipe, "text")
    reader.join(timeout=30)
    assert heard == ["text"]
    assert pipe.is_fifo()
    target.write_text("old", encoding="utf-8")
    link.symlink_to(target)
    write_file(link, "lone \ud800")
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "lone ?"
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for bad in (loop / "x.html", target / "x.html", tmp_path):
        with pytest.raises(UsageError):
            write_file(bad, "text")
    assert {file.name for file in tmp_path.iterdir()} == {"pipe", "link", "target", "loop"}


def test_a_full_disk_leaves_the_old_report(checked: Site) -> None:
    (checked.root / "page.html").write_text("old")
    command = f'ulimit -f 64; exec "{sys.executable}" -m tracker report --output page.html'
    done = subprocess.run(
        ["bash", "-c", command], cwd=checked.root, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 2
    assert "page.html: File too large" in done.stderr
    assert (checked.root / "page.html").read_text() == "old"
    assert sorted(f.name for f in checked.root.iterdir() if "page" in f.name) == ["page.html"]


def test_no_path_of_this_machine_is_published(checked: Site) -> None:
    for form in ("html", "json", "markdown"):
        assert str(checked.root) not in checked.tracker("report", "-o", "-", "--format", form).out


def test_without_lean_the_recorded_evidence_is_reported(checked: Site) -> None:
    config = checked.root / "tracker.toml"
    config.write_text(config.read_text(encoding="utf-8").replace("embedded", "lake"), encoding="utf-8")
    done = checked.tracker("report", "--format", "badge", environment={"PATH": "/nonexistent"})
    assert done.code == 0
    assert "by the toolchain of the newest run" in done.err
    assert done.json["message"] == "3 of 6 proved"


def test_without_lean_and_without_evidence_there_is_nothing_to_report(site: Site) -> None:
    config = site.root / "tracker.toml"
    config.write_text(config.read_text(encoding="utf-8").replace("embedded", "lake"), encoding="utf-8")
    assert site.tracker("report", environment={"PATH": "/nonexistent"}).code == 3


@pytest.mark.parametrize(
    "arguments",
    [
        ["--serve", "-o", "x.html"], ["--serve", "--format", "json"], ["--port", "1"],
        ["--format", "json", "-o", "site/"], ["--format", "pdf"], ["-o", "/proc/no/such.html"], ["-o", ""],
    ],
)  # fmt: skip
def test_wrong_use_is_refused(site: Site, arguments: list[str]) -> None:
    done = site.tracker("report", *arguments)
    assert done.code == 2
    assert "Traceback" not in done.err


def test_a_catalogue_with_errors_is_refused_with_its_errors(site: Site) -> None:
    (site.root / "obligations" / "demo.yaml").write_text("obligations: 3\n", encoding="utf-8")
    done = site.tracker("report")
    assert done.code == 2
    assert "demo.yaml:1" in done.err


def fresh(root: Path) -> Workspace:
    workspace = Workspace(load_settings(root, {}, {}))
    workspace.toolchain = toolchain(VERSIONS[-1])
    return workspace


@contextmanager
def served(root: Path) -> Iterator[int]:
    server = make_server(lambda: fresh(root), 0)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def ask(
    port: int, path: str, host: str = "127.0.0.1", method: str = "GET"
) -> tuple[int, dict[str, str], str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, headers={"Host": f"{host}:{port}"})
    answer = connection.getresponse()
    text = answer.read().decode()
    headers = dict(answer.getheaders())
    connection.close()
    return answer.status, headers, text


@pytest.fixture
def world(tmp_path: Path) -> Path:
    root = tmp_path / "world"
    root.mkdir()
    write_world(root, 25, 3, nets=["vit"])
    return root


def test_what_the_server_answers(world: Path) -> None:
    with served(world) as port:
        status, headers, page = ask(port, "/")
        assert (status, page[:15]) == (200, "<!doctype html>")
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Frame-Options"] == "DENY"
        assert "connect-src &#39;self&#39;" in page or "connect-src 'self'" in page
        assert json.loads(ask(port, "/report.json")[2])["schema_version"] == 1
        assert json.loads(ask(port, "/badge.json")[2])["schemaVersion"] == 1
        assert ask(port, "/report.md")[2].startswith("# ")
        assert ask(port, "/../tracker.toml")[0] == 404
        assert ask(port, "/", method="HEAD")[2] == ""


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", ""])
def test_another_name_for_this_machine_is_refused(world: Path, host: str) -> None:
    with served(world) as port:
        assert ask(port, "/", host)[0] == 403
        assert ask(port, "/", "localhost")[0] == 200


def test_news_follow_store_and_sources(world: Path) -> None:
    with served(world) as port:
        ask(port, "/")
        first = json.loads(ask(port, "/news")[2])
        assert first["text"] == ""
        assert json.loads(ask(port, "/news")[2]) == first
        history = fresh(world).open_history(write=True)
        with only_one(fresh(world).settings.state):
            history.begin_run("embedded", toolchain(VERSIONS[-1]).identity, "m", None, False)
            news = json.loads(ask(port, "/news")[2])
            assert "Run 4 has been under way" in news["text"]
            assert "0 modules checked; last heard of " in news["text"]
        assert json.loads(ask(port, "/news")[2])["text"] == "", "it was killed"
        history.end_run(4, "finished")
        history.close()
        deadline = time.monotonic() + 30
        while json.loads(ask(port, "/news")[2])["page"] == first["page"]:
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_a_new_baseline_is_news(world: Path) -> None:
    with served(world) as port:
        ask(port, "/")
        first = json.loads(ask(port, "/news")[2])["page"]
        assert json.loads(ask(port, "/report.json")[2])["since_baseline"] is None
        workspace = fresh(world)
        file = workspace.settings.gate.baseline
        file.parent.mkdir(exist_ok=True)
        write_baseline(file, baseline_text(take_present(workspace).snapshot))
        assert json.loads(ask(port, "/report.json")[2])["since_baseline"] == {
            "with": "the baseline (Lean 4.35.0, not committed)", "new": 0, "gone": [], "changes": [],
        }  # fmt: skip
        assert json.loads(ask(port, "/news")[2])["page"] != first
        page = ask(port, "/")[2]
        assert "Changed since the baseline (Lean 4.35.0, not committed)" in page


def test_an_error_is_shown_and_goes_away_when_it_is_mended(world: Path) -> None:
    file = world / "obligations" / "nets.yaml"
    good = file.read_text(encoding="utf-8")
    file.write_text("obligations: <b>\n", encoding="utf-8")
    with served(world) as port:
        status, _, text = ask(port, "/")
        assert status == 500
        assert "nets.yaml:1" in text
        assert "<b>" not in text
        file.write_text(good, encoding="utf-8")
        assert ask(port, "/")[0] == 200


def test_a_store_that_goes_or_breaks_under_the_server_is_told(world: Path) -> None:
    store = world / ".tracker" / "history.db"
    with served(world) as port:
        ask(port, "/")
        good = store.read_bytes()
        store.unlink()
        assert "No run yet" in json.loads(ask(port, "/news")[2])["text"]
        assert ask(port, "/")[0] == 200
        store.write_bytes(b"no store, but long enough to be one " * 100)
        assert "not a database" in json.loads(ask(port, "/news")[2])["text"]
        assert ask(port, "/")[0] == 500
        store.write_bytes(good)
        assert json.loads(ask(port, "/news")[2])["text"] == ""
        (world / "lean").rename(world / "moved")
        assert ask(port, "/")[0] == 500
        (world / "moved").rename(world / "lean")
        assert ask(port, "/")[0] == 200


def test_what_lake_fetched_is_not_watched(world: Path) -> None:
    before = _key(fresh(world))
    fetched = world / "lean" / ".lake" / "packages" / "big" / "Big.lean"
    fetched.parent.mkdir(parents=True)
    fetched.write_text("-- new", encoding="utf-8")
    assert _key(fresh(world)) == before
    (world / "lean" / "Nets" / "New.lean").write_text("-- new", encoding="utf-8")
    assert _key(fresh(world)) != before


def test_the_page_shows_a_run_while_it_goes_on(world: Path, browser: Browser) -> None:
    with served(world) as port:
        tab = new_tab(browser, f"http://127.0.0.1:{port}/")
        page = tab.open("#/modules")
        history = fresh(world).open_history(write=True)
        with only_one(fresh(world).settings.state):
            history.begin_run("embedded", toolchain(VERSIONS[-1]).identity, "m", None, False)
            expect(page.locator("#live")).to_contain_text("Run 4 has been under way")
            history.end_run(4, "finished")
        history.close()
        page.evaluate("window.kept = 'until the page is made anew'")
        page.wait_for_function("() => window.kept === undefined", timeout=30_000)
        tab.ready()
        assert page.url.endswith("#/modules")
        page.goto(tab.url + "#/run/4")
        expect(page.locator("section:not([hidden]) h1")).to_have_text("Run 4")
        page.context.close()
        assert tab.complaints == []
        assert {url.split("#")[0].split("/")[2] for url in tab.requests if url.startswith("http")} == {
            f"127.0.0.1:{port}"
        }


def test_ctrl_c_ends_the_server_cleanly(site: Site) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tracker", "report", "--serve", "--port", "0"], cwd=site.root,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("http://127.0.0.1:")
    port = int(line.split(":")[2].split("/")[0])
    assert ask(port, "/")[0] == 200
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "Traceback" not in err


def test_a_port_that_is_taken(world: Path, site: Site) -> None:
    with served(world) as port:
        done = site.tracker("report", "--serve", "--port", str(port))
        assert done.code == 2
        assert str(port) in done.err
