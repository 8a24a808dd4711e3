"""A trial: a scratch tree checked by one toolchain, its evidence kept in a directory of that toolchain.

Under the state directory: `upgrade/NAME-HASH/history.db` is the evidence of one toolchain and `lake/` what
Lake built with it, so that a trial that was cut off goes on where it stopped, and the next one checks only
what is new. Where the user's own evidence holds for the same sources and toolchain, it is used.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from tracker.catalogue.model import Catalogue
from tracker.config import Settings
from tracker.errors import StoreError, UsageError
from tracker.gate.now import take_present
from tracker.gate.snapshot import Snapshot
from tracker.lean.lake import Lake
from tracker.lean.process import Limits, Supervisor
from tracker.lean.toolchain import Toolchain
from tracker.machine import this_machine
from tracker.run.artifacts import lib_dir
from tracker.run.check import checks_of
from tracker.run.driver import Listener
from tracker.run.plan import select_modules
from tracker.run.session import RunOptions, execute_run
from tracker.store.history import FILE_NAME, open_history
from tracker.verdict import Verdict
from tracker.workspace import Workspace

UPGRADE = "upgrade"
_KEPT_S = 30 * 86_400.0


@dataclass(frozen=True)
class Trial:
    """What one toolchain makes of one tree."""

    name: str
    """The toolchain as it was asked for."""
    toolchain: Toolchain
    snapshot: Snapshot
    verdicts: Mapping[str, Verdict]
    catalogue: Catalogue


@dataclass(frozen=True)
class Place:
    """Where trials happen: the user's settings, the top of their repository, and the scratch tree of it."""

    settings: Settings
    repository: Path
    tree: Path

    def workspace(self, toolchain: Toolchain) -> Workspace:
        """Return the workspace of the tree as it is now, for one toolchain. Raises UsageError, OSError."""
        state = state_of(self.settings.state, toolchain)
        moved = relocate(self.settings, self.repository, self.tree)
        workspace = Workspace(replace(moved, state=state, toolchain=toolchain.name))
        workspace.toolchain = toolchain
        self._link_build(moved.project, state)
        os.utime(state)  # it is in use: see `forget_unused`
        return workspace

    def _link_build(self, project: Path, state: Path) -> None:
        """Let Lake build into the toolchain's own directory, so that the build outlives the tree."""
        lake, link = state / "lake", project / ".lake"
        lake.mkdir(parents=True, exist_ok=True)
        fetched = self.settings.project / ".lake" / "packages"
        if fetched.is_dir() and not (lake / "packages").exists():
            _copy_tree(fetched, lake / "packages")
        if link.is_symlink():
            link.unlink()
        elif link.exists():
            shutil.rmtree(link)
        link.symlink_to(lake, target_is_directory=True)


def state_of(state: Path, toolchain: Toolchain) -> Path:
    """Return the directory for one toolchain's evidence: its name, for people, and a hash of its identity."""
    name = re.sub(r"[^\w.+-]+", "-", toolchain.name)[:40]
    mark = hashlib.sha256(toolchain.identity.encode()).hexdigest()[:10]
    return state / UPGRADE / f"{name}-{mark}"


def forget_unused(state: Path) -> list[str]:
    """Remove what is kept of toolchains that were not tried for a month, and return their names."""
    try:
        kept = [entry for entry in (state / UPGRADE).iterdir() if entry.is_dir()]
    except FileNotFoundError:
        return []
    old = [entry for entry in kept if time.time() - entry.stat().st_mtime > _KEPT_S]
    for entry in old:
        shutil.rmtree(entry, ignore_errors=True)
    return [entry.name for entry in old]


def relocate(settings: Settings, repository: Path, tree: Path) -> Settings:
    """Return the settings for a tree of the repository; what lies outside of the repository stays there.

    Raises UsageError when the Lake project is not in the repository, or not in that tree.
    """

    def there(path: Path) -> Path:
        path = path.resolve()
        return tree / path.relative_to(repository) if path.is_relative_to(repository) else path

    project = there(settings.project)
    if not project.is_relative_to(tree):
        raise UsageError(
            "NO-REPOSITORY", f"{settings.project} is not in the repository {repository}", "commit it there"
        )
    if not project.is_dir():
        raise UsageError(
            "NO-PROJECT", f"this commit has no {project.relative_to(tree)}", "commit the project first"
        )
    return replace(
        settings, root=there(settings.root), project=project, lock=there(settings.lock),
        catalogue=tuple(there(path) for path in settings.catalogue),
    )  # fmt: skip


