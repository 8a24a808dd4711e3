"""Driving Lake: one module at a time, with the exact record of the module's own `lean` process."""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from tracker.errors import LeanError
from tracker.lean import wrapper
from tracker.lean.header import join_name, split_name
from tracker.lean.lakelog import LakeLog, read_log
from tracker.lean.process import Limits, Memory, Outcome, Supervisor
from tracker.lean.records import LeanRecord, Records
from tracker.lean.scratch import scratch_directory
from tracker.lean.toolchain import Toolchain

_WHOLE_OUTPUT = 256 * 2**20


@dataclass(frozen=True)
class LakeBuild:
    """One call of `lake build`: how it ended, and the `lean` processes that it ran."""

    outcome: Outcome
    records: tuple[LeanRecord, ...]
    lost: int = 0
    """How many `lean` processes left no record, since the wrapper about them was killed."""

    @cached_property
    def log(self) -> LakeLog:
        """What Lake printed, read."""
        return read_log([self.outcome.stdout, b"\n", self.outcome.stderr])


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

        def heard(_module: str, reading: Memory) -> None:
            if on_memory is not None:
                on_memory(reading)

        return self._build(targets, limits, heard)

    def build_together(
        self,
        modules: Sequence[str],
        each: Limits,
        on_memory: Callable[[str, Memory], None],
        on_record: Callable[[LeanRecord], None],
    ) -> LakeBuild:
        """Run one `lake build` for all the modules, as many at a time as Lake sees fit.

        A `lean` that passes the limits `each` is stopped; the others go on. Readings are heard with their
        module, records as they come. Raises LeanError without a Lake.
        """
        # Each `lean` is held to the limits; Lake itself has none.
        free = Limits(reserve_bytes=0, output_bytes=_WHOLE_OUTPUT)
        return self._build([f"+{module}" for module in modules], free, on_memory, on_record, each)

    def _build(
        self,
        targets: Sequence[str],
        limits: Limits,
        on_memory: Callable[[str, Memory], None],
        on_record: Callable[[LeanRecord], None] | None = None,
        each: Limits | None = None,
    ) -> LakeBuild:
        directory = Path(tempfile.mkdtemp(dir=self._scratch))
        records = Records(directory, self._module_of, on_memory, on_record, each)
        outcome = self._supervisor.run(
            [str(self._toolchain.lake), "build", *targets],
            cwd=self._root,
            extra={
                **self._toolchain.environment,
                "LAKE_OVERRIDE_LEAN": "true",
                "LEAN": str(self._hook),
                "TRACKER_REAL_LEAN": str(self._toolchain.lean),
                "TRACKER_RECORDS": str(directory),
                # A module fetched from a cache was not checked in front of us.
                "LAKE_ARTIFACT_CACHE": "false",
                "LAKE_NO_CACHE": "true",
                **self._extra,
            },
            limits=limits,
            watch=records.active,
            on_memory=records.heard,
        )
        lost = records.finish()
        shutil.rmtree(directory, ignore_errors=True)
        return LakeBuild(outcome, tuple(records.found), lost)

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

        Only files that the build makes anew: `.olean`, `.ilean`, `.trace` and their hashes. Raises LeanError.
        """
        base = self._lib_dir / Path(*split_name(module))
        try:
            for suffix in (".trace", ".olean", ".ilean", ".olean.hash", ".ilean.hash"):
                (base.parent / (base.name + suffix)).unlink(missing_ok=True)
        except OSError as error:
            raise LeanError(
                "BUILD-DIR",
                f"{error.filename}: {error.strerror}",
                "the project's .lake directory must be writable",
            ) from error

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

    def _module_of(self, args: Sequence[str]) -> str | None:
        """Return the module that a call of `lean` checked: from `--setup`, else from `-o`."""
        if "--setup" in args[:-1]:
            setup = self._root / args[args.index("--setup") + 1]
            try:
                name = json.loads(setup.read_text(encoding="utf-8")).get("name")
            except (OSError, ValueError, AttributeError, RecursionError):
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
