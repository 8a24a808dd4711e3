"""The evidence store: a SQLite file of runs, checks and probes, appended to in small transactions.

One transaction holds one module's check, so that a killed run loses at most the module in flight.
The schema has a version (`PRAGMA user_version`): an older one is migrated when opened, a newer refused.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import astuple, fields
from importlib import resources
from pathlib import Path
from typing import Literal, overload

import msgspec

from tracker import __version__
from tracker.errors import StoreError
from tracker.evidence import Cost, DeclarationProbe, Evidence, Location, ModuleCheck, Run, RunState
from tracker.lean.failure import Failure
from tracker.lean.messages import Message
from tracker.lean.process import Memory
from tracker.store.lock import is_held
from tracker.store.migrations import SCHEMA_VERSION, migrate
from tracker.store.seal import bodies_of, seal_of, write_seal

__all__ = ["FILE_NAME", "SCHEMA_VERSION", "History", "has_store", "open_history"]

FILE_NAME = "history.db"
_APPLICATION_ID = 0x7472636B  # "trck": tells our file from any other SQLite file

_TIMES = ("started_at", "ended_at", "measured_at")
_LAST_SECOND = 253_402_300_799  # of the year 9999, the last one that a date can have

_LAST_END = (
    "COALESCE((SELECT MAX(started_at + COALESCE(wall_s, 0)) FROM module_check"
    " WHERE run = number), started_at)"
)
"""When a run that was cut off was last heard of, as an expression over `run`."""
_INSERT_CHECK = """
INSERT INTO module_check (run, module, fingerprint, passed, started_at, wall_s, user_s, system_s,
    peak_rss_bytes, peak_anon_bytes, minor_faults, major_faults, exit_code, signal, stopped_by, wall_limit_s,
    memory_limit_bytes, olean_digest, failures, curve, lake_output, stderr, instructions, repeats)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
"""
_INSERT_PROBE = """
INSERT INTO probe (run, module, declaration, fingerprint, found, kind, axioms, statement, digest,
    absurd, location, uses, note)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
