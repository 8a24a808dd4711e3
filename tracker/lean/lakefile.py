"""What a Lake package declares: `lakefile.toml` exactly, `lakefile.lean` as far as its text tells.

Field names, defaults and the meaning of globs are Lake's (its reference manual, "Package configuration"
and "Library configuration"). `read_lakefile` runs no program; a `lakefile.lean` is a program, so what is
read from one is flagged `exact=False`.
"""

from __future__ import annotations

import os

from tracker.errors import ProjectError
from tracker.lean._record import Record
from tracker.lean.header import is_letter, is_name_rest, join_name, split_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

LeanOption = tuple[str, "str | int | bool"]

TOML = "lakefile.toml"
LEAN = "lakefile.lean"


class LakefileError(ProjectError):
    """The lakefile is missing, unreadable or wrong. `line` is 1-based, 0 for the file as a whole."""

    def __init__(self, path: str, line: int, column: int, problem: str, hint: str) -> None:
        place = f"{path}:{line}:{column}: " if line else f"{path}: "
        super().__init__("LAKEFILE", place + problem, hint)
        self.path = path
        self.line = line
        self.column = column
        self.problem = problem


class Glob(Record):
    """A set of module names: `A` (just it), `A.+` (all below it), `A.*` (both)."""

    __slots__ = ("name", "selects")

    def __init__(self, name: str, selects: str = "") -> None:
        self.name: Final = name
        self.selects: Final = selects

    def matches(self, module: str) -> bool:
        """Return whether the module is in the set."""
        below = module.startswith(self.name + ".")
        if self.selects == "+":
            return below
        return module == self.name or (below and self.selects == "*")

    def __str__(self) -> str:
        return f"{self.name}.{self.selects}" if self.selects else self.name


class LeanConfig(Record):
    """The settings that a package and its targets share; a target's come after its package's."""

    __slots__ = ("lean_options", "more_lean_args", "weak_lean_args")

    def __init__(
        self,
        lean_options: tuple[LeanOption, ...] = (),
        more_lean_args: tuple[str, ...] = (),
        weak_lean_args: tuple[str, ...] = (),
    ) -> None:
        self.lean_options: Final = lean_options
        self.more_lean_args: Final = more_lean_args
        self.weak_lean_args: Final = weak_lean_args

    def __add__(self, other: LeanConfig) -> LeanConfig:
        """Return both: of an option set twice, the later value stands."""
        options = {**dict(self.lean_options), **dict(other.lean_options)}
        return LeanConfig(
            tuple(options.items()),
            self.more_lean_args + other.more_lean_args,
            self.weak_lean_args + other.weak_lean_args,
        )


class LeanLib(Record):
    """A `lean_lib`. `src_dir` is relative to the package's; `globs` default to the roots alone."""

    __slots__ = ("config", "default_facets", "globs", "name", "precompile", "roots", "src_dir")

    def __init__(
        self,
        name: str,
        src_dir: str = ".",
        roots: tuple[str, ...] | None = None,
        globs: tuple[Glob, ...] | None = None,
        *,
        config: LeanConfig | None = None,
        default_facets: tuple[str, ...] = ("leanArts",),
        precompile: bool = False,
    ) -> None:
        self.name: Final = name
        self.src_dir: Final = src_dir
        self.roots: Final = (name,) if roots is None else roots
        self.globs: Final = tuple([Glob(r) for r in self.roots]) if globs is None else globs
        self.config: Final = config or LeanConfig()
        self.default_facets: Final = default_facets
        self.precompile: Final = precompile

    def is_local(self, module: str) -> bool:
        """Return whether Lake takes the module for the library's: under a root or in a glob."""
        return any(g.matches(module) for g in self.globs) or any(is_below(module, r) for r in self.roots)

    def is_buildable(self, module: str) -> bool:
        """Return whether Lake would build the module for this library: in a glob, or under a root in one."""
        return any(g.matches(module) for g in self.globs) or any(
            is_below(module, root) and any(g.matches(root) for g in self.globs) for root in self.roots
        )


