"""Headroom by real Lean: what is found is true of the source itself."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.conftest import Done, Site, make_site
from tracker.lean.scratch import sweep

TIGHT = """\
def Demo.twice : Nat → Nat
  | 0 => 0
  | n + 1 => Demo.twice n + 2

/-- Deep. -/
theorem Demo.deep : Demo.twice 40 = 80 := rfl

set_option maxRecDepth 3000 in
theorem Demo.deeper : Demo.twice 150 = 300 := rfl

set_option maxHeartbeats 400000 in
theorem Demo.light : Demo.twice 1 = 2 := rfl

theorem Demo.user : Demo.twice 40 + 0 = 80 := Demo.deep

mutual
theorem Demo.left : 1 = 1 := rfl
end
"""
NAMES = ("deep", "deeper", "light", "user", "left")
CATALOGUE = "obligations:\n" + "".join(
    f"  - {{id: {name}, kind: leaf-tie, decl: Demo.{name}, module: Demo.Tight}}\n" for name in NAMES
)


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Site:
    site = make_site(tmp_path_factory.mktemp("headroom"))
    for module in ("Mid", "Top", "Side", "Base"):
        (site.root / "lean" / "Demo" / f"{module}.lean").unlink()
    site.write("Tight", TIGHT)
    (site.root / "obligations" / "demo.yaml").write_text(CATALOGUE, encoding="utf-8")
    done = site.tracker("run")
    assert done.code == 0, done.out + done.err
    return site


@pytest.fixture(scope="module")
def measured(checked: Site) -> Done:
    done = checked.tracker("headroom", "--json", "--precision", "0.1")
    assert done.code == 0, done.err
    return done


def copy_of(site: Site, place: Path) -> Site:
    shutil.copytree(site.root, place, dirs_exist_ok=True)
    return Site(place)


def by_name(done: Done, option: str) -> dict[str, dict[str, object]]:
    return {d["declaration"]: d for d in done.json["declarations"] if d["option"] == option}


def test_limits_in_force_are_named(measured: Done) -> None:
    depth, beats = by_name(measured, "maxRecDepth"), by_name(measured, "maxHeartbeats")
    assert depth["Demo.deeper"]["limit"] == 3000
    assert depth["Demo.deep"]["limit"] == 512
    assert beats["Demo.light"]["limit"] == 400000
    assert beats["Demo.deep"]["limit"] == 200000


def test_the_deeper_one_needs_more(measured: Done) -> None:
    depth = by_name(measured, "maxRecDepth")
    needs = [int(str(depth[f"Demo.{name}"]["needed"])) for name in ("light", "deep", "deeper")]
    assert needs == sorted(set(needs))
    assert depth["Demo.deeper"]["failure"] == "max-rec-depth"


@pytest.mark.parametrize("name", ["deep", "deeper"])
def test_lean_agrees_in_the_source_itself(checked: Site, measured: Done, name: str, tmp_path: Path) -> None:
    found = by_name(measured, "maxRecDepth")[f"Demo.{name}"]
    site = copy_of(checked, tmp_path)
    for value, label in ((found["needed"], "proved"), (found["fails_at"], "failed:max-rec-depth")):
        text = TIGHT.replace("/-- Deep. -/\n", "").replace("set_option maxRecDepth 3000 in\n", "")
        text = text.replace("maxRecDepth 3000", "maxRecDepth 4000")
        other = "deeper" if name == "deep" else "deep"
        text = text.replace(
            f"theorem Demo.{other} ", f"set_option maxRecDepth 3000 in\ntheorem Demo.{other} "
        )
        text = text.replace(
            f"theorem Demo.{name} ", f"set_option maxRecDepth {value} in\ntheorem Demo.{name} "
        )
        site.write("Tight", text)
        site.tracker("run")
        assert site.labels()[name] == label


def test_one_alone_needs_what_it_needs_among_others(checked: Site, measured: Done) -> None:
    """`user` fails whenever `deep` does, and is not to be blamed for it."""
    alone = checked.tracker("headroom", "user", "--json", "--precision", "0.1", "--no-dead")
    for option in ("maxRecDepth", "maxHeartbeats"):
        joint, single = by_name(measured, option)["Demo.user"], by_name(alone, option)["Demo.user"]
        assert int(str(joint["fails_at"])) < int(str(single["needed"]))
        assert int(str(single["fails_at"])) < int(str(joint["needed"]))


def test_what_cannot_stand_under_a_limit_is_said(measured: Done) -> None:
    assert [u["declaration"] for u in measured.json["unmeasured"]] == ["Demo.left"]


def test_dead_limits_are_told_from_needed_ones(measured: Done) -> None:
    assert [(w["option"], w["dead"]) for w in measured.json["limits"]] == [
        ("maxRecDepth", False),
        ("maxHeartbeats", True),
    ]


def test_the_memory_of_a_module(checked: Site) -> None:
    done = checked.tracker(
        "headroom", "light", "--option", "memory", "--no-dead", "--json", "--precision", "0.2"
    )
    assert done.code == 0, done.err
    (found,) = done.json["declarations"]
    assert found["declaration"] == ""
    assert 0 < found["fails_at"] < found["needed"]
    assert found["failure"] in ("out-of-memory", "kernel-memory")
    assert (
        "whole module"
        in checked.tracker("headroom", "light", "--option", "memory", "--no-dead", "--precision", "1").out
    )


def test_use_above_the_wanted_is_a_failure(checked: Site) -> None:
    done = checked.tracker("headroom", "light", "--option", "maxRecDepth", "--no-dead", "--max-use", "0.001")
    assert done.code == 1
    assert "Demo.light needs" in done.err
    assert checked.tracker("headroom", "light", "--option", "maxRecDepth", "--max-use", "1").code == 0


def test_a_module_without_evidence_is_not_measured(checked: Site, tmp_path: Path) -> None:
    site = copy_of(checked, tmp_path)
    site.write("Tight", TIGHT + "-- edited\n")
    done = site.tracker("headroom", "light", "--json")
    assert done.code == 1
    assert "tracker run" in done.json["unmeasured"][0]["reason"]


def test_build_output_that_is_gone_comes_back_by_the_cure_that_is_named(
    checked: Site, tmp_path: Path
) -> None:
    site = copy_of(checked, tmp_path)
    shutil.rmtree(site.root / "lean" / ".lake" / "build")
    wish = ("headroom", "light", "--option", "maxRecDepth", "--no-dead")
    done = site.tracker(*wish)
    assert done.code == 3
    assert "error[NOT-COMPILED]: the build output of Demo.Tight is gone" in done.err
    assert "`tracker run --fresh Demo.Tight`" in done.err
    assert site.tracker("run").code == 0
    assert site.tracker(*wish).code == 3, "what has evidence is left alone"
    assert site.tracker("run", "--fresh", "Demo.Tight").code == 0
    assert site.tracker(*wish).code == 0


def test_an_unknown_target_is_an_error(checked: Site) -> None:
    done = checked.tracker("headroom", "lihgt")
    assert done.code == 2
    assert "did you mean `light`" in done.err


def test_what_a_killed_one_leaves_is_swept(
    checked: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, scratch = copy_of(checked, tmp_path / "site"), tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setattr(tempfile, "tempdir", None)
    with subprocess.Popen([sys.executable, "-m", "tracker", "headroom", "deep"], cwd=site.root) as driver:
        while not list(scratch.glob("*/Variant.lean")):
            assert driver.poll() is None
            time.sleep(0.01)
        driver.kill()
    deadline = time.monotonic() + 20
    while list(scratch.iterdir()):  # a wrapper that is just being ended may hold on to its own
        sweep()
        assert time.monotonic() < deadline, list(scratch.rglob("*"))
        time.sleep(0.05)
