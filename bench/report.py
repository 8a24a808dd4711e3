"""The dashboard at its largest: 5,000 obligations and 200 runs. Its size, and how long everything takes.

Prints figures and judges nothing. Usage: python bench/report.py [obligations] [runs]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.report.synthetic import VERSIONS, toolchain, write_world  # noqa: E402
from tracker.config import load_settings  # noqa: E402
from tracker.report.html.layout import lay_out  # noqa: E402
from tracker.report.html.model import gather  # noqa: E402
from tracker.report.html.render import render  # noqa: E402
from tracker.workspace import Workspace  # noqa: E402

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
MEASURE = """async () => {
  const canvas = document.querySelector("canvas"), frames = [];
  const box = canvas.getBoundingClientRect(), at = { clientX: box.left + 400, clientY: box.top + 300 };
  let before = performance.now();
  for (let i = 0; i < 60; i += 1) {
    const deltaY = i < 30 ? -60 : 60;
    canvas.dispatchEvent(new WheelEvent("wheel", { ...at, deltaY, bubbles: true, cancelable: true }));
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    frames.push(now - before);
    before = now;
  }
  frames.sort((a, b) => a - b);
  return [frames[30], frames[57], Number(canvas.dataset.drawMs)];
}"""


def main() -> None:
    size, runs = (int(a) for a in (sys.argv[1:] + ["5000", "200"][len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        begun = time.perf_counter()
        write_world(root, size, runs)
        print(f"made-up store of {size} obligations and {runs} runs: {time.perf_counter() - begun:.1f} s")
        page = _report(root)
        _layout(root)
        _in_the_browser(page)


def _report(root: Path) -> Path:
    workspace = Workspace(load_settings(root, {}, {}))
    workspace.toolchain = toolchain(VERSIONS[-1])
    begun, cpu = time.perf_counter(), time.process_time()
    board = gather(workspace)
    gathered = time.process_time()
    html = render(board)
    wall = time.perf_counter() - begun
    page = root / "report.html"
    page.write_text(html, encoding="utf-8")
    print(
        f"report: {wall:.2f} s wall, {time.process_time() - cpu:.2f} s CPU"
        f" (facts {gathered - cpu:.2f}, page {time.process_time() - gathered:.2f}),"
        f" {page.stat().st_size / 1e6:.2f} MB"
    )
    return page


def _layout(root: Path) -> None:
    workspace = Workspace(load_settings(root, {}, {}))
    catalogue = workspace.catalogue
    deps = {ob.id: ob.depends_on for ob in catalogue}
    begun = time.process_time()
    lay_out(deps, {ob.id: ob.net or "" for ob in catalogue}, ["", *catalogue.nets])
    edges = sum(map(len, deps.values()))
    print(f"layout: {time.process_time() - begun:.2f} s CPU for {len(deps)} nodes and {edges} edges")


def _in_the_browser(page: Path) -> None:
    from playwright.sync_api import sync_playwright

    chromium = subprocess.run(
        [ROOT / "scripts" / "ensure-chromium.sh"], capture_output=True, text=True, check=True
    ).stdout.strip()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        tab = browser.new_page(viewport={"width": 1400, "height": 900})
        begun = time.perf_counter()
        tab.goto(page.as_uri())
        tab.wait_for_selector("html[data-ready]")
        print(f"Chromium: interactive after {time.perf_counter() - begun:.2f} s")
        begun = time.perf_counter()
        tab.evaluate("location.hash = '#/graph'")
        tab.wait_for_selector("canvas[data-ready]")
        print(f"graph: drawn {time.perf_counter() - begun:.2f} s after the click")
        median, slow, draw = tab.evaluate(MEASURE)
        print(
            f"zooming: median frame {median:.1f} ms, 95 % within {slow:.1f} ms;"
            f" one exact drawing {draw:.1f} ms"
        )
        begun = time.perf_counter()
        tab.evaluate("location.hash = '#/time'")
        tab.wait_for_selector("section[data-view=time][data-ready]")
        print(f"history: shown {time.perf_counter() - begun:.2f} s after the click")
        browser.close()


if __name__ == "__main__":
    main()
