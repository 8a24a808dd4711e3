"""Reading compiled files: what they declare and say; whatever is damaged is refused."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.conftest import Site
from tracker.lean.olean import Olean, OleanError


@pytest.fixture(scope="module")
def built(proved_once: Site) -> Path:
    return proved_once.root / "lean" / ".lake" / "build" / "lib" / "lean" / "Demo"


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
