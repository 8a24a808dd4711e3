"""`tracker check --project`: which of a catalogue's declarations the sources of a project hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tracker.catalogue.load import load_catalogue, load_text
from tracker.cli.check import check
from tracker.errors import ProjectError
from tracker.lean.project import load_project
from tracker.presence import Presence, Where, presence

ROOT = Path(__file__).parents[2]
CATALOGUE = """\
defaults: {kind: tie, module: Nets.Tie, namespace: Proofs}
obligations:
  - here
  - {id: newName, aliases: [{name: Proofs.old_name, since: "2026-09-24"}]}
  - moved
  - {id: movedToo, aliases: [Proofs.moved_too]}
  - stray
  - commented
  - quoted
  - privateSection.inner
  - gone
  - {id: aliased}
  - secondAlias
  - {id: odd, decl: Proofs.«odd name»}
"""
FILES = {
    "lakefile.toml": 'name = "nets"\n[[lean_lib]]\nname = "Nets"\n',
    "Nets.lean": "import Nets.Tie\nimport Nets.Other\n",
    "Nets/Tie.lean": """\
namespace Proofs
theorem here : True := trivial
def old_name := 1
/- theorem commented : True := trivial -/
-- def commented := 1
def text := "theorem quoted : True"
namespace privateSection
theorem inner : True := trivial
end privateSection
theorem «odd name» : True := trivial
alias aliased := here
alias ⟨firstAlias, secondAlias⟩ := here
end Proofs
theorem gone : True := trivial
""",
    "Nets/Other.lean": "theorem Proofs.moved : True := trivial\ntheorem Proofs.moved_too : True := trivial\n",
    "Nets/Stray.lean": "theorem Proofs.stray : True := trivial\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        file = tmp_path / "project" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (tmp_path / "core.yaml").write_text(CATALOGUE, encoding="utf-8")
    return tmp_path / "project"


def found_in(project: Path) -> dict[str, Presence]:
    catalogue = load_text(CATALOGUE).catalogue
    assert catalogue is not None
    return {each.obligation.id: each for each in presence(catalogue, load_project(project))}


def test_each_declaration_is_judged(project: Path) -> None:
    assert {ident: str(each.where) for ident, each in found_in(project).items()} == {
        "here": "here",
        "newName": "renamed",
        "moved": "moved",
        "movedToo": "moved",
        "stray": "unbuilt",
        "commented": "missing",
        "quoted": "missing",
        "privateSection.inner": "here",
        "gone": "missing",
        "aliased": "here",
        "secondAlias": "here",
        "odd": "here",
    }


def test_what_was_found_is_said(project: Path) -> None:
    found = found_in(project)
    assert found["newName"].message() == "`Proofs.newName` is `Proofs.old_name` there (Nets/Tie.lean:3)"
    assert found["moved"].message() == "`Proofs.moved` is in Nets.Other (Nets/Other.lean:1), not in Nets.Tie"
    assert found["stray"].message() == "`Proofs.stray` is at Nets/Stray.lean:1, in no target of the project"
    assert found["gone"].message() == "`Proofs.gone` is not written in the project"


@pytest.mark.parametrize(
    "declared",
    [
        "theorem Proofs.gone : True := trivial",
        "theorem\n  Proofs.gone : True := trivial",
        "theorem /- why -/ Proofs.gone : True := trivial",
        "theorem -- why\n  Proofs.gone : True := trivial",
        "namespace Proofs\ninstance (priority := 100) gone : C := c",
        "namespace Proofs\nclass inductive gone : Prop",
        "namespace Proofs\nuniverse u in\n@[simp] private def gone.{u} (x : Sort u) := x",
        "namespace Other\ndef _root_.Proofs.gone{x : Nat} := x",
        "namespace «Proofs»\ndef «gone» := 1",
    ],
)
def test_every_way_of_declaring_is_seen(project: Path, declared: str) -> None:
    (project / "Nets" / "Tie.lean").write_text(declared + "\n", encoding="utf-8")
    assert found_in(project)["gone"].where is Where.HERE


def run(project: Path, *args: str) -> Result:
    arguments = [str(project.parent / "core.yaml"), "--project", str(project), *args]
    result = CliRunner().invoke(check, arguments, standalone_mode=False)
    result.exit_code = result.return_value if isinstance(result.return_value, int) else result.exit_code
    return result


def test_the_command_tells_and_only_strict_fails(project: Path) -> None:
    result = run(project)
    assert result.exit_code == 0
    assert "core.yaml:4:10: renamed: `Proofs.newName` is `Proofs.old_name` there" in result.output
    last = result.output.splitlines()[-1]
    assert last.startswith("▲ 5 of 12 declarations are where they should be in ")
    assert last.endswith("; 3 missing, 2 moved, 1 renamed, 1 unbuilt")
    assert run(project, "--strict").exit_code == 1


def test_json(project: Path) -> None:
    data = json.loads(run(project, "--json").output)
    places = {each["id"]: each["place"] for each in data["project"]["declarations"]}
    assert places["gone"] is None
    assert places["moved"] == {
        "name": "Proofs.moved",
        "module": "Nets.Other",
        "path": "Nets/Other.lean",
        "line": 1,
    }


def test_what_is_wrong_with_the_project_is_said_too(project: Path) -> None:
    (project / "Nets" / "Other.lean").unlink()
    result = run(project)
    assert "Nets.lean:2:" in result.output
    assert "Nets.Other" in result.output
    assert result.output.splitlines()[-1].endswith("; 5 missing, 1 renamed, 1 unbuilt")
    (problem,) = json.loads(run(project, "--json").output)["project"]["problems"]
    assert "Nets.Other" in problem


def test_no_project_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "core.yaml").write_text(CATALOGUE, encoding="utf-8")
    with pytest.raises(ProjectError, match="no lakefile"):
        CliRunner().invoke(
            check,
            [str(tmp_path / "core.yaml"), "--project", str(tmp_path)],
            standalone_mode=False,
            catch_exceptions=False,
        )


def test_our_own_catalogue_is_all_there() -> None:
    catalogue = load_catalogue(ROOT / "obligations").catalogue
    assert catalogue is not None
    found = presence(catalogue, load_project(ROOT / "lean"))
    assert [each.message() for each in found if each.where is not Where.HERE] == []
