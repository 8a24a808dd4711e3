"""Bringing an older store up to date: one step a version, all in one transaction.

| version | what is different |
|---|---|
| 1 | no seals; statements as Lean printed them (`canonical`); nothing on absurd premises |
| 2 | seals; early ones still with `canonical`, later ones with the digest of the compiled statement |
| 3 | instructions and repeats of a check |
| 4 | measurements of declarations |

History is kept. Evidence that lacks what is asked of it today is set apart: its fingerprint can match none.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from tracker.store.seal import bodies_of, seal_of, write_seal

SCHEMA_VERSION: Final = 4


def migrate(db: sqlite3.Connection) -> None:
    """Bring a store to the present schema, or leave it as it was. Raises sqlite3.Error."""
    db.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have done it while we waited.
        for version in range(db.execute("PRAGMA user_version").fetchone()[0], SCHEMA_VERSION):
            _STEPS[version](db)
            db.execute(f"PRAGMA user_version = {version + 1}")
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _from_1(db: sqlite3.Connection) -> None:
    db.execute("ALTER TABLE module_check ADD COLUMN seal TEXT NOT NULL DEFAULT ''")
    db.execute("ALTER TABLE probe DROP COLUMN canonical")
    db.execute("ALTER TABLE probe ADD COLUMN absurd INTEGER NOT NULL DEFAULT 0")
    db.execute("ALTER TABLE probe ADD COLUMN seal TEXT NOT NULL DEFAULT ''")
    for table in ("module_check", "probe"):
        db.execute(f"UPDATE {table} SET fingerprint = 'schema 1: ' || fingerprint")  # noqa: S608
    # Nothing sealed these rows while they were evidence; from now on they are history that shows changes.
    for (number,) in db.execute("SELECT id FROM module_check").fetchall():
        write_seal(db, "module_check", number, bodies_of(db, number))
    for (number,) in db.execute("SELECT id FROM probe").fetchall():
        write_seal(db, "probe", number)


def _from_2(db: sqlite3.Connection) -> None:
    if "canonical" in {row["name"] for row in db.execute("PRAGMA table_info(probe)")}:
        # A row whose seal is broken keeps it broken: that it was edited must not be forgotten.
        whole = [row["id"] for row in db.execute("SELECT * FROM probe") if row["seal"] == seal_of(row)]
        db.execute("ALTER TABLE probe DROP COLUMN canonical")
        db.execute("UPDATE probe SET fingerprint = 'schema 2: ' || fingerprint")
        for number in whole:
            write_seal(db, "probe", number)
    db.execute("ALTER TABLE module_check ADD COLUMN instructions INTEGER")
    db.execute("ALTER TABLE module_check ADD COLUMN repeats TEXT")


def _from_3(db: sqlite3.Connection) -> None:
    db.execute(
        "CREATE TABLE measurement (id INTEGER PRIMARY KEY, measured_at REAL NOT NULL, machine TEXT NOT NULL,"
        " module TEXT NOT NULL, declaration TEXT NOT NULL, fingerprint TEXT NOT NULL,"
        " kind TEXT NOT NULL CHECK (kind IN ('headroom', 'profile')), subject TEXT NOT NULL,"
        " body TEXT NOT NULL, seal TEXT NOT NULL DEFAULT '') STRICT"
    )
    db.execute("CREATE INDEX measurement_newest ON measurement (kind, module, declaration, subject, id)")


_STEPS: Final[Mapping[int, Callable[[sqlite3.Connection], None]]] = MappingProxyType(
    {1: _from_1, 2: _from_2, 3: _from_3}
)