def _copy_tree(source: Path, target: Path) -> None:
    """Copy a directory of packages, sharing its blocks where the file system can. Raises UsageError."""
    draft = target.with_name(target.name + ".part")
    shutil.rmtree(draft, ignore_errors=True)
    copied = subprocess.run(
        ["cp", "-a", "--reflink=auto", source, draft], capture_output=True, text=True, check=False
    )
    if copied.returncode != 0:  # a `cp` without that option
        shutil.rmtree(draft, ignore_errors=True)
        shutil.copytree(source, draft, symlinks=True)
    draft.replace(target)


def run_trial(
    name: str, workspace: Workspace, own_state: Path, listener: Listener, targets: Sequence[str] = (),
    jobs: int = 1,
) -> Trial:  # fmt: skip
    """Have Lean check what has no evidence yet, and return what is known then.

    With targets, the trial is about these, what they rest on, and what they import, and about nothing else.
    `own_state` is where the user's own evidence is. Raises TrackerError.
    """
    _adopt(own_state, workspace)
    modules = sorted(_involved(workspace, targets)) if targets else ()
    execute_run(workspace, RunOptions(modules, jobs=jobs), listener)
    return read_trial(name, workspace, targets)


def read_trial(name: str, workspace: Workspace, targets: Sequence[str] = ()) -> Trial:
    """Return what is known from the evidence that there is; no Lean is started. Raises TrackerError."""
    snapshot = take_present(workspace).snapshot
    found = workspace.verdicts(workspace.read_evidence()[0])
    if targets:
        modules = _involved(workspace, targets)
        snapshot = replace(
            snapshot,
            obligations={i: ob for i, ob in snapshot.obligations.items() if ob.module in modules},
            modules={name: facts for name, facts in snapshot.modules.items() if name in modules},
        )
    return Trial(name, workspace.toolchain, snapshot, found, workspace.catalogue)


def _involved(workspace: Workspace, targets: Sequence[str]) -> frozenset[str]:
    """Return the modules of the targets, of all that their obligations rest on, and what these import.

    A module that is in no target of the lakefile is not among them. Raises UsageError.
    """
    catalogue, project = workspace.catalogue, workspace.project
    found: frozenset[str] = frozenset()
    more = frozenset(select_modules(project, catalogue, targets))
    while more != found:
        found = more
        own = [ob.id for module in found for ob in catalogue.by_module.get(module, ())]
        below = {catalogue[dep].module for ident in own for dep in catalogue.ancestors(ident)}
        wanted = sorted((found | below) & project.modules.keys())
        more = frozenset(select_modules(project, catalogue, wanted))
    return found


def _adopt(own_state: Path, workspace: Workspace) -> None:
    """Take the user's own store where it knows more of these sources and this toolchain than the trial's.

    Both are only copies of evidence: what the trial's store had is gathered again where it is needed.
    """
    prints = workspace.fingerprints
    state = workspace.settings.state
    if _holding(own_state, prints) > _holding(state, prints):
        with (
            closing(sqlite3.connect((own_state / FILE_NAME).as_uri() + "?mode=ro", uri=True)) as source,
            closing(sqlite3.connect(_fresh(state / FILE_NAME))) as target,
        ):
            source.backup(target)


def _fresh(file: Path) -> Path:
    for suffix in ("", "-wal", "-shm"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def _holding(state: Path, prints: Mapping[str, str]) -> int:
    """Return for how many modules a store has evidence that holds; none when it cannot be read."""
    try:
        history = open_history(state, write=False)
        if history is None:
            return 0
        with closing(history):
            evidence = history.evidence(prints)
    except StoreError:
        return 0
    return sum(evidence.check_of(module) is not None for module in prints)


def measure_again(workspace: Workspace, modules: Iterable[str], listener: Listener) -> None:
    """Have Lean check modules once more, each with what it costs alone. Raises TrackerError."""
    settings, project = workspace.settings, workspace.project
    limits = Limits(wall_s=settings.wall_s, memory_bytes=settings.memory_bytes)
    todo = list(modules)
    with (
        closing(workspace.open_history(write=True)) as history,
        Supervisor() as supervisor,
        Lake(workspace.toolchain, Path(project.root), lib_dir(project), supervisor) as lake,
    ):
        tool = workspace.toolchain
        number = history.begin_run(tool.name, tool.identity, str(this_machine()), None, dirty=False)
        state = "interrupted"
        try:
            for position, module in enumerate(todo, 1):
                listener.started(module, position, len(todo))
                lake.set_aside(module)
                build = lake.build([f"+{module}"], limits)
                for check in checks_of([module], build, project, workspace.fingerprints, limits):
                    history.add_check(number, check)
                    listener.finished(check)
            state = "finished"
        finally:
            history.end_run(number, state)
