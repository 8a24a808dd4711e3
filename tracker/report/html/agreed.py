"""The committed baseline as a report sees it: what was agreed to, and since when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tracker.gate.baseline import Baseline, read_baseline
from tracker.report.html.source import commit_of
from tracker.units import show_count
from tracker.workspace import Workspace


@dataclass(frozen=True)
class Agreed:
    """An agreed moment: its name, and the labels (`Verdict.label`) of obligations by id."""

    title: str
    labels: Mapping[str, str]


def agreed(workspace: Workspace) -> Agreed | None:
    """Return what the baseline file says; None where there is none. Raises UsageError if it cannot be read.

    Lines that cannot be believed are left out, and the title counts them.
    """
    file = workspace.settings.gate.baseline
    baseline = read_baseline(file)
    if baseline is None:
        return None
    labels = {ob.id: ob.label for ob in baseline.snapshot.obligations.values()}
    return Agreed(_title(file, baseline), labels)


def _title(file: Path, baseline: Baseline) -> str:
    commit = commit_of(file)
    about = [f"Lean {baseline.snapshot.lean}"] if baseline.snapshot.lean else []
    about.append(f"commit {commit.number}" if commit and not commit.changed else "not committed")
    lost = len(baseline.damages)
    about += [f"{show_count(lost, 'line')} of it cannot be believed"] if lost else []
    day = f" of {commit.day}" if commit and not commit.changed else ""
    return f"the baseline{day} ({', '.join(about)})"