"""

_failures = msgspec.json.Decoder(tuple[Failure, ...])
_message = msgspec.json.Decoder(Message)
_encode = msgspec.json.encode


class History:
    """The store of one project. Use `open_history`."""

    def __init__(self, connection: sqlite3.Connection, file: Path) -> None:
        self._db = connection
        self._file = file
        self._identity = _identity(file)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def begin_run(self, toolchain: str, identity: str, machine: str, commit: str | None, dirty: bool) -> int:
        """Open a run and return its number; a run that a killed driver left open is closed first."""
        with self.transaction():
            self._db.execute(
                f"UPDATE run SET state = 'interrupted', ended_at = {_LAST_END} WHERE state = 'running'"  # noqa: S608
            )
            row = self._db.execute(
                "INSERT INTO run (started_at, state, toolchain, toolchain_identity, machine, commit_hash,"
                " dirty, tracker_version) VALUES (?, 'running', ?, ?, ?, ?, ?, ?) RETURNING number",
                (time.time(), toolchain, identity, machine, commit, dirty, __version__),
            ).fetchone()
        return int(row[0])

    def end_run(self, number: int, state: str) -> None:
        """Close a run as `finished` or `interrupted`."""
        with self.transaction():
            self._db.execute(
                "UPDATE run SET state = ?, ended_at = ? WHERE number = ?", (state, time.time(), number)
            )

    def add_check(self, run: int, check: ModuleCheck) -> None:
        """Keep one module's check with all its messages, in one transaction."""
        *costs, instructions = astuple(check.cost) if check.cost else (None,) * len(fields(Cost))
        repeats = json.dumps([astuple(cost) for cost in check.repeats]) if check.repeats else None
        with self.transaction():
            row = self._db.execute(
                _INSERT_CHECK,
                (run, check.module, check.fingerprint, check.passed, check.started_at, *costs,
                 check.exit_code, check.signal, check.limit, check.wall_limit_s, check.memory_limit_bytes,
                 check.olean_digest, _encode(check.failures).decode(),
                 json.dumps([(m.at_s, m.rss_bytes, m.anon_bytes) for m in check.curve]),
                 check.lake_output, check.stderr, instructions, repeats),
            ).fetchone()  # fmt: skip
            bodies = [_encode(m).decode() for m in check.messages]
            self._db.executemany(
                "INSERT INTO message VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (row["id"], i, m.severity, m.kind, m.declaration, body)
                    for i, (m, body) in enumerate(zip(check.messages, bodies, strict=True))
                ],
            )
            write_seal(self._db, "module_check", row["id"], bodies)

    def add_probes(self, run: int, probes: Iterable[DeclarationProbe]) -> None:
        """Keep what Lean said of declarations, in one transaction."""
        with self.transaction():
            for p in probes:
                row = self._db.execute(
                    _INSERT_PROBE,
                    (run, p.module, p.declaration, p.fingerprint, p.found, p.kind, json.dumps(p.axioms),
                     p.statement, p.digest, p.absurd,
                     _encode(p.location).decode() if p.location else None,
                     json.dumps(dict(p.uses), sort_keys=True), p.note),
                ).fetchone()  # fmt: skip
                write_seal(self._db, "probe", row["id"])

    def evidence(self, fingerprints: Mapping[str, str]) -> Evidence:
        """Return the newest check of each module and the newest probe of each declaration.

        Raises StoreError when one of them is not as it was recorded.
        """
        with self._reading():
            checks = {c.module: c for c in self._newest_checks()}
            probes = {(p.module, p.declaration): p for p in self._newest_probes()}
        return Evidence(fingerprints, checks, probes)

    def runs(self, limit: int = 50) -> list[Run]:
        """Return the newest runs, newest first. Raises StoreError where one has no date."""
        with self._reading():
            rows = self._db.execute(
                "SELECT number, started_at, ended_at, state, toolchain, toolchain_identity, machine,"
                " commit_hash, dirty, (SELECT COUNT(*) FROM module_check WHERE run = number),"
                " (SELECT COUNT(*) FROM module_check WHERE run = number AND NOT passed)"
                " FROM run ORDER BY number DESC LIMIT ?",
                (limit,),
            ).fetchall()
        for row in rows:
            self.verify_times(row, f"run {row['number']}")
        ends = self.ends(rows)
        return [
            Run(
                number=row[0], started_at=row[1], ended_at=ends[row[0]][1], state=ends[row[0]][0],
                toolchain=row[4], toolchain_identity=row[5], machine=row[6], commit=row[7],
                dirty=bool(row[8]), checked=row[9], failed=row[10],
            )
            for row in rows
        ]  # fmt: skip

    def ends(self, runs: Iterable[sqlite3.Row]) -> dict[int, tuple[RunState, float | None]]:
        """Return by number the state of runs as it is now, and when they ended (s since 1970).

        A run that nobody is at work on any more was cut off when its last check ended: its driver was killed.
        """
        found: dict[int, tuple[RunState, float | None]] = {
            run["number"]: (run["state"], run["ended_at"]) for run in runs
        }
        left = [number for number, (state, _) in found.items() if state == "running"]
        if left and not is_held(self._file.parent):
            found |= {number: ("interrupted", self._last_end(number)) for number in left}
        return found

    def _last_end(self, number: int) -> float:
        with self._reading():
            row = self._db.execute(f"SELECT {_LAST_END} FROM run WHERE number = ?", (number,)).fetchone()  # noqa: S608
        return float(row[0])

    def select(self, sql: str, parameters: Sequence[object] = ()) -> list[sqlite3.Row]:
        """Return the rows of a query that only reads; see `tracker.store.queries`. Raises StoreError."""
        with self._reading():
            return self._db.execute(sql, parameters).fetchall()

    def scan(self, sql: str) -> Iterator[sqlite3.Row]:
        """Yield the rows of a query that only reads, one by one: they may be many. Raises StoreError."""
        with self._reading():
            yield from self._db.execute(sql)

    def reading(self) -> AbstractContextManager[None]:
        """Return a context in which what is wrong with the file's content is raised as StoreError."""
        return self._reading()

    def verify(self, row: sqlite3.Row | Mapping[str, object], what: str, bodies: Sequence[str] = ()) -> None:
        """Raise StoreError when a row is not what was recorded."""
        if row["seal"] != seal_of(row, bodies):
            raise self._edited(what)
        self.verify_times(row, what)

    def verify_times(self, row: sqlite3.Row | Mapping[str, object], what: str) -> None:
        """Raise StoreError when a row's time is no date between 1970 and 9999: no clock has said it."""
        times = [row[name] for name in row.keys() if name in _TIMES]  # noqa: SIM118 - rows iterate by value
        if not all(map(_is_date, times)):
            raise self._edited(what)

    def _edited(self, what: str) -> StoreError:
        return StoreError(
            "STORE-EDITED",
            f"{self._file}: {what} is not as it was recorded: the file was edited or damaged",
            f"move {self._file} away and run again: evidence is then gathered afresh",
        )

    def newest_run(self) -> Run | None:
        """Return the newest run, or None when there was none."""
        return next(iter(self.runs(1)), None)

    def _newest_checks(self) -> Iterator[ModuleCheck]:
        rows = self._db.execute(
            "SELECT * FROM module_check WHERE id IN (SELECT MAX(id) FROM module_check GROUP BY module)"
        ).fetchall()
        bodies: dict[int, list[str]] = {}
        for check_id, body in self._db.execute(
            "SELECT check_id, body FROM message WHERE check_id IN"
            " (SELECT MAX(id) FROM module_check GROUP BY module) ORDER BY check_id, position"
        ):
            bodies.setdefault(check_id, []).append(body)
        for row in rows:
            own = bodies.get(row["id"], [])
            self.verify(row, f"the check of {row['module']}", own)
            yield _check_of(row, tuple(map(_message.decode, own)))

    def _newest_probes(self) -> Iterator[DeclarationProbe]:
        for row in self._db.execute(
            "SELECT * FROM probe WHERE id IN (SELECT MAX(id) FROM probe GROUP BY module, declaration)"
        ):
            self.verify(row, f"what Lean said of {row['declaration']}")
            place = json.loads(row["location"]) if row["location"] else None
            yield DeclarationProbe(
                declaration=row["declaration"], module=row["module"], fingerprint=row["fingerprint"],
                found=bool(row["found"]), kind=row["kind"], axioms=tuple(json.loads(row["axioms"])),
                statement=row["statement"], digest=row["digest"],
                absurd=bool(row["absurd"]),
                location=Location(**place) if place else None, uses=json.loads(row["uses"]), note=row["note"],
            )  # fmt: skip

    def sealed_checks(self, run: int) -> Iterator[tuple[sqlite3.Row, list[str]]]:
        """Yield each check of a run, as kept, with its messages. Raises StoreError where a seal is broken."""
        with self._reading():
            for row in self._db.execute("SELECT * FROM module_check WHERE run = ? ORDER BY id", (run,)):
                bodies = bodies_of(self._db, row["id"])
                self.verify(row, f"the check of {row['module']}", bodies)
                yield row, bodies

    def sealed_probes(self, run: int) -> Iterator[sqlite3.Row]:
        """Yield each probe of a run, as kept. Raises StoreError where a seal is broken."""
        with self._reading():
            for row in self._db.execute("SELECT * FROM probe WHERE run = ? ORDER BY id", (run,)):
                self.verify(row, f"what Lean said of {row['declaration']}")
                yield row

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Provide the connection; what is written is kept whole, or not at all after an exception.

        Raises StoreError where the file was removed or replaced: SQLite would go on writing what nobody sees.
        """
        if _identity(self._file) != self._identity:
            raise StoreError(
                "STORE-GONE",
                f"{self._file} was removed or replaced meanwhile: what was recorded in it is lost",
                "leave it alone while a run is at work, and run again",
            )
        with self._reading():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except UnicodeEncodeError as error:
            raise _unwritable(error) from error
        except (sqlite3.Error, msgspec.MsgspecError, ValueError, TypeError) as error:
            raise _broken(self._file, error) from error


def _is_date(time: object) -> bool:
    """Return whether a time of the store can be shown as a date, or is not there."""
    return time is None or (isinstance(time, int | float) and 0 <= time <= _LAST_SECOND)


def _identity(file: Path) -> tuple[int, int] | None:
    """Return what tells a file from another one of the same name; None where there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _check_of(row: sqlite3.Row, messages: tuple[Message, ...]) -> ModuleCheck:
    cost = None
    if row["wall_s"] is not None:
        cost = Cost(
            row["wall_s"], row["user_s"], row["system_s"], row["peak_rss_bytes"], row["peak_anon_bytes"],
            row["minor_faults"], row["major_faults"], row["instructions"],
        )  # fmt: skip
    return ModuleCheck(
        module=row["module"], fingerprint=row["fingerprint"], passed=bool(row["passed"]),
        started_at=row["started_at"], cost=cost, exit_code=row["exit_code"], signal=row["signal"],
        limit=row["stopped_by"], wall_limit_s=row["wall_limit_s"],
        memory_limit_bytes=row["memory_limit_bytes"], olean_digest=row["olean_digest"], messages=messages,
        failures=_failures.decode(row["failures"]),
        curve=tuple(Memory(*reading) for reading in json.loads(row["curve"])),
        lake_output=row["lake_output"], stderr=row["stderr"],
        repeats=tuple(Cost(*figures) for figures in json.loads(row["repeats"] or "[]")),
    )  # fmt: skip


