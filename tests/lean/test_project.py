"""Projects on disk: modules, targets, strays, problems and the import graph."""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.errors import ProjectError
from tracker.lean import _graph
from tracker.lean.arguments import options_of
from tracker.lean.lakefile import LakefileError
from tracker.lean.project import Project, find_root, load_project

LAKEFILE = 'name = "demo"\ndefaultTargets = ["A"]\n\n[[lean_lib]]\nname = "A"\n'
Load = Callable[[dict[str, str]], Project]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    def make(files: dict[str, str]) -> Project:
        for name, text in {"lakefile.toml": LAKEFILE, **files}.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return load_project(tmp_path)

    return make


def problems(project: Project) -> list[str]:
    return [str(problem) for problem in project.problems]


@pytest.mark.parametrize("name", [b"A/bad\xff.lean", b"A/bad\xffdir/B.lean", b"stray\xe9.lean"])
def test_a_name_that_is_not_utf_8_is_refused(load: Load, tmp_path: Path, name: bytes) -> None:
    load({"lakefile.toml": LAKEFILE + 'globs = ["A.+"]\n', "A/Good.lean": ""})
    file = tmp_path / os.fsdecode(name)
    file.parent.mkdir(exist_ok=True)
    file.write_text("")
    with pytest.raises(ProjectError) as caught:
        load_project(tmp_path)
    shown = name.decode("utf-8", "backslashreplace")
    assert (caught.value.code, caught.value.message) == ("FILE-NAME", f"{shown}: the name is not UTF-8")
    assert "rename" in str(caught.value.hint)


def test_modules_come_after_their_imports(load: Load) -> None:
    project = load(
        {"A.lean": "import A.Z\nimport A.B", "A/B.lean": "import A.C", "A/C.lean": "", "A/Z.lean": ""}
    )
    assert list(project.modules) == ["A.Z", "A.C", "A.B", "A"]
    assert project.modules["A.B"].path == "A/B.lean"
    assert project.modules["A.B"].lib == "A"
    assert project.imports("A") == ("A.Z", "A.B")
    assert project.importers("A.C") == ("A.B",)
    assert project.closure("A") == {"A.Z", "A.B", "A.C"}
    assert project.dependents("A.C") == {"A.B", "A"}
    assert problems(project) == []


def test_imports_from_elsewhere_are_external(load: Load) -> None:
    project = load({"A.lean": "import Lean\nimport A.B\nimport Mathlib.Tactic\nimport Lean", "A/B.lean": ""})
    assert project.external_imports("A") == ("Lean", "Mathlib.Tactic")
    assert project.modules["A"].imports == ("Lean", "A.B", "Mathlib.Tactic")


def test_targets_defaults_and_strays(load: Load) -> None:
    lakefile = (
        LAKEFILE
        + '[[lean_lib]]\nname = "Extra"\nsrcDir = "extra"\nglobs = ["Extra.+"]\n'
        + '[[lean_exe]]\nname = "tool"\nroot = "Main"\n'
    )
    project = load(
        {
            "lakefile.toml": lakefile, "A.lean": "import A.B", "A/B.lean": "", "A/Unused.lean": "",
            "Main.lean": "import A",
            "extra/Extra/X.lean": "import A.B", "extra/Extra/Deep/Y.lean": "", "extra/Extra.lean": "",
            "Scratch.lean": "", ".lake/build/C.lean": "", "vendored/lakefile.toml": "", "vendored/V.lean": "",
        }
    )  # fmt: skip
    assert project.targets == {
        "A": {"A", "A.B"}, "Extra": {"Extra.X", "Extra.Deep.Y", "A.B"}, "tool": {"Main", "A", "A.B"},
    }  # fmt: skip
    assert project.default_modules == {"A", "A.B"}
    assert project.stray == ("A/Unused.lean", "Scratch.lean", "extra/Extra.lean")
    assert project.modules["Extra.Deep.Y"].path == "extra/Extra/Deep/Y.lean"
    assert project.modules["Main"].lib == "tool"


def test_a_default_target_may_be_a_module(load: Load) -> None:
    lakefile = LAKEFILE.replace('["A"]', '["A.B", "Nope"]')
    project = load(
        {"lakefile.toml": lakefile, "A.lean": "import A.B", "A/B.lean": "import A.C", "A/C.lean": ""}
    )
    assert project.default_modules == {"A.B", "A.C"}


