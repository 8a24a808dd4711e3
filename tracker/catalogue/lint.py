"""What is allowed but worth a look. Runs on a catalogue without errors."""

from __future__ import annotations

from tracker.catalogue.diagnostics import Report
from tracker.catalogue.graph import redundant_edges
from tracker.catalogue.model import Catalogue


def lint(catalogue: Catalogue, report: Report) -> None:
    """Report lonely obligations and claims on what is no dependency."""
    _isolated(catalogue, report)
    _claims(catalogue, report)


def spare_edges(catalogue: Catalogue, report: Report) -> None:
    """Report edges that paths make too: no fault, since a proof may well use both."""
    for ident, dep, way in redundant_edges({ob.id: ob.depends_on for ob in catalogue}):
        ob = catalogue[ident]
        place = ob.where(f"depends_on[{ob.depends_on.index(dep)}]")
        report.add("redundant-edge", place, f"`{ident}` also reaches `{dep}` through `{way}`")


def _isolated(catalogue: Catalogue, report: Report) -> None:
    used = {dep for ob in catalogue for dep in ob.depends_on}
    for ob in catalogue if used else ():
        if not ob.depends_on and ob.id not in used:
            hint = "name what it uses under `depends_on:`, or let an obligation depend on it"
            report.add(
                "isolated", ob.where("id"), f"`{ob.id}` depends on nothing and nothing depends on it", hint
            )


def _claims(catalogue: Catalogue, report: Report) -> None:
    by_decl = catalogue.by_decl
    for ob in catalogue:
        if not ob.claims and not ob.claim_groups:
            continue
        direct = set(ob.depends_on)
        for claim in ob.expected_uses():
            for decl in claim.decls if claim.count else ():
                used = by_decl.get(decl)
                if used is not None and used.id not in direct:
                    message = f"`{ob.id}` claims uses of `{decl}`, but does not depend on `{used.id}`"
                    report.add(
                        "claim-without-edge",
                        ob.where(f"claims.{claim.name}"),
                        message,
                        f"add `{used.id}` to `depends_on:`",
                    )
