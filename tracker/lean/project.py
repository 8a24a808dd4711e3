"""A Lean project on disk: its modules, what imports what, and what its build would leave out.

Names and files only, no Lean is started. Which modules a target has is Lake's rule: the modules that its
globs select, and whatever these import that some library of the package builds.
"""

from __future__ import annotations

import os

from tracker.errors import ProjectError
from tracker.lean import _graph
from tracker.lean._record import Record
from tracker.lean.header import Header, HeaderError, Import, join_name, parse_header, split_name
from tracker.lean.lakefile import LEAN, TOML, Lakefile, LeanLib, read_lakefile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Final

# A text with a dot in it and no escape: whatever the word is that reads the file, its name stands there.
_FILE_NAME = rb'"([^"\\\n]{0,200}\.[^"\\\n]{1,40})"'
_NO_HEADER = Header(False, False, ())


class Problem(Record):
    """Something that Lake would stumble over. `line` is 1-based, `column` 0-based; 0:0 is the whole file."""

    __slots__ = ("code", "column", "hint", "line", "message", "path")

    def __init__(
        self, code: str, path: str, line: int = 0, column: int = 0, *, message: str, hint: str
    ) -> None:
        self.code: Final = code
        self.path: Final = path
        self.line: Final = line
        self.column: Final = column
        self.message: Final = message
        self.hint: Final = hint

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}:{self.column}" if self.line else self.path
        return f"{place}: error[{self.code}]: {self.message}"


class Module:
    """A module of the project: its name, target, file (`path` is relative to the root) and header.

    `lib` is the library or executable through which it is built. A file that could not be read has an empty
    header, and the project has a problem about it.
    """

    __slots__ = ("_digest", "file", "header", "lib", "name", "path")

    def __init__(self, name: str, lib: str, path: str, file: str, header: Header) -> None:
        self.name: Final = name
        self.lib: Final = lib
        self.path: Final = path
        self.file: Final = file
        self.header: Final = header
        self._digest: str | None = None

    @property
    def imports(self) -> tuple[str, ...]:
        """The names it imports as written, local or not, each once."""
        return self.header.modules

    @property
    def needs(self) -> tuple[str, ...]:
        """The names it imports, and `Init`, which a file without `prelude` imports unasked."""
        return self.imports if self.header.prelude or self.name == "Init" else ("Init", *self.imports)

    @property
    def digest(self) -> str:
        """The SHA-256, in hex, of the source with `\\n` line ends and of the files that its texts name.

        Such a file is what `include_str` puts in. Read on first use. Raises ProjectError.
        """
        if self._digest is None:
            import hashlib

            try:
                with open(self.file, "rb") as file:
                    source = file.read().replace(b"\r\n", b"\n")
                hasher = hashlib.sha256(source)
                for path in _named_files(source, self.file):
                    with open(path, "rb") as file:
                        hasher.update(hashlib.file_digest(file, "sha256").digest())
            except OSError as error:
                raise ProjectError(
                    "SOURCE", f"{self.path}: {error.strerror}", "the file was there a moment ago"
                ) from None
            self._digest = hasher.hexdigest()
        return self._digest

    def __repr__(self) -> str:
        return f"Module({self.name!r}, {self.path!r})"


class Project:
    """What `load_project` found.

    `modules` holds every module of every target by name, imports before importers where there is no cycle;
    `targets` the modules of each library and executable, and `stray` the `.lean` files under the source
    directories that no target would build.
    """

    __slots__ = (
        "_importers",
        "lakefile",
        "manifest",
        "modules",
        "problems",
        "root",
        "stray",
        "targets",
        "toolchain",
    )

    def __init__(
        self,
        root: str,
        lakefile: Lakefile,
        *,
        toolchain: str | None,
        manifest: str | None,
        modules: Mapping[str, Module],
        targets: Mapping[str, frozenset[str]],
        stray: tuple[str, ...],
        problems: tuple[Problem, ...],
    ) -> None:
        self.root: Final = root
        self.lakefile: Final = lakefile
        self.toolchain: Final = toolchain
        self.manifest: Final = manifest
        self.modules: Final = modules
        self.targets: Final = targets
        self.stray: Final = stray
        self.problems: Final = problems
        self._importers: dict[str, list[str]] | None = None

    @property
    def default_modules(self) -> frozenset[str]:
        """The modules that a bare `lake build` builds."""
        chosen = [self.targets.get(t, frozenset()) for t in self.lakefile.default_targets]
        named = frozenset([t for t in self.lakefile.default_targets if t in self.modules])
        return frozenset().union(*chosen, *[self.closure(m) for m in named], named)

    def imports(self, module: str) -> tuple[str, ...]:
        """Return the modules of this project that the module imports, in the order of the file."""
        return tuple([name for name in self.modules[module].needs if name in self.modules])

    def external_imports(self, module: str) -> tuple[str, ...]:
        """Return the imported names that are not of this project: Lean's own, dependencies', or wrong."""
        return tuple([name for name in self.modules[module].imports if name not in self.modules])

    def importers(self, module: str) -> tuple[str, ...]:
        """Return the modules of this project that import the module themselves."""
        if self._importers is None:
            self._importers = {}
            for name in self.modules:
                for imported in self.imports(name):
                    self._importers.setdefault(imported, []).append(name)
        return tuple(self._importers.get(module, ()))

    def closure(self, module: str) -> frozenset[str]:
        """Return all modules of this project that the module imports, directly or not; not itself."""
        return _graph.reach(module, self.imports)

    def dependents(self, module: str) -> frozenset[str]:
        """Return all modules of this project that import the module, directly or not; not itself."""
        return _graph.reach(module, self.importers)

    def cycles(self) -> tuple[tuple[str, ...], ...]:
        """Return one path per group of modules that import each other: `("A", "B", "A")`."""
        return tuple(_graph.cycles(self.modules, self.imports))


