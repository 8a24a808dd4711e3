"""What has to be built, in which order, and what is wrong with it before any `lean` runs.

Lake computes its jobs by fetching facets that fetch other facets. The errors of imports come out of that
recursion: who reports a missing file, who a bad import, which of the modules of a cycle shows it. So the
same recursion is done here, facet by facet (Lake's `Build/Module` and `Build/Library`), with its stack of
keys, its memory, and its way of catching errors into the job that was being made.
"""

from __future__ import annotations

import sys

from tracker.embedded.lake.job import Job
from tracker.embedded.lake.log import ERROR, io_error
from tracker.embedded.lake.source import Source, read_source
from tracker.embedded.lake.workspace import Module, Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    from tracker.embedded.lake.log import Entry
    from tracker.lean.lakefile import LeanLib

    T = TypeVar("T")

# Chains of imports are long, and each link is several calls.
_DEEP = 1_000_000


class Node:
    """A job of the build with what it waits for. `module` is None for jobs that only collect others."""

    __slots__ = ("art_hash", "dep_hash", "deps", "job", "module", "source", "trans_hash")

    def __init__(self, job: Job, module: Module | None = None, source: Source | None = None) -> None:
        self.job = job
        self.module = module
        self.source = source
        self.deps: list[Node] = []
        self.dep_hash = ""
        # What importers depend on: the hash of the outputs, and that of all outputs below.
        self.art_hash = ""
        self.trans_hash = ""


class Failure(Exception):  # noqa: N818 - Lake's word
    """The facet cannot be computed; its errors are in the graph's log."""


class _Result:
    """A facet's outcome: not `ok` with `log` as the reason, or the nodes it stands for."""

    __slots__ = ("log", "nodes", "ok")

    def __init__(self, ok: bool, nodes: list[Node], log: list[Entry]) -> None:
        self.ok = ok
        self.nodes = nodes
        self.log = log


