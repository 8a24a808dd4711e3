"""`tracker add`: obligations for declarations that the project has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tracker.cli.options import json_option, make_workspace, print_json
from tracker.errors import UsageError

if TYPE_CHECKING:
    from tracker.catalogue.model import Catalogue
    from tracker.importers.append import CatalogueFile
    from tracker.importers.declared import Declarations, Declared
    from tracker.importers.drafts import Draft

SCHEMA_VERSION = 1


@click.command()
@click.argument("declarations", nargs=-1, required=True, metavar="DECL…")
@click.option(
    "--kind", metavar="KIND", help="Their kind (default: by name, else as the file's defaults say)."
)
@click.option("--net", metavar="NET", help="The net they belong to.")
@click.option("--tier", metavar="TIER", help="The tier they belong to.")
@click.option("--file", "target", metavar="FILE", help="The catalogue file (default: that of their module).")
@click.option("--claims", is_flag=True, help="Also claim the uses as they are counted, and proofs by rfl.")
@click.option("--dry-run", is_flag=True, help="Print what would be written, and write nothing.")
@click.option("--project", metavar="DIR", help="The Lake project (default: tracker.toml, else lean/).")
@click.option("--catalogue", metavar="PATH", help="The catalogue (default: obligations/).")
@json_option
def add(
    declarations: tuple[str, ...],
    kind: str | None,
    net: str | None,
    tier: str | None,
    target: str | None,
    claims: bool,
    dry_run: bool,
    as_json: bool,
    project: str | None,
    catalogue: str | None,
) -> int:
    """Append obligations for declarations of the project: their modules and edges are found, not typed.

    DECL is a full name, the end of one, or a pattern in which `*` stands for any characters. Dependencies are
    the obligations that a declaration's source refers to, as Lean's index has them where the module is
    compiled; what is used through declarations outside of the catalogue counts too. The text of the file
    is kept as it is; nothing is written unless the catalogue is sound with it. Starts no Lean.

    Exit code 0; 2 when a name leads nowhere or is in the catalogue already.

    \b
    tracker add MyProject.main_theorem --kind capstone
    tracker add 'MyProject.Nets.ViT.*_vjp' --net vit --tier T6 --claims
    tracker add main_theorem --dry-run
    """
    from tracker.importers.append import appended, replacing, verify
    from tracker.importers.declared import read_declarations
    from tracker.lean.scan.project import scan_project

    workspace = make_workspace(project=project, catalogue=catalogue)
    known = workspace.catalogue
    found = read_declarations(scan_project(str(workspace.settings.project)))
    chosen = _chosen(found, declarations, known)
    places = workspace.settings.catalogue
    files = {d.module: _file_of(d.module, known, places[0], target) for d in chosen}
    labels = {"kind": kind, "net": net, "tier": tier}
    drafts = _drafts(chosen, files, known, found, labels, claims=claims)
    texts: dict[Path, str] = {}
    groups: dict[Path, list[Draft]] = {}
    for draft in drafts:
        groups.setdefault(files[draft.module].file, []).append(draft)
    for file in files.values():
        texts[file.file] = appended(file, groups[file.file])
    if not dry_run:
        with replacing(texts):
            verify(places, known, drafts)
    if as_json:
        print_json(_as_json(groups, found, dry_run))
    else:
        _print(groups, files, found, workspace.settings.state, dry_run)
    return 0


def _chosen(found: Declarations, names: Sequence[str], known: Catalogue) -> list[Declared]:
    """Return what is named and no obligation yet. Raises UsageError when a name is one, or none is left."""
    from tracker.importers.declared import canonical
    from tracker.importers.selection import named

    obligations = {canonical(ob.decl): ob for ob in known}
    plain = named(found, [name for name in names if "*" not in name])
    for declared in plain:
        if (ob := obligations.get(declared.name)) is not None:
            message = f"`{declared.name}` is the obligation `{ob.id}` at {ob.source} already"
            raise UsageError("ALREADY-THERE", message, f"`tracker show {ob.id}` shows it")
    hits = named(found, [name for name in names if "*" in name])
    chosen = [d for d in dict.fromkeys([*plain, *hits]) if d.name not in obligations]
    if not chosen:
        raise UsageError("ALREADY-THERE", "all that match are obligations already", "`tracker status --all`")
    return chosen


def _file_of(module: str, known: Catalogue, root: Path, target: str | None) -> CatalogueFile:
    """Return the file to append to: the one named, that with most obligations of the module, or a new one."""
    from tracker.importers.append import CatalogueFile, read_file
    from tracker.lean.header import split_name

    counts = Counter(ob.source.file for ob in known.by_module.get(module, ()))
    if target is not None:
        file = Path(target)
    elif counts:
        file = Path(counts.most_common(1)[0][0])
    elif root.is_dir():
        file = root.joinpath(*split_name(module)).with_suffix(".yaml")
    else:
        file = root
    file = Path.cwd() / file
    return read_file(file) if file.exists() else CatalogueFile(file, "", {})


def _drafts(
    chosen: Sequence[Declared],
    files: Mapping[str, CatalogueFile],
    known: Catalogue,
    found: Declarations,
    labels: Mapping[str, str | None],
    *,
    claims: bool,
) -> list[Draft]:
    from dataclasses import replace

    from tracker.importers.declared import canonical
    from tracker.importers.drafts import with_edges
    from tracker.importers.selection import drafts_of

    for axis, plural in (("kind", known.kinds), ("net", known.nets), ("tier", known.tiers)):
        _check_label(axis, labels[axis], plural)
    drafts = []
    for draft in drafts_of(
        chosen,
        lambda d: labels["kind"] or _kind(d, files[d.module].defaults, known),
        known.obligations,
        net=labels["net"] or "",
    ):
        defaults = files[draft.module].defaults
        net, tier = (str(labels[key] or defaults.get(key) or "") for key in ("net", "tier"))
        drafts.append(replace(draft, net=net, tier=tier))
    ids = {canonical(ob.decl): ob.id for ob in known} | {draft.decl: draft.id for draft in drafts}
    edges = {ob.id: ob.depends_on for ob in known}
    return with_edges(drafts, found, ids, edges, claims=claims)


def _check_label(axis: str, name: str | None, known: Mapping[str, Any]) -> None:
    from tracker.catalogue.suggest import did_you_mean

    if name is not None and name not in known and (known or axis == "kind"):
        hint = did_you_mean(name, known) or f"declare it under `{axis}s:`, or use one of {', '.join(known)}"
        raise UsageError("UNKNOWN-LABEL", f"the catalogue has no {axis} `{name}`", hint)


def _kind(declared: Declared, defaults: Mapping[str, Any], known: Catalogue) -> str:
    from tracker.importers.drafts import general_kind
    from tracker.importers.selection import guessed_kind

    for kind in (guessed_kind(declared), defaults.get("kind", ""), general_kind(declared)):
        if kind in known.kinds and _may_be(declared, known.kinds[kind].expects):
            return kind
    raise UsageError(
        "NO-KIND",
        f"what sort of obligation is `{declared.name}`?",
        f"--kind, one of {', '.join(known.kinds)}",
    )


def _may_be(declared: Declared, expected: str | None) -> bool:
    """Return whether the keyword allows what a kind expects; of an instance, only Lean knows what it is."""
    from tracker.importers.declared import THEOREMS

    if expected is None or declared.kind not in (*THEOREMS, "def", "abbrev", "axiom"):
        return True
    return (expected == "theorem") == (declared.kind in THEOREMS)


def _print(
    groups: Mapping[Path, Sequence[Draft]],
    files: Mapping[str, CatalogueFile],
    found: Declarations,
    state: Path,
    dry_run: bool,
) -> None:
    from tracker.importers.drafts import entry_lines
    from tracker.store.history import has_store

    defaults = {file.file: file.defaults for file in files.values()}
    for file, drafts in groups.items():
        click.echo(f"{_shown(file)}: {len(drafts)} {'would be ' if dry_run else ''}added")
        for draft in drafts:
            for line in entry_lines(draft, defaults[file]):
                click.echo(line)
    for text in _remarks([d for drafts in groups.values() for d in drafts], found, has_store(state)):
        click.echo(text, err=True)


def _remarks(drafts: Sequence[Draft], found: Declarations, recorded: bool) -> list[str]:
    """What the user should know: whose edges are not known, and what has `sorry`."""
    blind = sorted({draft.module for draft in drafts} - found.compiled)
    remarks = []
    if blind:
        some = ", ".join(blind[:3]) + (f" and {len(blind) - 3} more" if len(blind) > 3 else "")
        cure = found.how_to_compile(blind, recorded=recorded)
        remarks.append(
            f"not compiled as they are, so without `depends_on`: {some}; after {cure} see `tracker edges`"
        )
    sorry = [draft.id for draft in drafts if found.by_name[draft.decl].sorry]
    if sorry:
        remarks.append(f"there is a `sorry` in {', '.join(sorry[:5])}")
    return remarks


def _shown(file: Path) -> str:
    try:
        return str(file.relative_to(Path.cwd()))
    except ValueError:
        return str(file)


def _as_json(groups: Mapping[Path, Sequence[Draft]], found: Declarations, dry_run: bool) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "written": not dry_run,
        "obligations": [
            {
                "id": d.id, "decl": d.decl, "module": d.module, "kind": d.kind, "net": d.net or None,
                "tier": d.tier or None, "depends_on": list(d.depends_on), "claims": dict(d.claims),
                "proof": d.proof or None, "file": _shown(file), "compiled": d.module in found.compiled,
            }
            for file, drafts in groups.items()
            for d in drafts
        ],
    }  # fmt: skip
