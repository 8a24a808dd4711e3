"""`tracker add`: entries from Lean's index, appended to a file whose text stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Site
from tracker.catalogue.load import load_text
from tracker.catalogue.names import is_id
from tracker.errors import UsageError
from tracker.importers.append import CatalogueFile, appended, replacing
from tracker.importers.drafts import Draft, entry_lines, make_ids, scalar

MORE = """

/-- What two is used for. -/
theorem Demo.helper : Demo.two + 0 = Demo.two := Demo.lemma Demo.two

theorem Demo.extra : Demo.two + 0 = 2 := Eq.trans Demo.helper Demo.two_eq

private theorem Demo.own : 1 = 1 := rfl
"""
COMMENTED = """\
# The demo.
obligations:
    # first of all
    - {id: two, kind: foundation, decl: Demo.two, module: Demo.Base}
    - id: two-eq
      kind: foundation
      decl: Demo.two_eq
      module: Demo.Base
      summary: |
        Two is two.

          # no comment
      depends_on: [two]  # by definition
    - {id: lemma, kind: leaf-tie, decl: Demo.lemma, module: Demo.Mid}

# kinds come last
kinds: {theorem: Theorems}
"""


@pytest.fixture
def extended(proved: Site) -> Site:
    proved.write("Mid", proved.read("Mid").rstrip("\n") + MORE)
    assert proved.tracker("run").code == 0
    return proved


def catalogue_file(site: Site) -> Path:
    return site.root / "obligations" / "demo.yaml"


def test_an_entry_has_what_lean_knows(extended: Site) -> None:
    before = catalogue_file(extended).read_text(encoding="utf-8")
    done = extended.tracker("add", "extra", "--kind", "tie", "--claims")
    assert done.code == 0, done.err
    assert catalogue_file(extended).read_text(encoding="utf-8") == before + (
        "  - id: extra\n    decl: Demo.extra\n    kind: tie\n    module: Demo.Mid\n"
        "    depends_on: [two, two-eq, lemma]\n    claims: {two: 1, Demo.two_eq: 1}\n"
    )
    assert extended.tracker("run").code == 0
    compared = extended.tracker("edges")
    assert compared.code == 0, compared.out
    assert "1 indirect" in compared.out  # lemma, through a helper that is no obligation
    assert "2 claims" in compared.out


def test_edges_go_to_the_nearest_obligations(extended: Site) -> None:
    text = catalogue_file(extended).read_text(encoding="utf-8").replace("[lemma, two-eq]", "[two-eq]")
    text = text.replace("  - {id: lemma, kind: leaf-tie, decl: Demo.lemma, module: Demo.Mid}\n", "")
    catalogue_file(extended).write_text(text, encoding="utf-8")
    (extended.root / "obligations" / "statements.lock").unlink()
    assert extended.tracker("add", "Demo.lemma", "Demo.helper", "--kind", "leaf-tie").code == 0
    found = extended.tracker("add", "Demo.extra", "--kind", "tie", "--json").json
    assert found["written"]
    assert [(ob["id"], ob["depends_on"]) for ob in found["obligations"]] == [
        ("extra", ["helper", "two", "two-eq"])
    ]


def test_text_and_comments_stay(extended: Site) -> None:
    catalogue_file(extended).write_text(COMMENTED, encoding="utf-8")
    done = extended.tracker("add", "Demo.main", "--kind", "tie")
    assert done.code == 0, done.err
    new = "    - id: main\n      decl: Demo.main\n      kind: tie\n      module: Demo.Mid\n"
    new += "      depends_on: [lemma, two, two-eq]\n"
    assert catalogue_file(extended).read_text(encoding="utf-8") == COMMENTED.replace(
        "module: Demo.Mid}\n\n# kinds", f"module: Demo.Mid}}\n{new}\n# kinds"
    )


def test_a_new_module_gets_a_file_of_its_own(proved: Site) -> None:
    proved.write("New", "import Demo.Base\ntheorem Demo.fresh : Demo.two = 2 := Demo.two_eq\n")
    assert proved.tracker("run").code == 0
    assert proved.tracker("add", "Demo.fresh", "--kind", "tie").code == 0
    file = proved.root / "obligations" / "Demo" / "New.yaml"
    assert file.read_text(encoding="utf-8") == (
        "obligations:\n  - id: fresh\n    decl: Demo.fresh\n    kind: tie\n    module: Demo.New\n"
        "    depends_on: [two, two-eq]\n"
    )


def test_a_module_that_is_not_compiled_has_no_edges_and_says_so(site: Site) -> None:
    catalogue_file(site).write_text(
        "obligations:\n- {id: two, kind: foundation, decl: Demo.two, module: Demo.Base}\n", encoding="utf-8"
    )
    done = site.tracker("add", "main", "--kind", "tie")
    assert done.code == 0
    assert "not compiled as they are, so without `depends_on`: Demo.Mid" in done.err
    site.write("Mid", site.read("Mid") + "theorem Demo.unfinished : 1 = 1 := sorry\n")
    assert "there is a `sorry` in unfinished" in site.tracker("add", "unfinished", "--kind", "tie").err


def test_a_default_kind_of_theorems_is_not_taken_for_a_def(proved: Site) -> None:
    (proved.root / "obligations" / "demo.yaml").write_text(
        "kinds: {definition: {title: Definitions, expects: def}}\n"
        "defaults: {kind: tie, module: Demo.Base, namespace: Demo}\nobligations:\n- two_eq\n",
        encoding="utf-8",
    )
    (proved.root / "obligations" / "statements.lock").unlink(missing_ok=True)
    assert proved.tracker("add", "Demo.two", "--json").json["obligations"][0]["kind"] == "definition"
    assert proved.tracker("run").code == 0
    (proved.root / "obligations" / "demo.yaml").write_text(
        "defaults: {kind: tie, module: Demo.Base, namespace: Demo}\nobligations:\n- two_eq\n",
        encoding="utf-8",
    )
    refused = proved.tracker("add", "Demo.two")
    assert refused.code == 2
    assert "NO-KIND" in refused.err


def test_an_index_of_other_text_is_not_believed(proved: Site) -> None:
    proved.write("Mid", "-- moved down\n" + proved.read("Mid"))
    proved.write("Mid", proved.read("Mid") + "theorem Demo.late : 1 = 1 := rfl\n")
    assert "not compiled as they are" in proved.tracker("add", "late", "--kind", "tie", "--dry-run").err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("Demo.exta", "--kind", "tie"), "did you mean `Demo.extra`?"),
        (("Demo.own", "--kind", "tie"), "declares no public `Demo.own`"),
        (("Demo.main",), "is the obligation `main` at obligations/demo.yaml:5"),
        (("Demo.m*",), "all that match are obligations already"),
        (("Demo.zz*",), "no declaration of the project's targets matches"),
        (("Demo.extra", "--kind", "ties"), "did you mean `tie`?"),
        (("Demo.extra",), "--kind, one of foundation"),
    ],
)
def test_mistakes_are_told_and_nothing_is_written(extended: Site, args: tuple[str, ...], said: str) -> None:
    before = catalogue_file(extended).read_bytes()
    done = extended.tracker("add", *args)
    assert done.code == 2
    assert said in done.err
    assert catalogue_file(extended).read_bytes() == before


def test_a_dry_run_writes_nothing(extended: Site) -> None:
    before = catalogue_file(extended).read_bytes()
    done = extended.tracker("add", "Demo.*", "--kind", "tie", "--dry-run")
    assert done.code == 0
    assert "2 would be added" in done.out
    assert "  - id: helper\n" in done.out
    assert catalogue_file(extended).read_bytes() == before


# The text.

DRAFT = Draft("new", "N.new", "M", "tie", depends_on=("a",))


def add_to(text: str, draft: Draft = DRAFT) -> str:
    return appended(CatalogueFile(Path("f.yaml"), text, {}), [draft])


@pytest.mark.parametrize(
    "text",
    [
        "obligations:\n- {id: a, kind: tie, decl: N.a, module: M}\n",
        "obligations:\n- {id: a, kind: tie, decl: N.a, module: M}",
        "obligations:\n    - id: a\n      kind: tie\n      decl: N.a\n      module: M\n\n\n# the end\n",
        "obligations:\r\n  - {id: a, kind: tie, decl: N.a,\r\n     module: M}\r\nsums: [1 = 1]\r\n",
        "\ufeffobligations:\n  - {id: a, kind: tie, decl: N.a, module: M}\n",
        "defaults: {kind: tie, module: M}\nobligations:\n- id: a\n  summary: >\n    x\n\n    # y\nnets: {}\n",
    ],
)
def test_appending_keeps_what_is_there(text: str) -> None:
    before = load_text(text).catalogue
    now = load_text(add_to(text)).catalogue
    assert before is not None
    assert now is not None
    assert list(now.obligations) == ["a", "new"]
    assert now["a"] == before["a"]
    assert now["new"].depends_on == ("a",)
    whole = text if text.endswith("\n") else f"{text}\n"
    now_text = add_to(text)
    start = next(i for i in range(len(now_text)) if whole[: i + 1] != now_text[: i + 1])
    assert now_text.endswith(whole[start:])


@pytest.mark.parametrize("text", ["", "nets: {v: V}\n", "obligations:\nnets: {v: V}\n", "obligations: ~\n"])
def test_appending_to_no_list(text: str) -> None:
    draft = Draft("new", "N.new", "M", "tie")
    if text == "obligations: ~\n":
        text = "obligations:\n"
    found = load_text(add_to(text, draft)).catalogue
    assert found is not None
    assert list(found.obligations) == ["new"]


def test_appending_to_a_list_in_brackets_is_refused() -> None:
    with pytest.raises(UsageError, match=r"f\.yaml:2"):
        add_to("nets: {v: V}\nobligations: [{id: a, kind: tie, decl: N.a, module: M}]\n")


names = st.lists(
    st.sampled_from(["a", "b'", "c!", "α", "«d e»", "«f»", "x1", "true", "null", "«1»"]),
    min_size=1,
    max_size=4,
).map(".".join)


@given(st.lists(names, unique=True, max_size=12), st.sets(st.sampled_from(["a", "x1", "b'.a"])))
def test_ids_are_of_one_declaration_each(decls: list[str], taken: set[str]) -> None:
    ids = make_ids(decls, taken)
    assert set(ids) == set(decls)
    assert len(set(ids.values())) == len(decls)
    assert not set(ids.values()) & taken
    assert all(is_id(ident) for ident in ids.values())


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1), names)
def test_any_text_is_read_as_it_was_written(text: str, decl: str) -> None:
    summary = " ".join(text.split())
    draft = Draft("x", decl, "M", "tie", summary=text, sources=("s",), depends_on=("x2",), proof="rfl")
    lines = "\n".join(entry_lines(draft, {}))
    other = "  - {id: x2, decl: N.x2, kind: tie, module: M}"
    found = load_text(f"obligations:\n{lines}\n{other}\n").catalogue
    assert found is not None
    ob = found["x"]
    assert (ob.decl, ob.summary, ob.sources, ob.depends_on, ob.proof) == (
        decl,
        summary,
        ("s",),
        ("x2",),
        "rfl",
    )


@pytest.mark.parametrize(
    "text", ["true", "No", "~", "1", "1e3", "- a", "a: b", "#", "a #b", "", "'", "é", "null"]
)
def test_scalars_are_texts(text: str) -> None:
    import yaml

    assert yaml.safe_load(f"[{scalar(text)}]") == [text]


@pytest.mark.parametrize("error", [KeyboardInterrupt, UsageError("X", "no"), OSError])
def test_whatever_goes_wrong_leaves_nothing_behind(tmp_path: Path, error: BaseException) -> None:
    old, new = tmp_path / "old.yaml", tmp_path / "deep" / "down" / "new.yaml"
    old.write_bytes(b"old\r\n")

    def fail() -> None:
        with replacing({old: "other\n", new: "new\n"}):
            assert new.read_text(encoding="utf-8") == "new\n"
            raise error

    with pytest.raises(error if isinstance(error, type) else type(error)):
        fail()
    assert [f.relative_to(tmp_path) for f in sorted(tmp_path.rglob("*"))] == [Path("old.yaml")]
    assert old.read_bytes() == b"old\r\n"
