"""The catalogue as frozen facts: obligations, kinds, families, and the graph they make.

Nothing here reads files or knows of verdicts. Seconds are floats, memory is in bytes, lines and
columns count from 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from tracker.symbolic.chain import Chain
from tracker.text import show_text

if TYPE_CHECKING:
    import networkx as nx

K = TypeVar("K")

STANDARD_AXIOMS = frozenset({"propext", "Classical.choice", "Quot.sound"})
"""The axioms that Lean's own library rests on; allowed unless a catalogue says otherwise."""

EXPECTABLE = ("theorem", "def", "abbrev", "instance", "structure", "class", "inductive", "opaque")
"""What an obligation may require its declaration to be."""

PROOFS = ("rfl",)
"""What an obligation may claim of how it is proved."""


class Source(NamedTuple):
    """A place in a catalogue file. Line and column count from 1, columns in characters."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        file = show_text(self.file)
        # A line that begins so is a command to GitHub.
        file = f"./{file}" if file.lstrip().startswith(("::", "##[")) else file
        return f"{file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Label:
    """A kind, a net or a tier: its name, and its title and place in reports."""

    name: str
    title: str
    order: int = 0
    expects: str | None = None
    source: Source | None = field(default=None, compare=False)


def _builtin_kinds() -> tuple[Label, ...]:
    rows = (
        ("foundation", "Foundations", None),
        ("chain-def", "Chain definitions", "def"),
        ("leaf-tie", "Leaf ties", "theorem"),
        ("stage-witness", "Stage witnesses", None),
        ("apex", "Apexes", None),
        ("tie", "Ties", "theorem"),
        ("shape-check", "Shape checks", "theorem"),
        ("reading", "Readings", "theorem"),
        ("capstone", "Capstones", "theorem"),
        ("step-tie", "Step ties", "theorem"),
    )
    return tuple(Label(name, title, (i + 1) * 10, expects) for i, (name, title, expects) in enumerate(rows))


BUILTIN_KINDS = _builtin_kinds()
"""The kinds every catalogue knows without declaring them."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What checking may cost. Each part is optional: wall and CPU seconds, peak memory in bytes."""

    wall_s: float | None = None
    cpu_s: float | None = None
    memory_bytes: int | None = None

    def __bool__(self) -> bool:
        return self != _NO_BUDGET


_NO_BUDGET = Budget()


@dataclass(frozen=True, slots=True)
class Alias:
    """An older name of a declaration, and since when it is older (a version, commit or date)."""

    name: str
    since: str | None = None


@dataclass(frozen=True, slots=True)
class Dims:
    """The dimensions of a map's input and output, as written (polynomials in named sizes)."""

    input: str | None = None
    output: str | None = None

    def __bool__(self) -> bool:
        return self.input is not None or self.output is not None


@dataclass(frozen=True, slots=True)
class ClaimGroup:
    """A claim over several declarations: together they are used `count` times."""

    count: int
    decls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """One claimed number of uses: of one declaration, or of several counted together."""

    name: str
    count: int
    decls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Obligation:
    """One declaration that must exist, check, and say what it said.

    `net` and `tier` are None where the obligation belongs to no single one. `allowed_axioms` is
    None where the catalogue's own list holds. `claims` are on full declaration names. `positions`
    maps a field's path, such as `depends_on[2]`, to its line and column in `source.file`; use `where`.
    """

    id: str
    kind: str
    decl: str
    module: str
    source: Source = field(compare=False)
    net: str | None = None
    tier: str | None = None
    depends_on: tuple[str, ...] = ()
    claims: Mapping[str, int] = field(default_factory=dict, hash=False)
    claim_groups: Mapping[str, ClaimGroup] = field(default_factory=dict, hash=False)
    budget: Budget = _NO_BUDGET
    summary: str = ""
    sources: tuple[str, ...] = ()
    allowed_axioms: tuple[str, ...] | None = None
    forbidden_axioms: tuple[str, ...] = ()
    aliases: tuple[Alias, ...] = ()
    expects: str | None = None
    proof: str | None = None
    dims: Dims = Dims()
    tags: tuple[str, ...] = ()
    positions: Mapping[str, tuple[int, int]] = field(
        default_factory=dict, compare=False, hash=False, repr=False
    )

    def where(self, path: str) -> Source:
        """Return where the field at `path` is written; where the entry starts if it is not."""
        at = self.positions.get(path)
        return Source(self.source.file, *at) if at else self.source

    def is_called(self, declaration: str) -> bool:
        """Return whether this is its declaration's name, or an older one."""
        return declaration == self.decl or any(alias.name == declaration for alias in self.aliases)

    def expected_uses(self) -> tuple[Claim, ...]:
        """Return every claim in one shape: single declarations first, then groups."""
        single = [Claim(name, count, (name,)) for name, count in self.claims.items()]
        groups = [Claim(name, group.count, group.decls) for name, group in self.claim_groups.items()]
        return (*single, *groups)


