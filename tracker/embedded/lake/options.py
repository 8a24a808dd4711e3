"""The command line, read as Lake reads it: options may stand before and after the command's words."""

from __future__ import annotations

from tracker.embedded.lake.log import ERROR, INFO, TRACE, WARNING, LakeError, level_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

QUIET, NORMAL, VERBOSE = range(3)
# Options of Lake that change nothing here: no cache, no dependencies, no configuration program.
_WITHOUT_EFFECT = (
    "--update", "--keep-toolchain", "--reconfigure", "--no-cache", "--try-cache", "--text", "--offline",
)  # fmt: skip
_UNSUPPORTED = ("--old", "--json", "--packages")


class Options:
    """What the options say."""

    __slots__ = (
        "allow_empty", "ansi", "config_file", "directory", "fail_level", "help", "log_level", "no_build",
        "rehash", "rest", "summary", "verbosity",
    )  # fmt: skip

    def __init__(self) -> None:
        self.directory = "."
        self.config_file = ""
        self.verbosity = NORMAL
        self.fail_level = ERROR
        self.log_level: int | None = None
        self.ansi: bool | None = None
        self.no_build = False
        self.rehash = False
        self.allow_empty = False
        self.summary = False
        self.help = False
        self.rest: list[str] = []

    @property
    def out_level(self) -> int:
        """The lowest level shown of a job that went well."""
        if self.log_level is not None:
            return self.log_level
        return (WARNING, INFO, TRACE)[self.verbosity]

    @property
    def show_progress(self) -> bool:
        """Whether jobs that went well are shown at all."""
        return self.verbosity != QUIET


class Arguments:
    """The words of the command line that are still to be read."""

    def __init__(self, words: list[str]) -> None:
        self.words = list(words)
        self.options = Options()

    def leading_options(self) -> None:
        """Read options up to the first other word; empty words are skipped."""
        while self.words:
            word = self.words[0]
            if len(word) > 1 and word[0] == "-":
                self.words.pop(0)
                self.option(word)
            elif not word:
                self.words.pop(0)
            else:
                return

    def all_options(self) -> None:
        """Read every option and leave the other words."""
        others = []
        while self.words:
            word = self.words.pop(0)
            if len(word) > 1 and word[0] == "-":
                self.option(word)
            elif word:
                others.append(word)
        self.words = others

    def take(self, what: str) -> str:
        """Return the next word, or fail with `missing WHAT`."""
        if not self.words:
            raise LakeError(f"missing {what}")
        return self.words.pop(0)

    def end(self) -> None:
        """Fail when words are left."""
        if self.words:
            raise LakeError(f"unexpected arguments: {' '.join(self.words)}")

    def option(self, word: str) -> None:
        """Read one option; it may take words that follow."""
        if word[1] == "-":
            name, sign, value = word.partition("=")
            if not sign:
                name, sign, value = word.partition(" ")
            if sign:
                self.words.insert(0, value)
            self._long(name)
        elif len(word) == 2:
            self._short(word[1])
        else:  # -d=DIR, "-d DIR", -dDIR
            self.words.insert(0, word[3:] if word[2] == "=" else word[2:].lstrip())
            self._short(word[1])

    def _value(self, option: str, what: str) -> str:
        if not self.words:
            raise LakeError(f"missing {what} for {option}")
        return self.words.pop(0)

    def _level(self, option: str) -> int:
        level = level_of(self._value(option, "log level"))
        if level is None:
            raise LakeError(f"invalid argument for {option}; expected log level")
        return level

    def _short(self, letter: str) -> None:
        options = self.options
        simple: dict[str, tuple[str, object]] = {
            "q": ("verbosity", QUIET),
            "v": ("verbosity", VERBOSE),
            "h": ("help", True),
            "H": ("rehash", True),
        }
        if letter in simple:
            setattr(options, *simple[letter])
        elif letter == "d":
            options.directory = self._value("-d", "path")
        elif letter == "f":
            options.config_file = self._value("-f", "path")
        elif letter == "K":
            self._value("-K", "key-value pair")
        elif letter in "oJ":
            raise LakeError(
                f"the embedded lake has no option '-{letter}'; install Lean with elan for Lake's own"
            )
        elif letter not in "UR":
            raise LakeError(f"unknown short option '-{letter}'")

    def _long(self, name: str) -> None:
        options = self.options
        simple: dict[str, tuple[str, object]] = {
            "--quiet": ("verbosity", QUIET),
            "--verbose": ("verbosity", VERBOSE),
            "--help": ("help", True),
            "--rehash": ("rehash", True),
            "--no-build": ("no_build", True),
            "--allow-empty": ("allow_empty", True),
            "--summary": ("summary", True),
            "--wfail": ("fail_level", WARNING),
            "--iofail": ("fail_level", INFO),
            "--ansi": ("ansi", True),
            "--no-ansi": ("ansi", False),
        }
        valued: dict[str, Callable[[], object]] = {
            "--dir": lambda: setattr(options, "directory", self._value("--dir", "path")),
            "--file": lambda: setattr(options, "config_file", self._value("--file", "path")),
            "--log-level": lambda: setattr(options, "log_level", self._level("--log-level")),
            "--fail-level": lambda: setattr(options, "fail_level", self._level("--fail-level")),
        }
        if name in simple:
            setattr(options, *simple[name])
        elif name in valued:
            valued[name]()
        elif name == "--":
            options.rest, self.words = self.words, []
        elif name in _UNSUPPORTED:
            raise LakeError(
                f"the embedded lake has no option '{name}'; install Lean with elan for Lake's own"
            )
        elif name not in _WITHOUT_EFFECT:
            raise LakeError(f"unknown long option '{name}'")
