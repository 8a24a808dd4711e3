"""The probe: asking Lean about declarations of modules that checked.

A generated file imports the modules and asks, one command a line, `#print axioms`, `#check` and `#print` for
each declaration. Answers are taken from Lean's JSON messages by their line, never from plain text. The
answer to `#print axioms` is believed only for modules whose check had no error: after a kernel failure
Lean would say that the broken theorem needs no axiom.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tracker.lean.messages import Message, read_messages
from tracker.units import show_count

# Fixed options, so that equal statements print equally. Widths and depths never cut a statement short.
_READABLE = ("set_option pp.maxSteps 200000", "set_option pp.deepTerms true", "set_option format.width 100")
# Of `#print` only the first words are read, the kind and the name; bodies can be huge.
_BRIEF = ("set_option pp.maxSteps 64", "set_option pp.deepTerms false", "set_option pp.proofs false")
_COMMANDS = ("axioms", "check", "print")
_DEPENDS = re.compile(r"'(?P<name>.+)' depends on axioms: \[(?P<axioms>.*)\]", re.DOTALL)
_INDEPENDENT = re.compile(r"'(?P<name>.+)' does not depend on any axioms")
_KIND = re.compile(
    r"^(?:@\[[^\]]*\]\s*)*(?:(?:private|protected|noncomputable|unsafe|partial|scoped|local)\s+)*"
    r"(theorem|def|abbrev|instance|structure|class inductive|class|inductive|axiom|opaque|constructor|"
    r"recursor|Quotient primitive)\b"
)


@dataclass(frozen=True)
class Answer:
    """What Lean answered about one declaration."""

    declaration: str
    found: bool
    kind: str | None
    """Without its modifiers: whether it is unsafe, the compiled file says."""
    axioms: tuple[str, ...]
    statement: str
    note: str


def probe_source(modules: Sequence[str], declarations: Sequence[str]) -> str:
    """Return the probe's Lean text."""
    imports = "".join(f"import {module}\n" for module in modules)
    readable = "".join(f"{option}\n" for option in _READABLE)
    brief = "".join(f"{option}\n" for option in _BRIEF)
    first = "".join(f"#print axioms {name}\n#check {name}\n" for name in declarations)
    second = "".join(f"#print {name}\n" for name in declarations)
    return imports + readable + first + brief + second


def _lines(modules: Sequence[str], declarations: Sequence[str]) -> Mapping[int, tuple[str, str]]:
    """Return for each line of the probe which declaration it asks about, and what."""
    start = len(modules) + len(_READABLE) + 1
    table = {}
    for i, name in enumerate(declarations):
        table[start + 2 * i] = (name, "axioms")
        table[start + 2 * i + 1] = (name, "check")
        table[start + 2 * len(declarations) + len(_BRIEF) + i] = (name, "print")
    return table


def read_answers(
    modules: Sequence[str], declarations: Sequence[str], output: bytes
) -> tuple[list[Answer], list[str]]:
    """Return the answers, and what Lean said besides (errors of the header, stray output).

    A declaration with no complete set of answers is not found: silence is never taken for a yes.
    """
    table = _lines(modules, declarations)
    said: dict[str, dict[str, list[Message]]] = {name: {c: [] for c in _COMMANDS} for name in declarations}
    stray: list[str] = []
    for entry in read_messages(io.BytesIO(output)):
        place = table.get(entry.pos.line) if isinstance(entry, Message) and entry.pos else None
        if isinstance(entry, Message) and place is not None:
            said[place[0]][place[1]].append(entry)
        else:
            stray.append(entry.text)
    return [_answer(name, said[name]) for name in declarations], stray


def _answer(name: str, said: Mapping[str, Iterable[Message]]) -> Answer:
    texts: dict[str, str] = {}
    problems: list[str] = []
    for command in _COMMANDS:
        messages = list(said[command])
        problems += [m.text for m in messages if m.severity != "information"]
        informations = [m.text for m in messages if m.severity == "information"]
        if len(informations) == 1:
            texts[command] = informations[0]
        elif not problems:
            problems.append(f"Lean gave {show_count(len(informations), 'answer')} to #{command}")
    axioms = read_axioms(name, texts["axioms"]) if "axioms" in texts else None
    kind = _KIND.match(texts.get("print", ""))
    if kind is not None and not _names(texts["print"][kind.end() :], name):
        kind = None
    if axioms is None and not problems:
        problems.append(f"not an answer to #print axioms: {texts.get('axioms', '')[:200]}")
    if kind is None and not problems:
        problems.append(f"not an answer to #print: {texts.get('print', '')[:200]}")
    if problems or axioms is None or kind is None:
        return Answer(name, False, None, (), "", problems[0])
    return Answer(name, True, kind[1], axioms, texts["check"], "")


def _names(rest: str, name: str) -> bool:
    """Return whether what follows the kind in `#print` is this name, perhaps with universes."""
    bare, rest = name.replace("«", "").replace("»", ""), rest.lstrip().replace("«", "").replace("»", "")
    return (
        rest.startswith(bare) and rest[len(bare) : len(bare) + 1] in ("", " ", "\n", ":")
    ) or rest.startswith(bare + ".{")


def read_axioms(name: str, text: str) -> tuple[str, ...] | None:
    """Return the axioms that `#print axioms NAME` lists, in Lean's order; None when it is no such answer.

    Names may hold any character inside «…», so the list is split outside of those only.
    """
    if (match := _INDEPENDENT.fullmatch(text)) and match["name"] == name:
        return ()
    if (match := _DEPENDS.fullmatch(text)) and match["name"] == name:
        names = re.findall(r"(?:«[^»]*»|[^,«\s])+", match["axioms"])
        return tuple(names) if names else None
    return None
