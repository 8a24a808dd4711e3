"""Checking a module once more, changed or watched, as Lake would have it checked; nothing is kept of it."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tracker.errors import LeanError
from tracker.evidence import Evidence, ModuleCheck
from tracker.lean.failure import Failure, classify_check
from tracker.lean.lake import Lake
from tracker.lean.messages import Message, attribute, declaration_ranges, read_messages
from tracker.lean.process import Limits, Outcome
from tracker.lean.project import Project
from tracker.lean.scratch import scratch_directory
from tracker.run.artifacts import read_source


@dataclass(frozen=True)
class Reading:
    """What Lean said of a text, and how its process ended."""

    messages: tuple[Message, ...]
    failures: tuple[Failure, ...]
    """Root causes first; empty where it passed."""
    outcome: Outcome


def hindrance(evidence: Evidence, project: Project, module: str) -> str | None:
    """Return why a module cannot be checked once more; None where it passed as it is now."""
    check = evidence.check_of(module)
    if check is not None:
        return None if check.passed else f"it fails ({_class(check)}): it must pass first"
    imports = project.closure(module) if module in project.modules else ()
    for name in imports:
        found = evidence.check_of(name)
        if found is not None and not found.passed:
            return f"its import {name} fails ({_class(found)}): that must pass first"
    return "Lean has not checked it as it is now: `tracker run` first"


def _class(check: ModuleCheck) -> str:
    return str(check.failures[0].cls)


class Recheck:
    """One module of a built project. Its imports must be built."""

    def __init__(self, lake: Lake, project: Project, module: str, limits: Limits) -> None:
        """Ask Lake how it calls `lean` on the module. Raises LeanError when it cannot say."""
        self._lake = lake
        self._limits = limits
        self.module: Final = module
        self.source: Final = read_source(project, module)
        self._setup = _setup(lake, project.modules[module].path, limits)
        lib = project.lakefile.lib_of(module)
        config = project.lakefile.config + lib.config if lib else project.lakefile.config
        self._args = (*config.more_lean_args, *config.weak_lean_args)
        self.options: Final = {**_texts(self._setup.get("options")), **_given((*self._args, *lake.lean_args))}
        """The options that Lean gets from outside of the source, as text."""

    def check(self, text: str, extra: Sequence[str] = ()) -> Reading:
        """Return what Lean says of `text` in the module's place, with extra arguments."""
        with scratch_directory() as directory:
            file = directory / "Variant.lean"
            file.write_text(text, encoding="utf-8")
            setup = directory / "setup.json"
            setup.write_text(json.dumps(self._setup), encoding="utf-8")
            args = ["--setup", str(setup), "--json", *self._args, *extra]
            outcome = self._lake.run_lean(file, args, self._limits)
        return read_outcome(text, outcome)


def read_outcome(text: str, outcome: Outcome) -> Reading:
    """Return what a `lean --json` on `text` said, each message with its declaration."""
    ranges = declaration_ranges(text)
    entries = list(read_messages(io.BytesIO(outcome.stdout)))
    messages = attribute([e for e in entries if isinstance(e, Message)], ranges)
    raw = [e for e in entries if not isinstance(e, Message)]
    failures = classify_check(
        [*messages, *raw], outcome.stderr.decode("utf-8", "replace"), outcome.exit_code, outcome.signal,
        outcome.limit, declarations=ranges,
    )  # fmt: skip
    return Reading(tuple(messages), failures, outcome)


def _setup(lake: Lake, path: str, limits: Limits) -> Mapping[str, object]:
    """Return Lake's own description of how the module is checked (`lake setup-file`, for `lean --setup`)."""
    outcome = lake.ask(["setup-file", path], limits)
    try:
        data = json.loads(outcome.stdout)
        if outcome.exit_code == 0 and isinstance(data, dict) and "importArts" in data:
            return data
    except (ValueError, RecursionError):
        pass
    said = (outcome.stderr or outcome.stdout).decode("utf-8", "replace").strip()
    raise LeanError(
        "SETUP-FILE",
        f"`lake setup-file {path}` did not say how the module is checked: {said[:500]}",
        "it needs Lean 4.22 or newer, and imports that are built: `tracker run` first",
    )


def _texts(options: object) -> dict[str, str]:
    """Return Lake's options as Lean's command line would have them."""
    if not isinstance(options, dict):
        return {}
    return {name.removeprefix("weak."): str(value).lower() for name, value in options.items()}


def _given(args: Sequence[str]) -> dict[str, str]:
    """Return the options that `-Dname=value` arguments give."""
    pairs = (a.removeprefix("-D").partition("=") for a in args if a.startswith("-D"))
    return {name.removeprefix("weak."): value for name, _, value in pairs}
