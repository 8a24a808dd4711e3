"""Every code that a finding about a catalogue can carry. What each means in full: `explain`.

The layer says who can see the fault: `file` and `yaml` faults keep a file from being read, `shape`
faults are those that the published JSON Schema refuses too, `meaning` faults need the whole
catalogue.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from tracker.text import wrapped

Layer = Literal["file", "yaml", "shape", "meaning"]
SeverityName = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One code: where such a fault is seen, how bad it is, and what it is in one line."""

    code: str
    layer: Layer
    severity: SeverityName
    title: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """One code in full: what it is, why it matters, an example with its cure."""

    rule: Rule
    what: str
    why: str
    bad: str
    good: str
    cure: str

    @property
    def title(self) -> str:
        """The rule in one line."""
        return self.rule.title

    def text(self) -> str:
        """Return the explanation as plain text, wrapped, examples indented by four spaces."""
        head = f"{self.rule.severity}[{self.rule.code}]: {self.rule.title}"
        parts = [head, wrapped(self.what), wrapped(f"Why: {self.why}"), "Wrong:", _indented(self.bad)]
        if self.good:
            parts += ["Right:", _indented(self.good)]
        return "\n\n".join([*parts, wrapped(f"Cure: {self.cure}")])


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())


_RULES = (
    Rule("no-catalogue", "file", "error", "no catalogue was found"),
    Rule("unreadable", "file", "error", "a file or directory cannot be read"),
    Rule("symlink-loop", "file", "error", "symbolic links lead back to themselves"),
    Rule("no-files", "file", "error", "a directory holds no catalogue file"),
    Rule("too-large", "file", "error", "a file is larger than a catalogue file may be"),
    Rule("bad-encoding", "file", "error", "a file is not UTF-8 text"),
    Rule("yaml-syntax", "yaml", "error", "a file is not YAML"),
    Rule("empty-file", "yaml", "error", "a file holds nothing"),
    Rule("multiple-documents", "yaml", "error", "a file holds more than one YAML document"),
    Rule("duplicate-key", "yaml", "error", "a mapping has one key twice"),
    Rule("bad-key", "yaml", "error", "a mapping's key is not a text"),
    Rule("yaml-alias", "yaml", "error", "a YAML alias names no finished anchor"),
    Rule("yaml-tag", "yaml", "error", "a YAML tag is used"),
    Rule("yaml-limit", "yaml", "error", "a file is nested or repeated beyond the limits"),
    Rule("wrong-type", "shape", "error", "a value is of the wrong type"),
    Rule("unknown-field", "shape", "error", "a field is not known"),
    Rule("missing-field", "shape", "error", "a required field is missing"),
    Rule("bad-value", "shape", "error", "a value is not one of those allowed"),
    Rule("bad-id", "shape", "error", "an id is empty or has characters that ids may not have"),
    Rule("bad-name", "shape", "error", "a text is not a Lean name"),
    Rule("bad-budget", "shape", "error", "a budget is not an amount with a unit"),
    Rule("no-obligations", "meaning", "error", "a catalogue has no obligations"),
    Rule("duplicate-id", "meaning", "error", "one id is given twice"),
    Rule("duplicate-decl", "meaning", "error", "two obligations name one declaration"),
    Rule("duplicate-label", "meaning", "error", "a kind, net or tier is declared twice"),
    Rule("bad-pattern", "meaning", "error", "a {…} pattern cannot be expanded"),
    Rule("duplicate-claim", "meaning", "error", "a claim is made twice under two names"),
    Rule("unknown-kind", "meaning", "error", "a kind is not declared"),
    Rule("unknown-net", "meaning", "error", "a net is not declared"),
    Rule("unknown-tier", "meaning", "error", "a tier is not declared"),
    Rule("unknown-dependency", "meaning", "error", "a dependency names no obligation"),
    Rule("self-dependency", "meaning", "error", "an obligation depends on itself"),
    Rule("cycle", "meaning", "error", "obligations depend on each other in a circle"),
    Rule("alias-clash", "meaning", "error", "an older name is also another obligation's name"),
    Rule("sorry-allowed", "meaning", "error", "sorry is among the allowed axioms"),
    Rule("axiom-conflict", "meaning", "error", "an axiom is both allowed and forbidden"),
    Rule("family-empty", "meaning", "error", "a family's pattern matches nothing"),
    Rule("unknown-member", "meaning", "error", "a family names an obligation that does not exist"),
    Rule("family-absent", "meaning", "error", "a family's absence is wrong"),
    Rule(
        "unknown-reference", "meaning", "error", "a chain or a claim names an obligation that does not exist"
    ),
    Rule("bad-dims", "meaning", "error", "a size or an equation cannot be read"),
    Rule("chain-join", "meaning", "error", "a stage does not take what the one before it gives"),
    Rule("chain-compositions", "meaning", "error", "an apex claims another number of compositions"),
    Rule("chain-saves", "meaning", "error", "a chain saves another number of activations"),
    Rule("chain-leaves", "meaning", "error", "a tie claims more leaf rewrites than there are stages"),
    Rule("chain-lifts", "meaning", "error", "a shape check claims another number of batch lifts"),
    Rule("wrong-sum", "meaning", "error", "an equation does not hold"),
    Rule("two-spellings", "meaning", "warning", "one size is spelled in two ways at a join"),
    Rule("family-gap", "meaning", "warning", "a family has no member where one is expected"),
    Rule("duplicate-dependency", "meaning", "warning", "a dependency is listed twice"),
    Rule("claim-without-edge", "meaning", "warning", "a claim counts uses of what is not a dependency"),
    Rule("isolated", "meaning", "warning", "an obligation has no edge at all"),
    Rule("redundant-edge", "meaning", "info", "a dependency is also reached through another"),
)

CODES: Mapping[str, Rule] = {rule.code: rule for rule in _RULES}
"""Every rule by its code, in the order in which a catalogue is read."""


@cache
def explanations() -> Mapping[str, Explanation]:
    """Return the explanation of every code, read from the package's `explanations.toml`."""
    import tomllib
    from importlib.resources import files

    text = (files("tracker.catalogue") / "explanations.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    return {code: Explanation(rule, **_stripped(table[code])) for code, rule in CODES.items()}


def _stripped(entry: Mapping[str, str]) -> dict[str, str]:
    return {key: entry.get(key, "").strip("\n") for key in ("what", "why", "bad", "good", "cure")}
