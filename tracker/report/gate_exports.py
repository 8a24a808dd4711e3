"""The gate's report for other programs: JUnit, SARIF, GitHub's annotations, Markdown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tracker.gate.model import GateReport
from tracker.report.gate import gate_markdown
from tracker.report.github import github_annotations
from tracker.report.junit import gate_junit
from tracker.report.sarif import gate_sarif
from tracker.workspace import Workspace


def export(report: GateReport, against: str, form: str, workspace: Workspace) -> str:
    """Return the report as `junit`, `sarif`, `github` or `markdown`."""
    place = places(workspace)
    forms: dict[str, Callable[[], str]] = {
        "junit": lambda: gate_junit(report),
        "sarif": lambda: gate_sarif(report, place),
        "github": lambda: github_annotations(report, place),
        "markdown": lambda: gate_markdown(report, against),
    }
    return forms[form]()


def places(workspace: Workspace) -> Callable[[str], str]:
    """Return what makes a path below the repository's root of one below the Lake project's.

    What has no file is placed at the baseline: an alert without a place is shown nowhere.
    """
    settings = workspace.settings
    start = settings.root.resolve()
    root = next((d for d in (start, *start.parents) if (d / ".git").exists()), start)

    def place(file: str) -> str:
        path = settings.project / file if file else settings.gate.baseline
        return _below(path, root)

    return place


def _below(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
