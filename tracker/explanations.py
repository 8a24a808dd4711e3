"""What errors, states and findings about edges mean.

These are the texts of `tracker explain CODE` for codes without a room of their own.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from tracker.errors import TrackerError
from tracker.text import wrapped
from tracker.verdict import State


@dataclass(frozen=True, slots=True)
class Explanation:
    """One code in full: when it is seen, and what to do."""

    code: str
    title: str
    what: str
    cure: str
    exit_code: int | None = None
    """That of the error; None for what is none."""

    def text(self) -> str:
        """Return the explanation as plain text, wrapped."""
        head = f"{self.code}: {self.title}"
        if self.exit_code is not None:
            head = f"error[{self.code}]: {self.title} (exit code {self.exit_code})"
        return "\n\n".join([head, wrapped(self.what), wrapped(f"Cure: {self.cure}")])


def _table(name: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads(files("tracker").joinpath(name).read_text(encoding="utf-8"))


@cache
def errors() -> Mapping[str, Explanation]:
    """Return the explanation of every code of a `TrackerError` that is no finding in a catalogue, by code."""
    return {
        code: Explanation(code, exit_code=entry.pop("exit", TrackerError.exit_code), **entry)
        for code, entry in _table("errors.toml").items()
    }


@cache
def states() -> Mapping[str, Explanation]:
    """Return the explanation of every state of an obligation, by state, in the order of `State`."""
    table = _table("states.toml")
    return {state: Explanation(state, **table[state]) for state in State}


@cache
def edge_findings() -> Mapping[str, Explanation]:
    """Return the explanation of everything that `tracker edges` finds, by the word that it prints."""
    return {code: Explanation(code, **entry) for code, entry in _table("edges.toml").items()}
