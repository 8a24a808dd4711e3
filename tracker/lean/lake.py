"""Driving Lake: one module at a time, with the exact record of the module's own `lean` process."""

from __future__ import annotations

import ast
import json
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tracker.lean import wrapper
from tracker.lean.header import join_name, split_name
from tracker.lean.process import Limits, Memory, Outcome, Supervisor
from tracker.lean.scratch import scratch_directory
from tracker.lean.toolchain import Toolchain

_KEPT_OUTPUT = 64 * 2**20


@dataclass(frozen=True)
class LeanRecord:
    """What one `lean` process did, as the wrapper recorded it. `stdout` holds Lean's JSON messages."""

    module: str
    started_at: float
    wall_s: float
    user_s: float
    system_s: float
    peak_rss_bytes: int
    minor_faults: int
    major_faults: int
    exit_code: int | None
    signal: int | None
    stdout: bytes
    stderr: bytes
    curve: tuple[Memory, ...]
    instructions: int | None = None


@dataclass(frozen=True)
class LakeBuild:
    """One call of `lake build`: how it ended, and the `lean` processes that it ran."""

    outcome: Outcome
    records: tuple[LeanRecord, ...]
    lost: int = 0
    """How many `lean` processes left no record, since the wrapper about them was killed."""


class Lake:
    """Lake for one project under one supervisor. Use as a context manager: it owns a scratch directory."""

    def __init__(
        self,
        toolchain: Toolchain,
        root: Path,
        lib_dir: Path,
        supervisor: Supervisor,
        *,
        count_instructions: bool = False,
    ) -> None:
        self._extra = {"TRACKER_INSTRUCTIONS": "1"} if count_instructions else {}
        self._toolchain = toolchain
        self._root = root
        self._lib_dir = lib_dir
        self._supervisor = supervisor
        self._stack = ExitStack()
        self._scratch = self._stack.enter_context(scratch_directory())
        self._hook = self._write_hook()

    def __enter__(self) -> Lake:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """Provide a directory for files that Lean is to read; it goes with this Lake, however that ends."""
        with tempfile.TemporaryDirectory(dir=self._scratch) as directory:
            yield Path(directory)

    def stop(self) -> None:
        """End every build at work, and start no other."""
        self._supervisor.stop()

    def build(
        self,
        targets: Sequence[str],
        limits: Limits,
        on_memory: Callable[[Memory], None] | None = None,
    ) -> LakeBuild:
        """Run `lake build TARGETS` under the limits and return its outcome with one record per `lean`.

        `on_memory` hears each reading of the `lean` processes at work. Raises LeanError without a Lake.
        """
        records = Path(tempfile.mkdtemp(dir=self._scratch))
        curves: dict[int, list[Memory]] = {}

        def heard(pid: int, reading: Memory) -> None:
            curves.setdefault(pid, []).append(reading)
            if on_memory is not None:
                on_memory(reading)

        outcome = self._supervisor.run(
            [str(self._toolchain.lake), "build", *targets],
            cwd=self._root,
            extra={
                **self._toolchain.environment,
                "LAKE_OVERRIDE_LEAN": "true",
                "LEAN": str(self._hook),
                "TRACKER_REAL_LEAN": str(self._toolchain.lean),
                "TRACKER_RECORDS": str(records),
                # A module fetched from a cache was not checked in front of us.
                "LAKE_ARTIFACT_CACHE": "false",
                "LAKE_NO_CACHE": "true",
                **self._extra,
            },
            limits=limits,
            watch=lambda: _active(records),
            on_memory=heard,
        )
        found = tuple(self._read_records(records, curves))
        lost = len(list(records.glob("*.out"))) - len(list(records.glob("*.record")))
        shutil.rmtree(records, ignore_errors=True)
        return LakeBuild(outcome, found, lost)

    def settle(self, modules: Sequence[str], limits: Limits) -> LakeBuild:
        """Have Lake make its configuration and bring the modules up to date. Raises LeanError without a Lake.

        Without a wall limit: that is for one module, and they may be many.
        """
        if modules:
            return self.build([f"+{module}" for module in modules], replace(limits, wall_s=None))
        return LakeBuild(self.ask(["env", "true"], limits), ())

    def run_lean(self, file: Path, args: Sequence[str], limits: Limits) -> Outcome:
        """Run `lake env lean ARGS FILE` in the project: how a file of ours sees the project's modules."""
        lean = [str(self._toolchain.lean), *self._toolchain.lean_args, *args, str(file)]
        return self.ask(["env", *lean], limits)

    def ask(self, args: Sequence[str], limits: Limits) -> Outcome:
        """Run `lake ARGS` in the project: for what Lake answers without a build of ours."""
        return self._supervisor.run(
            [str(self._toolchain.lake), *args],
            cwd=self._root,
            extra=self._toolchain.environment,
            limits=limits,
        )

    @property
    def lean_args(self) -> tuple[str, ...]:
        """The options that the toolchain's entry adds to every call of `lean`."""
        return self._toolchain.lean_args

    def set_aside(self, module: str) -> None:
        """Remove what Lake has built of a module, so that the next build runs Lean on it.

        Only files that the build makes anew: `.olean`, `.ilean`, `.trace` and their hashes. Raises OSError.
        """
        base = self._lib_dir / Path(*split_name(module))
        for suffix in (".trace", ".olean", ".ilean", ".olean.hash", ".ilean.hash"):
            (base.parent / (base.name + suffix)).unlink(missing_ok=True)

    def _write_hook(self) -> Path:
        """Write the `lean` that Lake is told to run: the wrapper under this interpreter."""
        hook = self._scratch / "lean"
        added = "".join(f" {_quoted(arg)}" for arg in self._toolchain.lean_args)
        hook.write_text(
            f'#!/bin/sh\nexec {_quoted(sys.executable)} -I -S {_quoted(wrapper.__file__)} "$@"{added}\n',
            encoding="utf-8",
        )
        hook.chmod(hook.stat().st_mode | stat.S_IXUSR)
        return hook

    def _read_records(self, records: Path, curves: dict[int, list[Memory]]) -> Iterator[LeanRecord]:
        for file in sorted(records.glob("*.record"), key=lambda path: path.stat().st_mtime_ns):
            data: dict[str, Any] = ast.literal_eval(
                file.read_text(encoding="utf-8", errors="surrogateescape")
            )
            module = self._module_of(data.pop("args"))
            curve = tuple(curves.get(data.pop("pid"), ()))
            if module is not None:
                stdout, stderr = (_head(file.with_suffix(end)) for end in (".out", ".err"))
                yield LeanRecord(module=module, stdout=stdout, stderr=stderr, curve=curve, **data)

    def _module_of(self, args: Sequence[str]) -> str | None:
        """Return the module that a call of `lean` checked: from `--setup`, else from `-o`."""
        if "--setup" in args[:-1]:
            setup = self._root / args[args.index("--setup") + 1]
            try:
                name = json.loads(setup.read_text(encoding="utf-8")).get("name")
            except (OSError, ValueError, AttributeError):
                name = None
            if isinstance(name, str):
                return name
        target = Path(os.path.abspath(self._root / args[args.index("-o") + 1]))
        try:
            return join_name(target.relative_to(self._lib_dir).with_suffix("").parts)
        except ValueError:
            return None  # a package's module, not the project's


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _active(records: Path) -> list[int]:
    """Return the process ids of the `lean` processes at work."""
    pids = []
    for entry in os.scandir(records):
        if entry.name.endswith(".active"):
            try:
                pids.append(int(Path(entry.path).read_text(encoding="ascii")))
            except (OSError, ValueError):
                continue  # just ended, or just being written
    return pids


def _head(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(_KEPT_OUTPUT)
