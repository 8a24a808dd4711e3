"""How a state looks: its word, its mark as on the terminal, its colour's name, and its mark as a drawing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tracker.report.terminal import MARKS
from tracker.verdict import State


@dataclass(frozen=True)
class Look:
    """The look of one state. The drawing is an SVG path in a square of 16, filled by the even-odd rule."""

    state: State
    mark: str
    colour: str
    """A name that the style sheet knows: `--proved`, …"""
    path: str

    @property
    def key(self) -> str:
        """Return the state as an identifier: `over-budget`."""
        return self.state.replace(" ", "-")


_DISC = "M8 1a7 7 0 1 0 0 14a7 7 0 1 0 0-14z"
_RING = f"{_DISC}M8 2.8a5.2 5.2 0 1 1 0 10.4a5.2 5.2 0 1 1 0-10.4z"
_SQUARE = "M1.5 1.5h13v13h-13z"
_FRAME = f"{_SQUARE}M3.3 3.3v9.4h9.4v-9.4z"
_DIAMOND = "M8 .4l7.6 7.6l-7.6 7.6l-7.6-7.6z"
_OCTAGON = "M5 1h6l4 4v6l-4 4h-6l-4-4v-6z"
_BANG = "M7 4h2v5h-2zM7 10.2h2v2h-2z"
_DASHES = "".join(
    f"M{x} {y}h{w}v{h}h-{w}z"
    for x, y, w, h in ((6, 1, 4, 2), (6, 13, 4, 2), (1, 6, 2, 4), (13, 6, 2, 4))
) + "".join(f"M{x} {y}l2.6-2.6l1.3 1.3l-2.6 2.6z" for x, y in ((1.9, 4.6), (10.2, 12.8))) + "".join(
    f"M{x} {y}l2.6 2.6l-1.3 1.3l-2.6-2.6z" for x, y in ((11.5, 2), (3.2, 10.2))
)  # fmt: skip

_PATHS: Mapping[State, str] = {
    State.PROVED: f"{_DISC}M6.9 11.6l5.3-6l-1.3-1.2l-4.1 4.6l-1.9-1.9l-1.2 1.3z",
    State.OVER_BUDGET: "M8 1l7.5 13.5h-15z",
    State.OBSOLETE: _DASHES,
    State.UNCHECKED: f"{_RING}M7 10.4h2v2h-2zM5.6 6.2c0-3 4.9-3 4.9 0c0 1.6-1.6 1.6-1.6 3.3h-1.8"
    "c0-2.3 1.5-2.3 1.5-3.3c0-1-1.4-1-1.4 0z",
    State.BLOCKED: f"{_RING}M3.2 11.5l8.3-8.3l1.3 1.3l-8.3 8.3z",
    State.DRIFTED: f"{_SQUARE}M4 5.2v1.6h8v-1.6zM4 9.2v1.6h8v-1.6zM9.6 3l-4.6 9.6l1.4.7l4.6-9.6z",
    State.SORRY: f"{_DIAMOND}{_BANG}",
    State.AXIOM: f"{_SQUARE}{_BANG}",
    State.FAILED: f"{_OCTAGON}M4.9 6l2 2l-2 2l1.1 1.1l2-2l2 2l1.1-1.1l-2-2l2-2l-1.1-1.1l-2 2l-2-2z",
    State.MISSING: f"{_FRAME}M.3 14.4l14.1-14.1l1.3 1.3l-14.1 14.1z",
    State.UNBUILT: f"{_FRAME}M4.6 7h6.8v2h-6.8z",
}

LOOKS: Mapping[State, Look] = {
    state: Look(state, MARKS[state][0], f"--{state.replace(' ', '-')}", _PATHS[state]) for state in State
}
"""The look of every state, in the order of `State`."""
