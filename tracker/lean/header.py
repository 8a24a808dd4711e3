"""The header of a Lean file: what it imports, without Lean.

`parse_header` accepts and refuses what Lean's own fast header parser does (`lean --deps-json`, the one
that Lake builds its graph with), which is laxer than the elaborator: keywords need no space after them,
and the first thing that is no import ends the header silently. Checked against Lean 4.35.0, code point
by code point. No regular expressions: importing `re` would cost more than the parsing.
"""

from __future__ import annotations

from tracker.lean._record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# Letters besides ASCII that start a Lean identifier; λ, Π and Σ are keywords, × and ÷ are operators.
_LETTERS = (
    (0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0x17F), (0x391, 0x39F), (0x3A1, 0x3A2), (0x3A4, 0x3A9),
    (0x3B1, 0x3BA), (0x3BC, 0x3FB), (0x1F00, 0x1FFE), (0x2100, 0x214F), (0x1D49C, 0x1D59F),
)  # fmt: skip
_SUBSCRIPTS = ((0x1D62, 0x1D6A), (0x2080, 0x2089), (0x2090, 0x209C), (0x2C7C, 0x2C7C))
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'!?")
_TABS = "tabs are not allowed; please configure your editor to expand them"
_MODIFIERS = "cannot use 'public', 'meta', or 'all' without 'module'"


class Import(Record):
    """One import as Lean reads it.

    `module` is the name as Lean prints it (`«a-b».C`), `line` is 1-based. `public` says that importers of
    this file see the module too: always in a file without `module`, where every import is re-exported.
    """

    __slots__ = ("all", "line", "meta", "module", "public")

    def __init__(
        self,
        module: str,
        line: int,
        public: bool = True,
        meta: bool = False,
        all: bool = False,  # noqa: A002
    ) -> None:
        self.module: Final = module
        self.line: Final = line
        self.public: Final = public
        self.meta: Final = meta
        self.all: Final = all


class Header(Record):
    """A file's header: `module` keyword, `prelude` keyword (no implicit `import Init`), written imports.

    A module may be imported twice, as in the file. The implicit import of `Init` is not listed.
    """

    __slots__ = ("imports", "is_module", "prelude")

    def __init__(self, is_module: bool, prelude: bool, imports: tuple[Import, ...]) -> None:
        self.is_module: Final = is_module
        self.prelude: Final = prelude
        self.imports: Final = imports

    @property
    def modules(self) -> tuple[str, ...]:
        """The imported names, each once, in the order of the file."""
        return tuple(dict.fromkeys([i.module for i in self.imports]))


class HeaderError(ValueError):
    """Lean cannot read the header. `line` is 1-based, `column` 0-based code points, as Lean prints them."""

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(f"{line}:{column}: {message}")
        self.line = line
        self.column = column
        self.message = message


def is_letter(char: str) -> bool:
    """Return whether `char` may start a part of an unquoted Lean name."""
    if char < "\x80":
        return char.isalpha() or char == "_"
    code = ord(char)
    return any(low <= code <= high for low, high in _LETTERS)


def is_name_rest(char: str) -> bool:
    """Return whether `char` may stand in a part of an unquoted Lean name after its first character."""
    if char < "\x80":
        return char in _PLAIN
    code = ord(char)
    return is_letter(char) or any(low <= code <= high for low, high in _SUBSCRIPTS)


def escape_part(part: str) -> str:
    """Return one part of a name as Lean prints it: quoted with «» unless it is a plain identifier."""
    if part and is_letter(part[0]) and all(map(is_name_rest, part)):
        return part
    return f"«{part}»"


def split_name(name: str) -> tuple[str, ...]:
    """Return the parts of a printed module name, without quotes: `«a.b».C` gives `("a.b", "C")`."""
    if "«" not in name:
        return tuple(name.split("."))
    parts, rest = [], name
    while rest:
        if rest[0] == "«" and "»" in rest:
            part, _, rest = rest[1:].partition("»")
            rest = rest.removeprefix(".")
        else:
            part, _, rest = rest.partition(".")
        parts.append(part)
    return tuple(parts)


