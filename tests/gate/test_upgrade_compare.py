"""Laws of comparing two trials: nothing lost is silent, every loss has a cause, the worst comes first."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tracker.catalogue.model import Catalogue, Obligation, Source
from tracker.gate.compare import Change, Difference, Tolerance
from tracker.gate.rollup import Cause, headline_ids
from tracker.gate.snapshot import Costs, Figure, ModuleFacts, ObligationFacts, Snapshot
from tracker.gate.trial import Trial
from tracker.gate.upgrade import (
    Fate,
    Growth,
    ObligationFate,
    Ruling,
    Total,
    compare_trials,
    suspects,
)
from tracker.gate.upgrade_pins import PinMoves
from tracker.gate.upgrade_run import TriedUpgrade
from tracker.gate.worktree import Commit
from tracker.lean.toolchain import Toolchain
from tracker.report.upgrade import print_upgrade
from tracker.report.upgrade_markdown import upgrade_markdown

IDS = ("leaf", "apex", "capstone", "other")
KINDS = {"leaf": "leaf-tie", "apex": "apex", "capstone": "capstone", "other": "foundation"}
LABELS = (
    "proved",
    "sorry",
    "blocked",
    "failed:type-error",
    "failed:kernel-timeout",
    "unchecked",
    "over budget",
)
MODULES = ("M", "N")

labels = st.fixed_dictionaries({ident: st.sampled_from(LABELS) for ident in IDS})
costs = st.fixed_dictionaries(
    {name: st.none() | st.tuples(st.floats(0.01, 1000), st.integers(2**20, 2**40)) for name in MODULES}
)


def trial(
    labels: dict[str, str], costs: dict[str, tuple[float, int] | None], name: str = "before",
    statement: str = "True", axioms: tuple[str, ...] = (),
) -> Trial:  # fmt: skip
    obligations = {
        ident: ObligationFacts(
            ident, KINDS.get(ident, "reading"), None, f"D.{ident}", "M" if ident == "leaf" else "N", label,
            axioms=axioms, digest=statement, statement=statement,
            blocked_by=("leaf",) if label == "blocked" and ident != "leaf" else (), reason=f"why {ident}",
        )
        for ident, label in labels.items()
    }  # fmt: skip
    modules = {}
    for module, cost in costs.items():
        figures = None
        if cost:
            figures = Costs("m, Linux x86_64", Figure(cost[0]), Figure(cost[0]), Figure(cost[1]))
        modules[module] = ModuleFacts(module, listed=True, checked=True, passed=True, costs=figures)
    deps = {"apex": ("leaf",), "capstone": ("apex",)}
    catalogue = Catalogue(
        {
            i: Obligation(
                i, KINDS.get(i, "reading"), f"D.{i}", "M", Source("f", 1, 1), depends_on=deps.get(i, ())
            )
            for i in labels
        }
    )
    tool = Toolchain(name, Path("lake"), Path("lean"), "4.35.0", name, "")
    snapshot = Snapshot("4.35.0", tool.identity, None, MappingProxyType(obligations), modules)
    return Trial(name, tool, snapshot, {}, catalogue)


PROVED = dict.fromkeys(IDS, "proved")
CHEAP: dict[str, tuple[float, int] | None] = {"M": (1.0, 2**28), "N": (2.0, 2**28)}


@given(labels, labels, costs, costs)
def test_every_obligation_has_the_fate_that_its_labels_say(
    old: dict[str, str], new: dict[str, str], cheap: dict[str, tuple[float, int] | None],
    dear: dict[str, tuple[float, int] | None],
) -> None:  # fmt: skip
    found = compare_trials(trial(old, cheap), trial(new, dear, "after"), Tolerance())
    assert set(found.fates) == set(IDS)
    for ident in IDS:
        fate = found.fates[ident].fate
        assert (fate is Fate.LOST) == (old[ident] == "proved" != new[ident])
        assert (fate is Fate.GAINED) == (old[ident] != "proved" == new[ident])
        assert (fate in (Fate.UNPROVED, Fate.CLASS)) == ("proved" not in (old[ident], new[ident]))
    assert sum(found.counts.values()) == len(IDS)
    lost = {fate.id for fate in found.having(Fate.LOST)}
    assert {ident for cause in found.causes for ident in cause.lost} == lost, "every loss has a cause"
    assert (found.ruling is Ruling.LOSES) == bool(lost)
    if found.ruling is Ruling.SAFE:
        assert not found.growth
        assert "proved" in old.values()
    weights = [growth.weight for growth in found.growth]
    assert weights == sorted(weights, reverse=True)
    assert all(growth.after > growth.before for growth in found.growth)


def test_a_cascade_comes_down_to_one_cause_and_headlines_first() -> None:
    new = {"leaf": "failed:kernel-timeout", "apex": "blocked", "capstone": "blocked", "other": "sorry"}
    found = compare_trials(trial(PROVED, CHEAP), trial(new, CHEAP, "after"), Tolerance())
    assert found.verdict == "loses 4"
    assert found.causes == (
        Cause(
            "leaf", "failed:kernel-timeout", "why leaf", ("apex", "capstone", "leaf"), ("apex", "capstone")
        ),
        Cause("other", "sorry", "why other", ("other",), ()),
    )


def test_of_causes_without_a_headline_the_widest_comes_first() -> None:
    new = {"leaf": "sorry", "apex": "proved", "capstone": "proved", "other": "sorry"}
    after = trial(new | {"more": "blocked"}, CHEAP, "after")
    obligations = dict(after.snapshot.obligations)
    obligations["more"] = replace(obligations["more"], blocked_by=("other",))
    after = replace(after, snapshot=replace(after.snapshot, obligations=obligations))
    found = compare_trials(trial(PROVED | {"more": "proved"}, CHEAP), after, Tolerance())
    assert [(cause.root, cause.lost) for cause in found.causes] == [
        ("other", ("more", "other")), ("leaf", ("leaf",)),
    ]  # fmt: skip


def test_a_declaration_that_is_no_obligation_stands_for_its_module() -> None:
    after = trial(dict.fromkeys(IDS, "blocked"), CHEAP, "after")
    obligations = dict(after.snapshot.obligations)
    for ident, root in (("leaf", "D.helper"), ("apex", "M"), ("capstone", "M"), ("other", "gone")):
        obligations[ident] = replace(obligations[ident], blocked_by=(root,), reason=f"for {root}")
    modules = {
        name: replace(facts, passed=False, costs=None, classes=("kernel-timeout",))
        for name, facts in after.snapshot.modules.items()
    }
    after = replace(after, snapshot=replace(after.snapshot, obligations=obligations, modules=modules))
    found = compare_trials(trial(PROVED, CHEAP), after, Tolerance())
    assert found.causes == (
        Cause("M", "failed:kernel-timeout", "for M", ("apex", "capstone", "leaf"), ("apex", "capstone")),
        Cause("N", "failed:kernel-timeout", "for gone", ("other",), ()),
    )
    modules = {name: replace(facts, classes=()) for name, facts in modules.items()}
    after = replace(after, snapshot=replace(after.snapshot, modules=modules))
    found = compare_trials(trial(PROVED, CHEAP), after, Tolerance())
    assert {cause.label for cause in found.causes} == {"not checked"}


def test_a_cliff_comes_before_what_merely_grew() -> None:
    dear = {"M": (17.0, 2**28), "N": (600.0, 2**28)}
    cliff = {"M": (360.0, 2**28), "N": (950.0, 2**28)}
    found = compare_trials(trial(PROVED, dear), trial(PROVED, cliff, "after"), Tolerance())
    assert [(growth.module, growth.cliff) for growth in found.growth] == [("M", True), ("N", False)]
    assert found.verdict == "costs more"
    assert found.fates["apex"].fate is Fate.SLOWER
    heavy = {"M": (1.0, 48 * 2**30), "N": (2.0, 2**28)}
    found = compare_trials(trial(PROVED, CHEAP), trial(PROVED, heavy, "after"), Tolerance())
    assert [(growth.unit, growth.obligations) for growth in found.growth] == [("bytes", ("leaf",))]
    assert found.fates["leaf"].fate is Fate.HEAVIER


def test_what_seems_to_cost_more_is_worth_measuring_again() -> None:
    dear = {"M": (30.0, 2**28), "N": (2.0, 2**32), "K": (1.0, 2**20)}
    before = trial(PROVED, {**CHEAP, "K": (30.0, 2**20)})
    assert suspects(before, trial(PROVED, dear, "after"), Tolerance()) == ["M", "N"]
    assert suspects(before, trial(PROVED, dear, "after"), Tolerance(ratio=99.0)) == ["N"]


def test_totals_and_figures_of_growth() -> None:
    dear = {"M": (30.0, 2**28), "N": (2.0, 2**32)}
    found = compare_trials(trial(PROVED, CHEAP), trial(PROVED, dear, "after"), Tolerance())
    assert found.total == Total(2, (3.0, 32.0), (float(2**28), float(2**32)))
    slower, heavier = sorted(found.growth, key=lambda growth: growth.unit)
    assert slower == Growth("M", "CPU s", 1.0, 30.0, 2.0, ("leaf",), ())
    assert (slower.factor, slower.weight) == (30.0, 30.0 * 29.0 / 2.0)
    assert heavier == Growth(
        "N", "bytes", 2**28, 2**32, 256.0 * 2**20, ("apex", "capstone", "other"), ("apex", "capstone")
    )
    assert heavier.cliff
    assert not replace(heavier, after=4.99 * 2**28).cliff
    assert replace(heavier, after=5.0 * 2**28).cliff
    nothing = compare_trials(trial(PROVED, {}), trial(PROVED, {}, "after"), Tolerance())
    assert nothing.total == Total(0, (0.0, 0.0), (0.0, 0.0))


def test_a_fate_in_full() -> None:
    new = PROVED | {"leaf": "sorry"}
    found = compare_trials(trial(PROVED, CHEAP), trial(new, CHEAP, "after"), Tolerance())
    assert found.fates["leaf"] == ObligationFate(
        "leaf", "leaf-tie", None, "M", "proved", "sorry", Fate.LOST,
        (Difference("leaf", Change.LOST, "proved", "sorry"),), "why leaf",
    )  # fmt: skip
    assert list(found.fates) == sorted(IDS)
    assert [fate.id for fate in found.having(Fate.LOST)] == ["leaf"]
    assert found.headlines == ("apex", "capstone")


def test_noise_is_safe() -> None:
    found = compare_trials(
        trial(PROVED, CHEAP), trial(PROVED, {"M": (1.9, 2**28), "N": (2.1, 2**29)}, "after"), Tolerance()
    )
    assert (found.verdict, found.growth) == ("safe", ())


def test_a_cost_that_is_not_known_any_more_is_no_good_news() -> None:
    found = compare_trials(trial(PROVED, CHEAP), trial(PROVED, CHEAP | {"N": None}, "after"), Tolerance())
    assert found.verdict == "costs more"


def test_nothing_proved_before_is_nothing_to_compare() -> None:
    none = dict.fromkeys(IDS, "unchecked")
    found = compare_trials(trial(none, CHEAP), trial(none, CHEAP, "after"), Tolerance())
    assert found.verdict == "nothing to compare"


def test_more_axioms_and_other_print() -> None:
    found = compare_trials(
        trial(PROVED, CHEAP), trial(PROVED, CHEAP, "after", axioms=("propext",)), Tolerance()
    )
    assert {fate.fate for fate in found.fates.values()} == {Fate.AXIOMS}
    found = compare_trials(trial(PROVED, CHEAP), trial(PROVED, CHEAP, "after", statement="⊤"), Tolerance())
    assert {fate.fate for fate in found.fates.values()} == {Fate.PRINTS}
    assert found.verdict == "safe"


def test_what_left_the_catalogue_is_lost() -> None:
    rest = {ident: "proved" for ident in IDS if ident != "other"}
    found = compare_trials(trial(PROVED, CHEAP), trial(rest, CHEAP, "after"), Tolerance())
    assert found.fates["other"].fate is Fate.LOST
    assert found.causes == (Cause("other", "absent", "it is not in the catalogue any more", ("other",), ()),)
    fate = found.fates["other"]
    assert (fate.before, fate.after, fate.reason) == (
        "proved", "", "the catalogue does not have it any more",
    )  # fmt: skip


@pytest.mark.parametrize(("change", "verdict"), [(False, "loses 1 module"), (None, "loses 1 module")])
def test_a_module_that_no_obligation_names(change: bool | None, verdict: str) -> None:
    extra = {**CHEAP, "Z": (1.0, 2**20)}
    before, after = trial(PROVED, extra), trial(PROVED, extra, "after")
    modules = dict(after.snapshot.modules)
    modules["Z"] = replace(modules["Z"], passed=False, checked=change is not None, costs=None)
    after = replace(after, snapshot=replace(after.snapshot, modules=modules))
    found = compare_trials(before, after, Tolerance())
    assert found.verdict == verdict
    assert [d.subject for d in found.differing(Change.LOST)] == ["Z"]


def test_headlines_without_the_kinds_are_what_nothing_rests_on() -> None:
    obs = [
        Obligation("a", "tie", "A", "M", Source("f", 1, 1)),
        Obligation("b", "tie", "B", "M", Source("f", 1, 1), depends_on=("a",)),
    ]
    assert headline_ids(Catalogue({ob.id: ob for ob in obs})) == ("b",)


HOSTILE = "```\n# heading | cell <script>x</script> @someone [a](javascript:b)\x1b[31m ::error::x \u202e"


def hostile() -> TriedUpgrade:
    new = trial(dict.fromkeys(IDS, "sorry"), CHEAP, "after")
    obligations = {i: replace(ob, reason=HOSTILE) for i, ob in new.snapshot.obligations.items()}
    new = replace(new, name=HOSTILE, snapshot=replace(new.snapshot, obligations=obligations))
    found = compare_trials(trial(PROVED, CHEAP), new, Tolerance())
    return TriedUpgrade(found, Commit("a" * 40, HOSTILE), (), dirty=False, moves=PinMoves())


def test_untrusted_text_stays_text() -> None:
    text = upgrade_markdown(hostile())
    outside = re.sub(
        r"(?ms)^(`{3,})text\n.*?^\1$", "", text
    )  # a fence longer than any run of backticks inside
    outside = re.sub(r"(`+)[^`].*?\1", "", outside)
    for trap in ("<script>", "@someone", "](", "\x1b", "\n# heading"):
        assert trap not in outside
    assert "\x1b" not in text
    out = Console(record=True, width=80, file=io.StringIO())
    print_upgrade(hostile(), out, show_all=True)
    assert "\x1b" not in out.export_text()


@given(st.integers(600, 20_000))
def test_a_report_stays_below_its_limit(limit: int) -> None:
    assert len(upgrade_markdown(hostile(), limit).encode()) <= limit
