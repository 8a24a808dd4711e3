"""YAML text to nodes, in one pass over libyaml's events.

That is faster than PyYAML's own composer, and leaves depth, aliases, tags and repeated keys in our
hands. No object is ever built from a tag.
"""

from __future__ import annotations

import re
from typing import Any, Final

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from tracker.catalogue.diagnostics import Report
from tracker.catalogue.model import Source
from tracker.catalogue.nodes import Map, Node, Scalar, Seq, shorten

MAX_DEPTH: Final = 32
"""How deeply collections may nest."""
MAX_NODES: Final = 4_000_000
"""How many nodes a file may hold, each alias counted as all that it stands for."""
ALIAS_FACTOR: Final = 20
"""How many times larger than written aliases may make a file of more than `SMALL` nodes."""
SMALL: Final = 10_000

_TOO_DEEP: Final = f"collections nest more than {MAX_DEPTH} deep"

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_UNPRINTABLE: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


class _Stop(Exception):  # noqa: N818 - control flow inside this module
    """Reading this file cannot go on; the reason is already reported."""


def read_yaml(text: str, file: str, report: Report) -> Node | None:
    """Return the one document in `text`, or None where it is not usable; faults go to `report`."""
    bad = _UNPRINTABLE.search(text)
    if bad:
        report.add(
            "yaml-syntax",
            _source_at(text, bad.start(), file),
            f"the control character U+{ord(bad.group()):04X} is not allowed in YAML",
            "remove it, or write it as an escape inside double quotes",
        )
        return None
    try:
        return _Composer(text, file, report).document()
    except _Stop:
        return None
    except yaml.MarkedYAMLError as error:
        _report_syntax(error, text, file, report)
        return None
    except yaml.YAMLError as error:
        report.add("yaml-syntax", Source(file, 1, 1), shorten(str(error), 200))
        return None


class _Composer:
    """Builds nodes from events, with an explicit stack, so that no nesting can exhaust ours."""

    def __init__(self, text: str, file: str, report: Report) -> None:
        self.file = file
        self.report = report
        self.loader = _LOADER(text)
        self.written = 0
        self.expanded = 0  # as `written`, with every alias counted as all that it stands for
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.texts: dict[str, str] = {}  # equal texts are kept once, to save memory

    def document(self) -> Node | None:
        documents = 0
        root: Node | None = None
        next_event = self.loader.get_event
        try:
            while True:
                event = next_event()
                kind = event.__class__
                if kind is DocumentStartEvent:
                    documents += 1
                    if documents > 1:
                        raise self.stop(
                            "multiple-documents",
                            event,
                            "a second YAML document starts here",
                            "keep one document in a file: split the file, or delete the `---`",
                        )
                    root = self.node(next_event(), next_event)
                elif kind is StreamEndEvent:
                    return self.not_empty(root)
        finally:
            self.loader.dispose()

    def not_empty(self, root: Node | None) -> Node | None:
        if root is None or (isinstance(root, Scalar) and root.value is None):
            self.report.add(
                "empty-file",
                Source(self.file, 1, 1),
                "the file holds nothing",
                "write `obligations:` and a list under it, or delete the file",
            )
            return None
        return root

    def node(self, event: Any, next_event: Any) -> Node:
        """Read the node that starts with `event`: the hot loop of loading."""
        stack: list[tuple[list[Node], Any, str | None, int]] = []
        once = self.texts.setdefault
        children: list[Node] = []
        mark: Any = None
        anchor: str | None = None
        before = 0
        while True:
            kind = event.__class__
            if kind is ScalarEvent:
                self.written += 1
                self.expanded += 1
                if event.tag is not None or event.anchor is not None:
                    node = self.marked_scalar(event)
                else:
                    at = event.start_mark
                    text = event.value
                    node = Scalar(once(text, text), bool(event.style), at.line + 1, at.column + 1)
                children.append(node)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                self.check_start(event, len(stack))
                stack.append((children, mark, anchor, before))
                children, mark, anchor, before = [], event.start_mark, event.anchor, self.expanded
                self.written += 1
                self.expanded += 1
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                done: Node
                if kind is MappingEndEvent:
                    done = self.mapping(children, mark)
                else:
                    done = Seq(children, mark.line + 1, mark.column + 1)
                if anchor is not None:
                    self.anchors[anchor] = (done, self.expanded - before)
                children, mark, anchor, before = stack.pop()
                children.append(done)
            elif kind is AliasEvent:
                children.append(self.alias(event))
            if not stack:
                return children[0]
            event = next_event()

    def marked_scalar(self, event: Any) -> Scalar:
        if event.tag is not None:
            self.tag(event)
        at = event.start_mark
        quoted = bool(event.style) or event.tag is not None  # one finding is enough for a tagged value
        node = Scalar(event.value, quoted, at.line + 1, at.column + 1)
        if event.anchor is not None:
            self.anchors[event.anchor] = (node, 1)
        return node

    def check_start(self, event: Any, depth: int) -> None:
        if event.tag is not None:
            self.tag(event)
        if event.anchor is not None:
            self.anchors.pop(event.anchor, None)  # an alias to itself must not find an older one
        if depth >= MAX_DEPTH:
            raise self.stop("yaml-limit", event, _TOO_DEEP, "a catalogue needs five levels")
        if self.expanded > MAX_NODES:
            raise self.stop(
                "yaml-limit", event, f"the file has more than {MAX_NODES:,} nodes", "split the file"
            )

    def tag(self, event: Any) -> None:
        self.report.add(
            "yaml-tag",
            self.source(event.start_mark),
            f"the tag `{shorten(event.tag)}` is not supported",
            "write the plain value; put a text that looks like a number in quotes",
        )

    def alias(self, event: Any) -> Node:
        found = self.anchors.get(event.anchor)
        if found is None:
            name = shorten(event.anchor)
            raise self.stop(
                "yaml-alias",
                event,
                f"the alias `*{name}` has no anchor that ends before it",
                f"write `&{name}` at an earlier value, or put the text in quotes if no alias is meant",
            )
        node, weight = found
        self.written += 1
        self.expanded += weight
        if self.expanded > SMALL and self.expanded > ALIAS_FACTOR * self.written:
            raise self.stop(
                "yaml-limit",
                event,
                f"aliases make the file more than {ALIAS_FACTOR} times as large as it is written",
                "use `defaults:` or a `{0..10}` pattern instead of aliases",
            )
        return node

    def mapping(self, children: list[Node], mark: Any) -> Map:
        result = Map(mark.line + 1, mark.column + 1)
        entries, keys = result.entries, result.keys
        for i in range(0, len(children), 2):
            key = children[i]
            if key.__class__ is not Scalar or not isinstance(key.value, str):
                self.bad_key(key)
                continue
            text = key.text
            if text in entries:
                self.report.add(
                    "duplicate-key",
                    Source(self.file, key.line, key.column),
                    f"the key `{shorten(text)}` was already given at line {keys[text].line}",
                    "keep one of the two",
                )
                continue
            entries[text] = children[i + 1]
            keys[text] = key
        return result

    def bad_key(self, key: Node) -> None:
        from tracker.catalogue.nodes import describe

        self.report.add(
            "bad-key",
            Source(self.file, key.line, key.column),
            f"a key must be a text; this one is {describe(key)}",
            "put the key in quotes" if isinstance(key, Scalar) else None,
        )

    def source(self, mark: Any) -> Source:
        return Source(self.file, mark.line + 1, mark.column + 1)

    def stop(self, code: str, event: Any, message: str, hint: str) -> _Stop:
        self.report.add(code, self.source(event.start_mark), message, hint)
        return _Stop()


