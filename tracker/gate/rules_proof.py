"""Rules about what is proved: nothing is lost, nothing new is assumed, nothing says something else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from tracker.gate.compare import Change, Difference, short_digest
from tracker.gate.model import Facts, Finding, Measure
from tracker.gate.snapshot import ModuleFacts, ObligationFacts, Snapshot
from tracker.units import show_count
from tracker.verdict import SORRY_AXIOM, State

_UNKNOWN = (str(State.UNCHECKED), str(State.OBSOLETE))


def counted(findings: Iterable[Finding], detail: str = "", notes: tuple[str, ...] = ()) -> Measure:
    """Return the measure of a rule that allows no finding at all."""
    found = tuple(findings)
    return Measure(len(found), 0, "findings", detail, found, notes)


def check_baseline(facts: Facts) -> Measure:
    """There is a baseline, and every line of it is as it was written.

    Compared with another commit's, the one that would land is looked at too: who weakens it now could lose
    something later, when it is what others compare with.
    """
    if facts.baseline is None:
        return counted([Finding("baseline", f"there is none at {facts.settings.baseline}")])
    findings = [Finding(f"line {d.line}", d.why) for d in facts.baseline.damages]
    if facts.elsewhere:
        findings += _unfit_to_land(facts.to_land)
    return counted(findings, show_count(len(facts.baseline.snapshot.obligations), "obligation"))


def _unfit_to_land(facts: Facts) -> Iterator[Finding]:
    if facts.baseline is None:
        yield Finding("baseline", f"none would land at {facts.settings.baseline}")
        return
    for damage in facts.baseline.damages:
        yield Finding(f"line {damage.line}", f"in the working tree: {damage.why}")
    for d in facts.changes(Change.STATEMENT, Change.MOVED, Change.AXIOMS_MORE):
        yield facts.finding(d.subject, f"the baseline in the working tree says otherwise: {d.change}")


def check_empty(facts: Facts) -> Measure:
    """There are obligations, and Lean has checked modules."""
    now = facts.present.snapshot
    checked = sum(module.checked for module in now.modules.values())
    findings = []
    if not now.obligations:
        findings.append(Finding("catalogue", "it has no obligations"))
    if not checked:
        findings.append(Finding("modules", "Lean has checked none of them as they are now"))
    return Measure(checked, 1, "modules checked", findings=tuple(findings), at_least=True)


def ignored(facts: Facts, module: ModuleFacts) -> bool:
    """Return whether the settings say that this module, or file, need not be checked."""
    return any(fnmatchcase(module.module, pattern) for pattern in facts.settings.ignore)


def check_missing(facts: Facts) -> Measure:
    """Of everything that a run checks there is evidence for what is there now."""
    return counted(_missing(facts))


def _missing(facts: Facts) -> Iterator[Finding]:
    now = facts.present.snapshot
    # What passed before and fails now has no cost: that it is lost, another rule says.
    before = facts.baseline.snapshot.modules if facts.baseline else {}
    once = {d.subject for d in facts.changes(Change.UNMEASURED) if not before[d.subject].passed}
    for module in now.modules.values():
        if module.expected and module.state == "unchecked" and not ignored(facts, module):
            yield facts.finding(module.module, "Lean has not checked it as it is now")
        elif module.costs is None and (module.passed or (module.checked and module.module in once)):
            yield facts.finding(module.module, "it was checked, and its cost is not known")
    for ob in now.obligations.values():
        if ob.label in _UNKNOWN:
            yield facts.finding(ob.id, f"{ob.label}: {ob.reason or 'Lean was not asked about it'}")


def check_unseen(facts: Facts) -> Measure:
    """No module and no obligation stands where no rule looks."""
    modules = facts.present.snapshot.modules.values()
    skipped = sum(ignored(facts, module) for module in modules)
    return counted(_unseen(facts), f"{skipped} ignored by the settings" if skipped else "")


def _unseen(facts: Facts) -> Iterator[Finding]:
    now = facts.present.snapshot
    for module in now.modules.values():
        if ignored(facts, module):
            continue
        if not module.listed:
            yield facts.finding(module.module, "it is in no build target, so that nothing ever checks it")
        elif not module.expected:
            yield facts.finding(module.module, "no default target has it and no obligation names it")
    for ob in now.obligations.values():
        if ob.label == State.UNBUILT:
            yield facts.finding(ob.id, f"unbuilt: {ob.reason}")
    if not facts.settings.ratchet:
        for difference in facts.changes(Change.ADDED):
            yield facts.finding(difference.subject, "the baseline has no line that it is compared with")


def check_lost(facts: Facts) -> Measure:
    """Whatever the baseline has as proved, or as passed, still is."""
    now = facts.present.snapshot
    gone = [d for d in facts.changes(Change.REMOVED) if _is_obligation(facts, d)]
    lost = [*facts.changes(Change.LOST)]
    # What only follows from another loss comes after it.
    lost.sort(key=lambda d: (d.after == State.BLOCKED, d.subject not in now.obligations, d.subject))
    findings = [facts.finding(d.subject, "it is no longer in the catalogue") for d in gone]
    findings += [facts.finding(d.subject, _loss(d, now)) for d in lost]
    return counted(findings)


def _is_obligation(facts: Facts, difference: Difference) -> bool:
    return facts.baseline is not None and difference.subject in facts.baseline.snapshot.obligations


def _loss(difference: Difference, now: Snapshot) -> str:
    ob = now.obligations.get(difference.subject)
    why = f": {ob.reason}" if ob and ob.reason else ""
    return f"was {difference.before}, is {difference.after}{why}"


def check_sorry(facts: Facts) -> Measure:
    """No proof rests on `sorry` that did not before."""
    return counted(
        facts.finding(ob.id, "its proof rests on `sorry`")
        for ob, old in _with_old(facts)
        if _sorry(ob) and not (old and _sorry(old))
    )


def _sorry(ob: ObligationFacts) -> bool:
    return ob.label == State.SORRY or SORRY_AXIOM in (ob.axioms or ())


def _with_old(facts: Facts) -> Iterator[tuple[ObligationFacts, ObligationFacts | None]]:
    old = facts.baseline.snapshot.obligations if facts.baseline else {}
    return ((ob, old.get(ob.id)) for ob in facts.present.snapshot.obligations.values())


def check_axioms(facts: Facts) -> Measure:
    """No proof rests on an axiom that it did not rest on before, and none on one that is not allowed."""
    return counted(_axioms(facts))


def _axioms(facts: Facts) -> Iterator[Finding]:
    for ob, old in _with_old(facts):
        known = old.axioms if old is not None else None
        more = set(ob.axioms or ()) - set(known) - {SORRY_AXIOM} if known is not None else set()
        if more:
            yield facts.finding(ob.id, f"new: {', '.join(sorted(more))}")
        elif ob.label == State.AXIOM and (old is None or old.label != State.AXIOM):
            yield facts.finding(ob.id, ob.reason or "it rests on an axiom that is not allowed")


def check_drift(facts: Facts) -> Measure:
    """Every statement is the locked one and the baseline's."""
    notes = tuple(
        f"{ident}: the lock's text is not what Lean prints; the compiled statement is the locked one"
        for ident in facts.present.misread
    )
    return counted(_drift(facts), notes=notes)


