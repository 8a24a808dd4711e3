"""Appending obligations to a catalogue file as text: comments, order and spelling stay as they are."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from tracker.catalogue.diagnostics import Report
from tracker.catalogue.load import load_catalogue
from tracker.catalogue.model import Catalogue
from tracker.catalogue.nodes import Map, plain
from tracker.catalogue.yamltext import read_yaml
from tracker.errors import CatalogueError, UsageError
from tracker.importers.drafts import Draft, entry_lines

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class CatalogueFile:
    """A catalogue file as it is: its text, and what it says under `defaults:`."""

    file: Path
    text: str
    defaults: Mapping[str, Any]


def read_file(file: Path) -> CatalogueFile:
    """Return a file that obligations can be appended to. Raises UsageError where it cannot be read."""
    try:
        text = file.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError("UNREADABLE", f"{file}: {error}", "name another file: --file FILE") from error
    node = read_yaml(text.removeprefix("\ufeff"), str(file), Report())
    found = node.entries.get("defaults") if isinstance(node, Map) else None
    defaults = plain(found) if found is not None else {}
    return CatalogueFile(file, text, defaults if isinstance(defaults, dict) else {})


def appended(target: CatalogueFile, drafts: Sequence[Draft]) -> str:
    """Return the file's text with the drafts as its last obligations.

    Raises UsageError where the list of obligations is written in brackets.
    """
    newline = "\r\n" if "\r\n" in target.text else "\n"
    lines = target.text.splitlines(keepends=True)
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += newline
    place, indent, head = _place(target, lines)
    new = [line for draft in drafts for line in entry_lines(draft, target.defaults, indent)]
    lines[place:place] = [line + newline for line in (*head, *new)]
    return "".join(lines)


def _place(target: CatalogueFile, lines: list[str]) -> tuple[int, int, list[str]]:
    """Return before which line new entries go, how far they are indented, and what must stand above them."""
    root = yaml.compose(target.text.removeprefix("\ufeff"), _LOADER)
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    found = next(((key, value) for key, value in pairs if key.value == "obligations"), None)
    if found is None:
        return len(lines), 2, ["", "obligations:"] if lines else ["obligations:"]
    key, value = found
    if isinstance(value, yaml.ScalarNode) and value.value in ("", "~", "null"):
        return key.start_mark.line + 1, 2, []
    if not isinstance(value, yaml.SequenceNode) or value.flow_style:
        raise UsageError(
            "FLOW-LIST",
            f"{target.file}:{value.start_mark.line + 1}: this list of obligations is not written with dashes",
            "write `- id: …` on a line of its own for each, or name another file: --file FILE",
        )
    dash = value.start_mark.column
    end = last = value.value[-1].start_mark.line
    for number in range(last + 1, len(lines)):
        text = lines[number]
        if text.strip():
            if len(text) - len(text.lstrip(" ")) <= dash:
                break
            end = number
    return end + 1, dash, []


@contextmanager
def replacing(texts: Mapping[Path, str]) -> Iterator[None]:
    """Write files; if the block inside raises anything, Ctrl-C too, all is again as it was before."""
    before = {file: file.read_bytes() if file.exists() else None for file in texts}
    made: list[Path] = []
    try:
        for file, text in texts.items():
            made += _make_directory(file.parent)
            scratch = file.with_name(f".{file.name}.new")
            try:
                scratch.write_bytes(text.encode("utf-8"))
                os.replace(scratch, file)
            finally:
                scratch.unlink(missing_ok=True)
        yield
    except BaseException:
        for file, content in before.items():
            if content is None:
                file.unlink(missing_ok=True)
            else:
                file.write_bytes(content)
        for directory in reversed(made):
            directory.rmdir()
        raise


def _make_directory(directory: Path) -> list[Path]:
    """Make a directory and those above it; return the new ones, outermost first."""
    new = [d for d in (*reversed(directory.parents), directory) if not d.exists()]
    directory.mkdir(parents=True, exist_ok=True)
    return new


def verify(places: Sequence[Path], before: Catalogue | None, drafts: Sequence[Draft]) -> Catalogue:
    """Return the catalogue as it is read now: what was there unchanged, and the drafts as they are meant.

    Raises CatalogueError otherwise.
    """
    result = load_catalogue(places)
    now = result.catalogue
    if now is None:
        raise CatalogueError(
            "NOT-WRITTEN",
            "with the new obligations the catalogue would have errors; nothing was changed",
            "choose other names, or another file: --file FILE",
            lines=(line for d in result.errors[:20] for line in str(d).split("\n")),
        )
    changed = [ob.id for ob in before or () if now.obligations.get(ob.id) != ob]
    for draft in drafts:
        ob = now.obligations.get(draft.id)
        if ob is None or (ob.decl, ob.module, ob.kind, set(ob.depends_on)) != (
            draft.decl, draft.module, draft.kind, set(draft.depends_on),
        ):  # fmt: skip
            changed.append(draft.id)
    if changed:
        raise CatalogueError(
            "NOT-WRITTEN",
            f"the new text would not say what it should of {', '.join(changed[:5])}; nothing was changed",
            "name another file: --file FILE",
        )
    return now