def join_name(parts: tuple[str, ...] | list[str]) -> str:
    """Return the printed name of these parts, the inverse of `split_name`."""
    return ".".join([escape_part(p) for p in parts])


def parse_header(text: str) -> Header:
    """Return the header at the start of `text` (decoded UTF-8, line ends as in the file).

    Raises HeaderError where Lean's header parser does: an unfinished import, comment or «quote», a tab,
    `public`, `meta` or `all` in a file without `module`. A byte order mark ends the header at once.
    """
    return _Scanner(text).header()


class _Scanner:
    __slots__ = ("is_module", "pos", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = 0
        self.is_module = False

    def header(self) -> Header:
        self.space()
        self.is_module = self.keyword("module")
        prelude = self.keyword("prelude")
        imports = []
        line, counted = 1, 0
        while True:
            start = self.pos
            found = self.one_import()
            if found is None:
                break
            line, counted = line + self.text.count("\n", counted, start), start
            imports.append(Import(found[0], line, *found[1:]))
        return Header(self.is_module, prelude, tuple(imports))

    def one_import(self) -> tuple[str, bool, bool, bool] | None:
        start = self.pos
        try:
            public = self.keyword("public")
            meta = self.keyword("meta")
            begun = self.keyword("import")
        except HeaderError:  # Lean backtracks: bad space after these words ends the header in silence
            begun = False
        if not begun:
            self.pos = start
            return None
        every = self.keyword("all")
        name = self.name()
        if not self.is_module and (public or meta or every):
            raise self.error(start, _MODIFIERS)
        return name, public or not self.is_module, meta, every

    def keyword(self, word: str) -> bool:
        if not self.text.startswith(word, self.pos):
            return False
        self.pos += len(word)
        self.space()
        return True

    def name(self) -> str:
        parts = [self.part()]
        text = self.text
        # A dot belongs to the name only before another part: `import A.` imports A.
        while text.startswith(".", self.pos):
            after = text[self.pos + 1 : self.pos + 2]
            if not after or (after != "«" and not is_letter(after)):
                break
            self.pos += 1
            parts.append(self.part())
        self.space()
        return ".".join(parts)

    def part(self) -> str:
        text, start = self.text, self.pos
        first = text[start : start + 1]
        if not first:
            raise self.error(start, "unexpected end of input")
        if first == "«":
            end = text.find("»", start)
            if end < 0:
                raise self.error(len(text), "unterminated identifier escape")
            self.pos = end + 1
            return escape_part(text[start + 1 : end])
        if not is_letter(first):
            raise self.error(start, "expected identifier")
        end = start + 1
        while end < len(text) and (text[end] in _PLAIN or is_name_rest(text[end])):
            end += 1
        self.pos = end
        return text[start:end]

    def space(self) -> None:
        text, pos, size = self.text, self.pos, len(self.text)
        while pos < size:
            char = text[pos]
            if char in " \n\r":
                pos += 1
            elif char == "\t":
                raise self.error(pos, _TABS)
            elif char == "-" and text.startswith("--", pos):
                pos = text.find("\n", pos)
                pos = size if pos < 0 else pos + 1
            elif char == "/" and text.startswith("/-", pos) and text[pos + 2 : pos + 3] not in ("-", "!"):
                pos = self.comment_end(pos + 3)  # Lean does not look at the character after `/-`
            else:
                break
        self.pos = pos

    def comment_end(self, pos: int) -> int:
        text, depth = self.text, 1
        while depth:
            close = text.find("-/", pos)
            if close < 0:
                while (opening := text.find("/-", pos)) >= 0:
                    pos = opening + 2
                # Lean stops before a last character that might have begun or ended something.
                half = text[-1] in "-/" and pos != len(text)
                raise self.error(len(text) - half, "unterminated comment")
            opening = text.find("/-", pos, close + 1)  # `/-/` opens
            if opening >= 0:
                depth, pos = depth + 1, opening + 2
            else:
                depth, pos = depth - 1, close + 2
        return pos

    def error(self, pos: int, message: str) -> HeaderError:
        before = self.text[:pos]
        return HeaderError(before.count("\n") + 1, pos - (before.rfind("\n") + 1), message)
