"""Families: sets of obligations read as a matrix, by pattern and by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tracker.catalogue.diagnostics import Report
from tracker.catalogue.fields import Entry
from tracker.catalogue.model import Catalogue, Family, Obligation, Source
from tracker.catalogue.patterns import PatternError, parse
from tracker.catalogue.shapes import Reader
from tracker.catalogue.suggest import did_you_mean


@dataclass(frozen=True, slots=True)
class RawFamily:
    """A family as written."""

    id: str
    file: str
    values: Mapping[str, Any]
    positions: Mapping[str, tuple[int, int]]

    @staticmethod
    def read(entry: Entry, reader: Reader) -> RawFamily | None:
        """Return the family of an entry, or None if it has no usable id."""
        if not entry.has("pattern") and not entry.has("members"):
            hint = "add `pattern:`, or `members:`, or both"
            reader.error("missing-field", entry.node, "a family needs `pattern` or `members`", hint)
        ident = entry.values.get("id")
        return RawFamily(ident, reader.file, entry.values, entry.positions) if ident else None

    def where(self, path: str) -> Source:
        """Return where a field is written."""
        return Source(self.file, *(self.positions.get(path) or self.positions["id"]))


def glob(pattern: str) -> re.Pattern[str]:
    """Return the regular expression of a pattern in which only `*` is special: names may hold `?`.

    It is for whole names (`fullmatch`).
    """
    first, *rest = pattern.split("*")
    if not rest:
        return re.compile(re.escape(first))
    # Each part is taken where it stands first and never tried again: else many stars take for ever.
    middle = "".join(f"(?>.*?{re.escape(part)})" for part in rest[:-1] if part)
    return re.compile(f"{re.escape(first)}{middle}.*{re.escape(rest[-1])}", re.DOTALL)


def axis_values(catalogue: Catalogue, axis: str) -> tuple[str, ...]:
    """Return what a family on `axis` is spread over, in report order."""
    if axis == "module":
        return tuple(catalogue.by_module)
    labels = {"net": catalogue.nets, "tier": catalogue.tiers, "kind": catalogue.kinds}[axis]
    return tuple(labels)


def axis_value(ob: Obligation, axis: str) -> str | None:
    """Return where an obligation stands on `axis`."""
    value: str | None = getattr(ob, axis)
    return value


def by_axis(family: Family, catalogue: Catalogue) -> dict[str, tuple[str, ...]]:
    """Return the members under every axis value, in report order; none is an empty tuple."""
    found: dict[str, list[str]] = {value: [] for value in axis_values(catalogue, family.axis)}
    for ident in family.members:
        value = axis_value(catalogue[ident], family.axis)
        if value is not None:
            found.setdefault(value, []).append(ident)  # a value that is not declared has its own finding
    return {value: tuple(ids) for value, ids in found.items()}


def holes(family: Family, catalogue: Catalogue) -> tuple[str, ...]:
    """Return the axis values with neither a member nor a reason for having none, in report order.

    A family over nets or tiers is to have a member in each; kinds and modules are too many for that.
    """
    if family.axis not in ("net", "tier"):
        return ()
    spread = by_axis(family, catalogue)
    return tuple(value for value, ids in spread.items() if not ids and value not in family.absent)


def resolve_families(
    families: Mapping[str, RawFamily], catalogue: Catalogue, report: Report, whole: bool
) -> dict[str, Family]:
    """Return every family with its members found.

    What leads nowhere is reported if the catalogue is `whole`; else it may be a broken entry's.
    """
    return {raw.id: _Resolver(raw, catalogue, report, whole).family() for raw in families.values()}


class _Resolver:
    def __init__(self, raw: RawFamily, catalogue: Catalogue, report: Report, whole: bool) -> None:
        self.raw = raw
        self.catalogue = catalogue
        self.report = report
        self.whole = whole

    def family(self) -> Family:
        raw = self.raw
        patterns = raw.values.get("pattern", ())
        patterns = (patterns,) if isinstance(patterns, str) else tuple(patterns)
        chosen = set(self.ids("members"))
        for i, pattern in enumerate(patterns):
            matched = self.matching(pattern)
            if not matched and self.whole:
                path = "pattern" if isinstance(raw.values["pattern"], str) else f"pattern[{i}]"
                message = f"the pattern `{pattern}` of the family `{raw.id}` matches no declaration"
                self.report.add("family-empty", raw.where(path), message, self.near(pattern))
            chosen |= matched
        chosen -= set(self.ids("exclude"))
        members = tuple(ident for ident in self.catalogue.obligations if ident in chosen)
        axis = raw.values.get("axis", "net")
        absent = dict(raw.values.get("absent", {}))
        found = Family(
            raw.id, raw.values.get("title", raw.id), axis, patterns, members, absent, raw.where("id")
        )
        if self.whole:
            self.check_absent(found)
        return found

    def matching(self, pattern: str) -> set[str]:
        matches = glob(pattern).fullmatch
        return {ob.id for ob in self.catalogue if matches(ob.decl)}

    def near(self, pattern: str) -> str:
        longest = max(pattern.split("*"), key=len)
        near = did_you_mean(longest, (ob.decl for ob in self.catalogue)) if longest else None
        return (
            near
            or "patterns match whole declaration names, namespace included; `*` stands for any characters"
        )

    def ids(self, section: str) -> Iterable[str]:
        for i, text in enumerate(self.raw.values.get(section, ())):
            for ident in self.spread(f"{section}[{i}]", text):
                if ident in self.catalogue:
                    yield ident
                elif self.whole:
                    message = f"the family `{self.raw.id}` names `{ident}`, which is no obligation"
                    hint = did_you_mean(ident, self.catalogue.obligations)
                    self.report.add("unknown-member", self.raw.where(f"{section}[{i}]"), message, hint)

    def spread(self, path: str, text: str) -> list[str]:
        if "{" not in text:
            return [text]
        try:
            template = parse(text)
            return [template.fill(value) for value in template.values or (None,)]
        except PatternError as error:
            self.report.add("bad-pattern", self.raw.where(path), error.message, error.hint)
            return []

    def check_absent(self, family: Family) -> None:
        spread = by_axis(family, self.catalogue)
        for value in family.absent:
            if value not in spread:
                message = f"the {family.axis} `{value}` of `absent` is not in the catalogue"
                hint = did_you_mean(value, spread)
            elif spread[value]:
                members = ", ".join(spread[value])
                message = f"`absent` says that `{value}` has no member of `{family.id}`; it has {members}"
                hint = "remove it from `absent`"
            else:
                continue
            self.report.add("family-absent", self.raw.where(f"absent.{value}"), message, hint)
        gaps = holes(family, self.catalogue)
        if gaps:
            message = f"the family `{family.id}` has no member for {', '.join(gaps)}"
            self.report.add(
                "family-gap", self.raw.where("id"), message, "add the obligation, or say why under `absent:`"
            )
