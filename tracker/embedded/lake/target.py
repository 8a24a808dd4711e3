"""Targets on the command line: `[@[PACKAGE]/][TARGET|[+]MODULE][:FACET]` (Lake's `CLI/Build`)."""

from __future__ import annotations

import os

from tracker.embedded.lake.graph import Graph, Node
from tracker.embedded.lake.log import LakeError
from tracker.embedded.lake.workspace import Module, Workspace
from tracker.lean.lakefile import dotted_name, plain_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Goal = Callable[[Graph], Node]

_QUERY_ONLY = (
    "input", "header", "imports", "transImports", "precompileImports", "importInfo", "exportInfo",
)  # fmt: skip
_ARTIFACTS = (
    "leanArts", "lean", "setup", "importArts", "importAllArts", "olean", "ilean", "c", "olean.server",
    "olean.private", "ir",
)  # fmt: skip
_MODULE_SYSTEM = {
    "olean.server": "No server olean generated. Ensure the module system is enabled.",
    "olean.private": "No private olean generated. Ensure the module system is enabled.",
    "ir": "No `.ir` generated. Ensure the module system is enabled.",
}
_NATIVE = (
    "bc", "c.o", "c.o.export", "c.o.noexport", "bc.o", "o", "o.export", "o.noexport", "dynlib", "static",
    "static.export", "shared", "ltar",
)  # fmt: skip
_NO_COMPILER = "the embedded lake has no C compiler; install Lean with elan to build"


def parse_targets(workspace: Workspace, specs: list[str]) -> list[Goal]:
    """Return what to build for the words, the default targets when there are none. Raises LakeError."""
    resolver = _Resolver(workspace)
    goals = [goal for spec in specs for goal in resolver.spec(spec)]
    return goals or resolver.defaults()


class _Resolver:
    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.package = workspace.lakefile.name

    def spec(self, spec: str) -> list[Goal]:
        base, _, facet = spec.partition(":")
        if ":" in facet:
            raise LakeError(f"invalid target specifier '{spec}' (too many ':')")
        if base.startswith("@"):
            return self.target_like(base[1:], facet, explicit=True)
        if base.startswith("+"):
            return [self.module(self.named_module(base[1:]), facet)]
        path = os.path.realpath(base) if base and os.path.exists(base) else ""
        if path and not os.path.isdir(path):
            module = self.workspace.module_of_source(path)
            if module is not None:
                return [self.module(module, facet)]
        return self.target_like(base, facet, is_path=not os.path.isdir(path))

    def target_like(
        self, spec: str, facet: str, *, is_path: bool = False, explicit: bool = False
    ) -> list[Goal]:
        words = spec.split("/")
        if len(words) > 2:
            if is_path:
                raise LakeError(f"unknown module source path `{spec}`")
            raise LakeError(f"invalid target specifier '{spec}' (too many '/')")
        if len(words) == 2:
            self.check_package(words[0])
            if not words[1]:
                return self.package_target(facet)
            if words[1].startswith("+"):
                return [self.module(self.named_module(words[1][1:]), facet)]
            return self.in_package(plain_name(words[1]), facet)
        if not spec:
            return self.package_target(facet)
        if explicit:
            self.check_package(spec)
            return self.package_target(facet)
        return self.in_workspace(plain_name(spec), facet)

    def check_package(self, spec: str) -> None:
        if spec and plain_name(spec) != self.package:
            raise LakeError(f"unknown package `{spec}`")

    def named_module(self, spec: str) -> Module:
        module = self.workspace.target_module(dotted_name(spec) or spec)
        if module is None:
            raise LakeError(f"unknown module `{spec}`")
        return module

    def in_workspace(self, name: str, facet: str) -> list[Goal]:
        goals = self.declared(name, facet)
        if goals is None and name == self.package:
            goals = self.package_target(facet)
        if goals is None:
            module = self.workspace.target_module(name)
            if module is None:
                raise LakeError(f"unknown target `{name}`")
            goals = [self.module(module, facet)]
        return goals

    def in_package(self, name: str, facet: str) -> list[Goal]:
        goals = self.declared(name, facet)
        if goals is None:
            module = self.workspace.target_module(name)
            if module is None:
                raise LakeError(f"package '{self.package}' has no target '{name}'")
            goals = [self.module(module, facet)]
        return goals

    def declared(self, name: str, facet: str) -> list[Goal] | None:
        lib = self.workspace.find_lib(name)
        if lib is not None:
            if facet in _NATIVE:
                raise LakeError(f"{_NO_COMPILER} {name}:{facet}")
            if facet == "modules":
                raise LakeError(_not_buildable(f"{self.package}/{name}:modules"))
            if facet == "extraDep":
                return [lambda graph: graph.extra_dep()]
            if facet not in ("", "default", "leanArts"):
                raise LakeError(f"unknown lean_lib facet `{facet}`")
            return [lambda graph: graph.library(lib, facet or "default")]
        exe = self.workspace.find_exe(name)
        if exe is not None:
            if facet not in ("", "default", "exe"):
                raise LakeError(f"unknown lean_exe facet `{facet}`")
            raise LakeError(f"{_NO_COMPILER} the executable {name}; its root is the target +{exe.root}")
        return None

    def package_target(self, facet: str) -> list[Goal]:
        if not facet:
            return self.defaults()
        if facet == "extraDep":
            return [lambda graph: graph.extra_dep()]
        raise LakeError(f"unknown package facet `{facet}`")

    def defaults(self) -> list[Goal]:
        return [
            goal for name in self.workspace.lakefile.default_targets for goal in self.in_package(name, "")
        ]

    @staticmethod
    def module(module: Module, facet: str) -> Goal:
        if facet in _QUERY_ONLY:
            raise LakeError(_not_buildable(f"{module.name}:{facet}"))
        if facet in _NATIVE:
            raise LakeError(f"{_NO_COMPILER} {module.name}:{facet}")
        if facet == "deps":
            return lambda graph: graph.dependencies(module)
        if facet and facet not in _ARTIFACTS:
            raise LakeError(f"unknown module facet `{facet}`")
        return lambda graph: _artifact(graph, module, facet)


def _artifact(graph: Graph, module: Module, facet: str) -> Node:
    node = graph.lean_arts(module)
    header = graph.source(module).header
    if facet in _MODULE_SYSTEM and header is not None and not header.is_module:
        return graph.failing(f"{module.name}:{facet}", _MODULE_SYSTEM[facet])
    return node


def _not_buildable(key: str) -> str:
    return f"'{key}' is not a build target (perhaps you meant 'lake query'?)"
