"""Headers, always against Lean's own header parser (`lean --deps-json`)."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tracker.embedded.sysroot import Sysroot, ensure
from tracker.lean.header import (
    Header,
    HeaderError,
    Import,
    escape_part,
    is_letter,
    is_name_rest,
    join_name,
    parse_header,
    split_name,
)

EXAMPLES = sorted((Path(__file__).parent / "headers").glob("*.lean"))
PIECES = (
    "module", "prelude", "import", "public", "meta", "all", "private", "A", "B.C", "«x y»", "«", "»", ".",
    "/-", "-/", "/--", "/-!", "--", "\n", "\r\n", " ", "\t", "\r", "#check", "def", "λ", "α₁", "1", "_",
    "-", "/", "\ufeff", "@", "import A", "\nimport ", "module\n",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join) | st.lists(
    st.sampled_from(PIECES), max_size=14
).map("".join)


@pytest.fixture(scope="session")
def sysroot() -> Sysroot:
    return ensure()


def ask_lean(sysroot: Sysroot, files: list[Path]) -> list[Header | str]:
    """Return what Lean reads in each file, or the error without the file's name."""
    names = [file.name for file in files]
    done = subprocess.run(
        [sysroot.lean, "--deps-json", *names], cwd=files[0].parent, capture_output=True, check=False
    )
    answers: list[Header | str] = []
    for name, answer in zip(names, json.loads(done.stdout)["imports"], strict=True):
        result = answer.get("result")
        if result is None:
            answers.append(answer["errors"][0].removeprefix(name + ":"))
            continue
        implicit = [(i["module"], i["isMeta"]) for i in result["imports"][:2]] == [
            ("Init", False),
            ("Init", True),
        ]
        imports = [
            Import(i["module"], 0, i["isExported"], meta=i["isMeta"], all=i["importAll"])
            for i in result["imports"][2 * implicit :]
        ]
        answers.append(Header(result["isModule"], not implicit, tuple(imports)))
    return answers


def ours(text: str) -> Header | str:
    try:
        header = parse_header(text)
    except HeaderError as error:
        return str(error)
    imports = [Import(i.module, 0, i.public, meta=i.meta, all=i.all) for i in header.imports]
    return Header(header.is_module, header.prelude, tuple(imports))


def same(text: str, answer: Header | str) -> bool:
    """Whether we and Lean agree; past the end of the text, Lean's columns are of no text at all."""
    found = ours(text)
    if text.endswith("/-") and isinstance(found, str) and isinstance(answer, str):
        return found.split(": ")[-1] == answer.split(": ")[-1]
    return found == answer


def test_the_examples(sysroot: Sysroot) -> None:
    assert EXAMPLES
    for file, answer in zip(EXAMPLES, ask_lean(sysroot, EXAMPLES), strict=True):
        text = file.read_bytes().decode()
        assert same(text, answer), f"{file.name}: {ours(text)} is not {answer}"


@settings(max_examples=6, suppress_health_check=list(HealthCheck), deadline=None)
@given(texts=st.lists(TEXTS, min_size=200, max_size=200))
def test_any_text(sysroot: Sysroot, tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    folder = tmp_path_factory.mktemp("texts")
    files = [folder / f"{number}.lean" for number in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_bytes(text.encode())
    for text, answer in zip(texts, ask_lean(sysroot, files), strict=True):
        assert same(text, answer), f"{text!r}: {ours(text)} is not {answer}"


@pytest.mark.parametrize("where", ["start", "rest"])
def test_the_letters_of_names(sysroot: Sysroot, tmp_path: Path, where: str) -> None:
    points = [*range(0x21, 0x250), *range(0x370, 0x400), *range(0x1D40, 0x2200), *range(0x2C60, 0x2C80),
              *range(0x1D400, 0x1D600)]  # fmt: skip
    for point in points:
        char = chr(point)
        (tmp_path / f"{point:x}").write_text(f"import {char}z" if where == "start" else f"import z{char}")
    answers = ask_lean(sysroot, [tmp_path / f"{point:x}" for point in points])
    judge = is_letter if where == "start" else is_name_rest
    for point, answer in zip(points, answers, strict=True):
        char = chr(point)
        name = f"{char}z" if where == "start" else f"z{char}"
        accepted = isinstance(answer, Header) and [i.module for i in answer.imports] == [name]
        assert judge(char) == accepted, f"U+{point:04X} {char}"


def test_lines_and_names() -> None:
    header = parse_header("/- two\nlines -/ import A -- x\n\nimport A.«b c» import A\n")
    assert [(i.module, i.line) for i in header.imports] == [("A", 2), ("A.«b c»", 4), ("A", 4)]
    assert header.modules == ("A", "A.«b c»")


def test_public_is_what_lean_makes_of_it() -> None:
    assert parse_header("import A").imports[0].public
    assert not parse_header("module import A").imports[0].public
    assert parse_header("module public import A").imports[0].public


def test_errors_say_where() -> None:
    with pytest.raises(HeaderError, match=r"^2:2: cannot use 'public'") as caught:
        parse_header("import A\n  public import B")
    assert (caught.value.line, caught.value.column) == (2, 2)


@given(st.lists(st.text(st.characters(exclude_characters="»\n."), min_size=1), min_size=1))
def test_names_are_printed_and_split(parts: list[str]) -> None:
    assert split_name(join_name(parts)) == tuple(parts)
    assert parse_header("import " + join_name(parts)).modules == (join_name(parts),)


def test_parts_with_dots_stay_parts() -> None:
    assert split_name("A.«b.c».d") == ("A", "b.c", "d")
    assert escape_part("b.c") == "«b.c»"
    assert escape_part("") == "«»"


def test_equal_headers_are_equal() -> None:
    first, second = parse_header("import A"), parse_header("import  A ")
    assert first == second
    assert hash(first) == hash(second)
    assert first != parse_header("import B")
    assert first != ()
    assert repr(first.imports[0]).startswith("Import(")
