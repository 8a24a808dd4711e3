"""What a snapshot says of made-up evidence: each fact of a module and of an obligation, by value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import pytest

from tracker.catalogue.model import Budget, Catalogue, Obligation
from tracker.catalogue.model import Source as Place
from tracker.evidence import Cost, DeclarationProbe, Evidence, Location, ModuleCheck
from tracker.gate.snapshot import (
    Costs,
    Figure,
    ModuleFacts,
    ObligationFacts,
    Snapshot,
    summarize_samples,
    take_snapshot,
)
from tracker.lean.failure import Failure, FailureClass
from tracker.lean.log.source import Position
from tracker.lean.messages import Message, Severity
from tracker.lean.project import load_project
from tracker.lean.toolchain import Toolchain
from tracker.store.samples import Sample
from tracker.verdict import State, Verdict

MIB = 2**20
LAKEFILE = """\
name = "P"
defaultTargets = ["P"]

[[lean_lib]]
name = "P"
globs = ["P.+"]

[[lean_lib]]
name = "Extra"
globs = ["Extra.+"]
"""
FILES = {
    "lakefile.toml": LAKEFILE,
    "P/Base.lean": "def P.base : Nat := 1\n",
    "P/Mid.lean": "import P.Base\n",
    "P/Top.lean": "import P.Mid\n",
    "Extra/Alone.lean": "",
    "Loose.lean": "",
}
LISTED = ("P.Base", "P.Mid", "P.Top", "Extra.Alone")
TOOL = Toolchain("t", Path("lake"), Path("lean"), "4.35.0", "abc", "", lean_args=("-DmaxRecDepth=9",))
UNTRIED = ModuleFacts("P.Mid", listed=True, checked=False, passed=False, file="P/Mid.lean")
PASSED = replace(UNTRIED, checked=True, passed=True)
OPEN = ObligationFacts("x", "tie", "net", "P.x", "P.Mid", "proved", file="P/Mid.lean")


def check(module: str = "P.Mid", **fields: Any) -> ModuleCheck:
    made = ModuleCheck(
        module=module, fingerprint=f"now {module}", passed=True, started_at=0.0, cost=None, exit_code=0,
        signal=None, limit=None, wall_limit_s=None, memory_limit_bytes=None, olean_digest=None, messages=(),
        failures=(), curve=(), lake_output="", stderr="",
    )  # fmt: skip
    return replace(made, **fields)


def failing(module: str = "P.Mid", *classes: FailureClass) -> ModuleCheck:
    failures = tuple(Failure(cls, "elaborator", "text") for cls in classes)
    return check(module, passed=False, failures=failures)


def message(severity: Severity, text: str) -> Message:
    return Message(severity, text, "P/Mid.lean")


def sample(
    module: str = "P.Mid", machine: str = "here", wall_s: float = 1.0, cpu_s: float = 1.0, mib: int = 1
) -> Sample:
    return Sample(module, machine, Cost(wall_s, cpu_s, 0.0, mib * MIB, None, 0, 0))


def obligation(ident: str = "x", module: str = "P.Mid", **fields: Any) -> Obligation:
    return Obligation(ident, "tie", f"P.{ident}", module, Place("c.yaml", 1, 1), net="net", **fields)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def take(
    root: Path, *checks: ModuleCheck, samples: tuple[Sample, ...] = (), commit: str | None = None,
    obligations: tuple[Obligation, ...] = (), found: Mapping[str, Verdict] | None = None,
    tool: Toolchain = TOOL,
) -> Snapshot:  # fmt: skip
    evidence = Evidence({name: f"now {name}" for name in LISTED}, {c.module: c for c in checks}, {})
    catalogue = Catalogue({ob.id: ob for ob in obligations})
    return take_snapshot(catalogue, load_project(root), tool, evidence, found or {}, samples, commit)


def mid(root: Path, *checks: ModuleCheck, **more: Any) -> ModuleFacts:
    """Return what a snapshot says of `P.Mid`, apart from its limits."""
    return replace(take(root, *checks, **more).modules["P.Mid"], limits={})


def the(root: Path, verdict: Verdict, ob: Obligation | None = None) -> ObligationFacts:
    """Return what a snapshot says of the obligation that the verdict is on."""
    return take(root, obligations=(ob or obligation(),), found={"x": verdict}).obligations["x"]


def test_a_whole_snapshot(root: Path) -> None:
    obligations = (obligation("b"), obligation("a", "P.Top"))
    found = {ob.id: Verdict(ob.id, State.UNCHECKED) for ob in obligations}
    now = take(root, obligations=obligations, found=found, commit="c" * 40)
    assert (now.lean, now.identity, now.commit) == ("4.35.0", "4.35.0 abc -DmaxRecDepth=9", "c" * 40)
    assert list(now.obligations.items()) == [
        ("a", replace(OPEN, id="a", decl="P.a", module="P.Top", label="unchecked", file="P/Top.lean")),
        ("b", replace(OPEN, id="b", decl="P.b", label="unchecked")),
    ]
    limits = {"maxRecDepth": 9.0}
    assert list(now.modules.items()) == [
        ("Extra.Alone", ModuleFacts("Extra.Alone", True, False, False, limits=limits, expected=False,
                                    file="Extra/Alone.lean")),
        ("Loose.lean", ModuleFacts("Loose.lean", False, False, False, file="Loose.lean")),
        ("P.Base", ModuleFacts("P.Base", True, False, False, limits=limits, file="P/Base.lean")),
        ("P.Mid", replace(UNTRIED, limits=limits)),
        ("P.Top", ModuleFacts("P.Top", True, False, False, limits=limits, file="P/Top.lean")),
    ]  # fmt: skip


def test_what_is_named_is_expected_also_where_no_default_target_has_it(root: Path) -> None:
    now = take(root, obligations=(obligation(module="Extra.Alone"),))
    assert now.modules["Extra.Alone"].expected


def test_an_obligation_of_no_module(root: Path) -> None:
    verdict = Verdict("x", State.UNBUILT, "there is no P.Gone")
    assert the(root, verdict, obligation(module="P.Gone")) == replace(
        OPEN, module="P.Gone", label="unbuilt", reason="there is no P.Gone", file=""
    )


C = FailureClass
WARNED = (
    message("warning", "`x` has been deprecated: use `y`"),
    message("warning", "unused variable"),
    message("warning", "declaration uses 'sorry'"),
    message("information", "deprecated"),
    message("error", "deprecated"),
)


@pytest.mark.parametrize(
    ("checks", "expected"),
    [
        ([], UNTRIED),
        ([check()], PASSED),
        ([check(fingerprint="earlier")], UNTRIED),
        ([check(messages=WARNED)], replace(PASSED, warnings=3, deprecations=1)),
        (
            [failing("P.Mid", C.KERNEL_TIMEOUT, C.TYPE_ERROR, C.KERNEL_TIMEOUT)],
            replace(PASSED, passed=False, classes=("kernel-timeout", "type-error")),
        ),
        ([failing("P.Base", C.TYPE_ERROR)], replace(UNTRIED, blocked_by="P.Base")),
        ([failing("P.Top", C.TYPE_ERROR)], UNTRIED),
        ([failing("P.Base", C.TYPE_ERROR), check()], PASSED),
        ([check("P.Base")], UNTRIED),
        ([replace(failing("P.Base", C.TYPE_ERROR), fingerprint="earlier")], UNTRIED),
    ],
)
def test_the_check_of_a_module(root: Path, checks: list[ModuleCheck], expected: ModuleFacts) -> None:
    assert mid(root, *checks) == expected


def test_blocked_by_the_first_that_failed_below_it(root: Path) -> None:
    failed = (failing("P.Mid", C.TYPE_ERROR), failing("P.Base", C.TYPE_ERROR))
    assert take(root, *failed).modules["P.Top"].blocked_by == "P.Base"


@pytest.mark.parametrize(
    ("facts", "state"),
    [
        (PASSED, "passed"),
        (replace(PASSED, passed=False), "failed"),
        (UNTRIED, "unchecked"),
        (replace(UNTRIED, blocked_by="P.Base"), "blocked"),
        (replace(UNTRIED, listed=False), "in no target"),
    ],
)
def test_the_state_of_a_module(facts: ModuleFacts, state: str) -> None:
    assert facts.state == state


@pytest.mark.parametrize(
    ("budgets", "limits", "allowed"),
    [
        ([], (None, None), (None, None, None)),
        ([], (60.0, 4096), (60.0, None, 4096)),
        ([Budget(30.0, 20.0, 1024)], (60.0, 4096), (30.0, 20.0, 1024)),
        ([Budget(30.0, 20.0, 1024), Budget(90.0, 10.0, 512)], (None, None), (30.0, 10.0, 512)),
        ([Budget(90.0, None, 8192), Budget()], (60.0, 4096), (60.0, None, 4096)),
    ],
)
def test_what_a_module_is_allowed(
    root: Path, budgets: list[Budget], limits: tuple[float | None, int | None],
    allowed: tuple[float | None, float | None, int | None],
) -> None:  # fmt: skip
    own = tuple(obligation(f"o{n}", budget=budget) for n, budget in enumerate(budgets))
    other = obligation("other", "P.Top", budget=Budget(1.0, 1.0, 1))
    last = check(wall_limit_s=limits[0], memory_limit_bytes=limits[1])
    found = mid(root, last, obligations=(*own, other))
    assert (found.allowed_wall_s, found.allowed_cpu_s, found.allowed_bytes) == allowed


def test_a_budget_allows_also_what_was_never_checked(root: Path) -> None:
    found = mid(root, obligations=(obligation(budget=Budget(30.0, 20.0, 1024)),))
    assert (found.allowed_wall_s, found.allowed_cpu_s, found.allowed_bytes) == (30.0, 20.0, 1024)


def test_costs_are_medians_of_the_newest_machine() -> None:
    taken = [
        sample(wall_s=2.0, cpu_s=1.0, mib=10),
        sample(machine="elsewhere", wall_s=900.0, cpu_s=900.0, mib=900),
        sample(wall_s=8.0, cpu_s=5.0, mib=11),
        sample(wall_s=3.0, cpu_s=2.0, mib=14),
    ]
    assert summarize_samples(taken) == Costs(
        "here", wall_s=Figure(3.0, 1.0, 3), cpu_s=Figure(2.0, 1.0, 3), peak_rss_bytes=Figure(11 * MIB, MIB, 3)
    )
    assert summarize_samples(taken[:2]) == Costs(
        "elsewhere", wall_s=Figure(900.0), cpu_s=Figure(900.0), peak_rss_bytes=Figure(900 * MIB)
    )
    assert summarize_samples([]) is None


def test_each_module_has_its_own_samples(root: Path) -> None:
    taken = (sample("P.Base", wall_s=7.0), sample(wall_s=3.0), sample("P.Gone"), sample(wall_s=4.0))
    modules = take(root, samples=taken).modules
    walls = {name: facts.costs.wall_s for name, facts in modules.items() if facts.costs}
    assert walls == {"P.Base": Figure(7.0), "P.Mid": Figure(3.5, 0.5, 2)}


@pytest.mark.parametrize(
    ("source", "given", "arguments", "limits"),
    [
        ("", "", (), {}),
        ("set_option maxRecDepth 800 in\ndef a := 1\n", "", (), {"maxRecDepth": 800.0}),
        (
            "set_option maxRecDepth 8\nset_option maxRecDepth 0x40\nset_option maxRecDepth 9\n",
            "", (), {"maxRecDepth": 64.0},
        ),
        ("set_option synthInstance.maxHeartbeats 0\n", "", (), {"synthInstance.maxHeartbeats": inf}),
        ("set_option maxRecDepth 0\nset_option maxRecDepth 9\n", "", (), {"maxRecDepth": inf}),
        ("set_option pp.all true\nset_option autoImplicit false\n", "", (), {}),
        ("set_option debug.skipKernelTC true\n", "", (), {}),
        ("-- set_option maxRecDepth 800\n", "", (), {}),
        ("", "leanOptions = {maxRecDepth = 600, maxSize = 7}", (), {"maxRecDepth": 600.0, "maxSize": 7.0}),
        ("", 'leanOptions = {"weak.maxRecDepth" = 600}', (), {"maxRecDepth": 600.0}),
        ("", 'moreLeanArgs = ["-DmaxRecDepth=010"]', (), {"maxRecDepth": 10.0}),
        ("", 'moreLeanArgs = ["-DmaxRecDepth=many"]', (), {}),
        ("", "", ("-DmaxRecDepth=500", "-Dpp.all=true", "--quiet"), {"maxRecDepth": 500.0}),
        ("", "", ("-Dweak.maxHeartbeats=5",), {"maxHeartbeats": 5.0}),
        ("", "", ("maxRecDepth=500", "-T100", "-DmaxRecDepth", "-DmaxSize=a=5"), {}),
        (
            "set_option maxRecDepth 800\n", "leanOptions = {maxRecDepth = 900}", ("-DmaxHeartbeats=1",),
            {"maxHeartbeats": 1.0, "maxRecDepth": 900.0},
        ),
    ],
)  # fmt: skip
def test_the_highest_value_of_each_limit(
    root: Path, source: str, given: str, arguments: tuple[str, ...], limits: dict[str, float]
) -> None:
    (root / "P" / "Mid.lean").write_text(source)
    (root / "lakefile.toml").write_text(LAKEFILE.replace('globs = ["P.+"]', f'globs = ["P.+"]\n{given}'))
    found = take(root, tool=replace(TOOL, lean_args=arguments)).modules["P.Mid"].limits
    assert list(found.items()) == list(limits.items())


COMMENTED = "import P.Base\n<-- set_option maxRecDepth 800 in\n#eval 1\n"


@pytest.mark.parametrize(
    ("base", "mid", "limits"),
    [
        ("def P.base : Nat := 1\n", COMMENTED, {}),
        ('notation "<--" => Nat\n', COMMENTED, {"maxRecDepth": 800.0}),
        ("", COMMENTED.replace("<", 'notation "<--" => Nat\n<', 1), {"maxRecDepth": 800.0}),
        ('notation "<--" => Nat\n', COMMENTED.replace("import P.Base\n", ""), {}),
    ],
)
def test_a_limit_that_only_looks_like_a_comment(
    root: Path, base: str, mid: str, limits: dict[str, float]
) -> None:
    """Where this module or one that it imports declares a token with `--`, what is behind it is code."""
    (root / "P" / "Base.lean").write_text(base)
    (root / "P" / "Mid.lean").write_text(mid)
    found = take(root, tool=replace(TOOL, lean_args=())).modules["P.Mid"].limits
    assert dict(found) == limits


PROBE = DeclarationProbe(
    "P.x", "P.Mid", "now P.Mid", found=True, axioms=("propext", "Classical.choice"), statement="1 = 1",
    digest="d", location=Location("P/Base.lean", 7, 2),
)  # fmt: skip
ASKED = replace(OPEN, axioms=("Classical.choice", "propext"), digest="d", statement="1 = 1")
FAILED = Failure(C.TYPE_ERROR, "elaborator", "text")


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (Verdict("x", State.PROVED), OPEN),
        (Verdict("x", State.PROVED, probe=PROBE), replace(ASKED, file="P/Base.lean", line=7)),
        (Verdict("x", State.PROVED, probe=replace(PROBE, location=None)), ASKED),
        (Verdict("x", State.PROVED, probe=replace(PROBE, axioms=())), replace(
            ASKED, axioms=(), file="P/Base.lean", line=7
        )),
        (
            Verdict("x", State.MISSING, "it is not there", probe=replace(PROBE, found=False)),
            replace(OPEN, label="missing", reason="it is not there", file="P/Base.lean", line=7),
        ),
        (
            Verdict("x", State.FAILED, "type mismatch", replace(FAILED, pos=Position(12, 4))),
            replace(OPEN, label="failed:type-error", reason="type mismatch", line=12),
        ),
        (Verdict("x", State.FAILED, failure=FAILED), replace(OPEN, label="failed:type-error")),
        (
            Verdict("x", State.BLOCKED, "depends on y", blocked_by=("y", "P.Base")),
            replace(OPEN, label="blocked", reason="depends on y", blocked_by=("y", "P.Base")),
        ),
    ],
)  # fmt: skip
def test_an_obligation(root: Path, verdict: Verdict, expected: ObligationFacts) -> None:
    assert the(root, verdict) == expected


def test_only_proved_is_proved() -> None:
    assert OPEN.proved
    assert not replace(OPEN, label="over budget").proved
