"""One measurement of headroom over a project: from what the user names to figures of declarations."""

from __future__ import annotations

import fnmatch
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from tracker.catalogue.model import Catalogue, Obligation
from tracker.catalogue.suggest import listed_hint
from tracker.errors import UsageError
from tracker.headroom.measure import (
    MEMORY,
    OPTIONS,
    Bench,
    Headroom,
    Progress,
    SetLimit,
    Unmeasured,
    dead_limits,
    measure,
    measure_memory,
)
from tracker.lean.lake import Lake
from tracker.lean.process import Limits, Supervisor
from tracker.machine import this_machine
from tracker.run.artifacts import lib_dir, read_index
from tracker.run.recheck import Recheck, hindrance
from tracker.run.session import only_one
from tracker.store.history import History
from tracker.store.measurements import Measurement, add_measurements, measurements
from tracker.workspace import Workspace

_FIGURES = ("limit", "needed", "fails_at", "failure")


@dataclass(frozen=True)
class HeadroomOptions:
    """What the user asked for."""

    targets: Sequence[str] = ()
    options: Sequence[str] = OPTIONS
    precision: float = 0.02
    """The ratio between passing and failing value at which a search ends."""
    dead: bool = True
    """Whether limits that a module raises are tried without."""
    wall_s: float | None = None


@dataclass(frozen=True)
class ModuleHeadroom:
    """What was found in one module, in the catalogue's order."""

    module: str
    found: tuple[Headroom, ...]
    limits: tuple[SetLimit, ...]
    unmeasured: tuple[Unmeasured, ...]


def chosen(catalogue: Catalogue, targets: Sequence[str]) -> tuple[Obligation, ...]:
    """Return the obligations that the targets name: ids, declarations, modules, nets, patterns over ids.

    No target means all of them. Raises UsageError for one that names nothing.
    """
    if not targets:
        return tuple(catalogue)
    wanted: set[str] = set()
    for target in targets:
        one = catalogue.find(target)
        several = (
            (one,) if one else catalogue.by_module.get(target) or catalogue.by_net.get(target)
            or tuple(ob for ob in catalogue if fnmatch.fnmatchcase(ob.id, target))
        )  # fmt: skip
        if not several:
            hint = listed_hint(target, [*catalogue.obligations, *catalogue.by_module])
            raise UsageError("NO-SUCH-TARGET", f"nothing in the catalogue is called {target!r}", hint)
        wanted.update(ob.id for ob in several)
    return tuple(ob for ob in catalogue if ob.id in wanted)


def measure_headroom(
    workspace: Workspace, options: HeadroomOptions, progress: Progress
) -> Iterator[ModuleHeadroom]:
    """Yield what Lean shows of one module after the other, in the project's order.

    A module that has no evidence of passing as it is now is not measured, and its declarations say so.
    Nothing is built but imports that are out of date. Raises TrackerError.
    """
    by_module: dict[str, list[str]] = {}
    for ob in chosen(workspace.catalogue, options.targets):
        by_module.setdefault(ob.module, []).append(ob.decl)
    project = workspace.project
    evidence, _ = workspace.read_evidence()
    limits = Limits(
        wall_s=options.wall_s or workspace.settings.wall_s, memory_bytes=workspace.settings.memory_bytes
    )
    places = [m for m in project.modules if m in by_module] + [
        m for m in by_module if m not in project.modules
    ]
    with (
        only_one(workspace.settings.state),
        closing(workspace.open_history(write=True)) as history,
        Supervisor() as supervisor,
        Lake(workspace.toolchain, Path(project.root), lib_dir(project), supervisor) as lake,
    ):
        for module in places:
            reason = hindrance(evidence, project, module)
            if reason is not None:
                text = f"of its module {module}: {reason}"
                lost = tuple(Unmeasured(module, name, text) for name in by_module[module])
                yield ModuleHeadroom(module, (), (), lost)
            else:
                index = read_index(project, module)
                bench = Bench(Recheck(lake, project, module, limits), index)
                result = _measured(bench, by_module[module], options, progress)
                if MEMORY in options.options:
                    cost = evidence.checks[module].cost
                    peak = cost.peak_rss_bytes if cost else 2**30
                    result = _with_memory(result, bench, peak, limits, options.precision, progress)
                add_measurements(history, _kept(workspace, result))
                yield result


def _with_memory(
    result: ModuleHeadroom,
    bench: Bench,
    peak_bytes: int,
    limits: Limits,
    precision: float,
    progress: Progress,
) -> ModuleHeadroom:
    limit = (limits.memory_bytes or 0) >> 20
    found = measure_memory(bench, (peak_bytes >> 20) + 1, limit, precision, progress)
    return replace(result, found=(*result.found, found))


def _kept(workspace: Workspace, result: ModuleHeadroom) -> list[Measurement]:
    now, machine = time.time(), str(this_machine())
    return [
        Measurement(
            h.module, h.declaration, workspace.fingerprints[h.module], "headroom", h.option, machine, now,
            {name: getattr(h, name) for name in _FIGURES},
        )
        for h in result.found
    ]  # fmt: skip


def headrooms(history: History, workspace: Workspace) -> dict[tuple[str, str], list[Headroom]]:
    """Return by module and declaration the headroom that holds for the present sources. Raises StoreError."""
    found: dict[tuple[str, str], list[Headroom]] = {}
    for m in measurements(history, "headroom", workspace.fingerprints):
        with history.reading():
            one = Headroom(m.module, m.declaration, m.subject, **m.body)
            found.setdefault((m.module, m.declaration), []).append(one)
    return found


def _measured(
    bench: Bench, names: Sequence[str], options: HeadroomOptions, progress: Progress
) -> ModuleHeadroom:
    found: list[Headroom] = []
    lost: dict[str, Unmeasured] = {}
    for option in (o for o in options.options if o != MEMORY):
        some, without = measure(bench, names, option, options.precision, progress)
        found += some
        lost |= {u.declaration: u for u in without}
    limits = dead_limits(bench, progress) if options.dead else []
    order = {name: place for place, name in enumerate(names)}
    found.sort(key=lambda h: (order[h.declaration], h.option))
    return ModuleHeadroom(bench.module, tuple(found), tuple(limits), tuple(lost.values()))
