"""Which of a catalogue's declarations a project's sources hold: read as text, no Lean is started.

A declaration counts where its name is written. What a macro or an attribute makes, and a structure's fields
and constructors, are not seen; what stands in a comment or string does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from tracker.catalogue.model import Catalogue, Obligation
from tracker.lean.log.source import DECLARING
from tracker.lean.project import Project
from tracker.lean.scan.source import scan_source

_NEEDLESS = re.compile(r"«([^\W\d][\w'!?]*)»")
_WORDS = DECLARING | {"alias", "initialize", "register_option"}
_DECLARED = re.compile(rf"\b(?:{'|'.join(sorted(_WORDS))})\b(?=\s+(?:\([^()]*\)\s*)?([^\s:({{\[]+))")


class Where(StrEnum):
    """How an obligation's declaration was found."""

    HERE = "here"
    RENAMED = "renamed"  # in its module, under an older name
    MOVED = "moved"  # in another module, under its own or an older name
    UNBUILT = "unbuilt"  # in a file that no target builds
    MISSING = "missing"


class Place(NamedTuple):
    """One declaration in the sources. `module` is empty for a file in no target; lines count from 1."""

    name: str
    module: str
    path: str
    line: int


class Presence(NamedTuple):
    """An obligation and where its declaration is; `place` is None if it is missing."""

    obligation: Obligation
    where: Where
    place: Place | None = None

    def message(self) -> str:
        """What was found, in one line."""
        ob, place = self.obligation, self.place
        if place is None:
            return f"`{ob.decl}` is not written in the project"
        at = f"{place.path}:{place.line}"
        if self.where is Where.UNBUILT:
            return f"`{place.name}` is at {at}, in no target of the project"
        if self.where is Where.MOVED:
            return f"`{place.name}` is in {place.module} ({at}), not in {ob.module}"
        return f"`{ob.decl}` is `{place.name}` there ({at})"

    def to_json(self) -> dict[str, object]:
        """Return the finding as JSON data."""
        place = self.place._asdict() if self.place else None
        return {
            "id": self.obligation.id,
            "decl": self.obligation.decl,
            "where": str(self.where),
            "place": place,
        }


def presence(catalogue: Catalogue, project: Project) -> tuple[Presence, ...]:
    """Return for every obligation where the project declares it, in the catalogue's order.

    Files that cannot be read hold nothing: `project.problems` says so.
    """
    wanted = {_plain(name) for name in (*catalogue.by_decl, *catalogue.by_alias)}
    found: dict[str, list[Place]] = {}
    for place in _places(project, wanted):
        found.setdefault(place.name, []).append(place)
    return tuple(_judge(ob, found) for ob in catalogue)


def _places(project: Project, wanted: set[str]) -> Iterator[Place]:
    """Every wanted declaration that is written in the project, files of targets first."""
    last = {name.rsplit(".", 1)[-1] for name in wanted}
    files = [(module.name, module.path, Path(module.file)) for module in project.modules.values()]
    files += [("", path, Path(project.root) / path) for path in project.stray]
    for module, path, file in files:
        try:
            text = file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        if not _may_declare(text, last):
            continue
        for declared in scan_source(text).declarations:
            name = _plain(declared.name)
            if name in wanted:
                yield Place(name, module, path, declared.line)


def _plain(name: str) -> str:
    """Return a name without needless quotes: `«foo»` is `foo`."""
    return _NEEDLESS.sub(r"\1", name) if "«" in name else name


def _may_declare(text: str, last: set[str]) -> bool:
    """Whether it is worth reading `text` closely: cheap, and never wrong where it says no."""
    for name in _DECLARED.findall(text):
        if "«" in name or name.startswith(("/-", "--", "⟨")) or name.rstrip(".").rsplit(".", 1)[-1] in last:
            return True
    return False


def _judge(ob: Obligation, found: dict[str, list[Place]]) -> Presence:
    own = found.get(_plain(ob.decl), [])
    older = [place for alias in ob.aliases for place in found.get(_plain(alias.name), [])]
    rules: tuple[tuple[Where, Iterable[Place]], ...] = (
        (Where.HERE, (p for p in own if p.module == ob.module)),
        (Where.RENAMED, (p for p in older if p.module == ob.module)),
        (Where.MOVED, (p for p in own + older if p.module)),
        (Where.UNBUILT, own + older),
    )
    for where, places in rules:
        for place in places:
            return Presence(ob, where, place)
    return Presence(ob, Where.MISSING)
