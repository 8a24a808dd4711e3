"""Polynomial arithmetic: the laws of a commutative semiring, and agreement with evaluation."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracker.symbolic.polynomial import (
    MAX_DEPTH,
    MAX_LENGTH,
    DimsError,
    Operation,
    Polynomial,
    Tree,
    parse,
    polynomial,
)

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

NAMES = ("B", "N", "q")
ZERO, ONE = Polynomial.constant(0), Polynomial.constant(1)

trees: st.SearchStrategy[Tree] = st.recursive(
    st.integers(0, 12) | st.sampled_from(NAMES),
    lambda inner: (
        st.builds(Operation, st.sampled_from("+*"), inner, inner)
        | st.builds(Operation, st.just("^"), inner, st.integers(0, 3))
    ),
    max_leaves=6,
)
polynomials = st.dictionaries(
    st.tuples(*[st.integers(0, 3)] * len(NAMES)), st.integers(0, 9), max_size=4
).map(
    lambda terms: Polynomial.of(
        (tuple((name, e) for name, e in zip(NAMES, exponents, strict=True) if e), n)
        for exponents, n in terms.items()
    )
)
points = st.fixed_dictionaries({name: st.integers(0, 50) for name in NAMES})


def written(tree: Tree) -> str:
    """A text that parses to `tree`."""
    if not isinstance(tree, Operation):
        return str(tree)
    return f"({written(tree.left)}){tree.sign}" + (
        written(tree.right) if tree.sign == "^" else f"({written(tree.right)})"
    )


def value(tree: Tree, at: dict[str, int]) -> int:
    if isinstance(tree, int):
        return tree
    if isinstance(tree, str):
        return at[tree]
    left, right = value(tree.left, at), value(tree.right, at)
    return left + right if tree.sign == "+" else left * right if tree.sign == "*" else left**right


@given(polynomials, polynomials, polynomials)
def test_semiring_laws(a: Polynomial, b: Polynomial, c: Polynomial) -> None:
    assert a + b == b + a
    assert a * b == b * a
    assert (a + b) + c == a + (b + c)
    assert (a * b) * c == a * (b * c)
    assert a * (b + c) == a * b + a * c
    assert a + ZERO == a
    assert a * ONE == a
    assert a * ZERO == ZERO


@given(polynomials, st.integers(0, 3), st.integers(0, 2))
def test_powers(a: Polynomial, m: int, n: int) -> None:
    assert a**m * a**n == a ** (m + n)
    assert a**0 == ONE


@given(trees, points)
def test_the_normal_form_has_the_values_of_the_text(tree: Tree, at: dict[str, int]) -> None:
    assert parse(written(tree)) == tree
    assert polynomial(tree).at(at) == value(tree, at)


@given(polynomials, polynomials)
def test_equality_is_equality_of_values(a: Polynomial, b: Polynomial) -> None:
    """Exponents are at most 3, coefficients at most 9: far-apart powers of ten tell terms apart."""
    point = {"B": 10**2, "N": 10**8, "q": 10**32}
    assert (a == b) == (a.at(point) == b.at(point))


@given(polynomials)
def test_what_is_shown_reads_back(a: Polynomial) -> None:
    assert polynomial(parse(str(a))) == a


@given(st.text(alphabet="0123 BNq.+*^()-/{}=\n'«λ₁", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        polynomial(parse(text))
    except DimsError as refused:
        said = (refused.message, refused.hint)
    else:
        said = ("read", "")
    assert said[0]


@pytest.mark.parametrize(
    ("left", "right", "alike"),
    [
        ("96*56*56", "(96 * 56)\n* 56", True),
        ("96*56*56", "96*(56*56)", False),
        ("96*56*56", "301056", False),
        ("a*b", "b*a", False),
        ("((a)) + b", "a+b", True),
        ("2 × n · m", "2*n*m", True),
        ("a*b^2", "a*(b^2)", True),
        ("a*b^2", "(a*b)^2", False),
        ("d.c1 * x'", "d.c1*x'", True),
    ],
)
def test_spellings(left: str, right: str, alike: bool) -> None:
    assert (parse(left) == parse(right)) == alike


def test_sizes_stand_for_what_they_say() -> None:
    sizes = {"x": parse("c * (s * s)")}
    assert parse("N * x", sizes) == parse("N * (c * (s * s))")


@pytest.mark.parametrize(
    "text",
    ["", " ", "(", "()", "a b", "2a", "a -b", "a/2", "+a", "a*", "a^b", "a^^2", "a^2^2", "a.", "f(x)", "1e3",
     "a^65", "9" * 31, "(" * (MAX_DEPTH + 1) + "a" + ")" * (MAX_DEPTH + 1), "a" * (MAX_LENGTH + 1)],
)  # fmt: skip
def test_what_is_refused(text: str) -> None:
    with pytest.raises(DimsError):
        parse(text)


def test_huge_polynomials_are_refused_not_computed() -> None:
    for text in ("(a+b+c+d+e+f)^64", "((9^64)^64)^64", "((((a+b)^9)+c)^64)^64"):
        with pytest.raises(DimsError, match="grows"):
            polynomial(parse(text))


def test_names_that_double_are_refused_not_written_out() -> None:
    sizes: dict[str, Tree] = {"x0": parse("a + b")}
    for n in range(9):
        sizes[f"x{n + 1}"] = parse(f"x{n} * x{n}", sizes)
    with pytest.raises(DimsError, match="stands for more"):
        parse("x9 * x9", sizes)
