"""From what a check said and how it ended to named failures, root causes first.

`classify_check` is the whole judgement for one module; `classify_text` is the same for one text of a log.
Nothing is dropped: what no rule knows is `unclassified` and keeps its whole text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from tracker.lean.failures import cascade, fingerprint, lake_rules, process, rules
from tracker.lean.failures.model import Failure, FailureClass, Phase
from tracker.lean.failures.options import in_force, named_options
from tracker.lean.log.plain import plain_messages
from tracker.lean.log.source import DeclarationRange, Position
from tracker.lean.messages import Message, RawLine, cut_text

__all__ = [
    "Failure",
    "FailureClass",
    "Phase",
    "classify_check",
    "classify_ending",
    "classify_message",
    "classify_text",
    "link_causes",
    "sorry_declarations",
]

C = FailureClass
link_causes = cascade.link

_BY_KIND: Mapping[str, FailureClass] = {
    "runtime.maxRecDepth": C.MAX_REC_DEPTH,
    "Tactic.unsolvedGoals": C.TACTIC_FAILED,
    "Elab.synthPlaceholder": C.UNRESOLVED_HOLE,
    "lean.unknownIdentifier._namedError": C.UNKNOWN_NAME,
    "lean.invalidField._namedError": C.UNKNOWN_NAME,
    "lean.synthInstanceFailed._namedError": C.INSTANCE_MISSING,
    "hasSorry": C.WARNING_AS_ERROR,
}
"""For texts that no rule knows: Lean's own tag of the message."""


_LAKEFILES = ("lakefile.lean", "lakefile.toml")


def classify_text(
    text: str,
    *,
    kind: str = "",
    declaration: str | None = None,
    file: str = "",
    pos: Position | None = None,
    options: Mapping[str, str] | None = None,
    all_options: bool = False,
    lake: bool = False,
) -> Failure:
    """Return the failure that one error text is; `lake` tries Lake's, elan's and git's wordings first.

    `options` are those in force there; `all_options` says that no other was set, so that defaults hold.
    """
    judge = _judged if len(text) <= _SHORT else _judged.__wrapped__
    cls, phase, where, named, mark = judge(text, kind, lake=lake, lakefile=file.endswith(_LAKEFILES))
    chosen = {**in_force(cls, where, options or {}, complete=all_options), **dict(named)}
    return Failure(cls, phase, text, where, declaration, file, pos, tuple(sorted(chosen.items())), mark)


_SHORT = 4096
"""Characters of a text whose judgement is kept: in a log of many failures most say the same."""


class _Judgement(NamedTuple):
    """What follows from a text alone: class, phase, what narrows it, options it names, fingerprint."""

    cls: FailureClass
    phase: Phase
    where: str
    options: tuple[tuple[str, str], ...]
    fingerprint: str


@lru_cache(maxsize=2048)
def _judged(text: str, kind: str, *, lake: bool, lakefile: bool) -> _Judgement:
    tables = (
        (lake_rules.rules(), *rules.lean_rules(), lake_rules.shell_rules()) if lake else rules.lean_rules()
    )
    match = rules.first_match(tables, text)
    if lakefile:
        match = rules.Match(C.LAKE_CONFIG, "lake", "file")
    if match is None and lake and (behind := _behind_label(text)):
        match = rules.first_match(tables, behind)
    if match is None:
        cls = _BY_KIND.get(kind, C.WARNING_AS_ERROR if kind.startswith("linter.") else C.UNCLASSIFIED)
        match = rules.Match(cls, "lake" if lake else "elaborator", kind if kind != "[anonymous]" else "")
    mark = fingerprint.fingerprint(match.cls, match.where, text)
    return _Judgement(*match, tuple(named_options(text).items()), mark)


def _behind_label(text: str) -> str:
    """Return what follows the first `error: ` of the first line: some tools put their own words before it."""
    first = text.partition("\n")[0]
    label = re.search(r"\berror(?:\([\w.]+\))?: ", first)
    return text[label.end() :] if label else ""


def classify_message(
    message: Message, options: Mapping[str, str] | None = None, *, all_options: bool = False
) -> Failure:
    """Return the failure that one error message of Lean is."""
    return classify_text(
        message.text,
        kind=message.kind,
        declaration=message.declaration,
        file=message.file,
        pos=message.pos,
        options=options,
        all_options=all_options,
    )


def classify_ending(
    exit_code: int | None = None,
    signal: int | None = None,
    limit: process.StopReason | None = None,
    stderr: str = "",
) -> Failure | None:
    """Return the failure that the end of a process is: a limit, a signal, a telling exit code, or None.

    What `stderr` says of the reason goes before the bare signal; a limit of the driver goes before both.
    """
    end = process.ending(exit_code, signal, limit)
    said = _spoken(stderr)
    if limit is None and said is not None and (end is None or end.cls in (C.CRASH, C.KILLED, said.cls)):
        return said
    if end is None:
        return None
    text = f"{end.text}\n{stderr}".strip() if stderr.strip() else end.text
    return Failure(
        end.cls, end.phase, text, end.where, fingerprint=fingerprint.fingerprint(end.cls, end.where, end.text)
    )


def _spoken(stderr: str) -> Failure | None:
    """Return what a process's stderr says it failed of, or None where it says nothing that is known."""
    if not stderr.strip():
        return None
    failure = classify_text(stderr.strip("\n"), lake=True)
    return None if failure.cls is C.UNCLASSIFIED else failure


