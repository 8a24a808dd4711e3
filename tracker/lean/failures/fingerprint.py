"""A hash of a message that stays the same when names, numbers, paths and metavariables change.

Two checks that fail "in the same way" get the same fingerprint: after a rename, at another line, on another
machine, and across the rewordings of Lean's releases that only touch quotes, case and trailing advice.
"""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256

# What Lean appends as advice; it changed wording several times while the failure stayed the same.
_ADVICE = r"""
    \n+(?:Note|Hint|Tip):\ .*\Z                               # since 4.2x, to the end
  | [,;]?\ *\(?use\ [`'"]set_option\ [^`'"]*[`'"]\ to\ [^\n)]*\)?\.?
  | \[\d+\ further\ (?:characters|bytes)\ left\ out\]
"""
_STEPS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("\x1b",), r"\x1b\[[0-?]*[ -/]*[@-~]", ""),
    (("`", "‘", "'", '"'), r"`[^`\n]*`|‘[^’\n]*’|(?<!\w)'[^'\n]*'|\"[^\"\n]*\"", "Q"),
    (("?",), r"\?[\w.]+", "?m"),
    (("/", "\\"), r"(?:[A-Za-z]:)?(?:[\w.~+«»-]*[/\\])+[\w.~+«»-]*", "P"),
    (("",), r"\b\d+(?:\.\d+)*\b", "N"),
    (("\n ", "\n\t"), r"\n[ \t]+[^\n]*", "\n E"),  # indented lines are expressions, goals, paths
    (("⊢", ": "), r"\n[^\n]*(?:⊢|: )[^\n]*", "\n H"),  # hypotheses and goals
    (("\n E", "\n H"), r"(?:\n [EH])+", "\n E"),
    (("\ncase ",), r"\ncase [^\n]*", ""),
    (("  ", "\t"), r"[ \t]{2,}|\t", " "),
)
"""What must be there (one of these), pattern, and what it becomes; looking first spares most of the time."""


@cache
def _steps() -> tuple[tuple[tuple[str, ...], re.Pattern[str], str], ...]:
    advice = re.compile(_ADVICE, re.VERBOSE | re.DOTALL)
    signs = ("Note: ", "Hint: ", "Tip: ", "use ", "further ")
    others = ((needed, re.compile(pattern), to) for needed, pattern, to in _STEPS)
    return ((signs, advice, ""), *others)


_LIMIT = 4000


def normalised(text: str) -> str:
    """Return the skeleton of a message: what is left when everything particular is taken out."""
    text = text[:_LIMIT]
    for signs, pattern, to in _steps():
        if any(sign in text for sign in signs):
            text = pattern.sub(to, text)
    return text.strip().lower()


def fingerprint(cls: str, where: str, text: str) -> str:
    """Return 16 hexadecimal digits for a failure of this class, place in Lean, and wording."""
    return sha256("\0".join((cls, where, normalised(text))).encode("utf-8", "replace")).hexdigest()[:16]
