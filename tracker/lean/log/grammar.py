"""The grammar of Lake's log in all its generations, as patterns over clean text.

- Lean 4.0 to 4.7: `[n/m] Building MODULE`; failures as `error: > COMMAND`, `error: stdout:` with Lean's own
  text, and `external command 'lean' exited with code N`; lines of parallel jobs interleave.
- Since 4.8 (lean4 PRs 3835, 4127): `ICON [n/m] VERB CAPTION`, the job's log below, a footer at the end.
- Since 2025-08 (PR 9677): the same with `(TIME)` behind the caption and job counts in the last line.
"""

from __future__ import annotations

import re
from collections.abc import Container
from functools import cache
from typing import NamedTuple

LEVELS = ("trace", "info", "warning", "error")
RANK = {level: rank for rank, level in enumerate(LEVELS)}
RANK_OF_BYTE = {ord(level[0]): rank for rank, level in enumerate(LEVELS)}
"""By the first byte of a segment: `trace: `, `info: `, `warning: `, `error: `; nothing else begins so."""
SPINNER = frozenset("⣾⣷⣯⣟⡿⢿⣻⣽")
ICONS = {"✔": 0, "ℹ": 1, "⚠": 2, "✖": 3}
"""The rank of the highest level that a job logged; a clean one may show `trace:` lines when verbose."""
CLEAN = "✔ ".encode()
RANK_OF_ICON = {icon.encode(): rank for icon, rank in ICONS.items()}

_VERBS = "Ran|Running|Replayed|Replaying|Unpacked|Unpacking|Fetched|Fetching|Built|Building|Computing"


_JOB_START = (
    rb"[\x80-\xff]\S{0,20} \[[\d?]|\?+ \[\d|\[[\d?]+/|"
    rb"Some (?:required )?(?:builds|targets) logged failures:|Build (?:completed successfully|summary:)|"
    rb"All targets up-to-date|Nothing to build\.|##\[|::[a-z]"
)
"""How a headline, a last line of Lake's, or a CI runner's line starts. An icon may be mangled by a wrong code
page, hence anything that is not ASCII, or question marks."""
_ENTRY_START = rb"trace: |info: |warning: |error: "
_HEAD = rb" \[\d+/\d+\] (?P<verb>%b) (?P<caption>[^\s]+)(?: \([\d.]+m?s\))?"


@cache
def job_starts() -> re.Pattern[bytes]:
    """Return the pattern of the newline before a line that starts a job, or is another one of Lake's."""
    return re.compile(rb"\n(?=%b)" % _JOB_START)


@cache
def quiet_region() -> re.Pattern[bytes]:
    """Return the pattern of jobs in their common form that ended well, with infos and warnings of their own.

    Its end may lie in the middle of a job, when something else follows there.
    """
    done = rb" \[\d+/\d+\] (?:Built|Ran|Replayed|Fetched|Unpacked) [^\n]+"
    # The first alternative spares most lines the second, which says the same more slowly.
    more = rb"(?:\n(?:(?=[^\x80-\xff?\[SBAN#:tiwe])|(?!%b|%b))[^\n]*)*+" % (_JOB_START, _ENTRY_START)
    clean = rb"\x9c\x94%b(?:\ntrace: [^\n]*)?" % done
    info = rb"\x84\xb9%b(?:\ninfo: (?!\[)[^\n]*%b)*+" % (done, more)
    warned = rb"\x9a\xa0%b(?:\n(?:warning: |info: (?!\[))[^\n]*%b)*+" % (done, more)
    job = rb"\xe2(?:%b|%b|%b)" % (clean, warned, info)
    return re.compile(rb"%b(?:\n%b)*+" % (job, job))


@cache
def next_job() -> re.Pattern[bytes]:
    """Return the pattern of a newline and a headline after it: whatever job came before is complete."""
    icons = rb"\xe2(?:\x9c[\x94\x96]|\x9a\xa0|\x84\xb9)"
    return re.compile(rb"\n%b \[\d+/\d+\] (?:%b) [^\n]" % (icons, _VERBS.encode()))


@cache
def quiet_starts() -> re.Pattern[bytes]:
    """Return the pattern of the newline between the jobs of a quiet region."""
    return re.compile(rb"\n(?=\xe2(?:\x9c\x94|\x9a\xa0|\x84\xb9) \[)")


@cache
def entry_starts() -> re.Pattern[bytes]:
    """Return the pattern of the newline before an entry of a job's log."""
    return re.compile(rb"\n(?=%b)" % _ENTRY_START)


@cache
def headline() -> re.Pattern[str]:
    """Return the pattern of a job's headline: icon, n, m, optional, verb, caption, time, more."""
    return re.compile(
        rf"(?:(?P<icon>\S{{1,7}}) )?\[(?P<n>\d+|\?)/(?P<m>\d+|\?)\](?P<optional> \(Optional\))? "
        rf"(?P<verb>{_VERBS}) (?P<caption>.+?)(?: \((?P<time>[\d.]+m?s)\)| \(\+ (?P<more>\d+) more\))?$"
    )


