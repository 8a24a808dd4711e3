"""Goals and hovers from the embedded `lake serve`, through leanclient."""

from __future__ import annotations

import shutil
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Site
from tracker.lean.lsp import proof_start

TACTIC = (
    "import Demo.Base\n\ntheorem Demo.lemma (n : Nat) : n + 0 = n := rfl\n\n"
    "theorem Demo.main : Demo.two + 0 = 2 := by\n  rw [Demo.lemma]\n  exact Demo.two_eq\n"
)


@pytest.fixture(scope="module")
def place(proved_once: Site, tmp_path_factory: pytest.TempPathFactory) -> Site:
    root = tmp_path_factory.mktemp("goals")
    shutil.copytree(proved_once.root, root, dirs_exist_ok=True)
    site = Site(root)
    site.write("Mid", TACTIC)
    assert site.tracker("run").code == 0
    return site


def test_the_goal_where_a_proof_begins(place: Site) -> None:
    done = place.tracker("show", "main", "--goal", "--json")
    assert done.code == 0, done.err
    goal = done.json["goal"]
    assert goal["state"] == "goals"
    assert goal["goals"] == ["⊢ two + 0 = 2"]


def test_the_goal_at_a_place_and_the_hover(place: Site) -> None:
    assert "no goals" in place.tracker("show", "main", "--goal", "--at", "8:1").out
    done = place.tracker("show", "main", "--goal", "--at", "7:9")
    assert "⊢ two = 2" in done.out
    assert "Demo.two_eq : two = 2" in done.out


def test_the_type_expected_of_a_term(place: Site) -> None:
    goal = place.tracker("show", "lemma", "--goal", "--json").json["goal"]
    assert goal["state"] == "term"
    assert goal["goals"][0].endswith("⊢ n + 0 = n")


def test_the_goal_where_checking_failed(place: Site, tmp_path: Path) -> None:
    shutil.copytree(place.root, tmp_path, dirs_exist_ok=True)
    site = Site(tmp_path)
    site.edit("Mid", "exact Demo.two_eq", "exact Demo.two_eq.foo")
    assert site.tracker("run").code == 1
    done = site.tracker("show", "main", "--goal", "--json")
    assert done.code == 1
    assert done.json["goal"]["at"][0] == 7
    assert done.json["goal"]["goals"] == ["⊢ two = 2"]


@pytest.mark.parametrize("text", ["x", "0:1", "5", "5:0", "5:-1"])
def test_a_bad_place_is_an_error(place: Site, text: str) -> None:
    done = place.tracker("show", "main", "--goal", "--at", text)
    assert done.code == 2
    assert "--at" in done.err


def test_nothing_is_left_running(place: Site) -> None:
    place.tracker("show", "main", "--goal")
    ours = [p for p in psutil.process_iter(["cmdline", "cwd"]) if p.info["cwd"] == str(place.root / "lean")]
    assert ours == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("theorem a : 1 = 1 := rfl\n", (1, 21)),
        ("theorem a (h : x = 1 := by simp) : 1 = 1 := by\n  rfl\n", (2, 2)),
        ("/-- := by -/\ntheorem a : 1 = 1 :=\n  byz\n", (3, 2)),
        ("theorem a : Nat → Nat\n  | 0 => 1\n", None),
        ("theorem b : 1 = 1 := rfl\n", None),
    ],
)
def test_where_a_proof_begins(source: str, expected: tuple[int, int] | None) -> None:
    found = proof_start(source, "a")
    assert (found and tuple(found)) == expected


@given(st.text(alphabet="theorem a:=by\n ()[]{}⟨⟩-/"))
def test_no_source_breaks_it(source: str) -> None:
    proof_start(source, "a")
