"""Choosing part of the modules: by name, by what changed since a commit, by shards for several machines."""

from __future__ import annotations

import fnmatch
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tracker.catalogue.suggest import did_you_mean
from tracker.errors import UsageError
from tracker.git import run_git
from tracker.lean.project import Project

_GIT_S = 60
_NEARLY_ALL = 0.75


@dataclass(frozen=True)
class Shard:
    """One of several parts of a project: the `number`-th of `count`, from 1."""

    number: int
    count: int


def parse_shard(text: str) -> Shard:
    """Return the shard that `K/N` names. Raises UsageError."""
    number, _, count = text.partition("/")
    if number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count):
        return Shard(int(number), int(count))
    raise UsageError(
        "BAD-SHARD",
        f"--shard {text}: no such part",
        "K/N with K from 1 to N, such as 2/4: the second of four",
    )


def matching(modules: Sequence[str], patterns: Iterable[str]) -> frozenset[str]:
    """Return the modules whose name matches one of the patterns. Raises UsageError where one matches none."""
    found: set[str] = set()
    for pattern in patterns:
        own = {module for module in modules if fnmatch.fnmatchcase(module, pattern)}
        if not own:
            hint = did_you_mean(pattern, modules) or "a pattern over the names of modules, such as 'Net.Vit*'"
            raise UsageError("NO-SUCH-MODULE", f"--only {pattern}: no module has such a name", hint)
        found |= own
    return frozenset(found)


def changed_since(project: Project, ref: str) -> frozenset[str]:
    """Return the modules that differ from a commit in the working tree, and all that import one of them.

    A change of lakefile, pinned toolchain or pinned packages changes all. Raises UsageError where git does
    not know the commit.
    """
    root = Path(project.root)
    # Resolved first: a name that begins with a dash must not be taken for an option.
    commit = _git(root, ref, "rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}")[0].strip()
    paths = {*_git(root, ref, "diff", "--name-only", "-z", "--relative", commit, "--", ".")}
    paths |= {*_git(root, ref, "ls-files", "--others", "--exclude-standard", "-z", "--", ".")}
    lakefile = Path(project.lakefile.path).name
    if paths & {lakefile, "lean-toolchain", "lake-manifest.json"}:
        return frozenset(project.modules)
    changed = {name for name, module in project.modules.items() if module.path in paths}
    return frozenset(changed.union(*(project.dependents(name) for name in changed)))


def _git(root: Path, ref: str, *args: str) -> list[str]:
    """Return the file names that a git command prints, relative to the project."""
    try:
        done = run_git(*args, cwd=root, timeout_s=_GIT_S)
        said = done.stderr.strip().partition("\n")[0] if done.returncode else ""
    except (OSError, subprocess.TimeoutExpired) as error:
        said = str(error)
    if said:
        raise UsageError(
            "NO-SUCH-REF",
            f"--changed-since {ref}: git cannot compare {root} with it: {said}",
            "a commit, branch or tag of the repository that the project lies in; CI may have to fetch it",
        )
    return [name for name in done.stdout.split("\0") if name]


def shard_modules(
    modules: Sequence[str], project: Project, seconds: Mapping[str, float], shard: Shard
) -> frozenset[str]:
    """Return the modules of one shard: each module is in exactly one.

    Importers are dealt out before what they import: each to the shard that would then have the least to
    build, its imports counted too, and what a shard builds anyway is left to it, unless it builds nearly
    everything already, as with a module that imports all others. `modules` have imports before importers;
    `seconds` are recorded times, what has none counts as an average one. The same input gives the same
    shards on every machine.
    """
    known = [seconds[module] for module in modules if module in seconds]
    usual = sum(known) / len(known) if known else 1.0
    weights = [seconds.get(module, usual) for module in modules]
    position = {module: n for n, module in enumerate(modules)}
    closures = _closures(modules, position, project)
    built, loads = [0] * shard.count, [0.0] * shard.count
    nearly_all = _NEARLY_ALL * sum(weights)
    chosen = set()
    for n in reversed(range(len(modules))):
        after = [load + _weight(closures[n] & ~built[k], weights) for k, load in enumerate(loads)]
        free = [k for k, load in enumerate(loads) if not closures[n] & ~built[k] and load <= nearly_all]
        best = min(free or range(shard.count), key=lambda k: (after[k], k))
        built[best] |= closures[n]
        loads[best] = after[best]
        if best == shard.number - 1:
            chosen.add(modules[n])
    return frozenset(chosen)


def _closures(modules: Sequence[str], position: Mapping[str, int], project: Project) -> list[int]:
    """Return for each module itself and all that it imports, as a set of bits."""
    found: list[int] = []
    for n, module in enumerate(modules):
        bits = 1 << n
        for name in project.imports(module):
            if position.get(name, n) < n:
                bits |= found[position[name]]
        found.append(bits)
    return found


def _weight(bits: int, weights: Sequence[float]) -> float:
    total = 0.0
    while bits:
        low = bits & -bits
        total += weights[low.bit_length() - 1]
        bits ^= low
    return total
