"""Fixtures: a small Lake project with a catalogue, checked by real Lean through the embedded toolchain."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

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


@pytest.fixture
def site(tmp_path: Path) -> Site:
    made = Site(tmp_path)
    for name, text in MODULES.items():
        made.write(name, text)
    (tmp_path / "lean" / "lakefile.toml").write_text(LAKEFILE, encoding="utf-8")
    (tmp_path / "lean" / "lean-toolchain").write_text("leanprover/lean4:v4.35.0\n", encoding="utf-8")
    (tmp_path / "obligations").mkdir()
    (tmp_path / "obligations" / "demo.yaml").write_text(CATALOGUE, encoding="utf-8")
    (tmp_path / "tracker.toml").write_text(
        '[tracker]\nproject = "lean"\ntoolchain = "embedded"\n', encoding="utf-8"
    )
    return made
