"""Edges and claims against the proofs: by laws on graphs, then through real Lean."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import CATALOGUE, Site
from tracker.catalogue.load import load_text
from tracker.catalogue.model import Catalogue
from tracker.edges import TOLERATED, Difference, check_edges


def catalogue(edges: dict[int, set[int]]) -> Catalogue:
    """Obligations n0, n1, … for declarations N.n0, N.n1, …; each depends on some before it."""
    entries = [
        f"  - {{id: n{n}, depends_on: [{', '.join(f'n{d}' for d in sorted(ds))}]}}" for n, ds in edges.items()
    ]
    text = "defaults: {kind: foundation, module: N, namespace: N}\nobligations:\n" + "\n".join(entries)
    found = load_text(text).catalogue
    assert found is not None
    return found


@st.composite
def graphs(draw: st.DrawFn, size: int = 7) -> dict[int, set[int]]:
    return {n: draw(st.sets(st.integers(0, n - 1))) if n else set() for n in range(size)}


def names(edges: dict[int, set[int]]) -> dict[str, list[str]]:
    return {f"N.n{n}": [f"N.n{d}" for d in ds] for n, ds in edges.items()}


def reach(edges: dict[int, set[int]], start: int) -> set[int]:
    found = set(edges[start])
    for n in edges[start]:
        found |= reach(edges, n)
    return found


@given(graphs(), graphs())
def test_what_is_left_after_the_advice_is_tolerated(
    written: dict[int, set[int]], used: dict[int, set[int]]
) -> None:
    def compare(edges: dict[int, set[int]]) -> dict[tuple[int, int], Difference]:
        found = check_edges(
            catalogue(edges), names(used), lambda ob: {f"N.n{d}" for d in reach(used, int(ob.id[1:]))}
        )
        return {(int(e.id[1:]), int(e.other[1:])): e.difference for e in found}

    found = compare(written)
    for (n, other), difference in found.items():
        in_proof, in_catalogue = other in used[n], other in written[n]
        assert in_proof != in_catalogue
        if in_proof:
            implied = any(other in reach(written, d) for d in written[n])
            assert difference is (Difference.IMPLIED if implied else Difference.MISSING)
        else:
            assert difference is (Difference.INDIRECT if other in reach(used, n) else Difference.SUPERFLUOUS)
    assert {(n, d) for n in used for d in used[n] ^ written[n]} == set(found)
    mended = {n: set(ds) for n, ds in written.items()}
    for (n, other), difference in found.items():
        if difference is Difference.MISSING:
            mended[n].add(other)
        elif difference is Difference.SUPERFLUOUS:
            mended[n].remove(other)
    again = compare(mended)
    # What an edge implied before may be missing once that edge is gone: but never the other way round.
    assert all(d in TOLERATED or d is Difference.MISSING for d in again.values())
    assert {n: reach(used, n) for n in used} == {n: reach(used, n) | reach(mended, n) for n in used}


def test_a_proof_that_was_not_compared_has_no_finding() -> None:
    assert check_edges(catalogue({0: set(), 1: {0}}), {"N.n0": []}, lambda _: ()) == ()


def test_nothing_is_compared_before_a_run(site: Site) -> None:
    done = site.tracker("edges")
    assert done.code == 1
    assert "? not compared, no finished proof is known: two (unchecked)" in done.out
    assert "0 of 6 proofs compared" in done.out


def test_all_is_as_the_catalogue_says(proved: Site) -> None:
    done = proved.tracker("edges")
    assert done.code == 0, done.out + done.err
    assert done.out == "✔ 6 of 6 proofs compared: 4 edges, 2 implied\n"
    shown = proved.tracker("edges", "--all").out
    assert "~ implied" in shown
    assert "`two` is used too; it is reached through `two-eq`" in " ".join(shown.split())


WRONG = (
    CATALOGUE.replace("module: Demo.Mid}", "module: Demo.Mid, proof: rfl}")
    .replace("depends_on: [lemma, two-eq]}", "depends_on: [two-eq, side],\n     proof: rfl,"
             " claims: {Demo.lemma: 2}}")
    .replace("Demo.Side}", "Demo.Side, proof: rfl}")
)  # fmt: skip


def test_every_difference_is_named_with_its_place(proved: Site) -> None:
    (proved.root / "obligations" / "demo.yaml").write_text(WRONG, encoding="utf-8")
    done = proved.tracker("edges", "--json")
    assert done.code == 1, done.out + done.err
    found = done.json
    wrong = {(e["id"], e["other"], e["difference"]) for e in found["edges"] if not e["tolerated"]}
    assert wrong == {("main", "lemma", "missing"), ("main", "side", "superfluous")}
    lines = WRONG.splitlines()
    for edge in found["edges"]:
        assert edge["file"].endswith("demo.yaml")
        assert edge["id"] in lines[edge["line"] - 1]
    superfluous = next(e for e in found["edges"] if e["difference"] == "superfluous")
    assert lines[superfluous["line"] - 1][superfluous["column"] - 1 :].startswith("side")
    assert [c for c in found["claims"] if not c["holds"]] == [
        {"id": "main", "claim": "Demo.lemma", "claimed": 2, "counted": 1, "holds": False}
    ]
    assert {p["id"]: p["holds"] for p in found["proofs"]} == {"lemma": True, "main": False, "side": True}
    text = " ".join(proved.tracker("edges").out.split())
    assert "main: add `lemma`: its source refers to it" in text
    assert "main: remove `side`: its proof does not rest on it" in text
    assert "main: 2 uses of `Demo.lemma` claimed, 1 counted" in text
    assert "main: `proof: rfl` claimed; its proof is another one" in text
    assert text.endswith("1 missing, 1 superfluous, 2 implied; 4 claims, 2 do not hold")


def test_nobody_is_told_to_take_out_what_an_unfinished_proof_is_to_use(proved: Site) -> None:
    proved.edit("Mid", "by\n  rw [Demo.lemma, Demo.two_eq]", "sorry")
    assert proved.tracker("run").code == 1
    done = proved.tracker("edges")
    assert done.code == 1
    assert "remove" not in done.out
    assert "main (sorry)" in done.out


def test_an_edge_through_a_helper_is_tolerated(proved: Site) -> None:
    text = CATALOGUE.replace("  - {id: main, kind: tie", "  - {id: top-only, kind: tie").replace(
        "[main]", "[top-only, lemma]"
    )
    (proved.root / "obligations" / "demo.yaml").write_text(text, encoding="utf-8")
    found = proved.tracker("edges", "--json").json
    assert ("top", "lemma", "indirect") in {(e["id"], e["other"], e["difference"]) for e in found["edges"]}


def test_another_file_in_place_of_the_checked_one_is_not_believed(proved: Site) -> None:
    (proved.root / "obligations" / "demo.yaml").write_text(WRONG, encoding="utf-8")
    compiled = proved.root / "lean" / ".lake" / "build" / "lib" / "lean" / "Demo"
    (compiled / "Side.olean").write_bytes((compiled / "Base.olean").read_bytes())
    done = proved.tracker("edges")
    assert done.code == 3
    assert "error[NOT-COMPILED]" in done.err
    assert "tracker run --fresh Demo.Side" in done.err


PROOFS = """\
theorem Demo.r1 : 1 = 1 := rfl
theorem Demo.r2 : 1 = 1 := by rfl
theorem Demo.r3 (n : Nat) : n = n := by intros; exact rfl
theorem Demo.r4 : ∀ n : Nat, n + 0 = n := fun _ => Eq.refl _
theorem Demo.r5 (p : Prop) : p ↔ p := Iff.refl p
theorem Demo.r6 (n : Nat) : n + 0 = n := by
  show n = n
  rfl
