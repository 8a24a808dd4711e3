"""Trying an upgrade: one commit under two toolchains in a scratch tree, then the comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from tracker.config import Settings
from tracker.errors import LeanError, UsageError
from tracker.gate.compare import Tolerance
from tracker.gate.trial import Place, Trial, forget_unused, measure_again, read_trial, relocate, run_trial
from tracker.gate.upgrade import Upgrade, compare_trials, suspects
from tracker.gate.upgrade_pins import PinMoves, describe_moves, move_pins, pin_of
from tracker.gate.worktree import Commit, copy_changes, find_repository, scratch_trees
from tracker.lean.process import Limits, Supervisor
from tracker.lean.toolchain import Toolchain
from tracker.locks import Lock
from tracker.run.driver import Listener
from tracker.toolchains import choose_toolchain
from tracker.units import show_count
from tracker.workspace import Workspace

Listening = Callable[[], AbstractContextManager[Listener]]
Packages = Literal["refuse", "update", "keep"]
_UPDATE_LIMIT_S = 3600.0


@dataclass(frozen=True)
class UpgradeRequest:
    """What is to be tried. `before` is a toolchain's name, or None for the one in use."""

    after: str
    before: str | None = None
    ref: str = "HEAD"
    dirty: bool = False
    """Whether uncommitted changes are tried too."""
    targets: Sequence[str] = ()
    packages: Packages = "refuse"
    """What becomes of packages whose commits only `lake update` can find out."""
    repeats: int = 1
    """How often a module that seems to cost more is measured on each side."""
    jobs: int = 1
    """How many modules may be checked at a time."""
    tolerance: Tolerance = field(default_factory=Tolerance)


@dataclass(frozen=True)
class TriedUpgrade:
    """The comparison, and what exactly was tried."""

    upgrade: Upgrade
    commit: Commit
    changes: tuple[str, ...]
    """Uncommitted files of the user's tree: tried with `dirty`, else not."""
    dirty: bool
    moves: PinMoves


def try_upgrade(
    settings: Settings, request: UpgradeRequest, listen: Listening, say: Callable[[str], None]
) -> TriedUpgrade:
    """Have Lean check one commit under both toolchains and return what differs.

    What was finished is kept when this is cut off. `listen` gives a listener for one run, `say` hears what
    is being done. Raises TrackerError: UsageError for what is asked wrongly, LeanError where a toolchain is
    not installed.
    """
    repository = find_repository(settings.project)
    commit = repository.commit(request.ref)
    changes = repository.changed_files()
    if request.dirty and request.ref != "HEAD":
        raise UsageError("DIRTY", "uncommitted changes belong to HEAD only", "leave --dirty or --ref out")
    # Asked for first: a toolchain that is not there must be told before anything takes time.
    newer = choose_toolchain(replace(settings, toolchain=request.after), on_progress=say)
    with scratch_trees(repository, settings.state) as trees:
        for name in forget_unused(settings.state):
            say(f"removed what was kept of {name}: not tried for a month")

        def place(side: str) -> Place:
            tree = trees.add(commit.sha, side)
            if request.dirty:
                copy_changes(repository, tree, settings.state.resolve())
            return Place(settings, repository.root, tree)

        upgrade, moves = _compared(place, newer, request, listen, say)
    return TriedUpgrade(upgrade, commit, tuple(changes), request.dirty, moves)


def _compared(
    place: Callable[[str], Place], newer: Toolchain, request: UpgradeRequest, listen: Listening,
    say: Callable[[str], None],
) -> tuple[Upgrade, PinMoves]:  # fmt: skip
    here = place("before")
    older = _older(here, newer, request, say)
    name = request.before or older.name
    say(f"before: {name}, Lean {older.identity}")
    first, before = _side(name, here, older, request, listen)
    say(f"after: {request.after}, Lean {newer.identity}")
    there, moves = place("after"), PinMoves()
    if newer.version != older.version:
        moves = move_tree_pins(there, newer, request.packages, say)
    lock = None if newer.githash == older.githash else _lock_across(there, before, newer)
    second, after = _side(request.after, there, newer, request, listen, lock)
    if request.repeats > 1 and (again := suspects(before, after, request.tolerance)):
        say(f"measuring {show_count(len(again), 'module')} again")
        before = _measured(first, before, again, request, listen)
        after = _measured(second, after, again, request, listen)
    return compare_trials(before, after, request.tolerance), moves


