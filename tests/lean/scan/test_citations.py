"""Which citations count, and which of them are broken."""

from __future__ import annotations

import pytest

from tracker.lean.scan.citations import broken_citations
from tracker.lean.scan.source import scan_source

CODE = """\
structure Orchard.Tree extends Foreign where
  age : Nat
class Orchard.Soil (α : Type) where
  water : α
@[simps] def Orchard.plant : Orchard.Tree := sorry
@[to_additive (attr := simp) grown] theorem Orchard.mul_fruit : True := trivial
theorem Orchard.main : True := by
  trivial
where aux : True := trivial
structure Basket where
  apples : Nat
namespace Nat
theorem picked : True := trivial
end Nat
def Orchard.«odd name».deep := 1
alias Orchard.other := Orchard.main
theorem Rows.sum.closed : True := trivial
"""
PRESENT = [
    "Orchard.Tree", "Orchard.Soil.water", "Orchard.Soil.mk", "Orchard.Tree.inherited", "Orchard.plant_age",
    "Orchard.add_fruit", "Orchard.grown", "Orchard.main.aux", "Orchard.main.eq_1", "Basket.apples",
    "Basket.rec", "Orchard.«odd name».deep", "Orchard.other", "Orchard.Mod", "Orchard.Mod.Part", "Tree.age",
    "Rows.sum", "Basket.«a pear»",
]  # fmt: skip
FOREIGN = ["Nat.add_comm", "Mathlib.Tactic", "x.succ", "Orchard.lean", "Other.thing", "Rows.total", "pp.all"]
MISSING = [
    "Orchard.tree", "Orchard.Soil.dry", "Basket.pears", "Orchard.main.auxx", "Orchard.Mod.Gone",
    "@Orchard.gone", "Orchard.«odd  name».deep", "Orchard.plants_age",
]  # fmt: skip


def broken(cited: str, space: str = "") -> list[str]:
    doc = f"/-! See\n`{cited}`. -/\n"
    text = CODE + (f"namespace {space}\n{doc}end {space}\n" if space else doc)
    sources = [("A.lean", scan_source(text))]
    found = broken_citations(sources, ["Orchard.Mod.Part", "Orchard"], lambda path: text)
    assert all(text.split("\n")[c.line - 1] == f"`{cited}`. -/" for c in found)
    return [c.name for c in found]


@pytest.mark.parametrize("name", PRESENT)
def test_a_declaration_that_is_there(name: str) -> None:
    assert broken(name) == []


@pytest.mark.parametrize("name", FOREIGN)
def test_a_name_that_is_not_the_projects(name: str) -> None:
    assert broken(name) == []


@pytest.mark.parametrize("name", MISSING)
def test_a_declaration_that_is_not_there(name: str) -> None:
    assert broken(name) == [name.removeprefix("@")]


def test_names_are_read_in_their_namespace() -> None:
    assert broken("Soil.water", "Orchard") == []
    assert broken("Soil.dry", "Orchard") == ["Soil.dry"]
    assert broken("Soil.dry") == []  # no namespace of the project here
    assert broken("Nat.dry", "Orchard") == []


@pytest.mark.parametrize(
    "text", ["`Orchard.gone x`", "``Orchard.gone``", "Orchard.gone", "`Orchard.`", "`gone`"]
)
def test_text_that_is_no_citation(text: str) -> None:
    sources = [("A.lean", scan_source(f"{CODE}/-- {text} -/\ndef x := 1\n-- `Orchard.gone`\n"))]
    assert broken_citations(sources, ["Orchard"], lambda path: "") == []
