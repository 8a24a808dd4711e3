"""Moving every pin of a tree to another Lean: `lean-toolchain` files, and tags in lakefiles.

What cannot be moved by editing a text is named: a manifest holds commits, which only `lake update` finds out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tracker.lean.scan.pins import MANIFEST, TOOLCHAIN, Pin, lean_version, read_pins
from tracker.lean.toolchain import ORIGIN, Toolchain

_TAG = re.compile(r"v?4\.\d+\.\d+(?:-rc\d+)?(?!\d)")


@dataclass(frozen=True)
class PinMove:
    """One pin that was moved, and what stands there now."""

    pin: Pin
    after: str


@dataclass(frozen=True)
class PinLeft:
    """One pin that stays, and why."""

    pin: Pin
    why: str


@dataclass(frozen=True)
class PinMoves:
    """What became of all pins of a tree that do not name the wanted Lean already."""

    moved: tuple[PinMove, ...] = ()
    left: tuple[PinLeft, ...] = ()
    unreadable: tuple[str, ...] = ()

    @property
    def manifests(self) -> tuple[PinLeft, ...]:
        """Return those that `lake update` would move."""
        return tuple(left for left in self.left if _name(left.pin) == MANIFEST)


def pin_of(toolchain: Toolchain) -> str:
    """Return the text of a `lean-toolchain` file that means this toolchain."""
    if ":" in toolchain.name:
        return toolchain.name
    nightly = re.search(r"nightly-\d{4}-\d\d-\d\d", toolchain.version)
    return f"{ORIGIN}:{nightly[0] if nightly else 'v' + toolchain.version}"


def move_pins(root: Path, target: str) -> PinMoves:
    """Write the Lean that `target` (a `lean-toolchain` text) means into every pin below `root`.

    What was written is read back: a pin that still names another Lean counts as left. Raises OSError.
    """
    wanted = lean_version(target) or target
    before = read_pins(str(root))
    stale = [pin for pin in before.pins if pin.lean != wanted]
    for pin in stale:
        _move(root / pin.path, pin, target)
    now = {(pin.path, pin.package): pin for pin in read_pins(str(root)).pins}
    moved, left = [], []
    for pin in stale:
        found = now.get((pin.path, pin.package))
        if found is not None and found.lean == wanted:
            moved.append(PinMove(pin, found.written))
        else:
            left.append(PinLeft(pin, _why(pin, target)))
    return PinMoves(tuple(moved), tuple(left), before.unreadable)


def _move(file: Path, pin: Pin, target: str) -> None:
    name = _name(pin)
    if name == TOOLCHAIN:
        file.write_bytes(f"{target}\n".encode())
    elif name != MANIFEST and (tag := _tag(pin, target)):
        old = re.escape(pin.written)
        # `rev = "v4.35.0"` in TOML; `@ "v4.35.0"` and `@ git "v4.35.0"` in Lean.
        pattern = rf'(\brev\s*=\s*|@\s*(?:git\s*)?)(["\']){old}\2'
        moved = re.sub(pattern, rf"\g<1>\g<2>{tag}\g<2>", file.read_bytes().decode())
        file.write_bytes(moved.encode())


def _tag(pin: Pin, target: str) -> str:
    """Return the tag that takes the place of a package's; empty when there is none of that name."""
    release = target.rpartition(":")[2]
    if not _TAG.fullmatch(release):
        return ""
    bare = release.removeprefix("v")
    return _TAG.sub(lambda found: ("v" if found[0].startswith("v") else "") + bare, pin.written, count=1)


def _why(pin: Pin, target: str) -> str:
    if _name(pin) == MANIFEST:
        return "a manifest holds commits, which only `lake update` can find out"
    if not _tag(pin, target):
        return f"a package has no tag that is sure to go with {target}"
    return "the revision is not written where it can be replaced safely"


def _name(pin: Pin) -> str:
    return pin.path.rpartition("/")[2]


def describe_moves(moves: PinMoves) -> Iterable[str]:
    """Yield one line for people about each pin."""
    for move in moves.moved:
        yield f"{_place(move.pin)}: {move.pin.written} → {move.after}"
    for left in moves.left:
        yield f"{_place(left.pin)}: stays at {left.pin.written}: {left.why}"
    yield from moves.unreadable


def _place(pin: Pin) -> str:
    return f"{pin.path} ({pin.package})" if pin.package else pin.path
