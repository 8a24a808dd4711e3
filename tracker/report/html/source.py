"""Where sources can be read: the web address of the repository, and the words above a declaration."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote, urlsplit

from tracker.git import run_git

_SCP_LIKE = re.compile(r"(?:[^@:/]+@)?(?P<host>[\w.-]+):(?P<path>[^:@]+)")
_SCHEMES = frozenset({"https", "http", "ssh", "git", "git+ssh"})
_FORGE = re.compile(r"\bgit(?:hub|lab)\b")
_REPOSITORY = re.compile(r"[\w~+-][\w.~+-]*(?:/[\w~+-][\w.~+-]*)+")
_SSH_ALIASES = {"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com"}
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
        between = "-/blob" if re.search(r"\bgitlab\b", urlsplit(self.base).netloc) else "blob"
        path = quote(f"{self.prefix}{file}")
        return f"{self.base}/{between}/{self.commit}/{path}" + (f"#L{line}" if line else "")


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
    """Return the web address of a git address, if its host shows files as GitHub and GitLab do.

    Only host, port and path are taken over, and a path only where it has the form of a repository's: whatever
    else an address holds may be a secret, and the page may be published.
    """
    scheme, host, path = _parts(address.strip())
    path = path.strip("/").removesuffix(".git")
    if not _FORGE.search(host) or not _REPOSITORY.fullmatch(path):
        return None
    return f"{scheme}://{host}/{quote(path)}"


def _parts(address: str) -> tuple[str, str, str]:
    """Return scheme, host (with a port of the web's) and path of a git address; empty ones if it is none."""
    nothing = ("https", "", "")
    if "://" not in address:  # user@host:path
        match = _SCP_LIKE.fullmatch(address)
        return ("https", _SSH_ALIASES.get(match["host"], match["host"]), match["path"]) if match else nothing
    try:
        url = urlsplit(address)
        host, port = url.hostname or "", url.port
    except ValueError:
        return nothing
    if url.scheme not in _SCHEMES:
        return nothing
    if not url.scheme.startswith("http"):
        return "https", _SSH_ALIASES.get(host, host), url.path
    return url.scheme, f"{host}:{port}" if port else host, url.path


def _git(directory: Path, *arguments: str) -> str | None:
    try:
        done = run_git(*arguments, cwd=directory, timeout_s=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


@dataclass(frozen=True)
class Commit:
    """The newest commit that touched a file."""

    number: str
    """Abbreviated."""
    day: str
    """Of the author, as YYYY-MM-DD."""
    changed: bool
    """Whether the file has since been edited."""


def commit_of(file: Path) -> Commit | None:
    """Return the newest commit of a file; None where git knows none."""
    said = _git(file.parent, "log", "-1", "--format=%h %as", "--", file.name)
    if not said:
        return None
    number, day = said.split()
    return Commit(number, day, bool(_git(file.parent, "status", "--porcelain", "--", file.name)))


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
