"""`tracker edges`: does the catalogue say of the proofs what they are?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from tracker.catalogue.model import Catalogue, Obligation
from tracker.claims import ClaimResult, ProofResult, check_claims, check_proofs, present_proof
from tracker.cli.options import console, json_option, make_workspace, print_json, workspace_options
from tracker.edges import Difference, EdgeResult, check_edges
from tracker.evidence import Evidence
from tracker.lean.project import Project
from tracker.report.terminal import plain
from tracker.run.artifacts import not_compiled, olean_digest
from tracker.run.compiled import Compiled
from tracker.units import show_count
from tracker.verdict import State, Verdict
from tracker.workspace import Workspace

SCHEMA_VERSION = 1
_SHOWN = 5


@dataclass(frozen=True)
class Comparison:
    """Catalogue against proofs: what differs, and what could not be compared."""

    edges: tuple[EdgeResult, ...]
    claims: tuple[ClaimResult, ...]
    proofs: tuple[ProofResult, ...]
    compared: int
    left_out: tuple[Verdict, ...]
    """Obligations of whose proof there is no evidence as it is now."""

    @property
    def differing(self) -> tuple[EdgeResult, ...]:
        """The differences that are not tolerated."""
        return tuple(edge for edge in self.edges if not edge.tolerated)

    @property
    def passed(self) -> bool:
        """Return whether every obligation was compared and everything said of it is so."""
        whole = bool(self.compared) and not self.left_out
        return whole and not self.differing and not self.wrong

    @property
    def wrong(self) -> int:
        """The number of claims that do not hold."""
        return sum(not c.holds for c in self.claims) + sum(not p.holds for p in self.proofs)


@click.command()
@click.option("--all", "show_all", is_flag=True, help="Also show differences that are tolerated.")
@json_option
@workspace_options
def edges(show_all: bool, as_json: bool, **places: str | None) -> int:
    """Compare the catalogue's edges and claims with the proofs that Lean checked. Starts no Lean.

    An edge is missing when a proof's source refers to an obligation that `depends_on` does not reach, and
    superfluous when the proof does not rest on what `depends_on` names. Tolerated are references to what
    another edge reaches, and edges to what a proof reaches without writing its name. Numbers under `claims`
    and `proof: rfl` are checked too.

    Exit code 0 when all is as the catalogue says, 1 when anything is not, or has no finished proof yet.

    \b
    tracker edges
    tracker edges --all
    tracker edges --json | jq -r '.edges[] | select(.difference == "missing") | "\\(.id): \\(.other)"'
    """
    workspace = make_workspace(**places)
    found = compare(workspace)
    if as_json:
        print_json(_as_json(found, workspace.catalogue))
    else:
        _print(found, workspace.catalogue, console(), show_all=show_all)
    return 0 if found.passed else 1


def compare(workspace: Workspace) -> Comparison:
    """Return how the catalogue and the present evidence of its proofs differ. Raises TrackerError."""
    catalogue = workspace.catalogue
    evidence, _ = workspace.read_evidence()
    found = workspace.verdicts(evidence)
    compiled = _Proofs(workspace.project, evidence)
    # A proof with a hole in it does not yet use what the catalogue plans for it.
    uses = {
        ob.decl: p.uses
        for ob in catalogue
        if found[ob.id].state is not State.SORRY and (p := present_proof(found[ob.id])) is not None
    }
    return Comparison(
        check_edges(catalogue, uses, compiled.asked(Compiled.rests_on)),
        tuple(check_claims(catalogue, found)),
        tuple(check_proofs(catalogue, found, compiled.asked(Compiled.by_rfl))),
        len(uses),
        tuple(found[ob.id] for ob in catalogue if ob.decl not in uses),
    )


class _Proofs:
    """The compiled files of the project, read only where they are those that were checked."""

    def __init__(self, project: Project, evidence: Evidence) -> None:
        self._project = project
        self._evidence = evidence
        self._compiled = Compiled(project)
        self._vouched: set[str] = set()

    def asked(self, question: Callable[[Compiled, str, str], Any]) -> Callable[[Obligation], Any]:
        """Return the question, put to compiled files that were vouched for. It raises LeanError."""

        def answer(ob: Obligation) -> Any:
            for module in {ob.module, *self._project.closure(ob.module)} - self._vouched:
                self._vouch(module)
            return question(self._compiled, ob.module, ob.decl)

        return answer

    def _vouch(self, module: str) -> None:
        check = self._evidence.check_of(module)
        if check is None or check.olean_digest != olean_digest(self._project, module):
            text = f"the compiled file of {module} is not there, or not the one that was checked"
            raise not_compiled(module, text)
        self._vouched.add(module)


def _print(found: Comparison, catalogue: Catalogue, out: Console, *, show_all: bool) -> None:
    for edge in found.edges:
        if show_all or not edge.tolerated:
            mark, style = ("~", "cyan") if edge.tolerated else ("≠", "bold yellow")
            _line(out, f"{mark} {edge.difference}", style, edge.where(catalogue), edge.id, edge.message())
    for claim in found.claims:
        if not claim.holds:
            text = f"{show_count(claim.claimed, 'use')} of `{claim.claim}` claimed, {claim.counted} counted"
            place = catalogue[claim.id].where(f"claims.{claim.claim}")
            _line(out, "≠ claim", "bold yellow", place, claim.id, text)
    for proof in found.proofs:
        if not proof.holds:
            text = f"`proof: {proof.claimed}` claimed; its proof is another one"
            _line(out, "≠ proof", "bold yellow", catalogue[proof.id].where("proof"), proof.id, text)
    if found.left_out:
        names = ", ".join(f"{v.id} ({v.label})" for v in found.left_out[:_SHOWN])
        more = f" and {len(found.left_out) - _SHOWN} more" if len(found.left_out) > _SHOWN else ""
        out.print(Text(f"? not compared, no finished proof is known: {plain(names)}{more}", overflow="fold"))
    out.print(Text(_summary(found, catalogue), overflow="fold"))


def _line(out: Console, label: str, style: str, place: object, ident: str, text: str) -> None:
    # Whole lines, for grep and editors.
    out.print(Text.assemble((label, style), f"  {place}: {ident}: {plain(text)}"), soft_wrap=True)


def _summary(found: Comparison, catalogue: Catalogue) -> str:
    edges = sum(len(ob.depends_on) for ob in catalogue)
    head = f"{found.compared} of {show_count(len(catalogue), 'proof')} compared: {show_count(edges, 'edge')}"
    kinds = [(str(d), sum(e.difference is d for e in found.edges)) for d in Difference]
    parts = [f"{n} {word}" for word, n in kinds if n]
    total = len(found.claims) + len(found.proofs)
    wrong = f", {show_count(found.wrong, 'does not hold', 'do not hold')}" if found.wrong else ""
    claims = f"; {show_count(total, 'claim')}{wrong}"
    mark = "✔" if found.passed else "✘"
    return f"{mark} {head}" + (f", {', '.join(parts)}" if parts else "") + (claims if total else "")


def _as_json(found: Comparison, catalogue: Catalogue) -> dict[str, Any]:
    def place(at: Any) -> dict[str, Any]:
        return {"file": at.file, "line": at.line, "column": at.column}

    return {
        "schema_version": SCHEMA_VERSION,
        "passed": found.passed,
        "compared": found.compared,
        "edges": [
            {
                "id": e.id, "other": e.other, "difference": str(e.difference), "through": e.through or None,
                "tolerated": e.tolerated, **place(e.where(catalogue)),
            }
            for e in found.edges
        ],
        "claims": [
            {"id": c.id, "claim": c.claim, "claimed": c.claimed, "counted": c.counted, "holds": c.holds}
            for c in found.claims
        ],
        "proofs": [{"id": p.id, "claimed": p.claimed, "holds": p.holds} for p in found.proofs],
        "not_compared": [{"id": v.id, "state": v.label} for v in found.left_out],
    }  # fmt: skip
