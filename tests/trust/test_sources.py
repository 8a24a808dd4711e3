"""Each attack by sources, catalogue or lock is caught with its own code."""

from __future__ import annotations

import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import Site
from tests.trust.attacks import CONTROLS, SOURCES, Attack, ident_of
from tests.trust.conftest import Attacked, target


@pytest.mark.parametrize("attack", SOURCES, ids=lambda attack: attack.name)
def test_attack_by_sources(attacked: Attacked, attack: Attack) -> None:
    assert attacked.labels[ident_of(attack)] == attack.label
    assert target(attack) in attacked.findings.get(attack.code, [])


@pytest.mark.parametrize("control", CONTROLS, ids=lambda attack: attack.name)
def test_what_is_no_attack_passes(attacked: Attacked, control: Attack) -> None:
    assert attacked.labels[ident_of(control)] == "proved"
    objected = {subject for subjects in attacked.findings.values() for subject in subjects}
    assert not objected & {
        ident_of(control),
        ident_of(control, "main"),
        target(replace(control, subject="module")),
    }


def test_names_are_unique() -> None:
    assert len({ident_of(attack) for attack in SOURCES}) == len(SOURCES) >= 40


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE module_check SET passed = 1, failures = '[]' WHERE NOT passed",
        "UPDATE module_check SET fingerprint = 'x'",
        "UPDATE module_check SET user_s = 0.001",
        "UPDATE module_check SET peak_rss_bytes = 1",
        "DELETE FROM message",
        "UPDATE probe SET axioms = '[]'",
        "UPDATE probe SET digest = 'x'",
        "UPDATE probe SET absurd = 0",
    ],
)
def test_a_store_edited(attacked: Attacked, tmp_path: Path, edit: str) -> None:
    shutil.copytree(attacked.site.root, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".lake"))
    with sqlite3.connect(tmp_path / ".tracker" / "history.db") as db:
        assert db.execute(edit).rowcount
    db.close()
    for verb in ("status", "gate"):
        done = Site(tmp_path).tracker(verb)
        assert done.code == 2
        assert "STORE-EDITED" in done.err