def test_quoted_module_names(load: Load) -> None:
    lakefile = LAKEFILE + 'globs = ["A.*"]\n'
    project = load({"lakefile.toml": lakefile, "A.lean": "import A.«b-c»", "A/b-c.lean": "", "A/é.lean": ""})
    assert set(project.modules) == {"A", "A.«b-c»", "A.é"}
    assert project.modules["A.«b-c»"].path == "A/b-c.lean"


def test_what_lake_would_stumble_over(load: Load, tmp_path: Path) -> None:
    lakefile = LAKEFILE + '[[lean_lib]]\nname = "Gone"\n[[lean_lib]]\nname = "B"\nglobs = ["B.+"]\n'
    files = {
        "lakefile.toml": lakefile,
        "A.lean": "\nimport A.Missing\nimport A.Self",
        "A/Self.lean": "import A.Self",
        "B/Cut.lean": "import A\nimport",
        "B/Bom.lean": "\ufeffimport A",
        "B/Dir.lean/x": "",
    }
    (tmp_path / "B").mkdir()
    (tmp_path / "B/Latin.lean").write_bytes(b"-- a\n-- \xff")
    (tmp_path / "B/Broken.lean").symlink_to("nowhere")
    project = load(files)
    assert problems(project) == [
        "A.lean:2:0: error[IMPORT]: bad import 'A.Missing': there is no A/Missing.lean",
        "A/Self.lean:1:0: error[IMPORT]: module imports itself",
        "Gone.lean: error[MISSING]: no such file, a root of Gone",
        "B/Bom.lean:1:0: error[BOM]: Lean reads no import after a byte order mark",
        "B/Broken.lean: error[MISSING]: no such file, a root of B",
        "B/Cut.lean:2:6: error[HEADER]: unexpected end of input",
        "B/Latin.lean:2:0: error[UTF-8]: not UTF-8: Lake refuses it",
    ]
    assert all(problem.hint for problem in project.problems)
    assert {"B.Latin", "B.Cut", "A.Self"} <= set(project.modules)
    assert "Gone" not in project.modules


def test_a_missing_module_is_a_problem_of_each_importer(load: Load) -> None:
    project = load({"A.lean": "import A.X\nimport A.B", "A/B.lean": "import A.X"})
    assert [problem.path for problem in project.problems] == ["A.lean", "A/B.lean"]


def test_an_unreadable_file(load: Load) -> None:
    project = load({"A.lean": "import A.B", "A/B.lean/inside": ""})
    assert problems(project) == ["A/B.lean: error[UNREADABLE]: is a directory"]


