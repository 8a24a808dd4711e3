"""Putting stores of several machines together: the same records, each with the machine that made it."""

from __future__ import annotations

import math
import sqlite3
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tracker.errors import UsageError
from tracker.store.history import FILE_NAME, History, open_history
from tracker.store.seal import write_seal

_NAMED = 3
_RUN: Final = (
    "started_at", "ended_at", "state", "toolchain", "toolchain_identity", "machine", "commit_hash", "dirty",
    "tracker_version",
)  # fmt: skip
_CHECK_KEY: Final = ("module", "fingerprint", "started_at")
_PROBE_KEY: Final = ("module", "declaration", "fingerprint")


@dataclass(frozen=True)
class Merged:
    """What came of a merge."""

    runs: int
    checks: int
    probes: int
    known: int
    """Runs that were here already, with all that the source has of them."""
    machines: tuple[str, ...]
    moved: int
    """Runs of this store that are later than what was added, and have new numbers."""


def store_file(path: Path) -> Path:
    """Return the store that a path names: a file, or a directory that holds one. Raises UsageError."""
    file = path / FILE_NAME if path.is_dir() else path
    if not file.is_file():
        raise UsageError(
            "NO-STORE", f"{path} is no store", f"name a {FILE_NAME}, or a directory that holds one"
        )
    return file


def refuse_foreign(target: History, sources: Iterable[Path], modules: Collection[str]) -> None:
    """Raise UsageError for a source whose checks are all of modules that neither project nor target knows.

    A store does not name its project, and may be of a part or of an older state of it: one module will do.
    """
    known = {*modules, *_modules(target)}
    for file in map(store_file, sources):
        with closing(_opened(file)) as source:
            found = _modules(source)
        if found and known.isdisjoint(found):
            raise UsageError(
                "OTHER-PROJECT",
                f"{file} is of another project: it has checks of {_some(found)}, of no module of this one",
                "name a store that `tracker run` left for this project; --project DIR names another one",
            )


def _modules(history: History) -> list[str]:
    rows = history.select("SELECT DISTINCT module FROM module_check ORDER BY module")
    return [str(row["module"]) for row in rows]


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def merge(target: History, sources: Iterable[Path]) -> Merged:
    """Put all runs of the sources among those of the target, by the time when they began; all or none.

    Every row must be as its seal says, and every time a date. A run of the target that is later than one
    added stays newer: it moves to the end. The target's own order is kept, whatever its clock did. Raises
    StoreError when a source is damaged or edited, UsageError when one is none.
    """
    histories = [_opened(file) for file in map(store_file, sources)]
    try:
        with target.transaction() as db:
            db.execute("PRAGMA defer_foreign_keys = ON")
            queue = _Queue(target, db)
            runs = sorted(
                ((run["started_at"], n, run) for n, h in enumerate(histories) for run in _runs(h)),
                key=lambda entry: entry[:2],
            )
            counts = []
            for began, n, run in runs:
                queue.pass_until(began)
                counts.append(_add_run(db, run, histories[n]))
                queue.moving |= counts[-1] is not None
            queue.pass_until(math.inf)
            for history in histories:
                _add_measurements(db, history)
    finally:
        for history in histories:
            history.close()
    added = [count for count in counts if count is not None]
    return Merged(
        len(added), sum(c for c, _ in added), sum(p for _, p in added), len(counts) - len(added),
        tuple(dict.fromkeys(run["machine"] for _, _, run in runs)), queue.moved,
    )  # fmt: skip


class _Queue:
    """The target's own runs in their order; those that come after something added move to the end."""

    def __init__(self, target: History, db: sqlite3.Connection) -> None:
        self.moving, self.moved = False, 0
        self._target, self._db = target, db
        self._runs = deque(_runs(target))

    def pass_until(self, began: float) -> None:
        """Pass the runs up to the first that began later."""
        while self._runs and self._runs[0]["started_at"] <= began:
            run = self._runs.popleft()
            if self.moving:
                self._move(run["number"])
                self.moved += 1

    def _move(self, run: int) -> None:
        """Give the run and its rows the highest numbers; what was edited is found, not sealed anew."""
        checks = [(row["id"], bodies) for row, bodies in self._target.sealed_checks(run)]
        probes = [row["id"] for row in self._target.sealed_probes(run)]
        to = _next(self._db, "run", "number")
        self._db.execute("UPDATE run SET number = ? WHERE number = ?", (to, run))
        for number, bodies in checks:
            new = self._renumber("module_check", number, to)
            self._db.execute("UPDATE message SET check_id = ? WHERE check_id = ?", (new, number))
            write_seal(self._db, "module_check", new, bodies)
        for number in probes:
            write_seal(self._db, "probe", self._renumber("probe", number, to))

    def _renumber(self, table: str, number: int, run: int) -> int:
        new = _next(self._db, table, "id")
        self._db.execute(f"UPDATE {table} SET id = ?, run = ? WHERE id = ?", (new, run, number))  # noqa: S608
        return new


