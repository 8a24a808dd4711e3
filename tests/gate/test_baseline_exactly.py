"""The baseline's file to the letter: its lines, what is made of each, and why one cannot be believed."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.gate import facts as f
from tracker.errors import UsageError
from tracker.gate.baseline import (
    Baseline,
    Damage,
    baseline_text,
    parse_baseline,
    read_baseline,
    read_committed,
    renewed,
    write_baseline,
)
from tracker.gate.compare import Tolerance
from tracker.gate.snapshot import Costs, Figure, Snapshot

INF = float("inf")
NOW = f.snapshot(
    f.obligation("tie"),
    f.obligation("open", net=None, label="failed:kernel-timeout", axioms=None, digest=""),
    f.module(
        warnings=3, deprecations=1, costs=f.costs(4.00049, 1000.0000004, mad=0.12345),
        limits={"maxRecDepth": 512.0, "maxHeartbeats": INF},
    ),
    f.module("Demo.Blocked", checked=False, passed=False, costs=None, blocked_by="Demo.Bad"),
    f.module("Demo.Bad", passed=False, costs=None, classes=("kernel-timeout", "type-error"), expected=False),
    f.module("Demo.New", checked=False, passed=False, costs=None),
    f.module("Demo/Stray.lean", listed=False, checked=False, passed=False, costs=None),
)  # fmt: skip
NOTES = {"open": "known: ∀", "Demo.Bad": "being mended"}
TEXT = (Path(__file__).parent / "golden" / "baseline.jsonl").read_text(encoding="utf-8")
LINES = TEXT.splitlines()
HEADER = LINES[0]


def test_the_lines() -> None:
    assert baseline_text(NOW, NOTES) == TEXT


def test_what_is_made_of_the_lines() -> None:
    """A baseline has neither statement nor place nor allowance."""
    read = parse_baseline(TEXT)
    costs = Costs(
        f.MACHINE, wall_s=Figure(5.0, 0.123, 1), cpu_s=Figure(4.0, 0.123, 1),
        peak_rss_bytes=Figure(1048576000.0, 129447.0, 1),
    )  # fmt: skip
    wanted = f.snapshot(
        *(replace(ob, statement="", file="", line=0) for ob in NOW.obligations.values()),
        *(
            replace(m, costs=costs if m.costs else None, file="", allowed_wall_s=None, allowed_bytes=None)
            for m in NOW.modules.values()
        ),
    )
    assert read == Baseline(replace(wanted, commit=None), NOTES, ())
    assert list(read.snapshot.obligations) == sorted(NOW.obligations)
    assert list(read.snapshot.modules) == sorted(NOW.modules)


def test_lines_in_any_order_are_read_in_the_order_of_names() -> None:
    read = parse_baseline("\n".join([HEADER, *reversed(LINES[1:])]))
    assert read == parse_baseline(TEXT)
    assert list(read.snapshot.obligations) == ["open", "tie"]
    assert list(read.snapshot.modules) == [
        "Demo.Bad",
        "Demo.Blocked",
        "Demo.Mid",
        "Demo.New",
        "Demo/Stray.lean",
    ]


def sealed(**row: object) -> str:
    from tracker.gate.baseline import _sealed

    return _sealed(row)


def changed(line: int, **fields: object) -> str:
    """Return the text with a line changed by somebody who can compute seals; a field of `...` is left out."""
    row = {**json.loads(LINES[line]), **fields}
    del row["seal"]
    lines = [*LINES]
    lines[line] = sealed(**{key: value for key, value in row.items() if value is not ...})
    return "\n".join(lines) + "\n"


CONFLICT = "a conflict of a merge was left in it"
EDITED = "its seal does not fit: it was edited by hand"
FIRST = "the first line, and only it, must say 'tracker baseline 1'"
FIGURES = "it has costs and no machine, or a machine and not all costs"
BLOCKED = "it is blocked by nothing, or not blocked by something"
MODULE_FIELDS = (
    "classes, cpu_s, deprecations, expected, limits, machine, peak_rss_bytes, state, wall_s, warnings"
)
BAD, WAITING, MID = 3, 4, 5


@pytest.mark.parametrize(
    ("text", "damages"),
    [
        (TEXT.replace('"open"', '"shut"'), [(2, EDITED)]),
        (TEXT.replace(', "seal": "01eb29c656b54f8c"', ""), [(3, EDITED)]),
        (TEXT.replace("01eb29c656b54f8c", "01eb29c656b54f8d"), [(3, EDITED)]),
        (TEXT.replace('"tie", ', '"tie",'), [(3, EDITED)]),
        (TEXT.replace("\n", "\n<<<<<<< HEAD\n", 1), [(2, CONFLICT)]),
        (TEXT.replace("\n", "\n=======\n", 1), [(2, CONFLICT)]),
        (TEXT.replace("\n", "\n>>>>>>> side\n", 1), [(2, CONFLICT)]),
        (TEXT.replace("\n", "\n||||||| base\n", 1), [(2, CONFLICT)]),
        (f"<<<<<<< a\n{TEXT}>>>>>>> b", [(1, CONFLICT), (2, FIRST), (10, CONFLICT)]),
        (TEXT + LINES[2] + "\n" + LINES[3], [
            (9, "tie has two lines: a merge took both"), (10, "Demo.Bad has two lines: a merge took both"),
        ]),
        (TEXT + HEADER, [(9, FIRST)]),
        ("\n".join(LINES[1:]), [(1, FIRST)]),
        (changed(0, format="tracker baseline 2"), [(1, FIRST)]),
        (changed(0, format=...), [(1, FIRST)]),
        (changed(2, format="tracker baseline 1"), [(3, FIRST)]),
        (changed(0, more=1), [(1, "unknown fields: more")]),
        (changed(2, more=1, again=2), [(3, "unknown fields: again, more")]),
        (changed(MID, obligation="x"), [(6, f"unknown fields: {MODULE_FIELDS}")]),
        (changed(MID, state="fine"), [(6, "Invalid enum value 'fine' - at `$.state`")]),
        (changed(MID, limits={"a": "none"}), [(6, "Invalid enum value 'none' - at `$.limits[...]`")]),
        (changed(2, kind=...), [(3, "Object missing required field `kind`")]),
        (changed(MID, machine=None), [(6, FIGURES)]),
        (changed(MID, cpu_s=None), [(6, FIGURES)]),
        (changed(BAD, machine=f.MACHINE), [(4, FIGURES)]),
        (changed(BAD, wall_s=[1.0, 0.0, 1]), [(4, FIGURES)]),
        (changed(WAITING, blocked_by=...), [(5, BLOCKED)]),
        (changed(WAITING, state="unchecked"), [(5, BLOCKED)]),
        (TEXT + "[]", [(9, "it is no JSON object")]),
        (TEXT + "\n", [(9, "it is no JSON: Input data was truncated")]),
        ("", [(1, "it is no JSON: Input data was truncated")]),
    ],
)  # fmt: skip
def test_what_cannot_be_believed(text: str, damages: list[tuple[int, str]]) -> None:
    assert parse_baseline(text).damages == tuple(Damage(line, why) for line, why in damages)


def test_what_is_nested_too_deeply() -> None:
    [damage] = parse_baseline(TEXT + "[" * 100_000).damages
    assert (damage.line, damage.why[:16]) == (9, "it is no JSON: m"), damage


def test_what_is_damaged_is_left_out_and_the_rest_is_kept() -> None:
    read = parse_baseline(TEXT.replace('"open"', '"shut"').replace("tracker baseline 1", "another"))
    assert (read.snapshot.lean, read.snapshot.identity) == ("", "")
    assert list(read.snapshot.obligations) == ["tie"]
    assert list(read.snapshot.modules) == list(parse_baseline(TEXT).snapshot.modules)
    assert read.notes == {"Demo.Bad": "being mended"}
    twice = parse_baseline(TEXT + changed(2, note="a second one").splitlines()[2])
    assert twice.snapshot == parse_baseline(TEXT).snapshot, "the first of two lines is kept"
    assert twice.notes == NOTES


def test_a_name_that_is_no_utf8_keeps_nothing_from_being_written(tmp_path: Path) -> None:
    stray = f.module("Demo/\udcff.lean", listed=False, checked=False, passed=False, costs=None)
    text = baseline_text(f.snapshot(stray))
    write_baseline(tmp_path / "baseline.jsonl", text)
    read = read_baseline(tmp_path / "baseline.jsonl")
    assert read == parse_baseline(text)
    assert (list(read.snapshot.modules), read.damages) == (["Demo/?.lean"], ())


def test_bytes_that_are_no_utf8_are_damage(tmp_path: Path) -> None:
    (tmp_path / "baseline.jsonl").write_bytes(TEXT.encode() + b"\xff")
    read = read_baseline(tmp_path / "baseline.jsonl")
    assert read is not None
    assert read.damages == (Damage(9, "it is no JSON: JSON is malformed: invalid character (byte 0)"),)


def test_there_is_none_or_it_cannot_be_read(tmp_path: Path) -> None:
    assert read_baseline(tmp_path / "baseline.jsonl") is None
    with pytest.raises(UsageError) as caught:
        read_baseline(tmp_path)
    assert str(caught.value) == f"error[BASELINE]: {tmp_path}: Is a directory\n  hint: make it readable"


def test_it_is_written_whole_also_where_no_directory_is(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "er" / "baseline.jsonl"
    for text in ("first ∀\n", "second\r\n"):
        write_baseline(file, text)
        assert file.read_bytes() == text.encode()
    assert list(file.parent.iterdir()) == [file], "nothing is left beside it"


def test_it_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError) as caught:
        write_baseline(tmp_path / "file" / "baseline.jsonl", "")
    assert str(caught.value) == (
        f"error[BASELINE]: {tmp_path}/file/baseline.jsonl: File exists\n  hint: make it writable"
    )


def test_what_was_there_stays_until_the_new_one_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "baseline.jsonl"
    write_baseline(file, "old\n")

    def full(self: Path, data: bytes) -> int:
        assert self == tmp_path / "baseline.new"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(UsageError, match="No space left on device"):
        write_baseline(file, "new\n")
    assert file.read_text() == "old\n"


def git(where: Path, *args: str) -> None:
    named = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", *named, *args], cwd=where, capture_output=True, check=True)


def test_bytes_that_are_no_text_in_a_commit(tmp_path: Path) -> None:
    (tmp_path / "baseline.jsonl").write_bytes(TEXT.encode() + b"\xff")
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    read = read_committed(tmp_path / "baseline.jsonl", "main", tmp_path)
    assert read.snapshot == parse_baseline(TEXT).snapshot
    assert [damage.line for damage in read.damages] == [9]


def test_git_has_none(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "commit", "-qm", "empty", "--allow-empty")
    with pytest.raises(UsageError) as caught:
        read_committed(tmp_path / "reports" / "baseline.jsonl", "main", tmp_path)
    assert str(caught.value) == (
        "error[BASELINE]: git has no file reports/baseline.jsonl in 'main'\n"
        "  hint: name a commit that has a baseline, such as origin/main"
    )


def test_a_baseline_outside_of_the_repository(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    git(project, "init", "-q")
    with pytest.raises(UsageError) as caught:
        read_committed(tmp_path / "baseline.jsonl", "main", project)
    assert str(caught.value) == (
        f"error[BASELINE]: {tmp_path}/baseline.jsonl is outside of the repository {project}\n"
        "  hint: `baseline` under [gate] names it"
    )


@pytest.mark.parametrize(
    "error", [FileNotFoundError(2, "No such file", "git"), subprocess.TimeoutExpired("git", 60)]
)
def test_git_cannot_be_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(subprocess, "run", fail)
    with pytest.raises(UsageError) as caught:
        read_committed(tmp_path / "baseline.jsonl", "main", tmp_path)
    assert str(caught.value) == f"error[GIT]: git could not run: {error}\n  hint: is git installed?"


TOLERANCE = Tolerance(ratio=1.5, memory_ratio=2.0, floor_s=1.0, floor_bytes=100 * f.MIB)


@pytest.mark.parametrize(
    ("after", "kept", "adopted"),
    [
        (f.costs(4.0, 1000.0, f.OTHER_SYSTEM), True, True),
        (f.costs(6.0), True, True),  # time: a half more is noise, and a half less than that
        (f.costs(6.25), False, True),
        (f.costs(3.0), True, True),
        (f.costs(2.5), False, True),
        (f.costs(4.0, 2000.0), True, True),  # memory: as much again
        (f.costs(4.0, 2001.0), False, True),
        (f.costs(4.0, 500.0), True, True),
        (f.costs(4.0, 499.0), False, True),
        (f.costs(99.0, 2000.0, f.OTHER_CPU), True, True),  # times of another processor are not compared,
        (f.costs(99.0, 2001.0, f.OTHER_CPU), False, True),  # memory is,
        (f.costs(99.0, 2001.0, f.OTHER_SYSTEM), True, True),  # but not with another system
    ],
)  # fmt: skip
def test_which_costs_are_kept(after: Costs, kept: bool, adopted: bool) -> None:
    now = f.changed(f.module(costs=after))
    before = f.module().costs
    for adopt, wanted in ((False, before if kept else after), (True, after)):
        found = renewed(f.stored(f.NORMAL), now, TOLERANCE, adopt_costs=adopt)
        assert found.modules["Demo.Mid"].costs == wanted
        assert found == replace(now, modules={**now.modules, "Demo.Mid": f.module(costs=wanted)})


def test_costs_of_what_was_or_is_not_measured_are_what_is_known_now() -> None:
    unmeasured = f.changed(f.module(costs=None))
    for old, now in ((unmeasured, f.NORMAL), (f.NORMAL, unmeasured), (f.without("Demo.Mid"), f.NORMAL)):
        assert renewed(f.stored(old), now, TOLERANCE, adopt_costs=False) == now
    assert renewed(None, f.NORMAL, TOLERANCE, adopt_costs=False) is f.NORMAL


def test_a_baseline_without_anything() -> None:
    nothing = Snapshot("4.35.0", f.IDENTITY, None, {}, {})
    assert baseline_text(nothing) == HEADER + "\n"
    assert parse_baseline(HEADER) == Baseline(nothing, {}, ())