theorem Demo.r7 (n : Nat) : n + 0 = n := show n = n from rfl
theorem Demo.n1 (h : 1 = 2) : 1 = 2 := h
theorem Demo.n2 (a b : Nat) (h : a = b) : a + 0 = b := by rw [h]; rfl
theorem Demo.n3 : 1 = 1 ∧ 2 = 2 := And.intro rfl rfl
theorem Demo.n4 (a b : Nat) (h : a = b) : b = a := h.symm
theorem Demo.n5 : True := trivial
def Demo.n6 : Nat := 1
"""


def test_proofs_by_rfl_are_recognised(site: Site) -> None:
    site.write("Side", PROOFS)
    ids = [line.split()[1].removeprefix("Demo.") for line in PROOFS.splitlines() if "Demo." in line]
    entries = "".join(f"  - {{id: {i}, decl: Demo.{i}, proof: rfl}}\n" for i in ids)
    text = f"defaults: {{kind: foundation, module: Demo.Side}}\nobligations:\n{entries}"
    (site.root / "obligations" / "demo.yaml").write_text(text, encoding="utf-8")
    done = site.tracker("run")
    assert done.code == 0, done.out + done.err
    found = {p["id"]: p["holds"] for p in site.tracker("edges", "--json").json["proofs"]}
    assert found == {i: i.startswith("r") for i in ids}


def test_holes_of_families_show_in_the_status(proved: Site) -> None:
    text = CATALOGUE.replace("kind: tie,", "kind: tie, net: a,")
    families = "\n".join(
        [
            "nets: {a: A, b: B, c: C}",
            "families:",
            "  - {id: ties, members: [main], absent: {c: not begun}}",
            "  - {id: kinds, members: [main], axis: kind}",
        ]
    )
    (proved.root / "obligations" / "demo.yaml").write_text(f"{families}\n{text}", encoding="utf-8")
    done = proved.tracker("status")
    assert done.code == 0, done.out
    assert "∅ hole  ties: no member for b, and no reason under `absent:`" in done.out
    assert "kinds" not in done.out.split("∅ hole")[1]
    assert proved.tracker("status", "--json").json["holes"] == [
        {"family": "ties", "axis": "net", "missing": ["b"]}
    ]
