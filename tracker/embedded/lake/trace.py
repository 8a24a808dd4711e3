"""Hashes, `.hash` files and `.trace` files (Lake's `Build/Trace` and `Build/Common`, schema 2025-09-10).

A trace holds the hash of everything a module was built from; the module is up to date when the hash is the
same again and its outputs exist. Contents decide, times never. The hash of an output stands in a `.hash`
file beside it and is believed unless `--rehash` is given, as in Lake.
"""

from __future__ import annotations

import os

from tracker.embedded.lake.log import ERROR, INFO, NAMES, TRACE, WARNING

try:
    from _blake2 import blake2b  # without the import of hashlib, which loads OpenSSL
except ImportError:  # pragma: no cover - another build of Python
    from hashlib import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tracker.embedded.lake.log import Entry

    Inputs = list[tuple[str, "str | Inputs"]]

SCHEMA = "2025-09-10"
_LOG_ENTRY = '{"level":"'
_TRACE_ENTRY = '{"level":"trace",'
_HEX = frozenset("0123456789abcdef")


def digest(data: bytes) -> str:
    """Return a 64-bit content hash as 16 hex digits."""
    return blake2b(data, digest_size=8).hexdigest()


def mix(*hashes: str) -> str:
    """Return the hash of a sequence of hashes."""
    return digest("\n".join(hashes).encode())


def quoted(text: str) -> str:
    """Return the text as a JSON string."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    import json

    return json.dumps(text)


class Saved:
    """What a trace file says: the hash, and the log of that build."""

    __slots__ = ("dep_hash", "text")

    def __init__(self, dep_hash: str, text: str) -> None:
        self.dep_hash = dep_hash
        self.text = text

    def log(self, above: int) -> list[Entry]:
        """Return the entries of the saved log; none when no entry can matter, `above` being above trace."""
        lines = self.text.split("\n")
        if above > TRACE and _plain(lines) and not any(map(_matters, lines)):
            return []
        import json

        return _entries(json.loads(self.text))


def _plain(lines: list[str]) -> bool:
    """Whether the file is as `write` lays it out, one log entry a line."""
    return len(lines) > 2 and lines[1] == '"log":['


def _matters(line: str) -> bool:
    return line.startswith(_LOG_ENTRY) and not line.startswith(_TRACE_ENTRY)


def _entries(data: Any) -> list[Entry]:
    levels = dict(zip(NAMES, (TRACE, INFO, WARNING, ERROR), strict=True))
    return [(levels[entry["level"]], str(entry["message"])) for entry in data.get("log", [])]


def read(path: str) -> Saved | str | None:
    """Return the saved trace, None when there is none, or what is wrong with it. Raises OSError."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        return "invalid trace: not UTF-8"
    start = '{"depHash":"'
    if text.startswith(start) and text[28:31] == '",\n' and text.endswith("}\n"):
        return Saved(text[len(start) : 28], text)
    return _read_foreign(text)


def _read_foreign(text: str) -> Saved | str:
    """Read a trace that this program did not write, or that was damaged."""
    import json

    try:
        data = json.loads(text)
        if isinstance(data, int):  # traces of old were a bare number
            return Saved(str(data), "{}")
        _entries(data)
        return Saved(str(data["depHash"]), text)
    except json.JSONDecodeError as error:
        return f"offset {error.pos}: {error.msg.lower()}"
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return "unknown trace format"


def write(path: str, dep_hash: str, inputs: Inputs, outputs: str, log: list[Entry]) -> None:
    """Write a trace, whole or not at all. `outputs` is JSON. Raises OSError."""
    entries = ",\n".join([f'{{"level":{quoted(NAMES[lv])},"message":{quoted(text)}}}' for lv, text in log])
    text = (
        f'{{"depHash":"{dep_hash}",\n"log":[\n{entries}\n],\n"inputs":{_json(inputs)},\n'
        f'"outputs":{outputs},\n"schemaVersion":"{SCHEMA}",\n"synthetic":false}}\n'
    )
    write_whole(path, text)


def _json(inputs: Inputs) -> str:
    items = [f"[{quoted(name)},{quoted(v) if isinstance(v, str) else _json(v)}]" for name, v in inputs]
    return f"[{','.join(items)}]"


def write_whole(path: str, text: str) -> None:
    """Write the file under another name and rename it: nobody sees half of it. Raises OSError."""
    temporary = f"{path}.tmp.{os.getpid()}"
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except BaseException:
        remove(temporary)
        raise


def remove(path: str) -> None:
    """Remove the file if it is there. Raises OSError."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def file_hash(path: str, trust: bool = True) -> str:
    """Return the hash of an output's content: that of the `.hash` file beside it, written if need be.

    Raises OSError.
    """
    saved = path + ".hash"
    if trust:
        try:
            with open(saved, encoding="utf-8") as file:
                text = file.read().strip()
            if len(text) == 16 and _HEX.issuperset(text):
                return text
        except (FileNotFoundError, UnicodeDecodeError):
            pass
    return save_hash(path)


def save_hash(path: str) -> str:
    """Hash the file's content, write the `.hash` file and return the hash. Raises OSError."""
    with open(path, "rb") as file:
        found = digest(file.read())
    write_whole(path + ".hash", found)
    return found
