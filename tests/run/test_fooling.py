"""Attempts to look proved without being it. None may be green; each is told by name where Lean can tell."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.conftest import Site
from tests.run.test_changes import state_after_run, verdict

LEMMA = "theorem Demo.lemma (n : Nat) : n + 0 = n := rfl"


def add_to_base(site: Site, text: str) -> None:
    site.write("Base", site.read("Base") + "\n" + text)


@pytest.fixture
def stated(proved: Site) -> Site:
    """A project whose lemma is stated through a definition of a module that the catalogue does not name."""
    proved.write("Hidden", "def Demo.says (n : Nat) : Prop := n + 0 = n\n")
    proved.write("Base", "import Demo.Hidden\n\n" + proved.read("Base"))
    proved.edit("Mid", LEMMA, "theorem Demo.lemma (n : Nat) : Demo.says n := (rfl : n + 0 = n)")
    proved.edit("Mid", "rw [Demo.lemma, Demo.two_eq]", "exact rfl")
    assert proved.tracker("run").code == 1
    assert proved.tracker("lock", "--accept", "--reason", "stated through a definition").code == 0
    assert proved.tracker("status").code == 0
    return proved


def test_a_definition_weakened_in_a_module_that_no_obligation_names(stated: Site) -> None:
    stated.write("Hidden", "def Demo.says (n : Nat) : Prop := n = n\n")
    stated.edit("Mid", "(rfl : n + 0 = n)", "(rfl : n = n)")
    labels = state_after_run(stated)
    assert labels["lemma"] == "drifted"
    assert "definition" in str(verdict(stated, "lemma")["reason"])
    assert labels["top"] == "blocked"


def test_a_proof_changed_under_a_statement_is_no_drift(stated: Site) -> None:
    stated.write("Hidden", stated.read("Hidden") + "\ntheorem Demo.aside : 1 = 1 := rfl\n")
    stated.edit("Mid", "(rfl : n + 0 = n)", "(by exact rfl : n + 0 = n)")
    assert stated.tracker("run").code == 0


SORRIES = {
    "in a dependency": ("theorem Demo.helper (n : Nat) : n + 0 = n := sorry", "Demo.helper n"),
    "in an instance": (
        "class Demo.Ok (n : Nat) where\n  ok : n + 0 = n\ninstance (n : Nat) : Demo.Ok n := ⟨sorry⟩",
        "Demo.Ok.ok",
    ),
    "in a definition": ("def Demo.helper (n : Nat) : n + 0 = n := sorry", "Demo.helper n"),
    "silenced": (
        "set_option warn.sorry false\ntheorem Demo.helper (n : Nat) : n + 0 = n := sorry", "Demo.helper n"
    ),
    "by a macro": ('macro "trust" : term => `(sorry)', "trust"),
    "by the axiom itself": ("theorem Demo.helper (n : Nat) : n + 0 = n := sorryAx _ true", "Demo.helper n"),
}  # fmt: skip


@pytest.mark.parametrize("way", SORRIES)
def test_sorry_hidden(proved: Site, way: str) -> None:
    text, proof = SORRIES[way]
    add_to_base(proved, text + "\n")
    proved.edit("Mid", LEMMA, f"theorem Demo.lemma (n : Nat) : n + 0 = n := {proof}")
    proved.write("Mid", "import Demo.Base\n" + proved.read("Mid").partition("\n")[2])
    labels = state_after_run(proved)
    assert labels["lemma"] == "sorry"
    assert labels["main"] == labels["top"] == "blocked"


LIES = {
    "axioms": """macro (priority := high) "#print" "axioms" n:ident : command =>
  `(#print "'Demo.lemma' does not depend on any axioms")""",
    "all": """macro (priority := high) "#print" "axioms" n:ident : command =>
  `(#print "'Demo.lemma' does not depend on any axioms")
macro (priority := high) "#check" n:ident : command => `(#print "Demo.lemma (n : Nat) : n + 0 = n")
macro (priority := high) "#print" n:ident : command =>
  `(#print "theorem Demo.lemma : forall (n : Nat), n + 0 = n")""",
}


@pytest.mark.parametrize("lie", LIES)
def test_the_words_that_the_probe_asks_with_are_redefined(proved: Site, lie: str) -> None:
    add_to_base(proved, LIES[lie] + "\n")
    proved.edit("Mid", LEMMA, "theorem Demo.lemma (n : Nat) : n + 0 = n := sorry")
    labels = state_after_run(proved)
    assert labels["lemma"] in ("sorry", "missing")
    assert labels["main"] != "proved"


def test_a_statement_printed_as_another(proved: Site) -> None:
    weak = 'def Demo.weak (_ _ : Nat) : Prop := True\nnotation:50 a " ≡ " b => Demo.weak a b\n'
    add_to_base(proved, weak)
    proved.edit("Mid", LEMMA, "theorem Demo.lemma (n : Nat) : n + 0 ≡ n := True.intro")
    proved.edit("Mid", "rw [Demo.lemma, Demo.two_eq]", "exact rfl")
    assert state_after_run(proved)["lemma"] == "drifted"


@pytest.mark.parametrize("premise", ["(h : False)", "(h : Demo.Never)", "(m : Nat) (h : False)"])
def test_a_premise_that_never_holds(proved: Site, premise: str) -> None:
    (proved.root / "obligations" / "statements.lock").unlink()
    add_to_base(proved, "def Demo.No : Prop := False\ndef Demo.Never : Prop := Demo.No\n")
    proved.edit("Mid", LEMMA, f"theorem Demo.lemma (n : Nat) {premise} : n + 0 = n := rfl")
    proved.edit("Mid", "rw [Demo.lemma, Demo.two_eq]", "exact rfl")
    labels = state_after_run(proved)
    assert labels["lemma"] == "axiom"
    assert "False" in str(verdict(proved, "lemma")["reason"])


@pytest.mark.parametrize(
    "said",
    [
        "theorem Demo.lemma {n : Nat} : n + 0 = n := rfl",
        "theorem Demo.lemma (n : Nat) (_ : n = 0) : n + 0 = n := rfl",
        "local instance : HAdd Nat Nat Nat := ⟨fun a _ => a⟩\n" + LEMMA,
        'local notation "Nat" => Unit\ntheorem Demo.lemma (n : Nat) : n = n := rfl',
        (
            "namespace Demo\ndef Nat := Unit\ninstance : HAdd Nat _root_.Nat Nat := ⟨fun a _ => a⟩\n"
            "theorem lemma (n : Nat) : n + (0 : _root_.Nat) = n := rfl\nend Demo"
        ),
    ],
)
def test_a_statement_that_reads_alike_and_is_another(proved: Site, said: str) -> None:
    proved.edit("Mid", LEMMA, said)
    proved.edit("Mid", "rw [Demo.lemma, Demo.two_eq]", "exact rfl")
    assert state_after_run(proved)["lemma"] == "drifted"


@pytest.mark.parametrize(
    "said",
    [
        "theorem Other.lemma (n : Nat) : n + 0 = n := rfl\nexport Other (lemma)",
        "namespace Other\ntheorem Demo.lemma (n : Nat) : n + 0 = n := rfl\nend Other",
        "private theorem Demo.lemma (n : Nat) : n + 0 = n := rfl",
        "example (n : Nat) : n + 0 = n := rfl\n#exit\n" + LEMMA,
    ],
)
def test_another_declaration_in_its_place(proved: Site, said: str) -> None:
    proved.edit("Mid", LEMMA, said)
    proved.write("Mid", proved.read("Mid").replace("rw [Demo.lemma, Demo.two_eq]", "exact rfl"))
    assert state_after_run(proved)["lemma"] == "missing"


def test_an_alias_spelling_in_the_catalogue(proved: Site) -> None:
    file = proved.root / "obligations" / "demo.yaml"
    file.write_text(
        file.read_text() + "  - {id: again, kind: foundation, decl: Demo.«side», module: Demo.Side}\n"
    )
    done = proved.tracker("run")
    assert done.code != 0, done.out


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE module_check SET passed = 1, failures = '[]' WHERE NOT passed",
        "UPDATE probe SET axioms = '[]'",
        "UPDATE module_check SET fingerprint = 'x'",
        "DELETE FROM message",
        "UPDATE probe SET digest = 'x'",
    ],
)
def test_a_store_edited(proved: Site, edit: str) -> None:
    proved.edit("Mid", LEMMA, "theorem Demo.lemma (n : Nat) : n + 0 = n := sorry")
    proved.edit("Base", "2 := rfl", "2 := Nat.zero")
    assert proved.tracker("run").code == 1
    if "probe" in edit:
        proved.edit("Base", "2 := Nat.zero", "2 := rfl")
        assert proved.tracker("run").code == 1
    with sqlite3.connect(proved.root / ".tracker" / "history.db") as db:
        assert db.execute(edit).rowcount
    db.close()
    done = proved.tracker("status")
    assert done.code == 2
    assert "STORE-EDITED" in done.err


