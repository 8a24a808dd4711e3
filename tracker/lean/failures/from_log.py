"""The failures that a whole log tells of, by module, with cascades across modules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeAlias

from tracker.lean.failure import classify_check, classify_ending, classify_text, link_causes
from tracker.lean.failures import fingerprint, lake_rules
from tracker.lean.failures.model import Failure, FailureClass
from tracker.lean.lakelog import LakeLog, LogEntry, ModuleLog, command_options, module_of_file
from tracker.lean.log.plain import entry_messages
from tracker.lean.messages import DeclarationRange, Message, RawLine, attribute, declaration_ranges

C = FailureClass
_RUNNER = (C.WALL_TIMEOUT, C.INTERRUPTED)


@dataclass(frozen=True, slots=True)
class LoggedFailure:
    """A failure with the module (or target) it belongs to, "" for none, and its line in the log."""

    module: str
    line: int
    failure: Failure


@dataclass(frozen=True, slots=True)
class LogReport:
    """What a log tells: its failures (roots before their consequences) and what stands against trusting it.

    `doubts` are sentences; a log with any, or with a failure, does not show a success.
    """

    failures: tuple[LoggedFailure, ...]
    doubts: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether the log is whole and tells of no failure."""
        return not self.failures and not self.doubts

    @property
    def unclassified(self) -> tuple[LoggedFailure, ...]:
        """The failures that no rule knows."""
        return tuple(entry for entry in self.failures if entry.failure.cls is C.UNCLASSIFIED)


Sources: TypeAlias = Callable[[str], str | None]
"""Gives the text of a Lean file that a log names, or None. What a log names is a stranger's word."""


def classify_log(log: LakeLog, sources: Sources | None = None) -> LogReport:
    """Return the failures of a log, root causes first within each module.

    With `sources` failures get their declarations, and more of them can be told to follow from others.
    """
    found: list[LoggedFailure] = []
    earlier: dict[str, Failure] = {}
    read = sources or (lambda _: None)
    for module, line, failures in chain(_modules(log, earlier, read), _loose(log, earlier, read)):
        found += [LoggedFailure(module, line, failure) for failure in failures]
        _remember(earlier, module, failures)
    if not log.succeeded:
        found += [LoggedFailure("", entry.line, _unclassified(entry.text)) for entry in log.unrecognised]
    found = _linked_late(found, earlier)
    return LogReport(tuple(found), tuple(_doubts(log, found)))


def _remember(earlier: dict[str, Failure], module: str, failures: Iterable[Failure]) -> None:
    for failure in failures:
        if failure.declaration:
            earlier.setdefault(failure.declaration, failure)
        if module:
            earlier.setdefault(module, failure)


_SOME_IMPORTS = "some modules have bad imports"


def _linked_late(found: list[LoggedFailure], earlier: dict[str, Failure]) -> list[LoggedFailure]:
    """Point at roots that stand further down: Lake lists a bad import before the module that is missing."""
    imports = [e for e in found if e.failure.cls is C.BAD_IMPORT and _SOME_IMPORTS not in e.failure.message]
    result: list[LoggedFailure] = []
    for entry in found:
        failure = entry.failure
        if failure.cls is not C.BAD_IMPORT or not failure.is_root:
            result.append(entry)
            continue
        if entry not in imports:
            first = next((e for e in imports if e.failure.is_root), imports[0] if imports else None)
            cause = (first.failure.cause or first.module or first.failure.label) if first else None
            failure = replace(failure, cause=cause)
        else:
            others = {n: f for n, f in earlier.items() if n != entry.module and f is not failure}
            failure = link_causes([failure], others)[0]
        result.append(replace(entry, failure=failure))
    return result


# modules


def _modules(
    log: LakeLog, earlier: dict[str, Failure], read: Sources
) -> Iterator[tuple[str, int, tuple[Failure, ...]]]:
    for module in log.modules.failed():
        yield module.module, module.line, _module_failures(module, earlier, read)


def _module_failures(module: ModuleLog, earlier: dict[str, Failure], read: Sources) -> tuple[Failure, ...]:
    said: list[Message | RawLine] = []
    stderr: list[str] = []
    lake: list[str] = []
    for entry in module.entries:
        messages = entry_messages(entry.level, entry.text)
        said += messages
        if entry.text.startswith("stderr:\n"):
            stderr.append(entry.text.partition("\n")[2])
        elif entry.level == "error" and not messages:
            lake.append(entry.text)
    placed, declarations = _placed(said, read)
    failures = classify_check(
        placed,
        "\n".join(stderr),
        _spoken_exit(module, lake),
        lake=lake,
        options=command_options(module.command or ""),
        declarations=declarations,
        earlier=earlier,
    )
    reason = "\n".join(stderr).strip("\n")
    if reason:  # the reason of another program's failure stands in its own words
        failures = tuple(
            replace(f, message=f"{f.message}\n{reason}") if f.cls is C.EXTERNAL_COMMAND else f
            for f in failures
        )
    return failures or (_without_reason(module, [m for m in said if isinstance(m, Message)]),)


