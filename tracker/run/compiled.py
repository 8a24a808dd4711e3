"""What a project's `.olean` files say of a declaration, whatever its macros make `#print` say."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Final

from tracker.lean.header import join_name, split_name
from tracker.lean.olean import Constant, Olean
from tracker.lean.project import Project
from tracker.run.artifacts import artifact

UNSOUND: Final = ("sorryAx", "Lean.ofReduceBool", "Lean.ofReduceNat", "Lean.trustCompiler")
"""Lean's own axioms beyond its three: what stands on one of them was not checked by the kernel alone."""


class Compiled:
    """The compiled modules of a project; each is read once. Methods raise OleanError for a damaged file."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._read: dict[str, Olean] = {}
        self._suspects: dict[str, bool] = {}
        self._seen: dict[str, dict[str, Olean]] = {}

    def constant(self, module: str, declaration: str) -> Constant | None:
        """Return the declaration if the module itself declares it."""
        return self._olean(module).constants.get(_canonical(declaration))

    def meaning(self, module: str, declaration: str) -> str:
        """Return the SHA-256, hexadecimal, of a statement and of every definition of the project under it.

        So it changes when a definition changes that the statement rests on, however far away; proofs and
        what lies outside of the project do not count.
        """
        hasher = hashlib.sha256()
        for name, olean in sorted(self._reached(module, declaration, proofs=False), key=lambda pair: pair[0]):
            hasher.update(olean.digest(name))
        return hasher.hexdigest()

    def axioms(self, module: str, declaration: str) -> frozenset[str]:
        """Return the axioms of the project, and the unsound ones of Lean, that a declaration rests on."""
        if not any(self._suspect(name) for name in (module, *self._project.closure(module))):
            return frozenset()
        found: set[str] = set()
        for name, olean in self._reached(module, declaration, proofs=True):
            if olean.constants[name].kind == "axiom":
                found.add(name)
            found |= olean.references(name, proofs=True) & set(UNSOUND)
        return frozenset(found)

    def rests_on(self, module: str, declaration: str) -> frozenset[str]:
        """Return all of the project's declarations that a declaration's type and proof reach, with itself."""
        return frozenset(name for name, _ in self._reached(module, declaration, proofs=True))

    def safety(self, module: str, declaration: str) -> str:
        """Return `unsafe` or `partial` where the kernel took the declaration without full proof, else ""."""
        return self._olean(module).safety(_canonical(declaration))

    def by_rfl(self, module: str, declaration: str) -> bool:
        """Return whether the declaration is a theorem whose whole proof is reflexivity."""
        return self._olean(module).by_rfl(_canonical(declaration))

    def absurd(self, module: str, declaration: str) -> bool:
        """Return whether a premise is `False` itself, or a definition that merely stands for it."""
        homes = self._homes(module)
        for name in homes[_canonical(declaration)].hypotheses(_canonical(declaration)):
            seen: set[str] = set()
            while name in homes and name not in seen:
                seen.add(name)
                name = homes[name].alias(name)  # noqa: PLW2901 - the definition is looked through
            if name == "False":
                return True
        return False

    def _suspect(self, module: str) -> bool:
        """Return whether a module declares an axiom or may use an unsound one: most are not searched."""
        if module not in self._suspects:
            olean = self._olean(module)
            last = (name.rpartition(".")[2] for name in UNSOUND)
            self._suspects[module] = bool(olean.axioms) or any(map(olean.mentions, last))
        return self._suspects[module]

    def _reached(self, module: str, declaration: str, *, proofs: bool) -> Iterator[tuple[str, Olean]]:
        homes, seen = self._homes(module), {_canonical(declaration)}
        stack = list(seen)
        while stack:
            name = stack.pop()
            yield name, homes[name]
            new = {n for n in homes[name].references(name, proofs=proofs) if n in homes} - seen
            seen |= new
            stack += new

    def _homes(self, module: str) -> dict[str, Olean]:
        """Return the compiled module of each declaration that `module` sees, itself included."""
        if module not in self._seen:
            names = (module, *self._project.closure(module))
            self._seen[module] = {c: olean for olean in map(self._olean, names) for c in olean.constants}
        return self._seen[module]

    def _olean(self, module: str) -> Olean:
        if module not in self._read:
            self._read[module] = Olean(artifact(self._project, module, ".olean"))
        return self._read[module]


def _canonical(declaration: str) -> str:
    """Return a name as Lean prints it, whatever quotes the catalogue has."""
    return join_name(split_name(declaration))