def test_a_project_that_prints_answers(proved: Site) -> None:
    add_to_base(proved, '#print "{\\"severity\\": \\"information\\"}"\n')
    assert proved.tracker("run").code == 0


def built(site: Site) -> Path:
    return site.root / "lean" / ".lake" / "build" / "lib" / "lean" / "Demo"


@pytest.mark.parametrize(
    ("suffix", "damage"),
    [(".olean", "swapped"), (".olean", "cut"), (".olean", "garbage"), (".ilean", "garbage")],
)
def test_build_output_damaged_before_a_module_that_needs_it_is_checked(
    proved: Site, suffix: str, damage: str
) -> None:
    file = built(proved) / f"Base{suffix}"
    before, content = file.stat(), file.read_bytes()
    other = (built(proved) / f"Side{suffix}").read_bytes()
    file.write_bytes({"swapped": other, "cut": content[:-8], "garbage": b"\0" * len(content)}[damage])
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    proved.write("Top", proved.read("Top") + "\n-- a remark\n")
    done = proved.tracker("run")
    assert done.code == 0, done.out + done.err
    assert proved.labels()["top"] == "proved"


def test_build_output_of_another_project(proved: Site, tmp_path: Path) -> None:
    """The oleans of a weaker project in place of one's own are not taken for the answer."""
    proved.edit("Base", "def Demo.two : Nat := 2", "def Demo.two : Nat := 1 + 1")
    proved.tracker("run")
    weaker = tmp_path / "weaker"
    shutil.copytree(built(proved), weaker)
    proved.edit("Base", "def Demo.two : Nat := 1 + 1", "def Demo.two : Nat := 2")
    assert proved.tracker("run").code == 0
    shutil.rmtree(built(proved))
    shutil.copytree(weaker, built(proved))
    assert proved.tracker("run").code == 0
    assert proved.labels()["two"] == "proved"


