"""`tracker lock`: agree to what the statements say today."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import click

from tracker.catalogue.model import Obligation
from tracker.catalogue.suggest import listed_hint
from tracker.cli.options import json_option, make_workspace, print_json, workspace_options
from tracker.errors import UsageError
from tracker.evidence import DeclarationProbe
from tracker.locks import LockedStatement, describe_drift, lock_text
from tracker.report.terminal import plain
from tracker.units import show_count
from tracker.verdict import Verdict, lockable
from tracker.workspace import Workspace

# Only what Lean has just found, free of sorry and of unwanted axioms, may be agreed to.


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID…]")
@click.option("--accept", is_flag=True, help="Replace locked statements that have drifted.")
@click.option(
    "--reason", metavar="TEXT", help="Why they are accepted; kept in the lock. Asked for if left out."
)
@json_option
@workspace_options
def lock(ids: tuple[str, ...], accept: bool, reason: str | None, as_json: bool, **places: str | None) -> int:
    """Record what the statements say, so that a weakened one shows as `drifted`.

    Locks every obligation that Lean has found and that has no lock yet. A statement that drifted is shown as
    a diff and kept as it was, unless --accept is given, which needs a reason. Where only the text differs,
    and the compiled statement is the locked one, it is shown and written anew. Commit the file. Exit code 1
    when a drift remains.

    \b
    tracker lock
    tracker lock vitTinyInputGradB_correct
    tracker lock vitTinyInputGradB_correct --accept --reason "the batch size is a binder now"
    """
    if reason is not None and not accept:
        raise UsageError("NO-ACCEPT", "--reason goes with --accept", "add --accept, or leave the reason out")
    workspace = make_workspace(**places)
    found = workspace.verdicts(workspace.read_evidence()[0])
    unknown = [name for name in ids if name not in found]
    if unknown:
        hint = listed_hint(unknown[0], found)
        raise UsageError("NO-SUCH-OBLIGATION", f"no obligation is called {unknown[0]!r}", hint)
    change = _compare(workspace, [found[name] for name in ids] or list(found.values()))
    for old, fresh in change.drifted:
        click.echo(_drift_text(old, fresh), err=True)
    for old, fresh in change.reprinted:
        click.echo(_drift_text(old, fresh, mark="="), err=True)
        click.echo("  the compiled statement is the locked one: the lock now says what Lean prints", err=True)
    for name in change.gone:
        click.echo(f"{name} is in the lock and no longer in the catalogue: its lock is dropped", err=True)
    accepted = list(change.drifted) if accept else []
    if accepted:
        why = _reason(reason, len(accepted))
        accepted = [(old, replace(fresh, reason=why)) for old, fresh in accepted]
    _write(workspace, change, accepted)
    left = [old.id for old, _ in change.drifted] if not accept else []
    if as_json:
        print_json(_as_json(change, [old.id for old, _ in accepted], left))
    else:
        click.echo(
            f"{workspace.settings.lock}: {len(change.added)} locked, {len(accepted)} accepted, "
            f"{len(left)} drifted" + (f", {len(change.reprinted)} reprinted" if change.reprinted else "")
        )
    return 1 if left else 0


@dataclass(frozen=True)
class _Change:
    """What is not in the lock yet, what says or reads something else there, and what only the lock knows."""

    added: tuple[LockedStatement, ...]
    drifted: tuple[tuple[LockedStatement, LockedStatement], ...]
    reprinted: tuple[tuple[LockedStatement, LockedStatement], ...]
    gone: tuple[str, ...]


def _compare(workspace: Workspace, chosen: list[Verdict]) -> _Change:
    locked = workspace.lock
    added, drifted, reprinted = [], [], []
    for ob, probe, fresh in _statements(workspace, chosen):
        old = locked.entries.get(ob.id)
        if old is None:
            added.append(fresh)
        elif locked.drift(ob, probe):
            drifted.append((old, fresh))
        elif locked.reads_otherwise(ob, probe):
            reprinted.append((old, replace(fresh, reason=old.reason)))
    gone = tuple(name for name in locked.entries if name not in workspace.catalogue)
    return _Change(tuple(added), tuple(drifted), tuple(reprinted), gone)


def _reason(given: str | None, count: int) -> str:
    """Return why a drift is accepted, asked for at a terminal. Raises UsageError where nobody says it."""
    what = show_count(count, "statement")
    if given is None and sys.stdin is not None and sys.stdin.isatty():
        given = click.prompt(f"Why accept {what}", err=True, default="", show_default=False)
    text = " ".join((given or "").split())
    if not text:
        raise UsageError(
            "NO-REASON",
            f"{what} would be accepted without a reason; nothing was changed",
            'say why: `tracker lock --accept --reason "…"`',
        )
    return text


def _write(
    workspace: Workspace, change: _Change, accepted: list[tuple[LockedStatement, LockedStatement]]
) -> None:
    if not (change.added or accepted or change.reprinted or change.gone):
        return
    entries = {name: e for name, e in workspace.lock.entries.items() if name not in change.gone}
    entries |= {s.id: s for s in (*change.added, *(new for _, new in (*accepted, *change.reprinted)))}
    file = workspace.settings.lock
    try:
        scratch = file.with_suffix(".new")
        scratch.write_text(lock_text(workspace.toolchain.version, entries.values()), encoding="utf-8")
        scratch.replace(file)
    except OSError as error:
        raise UsageError("LOCK-UNWRITABLE", f"{file}: {error.strerror}", "make it writable") from error


def _as_json(change: _Change, accepted: list[str], left: list[str]) -> dict[str, Any]:
    return {
        "schema_version": 1, "added": [s.id for s in change.added], "accepted": accepted, "drifted": left,
        "reprinted": [new.id for _, new in change.reprinted],
        "diffs": [
            {
                "id": new.id, "locked": old.statement, "now": new.statement, "locked_because": old.reason,
                "diff": list(describe_drift(old, new)),
            }
            for old, new in change.drifted
        ],
    }  # fmt: skip


def _statements(
    workspace: Workspace, chosen: list[Verdict]
) -> Iterator[tuple[Obligation, DeclarationProbe, LockedStatement]]:
    for verdict in chosen:
        probe = verdict.probe
        if probe is not None and probe.kind is not None and lockable(verdict):
            ob = workspace.catalogue[verdict.id]
            yield ob, probe, LockedStatement(ob.id, ob.decl, probe.kind, probe.digest, probe.statement)


def _drift_text(old: LockedStatement, new: LockedStatement, mark: str = "≠") -> str:
    lines = [f"{mark} {new.id}  ({new.decl})", *(f"  {line}" for line in describe_drift(old, new))]
    if old.reason:
        lines.append(f"  the locked one was accepted because: {old.reason}")
    return plain("\n".join(lines))
