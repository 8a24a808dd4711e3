"""Real Lean for these tests: the embedded toolchain, built once, whatever the number of test processes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tracker.embedded.sysroot import ensure

Lean = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture(scope="session")
def lean() -> Lean:
    """Run `lean --json` with some arguments; keywords are those of subprocess.run."""
    program = ensure().lean

    def run(*arguments: str | Path, **keywords: object) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [program, "--json", *arguments],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=120,
            **keywords,  # type: ignore[call-overload]
        )

    return run
