"""The page in a real Chromium, whatever the text, screen, theme, medium or reader."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.report.conftest import Tab, close_tab, new_tab, proved
from tests.report.simulation import NASTY
from tracker.report.html.model import Dashboard


def test_texts_that_would_break_out_are_shown(tab: Tab) -> None:
    page = tab.open("#/o/nasty-script")
    text = page.locator("section:not([hidden])").inner_text()
    assert NASTY in text
    assert "owned" not in page.title()
    page = tab.open("#/o/nasty-bidi")
    expect(page.locator(".ctl").first).to_have_text("U+202E")
    assert "\u202e" not in page.locator("section:not([hidden])").inner_text()
    page = tab.open("#/o/nasty-big")
    assert len(page.get_by_label("Statement").inner_text()) > 100_000
    for view in ("#/obligations?text=nasty", "#/graph?focus=nasty-script", "#/modules?text=nasty"):
        assert "owned" not in tab.open(view).title()


def test_injected_code_is_not_run(browser: Browser, page_file: Path) -> None:
    tab = new_tab(browser, page_file.as_uri())
    page = tab.open()
    page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "document.title = 'owned'";
          document.body.append(script);
          const image = document.createElement("img");
          image.setAttribute("onerror", "document.title = 'owned'");
          image.src = "data:,";
          document.body.append(image);
        }"""
    )
    page.wait_for_timeout(100)
    assert "owned" not in page.title()
    assert any("Content Security Policy" in text for text in tab.complaints)
    page.context.close()


@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize(
    "view",
    ["#/", "#/obligations?text=nasty", "#/o/nasty-" + "long-name-" * 24, "#/time", "#/modules", "#/graph"],
)
def test_no_view_is_wider_than_the_screen(browser: Browser, page_file: Path, width: int, view: str) -> None:
    tab = new_tab(browser, page_file.as_uri(), width=width)
    page = tab.open(view)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    close_tab(tab)


@pytest.mark.parametrize("view", ["overview", "graph", "obligations", "causes", "modules", "time"])
def test_the_present_view_can_be_seen_among_the_links_of_a_telephone(
    browser: Browser, page_file: Path, view: str
) -> None:
    tab = new_tab(browser, page_file.as_uri(), width=320)
    page = tab.open("#/" + ("" if view == "overview" else view))
    place = page.locator("nav a[aria-current]").bounding_box()
    assert place is not None
    assert place["x"] >= 0
    assert place["x"] + place["width"] <= 320
    close_tab(tab)


def test_dark_and_light(browser: Browser, page_file: Path) -> None:
    tab = new_tab(browser, page_file.as_uri(), dark=True)
    page = tab.open()
    background = "getComputedStyle(document.body).backgroundColor"
    assert page.locator("html").get_attribute("data-theme") == "dark"
    dark = page.evaluate(background)
    page.get_by_role("button", name="Switch to light").click()
    assert page.evaluate(background) != dark
    for _ in range(20):  # Chromium stores a choice by and by: a page loaded at once may miss it
        page.reload()
        if page.locator("html").get_attribute("data-theme") == "light":
            break
    assert page.locator("html").get_attribute("data-theme") == "light", "the choice is kept"
    close_tab(tab)


def test_print(tab: Tab) -> None:
    page = tab.open()
    page.get_by_role("button", name="Switch to dark").click()
    page.emulate_media(media="print")
    expect(page.locator("header")).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert page.pdf()[:5] == b"%PDF-"


def test_without_scripts_the_first_screen_is_there(
    browser: Browser, page_file: Path, board: Dashboard
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(page_file.as_uri())
    expect(page.locator("h1").first).to_be_visible()
    expect(page.get_by_text(f"{proved(board)} of {len(board.catalogue)} obligations")).to_be_visible()
    expect(page.locator(".matrix").first).to_be_visible()
    context.close()


@pytest.fixture(scope="module")
def axe() -> str:
    return resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def violations(page: Page, axe: str, rules: list[str]) -> list[str]:
    found: dict[str, Any] = page.evaluate(
        f"async (rules) => {{ {axe}; return await window.axe.run(document, {{ runOnly: rules }}); }}", rules
    )
    return [
        f"{v['id']}: {node['html'][:160]} {node['failureSummary'][:200]}"
        for v in found["violations"] for node in v["nodes"][:3]
    ]  # fmt: skip


SMALL_VIEWS = (
    "#/", "#/graph?focus=vit-apex", "#/obligations", "#/causes", "#/modules", "#/time", "#/run/5",
    "#/o/vit-apex", "#/o/vit-step-0", "#/m/Nets.Vit.Step0One",
)  # fmt: skip


@pytest.mark.parametrize("view", SMALL_VIEWS)
@pytest.mark.parametrize("dark", [False, True])
def test_no_view_has_an_accessibility_fault(
    browser: Browser, small_page_file: Path, axe: str, view: str, dark: bool
) -> None:
    tab = new_tab(browser, small_page_file.as_uri(), dark=dark)
    rules = ["color-contrast", "link-in-text-block"] if dark else TAGS  # all else is the same
    assert violations(tab.open(view), axe, rules) == []
    close_tab(tab)
