"""The published schema refuses exactly what the loader refuses by shape alone."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.catalogue.conftest import NEGATIVE, POSITIVE, name
from tracker.catalogue import schema
from tracker.catalogue.codes import CODES
from tracker.catalogue.diagnostics import Report
from tracker.catalogue.fields import CHAIN, DEFAULTS, ENTRY, FAMILY, FILE, STAGE, SUM
from tracker.catalogue.load import load_text
from tracker.catalogue.nodes import plain
from tracker.catalogue.yamltext import read_yaml

PUBLISHED = json.loads(schema.SCHEMA_FILE.read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(PUBLISHED)


def files(cases: list[Path]) -> list[Path]:
    return [f for case in cases for f in ([case] if case.is_file() else sorted(case.rglob("*.y*ml")))]


def refused_by_shape(text: str) -> bool:
    return any(CODES[d.code].layer == "shape" for d in load_text(text).diagnostics)


def read_plainly(text: str) -> Any:
    """The data of a text without any fault of YAML, else None."""
    report = Report()
    node = read_yaml(text, "t", report)
    return None if node is None or report.diagnostics else plain(node)


def test_the_published_file_is_what_the_loader_reads_by() -> None:
    assert schema.SCHEMA_FILE.read_text(encoding="utf-8") == schema.text()
    jsonschema.Draft202012Validator.check_schema(PUBLISHED)


@pytest.mark.parametrize("case", files(POSITIVE), ids=name)
def test_positive_examples_are_valid(case: Path) -> None:
    data = read_plainly(case.read_bytes().decode("utf-8-sig"))
    jsonschema.validate(data, PUBLISHED)


@pytest.mark.parametrize("case", [f for f in files(NEGATIVE) if "bad-encoding" not in f.parts], ids=name)
def test_negative_examples_are_invalid_if_their_shape_is_wrong(case: Path) -> None:
    text = case.read_text(encoding="utf-8")
    data = read_plainly(text)
    if data is None:
        return  # a fault of YAML: there is no data to be valid
    assert VALIDATOR.is_valid(data) != refused_by_shape(text)


def test_patterns_are_read_alike_by_javascript() -> None:
    """No construct that ECMAScript lacks or reads otherwise: inline flags, \\Z, named groups, possessives."""
    for pattern in re.findall(r'"pattern": "((?:[^"\\]|\\.)*)"', schema.SCHEMA_FILE.read_text("utf-8")):
        assert not re.search(r"\(\?[aiLmsux P]|\\[AZ]|[*+?}]\+", pattern)
        assert pattern.startswith("^") or pattern == "\\\\S"


# Documents that are sound, then damaged in at most two places.

GOOD_WORDS = ["tie", "base", "vit", "x{0..2}", "x{i}", "Proofs.x", "h₁", "foo'"]
ODD_WORDS = [
    "a b", "", " ", "2nd", "λ", "{", "tie\n", "«a b»", "«x{i}»", "90s", "16GiB", "-5s", "0s", "5s\n",
    "90", "\u2028", "a/b", "a.b.", "theorem", "net", "module", "kind", "a{b", "{a}", "x\r",
]  # fmt: skip
junk = st.recursive(
    st.sampled_from([*GOOD_WORDS, *ODD_WORDS])
    | st.integers(-2, 3)
    | st.sampled_from([True, None, 1.0, 2.5, 1e20]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(ODD_WORDS), inner, max_size=2)
    ),
    max_leaves=3,
)
word = st.sampled_from(GOOD_WORDS)
label_word = st.sampled_from(["tie", "foundation", "vit", "a/b"])
words = st.lists(word, max_size=2)
count = st.integers(0, 3)
expects = st.sampled_from(["theorem", "def"])


def record(needed: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(needed, optional={k: v for k, v in optional.items() if k not in needed})


budget = record({}, {"wall": st.just("90s"), "cpu": st.just("1.5 h"), "memory": st.just("16GiB")})
group = record({"count": count, "of": st.lists(word, min_size=1, max_size=2)}, {})
shared: dict[str, Any] = {
    "kind": label_word, "net": label_word, "tier": label_word, "module": word, "budget": budget,
    "sources": words, "tags": st.lists(label_word, max_size=2), "expects": expects,
    "allowed_axioms": st.just(["propext"]), "forbidden_axioms": st.just([]),
}  # fmt: skip
entry = record(
    {"id": word, "kind": label_word, "module": word},
    {
        **shared,
        "decl": word,
        "depends_on": words,
        "claims": st.dictionaries(word, count | group, max_size=2),
        "summary": word,
        "proof": st.just("rfl"),
        "aliases": st.lists(word | record({"name": word}, {"since": word}), max_size=2),
        "dims": record({}, {"input": word, "output": word}),
    },
)
family = record(
    {"id": label_word, "members": st.lists(word, min_size=1, max_size=2)},
    {
        "title": word, "pattern": word | st.lists(word, min_size=1, max_size=2), "exclude": words,
        "axis": st.sampled_from(["net", "tier"]), "absent": st.dictionaries(label_word, word, max_size=2),
    },
)  # fmt: skip
stage = record({"name": word, "output": word}, {"input": word})
chain = record(
    {"id": label_word, "input": word, "stages": st.lists(stage, min_size=1, max_size=2)},
    {
        "net": label_word, "sizes": st.dictionaries(st.just("Proofs.x"), word, max_size=1),
        "pointwise": st.booleans(), "saves": words, "apex": label_word, "tie": label_word,
        "shape_check": label_word, "composed_by": label_word, "lifted_by": label_word,
    },
)  # fmt: skip
equation = word | record({"equation": word}, {"summary": word})
labels = st.dictionaries(label_word, word | record({}, {"title": word, "order": count}), max_size=2)
kinds = st.dictionaries(label_word, word | record({}, {"title": word, "expects": expects}), max_size=2)
sound = record(
    {"obligations": st.lists(entry, min_size=1, max_size=2)},
    {
        "version": st.just(1), "kinds": kinds, "nets": labels, "tiers": labels,
        "families": st.lists(family, max_size=1),
        "chains": st.lists(chain, max_size=1), "sums": st.lists(equation, max_size=1),
        "defaults": record({}, {**shared, "namespace": st.just("Proofs")}),
    },
)  # fmt: skip


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) below a value."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    here = [(value, key) for key in keys]
    return here + [place for container, key in here for place in places(container[key])]


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    document = json.loads(json.dumps(draw(sound)))
    for _ in range(draw(st.integers(0, 2))):
        container, key = draw(st.sampled_from(places(document) or [({"": 0}, "")]))
        action = draw(st.sampled_from(["replace", "replace", "remove", "rename"]))
        if action == "replace":
            container[key] = draw(junk)
        elif action == "remove":
            del container[key]
        elif isinstance(container, dict):
            container[
                draw(
                    st.sampled_from([*ODD_WORDS, *FILE.fields, *ENTRY.fields, *FAMILY.fields, *CHAIN.fields])
                )
            ] = container.pop(key)
    return document


def test_the_documents_know_every_field() -> None:
    """A field added to the format must be added to these documents too."""
    made: dict[str, set[str]] = {"file": set(), "entry": set(), "family": set(), "defaults": set()}
    made |= {"chain": set(), "stage": set(), "sum": set()}

    @settings(max_examples=1000, database=None, deadline=None, derandomize=True)
    @given(sound)
    def collect(document: dict[str, Any]) -> None:
        made["file"] |= document.keys()
        made["defaults"] |= document.get("defaults", {}).keys()
        made["entry"] |= {key for e in document["obligations"] for key in e}
        made["family"] |= {key for f in document.get("families", []) for key in f}
        made["chain"] |= {key for c in document.get("chains", []) for key in c}
        made["stage"] |= {key for c in document.get("chains", []) for stage in c["stages"] for key in stage}
        made["sum"] |= {key for e in document.get("sums", []) if isinstance(e, dict) for key in e}

    collect()
    known = {"file": FILE, "entry": ENTRY, "family": FAMILY, "defaults": DEFAULTS}
    known |= {"chain": CHAIN, "stage": STAGE, "sum": SUM}
    assert made == {what: set(its.fields) for what, its in known.items()}


@given(sound)
def test_sound_documents_have_no_fault_of_shape(document: dict[str, Any]) -> None:
    VALIDATOR.validate(document)
    assert not refused_by_shape(json.dumps(document))


@settings(max_examples=400, deadline=None)
@given(documents())
def test_schema_and_loader_agree(document: dict[str, Any]) -> None:
    text = json.dumps(document, ensure_ascii=True)
    data = read_plainly(text)
    assert data == document
    refused = [e.json_path for e in VALIDATOR.iter_errors(data)]
    assert bool(refused) == refused_by_shape(text), refused


@settings(max_examples=100, deadline=None)
@given(documents())
def test_a_catalogue_is_given_exactly_if_there_is_no_error(document: dict[str, Any]) -> None:
    result = load_text(json.dumps(document), info=True)
    assert (result.catalogue is None) == bool(result.errors)
    assert list(result.diagnostics) == sorted(
        result.diagnostics, key=lambda d: (d.source, d.severity, d.code)
    )
    assert load_text(json.dumps(document), info=True) == result
