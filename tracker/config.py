"""Settings: flag, then environment `TRACKER_*`, then `tracker.toml` found upwards, then the default."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from tracker.budgets import BudgetSettings
from tracker.catalogue.model import Budget
from tracker.errors import UsageError
from tracker.lean.failures.trust import SKIP_OPTION
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
class Waiver:
    """A rule's failure that somebody lets pass for a while."""

    code: str
    subject: str
    """A pattern over ids of obligations, names of modules, and whatever else a rule names."""
    reason: str
    owner: str
    expires: date
    """The last day on which it holds."""


@dataclass(frozen=True)
class GateSettings:
    """What the gate allows. Seconds and bytes."""

    baseline: Path
    time_ratio: float = 1.5
    time_floor_s: float = 2.0
    memory_ratio: float = 1.5
    memory_floor_bytes: int = 256 * 2**20
    deviations: float = 4.0
    """How many standard deviations of the noise that was seen a difference must exceed."""
    headroom: float = 0.2
    """The share of a limit that must be left."""
    ratchet: bool = True
    """Whether what got better must be committed."""
    unlike_machines: Literal["report", "fail"] = "report"
    """What times mean that were measured on another machine than the baseline's."""
    ignore: tuple[str, ...] = ()
    """Patterns over modules, and files of no target, that need not be checked."""
    witness: tuple[str, ...] = ()
    """The command of a second witness, such as `lake check`; empty for none."""
    witness_wall_s: float = 3600.0
    waivers: tuple[Waiver, ...] = ()


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
    budgets: BudgetSettings = field(default_factory=BudgetSettings)
    gate: GateSettings = field(default_factory=lambda: GateSettings(Path("reports/baseline.jsonl")))


_TRACKER_KEYS = ("project", "catalogue", "lock", "state", "toolchain")
_LIMIT_KEYS = ("wall", "memory")
_BUDGETS_KEYS = ("default", "kind", "module", "runner")
_BUDGET_KEYS = ("wall", "cpu", "memory")
_TOOLCHAIN_KEYS = ("lake", "lean", "embedded", "lean_args")
_GATE_KEYS = (
    "baseline", "time_ratio", "time_floor", "memory_ratio", "memory_floor", "deviations", "headroom",
    "ratchet", "unlike_machines", "ignore", "witness", "witness_wall", "waiver",
)  # fmt: skip
_WAIVER_KEYS = ("code", "subject", "reason", "owner", "expires")


def find_config(start: Path) -> Path | None:
    """Return the nearest tracker.toml at or above `start`."""
    for directory in (start, *start.parents):
        if (directory / CONFIG_NAME).exists():  # what is no file is refused where it is read
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
    _known(data, ("tracker", "limits", "budgets", "toolchains", "gate"), where, "")
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
        budgets=_budgets(_table(data, "budgets", where, _BUDGETS_KEYS), where),
        gate=_gate(_table(data, "gate", where, _GATE_KEYS), root, where),
    )


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
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


def parse_limit(text: str, parse: Callable[[str], N], what: str, *, zero: bool = False) -> N:
    """Return the amount in `text`; 0 only where `zero` is one. Raises UsageError naming `what` otherwise."""
    try:
        amount = parse(text)
        if not amount and not zero:
            raise ValueError(f"{text!r} leaves nothing")
        return amount
    except ValueError as error:
        raise UsageError("BAD-QUANTITY", f"{what}: {error}", "such as 90s, 10min, 512MiB or 8GiB") from error


def _budgets(table: Mapping[str, Any], where: str) -> BudgetSettings:
    return BudgetSettings(
        default=_budget(table.get("default", {}), where, "[budgets] default"),
        kinds=_budgets_by_name(table, "kind", where),
        modules=_budgets_by_name(table, "module", where),
        runner_bytes=parse_limit(
            str(table.get("runner", "16GiB")), parse_bytes, f"{where}: [budgets] runner"
        ),
    )


def _budgets_by_name(table: Mapping[str, Any], key: str, where: str) -> Mapping[str, Budget]:
    entries = table.get(key, {})
    if not isinstance(entries, dict):
        raise UsageError("BAD-CONFIG", f"{where}: [budgets.{key}] must be a table")
    found = {name: _budget(raw, where, f"[budgets.{key}] {name}") for name, raw in entries.items()}
    return MappingProxyType(found)


