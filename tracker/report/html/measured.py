"""What was measured of single declarations, as far as anybody asked: headroom and profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from tracker.catalogue.model import Catalogue, Obligation
from tracker.headroom.measure import Headroom
from tracker.headroom.session import headrooms
from tracker.lean.profiler import DeclarationCost
from tracker.run.profiling import profiles
from tracker.store.history import History
from tracker.workspace import Workspace

Place = tuple[str, str]
"""Module and declaration."""


@dataclass(frozen=True)
class Measured:
    """Measurements that hold for the present sources, options and toolchain."""

    headroom: Mapping[Place, Sequence[Headroom]] = field(default_factory=lambda: MappingProxyType({}))
    profile: Mapping[Place, DeclarationCost] = field(default_factory=lambda: MappingProxyType({}))

    def headroom_of(self, ob: Obligation) -> Sequence[Headroom]:
        """Return what the declaration needs of each limit that was searched."""
        return self.headroom.get((ob.module, ob.decl), ())

    def profile_of(self, ob: Obligation) -> DeclarationCost | None:
        """Return where the time of the declaration's own check went."""
        return self.profile.get((ob.module, ob.decl))

    def nearest(self, ob: Obligation) -> Headroom | None:
        """Return the limit that it uses the most of; None where none was measured, or none is in force."""
        return max((h for h in self.headroom_of(ob) if h.use is not None), key=_use, default=None)

    def by_use(self, catalogue: Catalogue) -> list[tuple[Obligation, Headroom]]:
        """Return the obligations with the limit that each uses the most of, greatest use first."""
        found = [(ob, near) for ob in catalogue if (near := self.nearest(ob)) is not None]
        return sorted(found, key=lambda pair: (-_use(pair[1]), pair[0].id))

    def by_time(self, catalogue: Catalogue) -> list[tuple[Obligation, DeclarationCost]]:
        """Return the obligations that were profiled, the longest check first."""
        found = [(ob, cost) for ob in catalogue if (cost := self.profile_of(ob)) is not None]
        return sorted(found, key=lambda pair: (-pair[1].total_s, pair[0].id))


def read_measured(history: History | None, workspace: Workspace) -> Measured:
    """Return what the store holds of them. Raises StoreError."""
    if history is None:
        return Measured()
    costs = profiles(history, workspace)
    return Measured(
        headrooms(history, workspace),
        {(module, cost.declaration): cost for module, found in costs.items() for cost in found},
    )


def _use(headroom: Headroom) -> float:
    return headroom.use or 0.0
