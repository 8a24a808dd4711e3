"""Budget amounts: `90s`, `1.5h`, `16GiB`. A bare number is refused: nobody knows its unit."""

from __future__ import annotations

import re
from typing import Final

from tracker.units import parse_bytes, parse_seconds

_AMOUNT = r"^(?=.*[1-9])[0-9]{1,12}(?:\.[0-9]{1,9})? ?"
_END = r"$(?!\n)"

DURATION: Final = rf"{_AMOUNT}(?:ms|s|min|m|h){_END}"
"""A time longer than none."""
MEMORY: Final = rf"{_AMOUNT}(?:B|kB|MB|GB|TB|KiB|MiB|GiB|TiB){_END}"
"""An amount of memory, in decimal (GB) or binary (GiB) units."""

_duration = re.compile(DURATION).search
_memory = re.compile(MEMORY).search


def duration(text: str) -> float | None:
    """Return the seconds in a text such as `90s`, `500ms` or `1.5h`; None if it is not one."""
    return parse_seconds(text) if _duration(text) else None


def memory(text: str) -> int | None:
    """Return the bytes, at least one, in a text such as `16GiB` or `512 MB`; None if it is not one."""
    return max(1, parse_bytes(text)) if _memory(text) else None
