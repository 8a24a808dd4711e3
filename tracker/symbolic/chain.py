"""The laws of a chain of stages: counts that follow from its length, dimensions that must meet.

A chain of n stages has n - 1 compositions and n - 1 saved activations, its tie rewrites with at most
n leaf ties, and where every stage acts on each example alone, n - 1 `batchMap_comp` make it the batch
lift of the network.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tracker.symbolic.polynomial import DimsError, Tree, parse, polynomial
from tracker.units import show_count

COMPOSED_BY = "vjp_comp_diff_at"
LIFTED_BY = "batchMap_comp"


class Stage(NamedTuple):
    """One stage: what it takes (None: what the stage before gives) and what it gives, as written.

    `entry` is its place in the written list, where one entry may stand for several stages.
    """

    name: str
    output: str
    input: str | None = None
    entry: int = 0


@dataclass(frozen=True, slots=True)
class Chain:
    """The stages of a net in forward order, and the ids of the obligations that speak of them.

    `saves` is None where a chain does not name its saved activations. `sizes` are names that stand
    for dimensions, each written in the ones before it.
    """

    id: str
    input: str
    stages: tuple[Stage, ...]
    net: str | None = None
    sizes: Mapping[str, str] = field(default_factory=dict, hash=False)
    pointwise: bool = False
    saves: tuple[str, ...] | None = None
    apex: str | None = None
    tie: str | None = None
    shape_check: str | None = None
    composed_by: str = COMPOSED_BY
    lifted_by: str = LIFTED_BY


class Claimed(NamedTuple):
    """What the obligations of a chain claim; None where there is no such claim."""

    compositions: int | None = None
    leaves: int | None = None
    lifts: int | None = None


class Fault(NamedTuple):
    """A broken law: its code, the field of the chain that breaks it, the message and a hint."""

    code: str
    path: str
    message: str
    hint: str


def count_faults(chain: Chain, claimed: Claimed) -> Iterator[Fault]:
    """Yield the counts that do not follow from the chain's length."""
    stages = len(chain.stages)
    joins = stages - 1
    length = f"a chain of {show_count(stages, 'stage')}"
    if chain.apex is not None and (claimed.compositions or 0) != joins:
        has = show_count(joins, "composition")
        message = f"{length} has {has}; {_claims(chain.apex, claimed.compositions)}"
        yield Fault("chain-compositions", "apex", message, _correct(chain.apex, {chain.composed_by: joins}))
    if chain.saves is not None and len(chain.saves) != joins:
        named = show_count(len(chain.saves), "is", "are")
        message = f"{length} saves {show_count(joins, 'activation')}; {named} named"
        yield Fault("chain-saves", "saves", message, "name one for every join, or correct the stages")
    if chain.tie is not None and (claimed.leaves or 0) > stages:
        most = show_count(stages, "leaf rewrite")
        message = f"{length} has at most {most}; {_claims(chain.tie, claimed.leaves)}"
        yield Fault("chain-leaves", "tie", message, "count each slot's leaf tie once, or correct the stages")
    if chain.shape_check is None:
        return
    lifts = joins if chain.pointwise else 0
    if (claimed.lifts or 0) != lifts:
        what = "pointwise" if chain.pointwise else "not pointwise"
        message = f"{length} that is {what} has {lifts} `{chain.lifted_by}`; "
        message += _claims(chain.shape_check, claimed.lifts)
        hint = _correct(chain.shape_check, {chain.lifted_by: lifts}) + ", or `pointwise:`"
        yield Fault("chain-lifts", "shape_check", message, hint)


def _claims(ident: str, count: int | None) -> str:
    return f"`{ident}` claims {'none' if count is None else count}"


def _correct(ident: str, claim: Mapping[str, int]) -> str:
    body = ", ".join(f"{name}: {count}" for name, count in claim.items())
    return f"write `claims: {{{body}}}` at `{ident}`, or correct the stages"


class Dims:
    """The dimensions of one chain, parsed once."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.sizes: dict[str, Tree] = {}
        self.known: dict[str, Tree | None] = {}
        self.usable = True  # false once a size is found faulty: nothing can then be compared

    def faults(self) -> Iterator[Fault]:
        """Yield what is no polynomial, joins that do not meet, and joins of two spellings."""
        later = dict.fromkeys(self.chain.sizes)
        for name, text in self.chain.sizes.items():
            yield from self._read(f"sizes.{name}", text)
            tree = self.known[text]
            if tree is not None:
                yield from self._too_early(name, tree, later)
            if tree is None or not self.usable:
                self.usable = False
                return
            del later[name]
            self.sizes[name] = tree
            self.known.clear()  # the same text may mean more now that there is one size more
        yield from self._read("input", self.chain.input)
        before, gives = "the chain takes", self.chain.input
        for stage in self.chain.stages:
            at = f"stages[{stage.entry}]"
            if stage.input is not None:
                yield from self._read(f"{at}.input", stage.input)
                yield from self.meet(f"{at}.input", before, gives, f"`{stage.name}` takes", stage.input)
            yield from self._read(f"{at}.output", stage.output)
            before, gives = f"`{stage.name}` gives", stage.output

    def meet(self, path: str, left: str, a: str, right: str, b: str) -> Iterator[Fault]:
        """Yield a fault unless `a` and `b` are one dimension in one spelling."""
        if not self.usable:
            return
        for text in (a, b):
            if text not in self.known:
                yield from self._read(path, text)
        one, two = self.known[a], self.known[b]
        if one is None or two is None or one == two:
            return
        said = f"{left} `{a}`, but {right} `{b}`"
        if polynomial(one) != polynomial(two):
            yield Fault("chain-join", path, said, f"as polynomials: {polynomial(one)}, {polynomial(two)}")
        else:
            message = f"{said}: one number in two spellings"
            yield Fault("two-spellings", path, message, f"spell both alike, such as `{a}`")

    def _too_early(self, name: str, tree: Tree, later: Collection[str]) -> Iterator[Fault]:
        """Yield a fault where a size uses itself or one that is written after it."""
        early = sorted({v for monomial, _ in polynomial(tree).terms for v, _ in monomial}.intersection(later))
        if early:
            self.usable = False
            message = f"the size `{name}` uses `{early[0]}` before it is written"
            yield Fault("bad-dims", f"sizes.{name}", message, f"write `{early[0]}` first, without `{name}`")

    def _read(self, path: str, text: str) -> Iterator[Fault]:
        """Parse `text` once; a faulty one is reported where it is first seen."""
        if text in self.known:
            return
        self.known[text] = None
        try:
            tree = parse(text, self.sizes)
            polynomial(tree)
        except DimsError as error:
            yield Fault("bad-dims", path, error.message, error.hint)
        else:
            self.known[text] = tree


def dims_fault(text: str, path: str) -> Fault | None:
    """Return why `text` is no dimension, or None if it is one."""
    try:
        polynomial(parse(text))
    except DimsError as error:
        return Fault("bad-dims", path, error.message, error.hint)
    return None