def _unwritable(error: UnicodeEncodeError) -> StoreError:
    """Return the error for a text that SQLite cannot hold; the file is as good as before."""
    text = error.object.encode("utf-8", "backslashreplace").decode()
    return StoreError(
        "NOT-UTF-8",
        f"{text[:200]} is not UTF-8, so that it cannot be recorded",
        "correct it where it comes from: the name of a file, an option, a setting",
    )


def _broken(file: Path, error: Exception) -> StoreError:
    text = str(error)
    if "readonly" in text or "unable to open" in text:
        hint = f"make {file.parent} writable, or choose another place: --state DIR or TRACKER_STATE"
    elif "full" in text or "disk I/O" in text:
        hint = "make room on the disk (or raise the quota), then run again: what was finished is kept"
    elif "locked" in text:
        hint = "another program holds the file; end it and run again"
    else:
        hint = f"move {file} away and run again: evidence is then gathered afresh"
    return StoreError("STORE", f"{file}: {text}", hint)


def has_store(state: Path) -> bool:
    """Return whether anything was recorded in the directory `state`."""
    return (state / FILE_NAME).exists()


@overload
def open_history(state: Path, *, write: Literal[True], name: str = FILE_NAME) -> History: ...


@overload
def open_history(state: Path, *, write: bool, name: str = FILE_NAME) -> History | None: ...


