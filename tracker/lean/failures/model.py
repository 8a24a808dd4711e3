"""The facts about a failure: its class, phase, place, options and a hash that survives renames."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

from tracker.lean.messages import Position

Phase: TypeAlias = Literal["elaborator", "kernel", "runtime", "lake", "environment", "parser"]


class FailureClass(StrEnum):
    """Every class a failure can have; the values are what users read, store and explain."""

    MAX_REC_DEPTH = "max-rec-depth"
    HEARTBEATS = "heartbeats"
    KERNEL_TIMEOUT = "kernel-timeout"
    KERNEL_DEEP_RECURSION = "kernel-deep-recursion"
    KERNEL_MEMORY = "kernel-memory"
    KERNEL_NAT_SIZE = "kernel-nat-size"
    KERNEL_REJECTS = "kernel-rejects"
    KERNEL_SKIPPED = "kernel-skipped"
    STACK_OVERFLOW = "stack-overflow"
    OUT_OF_MEMORY = "out-of-memory"
    KILLED = "killed"
    CRASH = "crash"
    PANIC = "panic"
    WALL_TIMEOUT = "wall-timeout"
    INTERRUPTED = "interrupted"
    UNKNOWN_NAME = "unknown-name"
    TYPE_ERROR = "type-error"
    TACTIC_FAILED = "tactic-failed"
    INSTANCE_MISSING = "instance-missing"
    UNRESOLVED_HOLE = "unresolved-hole"
    TERMINATION = "termination"
    REDECLARED = "redeclared"
    CODEGEN = "codegen"
    GUARD_FAILED = "guard-failed"
    WARNING_AS_ERROR = "warning-as-error"
    TOO_MANY_ERRORS = "too-many-errors"
    PARSE_ERROR = "parse-error"
    BAD_IMPORT = "bad-import"
    IMPORT_CYCLE = "import-cycle"
    OLEAN_MISMATCH = "olean-mismatch"
    LAKE_CONFIG = "lake-config"
    DEPENDENCY_FETCH = "dependency-fetch"
    TOOLCHAIN_MISSING = "toolchain-missing"
    LEAN_USAGE = "lean-usage"
    LIBRARY_LOAD = "library-load"
    THREAD_LIMIT = "thread-limit"
    DISK_FULL = "disk-full"
    IO_ERROR = "io-error"
    EXTERNAL_COMMAND = "external-command"
    INCONSISTENT_EXIT = "inconsistent-exit"
    UNCLASSIFIED = "unclassified"


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure of one check.

    `where` narrows the class: the elaborator part that ran out of heartbeats (`whnf`, `isDefEq`), a signal's
    name, the kind of a rejected import. `options` holds the values named in the message or in force at the
    declaration. `message` is the whole text. `cause` is None for a root; for a cascade it names the root: its
    declaration, else the module that failed, else its fingerprint.
    """

    cls: FailureClass
    phase: Phase
    message: str
    where: str = ""
    declaration: str | None = None
    file: str = ""
    pos: Position | None = None
    options: tuple[tuple[str, str], ...] = ()
    fingerprint: str = ""
    cause: str | None = None

    @property
    def is_root(self) -> bool:
        """Whether nothing else that is known caused it."""
        return self.cause is None

    @property
    def label(self) -> str:
        """The declaration, or else the fingerprint: how a cascade names this failure."""
        return self.declaration or self.fingerprint
