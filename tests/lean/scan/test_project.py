"""A project with everything that deserves a look, its report, and the paths that are no project."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from rich.cells import cell_len

from tests.conftest import Site
from tracker.cli.main import cli
from tracker.errors import ProjectError
from tracker.lean.scan.pins import lean_version, read_pins
from tracker.lean.scan.project import scan_project

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
LAKEFILE = """\
name = "orchard"
defaultTargets = ["Orchard"]
leanOptions = {maxRecDepth = 4096, "weak.debug.skipKernelTC" = true}

[[require]]
name = "mathlib"
git = "https://example.org/mathlib4"
rev = "v4.34.0"

[[lean_lib]]
name = "Orchard"
globs = ["Orchard.+"]
"""
MANIFEST: dict[str, Any] = {
    "version": "1.1.0",
    "packages": [
        {"name": "mathlib", "inputRev": "v4.33.0", "rev": "0" * 40},
        {"name": "batteries", "inputRev": "main"},
        {"name": "local", "inputRev": None},
    ],
}
FILES = {
    "lakefile.toml": LAKEFILE,
    "lean-toolchain": "leanprover/lean4:v4.35.0\n",
    "lake-manifest.json": json.dumps(MANIFEST),
    "docbuild/lean-toolchain": "leanprover/lean4:v4.35.0-rc1\n",
    "Orchard/Base.lean": """\
module
public import Init
meta import Orchard.Macros
import all Orchard.Macros

namespace Orchard
/-- As in `Orchard.Tree.node` and `Orchard.lost`; not `Nat.add_comm`, nor `Orchard/Base.lean`. -/
public inductive Tree where
  | leaf
  | node (l r : Tree)

set_option maxRecDepth 16384 in
/-- From `Tree.rec`, `Tree.leaf`, `Tree.gone` and module `Orchard.Base`. -/
theorem grows : 1 = 1 := by sorry
axiom rain : 1 = 2
end Orchard
""",
    "Orchard/Macros.lean": """\
