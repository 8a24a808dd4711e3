"""Moving the pins of a whole tree; and an upgrade between two versions, by elan's directory layout."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Site
from tests.gate.trysite import commit, git, make_try_site, trees
from tracker.gate.upgrade_pins import describe_moves, move_pins, pin_of
from tracker.lean.scan.pins import read_pins
from tracker.lean.toolchain import Toolchain

TOML = """\
name = "x"
version = "v4.30.0"

[[require]]
name = "mathlib"
scope = "leanprover-community"
rev = "v4.30.0"

[[require]]
name = "checkdecls"
git = "https://example.org/checkdecls"
rev = "0123abc"
"""
LEAN = """\
import Lake
open Lake DSL

package x where
  version := v!"4.30.0"

require "leanprover-community" / "batteries" @ git "v4.30.0"
require aesop from git "https://example.org/aesop" @ "v4.30.0"
"""
MANIFEST = {
    "version": "1.1.0",
    "packages": [{"name": "mathlib", "rev": "a" * 40, "inputRev": "v4.30.0", "type": "git"}],
}
PIN = "leanprover/lean4:v4.31.0-rc2"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "lean-toolchain").write_text("leanprover/lean4:v4.30.0\n")
    (tmp_path / "lakefile.toml").write_text(TOML)
    (tmp_path / "lake-manifest.json").write_text(json.dumps(MANIFEST))
    (inner := tmp_path / "docs" / "examples").mkdir(parents=True)
    (inner / "lean-toolchain").write_text("leanprover/lean4:v4.29.0\n")
    (inner / "lakefile.lean").write_text(LEAN)
    return tmp_path


def test_all_move_together_or_are_named(tree: Path) -> None:
    moves = move_pins(tree, PIN)
    assert {(m.pin.path, m.pin.package, m.after) for m in moves.moved} == {
        ("lean-toolchain", "", PIN),
        ("lakefile.toml", "mathlib", "v4.31.0-rc2"),
        ("docs/examples/lean-toolchain", "", PIN),
        ("docs/examples/lakefile.lean", "batteries", "v4.31.0-rc2"),
        ("docs/examples/lakefile.lean", "aesop", "v4.31.0-rc2"),
    }
    assert [(left.pin.path, left.pin.package) for left in moves.left] == [("lake-manifest.json", "mathlib")]
    assert moves.manifests == moves.left
    assert (tree / "lakefile.toml").read_text() == TOML.replace('rev = "v4.30.0"', 'rev = "v4.31.0-rc2"')
    assert (tree / "docs" / "examples" / "lakefile.lean").read_text() == LEAN.replace(
        '"v4.30.0"', '"v4.31.0-rc2"'
    )
    said = "\n".join(describe_moves(moves))
    assert "lakefile.toml (mathlib): v4.30.0 → v4.31.0-rc2" in said
    assert "lake-manifest.json (mathlib): stays at v4.30.0: a manifest holds commits" in said


def test_what_is_there_already_is_left_in_peace(tree: Path) -> None:
    move_pins(tree, PIN)
    again = move_pins(tree, PIN)
    assert again.moved == ()
    assert len(again.left) == 1


def test_a_nightly_has_no_tag_for_packages(tree: Path) -> None:
    moves = move_pins(tree, "leanprover/lean4:nightly-2026-01-31")
    assert {m.pin.path for m in moves.moved} == {"lean-toolchain", "docs/examples/lean-toolchain"}
    assert {left.pin.package for left in moves.left} == {"mathlib", "batteries", "aesop"}


def test_an_unreadable_one_is_named(tree: Path) -> None:
    (tree / "lake-manifest.json").write_text("{")
    assert any("lake-manifest" in text or "pin" in text for text in move_pins(tree, PIN).unreadable)


@given(st.integers(0, 99), st.integers(0, 9), st.sampled_from(["", "-rc1", "-rc12"]))
def test_the_pin_of_a_toolchain_means_that_toolchain(minor: int, patch: int, candidate: str) -> None:
    version = f"4.{minor}.{patch}{candidate}"
    tool = Toolchain("embedded", Path("lake"), Path("lean"), version, "abc", "")
    assert pin_of(tool) == f"leanprover/lean4:v{version}"


def test_the_pin_of_a_nightly_and_of_elans_own_name() -> None:
    nightly = Toolchain("lake", Path("lake"), Path("lean"), "4.36.0-nightly-2026-01-31", "abc", "")
    assert pin_of(nightly) == "leanprover/lean4:nightly-2026-01-31"
    named = Toolchain("me/lean4:fix", Path("lake"), Path("lean"), "4.36.0", "abc", "")
    assert pin_of(named) == "me/lean4:fix"


def elan_with(site: Site, home: Path, version: str, *, fails: str = "") -> None:
    """Put the embedded Lean into an elan home under another version; with `fails`, it takes that option."""
    facts = site.tracker("doctor", "--json").json["checks"]
    real = next(c for c in facts if c["name"] == "toolchain")
    binaries = home / "toolchains" / f"leanprover--lean4---v{version}" / "bin"
    binaries.mkdir(parents=True)
    sysroot = Path(real["lean"]).parent.parent
    said = f"Lean (version {version}, x86_64-unknown-linux-gnu, commit {'f' * 40}, Release)"
    texts = {
        "lean": f'[ "$1" = --version ] && echo "{said}" && exit 0\nexec {real["lean"]} "$@" {fails}',
        "lake": f'export LEAN_SYSROOT={sysroot}\nexec {real["lake"]} "$@"',
    }
    for name, text in texts.items():
        (binaries / name).write_text(f"#!/bin/sh\n{text}\n")
        (binaries / name).chmod((binaries / name).stat().st_mode | stat.S_IXUSR)


def test_an_upgrade_between_versions_moves_the_pins_of_the_scratch_tree_only(tmp_path: Path) -> None:
    site, home = make_try_site(tmp_path / "site"), tmp_path / "elan"
    (site.root / "tools").mkdir()
    (site.root / "tools" / "lean-toolchain").write_text("leanprover/lean4:v4.35.0\n")
    commit(site, "Add tools")
    assert site.tracker("run").code == 0
    assert site.tracker("lock").code == 0
    commit(site, "Lock the statements")
    elan_with(site, home, "4.36.0", fails='"-DmaxRecDepth=150"')
    done = site.tracker("upgrade", "--to", "v4.36.0", "--json", environment={"ELAN_HOME": str(home)})
    assert done.code == 1, done.err
    found = done.json
    assert found["verdict"] == "loses 5"
    assert found["after"]["toolchain"] == "leanprover/lean4:v4.36.0"
    assert [(p["file"], p["after"]) for p in found["pins"]["moved"]] == [
        ("lean/lean-toolchain", "leanprover/lean4:v4.36.0"),
        ("tools/lean-toolchain", "leanprover/lean4:v4.36.0"),
    ]
    assert read_pins(str(site.root)).versions == ("4.35.0",)
    assert git(site, "status", "--porcelain") == ""
    assert trees(site) == []


def test_packages_that_go_with_another_lean_are_not_passed_over(tmp_path: Path) -> None:
    site, home = make_try_site(tmp_path / "site"), tmp_path / "elan"
    (site.root / "lean" / "lake-manifest.json").write_text(json.dumps(MANIFEST))
    commit(site, "Depend on a package")
    elan_with(site, home, "4.36.0")
    environment = {"ELAN_HOME": str(home)}
    refused = site.tracker("upgrade", "--to", "v4.36.0", "side", environment=environment)
    assert (refused.code, refused.out) == (2, "")
    assert re.search(r"error\[PACKAGES\]: lean/lake-manifest.json holds commits of mathlib", refused.err)
    kept = site.tracker(
        "upgrade", "--to", "v4.36.0", "side", "--packages", "keep", "--json", environment=environment
    )
    assert [left["package"] for left in kept.json["pins"]["left"]] == ["mathlib"]
    updated = site.tracker("upgrade", "--to", "v4.36.0", "--packages", "update", environment=environment)
    assert updated.code == 3
    assert "LAKE-UPDATE" in updated.err
    assert trees(site) == []
