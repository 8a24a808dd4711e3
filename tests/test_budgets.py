"""Budgets: which one holds, what is over it, and what fits a smaller machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import Site
from tracker.budgets import RESERVE_BYTES, BudgetSettings, ModuleUse, module_budget, with_budgets
from tracker.catalogue.model import Budget, Catalogue, Obligation, Source
from tracker.config import load_settings
from tracker.errors import UsageError
from tracker.evidence import Cost

GIB = 2**30


def obligation(ident: str, kind: str, module: str, budget: Budget = Budget()) -> Obligation:  # noqa: B008
    return Obligation(ident, kind, f"N.{ident}", module, Source("x.yaml", 1, 1), budget=budget)


CATALOGUE = Catalogue(
    {
        ob.id: ob
        for ob in (
            obligation("own", "tie", "Net.A", Budget(wall_s=5)),
            obligation("kind", "tie", "Net.B"),
            obligation("plain", "foundation", "Base"),
        )
    }
)
SETTINGS = BudgetSettings(
    default=Budget(wall_s=100, memory_bytes=GIB),
    kinds={"tie": Budget(wall_s=50)},
    modules={"Net.*": Budget(cpu_s=7), "Net.B": Budget(wall_s=20)},
)


def test_the_nearest_counts_part_by_part() -> None:
    found = with_budgets(CATALOGUE, SETTINGS)
    assert found["own"].budget == Budget(5, 7, GIB), "its own, its module's, the default"
    assert found["kind"].budget == Budget(20, 7, GIB), "an exact name goes before a pattern and a kind"
    assert found["plain"].budget == Budget(100, None, GIB)
    without = with_budgets(CATALOGUE, replace(SETTINGS, modules={}))
    assert without["kind"].budget == Budget(50, None, GIB)
    assert with_budgets(CATALOGUE, BudgetSettings()) is CATALOGUE


def test_a_module_s_budget_is_the_tightest_of_its_obligations() -> None:
    both = Catalogue({**CATALOGUE.obligations, "own2": obligation("own2", "tie", "Net.A", Budget(wall_s=3))})
    assert module_budget("Net.A", with_budgets(both, SETTINGS), SETTINGS) == Budget(3, 7, GIB)
    assert module_budget("Net.Else", CATALOGUE, SETTINGS) == Budget(100, 7, GIB), "nobody has an obligation"


def test_a_kind_that_there_is_not() -> None:
    with pytest.raises(UsageError, match="tye") as caught:
        with_budgets(CATALOGUE, BudgetSettings(kinds={"tye": Budget(1)}))
    assert "tie" in (caught.value.hint or "")


COST = Cost(10, 8, 1, 2 * GIB, None, 0, 0)


@pytest.mark.parametrize(
    ("budget", "over"),
    [
        (Budget(), ()),
        (Budget(10, 9, 2 * GIB), ()),
        (Budget(9.9), ("wall",)),
        (Budget(None, 8.9, 1), ("cpu", "memory")),
    ],
)
def test_what_is_over(budget: Budget, over: tuple[str, ...]) -> None:
    assert ModuleUse("M", budget, COST, 16 * GIB).over == over


@pytest.mark.parametrize(("runner", "fit"), [(2 * GIB, "too big"), (2 * GIB + RESERVE_BYTES, "fits")])
def test_what_fits(runner: int, fit: str) -> None:
    assert ModuleUse("M", Budget(), COST, runner).fit == fit
    nothing = ModuleUse("M", Budget(), None, runner)
    assert (nothing.fit, nothing.over, nothing.within) == ("unknown", (), False)


GOOD = """\
[budgets]
runner = "7GiB"
default = {wall = "5min"}
[budgets.kind]
tie = {memory = "8GiB", cpu = "90s"}
[budgets.module]
"Net.*" = {wall = "1h"}
"""


def test_read_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "tracker.toml").write_text(GOOD)
    assert load_settings(tmp_path, environment={}).budgets == BudgetSettings(
        Budget(300), {"tie": Budget(None, 90, 8 * GIB)}, {"Net.*": Budget(3600)}, 7 * GIB
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[budgets]\ndefault = 5", "[budgets] default must be a table"),
        ("[budgets.kind]\ntie = {wal = '5s'}", "did you mean `wall`"),
        ("[budgets.module]\n'A.*' = {wall = 'soon'}", "[budgets.module] A.* wall"),
        ("[budgets]\nrunner = 'big'", "[budgets] runner"),
        ("[budgets]\nkinds = {}", "did you mean `kind`"),
        ("[budgets]\nkind = 3", "[budgets.kind] must be a table"),
    ],
)
def test_a_file_that_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "tracker.toml").write_text(text)
    with pytest.raises(UsageError) as caught:
        load_settings(tmp_path, environment={})
    assert said in str(caught.value)


def test_a_module_over_budget_is_reported_though_it_passed(site: Site) -> None:
    """By default and by kind; of a module with obligations and of one without."""
    file = site.root / "tracker.toml"
    file.write_text(
        file.read_text() + '[budgets]\nrunner = "1GiB"\n[budgets.kind]\ncapstone = {cpu = "1ms"}\n'
        '[budgets.module]\n"Demo.Ex*" = {memory = "1MiB"}\n'
    )
    site.write("Extra", "theorem Demo.extra : 1 = 1 := rfl\n")
    before = site.tracker("budget")
    assert before.code == 1
    assert "5 not known" in before.out
    done = site.tracker("run")
    assert done.code == 1
    assert "over its cpu budget" in done.err
    assert "Demo.Extra  over its memory budget" in done.err
    labels = site.labels()
    assert (labels["top"], labels["main"]) == ("over budget", "proved")
    small = site.tracker("budget", "--json").json
    assert {m["module"]: m["over"] for m in small["modules"] if m["over"]} == {
        "Demo.Top": ["cpu"],
        "Demo.Extra": ["memory"],
    }
    assert {m["fit"] for m in small["modules"]} == {"too big"}
    assert {s["fits"] for s in small["schedules"]} == {False}
    said = site.tracker("budget", "--runner", "16GiB")
    assert said.code == 1
    assert "over its memory budget of 1 MiB" in said.out
    assert "5 modules: 2 over budget, 0 too big for 16 GiB, 0 not known" in said.out
    assert "-j 4 on 16 GiB: fits" in said.out
    file.write_text(file.read_text().partition("[budgets]")[0])
    assert site.tracker("budget").code == 0
    assert "Demo.Side" in site.tracker("budget", "--all").out
