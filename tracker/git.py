"""How git is asked: of the repository of a directory, not of that of a hook that we run under."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

# Of `git rev-parse --local-env-vars`; those of GIT_CONFIG stay: the user sets safe.directory by them.
_OF_A_REPOSITORY = frozenset(
    {
        "GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX",
        "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_QUARANTINE_PATH", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE", "GIT_REPLACE_REF_BASE",
        "GIT_INTERNAL_SUPER_PREFIX",
    }
)  # fmt: skip


def run_git(*args: str, cwd: Path, timeout_s: float) -> subprocess.CompletedProcess[str]:
    """Return what git says of the repository that a directory belongs to; bytes are decoded as in file names.

    Raises OSError and subprocess.TimeoutExpired.
    """
    # Hooks are not meant for what we ask; optional locks would disturb the user's own git.
    command = ["git", "-c", "core.hooksPath=/dev/null", "--no-optional-locks", *args]
    done = subprocess.run(
        command, cwd=cwd, env=_environment(os.environ), capture_output=True, timeout=timeout_s, check=False
    )
    out, err = os.fsdecode(done.stdout), os.fsdecode(done.stderr)
    return subprocess.CompletedProcess(command, done.returncode, out, err)


def _environment(environment: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in environment.items() if key not in _OF_A_REPOSITORY}
