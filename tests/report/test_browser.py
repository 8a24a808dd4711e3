"""The page in a real Chromium: what one sees, clicks, types; that nothing breaks and nothing leaves it."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.report.conftest import Tab, close_tab, new_tab
from tests.report.simulation import NASTY
from tracker.report.html.model import Dashboard
from tracker.verdict import State

VIEWS = (
    "#/", "#/graph", "#/graph?focus=vit-apex", "#/obligations", "#/causes", "#/modules", "#/time", "#/run/24",
    "#/o/vit-apex", "#/o/vit-step-0", "#/m/Nets.Vit.ApexOne", "#/m/Nets.Vit.Step0One", "#/o/nasty-script",
)  # fmt: skip


def proved(board: Dashboard) -> int:
    return sum(v.proved for v in board.status.verdicts.values())


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens(tab: Tab, view: str) -> None:
    page = tab.open(view)
    expect(page.locator("section.view:not([hidden]) h1").first).to_be_attached()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(
    "address", ["#/nowhere", "#/o/none", "#/m/none", "#/run/999", "#/o/%E0%A4%A", "#/run/x"]
)
def test_addresses_that_lead_nowhere_say_so(tab: Tab, address: str) -> None:
    page = tab.open(address)
    text = page.locator("section.view:not([hidden])").inner_text()
    assert "No such" in text or "obligations are proved" in text


def test_the_first_screen_says_what_is_proved(tab: Tab, board: Dashboard) -> None:
    page = tab.open()
    expect(page.locator("h1").first).to_have_text(
        f"{proved(board)} of {len(board.catalogue)} obligations are proved"
    )
    assert "Lean 4.35.0" in page.locator(".verdict").inner_text()
    assert re.search(r"\d+ of \d+ obligations", page.title())


def test_a_matrix_cell_leads_to_its_obligations(tab: Tab, board: Dashboard) -> None:
    page = tab.open()
    row = next(r for r in board.matrix.rows if r.key == "vit")
    at = [key for key, _ in board.matrix.columns].index("leaf-tie")
    page.locator(".matrix").first.locator("tr", has_text="ViT-Tiny").locator("td").nth(at).locator(
        "a"
    ).click()
    tab.ready()
    expect(page.locator("section:not([hidden]) tbody tr")).to_have_count(row.cells[at].total)
    expect(page.get_by_label("Net", exact=True)).to_have_value("vit")
    expect(page.get_by_label("Kind", exact=True)).to_have_value("leaf-tie")


def test_a_screen_reader_can_read_the_matrix(tab: Tab, board: Dashboard) -> None:
    page = tab.open()
    heard = page.get_by_role("table", name="Nets by kind").aria_snapshot()
    for row in board.matrix.rows:
        assert f'rowheader "{row.title}"' in heard
    for _, title in board.matrix.columns:
        assert f'columnheader "{title}"' in heard
    whole = next(r for r in board.matrix.rows if r.key == "resnet34").whole
    state = f"{whole.proved}/{whole.total} of {whole.total} proved: {whole.words}"
    assert state in heard


def test_obligations_are_filtered_sorted_and_the_address_keeps_it(tab: Tab, board: Dashboard) -> None:
    page = tab.open("#/obligations")
    rows = page.locator("section:not([hidden]) tbody tr")
    page.get_by_label("State", exact=True).select_option("failed")
    failed = [i for i, v in board.status.verdicts.items() if v.state is State.FAILED]
    expect(rows).to_have_count(len(failed))
    page.get_by_label("Text", exact=True).fill("heartbeats")
    beats = [i for i in failed if board.status.verdicts[i].label == "failed:heartbeats"]
    expect(rows).to_have_count(len(beats))
    page.get_by_role("button", name="Obligation", exact=True).click()
    expect(page.locator("th[aria-sort=ascending]")).to_have_text("Obligation")
    shown = [text.split("\n")[0] for text in rows.locator("th").all_inner_texts()]
    assert shown == sorted(beats)
    page.get_by_role("button", name="Obligation", exact=True).click()
    shown = [text.split("\n")[0] for text in rows.locator("th").all_inner_texts()]
    assert shown == sorted(beats, reverse=True)
    assert page.url.endswith("state=failed&text=heartbeats&sort=0.down")
    page.reload()
    tab.ready()
    expect(rows).to_have_count(len(beats))
    page.get_by_role("button", name="Clear").click()
    expect(page.get_by_text(f"{len(board.catalogue)} of {len(board.catalogue)} obligations")).to_be_visible()


def test_more_rows_are_shown_on_demand(tab: Tab) -> None:
    page = tab.open("#/obligations")
    rows = page.locator("section:not([hidden]) tbody tr")
    expect(rows).to_have_count(100)
    page.get_by_role("button", name=re.compile("Show more")).click()
    assert rows.count() > 600


def test_search_by_keyboard(tab: Tab) -> None:
    page = tab.open()
    page.keyboard.press("/")
    page.keyboard.type("convnext-ape")
    expect(page.get_by_role("option").first).to_contain_text("convnext-apex")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    tab.ready()
    assert page.url.endswith("#/o/convnext-apex")
    expect(page.locator("h1:visible")).to_be_focused()
    page.keyboard.press("/")
    page.keyboard.type("nothing is called so")
    expect(page.get_by_role("listbox")).to_contain_text("nothing found")
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()


def test_back_and_forward(tab: Tab) -> None:
    page = tab.open()
    for link, title in (("Graph", "Graph"), ("Modules", "Modules"), ("Time", "Time")):
        page.get_by_role("link", name=link, exact=True).first.click()
        tab.ready()
        assert page.title().startswith(title)
    for title in ("Modules", "Graph"):
        page.go_back()
        tab.ready()
        assert page.title().startswith(title)
    page.go_forward()
    tab.ready()
    assert page.title().startswith("Modules")
    expect(page.get_by_role("link", name="Modules", exact=True)).to_have_attribute("aria-current", "page")


def test_one_obligation(tab: Tab, board: Dashboard) -> None:
    page = tab.open("#/o/convnext-apex")
    text = page.locator("section:not([hidden])").inner_text()
    probe = board.status.verdicts["convnext-apex"].probe
    assert probe is not None
    for part in ("InputGradB B w", "What convnext-apex says, in words.", "propext, Quot.sound", "Apexes",
                 "Nets/Convnext/ApexOne.lean:", "vjp_comp_diff_at", "If it breaks, "):  # fmt: skip
        assert part in text, part
    link = page.get_by_role("table", name="Dependencies").get_by_role(
        "link", name="convnext-witness-3", exact=True
    )
    link.click()
    tab.ready()
    assert page.url.endswith("#/o/convnext-witness-3")


def test_claims_are_shown_against_what_was_counted(tab: Tab, board: Dashboard) -> None:
    claims = {c.id: c for c in board.status.claims}
    for ident in ("convnext-apex", "vit-apex"):
        page = tab.open(f"#/o/{ident}")
        row = page.get_by_role("table", name="Claims").locator("tbody tr")
        claim = claims[ident]
        expect(row).to_contain_text(f"{claim.claimed}")
        expect(row).to_contain_text("agrees" if claim.holds else "differs")


def test_a_failure_is_shown_whole(tab: Tab, board: Dashboard) -> None:
    ident = next(i for i, v in board.status.verdicts.items() if v.label == "failed:max-rec-depth")
    failure = board.status.verdicts[ident].failure
    assert failure is not None
    page = tab.open(f"#/o/{ident}")
    expect(page.locator("section:not([hidden])").get_by_label("Lean's message")).to_have_text(failure.message)
    text = page.locator("section:not([hidden])").inner_text()
    assert "What others found" in text
    assert "maxHeartbeats = 200000" in text
    page = tab.open("#/causes")
    assert failure.message.splitlines()[0] in page.locator("section:not([hidden])").inner_text()


def test_graph_focus_depth_and_table(tab: Tab, board: Dashboard) -> None:
    page = tab.open("#/graph")
    canvas = page.locator("canvas")
    assert canvas.get_attribute("data-nodes") == str(len(board.catalogue))
    edges = sum(len(ob.depends_on) for ob in board.catalogue)
    assert int(canvas.get_attribute("data-edges") or 0) < edges
    page.get_by_label("Edges that a longer way makes too").check()
    tab.ready()
    expect(page.locator("canvas")).to_have_attribute("data-edges", str(edges))
    page.locator("#g-focus").fill("vit-apex")
    page.keyboard.press("Enter")
    expect(page.locator("canvas")).not_to_have_attribute("data-nodes", str(len(board.catalogue)))
    page.get_by_label("Rests on", exact=True).select_option("1")
    page.get_by_label("Used by", exact=True).select_option("all")
    up = board.catalogue.descendants("vit-apex")
    expected = 1 + len(board.catalogue["vit-apex"].depends_on) + len(up)
    expect(page.locator("canvas")).to_have_attribute("data-nodes", str(expected))
    page.go_back()
    expect(page.get_by_label("Used by", exact=True)).to_have_value("2")


def test_the_way_between_two_nodes(tab: Tab) -> None:
    page = tab.open("#/graph?from=convnext-chain-0&to=convnext-capstone")
    way = page.locator("aside ol li").all_inner_texts()
    assert way[0].strip() == "convnext-chain-0"
    assert way[-1].strip() == "convnext-capstone"
    page = tab.open("#/graph?from=vit-leaf-0&to=convnext-capstone")
    expect(page.locator("aside")).to_contain_text("Neither rests on the other")
    page = tab.open("#/graph?focus=no-such-thing-at-all")
    expect(page.locator("aside")).to_contain_text("No obligation is called")


def test_graph_by_keyboard(tab: Tab, board: Dashboard) -> None:
    page = tab.open("#/graph?focus=vit-apex")
    canvas = page.locator("canvas")
    canvas.focus()
    selected = page.locator("aside .selection h2")
    expect(selected).to_contain_text("vit-apex")
    page.keyboard.press("ArrowRight")
    expect(selected).to_contain_text("vit-tie")
    expect(page.locator("#say")).to_contain_text("vit-tie")
    page.keyboard.press("ArrowLeft")
    expect(selected).not_to_contain_text("vit-tie")
    chosen = selected.inner_text().split()[-1]
    assert chosen in board.catalogue["vit-tie"].depends_on
    page.keyboard.press("f")
    expect(page.locator("#g-focus")).to_have_value(chosen)
    tab.ready()
    page.locator("canvas").focus()
    page.keyboard.press("Enter")
    tab.ready()
    assert page.url.endswith(f"#/o/{chosen}")
    page.go_back()
    tab.ready()
    page.locator("canvas").focus()
    page.keyboard.press("Escape")
    expect(page.locator("canvas")).to_have_attribute("data-nodes", str(len(board.catalogue)))


def test_graph_by_pointer_and_the_address_holds_the_view(tab: Tab) -> None:
    page = tab.open("#/graph?focus=vit-capstone&down=0&up=0")
    box = page.locator("canvas").bounding_box()
    assert box is not None
    page.locator("canvas").click(position={"x": 5, "y": 5})
    expect(page.locator("aside .selection")).to_have_count(0)
    _, x, y = (float(v) for v in (page.locator("canvas").get_attribute("data-view") or "").split(","))
    page.locator("canvas").click(position={"x": x, "y": y})
    expect(page.locator("aside .selection h2")).to_contain_text("vit-capstone")
    page.mouse.move(box["x"] + 300, box["y"] + 200)
    page.mouse.wheel(0, -400)
    page.mouse.down()
    page.mouse.move(box["x"] + 360, box["y"] + 260, steps=4)
    page.mouse.up()
    page.wait_for_function("location.hash.includes('at=')")
    page.wait_for_timeout(200)
    before = page.locator("canvas").get_attribute("data-view")
    page.reload()
    tab.ready()
    assert close(before, page.locator("canvas").get_attribute("data-view"))


def close(one: str | None, other: str | None) -> bool:
    pairs = zip((one or "").split(","), (other or "").split(","), strict=True)
    return all(abs(float(a) - float(b)) < 4 for a, b in pairs)


@pytest.mark.parametrize("kind", ["wall", "peak", "budget"])
def test_graph_coloured_by_cost(tab: Tab, kind: str) -> None:
    page = tab.open(f"#/graph?colour={kind}")
    expect(page.locator("aside")).to_contain_text("up to ")
    expect(page.locator("aside")).to_contain_text("not known")


def test_the_graph_shows_past_states(tab: Tab, board: Dashboard) -> None:
    page = tab.open("#/graph?run=3&pick=vit-apex")
    expect(page.locator("aside")).to_contain_text("States after run 3")
    expect(page.locator("aside .selection h2")).to_contain_text(board.records.replay.after(3)["vit-apex"])


def test_the_slider_shows_any_moment(tab: Tab, board: Dashboard) -> None:
    page = tab.open("#/time")
    slider = page.get_by_role("slider", name="Run")
    slider.focus()
    counts = board.records.replay.proved_counts()
    for number in (24, 23, 22):
        expect(page.locator("section:not([hidden]) .legend").first).to_contain_text(
            f"{counts[number - 1]} proved"
        )
        expect(slider).to_have_attribute("aria-valuetext", re.compile(f"^run {number},"))
        page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Later run").click()
    assert "run=22" in page.url


def test_every_chart_has_its_table(tab: Tab) -> None:
    for view in ("#/time", "#/m/Nets.Convnext.ApexOne", "#/o/convnext-apex"):
        page = tab.open(view)
        charts = page.locator("section:not([hidden]) figure:has(svg.chart)")
        assert charts.count() >= 2
        for figure in charts.all():
            figure.locator("summary").click()
            expect(figure.locator("tbody tr").nth(2)).to_be_attached()


def test_charts_can_be_read_by_keyboard(tab: Tab) -> None:
    page = tab.open("#/o/convnext-apex")
    drawing = page.locator("svg.chart").first
    drawing.focus()
    page.keyboard.press("End")
    tip = page.locator(".tip").first
    expect(tip).to_have_text(re.compile(r"^run \d+: wall .* CPU "))
    last = tip.inner_text()
    page.keyboard.press("ArrowLeft")
    expect(tip).not_to_have_text(last)


def test_toolchains_side_by_side(tab: Tab, board: Dashboard) -> None:
    page = tab.open("#/time?compare=1")
    table = page.get_by_role("table", name="Modules under two toolchains")
    assert board.comparison is not None
    first = table.locator("tbody tr").first
    expect(first).to_contain_text("Nets.Convnext.ApexOne")
    page.get_by_label("Old toolchain").select_option(label="4.32.2")
    expect(table.locator("thead")).to_contain_text("4.32.2")


def test_a_run_shows_its_schedule_and_critical_path(tab: Tab, board: Dashboard) -> None:
    run = next(r for r in board.records.runs if r.checked > 100)
    page = tab.open(f"#/run/{run.number}")
    expect(page.locator("svg.timeline rect")).to_have_count(run.checked)
    path = [text.split(" ")[0] for text in page.locator("section:not([hidden]) ol li").all_inner_texts()]
    assert path == critical_path(board, run.number)


def critical_path(board: Dashboard, number: int) -> list[str]:
    """Return the chain of imports with the largest sum of wall times in a run, found independently."""
    wall = {
        p.module: round(p.cost.wall_s * 1000)
        for series in board.records.series.values() for p in series if p.run == number and p.cost
    }  # fmt: skip
    best: dict[str, tuple[int, list[str]]] = {}
    for module in board.project.modules:
        under = max((best[i] for i in board.project.imports(module)), key=lambda b: b[0], default=(0, []))
        own = [module] if module in wall else []
        best[module] = (under[0] + wall.get(module, 0), under[1] + own)
    return max(best.values(), key=lambda b: b[0])[1]


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


def test_dark_and_light(browser: Browser, page_file: Path) -> None:
    tab = new_tab(browser, page_file.as_uri(), dark=True)
    page = tab.open()
    background = "getComputedStyle(document.body).backgroundColor"
    assert page.locator("html").get_attribute("data-theme") == "dark"
    dark = page.evaluate(background)
    page.get_by_role("button", name="Switch to light").click()
    assert page.evaluate(background) != dark
    page.reload()
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
