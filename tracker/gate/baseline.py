"""The baseline: what was true when somebody last agreed to it, committed as text.

One JSON object a line: a header, then the obligations by id, then the modules by name.

    {"format": "tracker baseline 1", "lean": …, "toolchain": …, "seal": …}
    {"obligation": …, "kind": …, "net": …, "decl": …, "module": …, "label": …, "axioms": […], "digest": …, …}
    {"module": …, "state": …, "cpu_s": [median, deviation, measurements], "machine": …, …}

Nothing in a line depends on another line, or on when and by whom it was written, so that two branches merge
cleanly wherever they do not speak of the same obligation or module; machines therefore stand in the modules'
lines, and the commit is git's to tell. Costs that only wobble keep their old line.

Each line ends with a seal, the start of its SHA-256, so that an edit by hand and a bad merge are seen. It is
no signature: who can compute it can forge it. Against that stand the review of the file's diff, and the
comparison with the baseline of another commit.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from math import inf
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeVar

import msgspec

from tracker.errors import UsageError
from tracker.gate.compare import (
    Tolerance,
    comparable_peaks,
    comparable_times,
    memory_margin,
    time_margin,
)
from tracker.gate.snapshot import Costs, Figure, ModuleFacts, ModuleState, ObligationFacts, Snapshot
from tracker.gate.worktree import find_repository

FORMAT = "tracker baseline 1"
_SEAL_LENGTH = 16


@dataclass(frozen=True)
class Damage:
    """A line of a baseline that cannot be believed: 1-based, and why."""

    line: int
    why: str


@dataclass(frozen=True)
class Baseline:
    """What a baseline says, as far as it can be believed."""

    snapshot: Snapshot
    notes: Mapping[str, str]
    """Why a loss was accepted, by obligation or module."""
    damages: tuple[Damage, ...] = ()


@dataclass(frozen=True)
class _Header:
    format: str
    lean: str
    toolchain: str


@dataclass(frozen=True)
class _ObligationLine:
    obligation: str
    kind: str
    net: str | None
    decl: str
    module: str
    label: str
    axioms: tuple[str, ...] | None
    digest: str
    note: str | None = None


@dataclass(frozen=True)
class _ModuleLine:
    module: str
    state: ModuleState
    expected: bool
    classes: tuple[str, ...]
    cpu_s: tuple[float, float, int] | None
    wall_s: tuple[float, float, int] | None
    peak_rss_bytes: tuple[float, float, int] | None
    machine: str | None
    warnings: int
    deprecations: int
    limits: dict[str, float | Literal["unlimited"]]
    blocked_by: str = ""
    note: str | None = None


F = TypeVar("F", ObligationFacts, ModuleFacts)
L = TypeVar("L", _Header, _ObligationLine, _ModuleLine)
_Line = _Header | _ObligationLine | _ModuleLine


def read_baseline(file: Path) -> Baseline | None:
    """Return the baseline in `file`, None when there is no such file. Raises UsageError."""
    try:
        return parse_baseline(file.read_bytes().decode(errors="replace"))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError("BASELINE", f"{file}: {error.strerror}", "make it readable") from error


def read_committed(file: Path, ref: str, root: Path) -> Baseline:
    """Return the baseline as it is in the commit `ref` of the repository that the project's `root` is in.

    Raises UsageError when git has none there. The directory of the baseline is not asked: it may be a
    repository of its own, such as a submodule, whose commits prove nothing of the project's.
    """
    repository = find_repository(root)
    if not file.is_relative_to(repository.root):
        raise UsageError(
            "BASELINE",
            f"{file} is outside of the repository {repository.root}",
            "`baseline` under [gate] names it",
        )
    commit = repository.commit(ref)
    name = file.relative_to(repository.root)
    text = repository.read(commit.sha, name)
    if text is None:
        raise UsageError(
            "BASELINE",
            f"git has no file {name} in {ref!r}",
            "name a commit that has a baseline, such as origin/main",
        )
    return parse_baseline(os.fsencode(text).decode(errors="replace"))


def parse_baseline(text: str) -> Baseline:
    """Return what the text of a baseline says; lines that cannot be believed are its damages."""
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    lean = identity = ""
    obligations: dict[str, ObligationFacts] = {}
    modules: dict[str, ModuleFacts] = {}
    notes: dict[str, str] = {}
    damages: list[Damage] = []
    for number, line in enumerate(lines, 1):
        try:
            found = _parse(line, first=number == 1)
            if isinstance(found, _Header):
                lean, identity = found.lean, found.toolchain
            elif isinstance(found, _ObligationLine):
                _add(obligations, found.obligation, _obligation(found))
            else:
                _add(modules, found.module, _module(found))
        except (ValueError, msgspec.MsgspecError) as error:
            damages.append(Damage(number, str(error)))
            continue
        if not isinstance(found, _Header) and found.note:
            notes[found.obligation if isinstance(found, _ObligationLine) else found.module] = found.note
    snapshot = Snapshot(
        lean=lean, identity=identity, commit=None,
        obligations=dict(sorted(obligations.items())), modules=dict(sorted(modules.items())),
    )  # fmt: skip
    return Baseline(snapshot, notes, tuple(damages))


def _parse(line: str, *, first: bool) -> _Line:
    if line.startswith(("<<<<<<<", "=======", ">>>>>>>", "|||||||")):
        raise ValueError("a conflict of a merge was left in it")
    try:
        row = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"it is no JSON: {error}") from error
    if not isinstance(row, dict):
        raise ValueError("it is no JSON object")
    seal = row.pop("seal", None)
    if seal is None or line != _sealed(row):
        raise ValueError("its seal does not fit: it was edited by hand")
    if first or "format" in row:
        if not first or row.get("format") != FORMAT:
            raise ValueError(f"the first line, and only it, must say {FORMAT!r}")
        return _convert(row, _Header)
    return _convert(row, _ObligationLine) if "obligation" in row else _convert(row, _ModuleLine)


def _convert(row: dict[str, Any], line: type[L]) -> L:
    unknown = sorted(set(row) - set(line.__dataclass_fields__))
    if unknown:
        raise ValueError(f"unknown fields: {', '.join(unknown)}")
    return msgspec.convert(row, line)


def _add(facts: dict[str, F], name: str, fact: F) -> None:
    if name in facts:
        raise ValueError(f"{name} has two lines: a merge took both")
    facts[name] = fact


def _sealed(row: Mapping[str, Any]) -> str:
    seal = hashlib.sha256(_encoded(row)).hexdigest()[:_SEAL_LENGTH]
    return _encoded({**row, "seal": seal}).decode()


def _encoded(row: Mapping[str, Any]) -> bytes:
    # A file's name may be no UTF-8; that must not keep a baseline from being written.
    return json.dumps(row, ensure_ascii=False).encode(errors="replace")


def baseline_text(snapshot: Snapshot, notes: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the text of a baseline; `notes` say of obligations and modules why a loss was accepted."""
    return "".join(_sealed(_row(line)) + "\n" for line in _lines(snapshot, notes))


