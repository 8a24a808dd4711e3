"""The tables of docs/ci.md are those of action.yml."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def test_every_input_and_output_is_told_with_its_default() -> None:
    text = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    for name, facts in action["inputs"].items():
        default = f"`{facts['default']}`" if facts["default"] else ""
        assert re.search(rf"^\| `{name}` \| {re.escape(default)} ?\|", text, re.MULTILINE), name
    for name in action["outputs"]:
        assert re.search(rf"^\| (`\w+`, )?`{name}`", text, re.MULTILINE), name
    for link in re.findall(r"\]\(([^)]+)\)", text):
        assert (ROOT / "docs" / link).exists(), link