@cache
def plain_headline() -> re.Pattern[bytes]:
    """Return the pattern of a headline in its common form, to match in full: groups verb, caption."""
    return re.compile(rb"[\x80-\xff]{3}" + _HEAD % _VERBS.encode())


@cache
def counted() -> re.Pattern[bytes]:
    """Return the pattern of the beginning of each entry but commands, and of each headline."""
    return re.compile(rb"\n(?:info: |warning: |error: |\xe2(?:\x9c[\x94\x96]|\x9a\xa0|\x84\xb9) \[)")


def own_path(caption: str) -> str:
    """Return what the messages of a job's own module begin with: `Orchard/Row.lean:`."""
    if ":" in caption or "«" in caption:
        caption = split_caption(caption)[0].replace("«", "").replace("»", "")
    return caption.replace(".", "/") + ".lean:"


@cache
def one_line() -> re.Pattern[bytes]:
    """Return the pattern of entries that end with their line; what follows them is loose.

    Groups: `trace` (commands), `head` (old progress under `lake exe`), `command` (old style), `failed`, and
    `code` (an exit code).
    """
    return re.compile(
        rb"(?P<trace>trace: )|(?P<head>info: \[[\d?]+/[\d?]+\] )|(?P<command>error: > )|"
        rb"error: (?:(?P<failed>build failed)|"
        rb"(?:Lean|external command [`'][^`'\n]*[`']) exited with code (?P<code>-?\d{1,12}))(?=\n|\Z)"
    )


@cache
def last_line() -> re.Pattern[str]:
    """Return the pattern of what Lake prints last: a footer's first line, or a success."""
    return re.compile(
        r"Some (?:required )?(?:builds|targets) logged failures:|Build summary:|"
        r"(?P<success>Build completed successfully(?: \((?P<jobs>\d+) jobs?\))?\.|"
        r"All targets up-to-date \(\d+ jobs?\)\.|Nothing to build\.)"
    )


@cache
def _lean_file() -> re.Pattern[str]:
    return re.compile(r"(?:^|\s)(\S+\.lean)(?=\s|$)")


@cache
def _option() -> re.Pattern[str]:
    return re.compile(r"\s-D\s?(?:weak\.)?([\w.]+)=(\S+)")


@cache
def _facet() -> re.Pattern[str]:
    return re.compile(r"(?P<name>.+?)(?::(?P<facet>[a-z][\w.]*))?\Z")


class PrintedTime(NamedTuple):
    """A time as Lake prints it, and the interval the true time lies in (seconds).

    Lake rounds tenths without carrying: 1.95 s to 1.99 s print as `1.0s`; from 10 s on it prints whole ones.
    """

    seconds: float
    low: float
    high: float


def printed_time(text: str) -> PrintedTime | None:
    """Return the time that `837ms`, `1.4s` or `96s` stands for, or None."""
    number, unit = (text[:-2], "ms") if text.endswith("ms") else (text[:-1], "s")
    try:
        value = float(number)
    except ValueError:
        return None
    if unit == "ms":
        return PrintedTime(value / 1000, value / 1000, (value + 1) / 1000)
    whole = value == int(value)
    return PrintedTime(value, value, value + 1) if whole else PrintedTime(value, value - 0.05, value + 0.05)


def split_caption(caption: str) -> tuple[str, str]:
    """Split `Orchard.Row:c.o` into the target's name and its facet ("" where none is printed)."""
    found = _facet().match(caption)
    return (found["name"], found["facet"] or "") if found else (caption, "")


def command_of(text: str) -> str | None:
    """Return the command line that a `trace: .> …` or an old `error: > …` entry shows, or None."""
    body = text.lstrip(".")
    return body[1:].strip() if body.startswith(">") else None


def command_file(command: str) -> str | None:
    """Return the Lean file that a command line checks."""
    found = _lean_file().search(command)
    return found[1] if found else None


def command_options(command: str) -> dict[str, str]:
    """Return the options given with `-D` on a command line."""
    return {name: value.strip("'\"") for name, value in _option().findall(command)}


def module_of_file(path: str, known: Container[str] = ()) -> str | None:
    """Return the module that a printed path of a Lean file means.

    Of an absolute path the longest ending that is a `known` module; a relative one is taken as it stands.
    """
    parts = [part for part in re.split(r"[/\\]", path.removesuffix(".lean")) if part not in ("", ".")]
    if not path.endswith(".lean") or not parts:
        return None
    for first in range(len(parts)):
        name = _dotted(parts[first:])
        if name in known:
            return name
    absolute = path[:1] in "/\\" or path[1:2] == ":" or parts[0] == ".."
    return None if absolute else _dotted(parts)


def _dotted(parts: list[str]) -> str:
    return ".".join(part if part.isidentifier() else f"«{part}»" for part in parts)