def _named_files(source: bytes, file: str) -> list[str]:
    """Return the files that the texts in a source name, from where it lies."""
    import re

    directory = os.path.dirname(file)
    named = dict.fromkeys([os.fsdecode(text) for text in re.findall(_FILE_NAME, source)])
    return [path for name in named if os.path.isfile(path := os.path.join(directory, name))]


def find_root(start: str | os.PathLike[str]) -> str:
    """Return the absolute path of the nearest directory upwards from `start` that holds a lakefile.

    Raises ProjectError when there is none.
    """
    here = directory = os.path.abspath(start)
    while True:
        if any(os.path.isfile(os.path.join(directory, name)) for name in (TOML, LEAN)):
            return directory
        above = os.path.dirname(directory)
        if above == directory:
            raise ProjectError(
                "NO-PROJECT",
                f"no {TOML} or {LEAN} in {here} or above it",
                "go to a Lake project, or start one with `lake init`",
            )
        directory = above


def load_project(root: str | os.PathLike[str]) -> Project:
    """Return the project in directory `root`.

    Raises LakefileError when its lakefile cannot be used, ProjectError when a file's name is not UTF-8.

    Files that are missing, unreadable, not UTF-8 or wrong in their header are `problems` of the result.
    """
    directory = os.path.abspath(root)
    lakefile = read_lakefile(directory)
    loader = _Loader(directory, lakefile)
    targets = {}
    for lib in lakefile.libs:
        targets[lib.name] = loader.target(lib.name, loader.globs(lib))
    for exe in lakefile.exes:
        targets[exe.name] = loader.target(exe.name, [exe.root])
    order = _graph.ordered({name: module.needs for name, module in loader.modules.items()})
    modules = {name: loader.modules[name] for name in order}
    return Project(
        directory,
        lakefile,
        toolchain=_toolchain(directory),
        manifest=_manifest(directory),
        modules=modules,
        targets=targets,
        stray=tuple(_stray(directory, lakefile, {m.file for m in modules.values()})),
        problems=tuple(loader.problems),
    )


def source_dir(root: str, lakefile: Lakefile, src_dir: str) -> str:
    """Return the directory of a target's sources, `src_dir` being as in the target's declaration."""
    return os.path.normpath(os.path.join(root, lakefile.src_dir, src_dir))


def lib_globs(root: str, lakefile: Lakefile, lib: LeanLib) -> list[str]:
    """Return the modules that the library's globs select, in Lake's order; a root need not exist.

    Raises OSError when a directory cannot be read.
    """
    names: dict[str, None] = {}
    directory = source_dir(root, lakefile, lib.src_dir)
    for glob in lib.globs:
        if glob.selects != "+":
            names[glob.name] = None
        if glob.selects:
            parts = split_name(glob.name)
            names.update(dict.fromkeys(_below(os.path.join(directory, *parts), parts, ())))
    return list(names)


