"""What reports ask of the store besides the newest evidence: runs, costs over runs, curves, past failures.

Every function reads only and raises StoreError where the file cannot be read. Seconds and bytes throughout.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import msgspec

from tracker.evidence import Cost, DeclarationProbe, Location, Run
from tracker.lean.failure import Failure
from tracker.lean.process import Limit, Memory
from tracker.store.history import History

_failures = msgspec.json.Decoder(tuple[Failure, ...])
_IDS_AT_ONCE = 500  # SQLite takes at most 999 parameters in old builds


@dataclass(frozen=True, slots=True)
class CheckPoint:
    """One check of one module in the history: what a chart or a replay needs of it, without its texts."""

    id: int
    run: int
    module: str
    fingerprint: str
    passed: bool
    started_at: float
    """Seconds since 1970."""
    cost: Cost | None
    limit: Limit | None
    failures: tuple[Failure, ...]


@dataclass(frozen=True, slots=True)
class ProbePoint:
    """One probe of one declaration in the history: `probe` is without the texts of statement and uses."""

    id: int
    run: int
    probe: DeclarationProbe


def all_runs(history: History) -> tuple[Run, ...]:
    """Return every run, oldest first. Raises StoreError where one has no date."""
    counts: dict[int, tuple[int, int]] = {
        row["run"]: (row["n"], row["failed"])
        for row in history.select(
            "SELECT run, COUNT(*) AS n, SUM(NOT passed) AS failed FROM module_check GROUP BY run"
        )
    }
    rows = history.select("SELECT * FROM run ORDER BY number")
    for row in rows:
        history.verify_times(row, f"run {row['number']}")
    ends = history.ends(rows)
    return tuple(
        Run(
            number=row["number"], started_at=row["started_at"], ended_at=ends[row["number"]][1],
            state=ends[row["number"]][0], toolchain=row["toolchain"],
            toolchain_identity=row["toolchain_identity"], machine=row["machine"],
            commit=row["commit_hash"], dirty=bool(row["dirty"]),
            checked=counts.get(row["number"], (0, 0))[0], failed=counts.get(row["number"], (0, 0))[1],
        )
        for row in rows
    )  # fmt: skip


def check_points(history: History) -> tuple[CheckPoint, ...]:
    """Return every check of every module, in the order in which they were kept."""
    rows = history.select(
        "SELECT id, run, module, fingerprint, passed, started_at, wall_s, user_s, system_s, peak_rss_bytes,"
        " peak_anon_bytes, minor_faults, major_faults, instructions, stopped_by,"
        " CASE WHEN passed THEN '[]' ELSE failures END AS failures FROM module_check ORDER BY id"
    )
    for row in rows:
        history.verify_times(row, f"the check of {row['module']}")
    with history.reading():
        return tuple(_check_point(row) for row in rows)


def _check_point(row: sqlite3.Row) -> CheckPoint:
    cost = None
    if row["wall_s"] is not None:
        cost = Cost(
            row["wall_s"], row["user_s"], row["system_s"], row["peak_rss_bytes"], row["peak_anon_bytes"],
            row["minor_faults"], row["major_faults"], row["instructions"],
        )  # fmt: skip
    return CheckPoint(
        id=row["id"], run=row["run"], module=row["module"], fingerprint=row["fingerprint"],
        passed=bool(row["passed"]), started_at=row["started_at"], cost=cost, limit=row["stopped_by"],
        failures=() if row["passed"] else _failures.decode(row["failures"]),
    )  # fmt: skip


def probe_points(history: History) -> tuple[ProbePoint, ...]:
    """Return the probes in the order in which they were kept, but none that only repeats the one before."""
    newest: dict[tuple[str, str], tuple[object, ...]] = {}
    found = []
    sql = (
        "SELECT module, declaration, fingerprint, found, kind, axioms, digest, absurd, location, id, run"
        " FROM probe ORDER BY id"
    )
    with history.reading():
        for row in history.scan(sql):
            name, content = (row[0], row[1]), tuple(row)[2:9]
            if newest.get(name) != content:
                newest[name] = content
                found.append(ProbePoint(row["id"], row["run"], _probe(row)))
    return tuple(found)


def _probe(row: sqlite3.Row) -> DeclarationProbe:
    return DeclarationProbe(
        declaration=row["declaration"], module=row["module"], fingerprint=row["fingerprint"],
        found=bool(row["found"]), kind=row["kind"], axioms=_names(row["axioms"]), digest=row["digest"],
        absurd=bool(row["absurd"]), location=_location(row["location"]),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Record:
    """What a module's check took the last time: seconds, and the peak in bytes.

    The peak is None where the check was stopped for its memory: how much it needs is then not known.
    """

    wall_s: float
    peak_rss_bytes: int | None
    machine: str


def records(history: History) -> Mapping[str, Record]:
    """Return the newest cost of each module: of its newest check that passed, else of its newest at all.

    Where the newest check of all was stopped for its memory, the peak is not known.
    """
    rows = history.select(
        "SELECT module, wall_s, peak_rss_bytes, stopped_by, run.machine AS machine FROM module_check"
        " JOIN run ON run.number = module_check.run"
        " WHERE wall_s IS NOT NULL AND (id IN (SELECT MAX(id) FROM module_check WHERE wall_s IS NOT NULL"
        " GROUP BY module) OR id IN (SELECT MAX(id) FROM module_check WHERE wall_s IS NOT NULL AND passed"
        " GROUP BY module)) ORDER BY passed, id"
    )
    starved = {row["module"] for row in rows if row["stopped_by"] in ("memory", "machine-memory")}
    return {
        row["module"]: Record(
            row["wall_s"],
            None if row["module"] in starved else row["peak_rss_bytes"],
            row["machine"],
        )
        for row in rows
    }


def curves(history: History, check_ids: Sequence[int]) -> Mapping[int, tuple[Memory, ...]]:
    """Return the memory curves of these checks by id; seconds since the start of the process, bytes."""
    found: dict[int, tuple[Memory, ...]] = {}
    for start in range(0, len(check_ids), _IDS_AT_ONCE):
        ids = check_ids[start : start + _IDS_AT_ONCE]
        marks = ",".join("?" * len(ids))
        rows = history.select(f"SELECT id, curve FROM module_check WHERE id IN ({marks})", ids)  # noqa: S608
        with history.reading():
            found |= {row["id"]: tuple(Memory(*point) for point in json.loads(row["curve"])) for row in rows}
    return found


def newest_id(history: History) -> tuple[int, int, int, int, int]:
    """Return what changes with the store: newest run, check, probe, measurement; how many runs are over."""
    row = history.select(
        "SELECT (SELECT COALESCE(MAX(number), 0) FROM run) AS run,"
        " (SELECT COALESCE(MAX(id), 0) FROM module_check) AS checked,"
        " (SELECT COALESCE(MAX(id), 0) FROM probe) AS probed,"
        " (SELECT COALESCE(MAX(id), 0) FROM measurement) AS measured"
    )[0]
    runs = history.select("SELECT number, state, ended_at FROM run")
    over = sum(state != "running" for state, _ in history.ends(runs).values())
    return row["run"], row["checked"], row["probed"], row["measured"], over


def past_failures(points: Iterable[CheckPoint]) -> Mapping[tuple[str, str], tuple[CheckPoint, Failure]]:
    """Return the newest failure of each module and declaration, a whole module's under the name ``.

    A failure that only follows from another is kept too: it is what Lean said of that declaration.
    """
    found: dict[tuple[str, str], tuple[CheckPoint, Failure]] = {}
    for point in points:
        for failure in reversed(point.failures):
            found[point.module, failure.declaration or ""] = (point, failure)
    return found


@lru_cache(maxsize=4096)
def _names(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))


def _location(text: str | None) -> Location | None:
    return Location(**json.loads(text)) if text else None
