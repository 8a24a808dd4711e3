"""One written entry to the obligations it stands for: defaults, patterns, budgets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tracker.catalogue.fields import Entry
from tracker.catalogue.model import Alias, Budget, ClaimGroup, Dims, Obligation, Source
from tracker.catalogue.names import is_claimed, is_lean_name, is_lean_template
from tracker.catalogue.patterns import PatternError, Template, Value, fill_text, parse
from tracker.catalogue.shapes import Reader

Positions = dict[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a file says for all its entries, which fields it wrote, and where."""

    values: dict[str, Any] = field(default_factory=dict)
    written: frozenset[str] = frozenset()
    positions: Positions = field(default_factory=dict)


class _Fault(Exception):  # noqa: N818 - carries a finding to where its place is known
    def __init__(self, path: str, code: str, message: str, hint: str | None) -> None:
        super().__init__(message)
        self.path = path
        self.code = code
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Member:
    """One id of an entry; its obligation is None where it is too faulty to be built.

    `optional` are dependencies on neighbours beyond the entry's own family: they are left out if no
    obligation has that id.
    """

    id: str
    obligation: Obligation | None = None
    optional: tuple[str, ...] = ()


def expand(entry: Entry, defaults: Defaults, reader: Reader) -> Iterator[Member]:
    """Yield every member that an entry stands for."""
    ident = entry.values.get("id")
    complete = _check_required(entry, defaults, reader)
    if ident is None:
        return
    try:
        template = parse(ident) if "{" in ident else None
        if template is not None and template.values is None:
            raise PatternError(f"`{ident}` uses `{{i}}`, but it has no range or list", "write `name{0..10}`")
    except PatternError as error:
        _report(reader, entry, entry.positions, _Fault("id", "bad-pattern", error.message, error.hint))
        return
    positions = {**defaults.positions, **entry.positions}
    builder = _Builder(entry, defaults, template)
    faults: set[tuple[str, str]] = set()
    for value in template.values if template and template.values else (None,):
        name = template.fill(value) if template else ident
        if not complete:
            yield Member(name)
            continue
        try:
            yield builder.build(name, value, reader, positions)
        except _Fault as fault:
            if (fault.path, fault.code) not in faults:  # one finding for the field, not one a member
                faults.add((fault.path, fault.code))
                _report(reader, entry, positions, fault)
            yield Member(name)


def _report(reader: Reader, entry: Entry, positions: Positions, fault: _Fault) -> None:
    line, column = positions.get(fault.path, (entry.node.line, entry.node.column))
    reader.report.add(fault.code, Source(reader.file, line, column), fault.message, fault.hint)


def _check_required(entry: Entry, defaults: Defaults, reader: Reader) -> bool:
    """Report what is missing; return whether every required field could be read."""
    for name in ("kind", "module"):
        if not entry.has(name) and name not in defaults.written:
            hint = f"add `{name}:` here, or once for the file under `defaults:`"
            reader.error("missing-field", entry.node, f"an obligation needs `{name}`", hint)
    values = entry.values
    ident = values.get("id")
    if ident is not None and not entry.has("decl") and not is_lean_template(ident):
        message = f"`{ident}` is not a Lean name, so the obligation needs `decl`"
        reader.error("missing-field", entry.node, message, "add `decl:` with the declaration's full name")
        return False
    if entry.has("decl") and "decl" not in values:
        return False
    return all(name in values or name in defaults.values for name in ("kind", "module"))


