"""`tracker init`: a first catalogue, from what the project declares and what other files cite of it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tracker.cli.options import json_option, print_json
from tracker.config import CONFIG_NAME, load_settings
from tracker.errors import UsageError
from tracker.units import show_count

if TYPE_CHECKING:
    from tracker.importers.cited import Citations, Overclaim
    from tracker.importers.declared import Declarations, Declared
    from tracker.importers.drafts import Draft

SCHEMA_VERSION = 1
_SHOWN = 30


@dataclass(frozen=True)
class _Made:
    """What init writes, and what it has to say."""

    texts: Mapping[Path, str]
    drafts: Sequence[Draft]
    files: Sequence[str]
    """What was read with --from."""
    overclaims: Sequence[Overclaim]
    planned: int
    """Cited declarations that are not there, and not claimed to be."""
    uncompiled: int
    """Modules of the new obligations that are not compiled as they are."""
    cure: str
    """The command that compiles them."""


@click.command()
@click.option(
    "--from", "sources", multiple=True, metavar="PATH", help="A project or file that cites; may be repeated."
)
@click.option(
    "--match", "patterns", multiple=True, metavar="GLOB[=KIND]",
    help="Take the declarations with such full names (`*` is any text); may be repeated.",
)  # fmt: skip
@click.option(
    "--project", metavar="DIR", help="The Lake project (default: here, else lean/, else that of --from)."
)
@click.option(
    "--catalogue", metavar="DIR", default="obligations", help="Where the catalogue goes (obligations/)."
)
@click.option("--claims", is_flag=True, help="Also claim the uses as they are counted, and proofs by rfl.")
@click.option("--force", is_flag=True, help="Replace the catalogue's files that are there.")
@click.option("--dry-run", is_flag=True, help="Print what would be written, and write nothing.")
@click.option(
    "--strict", is_flag=True, help="Exit with 1 when a cited file claims more than the sources hold."
)
@json_option
def init(
    sources: tuple[str, ...],
    patterns: tuple[str, ...],
    project: str | None,
    catalogue: str,
    claims: bool,
    force: bool,
    dry_run: bool,
    strict: bool,
    as_json: bool,
) -> int:
    """Write tracker.toml and a first catalogue for a Lake project. Asks nothing and starts no Lean.

    Without --from or --match every theorem of the default targets becomes an obligation. With --from they
    are the declarations that files below PATH cite: formalization.yaml, `#print axioms` in .lean files,
    \\lean{…} of a leanblueprint in .tex files. Where these claim more than the sources hold (a declaration
    that is not there, a \\leanok on a proof with `sorry`, …) it is said with file and line.

    Dependencies are what Lean's index of compiled modules has, and \\uses{…}. Kinds are guessed from names,
    else `theorem` and `definition`.

    Exit code 0; 1 with --strict when something is claimed that is not so; 2 when a file is there already.

    \b
    tracker init
    tracker init --dry-run
    tracker init --from . --strict
    tracker init --from blueprint/src --from formalization.yaml
    tracker init --match 'MyProject.*_vjp=tie' --match 'MyProject.Main.*'
    """
    here = Path.cwd()
    root = _project(here, project, sources)
    made = _make(here, root, sources, patterns, Path(catalogue), claims=claims)
    if not dry_run:
        _write(made, here / catalogue, force)
    if as_json:
        print_json(_as_json(made, here, dry_run))
    else:
        _print(made, here, dry_run)
    return 1 if strict and made.overclaims else 0


def _project(here: Path, given: str | None, sources: Sequence[str]) -> Path:
    """Return the root of the Lake project that is meant. Raises ProjectError when there is none."""
    from tracker.lean.project import find_root

    lakefiles = ("lakefile.toml", "lakefile.lean")
    if given is not None:
        return Path(find_root(given))
    for place in (here, here / "lean"):
        if any((place / name).is_file() for name in lakefiles):
            return place
    missing = [source for source in sources if not os.path.exists(source)]
    if missing:
        raise UsageError("NO-SUCH-FILE", f"{missing[0]}: no such file or directory")
    return Path(find_root(sources[0] if sources else here))


def _make(
    here: Path, root: Path, sources: Sequence[str], patterns: Sequence[str], catalogue: Path, *, claims: bool
) -> _Made:
    from tracker.importers.cited import Citations, find, overclaims, read_citations
    from tracker.importers.declared import read_declarations
    from tracker.importers.drafts import with_edges
    from tracker.importers.selection import drafts_of, guessed_kind, with_citations
    from tracker.lean.scan.project import scan_project
    from tracker.store.history import has_store

    scan = scan_project(str(root))
    found = read_declarations(scan)
    cited = sum((read_citations(Path(source), here) for source in sources), Citations())
    chosen = _chosen(found, cited, sources, patterns)
    drafts = drafts_of(chosen, lambda d: chosen[d] or guessed_kind(d))
    drafts = with_citations(drafts, cited.cited, found)
    drafts = with_edges(drafts, found, {d.decl: d.id for d in drafts}, {}, claims=claims)
    planned = {c.name for c in cited.cited if not c.stated and find(c, found) is None}
    uncompiled = {draft.module for draft in drafts} - found.compiled
    recorded = bool(uncompiled) and has_store(load_settings(here).state)
    return _Made(
        texts=_texts(here, root, catalogue, drafts),
        drafts=drafts,
        files=cited.files,
        overclaims=overclaims(cited, found, scan),
        planned=len(planned),
        uncompiled=len(uncompiled),
        cure=found.how_to_compile(uncompiled, recorded=recorded),
    )


def _chosen(
    found: Declarations, cited: Citations, sources: Sequence[str], patterns: Sequence[str]
) -> dict[Declared, str | None]:
    """Return the declarations to be obligations, each with its kind if one is given, in written order."""
    from tracker.importers.cited import find
    from tracker.importers.selection import matching, theorems

    wanted: dict[str, str | None] = matching(found, patterns) if patterns else {}
    for each in cited.cited:
        declared = find(each, found)
        if declared is not None and declared.module:
            wanted.setdefault(declared.name, None)
    if not patterns and not sources:
        wanted = dict.fromkeys((d.name for d in theorems(found)), None)
    if not wanted:
        what = "nothing that they cite is declared in a target of the project" if cited.files else (
            "no formalization.yaml, `#print axioms` or \\lean{…} was found there"
            if sources else "the project's targets declare no theorem"
        )  # fmt: skip
        lost = [f"  {c.path}:{c.line}: {c.name}" for c in cited.cited]
        more = [f"  and {len(lost) - _SHOWN} more"] if len(lost) > _SHOWN else []
        hint = "choose declarations by name: --match 'MyProject.*'"
        raise UsageError("NOTHING-FOUND", what, hint, lines=[*lost[:_SHOWN], *more])
    return {d: wanted[d.name] for d in found.by_name.values() if d.name in wanted}


def _texts(here: Path, root: Path, catalogue: Path, drafts: Sequence[Draft]) -> dict[Path, str]:
    from tracker.importers.drafts import GENERAL_KINDS, file_text, scalar
    from tracker.lean.header import split_name

    project = os.path.relpath(root, here)
    texts = {}
    if not (here / CONFIG_NAME).exists():  # it may hold much more by now
        texts[here / CONFIG_NAME] = (
            "# Where `tracker` finds things; any key can be given on the command line, or as TRACKER_<KEY>.\n"
            f"[tracker]\nproject = {_toml(project)}\ncatalogue = {_toml(str(catalogue))}\n"
            f"lock = {_toml(str(catalogue / 'statements.lock'))}\n"
        )
    used = {draft.kind for draft in drafts}
    general = [kind for name, kind in GENERAL_KINDS.items() if name in used]
    lines = ["# What the obligations are sorted by.", "", "kinds:"]
    for kind in general:
        expects = f", expects: {kind.expects}" if kind.expects else ""
        lines.append(f"  {scalar(kind.name)}: {{title: {kind.title}, order: {kind.order}{expects}}}")
    if general:
        texts[here / catalogue / "project.yaml"] = "\n".join(lines) + "\n"
    modules: dict[str, list[Draft]] = {}
    for draft in drafts:
        modules.setdefault(draft.module, []).append(draft)
    for module, members in modules.items():
        file = here / catalogue / Path(*split_name(module)).with_suffix(".yaml")
        if file in texts:
            file = file.with_suffix(".module.yaml")
        texts[file] = file_text(members, f"Obligations of {module}.")
    return texts


def _toml(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False)


def _write(made: _Made, catalogue: Path, force: bool) -> None:
    from tracker.importers.append import replacing, verify

    there = [file for file in made.texts if file.exists()]
    if catalogue.is_dir():
        there += [f for f in sorted(catalogue.rglob("*.y*ml")) if f not in there]
    if there and not force:
        raise UsageError(
            "ALREADY-THERE",
            f"{there[0]} is there already"
            + (f", and {show_count(len(there) - 1, 'more file')}" if len(there) > 1 else ""),
            "`tracker add` adds to a catalogue; --force replaces files of the same names; or --catalogue DIR",
        )
    with replacing(made.texts):
        verify([catalogue], None, made.drafts)


def _print(made: _Made, here: Path, dry_run: bool) -> None:
    for overclaim in made.overclaims[:_SHOWN]:
        click.echo(str(overclaim), err=True)
    if len(made.overclaims) > _SHOWN:
        click.echo(f"and {len(made.overclaims) - _SHOWN} more; --json has all", err=True)
    if dry_run:
        for file, text in made.texts.items():
            click.echo(f"# ---- {os.path.relpath(file, here)}\n{text}")
    edges = sum(len(draft.depends_on) for draft in made.drafts)
    verb = "would write" if dry_run else "wrote"
    files, obligations = show_count(len(made.texts), "file"), show_count(len(made.drafts), "obligation")
    click.echo(f"{verb} {files}: {obligations} with {show_count(edges, 'dependency', 'dependencies')}")
    if made.files:
        files = show_count(len(made.files), "file that cites", "files that cite")
        click.echo(f"read {files}: {_count(made.overclaims)}")
    if made.planned:
        planned = show_count(made.planned, "cited declaration is", "cited declarations are")
        click.echo(f"{planned} not there yet, and not claimed to be: left out")
    if made.uncompiled:
        modules = show_count(made.uncompiled, "module is", "modules are")
        click.echo(
            f"{modules} not compiled as written, so that dependencies are not known: "
            f"after {made.cure} see `tracker edges`"
        )
    if not dry_run:
        click.echo("next: `tracker check`, then `tracker run`")


def _count(overclaims: Sequence[Overclaim]) -> str:
    n = len(overclaims)
    claims = show_count(n, "claim is", "claims are")
    return f"{claims} more than the sources hold" if n else "the sources hold all that they claim"


def _as_json(made: _Made, here: Path, dry_run: bool) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "written": not dry_run,
        "files": [{"path": os.path.relpath(f, here), "text": text} for f, text in made.texts.items()],
        "obligations": [
            {"id": d.id, "decl": d.decl, "module": d.module, "kind": d.kind, "depends_on": list(d.depends_on)}
            for d in made.drafts
        ],
        "cited_files": list(made.files),
        "overclaims": [o._asdict() for o in made.overclaims],
        "planned": made.planned,
        "modules_not_compiled": made.uncompiled,
    }