def _next(db: sqlite3.Connection, table: str, column: str) -> int:
    return int(db.execute(f"SELECT MAX({column}) + 1 FROM {table}").fetchone()[0])  # noqa: S608


def _opened(file: Path) -> History:
    history = open_history(file.parent, write=False, name=file.name)
    assert history is not None
    return history


def _runs(history: History) -> list[sqlite3.Row]:
    rows = history.select("SELECT * FROM run ORDER BY number")
    for row in rows:
        history.verify_times(row, f"run {row['number']}")
    return rows


def _add_run(db: sqlite3.Connection, run: sqlite3.Row, source: History) -> tuple[int, int] | None:
    """Add a run with its checks and probes; return how many, or None where all of it is here already.

    What was copied while the run went on has its beginning only: then what came later is added.
    """
    head = [name for name in _RUN if name not in ("ended_at", "state")]
    known = " AND ".join(f"{name} IS ?" for name in head)
    here = db.execute(f"SELECT number FROM run WHERE {known}", [run[name] for name in head]).fetchone()  # noqa: S608
    number = here["number"] if here else _insert(db, "run", {name: run[name] for name in _RUN})
    checked = _keys(db, "module_check", _CHECK_KEY, number)
    asked = _keys(db, "probe", _PROBE_KEY, number)
    checks = probes = 0
    for row, bodies in source.sealed_checks(run["number"]):
        if tuple(row[name] for name in _CHECK_KEY) in checked:
            continue
        checks += 1
        new = _insert(db, "module_check", {**_content(row), "run": number})
        for message in source.select("SELECT * FROM message WHERE check_id = ?", (row["id"],)):
            _insert(db, "message", {**dict(message), "check_id": new})
        write_seal(db, "module_check", new, bodies)
    for row in source.sealed_probes(run["number"]):
        if tuple(row[name] for name in _PROBE_KEY) in asked:
            continue
        probes += 1
        write_seal(db, "probe", _insert(db, "probe", {**_content(row), "run": number}))
    if here and not checks and not probes:
        return None
    db.execute(
        "UPDATE run SET state = ?, ended_at = ? WHERE number = ?", (run["state"], run["ended_at"], number)
    )
    return checks, probes


def _keys(db: sqlite3.Connection, table: str, names: Iterable[str], run: int) -> set[tuple[object, ...]]:
    """Return what tells the rows of a run apart."""
    return {tuple(row) for row in db.execute(f"SELECT {', '.join(names)} FROM {table} WHERE run = ?", (run,))}  # noqa: S608


def _add_measurements(db: sqlite3.Connection, source: History) -> None:
    """Add the measurements of a source that are not here already."""
    names = ("measured_at", "machine", "module", "declaration", "fingerprint", "kind", "subject", "body")
    known = {tuple(row) for row in db.execute(f"SELECT {', '.join(names)} FROM measurement")}  # noqa: S608
    for row in source.select("SELECT * FROM measurement ORDER BY id"):
        source.verify(row, f"what was measured of {row['declaration']}")
        if tuple(row[name] for name in names) not in known:
            write_seal(db, "measurement", _insert(db, "measurement", _content(row)))


def _content(row: sqlite3.Row) -> dict[str, object]:
    return {name: row[name] for name in row.keys() if name not in ("id", "seal")}  # noqa: SIM118


def _insert(db: sqlite3.Connection, table: str, values: dict[str, object]) -> int:
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    added = db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(values.values()))  # noqa: S608
    return added.lastrowid or 0
