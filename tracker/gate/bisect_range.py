"""The candidates of a bisection, the oldest first: commits between two, or toolchains in order."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tracker.errors import UsageError
from tracker.gate.worktree import Repository
from tracker.lean.toolchain import ORIGIN, installed_toolchains
from tracker.units import show_count

_RELEASE = re.compile(r"v4\.(\d+)\.(\d+)(?:-rc(\d+))?")
_NIGHTLY = re.compile(r"nightly-(\d{4})-(\d\d)-(\d\d)")


@dataclass(frozen=True)
class Candidate:
    """One thing to try: a commit under a toolchain's name."""

    name: str
    """What tells it from the others: a short commit with its subject, or the toolchain."""
    commit: str
    toolchain: str


def commit_range(repository: Repository, good: str, bad: str, toolchain: str) -> list[Candidate]:
    """Return the commits from good to bad along first parents. Raises UsageError."""
    return [
        Candidate(f"{commit.sha[:10]} {commit.subject}", commit.sha, toolchain)
        for commit in repository.between(good, bad)
    ]


def toolchain_range(text: str, commit: str, environment: Mapping[str, str]) -> list[Candidate]:
    """Return the toolchains of a list such as `a,b,c` in its order.

    `A..B` stands for all of elan's installed releases, or nightlies, from A to B. Raises UsageError.
    """
    names: list[str] = []
    for item in filter(None, (part.strip() for part in text.split(","))):
        first, dots, last = item.partition("..")
        names += _between(first, last, installed_toolchains(environment)) if dots else [item]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise UsageError("BISECT-RANGE", f"{', '.join(doubled)} is named twice", "name each toolchain once")
    return [Candidate(name, commit, name) for name in names]


def _between(first: str, last: str, installed: Sequence[str]) -> list[str]:
    for pattern in (_RELEASE, _NIGHTLY):
        start, end = _key(first, pattern), _key(last, pattern)
        if start is None or end is None:
            continue
        keyed = [(_key(name, pattern), name) for name in installed if name.startswith(f"{ORIGIN}:")]
        found = [(key, name) for key, name in keyed if key is not None and start <= key <= end]
        names = [name.rpartition(":")[2] for _, name in sorted(found)]
        if len(names) < 2:
            raise UsageError(
                "BISECT-RANGE",
                f"elan has {show_count(len(names), 'toolchain')} from {first} to {last}",
                f"`elan toolchain install {ORIGIN}:{first}`, and so on: none is downloaded unasked",
            )
        return names
    raise UsageError(
        "BISECT-RANGE",
        f"{first}..{last} is no range",
        "two releases or two nightlies, such as v4.30.0..v4.36.0",
    )


def _key(name: str, pattern: re.Pattern[str]) -> tuple[int, ...] | None:
    """Return what orders releases by version, candidates before the release, and nightlies by date."""
    match = pattern.fullmatch(name.rpartition(":")[2])
    return tuple(int(part) if part else 10**6 for part in match.groups()) if match else None
