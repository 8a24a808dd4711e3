"""One project that holds all attacks by sources: proved, locked and in a baseline, then attacked."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock

from tests.conftest import Done, Site, make_site
from tests.trust.attacks import CONTROLS, SOURCES, Attack, ident_of, module_of, text_of

GATE = '\n[gate]\ntime_floor = "10min"\nmemory_floor = "16GiB"\n'  # costs are not what is attacked here


@dataclass(frozen=True)
class Attacked:
    """What status and gate say after all attacks."""

    site: Site
    labels: dict[str, str]
    gate: Done
    findings: dict[str, list[str]]
    """Subjects by the code of the rule that objects to them."""


def findings_of(done: Done) -> dict[str, list[str]]:
    return {
        rule["code"]: [finding["subject"] for finding in rule["findings"]]
        for rule in done.json["rules"]
        if rule["outcome"] == "fail"
    }


def write_all(site: Site, *, after: bool) -> None:
    for attack in (*SOURCES, *CONTROLS):
        text = attack.after if after else attack.before
        if text is None:
            (site.root / "lean" / "Demo" / f"{module_of(attack)}.lean").unlink()
        else:
            site.write(module_of(attack), text_of(attack, text))
        for name, hidden in (attack.extra_after if after else attack.extra).items():
            site.write(name, text_of(attack, hidden))


def write_catalogue(site: Site, *, after: bool) -> None:
    lines = ["obligations:\n"]
    for attack in (*SOURCES, *CONTROLS):
        allowed = ""
        if after and attack.allows:
            allowed = f", allowed_axioms: [{text_of(attack, attack.allows)}]"
        name, module = module_of(attack), f"Demo.{module_of(attack)}"
        lemma, main = ident_of(attack), ident_of(attack, "main")
        lines.append(f"  - {{id: {lemma}, kind: leaf-tie, decl: {name}.lemma, module: {module}{allowed}}}\n")
        lines.append(
            f"  - {{id: {main}, kind: tie, decl: {name}.main, module: {module}, depends_on: [{lemma}]}}\n"
        )
    (site.root / "obligations" / "demo.yaml").write_text("".join(lines))


def remove_locks(site: Site) -> None:
    file = site.root / "obligations" / "statements.lock"
    names = {ident_of(attack) for attack in SOURCES if attack.unlocked}
    kept = [line for line in file.read_text().splitlines() if json.loads(line).get("id") not in names]
    file.write_text("\n".join(kept) + "\n")


def must(done: Done, *codes: int) -> Done:
    assert done.code in codes, done.out + done.err
    return done


@pytest.fixture(scope="session")
def attacked(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Attacked:
    """All attacks by sources at once."""
    return attacked_once("attacked", tmp_path_factory, worker_id, attack_all)


def attacked_once(
    name: str, factory: pytest.TempPathFactory, worker: str, attack: Callable[[Path], tuple[Site, Done]]
) -> Attacked:
    """Return what one process found by `attack` in a new directory: others beside it read that."""
    base = factory.getbasetemp()
    root = (base if worker == "master" else base.parent) / name
    answers = root / "answers.json"
    with FileLock(f"{root}.lock"):
        if not answers.exists():
            shutil.rmtree(root, ignore_errors=True)
            root.mkdir()
            site, gate = attack(root)
            said = {"site": str(site.root), "labels": site.labels(), "gate": [gate.code, gate.out, gate.err]}
            answers.write_text(json.dumps(said))
    said = json.loads(answers.read_text())
    gate = Done(*said["gate"])
    return Attacked(Site(Path(said["site"])), said["labels"], gate, findings_of(gate))


def attack_all(root: Path) -> tuple[Site, Done]:
    """Have a project proved, locked and in its baseline, attack it, and return what the gate says."""
    site = make_site(root)
    for file in (site.root / "lean" / "Demo").glob("*.lean"):
        file.unlink()
    config = site.root / "tracker.toml"
    config.write_text(config.read_text() + GATE)
    write_all(site, after=False)
    write_catalogue(site, after=False)
    must(site.tracker("run", timeout=600), 1)  # one failure is known
    labels = site.labels()
    known = {ident for ident, label in labels.items() if label != "proved"}
    assert known == {f"another-failure-than-the-known-one.{which}" for which in ("lemma", "main")}
    must(site.tracker("lock"), 0)
    must(site.tracker("gate", "--update-baseline", "--yes"), 0)
    must(site.tracker("gate"), 0)

    write_all(site, after=True)
    write_catalogue(site, after=True)
    remove_locks(site)
    must(site.tracker("run", timeout=600), 1)
    return site, must(site.tracker("gate", "--json"), 1)


@pytest.fixture(scope="session")
def gated_once(proved_once: Site, tmp_path_factory: pytest.TempPathFactory) -> Site:
    root = tmp_path_factory.mktemp("gated")
    shutil.copytree(proved_once.root, root, dirs_exist_ok=True)
    site = Site(root)
    must(site.tracker("gate", "--update-baseline", "--yes"), 0)
    return site


@pytest.fixture
def gated(gated_once: Site, tmp_path: Path) -> Site:
    """A small project of one's own that is proved, locked and in its baseline."""
    shutil.copytree(gated_once.root, tmp_path, dirs_exist_ok=True)
    return Site(tmp_path)


def target(attack: Attack) -> str:
    """Return what the rule must object to."""
    return f"Demo.{module_of(attack)}" if attack.subject == "module" else ident_of(attack, attack.subject)
