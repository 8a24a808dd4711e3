"""Which declarations become obligations, and what is known of each before its edges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from tracker.catalogue.families import glob
from tracker.catalogue.model import STANDARD_AXIOMS
from tracker.catalogue.suggest import did_you_mean
from tracker.errors import UsageError
from tracker.importers.cited import Cited, find
from tracker.importers.declared import THEOREMS, Declarations, Declared, canonical
from tracker.importers.drafts import Draft, general_kind, kind_by_name, make_ids, net_of

KindOf = Callable[[Declared], str]


def theorems(found: Declarations) -> list[Declared]:
    """Return every theorem of the project's default targets; of all its targets where it names none."""
    modules = found.project.default_modules or found.project.modules
    return [d for d in found.by_name.values() if d.kind in THEOREMS and d.module in modules]


def matching(found: Declarations, patterns: Iterable[str]) -> dict[str, str | None]:
    """Return the declarations of targets that patterns `GLOB` or `GLOB=KIND` match, each with that kind.

    Patterns match whole names, `*` standing for any characters; the first that fits counts. Raises UsageError
    for one that matches nothing.
    """
    chosen: dict[str, str | None] = {}
    for pattern in patterns:
        names, _, kind = pattern.partition("=")
        fits = glob(names).fullmatch
        hits = [d.name for d in found.by_name.values() if d.module and d.kind != "alias" and fits(d.name)]
        if not hits:
            hint = did_you_mean(names.replace("*", ""), found.by_name)
            raise UsageError(
                "NO-MATCH",
                f"no declaration of the project's targets matches `{names}`",
                hint or "patterns match whole names, namespace included; `*` stands for any characters",
            )
        for name in hits:
            chosen.setdefault(name, kind or None)
    return chosen


def named(found: Declarations, names: Iterable[str]) -> list[Declared]:
    """Return the declarations with these names, or the only ones that end so; a name with `*` is a pattern.

    Raises UsageError, telling all names that lead nowhere.
    """
    chosen: dict[str, Declared] = {}
    unknown = []
    for name in names:
        if "*" in name:
            chosen |= {n: found.by_name[n] for n in matching(found, [name])}
            continue
        hit = find(Cited(name, "", 0, ""), found)
        if hit is None or not hit.module:
            unknown.append((name, hit))
        else:
            chosen[hit.name] = hit
    if unknown:
        first, *rest = [_unknown(name, hit, found) for name, hit in unknown]
        hint = "`tracker scan --json` lists all of them"
        raise UsageError("NO-SUCH-DECLARATION", first, hint, lines=rest)
    return list(chosen.values())


def _unknown(name: str, hit: Declared | None, found: Declarations) -> str:
    if hit is not None:
        return f"`{name}` is at {hit.path}:{hit.line}, in no target of the project"
    ending = [full for full in found.by_name if full.endswith(f".{canonical(name)}")]
    if ending:
        return f"`{name}` may be any of {', '.join(ending[:4])}"
    hint = did_you_mean(name, found.by_name)
    return f"the project declares no public `{name}`" + (f"; {hint}" if hint else "")


def drafts_of(
    chosen: Iterable[Declared], kind_of: KindOf, taken: Iterable[str] = (), *, net: str | None = None
) -> list[Draft]:
    """Return a draft for each declaration, without edges. `net` None takes the net from the module's path."""
    picked = list(chosen)
    ids = make_ids([d.name for d in picked], set(taken))
    return [
        Draft(ids[d.name], d.name, d.module, kind_of(d), net=net_of(d.module) if net is None else net)
        for d in picked
    ]


def guessed_kind(declared: Declared) -> str:
    """Return the kind that the name tells, else `theorem` or `definition`."""
    by_name = kind_by_name(declared.name)
    fits = declared.kind in THEOREMS or by_name == "stage-witness"  # the other kinds are of theorems
    return by_name if by_name is not None and fits else general_kind(declared)


def with_citations(drafts: Sequence[Draft], cited: Iterable[Cited], found: Declarations) -> list[Draft]:
    """Return the drafts with title, source, dependencies and axioms as the citations of them say."""
    by_decl: dict[str, list[Cited]] = {}
    for each in cited:
        if (declared := find(each, found)) is not None:
            by_decl.setdefault(declared.name, []).append(each)
    ids = {draft.decl: draft.id for draft in drafts}
    return [_with(draft, by_decl.get(draft.decl, ()), ids, found) for draft in drafts]


def _with(draft: Draft, cited: Iterable[Cited], ids: Mapping[str, str], found: Declarations) -> Draft:
    for each in cited:
        meant = [find(replace(each, name=name), found) for name in each.uses]
        uses = [ids[d.name] for d in meant if d is not None and d.name in ids]
        draft = replace(
            draft,
            summary=draft.summary or each.title,
            sources=tuple(dict.fromkeys([*draft.sources, each.place])),
            depends_on=tuple(dict.fromkeys([*draft.depends_on, *uses])),
            allowed_axioms=_axioms(each) if draft.allowed_axioms is None else draft.allowed_axioms,
        )
    return draft


def _axioms(cited: Cited) -> tuple[str, ...] | None:
    """Return the axioms to be allowed, None for the standard ones; no catalogue allows `sorryAx`."""
    if cited.axioms is None or set(cited.axioms) == STANDARD_AXIOMS or "sorryAx" in cited.axioms:
        return None
    return cited.axioms