module
set_option maxRecDepth 16384
theorem Orchard.m : True := by native_decide
""",
    "Spare.lean": "import Orchard.Base\n",
}
CLEAN = {
    "lakefile.toml": 'name = "orchard"\n[[lean_lib]]\nname = "Orchard"\n',
    "lean-toolchain": "leanprover/lean4:v4.35.0\n",
    "Orchard.lean": "set_option maxHeartbeats 400000\n/-- See `Orchard.two`. -/\ndef Orchard.two := 2\n",
}


def write(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, ["scan", *args], standalone_mode=False)


@pytest.fixture
def orchard(tmp_path: Path) -> Path:
    return write(tmp_path, FILES)


def test_the_report(orchard: Path) -> None:
    done = run(str(orchard))
    golden = HERE / "report.txt"
    if os.environ.get("TRACKER_UPDATE_GOLDEN"):
        golden.write_text(done.output, encoding="utf-8")
    assert done.output == golden.read_text(encoding="utf-8")
    assert max(map(cell_len, done.output.splitlines())) <= 80
    assert done.return_value == 0
    assert run(str(orchard), "--strict").return_value == 1


def test_the_data(orchard: Path) -> None:
    data = json.loads(run(str(orchard), "--json").output)
    assert (data["schema_version"], data["clean"], data["name"]) == (1, False, "orchard")
    base = next(file for file in data["files"] if file["module"] == "Orchard.Base")
    assert [(i["module"], i["public"], i["meta"], i["all"]) for i in base["imports"]] == [
        ("Init", True, False, False),
        ("Orchard.Macros", False, True, False),
        ("Orchard.Macros", False, False, True),
    ]
    assert [(d["kind"], d["name"], d["line"]) for d in base["declarations"]] == [
        ("inductive", "Orchard.Tree", 8), ("theorem", "Orchard.grows", 14), ("axiom", "Orchard.rain", 15),
    ]  # fmt: skip
    assert data["missing_citations"] == [
        {"path": "Orchard/Base.lean", "line": 7, "name": "Orchard.lost"},
        {"path": "Orchard/Base.lean", "line": 13, "name": "Tree.gone"},
    ]
    assert data["limits"] == [
        {"option": "maxRecDepth", "value": "16384", "count": 2},
        {"option": "maxRecDepth", "value": "4096", "count": 1},
    ]
    assert {(m["kind"], m["path"], m["declaration"]) for m in data["marks"]} == {
        ("sorry", "Orchard/Base.lean", "Orchard.grows"),
        ("native", "Orchard/Macros.lean", "Orchard.m"),
        ("unchecked", "lakefile.toml", None),
        ("limit", "lakefile.toml", None),
        ("limit", "Orchard/Base.lean", "Orchard.grows"),
        ("limit", "Orchard/Macros.lean", None),
    }
    assert data["axioms"][0]["name"] == "Orchard.rain"
    assert data["stray"] == ["Spare.lean"]
    assert set(data["pins"]["versions"]) == {"4.35.0", "4.35.0-rc1", "4.34.0", "4.33.0"}
    assert data["pins"]["stale"] == [
        "lake-manifest.json has mathlib at v4.33.0, lakefile.toml requires v4.34.0"
    ]


def test_a_clean_project_passes_with_its_limits(tmp_path: Path) -> None:
    done = run(str(write(tmp_path, CLEAN)), "--strict")
    assert done.return_value == 0
    assert "1 × maxHeartbeats 400000" in done.output
    assert done.output.endswith("nothing deserves a look\n")


SPOILT = {
    "sorry": ("Orchard.lean", "theorem a : 1 = 2 := sorry\n"),
    "axiom": ("Orchard.lean", "axiom a : 1 = 2\n"),
    "native": ("Orchard.lean", "theorem a : 1 = 1 := by native_decide\n"),
    "unchecked": ("Orchard.lean", "set_option debug.skipKernelTC true\n"),
    "citation": ("Orchard.lean", "/-- `Orchard.gone` -/\ndef a := 1\n"),
    "stray": ("Other.lean", "def b := 1\n"),
    "import": ("Orchard.lean", "import Orchard.Gone\n"),
    "header": ("Orchard.lean", "import\n"),
    "cycle": ("Orchard.lean", "import Orchard\n"),
    "pin": ("docs/lean-toolchain", "leanprover/lean4:v4.34.0\n"),
    "manifest": ("lake-manifest.json", "["),
}


@pytest.mark.parametrize("name", SPOILT)
def test_each_reason_alone_deserves_a_look(tmp_path: Path, name: str) -> None:
    path, text = SPOILT[name]
    assert run(str(write(tmp_path, {**CLEAN, path: text})), "--strict").return_value == 1


def test_a_lakefile_that_is_a_program_is_read_as_text(tmp_path: Path) -> None:
    lakefile = (
        "import Lake\nopen Lake DSL\npackage «my-orchard» where\n"
        "  leanOptions := #[⟨`maxRecDepth, 2000⟩, -- ⟨`maxHeartbeats, 1⟩\n    ⟨`debug.skipKernelTC, true⟩]\n"
        'require mathlib from git "https://example.org/mathlib4" @ "v4.34.0"\n'
        "@[default_target] lean_lib Orchard where\n  roots := #[`Orchard]\n"
    )
    files = {name: text for name, text in CLEAN.items() if name != "lakefile.toml"}
    found = scan_project(str(write(tmp_path, {**files, "lakefile.lean": lakefile})))
    assert list(found.project.modules) == ["Orchard"]
    assert [(m.kind, m.text, m.value) for m in found.settings] == [
        ("limit", "maxRecDepth", "2000"), ("unchecked", "debug.skipKernelTC", "true"),
    ]  # fmt: skip
    assert found.pins.versions == ("4.35.0", "4.34.0")
    assert "read as text" in run(str(tmp_path)).output


@pytest.mark.parametrize(
    ("files", "code"),
    [({}, "NO-PROJECT"), ({"lakefile.toml": "name ="}, "LAKEFILE"), ({"lakefile.lean": "def x"}, "LAKEFILE")],
)
def test_a_path_that_cannot_be_used(tmp_path: Path, files: dict[str, str], code: str) -> None:
    with pytest.raises(ProjectError) as caught:
        scan_project(str(write(tmp_path, files)))
    assert (caught.value.code, caught.value.exit_code) == (code, 2)
    assert caught.value.hint


def test_from_the_shell(site: Site, tmp_path: Path) -> None:
    done = site.tracker("scan")
    assert done.code == 0
    assert done.out.startswith("Demo (lakefile.toml)\n  4 modules, 4 files, ")
    gone = site.tracker("scan", str(tmp_path / "gone"))
    assert (gone.code, gone.out) == (2, "")
    assert "no such directory" in gone.err
    assert "Traceback" not in gone.err


def test_a_directory_of_the_project_stands_for_it(orchard: Path) -> None:
    assert scan_project(str(orchard / "Orchard")).project.root == str(orchard)


def test_names_of_files_cannot_steer_the_terminal(tmp_path: Path) -> None:
    write(tmp_path, {**CLEAN, "Other\x1b[31m\r.lean": "", "[red]markup[/red].lean": ""})
    output = run(str(tmp_path)).output
    assert "\x1b" not in output
    assert "\r" not in output
    assert "[red]markup[/red].lean" in output


def test_bytes_that_are_no_text_are_a_problem_and_no_crash(tmp_path: Path) -> None:
    write(tmp_path, CLEAN)
    (tmp_path / "Orchard.lean").write_bytes(b"def a := 1\n\xff\xfe\naxiom b : 1 = 2\r\n")
    found = scan_project(str(tmp_path))
    assert [p.code for p in found.project.problems] == ["UTF-8"]
    assert [(d.name, d.line) for d in found.files[0].source.declarations] == [("a", 1), ("b", 3)]


def test_long_lists_are_cut_unless_all_are_wanted(tmp_path: Path) -> None:
    text = "".join(f"axiom a{i} : 1 = 2\n" for i in range(25))
    write(tmp_path, {**CLEAN, "Orchard.lean": text})
    assert "and 15 more (--all shows them)" in run(str(tmp_path)).output
    assert "a24" in run(str(tmp_path), "--all").output


def test_processes_change_nothing(tmp_path: Path) -> None:
    files = {f"Orchard/P{i}.lean": f"theorem Orchard.p{i} : 1 = 2 := sorry\n" for i in range(60)}
    write(tmp_path, {**CLEAN, **files, "lakefile.toml": LAKEFILE})
    # In a process of its own: the test runner has threads, beside which nobody should fork.
    code = (
        "from tracker.lean.scan.project import scan_project\n"
        f"one, two = (scan_project({str(tmp_path)!r}, jobs) for jobs in (1, 2))\n"
        "print(one.files == two.files, len(one.marks('sorry')))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("True 60\n", "")


def test_the_project_shipped_here_is_clean() -> None:
    found = scan_project(str(ROOT / "lean"))
    assert found.is_clean
    assert len(found.files) == len(found.project.modules) > 60


@pytest.mark.parametrize(
    ("written", "version"),
    [
        ("leanprover/lean4:v4.35.0", "4.35.0"),
        ("leanprover/lean4:4.35.0-rc2\n", "4.35.0-rc2"),
        ("v4.35.0-patch1", "4.35.0"),
        ("leanprover/lean4:nightly-2026-01-31", "nightly-2026-01-31"),
        ("nightly-testing-2026-01-31", "nightly-2026-01-31"),
        ("stable", ""),
        ("v0.0.74", ""),
        ("main", ""),
        ("", ""),
    ],
)
def test_the_version_that_a_name_means(written: str, version: str) -> None:
    assert lean_version(written) == version


@pytest.mark.parametrize(
    "manifest", ["{}", "[]", "null", '{"packages": [1]}', '{"packages": {"a": 1}}', "\xff"]
)
def test_odd_manifests(tmp_path: Path, manifest: str) -> None:
    pins = read_pins(str(write(tmp_path, {**CLEAN, "lake-manifest.json": manifest})))
    assert [pin.lean for pin in pins.pins] == ["4.35.0"]
    assert bool(pins.unreadable) == (manifest != "{}")
