"""The dashboard served on this machine while a run goes on: the page is made anew when there is news.

Listens on 127.0.0.1 only and answers only requests that name this machine as their host, so that no other
page in the same browser can read it by giving this address another name.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import takewhile
from pathlib import Path

from tracker.errors import TrackerError, UsageError
from tracker.report.badge import badge_json
from tracker.report.facts_json import report_json
from tracker.report.html.model import Dashboard, gather
from tracker.report.html.render import render
from tracker.report.markdown import report_markdown
from tracker.store.history import History
from tracker.store.queries import newest_id
from tracker.units import show_count, show_seconds
from tracker.workspace import Workspace

PORT = 8340
_LEAST_PAUSE_S = 1.0
_PAUSE_FACTOR = 3.0
"""A page that took a second to make is not made again within three: the run needs the machine more."""

OpenWorkspace = Callable[[], Workspace]


@dataclass
class News:
    """Makes pages from what is known, and says when there is something new. Used by many threads."""

    open_workspace: OpenWorkspace
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _key: str = ""
    _seen: str = ""
    _board: Dashboard | None = None
    _page: str = ""
    _rest_until: float = 0.0

    def page(self) -> str:
        """Return the page as of now. Raises TrackerError."""
        with self._lock:
            self._refresh()
            return self._page

    def board(self) -> Dashboard:
        """Return the facts as of now. Raises TrackerError."""
        with self._lock:
            self._refresh()
            assert self._board is not None
            return self._board

    def answer(self) -> dict[str, str]:
        """Return the key of the newest page that may be asked for, and what a run does or what is wrong."""
        try:
            return self._answer()
        except (TrackerError, OSError) as error:
            return {"page": self._seen, "text": f"The report cannot be made now: {error}"}

    def _answer(self) -> dict[str, str]:
        workspace = self.open_workspace()
        seen = _key(workspace)
        with self._lock:
            if time.monotonic() >= self._rest_until:
                self._seen = seen
            return {"page": self._seen or seen, "text": _doing(workspace)}

    def _refresh(self) -> None:
        workspace = self.open_workspace()
        key = _key(workspace)
        if key == self._key:
            return
        begun = time.monotonic()
        self._board = gather(workspace)
        self._page = render(self._board, served=True)
        self._key = self._seen = key
        took = time.monotonic() - begun
        self._rest_until = time.monotonic() + max(_LEAST_PAUSE_S, _PAUSE_FACTOR * took)


def _key(workspace: Workspace) -> str:
    """Return what differs whenever the page would: the store's newest entries, and dates of all sources."""
    history = workspace.open_history(write=False)
    newest: tuple[int, ...] = ()
    if history is not None:
        try:
            newest = newest_id(history)
        finally:
            history.close()
    settings = workspace.settings
    files = [settings.lock, settings.gate.baseline]
    files += (f for top in settings.catalogue for f in _files(top, (".yaml", ".yml")))
    files += _files(settings.project, (".lean", ".toml", "lake-manifest.json"))
    dates = sum(hash((str(file), _date(file))) for file in files) + hash(repr(settings))
    return "-".join(map(str, (*newest, dates & 0xFFFFFFFF)))


def _files(top: Path, endings: tuple[str, ...]) -> Iterator[Path]:
    """Yield the files below `top` with these endings; what Lake fetched and built is not looked at."""
    if top.is_file():
        yield top
    for directory, below, names in os.walk(top):
        below[:] = [name for name in below if not name.startswith(".")]
        yield from (Path(directory, name) for name in names if name.endswith(endings))


def _date(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def _doing(workspace: Workspace) -> str:
    """Return what a run is doing, in words; nothing when none is under way."""
    history = workspace.open_history(write=False)
    if history is None:
        return "No run yet: `tracker run` has Lean check the project."
    try:
        return _run_in_words(history)
    finally:
        history.close()


def _run_in_words(history: History) -> str:
    newest = history.newest_run()
    if newest is None or newest.state != "running":
        return ""
    number, started = newest.number, newest.started_at
    # Backwards from the newest check: there is no index by run, and this is asked every second.
    rows = history.scan("SELECT run, passed, started_at, wall_s FROM module_check ORDER BY id DESC")
    checks = list(takewhile(lambda row: row["run"] == number, rows))
    failed = sum(not row["passed"] for row in checks)
    last = max((row["started_at"] + (row["wall_s"] or 0) for row in checks), default=started)
    done = f"{show_count(len(checks), 'module')} checked"
    done += f", {failed} failed" if failed else ""
    return f"Run {number} has been under way for {_since(started)}: {done}; last heard of {_since(last)} ago."


def _since(moment: float) -> str:
    seconds = max(0, round(time.time() - moment))
    return f"{seconds} s" if seconds < 60 else show_seconds(seconds)


class _Handler(BaseHTTPRequestHandler):
    server_version = "tracker"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    news: News

    def do_GET(self) -> None:
        """Answer with a page, a form of the facts, or the news."""
        host = (self.headers.get("Host") or "").rsplit(":", 1)[0]
        if host not in ("127.0.0.1", "localhost"):
            self._send(HTTPStatus.FORBIDDEN, "text/plain", "this address is for this machine only\n")
            return
        make = self._pages().get(self.path.partition("?")[0])
        if make is None:
            self._send(HTTPStatus.NOT_FOUND, "text/plain", "not found\n")
            return
        kind, content = make
        try:
            text = content()
        except (TrackerError, OSError) as error:  # a file may go while it is read
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, "text/html", _error_page(str(error)))
            return
        self._send(HTTPStatus.OK, kind, text)

    do_HEAD = do_GET  # noqa: N815 - http.server's name

    def _pages(self) -> dict[str, tuple[str, Callable[[], str]]]:
        news = self.news
        return {
            "/": ("text/html", news.page),
            "/news": ("application/json", lambda: json.dumps(news.answer())),
            "/report.json": ("application/json", lambda: json.dumps(report_json(news.board()))),
            "/badge.json": ("application/json", lambda: json.dumps(badge_json(news.board().status))),
            "/report.md": ("text/markdown", lambda: report_markdown(news.board())),
        }

    def _send(self, status: HTTPStatus, kind: str, text: str) -> None:
        body = text.encode("utf-8", "replace")
        self.send_response(status)
        for name, value in (
            ("Content-Type", f"{kind}; charset=utf-8"), ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin"),
            ("X-Frame-Options", "DENY"),
        ):  # fmt: skip
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            try:
                self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the reader has gone

    def log_message(self, *_: object) -> None:
        """Say nothing: a page that asks every second would fill the terminal."""


def _error_page(text: str) -> str:
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="3">'
        f"<title>tracker: error</title><h1>The report cannot be made now</h1><pre>{escape(text)}</pre>"
        "<p>This page tries again every three seconds.</p></html>"
    )


def make_server(open_workspace: OpenWorkspace, port: int) -> ThreadingHTTPServer:
    """Return a server on 127.0.0.1; port 0 lets the system choose. Raises UsageError when it is taken."""
    handler = type("Handler", (_Handler,), {"news": News(open_workspace)})
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        raise UsageError(
            "PORT", f"port {port} cannot be used: {error.strerror or error}", "choose another: --port 0"
        ) from error
    server.daemon_threads = True
    return server