def open_history(state: Path, *, write: bool, name: str = FILE_NAME) -> History | None:
    """Return the store `name` in the directory `state`; None when it does not exist and is only to be read.

    Raises StoreError (exit 2) when it is not a store, is of a newer schema, or cannot be read or written.
    """
    file = state / name
    try:
        if write:
            state.mkdir(parents=True, exist_ok=True)
            ignore = state / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n", encoding="ascii")
        else:
            file.stat()
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not write:
            return None
        raise StoreError(
            "STORE",
            f"{state}: {error.strerror or error}",
            "make it a writable directory, or choose another place: --state DIR or TRACKER_STATE",
        ) from error
    try:
        db = sqlite3.connect(_address(file, write), uri=True, isolation_level=None, timeout=10)
        db.row_factory = sqlite3.Row
        try:
            _prepare(db, file, write)
        except sqlite3.OperationalError as error:
            if write or "readonly" not in str(error):
                raise
            db = _copy_in_memory(db)  # an older store that cannot be brought up to date where it lies
            _prepare(db, file, write)
    except sqlite3.Error as error:
        raise _broken(file, error) from error
    return History(db, file)


def _copy_in_memory(db: sqlite3.Connection) -> sqlite3.Connection:
    copy = sqlite3.connect(":memory:", isolation_level=None)
    copy.row_factory = sqlite3.Row
    db.backup(copy)
    db.close()
    return copy


def _address(file: Path, write: bool) -> str:
    """Return the file's URI. Where nothing can be written, SQLite must not look for a log beside the file."""
    log = file.with_name(file.name + "-wal")
    untouchable = not write and not os.access(file.parent, os.W_OK)
    settled = not log.exists() or log.stat().st_size == 0
    return file.absolute().as_uri() + ("?immutable=1" if untouchable and settled else "")


def _prepare(db: sqlite3.Connection, file: Path, write: bool) -> None:
    version = db.execute("PRAGMA user_version").fetchone()[0]
    owner = db.execute("PRAGMA application_id").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise StoreError(
            "STORE-NEWER",
            f"{file} has schema {version}; this tracker knows {SCHEMA_VERSION}",
            "update the tracker; nothing was changed",
        )
    empty = db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0] == 0
    if not empty and owner != _APPLICATION_ID:
        raise StoreError("STORE", f"{file} is not a tracker store", "move it away and run again")
    if write:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA foreign_keys = ON")
    if empty and write:
        schema = resources.files("tracker.store").joinpath("schema.sql").read_text(encoding="utf-8")
        db.executescript(
            f"BEGIN IMMEDIATE;\n{schema}\nPRAGMA application_id = {_APPLICATION_ID};\n"
            f"PRAGMA user_version = {SCHEMA_VERSION};\nCOMMIT;"
        )
    elif not empty and version < SCHEMA_VERSION:
        migrate(db)
