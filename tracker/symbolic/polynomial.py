"""Dimensions such as `B * ((N + 1) * D)`: parsed, brought to a normal form, compared.

Numbers, names, `+`, `*`, `^` with a number, and parentheses: polynomials over the natural numbers.
Subtraction and division are left out, since on natural numbers they are not what they look like.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

Monomial: TypeAlias = tuple[tuple[str, int], ...]

MAX_LENGTH: Final = 1000
MAX_DEPTH: Final = 50
MAX_TERMS: Final = 200
MAX_EXPONENT: Final = 64
MAX_BITS: Final = 4096
MAX_NODES: Final = 2000

_TOKEN = re.compile(r"\s*(?:([0-9]+)|([^\W\d][\w'!?]*(?:\.[^\W\d][\w'!?]*)*)|(.))", re.DOTALL)
_TIMES = frozenset("*·×")
_HINT = "write numbers and names with + * ^ and parentheses"


class DimsError(ValueError):
    """A text that is no polynomial; carries the message and a hint."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Operation(NamedTuple):
    """Two parts joined by `+`, `*` or `^`, as written: `(a*b)*c` and `a*(b*c)` differ."""

    sign: str
    left: Tree
    right: Tree


Tree: TypeAlias = int | str | Operation
"""What a text says before any arithmetic; two equal trees are one spelling."""


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A polynomial with natural coefficients in normal form: equal ones are equal objects."""

    terms: tuple[tuple[Monomial, int], ...]

    @staticmethod
    def of(terms: Iterable[tuple[Monomial, int]]) -> Polynomial:
        """Return the sum of terms, each a monomial and its coefficient.

        Raises `DimsError` beyond `MAX_TERMS` terms or `MAX_BITS` bits of a coefficient.
        """
        found: dict[Monomial, int] = {}
        for monomial, coefficient in terms:
            found[monomial] = found.get(monomial, 0) + coefficient
        if len(found) > MAX_TERMS or any(n.bit_length() > MAX_BITS for n in found.values()):
            raise DimsError("the polynomial grows beyond all dimensions", "write it smaller")
        return Polynomial(tuple(sorted((m, n) for m, n in found.items() if n)))

    @staticmethod
    def constant(value: int) -> Polynomial:
        """Return a number as a polynomial."""
        return Polynomial.of([((), value)])

    @staticmethod
    def variable(name: str) -> Polynomial:
        """Return a name as a polynomial."""
        return Polynomial.of([(((name, 1),), 1)])

    def __add__(self, other: Polynomial) -> Polynomial:
        return Polynomial.of((*self.terms, *other.terms))

    def __mul__(self, other: Polynomial) -> Polynomial:
        return Polynomial.of((_times(a, b), m * n) for a, m in self.terms for b, n in other.terms)

    def __pow__(self, exponent: int) -> Polynomial:
        result = Polynomial.constant(1)
        for _ in range(exponent):
            result *= self
        return result

    def at(self, values: Mapping[str, int]) -> int:
        """Return the value where every name has the given value. Raises `KeyError` for others."""
        return sum(
            coefficient * math.prod(values[name] ** exponent for name, exponent in monomial)
            for monomial, coefficient in self.terms
        )

    def __str__(self) -> str:
        by_degree = sorted(self.terms, key=lambda term: -sum(exponent for _, exponent in term[0]))
        return " + ".join(_shown(monomial, n) for monomial, n in by_degree) or "0"


def _times(a: Monomial, b: Monomial) -> Monomial:
    powers = dict(a)
    for name, exponent in b:
        powers[name] = powers.get(name, 0) + exponent
    return tuple(sorted(powers.items()))


def _shown(monomial: Monomial, coefficient: int) -> str:
    parts = [name if exponent == 1 else f"{name}^{exponent}" for name, exponent in monomial]
    return "*".join([str(coefficient)] * (coefficient != 1 or not parts) + parts)


def parse(text: str, sizes: Mapping[str, Tree] | None = None) -> Tree:
    """Return what `text` says; names in `sizes` stand for their trees.

    Raises `DimsError` for what is no polynomial, or too long or too deep to be a dimension.
    """
    if len(text) > MAX_LENGTH:
        raise DimsError(
            f"dimensions may have {MAX_LENGTH:,} characters", "give its parts names under `sizes:`"
        )
    parser = _Parser(text, sizes or {})
    tree = parser.sum(0)
    if parser.peek() is not None:
        raise parser.unexpected()
    if _nodes(tree) > MAX_NODES:
        raise DimsError(f"`{text}` stands for more than {MAX_NODES:,} numbers and names", "write it smaller")
    return tree


def polynomial(tree: Tree) -> Polynomial:
    """Return the normal form of a tree. Raises `DimsError` where it would be huge."""
    if isinstance(tree, int):
        return Polynomial.constant(tree)
    if isinstance(tree, str):
        return Polynomial.variable(tree)
    left = polynomial(tree.left)
    if tree.sign == "^":
        assert isinstance(tree.right, int)
        return left**tree.right
    right = polynomial(tree.right)
    return left + right if tree.sign == "+" else left * right


def _nodes(tree: Tree) -> int:
    """The number of leaves, counted only so far as it matters."""
    count, todo = 0, [tree]
    while todo and count <= MAX_NODES:
        node = todo.pop()
        if isinstance(node, Operation):
            todo += (node.left, node.right)
        else:
            count += 1
    return count


class _Parser:
    """Recursive descent; the depth is bounded because YAML is not trusted."""

    def __init__(self, text: str, sizes: Mapping[str, Tree]) -> None:
        self.text = text
        self.sizes = sizes
        self.tokens = [m for m in _TOKEN.finditer(text) if m[0].strip()]
        self.next = 0

    def peek(self) -> str | None:
        if self.next == len(self.tokens):
            return None
        return self.tokens[self.next][0].strip()

    def sum(self, depth: int) -> Tree:
        tree = self.product(depth)
        while self.peek() == "+":
            self.next += 1
            tree = Operation("+", tree, self.product(depth))
        return tree

    def product(self, depth: int) -> Tree:
        tree = self.power(depth)
        while self.peek() in _TIMES:
            self.next += 1
            tree = Operation("*", tree, self.power(depth))
        return tree

    def power(self, depth: int) -> Tree:
        tree = self.atom(depth)
        if self.peek() != "^":
            return tree
        self.next += 1
        exponent = self.peek()
        if exponent is None or not exponent.isdecimal():
            raise self.unexpected("an exponent is a number, such as 2")
        if len(exponent) > len(str(MAX_EXPONENT)) or int(exponent) > MAX_EXPONENT:
            raise DimsError(f"an exponent may be up to {MAX_EXPONENT}, not {exponent}", "write it smaller")
        self.next += 1
        return Operation("^", tree, int(exponent))

    def atom(self, depth: int) -> Tree:
        if self.peek() is None:
            raise self.unexpected()
        _, number, name, sign = self.tokens[self.next].group(0, 1, 2, 3)
        if number:
            if len(number) > 30:
                raise DimsError("a number may have 30 digits", "write it smaller")
            self.next += 1
            return int(number)
        if name:
            self.next += 1
            return self.sizes.get(name, name)
        if sign != "(":
            raise self.unexpected()
        if depth == MAX_DEPTH:
            raise DimsError(f"parentheses may be {MAX_DEPTH} deep", "give its parts names under `sizes:`")
        self.next += 1
        tree = self.sum(depth + 1)
        if self.peek() != ")":
            raise self.unexpected("every `(` needs its `)`")
        self.next += 1
        return tree

    def unexpected(self, hint: str | None = None) -> DimsError:
        token = self.peek()
        if token is None:
            message = f"`{self.text}` ends too early"
            return DimsError(message, hint or _HINT)
        if token in {"-", "/", "−", "÷", "%"}:
            hint = "natural numbers have no plain subtraction or division; write both sides with + and *"
        elif hint is None and self.next and not self.tokens[self.next][3]:
            hint = f"write `*` before `{token}`"
        return DimsError(f"`{token}` is unexpected in `{self.text}`", hint or _HINT)
