"""What each rule of the gate means: the texts of `tracker explain GATE-…`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from tracker.gate.evaluate import ALL_RULES
from tracker.text import wrapped


@dataclass(frozen=True)
class Explanation:
    """One rule in full."""

    code: str
    title: str
    what: str
    why: str
    fails: str
    passes: str
    cure: str

    def text(self) -> str:
        """Return the explanation as plain text, wrapped."""
        return "\n\n".join(
            [
                f"{self.code}: {self.title}",
                wrapped(self.what),
                wrapped(f"Why: {self.why}"),
                wrapped(f"Fails: {self.fails}"),
                wrapped(f"Passes: {self.passes}"),
                wrapped(f"Cure: {self.cure}"),
            ]
        )


@cache
def explanations() -> Mapping[str, Explanation]:
    """Return the explanation of every rule, by code, in the order in which they are evaluated."""
    table = tomllib.loads(files("tracker.gate").joinpath("explanations.toml").read_text(encoding="utf-8"))
    return {rule.code: Explanation(rule.code, rule.title, **table[rule.code]) for rule in ALL_RULES}
