"""Drafts of obligations, and the YAML text that they become."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tracker.catalogue.graph import circular, redundant_edges
from tracker.catalogue.model import Label
from tracker.catalogue.names import is_id, is_lean_name
from tracker.importers.declared import THEOREMS, Declarations, Declared
from tracker.lean.header import join_name, split_name

GENERAL_KINDS = {
    "theorem": Label("theorem", "Theorems", 110, "theorem"),
    "definition": Label("definition", "Definitions", 105),
}
"""Kinds for what no pattern tells more about; a catalogue that uses them declares them."""

# How formalizations of networks name things; the first that fits.
_KINDS_BY_NAME = (
    ("step-tie", re.compile(r"_(?:net_|block_|stem_|head_)?(?:sync)?[tT]ied(?:At)?\w*$")),
    ("shape-check", re.compile(r"_eq_(?:chain|slots)$")),
    ("reading", re.compile(r"InputGrad\w*_correct$")),
    ("tie", re.compile(r"InputGrad\w*_eq_\w*vjp$")),
    ("leaf-tie", re.compile(r"Back\w*_eq_\w*vjp(?:_backward)?$|\w_eq_vjp(?:_backward)?$")),
    ("stage-witness", re.compile(r"(?:_has_vjp(?:_at)?|HasVJP(?:At)?|HasVJPDiffAt)$")),
)
_NET = re.compile(r"(?:^|\.)Nets\.([^.]+)\.")
_WIDTH = 100  # columns


@dataclass(frozen=True)
class Draft:
    """An obligation to be written. Fields that say nothing are left out of the text."""

    id: str
    decl: str
    module: str
    kind: str
    net: str = ""
    tier: str = ""
    depends_on: tuple[str, ...] = ()
    claims: Mapping[str, int] = field(default_factory=dict)
    proof: str = ""
    summary: str = ""
    sources: tuple[str, ...] = ()
    allowed_axioms: tuple[str, ...] | None = None


def kind_by_name(name: str) -> str | None:
    """Return the kind that a declaration's name tells, None where it tells none."""
    last = split_name(name)[-1]
    return next((kind for kind, pattern in _KINDS_BY_NAME if pattern.search(last)), None)


def general_kind(declared: Declared) -> str:
    """Return the kind of what only its keyword is known of."""
    return "theorem" if declared.kind in THEOREMS else "definition"


def net_of(module: str) -> str:
    """Return the net whose module it is by its path (`….Nets.ViT.…`), or ""."""
    found = _NET.search(module)
    return found[1] if found and is_id(found[1]) else ""


def make_ids(names: Iterable[str], taken: Collection[str]) -> dict[str, str]:
    """Return an id for each declaration: the fewest last parts of its name that are no other's id."""
    used = set(taken)
    wanted = list(dict.fromkeys(names))
    lasts = [split_name(name)[-1] for name in wanted]
    ids = {}
    for name in wanted:
        parts = split_name(name)
        endings = [join_name(parts[start:]) for start in range(len(parts) - 1, -1, -1)]
        if lasts.count(parts[-1]) > 1:
            endings = endings[1:] or endings
        ids[name] = next((e for e in endings if e not in used and is_id(e)), _plain_id(name, used))
        used.add(ids[name])
    return ids


def _plain_id(name: str, used: Collection[str]) -> str:
    """Return an id for a name with characters that ids may not have, or whose endings are all taken."""
    base = re.sub(r"[^\w.'+!?-]+", "-", name).strip("-") or "declaration"
    number, ident = 1, base
    while ident in used:
        number += 1
        ident = f"{base}-{number}"
    return ident


def with_edges(
    drafts: Sequence[Draft],
    found: Declarations,
    ids: Mapping[str, str],
    edges: Mapping[str, Sequence[str]],
    *,
    claims: bool,
) -> list[Draft]:
    """Return the drafts with what Lean's index knows: dependencies and, if asked, counted uses and `rfl`.

    `ids` has the id of each declaration that is or becomes an obligation, `edges` the dependencies of those
    that are. What is only used through other declarations is left out where another dependency reaches it.
    """
    made = []
    indirect: dict[str, set[str]] = {}
    for draft in drafts:
        declared = found.by_name.get(draft.decl)
        if declared is None:
            made.append(draft)
            continue
        uses = found.reached(declared, ids)
        counted = {_claim_key(ids[name], name): count for name, count in uses.items() if count and claims}
        indirect[draft.id] = {ids[name] for name, n in uses.items() if not n} - set(draft.depends_on)
        made.append(
            replace(
                draft,
                depends_on=tuple(dict.fromkeys([*draft.depends_on, *(ids[name] for name in uses)])),
                claims={**draft.claims, **counted},
                proof=draft.proof or ("rfl" if claims and found.by_rfl(declared) else ""),
            )
        )
    made = _without_circles(made)
    redundant: dict[str, set[str]] = {}
    for ident, other, _ in redundant_edges({**edges, **{d.id: d.depends_on for d in made}}):
        redundant.setdefault(ident, set()).add(other)
    spare = {ident: redundant.get(ident, set()) & others for ident, others in indirect.items()}
    return [
        replace(d, depends_on=tuple(i for i in d.depends_on if i not in spare.get(d.id, ()))) for d in made
    ]


