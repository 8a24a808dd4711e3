"""What a Lake project declares: read from its sources, and from Lean's index of them where it is compiled.

Nothing of the project is run and no Lean is started, so that this works on any checkout. The sources say what
is declared where; the `.ilean` files, where they belong to the sources as they are, say what refers to what.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from tracker.errors import LeanError
from tracker.lean.header import join_name, split_name
from tracker.lean.ilean import Ilean, read_ilean
from tracker.lean.project import Project
from tracker.lean.scan.project import FileScan, ProjectScan
from tracker.run.artifacts import artifact
from tracker.run.compiled import Compiled

_NAMED = 3
THEOREMS = frozenset({"theorem", "lemma"})


@dataclass(frozen=True)
class Declared:
    """One named declaration of the project that other modules can name."""

    name: str
    module: str
    """Empty for a file that no target builds."""
    kind: str
    """The keyword in the source: theorem, lemma, def, …"""
    path: str
    """Below the project's root."""
    line: int
    """Counts from 1."""
    sorry: bool
    """Whether `sorry` stands in its text."""
    uses: Mapping[str, int] | None = field(default=None, hash=False)
    """How often its source refers to each constant; None where its module is not compiled as it is."""


@dataclass(frozen=True)
class Declarations:
    """All declarations of a project by name, in the order of files and lines."""

    project: Project
    by_name: Mapping[str, Declared]
    compiled: frozenset[str]
    """The modules whose index belongs to their source as it is."""
    _compiled: Compiled = field(repr=False, compare=False)

    def how_to_compile(self, modules: Collection[str], *, recorded: bool) -> str:
        """Return the command after which modules are compiled as they are.

        Where evidence is `recorded` a plain run leaves a module alone whose build output is gone.
        """
        gone = [m for m in sorted(modules) if not artifact(self.project, m, ".ilean").exists()]
        if not recorded or not gone:
            return "`tracker run`"
        return f"`tracker run --fresh {' '.join(gone)}`" if len(gone) <= _NAMED else "`tracker run --fresh`"

    def by_rfl(self, declared: Declared) -> bool:
        """Return whether a compiled theorem's whole proof is reflexivity; False where it is not compiled."""
        if declared.module not in self.compiled:
            return False
        try:
            return self._compiled.by_rfl(declared.module, declared.name)
        except (LeanError, KeyError):
            return False

    def reached(self, declared: Declared, known: Collection[str]) -> dict[str, int]:
        """Return which of `known` a declaration refers to, and how often its own source does.

        What it refers to only through declarations that are not in `known` counts 0.
        """
        found: dict[str, int] = {}
        seen = {declared.name}
        stack = [declared]
        while stack:
            current = stack.pop()
            for name, count in sorted((current.uses or {}).items()):
                if name in known and name != declared.name:
                    found[name] = max(found.get(name, 0), count if current is declared else 0)
                elif name not in seen and name in self.by_name:
                    stack.append(self.by_name[name])
                seen.add(name)
        return found


def canonical(name: str) -> str:
    """Return a name as Lean prints it, with `«…»` only where it must be."""
    return join_name(split_name(name))


def read_declarations(scan: ProjectScan) -> Declarations:
    """Return the public declarations of a scanned project; the first of those of one name counts."""
    project = scan.project
    found: dict[str, Declared] = {}
    compiled = set()
    for file in scan.files:
        index = _index(project, file)
        if index is not None:
            compiled.add(file.module)
        for declared in _of_file(file, index):
            found.setdefault(declared.name, declared)
    return Declarations(project, found, frozenset(compiled), Compiled(project))


def _of_file(file: FileScan, index: Ilean | None) -> list[Declared]:
    sorries = {mark.declaration for mark in file.source.marks if mark.kind == "sorry"}
    return [
        Declared(
            canonical(d.name), file.module, d.kind, file.path, d.line, d.name in sorries,
            None if index is None else index.uses.get(canonical(d.name), {}),
        )
        for d in file.source.declarations
        if d.name and not d.is_private
    ]  # fmt: skip


def _index(project: Project, file: FileScan) -> Ilean | None:
    """Return Lean's index of a module, None where there is none for this very source.

    An index whose declarations stand elsewhere is of another text; times of files would say less, since a
    checkout changes them.
    """
    if not file.module:
        return None
    try:
        index = read_ilean(artifact(project, file.module, ".ilean"))
    except LeanError:
        return None
    written = [d for d in file.source.declarations if d.name and not d.is_private]
    same = all(index.names.get(canonical(d.name), (d.line, 0))[0] == d.line for d in written)
    known = sum(canonical(d.name) in index.names for d in written)
    return index if same and 2 * known >= len(written) else None