def _budget(raw: Any, where: str, what: str) -> Budget:
    if not isinstance(raw, dict):
        raise UsageError(
            "BAD-CONFIG", f"{where}: {what} must be a table", 'such as {wall = "5min", memory = "8GiB"}'
        )
    _known(raw, _BUDGET_KEYS, where, f"{what}: ")

    def amount(key: str, parse: Callable[[str], N]) -> N | None:
        return parse_limit(str(raw[key]), parse, f"{where}: {what} {key}") if key in raw else None

    return Budget(amount("wall", parse_seconds), amount("cpu", parse_seconds), amount("memory", parse_bytes))


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
    if any(SKIP_OPTION in arg for arg in args):
        text = f"{where}: [toolchains.{name}] lean_args takes the kernel out of every check: {SKIP_OPTION}"
        raise UsageError("BAD-CONFIG", text, "leave it out: nothing would be proved")
    embedded = table.get("embedded", False) is True
    paths = {key: root / str(table[key]) for key in ("lake", "lean") if key in table}
    if embedded == bool(paths) or (paths and len(paths) != 2):
        raise UsageError(
            "BAD-CONFIG",
            f"{where}: [toolchains.{name}] needs either `embedded = true` or both `lake` and `lean`",
        )
    return ToolchainEntry(name, paths.get("lake"), paths.get("lean"), embedded, tuple(args))


def _gate(table: Mapping[str, Any], root: Path, where: str) -> GateSettings:
    def refuse(key: str, wanted: str) -> UsageError:
        return UsageError("BAD-CONFIG", f"{where}: [gate] {key} must be {wanted}")

    def number(key: str, default: float, least: float, most: float = float("inf")) -> float:
        value = table.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise refuse(key, f"a number from {least:g} to {most:g}")
        return float(value)

    def amount(key: str, default: str, parse: Callable[[str], N]) -> N:
        return parse_limit(str(table.get(key, default)), parse, f"{where}: [gate] {key}", zero=True)

    def words(key: str) -> tuple[str, ...]:
        value = table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            raise refuse(key, "a list of strings")
        return tuple(value)

    baseline = table.get("baseline", "reports/baseline.jsonl")
    if not isinstance(baseline, str):
        raise refuse("baseline", "a string")
    unlike = table.get("unlike_machines", "report")
    if unlike not in ("report", "fail"):
        raise refuse("unlike_machines", '"report" or "fail"')
    if not isinstance(table.get("ratchet", True), bool):
        raise refuse("ratchet", "true or false")
    return GateSettings(
        baseline=(root / baseline).resolve(),
        time_ratio=number("time_ratio", 1.5, 1.0),
        time_floor_s=amount("time_floor", "2s", parse_seconds),
        memory_ratio=number("memory_ratio", 1.5, 1.0),
        memory_floor_bytes=amount("memory_floor", "256MiB", parse_bytes),
        deviations=number("deviations", 4.0, 0.0),
        headroom=number("headroom", 0.2, 0.0, 0.99),
        ratchet=table.get("ratchet", True),
        unlike_machines=unlike,
        ignore=words("ignore"),
        witness=words("witness"),
        witness_wall_s=amount("witness_wall", "1h", parse_seconds),
        waivers=_waivers(table.get("waiver", []), where),
    )


def _waivers(tables: Any, where: str) -> tuple[Waiver, ...]:
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise UsageError("BAD-CONFIG", f"{where}: [gate] waiver must be written as [[gate.waiver]]")
    found = []
    for number, table in enumerate(tables, 1):
        which = f"[[gate.waiver]] number {number}"
        _known(table, _WAIVER_KEYS, where, f"{which} ")
        texts = {key: table.get(key) for key in _WAIVER_KEYS[:-1]}
        for key, text in texts.items():
            if not isinstance(text, str) or not text.strip():
                raise UsageError("BAD-CONFIG", f"{where}: {which} needs `{key}`, a text that is not empty")
        expires = table.get("expires")
        if not isinstance(expires, date) or isinstance(expires, datetime):
            raise UsageError(
                "BAD-CONFIG", f"{where}: {which} needs `expires`, a date", "such as expires = 2027-01-31"
            )
        found.append(Waiver(**{key: str(text) for key, text in texts.items()}, expires=expires))
    return tuple(found)
