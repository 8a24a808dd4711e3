"""Reading `.olean` files: the declarations that the kernel accepted, as data.

Nothing of the project runs when its files are read like this, so that neither its notation nor its macros
colour the answer, as they can colour what `#print` shows.

Format (versions 1 and 2; Lean's src/library/module.cpp, runtime/compact.cpp): a header of 88 bytes with
the base address at 80, then objects of Lean's runtime, each with a word `rc:32 size:16 other:8 tag:8`
before its fields; pointers are base address plus offset, odd ones are small numbers. An object stands after
all that it points to. The root is Lean's `ModuleData`. With the module system a module has up to three
files (`.olean`, `.olean.server`, `.olean.private`) that point into one another; the last one's root holds
everything. A part that adds nothing to those before it has no objects: its root stands in one of them.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, TypeVar

from tracker.errors import LeanError
from tracker.lean.header import escape_part

T = TypeVar("T")

_HEADER_BYTES, _WORD_BYTES = 88, 8
_ARRAY, _SCALAR_ARRAY, _STRING, _BIG = 246, 248, 249, 250
_MARKER = b"olean"
PARTS: Final = (".olean", ".olean.server", ".olean.private")
"""Suffixes of the files that one module may have."""

KINDS: Final = ("axiom", "def", "theorem", "opaque", "quot", "inductive", "constructor", "recursor")
"""Lean's `ConstantInfo`, in the order of its constructors."""

# Which byte after a declaration's pointers is Lean's `isUnsafe`; a `def` has its `DefinitionSafety` there.
_SAFETY_BYTE = {"axiom": 0, "def": 0, "opaque": 0, "inductive": 1, "constructor": 0, "recursor": 1}
_SAFETY_OF_DEF = ("unsafe", "", "partial")

_REFLEXIVITY = frozenset(["rfl", "Eq.refl", "HEq.refl", "HEq.rfl", "Iff.refl", "Iff.rfl"])

# Lean's `Expr`, in the order of its constructors, and which fields are expressions.
_BVAR, _FVAR, _MVAR, _SORT, _CONST, _APP, _LAM, _PI, _LET, _LIT, _MDATA, _PROJ = range(12)
_INNER = {_APP: (0, 1), _LAM: (1, 2), _PI: (1, 2), _LET: (1, 2, 3), _MDATA: (1,), _PROJ: (2,)}


class OleanError(LeanError):
    """A `.olean` that cannot be read: damaged, or of a Lean whose format is another."""

    def __init__(self, file: Path, why: str) -> None:
        super().__init__(
            "OLEAN-UNREADABLE",
            f"{file} cannot be read as compiled Lean: {why}",
            "build it anew: `tracker run --fresh`; with a Lean newer than this tracker, update the tracker",
        )


@dataclass(frozen=True)
class Constant:
    """A declaration in a `.olean`: its name as Lean prints it, its kind, and the words to read it by."""

    name: str
    kind: str
    pointer: int


class _Part:
    def __init__(self, file: Path) -> None:
        data = file.read_bytes()
        if data[:5] != _MARKER or len(data) < _HEADER_BYTES + _WORD_BYTES or len(data) % _WORD_BYTES:
            raise ValueError("it has no header of Lean's, or is cut short")
        self.base: Final = struct.unpack_from("<Q", data, 80)[0]
        self.end: Final = self.base + len(data)
        self.data: Final = data
        self.words: Final = memoryview(data).cast("Q")


