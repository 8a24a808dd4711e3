"""`tracker classify`: what went wrong in any log of Lake or Lean."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import click

from tracker.cli.options import print_json
from tracker.errors import UsageError
from tracker.lean.failures.explain import Explanation, explanations
from tracker.lean.failures.from_log import LoggedFailure, LogReport, classify_log
from tracker.lean.lakelog import LakeLog, read_log, read_trace
from tracker.units import show_count

_SHOWN_LINES = 12
_SHOWN_PLACES = 20


def failure_table() -> Mapping[str, Explanation]:
    """Return the failure classes with their explanations, for `tracker explain`."""
    return explanations()


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--json", "as_json", is_flag=True, help="Print JSON (with schema_version).")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    help="How to print it (default: text).",
)
@click.option(
    "--project",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The Lake project that was built: its sources tell the declarations.",
)
@click.option("--whole", is_flag=True, help="Print whole messages, however long.")  # fmt: skip
def classify(file: str, as_json: bool, form: str, project: Path | None, whole: bool) -> int:
    """Name what went wrong in FILE, a log of Lake or Lean; `-` reads standard input.

    It may be the output of `lake build` of any release, live or stored by a CI service (time stamps, ANSI,
    CRLF), of `lean` with or without --json, or a `.trace` file. Failures are grouped by root cause, each with
    its place and with what others found to help.

    Exit code 0 when the log is whole and tells of no failure, 1 when it tells of one, or is cut short,
    2 when it cannot be read.

    \b
    tracker classify build.log
    lake build 2>&1 | tracker classify -
    gh run view --log-failed | tracker classify - --format markdown
    tracker classify build.log --project lean
    """
    log = _read(file)
    report = classify_log(log, _sources(project) if project else None)
    if as_json or form == "json":
        print_json(_as_json(file, log, report))
    else:
        lines = _markdown(log, report, whole) if form == "markdown" else _text(log, report, whole)
        for line in lines:
            click.echo(_plain(line))
    return 0 if report.passed else 1


def _sources(project: Path) -> Callable[[str], str | None]:
    """Return what reads the Lean files of a project by the paths that a log names, and nothing outside it."""
    root = project.resolve()

    @cache
    def read(named: str) -> str | None:
        parts = [part for part in named.replace("\\", "/").split("/") if part not in ("", ".")]
        for first in range(len(parts)):
            path = root.joinpath(*parts[first:])
            if named.endswith(".lean") and path.is_file() and path.resolve().is_relative_to(root):
                return path.read_text(encoding="utf-8", errors="replace")
        return None

    return read


def _read(file: str) -> LakeLog:
    if file == "-":
        return read_log(sys.stdin.buffer)
    try:
        with Path(file).open("rb") as stream:
            return _trace(file, stream) or read_log(stream)
    except OSError as error:
        raise UsageError(
            "unreadable-log",
            f"{file} cannot be read: {error.strerror or error}",
            "name a file, or `-` for standard input",
        ) from error


def _trace(file: str, stream: BinaryIO) -> LakeLog | None:
    """Return the log in one of Lake's stored files; for others None, with the stream at its beginning."""
    if not file.endswith((".trace", ".log.json")):
        return None
    log = read_trace(stream.read())
    stream.seek(0)
    return log


