"""The matrices of the first screen: nets by kinds, and families over their axis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tracker.catalogue.families import axis_values, by_axis
from tracker.catalogue.model import Catalogue, Obligation
from tracker.verdict import State, Verdict

# Gravest first: the state that a cell shows when its members differ.
GRAVITY = (
    State.FAILED, State.MISSING, State.UNBUILT, State.SORRY, State.AXIOM, State.DRIFTED, State.BLOCKED,
    State.UNCHECKED, State.OBSOLETE, State.OVER_BUDGET, State.PROVED,
)  # fmt: skip


HOLE = "no member"
"""The note of a family's cell that has no member and no reason for it."""


@dataclass(frozen=True)
class Cell:
    """Some obligations seen as one: how many in which state. `note` says why there are none."""

    ids: tuple[str, ...]
    counts: Mapping[State, int]
    note: str = ""

    @property
    def total(self) -> int:
        """Return how many there are."""
        return len(self.ids)

    @property
    def proved(self) -> int:
        """Return how many are proved."""
        return self.counts.get(State.PROVED, 0)

    @property
    def state(self) -> State | None:
        """Return the gravest state among them; None when there are none."""
        return next((state for state in GRAVITY if self.counts.get(state)), None)

    @property
    def hole(self) -> bool:
        """Return whether there should be some, as far as the catalogue says."""
        return not self.ids and self.note == HOLE

    @property
    def words(self) -> str:
        """Return what is not proved, in words; `proved` when all is."""
        rest = [
            f"{n} {state}" for state in GRAVITY if state is not State.PROVED and (n := self.counts.get(state))
        ]
        return ", ".join(rest) or ("proved" if self.ids else self.note)


@dataclass(frozen=True)
class Row:
    """One line of a matrix. `key` is the net's or family's name, empty for the obligations of no net."""

    key: str
    title: str
    cells: tuple[Cell, ...]
    whole: Cell


@dataclass(frozen=True)
class Matrix:
    """Rows by columns; a column is a pair of key and title. `rows_are` and `axis` say what keys name."""

    rows_are: str
    axis: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...]

    @property
    def holes(self) -> int:
        """Return how many cells are holes."""
        return sum(cell.hole for row in self.rows for cell in row.cells)


def net_matrix(catalogue: Catalogue, found: Mapping[str, Verdict]) -> Matrix:
    """Return nets by kinds, kinds in their order; the obligations of no net come last."""
    used = sorted(catalogue.by_kind, key=lambda k: (catalogue.kinds[k].order, k))
    rows = []
    for net in nets_in_order(catalogue):
        members = catalogue.by_net[net]
        cells = tuple(_cell([ob for ob in members if ob.kind == kind], found) for kind in used)
        rows.append(Row(net or "", net_title(catalogue, net), cells, _cell(members, found)))
    return Matrix("net", "kind", tuple((kind, catalogue.kinds[kind].title) for kind in used), tuple(rows))


def nets_in_order(catalogue: Catalogue) -> list[str | None]:
    """Return the nets that have obligations, as the catalogue lists them; None, for those of no net, last."""
    declared = list(catalogue.nets)
    known = {net: place for place, net in enumerate(declared)}
    return sorted(catalogue.by_net, key=lambda net: (net is None, known.get(net or "", len(declared))))


def net_title(catalogue: Catalogue, net: str | None) -> str:
    """Return how a net is called in reports; `Shared` for what belongs to no single one."""
    if net is None:
        return "Shared"
    return catalogue.nets[net].title if net in catalogue.nets else net


def family_matrices(catalogue: Catalogue, found: Mapping[str, Verdict]) -> tuple[Matrix, ...]:
    """Return the catalogue's families, one matrix for each axis that they are spread over."""
    axes = dict.fromkeys(family.axis for family in catalogue.families.values())
    return tuple(_families_on(axis, catalogue, found) for axis in axes)


def _families_on(axis: str, catalogue: Catalogue, found: Mapping[str, Verdict]) -> Matrix:
    labels = {"net": catalogue.nets, "tier": catalogue.tiers, "kind": catalogue.kinds}.get(axis, {})
    rows = []
    taken: set[str] = set()
    for family in catalogue.families.values():
        if family.axis != axis:
            continue
        spread = by_axis(family, catalogue)
        cells = {
            value: _cell([catalogue[i] for i in ids], found, family.absent.get(value, HOLE))
            for value, ids in spread.items()
        }
        few = axis in ("net", "tier")  # then every one is shown: a hole is a finding
        taken |= {value for value, ids in spread.items() if few or ids or value in family.absent}
        members = _cell([catalogue[i] for i in family.members], found)
        rows.append((family, cells, members))
    order = dict.fromkeys([*axis_values(catalogue, axis), *taken])  # some may not be declared
    columns = [value for value in order if value in taken]
    return Matrix(
        "family",
        axis,
        tuple((value, labels[value].title if value in labels else value) for value in columns),
        tuple(
            Row(
                family.id,
                family.title,
                tuple(cells.get(value, _cell([], found)) for value in columns),
                members,
            )
            for family, cells, members in rows
        ),
    )


def _cell(members: Sequence[Obligation], found: Mapping[str, Verdict], note: str = "") -> Cell:
    return Cell(tuple(ob.id for ob in members), count_states(found[ob.id] for ob in members), note)


def count_states(verdicts: Iterable[Verdict]) -> Mapping[State, int]:
    """Return how many verdicts there are of each state, in the order of `State`."""
    counts = Counter(v.state for v in verdicts)
    return {state: counts[state] for state in State if counts[state]}
