"""The snapshot of a workspace as it is now: from the evidence of earlier runs; no Lean is started."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tracker.claims import ClaimResult, check_claims, present_proof
from tracker.evidence import Evidence, Run
from tracker.gate.snapshot import Snapshot, take_snapshot
from tracker.headroom.measure import Headroom
from tracker.headroom.session import headrooms
from tracker.store.samples import Sample, samples
from tracker.verdict import Verdict
from tracker.workspace import Workspace


@dataclass(frozen=True)
class Present:
    """What is known now."""

    snapshot: Snapshot
    run: Run | None
    """The newest run."""
    claims: tuple[ClaimResult, ...]
    misread: tuple[str, ...] = ()
    """Obligations that are what was locked, though the lock's text is not what this Lean prints."""


def take_present(workspace: Workspace) -> Present:
    """Return what is known now.

    Raises TrackerError where catalogue, project, toolchain or store cannot be read.
    """
    history = workspace.open_history(write=False)
    if history is None:
        return _present(workspace, Evidence(workspace.fingerprints, {}, {}), None, ())
    try:
        evidence = history.evidence(workspace.fingerprints)
        measured = samples(history, workspace.fingerprints.values())
        run = history.newest_run()
        needs = headrooms(history, workspace)
    finally:
        history.close()
    return _with_needs(_present(workspace, evidence, run, measured), needs)


def _with_needs(present: Present, found: Mapping[tuple[str, str], Sequence[Headroom]]) -> Present:
    """Return the facts with the headroom that was measured of declarations."""
    obligations = {
        ident: replace(ob, needs={h.option: (h.needed, h.limit) for h in found.get((ob.module, ob.decl), ())})
        for ident, ob in present.snapshot.obligations.items()
    }
    return replace(present, snapshot=replace(present.snapshot, obligations=obligations))


def _present(
    workspace: Workspace, evidence: Evidence, run: Run | None, measured: Iterable[Sample]
) -> Present:
    found = workspace.verdicts(evidence)
    snapshot = take_snapshot(
        workspace.catalogue, workspace.project, workspace.toolchain, evidence, found, measured,
        run.commit if run else None,
    )  # fmt: skip
    return Present(
        snapshot, run, tuple(check_claims(workspace.catalogue, found)), tuple(_misread(workspace, found))
    )


def _misread(workspace: Workspace, found: Mapping[str, Verdict]) -> Iterator[str]:
    lock = workspace.lock
    if lock.lean == workspace.toolchain.version:  # another Lean may print the same statement otherwise
        for ident, verdict in found.items():
            probe = present_proof(verdict)
            if probe is not None and lock.reads_otherwise(workspace.catalogue[ident], probe):
                yield ident
