"""Lean files that ask for axioms: `#print axioms NAME`, perhaps with the answer that is expected.

An expected answer stands in a doc comment before `#guard_msgs in`, or in a comment on the next line.
"""

from __future__ import annotations

import re

from tracker.importers.cited import Citations, Cited
from tracker.lean.probe import read_axioms
from tracker.lean.scan.mask import mask
from tracker.lean.scan.source import NAME

_ASKED = re.compile(rf"#print\s+axioms\s+({NAME})")
_GUARD = re.compile(r"/--\s*info:\s*((?:(?!-/).)*?)\s*-/\s*#guard_msgs\b[^\n]*?\bin\s*\Z", re.DOTALL)
_BELOW = re.compile(r"[ \t]*\n[ \t]*(?:--[ \t]*|/-[ \t]*)('[^\n]*?)[ \t]*(?:-/[ \t]*)?(?:\n|\Z)")
_LOOK_BACK = 4000  # characters


def read(text: str, path: str) -> Citations:
    """Return the declarations whose axioms a Lean file asks for."""
    cited = []
    code = mask(text).code
    for match in _ASKED.finditer(code):
        name = text[match.start(1) : match.end(1)]
        guard = _GUARD.search(text[max(0, match.start() - _LOOK_BACK) : match.start()])
        below = _BELOW.match(text, match.end())
        answer = guard[1] if guard else below[1] if below else ""
        axioms = read_axioms(name, " ".join(answer.split()))
        line = text.count("\n", 0, match.start()) + 1
        cited.append(Cited(name, path, line, "audit", axioms=axioms))
    return Citations(tuple(cited))
