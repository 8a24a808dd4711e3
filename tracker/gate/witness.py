"""A second witness: a command of the user's, such as `lake check`, whose answer is kept as evidence.

The answer is kept beside the store with a hash of everything that it holds for; for other sources, options or
another toolchain it counts as not given.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec

from tracker.errors import StoreError
from tracker.lean.process import Limits, Supervisor
from tracker.workspace import Workspace

FILE_NAME = "witness.json"
_TAIL = 4000


@dataclass(frozen=True)
class Testimony:
    """What a second witness said: seconds since 1970, seconds, and the end of its output."""

    command: tuple[str, ...]
    fingerprint: str
    """Of everything that it holds for: sources, options, toolchain, and the command itself."""
    started_at: float
    wall_s: float
    exit_code: int | None
    """None when it was stopped."""
    output: str

    @property
    def agrees(self) -> bool:
        """Return whether it found nothing wrong."""
        return self.exit_code == 0


def fingerprint_of(fingerprints: Mapping[str, str], command: tuple[str, ...]) -> str:
    """Return the SHA-256 of all modules' fingerprints and the command."""
    return hashlib.sha256(json.dumps([sorted(fingerprints.items()), command]).encode()).hexdigest()


def ask_witness(workspace: Workspace) -> Testimony:
    """Run the configured command in the Lake project and keep what it says; `lake` is the toolchain's.

    Raises LeanError when it cannot be started, StoreError when its answer cannot be kept.
    """
    gate = workspace.settings.gate
    mark = fingerprint_of(workspace.fingerprints, gate.witness)
    words = [str(workspace.toolchain.lake) if word == "lake" else word for word in gate.witness[:1]]
    started = time.time()
    with Supervisor() as supervisor:
        outcome = supervisor.run(
            [*words, *gate.witness[1:]], cwd=Path(workspace.project.root),
            extra=workspace.toolchain.environment, limits=Limits(wall_s=gate.witness_wall_s),
        )  # fmt: skip
    said = (outcome.stdout + outcome.stderr).decode("utf-8", "replace")
    code = None if outcome.signal or outcome.limit else outcome.exit_code
    testimony = Testimony(gate.witness, mark, started, outcome.wall_s, code, said[-_TAIL:])
    _keep(workspace.settings.state / FILE_NAME, testimony)
    return testimony


def _keep(file: Path, testimony: Testimony) -> None:
    row = asdict(testimony)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({**row, "seal": _seal(row)}, ensure_ascii=False), encoding="utf-8")
    except OSError as error:
        raise StoreError("STORE", f"{file}: {error.strerror}", "make it writable") from error


def _seal(row: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()


def read_testimony(workspace: Workspace) -> Testimony | None:
    """Return what the configured witness said of exactly what is there now; None when it did not.

    Raises StoreError when what was kept is damaged or was edited.
    """
    gate = workspace.settings.gate
    file = workspace.settings.state / FILE_NAME
    if not gate.witness or not file.exists():
        return None
    try:
        row = json.loads(file.read_text(encoding="utf-8"))
        seal = row.pop("seal")
        testimony = msgspec.convert(row, Testimony)
    except (
        OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError, msgspec.MsgspecError,
    ) as error:  # fmt: skip
        raise _edited(file) from error
    if seal != _seal(row):
        raise _edited(file)
    return (
        testimony if testimony.fingerprint == fingerprint_of(workspace.fingerprints, gate.witness) else None
    )


def _edited(file: Path) -> StoreError:
    return StoreError(
        "STORE-EDITED", f"{file} is not as it was recorded: it was edited or damaged",
        "remove it and run `tracker gate --witness` again",
    )  # fmt: skip
