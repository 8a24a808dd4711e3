"""Example files: `positive/` loads without a finding, `negative/CODE/` gives what its side file says.

A case is a `.yaml` file, or a directory that is one catalogue. To add one, write it and run the tests
with TRACKER_UPDATE_GOLDEN=1, then read the `.expected` file that was written beside it.
"""

from __future__ import annotations

from pathlib import Path

from hypothesis import settings

settings.register_profile("untimed", deadline=None)  # timings never decide
settings.load_profile("untimed")

HERE = Path(__file__).parent


def cases(root: Path) -> list[Path]:
    """Return the cases directly in `root`."""
    return sorted(p for p in root.iterdir() if p.is_dir() or p.suffix in {".yaml", ".yml"})


POSITIVE = cases(HERE / "positive")
NEGATIVE = [case for code in sorted((HERE / "negative").iterdir()) for case in cases(code)]


def name(case: Path) -> str:
    """Return a test's name for a case."""
    return case.relative_to(HERE).as_posix()
