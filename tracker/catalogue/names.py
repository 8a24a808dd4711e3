"""What may be an id, a label or a Lean name, as regular expressions.

The same patterns stand in the published JSON Schema, so they keep to what Python and ECMAScript
read alike, and end in `$(?!\\n)` because Python's `$` also matches before a last newline.
Lean's identifiers follow `Lean.isIdFirst` and `Lean.isIdRest` (Lean 4, Init/Meta/Defs.lean).
"""

from __future__ import annotations

import re
from typing import Final

_LETTERS = (
    "A-Za-z_"
    "À-ÖØ-öø-ſ"  # Latin letters with marks
    "Α-ΟΡ\u03a2Τ-Ωα-κμ-ωϊ-ϻ"  # Greek and Coptic without lambda, capital Pi and capital Sigma
    "ἀ-῾"  # polytonic Greek
    "℀-⅏"  # letter-like symbols
    "𝒜-𝖟"  # script, double-struck and Fraktur
)
_REST = _LETTERS + "0-9'!?" + "₀-₉ₐ-ₜᵢ-ᵪⱼ"
_END = r"$(?!\n)"
_BRACES = r"\{[^{}\n\r]*\}"

_COMPONENT = rf"(?:[{_LETTERS}][{_REST}]*|«[^«»\n\r]+»)"
_TEMPLATE = rf"(?:(?:[{_LETTERS}]|{_BRACES})(?:[{_REST}]|{_BRACES})*|«(?:[^«»{{}}\n\r]|{_BRACES})+»)"

# In a source `_root_.` says that the name is full; it is no part of it.
_FULL = r"(?!_root_\.)"

# White space, control and invisible characters, and those that shells, globs and YAML give a meaning.
_NOT_IN_ID = (
    "\\u0000-\\u0020\\u007f-\\u00a0\\u1680\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\ufeff"
    '{}()\\[\\],:;*"<>|&$#%@\\\\^`~='
)

LEAN_NAME: Final = f"^{_FULL}{_COMPONENT}(?:\\.{_COMPONENT})*{_END}"
"""A full Lean name, such as `Proofs.«odd name».foo'`."""
LEAN_TEMPLATE: Final = f"^{_FULL}{_TEMPLATE}(?:\\.{_TEMPLATE})*{_END}"
"""A Lean name in which `{…}` may stand for a part."""
ID: Final = f"^[^{_NOT_IN_ID}]+{_END}"
"""An id of an obligation or family, or the name of a kind, net, tier or tag."""
ID_TEMPLATE: Final = f"^(?:[^{_NOT_IN_ID}]|{_BRACES})+{_END}"
"""An id in which `{…}` may stand for a part."""
CLAIMED: Final = f"{LEAN_TEMPLATE}|{ID_TEMPLATE}"
"""What a claim may count: a declaration by its name or an obligation by its id, `{…}` standing for a part."""

is_lean_name = re.compile(LEAN_NAME).search
is_lean_template = re.compile(LEAN_TEMPLATE).search
is_id = re.compile(ID).search
is_id_template = re.compile(ID_TEMPLATE).search
is_claimed = re.compile(CLAIMED).search
