"""Reading compiled files: what they declare and say; whatever is damaged is refused."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Site, make_site
from tracker.lean.olean import PARTS, Olean, OleanError

MODULE_SYSTEM = {
    "A1": "module\nprelude\npublic theorem Demo.foo : ∀ p : Prop, p → p := fun _ h => h\n",
    "All": "module\nprelude\npublic import Demo.A1\n",
    "Ax": "module\nprelude\npublic axiom Demo.ax : Prop\n",
    "Uses": "import Demo.All\nimport Demo.Ax\ntheorem Demo.uses : 1 = 1 := rfl\n",
}
USES = "  - {id: uses, kind: foundation, decl: Demo.uses, module: Demo.Uses}\n"


@pytest.fixture(scope="module")
def built(proved_once: Site) -> Path:
    return proved_once.root / "lean" / ".lake" / "build" / "lib" / "lean" / "Demo"


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled files of a project with the module system, which `tracker run` has read."""
    site = make_site(tmp_path_factory.mktemp("parts"))
    for name, text in MODULE_SYSTEM.items():
        site.write(name, text)
    with (site.root / "obligations" / "demo.yaml").open("a", encoding="utf-8") as catalogue:
        catalogue.write(USES)
    done = site.tracker("run")
    assert done.code == 0, done.out + done.err
    assert site.labels()["uses"] == "proved"
    return site.root / "lean" / ".lake" / "build" / "lib" / "lean" / "Demo"


def everything(olean: Olean) -> None:
    for name in olean.constants:
        olean.digest(name)
        olean.references(name, proofs=True)
        olean.hypotheses(name)
        olean.alias(name)


def test_what_a_module_declares(built: Path) -> None:
    olean = Olean(built / "Mid.olean")
    assert {name: c.kind for name, c in olean.constants.items()} == {
        "Demo.lemma": "theorem",
        "Demo.main": "theorem",
    }
    assert olean.axioms == ()
    assert {"Demo.lemma", "Demo.two", "Demo.two_eq"} <= olean.references("Demo.main", proofs=True)
    assert "Demo.two" in olean.references("Demo.main", proofs=False)
    assert "Demo.lemma" not in olean.references("Demo.main", proofs=False)
    assert olean.hypotheses("Demo.lemma") == ("Nat",)
    assert olean.digest("Demo.main") != olean.digest("Demo.lemma")
    everything(olean)


@pytest.mark.parametrize("size", [0, 4, 87, 88, 104, 1000, -64, -4])
def test_cut_short(built: Path, tmp_path: Path, size: int) -> None:
    file = tmp_path / "Mid.olean"
    file.write_bytes((built / "Mid.olean").read_bytes()[:size])
    with pytest.raises(OleanError) as caught:
        everything(Olean(file))
    assert caught.value.hint
    assert caught.value.exit_code == 3


def test_a_part_without_objects(parts: Path) -> None:
    for part in (".olean.server", ".olean.private"):
        assert (parts / f"All{part}").stat().st_size == 96
    assert Olean(parts / "All.olean").constants == {}
    assert Olean(parts / "Ax.olean").axioms == ("Demo.ax",)
    assert Olean(parts / "A1.olean").constants["Demo.foo"].kind == "theorem"


@given(data=st.data())
def test_any_part_cut_short_is_refused(parts: Path, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["A1", "All", "Ax", "Uses", "Base"]))
    files = [file for part in PARTS if (file := parts / f"{name}{part}").exists()]
    cut = data.draw(st.sampled_from(files))
    words = data.draw(st.integers(0, cut.stat().st_size // 8 - 1))
    with TemporaryDirectory() as directory:
        for file in files:
            shutil.copy(file, directory)
        (Path(directory) / cut.name).write_bytes(cut.read_bytes()[: 8 * words])
        with pytest.raises(OleanError):
            Olean(Path(directory) / f"{name}.olean")


def test_absent(tmp_path: Path) -> None:
    with pytest.raises(OleanError):
        Olean(tmp_path / "None.olean")


def test_any_damage_is_an_olean_error_or_none(built: Path, tmp_path: Path) -> None:
    content = (built / "Mid.olean").read_bytes()
    file = tmp_path / "Mid.olean"
    chance = random.Random(4)
    refused = 0
    for _ in range(300):
        damaged = bytearray(content)
        for _ in range(chance.randint(1, 40)):
            damaged[chance.randrange(88, len(damaged))] = chance.choice((0, 1, 8, 255, chance.randrange(256)))
        file.write_bytes(damaged)
        try:
            everything(Olean(file))
        except OleanError:
            refused += 1
    assert refused > 100
