"""Sweeps by real Lean: the spelling that unfolds is told from the one that does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Site, make_site

TEMPLATE = """\
def Demo.read (f : Nat → Nat) : Nat → Nat := fun i => f i + f (i + 0) + f i
def Demo.save0 : Nat → Nat := fun i => i
{% for i in range(1, k) %}
def Demo.save{{ i }} : Nat → Nat := Demo.read Demo.save{{ i - 1 }}
{% endfor %}
theorem Demo.tie : Demo.save{{ k - 1 }} 1 = Demo.save{{ k - 1 }} (0 + 1) := by
  {{ proof }}
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make_site(tmp_path_factory.mktemp("levels"))


def write(site: Site, text: str) -> Path:
    file = site.root / "family.lean.j2"
    file.write_text(text, encoding="utf-8")
    return file


def test_every_level_is_checked_and_measured(place: Site) -> None:
    file = write(place, TEMPLATE.replace("{{ proof }}", "rfl"))
    done = place.tracker("levels", str(file), "--from", "2", "--to", "4", "--json")
    assert done.code == 0, done.out + done.err
    found = done.json["levels"]
    assert [level["k"] for level in found] == [2, 3, 4]
    assert all(level["passed"] and level["kernel_s"] > 0 and level["peak_rss_bytes"] > 0 for level in found)
    assert {"kernel", "elaboration", "memory"} == set(done.json["growth"])


def test_the_first_level_that_fails_is_the_last(place: Site) -> None:
    text = "theorem Demo.small : {{ k }} + 0 = {% if k < 3 %}{{ k }}{% else %}0{% endif %} := rfl\n"
    done = place.tracker("levels", str(write(place, text)), "--to", "9", "--json")
    assert done.code == 1
    assert [(level["k"], level["passed"]) for level in done.json["levels"]] == [(2, True), (3, False)]
    assert done.json["levels"][-1]["declaration"] == "Demo.small"


def test_a_level_over_budget_is_stopped(place: Site) -> None:
    file = write(place, "theorem Demo.small : {{ k }} = {{ k }} := rfl\n")
    done = place.tracker("levels", str(file), "--budget", "20ms", "--json")
    assert done.code == 1
    assert [level["class"] for level in done.json["levels"]] == ["wall-timeout"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{% for i in %}\n", "family.lean.j2:1"),
        ("theorem x : {{ q }} = 1 := rfl\n", "'q' is undefined"),
    ],
)
def test_a_bad_template_is_told_before_lean_starts(place: Site, text: str, said: str) -> None:
    done = place.tracker("levels", str(write(place, text)))
    assert done.code == 2
    assert said in done.err


def test_a_missing_template_is_an_error(place: Site) -> None:
    done = place.tracker("levels", "nowhere.lean.j2")
    assert done.code == 2
    assert "nowhere.lean.j2" in done.err


SPELLINGS = Path(__file__).parents[2] / "lean" / "levels"


@pytest.mark.parametrize(("spelling", "passed"), [("saves-composed", False), ("saves-named", True)])
def test_two_spellings_of_one_apex_are_told_apart(tmp_path: Path, spelling: str, passed: bool) -> None:
    """By Lean's own count of work, no clock: composed saves are unfolded, named ones are not."""
    site = make_site(tmp_path)
    text = (SPELLINGS / f"{spelling}.lean.j2").read_text(encoding="utf-8")
    algebra = SPELLINGS.parent / "NetTies" / "Foundation" / "Algebra.lean"
    site.write("Base", algebra.read_text(encoding="utf-8"))
    for module in ("Mid", "Top", "Side"):
        (site.root / "lean" / "Demo" / f"{module}.lean").unlink()
    assert site.tracker("run", "Demo.Base").code in (0, 1)
    counted = text.replace("NetTies.Foundation.Algebra", "Demo.Base").replace(
        "/-- The tie. -/", "set_option maxHeartbeats 2000 in\n/-- The tie. -/"
    )
    done = site.tracker("levels", str(write(site, counted)), "--from", "12", "--to", "12", "--json")
    (level,) = done.json["levels"]
    assert level["passed"] is passed, done.out
    assert level["class"] == (None if passed else "kernel-timeout")
    assert done.code == (0 if passed else 1)
