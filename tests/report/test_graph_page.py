"""The graph in a real Chromium: focus, ways, keys, pointer, colours, past moments."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.report.conftest import Tab
from tracker.report.html.model import Dashboard


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


@pytest.mark.parametrize(
    "query",
    ["colour=no-such", "at=1e9,0,0", "at=x", "run=999", "down=-1&up=abc&focus=vit-apex", "pick=%E0%A4%A"],
)
def test_an_address_that_says_nonsense_shows_a_graph(tab: Tab, query: str) -> None:
    page = tab.open(f"#/graph?{query}")
    assert int(page.locator("canvas").get_attribute("data-nodes") or 0) > 0
    expect(page.locator("aside")).to_contain_text("Legend")


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


def test_graph_coloured_by_headroom(tab: Tab) -> None:
    page = tab.open("#/graph?colour=headroom&pick=vit-apex")
    aside = page.locator("aside")
    expect(aside).to_contain_text("maxRecDepth or maxHeartbeats that it needs; measured: 2 of ")
    expect(aside).to_contain_text("over 80 %")
    expect(aside).to_contain_text("not measured, or without a limit")
    expect(aside.locator(".selection")).to_contain_text("needs 94 % of its nearest limit")


def test_the_graph_shows_past_states(tab: Tab, board: Dashboard) -> None:
    page = tab.open("#/graph?run=3&pick=vit-apex")
    expect(page.locator("aside")).to_contain_text("States after run 3")
    expect(page.locator("aside .selection h2")).to_contain_text(board.records.replay.after(3)["vit-apex"])
