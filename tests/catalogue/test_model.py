"""What a loaded catalogue holds, and how it is asked."""

from __future__ import annotations

import pickle

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.catalogue.conftest import HERE
from tracker.catalogue.families import by_axis, glob
from tracker.catalogue.load import load_catalogue, load_text
from tracker.catalogue.model import STANDARD_AXIOMS, Alias, Budget, Catalogue, Claim, ClaimGroup, Dims, Source


def loaded(text: str) -> Catalogue:
    result = load_text(text, "c.yaml")
    assert result.catalogue is not None, "\n".join(map(str, result.diagnostics))
    return result.catalogue


@pytest.fixture(scope="module")
def every() -> Catalogue:
    found = load_catalogue(HERE / "positive" / "every-field.yaml", root=HERE / "positive").catalogue
    assert found is not None
    return found


def test_every_field_arrives(every: Catalogue) -> None:
    tie = every["vit/tie"]
    assert (tie.decl, tie.kind, tie.net, tie.tier) == ("Proofs.vitInputGrad_tie", "tie", "vit", "T3")
    assert tie.module == "Proofs.Nets.«ViT Tie»"
    assert tie.depends_on == ("base", "saved0", "saved1", "saved2")
    assert tie.claims == {"Proofs.base": 3, "Mathlib.Lemma": 1}
    saved = tuple(f"Proofs.saved{n}" for n in range(3))
    assert tie.claim_groups == {"saves": ClaimGroup(4, saved)}
    assert tie.expected_uses() == (
        Claim("Proofs.base", 3, ("Proofs.base",)),
        Claim("Mathlib.Lemma", 1, ("Mathlib.Lemma",)),
        Claim("saves", 4, saved),
    )
    assert tie.budget == Budget(5400.0, 0.5, 16 * 2**30)
    assert tie.summary == "The tie,\nin two lines."
    assert tie.sources == ("https://example.org/#tie", "commit 126ab67b")
    assert tie.allowed_axioms == ("propext", "Quot.sound")
    assert tie.aliases == (Alias("Proofs.vitPoC_tie"), Alias("Proofs.vit_tie", "2026-09-14"))
    assert tie.dims == Dims("B * (N * P)", "B * nC")
    assert tie.tags == ("net", "6")
    assert tie.expects == "theorem"


def test_defaults_hold_where_an_entry_is_silent(every: Catalogue) -> None:
    base = every["base"]
    assert (base.decl, base.kind, base.net, base.tier) == ("Proofs.base", "foundation", "vit", "T6")
    assert base.budget == Budget(wall_s=90.0)
    assert base.tags == ("core",)
    assert every.axioms_allowed_for(base) == STANDARD_AXIOMS - {"Classical.choice"}
    assert every.axioms_allowed_for(every["vit/tie"]) == {"propext", "Quot.sound"}


def test_no_axiom_at_all_can_be_asked_for() -> None:
    catalogue = loaded("defaults: {kind: tie, module: M}\nobligations: [{id: a, allowed_axioms: []}, b]\n")
    assert catalogue.axioms_allowed_for(catalogue["a"]) == frozenset()
    assert catalogue.axioms_allowed_for(catalogue["b"]) == STANDARD_AXIOMS


def test_a_range_is_written_out(every: Catalogue) -> None:
    assert [every[f"saved{n}"].depends_on for n in range(3)] == [
        ("base",), ("saved0", "base"), ("saved1", "base"),
    ]  # fmt: skip
    assert every["saved2"].summary == "the input of stage 2, after stage 1"
    assert every["saved2"].decl == "Proofs.saved2"


def test_neighbours_beyond_either_end_are_left_out() -> None:
    catalogue = loaded(
        "defaults: {kind: tie, module: M}\nobligations: [{id: 'b{2..4}', depends_on: ['b{i+1}']}]"
    )
    assert [ob.depends_on for ob in catalogue] == [("b3",), ("b4",), ()]


def test_a_neighbour_beyond_an_end_is_kept_if_it_is_an_obligation() -> None:
    catalogue = loaded(
        "defaults: {kind: tie, module: M}\n"
        "obligations: [x, {id: b5, depends_on: [x]}, {id: 'b{2..4}', depends_on: ['b{i+1}', x]},\n"
        "  {id: 'c{2..4}', depends_on: ['c{i+1}', x]}]\n"
    )
    assert [catalogue[f"b{n}"].depends_on for n in (2, 3, 4)] == [("b3", "x"), ("b4", "x"), ("b5", "x")]
    assert [catalogue[f"c{n}"].depends_on for n in (2, 3, 4)] == [("c3", "x"), ("c4", "x"), ("x",)]
    assert catalogue["c4"].where("depends_on[0]") == catalogue["c2"].where("depends_on[1]")


