"""What needs the whole catalogue: names given twice, names that lead nowhere, circles, families."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tracker.catalogue.chains import RawChain, check_dims, read_sums, resolve_chains
from tracker.catalogue.diagnostics import Report
from tracker.catalogue.expand import Member, with_dependencies
from tracker.catalogue.families import RawFamily, resolve_families
from tracker.catalogue.fields import Entry
from tracker.catalogue.graph import cycles
from tracker.catalogue.lint import lint
from tracker.catalogue.model import BUILTIN_KINDS, Catalogue, ClaimGroup, Label, Obligation, Source
from tracker.catalogue.names import is_lean_name
from tracker.catalogue.shapes import Reader
from tracker.catalogue.suggest import did_you_mean

_SUGGESTIONS = 100  # each costs milliseconds in a large catalogue; the first ones are enough

_ONE = {"kinds": "kind", "nets": "net", "tiers": "tier"}


@dataclass
class Collected:
    """What the files held, before it is joined.

    `incomplete` says that a file could not be read at all, `nameless` that an entry's id could
    not be: references that lead nowhere may then be somebody else's fault and are not reported.
    """

    obligations: dict[str, Obligation] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    optional: dict[str, tuple[str, ...]] = field(default_factory=dict)
    labels: dict[str, dict[str, Label]] = field(
        default_factory=lambda: {"kinds": {}, "nets": {}, "tiers": {}}
    )
    families: dict[str, RawFamily] = field(default_factory=dict)
    chains: list[RawChain] = field(default_factory=list)
    sums: list[tuple[Entry, Reader]] = field(default_factory=list)
    incomplete: bool = False
    nameless: bool = False

    def add_member(self, member: Member, reader: Reader) -> None:
        """Take an obligation, or the id of one that could not be built."""
        made = member.obligation
        if made is None:
            self.broken.add(member.id)
            return
        first = self.obligations.setdefault(member.id, made)
        if first is not made:
            message = f"the id `{member.id}` is already given at {first.source}"
            reader.report.add("duplicate-id", made.where("id"), message, "rename one, or remove it")
        elif member.optional:
            self.optional[member.id] = member.optional

    def drop_absent_neighbours(self) -> None:
        """Leave out the dependencies on neighbours beyond a family's ends that no obligation is."""
        for ident, names in self.optional.items():
            ob = self.obligations[ident]
            gone = {name for name in names if name not in self.obligations and name not in self.broken}
            kept = {
                dep: ob.where(f"depends_on[{i}]") for i, dep in enumerate(ob.depends_on) if dep not in gone
            }
            places = [(at.line, at.column) for at in kept.values()]
            positions = with_dependencies(ob.positions, places)
            self.obligations[ident] = replace(ob, depends_on=tuple(kept), positions=positions)

    def add_labels(self, section: str, raw: Mapping[str, Any], reader: Reader) -> None:
        """Take the kinds, nets or tiers that a file declares."""
        known = self.labels[section]
        for name, value in raw.items():
            source = Source(reader.file, *reader.positions[f"{section}.{name}"])
            if name in known:
                message = f"the {_ONE[section]} `{name}` is already declared at {known[name].source}"
                reader.report.add("duplicate-label", source, message, "keep one of the two")
                continue
            given: dict[str, Any] = {"title": value} if isinstance(value, str) else value
            order: int = given.get("order", 1000 + len(known))
            known[name] = Label(name, given.get("title", name), order, given.get("expects"), source)

    def add_families(self, entries: Iterable[Entry], reader: Reader) -> None:
        """Take the families that a file declares."""
        for entry in entries:
            family = RawFamily.read(entry, reader)
            if family is None:
                self.nameless = True
                continue
            first = self.families.setdefault(family.id, family)
            if first is not family:
                message = f"the family `{family.id}` is already given at {first.where('id')}"
                reader.report.add("duplicate-id", family.where("id"), message, "rename one, or remove it")


