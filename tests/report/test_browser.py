"""The page in a real Chromium: what one sees, clicks, types; that nothing breaks and nothing leaves it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.report.conftest import Tab, proved
from tracker.report.html.model import Dashboard
from tracker.verdict import State

VIEWS = (
    "#/", "#/graph", "#/graph?focus=vit-apex", "#/obligations", "#/causes", "#/modules", "#/time", "#/run/24",
    "#/o/vit-apex", "#/o/vit-step-0", "#/m/Nets.Vit.ApexOne", "#/m/Nets.Vit.Step0One", "#/o/nasty-script",
)  # fmt: skip


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


def test_every_view_is_reached_by_keyboard_alone(tab: Tab) -> None:
    page = tab.open()
    focused = "document.activeElement.closest('nav') && document.activeElement.textContent"
    for title in ("Graph", "Obligations", "Causes", "Modules", "Time", "Overview"):
        page.locator("header a").first.focus()
        for _ in range(8):
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement.matches(':focus-visible')"), "one sees where one is"
            if page.evaluate(focused) == title:
                break
        page.keyboard.press("Enter")
        tab.ready()
        link = page.get_by_role("link", name=title, exact=True).first
        expect(link).to_have_attribute("aria-current", "page")


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


def test_headroom_and_profile_of_one_obligation(tab: Tab) -> None:
    text = tab.open("#/o/vit-apex").locator("section:not([hidden]) .facts").last.inner_text()
    assert "needs 480 of 512 maxRecDepth (94 %); max-rec-depth at 470" in text
    assert "needs 20\u202f000 of 200\u202f000 maxHeartbeats (10 %)" in text
    assert "elaboration 2.50 s, kernel 54 ms, other 375 ms" in text
    text = tab.open("#/o/vit-leaf-1").locator("section:not([hidden]) .facts").last.inner_text()
    assert "needs 20\u202f000 of no limit, maxHeartbeats" in text
    text = tab.open("#/o/vit-leaf-2").locator("section:not([hidden]) .facts").last.inner_text()
    assert "not measured" in text
    assert "not profiled" in text


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
