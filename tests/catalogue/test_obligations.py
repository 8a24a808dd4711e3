"""The catalogue that this repository ships says what its Lean project holds."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

from tracker.catalogue import schema
from tracker.catalogue.diagnostics import Report
from tracker.catalogue.load import load_catalogue
from tracker.catalogue.model import Catalogue
from tracker.catalogue.nodes import plain
from tracker.catalogue.yamltext import read_yaml
from tracker.edges import check_edges
from tracker.embedded.sysroot import ensure
from tracker.lean.ilean import read_ilean
from tracker.lean.log.source import declaration_ranges
from tracker.lean.project import load_project
from tracker.run.compiled import Compiled

ROOT = Path(__file__).parents[2]
OBLIGATIONS = ROOT / "obligations"
LEAN = ROOT / "lean"
FILES = sorted(OBLIGATIONS.rglob("*.yaml"))


@pytest.fixture(scope="module")
def shipped() -> Catalogue:
    result = load_catalogue(OBLIGATIONS, root=ROOT)
    assert [str(d) for d in result.diagnostics] == []
    assert result.catalogue is not None
    return result.catalogue


def test_the_main_results_are_there(shipped: Catalogue) -> None:
    for ident, kind, net in (
        ("vjp_comp_diff_at", "foundation", None),
        ("batchMap_comp", "foundation", None),
        ("vitKVB_has_vjp_at", "apex", "vit"),
        ("vitInputGradKB_eq_vitKVB_vjp", "tie", "vit"),
        ("vitForwardKVB_eq_chain", "shape-check", "vit"),
        ("vitTinyInputGradB_eq_vitTiny_vjp", "capstone", "vit"),
    ):
        assert (shipped[ident].kind, shipped[ident].net) == (kind, net)
    assert "batchMap_comp" in shipped.ancestors("vitTinyInputGradB_eq_vitTiny_vjp")


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.relative_to(OBLIGATIONS).as_posix())
def test_a_file_names_the_schema_and_follows_it(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    start = "# yaml-language-server: $schema="
    first = text.split("\n", 1)[0]
    assert first.startswith(start)
    assert (file.parent / first.removeprefix(start)).resolve() == schema.SCHEMA_FILE
    node = read_yaml(text, file.name, Report())
    assert node is not None
    jsonschema.validate(plain(node), schema.build())


def test_every_obligation_says_what_it_is_and_where_it_comes_from(shipped: Catalogue) -> None:
    for ob in shipped:
        assert ob.summary
        assert ob.sources
        assert ob.budget.wall_s
        assert ob.budget.memory_bytes


def test_every_declaration_is_written_in_its_module(shipped: Catalogue) -> None:
    for module, obligations in shipped.by_module.items():
        file = LEAN / f"{module.replace('.', '/')}.lean"
        written = {found.name for found in declaration_ranges(file.read_text(encoding="utf-8"))}
        assert {ob.decl for ob in obligations} - written == set(), module


def test_every_declaration_is_what_it_is_expected_to_be(shipped: Catalogue) -> None:
    same = {"abbrev": "def", "instance": "def", "lemma": "theorem"}
    wrong = []
    for module, obligations in shipped.by_module.items():
        text = (LEAN / f"{module.replace('.', '/')}.lean").read_text(encoding="utf-8")
        written = {found.name: found.keyword for found in declaration_ranges(text)}
        for ob in obligations:
            expected, keyword = shipped.expects_of(ob), written[ob.decl]
            if expected and same.get(keyword, keyword) != same.get(expected, expected):
                wrong.append(f"{ob.where('expects')} {ob.id}: it is a {keyword}, not a {expected}")
    assert wrong == []


def recorded_uses(directory: Path) -> dict[str, Counter[str]]:
    """What each declaration's source refers to, as Lean records it while it checks the project."""
    project = directory / "lean"
    shutil.copytree(LEAN, project)
    built = subprocess.run(
        [ensure().lake, "build"], cwd=project, capture_output=True, text=True, timeout=540, check=False
    )
    assert built.returncode == 0, built.stdout[-4000:]
    found: dict[str, Counter[str]] = {}
    for file in project.rglob("*.ilean"):
        found.update(read_ilean(file).uses)
    return found


def wrong_edges(shipped: Catalogue, uses: dict[str, Counter[str]]) -> Iterator[str]:
    """Our own edges are exactly the references: here nothing is tolerated."""
    recorded = {ob.decl: uses.get(ob.decl, {}) for ob in shipped}
    for result in check_edges(shipped, recorded, lambda _: ()):
        yield f"{result.where(shipped)} {result.id}: {result.message()}"


def wrong_proofs(shipped: Catalogue, directory: Path) -> Iterator[str]:
    compiled = Compiled(load_project(directory / "lean"))
    for ob in shipped:
        if ob.proof == "rfl" and not compiled.by_rfl(ob.module, ob.decl):
            yield f"{ob.where('proof')} {ob.id}: its proof is not `rfl`"


def wrong_claims(shipped: Catalogue, uses: dict[str, Counter[str]]) -> Iterator[str]:
    for ob in shipped:
        for claim in ob.expected_uses():
            counted = sum(uses.get(ob.decl, Counter())[decl] for decl in claim.decls)
            if counted != claim.count:
                yield f"{ob.where('claims')} {ob.id}: {claim.name} is used {counted} times, not {claim.count}"


def test_dependencies_claims_and_proofs_are_what_lean_records(shipped: Catalogue, tmp_path: Path) -> None:
    uses = recorded_uses(tmp_path)
    assert sum(len(ob.expected_uses()) for ob in shipped) > 40
    assert sum(ob.proof == "rfl" for ob in shipped) > 30
    assert [*wrong_edges(shipped, uses), *wrong_claims(shipped, uses)] == []
    assert [*wrong_proofs(shipped, tmp_path)] == []
    shutil.rmtree(tmp_path / "lean")
