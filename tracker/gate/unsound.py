"""Toolchains that are known to be unsound: a dated table with its sources, `unsound.toml`."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any

_VERSION = re.compile(r"v?(\d+)\.(\d+)\.(\d+)(?:-(?:rc(\d+)|(?:nightly|pre)\S*))?")
_RELEASED = 10**6

Version = tuple[int, int, int, int]


@dataclass(frozen=True)
class Bug:
    """One way in which a Lean accepted what is not proved."""

    id: str
    title: str
    condition: str
    fixed: tuple[str, ...]
    published: date
    sources: tuple[str, ...]
    since: str | None = None
    note: bool = False
    """Nothing false is proved by it, but a report may be incomplete."""

    def affects(self, version: Version) -> bool:
        """Return whether this version has it, as far as is known."""
        if self.since is not None and version < _known(self.since):
            return False
        fixed = [_known(text) for text in self.fixed]
        return not any(version >= f and (version[:2] == f[:2] or f == max(fixed)) for f in fixed)


@dataclass(frozen=True)
class BugTable:
    """All known bugs, the day the table was made, and the newest Lean that it speaks of."""

    as_of: date
    newest: str
    bugs: tuple[Bug, ...]

    def known(self, version: str) -> tuple[Bug, ...] | None:
        """Return what is known against a version of Lean; None when the version cannot be read."""
        parsed = parse_version(version)
        return None if parsed is None else tuple(bug for bug in self.bugs if bug.affects(parsed))

    def covers(self, version: str) -> bool:
        """Return whether the table was made when this version was known."""
        parsed = parse_version(version)
        return parsed is not None and parsed <= _known(self.newest)


def parse_version(text: str) -> Version | None:
    """Return a version of Lean so that later ones compare greater; None when it is none.

    A nightly counts as older than the first candidate of the release that it leads to.
    """
    match = _VERSION.fullmatch(text.strip())
    if match is None:
        return None
    candidate = int(match[4]) if match[4] else _RELEASED if "-" not in text else 0
    return int(match[1]), int(match[2]), int(match[3]), candidate


def _known(text: str) -> Version:
    parsed = parse_version(text)
    assert parsed is not None, text
    return parsed


@cache
def bug_table() -> BugTable:
    """Return the package's table."""
    data = tomllib.loads(files("tracker.gate").joinpath("unsound.toml").read_text(encoding="utf-8"))
    return BugTable(data["as_of"], data["newest"], tuple(_bug(entry) for entry in data["bug"]))


def _bug(entry: dict[str, Any]) -> Bug:
    return Bug(**{**entry, "fixed": tuple(entry["fixed"]), "sources": tuple(entry["sources"])})