def _plain(text: str) -> str:
    """Return text of a log without characters that could steer a terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


def _place(entry: LoggedFailure) -> str:
    failure = entry.failure
    where = f"{failure.file}:{failure.pos.line}:{failure.pos.column + 1}" if failure.pos else ""
    return where or entry.module or f"line {entry.line} of the log"


Group = list[LoggedFailure]


def _groups(report: LogReport) -> list[Group]:
    """Return the root causes, those that failed in the same way together, the most numerous first."""
    groups: dict[tuple[str, str], Group] = {}
    for entry in report.failures:
        if entry.failure.is_root:
            key = (entry.failure.cls, entry.failure.fingerprint)
            groups.setdefault(key, []).append(entry)
    return sorted(groups.values(), key=len, reverse=True)


def _consequences(group: Group, report: LogReport) -> Group:
    labels = {
        name for e in group for name in (e.failure.declaration, e.failure.fingerprint, e.module) if name
    }
    return [entry for entry in report.failures if entry.failure.cause in labels]


def _text(log: LakeLog, report: LogReport, whole: bool) -> Iterator[str]:
    for group in _groups(report):
        yield from _group_text(group, report, whole)
        yield ""
    yield _summary(log, report)
    for doubt in report.doubts:
        yield f"note: {doubt}"
    if log.succeeded and log.unrecognised:
        lines = show_count(len(log.unrecognised), "line looks like an error", "lines look like errors")
        yield f"note: Lake ended well, yet {lines} (--json shows them)"


def _group_text(group: Group, report: LogReport, whole: bool) -> Iterator[str]:
    failure = group[0].failure
    where = f" ({failure.where})" if failure.where else ""
    many = f", {len(group)} times" if len(group) > 1 else ""
    yield f"{failure.cls}{where}: {explanations()[failure.cls].title}{many}"
    alike = len({_first_line(entry) for entry in group}) == 1
    yield from (f"  {line}" for line in _places(group, show_text=not alike))
    for told in group[:1] if alike else group * whole:
        yield from (f"    {line}" for line in _message(told.failure.message, whole))
    if failure.options:
        yield f"  options: {', '.join(f'{name} = {value}' for name, value in failure.options)}"
    if caused := _consequences(group, report):
        yield f"  {_more(len(caused), 'it')}:"
        yield from (f"    {line}" for line in _places(caused, show_class=True))
    entry = explanations()[failure.cls]
    yield f"  others found: {entry.others}"
    yield f"  (sources: {entry.source}; `tracker explain {failure.cls}` says more)"


def _first_line(entry: LoggedFailure) -> str:
    return entry.failure.message.strip("\n").partition("\n")[0][:200]


def _places(group: Group, *, show_class: bool = False, show_text: bool = False) -> Iterator[str]:
    for entry in group[:_SHOWN_PLACES]:
        name = f"  {entry.failure.declaration}" if entry.failure.declaration else ""
        cls = f"  {entry.failure.cls}" if show_class else ""
        text = f"  {_first_line(entry)}" if show_text else ""
        yield f"{_place(entry)}{name}{cls}{text}"
    if len(group) > _SHOWN_PLACES:
        yield f"and {len(group) - _SHOWN_PLACES} more"


def _message(text: str, whole: bool) -> list[str]:
    lines = text.strip("\n").split("\n")
    if whole or len(lines) <= _SHOWN_LINES:
        return lines if whole else [line[:2000] for line in lines]
    rest = show_count(len(lines) - _SHOWN_LINES, "more line")
    return [*(line[:2000] for line in lines[:_SHOWN_LINES]), f"({rest})"]


def _more(count: int, cause: str) -> str:
    return f"{show_count(count, 'more follows', 'more follow')} from {cause}"


def _summary(log: LakeLog, report: LogReport) -> str:
    roots = [entry for entry in report.failures if entry.failure.is_root]
    modules = len({entry.module for entry in report.failures if entry.module})
    if not report.failures:
        return (
            "no failure found" if report.passed else "no failure found, but the log does not show a success"
        )
    classes = ", ".join(
        f"{count} {cls}" for cls, count in Counter(e.failure.cls for e in roots).most_common()
    )
    follow = len(report.failures) - len(roots)
    tail = f"; {_more(follow, 'them')}" if follow else ""
    whole = "the log is whole" if log.complete else "the log is cut short"
    causes = show_count(len(roots), "root cause")
    places = f" in {show_count(modules, 'module')}" if modules else ""
    return f"{causes}{places} ({classes}){tail}; {whole}"


def _markdown(log: LakeLog, report: LogReport, whole: bool) -> Iterator[str]:
    yield f"**{_summary(log, report)}**"
    yield from (f"- {doubt}" for doubt in report.doubts)
    for group in _groups(report):
        failure = group[0].failure
        where = f" ({failure.where})" if failure.where else ""
        yield f"\n### `{failure.cls}`{where}: {explanations()[failure.cls].title}\n"
        alike = len({_first_line(entry) for entry in group}) == 1
        yield from (f"- `{line.replace('`', chr(39))}`" for line in _places(group, show_text=not alike))
        message = "\n".join(_message(failure.message, whole))
        fence = "`" * max(3, max((len(run) for run in _ticks(message)), default=0) + 1)
        yield f"\n{fence}text\n{message}\n{fence}\n"
        if caused := _consequences(group, report):
            yield f"{_more(len(caused), 'it')}.\n"
        yield f"Others found: {explanations()[failure.cls].others}"


def _ticks(text: str) -> Iterator[str]:
    """Yield the runs of backticks in a text, so that a fence can be longer."""
    run = ""
    for char in text + " ":
        if char == "`":
            run += char
        elif run:
            yield run
            run = ""


def _as_json(file: str, log: LakeLog, report: LogReport) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "file": file,
        "kind": log.kind,
        "lines": log.lines,
        "complete": log.complete,
        "succeeded": log.succeeded,
        "passed": report.passed,
        "doubts": list(report.doubts),
        "entries": log.counts(),
        "omitted": dict(log.omitted),
        "unclassified": len(report.unclassified),
        "failures": [_failure_json(entry) for entry in report.failures],
        "unrecognised": [{"line": entry.line, "text": entry.text} for entry in log.unrecognised],
    }


def _failure_json(entry: LoggedFailure) -> dict[str, Any]:
    failure = entry.failure
    return {
        "class": failure.cls,
        "phase": failure.phase,
        "where": failure.where,
        "module": entry.module,
        "declaration": failure.declaration,
        "file": failure.file,
        "line": failure.pos.line if failure.pos else None,
        "column": failure.pos.column if failure.pos else None,
        "log_line": entry.line,
        "options": dict(failure.options),
        "fingerprint": failure.fingerprint,
        "cause": failure.cause,
        "message": failure.message,
    }
