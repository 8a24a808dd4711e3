"""`formalization.yaml`: what a project says of itself.

Format: https://github.com/mathlib-initiative/formalization.yaml, versions v0.1 to v0.4. Read are `status`
(`sorry_count`, `axioms`, `main_results`) and `alignment.statements`; in older ones a declaration is called
`decl`, in newer ones `declaration` or `lean`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import yaml

from tracker.errors import UsageError
from tracker.importers.cited import Citations, Cited, Total

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NAMES = ("declaration", "lean", "decl")


def read(text: str, path: str) -> Citations:
    """Return the declarations and totals that the file claims. Raises UsageError for another shape."""
    try:
        root = yaml.compose(text, _LOADER)
    except (yaml.YAMLError, RecursionError) as error:
        raise UsageError("BAD-YAML", f"{path}: {error}", "mend it, or leave it out of --from") from error
    status, alignment = (_part(root, key, path) for key in ("status", "alignment"))
    cited = [c for row in _list(status, "main_results", path) for c in _result(row, path)]
    cited += [c for row in _list(alignment, "statements", path) for c in _statement(row, path)]
    return Citations(tuple(cited), tuple(_totals(status, path)))


def _part(root: yaml.Node | None, key: str, path: str) -> yaml.Node | None:
    """Return a section. What has another shape must not look as if it claimed nothing: raises UsageError."""
    if root is not None and not isinstance(root, yaml.MappingNode):
        raise _shape(root, "it", "a mapping", path)
    part = _get(root, key)
    if part is None or _is_null(part) or isinstance(part, yaml.MappingNode):
        return part
    raise _shape(part, f"`{key}`", "a mapping", path)


def _list(part: yaml.Node | None, key: str, path: str) -> list[yaml.Node]:
    node = _get(part, key)
    if node is None or _is_null(node) or isinstance(node, yaml.SequenceNode):
        return _items(node)
    raise _shape(node, f"`{key}`", "a list", path)


def _is_null(node: yaml.Node) -> bool:
    return bool(node.tag == "tag:yaml.org,2002:null")


def _shape(node: yaml.Node, what: str, wanted: str, path: str) -> UsageError:
    place = f"{path}:{node.start_mark.line + 1}"
    return UsageError("BAD-YAML", f"{place}: {what} must be {wanted}", "mend it, or leave it out of --from")


def _totals(status: yaml.Node | None, path: str) -> Iterator[Total]:
    count, axioms = _get(status, "sorry_count"), _get(status, "axioms")
    if count is not None and (number := _number(count)) is not None:
        yield Total(path, count.start_mark.line + 1, sorries=number)
    if isinstance(axioms, yaml.SequenceNode):
        yield Total(path, axioms.start_mark.line + 1, axioms=_texts(axioms))


def _result(row: yaml.Node, path: str) -> Iterator[Cited]:
    count, axioms = _get(row, "sorry_count"), _get(row, "axioms")
    for name in _names(row):
        yield Cited(
            name.value, path, name.start_mark.line + 1, "formalization.yaml",
            title=_text(_get(row, "description")), proved=count is not None and _number(count) == 0,
            axioms=_texts(axioms) if isinstance(axioms, yaml.SequenceNode) else None,
            file=_text(_get(row, "file")),
        )  # fmt: skip


def _statement(row: yaml.Node, path: str) -> Iterator[Cited]:
    status = _text(_get(row, "status")).casefold().rstrip(".")
    for name in _names(row):
        yield Cited(
            name.value, path, name.start_mark.line + 1, "formalization.yaml",
            title=_text(_get(row, "source")), proved=status in ("proved", "proven", "complete", "verified"),
        )  # fmt: skip


def _names(row: yaml.Node) -> Iterator[yaml.ScalarNode]:
    """Yield the names in an entry; one that is a bare text is a name itself."""
    if isinstance(row, yaml.ScalarNode) and row.value.strip():
        yield row
    for key in _NAMES:
        node = _get(row, key)
        for item in _items(node) if isinstance(node, yaml.SequenceNode) else [node]:
            if isinstance(item, yaml.ScalarNode) and item.value.strip():
                yield item


def _get(node: yaml.Node | None, key: str) -> yaml.Node | None:
    if not isinstance(node, yaml.MappingNode):
        return None
    return next((value for name, value in node.value if name.value == key), None)


def _items(node: yaml.Node | None) -> list[yaml.Node]:
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _text(node: yaml.Node | None) -> str:
    return " ".join(str(node.value).split()) if isinstance(node, yaml.ScalarNode) else ""


def _texts(node: yaml.Node) -> tuple[str, ...]:
    return tuple(_text(item) for item in _items(node))


def _number(node: yaml.Node) -> int | None:
    text = _text(node)
    return int(text) if text.isdecimal() else None