def _claim_key(ident: str, name: str) -> str:
    """Return what a claim is called: the obligation's id where it is like a name, else the declaration."""
    return ident if is_lean_name(ident) else name


def _without_circles(drafts: Sequence[Draft]) -> list[Draft]:
    """Mutual recursion makes circles, which no catalogue may have: keep the edges to what stands earlier."""
    place = {draft.id: number for number, draft in enumerate(drafts)}
    edges = {d.id: [i for i in d.depends_on if i in place and i != d.id] for d in drafts}
    knotted = circular(edges)
    return [
        replace(
            d,
            depends_on=tuple(
                i
                for i in d.depends_on
                if i != d.id and not (i in knotted.get(d.id, ()) and place[i] > place[d.id])
            ),
        )
        for d in drafts
    ]


# The text.

_PLAIN = re.compile(r"[^\W\d][\w./'+]*(?:-[\w./'+]+)*")
_WORDS = frozenset(["null", "true", "false", "yes", "no", "on", "off", "y", "n"])


def scalar(text: str) -> str:
    """Return a text as YAML: plain where every reader takes it for a text, else in double quotes."""
    if _PLAIN.fullmatch(text) and text.casefold() not in _WORDS:
        return text
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\x7f").replace("\x85", "\\x85")


def entry_lines(draft: Draft, defaults: Mapping[str, object], indent: int = 2) -> Iterator[str]:
    """Yield the lines of an entry of `obligations:`; what `defaults` says already is left out."""
    pad = " " * indent
    namespace = defaults.get("namespace")
    yield f"{pad}- id: {scalar(draft.id)}"
    inner = pad + "  "
    implied = f"{namespace}.{draft.id}" if namespace else draft.id
    texts = {
        "decl": draft.decl if draft.decl != implied else "",
        **{key: _unless(getattr(draft, key), defaults.get(key)) for key in ("kind", "net", "tier", "module")},
        "summary": " ".join(draft.summary.split()),
        "proof": draft.proof,
    }
    yield from (f"{inner}{key}: {scalar(text)}" for key, text in texts.items() if text)
    lists = {
        "sources": draft.sources or None,
        "allowed_axioms": draft.allowed_axioms,
        "depends_on": draft.depends_on or None,
    }
    for key, values in lists.items():
        if values is not None:
            yield from _wrapped(f"{inner}{key}: ", "[", [scalar(value) for value in values], "]")
    if draft.claims:
        pairs = [f"{scalar(name)}: {count}" for name, count in draft.claims.items()]
        yield from _wrapped(f"{inner}claims: ", "{", pairs, "}")


def _unless(value: str, default: object) -> str:
    return "" if value == default else value


def _wrapped(head: str, opening: str, items: Sequence[str], closing: str) -> Iterator[str]:
    """Yield a flow collection, broken where it would be wider than a page."""
    pad = " " * (len(head) - len(head.lstrip()) + 3)
    line = head + opening
    for number, item in enumerate(items):
        text = item + ("," if number + 1 < len(items) else closing)
        if len(line) + len(text) > _WIDTH and line.strip():
            yield line.rstrip()
            line = pad
        line += text + " "
    yield line.rstrip() if items else line + closing


def file_text(drafts: Sequence[Draft], heading: str) -> str:
    """Return the text of a catalogue file for drafts of one module, with what they share as defaults."""
    defaults: dict[str, str] = {"module": drafts[0].module}
    for key in ("kind", "net", "tier"):
        values = [getattr(draft, key) for draft in drafts]
        common = max(dict.fromkeys(values), key=values.count)
        if common and (key == "kind" or all(values)):
            defaults[key] = common
    namespaces = [
        draft.decl.removesuffix(f".{draft.id}") for draft in drafts if draft.decl.endswith(f".{draft.id}")
    ]
    if namespaces:
        defaults["namespace"] = max(dict.fromkeys(namespaces), key=namespaces.count)
    order = ("net", "tier", "kind", "module", "namespace")
    lines = [f"# {heading}", "", "defaults:"]
    lines += [f"  {key}: {scalar(defaults[key])}" for key in order if key in defaults]
    lines += ["", "obligations:"]
    lines += [line for draft in drafts for line in entry_lines(draft, defaults)]
    return "\n".join(lines) + "\n"
