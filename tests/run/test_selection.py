"""Choosing part of the modules: names, changes since a commit, shards, failing ones first."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import Site
from tracker.errors import UsageError
from tracker.lean.project import load_project
from tracker.run.selection import Shard, changed_since, matching, parse_shard, shard_modules


def git(site: Site, *args: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *args], cwd=site.root, check=True, capture_output=True)


@pytest.fixture
def committed(proved: Site) -> Site:
    git(proved, "init", "-q")
    git(proved, "add", "lean", "obligations", "tracker.toml")
    git(proved, "commit", "-qm", "all")
    return proved


def todo(site: Site, *args: str) -> list[str]:
    return list(site.tracker("run", "--dry-run", "--json", *args).json["todo"])


def test_only_what_has_such_a_name(proved: Site) -> None:
    assert todo(proved, "--fresh", "--only", "*.Mid", "--only", "Demo.S*") == ["Demo.Mid", "Demo.Side"]
    proved.edit("Base", "Nat := 2", "Nat := 1 + 1")
    assert todo(proved, "--only", "*.Mid") == ["Demo.Base", "Demo.Mid"], "and what it imports, if that is due"
    done = proved.tracker("run", "--only", "Demo.Middle")
    assert done.code == 2
    assert "did you mean `Demo.Mid`" in done.err


def test_only_checks_and_asks_about_no_more(proved: Site) -> None:
    proved.edit("Base", "2 := rfl", "2 := by rfl")
    proved.tracker("run", "--only", "*.Mid")
    labels = proved.labels()
    assert labels["lemma"] == labels["side"] == "proved"
    assert labels["two"] == "unchecked", "Lean checked its module, and was not asked about it"
    assert labels["main"] == "blocked", "by what nobody was asked about"
    assert labels["top"] == "obsolete"
    assert proved.tracker("run").code == 0


def test_what_changed_since_a_commit(committed: Site) -> None:
    assert todo(committed, "--fresh", "--changed-since", "HEAD") == []
    committed.edit("Mid", "rw [Demo.lemma, Demo.two_eq]", "rw [Demo.lemma]; exact Demo.two_eq")
    committed.write("New", "theorem Demo.new : 1 = 1 := rfl\n")
    assert todo(committed, "--fresh", "--changed-since", "HEAD") == ["Demo.Mid", "Demo.New", "Demo.Top"]
    git(committed, "add", "lean")
    git(committed, "commit", "-qm", "more")
    assert todo(committed, "--fresh", "--changed-since", "HEAD") == []
    assert len(todo(committed, "--fresh", "--changed-since", "HEAD~1")) == 3
    (committed.root / "lean" / "lean-toolchain").write_text("leanprover/lean4:v4.34.0\n")
    assert len(todo(committed, "--changed-since", "HEAD")) == 5, "another Lean is another everything"


@pytest.mark.parametrize("ref", ["no-such", "--output=x", ""])
def test_a_commit_that_git_does_not_know(committed: Site, ref: str) -> None:
    with pytest.raises(UsageError) as caught:
        changed_since(load_project(committed.root / "lean"), ref)
    assert caught.value.code == "NO-SUCH-REF"
    assert not (committed.root / "lean" / "x").exists()


def test_failing_first(proved: Site) -> None:
    proved.write("Zed", "theorem Demo.zed : 1 = 2 := rfl\n")
    proved.tracker("run")
    proved.write("Zed", "theorem Demo.zed : 1 = 3 := rfl\n")
    slots = proved.tracker("run", "--fresh", "--failing-first", "--dry-run", "--json").json["estimate"][
        "slots"
    ]
    assert slots[0]["module"] == "Demo.Zed"


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "1/0", "a/b", "-1/2", "1/2/3", ""])
def test_shards_that_are_none(text: str) -> None:
    with pytest.raises(UsageError, match="--shard"):
        parse_shard(text)


class Graph:
    """As much of a project as the dealing out asks for."""

    def __init__(self, imports: dict[str, list[str]]) -> None:
        self._imports = imports

    def imports(self, module: str) -> list[str]:
        return self._imports[module]

    def closure(self, module: str) -> set[str]:
        return {module}.union(*(self.closure(name) for name in self._imports[module]))


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    found: dict[str, list[str]] = {}
    for i in range(draw(st.integers(1, 14))):
        found[f"M{i}"] = (
            draw(st.lists(st.sampled_from(list(found)), unique=True, max_size=3)) if found else []
        )
    return Graph(found)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    graphs(),
    st.integers(1, 5),
    st.dictionaries(st.sampled_from([f"M{i}" for i in range(14)]), st.floats(0, 99)),
)
def test_every_module_is_in_exactly_one_shard(graph: Graph, count: int, seconds: dict[str, float]) -> None:
    modules = list(graph._imports)
    shards = [shard_modules(modules, graph, seconds, Shard(k + 1, count)) for k in range(count)]  # type: ignore[arg-type]
    assert sorted(module for shard in shards for module in shard) == sorted(modules)


def test_nets_on_one_foundation_stay_together() -> None:
    imports: dict[str, list[str]] = {"Base": []}
    for net in "ABCD":
        imports |= {f"{net}{i}": [f"{net}{i - 1}" if i else "Base"] for i in range(5)}
    graph, seconds = Graph(imports), dict.fromkeys(imports, 10.0)
    shards = [shard_modules(list(imports), graph, seconds, Shard(k, 2)) for k in (1, 2)]  # type: ignore[arg-type]
    built = [set().union(*(graph.closure(module) for module in shard)) for shard in shards]
    assert [len(part) for part in built] == [11, 11], "ten of two nets, and the foundation"


def test_a_module_that_imports_all_others_does_not_draw_them_to_its_shard() -> None:
    imports: dict[str, list[str]] = {f"M{i}": [] for i in range(6)}
    imports["All"] = list(imports)
    graph = Graph(imports)
    shards = [shard_modules(list(imports), graph, {}, Shard(k, 3)) for k in (1, 2, 3)]  # type: ignore[arg-type]
    assert [len(shard) for shard in shards] == [1, 3, 3]


def test_matching_is_by_the_whole_name() -> None:
    assert matching(["A.B", "A.C", "B"], ["A.*"]) == {"A.B", "A.C"}


def test_a_shard_in_which_something_is_wrong_fails(site: Site) -> None:
    """One shard has the failure and fails; the other, which does not need it, passes."""
    site.edit("Side", "rfl", "sorry")
    assert sorted(site.tracker("run", "--shard", f"{k}/2", "--state", f"s{k}").code for k in (1, 2)) == [0, 1]


def test_a_shard_checks_what_it_needs_and_asks_about_its_own(site: Site, tmp_path: Path) -> None:
    plans = [site.tracker("run", "--dry-run", "--json", "--shard", f"{k}/2").json for k in (1, 2)]
    assert {module for plan in plans for module in plan["todo"]} >= {"Demo.Base", "Demo.Mid", "Demo.Side"}
    asked = [module for plan in plans for module in plan["probes"]]
    assert sorted(asked) == ["Demo.Base", "Demo.Mid", "Demo.Side", "Demo.Top"]
