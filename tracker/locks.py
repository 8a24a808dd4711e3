"""Locked statements: what each obligation said when somebody last agreed to it.

A committed text file, one obligation a line, sorted by id, so that merges are easy:

    {"id": …, "decl": …, "kind": …, "sha256": …, "statement": …}

The first line is a header with the format's version and the Lean that printed the statements. A statement
whose hash differs under the same Lean has drifted; under another Lean it may only print differently, which
is said and is no less a drift until somebody accepts it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tracker.catalogue.model import Obligation
from tracker.errors import UsageError
from tracker.evidence import DeclarationProbe

FORMAT = "tracker statements 1"


@dataclass(frozen=True)
class LockedStatement:
    """What one obligation said."""

    id: str
    decl: str
    kind: str
    sha256: str
    statement: str


@dataclass(frozen=True)
class Lock:
    """All locked statements, and the version of the Lean that printed them."""

    lean: str | None
    entries: Mapping[str, LockedStatement]

    def drift(self, ob: Obligation, probe: DeclarationProbe) -> str:
        """Return how the statement differs from the locked one; empty when it does not, or none is locked."""
        entry = self.entries.get(ob.id)
        if entry is None:
            return ""
        if entry.decl != ob.decl and not any(alias.name == entry.decl for alias in ob.aliases):
            return f"the lock holds {entry.decl}, not {ob.decl}"
        if entry.kind != probe.kind:
            return f"it was a {entry.kind}, now it is a {probe.kind}"
        if entry.sha256 == probe.digest:
            return ""
        if entry.statement == probe.statement:
            return "it reads as locked, but a definition or notation under it has changed"
        return f"its statement is not the locked one: `tracker lock {ob.id}` shows both"


def read_lock(file: Path) -> Lock:
    """Return the locked statements in `file`; an absent file locks nothing. Raises UsageError."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return Lock(None, {})
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(file, 1, str(error)) from error
    entries: dict[str, LockedStatement] = {}
    lean = None
    for number, line in enumerate(lines, 1):
        try:
            data = json.loads(line)
            if number == 1:
                lean = _header(data)
            else:
                entry = LockedStatement(**{key: _text(data, key) for key in _FIELDS}, **_no_more(data))
                if entry.id in entries:
                    raise ValueError(f"{entry.id} is locked twice")
                entries[entry.id] = entry
        except (ValueError, KeyError, TypeError) as error:
            raise _unreadable(file, number, str(error)) from error
    return Lock(lean, entries)


_FIELDS = ("id", "decl", "kind", "sha256", "statement")


def _header(data: Mapping[str, object]) -> str:
    if data.get("format") != FORMAT:
        raise ValueError(f"the first line must say {FORMAT!r}")
    return _text(data, "lean")


def _text(data: Mapping[str, object], key: str) -> str:
    value = data[key]
    if not isinstance(value, str):
        raise ValueError(f"{key} must be a string")
    return value


def _no_more(data: Mapping[str, object]) -> dict[str, str]:
    extra = sorted(set(data) - set(_FIELDS))
    if extra:
        raise ValueError(f"unknown fields: {', '.join(extra)}")
    return {}


def _unreadable(file: Path, line: int, why: str) -> UsageError:
    return UsageError(
        "LOCK-UNREADABLE", f"{file}:{line}: {why}", "restore it from version control, or run `tracker lock`"
    )


def lock_text(lean: str, entries: Iterable[LockedStatement]) -> str:
    """Return the text of a lock file: a header and one line an obligation, sorted by id."""
    rows: list[dict[str, str]] = [{"format": FORMAT, "lean": lean}]
    rows += [{key: getattr(e, key) for key in _FIELDS} for e in sorted(entries, key=lambda e: e.id)]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