def test_an_unreadable_directory(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("tracker.lean.project.os.scandir", refuse)
    project = load({"lakefile.toml": LAKEFILE + 'globs = ["A.+"]\n', "A/B.lean": ""})
    assert problems(project) == ["A: error[UNREADABLE]: permission denied"]


def test_cycles(load: Load) -> None:
    project = load(
        {
            "A.lean": "import A.B\nimport A.D\nimport A.S",
            "A/B.lean": "import A.C\nimport A.X", "A/C.lean": "import A.B",
            "A/D.lean": "import A.E", "A/E.lean": "import A.F", "A/F.lean": "import A.D",
            "A/S.lean": "import A.S", "A/X.lean": "",
        }
    )  # fmt: skip
    assert project.cycles() == (
        ("A.B", "A.C", "A.B"),
        ("A.D", "A.E", "A.F", "A.D"),
        ("A.S", "A.S"),
    )
    assert set(project.modules) == {"A", *(f"A.{letter}" for letter in "BCDEFSX")}
    assert project.closure("A.B") == {"A.C", "A.X"}


def test_digests_do_not_depend_on_line_ends(load: Load, tmp_path: Path) -> None:
    project = load({"A.lean": "import A.B\n", "A/B.lean": "x\n"})
    assert project.modules["A.B"].digest == hashlib.sha256(b"x\n").hexdigest()
    (tmp_path / "A/B.lean").write_bytes(b"x\r\n")
    assert load_project(tmp_path).modules["A.B"].digest == hashlib.sha256(b"x\n").hexdigest()
    (tmp_path / "A.lean").unlink()
    with pytest.raises(ProjectError, match=r"A\.lean: No such file"):
        _ = project.modules["A"].digest


def test_toolchain_and_manifest(load: Load) -> None:
    bare = load({"A.lean": ""})
    assert (bare.toolchain, bare.manifest) == (None, None)
    project = load({"A.lean": "", "lean-toolchain": "leanprover/lean4:v4.35.0\n", "lake-manifest.json": "{}"})
    assert project.toolchain == "leanprover/lean4:v4.35.0"
    assert project.manifest == hashlib.sha256(b"{}").hexdigest()


def test_links_in_a_circle_end(load: Load, tmp_path: Path) -> None:
    (tmp_path / "A").mkdir()
    (tmp_path / "A/again").symlink_to("..", target_is_directory=True)
    project = load({"lakefile.toml": LAKEFILE + 'globs = ["A.+"]\n', "A/B.lean": ""})
    assert "A.B" in project.modules


def test_the_root_is_found_upwards(load: Load, tmp_path: Path) -> None:
    load({"A.lean": "", "A/B/C.lean": ""})
    assert find_root(tmp_path / "A/B") == str(tmp_path)
    assert find_root(tmp_path) == str(tmp_path)
    with pytest.raises(ProjectError, match=r"no lakefile\.toml or lakefile\.lean in /") as caught:
        find_root("/")
    assert caught.value.hint


def test_a_directory_without_lakefile(tmp_path: Path) -> None:
    with pytest.raises(LakefileError):
        load_project(tmp_path)


GRAPHS = st.dictionaries(st.integers(0, 9).map(str), st.sets(st.integers(0, 9).map(str)))


@given(GRAPHS)
def test_laws_of_graphs(graph: dict[str, set[str]]) -> None:
    edges = {name: sorted(below & graph.keys()) for name, below in graph.items()}
    order = _graph.ordered(edges)
    assert sorted(order) == sorted(edges)
    reach = {name: _graph.reach(name, edges.__getitem__) for name in edges}
    for name, below in edges.items():
        for other in below:
            if name not in reach[other]:  # not in a cycle
                assert other == name or order.index(other) < order.index(name)
    cycles = list(_graph.cycles(edges, edges.__getitem__))
    for path in cycles:
        assert path[0] == path[-1]
        assert all(after in edges[before] for before, after in itertools.pairwise(path))
    cyclic = {name for name in edges if name in edges[name] or any(name in reach[n] for n in reach[name])}
    assert bool(cycles) == bool(cyclic)
    assert {path[0] for path in cycles} <= cyclic
    groups = {frozenset({n, *[m for m in reach[n] if n in reach[m]]}) for n in cyclic}
    assert len(cycles) == len(groups)


def test_an_init_of_the_project_itself_is_under_every_file_without_prelude(load: Load) -> None:
    """Lean imports it unasked."""
    lakefile = LAKEFILE + '\n[[lean_lib]]\nname = "Init"\n[[lean_lib]]\nname = "Core"\n'
    files = {"A.lean": "", "Init.lean": "prelude\n", "Core.lean": "prelude\n"}
    project = load({"lakefile.toml": lakefile, **files})
    assert project.imports("A") == ("Init",)
    assert project.imports("Core") == project.imports("Init") == ()
    assert project.dependents("Init") == {"A"}
    assert list(project.modules).index("Init") < list(project.modules).index("A")


def test_a_digest_covers_the_files_that_texts_name(load: Load, tmp_path: Path) -> None:
    files = {"A.lean": 'def a := include_str "b" / "data.txt"\ndef c := "no.txt"\n'}
    bare = load(files).modules["A"].digest
    with_data = load({**files, "data.txt": "four"}).modules["A"].digest
    (tmp_path / "data.txt").write_text("five")
    assert len({bare, with_data, load(files).modules["A"].digest}) == 3


@pytest.mark.parametrize(
    ("args", "options"),
    [
        (["-DmaxRecDepth=9"], [("maxRecDepth", "9")]),
        (["-D", "maxRecDepth=9", "-D", "weak.x=a=b"], [("maxRecDepth", "9"), ("x", "a=b")]),
        (["-qDmaxRecDepth=9"], [("maxRecDepth", "9")]),
        (["--quiet", "D=1", "-q", "-D", "-o"], []),
        (["-D"], []),
    ],
)
def test_options_on_the_command_line(args: list[str], options: list[tuple[str, str]]) -> None:
    assert list(options_of(args)) == options
