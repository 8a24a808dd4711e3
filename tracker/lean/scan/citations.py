"""Declarations that doc comments cite and the project does not have.

Only a dotted name in backticks counts whose first part is the project's own: a root of its modules, a type
that it declares, or one of its namespaces unless that is well known from Lean, Std or Mathlib (one may add to
`Nat` without owning it). A name is given the benefit of the doubt where Lean or an attribute may have made
it: constructors, fields, `Foo.rec`, `foo.eq_1`, what `@[simps]` or `@[to_additive]` add.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from tracker.lean.scan.mask import mask
from tracker.lean.scan.source import Citation, Declaration, Source, split_parts

Read = Callable[[str], str]

_FOREIGN_WORDS = """
Algebra AlgebraicGeometry Applicative Array BEq BitVec Bool ByteArray Cardinal Category CategoryTheory Char
Classical Complex Continuous ContinuousLinearMap Decidable Differentiable ENNReal ENat EStateM Elab Empty Eq
EReal Equiv Even Except Exists Fin Finset Finsupp Float Fintype Float32 ForIn Function Functor GCDMonoid
Group HAdd HEq HMul HashMap HasFDerivAt HasDerivAt Hashable IO Id Iff Inhabited Int Int8 Int16 Int32 Int64
IsROrC Iterator LE LT Lake Lean LinearMap List Matrix Measurable MeasureTheory Meta Metric Module Monad
MonoidHom Multiset NNReal NNRat Nat Nonempty Not Odd Option Or Ord Ordinal Parser Part PFun Pi Polynomial
PProd Prod ProbabilityTheory Prop Quot Quotient RCLike ReaderT Real Ring RingHom Set Setoid Sigma Sort Squash
Std StateM StateT String Subarray Subsingleton Substring Subtype Sum Syntax System Tactic Task Thunk
TopologicalSpace Topology True False Tuple Type UInt8 UInt16 UInt32 UInt64 ULift USize Unit Vector WellFounded
Xor And Ne Acc Rat Filter Order Submodule Subgroup Subring Bilin Basis ZMod SimpleGraph WithTop WithBot
"""
_FOREIGN = frozenset(_FOREIGN_WORDS.split())
_TYPES = frozenset(["structure", "class", "class inductive", "inductive", "coinductive", "def", "abbrev"])
_GENERATED = re.compile(
    r"""mk|rec|recOn|casesOn|brecOn|binductionOn|below|ibelow|ndrec|noConfusion|noConfusionType|inj|injEq
    |sizeOf_spec|ctorIdx|toCtorIdx|ctorElim|ofNat|elim|ext|ext_iff|induct|induct_unfolding|fun_cases
    |mutual_induct|congr_simp|hcongr_\d+|eq_def|eq_unfold|eq_\d+|match_\d+|proof_\d+|unsafe_rec|to[A-Z].*
    |inst[A-Z].*|_.*""",
    re.VERBOSE,
)
_GENERATES = re.compile(
    r"\b(?:simps|to_additive|to_dual|ext|reassoc|elementwise|mk_iff|higher_order|aesop|computed_fields)\b"
)
_ADDITIVE = {"add": "mul", "zero": "one", "neg": "inv", "sub": "div", "sum": "prod", "nsmul": "pow"}
_FILE_END_WORDS = "c cpp h ilean json lean md mlir olean py sh toml txt yaml yml"
_FILE_ENDS = frozenset(_FILE_END_WORDS.split())
_MEMBER = re.compile(r"[^\W\d][\w!?']*")
_WORD = re.compile(r"«[^»\n]*»|[^\W\d][\w!?']*")


class BrokenCitation(NamedTuple):
    """A doc comment names a declaration that is not there. `line` counts from 1."""

    path: str
    line: int
    name: str


def broken_citations(
    sources: Iterable[tuple[str, Source]], modules: Iterable[str], read: Read
) -> list[BrokenCitation]:
    """Return the citations without a declaration. `read` returns the text of a file by its path."""
    found = list(sources)
    if not any(source.citations for _, source in found):
        return []
    known = _Known(found, list(modules), read)
    return [
        BrokenCitation(path, citation.line, citation.name)
        for path, source in found
        for citation in source.citations
        if known.is_ours(citation) and not known.has(citation)
    ]


class _Known:
    def __init__(self, sources: list[tuple[str, Source]], modules: list[str], read: Read) -> None:
        self.read = read
        self.texts: dict[str, str] = {}
        self.declared: dict[str, list[tuple[str, Declaration]]] = {}
        self.generating: set[str] = set()
        self.attribute_words: set[str] = set()
        self.namespaces: set[str] = {name for _, s in sources for name in _prefixes(s.namespaces)}
        for path, source in sources:
            for declaration in source.declarations:
                if declaration.name:
                    self.add(path, declaration)
        self.roots = {split_parts(name)[0] for name in modules}
        self.roots |= {split_parts(name)[0] for name in self.namespaces} - _FOREIGN
        self.roots |= {name for name, entries in self.declared.items() if _is_root_type(name, entries)}
        above = {_above(name) for name in self.declared} - {""}
        self.names = {*self.declared, *self.namespaces, *_prefixes(above), *_prefixes(modules)}

    @cached_property
    def by_ending(self) -> dict[str, list[str]]:
        """What a name may mean where namespaces are open; made only for names not found as written."""
        found: dict[str, list[str]] = {}
        for name in self.names:
            for ending in _endings(name):
                found.setdefault(ending, []).append(name)
        return found

    def add(self, path: str, declaration: Declaration) -> None:
        self.declared.setdefault(declaration.name, []).append((path, declaration))
        if declaration.attributes and _GENERATES.search(declaration.attributes):
            self.generating.add(declaration.name)
            self.attribute_words.update(_WORD.findall(declaration.attributes))

    def is_ours(self, citation: Citation) -> bool:
        first, *_, last = split_parts(citation.name)
        if last in _FILE_ENDS:
            return False
        if first in self.roots:
            return True
        inner = [f"{space}.{first}" for space in _prefixes([citation.namespace]) if space]
        return first not in _FOREIGN and any(
            name in self.namespaces or any(d.kind in _TYPES for _, d in self.declared.get(name, ()))
            for name in inner
        )

    def has(self, citation: Citation) -> bool:
        spaces = ["", *_prefixes([citation.namespace])]
        meant = [f"{space}.{citation.name}" if space else citation.name for space in spaces]
        return (
            any(name in self.names for name in meant)
            or citation.name in self.by_ending
            or any(self.is_made(name) for name in meant)
        )

    def is_made(self, name: str) -> bool:
        """Return whether the name may be part of, or made from, a declaration that is there."""
        *above, last = split_parts(name)
        parent = ".".join(above)
        full = self.by_ending.get(parent, ()) if parent not in self.declared else (parent,)
        if any(self.is_member(entry, last) for f in full for entry in self.declared.get(f, ())):
            return True
        if last in self.attribute_words:
            return True
        pieces = last.split("_")
        stems = ["_".join(pieces[:end]) for end in range(1, len(pieces) + 1)]
        if any(f"{parent}.{stem}" in self.generating for stem in stems):
            return True
        multiplicative = "_".join(_ADDITIVE.get(piece, piece) for piece in pieces)
        return f"{parent}.{multiplicative}" in self.generating

    def is_member(self, entry: tuple[str, Declaration], last: str) -> bool:
        path, declaration = entry
        if last.startswith("«") or _GENERATED.fullmatch(last):
            return True  # the text of quoted names is not looked into
        if path not in self.texts:
            self.texts[path] = mask(self.read(path)).code  # what a comment says is no member
        words = _MEMBER.findall(self.texts[path], declaration.start, declaration.stop)
        return last in words or "extends" in words


def _is_root_type(name: str, entries: list[tuple[str, Declaration]]) -> bool:
    return "." not in name and name[:1].isupper() and any(d.kind in _TYPES for _, d in entries)


def _above(name: str) -> str:
    """Return the namespace of a name."""
    return name.rpartition(".")[0] if "«" not in name else ".".join(split_parts(name)[:-1])


def _prefixes(names: Iterable[str]) -> Iterator[str]:
    """Yield each name and every name above it, `A.b` and `A` for `A.b`."""
    for name in names:
        parts = split_parts(name)
        for end in range(len(parts), 0, -1):
            yield ".".join(parts[:end])


def _endings(name: str) -> Iterator[str]:
    """Yield the name as it may be written where namespaces are open: whole, and without its first parts."""
    parts = split_parts(name)
    for start in range(len(parts)):
        yield ".".join(parts[start:])
