"""Goals and hovers from Lean's language server (`lake serve`), by the library leanclient.

For people to read, never a source of truth: verdicts rest on `lake build` and the compiled files alone. The
server builds nothing: a file whose imports are not built cannot be asked about.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tracker.errors import LeanError
from tracker.lean.messages import Position
from tracker.lean.scan.mask import mask
from tracker.lean.scan.source import scan_source
from tracker.lean.toolchain import Toolchain

if TYPE_CHECKING:
    from leanclient.aio import AsyncLeanLSPClient

_TIMEOUT_S = 300.0


@dataclass(frozen=True)
class GoalView:
    """What the server shows at one place."""

    at: Position
    state: Literal["goals", "done", "term", "none"]
    """Open goals, a finished proof, the type expected of a term, or no proof at all."""
    goals: tuple[str, ...]
    hover: str
    """Markdown; empty where there is nothing to say."""


def proof_start(source: str, declaration: str) -> Position | None:
    """Return where the proof or value of a declaration begins, behind `by` or `:=`; None if it has none."""
    code = mask(source).code
    found = next((d for d in scan_source(source).declarations if d.name == declaration), None)
    if found is None:
        return None
    stop = found.stop or len(source)
    # `:=` inside brackets gives a default value or a field, not the proof.
    offset = next((o for o in _assignments(code, found.start, stop)), None)
    if offset is None:
        return None
    rest = code[offset:stop]
    offset += len(rest) - len(rest.lstrip())
    if code.startswith("by", offset) and not code[offset + 2 : offset + 3].isalnum():
        rest = code[offset + 2 : stop]
        offset += 2 + len(rest) - len(rest.lstrip())
    return Position(code.count("\n", 0, offset) + 1, offset - code.rfind("\n", 0, offset) - 1)


def _assignments(code: str, start: int, stop: int) -> Iterator[int]:
    """Yield the offset behind each `:=` outside of brackets."""
    depth = 0
    for offset in range(start, stop):
        depth += (code[offset] in "([{⟨") - (code[offset] in ")]}⟩")
        if depth == 0 and code.startswith(":=", offset):
            yield offset + 2


def view(toolchain: Toolchain, root: Path, path: str, at: Position) -> GoalView:
    """Return what the server shows at a place of a file, a path relative to the project's root.

    Raises LeanError when leanclient is not installed, or the server does not answer.
    """
    try:
        from leanclient.aio import AsyncLeanLSPClient, LeanClientError
    except ImportError as error:
        raise LeanError(
            "LSP-MISSING",
            "goals come through the library leanclient, which is not installed",
            "install the extra `lsp`: pip install 'lean-tracker[lsp]'",
        ) from error
    settings = [f"{name}={value}" for name, value in toolchain.environment.items()]
    options = [arg for arg in toolchain.lean_args if arg.startswith("-D")]
    client = AsyncLeanLSPClient(
        str(root),
        max_workers=1,
        request_timeout=_TIMEOUT_S,
        check_version=False,
        server_command=["env", *settings, str(toolchain.lake), "serve", "--", *options],
    )
    try:
        return asyncio.run(_view(client, path, at))
    except (LeanClientError, OSError, TimeoutError) as error:
        raise LeanError(
            "LSP", f"`lake serve` gave no answer: {error}", "`tracker run` first: imports must be built"
        ) from error


async def _view(client: AsyncLeanLSPClient, path: str, at: Position) -> GoalView:
    try:
        await client.start()
        await client.open(path)
        line, column = at.line - 1, at.column
        goal = await client.goal(path, line, column)
        hover = _markdown(await client.hover(path, line, column))
        if goal.status == "goals":
            return GoalView(at, "goals", tuple(goal.goals), hover)
        # Inside a tactic's last term the server calls the proof finished: the term's own type says more.
        term = await client.term_goal(path, line, column)
        if term and term.get("goal"):
            return GoalView(at, "term", (str(term["goal"]),), hover)
        before = await _before(client, path, at)
        if before is not None:
            return before
        return GoalView(at, "done" if goal.status == "complete" else "none", (), hover)
    finally:
        await client.close()


async def _before(client: AsyncLeanLSPClient, path: str, at: Position) -> GoalView | None:
    """Return the goals where the line's text begins: those that a tactic on it had to prove, if it failed."""
    lines = client.content(path).split("\n")
    text = lines[at.line - 1] if at.line <= len(lines) else ""
    start = len(text) - len(text.lstrip())
    if start >= at.column:
        return None
    goal = await client.goal(path, at.line - 1, start)
    return GoalView(Position(at.line, start), "goals", tuple(goal.goals), "") if goal.goals else None


def _markdown(hover: dict[str, Any] | None) -> str:
    contents = (hover or {}).get("contents", "")
    return str(contents.get("value", "")) if isinstance(contents, dict) else str(contents)
