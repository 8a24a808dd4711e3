"""Where sources can be read: the web address of the repository, and the words above a declaration."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

_SSH = re.compile(r"(?:ssh://)?(?:[\w.-]+@)?([\w.-]+)(?::\d+)?[:/](.+?)(?:\.git)?/?")
_HTTPS = re.compile(r"https?://(?:[^@/]+@)?([\w.-]+)(?::\d+)?/(.+?)(?:\.git)?/?")
_BETWEEN = re.compile(r"\s*(?:@\[.*|set_option\b.*\bin|open\b.*\bin|--.*)?\s*")
_DOC_LINES = 200


@dataclass(frozen=True)
class Remote:
    """A repository on the web and where the Lake project lies in it."""

    base: str
    """Such as `https://github.com/owner/repo`."""
    prefix: str
    """The project's directory below the repository's root, with a slash at the end; or empty."""
    commit: str

    def url(self, file: str, line: int | None = None) -> str:
        """Return the address of a file of the Lake project, at a line."""
        path = quote(f"{self.prefix}{file}")
        return f"{self.base}/blob/{self.commit}/{path}" + (f"#L{line}" if line else "")


def find_remote(project: Path, commit: str | None = None) -> Remote | None:
    """Return the repository on GitHub or GitLab that git's `origin` names; None where there is none.

    `commit` is the one to link to; None means the present one. Credentials in the address are left out.
    """
    address = _git(project, "remote", "get-url", "origin")
    prefix = _git(project, "rev-parse", "--show-prefix")
    commit = commit or _git(project, "rev-parse", "HEAD")
    base = web_address(address) if address else None
    return Remote(base, prefix or "", commit) if base and commit else None


def web_address(address: str) -> str | None:
    """Return the web address of a git address, if its host shows files as GitHub and GitLab do."""
    match = (_HTTPS if address.startswith("http") else _SSH).fullmatch(address.strip())
    if match is None or not re.search(r"\bgit(?:hub|lab)\b", match[1]):
        return None
    return f"https://{match[1]}/{quote(match[2])}"


def _git(directory: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=directory, capture_output=True, text=True, errors="replace", timeout=20,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


class Sources:
    """The source files of a project, each read once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lines = lru_cache(maxsize=None)(self._read)

    def doc(self, file: str, line: int) -> str:
        """Return the doc comment above the declaration whose name stands on `line` (from 1), or nothing."""
        return doc_above(self._lines(file), line)

    def _read(self, file: str) -> list[str]:
        try:
            return (self._root / file).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return []


def doc_above(lines: list[str], line: int) -> str:
    """Return the text of the `/-- … -/` that ends above `line`, attributes and `… in` lines between."""
    end = min(line, len(lines)) - 2
    while end >= 0 and "-/" not in lines[end] and _BETWEEN.fullmatch(lines[end]):
        end -= 1
    if end < 0 or not lines[end].rstrip().endswith("-/"):
        return ""
    for start in range(end, max(-1, end - _DOC_LINES), -1):
        if "/-" in lines[start]:  # where the comment begins
            text = "\n".join(lines[start : end + 1]).strip()
            is_doc = text.startswith("/--") and text.find("-/") == len(text) - 2
            return text.removeprefix("/--").removesuffix("-/").strip() if is_doc else ""
    return ""
