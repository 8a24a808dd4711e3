"""The badge: an endpoint for shields.io, which draws it (https://shields.io/badges/endpoint-badge)."""

from __future__ import annotations

from typing import Any

from tracker.report.summary import Status


def badge_json(status: Status) -> dict[str, Any]:
    """Return the endpoint's answer: how many obligations are proved, and whether that is all."""
    total = len(status.verdicts)
    proved = sum(v.proved for v in status.verdicts.values())
    badge: dict[str, Any] = {"schemaVersion": 1, "label": f"Lean {status.toolchain.version}"}
    if not total:
        return badge | {"message": "nothing to prove", "color": "lightgrey", "isError": True}
    if status.passed:
        return badge | {"message": f"{total} proved", "color": "blue"}
    broken = ", not all else holds" if proved == total else ""
    return badge | {"message": f"{proved} of {total} proved{broken}", "color": "orange" if proved else "red"}
