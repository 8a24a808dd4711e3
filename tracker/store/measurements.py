"""Measurements of declarations: what is asked for now and then, beside the evidence of every run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tracker.store.history import History
from tracker.store.seal import write_seal

Kind = Literal["headroom", "profile"]


@dataclass(frozen=True)
class Measurement:
    """What was measured of one declaration. `measured_at` is in seconds since 1970."""

    module: str
    declaration: str
    fingerprint: str
    """The module's: it holds for those sources, options and toolchain only."""
    kind: Kind
    subject: str
    """The option whose headroom it is; empty for a profile."""
    machine: str
    measured_at: float
    body: Mapping[str, Any]
    """The figures by name; see `tracker.headroom` and `tracker.lean.profiler`."""


def add_measurements(history: History, found: Iterable[Measurement]) -> None:
    """Keep measurements, in one transaction. Raises StoreError."""
    with history.transaction() as db:
        for m in found:
            row = db.execute(
                "INSERT INTO measurement (measured_at, machine, module, declaration, fingerprint, kind,"
                " subject, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
                (m.measured_at, m.machine, m.module, m.declaration, m.fingerprint, m.kind, m.subject,
                 json.dumps(dict(m.body), sort_keys=True)),
            ).fetchone()  # fmt: skip
            write_seal(db, "measurement", row["id"])


def measurements(history: History, kind: Kind, fingerprints: Mapping[str, str]) -> tuple[Measurement, ...]:
    """Return the newest measurements of a kind that hold for the present fingerprints.

    Raises StoreError when one of them is not as it was recorded.
    """
    rows = history.select(
        "SELECT * FROM measurement WHERE id IN (SELECT MAX(id) FROM measurement WHERE kind = ?"
        " GROUP BY module, declaration, subject) ORDER BY id",
        (kind,),
    )
    found = []
    for row in rows:
        if row["fingerprint"] != fingerprints.get(row["module"]):
            continue
        history.verify(row, f"what was measured of {row['declaration']}")
        with history.reading():
            found.append(
                Measurement(
                    module=row["module"], declaration=row["declaration"], fingerprint=row["fingerprint"],
                    kind=kind, subject=row["subject"], machine=row["machine"],
                    measured_at=row["measured_at"], body=json.loads(row["body"]),
                )
            )  # fmt: skip
    return tuple(found)
