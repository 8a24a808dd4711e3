"""Attacks while Lean runs, on what a build leaves, and on the words that the probe asks with."""

from __future__ import annotations

import os
import shutil
from itertools import cycle
from pathlib import Path

import pytest

from tests.conftest import Site
from tests.run.test_changes import state_after_run

LEMMA = "theorem Demo.lemma (n : Nat) : n + 0 = n := rfl"


def add_to_base(site: Site, text: str) -> None:
    site.write("Base", site.read("Base") + "\n" + text)


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


def test_an_alias_spelling_in_the_catalogue(proved: Site) -> None:
    file = proved.root / "obligations" / "demo.yaml"
    file.write_text(
        file.read_text() + "  - {id: again, kind: foundation, decl: Demo.«side», module: Demo.Side}\n"
    )
    done = proved.tracker("run")
    assert done.code != 0, done.out


UNSAFE = """\
structure Demo.Never where
  n : Nat
  small : n = 0
  big : n = 1
unsafe def Demo.circle : Demo.Never := Demo.circle
@[reducible] protected unsafe def Demo.reducible : 1 = 2 := Demo.reducible
unsafe abbrev Demo.short : 1 = 2 := Demo.short
unsafe instance Demo.inst : Inhabited Demo.Never := Demo.inst
unsafe opaque Demo.hidden : Nat
unsafe inductive Demo.Loop where | mk : (Demo.Loop → Nat) → Demo.Loop
unsafe structure Demo.Record where
  n : Nat
partial def Demo.search (n : Nat) : Nat := Demo.search (n + 1)
"""
HIDE = 'macro (priority := high) "#print" n:ident : command => `(#print "def Demo.circle : Nat")\n'


def unsafe_obligations(site: Site, names: list[str], above: str = "") -> dict[str, str]:
    """Have Lean check UNSAFE, and return for each name label and reason, half of them of another kind."""
    lines = (
        f"  - {{id: {name}, kind: {kind}, decl: Demo.{name}, module: Demo.Unsafe}}\n"
        for name, kind in zip(names, cycle(["stage-witness", "foundation"]), strict=False)
    )
    (site.root / "obligations" / "demo.yaml").write_text("obligations:\n" + "".join(lines))
    site.write("Unsafe", above + UNSAFE)
    site.tracker("run")
    found = site.tracker("status", "--json").json["obligations"]
    return {ob["id"]: f"{ob['label']}: {ob['reason']}" for ob in found}


def test_an_unsafe_declaration_is_never_proved(site: Site) -> None:
    names = ["circle", "reducible", "short", "inst", "hidden", "Loop", "Loop.mk", "Record"]
    assert unsafe_obligations(site, names) == {
        name: f"missing: Demo.{name} is unsafe: the kernel does not demand that it ends" for name in names
    }


def test_unsafe_hidden_from_print(site: Site) -> None:
    assert unsafe_obligations(site, ["circle"], HIDE)["circle"].startswith("missing: Demo.circle is unsafe")


def test_what_the_kernel_sees_of_a_partial_definition(site: Site) -> None:
    # That its type has an element, no more: it is opaque.
    assert unsafe_obligations(site, ["Never", "search"]) == {"Never": "proved: ", "search": "proved: "}


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
    """Have the site use a `lake` that runs shell commands before and after the real one builds `Demo.Mid`.

    `LAKE` in them is the real one.
    """
    facts = next(c for c in site.tracker("doctor", "--json").json["checks"] if c["name"] == "toolchain")
    script = site.root / "lake"
    shutil.rmtree(site.root / ".tracker")
    text = (
        f'#!/bin/sh\ncase "$*" in *+Demo.Mid*) {before};; esac\nLAKE "$@"; code=$?\n'
        f'case "$*" in *+Demo.Mid*) {after};; esac\nexit $code\n'
    )
    script.write_text(text.replace("LAKE", facts["lake"]))
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


@pytest.mark.parametrize(
    ("what", "back"),
    [("its source", True), ("its source", False), ("an import", True), ("the lakefile", True)],
)
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


def test_an_error_swallowed_by_a_log_cut_short(proved: Site) -> None:
    proved.edit("Mid", LEMMA, "theorem Demo.lemma (n : Nat) : n + 0 = n := Nat.zero")
    lake_that(proved, 'LAKE "$@" 2>&1 | head -c 40; exit 0', ":")
    assert proved.tracker("run").code == 1
    labels = proved.labels()
    assert labels["lemma"].startswith("failed:")
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
    assert "1 statement is not locked" in proved.tracker("status").out