class _Builder:
    """Builds the members of one entry."""

    def __init__(self, entry: Entry, defaults: Defaults, template: Template | None) -> None:
        self.values = {**defaults.values, **entry.values}
        self.template = template
        self.namespace = defaults.values.get("namespace")

    def build(self, ident: str, value: Value | None, reader: Reader, positions: Positions) -> Member:
        get = self.values.get
        claims, groups, positions = self.claims(ident, value, positions)
        depends_on, optional, positions = self.dependencies(ident, value, reader, positions)
        line, column = positions["id"]
        made = Obligation(
            id=ident,
            kind=get("kind"),  # type: ignore[arg-type] # required, checked before
            decl=self.decl(ident, value),
            module=self.name("module", get("module"), value),  # type: ignore[arg-type]
            source=Source(reader.file, line, column),
            net=get("net"),
            tier=get("tier"),
            depends_on=depends_on,
            claims=claims,
            claim_groups=groups,
            budget=_budget(get("budget")),
            summary=fill_text(get("summary", ""), value).strip(),
            sources=tuple(fill_text(text, value) for text in get("sources", ())),
            allowed_axioms=tuple(self.values["allowed_axioms"]) if "allowed_axioms" in self.values else None,
            forbidden_axioms=tuple(get("forbidden_axioms", ())),
            aliases=tuple(self.alias(i, raw, value) for i, raw in enumerate(get("aliases", ()))),
            expects=get("expects"),
            proof=get("proof"),
            dims=_dims(get("dims"), value),
            tags=tuple(get("tags", ())),
            positions=positions,
        )
        return Member(ident, made, optional)

    def decl(self, ident: str, value: Value | None) -> str:
        if "decl" in self.values:
            return self.name("decl", self.values["decl"], value)
        if self.template is not None and not is_lean_name(ident):
            raise _Fault(
                "id", "bad-pattern", f"the pattern makes `{ident}`, which is not a Lean name", "add `decl:`"
            )
        return f"{self.namespace}.{ident}" if self.namespace else ident

    def name(
        self, path: str, text: str, value: Value | None, fits: Callable[[str], object] = is_lean_name
    ) -> str:
        """Fill a Lean name, or what else `fits`; a range or list in it must be the id's own."""
        if "{" not in text:
            return text
        try:
            template = parse(text)
            if template.values is not None and (
                self.template is None or template.values != self.template.values
            ):
                raise PatternError(
                    f"the range or list in `{text}` is not the one of the id",
                    "give the id the same range or list, and write `{i}` here",
                )
            filled = template.fill(value)
        except PatternError as error:
            raise _Fault(path, "bad-pattern", error.message, error.hint) from error
        if not fits(filled):
            hint = "a part of a Lean name must not begin with a digit"
            raise _Fault(path, "bad-pattern", f"the pattern makes `{filled}`, which is not a Lean name", hint)
        return filled

    def alias(self, index: int, raw: str | dict[str, str], value: Value | None) -> Alias:
        name, since = (raw, None) if isinstance(raw, str) else (raw.get("name", ""), raw.get("since"))
        return Alias(self.name(f"aliases[{index}]", name, value), since)

    def claims(
        self, ident: str, value: Value | None, positions: Positions
    ) -> tuple[dict[str, int], dict[str, ClaimGroup], Positions]:
        single: dict[str, int] = {}
        groups: dict[str, ClaimGroup] = {}
        moved: Positions = {}
        for key, claim in self.values.get("claims", {}).items():
            at = f"claims.{key}"
            if isinstance(claim, int):
                name = self.name(at, key, value, fits=is_claimed)
                if name in single:
                    message = f"`{ident}` claims uses of `{name}` twice, once by a pattern"
                    raise _Fault(at, "duplicate-claim", message, "keep one of the two")
                single[name] = claim
                if name != key:
                    moved[f"claims.{name}"] = positions[at]
            elif "count" in claim and "of" in claim:
                names = [name for text in claim["of"] for name in self.spread(at, text, value)[0]]
                groups[key] = ClaimGroup(claim["count"], tuple(dict.fromkeys(names)))
        return single, groups, {**positions, **moved} if moved else positions

    def spread(self, path: str, text: str, value: Value | None) -> tuple[list[str], bool]:
        """Return every name that a reference stands for, and whether it is a neighbour outside the family.

        A neighbour below 0 is no name at all.
        """
        if "{" not in text:
            return [text], False
        try:
            template = parse(text)
            if template.values is not None:
                return [template.fill(each) for each in template.values], False
            filled = template.fill(value)
        except PatternError as error:
            raise _Fault(path, "bad-pattern", error.message, error.hint) from error
        if value is not None and template.is_shifted_below(value):
            return [], False
        return [filled], self.is_outside(template, filled)

    def is_outside(self, template: Template, filled: str) -> bool:
        """Whether a reference to a neighbour of this very family is beyond its first or last."""
        own = self.template
        if own is None or own.values is None or template.skeleton() != own.skeleton():
            return False
        return filled not in {own.fill(each) for each in own.values}

    def dependencies(
        self, ident: str, value: Value | None, reader: Reader, positions: Positions
    ) -> tuple[tuple[str, ...], tuple[str, ...], Positions]:
        raw = self.values.get("depends_on", ())
        found: Positions = {}
        optional: list[str] = []
        for i, text in enumerate(raw):
            at = f"depends_on[{i}]"
            names, outside = self.spread(at, text, value)
            optional += names if outside else ()
            for name in names:
                if name in found:
                    message = f"`{ident}` lists the dependency `{name}` twice"
                    reader.report.add(
                        "duplicate-dependency", Source(reader.file, *positions[at]), message, "remove one"
                    )
                else:
                    found[name] = positions[at]
        if tuple(found) == tuple(raw):
            return tuple(raw), (), positions
        return tuple(found), tuple(optional), with_dependencies(positions, list(found.values()))


def with_dependencies(positions: Mapping[str, tuple[int, int]], places: list[tuple[int, int]]) -> Positions:
    """Return positions in which the dependencies stand at `places`, in their order."""
    kept = {key: at for key, at in positions.items() if not key.startswith("depends_on[")}
    kept.update((f"depends_on[{i}]", at) for i, at in enumerate(places))
    return kept


def _budget(raw: dict[str, Any] | None) -> Budget:
    return Budget(raw.get("wall"), raw.get("cpu"), raw.get("memory")) if raw else Budget()


def _dims(raw: dict[str, str] | None, value: Value | None) -> Dims:
    if not raw:
        return Dims()
    return Dims(**{key: fill_text(text, value) for key, text in raw.items()})
