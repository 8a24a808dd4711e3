"""The package being built: libraries, modules, files (Lake's `Config/Workspace` and `Config/Module`)."""

from __future__ import annotations

import os

from tracker.embedded.lake.log import LakeError
from tracker.lean.header import join_name, split_name
from tracker.lean.lakefile import (
    LEAN,
    TOML,
    Lakefile,
    LakefileError,
    LeanConfig,
    LeanExe,
    LeanLib,
    read_lakefile,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracker.embedded.lake.install import Install


class Module:
    """A module and where its files are. `relative` is its source relative to the package."""

    __slots__ = ("_base", "_ir", "config", "name", "relative", "source")

    def __init__(self, workspace: Workspace, name: str, src_dir: str, config: LeanConfig) -> None:
        parts = os.path.join(*split_name(name))
        self.name = name
        self.config = config
        self.source = os.path.normpath(os.path.join(workspace.src_dir, src_dir, parts)) + ".lean"
        self.relative = os.path.relpath(self.source, workspace.root)
        self._base = os.path.join(workspace.lib_dir, parts)
        self._ir = os.path.join(workspace.ir_dir, parts)

    @property
    def olean(self) -> str:
        """The compiled module."""
        return self._base + ".olean"

    @property
    def ilean(self) -> str:
        """The references for the language server."""
        return self._base + ".ilean"

    @property
    def trace(self) -> str:
        """What the module was built from."""
        return self._base + ".trace"

    @property
    def c_file(self) -> str:
        """The generated C code."""
        return self._ir + ".c"

    @property
    def setup(self) -> str:
        """The file that tells `lean` about the module."""
        return self._ir + ".setup.json"

    def artifacts(self, is_module: bool) -> dict[str, str]:
        """Return the files that `lean` writes, by the names that traces have for them."""
        files = {"o": self.olean, "i": self.ilean, "c": self.c_file}
        if is_module:
            files |= {
                "os": self.olean + ".server",
                "op": self.olean + ".private",
                "rs": self._base + ".ir.sig",
                "r": self._base + ".ir",
            }
        return files

    def import_files(self, is_module: bool) -> list[list[str]]:
        """Return what an importer reads, in the groups that `lean --setup` wants."""
        if not is_module:
            return [[self.olean]]
        ir = self._base + ".ir"
        return [[self.olean, self.olean + ".server", self.olean + ".private"], [ir + ".sig", ir]]


class Workspace:
    """The package at `root` (absolute) with its configuration and the Lean that builds it."""

    __slots__ = ("_modules", "install", "ir_dir", "lakefile", "lib_dir", "root", "src_dir")

    def __init__(self, root: str, lakefile: Lakefile, install: Install) -> None:
        self.root = root
        self.lakefile = lakefile
        self.install = install
        self.src_dir = os.path.normpath(os.path.join(root, lakefile.src_dir))
        self.lib_dir = os.path.normpath(os.path.join(self.build_dir, lakefile.lean_lib_dir))
        self.ir_dir = os.path.normpath(os.path.join(self.build_dir, lakefile.ir_dir))
        self._modules: dict[str, Module | None] = {}

    @property
    def build_dir(self) -> str:
        """The directory of everything that the build makes."""
        return os.path.normpath(os.path.join(self.root, self.lakefile.build_dir))

    def find_lib(self, name: str) -> LeanLib | None:
        """Return the library of that name."""
        return next((lib for lib in self.lakefile.libs if lib.name == name), None)

    def find_exe(self, name: str) -> LeanExe | None:
        """Return the executable of that name."""
        return next((exe for exe in self.lakefile.exes if exe.name == name), None)

    def module(self, name: str) -> Module | None:
        """Return the module, if a library of the package would build it; it can be imported."""
        if name not in self._modules:
            lib = self.lakefile.lib_of(name)
            self._modules[name] = (
                Module(self, name, lib.src_dir, self.lakefile.config + lib.config) if lib else None
            )
        return self._modules[name]

    def target_module(self, name: str) -> Module | None:
        """Return the module, if it can be built: one of a library, or the root of an executable."""
        module = self.module(name)
        if module is None:
            exe = next((exe for exe in self.lakefile.exes if exe.root == name), None)
            if exe is not None:
                module = Module(self, name, exe.src_dir, self.lakefile.config + exe.config)
                self._modules[name] = module
        return module

    def module_of_source(self, path: str) -> Module | None:
        """Return the module whose source file is `path` (absolute), by the place of the file alone."""
        for lib in reversed(self.lakefile.libs):
            name = self._name_below(lib.src_dir, path)
            if name is not None and lib.is_buildable(name):
                return self.module(name)
        for exe in self.lakefile.exes:
            if self._name_below(exe.src_dir, path) == exe.root:
                return self.target_module(exe.root)
        return None

    def _name_below(self, src_dir: str, path: str) -> str | None:
        top = os.path.join(os.path.normpath(os.path.join(self.src_dir, src_dir)), "")
        if not path.startswith(top) or not path.endswith(".lean"):
            return None
        return join_name(path[len(top) : -len(".lean")].split(os.sep))

    def environment(self) -> dict[str, str]:
        """Return what `lake env` adds to the environment."""
        install = self.install
        variables = base_environment(install)
        variables["LEAN_PATH"] = _path(self.lib_dir, variables["LEAN_PATH"])
        sources = [os.path.normpath(os.path.join(self.src_dir, lib.src_dir)) for lib in self.lakefile.libs]
        variables["LEAN_SRC_PATH"] = _path(*dict.fromkeys(sources), variables["LEAN_SRC_PATH"])
        variables["PATH"] = _path(os.path.join(self.build_dir, "bin"), variables["PATH"])
        return variables


def base_environment(install: Install) -> dict[str, str]:
    """Return what `lake env` sets without a package."""
    given = os.environ.get
    return {
        "LAKE": os.path.join(install.home, "bin", "lake"),
        "LAKE_HOME": install.home,
        "LEAN": install.lean,
        "LEAN_GITHASH": install.githash,
        "LEAN_SYSROOT": install.sysroot,
        "LEAN_PATH": _path(install.lib_dir, given("LEAN_PATH", "")),
        "LEAN_SRC_PATH": _path(os.path.join(install.sysroot, "src", "lean"), given("LEAN_SRC_PATH", "")),
        "PATH": _path(os.path.join(install.home, "bin"), given("PATH", "")),
    }


def _path(*entries: str) -> str:
    return os.pathsep.join([entry for entry in entries if entry])


def load_workspace(directory: str, config_file: str, install: Install) -> Workspace:
    """Return the package in `directory`. Raises LakeError with Lake's words."""
    if not os.path.isdir(directory):
        raise LakeError(f"workspace directory not found: {directory}")
    root = os.path.realpath(directory)
    lakefile = _lakefile(root, config_file)
    if lakefile.kind == "lean":
        raise LakeError(
            f"{lakefile.path}: the embedded lake cannot run a {LEAN}; install Lean with elan, "
            f"or write the configuration as {TOML} (`lake translate-config toml`)"
        )
    if lakefile.requires:
        names = ", ".join([require.name for require in lakefile.requires])
        raise LakeError(
            f"{lakefile.path}: the embedded lake builds no dependencies ({names}); install Lean with elan"
        )
    return Workspace(root, lakefile, install)


def config_exists(directory: str, config_file: str) -> bool:
    """Return whether the directory has a lakefile."""
    names = [config_file] if config_file else [LEAN, TOML]
    return any(os.path.exists(os.path.join(directory, name)) for name in names)


def _lakefile(root: str, config_file: str) -> Lakefile:
    try:
        if not config_file:
            if not config_exists(root, ""):
                files = "\n".join([os.path.join(root, name) for name in (LEAN, TOML)])
                raise LakeError(f"[root]: no configuration file with a supported extension:\n{files}")
            return read_lakefile(root)
        path = os.path.join(root, config_file)
        if not os.path.exists(path):
            raise LakeError(f"[root]: configuration file not found: {path}")
        if not path.endswith(".toml"):
            raise LakeError(f"[root]: configuration has unsupported file extension: {path}")
        return read_lakefile(root, config_file)
    except LakefileError as error:
        place = f"{error.path}:{error.line}:{error.column}: " if error.line else f"{error.path}: "
        raise LakeError(place + error.problem) from None
