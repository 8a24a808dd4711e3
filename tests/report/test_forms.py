"""The other forms: JSON under its schema, Markdown within GitHub's limits, the badge."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from markdown_it import MarkdownIt

from tests.report.simulation import BIDI, NASTY
from tests.report.synthetic import write_world
from tracker.report.badge import badge_json
from tracker.report.facts_json import report_json
from tracker.report.html.causes import Cause, Place
from tracker.report.html.model import Dashboard, gather
from tracker.report.markdown import GITHUB_LIMIT, report_markdown
from tracker.report.markup import code, fenced
from tracker.report.markup import text as escaped
from tracker.verdict import State

GOLDEN = Path(__file__).parent / "golden"
HTML = MarkdownIt("commonmark").enable("table")


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    """The published schema, made strict: it lets unknown fields pass, since fields may be added."""
    text = resources.files("tracker.report.schema").joinpath("report.schema.json").read_text("utf-8")
    loaded: dict[str, Any] = strict(json.loads(text))
    jsonschema.Draft202012Validator.check_schema(loaded)
    return loaded


def strict(node: Any) -> Any:
    if isinstance(node, list):
        return [strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    more = {"additionalProperties": False} if isinstance(node.get("properties"), dict) else {}
    return {key: strict(value) for key, value in node.items()} | more


def test_the_report_keeps_its_schema(board: Dashboard, schema: dict[str, Any]) -> None:
    data = json.loads(json.dumps(report_json(board)))
    jsonschema.Draft202012Validator(schema).validate(data)
    assert data["counts"]["proved"] == sum(v.proved for v in board.status.verdicts.values())
    assert [run["number"] for run in data["runs"]] == list(range(1, 25))


def test_every_field_is_always_there(board: Dashboard, schema: dict[str, Any]) -> None:
    assert set(report_json(board)) == set(schema["properties"]) == set(schema["required"])


def test_a_report_without_runs_keeps_the_schema(
    board: Dashboard, schema: dict[str, Any], tmp_path: Path
) -> None:
    workspace, _ = write_world(tmp_path, 60, 1)
    (tmp_path / ".tracker" / "history.db").unlink()
    data = json.loads(json.dumps(report_json(gather(workspace))))
    jsonschema.Draft202012Validator(schema).validate(data)
    assert data["runs"] == []


@pytest.mark.parametrize("name", ["report.json", "report.md"])
def test_a_small_project_word_for_word(tmp_path: Path, name: str) -> None:
    """`UPDATE_GOLDEN=1` writes the files anew; look at the difference before it is committed."""
    workspace, _ = write_world(tmp_path, 25, 5, seed=3, nets=["vit"])
    board = gather(workspace, now=1_767_600_000.0)
    made = {
        "report.json": lambda: json.dumps(report_json(board), indent=1, ensure_ascii=False) + "\n",
        "report.md": lambda: report_markdown(board),
    }[name]()
    file = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(made, encoding="utf-8")
    assert made == file.read_text(encoding="utf-8")


def test_markdown_says_what_the_page_says(board: Dashboard) -> None:
    text = report_markdown(board)
    assert len(text.encode()) <= GITHUB_LIMIT
    proved = sum(v.proved for v in board.status.verdicts.values())
    assert text.startswith(f"# ✘ {proved} of {len(board.catalogue)} obligations are proved")
    for verdict in board.status.verdicts.values():
        assert verdict.proved or f"`{verdict.id}`" in text


@pytest.mark.parametrize("limit", [300, 2_000, 8_000, 20_000])
def test_markdown_keeps_any_limit_and_says_what_is_left_out(board: Dashboard, limit: int) -> None:
    text = report_markdown(board, limit)
    assert len(text.encode()) <= limit
    assert text.startswith("# ✘ ") or limit < 1_000
    if limit >= 2_000:
        assert " more " in text


def test_a_huge_report_ends_with_how_much_more_there_is(board: Dashboard) -> None:
    place = Place("M", "d", "f.lean", 1, 1, None, "")
    causes = tuple(
        Cause(f"k{i}", State.FAILED, "crash", "runtime", f"{i} " + "x" * 5000, (), (place,), ())
        for i in range(2000)
    )
    text = report_markdown(replace(board, causes=causes))
    assert len(text.encode()) <= GITHUB_LIMIT
    assert "more causes: see the HTML report" in text


@pytest.mark.parametrize(
    "text",
    [
        NASTY,
        BIDI,
        "a|b",
        "`",
        "```\n# x",
        "[x](javascript:alert(1))",
        "@someone #12",
        "<!--",
        "\x1b[31m",
        "a\nb",
    ],
)
def test_no_text_becomes_markup(text: str) -> None:
    for form in (escaped, code):
        html = HTML.render(f"| h |\n| :-- |\n| {form(text)} |\n")
        assert html.count("<td") == 1
        assert "<script" not in html
        assert "<a " not in html
        assert "<img" not in html
        assert "\u202e" not in html
    html = HTML.render(fenced(text))
    assert html.startswith("<pre>")
    assert html.rstrip().endswith("</code></pre>")
    assert html.count("<pre>") == 1


def test_an_empty_catalogue_is_nothing_to_be_proud_of(board: Dashboard) -> None:
    empty = replace(board.status, verdicts={})
    assert badge_json(empty)["isError"] is True


def test_badges(board: Dashboard) -> None:
    badge = badge_json(board.status)
    assert badge["schemaVersion"] == 1
    assert badge["label"] == "Lean 4.35.0"
    assert badge["message"].endswith(f"of {len(board.catalogue)} proved")
    assert badge["color"] == "orange"
    good = {i: v for i, v in board.status.verdicts.items() if v.proved}
    done = replace(board.status, verdicts=good, failed_modules=(), claims=())
    assert badge_json(done) == {
        "schemaVersion": 1, "label": "Lean 4.35.0", "message": f"{len(good)} proved", "color": "blue",
    }  # fmt: skip
    bad = {i: v for i, v in board.status.verdicts.items() if not v.proved}
    assert badge_json(replace(board.status, verdicts=bad))["color"] == "red"
    half = badge_json(replace(done, failed_modules=board.status.failed_modules))
    assert half["color"] == "orange"
    assert "not all else holds" in half["message"]
