"""What Lean's profiler says of each declaration.

Format (Lean 4.35, `-Dprofiler=true -Dprofiler.threshold=0 --json`): information messages whose text has lines
`CATEGORY took N(ms|s)`. `type checking` is the kernel and stands at the declaration's name; most others stand
where its command begins. Nested categories are not counted twice, but asynchronous ones wait for each other:
`-Dweak.Elab.async=false` makes the figures add up to the time that passed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tracker.lean.messages import DeclarationRange, Message

PROFILER_ARGS: Final = ("-Dprofiler=true", "-Dprofiler.threshold=0", "-Dweak.Elab.async=false")
_LINE = re.compile(r"(?P<category>\S.*?) took (?P<number>[0-9.]+(?:e-?[0-9]+)?)(?P<unit>ns|µs|ms|s|min)")
_UNITS: Final = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}


@dataclass(frozen=True)
class DeclarationCost:
    """Where the time of one declaration's check went, in seconds."""

    declaration: str
    elaboration_s: float
    """Everything that is none of the others: elaboration, instances, simp, attributes, …"""
    kernel_s: float
    """Type checking by the kernel."""
    compilation_s: float
    linting_s: float

    @property
    def total_s(self) -> float:
        """Return all of it."""
        return self.elaboration_s + self.kernel_s + self.compilation_s + self.linting_s


def declaration_costs(
    messages: Iterable[Message], declarations: Iterable[DeclarationRange] = ()
) -> tuple[DeclarationCost, ...]:
    """Return the cost of each declaration, in the order of the source.

    The messages must have been attributed to `declarations`; time that belongs to none is left out.
    """
    # A message at the very start of a file is taken for one about the whole file; a profile is not.
    starts = {entry.start: entry.name for entry in declarations}
    found: dict[str, defaultdict[str, float]] = {}
    for message in messages:
        name = message.declaration or (starts.get(message.pos) if message.pos else None)
        if name is None or message.severity != "information":
            continue
        for line in message.text.splitlines():
            if match := _LINE.fullmatch(line.strip()):
                seconds = float(match["number"]) * _UNITS[match["unit"]]
                parts = found.setdefault(name, defaultdict(float))
                parts[_part(match["category"])] += seconds
    return tuple(
        DeclarationCost(name, parts["elaboration"], parts["kernel"], parts["compilation"], parts["linting"])
        for name, parts in found.items()
    )


def _part(category: str) -> str:
    if category == "type checking":
        return "kernel"
    if category.startswith("compilation"):
        return "compilation"
    return "linting" if "linting" in category else "elaboration"
