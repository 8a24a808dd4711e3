"""Fixtures: a small Lake project with a catalogue, checked by real Lean through the embedded toolchain."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("few", settings.get_profile("untimed"), max_examples=20, derandomize=True)
settings.load_profile("untimed")

# What is printed into a pipe is wrapped only where this says so.
os.environ["COLUMNS"] = "80"

LAKEFILE = """\
name = "Demo"
defaultTargets = ["Demo"]

[[lean_lib]]
name = "Demo"
globs = ["Demo.+"]
"""
MODULES = {
    "Base": "def Demo.two : Nat := 2\n\ntheorem Demo.two_eq : Demo.two = 2 := rfl\n",
    "Mid": (
        "import Demo.Base\n\ntheorem Demo.lemma (n : Nat) : n + 0 = n := rfl\n\n"
        "theorem Demo.main : Demo.two + 0 = 2 := by\n  rw [Demo.lemma, Demo.two_eq]\n"
    ),
    "Top": "import Demo.Mid\n\ntheorem Demo.top : Demo.two + 0 = 2 := Demo.main\n",
    "Side": "theorem Demo.side : 1 = 1 := rfl\n",
}
CATALOGUE = """\
obligations:
  - {id: two, kind: foundation, decl: Demo.two, module: Demo.Base}
  - {id: two-eq, kind: foundation, decl: Demo.two_eq, module: Demo.Base, depends_on: [two]}
  - {id: lemma, kind: leaf-tie, decl: Demo.lemma, module: Demo.Mid}
  - {id: main, kind: tie, decl: Demo.main, module: Demo.Mid, depends_on: [lemma, two-eq]}
  - {id: top, kind: capstone, decl: Demo.top, module: Demo.Top, depends_on: [main]}
  - {id: side, kind: foundation, decl: Demo.side, module: Demo.Side}
"""


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class Site:
    """A project under test: `lean/`, `obligations/`, `tracker.toml`."""

    root: Path

    def write(self, module: str, text: str) -> None:
        file = self.root / "lean" / "Demo" / f"{module}.lean"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def read(self, module: str) -> str:
        return (self.root / "lean" / "Demo" / f"{module}.lean").read_text(encoding="utf-8")

    def edit(self, module: str, old: str, new: str) -> None:
        text = self.read(module)
        assert old in text
        self.write(module, text.replace(old, new))

    def tracker(self, *args: str, environment: Mapping[str, str] | None = None, timeout: float = 120) -> Done:
        """Run the command line in a process of its own."""
        done = subprocess.run(
            [sys.executable, "-m", "tracker", *args],
            cwd=self.root, env={**os.environ, **(environment or {})}, capture_output=True, text=True,
            timeout=timeout, check=False,
        )  # fmt: skip
        return Done(done.returncode, done.stdout, done.stderr)

    def labels(self) -> dict[str, str]:
        """Return the label of each obligation, as `tracker status` says now."""
        return {ob["id"]: ob["label"] for ob in self.tracker("status", "--json").json["obligations"]}


def make_site(root: Path) -> Site:
    made = Site(root)
    for name, text in MODULES.items():
        made.write(name, text)
    (root / "lean" / "lakefile.toml").write_text(LAKEFILE, encoding="utf-8")
    (root / "lean" / "lean-toolchain").write_text("leanprover/lean4:v4.35.0\n", encoding="utf-8")
    (root / "obligations").mkdir()
    (root / "obligations" / "demo.yaml").write_text(CATALOGUE, encoding="utf-8")
    (root / "tracker.toml").write_text(
        '[tracker]\nproject = "lean"\ntoolchain = "embedded"\n', encoding="utf-8"
    )
    return made


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A project that nobody has checked yet."""
    return make_site(tmp_path)


@pytest.fixture(scope="session")
def proved_once(tmp_path_factory: pytest.TempPathFactory) -> Site:
    made = make_site(tmp_path_factory.mktemp("proved"))
    done = made.tracker("run")
    assert done.code == 0, done.out + done.err
    assert made.tracker("lock").code == 0
    return made


@pytest.fixture
def proved(proved_once: Site, tmp_path: Path) -> Site:
    """A project of one's own in which everything is proved and locked: evidence does not mind a move."""
    shutil.copytree(proved_once.root, tmp_path, dirs_exist_ok=True)
    return Site(tmp_path)
