"""`tracker lock`: agree to what the statements say today."""

from __future__ import annotations

import difflib

import click

from tracker.catalogue.suggest import did_you_mean
from tracker.cli.options import json_option, make_workspace, print_json, workspace_options
from tracker.errors import UsageError
from tracker.locks import LockedStatement, lock_text
from tracker.report.terminal import plain
from tracker.verdict import State, Verdict
from tracker.workspace import Workspace

# Only what Lean has just found, free of sorry and of unwanted axioms, may be agreed to.
_LOCKABLE = (State.PROVED, State.DRIFTED, State.OVER_BUDGET)


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID…]")
@click.option("--accept", is_flag=True, help="Replace locked statements that have drifted.")
@json_option
@workspace_options
def lock(ids: tuple[str, ...], accept: bool, as_json: bool, **places: str | None) -> int:
    """Record what the statements say, so that a weakened one shows as `drifted`.

    Locks every obligation that Lean has found and that has no lock yet. A statement that drifted is shown as
    a diff and kept as it was, unless --accept is given. Commit the file. Exit code 1 when a drift remains.

    \b
    tracker lock
    tracker lock vit-tie --accept
    """
    workspace = make_workspace(**places)
    found = workspace.verdicts(workspace.read_evidence()[0])
    unknown = [name for name in ids if name not in found]
    if unknown:
        hint = did_you_mean(unknown[0], found)
        raise UsageError("NO-SUCH-OBLIGATION", f"no obligation is called {unknown[0]!r}", hint)
    chosen = [found[name] for name in ids] or list(found.values())
    added, changed, left = _update(workspace, chosen, accept)
    if as_json:
        print_json({"schema_version": 1, "added": added, "accepted": changed, "drifted": left})
    else:
        click.echo(
            f"{workspace.settings.lock}: {len(added)} locked, {len(changed)} accepted, {len(left)} drifted"
        )
    return 1 if left else 0


def _update(
    workspace: Workspace, chosen: list[Verdict], accept: bool
) -> tuple[list[str], list[str], list[str]]:
    entries = dict(workspace.lock.entries)
    gone = [name for name in entries if name not in workspace.catalogue]
    added, changed, left = [], [], []
    for verdict in chosen:
        fresh = _statement(workspace, verdict)
        if fresh is None:
            continue
        old = entries.get(verdict.id)
        if old is None:
            added.append(verdict.id)
        elif old == fresh:
            continue
        else:
            click.echo(_diff(old, fresh), err=True)
            if not accept:
                left.append(verdict.id)
                continue
            changed.append(verdict.id)
        entries[verdict.id] = fresh
    for name in gone:
        click.echo(f"{name} is in the lock and no longer in the catalogue: its lock is dropped", err=True)
        del entries[name]
    if added or changed or gone:
        file = workspace.settings.lock
        try:
            scratch = file.with_suffix(".new")
            scratch.write_text(lock_text(workspace.toolchain.version, entries.values()), encoding="utf-8")
            scratch.replace(file)
        except OSError as error:
            raise UsageError("LOCK-UNWRITABLE", f"{file}: {error.strerror}", "make it writable") from error
    return added, changed, left


def _statement(workspace: Workspace, verdict: Verdict) -> LockedStatement | None:
    probe = verdict.probe
    if probe is None or not probe.found or probe.kind is None:
        return None
    if verdict.state not in _LOCKABLE and not verdict.blocked_by:
        return None
    ob = workspace.catalogue[verdict.id]
    return LockedStatement(ob.id, ob.decl, probe.kind, probe.digest, probe.statement)


def _diff(old: LockedStatement, new: LockedStatement) -> str:
    lines = difflib.unified_diff(
        old.statement.splitlines(),
        new.statement.splitlines(),
        f"{old.id} locked",
        f"{new.id} now",
        lineterm="",
    )
    text = "\n".join(lines)
    return plain(text or f"{new.id}: reads the same, but is not the same with everything explicit")