def _drift(facts: Facts) -> Iterator[Finding]:
    for ob in facts.present.snapshot.obligations.values():
        if ob.label == State.DRIFTED:
            yield facts.finding(ob.id, ob.reason or "it is not what was locked")
    for d in facts.changes(Change.STATEMENT):
        yield facts.finding(d.subject, f"its compiled statement is not the baseline's: {_digests(d)}")
    for d in facts.changes(Change.PRINTS):
        text = f"under another Lean its compiled statement is not the baseline's: {_digests(d)}"
        yield facts.finding(d.subject, text)
    for d in facts.changes(Change.MOVED):
        yield facts.finding(d.subject, f"was {d.before}, is {d.after}")


def _digests(d: Difference) -> str:
    """Return a baseline's digest of a statement and the present one; texts a baseline has not."""
    return f"{d.detail} {short_digest(str(d.before))} → {short_digest(str(d.after))}"


def check_coverage(facts: Facts) -> Measure:
    """The share of obligations that are proved is not smaller than it was, in all and in each net."""
    now, old = _proved(facts.present.snapshot), _proved(facts.baseline.snapshot if facts.baseline else None)
    findings = tuple(
        Finding(net or "all", f"{_share(now[net])} of it is proved, before {_share(before)}")
        for net, before in old.items()
        if _ratio(now[net]) < _ratio(before)
    )
    value, limit = _ratio(now[None]), _ratio(old[None])
    return Measure(value, limit, "share", _share(now[None]), findings, at_least=True)


def _proved(snapshot: Snapshot | None) -> defaultdict[str | None, list[bool]]:
    """Return of every obligation whether it is proved, by net; of all under None."""
    found: defaultdict[str | None, list[bool]] = defaultdict(list)
    for ob in snapshot.obligations.values() if snapshot else ():
        for net in dict.fromkeys((None, ob.net)):
            found[net].append(ob.proved)
    return found


def _ratio(proved: list[bool]) -> float:
    return sum(proved) / len(proved) if proved else 0.0


def _share(proved: list[bool]) -> str:
    return f"{sum(proved)} of {len(proved)}"


def check_class(facts: Facts) -> Measure:
    """What was not proved fails as it did: another failure may hide what was known of the first."""
    other = sorted(facts.changes(Change.LABEL, Change.CLASSES), key=lambda d: d.subject)
    moved = {d.subject for d in facts.changes(Change.LABEL, Change.LOST, Change.GAINED)}
    silent = [d for d in facts.changes(Change.UNASKED) if d.subject not in moved]
    findings = [facts.finding(d.subject, f"was {d.before}, is {d.after}") for d in other]
    findings += [facts.finding(d.subject, f"Lean no longer says its {d.detail}") for d in silent]
    return counted(findings)


def check_claims(facts: Facts) -> Measure:
    """What the catalogue says that a proof refers to is what Lean's index counts."""
    return counted(
        facts.finding(c.id, f"{c.claim}: {c.claimed} claimed, {c.counted} counted")
        for c in facts.present.claims
        if not c.holds
    )