def _source_at(text: str, index: int, file: str) -> Source:
    start = text.rfind("\n", 0, index) + 1
    return Source(file, text.count("\n", 0, index) + 1, index - start + 1)


def _report_syntax(error: yaml.MarkedYAMLError, text: str, file: str, report: Report) -> None:
    mark: Any = error.problem_mark or error.context_mark
    place = Source(file, mark.line + 1, mark.column + 1) if mark else Source(file, 1, 1)
    message = str(error.problem or error.context or "the file is not YAML")
    if "nesting depth" in message:
        report.add("yaml-limit", place, _TOO_DEEP, "a catalogue needs five levels")
        return
    started: Any = error.context_mark
    if error.context and started and started.line + 1 != place.line:
        message += f" ({error.context} that starts at line {started.line + 1})"
    elif error.context and error.context != "while scanning for the next token":
        message += f" ({error.context})"
    report.add("yaml-syntax", place, message, _syntax_hint(message, text, place))


def _syntax_hint(message: str, text: str, place: Source) -> str | None:
    lines = text.split("\n")
    line = lines[place.line - 1] if place.line <= len(lines) else ""
    char = line[place.column - 1 : place.column]
    if char == "\t" or "\t" in line[: len(line) - len(line.lstrip())]:
        return "indent with spaces: YAML allows no tabs there"
    conflict = _CONFLICT.search(text)
    if conflict:
        line_number = text.count("\n", 0, conflict.start()) + 1
        return f"resolve the merge conflict that is marked at line {line_number}"
    if char and char in "@`%":
        return "put a text that starts with this character in quotes"
    return next((hint for part, hint in _HINTS if part in message), None)


_CONFLICT: Final = re.compile(r"^(?:<{7}|={7}|>{7})(?: |$)", re.MULTILINE)
_HINTS: Final = (
    ("mapping values are not allowed", "put a text that holds `: ` in quotes, or check the indentation"),
    ("quoted scalar", "close the quote"),
    ("expected ',' or", "close the bracket, or put a text with `[`, `{` or `,` in quotes"),
    ("flow", "close the bracket, or put a text with `[`, `{` or `,` in quotes"),
    ("could not find expected ':'", "check the indentation of this line and of the one before it"),
    ("did not find expected", "check the indentation of this line and of the one before it"),
)
