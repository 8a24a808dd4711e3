"""Sessions at a shell: `sessions/*.session` hold files, commands and everything that is printed.

A session file is a list of `=== PATH` blocks, the files of a package, and a last block `=== session` of
commands after `$ ` and what they print. Paths, times and process numbers are made constant; an exit
code other than 0 is shown as `[exit N]`. Run with UPDATE_SESSIONS=1 to write what is printed now.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Project

FOLDER = Path(__file__).parent / "sessions"
SESSIONS = sorted(FOLDER.glob("*.session"))
TIME = re.compile(r"(\[\d+/\d+\] .*) \((?:\d+ms|\d+\.\ds|\d+s)\)")
# Lean adds a directory of its own executable, which is a Python here.
SEARCH_PATH = re.compile(r"(in the search path entries:\n)(?:[/<].*\n)+")


def read(file: Path) -> tuple[dict[str, str], str]:
    """Return the files of the package, and the session."""
    blocks: dict[str, str] = {}
    for block in file.read_text(encoding="utf-8").split("=== ")[1:]:
        name, _, text = block.partition("\n")
        blocks[name.strip()] = text
    return blocks, blocks.pop("session")


def play(project: Project, session: str) -> str:
    """Return the session with what its commands print now."""
    played = []
    for line in session.split("\n"):
        if line.startswith("$ "):
            played += [line, *run(project, line[2:])]
    return "\n".join(played) + "\n"


def run(project: Project, command: str) -> list[str]:
    environment = project.environment({"LEAN_NUM_THREADS": "1"})
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=project.root, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False,
    )  # fmt: skip
    text = done.stdout.decode("utf-8", "backslashreplace")
    text = text.replace(str(project.sysroot.root), "<sysroot>").replace(str(project.root), "<dir>")
    text = SEARCH_PATH.sub(r"\1<search path>\n", text)
    text = TIME.sub(r"\1 (TIME)", text.replace(project.sysroot.githash, "<githash>").replace("\x1b", "^["))
    lines = text.removesuffix("\n").split("\n") if text else []
    return lines if done.returncode == 0 else [*lines, f"[exit {done.returncode}]"]


@pytest.mark.parametrize("file", SESSIONS, ids=lambda file: file.stem)
def test_session(file: Path, make_project: Callable[[dict[str, str]], Project]) -> None:
    files, session = read(file)
    played = play(make_project(files), session)
    if os.environ.get("UPDATE_SESSIONS"):
        text = file.read_text(encoding="utf-8")
        file.write_text(text[: text.index("=== session\n")] + "=== session\n" + played, encoding="utf-8")
    else:
        assert played == session


def test_there_are_sessions() -> None:
    assert len(SESSIONS) > 10
