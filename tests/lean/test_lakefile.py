"""Lakefiles: every file in `lakefiles/positive` is read as the `.txt` beside it says, every one in
`lakefiles/negative` is refused with the place and words of its last line, a comment.

Run with UPDATE_LAKEFILES=1 to write what is read now.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.lean import _toml
from tracker.lean._record import Record
from tracker.lean.lakefile import Glob, LakefileError, LeanLib, plain_name, read_lakefile

FOLDER = Path(__file__).parent / "lakefiles"
POSITIVE = sorted(file for file in (FOLDER / "positive").iterdir() if file.suffix != ".txt")
NEGATIVE = sorted((FOLDER / "negative").iterdir())


def lakefile_in(folder: Path, example: Path) -> Path:
    """Put the example where it is read from."""
    (folder / f"lakefile{example.suffix}").write_bytes(example.read_bytes())
    return folder


def described(record: Record, indent: str = "") -> Iterator[str]:
    """Yield the fields that are not empty, one a line."""
    for name in sorted(record.__slots__):
        value = getattr(record, name)
        if name == "path" or value in ((), "", None):
            continue
        items = value if isinstance(value, tuple) else (value,)
        for item in items:
            if isinstance(item, Record) and not isinstance(item, Glob):
                inner = list(described(item, indent + "  "))
                yield from [f"{indent}{name}:", *inner] if inner else []
            else:
                yield f"{indent}{name}: {item}"


@pytest.mark.parametrize("example", POSITIVE, ids=lambda file: file.name)
def test_what_is_read(tmp_path: Path, example: Path) -> None:
    found = "".join(line + "\n" for line in described(read_lakefile(lakefile_in(tmp_path, example))))
    expected = example.with_name(example.name + ".txt")
    if os.environ.get("UPDATE_LAKEFILES"):
        expected.write_text(found, encoding="utf-8")
    assert found == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("example", NEGATIVE, ids=lambda file: file.name)
def test_what_is_refused(tmp_path: Path, example: Path) -> None:
    last = example.read_text(encoding="utf-8").rstrip("\n").rpartition("\n")[2]
    with pytest.raises(LakefileError) as caught:
        read_lakefile(lakefile_in(tmp_path, example))
    error = caught.value
    assert f"{error.line}:{error.column}: {error.problem}" == last.removeprefix("# ").removeprefix("-- ")
    assert str(error).startswith(f"error[LAKEFILE]: {error.path}:{error.line}:")
    assert error.hint


def test_no_lakefile(tmp_path: Path) -> None:
    with pytest.raises(LakefileError, match=r"no lakefile\.toml and no lakefile\.lean here"):
        read_lakefile(tmp_path)


def test_lakefile_lean_goes_first(tmp_path: Path) -> None:
    (tmp_path / "lakefile.toml").write_text('name = "toml"\n')
    (tmp_path / "lakefile.lean").write_text("package lean\n")
    assert read_lakefile(tmp_path).name == "lean"
    assert read_lakefile(tmp_path, "lakefile.toml").name == "toml"


def test_a_lakefile_that_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "lakefile.toml").mkdir()
    with pytest.raises(LakefileError, match=r"lakefile\.toml: is a directory"):
        read_lakefile(tmp_path)


def test_bytes_that_are_not_text(tmp_path: Path) -> None:
    (tmp_path / "lakefile.toml").write_bytes(b'name = "a"\n# \xff\n')
    with pytest.raises(LakefileError, match=r"lakefile.toml:2:0: not UTF-8"):
        read_lakefile(tmp_path)


@pytest.mark.parametrize(
    ("glob", "matching", "others"),
    [
        (Glob("A"), ["A"], ["A.B", "AB", "B"]),
        (Glob("A", "+"), ["A.B", "A.B.C"], ["A", "AB"]),
        (Glob("A.B", "*"), ["A.B", "A.B.C"], ["A", "A.BC"]),
    ],
)
def test_globs(glob: Glob, matching: list[str], others: list[str]) -> None:
    assert all(map(glob.matches, matching))
    assert not any(map(glob.matches, others))


def test_what_a_library_builds_and_what_is_local_to_it() -> None:
    lib = LeanLib("L", roots=("A", "B"), globs=(Glob("A"), Glob("C", "+")))
    assert [m for m in ("A", "A.X", "B", "B.X", "C", "C.X") if lib.is_buildable(m)] == ["A", "A.X", "C.X"]
    assert [m for m in ("A", "A.X", "B", "B.X", "C", "C.X", "D") if lib.is_local(m)] == [
        "A", "A.X", "B", "B.X", "C.X",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("A.B", "A.B"),
        ("my-lib", "«my-lib»"),
        ("«my-lib».A", "«my-lib».A"),
        ("a b", "«a b»"),
        ("ℕ", "ℕ"),
        ("1", "«1»"),
    ],
)
def test_names_of_targets(text: str, name: str) -> None:
    assert plain_name(text) == name


KEYS = st.sampled_from(["a", "b", "a.b", "b.c", '"a"', "'x y'", "a . c", "1", "a-b"])
ATOMS = st.sampled_from(
    ['"s"', "'l'", "true", "false", "0", "12", "-3", "01", "1.5", '"""m"""', '"\\n"', "x", "", "1_0", "0x1",
     "2020-01-01", '""', '"é"', "[", "{", "inf"]
)  # fmt: skip
VALUES = st.recursive(
    ATOMS,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]")
        | st.lists(inner, max_size=2).map(lambda items: "[\n" + "".join(f"{i}, # c\n" for i in items) + "]")
        | st.lists(st.tuples(KEYS, inner), max_size=2).map(
            lambda pairs: "{" + ", ".join(f"{k} = {v}" for k, v in pairs) + "}"
        )
    ),
    max_leaves=4,
)
LINES = (
    st.tuples(KEYS, VALUES, st.sampled_from(["", " # c", "\t", " x"])).map(lambda t: f"{t[0]} = {t[1]}{t[2]}")
    | KEYS.map(lambda key: f"[{key}]")
    | KEYS.map(lambda key: f"[[{key}]]")
    | st.sampled_from(["", "# comment", "#", "x", "[a", "a =", "\r", "# \x00"])
)


@given(st.lists(LINES, max_size=6).map("\n".join))
def test_the_quick_reader_never_differs_from_tomllib(text: str) -> None:
    try:
        quick = _toml._Reader(text).document()
    except (_toml._Unusual, IndexError):
        quick = None
    problem = toml_problem(text)
    if problem is None:
        assert quick in (None, tomllib.loads(text))
        assert _toml.loads(text) == tomllib.loads(text)
        return
    assert quick is None
    with pytest.raises(_toml.TomlError) as caught:
        _toml.loads(text)
    assert caught.value.message == problem
    assert 1 <= caught.value.line <= text.count("\n") + 1


def toml_problem(text: str) -> str | None:
    """Return what tomllib finds wrong, without the place."""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return str(error).partition(" (at ")[0]
    return None


def test_lakefiles_are_read_quickly() -> None:
    """The examples are what lakefiles look like: none of them should need tomllib."""
    slow = ["escapes.toml"]
    for example in POSITIVE:
        if example.suffix == ".toml" and example.name not in slow:
            _toml._Reader(example.read_text(encoding="utf-8")).document()
    with pytest.raises(_toml._Unusual):
        _toml._Reader((FOLDER / "positive" / "escapes.toml").read_text(encoding="utf-8")).document()


def test_a_lakefile_that_declares_nothing(tmp_path: Path) -> None:
    (tmp_path / "lakefile.lean").write_text("import Lake\n")
    with pytest.raises(LakefileError, match="no `package` declaration"):
        read_lakefile(tmp_path)