def _older(place: Place, newer: Toolchain, request: UpgradeRequest, say: Callable[[str], None]) -> Toolchain:
    """Return the toolchain to compare with: `auto` means what the tried commit pins. Raises TrackerError."""
    moved = relocate(place.settings, place.repository, place.tree)
    older = choose_toolchain(replace(moved, toolchain=request.before or moved.toolchain), on_progress=say)
    if older.identity == newer.identity:
        raise UsageError(
            "SAME-TOOLCHAIN",
            f"{request.before or older.name} and {request.after} are the same: Lean {newer.identity}",
            "name another one: --to v4.36.0, or an entry [toolchains.NAME] with other options",
        )
    return older


def _side(
    name: str, place: Place, toolchain: Toolchain, request: UpgradeRequest, listen: Listening,
    lock: Lock | None = None,
) -> tuple[Workspace, Trial]:  # fmt: skip
    workspace = place.workspace(toolchain)
    if lock is not None:
        workspace.lock = lock
    with listen() as listener:
        return workspace, run_trial(
            name, workspace, place.settings.state, listener, request.targets, request.jobs
        )


def _lock_across(place: Place, before: Trial, newer: Toolchain) -> Lock:
    """Return the lock for another Lean: only statements that had drifted before are held against it.

    Another Lean may compile and print one statement otherwise; that is reported, and is no loss.
    """
    lock = place.workspace(newer).lock
    drifted = {ident for ident, verdict in before.verdicts.items() if verdict.label == "drifted"}
    return Lock(lock.lean, {ident: entry for ident, entry in lock.entries.items() if ident in drifted})


def move_tree_pins(
    place: Place, newer: Toolchain, packages: Packages, say: Callable[[str], None]
) -> PinMoves:
    """Move every pin of a scratch tree, and its packages if asked for. Raises UsageError, LeanError."""
    moves = move_pins(place.tree, pin_of(newer))
    for line in describe_moves(moves):
        say(f"pin: {line}")
    if not moves.manifests or packages == "keep":
        return moves
    if packages == "refuse":
        names = ", ".join(dict.fromkeys(left.pin.package for left in moves.manifests))
        raise UsageError(
            "PACKAGES",
            f"{moves.manifests[0].pin.path} holds commits of {names} that go with another Lean",
            "--packages update lets `lake update` fetch others in the scratch tree; --packages keep tries "
            "the new Lean with the old ones",
        )
    place.workspace(newer)  # where the project has fetched packages already, they are there then
    for directory in sorted({(place.tree / left.pin.path).parent for left in moves.manifests}):
        say(f"lake update in {directory.relative_to(place.tree)}")
        _lake_update(newer, directory)
    return move_pins(place.tree, pin_of(newer))


def _lake_update(toolchain: Toolchain, directory: Path) -> None:
    with Supervisor() as supervisor:
        outcome = supervisor.run(
            [str(toolchain.lake), "update"], cwd=directory, extra=toolchain.environment,
            limits=Limits(wall_s=_UPDATE_LIMIT_S, memory_bytes=None),
        )  # fmt: skip
    if outcome.exit_code != 0:
        said = (outcome.stdout + outcome.stderr).decode("utf-8", "replace").strip()[-1000:]
        raise LeanError("LAKE-UPDATE", f"`lake update` failed in {directory}: {said}", "run it by hand")


def _measured(
    workspace: Workspace, trial: Trial, modules: Sequence[str], request: UpgradeRequest, listen: Listening
) -> Trial:
    """Return the trial with modules measured until each was measured as often as is asked for."""
    known = {m: costs.cpu_s.count if (costs := trial.snapshot.modules[m].costs) else 0 for m in modules}
    with listen() as listener:
        measure_again(workspace, [m for m in modules for _ in range(request.repeats - known[m])], listener)
    return read_trial(trial.name, workspace, request.targets)
