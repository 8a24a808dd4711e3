"""The embedded toolchain for its own tests: built once, whatever the number of test processes."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tracker.embedded.sysroot import Sysroot, ensure

Lean = Callable[..., subprocess.CompletedProcess[bytes]]


@dataclass(frozen=True)
class Message:
    severity: str
    line: int
    text: str


@pytest.fixture(scope="session")
def sysroot() -> Sysroot:
    return ensure()


@pytest.fixture(scope="session")
def lean(sysroot: Sysroot) -> Lean:
    """Run `lean` with some arguments; keywords are those of subprocess.run."""

    def run(*arguments: str | bytes | Path, **keywords: Any) -> subprocess.CompletedProcess[bytes]:
        keywords.setdefault("stdin", subprocess.DEVNULL)
        keywords.setdefault("timeout", 120)
        return subprocess.run([sysroot.lean, *arguments], capture_output=True, check=False, **keywords)

    return run


@pytest.fixture(scope="session")
def messages(lean: Lean) -> Callable[[Path], tuple[int, list[Message]]]:
    """Check a file; returns the exit status and what Lean said, in the order of the file."""

    def check(path: Path) -> tuple[int, list[Message]]:
        result = lean("--json", path)
        assert result.stderr == b""
        said = [json.loads(line) for line in result.stdout.splitlines()]
        return result.returncode, [Message(m["severity"], m["pos"]["line"], m["data"]) for m in said]

    return check


@pytest.fixture
def clean_environment() -> dict[str, str]:
    """The environment without anything that tells Lean where to look."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("LEAN", "ELAN", "LAKE", "TRACKER"))}
