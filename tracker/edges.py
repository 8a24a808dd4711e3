"""Edges against the proof: what the catalogue says an obligation depends on, and what its proof refers to.

Two graphs are compared. In the catalogue an edge is an entry of `depends_on`; in the proof it is a reference
that Lean recorded for the declaration's source (`.ilean`). A difference that changes nothing about what
rests on what is tolerated: a reference to something that other edges reach anyway, and an edge to something
that the proof reaches through helpers, instances or simp sets (`.olean`) without writing its name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from tracker.catalogue.model import Catalogue, Obligation, Source


class Difference(StrEnum):
    """How an edge of the catalogue and the proof differ."""

    MISSING = "missing"  # the source refers to it, and the catalogue does not reach it
    SUPERFLUOUS = "superfluous"  # the catalogue names it, and the proof does not rest on it
    IMPLIED = "implied"  # the source refers to it, and the catalogue reaches it through another edge
    INDIRECT = "indirect"  # the catalogue names it, and the proof reaches it without writing its name


TOLERATED = frozenset({Difference.IMPLIED, Difference.INDIRECT})
"""Differences that leave what rests on what as it is."""


@dataclass(frozen=True)
class EdgeResult:
    """One edge that only the catalogue or only the proof has. `through` is a dependency that implies it."""

    id: str
    other: str
    difference: Difference
    through: str = ""

    @property
    def tolerated(self) -> bool:
        """Return whether what rests on what is the same with and without it."""
        return self.difference in TOLERATED

    def message(self) -> str:
        """Return what is the matter and what to do about it, in one line."""
        if self.difference is Difference.MISSING:
            return f"add `{self.other}`: its source refers to it"
        if self.difference is Difference.SUPERFLUOUS:
            return f"remove `{self.other}`: its proof does not rest on it"
        if self.difference is Difference.IMPLIED:
            return f"`{self.other}` is used too; it is reached through `{self.through}`"
        return f"`{self.other}` is used through what is no obligation, or found by Lean itself"

    def where(self, catalogue: Catalogue) -> Source:
        """Return where in the catalogue the edge is written, or would be."""
        ob = catalogue[self.id]
        if self.other in ob.depends_on:
            return ob.where(f"depends_on[{ob.depends_on.index(self.other)}]")
        return ob.where("depends_on")


_KEPT = 2048  # sets of what an obligation rests on: bounds memory at any size

Uses = Mapping[str, Collection[str]]
"""Of each declaration that is compared: the constants that its source refers to."""
RestsOn = Callable[[Obligation], Collection[str]]
"""All declarations that an obligation's compiled proof reaches; asked only where names are not written."""


def check_edges(catalogue: Catalogue, uses: Uses, rests_on: RestsOn) -> tuple[EdgeResult, ...]:
    """Return every difference of the obligations whose declarations are in `uses`, in written order."""
    below = lru_cache(_KEPT)(catalogue.ancestors)
    return tuple(
        result
        for ob in catalogue
        if ob.decl in uses
        for result in _differences(catalogue, ob, uses[ob.decl], rests_on, below)
    )


def _differences(
    catalogue: Catalogue,
    ob: Obligation,
    used: Collection[str],
    rests_on: RestsOn,
    below: Callable[[str], frozenset[str]],
) -> Iterator[EdgeResult]:
    recorded = {catalogue.by_decl[decl].id for decl in used if decl in catalogue.by_decl} - {ob.id}
    for other in sorted(recorded - set(ob.depends_on)):
        through = next((dep for dep in ob.depends_on if other in below(dep)), "")
        yield EdgeResult(ob.id, other, Difference.IMPLIED if through else Difference.MISSING, through)
    spare = [dep for dep in ob.depends_on if dep not in recorded]
    reached = frozenset(rests_on(ob)) if spare else frozenset()
    for other in spare:
        reaches = catalogue[other].decl in reached
        yield EdgeResult(ob.id, other, Difference.INDIRECT if reaches else Difference.SUPERFLUOUS)
