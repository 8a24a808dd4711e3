"""From facts to one HTML file: no request leaves it, and no text of the project is ever run.

Scripts and styles are inlined and named by hash in a Content-Security-Policy; data goes in as escaped JSON
or packed as base64; everything else passes through Jinja's escaping.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import unicodedata
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from tracker import __version__
from tracker.report.html.changes import state_of
from tracker.report.html.costs import ModuleCost
from tracker.report.html.matrix import Matrix, count_states
from tracker.report.html.model import Dashboard
from tracker.report.html.payload import Payload
from tracker.report.html.states import LOOKS
from tracker.report.html.texts import texts
from tracker.report.html.words import headline, moment, times
from tracker.units import show_bytes, show_count, show_seconds
from tracker.verdict import State

SCRIPTS = (
    "base", "data", "theme", "table", "chart", "lean", "obligations", "obligation", "modules", "time", "run",
    "reach", "canvas", "scene", "graph", "panel", "search", "live", "app",
)  # fmt: skip
_HEAVIEST = 6
_CODE = re.compile(r"`([^`\n]+)`")
_LONGEST_MESSAGE = 4000


def render(board: Dashboard, *, served: bool = False) -> str:
    """Return the whole page. With `served`, its script may ask the server it came from for news."""
    style, early, script = _asset("style.css"), _asset("early.js"), _scripts()
    payload = Payload(board)
    core = _json(payload.core() | {"served": served})
    template = _environment().get_template("page.html")
    return template.render(
        board=board, looks=LOOKS, style=style, early=early, script=script, icon=_icon(board),
        policy=policy([early, script], [style], served=served), tracker_version=__version__,
        core=core, texts=_packed(texts(board)), history=_packed(payload.history()),
        headline=headline(board.status), verdict_state=verdict_state(board), spark=_spark(board),
        wrong_claims=[claim for claim in board.status.claims if not claim.holds],
        **_bar(board), **_heaviest(board.costs),
    )  # fmt: skip


def verdict_state(board: Dashboard) -> State:
    """Return the state whose mark stands beside the headline."""
    return State.PROVED if board.status.passed else State.FAILED


def policy(scripts: Iterable[str], styles: Iterable[str], *, served: bool) -> str:
    """Return the Content-Security-Policy under which only these texts are run and nothing is fetched."""
    connect = "; connect-src 'self'" if served else ""
    return (
        f"default-src 'none'; script-src {_hashes(scripts)}; style-src {_hashes(styles)}; img-src data:; "
        f"base-uri 'none'; form-action 'none'{connect}"
    )


def _hashes(sources: Iterable[str]) -> str:
    digests = (hashlib.sha256(text.encode()).digest() for text in sources)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


@cache
def _asset(name: str) -> str:
    text = (resources.files("tracker.report.html") / "assets" / name).read_text(encoding="utf-8")
    assert "</" + "script" not in text, f"{name} would end its own element"
    return text


@cache
def _scripts() -> str:
    """Return all scripts as one, in which each file's names are known to the others and to nobody else."""
    body = "\n".join(_asset(f"{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{body}\n}})();'


def _json(data: Mapping[str, Any]) -> str:
    """Return JSON that may stand inside a script element: no character in it can end one."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    text = text.encode("utf-8", "replace").decode("utf-8")
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _packed(data: Mapping[str, Any]) -> str:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).decode("ascii")


def _icon(board: Dashboard) -> str:
    colour = "#1b69ab" if board.status.passed else "#bf2c1b"
    path = LOOKS[verdict_state(board)].path
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">'
        f'<path fill="{colour}" fill-rule="evenodd" d="{path}"/></svg>'
    )
    return f"data:image/svg+xml,{quote(svg)}"


@dataclass(frozen=True)
class _Part:
    state: State
    count: int
    x: float
    width: float


def _bar(board: Dashboard) -> dict[str, Any]:
    counts = count_states(board.status.verdicts.values())
    total = sum(counts.values()) or 1
    parts, x = [], 0.0
    for state, count in counts.items():
        parts.append(_Part(state, count, round(x, 3), round(100 * count / total, 3)))
        x += 100 * count / total
    return {"bar": parts, "counts_text": ", ".join(f"{part.count} {part.state}" for part in parts)}


def _spark(board: Dashboard) -> str:
    """Return the path of the share that was proved after each run, in a box of 1000 by 50; none if level."""
    counts = board.records.replay.proved_counts()
    total = len(board.status.verdicts)
    if len(set(counts)) < 2 or not total:
        return ""
    step = 1000 / (len(counts) - 1)
    points = (f"{i * step:.0f} {48 - 46 * count / total:.1f}" for i, count in enumerate(counts))
    return "M" + "L".join(points)


@dataclass(frozen=True)
class _Heavy:
    """A line of the table of heaviest modules; `most` is what a full meter means."""

    module: str
    value: float
    most: float
    text: str
    budget: float | None
    budget_text: str

    @property
    def over(self) -> bool:
        return self.budget is not None and self.value > self.budget


def _heaviest(costs: Iterable[ModuleCost]) -> dict[str, list[_Heavy]]:
    by_wall = sorted(costs, key=lambda c: -c.cost.wall_s)[:_HEAVIEST]
    by_peak = sorted(costs, key=lambda c: -c.cost.peak_rss_bytes)[:_HEAVIEST]
    wall = max((max(c.cost.wall_s, c.budget.wall_s or 0) for c in by_wall), default=0)
    peak = max((max(c.cost.peak_rss_bytes, c.budget.memory_bytes or 0) for c in by_peak), default=0)
    return {
        "slowest": [
            _Heavy(c.module, c.cost.wall_s, wall, show_seconds(c.cost.wall_s), c.budget.wall_s,
                   show_seconds(c.budget.wall_s)) for c in by_wall
        ],
        "heaviest": [
            _Heavy(c.module, c.cost.peak_rss_bytes, peak, show_bytes(c.cost.peak_rss_bytes),
                   c.budget.memory_bytes, show_bytes(c.budget.memory_bytes)) for c in by_peak
        ],
    }  # fmt: skip


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("tracker.report.html"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {
        "visible": visible, "dotted": dotted, "prose": prose, "plain": plain, "seconds": show_seconds,
        "bytes": show_bytes, "counted": show_count, "when": moment,
        "iso": _iso, "state_of": state_of, "part": lambda text: quote(text, safe=""), "share": _share,
        "times": times, "clip": _clip,
    }  # fmt: skip
    environment.globals |= {"matrix_href": _matrix_href}
    return environment


def visible(text: str) -> Markup:
    """Return escaped text in which characters that cannot be seen, or reorder others, are spelled out."""
    if text.isprintable():
        return escape(text)
    return Markup("").join(
        escape(c) if c.isprintable() or c in "\n\t" or unicodedata.category(c) == "Zs"
        else Markup('<span class="ctl">U+{:04X}</span>').format(ord(c))
        for c in text
    )  # fmt: skip


def prose(text: str) -> Markup:
    """Return escaped text in which what stands between backticks is set as code."""
    escaped = "".join(visible(text))  # a plain text: in a Markup, re would escape what it puts in
    return Markup(_CODE.sub(r"<code>\1</code>", escaped))  # noqa: S704


def dotted(name: str) -> Markup:
    """Return a name that may be broken after its dots."""
    return Markup(".<wbr>").join(visible(part) for part in name.split("."))


def plain(text: str) -> str:
    """Return text for a place where no element may stand: unseen characters are replaced."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _clip(text: str) -> str:
    text = text.strip("\n")
    if len(text) <= _LONGEST_MESSAGE:
        return text
    return (
        f"{text[:_LONGEST_MESSAGE]}\n[{len(text) - _LONGEST_MESSAGE} further characters: see the obligation]"
    )


def _iso(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _share(value: float, most: float) -> float:
    return round(100 * value / most, 2) if most else 0.0


def _matrix_href(matrix: Matrix, row: str, column: str | None) -> str:
    below = f"&{matrix.axis}={quote(column, safe='')}" if column else ""
    return f"#/obligations?{matrix.rows_are}={quote(row or '-', safe='')}{below}"
