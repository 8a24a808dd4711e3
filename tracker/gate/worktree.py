"""Scratch trees: other states of a repository, tried beside the user's own tree and never in it.

A tree is a detached `git worktree` in a directory of its own under the state directory. It is removed when
the work ends, also by Ctrl-C; what a killed process left is removed at the next start, under a lock that
tells whether that process is still at work.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from tracker.errors import StoreError, UsageError
from tracker.git import run_git

TREES = "trees"
_TIMEOUT_S = 600


@dataclass(frozen=True)
class Commit:
    """A commit: its full hash and the first line of its message."""

    sha: str
    subject: str


@dataclass(frozen=True)
class Repository:
    """A git repository by its top directory."""

    root: Path

    def commit(self, ref: str) -> Commit:
        """Return the commit that a name means. Raises UsageError when git knows none of that name."""
        # `--verify` with `--end-of-options`: a name that begins with a dash is not an option.
        sha = self._try("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        if sha is None:
            raise UsageError(
                "NO-SUCH-COMMIT", f"git knows no commit {ref!r}",
                "`git log` lists them; a shallow clone must fetch it first",
            )  # fmt: skip
        return Commit(sha, self._must("log", "-1", "--format=%s", sha))

    def between(self, good: str, bad: str) -> list[Commit]:
        """Return the commits from `good` to `bad`, both included, along first parents, oldest first.

        Raises UsageError when `good` is not an older commit than `bad`, or none of its ancestors.
        """
        first, last = self.commit(good), self.commit(bad)
        if first.sha == last.sha:
            raise UsageError(
                "BISECT-RANGE", f"{good} and {bad} are one commit", "name an older one that was still good"
            )
        if self._try("merge-base", "--is-ancestor", first.sha, last.sha) is None:
            raise UsageError(
                "BISECT-RANGE", f"{good} is not an ancestor of {bad}", "the good end must be the older one"
            )
        listed = self._must(
            "log", "--first-parent", "--reverse", "--format=%H %s", f"{first.sha}..{last.sha}"
        )
        rows = [line.partition(" ") for line in listed.splitlines()]
        return [first, *(Commit(sha, subject) for sha, _, subject in rows)]

    def changed_files(self) -> list[str]:
        """Return the files that differ from the commit, and new ones; not what is ignored, nor `.lake`."""
        changed = self._must("diff", "--name-only", "-z", "--no-renames", "HEAD")
        unknown = self._must("ls-files", "--others", "--exclude-standard", "-z")
        names = {name for name in (changed + "\0" + unknown).split("\0") if name}
        return sorted(name for name in names if ".lake" not in Path(name).parts)

    def read(self, commit: str, file: Path) -> str | None:
        """Return a file as it is in a commit, by its path from the top; None where there is none."""
        done = _git(("cat-file", "blob", f"{commit}:{file.as_posix()}"), self.root)
        return done.stdout if done.returncode == 0 else None

    def _try(self, *args: str, cwd: Path | None = None) -> str | None:
        done = _git(args, cwd or self.root)
        return done.stdout.rstrip("\n") if done.returncode == 0 else None

    def _must(self, *args: str, cwd: Path | None = None) -> str:
        done = _git(args, cwd or self.root)
        if done.returncode != 0:
            said = done.stderr.strip()[-500:]
            raise UsageError("GIT", f"git {args[0]} failed: {said}", f"run it by hand in {cwd or self.root}")
        return done.stdout.rstrip("\n")

    def add_tree(self, place: Path, commit: str) -> None:
        """Check a commit out into the new directory `place`. Raises UsageError."""
        self._must("worktree", "add", "--force", "--detach", str(place), commit)

    def move_tree(self, place: Path, commit: str) -> None:
        """Check another commit out in a scratch tree; edited files are thrown away. Raises UsageError."""
        self._must("checkout", "--force", "--detach", commit, cwd=place)

    def drop_tree(self, place: Path) -> None:
        """Remove a scratch tree and git's knowledge of it."""
        # Twice `--force`: also where a killed git left it locked.
        self._try("worktree", "remove", "--force", "--force", str(place))
        shutil.rmtree(place, ignore_errors=True)
        self._try("worktree", "prune")


def _git(args: tuple[str, ...], cwd: Path) -> subprocess.CompletedProcess[str]:
    try:
        return run_git(*args, cwd=cwd, timeout_s=_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError("GIT", f"git could not run: {error}", "is git installed?") from error


def find_repository(start: Path) -> Repository:
    """Return the repository that a directory belongs to. Raises UsageError when git finds none."""
    done = _git(("rev-parse", "--show-toplevel"), start)
    if done.returncode != 0:
        raise UsageError(
            "NO-REPOSITORY",
            f"git finds no repository of {start}: {done.stderr.strip()}",
            "do what git says; where there is none, `git init`, then commit the project",
        )
    return Repository(Path(done.stdout.rstrip("\n")).resolve())


@dataclass(frozen=True)
class Trees:
    """The scratch trees of this process. Use `scratch_trees`."""

    repository: Repository
    directory: Path

    def add(self, commit: str, name: str) -> Path:
        """Check a commit out into a new tree and return its directory. Raises UsageError where git fails."""
        place = self.directory / f"{name}-{commit[:12]}"
        self.repository.add_tree(place, commit)
        return place

    def clear(self) -> None:
        """Remove every tree."""
        for place in self.directory.iterdir():
            if place.is_dir():
                self.repository.drop_tree(place)


@contextmanager
def scratch_trees(repository: Repository, state: Path) -> Iterator[Trees]:
    """Hold scratch trees under `state`; they are removed at the end, and what an earlier end left, at once.

    Raises StoreError when another process is at work with scratch trees there.
    """
    directory = state / TREES
    with _only_one(directory):
        trees = Trees(repository, directory)
        trees.clear()
        try:
            yield trees
        finally:
            trees.clear()


@contextmanager
def _only_one(trees: Path) -> Iterator[None]:
    """Hold the lock of the directory of trees; the system releases it when the process ends."""
    try:
        trees.mkdir(parents=True, exist_ok=True)
        ignore = trees.parent / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="ascii")
        lock = FileLock(trees / "lock", timeout=0)
        lock.acquire()
    except Timeout as error:
        raise StoreError(
            "TREES-LOCKED", f"another upgrade or bisection is at work in {trees}", "wait for it, or stop it"
        ) from error
    except OSError as error:
        raise StoreError(
            "STORE", f"{trees}: {error.strerror or error}", "choose another place: --state DIR"
        ) from error
    try:
        yield
    finally:
        lock.release()


def copy_changes(repository: Repository, tree: Path, state: Path) -> list[str]:
    """Bring the user's uncommitted changes into a scratch tree, and return the files. Raises OSError."""
    copied = []
    for name in repository.changed_files():
        source, target = repository.root / name, tree / name
        if source.resolve().is_relative_to(state):
            continue
        if source.is_symlink() or source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
        elif not source.exists():
            target.unlink(missing_ok=True)
        else:
            continue  # a repository in the repository
        copied.append(name)
    return copied
