"""One Lean source file read without Lean: its declarations, the marks that deserve a look, its citations.

One regular expression finds the few words that matter in text whose comments and strings are masked;
everything else is passed over. Reserved words start a command wherever they stand outside brackets; words
that only some library reserves (`lemma`, `alias`) must begin a line. Macros are not run: what a project's own
command declares is not seen.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from tracker.lean.scan.mask import mask

PART = r"(?:«[^»\n]*»|(?![λΠΣ])[^\W\d][\w!?']*)"
NAME = rf"{PART}(?:\.{PART})*"

# A tree of words by first letter, behind one character that can end a token before them. `end.x` is a name.
_EVENT = re.compile(
    r"""[^\w.`'!?](a(?:bbrev|xiom|dmit|lias)|c(?:lass|oinductive)|def|e(?:xample|nd)
    |i(?:n(?:stance|ductive|itialize)|rreducible_def)|lemma|mutual|n(?:amespace|ative_decide)|opaque
    |register_option|s(?:ection|tructure|orry(?:Ax)?|et_option)|theorem)(?![\w!?']|\.\w)""",
    re.VERBOSE,
)
_RARE = re.compile(
    r"(?<![\w!?'])(?:\+native|(?:Lean\.)?(?:ofReduceBool|ofReduceNat|trustCompiler))(?![\w!?'])"
)
_MARKS = frozenset(["admit", "native_decide", "set_option", "sorry", "sorryAx"])
_SCOPES = frozenset(["end", "mutual", "namespace", "section"])
_UNRESERVED = frozenset(["alias", "initialize", "irreducible_def", "lemma", "register_option"])
_MODIFIER_WORDS = "private protected public noncomputable unsafe partial nonrec scoped local meta computable"
_MODIFIERS = frozenset(_MODIFIER_WORDS.split())
_NAME_HERE = re.compile(rf"\s*(?:\(\s*priority\b[^)]*\)\s*)?({NAME})")
_SECOND_WORD = re.compile(r"\s+(inductive|abbrev)\b(?![!?'])")
_SAME_LINE = re.compile(rf"[ \t]+({NAME})")
_ALIASES = re.compile(rf"\s*⟨([^⟩]*)⟩|\s*({NAME})")
_PLAIN_NAME = re.compile(NAME)
_OPTION = re.compile(rf"\s+({NAME})\s+(\"[^\"]*\"|[^\s\]),;]+)")
_TIE = re.compile(r"\s+in(?=\s)")
_TACTIC_BEFORE = re.compile(r"(?:^|\n|\bby|=>|[;·|(]|<;>)[ \t]*\Z")
_NAME_AFTER = re.compile(r"\s*[:.=]")
_CITED = re.compile(rf"(?<!`)`@?({PART}(?:\.{PART})+)`(?!`)")
_TRUE = "true"
# Options under which Lean leaves proofs unchecked.
UNCHECKED_OPTIONS = frozenset(
    ["debug.byAsSorry", "debug.proofAsSorry", "debug.skipKernelTC", "debug.terminalTacticsAsSorry"]
)
_LOOK_BACK = 2000


class Declaration(NamedTuple):
    """A declaration: full name (empty for `example` and nameless instances), keyword, place of its name.

    `line` counts from 1, `column` from 0 in code points; a nameless one stands at its keyword. `start` and
    `stop` bound its text, in code points, up to the next command that was seen.
    """

    name: str
    kind: str
    line: int
    column: int
    is_private: bool = False
    is_protected: bool = False
    attributes: str = ""
    start: int = 0
    stop: int = 0


class Mark(NamedTuple):
    """A word or option worth a look. `kind` is sorry, native, unchecked or limit; `value` an option's."""

    kind: str
    line: int
    column: int
    text: str
    declaration: str = ""
    value: str = ""


class Citation(NamedTuple):
    """A dotted name in backticks in a doc comment, with the namespace in which it stands."""

    name: str
    line: int
    namespace: str


class Source(NamedTuple):
    """What one file holds."""

    declarations: list[Declaration]
    marks: list[Mark]
    citations: list[Citation]
    namespaces: frozenset[str]
    lines: int


def scan_source(text: str) -> Source:
    """Return what Lean source `text` declares and marks; never raises, whatever the text."""
    return _Scan(text).run()


def is_limit(option: str) -> bool:
    """Return whether the option is one of Lean's limits: `maxRecDepth`, `synthInstance.maxHeartbeats`, …"""
    return option.rpartition(".")[2].startswith("max")


def is_unchecked(option: str, value: str) -> bool:
    """Return whether the option, so set, lets Lean accept a proof that it did not check."""
    return option in UNCHECKED_OPTIONS and value == _TRUE


def split_parts(name: str) -> list[str]:
    """Return the parts of a name as written; dots inside `«…»` do not split."""
    return re.findall(r"«[^»]*»?|[^.«]+", name) if "«" in name else name.split(".")


class _Scan:
    def __init__(self, text: str) -> None:
        self.text = text
        # A line end in front gives the first word a character before it; offsets into code are one more.
        code, self.docs = mask(text)
        self.code = "\n" + code
        self.line, self.counted = 0, 0
        self.scopes: list[tuple[str, bool]] = []
        self.stacks: list[tuple[int, str]] = [(0, "")]
        self.namespaces: set[str] = set()
        self.declarations: list[Declaration] = []
        self.marks: list[Mark] = []
        self.ties: list[tuple[int, int, int]] = []  # `set_option … in`: start, end and index of its mark
        self.counted_depth = (0, 0)  # up to which offset brackets were counted, and how many are open
        self.floor = 0  # behind the last command word

    def run(self) -> Source:
        for match in _EVENT.finditer(self.code):
            word, start = match[1], match.start(1)
            if start < self.floor:
                continue  # the name of what came before it
            if word in _MARKS:
                self.mark(word, start)
            else:
                self.command(word, start)
        self.finish(len(self.code))
        self.rare()
        citations = self.citations()
        lines = self.text.count("\n") + (not self.text.endswith("\n") and self.text != "")
        return Source(self.declarations, self.marks, citations, frozenset(self.namespaces), lines)

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset into `code`; offsets must not decrease."""
        if offset < self.counted:  # a name is read before the word that follows it: never far back
            self.line, self.counted = 0, 0
        self.line += self.code.count("\n", self.counted, offset)
        self.counted = offset
        return self.line, offset - self.code.rfind("\n", 0, offset) - 1

    def command(self, word: str, start: int) -> None:
        begin, words, attributes = self.prefix(start)
        first = self.code[begin - 1] == "\n"
        if not first and not self.may_begin(word, begin):
            return
        self.finish(begin)
        if word in _SCOPES:
            self.floor = start + len(word)
            self.scope(word)
        elif word == "alias":
            self.aliases(start, words, attributes)
        else:
            self.declare(word, begin, start, words, attributes)

    def prefix(self, start: int) -> tuple[int, list[str], str]:
        """Return where the command of this word begins, its modifiers and its attributes, read backwards."""
        low = max(self.floor, start - _LOOK_BACK)
        rest, words, attributes, begin = self.code[low:start], [], "", start
        while True:
            rest = rest.rstrip()
            if rest.endswith("]"):
                opening = _attribute_start(rest)
                if opening < 0:
                    break
                attributes = rest[opening + 2 : -1] + ("," + attributes if attributes else "")
            else:
                word = rest.rsplit(None, 1)[-1] if rest else ""
                if word not in _MODIFIERS:
                    break
                words.append(word)
                opening = len(rest) - len(word)
            rest, begin = rest[:opening], low + opening
        return max(begin, 1), words, attributes

    def may_begin(self, word: str, begin: int) -> bool:
        """Return whether a word behind others on its line, or indented, starts a command."""
        if word in _UNRESERVED:
            line = self.code.rfind("\n", 0, begin) + 1
            if word != "lemma" or not self.code[line:begin].isspace():
                return False
        previous = self.code[max(self.floor, begin - 200) : begin].rstrip()
        if previous.endswith((".", "`", "@", "|")) or previous.rsplit(None, 1)[-1:] == ["deriving"]:
            return False
        return self.depth(begin) <= 0

    def depth(self, offset: int) -> int:
        """Return how many brackets are open at the offset since the last command word."""
        start, depth = self.counted_depth
        if start < self.floor:
            start, depth = self.floor, 0
        count = self.code.count
        depth += sum([count(c, start, offset) for c in "([{⟨"])
        if depth:
            depth -= sum([count(c, start, offset) for c in ")]}⟩"])
        self.counted_depth = (max(start, offset), depth)
        return depth

    def finish(self, stop: int) -> None:
        """Give the last declaration its end, unless it has one."""
        if self.declarations and not self.declarations[-1].stop:
            self.declarations[-1] = self.declarations[-1]._replace(stop=max(stop - 1, 0))

    def scope(self, word: str) -> None:
        match = _SAME_LINE.match(self.code, self.floor)
        if word == "namespace":
            match = _NAME_HERE.match(self.code, self.floor)
        name = self.written(match) if match and word != "mutual" else ""
        if name in ("in", "where") and word == "section":
            name = ""
        if name and match:
            self.floor = match.end()
        parts = split_parts(name) if name else [""]
        if word == "end":
            del self.scopes[max(0, len(self.scopes) - len(parts)) :]
        else:
            self.scopes.extend([(part, word == "namespace") for part in parts])
        space = self.namespace()
        self.stacks.append((self.floor, space))
        if word == "namespace" and name:
            self.namespaces.add(space)

    def namespace(self) -> str:
        return ".".join([name for name, named in self.scopes if named])

    def written(self, match: re.Match[str], group: int = 1) -> str:
        return self.text[match.start(group) - 1 : match.end(group) - 1]

    def full_name(self, name: str) -> str:
        if name.startswith("_root_."):
            return name.removeprefix("_root_.")
        space = self.namespace()
        return f"{space}.{name}" if space else name

    def declare(self, word: str, begin: int, start: int, words: list[str], attributes: str) -> None:
        after, kind = start + len(word), word
        if word == "class" and (second := _SECOND_WORD.match(self.code, after)):
            after, kind = second.end(), f"class {second[1]}"
        match = None if word == "example" else _NAME_HERE.match(self.code, after)
        if match is None and word not in ("example", "instance"):
            self.floor = after
            return
        if word == "initialize" and match and not re.compile(r"\s*:[^=]").match(self.code, match.end()):
            self.floor = after
            return  # `initialize` of an action alone declares nothing
        name = self.full_name(self.written(match)) if match else ""
        line, column = self.place(match.start(1) if match else start)
        self.floor = match.end() if match else after
        self.add(name, kind, line, column, words, attributes, begin)

    def aliases(self, start: int, words: list[str], attributes: str) -> None:
        match = _ALIASES.match(self.code, start + len("alias"))
        self.floor = match.end() if match else start + len("alias")
        if match is None:
            return
        group = 1 if match[1] is not None else 2
        for found in _PLAIN_NAME.finditer(self.code, match.start(group), match.end(group)):
            if found[0] != "_":
                line, column = self.place(found.start())
                name = self.full_name(self.written(found, 0))
                self.add(name, "alias", line, column, words, attributes, start)
                self.finish(self.floor)

    def add(
        self, name: str, kind: str, line: int, column: int, words: list[str], attributes: str, begin: int
    ) -> None:
        private, protected = "private" in words, "protected" in words
        short = " ".join(attributes.split())
        self.tie(begin, name)
        self.declarations.append(
            Declaration(name, kind, line, column, private, protected, short, max(begin - 1, 0))
        )

    def mark(self, word: str, start: int) -> None:
        if word == "admit" and not self.is_tactic(start, start + len(word)):
            return  # not a reserved word: it may be a name
        if word == "set_option":
            self.option(start)
            return
        line, column = self.place(start)
        kind = "native" if word == "native_decide" else "sorry"
        self.marks.append(Mark(kind, line, column, word, self.inside(start)))

    def is_tactic(self, start: int, end: int) -> bool:
        before = _TACTIC_BEFORE.search(self.code[max(0, start - 40) : start])
        return before is not None and not _NAME_AFTER.match(self.code, end)

    def option(self, start: int) -> None:
        match = _OPTION.match(self.code, start + len("set_option"))
        if match is None:
            return
        quoted, value = self.written(match), self.written(match, 2)
        name = quoted.replace("«", "").replace("»", "")
        kind = "limit" if is_limit(name) else "unchecked" if is_unchecked(name, value) else ""
        if kind:
            line, column = self.place(start)
            # In the first column it is a command: of what follows, if anything.
            self.marks.append(Mark(kind, line, column, name, self.inside(start) if column else "", value))
            if tie := _TIE.match(self.code, match.end()):
                self.ties.append((start, tie.end(), len(self.marks) - 1))

    def tie(self, begin: int, name: str) -> None:
        """Give the marks of `set_option … in` before a declaration to it."""
        while self.ties:
            start, end, index = self.ties.pop()
            if end > begin or not (end == begin or self.code[end:begin].isspace()):
                break
            self.marks[index] = self.marks[index]._replace(declaration=name)
            begin = start
        self.ties.clear()

    def inside(self, start: int) -> str:
        """Return the declaration whose text holds the offset."""
        if self.declarations and (not self.declarations[-1].stop or start <= self.declarations[-1].stop):
            return self.declarations[-1].name
        return ""

    def rare(self) -> None:
        if "+native" not in self.code and "ofReduce" not in self.code and "trustCompiler" not in self.code:
            return
        starts = [declaration.start for declaration in self.declarations]
        for match in _RARE.finditer(self.code):
            line, column = self.place(match.start())
            index = bisect_right(starts, match.start() - 1) - 1
            name = self.declarations[index].name if index >= 0 else ""
            self.marks.append(Mark("native", line, column, match[0], name))
        self.marks.sort(key=lambda mark: (mark.line, mark.column))

    def citations(self) -> list[Citation]:
        found, line, counted = [], 1, 0
        offsets = [offset for offset, _ in self.stacks]
        for start, end in self.docs:
            for match in _CITED.finditer(self.text, start, end):
                line += self.text.count("\n", counted, match.start())
                counted = match.start()
                space = self.stacks[bisect_right(offsets, start + 1) - 1][1]
                found.append(Citation(match[1], line, space))
        return found


def _attribute_start(text: str) -> int:
    """Return where the `@[…]` begins that ends the text, -1 when the brackets are another thing."""
    depth = 0
    for index in range(len(text) - 1, -1, -1):
        depth += (text[index] == "]") - (text[index] == "[")
        if depth == 0:
            return index - 1 if index and text[index - 1] == "@" else -1
    return -1
