"""Where the declarations of a Lean source file are, by a light scan: used when there is no `.ilean`.

Lean writes no `.ilean` for a file with an error, which is when places are wanted most. The scan knows
namespaces, sections, `mutual`, attributes, modifiers, `… in` prefixes and `set_option`. It does not run
macros: a declaration made by a project's own command is part of the text of its predecessor.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from tracker.lean.log.tokens import Token, tokens


class Position(NamedTuple):
    """A place in a source file as Lean's messages count it: line from 1, column from 0 in code points."""

    line: int
    column: int


class DeclarationRange(NamedTuple):
    """One declaration of a file: full name, extent and the place of its name.

    `end` is the first position behind it. For `example` the name is `_example` and sits on the keyword, for
    an instance without a name it is `_instance`, both below the namespace. `options` are the `set_option`
    values in force there, as written.
    """

    name: str
    start: Position
    end: Position
    name_start: Position
    name_end: Position
    keyword: str = ""
    options: tuple[tuple[str, str], ...] = ()


_DECLARING_WORDS = """
theorem lemma def abbrev instance example structure class inductive coinductive axiom opaque constant
irreducible_def
"""
_MODIFIER_WORDS = """
private protected public noncomputable unsafe partial nonrec scoped local meta computable
"""
_COMMAND_WORDS = """
open export variable universe set_option attribute deriving notation infix infixl infixr prefix postfix
syntax macro macro_rules elab elab_rules declare_syntax_cat register_option initialize builtin_initialize
import include omit run_cmd run_elab run_meta add_decl_doc library_note alias suppress_compilation
unseal seal module prelude simproc dsimproc recommended_spelling grind_pattern assert_not_exists
register_simp_attr register_label_attr compile_inductive proof_wanted initialize_simps_projections
unif_hint binder_predicate
"""
DECLARING = frozenset(_DECLARING_WORDS.split())
_MODIFIERS = frozenset(_MODIFIER_WORDS.split())
_COMMANDS = frozenset(_COMMAND_WORDS.split())
_SCOPES = frozenset(["namespace", "section", "mutual", "end"])
_PREFIXED = frozenset(
    ["open", "set_option", "variable", "universe", "omit", "include", "attribute", "unseal"]
)
_ROOT = "_root_."


def declaration_ranges(text: str) -> list[DeclarationRange]:
    """Return the declarations of Lean source `text` in order; never raises, whatever the text."""
    return list(_Scan(text).run())


@dataclass(slots=True)
class _Scope:
    """One open `namespace`, `section` or `mutual`: its name part and the options it started with."""

    name: str
    is_namespace: bool
    options: dict[str, str]


