"""Budgets: what checking may cost, by module, kind and default; and whether it all fits a smaller machine.

An obligation's own budget stands in the catalogue, since it says something about the proof; those here come
from `[budgets]` of tracker.toml, since they say something about the machines that check. Part by part (wall,
CPU, memory) the nearest counts: the obligation's own, else its module's, else its kind's, else the default.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, TypeVar

from tracker.catalogue.model import Budget, Catalogue, Obligation
from tracker.catalogue.suggest import did_you_mean
from tracker.errors import UsageError
from tracker.evidence import Cost, Evidence

RESERVE_BYTES = 2**30
"""Left on a runner to its system, Lake and the tracker: Lake itself takes some hundred MiB."""

N = TypeVar("N", int, float)
Fit = Literal["fits", "too big", "unknown"]


@dataclass(frozen=True)
class BudgetSettings:
    """`[budgets]` of tracker.toml. `modules` maps patterns over names; exact names go before patterns."""

    default: Budget = field(default_factory=Budget)
    kinds: Mapping[str, Budget] = field(default_factory=lambda: MappingProxyType({}))
    modules: Mapping[str, Budget] = field(default_factory=lambda: MappingProxyType({}))
    runner_bytes: int = 16 * 2**30
    """Memory of the machine that all of it should fit: 16 GiB is what hosted CI runners have."""

    def for_module(self, module: str) -> Budget:
        """Return what is set for a module by its name, part by part: exact, then patterns as written."""
        exact = [self.modules[module]] if module in self.modules else []
        fitting = [b for pattern, b in self.modules.items() if fnmatch.fnmatchcase(module, pattern)]
        return _first((*exact, *fitting))


def with_budgets(catalogue: Catalogue, settings: BudgetSettings) -> Catalogue:
    """Return the catalogue with the budget of each obligation that holds for it.

    Raises UsageError for a kind that the catalogue does not know.
    """
    for kind in settings.kinds:
        if kind not in catalogue.kinds:
            raise UsageError(
                "BAD-CONFIG",
                f"[budgets.kind] {kind}: the catalogue has no such kind",
                did_you_mean(kind, catalogue.kinds) or f"known: {', '.join(catalogue.kinds)}",
            )
    if settings == BudgetSettings(runner_bytes=settings.runner_bytes):
        return catalogue
    found = {ob.id: replace(ob, budget=_budget(ob, settings)) for ob in catalogue}
    return replace(catalogue, obligations=found)


def _budget(ob: Obligation, settings: BudgetSettings) -> Budget:
    return _first(
        (
            ob.budget,
            settings.for_module(ob.module),
            settings.kinds.get(ob.kind, settings.default),
            settings.default,
        )
    )


def module_budget(module: str, catalogue: Catalogue, settings: BudgetSettings) -> Budget:
    """Return the tightest budget of a module's obligations; without any, what is set for its name.

    `catalogue` is one `with_budgets`.
    """
    budgets = [ob.budget for ob in catalogue.by_module.get(module, ())]
    if not budgets:
        return _first((settings.for_module(module), settings.default))
    return Budget(
        _least(b.wall_s for b in budgets),
        _least(b.cpu_s for b in budgets),
        _least(b.memory_bytes for b in budgets),
    )


def _first(budgets: Iterable[Budget]) -> Budget:
    """Return of each part the first that is set."""
    known = list(budgets)
    return Budget(
        next((b.wall_s for b in known if b.wall_s is not None), None),
        next((b.cpu_s for b in known if b.cpu_s is not None), None),
        next((b.memory_bytes for b in known if b.memory_bytes is not None), None),
    )


def _least(amounts: Iterable[N | None]) -> N | None:
    return min((amount for amount in amounts if amount is not None), default=None)


@dataclass(frozen=True)
class ModuleUse:
    """What a module cost the last time it was checked as it is now, beside what it may cost."""

    module: str
    budget: Budget
    cost: Cost | None
    """None where Lean has not checked it as it is now."""
    runner_bytes: int

    @property
    def over(self) -> tuple[str, ...]:
        """Return the parts of the budget that it is over: `wall`, `cpu`, `memory`."""
        if self.cost is None:
            return ()
        pairs: tuple[tuple[str, float, float | None], ...] = (
            ("wall", self.cost.wall_s, self.budget.wall_s),
            ("cpu", self.cost.cpu_s, self.budget.cpu_s),
            ("memory", self.cost.peak_rss_bytes, self.budget.memory_bytes),
        )
        return tuple(name for name, used, allowed in pairs if allowed is not None and used > allowed)

    @property
    def fit(self) -> Fit:
        """Return whether a runner could check it, its reserve left alone."""
        if self.cost is None:
            return "unknown"
        return "fits" if self.cost.peak_rss_bytes <= self.runner_bytes - RESERVE_BYTES else "too big"

    @property
    def within(self) -> bool:
        """Return whether it is known to be within its budget and to fit a runner."""
        return self.cost is not None and not self.over and self.fit == "fits"


def module_uses(
    modules: Iterable[str], catalogue: Catalogue, settings: BudgetSettings, evidence: Evidence
) -> tuple[ModuleUse, ...]:
    """Return the use of each module; `catalogue` is one `with_budgets`."""
    found = []
    for module in modules:
        check = evidence.check_of(module)
        budget = module_budget(module, catalogue, settings)
        found.append(ModuleUse(module, budget, check.cost if check else None, settings.runner_bytes))
    return tuple(found)
