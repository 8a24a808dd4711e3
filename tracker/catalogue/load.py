"""Loading a catalogue: files to facts, every fault reported at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracker.catalogue.chains import RawChain
from tracker.catalogue.codes import CODES
from tracker.catalogue.diagnostics import Diagnostic, Report, Severity, in_order
from tracker.catalogue.expand import Defaults, expand
from tracker.catalogue.fields import DEFAULTS, FILE, Entry
from tracker.catalogue.files import find_files, read_files
from tracker.catalogue.lint import spare_edges
from tracker.catalogue.model import Catalogue
from tracker.catalogue.nodes import Map
from tracker.catalogue.resolve import Collected, resolve
from tracker.catalogue.shapes import Reader
from tracker.catalogue.yamltext import read_yaml

SCHEMA_VERSION = 1
"""The version of `LoadResult.to_json`."""


@dataclass(frozen=True, slots=True)
class LoadResult:
    """A catalogue, or None if there was any error, and every finding in order."""

    catalogue: Catalogue | None
    diagnostics: tuple[Diagnostic, ...]
    files: tuple[str, ...] = ()

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The findings that keep the catalogue from being used."""
        return self.of(Severity.ERROR)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The findings that only ask for a look."""
        return self.of(Severity.WARNING)

    def of(self, severity: Severity) -> tuple[Diagnostic, ...]:
        """Return the findings of one severity."""
        return tuple(d for d in self.diagnostics if d.severity is severity)

    def to_json(self) -> dict[str, object]:
        """Return the result as JSON data."""
        return {
            "schema_version": SCHEMA_VERSION,
            "ok": self.catalogue is not None,
            "files": list(self.files),
            "obligations": len(self.catalogue) if self.catalogue is not None else None,
            "errors": len(self.errors),
            "warnings": len(self.warnings),
            "diagnostics": [d.to_json() for d in self.diagnostics],
        }


def load_catalogue(
    paths: Path | str | Sequence[Path | str], root: Path | str | None = None, *, info: bool = False
) -> LoadResult:
    """Read the catalogue in `paths` (files, or directories of `.yaml` files, together one catalogue).

    Files below `root`, or else the working directory, are shown relative to it. Never raises for what
    a file holds: every fault, be it in the file system, the YAML or the catalogue, is a `Diagnostic`.
    With `info` also what is no fault but may be worth knowing.
    """
    named = [paths] if isinstance(paths, Path | str) else list(paths)
    base = Path.cwd() if root is None else Path(root)
    report = Report()
    collected = Collected()
    shown = []
    for file, text in read_files(find_files([Path(p) for p in named], report, base), report, base):
        shown.append(file)
        if text is not None:
            _read_file(file, text, report, collected)
    collected.incomplete |= any(CODES[d.code].layer == "file" for d in report.diagnostics)
    return _finish(report, collected, tuple(shown), info)


def load_text(text: str, file: str = "<text>", *, info: bool = False) -> LoadResult:
    """Read a catalogue from one text, as `load_catalogue` does from a file."""
    report = Report()
    collected = Collected()
    _read_file(file, text, report, collected)
    return _finish(report, collected, (file,), info)


def _finish(report: Report, collected: Collected, files: tuple[str, ...], info: bool) -> LoadResult:
    catalogue = resolve(collected, report, files)
    if info and not report.errors:
        spare_edges(catalogue, report)
    return LoadResult(None if report.errors else catalogue, in_order(report.diagnostics), files)


def _read_file(file: str, text: str, report: Report, collected: Collected) -> None:
    node = read_yaml(text, file, report)
    if node is None:
        collected.incomplete = True
        return
    reader = Reader(file, report)
    before = report.errors
    values = FILE.read(reader, node, "")
    if values is None or not isinstance(node, Map):
        collected.incomplete = True
        return
    for section in ("kinds", "nets", "tiers"):
        collected.add_labels(section, values.get(section, {}), reader)
    collected.add_families(values.get("families", ()), reader)
    collected.chains += [RawChain(entry, reader) for entry in values.get("chains", ())]
    collected.sums += [(entry, reader) for entry in values.get("sums", ())]
    _add_obligations(values, node, reader, collected)
    collected.incomplete |= report.errors > before and "obligations" not in values


def _add_obligations(values: dict[str, Any], node: Map, reader: Reader, collected: Collected) -> None:
    defaults = _defaults(values, node, reader)
    entries: list[Entry] = values.get("obligations", [])
    for entry in entries:
        if "id" not in entry.values:
            collected.nameless = True
        for member in expand(entry, defaults, reader):
            collected.add_member(member, reader)


def _defaults(values: dict[str, Any], node: Map, reader: Reader) -> Defaults:
    raw = node.entries.get("defaults")
    if raw is None:
        return Defaults()
    if not isinstance(raw, Map):  # reported; what it would have said is not known to be missing
        return Defaults(written=frozenset(DEFAULTS.fields))
    prefix = "defaults."
    places = {key.removeprefix(prefix): at for key, at in reader.positions.items() if key.startswith(prefix)}
    return Defaults(values.get("defaults", {}), frozenset(raw.entries), places)
