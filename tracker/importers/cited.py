"""What other files say of a project's declarations, and where that is more than its sources hold."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tracker.catalogue.suggest import nearest
from tracker.errors import UsageError
from tracker.importers.declared import Declarations, Declared, canonical
from tracker.lean.scan.project import ProjectScan


@dataclass(frozen=True)
class Cited:
    """One declaration as a file speaks of it."""

    name: str
    path: str
    line: int
    origin: str
    """Which sort of file: formalization.yaml, audit or blueprint."""
    title: str = ""
    is_definition: bool = False
    uses: tuple[str, ...] = ()
    """Declarations that it is said to use."""
    stated: bool = True
    """Whether it is claimed to be there."""
    proved: bool = False
    """Whether it is claimed to be proved, or defined, without `sorry`."""
    axioms: tuple[str, ...] | None = None
    """The axioms that it is said to rest on."""
    file: str = ""
    """The Lean source that it is said to be in."""

    @property
    def place(self) -> str:
        """Return where it is cited, as `file:line`."""
        return f"{self.path}:{self.line}"


class Total(NamedTuple):
    """A claim about the whole project: at most so many `sorry`, or no axioms but these."""

    path: str
    line: int
    sorries: int | None = None
    axioms: tuple[str, ...] | None = None


class Overclaim(NamedTuple):
    """A place that says more than the sources hold."""

    code: str
    path: str
    line: int
    name: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.code}: {self.message}"


@dataclass(frozen=True)
class Citations:
    """All that was found in one or more files."""

    cited: tuple[Cited, ...] = ()
    totals: tuple[Total, ...] = ()
    overclaims: tuple[Overclaim, ...] = ()
    """What a file contradicts in itself, such as a label that is not there."""
    files: tuple[str, ...] = ()

    def __add__(self, other: Citations) -> Citations:
        return Citations(
            self.cited + other.cited,
            self.totals + other.totals,
            self.overclaims + other.overclaims,
            self.files + other.files,
        )


Reader = Callable[[str, str], Citations]
"""Reads a text, shown under a path."""


def read_citations(place: Path, root: Path) -> Citations:
    """Return what the file `place`, or every file below the directory that is known to cite, says.

    Paths are shown relative to `root`. Raises UsageError for a file that cannot be read, or is of no known
    sort.
    """
    from tracker.importers import audit, blueprint, formalization

    if not place.exists():
        raise UsageError("NO-SUCH-FILE", f"{place}: no such file or directory", "name one that is there")
    found = Citations()
    readers: tuple[tuple[str, str, Reader], ...] = (
        (".yaml", "", formalization.read),
        (".yml", "", formalization.read),
        (".lean", "#print axioms", audit.read),
        (".tex", "\\lean{", blueprint.read),
    )
    for file in [place] if place.is_file() else _files(place):
        fitting = [(mark, read) for suffix, mark, read in readers if file.suffix == suffix]
        if not fitting and place.is_file():
            raise UsageError(
                "UNKNOWN-SORT",
                f"{place} is of no sort that is read here",
                "formalization.yaml, .lean files with `#print axioms`, .tex files with \\lean{…}",
            )
        for mark, read in fitting:
            text = _text(file)
            if mark in text:
                shown = os.path.relpath(file, root)
                found += read(text, shown)
                found += Citations(files=(shown,))
    return _resolved(found)


def _resolved(found: Citations) -> Citations:
    """Return the citations of several blueprint files with uses of labels in others followed."""
    from tracker.importers.blueprint import follow_labels

    return follow_labels(found)


def _files(directory: Path) -> Iterator[Path]:
    for at, below, names in os.walk(directory):
        below[:] = sorted(name for name in below if not name.startswith(".") and name != "lake-packages")
        for name in sorted(names):
            if name in ("formalization.yaml", "formalization.yml") or name.endswith((".lean", ".tex")):
                yield Path(at, name)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError("UNREADABLE", f"{file}: {error.strerror}") from error


def find(cited: Cited, found: Declarations) -> Declared | None:
    """Return the declaration that is meant: by its full name or, if only one ends so, by its last parts."""
    name = canonical(cited.name.removeprefix("_root_."))
    if name in found.by_name:
        return found.by_name[name]
    ending = [d for full, d in found.by_name.items() if full.endswith(f".{name}")]
    return ending[0] if len(ending) == 1 else None


def overclaims(citations: Citations, found: Declarations, scan: ProjectScan) -> list[Overclaim]:
    """Return every place that says more than the project's sources hold, in the order of the files."""
    result = list(citations.overclaims)
    for cited in citations.cited:
        result += _about(cited, find(cited, found), found)
    sorries = [mark for _, mark in scan.marks("sorry")]
    axioms = [(path, d) for path, d in scan.axioms()]
    for total in citations.totals:
        if total.sorries is not None and len(sorries) > total.sorries:
            text = f"{total.sorries} sorry claimed, {len(sorries)} in the sources"
            result.append(Overclaim("sorry-count", total.path, total.line, "", text))
        for path, d in axioms if total.axioms is not None else ():
            if canonical(d.name) not in (total.axioms or ()):
                text = f"it lists all axioms, but not `{d.name}` of {path}:{d.line}"
                result.append(Overclaim("axiom", total.path, total.line, d.name, text))
    return sorted(dict.fromkeys(result), key=lambda o: (o.path, o.line, o.code, o.name))


def _about(cited: Cited, declared: Declared | None, found: Declarations) -> Iterable[Overclaim]:
    def say(code: str, message: str) -> Overclaim:
        return Overclaim(code, cited.path, cited.line, cited.name, message)

    if declared is None:
        if cited.stated:
            near = nearest(cited.name, found.by_name)
            hint = f"; did you mean `{near}`?" if near else ""
            yield say("undeclared", f"no source declares `{cited.name}`{hint}")
        return
    at = f"{declared.path}:{declared.line}"
    if declared.sorry and (cited.proved or _without_sorry(cited.axioms)):
        yield say("sorry", f"`{cited.name}` is claimed to be proved; there is a `sorry` in it at {at}")
    if declared.kind == "axiom" and cited.proved:
        yield say("axiom", f"`{cited.name}` is claimed to be proved; it is an axiom at {at}")
    if not declared.module and cited.stated:
        yield say("unbuilt", f"`{cited.name}` is at {at}, in no target of the project")
    if cited.file and Path(cited.file) != Path(declared.path):
        yield say("elsewhere", f"`{cited.name}` is at {at}, not in {cited.file}")


def _without_sorry(axioms: Sequence[str] | None) -> bool:
    return axioms is not None and "sorryAx" not in axioms