def _below(directory: str, parts: tuple[str, ...], seen: tuple[str, ...]) -> Iterator[str]:
    """Yield the modules under a directory, which need not exist. Raises OSError when it cannot be read.

    Like Lake's, the walk follows links; unlike it, not for ever.
    """
    real = os.path.realpath(directory)
    if real in seen:
        return
    try:
        entries = sorted(os.scandir(directory), key=lambda e: e.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if entry.is_dir():
            yield from _below(entry.path, (*parts, entry.name), (*seen, real))
        elif entry.name.endswith(".lean"):
            yield join_name((*parts, entry.name.removesuffix(".lean")))


class _Loader:
    def __init__(self, root: str, lakefile: Lakefile) -> None:
        self.root = root
        self.lakefile = lakefile
        self.modules: dict[str, Module] = {}
        self.problems: list[Problem] = []

    def globs(self, lib: LeanLib) -> list[str]:
        """Return the modules that the library's globs select; a directory that hides them is a problem."""
        try:
            return lib_globs(self.root, self.lakefile, lib)
        except OSError as error:
            path = os.path.relpath(error.filename, self.root).replace(os.sep, "/")
            self.add("UNREADABLE", path, 0, (error.strerror or "unreadable").lower(), "check its permissions")
            return []

    def target(self, target: str, names: list[str]) -> frozenset[str]:
        """Load the modules and all that they import of this package; return those that exist."""
        found: set[str] = set()
        queue: list[tuple[str, Import | None, Module | None]] = [(n, None, None) for n in reversed(names)]
        while queue:
            name, statement, importer = queue.pop()
            if name in found:
                continue
            module = self.modules.get(name) or self.load(name, target, statement, importer)
            if module is None:
                continue
            found.add(name)
            for item in reversed(module.header.imports):
                if item.module == name:
                    self.add("IMPORT", module.path, item.line, "module imports itself", "remove the import")
                elif self.is_local(item.module):
                    queue.append((item.module, item, module))
        return frozenset(found)

    def is_local(self, name: str) -> bool:
        return self.lakefile.lib_of(name) is not None

    def load(self, name: str, target: str, item: Import | None, importer: Module | None) -> Module | None:
        lib = self.lakefile.lib_of(name)
        src_dir = lib.src_dir if lib else next((e.src_dir for e in self.lakefile.exes if e.root == name), ".")
        file = os.path.join(source_dir(self.root, self.lakefile, src_dir), *split_name(name)) + ".lean"
        path = _shown(file, self.root)
        if not os.path.exists(file):
            if importer is not None and item is not None:
                message = f"bad import '{name}': there is no {path}"
                self.add("IMPORT", importer.path, item.line, message, "correct the name or restore the file")
            else:
                hint = f"write {path}, or change the roots or globs of {target}"
                self.add("MISSING", path, 0, f"no such file, a root of {target}", hint)
            return None
        module = Module(name, lib.name if lib else target, path, file, self.header(file, path))
        self.modules[name] = module
        return module

    def header(self, file: str, path: str) -> Header:
        text = self.text(file, path)
        if text is None:
            return _NO_HEADER
        if text.startswith("\ufeff"):
            hint = "save the file without a byte order mark"
            self.add("BOM", path, 1, "Lean reads no import after a byte order mark", hint)
        try:
            return parse_header(text)
        except HeaderError as error:
            problem = Problem(
                "HEADER",
                path,
                error.line,
                error.column,
                message=error.message,
                hint="correct the import lines",
            )
            self.problems.append(problem)
            return _NO_HEADER

    def text(self, file: str, path: str) -> str | None:
        try:
            with open(file, "rb") as stream:
                source = stream.read()
            return source.decode()
        except OSError as error:
            self.add("UNREADABLE", path, 0, (error.strerror or "unreadable").lower(), "check its permissions")
        except UnicodeDecodeError as error:
            line = source.count(b"\n", 0, error.start) + 1
            self.add("UTF-8", path, line, "not UTF-8: Lake refuses it", "save the file as UTF-8")
        return None

    def add(self, code: str, path: str, line: int, message: str, hint: str) -> None:
        problem = Problem(code, path, line, message=message, hint=hint)
        if problem not in self.problems:
            self.problems.append(problem)


def _toolchain(root: str) -> str | None:
    try:
        with open(os.path.join(root, "lean-toolchain"), encoding="utf-8") as file:
            return file.read().strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def _manifest(root: str) -> str | None:
    """Return the SHA-256 of `lake-manifest.json`, which pins the dependencies; None without one."""
    import hashlib

    try:
        with open(os.path.join(root, "lake-manifest.json"), "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None


def _stray(root: str, lakefile: Lakefile, known: set[str]) -> Iterator[str]:
    src_dirs = [lib.src_dir for lib in lakefile.libs] + [exe.src_dir for exe in lakefile.exes]
    real = {os.path.realpath(file) for file in known}
    found: set[str] = set()
    for top in {source_dir(root, lakefile, d) for d in src_dirs}:
        for directory, inner, files in os.walk(top):
            if directory != top and (TOML in files or LEAN in files):
                inner.clear()  # another package
                continue
            inner[:] = [d for d in inner if not d.startswith(".")]
            found.update(os.path.join(directory, f) for f in files if f.endswith(".lean") and f != LEAN)
    for file in sorted(found):
        if os.path.realpath(file) not in real:
            yield _shown(file, root)


def _shown(file: str, root: str) -> str:
    """Return a file's path below the root. Raises ProjectError where no report could show it."""
    path = os.path.relpath(file, root).replace(os.sep, "/")
    try:
        path.encode()
    except UnicodeEncodeError:
        name = os.fsencode(path).decode("utf-8", "backslashreplace")
        raise ProjectError(
            "FILE-NAME",
            f"{name}: the name is not UTF-8",
            "rename the file or directory; Lean takes UTF-8 only",
        ) from None
    return path