@dataclass(frozen=True, slots=True)
class Family:
    """A set of obligations read as one row of a matrix over nets (or tiers, kinds, modules).

    `members` is already resolved: what the patterns matched and what was named, in catalogue
    order. `absent` holds the axis values that are known to have no member, with the reason.
    """

    id: str
    title: str
    axis: str
    patterns: tuple[str, ...]
    members: tuple[str, ...]
    absent: Mapping[str, str] = field(default_factory=dict, hash=False)
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Sum:
    """An equation of sizes or counts that holds, and what it counts."""

    equation: str
    summary: str = ""
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Catalogue:
    """Everything that must be proved, checked to be consistent. Iterates in the written order."""

    obligations: Mapping[str, Obligation]
    kinds: Mapping[str, Label] = field(default_factory=lambda: {k.name: k for k in BUILTIN_KINDS})
    nets: Mapping[str, Label] = field(default_factory=dict)
    tiers: Mapping[str, Label] = field(default_factory=dict)
    families: Mapping[str, Family] = field(default_factory=dict)
    allowed_axioms: frozenset[str] = STANDARD_AXIOMS
    files: tuple[str, ...] = ()
    chains: Mapping[str, Chain] = field(default_factory=dict)
    sums: tuple[Sum, ...] = ()

    def __len__(self) -> int:
        return len(self.obligations)

    def __iter__(self) -> Iterator[Obligation]:
        return iter(self.obligations.values())

    def __getitem__(self, obligation_id: str) -> Obligation:
        return self.obligations[obligation_id]

    def __contains__(self, obligation_id: object) -> bool:
        return obligation_id in self.obligations

    @cached_property
    def by_decl(self) -> Mapping[str, Obligation]:
        """The obligation of each declaration, under its current name."""
        return {ob.decl: ob for ob in self}

    @cached_property
    def by_alias(self) -> Mapping[str, Obligation]:
        """The obligation that carries each older name."""
        return {alias.name: ob for ob in self for alias in ob.aliases}

    @cached_property
    def by_module(self) -> Mapping[str, tuple[Obligation, ...]]:
        """The obligations of each Lean module."""
        return self._grouped(lambda ob: ob.module)

    @cached_property
    def by_net(self) -> Mapping[str | None, tuple[Obligation, ...]]:
        """The obligations of each net; those of none under None."""
        return self._grouped(lambda ob: ob.net)

    @cached_property
    def by_tier(self) -> Mapping[str | None, tuple[Obligation, ...]]:
        """The obligations of each tier; those of none under None."""
        return self._grouped(lambda ob: ob.tier)

    @cached_property
    def by_kind(self) -> Mapping[str, tuple[Obligation, ...]]:
        """The obligations of each kind."""
        return self._grouped(lambda ob: ob.kind)

    @cached_property
    def dependents(self) -> Mapping[str, tuple[str, ...]]:
        """The ids that name each id in `depends_on`."""
        found: dict[str, list[str]] = {key: [] for key in self.obligations}
        for ob in self:
            for dep in ob.depends_on:
                found[dep].append(ob.id)
        return {key: tuple(ids) for key, ids in found.items()}

    def find(self, name: str) -> Obligation | None:
        """Return the obligation with this id, declaration or older name, in that order."""
        return self.obligations.get(name) or self.by_decl.get(name) or self.by_alias.get(name)

    def axioms_allowed_for(self, ob: Obligation) -> frozenset[str]:
        """Return the axioms that `ob` may use: its own list or the catalogue's, less the forbidden."""
        allowed = self.allowed_axioms if ob.allowed_axioms is None else frozenset(ob.allowed_axioms)
        return allowed - frozenset(ob.forbidden_axioms)

    def expects_of(self, ob: Obligation) -> str | None:
        """Return what `ob`'s declaration must be: its own `expects`, else its kind's, else None."""
        return ob.expects or self.kinds[ob.kind].expects

    def topological(self) -> tuple[str, ...]:
        """Return the ids with dependencies first; otherwise in written order."""
        from tracker.catalogue.graph import topological_order

        return topological_order({ob.id: ob.depends_on for ob in self})

    def ancestors(self, obligation_id: str) -> frozenset[str]:
        """Return every id that `obligation_id` rests on, without itself."""
        return self._reach(obligation_id, {ob.id: ob.depends_on for ob in self})

    def descendants(self, obligation_id: str) -> frozenset[str]:
        """Return every id that rests on `obligation_id`, without itself."""
        return self._reach(obligation_id, self.dependents)

    def graph(self) -> nx.DiGraph[str]:
        """Return the graph with an edge from each dependency to its dependent.

        Every node carries its obligation as the attribute `obligation`.
        """
        import networkx as nx

        graph: nx.DiGraph[str] = nx.DiGraph()
        for ob in self:
            graph.add_node(ob.id, obligation=ob)
        graph.add_edges_from((dep, ob.id) for ob in self for dep in ob.depends_on)
        return graph

    @staticmethod
    def _reach(start: str, edges: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
        seen: set[str] = set()
        todo = list(edges[start])
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                todo.extend(edges[node])
        return frozenset(seen)

    def _grouped(self, key: Callable[[Obligation], K]) -> dict[K, tuple[Obligation, ...]]:
        found: dict[K, list[Obligation]] = {}
        for ob in self:
            found.setdefault(key(ob), []).append(ob)
        return {value: tuple(obs) for value, obs in found.items()}
