"""Running `lean` on a module and telling what it said in Lake's words (Lake's `Build/Actions`)."""

from __future__ import annotations

from tracker.embedded.lake.log import ERROR, INFO, WARNING
from tracker.embedded.lake.trace import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tracker.embedded.lake.log import Entry
    from tracker.embedded.lake.workspace import Module
    from tracker.lean.lakefile import LeanOption

_SEVERITIES = {"information": INFO, "warning": WARNING, "error": ERROR}


def setup_json(
    name: str, is_module: bool, imports: Mapping[str, list[list[str]]], options: tuple[LeanOption, ...]
) -> str:
    """Return the file for `lean --setup`: it says where imports are, and the options of the lakefile."""
    arts = ",".join([f"{quoted(module)}:{_lists(files)}" for module, files in imports.items()])
    values = ",".join([f"{quoted(option)}:{_value(value)}" for option, value in options])
    flag = "true" if is_module else "false"
    return (
        f'{{"name":{quoted(name)},"isModule":{flag},"importArts":{{{arts}}},'
        f'"dynlibs":[],"plugins":[],"options":{{{values}}}}}\n'
    )


def _lists(groups: list[list[str]]) -> str:
    return "[" + ",".join(["[" + ",".join(map(quoted, group)) + "]" for group in groups]) + "]"


def _value(value: str | int | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else quoted(value)


def option_flag(option: LeanOption) -> str:
    """Return the option as an argument of `lean`."""
    name, value = option
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"-D{name}={text}"


def build_args(lean: str, module: Module) -> list[str]:
    """Return the command that builds the module."""
    config = module.config
    return [
        lean, *config.weak_lean_args, *config.more_lean_args, module.source,
        "-o", module.olean, "-i", module.ilean, "-c", module.c_file, "--setup", module.setup, "--json",
    ]  # fmt: skip


def command_line(environment: Mapping[str, str], args: list[str]) -> str:
    """Return the command as the trace entry shows it."""
    variables = "".join([f"{name}={value} " for name, value in environment.items()])
    return f".> {variables}{' '.join(args)}"


def entries(stdout: bytes, stderr: bytes, code: int, relative: str) -> list[Entry]:
    """Return what a run of `lean --json` said; messages name the file as `relative`."""
    log: list[Entry] = []
    plain = ""
    for line in stdout.decode("utf-8", "surrogateescape").split("\n"):
        message = _message(line)
        if message is not None:
            if plain:
                log.append((INFO, f"stdout:\n{plain}"))
                plain = ""
            if not message.get("isSilent"):
                log.append(_entry(message, relative))
        elif plain or line:
            plain += line + "\n"
    if plain:
        log.append((INFO, f"stdout:\n{plain}"))
    if stderr:
        log.append((INFO, f"stderr:\n{stderr.decode('utf-8', 'surrogateescape').strip()}"))
    if code:
        log.append((ERROR, f"Lean exited with code {code}"))
    return log


def _message(line: str) -> dict[str, Any] | None:
    """Return the line as a message of Lean, None when it is none."""
    if not line.startswith("{"):
        return None
    import json

    try:
        data = json.loads(line)
        return data if data["severity"] in _SEVERITIES and "line" in data["pos"] and "data" in data else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _entry(message: dict[str, Any], relative: str) -> Entry:
    caption, text = str(message.get("caption", "")).strip(), str(message["data"]).strip()
    if caption:
        text = f"{caption}:\n{text}"
    position = message["pos"]
    return (
        _SEVERITIES[message["severity"]],
        f"{relative}:{position['line']}:{position.get('column', 0)}: {text}",
    )
