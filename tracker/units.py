"""Durations in seconds, sizes in bytes, numbers of things: how they are read and shown."""

from __future__ import annotations

import re

_SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}
_BYTES = {
    "B": 1,
    "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
}  # fmt: skip
_QUANTITY = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*")


def _parse(text: str, units: dict[str, float] | dict[str, int], plain: str) -> float:
    match = _QUANTITY.fullmatch(text)
    if match is None or (match[2] or plain) not in units:
        raise ValueError(f"{text!r} is not a number with one of the units {', '.join(units)}")
    return float(match[1]) * units[match[2] or plain]


def parse_seconds(text: str) -> float:
    """Return seconds for `90`, `90s`, `1.5min`, `2h` or `500ms`. Raises ValueError."""
    return _parse(text, _SECONDS, "s")


def parse_bytes(text: str) -> int:
    """Return bytes for `16GiB`, `512 MiB`, `1GB` or `4096`. Raises ValueError."""
    return int(_parse(text, _BYTES, "B"))


def show_seconds(seconds: float | None) -> str:
    """Return a duration as people read it: `85 ms`, `1.24 s`, `17 s`, `6 min 05 s`, `1 h 02 min`."""
    if seconds is None:
        return "–"
    if seconds < 0.9995:  # below a unit's end by as much as rounding would add
        return f"{seconds * 1000:.0f} ms"
    if seconds < 9.995:
        return f"{seconds:.2f} s"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def show_bytes(size: int | None) -> str:
    """Return a size in binary units with three figures: `512 B`, `118 MiB`, `1.25 GiB`."""
    if size is None:
        return "–"
    amount = float(size)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 999.5:  # three figures, rounded
            return f"{size} B" if unit == "B" else f"{amount:.3g} {unit}"
        amount /= 1024
    return f"{amount:.3g} TiB"


def show_count(number: int, one: str, more: str = "") -> str:
    """Return a number with what it counts: `1 module`, `2 modules`; `more` is a plural without a plain s."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"
