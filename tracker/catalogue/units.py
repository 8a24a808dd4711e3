"""Amounts with units: `90s`, `1h30min`, `16GiB`. A bare number is refused: nobody knows its unit."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Final

_AMOUNT = r"[0-9]{1,12}(?:\.[0-9]{1,9})?"
_END = r"$(?!\n)"

DURATION: Final = (
    r"^(?=.*[1-9])(?=[0-9])"
    rf"(?:({_AMOUNT}) ?h ?)?(?:({_AMOUNT}) ?min ?)?(?:({_AMOUNT}) ?s ?)?(?:({_AMOUNT}) ?ms)?{_END}"
)
"""A time longer than none: hours, minutes, seconds and milliseconds, each at most once, in that order."""
MEMORY: Final = rf"^(?=.*[1-9])({_AMOUNT}) ?(B|kB|MB|GB|TB|KiB|MiB|GiB|TiB){_END}"
"""An amount of memory of at least one byte, in decimal (GB) or binary (GiB) units."""

_SECONDS = (Decimal(3600), Decimal(60), Decimal(1), Decimal("0.001"))
_BYTES = {
    "B": 1,
    **{f"{p}B": 1000**i for i, p in enumerate(("k", "M", "G", "T"), 1)},
    **{f"{p}iB": 1024**i for i, p in enumerate(("K", "M", "G", "T"), 1)},
}
_duration = re.compile(DURATION).search
_memory = re.compile(MEMORY).search


def parse_duration(text: str) -> float | None:
    """Return the seconds in a text such as `90s`, `500ms` or `1h30min`; None if it is not one."""
    match = _duration(text)
    if match is None:
        return None
    parts = zip(match.groups(), _SECONDS, strict=True)
    return float(sum((Decimal(amount) * unit for amount, unit in parts if amount), Decimal(0)))


def parse_memory(text: str) -> int | None:
    """Return the bytes in a text such as `16GiB` or `512 MB`, rounded up; None if it is not one."""
    match = _memory(text)
    return math.ceil(Decimal(match[1]) * _BYTES[match[2]]) if match else None
