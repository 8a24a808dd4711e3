"""`tracker explain CODE`: what a code means, why it matters, what to do.

Tables of codes are passed in, each loaded when it is first asked for; see `make_explain`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import click

from tracker.catalogue.codes import explanations
from tracker.catalogue.suggest import did_you_mean
from tracker.cli.options import json_option, print_json
from tracker.errors import UsageError


class Explained(Protocol):
    """One explained code."""

    @property
    def title(self) -> str:
        """What the code is, in one line."""

    def text(self) -> str:
        """Return the whole explanation as plain text."""


@dataclass(frozen=True)
class CodeTable:
    """A set of codes under one heading; `load` returns them, by code, in the order to be listed."""

    name: str
    load: Callable[[], Mapping[str, Explained]]


CATALOGUE_CODES = CodeTable("catalogue", explanations)
"""The codes of `tracker check`."""


def _failure_classes() -> Mapping[str, Explained]:
    from tracker.lean.failures.explain import explanations as failure_classes

    return failure_classes()


FAILURE_CLASSES = CodeTable("failures", _failure_classes)
"""How a check by Lean can fail: `failed:CLASS`."""


def _gate_rules() -> Mapping[str, Explained]:
    from tracker.gate.explain import explanations as gate_rules

    return gate_rules()


GATE_RULES = CodeTable("gate", _gate_rules)
"""The rules of `tracker gate`."""


def _states() -> Mapping[str, Explained]:
    from tracker.explanations import states

    return states()


STATES = CodeTable("states", _states)
"""What `tracker status` says of an obligation."""


def _edge_findings() -> Mapping[str, Explained]:
    from tracker.explanations import edge_findings

    return edge_findings()


EDGE_FINDINGS = CodeTable("edges", _edge_findings)
"""What `tracker edges` finds."""


def _errors() -> Mapping[str, Explained]:
    from tracker.explanations import errors

    return errors()


ERRORS = CodeTable("errors", _errors)
"""What ends a command: `error[CODE]`."""


def make_explain(tables: Sequence[CodeTable]) -> click.Command:
    """Return the command that explains the codes of `tables`."""

    @click.command()
    @click.argument("code", required=False)
    @json_option
    def explain(code: str | None, as_json: bool) -> int:
        """Explain the CODE of an error, failure, finding, rule or state; without one, list all codes.

        Exit code 0; 2 when the code is unknown.

        \b
        tracker explain
        tracker explain unknown-dependency
        tracker explain blocked
        tracker explain 'error[cycle]'
        """
        loaded = {table.name: table.load() for table in tables}
        found = _all(loaded) if code is None else _find(code, loaded)
        if as_json:
            print_json(_as_json(found))
        elif code is None:
            _echo_list(loaded)
        else:
            click.echo("\n\n".join(entry.text() for _, _, entry in found))
        return 0

    return explain


Found = list[tuple[str, str, Explained]]


def _all(loaded: Mapping[str, Mapping[str, Explained]]) -> Found:
    return [(name, code, entry) for name, table in loaded.items() for code, entry in table.items()]


def _find(code: str, loaded: Mapping[str, Mapping[str, Explained]]) -> Found:
    """Return the code in every table that has it, written bare, as `error[CODE]` or as `failed:CODE`.

    Capitals do not matter, nor whether `over budget` has a space or a hyphen.
    """
    bracketed = re.fullmatch(r"\w*\[(.+)\]:?", code.strip())
    wanted = _key(bracketed[1] if bracketed else code.strip().removeprefix("failed:"))
    every = _all(loaded)
    found = [hit for hit in every if _key(hit[1]) == wanted]
    if not found:
        hint = did_you_mean(wanted, [hit[1] for hit in every]) or "`tracker explain` lists all"
        raise UsageError("unknown-code", f"there is no code `{code}`", hint)
    return found


def _key(code: str) -> str:
    return code.casefold().replace(" ", "-")


def _echo_list(loaded: Mapping[str, Mapping[str, Explained]]) -> None:
    width = max((len(code) for _, code, _ in _all(loaded)), default=0)
    for i, (name, table) in enumerate(loaded.items()):
        click.echo(f"{chr(10) if i else ''}{name}")
        for code, entry in table.items():
            click.echo(f"  {code:<{width}}  {entry.title}")


def _as_json(found: Found) -> dict[str, object]:
    codes = [{"table": t, "code": c, "title": e.title, "text": e.text()} for t, c, e in found]
    return {"schema_version": 1, "codes": codes}


explain = make_explain((CATALOGUE_CODES, STATES, FAILURE_CLASSES, EDGE_FINDINGS, GATE_RULES, ERRORS))
