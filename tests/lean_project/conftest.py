"""The Lean project, built once by the embedded toolchain, and checks of single files against it.

The build stands in pytest's cache directory: a second run builds only what has changed.
"""

from __future__ import annotations

import io
import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from filelock import FileLock

from tracker.embedded.sysroot import Sysroot, ensure
from tracker.lean.header import parse_header
from tracker.lean.messages import Message, RawLine, attribute, declaration_ranges, read_messages

SOURCES = Path(__file__).parents[2] / "lean"
OPTIONS = ("-DautoImplicit=false",)  # as in lean/lakefile.toml


def module_path(module: str, suffix: str) -> str:
    return module.replace(".", "/") + suffix


def environment(sysroot: Sysroot, **more: str) -> dict[str, str]:
    """The environment of a shell, without what Lean and Lake would take from it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LEAN", "LAKE"))}
    return {
        **kept,
        "PATH": f"{sysroot.root}/bin{os.pathsep}{os.environ['PATH']}",
        "LC_ALL": "C.UTF-8",
        **more,
    }


@dataclass(frozen=True)
class Checked:
    """What Lean said of one file."""

    exit_code: int
    messages: tuple[Message | RawLine, ...]
    stderr: str
    source: str = field(repr=False)

    @property
    def errors(self) -> list[Message]:
        """The errors, each with the declaration that it is about."""
        said = [m for m in self.messages if isinstance(m, Message) and m.severity == "error"]
        return attribute(said, declaration_ranges(self.source))


@dataclass(frozen=True)
class Built:
    """The sources of the project, and the directory of their compiled modules."""

    root: Path
    sysroot: Sysroot
    log: str

    @property
    def lib(self) -> Path:
        return self.root / ".lake/build/lib/lean"

    def source(self, module: str) -> str:
        return (self.root / module_path(module, ".lean")).read_text(encoding="utf-8")

    def imports(self, module: str) -> set[str]:
        """The modules of this project that `module` imports, itself included, transitively."""
        seen: set[str] = set()
        todo = [module]
        while todo:
            name = todo.pop()
            if name in seen or not (self.root / module_path(name, ".lean")).exists():
                continue
            seen.add(name)
            todo += parse_header(self.source(name)).modules
        return seen

    def check(self, file: Path, lib: Path | None = None, olean: Path | None = None, *more: str) -> Checked:
        """Check one file against the compiled modules in `lib`, by default the project's own.

        With `olean`, it is compiled to there; then it stands below the directory that holds `lib`.
        `more` are further options of Lean.
        """
        out = () if olean is None else ("-R", str(lib and lib.parent), "-o", str(olean))
        done = subprocess.run(
            [self.sysroot.lean, "--json", *OPTIONS, *more, *out, file],
            env=environment(self.sysroot, LEAN_PATH=str(lib or self.lib)),
            capture_output=True, timeout=120, check=False,
        )  # fmt: skip
        messages = tuple(read_messages(io.BytesIO(done.stdout)))
        return Checked(
            done.returncode, messages, done.stderr.decode("utf-8", "replace"), file.read_text("utf-8")
        )

    def overlay(self, lib: Path, changed: Iterable[str]) -> None:
        """Fill `lib` with links to the compiled modules, except those that are to be compiled anew."""
        left_out = {module_path(module, ".olean") for module in changed}
        for olean in self.lib.rglob("*.olean"):
            name = olean.relative_to(self.lib).as_posix()
            link = lib / name
            link.parent.mkdir(parents=True, exist_ok=True)
            if name not in left_out:
                link.symlink_to(olean)


def copy_sources(root: Path) -> None:
    """Make `root` hold the files of the project, and touch none that is up to date."""
    wanted = {
        file.relative_to(SOURCES): file.read_bytes()
        for file in SOURCES.rglob("*")
        if file.is_file() and ".lake" not in file.parts
    }
    for file in list(root.rglob("*.lean")):
        if ".lake" not in file.parts and file.relative_to(root) not in wanted:
            file.unlink()
    for name, content in wanted.items():
        target = root / name
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


@pytest.fixture(scope="session")
def built(pytestconfig: pytest.Config) -> Built:
    """The project, built from its sources as they are now."""
    sysroot = ensure()
    root = Path(pytestconfig.cache.mkdir("lean-project")) / sysroot.root.name
    root.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{root}.lock"):
        copy_sources(root)
        done = subprocess.run(
            [sysroot.lake, "build"], cwd=root, env=environment(sysroot), capture_output=True, text=True,
            timeout=570, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return Built(root, sysroot, done.stdout + done.stderr)