def test_a_neighbour_in_another_family_must_exist() -> None:
    text = (
        "defaults: {kind: tie, module: M}\nobligations: ['s{0..2}', {id: 'w{0..3}', depends_on: ['s{i%s}']}]"
    )
    catalogue = loaded(text % "-1")
    assert [catalogue[f"w{n}"].depends_on for n in range(4)] == [(), ("s0",), ("s1",), ("s2",)]
    assert [d.code for d in load_text(text % "").diagnostics] == ["unknown-dependency"]


def test_what_a_declaration_must_be(every: Catalogue) -> None:
    assert every.expects_of(every["saved0"]) == "abbrev"
    assert every.expects_of(every["vit/tie"]) == "theorem"
    assert every.expects_of(every["bound"]) is None
    plain = loaded("defaults: {kind: chain-def, module: M}\nobligations: [a]")
    assert plain.expects_of(plain["a"]) == "def"


def test_lookups(every: Catalogue) -> None:
    assert [ob.id for ob in every] == ["base", "saved0", "saved1", "saved2", "vit/tie", "bound"]
    assert len(every) == 6
    assert "base" in every
    assert "nothing" not in every
    assert every.by_decl["Proofs.vitInputGrad_tie"].id == "vit/tie"
    assert every.by_alias["Proofs.vit_tie"].id == "vit/tie"
    assert [ob.id for ob in every.by_module["Proofs.Nets.«ViT Tie»"]] == ["vit/tie"]
    assert [ob.id for ob in every.by_kind["chain-def"]] == ["saved0", "saved1", "saved2"]
    assert len(every.by_net["vit"]) == 6
    assert [ob.id for ob in every.by_tier["T3"]] == ["vit/tie"]
    for name in ("vit/tie", "Proofs.vitInputGrad_tie", "Proofs.vitPoC_tie"):
        assert every.find(name) is every["vit/tie"]
    assert every.find("nothing") is None


def test_labels_are_in_report_order(every: Catalogue) -> None:
    assert list(every.nets) == ["vit", "cnx"]
    assert every.nets["vit"].title == "ViT-Tiny"
    assert list(every.kinds)[:2] == ["tie", "foundation"]
    assert list(every.kinds)[-1] == "float-bound"
    assert (every.kinds["tie"].title, every.kinds["tie"].order) == ("The ties", 5)


def test_labels_that_are_not_declared_are_those_in_use() -> None:
    catalogue = loaded(
        "defaults: {kind: tie, module: M}\nobligations: [{id: a, net: z}, {id: b, net: y, tier: T}, c]"
    )
    assert list(catalogue.nets) == ["z", "y"]
    assert list(catalogue.tiers) == ["T"]
    assert [ob.id for ob in catalogue.by_net[None]] == ["c"]


def test_the_graph_runs_from_dependency_to_dependent(every: Catalogue) -> None:
    graph = every.graph()
    assert set(graph.edges) >= {("base", "saved0"), ("saved0", "saved1"), ("vit/tie", "bound")}
    assert graph.nodes["vit/tie"]["obligation"] is every["vit/tie"]
    assert nx.is_directed_acyclic_graph(graph)
    assert every.ancestors("saved1") == {"saved0", "base"} == nx.ancestors(graph, "saved1")
    assert every.descendants("saved1") == {"saved2", "vit/tie", "bound"} == nx.descendants(graph, "saved1")
    assert every.dependents["saved2"] == ("vit/tie",)
    order = every.topological()
    assert order.index("saved1") < order.index("saved2") < order.index("vit/tie")


def test_every_field_knows_its_place() -> None:
    text = "\n".join(
        (
            "defaults: {kind: tie, module: M}",
            "obligations:",
            "  - id: base",
            "  - id: tie",
            "    depends_on: [base,",
            "      base2]",
            "    claims:",
            "      base: 3",
            "    budget: {wall: 90s}",
            "  - base2",
        )
    )
    tie = loaded(text)["tie"]
    assert tie.source == Source("c.yaml", 4, 9)
    assert tie.where("depends_on[0]") == Source("c.yaml", 5, 18)
    assert tie.where("depends_on[1]") == Source("c.yaml", 6, 7)
    assert tie.where("claims.base") == Source("c.yaml", 8, 7)
    assert tie.where("budget.wall") == Source("c.yaml", 9, 20)
    assert tie.where("kind") == Source("c.yaml", 1, 18)
    assert tie.where("net") == tie.source
    assert str(tie.where("budget.wall")) == "c.yaml:9:20"


