"""A `lakefile.toml` decoded: every wrong value is reported with its line, as Lake does."""

from __future__ import annotations

from tracker.lean import _toml
from tracker.lean.lakefile import (
    Glob,
    Lakefile,
    LakefileError,
    LeanConfig,
    LeanExe,
    LeanLib,
    LeanOption,
    Require,
    dotted_name,
    plain_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def parse_toml(path: str, text: str) -> Lakefile:
    """Return the configuration in the text of a `lakefile.toml`; `path` is used in errors only."""
    try:
        table = _toml.loads(text)
    except _toml.TomlError as error:
        raise LakefileError(
            path, error.line, error.column, error.message, "correct the TOML at that place"
        ) from None
    return _Table(path, text, table).package()


class _Table:
    """One table of the file; knows how to say where a wrong value stands."""

    __slots__ = ("index", "name", "path", "table", "text")

    def __init__(self, path: str, text: str, table: dict[str, Any], name: str = "", index: int = 0) -> None:
        self.path = path
        self.text = text
        self.table = table
        self.name = name
        self.index = index

    def error(self, key: str, problem: str, hint: str) -> LakefileError:
        line, column = _toml.locate(self.text, self.name, self.index, key)
        return LakefileError(self.path, line, column, problem, hint)

    def string(self, key: str, default: str) -> str:
        value = self.table.get(key, default)
        if not isinstance(value, str):
            raise self.error(key, f"{key}: expected string", f'write {key} = "…"')
        return value

    def flag(self, key: str) -> bool:
        value = self.table.get(key, False)
        if not isinstance(value, bool):
            raise self.error(key, f"{key}: expected boolean", f"write {key} = true or false")
        return value

    def strings(self, key: str) -> tuple[str, ...] | None:
        value = self.table.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            raise self.error(key, f"{key}: expected array of strings", f'write {key} = ["…", "…"]')
        return tuple(value)

    def names(self, key: str, loose: bool = False) -> tuple[str, ...] | None:
        value = self.strings(key)
        if value is None:
            return None
        names = []
        for text in value:
            name = plain_name(text) if loose else dotted_name(text)
            if name is None:
                raise self.error(key, f"{key}: expected name, not {text!r}", "module names are written A.B.C")
            names.append(name)
        return tuple(names)

    def globs(self) -> tuple[Glob, ...] | None:
        value = self.table.get("globs")
        if isinstance(value, str):
            value = [value]
        elif value is None or not isinstance(value, list):
            value = self.strings("globs")
        if value is None:
            return None
        globs = []
        for text in value:
            glob = self.glob(text)
            if glob is None:
                raise self.error("globs", f"expected glob, not {text!r}", 'globs are "A", "A.*" and "A.+"')
            globs.append(glob)
        return tuple(globs)

    @staticmethod
    def glob(text: object) -> Glob | None:
        if not isinstance(text, str):
            return None
        selects = text[-1:] if text[-2:] in (".*", ".+") else ""
        name = dotted_name(text[:-2] if selects else text)
        return None if name is None else Glob(name, selects)

    def options(self) -> tuple[LeanOption, ...]:
        value = self.table.get("leanOptions", {})
        pairs: list[LeanOption] = []
        if isinstance(value, list):
            for item in value:
                pair = (item.get("name"), item.get("value")) if isinstance(item, dict) else item
                if not isinstance(pair, list | tuple) or len(pair) != 2 or not isinstance(pair[0], str):
                    raise self.error("leanOptions", "expected array or table", "write name = value below it")
                self.option(pair[0], pair[1], pairs)
        elif isinstance(value, dict):
            for name, inner in value.items():
                self.option(name, inner, pairs)
        else:
            raise self.error("leanOptions", "expected array or table", "write [leanOptions] and name = value")
        return tuple(pairs)

    def option(self, name: str, value: object, pairs: list[LeanOption]) -> None:
        if isinstance(value, dict):
            for part, inner in value.items():
                self.option(f"{name}.{part}", inner, pairs)
        elif isinstance(value, str | bool) or (isinstance(value, int) and value >= 0):
            pairs.append((name, value))
        else:
            problem = f"option {name}: expected string, boolean, or nonnegative integer"
            raise self.error("leanOptions", problem, "Lean options have no other values")

    def config(self) -> LeanConfig:
        return LeanConfig(
            self.options(), self.strings("moreLeanArgs") or (), self.strings("weakLeanArgs") or ()
        )

    def tables(self, key: str) -> list[_Table]:
        value = self.table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
            raise self.error(key, f"{key}: expected array of tables", f"write [[{key}]]")
        return [_Table(self.path, self.text, v, key, i) for i, v in enumerate(value)]

    def target_name(self) -> str:
        if "name" not in self.table:
            raise self.error("", "missing required key: name", 'every table needs name = "…"')
        return plain_name(self.string("name", ""))

    def lib(self) -> LeanLib:
        return LeanLib(
            self.target_name(),
            self.string("srcDir", "."),
            self.names("roots"),
            self.globs(),
            config=self.config(),
            default_facets=self.strings("defaultFacets") or ("leanArts",),
            precompile=self.flag("precompileModules"),
        )

    def exe(self) -> LeanExe:
        root = dotted_name(self.string("root", "")) if "root" in self.table else None
        if "root" in self.table and root is None:
            raise self.error("root", "root: expected name", "the root is a module name, A.B.C")
        return LeanExe(self.target_name(), root, self.string("srcDir", "."), self.config())

    def require(self) -> Require:
        name, rev, git = self.target_name(), self.string("rev", ""), self.table.get("git")
        if "path" in self.table:
            return Require(name, "path", self.string("path", ""), rev)
        if git is not None:
            return Require(name, "git", str(git.get("url", "")) if isinstance(git, dict) else str(git), rev)
        return Require(name, "registry", self.string("scope", ""), rev or self.string("version", ""))

    def package(self) -> Lakefile:
        name = self.target_name()
        libs = tuple([t.lib() for t in self.tables("lean_lib")])
        exes = tuple([t.exe() for t in self.tables("lean_exe")])
        self.check_unique(name)
        return Lakefile(
            self.path,
            name,
            version=self.string("version", ""),
            default_targets=self.names("defaultTargets", loose=True) or (),
            src_dir=self.string("srcDir", "."),
            build_dir=self.string("buildDir", ".lake/build"),
            lean_lib_dir=self.string("leanLibDir", "lib/lean"),
            ir_dir=self.string("irDir", "ir"),
            config=self.config(),
            server_args=self.strings("moreGlobalServerArgs") or (),
            libs=libs,
            exes=exes,
            requires=tuple([t.require() for t in self.tables("require")]),
        )

    def check_unique(self, package: str) -> None:
        seen: dict[str, str] = {}
        for kind in ("lean_lib", "lean_exe"):
            for table in self.tables(kind):
                name = table.target_name()
                if name in seen:
                    raise table.error(
                        "name",
                        f"{package}: target '{name}' was already defined as a '{seen[name]}', "
                        f"but then redefined as a '{kind}'",
                        "give the second target another name",
                    )
                seen[name] = kind
