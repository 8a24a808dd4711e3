"""A whole Lake project read without Lean: modules, declarations, marks, citations, pins."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from tracker.errors import ProjectError
from tracker.lean.lakefile import LeanConfig
from tracker.lean.project import Project, find_root, load_project
from tracker.lean.scan.citations import BrokenCitation, broken_citations
from tracker.lean.scan.mask import mask
from tracker.lean.scan.pins import Pins, read_pins
from tracker.lean.scan.source import NAME, Declaration, Mark, Source, is_limit, is_unchecked, scan_source

# Below this much source one process is done before a second one would have started.
_WORTH_PROCESSES = 2_000_000  # bytes
_WORTH_A_CHUNK = 24  # files
_PAIR = re.compile(rf"⟨\s*`({NAME})\s*,\s*\.?(\w+)")


class FileScan(NamedTuple):
    """One file: its module's name (empty when no target builds it) and path below the project."""

    module: str
    path: str
    source: Source


class Limit(NamedTuple):
    """How often an option was set to a value."""

    option: str
    value: str
    times: int


@dataclass(frozen=True)
class ProjectScan:
    """What `scan_project` found. Marks of the lakefile have its path and line 0."""

    project: Project
    files: tuple[FileScan, ...]
    pins: Pins
    citations: tuple[BrokenCitation, ...]
    settings: tuple[Mark, ...]
    """Options in the lakefile that are limits, or let proofs go unchecked."""

    @property
    def lines(self) -> int:
        """The lines of all files."""
        return sum(file.source.lines for file in self.files)

    def kinds(self) -> Counter[str]:
        """Return how many declarations there are of each kind."""
        return Counter(d.kind for file in self.files for d in file.source.declarations)

    def axioms(self) -> list[tuple[str, Declaration]]:
        """Return every `axiom` with its file."""
        return [(f.path, d) for f in self.files for d in f.source.declarations if d.kind == "axiom"]

    def marks(self, kind: str) -> list[tuple[str, Mark]]:
        """Return the marks of a kind with their files, the lakefile's first."""
        lakefile = os.path.basename(self.project.lakefile.path)
        return [(lakefile, m) for m in self.settings if m.kind == kind] + [
            (file.path, m) for file in self.files for m in file.source.marks if m.kind == kind
        ]

    def limits(self) -> list[Limit]:
        """Return the limits that are set, by option and value, the most frequent first."""
        counts = Counter((mark.text, mark.value) for _, mark in self.marks("limit"))
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return [Limit(option, value, count) for (option, value), count in ordered]

    @property
    def is_clean(self) -> bool:
        """Whether nothing deserves a look. Raised limits alone are no reason."""
        marks = any(self.marks(kind) for kind in ("sorry", "native", "unchecked"))
        project = self.project
        return not (
            marks or self.axioms() or self.citations or project.stray or project.problems or project.cycles()
        ) and (self.pins.agree and not self.pins.unreadable)


def scan_project(path: str, jobs: int | None = None) -> ProjectScan:
    """Return what the Lake project holds to which `path`, a directory or file, belongs.

    `jobs` processes read the sources, by default one a core for a large project. Raises ProjectError when
    there is no project, or no usable lakefile.
    """
    if not os.path.exists(path):
        raise ProjectError("NO-PROJECT", f"{path}: no such directory", "name a directory with a Lake project")
    root = find_root(path)
    project = load_project(root)
    targets = [(m.name, m.path, m.file) for m in project.modules.values()]
    strays = [("", path, os.path.join(root, path)) for path in project.stray]
    files = tuple(_scan_files(sorted(targets + strays, key=lambda item: item[1]), jobs))
    modules = [*project.modules, *(root for lib in project.lakefile.libs for root in lib.roots)]
    citations = broken_citations(
        [(file.path, file.source) for file in files], modules, lambda p: _read(os.path.join(root, p))
    )
    return ProjectScan(project, files, read_pins(root), tuple(citations), tuple(_settings(project)))


def _read(file: str) -> str:
    """Return the file's text; what is not UTF-8 is replaced, and an unreadable file is empty.

    The project has a problem about either.
    """
    try:
        with open(file, "rb") as stream:
            return stream.read().decode(errors="replace")
    except OSError:
        return ""


def _scan_file(item: tuple[str, str, str]) -> FileScan:
    module, path, file = item
    return FileScan(module, path, scan_source(_read(file)))


def _scan_files(items: list[tuple[str, str, str]], jobs: int | None) -> Iterable[FileScan]:
    if jobs is None:
        jobs = _cores() if sum(_size(file) for _, _, file in items) > _WORTH_PROCESSES else 1
    if jobs < 2 or len(items) < 2:
        return map(_scan_file, items)
    # A fork has everything imported; elsewhere a fork is not safe, and a fresh start is what Python does.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    chunk = max(1, min(_WORTH_A_CHUNK, len(items) // jobs))
    with context.Pool(min(jobs, len(items)), _leave_interrupts) as pool:
        return pool.map(_scan_file, items, chunk)


def _leave_interrupts() -> None:
    """Let only the first process answer Ctrl-C; it ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _size(file: str) -> int:
    try:
        return os.stat(file).st_size
    except OSError:
        return 0


def _settings(project: Project) -> Iterable[Mark]:
    lakefile = project.lakefile
    configs = [lakefile.config, *[t.config for t in lakefile.libs], *[t.config for t in lakefile.exes]]
    pairs = [pair for config in dict.fromkeys(configs) for pair in _options(config)]
    if lakefile.kind == "lean":  # a program: the pairs that are written out plainly
        text = mask(_read(lakefile.path)).code
        pairs += [(name.removeprefix("weak."), value) for name, value in _PAIR.findall(text)]
    for option, value in pairs:
        if is_limit(option):
            yield Mark("limit", 0, 0, option, value=value)
        elif is_unchecked(option, value):
            yield Mark("unchecked", 0, 0, option, value=value)


def _options(config: LeanConfig) -> Iterable[tuple[str, str]]:
    """Return the options of `leanOptions` and of `-D` in the arguments, without `weak.`."""
    pairs = [(name, str(value).lower()) for name, value in config.lean_options]
    pairs += [
        (name, value)
        for argument in (*config.more_lean_args, *config.weak_lean_args)
        if argument.startswith("-D")
        for name, _, value in [argument.removeprefix("-D").partition("=")]
    ]
    return [(name.removeprefix("weak."), value) for name, value in pairs]