def lake_that(site: Site, before: str, after: str) -> None:
    """Have the site use a `lake` that runs shell commands before and after the real one builds `Demo.Mid`."""
    facts = next(c for c in site.tracker("doctor", "--json").json["checks"] if c["name"] == "toolchain")
    script = site.root / "lake"
    shutil.rmtree(site.root / ".tracker")
    script.write_text(
        f'#!/bin/sh\ncase "$*" in *+Demo.Mid*) {before};; esac\n{facts["lake"]} "$@"; code=$?\n'
        f'case "$*" in *+Demo.Mid*) {after};; esac\nexit $code\n'
    )
    script.chmod(0o755)
    (site.root / "tracker.toml").write_text(
        '[tracker]\nproject = "lean"\ntoolchain = "mine"\n'
        f'[toolchains.mine]\nlake = "{script}"\nlean = "{facts["lean"]}"\n'
    )


EDITS = {
    "its source": "Demo/Mid.lean",
    "an import": "Demo/Base.lean",
    "the lakefile": "lakefile.toml",
}


@pytest.mark.parametrize("what", EDITS)
@pytest.mark.parametrize("back", [True, False])
def test_edited_while_lean_checks(proved: Site, what: str, back: bool) -> None:
    file = EDITS[what]
    remark = "#" if file.endswith(".toml") else "--"
    lake_that(
        proved, f"cp {file} ../kept; echo '{remark} x' >> {file}", f"cp ../kept {file}" if back else ":"
    )
    done = proved.tracker("run")
    assert done.code == 1
    assert "was edited meanwhile" in done.err
    assert proved.labels()["lemma"] != "proved"
    (proved.root / "tracker.toml").write_text('[tracker]\nproject = "lean"\ntoolchain = "embedded"\n')
    assert proved.tracker("run").code == 0, "the next run makes up for it"


def test_build_output_exchanged_between_check_and_probe(proved: Site) -> None:
    lake_that(proved, ":", "touch ../lean/mid")
    script = proved.root / "lake"
    out = built(proved)
    script.write_text(
        script.read_text().replace(
            'case "$*"', f'case "$*" in env*) cp {out}/Side.olean {out}/Base.olean;; esac\ncase "$*"', 1
        )
    )
    done = proved.tracker("run")
    assert done.code in (1, 3)
    assert proved.labels()["lemma"] != "proved"


def test_a_lake_that_runs_nothing(proved: Site) -> None:
    lake_that(proved, "exit 0", ":")
    assert proved.tracker("run").code == 1
    labels = proved.labels()
    assert labels["lemma"] == "failed:inconsistent-exit"
    assert labels["top"] == "blocked"


def test_evidence_of_other_options(proved: Site) -> None:
    lake_that(proved, ":", ":")
    assert proved.tracker("run").code == 0
    file = proved.root / "tracker.toml"
    file.write_text(file.read_text() + 'lean_args = ["-DmaxRecDepth=600"]\n')
    assert set(proved.labels().values()) == {"obsolete"}


def test_lock_lines_doubled_reordered_removed(proved: Site) -> None:
    file = proved.root / "obligations" / "statements.lock"
    head, *rest = file.read_text().splitlines(keepends=True)
    file.write_text("".join([head, *reversed(rest)]))
    assert proved.tracker("status").code == 0, "the order says nothing"
    file.write_text("".join([head, *rest, rest[0]]))
    assert "twice" in proved.tracker("status").err
    file.write_text("".join([head, *rest[1:]]))
    assert "1 statements are not locked" in proved.tracker("status").out
