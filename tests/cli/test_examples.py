"""Every example in help and documentation can be typed: it parses, and names what this repository has."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from tracker.catalogue.load import load_catalogue
from tracker.catalogue.model import Catalogue
from tracker.cli.main import VERBS, cli
from tracker.lean.project import Project, load_project
from tracker.run.plan import named_modules

ROOT = Path(__file__).parents[2]
DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMAND = re.compile(r"^(?:\s{2,}|\s*\$ )?(tracker [a-z].*)$", re.MULTILINE)
OBLIGATIONS = {"obligation", "ids", "focus"}
"""The parameters that take obligations."""
TARGETS = {"targets", "what", "dependent", "dependency"}
"""The parameters that take modules too, and some of them nets and patterns."""
THEIRS = {"main-theorem"}
"""What the examples for a project of one's own call things."""


@dataclass(frozen=True)
class Example:
    place: str
    line: str

    def __str__(self) -> str:
        return f"{self.place}: {self.line}"

    def context(self) -> click.Context:
        """Parse the line as the command line would, and run nothing. Raises what click raises."""
        group = click.Context(cli, info_name="tracker")
        verb, *args = words(self.line)
        command = cli.get_command(group, verb)
        assert command is not None, verb
        return command.make_context(verb, args, parent=group)

    def values(self, parameters: set[str]) -> set[str]:
        """Return what is given for the parameters, but for what is called so in a project of one's own."""
        given = [value for name, value in self.context().params.items() if name in parameters and value]
        return {one for value in given for one in ([value] if isinstance(value, str) else value)} - THEIRS


def words(line: str) -> list[str]:
    """Return the words after `tracker`, up to a comment or whatever else the shell would see to."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|>&;")
    lexer.whitespace_split = True
    found: list[str] = []
    for word in lexer:
        if set(word) <= set("|>&;"):
            break
        found.append(word)
    return found[1:]


def from_help() -> Iterator[Example]:
    group = click.Context(cli, info_name="tracker")
    for verb in VERBS:
        command = cli.get_command(group, verb)
        text = (command.help if command else None) or ""
        yield from (Example(f"{verb} --help", line) for line in COMMAND.findall(text))


def from_docs() -> Iterator[Example]:
    for page in DOCS:
        yield from (Example(page.name, line) for line in COMMAND.findall(code(page.read_text("utf-8"))))


def code(page: str) -> str:
    """Return the lines of a page that are code: in fences, or indented by four."""
    kept, fenced = [], False
    for line in page.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            kept.append(line)
    return "\n".join(kept)


EXAMPLES = [*from_help(), *from_docs()]


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    found = load_catalogue([ROOT / "obligations"]).catalogue
    assert found is not None
    return found


@pytest.fixture(scope="module")
def project() -> Project:
    return load_project(ROOT / "lean")


def test_there_are_examples() -> None:
    assert {example.place.partition(" ")[0] for example in from_help()} >= set(VERBS) - {"doctor"}
    assert len(list(from_docs())) > 40
    assert words("tracker show 'a b' --json | jq '.x'  # why") == ["show", "a b", "--json"]


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_it_parses_and_names_what_there_is(example: Example, catalogue: Catalogue, project: Project) -> None:
    assert [name for name in example.values(OBLIGATIONS) if catalogue.find(name) is None] == []
    targets = [name for name in example.values(TARGETS) if not (ROOT / name).is_file()]
    named_modules(project, catalogue, targets)  # raises where one is nothing