def resolve(collected: Collected, report: Report, files: tuple[str, ...]) -> Catalogue:
    """Return the catalogue; it is whole only if nothing was reported as an error."""
    collected.drop_absent_neighbours()
    obligations = collected.obligations
    if not obligations and not collected.broken and not collected.incomplete and not report.errors:
        place = Source(files[0] if files else "obligations", 1, 1)
        report.add(
            "no-obligations", place, "the catalogue has no obligations", "write some under `obligations:`"
        )
    _check_names(collected, report)
    labels = _labels(collected, report)
    if not collected.incomplete and not collected.nameless:
        _check_dependencies(collected, report)
        _check_claims(collected, report)
    _check_axioms(collected, report)
    obligations = _with_declarations(obligations, report)
    _check_cycles(obligations, report)
    catalogue = Catalogue(obligations, *labels, families={}, files=files)
    whole = not (collected.incomplete or collected.nameless or collected.broken)
    families = resolve_families(collected.families, catalogue, report, whole)
    check_dims(catalogue, report)
    chains = resolve_chains(collected.chains, catalogue, collected.broken, report, whole)
    sums = read_sums(collected.sums)
    catalogue = replace(catalogue, families=families, chains=chains, sums=sums)
    if not report.errors:
        lint(catalogue, report)
    return catalogue


def _labels(
    collected: Collected, report: Report
) -> tuple[dict[str, Label], dict[str, Label], dict[str, Label]]:
    """Check every kind, net and tier, and return them in report order."""
    declared = collected.labels
    kinds = {label.name: label for label in BUILTIN_KINDS} | declared["kinds"]
    suggest = _Suggest()
    used: dict[str, dict[str, Label]] = {"net": {}, "tier": {}}
    for ob in collected.obligations.values():
        if ob.kind not in kinds:
            hint = suggest(ob.kind, kinds) or f"declare it under `kinds:`, or use one of {', '.join(kinds)}"
            report.add("unknown-kind", ob.where("kind"), f"the kind `{ob.kind}` is not declared", hint)
        for axis, names in used.items():
            name = getattr(ob, axis)
            if name is None or name in names:
                continue
            known = declared[f"{axis}s"]
            if known and name not in known:
                hint = suggest(name, known) or f"declare it under `{axis}s:`"
                report.add(f"unknown-{axis}", ob.where(axis), f"the {axis} `{name}` is not declared", hint)
            else:
                names[name] = known.get(name) or Label(name, name, len(names))
    nets, tiers = declared["nets"] or used["net"], declared["tiers"] or used["tier"]
    return _by_order(kinds), _by_order(nets), _by_order(tiers)


def _by_order(labels: Mapping[str, Label]) -> dict[str, Label]:
    return {label.name: label for label in sorted(labels.values(), key=lambda label: label.order)}


def _check_names(collected: Collected, report: Report) -> None:
    """Two obligations for one declaration, or an older name that is somebody's newer one."""
    owner: dict[str, Obligation] = {}
    for ob in collected.obligations.values():
        first = owner.setdefault(ob.decl, ob)
        if first is not ob:
            message = f"the declaration `{ob.decl}` already belongs to `{first.id}` at {first.source}"
            report.add("duplicate-decl", ob.where("decl"), message, "keep one obligation for a declaration")
    aliased: dict[str, Obligation] = {}
    for ob in collected.obligations.values():
        for i, alias in enumerate(ob.aliases):
            other = owner.get(alias.name) or aliased.get(alias.name)
            aliased.setdefault(alias.name, ob)
            if other is not None:
                whose = "its own current name" if other is ob else f"a name of `{other.id}` at {other.source}"
                message = f"the alias `{alias.name}` is also {whose}"
                report.add(
                    "alias-clash", ob.where(f"aliases[{i}]"), message, "keep it for one obligation only"
                )


def _with_declarations(obligations: Mapping[str, Obligation], report: Report) -> dict[str, Obligation]:
    """Return the obligations with each claim on an id or older name turned into one on its declaration."""
    decl_of = {alias.name: ob.decl for ob in obligations.values() for alias in ob.aliases}
    decl_of |= {ob.decl: ob.decl for ob in obligations.values()}
    decl_of |= {ob.id: ob.decl for ob in obligations.values()}
    result = dict(obligations)
    for ob in obligations.values():
        if not ob.claims and not ob.claim_groups:
            continue
        claims: dict[str, int] = {}
        positions = dict(ob.positions)
        for name, count in ob.claims.items():
            decl = decl_of.get(name, name)
            if decl in claims:
                message = f"`{ob.id}` claims uses of `{decl}` twice, under two names"
                report.add("duplicate-claim", ob.where(f"claims.{name}"), message, "keep one of the two")
            claims[decl] = count
            positions[f"claims.{decl}"] = ob.positions[f"claims.{name}"]
        groups = {
            name: ClaimGroup(group.count, tuple(dict.fromkeys(decl_of.get(d, d) for d in group.decls)))
            for name, group in ob.claim_groups.items()
        }
        result[ob.id] = replace(ob, claims=claims, claim_groups=groups, positions=positions)
    return result


