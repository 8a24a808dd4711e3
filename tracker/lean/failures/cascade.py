"""Which failures follow from which: a cascade points at its root, and roots are listed first."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from tracker.lean.failures.model import Failure, FailureClass

C = FailureClass


@cache
def _named() -> re.Pattern[str]:
    """The name that could not be found, in the wordings of all releases."""
    return re.compile(
        r"\A(?:\(kernel\) )?(?:[Uu]nknown (?:identifier|constant|declaration) |"
        r"[Ii]nvalid field [^\n]*?does not contain )[`'‘\"](?P<name>[^`’\"\n]+?)[`'’\"](?:,|\.|\s|\Z)"
    )


@cache
def _missing_module() -> re.Pattern[str]:
    return re.compile(
        r"of module (?P<a>\S+) does not exist|bad import [`'](?P<b>[^'`\n]+)[`']|"
        r"failed to read file '[^'\n]*?(?P<c>[^/\\'\n]+)\.olean|unknown module prefix '(?P<d>[^'\n]+)'"
    )


def unknown_name(message: str) -> str | None:
    """Return the constant or identifier that a message says does not exist."""
    found = _named().match(message)
    return found["name"] if found else None


# What Lean makes beside a declaration, and what is therefore missing with it.
_GENERATED = frozenset(
    [
        "mk",
        "rec",
        "recOn",
        "casesOn",
        "brecOn",
        "below",
        "noConfusion",
        "injEq",
        "eq_def",
        "eq_1",
        "induct",
        "ext",
    ]
)


def same_name(full: str, written: str) -> bool:
    """Whether `written` can mean the declaration `full`: equal, or without some leading namespaces.

    A part that Lean generates (`full.mk`, `full.rec`) counts as the declaration itself.
    """
    full = _without_private(full)
    written = _without_private(written)
    owner, _, last = written.rpartition(".")
    if owner and last in _GENERATED and not full.endswith("." + last):
        written = owner
    return full == written or full.endswith("." + written)


def _without_private(name: str) -> str:
    """Return the name as written: the kernel spells `private` ones `_private.Module.0.name`."""
    if name.startswith("_private."):
        head, _, rest = name.partition(".0.")
        return rest or head
    return name


def link(
    failures: Sequence[Failure], earlier: Mapping[str, Failure], types: Collection[str] = ()
) -> tuple[Failure, ...]:
    """Return the failures of one check with `cause` set where one is known, roots first, else in order.

    `earlier` maps declarations and modules that failed in imported modules to their failure. `types` names
    the declarations whose constructors and fields are missing with them.
    """
    linked: list[Failure] = []
    header = next((f for f in failures if _breaks_header(f)), None)
    for failure in failures:
        cause = failure.cause or _cause(failure, linked, header, earlier, types)
        linked.append(replace(failure, cause=cause) if cause else failure)
    return tuple(sorted(linked, key=lambda f: f.cause is not None))


def _breaks_header(failure: Failure) -> bool:
    """Whether the file's imports could not be loaded: nothing that Lean says after it means anything."""
    imports = failure.cls in (C.BAD_IMPORT, C.OLEAN_MISMATCH)
    return imports and failure.pos is not None and failure.pos <= (1, 0)


def _cause(
    failure: Failure,
    before: Sequence[Failure],
    header: Failure | None,
    earlier: Mapping[str, Failure],
    types: Collection[str],
) -> str | None:
    if header is not None and failure is not header and failure.file == header.file:
        return header.label
    name = unknown_name(failure.message)
    if name and (found := _declared(name, failure, before, earlier, types)):
        return found.cause or found.label
    imports = failure.cls in (C.BAD_IMPORT, C.OLEAN_MISMATCH)
    if imports and (missing := _missing_module().search(failure.message)):
        module = missing["a"] or missing["b"] or missing["c"] or missing["d"]
        if module in earlier:
            return earlier[module].cause or earlier[module].declaration or module
    return _within(failure, before)


def _declared(
    name: str,
    failure: Failure,
    before: Iterable[Failure],
    earlier: Mapping[str, Failure],
    types: Collection[str],
) -> Failure | None:
    owner = name.rpartition(".")[0]
    for other in before:
        declared = other.declaration
        if declared and declared != failure.declaration:
            part_of = owner and declared in types and same_name(declared, owner)
            if part_of or same_name(declared, name):
                return other
    if name in earlier:
        return earlier[name]
    return next((f for declared, f in earlier.items() if same_name(declared, name)), None)


def _within(failure: Failure, before: Sequence[Failure]) -> str | None:
    """Return the earlier failure of the same declaration that explains this one."""
    if failure.cls is C.TOO_MANY_ERRORS:
        return before[0].label if before else None
    if failure.declaration is None or not _secondary(failure):
        return None
    for other in before:
        same = other.declaration == failure.declaration and other.file == failure.file
        if same and other.phase in ("elaborator", "parser"):
            return other.cause or other.fingerprint
    return None


def _secondary(failure: Failure) -> bool:
    """Whether a failure of this kind is what an elaboration error leaves behind in its declaration."""
    if failure.cls is C.KERNEL_REJECTS:
        return True
    return failure.message.startswith("linter ") and " failed: " in failure.message[:200]
