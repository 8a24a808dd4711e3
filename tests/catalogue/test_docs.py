"""docs/catalogue.md names every field, kind and code; its tables are made from the loader's own."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from tracker.catalogue.codes import CODES
from tracker.catalogue.fields import BUDGET, CHAIN, DEFAULTS, ENTRY, FAMILY, FILE, STAGE, SUM
from tracker.catalogue.load import load_text
from tracker.catalogue.model import BUILTIN_KINDS
from tracker.catalogue.shapes import Record

PAGE = Path(__file__).parents[2] / "docs" / "catalogue.md"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [head, ["---" for _ in head], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def fields(record: Record) -> str:
    required = dict.fromkeys(record.required, " (required)")
    if record is ENTRY:
        required |= dict.fromkeys(("kind", "module"), " (required, here or under `defaults`)")
    rows = [(f"`{name}`{required.get(name, '')}", field.doc) for name, field in record.fields.items()]
    return table(("field", "what it says"), rows)


TABLES: Mapping[str, str] = {
    "file": fields(FILE),
    "obligation": fields(ENTRY),
    "defaults": fields(DEFAULTS),
    "budget": fields(BUDGET),
    "family": fields(FAMILY),
    "chain": fields(CHAIN),
    "stage": fields(STAGE),
    "sum": fields(SUM),
    "kinds": table(
        ("kind", "title", "expects"), [(f"`{k.name}`", k.title, k.expects or "") for k in BUILTIN_KINDS]
    ),
    "codes": table(
        ("code", "severity", "title"), [(f"`{code}`", r.severity, r.title) for code, r in CODES.items()]
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_up_to_date(name: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    made = f"<!-- {name} -->\n{TABLES[name]}<!-- /{name} -->"
    found = re.search(rf"<!-- {name} -->\n.*?<!-- /{name} -->", text, re.DOTALL)
    assert found is not None
    if os.environ.get("TRACKER_UPDATE_GOLDEN"):
        PAGE.write_text(text.replace(found[0], made), encoding="utf-8")
    else:
        assert found[0] == made


def test_the_first_example_only_lacks_what_it_builds_on() -> None:
    example = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]
    base = "  - {id: batchMap, kind: foundation}\n"
    base += "  - {id: batchMap_comp, kind: foundation, depends_on: [batchMap]}\n"
    assert load_text(example + base).diagnostics == ()


def test_the_other_examples_are_sound() -> None:
    examples = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1:]
    names = ["vjp_comp_diff_at", "vit{Head,FinalLN,TowerK}BackB_eq_vjp", "vitInputGradKB_eq_vitKVB_vjp"]
    entries = "".join(f"  - id: '{name}'\n    net: vit\n" for name in names)
    gradient = "  - {id: cnxInputGradB_eq_cnx_vjp, net: vit}\n"
    for example in examples:
        nets = "" if "nets:" in example else "nets: {vit: ViT-Tiny, r34: ResNet-34}\n"
        head = f"{nets}defaults: {{kind: tie, module: M}}\n"
        if example.startswith("claims:"):
            deps = "[vjp_comp_diff_at, 'vit{Head,FinalLN,TowerK}BackB_eq_vjp']"
            entry = f"  - id: proof\n    depends_on: {deps}\n" + re.sub(
                "^", "    ", example, flags=re.MULTILINE
            )
            text = f"{head}obligations:\n{entries}{entry}"
        else:
            text = f"{head}{example}obligations:\n{entries}{gradient}"
        assert [str(d) for d in load_text(text).diagnostics if d.code != "isolated"] == []
