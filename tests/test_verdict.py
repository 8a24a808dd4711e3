"""The judge, by made-up evidence: every way of not being proved, its words, and what it is blamed on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.catalogue.model import BUILTIN_KINDS, Alias, Budget, Catalogue, Obligation, Source
from tracker.evidence import Cost, DeclarationProbe, Evidence, Location, ModuleCheck
from tracker.lean.failure import Failure, FailureClass
from tracker.lean.project import Project, load_project
from tracker.locks import Lock, LockedStatement
from tracker.verdict import Judge, State, Verdict, lockable, one_line, verdicts

C = FailureClass
FILES = {
    "lakefile.toml": (
        'name = "P"\n[[lean_lib]]\nname = "P"\nglobs = ["P.Base", "P.Mid", "P.Top", "P.A", "P.B"]\n'
    ),
    "P/Base.lean": "def P.base : Nat := 1\n",
    "P/Mid.lean": "import P.Base\n",
    "P/Top.lean": "import P.Mid\n",
    "P/A.lean": "import P.B\n",
    "P/B.lean": "import P.A\n",
    "P/Stray.lean": "",
}
MODULES = ("P.Base", "P.Mid", "P.Top")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("verdict")
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    return load_project(root)


def obligation(ident: str, module: str = "P.Mid", kind: str = "foundation", **fields: Any) -> Obligation:
    return Obligation(ident, kind, f"P.{ident}", module, Source("c.yaml", 1, 1), **fields)


def check(module: str, *failures: Failure, cost: Cost | None = None) -> ModuleCheck:
    return ModuleCheck(
        module=module, fingerprint=f"now {module}", passed=not failures, started_at=0.0,
        cost=cost or Cost(10.0, 8.0, 1.0, 2 * 2**30, None, 0, 0), exit_code=0, signal=None, limit=None,
        wall_limit_s=None, memory_limit_bytes=None, olean_digest="x", messages=(), failures=failures,
        curve=(), lake_output="", stderr="",
    )  # fmt: skip


def probe(ob: Obligation, **fields: Any) -> DeclarationProbe:
    file = ob.module.replace(".", "/") + ".lean"
    made = DeclarationProbe(
        ob.decl, ob.module, f"now {ob.module}", found=True, kind="theorem", axioms=("propext",),
        statement="True", digest="d", location=Location(file, 1, 0),
    )  # fmt: skip
    return replace(made, **fields)


def failure(cls: FailureClass = C.TYPE_ERROR, **fields: Any) -> Failure:
    return replace(Failure(cls, "elaborator", "it\n  is wrong"), **fields)


@dataclass
class World:
    """A project in which everything is proved, to be changed in one place."""

    project: Project
    obligations: list[Obligation]
    checks: dict[str, ModuleCheck] = field(default_factory=dict)
    probes: dict[tuple[str, str], DeclarationProbe] = field(default_factory=dict)
    lock: Lock = field(default_factory=lambda: Lock(None, {}))

    def __post_init__(self) -> None:
        self.checks = {name: check(name) for name in MODULES}
        self.probes = {(ob.module, ob.decl): probe(ob) for ob in self.obligations}

    def judge(self) -> dict[str, Verdict]:
        prints = {name: f"now {name}" for name in MODULES}
        catalogue = Catalogue({ob.id: ob for ob in self.obligations})
        found = dict(verdicts(catalogue, self.project, Evidence(prints, self.checks, self.probes), self.lock))
        for ident, verdict in found.items():
            assert verdict.id == ident
            assert verdict.label.partition(":")[0] == verdict.state.value
            assert bool(verdict.failure) == (verdict.state is State.FAILED)
        return found

    def one(self) -> Verdict:
        return self.judge()[self.obligations[0].id]

    def probe_as(self, **fields: Any) -> World:
        ob = self.obligations[0]
        self.probes[ob.module, ob.decl] = probe(ob, **fields)
        return self


def said(verdict: Verdict) -> tuple[str, str, tuple[str, ...]]:
    return verdict.label, verdict.reason, verdict.blocked_by


@pytest.fixture
def world(project: Project) -> World:
    return World(project, [obligation("x")])


def test_proved(world: World) -> None:
    found = world.one()
    assert said(found) == ("proved", "", ())
    assert found.proved
    assert (found.check, found.probe) == (world.checks["P.Mid"], world.probes["P.Mid", "P.x"])


def test_in_the_order_of_the_catalogue(project: Project) -> None:
    world = World(project, [obligation("z", depends_on=("a",)), obligation("a")])
    assert list(world.judge()) == ["z", "a"]


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        (
            "P.Stray",
            "P/Stray.lean is in no build target: import P.Stray, or add it to a lean_lib of the lakefile",
        ),
        ("P.Bsae", "the project has no module P.Bsae; did you mean `P.Base`?"),
        ("Quite.Other", "the project has no module Quite.Other"),
    ],
)
def test_unbuilt(project: Project, module: str, reason: str) -> None:
    found = World(project, [obligation("x", module)]).one()
    assert said(found) == ("unbuilt", reason, ())
    assert not found.proved


def test_on_an_import_cycle(project: Project) -> None:
    found = World(project, [obligation("x", "P.A")]).one()
    assert said(found) == ("blocked", "P.A is on an import cycle", ("P.A",))


def test_unchecked_and_obsolete(world: World) -> None:
    old = replace(world.checks["P.Mid"], fingerprint="before")
    world.checks["P.Mid"] = old
    found = world.one()
    assert said(found) == (
        "obsolete", "proved for other sources, options or toolchain; run `tracker run`", (),
    )  # fmt: skip
    assert (found.check, found.probe) == (old, world.probes["P.Mid", "P.x"])
    never = ("unchecked", "Lean has not checked P.Mid as it is now", ())
    world.checks["P.Mid"] = replace(old, passed=False)
    assert said(world.one()) == never
    world.checks["P.Mid"] = old
    assert said(world.probe_as(found=False).one()) == never
    world.probes.clear()
    assert said(world.one()) == never
    del world.checks["P.Mid"]
    assert said(world.probe_as().one()) == never


def test_lean_was_not_asked(world: World) -> None:
    world.probes.clear()
    found = world.one()
    assert said(found) == ("unchecked", "Lean was not yet asked about it", ())
    assert found.check == world.checks["P.Mid"]
    assert said(world.probe_as(fingerprint="before").one())[0] == "unchecked"


def test_a_failed_import(project: Project) -> None:
    world = World(
        project, [obligation("top", "P.Top"), obligation("base", "P.Base"), obligation("other", "P.Base")]
    )
    del world.checks["P.Top"]
    base = failure(C.KERNEL_TIMEOUT, declaration="P.other")
    world.checks["P.Base"] = check("P.Base", failure(cause="P.other", declaration="P.base"), base)
    text = "imports P.Base, which did not check (P.other: kernel-timeout)"
    assert said(world.one()) == ("blocked", text, ("other",))
    world.checks["P.Base"] = check("P.Base", failure(declaration="P.helper"))
    text = "imports P.Base, which did not check (P.helper: type-error)"
    assert said(world.one()) == ("blocked", text, ("P.Base",))
    world.checks["P.Base"] = check("P.Base", failure(C.KILLED))
    assert said(world.one())[1:] == ("imports P.Base, which did not check (P.Base: killed)", ("P.Base",))
    world.checks["P.Base"] = replace(check("P.Base"), passed=False)
    assert said(world.one())[1] == "imports P.Base, which did not check (it did not check)"
    # Two failed: the first in the order of imports is to blame; one that failed for other sources is not.
    world.checks["P.Mid"] = check("P.Mid", failure())
    assert said(world.one())[2] == ("P.Base",)
    world.checks["P.Base"] = check("P.Base")
    assert said(world.one())[2] == ("P.Mid",)
    world.checks["P.Mid"] = replace(world.checks["P.Mid"], fingerprint="before")
    assert said(world.one())[0] == "unchecked"


def test_a_judge_may_be_told_the_failed_import(project: Project) -> None:
    ob = obligation("top", "P.Top")
    evidence = Evidence({name: f"now {name}" for name in MODULES}, {"P.Base": check("P.Base", failure())}, {})
    judge = Judge(Catalogue({"top": ob}), project, evidence, Lock(None, {}), lambda _module: "P.Base")
    assert judge.own(ob).blocked_by == ("P.Base",)
    judge = Judge(Catalogue({"top": ob}), project, evidence, Lock(None, {}), lambda _module: "P.Mid")
    assert judge.own(ob).reason == "imports P.Mid, which did not check (it did not check)"
    judge = Judge(Catalogue({"top": ob}), project, evidence, Lock(None, {}), lambda _module: None)
    assert judge.own(ob).state is State.UNCHECKED


def test_failed(world: World) -> None:
    root = failure(C.KERNEL_TIMEOUT, declaration="P.x")
    follows = failure(declaration="P.x", cause="P.other")
    world.checks["P.Mid"] = check("P.Mid", follows, root)
    found = world.one()
    assert said(found) == ("failed:kernel-timeout", "it is wrong", ())
    assert (found.failure, found.check, found.probe) == (root, world.checks["P.Mid"], None)
    world.checks["P.Mid"] = check("P.Mid", follows)
    assert world.one().failure == follows
    whole = failure(C.OUT_OF_MEMORY)
    world.checks["P.Mid"] = check("P.Mid", whole, failure(C.KILLED))
    assert world.one().failure == whole


def test_failed_in_the_same_module(project: Project) -> None:
    world = World(project, [obligation("x"), obligation("y")])
    world.checks["P.Mid"] = check(
        "P.Mid", failure(cause="P.y", declaration="P.h"), failure(declaration="P.y")
    )
    found = world.one()
    assert said(found) == ("blocked", "P.y in the same module did not check (type-error)", ("y",))
    assert found.check == world.checks["P.Mid"]
    world.checks["P.Mid"] = check("P.Mid", failure(declaration="P.h"), failure())
    assert said(world.one()) == ("blocked", "P.h in the same module did not check (type-error)", ("P.h",))
    world.checks["P.Mid"] = check("P.Mid", failure(C.KILLED), failure(declaration="P.h", cause="P.z"))
    assert said(world.one()) == ("blocked", "P.Mid in the same module did not check (killed)", ("P.Mid",))
    world.checks["P.Mid"] = replace(check("P.Mid"), passed=False)
    assert said(world.one()) == ("blocked", "P.Mid in the same module did not check", ("P.Mid",))


@pytest.mark.parametrize(
    ("fields", "label", "reason"),
    [
        ({"found": False}, "missing", "P.Mid checks, but declares no P.x"),
        ({"location": None}, "missing", "P.x is not written in the project"),
        (
            {"location": Location("P/Base.lean", 1, 0)},
            "missing", "P.x is declared in P/Base.lean, not in P/Mid.lean",
        ),
        ({"digest": ""}, "missing", "P.Mid, as compiled, holds no P.x"),
        ({"axioms": ("sorryAx",)}, "sorry", "its proof uses `sorry`"),
        ({"axioms": ("P.magic", "propext")}, "axiom", "rests on P.magic, not allowed"),
        (
            {"axioms": tuple("abcdefg")}, "axiom", "rests on a, b, c, d, e and 2 more, not allowed",
        ),
        ({"axioms": tuple("abcde")}, "axiom", "rests on a, b, c, d, e, not allowed"),
        ({"axioms": tuple("abcdef")}, "axiom", "rests on a, b, c, d, e and 1 more, not allowed"),
        ({"absurd": True}, "axiom", "it assumes `False`, so that it says nothing"),
        # The gravest is told.
        ({"absurd": True, "axioms": ("P.magic",)}, "axiom", "rests on P.magic, not allowed"),
        ({"axioms": ("sorryAx", "P.magic")}, "sorry", "its proof uses `sorry`"),
        ({"found": False, "axioms": ("sorryAx",)}, "missing", "P.Mid checks, but declares no P.x"),
    ],
)  # fmt: skip
def test_what_lean_says_of_it(world: World, fields: dict[str, Any], label: str, reason: str) -> None:
    found = world.probe_as(**fields).one()
    assert said(found) == (label, reason, ())
    assert (found.check, found.probe) == (world.checks["P.Mid"], world.probes["P.Mid", "P.x"])


@pytest.mark.parametrize(
    ("kind", "expects", "label"),
    [
        ("theorem", "theorem", "proved"),
        ("def", "theorem", "missing"),
        (None, "def", "missing"),
        ("def", "abbrev", "proved"),
        ("def", "instance", "proved"),
        ("abbrev", "def", "proved"),
        ("instance", "def", "proved"),
        ("class inductive", "inductive", "proved"),
        ("class inductive", "class", "missing"),
        ("structure", "class", "missing"),
    ],
)
def test_what_it_must_be(project: Project, kind: str | None, expects: str, label: str) -> None:
    found = World(project, [obligation("x", expects=expects)]).probe_as(kind=kind).one()
    assert found.label == label
    if label == "missing":
        assert found.reason == f"P.x is a {kind}; the catalogue expects a {expects}"


@pytest.mark.parametrize("kind", ["unsafe def", "unsafe class inductive", "unsafe opaque", "partial def"])
@pytest.mark.parametrize("expects", [None, "def"])
def test_what_the_kernel_did_not_check_in_full(project: Project, kind: str, expects: str | None) -> None:
    found = World(project, [obligation("x", expects=expects)]).probe_as(kind=kind).one()
    reason = f"P.x is {kind.partition(' ')[0]}: the kernel does not demand that it ends"
    assert said(found) == ("missing", reason, ())


def test_what_its_kind_must_be(project: Project) -> None:
    assert next(k for k in BUILTIN_KINDS if k.name == "tie").expects == "theorem"
    assert World(project, [obligation("x", kind="tie")]).probe_as(kind="def").one().label == "missing"


def test_its_own_axioms(project: Project) -> None:
    world = World(project, [obligation("x", allowed_axioms=("P.magic",))])
    assert world.probe_as(axioms=("P.magic",)).one().proved
    assert world.probe_as(axioms=("propext",)).one().label == "axiom"
    world = World(project, [obligation("x", forbidden_axioms=("propext",))])
    assert world.one().label == "axiom"


@pytest.mark.parametrize(
    ("locked", "reason"),
    [
        ({"decl": "P.old"}, "the lock holds P.old, not P.x"),
        ({"kind": "axiom"}, "it was a axiom, now it is a theorem"),
        ({"sha256": "e"}, "it reads as locked, but a definition or notation under it has changed"),
        (
            {"sha256": "e", "statement": "1 = 1"},
            "its statement is not the locked one: `tracker lock x` shows both",
        ),
    ],
)
def test_drifted(world: World, locked: dict[str, str], reason: str) -> None:
    entry = LockedStatement("x", "P.x", "theorem", "d", "True")
    world.lock = Lock("4.35.0", {"x": entry})
    assert world.one().proved
    world.lock = Lock("4.35.0", {"x": replace(entry, **locked)})
    assert said(world.one()) == ("drifted", reason, ())


def test_an_older_name_in_the_lock(project: Project) -> None:
    world = World(project, [obligation("x", aliases=(Alias("P.old"),))])
    world.lock = Lock("4.35.0", {"x": LockedStatement("x", "P.old", "theorem", "d", "True")})
    assert world.one().proved


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        (Budget(), ""),
        (Budget(wall_s=10.0, cpu_s=9.0, memory_bytes=2 * 2**30), ""),
        (Budget(wall_s=9.9), "its module used wall 10.0 s of 9.90 s"),
        (Budget(cpu_s=8.9), "its module used CPU 9.00 s of 8.90 s"),
        (Budget(memory_bytes=2**30), "its module used memory 2 GiB of 1 GiB"),
        (
            Budget(1.0, 1.0, 2**30),
            "its module used wall 10.0 s of 1.00 s, CPU 9.00 s of 1.00 s, memory 2 GiB of 1 GiB",
        ),
        (Budget(memory_bytes=4 * 2**30), ""),
    ],
)
def test_budgets(project: Project, budget: Budget, reason: str) -> None:
    world = World(project, [obligation("x", budget=budget)])
    assert said(world.one()) == ("over budget" if reason else "proved", reason, ())
    world.checks["P.Mid"] = replace(check("P.Mid"), cost=None)
    unknown = "it has a budget, and its cost is not known" if budget else ""
    assert said(world.one())[1] == unknown


def chain(project: Project, *more: Obligation, **of_b: Any) -> World:
    """Return a world where `a` depends on `b`, and `b` is not as it should be."""
    deps = ("b", *(ob.id for ob in more))
    world = World(project, [obligation("a", depends_on=deps), obligation("b", "P.Base"), *more])
    world.probes["P.Base", "P.b"] = probe(world.obligations[1], **of_b)
    return world


def test_blocked_by_what_it_depends_on(project: Project) -> None:
    world = chain(project, found=False)
    found = world.one()
    assert said(found) == ("blocked", "depends on b (missing)", ("b",))
    assert (found.check, found.probe) == (world.checks["P.Mid"], world.probes["P.Mid", "P.a"])
    assert chain(project).one().proved


def test_the_root_of_a_chain_is_blamed_once(project: Project) -> None:
    ids = "cdef"
    more = [obligation(i, "P.Base", depends_on=("b",)) for i in ids]
    found = chain(project, *more, found=False).one()
    reason = "depends on b (missing), c (blocked), d (blocked) and 2 more"
    assert said(found) == ("blocked", reason, ("b",))
    four = chain(project, *more[:3], found=False).one()
    assert four.reason == "depends on b (missing), c (blocked), d (blocked) and 1 more"
    three = chain(project, *more[:2], found=False).one()
    assert three.reason == "depends on b (missing), c (blocked), d (blocked)"


def test_over_budget_is_not_proved_for_others(project: Project) -> None:
    world = World(project, [obligation("a", depends_on=("b",)), obligation("b", budget=Budget(cpu_s=1.0))])
    assert said(world.one()) == ("blocked", "depends on b (over budget)", ("b",))
    world = World(project, [obligation("a", depends_on=("b",), budget=Budget(cpu_s=1.0)), obligation("b")])
    assert world.one().label == "over budget"
    world.probes["P.Mid", "P.b"] = probe(world.obligations[1], found=False)
    assert world.one().label == "blocked"


@pytest.mark.parametrize(
    ("own", "dependency", "label"),
    [
        # `sorry` comes from below only where that is below; else it is its own.
        ({"axioms": ("sorryAx",)}, {"axioms": ("sorryAx",)}, "blocked"),
        ({"axioms": ("sorryAx",)}, {"axioms": ("P.magic",)}, "sorry"),
        ({"axioms": ("sorryAx",)}, {"found": False}, "sorry"),
        ({"axioms": ("P.magic",)}, {"axioms": ("P.magic",)}, "blocked"),
        ({"axioms": ("P.magic",)}, {"axioms": ("P.other",)}, "axiom"),
        ({"axioms": ("P.magic",)}, {"axioms": ("sorryAx",)}, "axiom"),
        # What is wrong by itself stays so.
        ({"found": False}, {"found": False}, "missing"),
        ({}, {"axioms": ("sorryAx",)}, "blocked"),
    ],
)
def test_what_comes_from_below(
    project: Project, own: dict[str, Any], dependency: dict[str, Any], label: str
) -> None:
    assert chain(project, **dependency).probe_as(**own).one().label == label


def test_a_dependency_that_was_not_asked_about_carries_nothing(project: Project) -> None:
    for own in (("sorryAx",), ("P.magic",)):
        world = chain(project).probe_as(axioms=own)
        del world.probes["P.Base", "P.b"]
        assert world.one().label in ("sorry", "axiom")


def test_drifted_stays_drifted_whatever_is_below(project: Project) -> None:
    world = chain(project, found=False)
    world.lock = Lock("4.35.0", {"a": LockedStatement("a", "P.a", "theorem", "e", "True")})
    assert world.one().label == "drifted"


@given(st.text(st.sampled_from("ab \n\t"), max_size=600))
def test_one_line(text: str) -> None:
    line = one_line(text)
    assert "\n" not in line
    flat = " ".join(text.split())
    assert line == flat if len(flat) <= 240 else line == flat[:240] + " …"


def test_a_long_line_is_cut() -> None:
    assert one_line("x" * 240) == "x" * 240
    assert one_line("x" * 241) == "x" * 240 + " …"


STATES: Sequence[dict[str, Any]] = (
    {}, {"found": False}, {"axioms": ("sorryAx",)}, {"axioms": ("P.m",)}, {"digest": ""}, {"absurd": True},
)  # fmt: skip


@given(
    st.lists(
        st.tuples(st.sampled_from(range(len(STATES))), st.sets(st.integers(0, 6))), min_size=1, max_size=7
    )
)
def test_nothing_is_proved_on_something_that_is_not(nodes: list[tuple[int, set[int]]]) -> None:
    obligations = [
        obligation(f"n{i}", depends_on=tuple(f"n{d}" for d in sorted(deps) if d < i))
        for i, (_, deps) in enumerate(nodes)
    ]
    world = World(load_project(ROOT), obligations)
    for ob, (state, _) in zip(obligations, nodes, strict=True):
        world.probes[ob.module, ob.decl] = probe(ob, **STATES[state])
    found = world.judge()
    for ob, (state, _) in zip(obligations, nodes, strict=True):
        assert found[ob.id].proved == (state == 0 and all(found[d].proved for d in ob.depends_on))
        roots = [found[r] for r in found[ob.id].blocked_by]
        assert all(root.state is not State.BLOCKED and not root.proved for root in roots)
        assert bool(roots) == (found[ob.id].state is State.BLOCKED)


@pytest.mark.parametrize("state", State)
def test_what_may_be_locked(state: State) -> None:
    """What nothing of its own speaks against: a failed obligation may only where it is blocked by others."""
    found = probe(obligation("x"))
    fine = state in (State.PROVED, State.DRIFTED, State.OVER_BUDGET)
    assert lockable(Verdict("x", state, probe=found)) is fine
    assert lockable(Verdict("x", state, blocked_by=("y",), probe=found)) is True
    assert lockable(Verdict("x", state, blocked_by=("y",), probe=replace(found, found=False))) is False
    assert lockable(Verdict("x", state, blocked_by=("y",))) is False
    assert lockable(Verdict("x", state)) is False


ROOT = Path("/nonexistent")


@pytest.fixture(autouse=True, scope="module")
def _root(project: Project) -> None:
    global ROOT  # noqa: PLW0603 - hypothesis gives no fixtures of a module to an example
    ROOT = Path(project.root)
