"""One made-up project with its page, and one browser, for all tests of the report."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.report.synthetic import write_world
from tracker.report.html.model import Dashboard, gather
from tracker.report.html.render import render
from tracker.workspace import Workspace

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "ensure-chromium.sh"
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
NOW = 1_769_299_200.0


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    made, _ = write_world(tmp_path_factory.mktemp("world"), 640, 24, seed=9, nasty=True)
    return made


@pytest.fixture(scope="session")
def board(workspace: Workspace) -> Dashboard:
    return gather(workspace, now=NOW)


@pytest.fixture(scope="session")
def page_file(board: Dashboard, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "report.html"
    file.write_text(render(board), encoding="utf-8")
    return file


@pytest.fixture(scope="session")
def small_page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made, _ = write_world(tmp_path_factory.mktemp("small"), 25, 5, seed=3, nets=["vit"])
    file = tmp_path_factory.mktemp("small-page") / "report.html"
    file.write_text(render(gather(made, now=NOW)), encoding="utf-8")
    return file


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = subprocess.run([SCRIPT], capture_output=True, text=True, check=False, env=os.environ)
    if found.returncode:
        pytest.fail(f"no Chromium: {found.stderr}")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found.stdout.split()[0], args=FLAGS)
        yield started
        started.close()


@dataclass
class Tab:
    """A tab that notes all that goes wrong in it and all that it asks for."""

    page: Page
    url: str
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def open(self, address: str = "#/") -> Page:
        """Show a view, as if its address had been typed."""
        self.page.goto("about:blank")
        self.page.goto(self.url + address)
        self.ready()
        return self.page

    def ready(self) -> None:
        """Wait until the view that the address names is drawn."""
        self.page.wait_for_selector("html[data-ready]")
        self.page.wait_for_function(
            """() => {
              const section = [...document.querySelectorAll("section.view")].find((s) => !s.hidden);
              const canvas = section.querySelector("canvas");
              return canvas ? canvas.dataset.ready : section.dataset.ready === (location.hash || "#/");
            }"""
        )


@pytest.fixture
def tab(browser: Browser, page_file: Path) -> Iterator[Tab]:
    with_tab = new_tab(browser, page_file.as_uri())
    yield with_tab
    close_tab(with_tab)


def new_tab(browser: Browser, url: str, *, width: int = 1400, dark: bool = False) -> Tab:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
    )
    made = Tab(context.new_page(), url)
    made.page.on("console", lambda m: made.complaints.append(f"{m.type}: {m.text}"))
    made.page.on("pageerror", lambda e: made.complaints.append(f"error: {e}"))
    made.page.on("request", lambda r: made.requests.append(r.url))
    made.page.set_default_timeout(15_000)
    return made


def close_tab(used: Tab) -> None:
    """Close a tab; nothing may have gone wrong in it, and nothing but the page itself have been asked for."""
    used.page.context.close()
    assert used.complaints == []
    asked = {url.partition("#")[0] for url in used.requests}
    assert {url for url in asked if not url.startswith("data:")} <= {used.url, "about:blank"}


def proved(board: Dashboard) -> int:
    """Return how many obligations are proved."""
    return sum(v.proved for v in board.status.verdicts.values())
