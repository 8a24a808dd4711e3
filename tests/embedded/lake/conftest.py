"""A Lake project in a temporary directory, and the embedded lake to build it with."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tracker.embedded.sysroot import Sysroot, ensure

LAKEFILE = 'name = "demo"\ndefaultTargets = ["Demo"]\n\n[[lean_lib]]\nname = "Demo"\n'


@dataclass(frozen=True)
class Done:
    """How a command ended; `out` and `err` are what it wrote."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Project:
    """A package being built."""

    root: Path
    sysroot: Sysroot

    def write(self, name: str, text: str) -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """The environment of a shell, without what Lean and Lake would take from it."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("LEAN", "LAKE"))}
        path = f"{self.sysroot.root}/bin{os.pathsep}{os.environ['PATH']}"
        return {**kept, "PATH": path, "LC_ALL": "C.UTF-8", **(more or {})}

    def start(self, *args: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [self.sysroot.lake, *args], cwd=self.root, env=self.environment(env),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def lake(self, *args: str, env: Mapping[str, str] | None = None) -> Done:
        process = self.start(*args, env=env)
        out, err = process.communicate(timeout=120)
        return Done(process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))

    def built(self, module: str, suffix: str) -> Path:
        return self.root / ".lake/build/lib/lean" / (module.replace(".", "/") + suffix)


@pytest.fixture(scope="session")
def sysroot() -> Sysroot:
    return ensure()


@pytest.fixture
def make_project(tmp_path: Path, sysroot: Sysroot) -> Callable[[dict[str, str]], Project]:
    def make(files: dict[str, str]) -> Project:
        project = Project(tmp_path, sysroot)
        for name, text in {"lakefile.toml": LAKEFILE, **files}.items():
            project.write(name, text)
        return project

    return make