def _check_claims(collected: Collected, report: Report) -> None:
    """A claim on what is no Lean name is one on an obligation, by its id."""
    known = collected.obligations.keys() | collected.broken
    suggest = _Suggest()
    for ob in collected.obligations.values():
        claimed = [(name, name) for name in ob.claims]
        claimed += [(name, decl) for name, group in ob.claim_groups.items() for decl in group.decls]
        for key, name in claimed:
            if not is_lean_name(name) and name not in known:
                message = f"`{ob.id}` claims uses of `{name}`, which is no obligation and no Lean name"
                hint = suggest(name, collected.obligations) or "write an id or a full Lean name"
                report.add("unknown-reference", ob.where(f"claims.{key}"), message, hint)


def _check_dependencies(collected: Collected, report: Report) -> None:
    obligations, broken = collected.obligations, collected.broken
    suggest = _Suggest()
    for ob in obligations.values():
        for i, dep in enumerate(ob.depends_on):
            if dep in obligations:
                if dep == ob.id:
                    hint = "remove it; recursion is no dependency"
                    report.add(
                        "self-dependency", ob.where(f"depends_on[{i}]"), f"`{dep}` depends on itself", hint
                    )
            elif dep not in broken:
                message = f"`{ob.id}` depends on `{dep}`, which is no obligation"
                hint = suggest.obligation(dep, obligations)
                report.add("unknown-dependency", ob.where(f"depends_on[{i}]"), message, hint)


def _check_axioms(collected: Collected, report: Report) -> None:
    for ob in collected.obligations.values():
        if not ob.allowed_axioms:
            continue
        if "sorryAx" in ob.allowed_axioms:
            message = f"`{ob.id}` allows sorryAx, with which anything is proved"
            report.add(
                "sorry-allowed", ob.where("allowed_axioms"), message, "remove it; open work shows as `sorry`"
            )
        both = sorted(set(ob.allowed_axioms) & set(ob.forbidden_axioms))
        if both:
            message = f"`{ob.id}` both allows and forbids {', '.join(both)}"
            report.add(
                "axiom-conflict", ob.where("forbidden_axioms"), message, "name it in one of the two lists"
            )


def _check_cycles(obligations: Mapping[str, Obligation], report: Report) -> None:
    deps = {
        ob.id: [d for d in ob.depends_on if d in obligations and d != ob.id] for ob in obligations.values()
    }
    for circle in cycles(deps):
        ob = obligations[circle[0]]
        path = " -> ".join([*circle, circle[0]])
        place = ob.where(f"depends_on[{ob.depends_on.index(circle[1])}]")
        report.add(
            "cycle", place, f"a circle of dependencies: {path}", "remove the edge that is not in the proof"
        )


class _Suggest:
    """Did-you-mean hints, for the first so many names only."""

    def __init__(self) -> None:
        self.known: dict[str, str | None] = {}

    def __call__(self, name: str, candidates: Iterable[str]) -> str | None:
        if name not in self.known and len(self.known) < _SUGGESTIONS:
            self.known[name] = did_you_mean(name, candidates)
        return self.known.get(name)

    def obligation(self, name: str, obligations: Mapping[str, Obligation]) -> str:
        """A hint for an unknown id: a declaration's or older name is not an id, but leads to one."""
        for ob in obligations.values() if len(self.known) < _SUGGESTIONS else ():
            if name == ob.decl or any(alias.name == name for alias in ob.aliases):
                return f"that is a name of the declaration; its id is `{ob.id}`"
        return self(name, obligations) or "add an obligation with this id, or remove the dependency"
