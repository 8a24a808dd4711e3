"""Packages that a project needs built beforehand: Mathlib's own cache, asked for on request only."""

from __future__ import annotations

import json
from pathlib import Path

from tracker.errors import LeanError, UsageError
from tracker.lean.lake import Lake
from tracker.lean.process import Limits
from tracker.lean.project import Project

_FETCH_S = 3 * 3600.0
_SHOWN = 2000


def uses_mathlib(project: Project) -> bool:
    """Return whether Mathlib is among the packages that the project requires, directly or not."""
    if any(require.name.lower() == "mathlib" for require in project.lakefile.requires):
        return True
    try:
        manifest = json.loads(Path(project.root, "lake-manifest.json").read_text(encoding="utf-8"))
        return any(package.get("name", "").lower() == "mathlib" for package in manifest["packages"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False


def require_mathlib(project: Project) -> None:
    """Raise UsageError where there is no Mathlib whose cache could be fetched."""
    if not uses_mathlib(project):
        raise UsageError(
            "NO-MATHLIB",
            f"{project.root} does not require Mathlib",
            "run without --cache-get: nothing to fetch",
        )


def fetch_mathlib(lake: Lake) -> None:
    """Run `lake exe cache get`, which downloads Mathlib's compiled files. Raises LeanError."""
    outcome = lake.ask(["exe", "cache", "get"], Limits(wall_s=_FETCH_S))
    if outcome.exit_code != 0:
        said = (outcome.stderr + outcome.stdout).decode("utf-8", "replace").strip()[-_SHOWN:]
        raise LeanError(
            "CACHE-GET",
            f"`lake exe cache get` ended with exit code {outcome.exit_code}: {said}",
            "run it by hand in the project; without --cache-get Lake builds Mathlib itself, for hours",
        )
