r"""A leanblueprint: LaTeX whose environments name Lean declarations.

Macros (https://github.com/PatrickMassot/leanblueprint): `\lean{names}` names declarations, `\uses{labels}`
what a statement or proof rests on, `\leanok` says that a statement, or inside `proof` that the proof, is
formalized, `\mathlibok` that the declaration is Mathlib's; `\proves{label}` gives a proof to a statement that
is not the one before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tracker.importers.cited import Citations, Cited, Overclaim

_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*")
_TOKEN = re.compile(
    r"\\(?:(begin|end)\s*\{([^{}]*)\}(?:\s*\[((?:[^\[\]]|\{[^{}]*\})*)\])?"
    r"|(label|lean|uses|proves)\s*\{([^{}]*)\}|(leanok|mathlibok|notready)\b)"
)
_LABEL = "label:"  # before a use that is a label still


@dataclass
class _Node:
    """One environment while it is read."""

    env: str
    title: str
    line: int
    names: list[tuple[str, int]] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    uses: list[tuple[str, int]] = field(default_factory=list)
    ok: bool = False
    mathlib: bool = False
    proves: str = ""
    proved: bool = False


def read(text: str, path: str) -> Citations:
    """Return the declarations that a LaTeX file names; what they use is still labels, see `follow_labels`."""
    statements = _statements(text)
    cited = []
    for node in statements:
        definition = node.env.casefold().startswith(("def", "notation", "construction"))
        uses = tuple(f"{_LABEL}{label}@{line}" for label, line in node.uses)
        for name, line in () if node.mathlib else node.names:  # Mathlib's are nobody's work here
            cited.append(
                Cited(
                    name, path, line, "blueprint", title=node.title, is_definition=definition, uses=uses,
                    stated=node.ok,
                    proved=node.proved or (definition and node.ok),
                )
            )  # fmt: skip
    labels = tuple(
        Cited(f"{_LABEL}{label}", path, node.line, "blueprint", uses=tuple(name for name, _ in node.names))
        for node in statements
        for label in node.labels
    )
    return Citations((*cited, *labels))


def _statements(text: str) -> list[_Node]:
    """Return the environments that are no proofs, with what the proofs after them say."""
    found: list[_Node] = []
    stack: list[_Node] = []
    by_label: dict[str, _Node] = {}
    last: _Node | None = None
    code = _COMMENT.sub(lambda m: m[1], text)  # lines stay: a comment ends before its line does
    for match in _TOKEN.finditer(code):
        line = code.count("\n", 0, match.start()) + 1
        if match[1] == "begin":
            stack.append(_Node(match[2].strip(), _plain(match[3] or ""), line))
        elif match[1] == "end":
            if not any(node.env == match[2].strip() for node in stack):
                continue
            while stack:
                node = stack.pop()
                if node.env == "proof":
                    _give_proof(node, by_label.get(node.proves, last))
                elif node.names or node.labels:
                    found.append(node)
                    by_label |= dict.fromkeys(node.labels, node)
                    last = node if node.names or node.env not in _INNER else last
                if node.env == match[2].strip():
                    break
        elif stack:
            _macro(match, stack, line)
    return found


# Environments inside of statements: macros in them belong to the statement, labels to themselves.
_INNER_WORDS = """
align align* aligned array cases center description enumerate equation equation* figure gather gather* itemize
multline multline* quote split tikzcd tikzpicture
"""
_INNER = frozenset(_INNER_WORDS.split())


def _macro(match: re.Match[str], stack: list[_Node], line: int) -> None:
    outer = next((node for node in reversed(stack) if node.env not in _INNER), stack[-1])
    argument = [part.strip() for part in (match[5] or "").split(",") if part.strip()]
    if match[4] == "label":
        stack[-1].labels += argument
    elif match[4] == "lean":
        outer.names += [(name, line) for name in argument]
    elif match[4] == "uses":
        outer.uses += [(label, line) for label in argument]
    elif match[4] == "proves":
        outer.proves = argument[0] if argument else ""
    elif match[6] == "leanok":
        outer.ok = True
    elif match[6] == "mathlibok":
        outer.mathlib = True


def _give_proof(proof: _Node, statement: _Node | None) -> None:
    if statement is not None:
        statement.proved |= proof.ok
        statement.uses += proof.uses


def _plain(title: str) -> str:
    return " ".join(title.replace("~", " ").split())


def follow_labels(found: Citations) -> Citations:
    """Return the citations with uses of labels made uses of declarations; unknown labels are told."""
    targets: dict[str, tuple[str, ...]] = {}
    for cited in found.cited:
        if cited.name.startswith(_LABEL):
            targets[cited.name] = targets.get(cited.name, ()) + cited.uses
    kept, broken = [], []
    for cited in found.cited:
        if cited.name.startswith(_LABEL):
            continue
        uses: list[str] = []
        for use in cited.uses:
            label, _, line = use.rpartition("@")
            uses += [name for name in targets.get(label, ()) if name != cited.name]
            if label not in targets:
                text = f"`\\uses` names `{label.removeprefix(_LABEL)}`, which labels no statement"
                broken.append(Overclaim("unknown-label", cited.path, int(line), cited.name, text))
        kept.append(replace(cited, uses=tuple(dict.fromkeys(uses))))
    return Citations(tuple(kept), found.totals, (*found.overclaims, *_once(broken)), found.files)


def _once(broken: list[Overclaim]) -> Iterator[Overclaim]:
    """Yield one finding for each place and text: a statement may name several declarations."""
    seen: set[tuple[str, int, str]] = set()
    for each in broken:
        if (key := (each.path, each.line, each.message)) not in seen:
            seen.add(key)
            yield each
