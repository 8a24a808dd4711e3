"""The snapshot of a workspace as it is now: from the evidence of earlier runs; no Lean is started."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tracker.claims import ClaimResult, check_claims
from tracker.evidence import Evidence, Run
from tracker.gate.snapshot import Snapshot, take_snapshot
from tracker.store.samples import Sample, samples
from tracker.workspace import Workspace


@dataclass(frozen=True)
class Present:
    """What is known now."""

    snapshot: Snapshot
    run: Run | None
    """The newest run."""
    claims: tuple[ClaimResult, ...]


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
    finally:
        history.close()
    return _present(workspace, evidence, run, measured)


def _present(
    workspace: Workspace, evidence: Evidence, run: Run | None, measured: Iterable[Sample]
) -> Present:
    found = workspace.verdicts(evidence)
    snapshot = take_snapshot(
        workspace.catalogue, workspace.project, workspace.toolchain, evidence, found, measured,
        run.commit if run else None,
    )  # fmt: skip
    return Present(snapshot, run, tuple(check_claims(workspace.catalogue, found)))
