"""What each rule of the gate means: the texts of `tracker explain GATE-…`."""

from __future__ import annotations

import textwrap
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from tracker.gate.evaluate import ALL_RULES


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
                _wrapped(self.what),
                _wrapped(f"Why: {self.why}"),
                _wrapped(f"Fails: {self.fails}"),
                _wrapped(f"Passes: {self.passes}"),
                _wrapped(f"Cure: {self.cure}"),
            ]
        )


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 80, break_long_words=False, break_on_hyphens=False)


@cache
def explanations() -> Mapping[str, Explanation]:
    """Return the explanation of every rule, by code, in the order in which they are evaluated."""
    table = tomllib.loads(files("tracker.gate").joinpath("explanations.toml").read_text(encoding="utf-8"))
    return {rule.code: Explanation(rule.code, rule.title, **table[rule.code]) for rule in ALL_RULES}