def classify_check(
    messages: Iterable[Message | RawLine],
    stderr: str = "",
    exit_code: int | None = None,
    signal: int | None = None,
    limit: process.StopReason | None = None,
    lake: Iterable[str] = (),
    *,
    options: Mapping[str, str] | None = None,
    all_options: bool = False,
    declarations: Sequence[DeclarationRange] = (),
    earlier: Mapping[str, Failure] | None = None,
) -> tuple[Failure, ...]:
    """Return the failures of one module's check, root causes first; empty only where it passed.

    `lake` holds Lake's own error texts about the module. `options` are those given to `lean` from outside;
    `all_options` says that these and those in `declarations` are all, so that defaults hold for others.
    `declarations`, with the `set_option` in force, come from the source scan; `earlier` maps declarations
    and modules that failed before to their failure. An exit code of 0 beside errors is itself reported, and
    a bad exit that nothing explains is `unclassified` with everything that was said.
    """
    messages = list(_all_messages(messages))
    errors = [m for m in messages if isinstance(m, Message) and m.severity == "error"]
    scoped = _Scoped(options or {}, declarations)
    found = [classify_message(m, scoped.at(m), all_options=all_options) for m in errors]
    found += [classify_text(text, lake=True, options=options) for text in lake if _says_something(text)]
    passed = exit_code == 0 and signal is None and limit is None
    end = None if passed else classify_ending(exit_code, signal, limit, stderr)
    if end is not None and not (exit_code == 1 and errors and end.cls in _EXPLAINED):
        found.append(end)
    if passed and errors:
        found.append(_inconsistent(len(errors)))
    found += [] if passed else _cut_off(messages)
    if not found and (exit_code or signal is not None):
        found.append(_unexplained(messages, stderr, exit_code))
    types = {entry.name for entry in declarations if entry.keyword in _TYPES}
    return cascade.link(_distinct(found), earlier or {}, types)


_TYPES = ("inductive", "structure", "class", "coinductive")


def _cut_off(messages: Iterable[Message | RawLine]) -> list[Failure]:
    """Return what a message whose line was cut off tells. Its severity is lost: only known errors count."""
    texts = (cut_text(entry.text) for entry in messages if isinstance(entry, RawLine))
    failures = (classify_text(text) for text in texts if text)
    return [failure for failure in failures if failure.cls is not C.UNCLASSIFIED]


def _all_messages(messages: Iterable[Message | RawLine]) -> Iterator[Message | RawLine]:
    """Yield the messages, with what stands on raw lines in Lean's plain form read as messages too."""
    raw: list[str] = []
    for message in messages:
        if isinstance(message, RawLine):
            raw.append(message.text)
            continue
        if raw:
            yield from plain_messages(raw)
            raw = []
        yield message
    yield from plain_messages(raw)


_EXPLAINED = (C.IO_ERROR, C.UNCLASSIFIED)
"""Classes of stderr text that are usual noise when Lean's own errors already explain exit code 1."""


class _Scoped:
    """Option values by declaration: the command line's, overridden by the file's."""

    def __init__(self, given: Mapping[str, str], declarations: Sequence[DeclarationRange]) -> None:
        self._given = given
        self._local = {entry.name: dict(entry.options) for entry in declarations}

    def at(self, message: Message) -> Mapping[str, str]:
        local = self._local.get(message.declaration or "")
        return {**self._given, **local} if local else self._given


def _says_something(text: str) -> bool:
    """Whether a text of Lake is more than the echo of an exit code, which is judged apart."""
    return bool(text.strip()) and not lake_rules.is_exit_echo(text)


def _distinct(failures: Iterable[Failure]) -> list[Failure]:
    """Return the failures without exact repetitions; Lean prints some errors twice."""
    return list(dict.fromkeys(failures))


def _inconsistent(errors: int) -> Failure:
    text = f"exit code 0, although {errors} error message{'s were' if errors > 1 else ' was'} printed"
    mark = fingerprint.fingerprint(C.INCONSISTENT_EXIT, "", "exit code 0 with errors")
    return Failure(C.INCONSISTENT_EXIT, "runtime", text, fingerprint=mark)


def _unexplained(messages: Iterable[Message | RawLine], stderr: str, exit_code: int | None) -> Failure:
    raw = "\n".join(m.text for m in messages if isinstance(m, RawLine))
    said = "\n".join(part.strip("\n") for part in (raw, stderr) if part.strip())
    text = f"exit code {exit_code}, no error message" + (f"; it said:\n{said}" if said else "")
    mark = fingerprint.fingerprint(C.UNCLASSIFIED, "", said or "silent")
    return Failure(C.UNCLASSIFIED, "runtime", text, fingerprint=mark)


def sorry_declarations(messages: Iterable[Message]) -> tuple[str, ...]:
    """Return the declarations that Lean warned use `sorry`, in order; unattributed ones as `FILE:LINE`.

    Not a failure of the check. A project may silence the warning (`warn.sorry`), so an empty result proves
    nothing; `#print axioms` does.
    """
    names: dict[str, None] = {}
    for message in messages:
        old = "declaration uses" in message.text[:40] and "sorry" in message.text[:60]
        if message.kind == "hasSorry" or old:
            line = message.pos.line if message.pos else 0
            names[message.declaration or f"{message.file}:{line}"] = None
    return tuple(names)