class LeanExe(Record):
    """A `lean_exe`: its root module is built like a library's."""

    __slots__ = ("config", "name", "root", "src_dir")

    def __init__(
        self, name: str, root: str | None = None, src_dir: str = ".", config: LeanConfig | None = None
    ) -> None:
        self.name: Final = name
        self.root: Final = name if root is None else root
        self.src_dir: Final = src_dir
        self.config: Final = config or LeanConfig()


class Require(Record):
    """A dependency as written: `source` is a path, a Git URL or a registry scope, `rev` may be empty."""

    __slots__ = ("kind", "name", "rev", "source")

    def __init__(self, name: str, kind: str, source: str = "", rev: str = "") -> None:
        self.name: Final = name
        self.kind: Final = kind
        self.source: Final = source
        self.rev: Final = rev


class Lakefile(Record):
    """A package's configuration. `kind` is "toml" or "lean"; `exact` tells whether all of it was read.

    Directories are as written: `src_dir` and `build_dir` relative to the package, `lean_lib_dir` and
    `ir_dir` relative to `build_dir`.
    """

    __slots__ = (
        "build_dir", "config", "default_targets", "exact", "exes", "ir_dir", "kind", "lean_lib_dir", "libs",
        "name", "path", "requires", "server_args", "src_dir", "version",
    )  # fmt: skip

    def __init__(
        self,
        path: str,
        name: str,
        *,
        kind: str = "toml",
        exact: bool = True,
        version: str = "",
        default_targets: tuple[str, ...] = (),
        src_dir: str = ".",
        build_dir: str = ".lake/build",
        lean_lib_dir: str = "lib/lean",
        ir_dir: str = "ir",
        config: LeanConfig | None = None,
        server_args: tuple[str, ...] = (),
        libs: tuple[LeanLib, ...] = (),
        exes: tuple[LeanExe, ...] = (),
        requires: tuple[Require, ...] = (),
    ) -> None:
        self.path: Final = path
        self.name: Final = name
        self.kind: Final = kind
        self.exact: Final = exact
        self.version: Final = version
        self.default_targets: Final = default_targets
        self.src_dir: Final = src_dir
        self.build_dir: Final = build_dir
        self.lean_lib_dir: Final = lean_lib_dir
        self.ir_dir: Final = ir_dir
        self.config: Final = config or LeanConfig()
        self.server_args: Final = server_args
        self.libs: Final = libs
        self.exes: Final = exes
        self.requires: Final = requires

    def lib_of(self, module: str) -> LeanLib | None:
        """Return the library that builds the module, or None; of several, the last, as in Lake."""
        for lib in reversed(self.libs):
            if lib.is_buildable(module):
                return lib
        return None


def is_below(module: str, root: str) -> bool:
    """Return whether `root` is the module or one of its name's prefixes."""
    return module == root or module.startswith(root + ".")


def read_lakefile(root: str | os.PathLike[str], name: str = "") -> Lakefile:
    """Return the configuration of the package in directory `root`, from the file `name` if given.

    Of two lakefiles `lakefile.lean` counts, as in Lake. Raises LakefileError.
    """
    directory = os.fspath(root)
    for candidate in [name] if name else [LEAN, TOML]:
        path = os.path.join(directory, candidate)
        if not os.path.lexists(path):
            continue
        if candidate.endswith(".lean"):
            from tracker.lean._lakefile_lean import read

            return read(path, _text(path))
        from tracker.lean._lakefile_toml import parse_toml

        return parse_toml(path, _text(path))
    raise LakefileError(
        directory, 0, 0, f"no {TOML} and no {LEAN} here", "run in a Lake project, or name one with --project"
    )


def _text(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read().decode()
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        raise LakefileError(path, 0, 0, reason, "check the file and its permissions") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise LakefileError(path, line, 0, "not UTF-8", "save the file as UTF-8") from None


def plain_name(text: str) -> str:
    """Return a target's or package's name as Lake prints it: `my-lib` is one part, so `«my-lib»`."""
    return dotted_name(text) or f"«{text}»"


def dotted_name(text: str) -> str | None:
    """Return the printed form of a dotted name, or None when it is not one."""
    parts = split_name(text)
    bare = "«" not in text
    if not text or (bare and not all(p and is_letter(p[0]) and all(map(is_name_rest, p)) for p in parts)):
        return None
    name = join_name(parts)
    return name if bare or name == text or text.count("«") == text.count("»") else None
