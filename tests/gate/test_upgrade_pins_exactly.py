"""One pin at a time: what is written in its place, what is left and why, and the words for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tracker.gate.upgrade_pins import PinLeft, PinMove, PinMoves, describe_moves, move_pins, pin_of
from tracker.lean.scan.pins import Pin
from tracker.lean.toolchain import Toolchain

OLD, NEW = "leanprover/lean4:v4.30.0", "leanprover/lean4:v4.31.0-rc2"
MANIFEST = (
    '{"version": "1.1.0", "packages": [{"name": "m", "rev": "aaa", "inputRev": "v4.30.0", "type": "git"}]}'
)
FORK = "me/lean4:fix"
TOML = Pin("lakefile.toml", "m", "v4.30.0", "4.30.0")
LEAN = Pin("lakefile.lean", "m", "v4.30.0", "4.30.0")


def toml(rev: str) -> str:
    return f'name = "x"\n\n[[require]]\nname = "m"\n{rev}\n'


def lean(rev: str) -> str:
    return f"import Lake\nopen Lake DSL\n\npackage x\n\nrequire {rev}\n"


def moves_of(root: Path, name: str, text: str, target: str = NEW) -> tuple[PinMoves, str]:
    """Return what becomes of the pins of one file, and what stands in it then."""
    file = root / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(text.encode())
    return move_pins(root, target), file.read_bytes().decode()


@pytest.mark.parametrize(
    ("name", "before", "after", "pin", "written"),
    [
        ("lean-toolchain", OLD, NEW + "\n", Pin("lean-toolchain", "", OLD, "4.30.0"), NEW),
        ("a/lean-toolchain", f"{OLD}\r\n", NEW + "\n", Pin("a/lean-toolchain", "", OLD, "4.30.0"), NEW),
        *(
            ("lakefile.toml", toml(old), toml(new), Pin("lakefile.toml", "m", tag, "4.30.0"), moved)
            for old, new, tag, moved in (
                ('rev = "v4.30.0"', 'rev = "v4.31.0-rc2"', "v4.30.0", "v4.31.0-rc2"),
                ("rev='v4.30.0'", "rev='v4.31.0-rc2'", "v4.30.0", "v4.31.0-rc2"),
                ('rev = "4.30.0"', 'rev = "4.31.0-rc2"', "4.30.0", "4.31.0-rc2"),
                ('rev = "v4.30.0-of-v4.1.0"', 'rev = "v4.31.0-rc2-of-v4.1.0"', "v4.30.0-of-v4.1.0",
                 "v4.31.0-rc2-of-v4.1.0"),
                ('rev = "v4.30.0" # not "v4.30.0"\r', 'rev = "v4.31.0-rc2" # not "v4.30.0"\r', "v4.30.0",
                 "v4.31.0-rc2"),
                ('# ∀\nrev = "v4.30.0"', '# ∀\nrev = "v4.31.0-rc2"', "v4.30.0", "v4.31.0-rc2"),
            )
        ),
        *(
            ("lakefile.lean", lean(old), lean(new), LEAN, "v4.31.0-rc2")
            for old, new in (
                ('"s" / "m" @ git "v4.30.0"', '"s" / "m" @ git "v4.31.0-rc2"'),
                ('m from git "v4.30.0" @ "v4.30.0"', 'm from git "v4.30.0" @ "v4.31.0-rc2"'),
                ('m from git "u"@"v4.30.0"', 'm from git "u"@"v4.31.0-rc2"'),
            )
        ),
    ],
)  # fmt: skip
def test_what_moves(tmp_path: Path, name: str, before: str, after: str, pin: Pin, written: str) -> None:
    moves, text = moves_of(tmp_path, name, before)
    assert moves == PinMoves((PinMove(pin, written),))
    assert text == after


NO_TAG = "a package has no tag that is sure to go with "
COMMITS = "a manifest holds commits, which only `lake update` can find out"
ELSEWHERE = "the revision is not written where it can be replaced safely"


@pytest.mark.parametrize(
    ("name", "text", "target", "pin", "why"),
    [
        ("lake-manifest.json", MANIFEST, NEW, Pin("lake-manifest.json", "m", "v4.30.0", "4.30.0"), COMMITS),
        ("a/lake-manifest.json", MANIFEST, FORK, Pin("a/lake-manifest.json", *LEAN[1:]), COMMITS),
        ("lakefile.toml", toml('rev = "v4.30.0"'), FORK, TOML, NO_TAG + FORK),
        ("lakefile.toml", toml('rev = "v4.30.0"'), "x:v4.31.0-fix", TOML, NO_TAG + "x:v4.31.0-fix"),
        ("lakefile.toml", toml('"rev" = "v4.30.0"'), NEW, TOML, ELSEWHERE),
        (
            "lakefile.toml", toml('rev = "nightly-testing-2026-01-31"'), NEW,
            Pin("lakefile.toml", "m", "nightly-testing-2026-01-31", "nightly-2026-01-31"), ELSEWHERE,
        ),
    ],
)  # fmt: skip
def test_what_stays_and_why(tmp_path: Path, name: str, text: str, target: str, pin: Pin, why: str) -> None:
    moves, after = moves_of(tmp_path, name, text, target)
    assert moves == PinMoves(left=(PinLeft(pin, why),))
    assert moves.manifests == (moves.left if why == COMMITS else ())
    assert after == text


@pytest.mark.parametrize(
    ("text", "target"), [(NEW, NEW), ("v4.31.0-rc2", NEW), (NEW, "v4.31.0-rc2"), (FORK, FORK)]
)
def test_what_means_the_wanted_lean_already(tmp_path: Path, text: str, target: str) -> None:
    assert moves_of(tmp_path, "lean-toolchain", text, target) == (PinMoves(), text)


def test_a_release_may_be_named_without_where_it_comes_from(tmp_path: Path) -> None:
    moves, text = moves_of(tmp_path, "lakefile.toml", toml('rev = "v4.30.0"'), "v4.31.0")
    assert moves == PinMoves((PinMove(TOML, "v4.31.0"),))
    assert text == toml('rev = "v4.31.0"')


def test_to_a_lean_that_no_release_is(tmp_path: Path) -> None:
    moves, text = moves_of(tmp_path, "lean-toolchain", OLD, FORK)
    assert moves == PinMoves((PinMove(Pin("lean-toolchain", "", OLD, "4.30.0"), FORK),))
    assert text == FORK + "\n"


def test_the_packages_of_one_file_are_moved_or_left_each_by_itself(tmp_path: Path) -> None:
    other = '\n[[require]]\nname = "n"\n"rev" = "v4.30.0"\n'
    moves, _ = moves_of(tmp_path, "lakefile.toml", toml('rev = "v4.29.0"') + other)
    assert [(move.pin.package, move.after) for move in moves.moved] == [("m", "v4.31.0-rc2")]
    assert [(left.pin.package, left.why) for left in moves.left] == [("n", ELSEWHERE)]


def test_each_pin_has_a_line() -> None:
    moves = PinMoves(
        (PinMove(Pin("lean-toolchain", "", OLD, "4.30.0"), NEW), PinMove(TOML, "v4.31.0")),
        (PinLeft(Pin("a/lean-toolchain", "", OLD, "4.30.0"), "why"), PinLeft(TOML, "why not")),
        ("b/: lakefile.toml: no TOML",),
    )
    assert list(describe_moves(moves)) == [
        f"lean-toolchain: {OLD} → {NEW}",
        "lakefile.toml (m): v4.30.0 → v4.31.0",
        f"a/lean-toolchain: stays at {OLD}: why",
        "lakefile.toml (m): stays at v4.30.0: why not",
        "b/: lakefile.toml: no TOML",
    ]


@pytest.mark.parametrize(
    ("name", "version", "pin"),
    [
        ("embedded", "4.31.0-rc2", NEW),
        ("lake", "4.36.0-nightly-2026-01-31", "leanprover/lean4:nightly-2026-01-31"),
        (FORK, "4.36.0", FORK),
    ],
)
def test_the_pin_of_a_toolchain(name: str, version: str, pin: str) -> None:
    assert pin_of(Toolchain(name, Path("lake"), Path("lean"), version, "abc", "")) == pin
