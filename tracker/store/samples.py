"""All measurements of the present content of each module, for medians; the evidence is only the newest."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from tracker.evidence import Cost
from tracker.store.history import History

_SQL = """
SELECT module_check.*, run.machine AS machine_of_run
FROM module_check JOIN run ON run.number = module_check.run
WHERE passed AND wall_s IS NOT NULL AND fingerprint IN (SELECT value FROM json_each(?)) ORDER BY id
"""


@dataclass(frozen=True)
class Sample:
    """One measurement of one module's check, and the machine that it was made on."""

    module: str
    machine: str
    cost: Cost


def samples(history: History, fingerprints: Iterable[str]) -> tuple[Sample, ...]:
    """Return the cost of every passed check of these fingerprints, in the order in which they were kept.

    Raises StoreError when one of them is not as it was recorded.
    """
    rows = history.select(_SQL, (json.dumps(sorted(fingerprints)),))
    bodies: dict[int, list[str]] = {row["id"]: [] for row in rows}
    for message in history.select(
        "SELECT check_id, body FROM message WHERE check_id IN (SELECT value FROM json_each(?))"
        " ORDER BY check_id, position",
        (json.dumps(list(bodies)),),
    ):
        bodies[message["check_id"]].append(message["body"])
    found = []
    for row in rows:
        recorded = {key: row[key] for key in row.keys() if key != "machine_of_run"}  # noqa: SIM118
        history.verify(recorded, f"a check of {row['module']}", bodies[row["id"]])
        cost = Cost(
            row["wall_s"], row["user_s"], row["system_s"], row["peak_rss_bytes"], row["peak_anon_bytes"],
            row["minor_faults"], row["major_faults"],
        )  # fmt: skip
        found.append(Sample(row["module"], row["machine_of_run"], cost))
    return tuple(found)
