"""Names, units, patterns, suggestions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.catalogue import names, units
from tracker.catalogue.patterns import MAX_MEMBERS, PatternError, Value, fill_text, parse
from tracker.catalogue.suggest import did_you_mean, nearest


@given(st.text(max_size=12))
def test_a_name_is_a_template_of_itself_and_never_holds_a_line_break(text: str) -> None:
    if names.is_lean_name(text) and not set(text) & set("{}"):
        assert names.is_lean_template(text)
    if names.is_id(text):
        assert names.is_id_template(text)
        assert not any(c.isspace() for c in text)
    if names.is_lean_name(text):
        assert "\n" not in text


def test_every_letter_that_lean_takes_is_taken() -> None:
    spans = [
        (0x3B1, 0x3C9, {0x3BB}), (0x391, 0x3A9, {0x3A0, 0x3A3}), (0x3CA, 0x3FB, set()),
        (0x1F00, 0x1FFE, set()), (0x2100, 0x214F, set()), (0x1D49C, 0x1D59F, set()),
        (0xC0, 0x17F, {0xD7, 0xF7}),
    ]  # fmt: skip
    for first, last, without in spans:
        for code in range(first, last + 1):
            assert bool(names.is_lean_name(chr(code))) == (code not in without), hex(code)
    for code in [*range(0x2080, 0x208A), *range(0x2090, 0x209D), *range(0x1D62, 0x1D6B), 0x2C7C]:
        assert names.is_lean_name("x" + chr(code)), hex(code)
        assert not names.is_lean_name(chr(code)), hex(code)


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("500ms", 0.5), ("1.5h", 5400), ("3min", 180), ("3m", 180), ("2 s", 2)]
)
def test_durations(text: str, seconds: float) -> None:
    assert units.duration(text) == seconds


@pytest.mark.parametrize(
    ("text", "size"),
    [("1B", 1), ("16GiB", 16 * 2**30), ("16GB", 16 * 10**9), ("1.5 MiB", 3 * 2**19), ("0.001B", 1)],
)
def test_memory(text: str, size: int) -> None:
    assert units.memory(text) == size


@given(st.text(alphabet="0123456789.smhinkKMGTiB -+e\n", max_size=10))
def test_an_amount_is_read_as_more_than_nothing_or_not_at_all(text: str) -> None:
    for value in (units.duration(text), units.memory(text)):
        assert value is None or value > 0


@given(st.integers(0, 200), st.integers(0, 50), st.text("abc.", max_size=3), st.text("xyz", max_size=3))
def test_a_range_gives_each_number_once_in_order(low: int, count: int, before: str, after: str) -> None:
    template = parse(f"{before}{{{low}..{low + count}}}{after}")
    assert template.values is not None
    assert [template.fill(v) for v in template.values] == [
        f"{before}{n}{after}" for n in range(low, low + count + 1)
    ]


@given(st.integers(0, 99), st.integers(-5, 5))
def test_a_neighbour_is_that_far_away(number: int, offset: int) -> None:
    hole = f"{{i{offset:+d}}}" if offset else "{i}"
    assert parse(f"x{hole}").fill(Value(str(number), number)) == f"x{number + offset}"
    assert (
        fill_text(f"stage {hole} of {{n}}", Value(str(number), number)) == f"stage {number + offset} of {{n}}"
    )


def test_padding_is_kept() -> None:
    template = parse("s{08..11}")
    assert template.values is not None
    assert [template.fill(v) for v in template.values] == ["s08", "s09", "s10", "s11"]
    assert parse("s{i-1}").fill(template.values[2]) == "s09"


def test_lists_run_in_lockstep() -> None:
    template = parse("vitCotD{Q,K,V}_eq_sdpaBack{Q, K, V}")
    assert template.values is not None
    assert [template.fill(v) for v in template.values][1] == "vitCotDK_eq_sdpaBackK"


@pytest.mark.parametrize(
    "text", ["a{}", "a{x}", "a{3..1}", "a{x,x}", f"a{{0..{MAX_MEMBERS}}}", "a{0..1}{0..2}"]
)
def test_bad_patterns_are_refused(text: str) -> None:
    with pytest.raises(PatternError):
        parse(text)


def test_the_largest_range_is_allowed() -> None:
    values = parse(f"a{{1..{MAX_MEMBERS}}}").values
    assert values is not None
    assert len(values) == MAX_MEMBERS


@pytest.mark.parametrize(
    ("name", "known", "near"),
    [
        ("batchMapcomp", ["batchMap_comp", "batchMapAux"], "batchMap_comp"),
        ("VIT", ["vit", "cnx"], "vit"),
        ("tie", ["Proofs.Vit.tie", "shape"], "Proofs.Vit.tie"),
        ("zzz", ["batchMap"], None),
        ("x", [], None),
    ],
)
def test_the_nearest_name(name: str, known: list[str], near: str | None) -> None:
    assert nearest(name, known) == near
    assert did_you_mean(name, known) == (f"did you mean `{near}`?" if near else None)


def test_the_nearest_of_very_many_names_is_found() -> None:
    known = [f"layer{n}_eq_vjp" for n in range(20_000)] + ["batchMap_comp_eq"]
    assert nearest("batchMapcomp_eq", known) == "batchMap_comp_eq"
