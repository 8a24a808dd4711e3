"""Claims against the proof: how often a declaration's source refers to what the catalogue says it uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tracker.catalogue.model import Catalogue
from tracker.verdict import Verdict


@dataclass(frozen=True)
class ClaimResult:
    """One claim of one obligation: uses claimed, and uses counted in Lean's index of the source."""

    id: str
    claim: str
    claimed: int
    counted: int

    @property
    def holds(self) -> bool:
        """Return whether both numbers are the same."""
        return self.claimed == self.counted


def check_claims(catalogue: Catalogue, found: Mapping[str, Verdict]) -> list[ClaimResult]:
    """Return the result of every claim whose declaration Lean has found as it is now."""
    results = []
    for ob in catalogue:
        probe = found[ob.id].probe
        check = found[ob.id].check
        if probe is None or check is None or probe.fingerprint != check.fingerprint or not probe.found:
            continue
        results += [
            ClaimResult(ob.id, claim.name, claim.count, sum(probe.uses.get(name, 0) for name in claim.decls))
            for claim in ob.expected_uses()
        ]
    return results
