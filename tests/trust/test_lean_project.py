"""This project's own proofs, catalogue and evidence, attacked in a copy: each attack has its own code."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.conftest import Done, Site
from tests.trust.conftest import Attacked, attacked_once, findings_of, must
from tests.trust.edits import EDITS, Edit
from tests.trust.test_surroundings import BASELINE, Case, appended, removed, replaced, sql, without_line

ROOT = Path(__file__).parents[2]
COSTS = {"GATE-TIME", "GATE-MEMORY", "GATE-HEADROOM", "GATE-MACHINE"}
"""Rules about what a check costs here: they are not what is attacked, and a busy machine may break them."""

CAPSTONE = """\
  - id: resnet50LowResInputGradB_correct
    kind: capstone
    summary: The reading at 160 × 160 images.
    depends_on:
      [Idx, pdiv, R50SmoothAtB, r50InputGradB, resnet50ForwardBFull, r50InputGradB_correct, resnet50Dims]
"""
TIE = "obligations/resnet50/tie.yaml"


def proved_copy(root: Path) -> Site:
    """Return a copy of the project, checked: its gate is open."""
    for part in ("lean", "obligations"):
        shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns(".lake"))
    for part in ("tracker.toml", BASELINE):
        (root / part).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / part, root / part)
    site = Site(root)
    must(site.tracker("run", timeout=900), 0)
    return site


def make(site: Site, edit: Edit) -> None:
    file = site.root / "lean" / edit.file
    text = file.read_text(encoding="utf-8")
    if edit.old:
        assert text.count(edit.old) == 1, edit.name
        text = text.replace(edit.old, edit.new)
    if edit.above:
        text = text.replace("namespace NetTies\n", f"namespace NetTies\n\n{edit.above}", 1)
    file.write_text(text, encoding="utf-8")
    for name, more in edit.more.items():
        (site.root / "lean" / name).write_text(more, encoding="utf-8")


def copy_of(site: Site, root: Path, *left_out: str) -> Site:
    shutil.copytree(site.root, root, ignore=shutil.ignore_patterns(*left_out), dirs_exist_ok=True)
    return Site(root)


def attack_all(root: Path) -> tuple[Site, Done]:
    attacked = copy_of(proved_copy(root / "proved"), root / "attacked")
    for edit in EDITS:
        make(attacked, edit)
    must(attacked.tracker("run", timeout=900), 1)
    return attacked, must(attacked.tracker("gate", "--json"), 1)


@pytest.fixture(scope="session")
def ours(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Attacked:
    return attacked_once("ours", tmp_path_factory, worker_id, attack_all)


@pytest.fixture(scope="session")
def proved_ours(ours: Attacked) -> Site:
    return Site(ours.site.root.parent / "proved")


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
def test_attack_on_our_proofs(ours: Attacked, edit: Edit) -> None:
    assert edit.subject in ours.findings.get(edit.code, [])
    assert ours.labels.get(edit.subject, "") == edit.label


def test_what_no_attack_touches_stays_proved(ours: Attacked, proved_ours: Site) -> None:
    touched = {edit.file.removesuffix(".lean").replace("/", ".") for edit in EDITS}
    status = proved_ours.tracker("status", "--json").json["obligations"]
    others = {ob["id"] for ob in status if ob["module"] not in touched}
    assert len(others) > 600
    assert {ident for ident in others if ours.labels[ident] != "proved"} == set()


def test_without_an_attack_nothing_objects(proved_ours: Site) -> None:
    assert set(findings_of(proved_ours.tracker("gate", "--json"))) <= COSTS


def another_source_with_its_dates_kept(site: Site) -> None:
    file = site.root / "lean" / "NetTies" / "Nets" / "ConvNeXt" / "ConvNeXtT.lean"
    before = file.stat()
    replaced("lean/NetTies/Nets/ConvNeXt/ConvNeXtT.lean", "c1 := 96", "c1 := 69")(site)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


OURS = (
    Case("a line of our baseline edited", "GATE-BASELINE", "line 605",
         replaced(BASELINE, '"resnet50LowResInputGradB_correct", "kind": "capstone"',
                  '"resnet50LowResInputGradB_correct", "kind": "reading"')),
    Case("a line of our baseline removed", "GATE-RATCHET", "resnet50LowResInputGradB_correct",
         without_line(BASELINE, '"obligation": "resnet50LowResInputGradB_correct"')),
    Case("a capstone dropped from our catalogue", "GATE-LOST", "resnet50LowResInputGradB_correct",
         replaced(TIE, CAPSTONE, "")),
    Case("a capstone made to name an easier theorem", "GATE-DRIFT", "resnet50LowResInputGradB_correct",
         replaced(TIE, CAPSTONE, CAPSTONE + "    decl: NetTies.resnet50ForwardBFull_eq_slots'\n")),
    Case("a source with another width, its dates kept", "GATE-MISSING", "NetTies.Nets.ConvNeXt.ConvNeXtT",
         another_source_with_its_dates_kept),
    Case("our evidence deleted", "GATE-EMPTY", "modules", removed(".tracker")),
    Case("our evidence under another Lean", "GATE-MISSING", "resnet50LowResInputGradB_correct",
         replaced("tracker.toml", '"auto"', '"shallow"')),
    Case("hazards taken from those left out", "GATE-UNSEEN", "Hazards.LiteralDimsBad",
         replaced("tracker.toml", 'ignore = ["Hazards.*"]', "ignore = []")),
)  # fmt: skip


@pytest.mark.parametrize("case", OURS, ids=lambda case: case.name)
def test_attack_around_our_proofs(proved_ours: Site, tmp_path: Path, case: Case) -> None:
    site = copy_of(proved_ours, tmp_path, ".lake")
    case.do(site)
    found = findings_of(must(site.tracker("gate", "--json"), 1))
    assert case.subject in found[case.code]


@pytest.mark.parametrize(
    ("code", "more"),
    [
        ("duplicate-decl", "  - {id: again, decl: NetTies.resnet50ForwardBFull_eq_slots}\n"),
        ("family-empty", "families:\n  - {id: none, pattern: 'resnet51*'}\n"),
    ],
)
def test_our_catalogue_hides_something(proved_ours: Site, tmp_path: Path, code: str, more: str) -> None:
    site = copy_of(proved_ours, tmp_path, ".lake")
    appended(TIE, more)(site)
    assert f"[{code}]" in must(site.tracker("gate"), 2).err


def test_our_store_edited(proved_ours: Site, tmp_path: Path) -> None:
    site = copy_of(proved_ours, tmp_path, ".lake")
    sql("UPDATE probe SET axioms = '[]' WHERE axioms <> '[]'")(site)
    assert "STORE-EDITED" in must(site.tracker("gate"), 2).err


def test_our_compiled_files_exchanged(proved_ours: Site, tmp_path: Path) -> None:
    """The capstones of two nets change places, with their dates: they are checked again, not believed."""
    site = copy_of(proved_ours, tmp_path)
    nets = site.root / "lean" / ".lake" / "build" / "lib" / "lean" / "NetTies" / "Nets"
    one, other = nets / "ConvNeXt" / "ConvNeXtT.olean", nets / "ViT" / "ViTTiny.olean"
    before, content = one.stat(), one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(content)
    os.utime(one, ns=(before.st_atime_ns, before.st_mtime_ns))
    replaced("lean/NetTies/Nets/ViT/ViTLossGrad.lean", "/-- ", "/--  ")(site)
    must(site.tracker("run", timeout=300), 0)
    assert set(site.labels().values()) == {"proved"}
