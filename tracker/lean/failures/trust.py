"""What a source says that takes the kernel out of the check: then `lean` ends well and proves nothing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from tracker.lean.failures.fingerprint import fingerprint
from tracker.lean.failures.model import Failure, FailureClass
from tracker.lean.log.source import DeclarationRange, Position
from tracker.lean.log.tokens import tokens

SKIP_OPTION = "debug.skipKernelTC"
"""With this option Lean adds declarations without having the kernel check them (measured on 4.35)."""


def kernel_skips(
    source: str, file: str, declarations: list[DeclarationRange] | None = None
) -> Iterator[Failure]:
    """Yield a failure for each place in a module's source that names the option.

    Setting it is not told from naming it: a macro can set what it is only given the name of. The failure
    is that of the declaration it stands in, else of the whole module.
    """
    if SKIP_OPTION.rpartition(".")[2] not in source:
        return
    starts = [0, *(i + 1 for i, c in enumerate(source) if c == "\n")]
    for token in tokens(source):
        if token.kind == "name" and _bare(token.text).endswith(SKIP_OPTION.rpartition(".")[2]):
            line = bisect_right(starts, token.offset)
            pos = Position(line, token.offset - starts[line - 1])
            inside = next((d.name for d in declarations or () if d.start <= pos <= d.end), None)
            yield _failure(f"{SKIP_OPTION} takes the kernel out of the check", inside, file, pos)


def option_skips(configuration: str, file: str) -> Iterator[Failure]:
    """Yield a failure when a lakefile names the option: every module is then under suspicion."""
    if SKIP_OPTION.rpartition(".")[2] in configuration:
        yield _failure(
            f"{file} names {SKIP_OPTION}, which takes the kernel out of the check", None, file, None
        )


def _bare(name: str) -> str:
    return name.replace("«", "").replace("»", "")


def _failure(text: str, declaration: str | None, file: str, pos: Position | None) -> Failure:
    mark = fingerprint(FailureClass.KERNEL_SKIPPED, "", SKIP_OPTION)
    return Failure(
        FailureClass.KERNEL_SKIPPED,
        "kernel",
        text,
        declaration=declaration,
        file=file,
        pos=pos,
        fingerprint=mark,
    )
