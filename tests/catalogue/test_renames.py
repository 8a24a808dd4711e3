"""A renamed declaration: one edit of the catalogue, and what was known of it under its older name stays."""

from __future__ import annotations

import pytest

from tests.conftest import Site


@pytest.fixture
def renamed(proved: Site) -> Site:
    for module in ("Mid", "Top"):
        proved.write(module, proved.read(module).replace("Demo.lemma", "Demo.add_zero"))
    file = proved.root / "obligations" / "demo.yaml"
    text = file.read_text(encoding="utf-8")
    assert "decl: Demo.lemma," in text
    file.write_text(
        text.replace("decl: Demo.lemma,", "decl: Demo.add_zero, aliases: [{name: Demo.lemma, since: v2}],"),
        encoding="utf-8",
    )
    assert proved.tracker("run").code == 1  # the lock still holds the older name
    return proved


def test_the_lock_says_that_it_was_renamed(renamed: Site) -> None:
    shown = renamed.tracker("show", "Demo.lemma")
    assert "≠ drifted  lemma" in shown.out
    assert "locked under its older name Demo.lemma" in " ".join(shown.out.split())
    asked = renamed.tracker("lock")
    assert asked.code == 1
    assert "renamed from Demo.lemma" in asked.err
    assert renamed.tracker("lock", "--accept", "--reason", "the name that Lean has").code == 0
    assert renamed.tracker("status").code == 0


def test_the_history_goes_back_beyond_the_renaming(renamed: Site) -> None:
    assert renamed.tracker("lock", "--accept", "--reason", "the name that Lean has").code == 0
    renamed.edit("Mid", "n + 0 = n := rfl", "n + 0 = n := sorry")
    assert renamed.tracker("run").code == 1
    runs = renamed.tracker("history", "Demo.add_zero", "--json").json["runs"]
    assert [(run["run"], run["label"]) for run in runs] == [(1, "proved"), (2, "proved"), (3, "sorry")]


def test_a_failure_under_the_older_name_is_its_own(proved: Site) -> None:
    proved.edit("Mid", "(n : Nat) : n + 0 = n := rfl", "(n : Nat) : n + 0 = n := Nat.zero")
    assert proved.tracker("run").code == 1
    proved.edit("Mid", ":= Nat.zero", ":= rfl")
    file = proved.root / "obligations" / "demo.yaml"
    text = file.read_text(encoding="utf-8").replace(
        "decl: Demo.lemma,", "decl: Demo.add_zero, aliases: [Demo.lemma],"
    )
    file.write_text(text, encoding="utf-8")
    proved.write("Mid", proved.read("Mid").replace("Demo.lemma", "Demo.add_zero"))
    proved.tracker("run")
    runs = proved.tracker("history", "lemma", "--json").json["runs"]
    assert [run["label"] for run in runs][:2] == ["proved", "failed:type-error"]
