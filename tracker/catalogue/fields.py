"""The format of a catalogue file: every section, every field, with its shape and its meaning.

The loader reads by these tables, the JSON Schema is made from them, and docs/catalogue.md is
checked against them.
"""

from __future__ import annotations

from typing import Any, Final

from tracker.catalogue.model import EXPECTABLE, PROOFS
from tracker.catalogue.names import CLAIMED, ID, ID_TEMPLATE, LEAN_NAME, LEAN_TEMPLATE, is_claimed
from tracker.catalogue.nodes import Map, Node, Scalar, Seq, describe, shorten
from tracker.catalogue.shapes import (
    MAX_COUNT,
    Choice,
    Count,
    Either,
    Field,
    Flag,
    ListOf,
    MapOf,
    Match,
    Reader,
    Record,
    Schema,
    Text,
)
from tracker.catalogue.units import DURATION, MEMORY, duration, memory
from tracker.symbolic.chain import COMPOSED_BY, LIFTED_BY

AXES: Final = ("net", "tier", "kind", "module")
"""What a family may be spread over."""

_ID_HINT = "ids have letters, digits and . _ - ' / + ! ?, and no spaces"
_NAME_HINT = "write a full Lean name such as Proofs.foo; put odd parts in «…»"

id_template = Match(ID_TEMPLATE, "bad-id", "one word", _ID_HINT)
label_name = Match(ID, "bad-id", "one word", _ID_HINT)
lean_name = Match(LEAN_NAME, "bad-name", "a Lean name", _NAME_HINT)
lean_template = Match(LEAN_TEMPLATE, "bad-name", "a Lean name", _NAME_HINT)
claimed = Match(CLAIMED, "bad-name", "a Lean name or an id", _NAME_HINT)
expectable = Choice(EXPECTABLE, meant={"lemma": "theorem", "definition": "def"})
some_text = Match(r"\S", "bad-value", "a text that says something", "write the text, or remove the field")


class _Duration(Match):
    def __init__(self) -> None:
        super().__init__(
            DURATION, "bad-budget", "a time longer than none, with a unit", "such as 500ms, 90s, 1.5h"
        )

    def read(self, reader: Reader, node: Node, path: str) -> Any:
        text = _amount(super().read, reader, node, path)
        return None if text is None else duration(text)


class _Memory(Match):
    def __init__(self) -> None:
        super().__init__(
            MEMORY, "bad-budget", "an amount of memory, with a unit", "such as 512MiB, 16GiB, 16GB"
        )

    def read(self, reader: Reader, node: Node, path: str) -> Any:
        text = _amount(super().read, reader, node, path)
        return None if text is None else memory(text)


def _amount(read: Any, reader: Reader, node: Node, path: str) -> str | None:
    """A bare number gets the hint it needs: which unit."""
    value = node.value if isinstance(node, Scalar) else None
    if isinstance(value, int | float) and not isinstance(value, bool) and isinstance(node, Scalar):
        unit = "GiB" if path.endswith("memory") else "s"
        hint = (
            "a budget must be more than 0"
            if value <= 0
            else f"write `{shorten(node.text)}{unit}` if that is what is meant"
        )
        reader.error(
            "bad-budget", node, f"`{path}` must be an amount with a unit, not {describe(node)}", hint
        )
        return None
    text: str | None = read(reader, node, path)
    return text


class _Claims:
    """Claims: a declaration's name or an id and its number of uses, or any name and a group."""

    count = Count()
    group = Record(
        "a group claim",
        {
            "count": Field(Count(), "How many uses all of `of` have together."),
            "of": Field(ListOf(claimed, least=1), "The declarations whose uses are counted."),
        },
        required=("count", "of"),
    )

    def read(self, reader: Reader, node: Node, path: str) -> dict[str, Any] | None:
        if not isinstance(node, Map):
            hint = "write `claims: {vjp_comp_diff_at: 3}`"
            reader.error("wrong-type", node, f"`{path}` must be a mapping, not {describe(node)}", hint)
            return None
        result: dict[str, Any] = {}
        for name, child in node.entries.items():
            at = f"{path}.{name}"
            key = node.keys[name]
            good = bool(is_claimed(name))
            if isinstance(child, Map):
                value: Any = self.group.read(reader, child, at)
                if not good:
                    reader.error("bad-id", key, f"`{shorten(name)}` cannot name a claim", _ID_HINT)
            else:
                value = self.count.read(reader, child, at)
                if not good:
                    hint = "to count several together write `{count: 3, of: [foo, bar]}`"
                    reader.error("bad-name", key, f"`{shorten(name)}` is not the name of a declaration", hint)
            if good and value is not None:
                reader.positions[at] = (key.line, key.column)
                result[name] = value
        return result

    def schema(self) -> Schema:
        number, group = self.count.schema(), self.group.schema()
        return {
            "type": "object",
            "propertyNames": {"pattern": CLAIMED},
            "additionalProperties": {"anyOf": [number, group]},
        }


