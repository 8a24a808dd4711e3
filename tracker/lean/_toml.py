"""TOML for lakefiles: a quick reader for the plain part of the language, `tomllib` for all of it.

A Lake is started once per module, and importing `tomllib` takes longer than all else that it does before
it calls Lean. The quick reader knows bare and quoted keys, one-line strings without escapes, integers,
booleans, arrays, inline tables and table headers. Whatever else it meets, wrong or merely unusual, is
left to `tomllib`, so that there is one judge of what is TOML.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


class TomlError(ValueError):
    """The text is not TOML; `line` is 1-based, `column` 0-based."""

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(f"{line}:{column}: {message}")
        self.line = line
        self.column = column
        self.message = message


class _Unusual(Exception):  # noqa: N818 - not an error: tomllib reads on
    """The quick reader does not know this piece of the language."""


def loads(text: str) -> dict[str, Any]:
    """Return the tables of `text`. Raises TomlError."""
    try:
        return _Reader(text).document()
    except (_Unusual, IndexError, RecursionError):
        return _loads_slowly(text)


def _loads_slowly(text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).partition(" (at ")
        words = place.rstrip(")").replace(",", "").split()
        if words[:1] == ["line"]:
            raise TomlError(int(words[1]), int(words[3]) - 1, message) from None
        raise TomlError(text.count("\n") + 1, 0, message) from None
    except RecursionError:
        raise TomlError(1, 0, "nested too deeply") from None


def locate(text: str, table: str = "", index: int = 0, key: str = "") -> tuple[int, int]:
    """Return line (1-based) and column (0-based) of `key` in the `index`-th table named `table`.

    Without the key, or when it is written in a way that a search by lines does not find, the place is
    that of the table's header; without that, the start of the text. `table` is "" for the root.
    """
    found, current, seen = (1, 0), "", 0 if not table else -1
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        column = len(line) - len(line.lstrip())
        if stripped.startswith("["):
            current = stripped.split("#")[0].strip(" []\t")
            seen += current == table
            if seen == index and (current == table or (key and current == f"{table}.{key}".lstrip("."))):
                found = number, column
        elif key and current == table and seen == index:
            name = stripped.split("=")[0].strip().strip("\"'")
            if name == key or name.startswith(key + "."):
                return number, column
    return found


class _Reader:
    __slots__ = ("arrays", "dotted", "headed", "pos", "text")

    def __init__(self, text: str) -> None:
        if "\r" in text or "\\" in text or "\0" in text:
            raise _Unusual
        self.text = text + "\n"
        self.pos = 0
        # Only what a header opened may be added to by a header, what dots opened by dots.
        self.arrays: set[int] = set()
        self.dotted: set[int] = set()
        self.headed: set[int] = set()

    def document(self) -> dict[str, Any]:
        root: dict[str, Any] = {}
        table = root
        end = len(self.text)
        while True:
            self.blank()
            if self.pos >= end:
                return root
            if self.text[self.pos] != "[":
                self.pair(table)
            else:
                many = self.text.startswith("[[", self.pos)
                self.pos += 2 if many else 1
                path = self.key()
                self.expect("]]" if many else "]")
                table = self.open_table(root, path, many)
            self.line_end()

    def open_table(self, root: dict[str, Any], path: list[str], many: bool) -> dict[str, Any]:
        table = root
        for part in path[:-1]:
            if part not in table:
                table[part] = {}
                self.headed.add(id(table[part]))
            inner = table[part]
            table = inner[-1] if id(inner) in self.arrays else inner
            if id(table) not in self.headed:
                raise _Unusual
        last: dict[str, Any] = {}
        self.headed.add(id(last))
        if path[-1] not in table:
            table[path[-1]] = [last] if many else last
            if many:
                self.arrays.add(id(table[path[-1]]))
        elif many and id(table[path[-1]]) in self.arrays:
            table[path[-1]].append(last)
        else:  # a table opened a second time: legal or not, a question for tomllib
            raise _Unusual
        return last

    def pair(self, table: dict[str, Any]) -> None:
        path = self.key()
        self.expect("=")
        self.space()
        for part in path[:-1]:
            if part not in table:
                table[part] = {}
                self.dotted.add(id(table[part]))
            table = table[part]
            if id(table) not in self.dotted:
                raise _Unusual
        if path[-1] in table:
            raise _Unusual
        table[path[-1]] = self.value()

    def key(self) -> list[str]:
        path: list[str] = []
        while True:
            self.space()
            char = self.text[self.pos]
            if char in "\"'":
                path.append(self.string(char))
            else:
                start = self.pos
                while self.text[self.pos] in _BARE:
                    self.pos += 1
                if start == self.pos:
                    raise _Unusual
                path.append(self.text[start : self.pos])
            self.space()
            if self.text[self.pos] != ".":
                return path
            self.pos += 1

    def value(self) -> Any:
        char = self.text[self.pos]
        if char in "\"'":
            return self.string(char)
        if char == "[":
            return self.array()
        if char == "{":
            return self.inline()
        start = self.pos
        while self.text[self.pos] in _BARE:
            self.pos += 1
        word = self.text[start : self.pos]
        if word in ("true", "false"):
            return word == "true"
        # 007, 1_000, 0x1F, 1.5, dates: not here.
        if word.isdecimal() and (word == "0" or word[0] != "0") and self.text[self.pos] in " \t\n,]}#":
            return int(word)
        raise _Unusual

    def string(self, quote: str) -> str:
        if self.text.startswith(quote * 3, self.pos):
            raise _Unusual
        end = self.text.find(quote, self.pos + 1)
        content = self.text[self.pos + 1 : end]
        if end < 0 or not content.isprintable():
            raise _Unusual
        self.pos = end + 1
        return content

    def array(self) -> list[Any]:
        self.pos += 1
        items: list[Any] = []
        while True:
            self.blank()
            if self.text[self.pos] == "]":
                self.pos += 1
                return items
            items.append(self.value())
            self.blank()
            if self.text[self.pos] == ",":
                self.pos += 1
            elif self.text[self.pos] != "]":
                raise _Unusual

    def inline(self) -> dict[str, Any]:
        self.pos += 1
        table: dict[str, Any] = {}
        self.space()
        if self.text[self.pos] == "}":
            self.pos += 1
            return table
        while True:
            self.pair(table)
            self.space()
            char = self.text[self.pos]
            self.pos += 1
            if char == "}":
                return table
            if char != ",":
                raise _Unusual

    def expect(self, word: str) -> None:
        self.space()
        if not self.text.startswith(word, self.pos):
            raise _Unusual
        self.pos += len(word)

    def space(self) -> None:
        while self.text[self.pos] in " \t":
            self.pos += 1

    def blank(self) -> None:
        """Skip spaces, line ends and comments."""
        text, end = self.text, len(self.text)
        while self.pos < end:
            char = text[self.pos]
            if char in " \t\n":
                self.pos += 1
            elif char == "#":
                stop = text.find("\n", self.pos)
                if not text[self.pos : stop].replace("\t", " ").isprintable():
                    raise _Unusual
                self.pos = stop
            else:
                return

    def line_end(self) -> None:
        self.space()
        if self.text[self.pos] not in "\n#":
            raise _Unusual
