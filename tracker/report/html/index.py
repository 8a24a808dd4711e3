"""Numbers for values, and amounts in the page's units: small integers instead of long texts."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class Index(Generic[K]):
    """Values, each with a number in the order in which it was first asked for."""

    def __init__(self, values: Iterable[K] = ()) -> None:
        self._numbers: dict[K, int] = {}
        for value in values:
            self(value)

    def __call__(self, value: K) -> int:
        """Return the number of a value; a new one gets the next number."""
        return self._numbers.setdefault(value, len(self._numbers))

    @property
    def values(self) -> list[K]:
        """Return the values in the order of their numbers."""
        return list(self._numbers)


def ms(seconds: float | None) -> int | None:
    """Return whole milliseconds."""
    return None if seconds is None else round(seconds * 1000)


def kib(size: int | None) -> int | None:
    """Return whole KiB of a size in bytes."""
    return None if size is None else round(size / 1024)


def brief(amount: int | None) -> int | None:
    """Return ms or KiB as exactly as people are shown them: three figures, from 100 s on whole seconds.

    What is shown stays the same, and long histories pack to half.
    """
    if amount is None or amount < 1000:
        return amount
    return round(amount, -min(3, len(str(amount)) - 3))
