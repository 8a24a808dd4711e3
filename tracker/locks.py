"""Locked statements: what each obligation said when somebody last agreed to it.

A committed text file, one obligation a line, sorted by id, so that merges are easy:

    {"id": …, "decl": …, "kind": …, "sha256": …, "statement": …, "reason": …}

`reason` is there only where a drift was accepted: why, in the words of whoever accepted it.
The first line is a header with the format's version and the Lean that printed the statements. A statement
whose hash differs under the same Lean has drifted; under another Lean it may only print differently, which
is said and is no less a drift until somebody accepts it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
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
    reason: str = ""
    """Why it was accepted in place of another; empty for the first one."""


@dataclass(frozen=True)
class Lock:
    """All locked statements, and the version of the Lean that printed them."""

    lean: str | None
    entries: Mapping[str, LockedStatement]

    def drift(self, ob: Obligation, probe: DeclarationProbe) -> str:
        """Return how the statement differs from the locked one; empty when it does not, or none is locked."""
        entry = self.entries.get(ob.id)
        if entry is None or probe.declaration not in (ob.decl, entry.decl):
            return ""  # a record from before a renaming: the lock speaks of another name
        if not ob.is_called(entry.decl):
            return f"the lock holds {entry.decl}, not {ob.decl}"
        if entry.kind != probe.kind:
            return f"it was a {entry.kind}, now it is a {probe.kind}"
        return "" if entry.sha256 == probe.digest else self._drift(entry, ob, probe)

    def reads_otherwise(self, ob: Obligation, probe: DeclarationProbe) -> bool:
        """Return whether the compiled statement is the locked one, and the lock's text not what Lean prints.

        That is no drift: the text depends also on the names of bound variables, and on the notation of
        whatever other modules Lean was asked about in the same process.
        """
        entry = self.entries.get(ob.id)
        if entry is None or entry.sha256 != probe.digest or self.drift(ob, probe):
            return False
        return entry.statement != probe.statement

    @staticmethod
    def _drift(entry: LockedStatement, ob: Obligation, probe: DeclarationProbe) -> str:
        if entry.decl != ob.decl:
            return f"it was locked under its older name {entry.decl}: `tracker lock {ob.id}` shows both"
        if entry.statement == probe.statement:
            return "it reads as locked, but a definition or notation under it has changed"
        return f"its statement is not the locked one: `tracker lock {ob.id}` shows both"


def read_lock(file: Path) -> Lock:
    """Return the locked statements in `file`; an absent file locks nothing. Raises UsageError."""
    try:
        # Not `splitlines`: a statement may hold other characters that end lines, such as U+2028.
        lines = file.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except FileNotFoundError:
        return Lock(None, {})
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(file, 1, str(error)) from error
    entries: dict[str, LockedStatement] = {}
    lean = None
    for number, line in enumerate(lines, 1):
        try:
            data = json.loads(line)
            if not isinstance(data, dict):
                raise ValueError("it is no JSON object")
            if number == 1:
                lean = _header(data)
            else:
                entry = _entry(data)
                if entry.id in entries:
                    raise ValueError(f"{entry.id} is locked twice")
                entries[entry.id] = entry
        except (ValueError, KeyError, TypeError, RecursionError) as error:
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


def _entry(data: Mapping[str, object]) -> LockedStatement:
    extra = sorted(set(data) - {*_FIELDS, "reason"})
    if extra:
        raise ValueError(f"unknown fields: {', '.join(extra)}")
    reason = _text(data, "reason") if "reason" in data else ""
    return LockedStatement(**{key: _text(data, key) for key in _FIELDS}, reason=reason)


def _unreadable(file: Path, line: int, why: str) -> UsageError:
    return UsageError(
        "LOCK-UNREADABLE",
        f"{file}:{line}: {why}",
        "restore it from version control; without one, delete it, and `tracker lock` writes it anew",
    )


def lock_text(lean: str, entries: Iterable[LockedStatement]) -> str:
    """Return the text of a lock file: a header and one line an obligation, sorted by id."""
    rows: list[dict[str, str]] = [{"format": FORMAT, "lean": lean}]
    for entry in sorted(entries, key=lambda e: e.id):
        why = {"reason": entry.reason} if entry.reason else {}
        rows.append({key: getattr(entry, key) for key in _FIELDS} | why)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


_CONTEXT = 2  # lines shown around a change
_MARKED = 400  # characters: longer lines are not compared letter by letter


def describe_drift(old: LockedStatement, new: LockedStatement) -> Iterator[str]:
    """Yield what changed from one statement to another, line by line, for people.

    Lines begin with `- ` for the locked one, `+ ` for the present one, and `^` stands under what differs.
    """
    if old.decl != new.decl:
        yield f"renamed from {old.decl}"
    if old.kind != new.kind:
        yield f"it was a {old.kind}, now it is a {new.kind}"
    if old.statement == new.statement:
        yield from (f"  {line}" for line in new.statement.splitlines())
        if old.kind == new.kind:
            yield "it reads the same, but a definition or notation under it has changed"
        return
    yield from _changed_lines(old.statement.splitlines(), new.statement.splitlines())


def _changed_lines(before: list[str], after: list[str]) -> Iterator[str]:
    groups = SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(_CONTEXT)
    for number, group in enumerate(groups):
        if number:
            yield "  …"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (f"  {line}" for line in before[i1:i2])
            elif i2 - i1 == j2 - j1:
                for a, b in zip(before[i1:i2], after[j1:j2], strict=True):
                    yield from _changed_line(a, b)
            else:
                yield from (f"- {line}" for line in before[i1:i2])
                yield from (f"+ {line}" for line in after[j1:j2])


def _changed_line(before: str, after: str) -> Iterator[str]:
    """Yield both lines, with marks under what differs where they have enough in common."""
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    alike = max(len(before), len(after)) <= _MARKED and matcher.ratio() > 0.5
    codes = [code for code in matcher.get_opcodes() if code[0] != "equal"] if alike else []
    yield f"- {before}"
    yield from _marks([(i1, i2) for _, i1, i2, _, _ in codes])
    yield f"+ {after}"
    yield from _marks([(j1, j2) for _, _, _, j1, j2 in codes])


def _marks(spans: list[tuple[int, int]]) -> Iterator[str]:
    line = ""
    for start, end in spans:
        line = line.ljust(start) + "^" * (end - start)
    if line.strip():
        yield f"  {line.rstrip()}"
