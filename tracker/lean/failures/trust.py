"""What a source says that takes the kernel out of the check: then `lean` ends well and proves nothing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from tracker.lean.failures.fingerprint import fingerprint
from tracker.lean.failures.model import Failure, FailureClass
from tracker.lean.log.source import DeclarationRange, Position
from tracker.lean.log.tokens import tokens
from tracker.lean.scan.mask import declares_odd_tokens

SKIP_OPTION = "debug.skipKernelTC"
"""With this option Lean adds declarations without having the kernel check them (measured on 4.35)."""
_SKIP = SKIP_OPTION.rpartition(".")[2]


def kernel_skips(
    source: str,
    file: str,
    declarations: list[DeclarationRange] | None = None,
    imported: Iterable[str] = (),
) -> Iterator[Failure]:
    """Yield a failure for each place in a module's source that names the option.

    Setting it is not told from naming it: a macro can set what it is only given the name of. The failure
    is that of the declaration it stands in, else of the whole module. Where the source, or one of the
    `imported` ones, declares tokens by which Lean may read what looks like a comment or a text, any mention
    counts.
    """
    if _SKIP not in source:
        return
    if any(map(declares_odd_tokens, (source, *imported))):
        text = f"{SKIP_OPTION} is mentioned, and there are tokens by which that may be no comment"
        yield _failure(text, None, file, None)
        return
    starts = [0, *(i + 1 for i, c in enumerate(source) if c == "\n")]
    for token in tokens(source):
        if token.kind == "name" and _bare(token.text).endswith(_SKIP):
            line = bisect_right(starts, token.offset)
            pos = Position(line, token.offset - starts[line - 1])
            inside = next((d.name for d in declarations or () if d.start <= pos <= d.end), None)
            yield _failure(f"{SKIP_OPTION} takes the kernel out of the check", inside, file, pos)


def option_skips(configuration: str, file: str) -> Iterator[Failure]:
    """Yield a failure when a lakefile names the option: every module is then under suspicion."""
    if _SKIP in configuration:
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