class _Version:
    """The version of this format."""

    def read(self, reader: Reader, node: Node, path: str) -> int | None:
        value = node.value if isinstance(node, Scalar) else None
        if value == 1 and not isinstance(value, bool):
            return 1
        reader.error(
            "bad-value",
            node,
            f"`{path}` is {describe(node)}; this tracker reads version 1",
            "write `version: 1`",
        )
        return None

    def schema(self) -> Schema:
        return {"const": 1}


BUDGET: Final = Record(
    "a budget",
    {
        "wall": Field(_Duration(), "The longest wall-clock time, such as `90s`."),
        "cpu": Field(_Duration(), "The longest processor time, such as `3min`."),
        "memory": Field(_Memory(), "The highest peak of resident memory, such as `16GiB`."),
    },
    instead="write `{wall: 90s, memory: 16GiB}`",
)

_ALIAS = Record(
    "an alias",
    {
        "name": Field(lean_template, "The older name of the declaration."),
        "since": Field(some_text, "Since when it is older: a version, a commit or a date."),
    },
    required=("name",),
)

_DIMS = Record(
    "dims",
    {
        "input": Field(some_text, "The size of the input, such as `B * (N * P)`."),
        "output": Field(some_text, "The size of the output, such as `B * nC`."),
    },
)

_SHARED: dict[str, Field] = {
    "kind": Field(label_name, "What sort of obligation it is; one of the catalogue's kinds."),
    "net": Field(label_name, "The net it belongs to; left out where it belongs to none alone."),
    "tier": Field(label_name, "The tier it belongs to, such as T6."),
    "module": Field(lean_template, "The Lean module that declares it."),
    "budget": Field(BUDGET, "What checking its module may cost."),
    "sources": Field(ListOf(some_text), "Where the claim comes from: papers, paragraphs, commits."),
    "allowed_axioms": Field(
        ListOf(lean_name), "The axioms it may use, in place of propext, Classical.choice and Quot.sound."
    ),
    "forbidden_axioms": Field(
        ListOf(lean_name), "Axioms it may not use although they are allowed elsewhere."
    ),
    "expects": Field(expectable, "What the declaration must be; else what its kind says."),
    "tags": Field(ListOf(label_name), "Free words to select by."),
}

_MEANT = {
    **dict.fromkeys(
        ("deps", "dependencies", "depends", "dependsOn", "needs", "uses", "requires"), "depends_on"
    ),
    **dict.fromkeys(("name", "declaration", "lean", "theorem", "constant"), "decl"),
    **dict.fromkeys(("doc", "docs", "description", "title", "note", "notes", "comment"), "summary"),
    **dict.fromkeys(("source", "citation", "citations", "refs", "references"), "sources"),
    **dict.fromkeys(("axioms",), "allowed_axioms"),
    **dict.fromkeys(("alias", "old_names", "formerly"), "aliases"),
    **dict.fromkeys(("type",), "kind"),
    **dict.fromkeys(("file", "path", "import"), "module"),
    **dict.fromkeys(("labels", "tag"), "tags"),
    **dict.fromkeys(("limits", "limit"), "budget"),
}

ENTRY: Final = Record(
    "an obligation",
    {
        "id": Field(
            id_template, "Its name in the catalogue, given once; the declaration's own name is a good one."
        ),
        "decl": Field(lean_template, "The full name of the declaration; `namespace` and the id if left out."),
        **_SHARED,
        "depends_on": Field(
            ListOf(id_template), "The ids of the obligations whose declarations it uses itself."
        ),
        "claims": Field(
            _Claims(),
            "How often its source uses an obligation's declaration, another by full name, or several.",
        ),
        "proof": Field(Choice(PROOFS), "How it is proved: `rfl`, both sides being one term to the kernel."),
        "summary": Field(Text(), "What it says, in words."),
        "aliases": Field(ListOf(Either(lean_template, _ALIAS, Map)), "Older names of the declaration."),
        "dims": Field(_DIMS, "The dimensions of the map it speaks of."),
    },
    required=("id",),
    meant=_MEANT,
)

DEFAULTS: Final = Record(
    "defaults",
    {**_SHARED, "namespace": Field(lean_name, "What stands before an id to make the declaration's name.")},
    meant={key: value for key, value in _MEANT.items() if value in _SHARED},
)

_LABEL_FIELDS = {
    "title": Field(some_text, "Its title in reports."),
    "order": Field(Count(-MAX_COUNT), "Its place in reports, lowest first; else the order of appearance."),
}
_KIND = Record(
    "a kind",
    {**_LABEL_FIELDS, "expects": Field(expectable, "What a declaration of this kind must be.")},
)
_LABEL = Record("a label", _LABEL_FIELDS)

FAMILY: Final = Record(
    "a family",
    {
        "id": Field(label_name, "Its name, given once."),
        "title": Field(some_text, "Its title in reports."),
        "pattern": Field(
            Either(some_text, ListOf(some_text, least=1), Seq),
            "Declarations that belong to it, `*` standing for any characters; one pattern or a list.",
        ),
        "members": Field(ListOf(id_template, least=1), "Ids that belong to it whatever they are called."),
        "exclude": Field(ListOf(id_template), "Ids that do not belong to it although a pattern matches."),
        "axis": Field(Choice(AXES), "What it is spread over; `net` if left out."),
        "absent": Field(
            MapOf(label_name, some_text), "Axis values that have no member, each with the reason."
        ),
    },
    required=("id",),
)