class Graph:
    """Collects the jobs for the targets asked for, in the order in which Lake would register them."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.nodes: list[Node] = []
        self.log: list[Entry] = []
        self._sources: dict[str, Source] = {}
        self._arts: dict[str, Node] = {}
        self._memory: dict[str, _Result] = {}
        self._stack: list[str] = []
        self._extra: Node | None = None
        self._local: dict[str, set[str]] = {}

    # Facets

    def lean_arts(self, module: Module) -> Node:
        """Return the node that builds the module. Raises Failure on a cycle."""

        def build() -> Node:
            setup = self._ensure(lambda: self._setup(module))
            node = Node(Job(module.name), module, self.source(module))
            node.deps = setup.nodes
            node.job.log = setup.log
            if not setup.ok:
                node.job.ok = False
            self.nodes.append(node)
            self._arts[module.name] = node
            return node

        return self._fetch(f"+{module.name}:leanArts", lambda: self._arts.get(module.name) or build())

    def dependencies(self, module: Module) -> Node:
        """Return a node that is done when all that the module imports is built."""
        setup = self._fetch(f"+{module.name}:deps", lambda: self._setup(module))
        return self.collect(f"{module.name}:deps", setup)

    def library(self, lib: LeanLib, facet: str) -> Node:
        """Return a node that is done when the library's modules are built. Raises Failure."""
        key = f"{self.workspace.lakefile.name}/{lib.name}"

        def default() -> list[Node]:
            facets = lib.default_facets if facet == "default" else (facet,)
            nodes: list[Node] = []
            for name in facets:
                if name == "leanArts":
                    nodes += self._fetch(f"{key}:leanArts", lambda: self._library(lib))
                else:
                    self.error(f"the embedded lake builds no {name} libraries: it has no C compiler")
            return nodes

        nodes = self._fetch(f"{key}:{facet}", default) if facet == "default" else default()
        return self.collect(f"{key}:{facet}", _Result(True, nodes, []))

    def extra_dep(self) -> Node:
        """Return the node of what the package needs first; there is nothing, but Lake counts it."""
        if self._extra is None:
            self._extra = Node(Job(f"{self.workspace.lakefile.name}:extraDep"))
            self.nodes.append(self._extra)
        return self._extra

    def collect(self, caption: str, result: _Result) -> Node:
        """Register a node that waits for others."""
        node = Node(Job(caption))
        node.deps, node.job.log = result.nodes, result.log
        if not result.ok:
            node.job.ok = False
        self.nodes.append(node)
        return node

    def failing(self, caption: str, message: str) -> Node:
        """Register a node that fails with the message."""
        return self.collect(caption, _Result(False, [], [(ERROR, message)]))

    def imports_of(self, file: str, name: str, source: Source) -> _Result:
        """Return the nodes of what a file imports that is no module of the package (`lake lean`)."""

        def build() -> _Result:
            info = self._imports(file, name, source)
            precompiled = self._precompiled(file, source)
            if not precompiled.ok:
                self.log += precompiled.log
                raise Failure
            return info

        self.extra_dep()
        return self._ensure(build)

    def source(self, module: Module) -> Source:
        """Return the module's source, read once."""
        found = self._sources.get(module.name)
        if found is None:
            found = self._sources[module.name] = read_source(module.source)
        return found

    def error(self, message: str) -> None:
        """Log an error and raise Failure."""
        self.log.append((ERROR, message))
        raise Failure

    # The recursion

    def _setup(self, module: Module) -> _Result:
        def build() -> _Result:
            self.extra_dep()
            source = self.source(module)
            info = self._fetch(
                f"+{module.name}:importInfo", lambda: self._imports(module.relative, module.name, source)
            )
            precompiled = self._precompile_imports(module)
            if not precompiled.ok:
                self.log += precompiled.log
                raise Failure
            return info

        return self._remember(f"+{module.name}:setup", lambda: self._ensure(build))

    def _imports(self, file: str, name: str, source: Source) -> _Result:
        if source.error is not None:
            self.log.append(source.error)
            raise Failure
        nodes: dict[str, Node] = {}
        ok = True
        assert source.header is not None
        for item in source.header.imports:
            if item.module == name:
                self.log.append((ERROR, f"{file}: module imports itself"))
                ok = False
            elif item.module not in nodes:
                imported = self.workspace.module(item.module)
                if imported is not None:
                    nodes[item.module] = self._export_info(imported)
        return _Result(ok, list(nodes.values()), [])

    def _export_info(self, module: Module) -> Node:
        return self._fetch(f"+{module.name}:exportInfo", lambda: self.lean_arts(module))

    def _precompile_imports(self, module: Module) -> _Result:
        return self._remember(
            f"+{module.name}:precompileImports",
            lambda: self._ensure(lambda: self._precompiled(module.relative, self.source(module))),
        )

    def _precompiled(self, file: str, source: Source) -> _Result:
        if source.error is not None:
            self.log.append(source.error)
            raise Failure
        assert source.header is not None
        entries = []
        for name in source.header.modules:
            imported = self.workspace.module(name)
            if imported is not None and not self._precompile_imports(imported).ok:
                entries.append((ERROR, f"{file}: bad import '{name}'"))
        return _Result(not entries, [], entries)

    def _library(self, lib: LeanLib) -> list[Node]:
        from tracker.lean.project import lib_globs

        workspace = self.workspace
        names: list[str] = []
        try:
            names = lib_globs(workspace.root, workspace.lakefile, lib)
        except OSError as error:
            self.error(io_error(error))
        modules: dict[str, Module] = {}
        complete = True
        for name in names:
            complete &= self._add_local(name, lib, modules, root=True)
        nodes = [self.lean_arts(module) for module in modules.values()]
        if not complete:
            self.error(f"{lib.name}: some modules have bad imports or could not be read")
        return nodes

    def _add_local(self, name: str, lib: LeanLib, modules: dict[str, Module], root: bool) -> bool:
        """Add the module after its imports from the same library; return whether all could be read."""
        seen = self._local.setdefault(lib.name, set())
        if name in seen:
            return True
        seen.add(name)
        module = self.workspace.module(name)
        if module is None:
            return True
        source = self.source(module)
        if source.header is None:
            if root:  # its own job reports why; a module that was only imported is its importers' error
                modules[name] = module
            return False
        complete = True
        for imported in source.header.modules:
            if lib.is_local(imported):
                complete &= self._add_local(imported, lib, modules, root=False)
        modules[name] = module
        return complete

    # Lake's machinery

    def _fetch(self, key: str, build: Callable[[], T]) -> T:
        """Call `build` with the key on the stack. Raises Failure when it is there already."""
        if key in self._stack:
            between = [k for k in reversed(self._stack) if k != key]
            lines = "\n".join([f"  {k}" for k in (key, *between, key)])
            self.error(f"build cycle detected:\n{lines}")
        self._stack.append(key)
        limit = sys.getrecursionlimit()
        try:
            if len(self._stack) == 1:
                sys.setrecursionlimit(_DEEP)
            return build()
        finally:
            self._stack.pop()
            if (
                not self._stack
            ):  # where C recurses (JSON), only the usual limit keeps its stack from overflowing
                sys.setrecursionlimit(limit)

    def _remember(self, key: str, build: Callable[[], _Result]) -> _Result:
        def once() -> _Result:
            if key not in self._memory:
                self._memory[key] = build()
            return self._memory[key]

        return self._fetch(key, once)

    def _ensure(self, build: Callable[[], _Result]) -> _Result:
        """Turn errors that `build` raises or leaves in the log into its result."""
        start = len(self.log)
        try:
            result = build()
        except Failure:
            result = _Result(False, [], [])
        entries = self.log[start:]
        del self.log[start:]
        return _Result(result.ok, result.nodes, entries + result.log) if entries else result


def closure(nodes: Iterable[Node]) -> list[Node]:
    """Return the nodes and all module nodes below them, each once, importers after what they import."""
    found: dict[str, Node] = {}
    entered: set[str] = set()
    for start in nodes:
        stack = [(start, iter(start.deps))]
        while stack:
            node, rest = stack[-1]
            following = next((n for n in rest if n.module and n.module.name not in entered), None)
            if following is not None and following.module is not None:
                entered.add(following.module.name)
                stack.append((following, iter(following.deps)))
                continue
            stack.pop()
            if node.module is not None:
                found[node.module.name] = node
    return list(found.values())
