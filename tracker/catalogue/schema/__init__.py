"""The published JSON Schema of catalogue files (draft 2020-12), made from the loader's own tables.

`python -m tracker.catalogue.schema` writes it anew; a test compares. It refuses what the loader
refuses in the `shape` layer, no less and no more; what needs the whole catalogue it cannot see.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from tracker.catalogue.fields import FILE
from tracker.catalogue.names import LEAN_TEMPLATE

SCHEMA_FILE: Final = Path(__file__).with_name("obligations.schema.json")
"""The published file."""


def build() -> dict[str, Any]:
    """Return the schema as JSON data."""
    schema = FILE.schema()
    short, entry = schema["properties"]["obligations"]["items"]["anyOf"]
    entry["if"] = {"required": ["decl"]}
    entry["then"] = True
    entry["else"] = {"properties": {"id": {"pattern": LEAN_TEMPLATE}}}
    schema["properties"]["obligations"]["items"] = {"if": {"type": "object"}, "then": entry, "else": short}
    family = schema["properties"]["families"]["items"]
    family["anyOf"] = [{"required": ["pattern"]}, {"required": ["members"]}]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "tracker catalogue",
        "description": "Proof obligations of a Lean 4 project. Read by the YAML 1.2 core schema.",
        **schema,
        "allOf": [_required_somewhere(name) for name in ("kind", "module")],
    }


def _required_somewhere(name: str) -> dict[str, Any]:
    """Every obligation needs the field, unless the file's defaults have it."""
    own = {"properties": {"obligations": {"items": {"type": "object", "required": [name]}}}}
    shared = {"required": ["defaults"], "properties": {"defaults": {"required": [name]}}}
    return {"if": shared, "then": True, "else": own}


def text() -> str:
    """Return the schema as the text of the published file."""
    return json.dumps(build(), ensure_ascii=False, indent=2) + "\n"
