"""The wording of `tracker status`. `UPDATE_GOLDEN=1 pytest tests/cli/test_golden.py` writes it anew."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.conftest import Site

GOLDEN = Path(__file__).parent / "golden"

RFL = "theorem Demo.lemma (n : Nat) : n + 0 = n := rfl"
EDITS = {
    "proved": None,
    "type-error": (RFL, "theorem Demo.lemma (n : Nat) : n + 0 = n := Nat.zero"),
    "sorry": (RFL, "theorem Demo.lemma (n : Nat) : n + 0 = n := sorry"),
    "axiom": (RFL, f"axiom Demo.magic (n : Nat) : n + 0 = n\n{RFL.replace(' rfl', ' Demo.magic n')}"),
    "drifted": (RFL, "theorem Demo.lemma {n : Nat} : n + 0 = n := rfl"),
    "obligation-less": (RFL, f"theorem Demo.extra : 1 = 2 := rfl\n{RFL}"),
}


def normalised(text: str) -> str:
    """Return the output without what differs from run to run."""
    text = re.sub(r"\d+(?:\.\d+)? (?:ms|s)\b", "TIME", text)
    text = re.sub(r"\d+(?:\.\d+)? [KMG]iB", "SIZE", text)
    text = re.sub(r"\b\d+ \w+ ago", "just now", text)
    text = re.sub(r"(slowest |heaviest) \S+", r"\1 MODULE", text)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


@pytest.mark.parametrize("name", EDITS)
def test_status(proved: Site, name: str) -> None:
    edit = EDITS[name]
    if edit is not None:
        proved.edit("Mid", *edit)
    done = proved.tracker("run")
    assert done.code == (0 if edit is None else 1)
    assert all(len(line) <= 80 for line in done.out.splitlines())
    said = normalised(done.out).replace(str(proved.root.resolve()), "ROOT")
    file = GOLDEN / f"status-{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        file.write_text(said, encoding="utf-8")
    assert said == file.read_text(encoding="utf-8")


def test_a_pipe_gets_whole_lines(site: Site) -> None:
    """Names can be searched for, however long; with COLUMNS lines are wrapped, as on a terminal."""
    title, name = "A net with a title of many words", "Demo." + "_".join(["quite"] * 20)
    site.write("Base", f"theorem {name} : 1 = 2 := rfl\n")
    site.write("Mid", "theorem Demo.lemma : 1 = 1 := rfl\n")
    (site.root / "obligations" / "demo.yaml").write_text(
        f"nets: {{long: {{title: {title}}}}}\nobligations:\n"
        f"  - {{id: long, kind: tie, net: long, decl: {name}, module: Demo.Base}}\n",
        encoding="utf-8",
    )
    (site.root / "lean" / "Demo" / "Top.lean").unlink()
    assert site.tracker("run").code == 1
    for columns in ("", "0"):
        piped = site.tracker("status", environment={"COLUMNS": columns}).out
        assert f"  {name}  (Demo/Base.lean:1:" in piped
        assert title in piped
    narrow = site.tracker("status", environment={"COLUMNS": "60"}).out
    assert f"\n  {name[:58]}\n" in narrow
    assert title[:12] in narrow
    assert title not in narrow
