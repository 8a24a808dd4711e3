"""Facts for modules whose import time is paid at every process start.

`typing.NamedTuple` and `dataclasses` cost 12 to 30 ms to import, more than the readers that would use
them. A `Record` is a class with `__slots__` and an explicit `__init__`; equality, hash and `repr` come
from the slots, and attributes are annotated `Final`, so that mypy keeps them constant.
"""

from __future__ import annotations


class Record:
    """A value that equals another of its class with equal slots; never changed after `__init__`."""

    __slots__: tuple[str, ...] = ()

    def _values(self) -> tuple[object, ...]:
        return tuple([getattr(self, name) for name in self.__slots__])

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        assert isinstance(other, Record)
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash((self.__class__, self._values()))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{self.__class__.__name__}({fields})"
