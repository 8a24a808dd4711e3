"""`tracker scan`: what the sources of any Lake project say, without Lean."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from tracker.cli.options import console, json_option, print_json
from tracker.config import load_settings
from tracker.lean.header import Import
from tracker.lean.scan.project import FileScan, ProjectScan, scan_project
from tracker.lean.scan.source import Mark
from tracker.report.terminal import plain
from tracker.units import show_count

SCHEMA_VERSION = 1
_SHOWN = 10


@click.command()
@click.argument("path", metavar="[PATH]", required=False)
@json_option
@click.option("--strict", is_flag=True, help="Exit with 1 when something deserves a look.")
@click.option("--all", "show_all", is_flag=True, help="Show every place, not the first few.")
def scan(path: str | None, as_json: bool, strict: bool, show_all: bool) -> int:
    """Read the sources of a Lake project, yours or another's, without Lean.

    PATH is any directory of the project (default: the project of tracker.toml, else lean/).

    Deserves a look: `sorry` and `admit`, axioms, native_decide, options that leave proofs unchecked, doc
    comments that cite missing declarations, files in no target, toolchain pins that disagree, imports that
    Lake would refuse. Raised limits (`set_option max…`) are counted, and no reason for --strict to fail.

    Exit code 0; with --strict 1 when something deserves a look; 2 when PATH holds no usable project.

    \b
    tracker scan
    tracker scan ../their-project --strict
    tracker scan ../their-project --json | jq '.limits'
    """
    directory = path if path is not None else str(load_settings(Path.cwd()).project)
    found = scan_project(directory)
    if as_json:
        print_json(as_data(found))
    else:
        out = console()
        for line in text_lines(found, None if show_all else _SHOWN):
            out.print(Text(plain(line), overflow="fold"))
    return 1 if strict and not found.is_clean else 0


def text_lines(found: ProjectScan, shown: int | None) -> Iterator[str]:
    """Yield the report for a terminal; of each kind of place at most `shown`, if that is given."""
    yield from _head(found)
    sections = [
        ("sorry", _mark_places(found, "sorry")),
        ("axioms", [f"{path}:{d.line}  {d.name}" for path, d in found.axioms()]),
        ("proofs by compiled code", _mark_places(found, "native")),
        ("options that leave proofs unchecked", _mark_places(found, "unchecked")),
        ("citations of missing declarations", [f"{c.path}:{c.line}  {c.name}" for c in found.citations]),
        ("files in no target", list(found.project.stray)),
        ("files that Lake would stumble over", [str(problem) for problem in found.project.problems]),
        ("import cycles", [" -> ".join(cycle) for cycle in found.project.cycles()]),
        ("toolchain pins that disagree or cannot be read", list(_pin_lines(found))),
    ]
    for title, places in sections:
        if places:
            yield from _section(f"! {title}: {len(places)}", places, shown)
    limits = found.limits()
    if limits:
        total = sum(limit.times for limit in limits)
        rows = [f"{limit.times} × {limit.option} {limit.value}" for limit in limits]
        yield from _section(f"limits set: {total}", rows, shown)
    yield ""
    wrong = [title for title, places in sections if places]
    yield f"deserves a look: {', '.join(wrong)}" if wrong else "nothing deserves a look"


def _section(title: str, rows: list[str], shown: int | None) -> Iterator[str]:
    yield ""
    yield title
    yield from (f"  {row}" for row in rows[:shown])
    if shown is not None and len(rows) > shown:
        yield f"  and {len(rows) - shown} more (--all shows them)"


def _head(found: ProjectScan) -> Iterator[str]:
    lakefile, kinds = found.project.lakefile, found.kinds()
    read = "" if lakefile.exact else ", a program: read as text"
    yield f"{lakefile.name} ({os.path.basename(lakefile.path)}{read})"
    sizes = ((len(found.project.modules), "module"), (len(found.files), "file"), (found.lines, "line"))
    yield "  " + ", ".join(show_count(*size) for size in sizes)
    listed = ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common())
    yield f"  {show_count(sum(kinds.values()), 'declaration')}" + (f": {listed}" if listed else "")
    for lib in lakefile.libs:
        yield f"  lean_lib {lib.name}: {', '.join(map(str, lib.globs)) or 'no roots'}"
    for exe in lakefile.exes:
        yield f"  lean_exe {exe.name}: {exe.root}"
    if len(found.pins.versions) == 1:
        pins = len(found.pins.pins)
        yield f"  Lean {found.pins.versions[0]} ({show_count(pins, 'pin')})"
    elif not found.pins.versions:
        yield "  Lean: not pinned"


def _mark_places(found: ProjectScan, kind: str) -> list[str]:
    return [_mark_line(path, mark) for path, mark in found.marks(kind)]


def _mark_line(path: str, mark: Mark) -> str:
    place = f"{path}:{mark.line}" if mark.line else path
    what = f"{mark.text} {mark.value}".rstrip()
    return f"{place}  {what}" + (f"  in {mark.declaration}" if mark.declaration else "")


def _pin_lines(found: ProjectScan) -> Iterator[str]:
    pins = found.pins
    if len(pins.versions) > 1:
        for pin in pins.pins:
            of = f"{pin.package} " if pin.package else ""
            yield f"{pin.path}: {of}{pin.written}"
    yield from pins.stale
    yield from pins.unreadable


def as_data(found: ProjectScan) -> dict[str, Any]:
    """Return the whole scan as JSON data; lines count from 1, columns from 0, line 0 is the whole file."""
    project, pins = found.project, found.pins
    return {
        "schema_version": SCHEMA_VERSION,
        "root": project.root,
        "name": project.lakefile.name,
        "lakefile": {
            "path": os.path.basename(project.lakefile.path),
            "exact": project.lakefile.exact,
            "libs": [
                {"name": lib.name, "src_dir": lib.src_dir, "roots": list(lib.roots),
                 "globs": [str(glob) for glob in lib.globs]}
                for lib in project.lakefile.libs
            ],
            "exes": [
                {"name": e.name, "src_dir": e.src_dir, "root": e.root} for e in project.lakefile.exes
            ],
            "requires": [
                {"name": r.name, "kind": r.kind, "source": r.source, "rev": r.rev}
                for r in project.lakefile.requires
            ],
        },
        "clean": found.is_clean,
        "lines": found.lines,
        "kinds": dict(found.kinds().most_common()),
        "files": [_file_data(file, found) for file in found.files],
        "marks": [
            {"path": path, **_mark_data(mark)}
            for kind in ("sorry", "native", "unchecked", "limit")
            for path, mark in found.marks(kind)
        ],
        "axioms": [
            {"path": path, "line": d.line, "column": d.column, "name": d.name} for path, d in found.axioms()
        ],
        "limits": [
            {"option": limit.option, "value": limit.value, "count": limit.times} for limit in found.limits()
        ],
        "missing_citations": [{"path": c.path, "line": c.line, "name": c.name} for c in found.citations],
        "stray": list(project.stray),
        "cycles": [list(cycle) for cycle in project.cycles()],
        "problems": [
            {"code": p.code, "path": p.path, "line": p.line, "column": p.column, "message": p.message,
             "hint": p.hint}
            for p in project.problems
        ],
        "pins": {
            "agree": pins.agree,
            "versions": list(pins.versions),
            "all": [
                {"path": p.path, "package": p.package or None, "written": p.written, "lean": p.lean}
                for p in pins.pins
            ],
            "stale": list(pins.stale),
            "unreadable": list(pins.unreadable),
        },
    }  # fmt: skip


def _file_data(file: FileScan, found: ProjectScan) -> dict[str, Any]:
    module = found.project.modules.get(file.module)
    return {
        "path": file.path,
        "module": file.module or None,
        "target": module.lib if module else None,
        "is_module": module.header.is_module if module else None,
        "lines": file.source.lines,
        "imports": _imports(module.header.imports) if module else None,
        "declarations": [
            {"name": d.name or None, "kind": d.kind, "line": d.line, "column": d.column,
             "private": d.is_private, "protected": d.is_protected, "attributes": d.attributes}
            for d in file.source.declarations
        ],
    }  # fmt: skip


def _imports(imports: Iterable[Import]) -> list[dict[str, Any]]:
    return [
        {"module": i.module, "line": i.line, "public": i.public, "meta": i.meta, "all": i.all}
        for i in imports
    ]


def _mark_data(mark: Mark) -> dict[str, Any]:
    return {
        "kind": mark.kind, "line": mark.line, "column": mark.column, "text": mark.text,
        "value": mark.value or None, "declaration": mark.declaration or None,
    }  # fmt: skip
