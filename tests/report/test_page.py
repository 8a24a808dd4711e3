"""The page as a text: what may run, what is escaped, what it holds. No browser."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from html.parser import HTMLParser
from typing import Any

import pytest

from tests.report.simulation import BIDI, NASTY
from tracker.report.html.index import brief
from tracker.report.html.model import Dashboard
from tracker.report.html.payload import Payload
from tracker.report.html.render import SCRIPTS, dotted, plain, prose, render, visible
from tracker.report.html.texts import texts


class Elements(HTMLParser):
    """Collects scripts, styles and attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.bodies: dict[str, list[tuple[dict[str, str | None], str]]] = {"script": [], "style": []}
        self.open: tuple[str, dict[str, str | None]] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open = (tag, dict(attrs)) if tag in self.bodies else None

    def handle_data(self, data: str) -> None:
        if self.open:
            self.bodies[self.open[0]].append((self.open[1], data))

    def handle_endtag(self, tag: str) -> None:
        self.open = None


@pytest.fixture(scope="module")
def html(board: Dashboard) -> str:
    return render(board)


@pytest.fixture(scope="module")
def elements(html: str) -> Elements:
    parser = Elements()
    parser.feed(html)
    return parser


def test_only_what_the_policy_names_can_run(elements: Elements) -> None:
    policy = next(a["content"] or "" for _, a in elements.tags if a.get("http-equiv"))
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "connect-src" not in policy
    for kind, rule in (("script", "script-src"), ("style", "style-src")):
        allowed = set(re.findall(r"sha256-([^']+)", policy.split(rule)[1].split(";")[0]))
        code = [text for attributes, text in elements.bodies[kind] if "type" not in attributes]
        digests = {base64.b64encode(hashlib.sha256(t.encode()).digest()).decode() for t in code}
        assert digests == allowed


def test_nothing_is_fetched_and_no_handler_or_style_stands_in_the_markup(elements: Elements) -> None:
    for tag, attributes in elements.tags:
        assert not any(name.startswith("on") or name == "style" for name in attributes), (tag, attributes)
        assert tag not in ("iframe", "object", "embed", "base", "form", "img")
        source = attributes.get("src") or (attributes.get("href") if tag in ("link", "use") else None)
        assert source is None or source.startswith(("data:", "#")), source


def test_data_cannot_end_its_element(html: str, elements: Elements) -> None:
    assert NASTY not in html
    core = next(text for a, text in elements.bodies["script"] if a.get("id") == "core")
    assert not set("<>&\u2028\u2029") & set(core)
    assert json.loads(core)["obligations"]["id"]


def unpack(elements: Elements, name: str) -> Any:
    packed = next(text for a, text in elements.bodies["script"] if a.get("id") == name)
    return json.loads(zlib.decompress(base64.b64decode(packed)))


def test_packed_data_is_what_was_packed(board: Dashboard, elements: Elements) -> None:
    assert unpack(elements, "texts") == json.loads(json.dumps(texts(board)))
    payload = Payload(board)
    payload.core()
    assert unpack(elements, "history") == json.loads(json.dumps(payload.history()))


def test_every_script_is_part_of_the_page(html: str) -> None:
    assert len(set(SCRIPTS)) == len(SCRIPTS)
    assert html.count("function startSearch(") == 1
    assert "http://www.w3.org/2000/svg" in html
    rest = html.replace("http://www.w3.org/2000/svg", "").replace("http%3A//www.w3.org/2000/svg", "")
    assert "http://" not in rest


def test_history_is_replayable_from_the_page(board: Dashboard, elements: Elements) -> None:
    history = unpack(elements, "history")
    names, ids = history["labelNames"], list(board.catalogue.obligations)
    labels = [names[number] for number in history["start"]]
    for (who, what), step in zip(history["labels"], board.records.replay.steps, strict=True):
        for ob, label in zip(who, what, strict=True):
            labels[ob] = names[label]
        assert dict(zip(ids, labels, strict=True)) == board.records.replay.after(step.run.number)


def test_texts_are_kept_whole_up_to_a_limit(board: Dashboard) -> None:
    found = texts(board)["obligations"]
    ids = list(board.catalogue.obligations)
    big = found[ids.index("nasty-big")]
    assert len(big["statement"]) > 100_000
    assert len(big["summary"]) == 100_000
    assert found[ids.index("nasty-script")]["summary"] == NASTY


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ('a <b> & "c"', "a &lt;b&gt; &amp; &#34;c&#34;"),
        ("two\nlines\tand tabs", "two\nlines\tand tabs"),
        ("x\u202ey", 'x<span class="ctl">U+202E</span>y'),
        ("\x00\x1b[31m", '<span class="ctl">U+0000</span><span class="ctl">U+001B</span>[31m'),
        ("∀ ε, 0 < ε → «x y»", "∀ ε, 0 &lt; ε → «x y»"),
        ("no\u00a0break", "no\u00a0break"),
        ("", ""),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(text: str, html: str) -> None:
    assert visible(text) == html


def test_amounts_of_the_past_are_as_exact_as_they_are_shown() -> None:
    for exact, kept in ((None, None), (0, 0), (999, 999), (5_678, 5_680), (56_789, 56_800),
                        (567_891, 568_000), (5_678_912, 5_679_000)):  # fmt: skip
        assert brief(exact) == kept


def test_code_in_prose() -> None:
    assert prose("use `simp` <b>`") == "use <code>simp</code> &lt;b&gt;`"
    assert prose("`<i>\u202e`") == '<code>&lt;i&gt;<span class="ctl">U+202E</span></code>'


def test_plain_and_dotted() -> None:
    assert "\u202e" not in plain(BIDI)
    assert len(plain(BIDI)) == len(BIDI)
    assert dotted("A.B.<c>") == "A.<wbr>B.<wbr>&lt;c&gt;"
