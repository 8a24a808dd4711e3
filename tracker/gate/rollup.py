"""Rolling losses up: what of the headline results is lost, and to which few root causes it comes down."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tracker.catalogue.model import Catalogue
from tracker.gate.snapshot import ObligationFacts, Snapshot

HEADLINES = frozenset({"apex", "capstone"})
"""Kinds whose obligations are what a formalization is about."""


@dataclass(frozen=True)
class Cause:
    """One root cause of losses: an obligation or a module, why it is not proved, and what falls with it."""

    root: str
    label: str
    reason: str
    lost: tuple[str, ...]
    """Every lost obligation that comes down to it, by id, the root itself included if it is one."""
    headlines: tuple[str, ...]
    """Those of the lost that are headline results."""


def headline_ids(catalogue: Catalogue) -> tuple[str, ...]:
    """Return the ids of the headline results, in the catalogue's order.

    Apexes and capstones; where a catalogue has neither, whatever nothing else rests on.
    """
    named = tuple(ob.id for ob in catalogue if ob.kind in HEADLINES)
    return named or tuple(ob.id for ob in catalogue if not catalogue.dependents[ob.id])


def root_causes(lost: Iterable[str], now: Snapshot, headlines: Iterable[str]) -> tuple[Cause, ...]:
    """Return the causes of the losses: those that take a headline with them first, then the widest.

    Every lost obligation is under at least one cause; one that no other is to blame for is its own.
    """
    important = frozenset(headlines)
    under: dict[str, list[str]] = {}
    for ident in lost:
        facts = now.obligations.get(ident)
        roots = {_root(root, facts, now) for root in facts.blocked_by} if facts else set()
        for root in roots or {ident}:
            under.setdefault(root, []).append(ident)
    causes = [_cause(root, sorted(ids), now, important) for root, ids in under.items()]
    return tuple(sorted(causes, key=lambda c: (-len(c.headlines), -len(c.lost), c.root)))


def _root(root: str, blocked: ObligationFacts, now: Snapshot) -> str:
    """Return an obligation, else a module: a declaration that is no obligation stands for its module."""
    return root if root in now.obligations or root in now.modules else blocked.module


def _cause(root: str, ids: list[str], now: Snapshot, important: frozenset[str]) -> Cause:
    facts, module = now.obligations.get(root), now.modules.get(root)
    if facts is not None:
        label, reason = facts.label, facts.reason
    elif module is not None:
        # What it blocks says best which of its declarations it was.
        label = f"failed:{module.classes[0]}" if module.classes else "not checked"
        reason = now.obligations[ids[0]].reason
    else:
        label, reason = "absent", "it is not in the catalogue any more"
    return Cause(root, label, reason, tuple(ids), tuple(i for i in ids if i in important))
