"""Why something is not proved: root causes, each with what Lean said, what it blocks and what has helped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tracker.catalogue.model import Catalogue
from tracker.evidence import ModuleCheck
from tracker.lean.failure import Failure
from tracker.lean.failures.explain import advice
from tracker.report.summary import Status
from tracker.verdict import State, Verdict

_ADVICE: Mapping[State, str] = {
    State.SORRY: "Replace `sorry` by a proof; Lean accepts it as an axiom that proves anything.",
    State.AXIOM: "Prove what the axiom assumes, or allow it in the catalogue (`allowed_axioms`) and say why.",
    State.DRIFTED: "If the new statement is meant, accept it with `tracker lock`; else mend the declaration.",
    State.MISSING: "Correct `decl` or `module` in the catalogue, or restore the declaration.",
    State.UNBUILT: "Import the module, or add it to a lean_lib of the lakefile: nobody checks it now.",
    State.OVER_BUDGET: "Make the proof cheaper or raise the budget; the declaration itself is proved.",
    State.OBSOLETE: "Run `tracker run`: sources, options or toolchain are not those that it was proved for.",
    State.UNCHECKED: "Run `tracker run`: Lean has not been asked yet.",
    State.BLOCKED: "Mend what is named: Lean checks no module that imports itself, through whatever others.",
}


@dataclass(frozen=True)
class Place:
    """One place where a cause shows: a declaration or module, and the obligation that stands for it."""

    module: str
    declaration: str | None
    file: str
    line: int | None
    column: int | None
    """1-based, as editors count; None where Lean named no place."""
    obligation: str | None
    reason: str


@dataclass(frozen=True)
class Cause:
    """One root cause and everything that has it."""

    key: str
    state: State
    cls: str
    """The class of the failure; empty where it is not Lean that failed."""
    phase: str
    message: str
    """Lean's own words, whole; or the tracker's reason."""
    options: tuple[tuple[str, str], ...]
    places: tuple[Place, ...]
    blocked: tuple[str, ...]
    """Obligations that wait for it."""

    @property
    def label(self) -> str:
        """Return state and class as one word."""
        return f"{self.state}:{self.cls}" if self.cls else str(self.state)

    @property
    def advice(self) -> str:
        """Return what others have done about it; empty when nothing is known."""
        return advice(self.cls) if self.cls else _ADVICE.get(self.state, "")


@dataclass
class _Group:
    state: State
    failure: Failure | None
    message: str
    places: list[Place] = field(default_factory=list)
    blocked: dict[str, None] = field(default_factory=dict)


def root_causes(status: Status, catalogue: Catalogue) -> tuple[Cause, ...]:
    """Return the root causes, those first that keep the most obligations from being proved.

    Failures with one fingerprint are one cause. What Lean has only not been asked about comes last.
    """
    blocked = _blocked_by(status.verdicts)
    groups: dict[str, _Group] = {}
    found = [*_of_verdicts(status, catalogue), *_of_modules(status)]
    for key, group, place in (*found, *_without_cause(status, catalogue, [place for _, _, place in found])):
        mine = groups.setdefault(key, group)
        if (place.module, place.declaration) in {(p.module, p.declaration) for p in mine.places}:
            continue
        mine.places.append(place)
        for name in (place.obligation, place.declaration, place.module):
            mine.blocked |= dict.fromkeys(blocked.get(name or "", ()))
    causes = [_cause(key, group) for key, group in groups.items()]
    unasked = (State.UNCHECKED, State.OBSOLETE)
    return tuple(sorted(causes, key=lambda c: (c.state in unasked, -len(c.blocked) - len(c.places), c.key)))


def _cause(key: str, group: _Group) -> Cause:
    failure = group.failure
    return Cause(
        key=key, state=group.state, cls=str(failure.cls) if failure else "",
        phase=failure.phase if failure else "", message=group.message,
        options=failure.options if failure else (), places=tuple(group.places), blocked=tuple(group.blocked),
    )  # fmt: skip


def _blocked_by(found: Mapping[str, Verdict]) -> Mapping[str, list[str]]:
    blocked: dict[str, list[str]] = {}
    for verdict in found.values():
        for root in verdict.blocked_by:
            blocked.setdefault(root, []).append(verdict.id)
    return blocked


def _of_verdicts(status: Status, catalogue: Catalogue) -> Iterator[tuple[str, _Group, Place]]:
    for verdict in status.verdicts.values():
        if verdict.state in (State.PROVED, State.BLOCKED):
            continue
        ob = catalogue[verdict.id]
        failure = verdict.failure
        if failure is not None:
            place = _place(failure, ob.module, ob.id, verdict.reason, failure.declaration or ob.decl)
            yield _key(failure), _Group(State.FAILED, failure, failure.message), place
            continue
        location = verdict.probe.location if verdict.probe else None
        file, line, column = (
            (location.file, location.line, location.column + 1) if location else ("", None, None)
        )
        place = Place(ob.module, ob.decl, file, line, column, ob.id, verdict.reason)
        yield str(verdict.state), _Group(verdict.state, None, ""), place


def _of_modules(status: Status) -> Iterator[tuple[str, _Group, Place]]:
    """Yield the roots among the failures of modules, whether an obligation stands for them or not."""
    for check in status.failed_modules:
        for failure in roots(check):
            place = _place(failure, check.module, None, "", failure.declaration)
            yield _key(failure), _Group(State.FAILED, failure, failure.message), place


def _without_cause(
    status: Status, catalogue: Catalogue, places: Iterable[Place]
) -> Iterator[tuple[str, _Group, Place]]:
    """Yield what is blocked by something that is no failure of anything, such as a circle of imports."""
    known = {name for place in places for name in (place.obligation, place.declaration, place.module)}
    for verdict in status.verdicts.values():
        if any(root not in known for root in verdict.blocked_by):
            module = catalogue[verdict.id].module
            place = Place(module, None, "", None, None, None, verdict.reason)
            yield str(verdict.state), _Group(verdict.state, None, ""), place


def roots(check: ModuleCheck) -> Iterable[Failure]:
    """Return the failures of a check that are not the consequence of another; all, when each is."""
    return [f for f in check.failures if f.cause is None] or check.failures


def _key(failure: Failure) -> str:
    return f"{failure.cls} {failure.fingerprint}"


def _place(failure: Failure, module: str, obligation: str | None, reason: str, decl: str | None) -> Place:
    line, column = (failure.pos.line, failure.pos.column + 1) if failure.pos else (None, None)
    return Place(module, decl, failure.file, line, column, obligation, reason)