class Olean:
    """One module's declarations. Every method raises OleanError where the file turns out damaged."""

    def __init__(self, file: Path) -> None:
        """Read `file`, a `.olean`, and the parts beside it. Raises OleanError."""
        self._file = file
        self._names: dict[int, str] = {}
        self._digests: dict[int, bytes] = {}
        self._known_references: dict[tuple[str, bool], frozenset[str]] = {}
        self._known_digests: dict[str, bytes] = {}
        try:
            beside = [file.with_name(file.name.removesuffix(".olean") + part) for part in PARTS]
            self._parts = [_Part(path) for path in beside if path == file or path.exists()]
            root = [self._root(part) for part in self._parts][-1]
            pairs = list(
                zip(self._array(self._field(root, 1)), self._array(self._field(root, 2)), strict=True)
            )
            self.constants: Final = {c.name: c for c in (self._constant(n, c) for n, c in pairs)}
        except (OSError, ValueError, IndexError, RecursionError, struct.error) as error:
            raise OleanError(file, str(error)) from error

    def references(self, name: str, *, proofs: bool) -> frozenset[str]:
        """Return the names in a declaration's type and value; in a theorem's value only with `proofs`.

        An inductive type refers to its constructors.
        """
        known = self._known_references.get((name, proofs))
        if known is None:
            with_value = ("def", "opaque", "theorem") if proofs else ("def", "opaque")
            known = self._guarded(lambda: frozenset(self._references(self.constants[name], with_value)))
            self._known_references[name, proofs] = known
        return known

    def digest(self, name: str) -> bytes:
        """Return the SHA-256 of what a declaration says: its type, and unless it is a theorem its value.

        Bound variables' names and the elaborator's notes are no part of it; others count by name.
        """
        known = self._known_digests.get(name)
        if known is None:
            known = self._known_digests[name] = self._guarded(lambda: self._said(self.constants[name]))
        return known

    def hypotheses(self, name: str) -> tuple[str, ...]:
        """Return for each premise of a declaration's type its constant, or "" when it is not a bare one."""
        return self._guarded(lambda: tuple(self._hypotheses(self.constants[name])))

    def safety(self, name: str) -> str:
        """Return `unsafe` or `partial` where the kernel took a declaration without full proof, else ""."""
        return self._guarded(lambda: self._safety(self.constants[name]))

    def alias(self, name: str) -> str:
        """Return the constant that a definition merely stands for, or ""."""
        constant = self.constants[name]
        if constant.kind != "def":
            return ""
        return self._guarded(lambda: self._bare(self._field(self._body(constant), 1)))

    def by_rfl(self, name: str) -> bool:
        """Return whether a declaration is a theorem whose whole proof is reflexivity, behind its binders."""
        constant = self.constants[name]
        if constant.kind != "theorem":
            return False
        return self._guarded(lambda: self._closed_by(self._field(self._body(constant), 1)) in _REFLEXIVITY)

    @cached_property
    def axioms(self) -> tuple[str, ...]:
        """The axioms that the module itself declares."""
        return tuple(c.name for c in self.constants.values() if c.kind == "axiom")

    def mentions(self, text: str) -> bool:
        """Return whether a text, such as a part of a name, stands anywhere in the files."""
        return any(text.encode() in part.data for part in self._parts)

    # Objects.

    def _guarded(self, read: Callable[[], T]) -> T:
        try:
            return read()
        except (ValueError, IndexError, KeyError, RecursionError, struct.error) as error:
            raise OleanError(self._file, str(error)) from error

    def _root(self, part: _Part) -> int:
        """Return the root: version 2 names it after the header, version 1 in the last word.

        The root stands last of its part's objects: it is missing or cut where the file is cut short.
        """
        pointer: int = part.words[_HEADER_BYTES // _WORD_BYTES] if part.data[5] >= 2 else part.words[-1]
        home, index = self._place(pointer)
        if _WORD_BYTES * index + (home.words[index] >> 32 & 0xFFFF) > len(home.data):
            raise ValueError("it is cut short")
        return pointer

    def _place(self, pointer: int) -> tuple[_Part, int]:
        for part in self._parts:
            if part.base < pointer < part.end and not pointer & 7:
                return part, (pointer - part.base) >> 3
        raise ValueError(f"a pointer leads nowhere: {pointer:#x}")

    def _tag(self, pointer: int) -> int:
        part, index = self._place(pointer)
        return part.words[index] >> 56

    def _field(self, pointer: int, number: int) -> int:
        part, index = self._place(pointer)
        if number >= part.words[index] >> 48 & 255:
            raise ValueError(f"no field {number} at {pointer:#x}")
        value: int = part.words[index + 1 + number]
        if not value & 1 and part.base < pointer <= value < part.end:
            raise ValueError(f"objects are out of order at {pointer:#x}")
        return value

    def _array(self, pointer: int) -> list[int]:
        part, index = self._place(pointer)
        if part.words[index] >> 56 != _ARRAY:
            raise ValueError(f"no array at {pointer:#x}")
        size = part.words[index + 1]
        if size > len(part.words) - index - 3:
            raise ValueError(f"an array is longer than the file at {pointer:#x}")
        return list(part.words[index + 3 : index + 3 + size])

    def _list(self, pointer: int) -> Iterator[int]:
        while not pointer & 1:
            yield self._field(pointer, 0)
            pointer = self._field(pointer, 1)

    def _text(self, pointer: int) -> str:
        part, index = self._place(pointer)
        if part.words[index] >> 56 != _STRING:
            raise ValueError(f"no text at {pointer:#x}")
        start, size = 8 * (index + 4), part.words[index + 1]
        return part.data[start : start + size - 1].decode()

    def _number(self, pointer: int) -> bytes:
        """Return a natural number's bytes: small ones are in the pointer, others GMP limbs at its place."""
        if pointer & 1:
            return str(pointer >> 1).encode()
        part, index = self._place(pointer)
        if part.words[index] >> 56 != _BIG:
            raise ValueError(f"no number at {pointer:#x}")
        size = part.words[index + 1] >> 32
        limbs = part.words[index + 3 : index + 3 + size]
        return str(int.from_bytes(limbs.tobytes(), "little")).encode()

    # Names, constants, expressions.

    def _name(self, pointer: int) -> str:
        known = self._names.get(pointer)
        if known is not None:
            return known
        if pointer & 1:
            return ""
        above, last = self._name(self._field(pointer, 0)), self._field(pointer, 1)
        part = escape_part(self._text(last)) if self._tag(pointer) == 1 else self._number(last).decode()
        name = self._names[pointer] = f"{above}.{part}" if above else part
        return name

    def _constant(self, name: int, info: int) -> Constant:
        constant = Constant(self._name(name), KINDS[self._tag(info)], info)
        if self._name(self._field(self._head(constant), 0)) != constant.name:
            raise ValueError(f"the entry of {constant.name} is another's: a layout that is not known")
        return constant

    def _body(self, constant: Constant) -> int:
        return self._field(constant.pointer, 0)

    def _safety(self, constant: Constant) -> str:
        byte = _SAFETY_BYTE.get(constant.kind)
        if byte is None:
            return ""
        part, index = self._place(self._body(constant))
        pointers = part.words[index] >> 48 & 255
        flag = part.data[_WORD_BYTES * (index + 1 + pointers) + byte]
        return _SAFETY_OF_DEF[flag] if constant.kind == "def" else ("", "unsafe")[flag]

    def _head(self, constant: Constant) -> int:
        """Return the `ConstantVal`: name, universe parameters, type."""
        return self._field(self._body(constant), 0)

    def _roots(self, constant: Constant, with_value: tuple[str, ...]) -> Iterator[int]:
        yield self._field(self._head(constant), 2)
        if constant.kind in with_value:
            yield self._field(self._body(constant), 1)

    def _references(self, constant: Constant, with_value: tuple[str, ...]) -> Iterator[str]:
        if constant.kind == "inductive":
            yield from map(self._name, self._list(self._field(self._body(constant), 4)))
        if constant.kind == "constructor":
            yield self._name(self._field(self._body(constant), 1))
        seen: set[int] = set()
        stack = list(self._roots(constant, with_value))
        while stack:
            pointer = stack.pop()
            if pointer in seen:
                continue
            seen.add(pointer)
            tag = self._tag(pointer)
            if tag in (_CONST, _PROJ):
                yield self._name(self._field(pointer, 0))
            stack += [self._field(pointer, number) for number in _INNER.get(tag, ())]

    def _said(self, constant: Constant) -> bytes:
        levels = ",".join(map(self._name, self._list(self._field(self._head(constant), 1))))
        parts = [constant.kind.encode(), constant.name.encode(), levels.encode()]
        parts += [self._expression(root) for root in self._roots(constant, ("def", "opaque"))]
        if constant.kind == "inductive":
            parts += [self._name(p).encode() for p in self._list(self._field(self._body(constant), 4))]
        return _hash(*parts)

    def _expression(self, root: int) -> bytes:
        """Return the hash of an expression; each object is hashed once, without recursion."""
        known, stack = self._digests, [root]
        while stack:
            pointer = stack[-1]
            if pointer in known:
                stack.pop()
                continue
            tag = self._tag(pointer)
            inner = [self._field(pointer, number) for number in _INNER.get(tag, ())]
            waiting = [p for p in inner if p not in known]
            if waiting:
                stack += waiting
                continue
            stack.pop()
            if tag == _MDATA:
                known[pointer] = known[inner[0]]
            else:
                known[pointer] = _hash(b"%d" % tag, *self._own(pointer, tag), *(known[p] for p in inner))
        return known[root]

    def _own(self, pointer: int, tag: int) -> Iterator[bytes]:
        """Yield what an expression says besides its inner expressions."""
        if tag == _BVAR:
            yield self._number(self._field(pointer, 0))
        elif tag == _SORT:
            yield self._level(self._field(pointer, 0))
        elif tag == _CONST:
            yield self._name(self._field(pointer, 0)).encode()
            yield b",".join(map(self._level, self._list(self._field(pointer, 1))))
        elif tag in (_LAM, _PI):
            part, index = self._place(pointer)
            yield part.data[8 * (index + 1 + 3) + 8 :][:1]  # BinderInfo, after the cached data
        elif tag == _LIT:
            value = self._field(pointer, 0)
            text = self._tag(value) == 1
            yield (self._text if text else self._number)(self._field(value, 0)).__repr__().encode()
        elif tag == _PROJ:
            yield self._name(self._field(pointer, 0)).encode()
            yield self._number(self._field(pointer, 1))
        elif tag not in _INNER:
            raise ValueError(f"no expression at {pointer:#x}")

    def _level(self, pointer: int) -> bytes:
        """Return a universe level, written as Lean's constructors: zero, succ, max, imax, param."""
        if pointer & 1:
            return b"0"
        tag = self._tag(pointer)
        if tag == 4:  # Level.param
            return self._name(self._field(pointer, 0)).encode()
        arity = {0: 0, 1: 1, 2: 2, 3: 2}[tag]
        inner = b" ".join(self._level(self._field(pointer, number)) for number in range(arity))
        return b"(%d %b)" % (tag, inner)

    def _bare(self, pointer: int) -> str:
        return self._name(self._field(pointer, 0)) if self._tag(pointer) == _CONST else ""

    def _closed_by(self, pointer: int) -> str:
        """Return the constant that a proof applies, seen through binders, notes and `id` (left by `show`)."""
        while True:
            head, arguments = pointer, []
            while (tag := self._tag(head)) in (_APP, _MDATA):
                if tag == _APP:
                    arguments.append(self._field(head, 1))
                head = self._field(head, 0 if tag == _APP else 1)
            if tag == _LAM and not arguments:
                pointer = self._field(head, 2)
            elif tag == _LET and not arguments:
                pointer = self._field(head, 3)
                if self._tag(pointer) == _BVAR and self._field(pointer, 0) == 1:  # `have h := e; h`
                    pointer = self._field(head, 2)
            elif self._bare(head) == "id" and len(arguments) == 2:
                pointer = arguments[0]
            else:
                return self._bare(head)

    def _hypotheses(self, constant: Constant) -> Iterator[str]:
        pointer = self._field(self._head(constant), 2)
        while self._tag(pointer) in (_PI, _MDATA):
            if self._tag(pointer) == _MDATA:
                pointer = self._field(pointer, 1)
                continue
            yield self._bare(self._field(pointer, 1))
            pointer = self._field(pointer, 2)


def _hash(*parts: bytes) -> bytes:
    hasher = hashlib.sha256()
    for part in parts:
        hasher.update(b"%d:" % len(part))
        hasher.update(part)
    return hasher.digest()
