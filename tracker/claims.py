"""Claims against the proof: how often its source refers to what it is said to use, and how it closes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tracker.catalogue.model import Catalogue, Obligation
from tracker.evidence import DeclarationProbe
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


@dataclass(frozen=True)
class ProofResult:
    """A claim on how an obligation is proved, such as `rfl`, and whether the compiled proof is that."""

    id: str
    claimed: str
    holds: bool


def present_proof(verdict: Verdict) -> DeclarationProbe | None:
    """Return what Lean said of the declaration as it is now, None where there is no such evidence."""
    probe, check = verdict.probe, verdict.check
    if probe is None or check is None or probe.fingerprint != check.fingerprint or not probe.found:
        return None
    return probe


def check_claims(catalogue: Catalogue, found: Mapping[str, Verdict]) -> list[ClaimResult]:
    """Return the result of every claim whose declaration Lean has found as it is now."""
    return [
        ClaimResult(ob.id, claim.name, claim.count, sum(probe.uses.get(name, 0) for name in claim.decls))
        for ob in catalogue
        if (probe := present_proof(found[ob.id])) is not None
        for claim in ob.expected_uses()
    ]


def check_proofs(
    catalogue: Catalogue, found: Mapping[str, Verdict], is_rfl: Callable[[Obligation], bool]
) -> list[ProofResult]:
    """Return the result of every claim `proof: rfl` whose declaration Lean has found as it is now."""
    return [
        ProofResult(ob.id, ob.proof, is_rfl(ob))
        for ob in catalogue
        if ob.proof is not None and present_proof(found[ob.id]) is not None
    ]
