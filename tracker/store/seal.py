"""Seals: the hash that each row carries of itself. They show changes; they are no signature."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Final

LATER: Final = frozenset({"instructions", "repeats"})
"""Columns that came after rows had been sealed: one that holds nothing does not count, so old seals hold."""


def seal_of(row: sqlite3.Row | Mapping[str, object], bodies: Sequence[str] = ()) -> str:
    """Return the SHA-256, hexadecimal, of a row as SQLite gives it back, and of its messages."""
    names = [n for n in row.keys() if n != "seal" and not (n in LATER and row[n] is None)]  # noqa: SIM118
    return hashlib.sha256(json.dumps([*(row[name] for name in names), *bodies]).encode()).hexdigest()


def write_seal(db: sqlite3.Connection, table: str, number: int, bodies: Sequence[str] = ()) -> None:
    """Seal a row just written, as SQLite gives it back: a number may have another type."""
    row = db.execute(f"SELECT * FROM {table} WHERE id = ?", (number,)).fetchone()  # noqa: S608
    db.execute(f"UPDATE {table} SET seal = ? WHERE id = ?", (seal_of(row, bodies), number))  # noqa: S608


def bodies_of(db: sqlite3.Connection, check: int) -> list[str]:
    """Return the messages of a check as they are sealed."""
    rows = db.execute("SELECT body FROM message WHERE check_id = ? ORDER BY position", (check,))
    return [row[0] for row in rows]
