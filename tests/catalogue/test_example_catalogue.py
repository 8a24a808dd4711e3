"""The catalogue of a large public project, as an example: it loads clean and is as large as it says."""

from __future__ import annotations

import re
from pathlib import Path

import jsonschema
import pytest

from tracker.catalogue import schema
from tracker.catalogue.diagnostics import Report
from tracker.catalogue.load import load_catalogue
from tracker.catalogue.model import Catalogue
from tracker.catalogue.nodes import plain
from tracker.catalogue.yamltext import read_yaml

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "lean4-mlir"
FILES = sorted(EXAMPLE.rglob("*.yaml"))
NETS = {"r34": 18, "r50": 18, "mnv2": 21, "mnv4": 26, "b0": 18, "cnx": 12, "vit": 4}


@pytest.fixture(scope="module")
def example() -> Catalogue:
    result = load_catalogue(EXAMPLE, root=ROOT)
    assert [str(d) for d in result.diagnostics] == []
    assert result.catalogue is not None
    return result.catalogue


def test_it_is_whole(example: Catalogue) -> None:
    assert len(example) >= 400
    assert set(example.nets) == set(NETS) == set(example.by_net) - {None}
    assert set(example.tiers) == {"T1", "T2", "T3", "T6"} == set(example.by_tier) - {None}
    for net in NETS:
        assert {ob.tier for ob in example.by_net[net]} >= {"T1", "T2", "T3", "T6"}
    assert sum(len(ob.depends_on) for ob in example) > 900


def test_every_net_is_a_chain(example: Catalogue) -> None:
    assert {chain.net: len(chain.stages) for chain in example.chains.values()} == NETS
    for chain in example.chains.values():
        assert chain.apex is not None
        assert chain.tie is not None
        assert chain.shape_check is not None


def test_older_names_lead_to_the_newer_ones(example: Catalogue) -> None:
    for older, newer in (
        ("Proofs.vjp_comp_diff_at", "vjpCompDiffAt"),
        ("Proofs.ViTTiePoCGB.vit_net_tiedGB", "ViTTieGB.vit_net_tiedGB"),
        ("Proofs.vitKVB_has_vjp_at", "vitKVBHasVJPAt"),
        ("Proofs.ResNet34PoCB.bnGammaGradB_den", "GradNodeB.bnGammaGradB_den"),
    ):
        found = example.find(older)
        assert found is not None
        assert found.id == newer
    assert all(alias.since for ob in example for alias in ob.aliases)


def test_what_is_not_verified_says_why(example: Catalogue) -> None:
    reasons = {"module-inferred", "member-inferred", "namespace-unread", "spelling-inferred", "retired"}
    for ob in example:
        assert ("unverified" in ob.tags) == bool(reasons.intersection(ob.tags)), ob.id
        assert ob.sources, ob.id


def test_the_readme_explains_every_tag_and_counts_right(example: Catalogue) -> None:
    text = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"^\| `([a-z0-9-]+)` \|", text, re.MULTILINE))
    assert explained == {tag for ob in example for tag in ob.tags}
    assert f"{len(example)} obligations" in text


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.relative_to(EXAMPLE).as_posix())
def test_a_file_names_the_schema_and_follows_it(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    start = "# yaml-language-server: $schema="
    first = text.split("\n", 1)[0]
    assert first.startswith(start)
    assert (file.parent / first.removeprefix(start)).resolve() == schema.SCHEMA_FILE
    node = read_yaml(text, file.name, Report())
    assert node is not None
    jsonschema.validate(plain(node), schema.build())
