"""What is other than it was: the labels of obligations now against those of an earlier moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tracker.verdict import State, Verdict


@dataclass(frozen=True)
class Change:
    """Obligations that went from one label to another."""

    before: str
    after: str
    ids: tuple[str, ...]

    @property
    def state(self) -> State:
        """Return the state they are in now."""
        return state_of(self.after)

    @property
    def gained(self) -> bool:
        """Return whether they are proved now."""
        return self.state is State.PROVED

    @property
    def lost(self) -> bool:
        """Return whether they were proved before."""
        return state_of(self.before) is State.PROVED


@dataclass(frozen=True)
class Comparison:
    """All changes since one earlier moment: losses first, then gains, then the rest."""

    title: str
    changes: tuple[Change, ...]
    new: int = 0
    """Obligations that the earlier moment did not know."""
    gone: tuple[str, ...] = ()
    """Obligations that only the earlier moment knew."""

    @property
    def total(self) -> int:
        """Return how many obligations have changed."""
        return sum(len(change.ids) for change in self.changes)


def state_of(label: str) -> State:
    """Return the state that a label such as `failed:heartbeats` begins with.

    One that is not known, as a baseline of another version may hold, tells nothing: `unchecked`.
    """
    word = label.partition(":")[0]
    return State(word) if word in State.__members__.values() else State.UNCHECKED


def compare(title: str, before: Mapping[str, str], found: Mapping[str, Verdict]) -> Comparison:
    """Return what is other now than the labels `before` say; they are those of `Verdict.label`, by id."""
    groups: dict[tuple[str, str], list[str]] = {}
    for ident, verdict in found.items():
        old = before.get(ident)
        if old is not None and old != verdict.label:
            groups.setdefault((old, verdict.label), []).append(ident)
    changes = [Change(old, new, tuple(ids)) for (old, new), ids in groups.items()]
    changes.sort(key=lambda c: (not c.lost, not c.gained, -len(c.ids), c.before, c.after))
    return Comparison(
        title, tuple(changes), sum(ident not in before for ident in found),
        tuple(ident for ident in before if ident not in found),
    )  # fmt: skip
