"""Reading `.ilean` files: where declarations stand, and what each one's source refers to.

Format (version 5, Lean 4.35): `decls` maps a name to eight numbers, the range of the whole declaration
and that of its name; `references` maps a JSON text `{"c":{"m":module,"n":name}}` to its definition and its
usages, each four numbers and, when inside a declaration, that declaration's name. Lines count from 0,
columns in UTF-16 units. Only names that the source writes are there: instances found by search,
simp sets and coercions are not. A declaration whose source refers to nothing is missing in `decls`; its
place is the definition of its entry in `references`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracker.errors import LeanError


@dataclass(frozen=True)
class Ilean:
    """One module's index."""

    module: str
    names: Mapping[str, tuple[int, int]]
    """Declaration -> 1-based line and 0-based column (UTF-16 units) of its name."""
    uses: Mapping[str, Counter[str]]
    """Declaration -> how often its source refers to each constant; a reference to itself is left out."""


def read_ilean(file: Path) -> Ilean:
    """Return the index in a `.ilean` file. Raises LeanError when it is missing or not one."""
    try:
        data = json.loads(file.read_bytes())
        names = {
            name: (int(numbers[4]) + 1, int(numbers[5])) for name, numbers in data.get("decls", {}).items()
        }
        uses: dict[str, Counter[str]] = {}
        for key, reference in data["references"].items():
            constant = json.loads(key).get("c")
            if constant is not None:
                _count(constant["n"], reference, uses)
                if place := reference.get("definition"):
                    names.setdefault(constant["n"], (int(place[0]) + 1, int(place[1])))
        return Ilean(data["module"], names, uses)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise LeanError(
            "ILEAN-UNREADABLE",
            f"{file} cannot be read as Lean's index: {error}",
            "run the module again: `tracker run --fresh`",
        ) from error


def _count(name: str, reference: Mapping[str, Any], uses: dict[str, Counter[str]]) -> None:
    for usage in reference.get("usages", ()):
        if len(usage) > 4 and usage[4] != name:
            uses.setdefault(usage[4], Counter())[name] += 1