def test_claims_may_be_written_by_id_by_declaration_or_by_an_older_name() -> None:
    catalogue = loaded(
        "defaults: {kind: tie, module: M, namespace: Proofs}\n"
        "obligations:\n"
        "  - {id: base, aliases: [Proofs.oldBase]}\n"
        "  - {id: a, depends_on: [base], claims: {base: 1}}\n"
        "  - {id: b, depends_on: [base], claims: {Proofs.base: 2}}\n"
        "  - {id: c, depends_on: [base], claims: {Proofs.oldBase: 3}}\n"
        "  - {id: d, depends_on: [base], claims: {elsewhere: 4, g: {count: 5, of: [base, Far.away]}}}\n"
    )
    assert [dict(catalogue[i].claims) for i in "abcd"] == [
        {"Proofs.base": 1}, {"Proofs.base": 2}, {"Proofs.base": 3}, {"elsewhere": 4},
    ]  # fmt: skip
    assert catalogue["d"].claim_groups["g"].decls == ("Proofs.base", "Far.away")


def test_ids_that_are_no_lean_names_may_be_claimed() -> None:
    catalogue = loaded(
        "defaults: {kind: tie, module: M, namespace: Proofs}\n"
        "obligations:\n"
        "  - {id: 'two-eq', decl: two_eq}\n"
        "  - {id: 'vit/{0..1}', decl: 'vit{i}'}\n"
        "  - {id: a, depends_on: [two-eq], claims: {two-eq: 1}}\n"
        "  - {id: 'b{0..1}', depends_on: ['vit/{i}'], claims: {'vit/{i}': 2}}\n"
        "  - {id: c, depends_on: [two-eq, 'vit/{0..1}'],"
        " claims: {all: {count: 3, of: [two-eq, 'vit/{0..1}']}}}\n"
    )
    claims = {ident: dict(catalogue[ident].claims) for ident in ("a", "b0", "b1")}
    assert claims == {"a": {"two_eq": 1}, "b0": {"vit0": 2}, "b1": {"vit1": 2}}
    assert catalogue["c"].claim_groups["all"].decls == ("two_eq", "vit0", "vit1")


def test_families(every: Catalogue) -> None:
    family = every.families["gradients"]
    assert family.members == ("saved1", "saved2", "vit/tie")
    assert by_axis(family, every) == {"vit": family.members, "cnx": ()}
    assert family.absent == {"cnx": "not begun"}


@pytest.mark.parametrize(
    ("axis", "spread"),
    [
        ("net", {"v": ("a",), "w": ("b",)}),
        ("tier", {"T": ("a", "b")}),
        ("module", {"M": ("a", "c"), "N": ("b",)}),
    ],
)
def test_a_family_may_be_spread_over_other_axes(axis: str, spread: dict[str, tuple[str, ...]]) -> None:
    catalogue = loaded(
        f"defaults: {{kind: tie, module: M}}\nfamilies: [{{id: f, pattern: '*', axis: {axis}}}]\n"
        "obligations: [{id: a, net: v, tier: T}, {id: b, net: w, tier: T, module: N}, c]\n"
    )
    assert by_axis(catalogue.families["f"], catalogue) == spread


def test_a_question_mark_in_a_pattern_is_a_question_mark() -> None:
    catalogue = loaded(
        "defaults: {kind: tie, module: M}\nfamilies: [{id: f, pattern: 'get?*'}]\n"
        "obligations: [get?, gets, get?x]\n"
    )
    assert catalogue.families["f"].members == ("get?", "get?x")


@given(st.text("ab?.", max_size=8), st.text("ab?.*", max_size=8))
def test_patterns_match_as_by_trying_everything(name: str, pattern: str) -> None:
    def fits(name: str, pattern: str) -> bool:
        if not pattern:
            return not name
        if pattern[0] == "*":
            return any(fits(name[i:], pattern[1:]) for i in range(len(name) + 1))
        return name[:1] == pattern[0] and fits(name[1:], pattern[1:])

    assert (glob(pattern).fullmatch(name) is not None) == fits(name, pattern)


@pytest.mark.parametrize("pattern", ["*" * 200 + "b", "*a" * 200 + "b", "a*" * 200 + "b"])
def test_many_stars_end(pattern: str) -> None:
    assert glob(pattern).fullmatch("a" * 400) is None


def test_equal_texts_make_equal_catalogues_that_can_be_sent_to_other_processes(every: Catalogue) -> None:
    again = load_catalogue(HERE / "positive" / "every-field.yaml", root=HERE / "positive").catalogue
    assert again == every
    assert pickle.loads(pickle.dumps(every)) == every
    assert len({every["base"], every["base"]}) == 1
