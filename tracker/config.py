"""Settings: flag, then environment `TRACKER_*`, then `tracker.toml` found upwards, then the default."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from tracker.errors import UsageError
from tracker.units import parse_bytes, parse_seconds

N = TypeVar("N", int, float)

CONFIG_NAME = "tracker.toml"


@dataclass(frozen=True)
class ToolchainEntry:
    """A named toolchain of tracker.toml: a `lake`/`lean` pair or the embedded one, and options for `lean`."""

    name: str
    lake: Path | None
    lean: Path | None
    embedded: bool
    lean_args: tuple[str, ...]


@dataclass(frozen=True)
class Settings:
    """Where things are and what a check may use. Paths are absolute."""

    root: Path
    """The directory of tracker.toml, or the current one."""
    project: Path
    """The Lake project."""
    catalogue: tuple[Path, ...]
    lock: Path
    """The locked statements."""
    state: Path
    """Local evidence; not committed."""
    toolchain: str
    wall_s: float
    memory_bytes: int | None
    toolchains: Mapping[str, ToolchainEntry] = field(default_factory=lambda: MappingProxyType({}))


_TRACKER_KEYS = ("project", "catalogue", "lock", "state", "toolchain")
_LIMIT_KEYS = ("wall", "memory")
_TOOLCHAIN_KEYS = ("lake", "lean", "embedded", "lean_args")


def find_config(start: Path) -> Path | None:
    """Return the nearest tracker.toml at or above `start`."""
    for directory in (start, *start.parents):
        if (directory / CONFIG_NAME).is_file():
            return directory / CONFIG_NAME
    return None


def load_settings(
    start: Path,
    flags: Mapping[str, str | None] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Return the settings that hold in the directory `start`.

    `flags` and the `TRACKER_*` variables may give each key of `[tracker]`. Raises UsageError naming the
    file and key when something is wrong.
    """
    environment = os.environ if environment is None else environment
    file = find_config(start)
    data = _read(file) if file else {}
    root = file.parent if file else start
    where = str(file) if file else CONFIG_NAME
    _known(data, ("tracker", "limits", "toolchains"), where, "")
    table = _table(data, "tracker", where, _TRACKER_KEYS)
    limits = _table(data, "limits", where, _LIMIT_KEYS)

    def value(key: str, default: str) -> str:
        given = (flags or {}).get(key) or environment.get(f"TRACKER_{key.upper()}")
        chosen = given or table.get(key, default)
        if not isinstance(chosen, str):
            raise UsageError("BAD-CONFIG", f"{where}: [tracker] {key} must be a string")
        # A path on the command line or in the environment is relative to where the user stands.
        return str(start / chosen) if given and key not in ("toolchain",) else chosen

    project = value("project", "." if not (root / "lean" / "lakefile.toml").exists() else "lean")
    return Settings(
        root=root,
        project=(root / project).resolve(),
        catalogue=((root / value("catalogue", "obligations")).resolve(),),
        lock=(root / value("lock", "obligations/statements.lock")).resolve(),
        state=(root / value("state", ".tracker")).resolve(),
        toolchain=value("toolchain", "auto"),
        wall_s=parse_limit(str(limits.get("wall", "30min")), parse_seconds, f"{where}: [limits] wall"),
        memory_bytes=(
            parse_limit(str(limits["memory"]), parse_bytes, f"{where}: [limits] memory")
            if "memory" in limits
            else None
        ),
        toolchains=_toolchains(data, root, where),
    )


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError("BAD-CONFIG", f"{file}: {error}", "it must be readable UTF-8 TOML") from error


def _table(data: Mapping[str, Any], name: str, where: str, keys: Iterable[str]) -> Mapping[str, Any]:
    table = data.get(name, {})
    if not isinstance(table, dict):
        raise UsageError("BAD-CONFIG", f"{where}: [{name}] must be a table")
    _known(table, keys, where, f"[{name}] ")
    return table


def _known(table: Mapping[str, Any], keys: Iterable[str], where: str, prefix: str) -> None:
    allowed = list(keys)
    for key in table:
        if key not in allowed:
            close = difflib.get_close_matches(key, allowed, 1)
            hint = f"did you mean `{close[0]}`?" if close else f"known: {', '.join(allowed)}"
            raise UsageError("BAD-CONFIG", f"{where}: {prefix}unknown key `{key}`", hint)


def parse_limit(text: str, parse: Callable[[str], N], what: str) -> N:
    """Return the amount in `text`. Raises UsageError naming `what` when it is none."""
    try:
        return parse(text)
    except ValueError as error:
        raise UsageError("BAD-QUANTITY", f"{what}: {error}", "such as 90s, 10min, 512MiB or 8GiB") from error


def _toolchains(data: Mapping[str, Any], root: Path, where: str) -> Mapping[str, ToolchainEntry]:
    entries = {}
    for name, table in _table(data, "toolchains", where, data.get("toolchains", {})).items():
        if not isinstance(table, dict):
            raise UsageError("BAD-CONFIG", f"{where}: [toolchains] {name} must be a table")
        _known(table, _TOOLCHAIN_KEYS, where, f"[toolchains.{name}] ")
        entries[name] = _toolchain(name, table, root, where)
    return MappingProxyType(entries)


def _toolchain(name: str, table: Mapping[str, Any], root: Path, where: str) -> ToolchainEntry:
    args = table.get("lean_args", [])
    if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
        raise UsageError("BAD-CONFIG", f"{where}: [toolchains.{name}] lean_args must be a list of strings")
    embedded = table.get("embedded", False) is True
    paths = {key: root / str(table[key]) for key in ("lake", "lean") if key in table}
    if embedded == bool(paths) or (paths and len(paths) != 2):
        raise UsageError(
            "BAD-CONFIG",
            f"{where}: [toolchains.{name}] needs either `embedded = true` or both `lake` and `lean`",
        )
    return ToolchainEntry(name, paths.get("lake"), paths.get("lean"), embedded, tuple(args))