@dataclass(slots=True)
class _Open:
    """A declaration whose end is not yet known."""

    name: str
    keyword: str
    start: int
    name_start: int
    name_end: int
    options: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class _Scan:
    text: str
    scopes: list[_Scope] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)
    local: dict[str, str] = field(default_factory=dict)  # set_option … in, for the next declaration
    start: int | None = None  # where the command being read began, when prefixes were seen
    current: _Open | None = None
    last_end: int = 0
    depth: int = 0
    index: int = 0
    toks: list[Token] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def run(self) -> Iterator[DeclarationRange]:
        self.toks = list(tokens(self.text))
        self.lines = [0, *(i + 1 for i, c in enumerate(self.text) if c == "\n")]
        while self.index < len(self.toks):
            token = self.toks[self.index]
            self.index += 1
            if self._begins_command(token):
                yield from self._close()
                self._command(token)
            elif token.kind in ("open", "at"):
                self.depth += 1
            elif token.kind == "close":
                self.depth = max(0, self.depth - 1)
            self.last_end = max(self.last_end, token.end)
        yield from self._close()

    def _begins_command(self, token: Token) -> bool:
        """Whether a new command starts: a reserved word outside brackets, or any command word in column 0."""
        first_column = token.offset == 0 or self.text[token.offset - 1] == "\n"
        if first_column and token.kind in ("doc", "at", "hash", "name"):
            known = token.kind != "name" or token.text in _COMMANDS or token.text in _MODIFIERS
            if known or token.text in DECLARING or token.text in _SCOPES:
                self.depth = 0  # brackets left open by broken text end here
                return True
        if self.depth or token.kind != "name":
            return self.depth == 0 and token.kind == "doc"
        previous = self.toks[self.index - 2].text if self.index > 1 else ""
        if token.text == "instance" and previous == "deriving":
            return False
        reserved = token.text in DECLARING or token.text in _SCOPES or token.text in ("private", "protected")
        return reserved and previous not in (".", "|", "`", "@")

    def _command(self, token: Token) -> None:
        begin = token.offset if self.start is None else self.start
        if token.kind == "at" or token.text in _MODIFIERS or token.kind == "doc":
            self._hold(token, begin)
        elif token.text in _SCOPES:
            self._scope(token.text)
            self._reset()
        elif token.text in DECLARING:
            self._declare(token, begin)
            self._reset()
        elif token.text in _PREFIXED and self._prefix(token):
            self.start = begin
        else:
            self._reset()

    def _reset(self) -> None:
        self.start = None
        self.local = {}

    def _hold(self, token: Token, begin: int) -> None:
        """Keep where the command began, over attributes (skipped whole), modifiers and doc comments."""
        self.start = begin
        while True:
            if token.kind == "at":
                self._skip_brackets()
            if self.index >= len(self.toks):
                return
            token = self.toks[self.index]
            held = token.kind == "at" or token.text in _MODIFIERS
            if not held and token.text not in DECLARING and token.text != "section":
                return
            self.index += 1
            self.last_end = token.end
            if not held:
                self._command(token)
                return

    def _skip_brackets(self) -> None:
        level = 1
        while level and self.index < len(self.toks):
            kind = self.toks[self.index].kind
            level += (kind in ("open", "at")) - (kind == "close")
            self.index += 1

    def _prefix(self, token: Token) -> bool:
        """Read `set_option N V [in]` and friends; return whether an `in` ties it to the next command."""
        words: list[Token] = []
        position = self.index
        while position < len(self.toks) and len(words) < 200:
            following = self.toks[position]
            if following.text == "in":
                self.index = position + 1
                self._option(token, words, self.local)
                return True
            first_column = self.text[following.offset - 1] == "\n"
            if first_column or following.text in DECLARING or following.text in _SCOPES:
                break
            words.append(following)
            position += 1
        self._option(token, words, self.options)
        return False

    @staticmethod
    def _option(token: Token, words: list[Token], into: dict[str, str]) -> None:
        if token.text == "set_option" and len(words) >= 2 and words[0].kind == "name":
            into[words[0].text] = words[1].text

    def _scope(self, word: str) -> None:
        if word == "end":
            self._end()
            return
        name = ""
        if word != "mutual" and self.index < len(self.toks):
            following = self.toks[self.index]
            same_line = "\n" not in self.text[self.toks[self.index - 1].end : following.offset]
            if following.kind == "name" and (same_line or word == "namespace"):
                name = following.text
                self.index += 1
        for part in _parts(name) if name else [""]:
            self.scopes.append(_Scope(part, word == "namespace", dict(self.options)))

    def _end(self) -> None:
        parts = [""]
        if self.index < len(self.toks):
            following = self.toks[self.index]
            gap = self.text[self.toks[self.index - 1].end : following.offset]
            if following.kind == "name" and "\n" not in gap:
                parts = _parts(following.text)
                self.index += 1
        for _ in parts:
            if self.scopes:
                self.options = self.scopes.pop().options

    def _declare(self, token: Token, begin: int) -> None:
        keyword = token.text
        following = self.toks[self.index] if self.index < len(self.toks) else None
        if keyword == "class" and following and following.text in ("inductive", "abbrev"):
            self.index += 1
            following = self.toks[self.index] if self.index < len(self.toks) else None
        if keyword == "instance" and following and following.text == "(":
            following = self._behind_priority()
        place = following if following and following.kind == "name" and keyword != "example" else None
        label = place.text if place else f"_{keyword}"
        at = place or token
        options = tuple(sorted({**self.options, **self.local}.items()))
        self.current = _Open(self._full_name(label), keyword, begin, at.offset, at.end, options)
        self.last_end = at.end

    def _behind_priority(self) -> Token | None:
        """Skip `(priority := …)` of an instance; other brackets are binders, so there is no name."""
        if self.index + 1 >= len(self.toks) or self.toks[self.index + 1].text != "priority":
            return None
        while self.index < len(self.toks) and self.toks[self.index].kind != "close":
            self.index += 1
        self.index += 1
        return self.toks[self.index] if self.index < len(self.toks) else None

    def _full_name(self, name: str) -> str:
        if name.startswith(_ROOT):
            return name.removeprefix(_ROOT)
        return ".".join([*(s.name for s in self.scopes if s.is_namespace), name])

    def _close(self) -> Iterator[DeclarationRange]:
        if self.current is None:
            return
        open_, self.current = self.current, None
        yield DeclarationRange(
            open_.name,
            self._position(open_.start),
            self._position(max(self.last_end, open_.name_end)),
            self._position(open_.name_start),
            self._position(open_.name_end),
            open_.keyword,
            open_.options,
        )

    def _position(self, offset: int) -> Position:
        line = bisect_right(self.lines, offset)
        return Position(line, offset - self.lines[line - 1])


def _parts(name: str) -> list[str]:
    """Split a dotted name into its parts; dots inside `«…»` do not split."""
    parts, quoted = [""], False
    for char in name:
        if char == "." and not quoted:
            parts.append("")
            continue
        quoted = char == "«" or (quoted and char != "»")
        parts[-1] += char
    return parts
