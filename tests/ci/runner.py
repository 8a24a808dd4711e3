"""A small runner of GitHub's steps: the same scripts, real tracker and real Lean, no network.

What it does of GitHub's runner: expressions that are a plain path (`inputs.x`, `steps.id.outputs.y`), `env`,
`if` for the few conditions that are used here, `$GITHUB_OUTPUT`, `$GITHUB_PATH`, `$GITHUB_STEP_SUMMARY`, bash
with its flags, and workflow commands: which lines of the output are commands, and which are mere text.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_EXPRESSION = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")
_COMMAND = re.compile(r"^::(?P<name>[\w-]+)(?: (?P<properties>[^:]*))?::(?P<data>.*)$")


@dataclass
class Step:
    """How one step ended."""

    name: str
    code: int | None
    """None where its condition left it out."""
    out: str = ""
    commands: list[str] = field(default_factory=list)
    """The workflow commands that GitHub would have obeyed."""


@dataclass
class Runner:
    """Runs the `run` steps of a job or of a composite action; `uses` steps are noted only."""

    root: Path
    work: Path
    programs: Path
    inputs: Mapping[str, str]
    context: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    used: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.temp = self.work / "temp"
        self.temp.mkdir(parents=True)
        self.summary = self.work / "summary.md"
        self.summary.touch()
        self.context |= {"runner.temp": str(self.temp), "runner.os": "Linux"}
        self.context |= {f"inputs.{name}": value for name, value in self.inputs.items()}
        self._path = [str(self.programs), os.environ["PATH"]]
        self._failed = False

    def run(self, steps: list[dict[str, Any]]) -> list[Step]:
        """Run the steps in order; after a failure only those with `always()`."""
        return [self._step(step) for step in steps]

    def value(self, text: str) -> str:
        """Return text with its expressions put in; an unknown one is empty, as on GitHub."""
        return _EXPRESSION.sub(lambda match: self.context.get(match[1], ""), text)

    def _holds(self, condition: str) -> bool:
        parts = [part.strip() for part in condition.split("&&")] if condition else []
        always = "always()" in parts
        for part in parts:
            if part == "always()":
                continue
            match = re.fullmatch(r"([\w.-]+) (==|!=) '([^']*)'", part)
            assert match, f"this runner does not know the condition {part!r}"
            if (self.context.get(match[1], "") == match[3]) != (match[2] == "=="):
                return False
        return always or not self._failed

    def _step(self, step: dict[str, Any]) -> Step:
        name = str(step.get("name", step.get("uses", "")))
        if not self._holds(str(step.get("if", ""))):
            return Step(name, None)
        if "uses" in step:
            self.used.append(str(step["uses"]))
            return Step(name, 0)
        assert "${{" not in step["run"], "a value from outside belongs into env"
        output, path = self.work / "output", self.work / "path"
        output.write_text("")
        path.write_text("")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.root, capture_output=True, text=True, check=False, timeout=300,
            env={
                **os.environ,
                **self.environment,
                **{key: self.value(str(value)) for key, value in step.get("env", {}).items()},
                "PATH": os.pathsep.join(self._path),
                "GITHUB_OUTPUT": str(output), "GITHUB_PATH": str(path),
                "GITHUB_STEP_SUMMARY": str(self.summary),
            },
        )  # fmt: skip
        if "id" in step:
            for line in output.read_text().splitlines():
                key, equals, value = line.partition("=")
                assert equals, line
                self.context[f"steps.{step['id']}.outputs.{key}"] = value
        self._path[:0] = path.read_text().split()
        self._failed = self._failed or done.returncode != 0
        return Step(name, done.returncode, done.stdout + done.stderr, obeyed(done.stdout))


def obeyed(out: str) -> list[str]:
    """Return the lines that GitHub obeys: none between `::stop-commands::TOKEN` and `::TOKEN::`."""
    found, token = [], None
    for line in out.splitlines():
        match = _COMMAND.match(line.lstrip())
        if token is not None:
            if line.strip() == f"::{token}::":
                token = None
            continue
        if match and match["name"] == "stop-commands":
            token = match["data"]
        elif match or re.match(r"\s*##\[", line):
            found.append(line)
    return found


def write_program(directory: Path, name: str, text: str) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / name
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


def stub_python(directory: Path, log: Path) -> None:
    """Put a `python` there that notes what pip is to install and makes environments of this very one."""
    real = sys.executable
    tracker = f'#!/bin/sh\nexec {real} -m tracker \\"\\$@\\"'
    write_program(
        directory, "python",
        f'case "$1 $2" in\n'
        f'  "-m pip") echo "$@" >> {log} ;;\n'
        f'  "-m venv") mkdir -p "$3/bin"; cp "$0" "$3/bin/python"\n'
        f'    printf "{tracker}\\n" > "$3/bin/tracker"; chmod +x "$3/bin/tracker" ;;\n'
        f'  *) exec {real} "$@" ;;\nesac',
    )  # fmt: skip
    write_program(directory, "tracker", f'exec {real} -m tracker "$@"')