class Entry:
    """One written obligation before its patterns are expanded: its values and their places."""

    __slots__ = ("node", "positions", "sound", "values")

    def __init__(
        self, node: Node, values: dict[str, Any], positions: dict[str, tuple[int, int]], sound: bool
    ) -> None:
        self.node = node
        self.values = values
        self.positions = positions
        self.sound = sound  # nothing in it was found faulty

    def has(self, name: str) -> bool:
        """Return whether the field was written, be it right or wrong."""
        return isinstance(self.node, Map) and name in self.node.entries


class Entries:
    """A list of records, each read with positions of its own; a bare text is an entry's `key`."""

    def __init__(self, record: Record, short: Match | None = None, key: str = "id") -> None:
        self.record = record
        self.short = short
        self.key = key

    def read(self, reader: Reader, node: Node, path: str) -> list[Entry] | None:
        """Return the entries that are mappings (or ids), however faulty inside."""
        if not isinstance(node, Seq):
            reader.error(
                "wrong-type",
                node,
                f"`{path}` must be a list, not {describe(node)}",
                f"start each entry with `- {self.key}:`",
            )
            return None
        outer = reader.positions
        result = []
        for item in node.items:
            reader.positions = {}
            before = reader.report.errors
            if self.short is not None and isinstance(item, Scalar):
                text = self.short.read(reader, item, "id")
                values = None if text is None else {self.key: text}
                reader.positions[self.key] = (item.line, item.column)
            else:
                values = self.record.read(reader, item, "")
            if values is not None:
                result.append(Entry(item, values, reader.positions, reader.report.errors == before))
        reader.positions = outer
        return result

    def schema(self) -> Schema:
        """Return the schema of the list."""
        record = self.record.schema()
        return {"type": "array", "items": {"anyOf": [self.short.schema(), record]} if self.short else record}


STAGE: Final = Record(
    "a stage",
    {
        "name": Field(id_template, "Its name, given once in the chain; `b{2..4}` stands for three stages."),
        "input": Field(some_text, "The size of what it takes; what the stage before gives if left out."),
        "output": Field(some_text, "The size of what it gives, such as `B * ((N + 1) * D)`."),
    },
    required=("name", "output"),
    instead="write `{name: stem, output: B * (64 * (56 * 56))}`",
)

CHAIN: Final = Record(
    "a chain",
    {
        "id": Field(label_name, "Its name, given once."),
        "net": Field(label_name, "The net whose stages these are."),
        "sizes": Field(
            MapOf(lean_name, some_text), "Names for sizes, each written in those before it, as in Lean."
        ),
        "input": Field(some_text, "The size of what the first stage takes."),
        "stages": Field(ListOf(STAGE, least=1), "The stages in forward order."),
        "pointwise": Field(Flag(), "Whether every stage acts on each example alone; false if left out."),
        "saves": Field(ListOf(id_template), "The ids of the saved activations, one for every join."),
        "apex": Field(label_name, "The id of the composed witness, which claims the compositions."),
        "tie": Field(label_name, "The id of the tie, which may claim as many leaf ties as there are stages."),
        "shape_check": Field(label_name, "The id of the shape check, which claims the batch lifts."),
        "composed_by": Field(label_name, f"What composes two stages; `{COMPOSED_BY}` if left out."),
        "lifted_by": Field(label_name, f"What lifts a composition to a batch; `{LIFTED_BY}` if left out."),
    },
    required=("id", "input", "stages"),
)

SUM: Final = Record(
    "a sum",
    {
        "equation": Field(some_text, "What must hold, such as `12*16 + 2 + 2 + 4 = 200`."),
        "summary": Field(some_text, "What it counts, in words."),
    },
    required=("equation",),
)

FILE: Final = Record(
    "a catalogue file",
    {
        "version": Field(_Version(), "The version of this format."),
        "kinds": Field(
            MapOf(label_name, Either(some_text, _KIND, Map)),
            "Kinds beside the built-in ones, each with its title.",
        ),
        "nets": Field(
            MapOf(label_name, Either(some_text, _LABEL, Map)),
            "The nets; once declared, no other is accepted.",
        ),
        "tiers": Field(
            MapOf(label_name, Either(some_text, _LABEL, Map)),
            "The tiers; once declared, no other is accepted.",
        ),
        "defaults": Field(
            DEFAULTS, "What holds for every obligation of this file that does not say otherwise."
        ),
        "families": Field(Entries(FAMILY), "Sets of obligations to be read as a matrix."),
        "chains": Field(Entries(CHAIN), "Nets as chains of stages, whose dimensions and counts are checked."),
        "sums": Field(Entries(SUM, some_text, "equation"), "Equations of sizes and counts that must hold."),
        "obligations": Field(Entries(ENTRY, short=lean_template), "What must be proved."),
    },
    instead="put the obligations into a list under `obligations:`",
)