def _row(line: _Line) -> dict[str, Any]:
    return {key: value for key, value in asdict(line).items() if key not in ("note", "blocked_by") or value}


def _lines(snapshot: Snapshot, notes: Mapping[str, str]) -> Iterator[_Line]:
    yield _Header(FORMAT, snapshot.lean, snapshot.identity)
    for _, ob in sorted(snapshot.obligations.items()):
        yield _ObligationLine(
            ob.id, ob.kind, ob.net, ob.decl, ob.module, ob.label, ob.axioms, ob.digest, notes.get(ob.id)
        )
    for _, facts in sorted(snapshot.modules.items()):
        costs = facts.costs
        yield _ModuleLine(
            module=facts.module, state=facts.state, expected=facts.expected, classes=facts.classes,
            cpu_s=_figure_row(costs.cpu_s, 3) if costs else None,
            wall_s=_figure_row(costs.wall_s, 3) if costs else None,
            peak_rss_bytes=_figure_row(costs.peak_rss_bytes, 0) if costs else None,
            machine=costs.machine if costs else None,
            warnings=facts.warnings, deprecations=facts.deprecations,
            limits={option: _limit_row(value) for option, value in sorted(facts.limits.items())},
            blocked_by=facts.blocked_by, note=notes.get(facts.module),
        )  # fmt: skip


def _limit_row(value: float) -> float | Literal["unlimited"]:
    return "unlimited" if value == inf else value


def _figure_row(figure: Figure, digits: int) -> tuple[float, float, int]:
    return round(float(figure.median), digits), round(float(figure.mad), digits), figure.count


def _obligation(line: _ObligationLine) -> ObligationFacts:
    return ObligationFacts(
        id=line.obligation, kind=line.kind, net=line.net, decl=line.decl, module=line.module,
        label=line.label, axioms=line.axioms, digest=line.digest,
    )  # fmt: skip


def _module(line: _ModuleLine) -> ModuleFacts:
    figures = [Figure(*f) for f in (line.wall_s, line.cpu_s, line.peak_rss_bytes) if f is not None]
    if len(figures) != (0 if line.machine is None else 3):
        raise ValueError("it has costs and no machine, or a machine and not all costs")
    if (line.state == "blocked") != bool(line.blocked_by):
        raise ValueError("it is blocked by nothing, or not blocked by something")
    return ModuleFacts(
        module=line.module, listed=line.state != "in no target", checked=line.state in ("passed", "failed"),
        passed=line.state == "passed", classes=line.classes, warnings=line.warnings,
        costs=None if line.machine is None else Costs(line.machine, *figures),
        deprecations=line.deprecations, expected=line.expected, blocked_by=line.blocked_by,
        limits=MappingProxyType(
            {option: inf if v == "unlimited" else float(v) for option, v in line.limits.items()}
        ),
    )  # fmt: skip


def renewed(old: Baseline | None, now: Snapshot, tolerance: Tolerance, *, adopt_costs: bool) -> Snapshot:
    """Return what a new baseline shall say: `now`, but with the old costs where they only wobble.

    So a file changes only where something has changed, and a cost that creeps is still compared with where
    it began. Costs of an unlike machine replace the old ones only where `adopt_costs` is set.
    """
    if old is None:
        return now
    modules = {
        name: replace(facts, costs=_kept_costs(old.snapshot.modules.get(name), facts, tolerance, adopt_costs))
        for name, facts in now.modules.items()
    }
    return replace(now, modules=modules)


def _kept_costs(old: ModuleFacts | None, new: ModuleFacts, tolerance: Tolerance, adopt: bool) -> Costs | None:
    before, after = old.costs if old else None, new.costs
    if before is None or after is None or adopt:
        return after
    other_time = abs(after.cpu_s.median - before.cpu_s.median) > time_margin(before, after, tolerance)
    apart = abs(after.peak_rss_bytes.median - before.peak_rss_bytes.median)
    other_peak = apart > memory_margin(before, after, tolerance)
    changed = (comparable_times(before, after) and other_time) or (
        comparable_peaks(before, after) and other_peak
    )
    return after if changed else before


def write_baseline(file: Path, text: str) -> None:
    """Write a baseline whole or not at all. Raises UsageError."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        scratch = file.with_suffix(".new")
        scratch.write_bytes(text.encode())
        scratch.replace(file)
    except OSError as error:
        raise UsageError("BASELINE", f"{file}: {error.strerror}", "make it writable") from error
