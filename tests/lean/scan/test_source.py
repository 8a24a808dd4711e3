"""Example files, and what Lean itself says of the same text.

`positive/NAME.lean` holds what `NAME.expected` lists (TRACKER_UPDATE_GOLDEN=1 writes it); `negative/` holds
files in which nothing may be found. Lean checks each positive file, unless its first line says that it is
`not for Lean alone`, and has to place every declaration where the scan does.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tracker.embedded.sysroot import ensure
from tracker.lean.header import join_name
from tracker.lean.ilean import read_ilean
from tracker.lean.log.source import declaration_ranges
from tracker.lean.scan.mask import mask
from tracker.lean.scan.source import Declaration, Mark, scan_source, split_parts

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
POSITIVE = sorted((HERE / "positive").glob("*.lean"))
NEGATIVE = sorted((HERE / "negative").glob("*.lean"))
EMBEDDED = sorted((ROOT / "tests" / "embedded" / "positive").glob("*.lean"))
SOURCES = sorted((ROOT / "lean").rglob("*.lean"))
# Names that Lean makes: of instances without one, of notations and of macros.
MADE = re.compile(r"inst[A-Z]\w*|«?_aux_.*|«?(?:term|tactic|command)\S*")
# Built by Lean for the comparison: modules whose closures are small but have every kind of declaration.
MODULES = ["NetTies.Foundation.Jacobian", "NetTies.Foundation.Index", "Hazards.SavesNamedGood"]


def listing(text: str) -> list[str]:
    """Return the declarations and marks of a source, one a line, in the order of the file."""
    source = scan_source(text)
    rows = [(d.line, d.column, declaration_row(d)) for d in source.declarations]
    rows += [(m.line, m.column, mark_row(m)) for m in source.marks]
    return [f"{line} {row}" for line, _, row in sorted(rows)]


def declaration_row(d: Declaration) -> str:
    words = ["private"] * d.is_private + ["protected"] * d.is_protected + [d.kind, d.name or "-"]
    return " ".join(words) + (f" @{d.attributes}" if d.attributes else "")


def mark_row(m: Mark) -> str:
    return " ".join(
        [m.kind, m.text, *([m.value] if m.value else []), *(["in", m.declaration] if m.declaration else [])]
    )


@pytest.mark.parametrize("path", POSITIVE, ids=lambda p: p.stem)
def test_what_a_file_holds(path: Path) -> None:
    found = listing(path.read_text(encoding="utf-8"))
    golden = path.with_suffix(".expected")
    if os.environ.get("TRACKER_UPDATE_GOLDEN"):
        golden.write_text("".join(f"{row}\n" for row in found), encoding="utf-8")
    assert found == golden.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("path", NEGATIVE, ids=lambda p: p.stem)
def test_where_nothing_may_be_found(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert listing(text) == []
    assert listing(text + "\ntheorem after : True := sorry\n")[-2:] != []  # and yet the end is read


def places(text: str) -> dict[str, int]:
    return {d.name: d.line for d in scan_source(text).declarations if d.name}


def plainly(name: str) -> str:
    """Return a name without needless quotes, and without what Lean puts before private names."""
    return join_name([part.strip("«»") for part in split_parts(re.sub(r"^_private\..*?\.0\.", "", name))])


def agree(text: str, ilean: Path) -> list[str]:
    """Return in what the scan of a text and Lean's own index of it differ.

    Declarations after `where` and `let rec` belong to their parents.
    """
    lean = {plainly(name): line for name, (line, _) in read_ilean(ilean).names.items()}
    listed = {name: lean[name] for name in map(plainly, json.loads(ilean.read_bytes())["decls"])}
    mine = {plainly(name): line for name, line in places(text).items()}
    nameless = {d.line for d in scan_source(text).declarations if not d.name}
    wrong = [
        f"{name}: line {line}, not {lean.get(name)}" for name, line in mine.items() if lean.get(name) != line
    ]
    return wrong + [
        f"{name} in line {line} is not found"
        for name, line in listed.items()
        if name not in mine
        and line not in nameless
        and not MADE.fullmatch(split_parts(name)[-1])
        and ".".join(split_parts(name)[:-1]) not in mine
    ]


def compiled(path: Path, directory: Path) -> Path:
    shutil.copy(path, directory)
    ilean = directory / f"{path.stem}.ilean"
    done = subprocess.run(
        [ensure().lean, "-i", ilean.name, path.name],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return ilean


@pytest.mark.parametrize("path", [*POSITIVE, *EMBEDDED], ids=lambda p: f"{p.parts[-3]}-{p.stem}")
def test_lean_places_declarations_where_the_scan_does(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if "not for Lean alone" in text.split("\n", 1)[0]:
        assert path.with_suffix(".expected").exists()
        return
    assert agree(text, compiled(path, tmp_path)) == []
    assert scan_source(text).declarations


def test_lean_places_the_declarations_of_the_project_so(tmp_path: Path) -> None:
    project = tmp_path / "lean"
    shutil.copytree(ROOT / "lean", project, ignore=shutil.ignore_patterns(".lake"))
    built = subprocess.run(
        [ensure().lake, "build", *[f"+{m}" for m in MODULES]],
        cwd=project, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stdout[-2000:]
    library = project / ".lake" / "build" / "lib" / "lean"
    indexes = sorted(library.rglob("*.ilean"))
    assert len(indexes) >= len(MODULES)
    wrong = []
    for index in indexes:
        source = (project / index.relative_to(library)).with_suffix(".lean")
        wrong += agree(source.read_text(encoding="utf-8"), index)
    assert wrong == []


@pytest.mark.parametrize("path", [*SOURCES, *EMBEDDED], ids=lambda p: p.stem)
def test_both_readers_of_declarations_agree(path: Path) -> None:
    """The slow reader of logs goes token by token; this one must see what it sees."""
    text = path.read_text(encoding="utf-8")
    mine = [(d.name, d.line, d.column) for d in scan_source(text).declarations if d.name]
    theirs = [
        (d.name, *d.name_start)
        for d in declaration_ranges(text)
        if not d.name.endswith(("_example", "_instance"))
    ]
    assert mine == theirs


PIECES = st.sampled_from(
    [
        "theorem ", "def ", "namespace ", "section", "end ", "mutual", "instance ", "class inductive ", "A.b",
        "«x y»", "«", "»", "/-", "-/", "/--", "/-!", "--", '"', "\\", "r#\"", "\"#", "s!\"{", "}", "{",
        "'", "'\"'",
        "@[", "]", "(", ")", "⟨", "⟩",
        "private ", "set_option ", "maxRecDepth ", "12 ", "in ", "sorry ", "alias ",
        "`A.b` ", "+native", "\n", "  ", ":=", ".", "deriving ", "initialize ", "_root_.", "λ",
        "é", "𝒜",
    ]
)  # fmt: skip


def texts() -> st.SearchStrategy[str]:
    return st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join))


@given(texts())
@example('"')
@example("«")
@example("@[")
@settings(deadline=None)
def test_any_text_is_read(text: str) -> None:
    source = scan_source(text)
    lines = text.split("\n")
    for found in [*source.declarations, *source.marks]:
        assert 1 <= found.line <= len(lines)
        assert 0 <= found.column < len(lines[found.line - 1])
    for d in source.declarations:
        assert 0 <= d.start <= d.stop <= len(text)
        if d.name and "." not in d.name and "«" not in d.name:
            assert lines[d.line - 1].startswith(d.name.removeprefix("_root_."), d.column) or d.name in text
    for citation in source.citations:
        assert citation.name in lines[citation.line - 1]


@given(texts())
@example('r#""#0')
@example('r##"x"# y"## z')
@settings(deadline=None)
def test_masking_keeps_offsets_and_lines(text: str) -> None:
    masked = mask(text)
    assert len(masked.code) == len(text)
    assert [i for i, c in enumerate(masked.code) if c == "\n"] == [i for i, c in enumerate(text) if c == "\n"]
    if "''" not in text:  # a character blanked before a quote leaves that quote to begin another one
        assert mask(masked.code).code == masked.code
    for start, end in masked.docs:
        assert masked.code[start:end].strip() == ""


@given(texts())
@settings(deadline=None)
def test_what_stands_in_a_comment_is_not_read(text: str) -> None:
    inside = text.replace("/-", "").replace("-/", "")
    before, after = "theorem a : True := trivial\n", "\ntheorem b : True := sorry\n"
    assert listing(f"{before}/- {inside} -/{after}")[0] == "1 theorem a"
    assert [row.partition(" ")[2] for row in listing(f"{before}/- {inside} -/{after}")] == [
        "theorem a", "theorem b", "sorry sorry in b",
    ]  # fmt: skip


def test_long_files_take_time_in_proportion() -> None:
    """Text that opens and never closes is passed over, not searched again from every place."""
    for piece in ("«", '"', "/-", "@[", "(", 'r#"', "  (theorem a := ", 's!"{', "`", "'"):
        assert scan_source(piece * 20_000).lines == 1


def test_an_option_in_quotes_is_the_same_option() -> None:
    marks = scan_source("set_option «maxRecDepth» 0x1000 in\ntheorem a : 1 = 1 := rfl\n").marks
    assert [(mark.kind, mark.text, mark.value) for mark in marks] == [("limit", "maxRecDepth", "0x1000")]
