"""Rules about whether the answer can be trusted, and about the baseline being kept up."""

from __future__ import annotations

from collections.abc import Iterator

from tracker.gate.compare import SHA_256, Change, Difference, short_digest
from tracker.gate.model import Facts, Finding, Measure
from tracker.gate.rules_cost import show_limits
from tracker.gate.rules_proof import counted
from tracker.gate.unsound import Bug, bug_table
from tracker.units import show_bytes, show_seconds


def check_unsound(facts: Facts) -> Measure:
    """Nothing is known against the soundness of this Lean."""
    table = bug_table()
    version = facts.present.snapshot.lean
    known = table.known(version)
    if known is None:
        return counted([Finding("toolchain", f"{version!r} is no version of Lean that can be looked up")])
    notes = tuple(f"{bug.id}: {_told(bug)}" for bug in known if bug.note)
    if not table.covers(version):
        notes += (f"the table knows releases until {table.newest}, and not Lean {version}",)
    detail = f"Lean {version}, by what was known on {table.as_of}"
    return counted((Finding(bug.id, _told(bug)) for bug in known if not bug.note), detail, notes)


def _told(bug: Bug) -> str:
    fixed = f"; fixed in {', '.join(bug.fixed)}" if bug.fixed else ""
    return f"{bug.title} ({bug.condition}){fixed}; {bug.sources[0]}"


def check_witness(facts: Facts) -> Measure:
    """The second witness, where one is configured, has looked at what is there now and agrees."""
    command = " ".join(facts.settings.witness)
    if not command:
        return counted([], "none is configured; `tracker doctor` says how to add one")
    said = facts.testimony
    if said is None:
        return counted([Finding(command, "it was not asked about what is there now")])
    if said.agrees:
        return counted([], f"`{command}` agreed, in {show_seconds(said.wall_s)}")
    how = "was stopped" if said.exit_code is None else f"ended with exit code {said.exit_code}"
    last = said.output.strip().splitlines()[-1:]
    return counted([Finding(command, f"it {how}{': ' + last[0] if last else ''}")])


_BETTER = (
    Change.GAINED, Change.ADDED, Change.FASTER, Change.LIGHTER, Change.AXIOMS_FEWER, Change.ANSWERED,
    Change.MEASURED, Change.WARNINGS_FEWER, Change.DEPRECATIONS_FEWER, Change.LIMITS_LOWERED,
    Change.REGROUPED,
)  # fmt: skip


def check_ratchet(facts: Facts) -> Measure:
    """What got better, or is new, stands in the baseline: else it could be lost again unseen."""
    better = [*_better(facts)]
    if not facts.settings.ratchet:
        return counted([], "off by the settings", tuple(f"{f.subject}: {f.message}" for f in better))
    return counted(better)


def _better(facts: Facts) -> Iterator[Finding]:
    if facts.baseline is None:
        return
    old, new = facts.baseline.snapshot, facts.present.snapshot
    if old.identity != new.identity:
        yield Finding("toolchain", f"the baseline is of Lean {old.identity}, not of {new.identity}")
    for d in facts.changes(*_BETTER):
        yield facts.finding(d.subject, improvement(d))
    for d in facts.module_differences:
        if d.change is Change.REMOVED:
            yield Finding(d.subject, "the module is gone, and the baseline still has it")


def improvement(d: Difference) -> str:
    """Return a difference in words."""
    if d.change is Change.ADDED:
        return f"new: {d.after}"
    detail = f" ({d.detail})" if d.detail else ""
    if d.change in (Change.LIMITS, Change.LIMITS_LOWERED):
        return f"{d.change}{detail}: {show_limits(d)}"
    return f"{d.change}{detail}: {_amount(d.before, d.detail)} → {_amount(d.after, d.detail)}"


def _amount(value: str | float | None, unit: str) -> str:
    if value is None:
        return "none"
    if isinstance(value, str):
        if unit == "statement":
            return f"{SHA_256} {short_digest(value)}"
        return short_digest(value) if unit == SHA_256 else value or "none"
    if unit == "bytes":
        return show_bytes(int(value))
    return show_seconds(value) if unit in ("CPU s", "wall s") else f"{value:g}"
