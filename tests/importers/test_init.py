"""`tracker init`: from Lean's index of a compiled project, from what files cite, from patterns."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import pytest

from tests.conftest import Site
from tests.importers.conftest import PROJECT, tracker
from tracker.catalogue.load import load_catalogue
from tracker.catalogue.model import Catalogue

OVERCLAIMS = """\
blueprint/src/chapter/net.tex:9: undeclared: Gradients.net_three
blueprint/src/chapter/net.tex:11: unbuilt: Gradients.draft
blueprint/src/content.tex:18: sorry: Gradients.layer_comm
blueprint/src/content.tex:20: unknown-label: Gradients.layer_comm
formalization.yaml:4: sorry-count:
formalization.yaml:5: axiom: Gradients.choice_of_step
formalization.yaml:8: sorry: Gradients.layer_comm
formalization.yaml:9: elsewhere: Gradients.net_zero
formalization.yaml:12: undeclared: Gradients.net_one
formalization.yaml:18: axiom: Gradients.choice_of_step
tests/Audit.lean:15: sorry: Gradients.layer_comm
tests/Audit.lean:17: undeclared: Gradients.net_equal
"""


def loaded(directory: Path) -> Catalogue:
    result = load_catalogue(directory / "obligations", root=directory)
    assert result.errors == ()
    assert result.catalogue is not None
    return result.catalogue


def fresh(site: Site) -> Site:
    """The site without its catalogue and settings."""
    (site.root / "tracker.toml").unlink()
    for file in (site.root / "obligations").iterdir():
        file.unlink()
    (site.root / "obligations").rmdir()
    return site


def test_a_catalogue_of_a_compiled_project_agrees_with_its_proofs(proved: Site) -> None:
    site = fresh(proved)
    done = site.tracker("init", "--claims")
    assert done.code == 0, done.err
    assert "wrote 6 files: 5 obligations with 3 dependencies" in done.out
    assert "not compiled" not in done.out
    assert (
        tomllib.loads((site.root / "tracker.toml").read_text(encoding="utf-8"))["tracker"]["project"]
        == "lean"
    )
    found = loaded(site.root)
    assert {ob.decl: ob.depends_on for ob in found} == {
        "Demo.two_eq": (), "Demo.lemma": (), "Demo.main": ("lemma", "two_eq"), "Demo.top": ("main",),
        "Demo.side": (),
    }  # fmt: skip
    assert found["main"].claims == {"Demo.lemma": 1, "Demo.two_eq": 1}
    assert {ob.id for ob in found if ob.proof == "rfl"} == {"two_eq", "lemma", "side"}
    assert site.tracker("run", "--toolchain", "embedded").code == 0
    assert site.tracker("edges", "--toolchain", "embedded").code == 0


def test_build_output_that_is_gone_is_built_again_only_by_fresh(proved: Site) -> None:
    site = fresh(proved)
    build = site.root / "lean" / ".lake" / "build" / "lib" / "lean" / "Demo"
    (build / "Mid.ilean").unlink()
    assert "after `tracker run --fresh Demo.Mid` see `tracker edges`" in site.tracker("init", "--dry-run").out
    shutil.rmtree(build)
    assert "after `tracker run --fresh` see `tracker edges`" in site.tracker("init", "--dry-run").out
    shutil.rmtree(site.root / ".tracker")
    assert "after `tracker run` see `tracker edges`" in site.tracker("init", "--dry-run").out


def test_nothing_is_replaced_unless_asked_for(proved: Site) -> None:
    before = {f: f.read_bytes() for f in proved.root.rglob("*") if f.is_file() and "obligations" in f.parts}
    done = proved.tracker("init")
    assert done.code == 2
    assert "error[ALREADY-THERE]" in done.err
    assert "--force" in done.err
    assert {f: f.read_bytes() for f in before} == before
    refused = proved.tracker("init", "--force")  # beside the old file every declaration is there twice
    assert refused.code == 2
    assert "error[NOT-WRITTEN]" in refused.err
    assert "duplicate-decl" in refused.err
    assert {
        f: f.read_bytes() for f in proved.root.rglob("*") if f.is_file() and "obligations" in f.parts
    } == before
    fresh(proved)
    assert proved.tracker("init").code == 0
    settings = proved.root / "tracker.toml"
    mine = settings.read_text() + "\n[limits]\nwall = '5min'\n"
    settings.write_text(mine)
    assert proved.tracker("init", "--force").code == 0
    assert settings.read_text() == mine


def test_a_dry_run_writes_nothing(cited: Path) -> None:
    before = sorted(cited.rglob("*"))
    done = tracker(cited, "init", "--dry-run")
    assert done.code == 0
    assert "  - id: net_eq\n" in done.out
    assert "would write 4 files: 6 obligations with 0 dependencies" in done.out
    assert "2 modules are not compiled" in done.out
    assert sorted(cited.rglob("*")) == before


def test_what_claims_more_than_the_sources_hold_is_told(cited: Path) -> None:
    done = tracker(cited, "init", "--from", ".", "--json", "--strict")
    assert done.code == 1, done.err
    found = done.json
    said = [f"{o['path']}:{o['line']}: {o['code']}: {o['name']}".rstrip() for o in found["overclaims"]]
    assert said == OVERCLAIMS.splitlines()
    assert found["planned"] == 1
    assert found["cited_files"] == [
        "formalization.yaml", "blueprint/src/content.tex", "blueprint/src/chapter/net.tex",
        "tests/Audit.lean",
    ]  # fmt: skip
    catalogue = loaded(cited)
    assert [ob.id for ob in catalogue] == [
        "layer", "layer_zero", "layer_eq", "layer_comm", "choice_of_step", "net_eq", "net_zero",
    ]  # fmt: skip
    assert catalogue["net_eq"].depends_on == ("layer_eq", "layer_zero")
    assert catalogue["net_eq"].summary == "The net"
    assert catalogue["net_eq"].allowed_axioms is None
    assert catalogue["layer_zero"].allowed_axioms == ()
    assert catalogue["layer_eq"].allowed_axioms == ("propext",)
    assert catalogue["layer_eq"].sources == (
        "formalization.yaml:17", "blueprint/src/content.tex:8", "tests/Audit.lean:11",
    )  # fmt: skip
    text = tracker(cited, "init", "--from", ".", "--force")
    assert text.code == 0
    assert "12 claims are more than the sources hold" in text.out
    assert "did you mean `Gradients.net_eq`?" in text.err


@pytest.mark.parametrize(
    ("source", "ids"),
    [
        ("blueprint", ["layer", "layer_zero", "layer_eq", "layer_comm", "net_eq"]),
        ("formalization.yaml", ["layer_eq", "layer_comm", "choice_of_step", "net_eq", "net_zero"]),
        ("tests/Audit.lean", ["layer_zero", "layer_eq", "layer_comm", "net_eq"]),
    ],
)
def test_from_one_source(cited: Path, source: str, ids: list[str]) -> None:
    assert tracker(cited, "init", "--from", source).code == 0
    assert [ob.id for ob in loaded(cited)] == ids


def test_from_a_project_elsewhere(tmp_path: Path) -> None:
    done = tracker(tmp_path, "init", "--from", str(PROJECT))
    assert done.code == 0, done.err
    assert len(loaded(tmp_path)) == 7
    assert tracker(tmp_path, "scan").code == 0  # tracker.toml leads there


def test_from_patterns(cited: Path) -> None:
    done = tracker(cited, "init", "--match", "Gradients.*_eq=tie", "--match", "Gradients.net*")
    assert done.code == 0, done.err
    assert {ob.id: ob.kind for ob in loaded(cited)} == {
        "layer_eq": "tie", "net_eq": "tie", "net": "definition", "net_zero": "theorem",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--match", "Gradients.nets"), "did you mean"),
        (("--match", "Gradients.net=tye"), "unknown-kind"),
        (("--from", "nowhere"), "no such file"),
        (("--from", "lakefile.toml"), "formalization.yaml"),
        (("--from", "Gradients"), "no formalization.yaml"),
        (("--project", "/"), "no lakefile.toml"),
    ],
)
def test_mistakes_are_told_and_nothing_is_written(cited: Path, args: tuple[str, ...], said: str) -> None:
    before = sorted(cited.rglob("*"))
    done = tracker(cited, "init", *args)
    assert done.code == 2
    assert said in done.err
    assert "hint:" in done.err
    assert sorted(cited.rglob("*")) == before


def test_a_formalization_that_is_no_yaml(cited: Path) -> None:
    (cited / "formalization.yaml").write_text("status: [", encoding="utf-8")
    done = tracker(cited, "init", "--from", ".")
    assert done.code == 2
    assert "error[BAD-YAML]: formalization.yaml" in done.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"\xff\xfe", "formalization.yaml:1: it must be a mapping"),
        (b"- status", "formalization.yaml:1: it must be a mapping"),
        (b"status:\n  - main_results", "formalization.yaml:2: `status` must be a mapping"),
        (b"status:\n  main_results: Gradients.net_eq", "formalization.yaml:2: `main_results` must be a list"),
        (b"alignment:\n  statements: {a: b}", "formalization.yaml:2: `statements` must be a list"),
    ],
)
def test_a_formalization_of_another_shape_is_no_empty_one(cited: Path, text: bytes, said: str) -> None:
    (cited / "formalization.yaml").write_bytes(text)
    done = tracker(cited, "init", "--from", ".")
    assert done.code == 2
    assert f"error[BAD-YAML]: {said}" in done.err


def test_where_nothing_that_is_cited_is_declared_it_is_listed(cited: Path) -> None:
    names = ", ".join(f"Nowhere.n{i}" for i in range(34))
    (cited / "formalization.yaml").write_text(f"status:\n  main_results: [{names}]\nalignment:\n", "utf-8")
    done = tracker(cited, "init", "--from", "formalization.yaml")
    assert done.code == 2
    assert "formalization.yaml:2: Nowhere.n0\n" in done.err
    assert "  and 4 more\n" in done.err
