"""Where the time of each declaration goes: modules checked once more, with Lean's profiler on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tracker.errors import LeanError
from tracker.lean.lake import Lake
from tracker.lean.messages import declaration_ranges
from tracker.lean.process import Limits, Supervisor
from tracker.lean.profiler import PROFILER_ARGS, DeclarationCost, declaration_costs
from tracker.machine import this_machine
from tracker.run.artifacts import lib_dir
from tracker.run.plan import named_modules, scope
from tracker.run.recheck import Recheck, hindrance
from tracker.run.session import only_one
from tracker.store.history import History
from tracker.store.measurements import Measurement, add_measurements, measurements
from tracker.workspace import Workspace


def profile_modules(
    workspace: Workspace, targets: Sequence[str], limits: Limits, progress: Callable[[str], None],
    *, fresh: bool = False, left_out: Callable[[str, str], None] | None = None,
) -> Iterator[tuple[str, tuple[DeclarationCost, ...]]]:  # fmt: skip
    """Yield what each declaration of the targets' modules cost, module by module, and keep it.

    Only modules that passed as they are now are profiled; `left_out` is told of the others, and why. Those
    that have a profile are not profiled again, unless it is to be `fresh`. Raises TrackerError.
    """
    project = workspace.project
    evidence, _ = workspace.read_evidence()
    wanted = (
        named_modules(project, workspace.catalogue, targets)
        if targets
        else scope(project, workspace.catalogue)
    )
    modules = []
    for module in (m for m in scope(project, workspace.catalogue) if m in wanted):
        reason = hindrance(evidence, project, module)
        if reason is None:
            modules.append(module)
        elif left_out is not None:
            left_out(module, reason)
    with only_one(workspace.settings.state), closing(workspace.open_history(write=True)) as history:
        known = profiles(history, workspace)
        due = [module for module in modules if fresh or module not in known]
        with (
            Supervisor() as supervisor,
            Lake(workspace.toolchain, Path(project.root), lib_dir(project), supervisor) as lake,
        ):
            for module in modules:
                if module not in due:
                    yield module, known[module]
                    continue
                progress(module)
                found = _profiled(Recheck(lake, project, module, limits))
                add_measurements(history, _kept(workspace, module, found))
                yield module, found


def _profiled(recheck: Recheck) -> tuple[DeclarationCost, ...]:
    reading = recheck.check(recheck.source, PROFILER_ARGS)
    if reading.failures:
        first = reading.failures[0]
        raise LeanError(
            "PROFILE",
            f"{recheck.module} passed, and does not with the profiler on: {first.cls}: {first.message[:500]}",
            "raise --wall: with every step measured, Lean takes longer",
        )
    return declaration_costs(reading.messages, declaration_ranges(recheck.source))


def _kept(workspace: Workspace, module: str, found: Sequence[DeclarationCost]) -> list[Measurement]:
    now, machine = time.time(), str(this_machine())
    return [
        Measurement(
            module, cost.declaration, workspace.fingerprints[module], "profile", "", machine, now, _body(cost)
        )
        for cost in found
    ]


def _body(cost: DeclarationCost) -> dict[str, Any]:
    return {name: value for name, value in asdict(cost).items() if name != "declaration"}


def profiles(history: History, workspace: Workspace) -> dict[str, tuple[DeclarationCost, ...]]:
    """Return the newest profile of each module that holds for its present sources. Raises StoreError."""
    found: dict[str, list[DeclarationCost]] = {}
    for m in measurements(history, "profile", workspace.fingerprints):
        with history.reading():
            found.setdefault(m.module, []).append(DeclarationCost(m.declaration, **m.body))
    return {module: tuple(costs) for module, costs in found.items()}