def _placed(
    said: Iterable[Message | RawLine], read: Sources
) -> tuple[list[Message | RawLine], list[DeclarationRange]]:
    """Return messages with their declarations, and the declarations of the first file they name."""
    said = list(said)
    messages = [m for m in said if isinstance(m, Message)]
    source = next((text for m in messages if (text := read(m.file)) is not None), "")
    declarations = declaration_ranges(source) if source else []
    raw = [line for line in said if isinstance(line, RawLine)]
    return [*attribute(messages, declarations), *raw], declarations


def _spoken_exit(module: ModuleLog, lake: Iterable[str]) -> int | None:
    if module.exit_code is not None:
        return module.exit_code
    return next((code for text in lake if (code := lake_rules.exit_code_in(text)) is not None), None)


def _without_reason(module: ModuleLog, messages: list[Message]) -> Failure:
    """A target called failed without one error: its warnings count as errors, or its log is not here."""
    warnings = [message for message in messages if message.severity == "warning"]
    if warnings and not module.cut:
        first = classify_text(warnings[0].text)
        where = "sorry" if first.cls is C.WARNING_AS_ERROR else ""
        mark = fingerprint.fingerprint(C.WARNING_AS_ERROR, where, warnings[0].text)
        text = "\n".join(message.text for message in warnings)
        place = warnings[0]
        return Failure(C.WARNING_AS_ERROR, "lake", text, where, None, place.file, place.pos, (), mark)
    silent = "failed; what it said is not in this log"
    return _unclassified(f"{module.caption} {silent}", silent)


# everything else


def _loose(
    log: LakeLog, earlier: dict[str, Failure], read: Sources
) -> Iterator[tuple[str, int, tuple[Failure, ...]]]:
    by_file: dict[str, list[LogEntry]] = {}
    for entry in log.loose:
        if entry.message is not None:
            by_file.setdefault(entry.message.file, []).append(entry)
    for file, entries in by_file.items():
        messages = (entry.message for entry in entries if entry.message is not None)
        placed, declarations = _placed(messages, read)
        failures = classify_check(placed, declarations=declarations, earlier=earlier)
        first = next((entry.line for entry in entries if entry.level == "error"), 0)
        yield module_of_file(file) or file, first, failures
    for entry in log.loose:
        if entry.message is None and entry.level == "error":
            ending = classify_ending(lake_rules.exit_code_in(entry.text))
            yield "", entry.line, (ending or classify_text(entry.text, lake=True),)
    if not log.complete:
        for note in log.notes:  # a runner's word is only taken for why a log stops
            failure = classify_text(note.text.partition("]")[2], lake=True)
            if failure.cls in _RUNNER:
                yield "", note.line, (failure,)


def _unclassified(text: str, wording: str | None = None) -> Failure:
    """A failure that no rule knows; `wording` is what its fingerprint is of, if not of the whole text."""
    mark = fingerprint.fingerprint(C.UNCLASSIFIED, "", text if wording is None else wording)
    return Failure(C.UNCLASSIFIED, "lake", text, fingerprint=mark)


def _doubts(log: LakeLog, found: list[LoggedFailure]) -> Iterator[str]:
    if log.kind == "text":
        yield "nothing in it looks like the output of Lake or Lean"
    elif not log.complete:
        running = [module.caption for module in log.modules.troubled() if module.status == "running"]
        last = f"; the last target it names is {running[-1]}" if running else ""
        yield f"the log ends before Lake's last line{last}"
    elif log.kind == "lake" and not found and (log.failed_builds or not log.succeeded):
        yield (
            "it tells of a build that failed, but not of what"
            if log.failed_builds
            else ("it does not end with Lake's words for success")
        )
    left_out = {level: log.omitted.get(level, 0) for level in ("error", "jobs", "unrecognised")}
    for what, count in left_out.items():
        if count:
            yield f"{count} of its {what if what == 'jobs' else what + ' entries'} were too many to keep"
    if log.succeeded and found:
        yield "it ends with Lake's words for success, although it tells of failures"
