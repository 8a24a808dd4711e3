"""Chains and sums: written entries to facts, and what breaks their laws to findings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from tracker.catalogue.diagnostics import Report
from tracker.catalogue.fields import Entry
from tracker.catalogue.model import Catalogue, Obligation, Source, Sum
from tracker.catalogue.patterns import PatternError, parse
from tracker.catalogue.shapes import Reader
from tracker.catalogue.suggest import did_you_mean
from tracker.symbolic.chain import Chain, Claimed, Dims, Stage, count_faults, dims_fault
from tracker.symbolic.equation import equation_fault

_NAMED = ("apex", "tie", "shape_check")


class RawChain:
    """A chain as written."""

    def __init__(self, entry: Entry, reader: Reader) -> None:
        self.entry = entry
        self.file = reader.file
        self.report = reader.report

    def where(self, path: str) -> Source:
        """Return where a field is written; where the chain starts if it is not."""
        node = self.entry.node
        return Source(self.file, *self.entry.positions.get(path, (node.line, node.column)))

    def chain(self) -> Chain | None:
        """Return the chain with its patterns written out, or None after reporting why there is none."""
        before = self.report.errors
        values = dict(self.entry.values)
        stages = tuple(self._stages(values.pop("stages")))
        saves = values.pop("saves", None)
        if saves is not None:
            saves = tuple(
                ident for i, text in enumerate(saves) for ident in self._spread(f"saves[{i}]", text)
            )
            self._once(saves, "saves", "the saved activation")
        self._once([stage.name for stage in stages], "stages", "the stage")
        made = Chain(stages=stages, saves=saves, **values)
        return made if self.report.errors == before else None

    def _stages(self, written: list[dict[str, Any]]) -> Iterator[Stage]:
        for i, stage in enumerate(written):
            for name in self._spread(f"stages[{i}].name", stage["name"]):
                yield Stage(name, stage["output"], stage.get("input"), i)

    def _spread(self, path: str, text: str) -> list[str]:
        if "{" not in text:
            return [text]
        try:
            template = parse(text)
            return [template.fill(value) for value in template.values or (None,)]
        except PatternError as error:
            self.report.add("bad-pattern", self.where(path), error.message, error.hint)
            return []

    def _once(self, names: Collection[str], path: str, what: str) -> None:
        for name in sorted({name for name in names if list(names).count(name) > 1}):
            message = f"{what} `{name}` is given twice in the chain `{self.entry.values['id']}`"
            self.report.add("duplicate-id", self.where(path), message, "rename one, or remove it")


def resolve_chains(
    written: Iterable[RawChain], catalogue: Catalogue, broken: Collection[str], report: Report, whole: bool
) -> dict[str, Chain]:
    """Return every chain by its id, each checked against its laws.

    Ids that lead nowhere are reported if the catalogue is `whole`; else they may be a broken entry's.
    """
    found: dict[str, Chain] = {}
    places: dict[str, Source] = {}
    for raw in written:
        chain = raw.chain() if raw.entry.sound else None
        if chain is None:
            continue
        if chain.id in found:
            message = f"the chain `{chain.id}` is already given at {places[chain.id]}"
            report.add("duplicate-id", raw.where("id"), message, "rename one, or remove it")
            continue
        found[chain.id], places[chain.id] = chain, raw.where("id")
        _check_net(raw, chain, catalogue, report)
        known = _check_references(raw, chain, catalogue, report, whole and not broken)
        dims = Dims(chain)
        for fault in (*dims.faults(), *count_faults(chain, _claimed(chain, known, catalogue))):
            if fault.path.split("[")[0] not in _NAMED or fault.path in known:
                report.add(fault.code, raw.where(fault.path), fault.message, fault.hint)
        if "apex" in known:
            _check_ends(dims, chain, known["apex"], report)
    return found


def _check_net(raw: RawChain, chain: Chain, catalogue: Catalogue, report: Report) -> None:
    if chain.net is not None and chain.net not in catalogue.nets:
        hint = did_you_mean(chain.net, catalogue.nets) or "declare it under `nets:`"
        report.add("unknown-net", raw.where("net"), f"the net `{chain.net}` is not declared", hint)


def _check_references(
    raw: RawChain, chain: Chain, catalogue: Catalogue, report: Report, whole: bool
) -> dict[str, Obligation]:
    """Report ids that lead nowhere; return the obligations under the fields that name them."""
    named = {path: ident for path in _NAMED if (ident := getattr(chain, path)) is not None}
    saved = [("saves", ident) for ident in chain.saves or () if ident not in catalogue]
    missing = [(path, ident) for path, ident in named.items() if ident not in catalogue]
    for path, ident in (missing + saved) if whole else ():
        message = f"the chain `{chain.id}` names `{ident}`, which is no obligation"
        report.add("unknown-reference", raw.where(path), message, did_you_mean(ident, catalogue.obligations))
    return {path: catalogue[ident] for path, ident in named.items() if ident in catalogue}


def _claimed(chain: Chain, known: dict[str, Obligation], catalogue: Catalogue) -> Claimed:
    return Claimed(
        _count(known.get("apex"), chain.composed_by, catalogue),
        _leaves(known.get("tie"), catalogue),
        _count(known.get("shape_check"), chain.lifted_by, catalogue),
    )


def _count(ob: Obligation | None, name: str, catalogue: Catalogue) -> int | None:
    """How many uses of `name` an obligation claims."""
    if ob is None:
        return None
    target = catalogue.find(name)
    return ob.claims.get(name if target is None else target.decl)


def _leaves(tie: Obligation | None, catalogue: Catalogue) -> int | None:
    """How many uses of leaf ties a tie claims, each declaration counted once; None for no such claim."""
    if tie is None:
        return None
    total: int | None = None
    seen: set[str] = set()
    for claim in sorted(tie.expected_uses(), key=lambda claim: -len(claim.decls)):
        obligations = [catalogue.by_decl.get(decl) for decl in claim.decls]
        leaves = all(ob is not None and ob.kind == "leaf-tie" for ob in obligations)
        if leaves and not seen.intersection(claim.decls):
            seen.update(claim.decls)
            total = (total or 0) + claim.count
    return total


def _check_ends(dims: Dims, chain: Chain, apex: Obligation, report: Report) -> None:
    """The apex, if it says its dimensions, has those of the chain."""
    ends = (("input", "takes", chain.input), ("output", "gives", chain.stages[-1].output))
    for end, verb, size in ends:
        said = getattr(apex.dims, end)
        if said is None or dims_fault(said, end) is not None:  # which has its own finding
            continue
        path = f"dims.{end}"
        for fault in dims.meet(path, f"the chain `{chain.id}` {verb}", size, f"`{apex.id}` {verb}", said):
            report.add(fault.code, apex.where(path), fault.message, fault.hint)


def check_dims(catalogue: Catalogue, report: Report) -> None:
    """Report dimensions of obligations that are no polynomials."""
    for ob in catalogue:
        for path, text in (("dims.input", ob.dims.input), ("dims.output", ob.dims.output)):
            fault = dims_fault(text, path) if text is not None else None
            if fault is not None:
                report.add(fault.code, ob.where(path), fault.message, fault.hint)


def read_sums(written: Iterable[tuple[Entry, Reader]]) -> tuple[Sum, ...]:
    """Return the sums, after reporting those that do not hold."""
    result = []
    for entry, reader in written:
        if not entry.sound:
            continue
        place = Source(reader.file, *entry.positions["equation"])
        fault = equation_fault(entry.values["equation"], "equation")
        if fault is not None:
            reader.report.add(fault.code, place, fault.message, fault.hint)
        result.append(Sum(entry.values["equation"], entry.values.get("summary", ""), place))
    return tuple(result)
