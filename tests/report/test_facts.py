"""What the faces of a report say: matrix, causes, changes, costs, toolchains, words, sources."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.report.simulation import VERSIONS
from tests.report.synthetic import write_world
from tracker.budgets import BudgetSettings, ModuleUse, module_budget
from tracker.catalogue.model import Budget
from tracker.evidence import Cost
from tracker.gate.baseline import baseline_text, write_baseline
from tracker.gate.now import take_present
from tracker.report.html.causes import Cause
from tracker.report.html.changes import compare, state_of
from tracker.report.html.costs import ModuleShift, grown
from tracker.report.html.matrix import GRAVITY
from tracker.report.html.model import Dashboard, gather
from tracker.report.html.source import Remote, doc_above, web_address
from tracker.report.html.states import LOOKS
from tracker.report.html.words import headline, number
from tracker.report.terminal import MARKS
from tracker.store.queries import CheckPoint
from tracker.verdict import State
from tracker.workspace import Workspace


def test_the_matrix_counts_every_obligation_once(board: Dashboard) -> None:
    shown = [ident for row in board.matrix.rows for cell in row.cells for ident in cell.ids]
    assert sorted(shown) == sorted(board.catalogue.obligations)
    for row in board.matrix.rows:
        assert row.whole.total == sum(cell.total for cell in row.cells)
        assert row.whole.proved == sum(cell.proved for cell in row.cells)
        for cell in (*row.cells, row.whole):
            states = {board.status.verdicts[ident].state for ident in cell.ids}
            assert cell.state == min(states, key=GRAVITY.index, default=None)


def test_gravity_ranks_every_state() -> None:
    assert sorted(GRAVITY) == sorted(State)
    assert GRAVITY[-1] is State.PROVED


def test_families_show_their_gaps_with_the_reason(board: Dashboard) -> None:
    (families,) = board.families
    ties = next(row for row in families.rows if row.key == "ties")
    assert ties.whole.total == sum(cell.total for cell in ties.cells)
    assert [key for key, _ in families.columns] == list(board.catalogue.nets)
    nasty = next(row for row in families.rows if row.key == "nasty")
    assert all(cell.hole for cell in nasty.cells), "no member under any net, and no reason"
    assert families.holes == len(nasty.cells)
    assert (nasty.whole.total, nasty.whole.hole) == (1, False)


def test_nets_stand_as_the_catalogue_lists_them(board: Dashboard) -> None:
    assert [row.key for row in board.matrix.rows] == [*board.catalogue.nets, ""]


def test_every_obligation_that_is_not_proved_is_a_cause_or_waits_for_one(board: Dashboard) -> None:
    causes: set[str | None] = {place.obligation for cause in board.causes for place in cause.places}
    waiting = {ident for cause in board.causes for ident in cause.blocked}
    for ident, verdict in board.status.verdicts.items():
        assert verdict.proved or ident in causes or ident in waiting, ident


def test_a_circle_of_imports_is_a_cause(tmp_path: Path) -> None:
    workspace, _ = write_world(tmp_path, 25, 2, seed=3, nets=["vit"])
    file = tmp_path / "lean" / "Nets" / "Base" / "P0.lean"
    file.write_text("import Nets.Vit.Chains0One\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    for name in ("project", "fingerprints"):
        workspace.__dict__.pop(name, None)
    board = gather(workspace)
    (cause,) = (c for c in board.causes if c.state is State.BLOCKED)
    assert {place.module for place in cause.places} >= {"Nets.Base.P0", "Nets.Vit.Chains0One"}
    assert all("import cycle" in place.reason for place in cause.places)
    named = {place.obligation for c in board.causes for place in c.places}
    waiting = {ident for c in board.causes for ident in c.blocked}
    assert {i for i, v in board.status.verdicts.items() if not v.proved} <= named | waiting


def test_failures_of_one_message_are_one_cause(board: Dashboard) -> None:
    keys = [cause.key for cause in board.causes]
    assert len(keys) == len(set(keys))
    failed = [cause for cause in board.causes if cause.cls]
    assert failed
    for cause in failed:
        assert cause.message
        assert cause.label == f"failed:{cause.cls}"


def test_every_cause_has_advice(board: Dashboard) -> None:
    for state in State:
        if state not in (State.PROVED, State.FAILED):
            assert Cause("k", state, "", "", "", (), (), ()).advice
    assert all(cause.advice for cause in board.causes)


def test_what_only_waits_to_be_asked_stands_last(board: Dashboard) -> None:
    unasked = [cause.state in (State.UNCHECKED, State.OBSOLETE) for cause in board.causes]
    assert unasked == sorted(unasked)


def test_changes_name_losses_first(board: Dashboard) -> None:
    found = board.status.verdicts
    before = {ident: v.label for ident, v in found.items()}
    proved = [ident for ident, v in found.items() if v.proved]
    lost = next(ident for ident, v in found.items() if not v.proved)
    before[proved[0]] = before[proved[1]] = "sorry"
    before[lost] = "proved"
    before["gone"] = "proved"
    del before[proved[2]]
    changes = compare("then", before, found)
    assert [(c.before, c.ids) for c in changes.changes] == [("proved", (lost,)), ("sorry", tuple(proved[:2]))]
    assert (changes.total, changes.new, changes.gone) == (3, 1, ("gone",))
    assert changes.changes[0].lost
    assert changes.changes[1].gained


@pytest.mark.parametrize("state", State)
def test_a_label_tells_its_state(state: State) -> None:
    assert state_of(str(state)) is state
    assert state_of("failed:heartbeats") is State.FAILED
    assert state_of("a state of another version") is State.UNCHECKED


def test_two_toolchains_are_compared(board: Dashboard) -> None:
    two = board.comparison
    assert two is not None
    assert (two.old.version, two.new.version) == VERSIONS[-2:]
    proved = {ident for ident, v in board.status.verdicts.items() if v.proved}
    assert two.kept + len(two.gained) == len(proved)
    assert not proved & set(two.lost)
    assert {shift.module for shift in two.cliffs} >= {"Nets.Convnext.ApexOne"}, "made fourteen times as slow"


def point(wall_s: float, memory: int, *, passed: bool = True) -> CheckPoint:
    cost = Cost(wall_s, wall_s, 0, memory, None, 0, 0)
    return CheckPoint(1, 1, "M", "f", passed, 0, cost, None, ())


GIB = 2**30


@pytest.mark.parametrize(
    ("old", "new", "slower", "heavier"),
    [
        (point(17, 6 * GIB), point(360, 48 * GIB), True, True),
        (point(0.1, GIB), point(0.5, GIB), False, False),  # a ratio, but no second
        (point(100, GIB), point(110, GIB), False, False),  # seconds, but no ratio
        (point(10, GIB), point(10, 2 * GIB), False, True),
        (point(10, GIB), point(30, GIB, passed=False), False, False),  # it is lost, not slow
    ],
)
def test_when_a_module_counts_as_grown(old: CheckPoint, new: CheckPoint, slower: bool, heavier: bool) -> None:
    shift = ModuleShift("M", old, new)
    assert (shift.slower, shift.heavier) == (slower, heavier)


def test_growth_needs_ratio_and_difference() -> None:
    assert grown(1.0, 3.0, 1.5, 1.0)
    assert not grown(1.0, 1.5, 1.5, 0.1)


def test_costs_of_unlike_machines_are_not_compared(board: Dashboard) -> None:
    two = board.comparison
    assert two is not None
    assert two.cliffs
    assert not replace(two, same_machine=False).cliffs


def test_looks_are_those_of_the_terminal_and_all_differ() -> None:
    assert list(LOOKS) == list(State)
    assert {state: look.mark for state, look in LOOKS.items()} == {s: MARKS[s][0] for s in State}
    assert len({look.path for look in LOOKS.values()}) == len(State), "each has a shape of its own"


def test_headline(board: Dashboard) -> None:
    proved = sum(v.proved for v in board.status.verdicts.values())
    assert headline(board.status) == f"{proved} of {len(board.catalogue)} obligations are proved"
    good = {i: v for i, v in board.status.verdicts.items() if v.proved}
    done = replace(board.status, verdicts=good, failed_modules=(), claims=())
    assert headline(done) == f"All {proved} obligations are proved"
    check = next(v.check for v in good.values())
    assert check is not None
    assert headline(replace(done, failed_modules=(check,))).endswith(", but 1 module does not check")
    one = dict(list(good.items())[:1])
    assert headline(replace(done, verdicts=one)) == "The one obligation is proved"
    bad = {i: v for i, v in board.status.verdicts.items() if not v.proved}
    lost = dict(list(bad.items())[:1])
    assert headline(replace(done, verdicts=lost)) == "0 of 1 obligation is proved"
    assert headline(replace(done, verdicts=one | lost)) == "1 of 2 obligations is proved"
    assert headline(replace(done, verdicts=bad)) == f"0 of {len(bad)} obligations are proved"
    assert "nothing was checked" in headline(replace(done, verdicts={}))
    assert number(12345) == "12\u202f345"


def test_no_store_is_nothing_proved(workspace: Workspace, tmp_path: Path) -> None:
    empty = Workspace(replace(workspace.settings, state=tmp_path))
    empty.toolchain = workspace.toolchain
    board = gather(empty)
    assert board.run is None
    assert {v.label for v in board.status.verdicts.values()} <= {"unchecked", "unbuilt", "blocked"}
    assert (board.comparison, board.since_last_run, board.complete_since) == (None, None, None)
    assert not list(tmp_path.iterdir()), "nothing is written"


def committed(file: Path) -> None:
    who = {f"GIT_{role}_{part}": "x" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    env = {**os.environ, **who, "GIT_AUTHOR_DATE": "2026-05-04T12:00:00Z"}
    for command in (["init", "-q"], ["add", file.name], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", *command], cwd=file.parent, check=True, env=env)


def test_a_baseline_is_compared_with_now(workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "baseline.jsonl"
    snapshot = take_present(workspace).snapshot
    write_baseline(file, baseline_text(snapshot))
    gate = replace(workspace.settings.gate, baseline=file)
    here = Workspace(replace(workspace.settings, gate=gate))
    here.toolchain = workspace.toolchain
    found = gather(here).since_baseline
    assert found is not None
    assert (found.total, found.new, found.gone) == (0, 0, ())
    assert found.title == "the baseline (Lean 4.35.0, not committed)"
    committed(file)
    first = next(iter(snapshot.obligations.values()))
    assert first.proved
    worse = {**snapshot.obligations, first.id: replace(first, label="sorry")}
    title = gather(here).since_baseline
    assert title is not None
    assert title.title.startswith("the baseline of 2026-05-04 (Lean 4.35.0, commit ")
    write_baseline(file, baseline_text(replace(snapshot, obligations=worse)) + "no line of a baseline\n")
    found = gather(here).since_baseline
    assert found is not None
    assert [(c.before, c.after, c.ids) for c in found.changes] == [("sorry", "proved", (first.id,))]
    assert found.title == "the baseline (Lean 4.35.0, not committed, 1 line of it cannot be believed)"


def test_budgets_are_those_of_the_settings_too(workspace: Workspace) -> None:
    default = BudgetSettings(default=Budget(memory_bytes=1), modules={"Nets.Base.*": Budget(wall_s=1e-9)})
    here = Workspace(replace(workspace.settings, budgets=default))
    here.toolchain = workspace.toolchain
    board = gather(here)
    assert board.costs
    for cost in board.costs:
        use = ModuleUse(cost.module, module_budget(cost.module, here.catalogue, default), cost.cost, 2**40)
        assert cost.budget == use.budget
        assert bool(use.over) == ((cost.budget_share or 0) > 1)
    base = next(cost for cost in board.costs if cost.module.startswith("Nets.Base."))
    assert base.budget == Budget(1e-9, None, 1)


def test_what_was_measured_of_declarations_belongs_to_their_obligations(board: Dashboard) -> None:
    measured = board.measured
    assert [(ob.id, near.option, near.use) for ob, near in measured.by_use(board.catalogue)] == [
        ("vit-apex", "maxRecDepth", 480 / 512), ("vit-leaf-1", "maxRecDepth", 60 / 512),
    ]  # fmt: skip
    assert [ob.id for ob, _ in measured.by_time(board.catalogue)] == ["vit-apex", "vit-leaf-1"]
    assert not measured.headroom_of(board.catalogue["vit-leaf-2"])
    assert measured.profile_of(board.catalogue["vit-leaf-2"]) is None


@pytest.mark.parametrize(
    ("address", "web"),
    [
        ("git@github.com:owner/repo.git", "https://github.com/owner/repo"),
        ("https://github.com/owner/repo.git", "https://github.com/owner/repo"),
        ("https://user:secret@github.com/owner/repo", "https://github.com/owner/repo"),
        ("ssh://git@github.com/owner/repo.git", "https://github.com/owner/repo"),
        ("ssh://git@gitlab.example.org:2222/group/sub/repo.git", "https://gitlab.example.org/group/sub/repo"),
        ("https://gitlab.com/group/repo/", "https://gitlab.com/group/repo"),
        ("/srv/git/repo.git", None),
        ("https://example.org/x.git", None),
        ('https://github.com/a/b"><script>', None),
        ("https://github.com/a/../../b", None),
        ("https://notgithub.com/a/b", None),
        ("https://example.org/github.com/a/b", None),
        ("https://[github.com/a/b", None),
        ("https://github.com:port/a/b", None),
        ("HTTPS://github.com/a/b", "https://github.com/a/b"),
        ("http://gitlab.example.org:8080/a/b", "http://gitlab.example.org:8080/a/b"),
        ("git@ssh.github.com:owner/repo.git", "https://github.com/owner/repo"),
        ("git+ssh://git@github.com/owner/repo", "https://github.com/owner/repo"),
        ("C:/github/x", None),
        ("", None),
    ],
)
def test_web_addresses(address: str, web: str | None) -> None:
    assert web_address(address) == web


@pytest.mark.parametrize(
    "address",
    [
        "https://SECRET@github.com/o/r.git",
        "https://x-access-token:SECRET@github.com/o/r.git",
        "HTTPS://u:SECRET@GitHub.com/o/r",
        "https://u:p@ssSECRET@github.com/o/r",
        "ssh://gitlab-ci-token:SECRET@gitlab.com/o/r.git",
        "gitlab-ci-token:SECRET@gitlab.com:o/r.git",
        "ssh://github:SECRET@host/o/r",
        "https://github.com:SECRET@host/o/r",
        "https://github.com/o/r.git?access_token=SECRET",
        "https://github.com/o/r;SECRET",
        "https://github.com/o/r.git#SECRET",
    ],
)
def test_no_secret_of_an_address_is_published(address: str) -> None:
    assert "SECRET" not in (web_address(address) or "")


def test_the_address_of_a_line() -> None:
    remote = Remote("https://github.com/o/r", "lean/", "abc")
    assert remote.url("Nets/A B.lean", 7) == "https://github.com/o/r/blob/abc/lean/Nets/A%20B.lean#L7"
    assert remote.url("A.lean").endswith("/lean/A.lean")
    gitlab = Remote("https://gitlab.example.org/g/r", "a #1/", "abc")
    assert gitlab.url("A.lean", 2) == "https://gitlab.example.org/g/r/-/blob/abc/a%20%231/A.lean#L2"


DOCS = """\
/-- One line. -/
theorem a : True := trivial

/-- Several
lines. -/
@[simp]
set_option maxHeartbeats 400 in
theorem b : True := trivial

/-- Of another. -/
theorem c : True := trivial
theorem d : True := trivial
/- no doc -/
theorem e : True := trivial
/-- In the line. -/ theorem f : True := trivial
"""


@pytest.mark.parametrize(
    ("line", "doc"),
    [(2, "One line."), (8, "Several\nlines."), (11, "Of another."), (12, ""), (14, ""), (99, "")],
)
def test_the_words_above_a_declaration(line: int, doc: str) -> None:
    assert doc_above(DOCS.splitlines(), line) == doc
