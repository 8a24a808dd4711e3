"""What a record holds of a failure: the options that Lake gave, a panic that Lean survived, its root."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from tests.conftest import Site
from tracker.lean.project import load_project
from tracker.run.check import given_options

REAL = Path(__file__).parent.parent / "lean" / "failures" / "real"
PANIC = """\
set_option autoImplicit true
@[never_extract, extern "lean_panic_fn"]
def panicCore {α : Sort u} [Inhabited α] (text : String) : α := default
def Demo.pick (n : Nat) : Nat := @panicCore Nat ⟨n⟩ "PANIC at Demo.pick Demo.Panic:4:33: nothing there"
#eval Demo.pick 3
"""


def failures(site: Site, module: str) -> list[dict[str, Any]]:
    with sqlite3.connect(site.root / ".tracker" / "history.db") as db:
        query = "SELECT failures FROM module_check WHERE module = ? ORDER BY id DESC"
        found = db.execute(query, (module,)).fetchone()
    db.close()
    return list(json.loads(found[0]))


def test_a_panic_beside_exit_0_is_a_failure(site: Site) -> None:
    site.write("Panic", PANIC)
    assert "panic" in site.tracker("run", "Demo.Panic").err
    (failure,) = failures(site, "Demo.Panic")
    assert (failure["cls"], failure["where"], failure["pos"]) == ("panic", "Demo.pick", [5, 0])


def test_options_of_the_lakefile_are_named(site: Site) -> None:
    file = site.root / "lean" / "lakefile.toml"
    file.write_text(
        file.read_text().replace("[[lean_lib]]", "leanOptions = {maxRecDepth = 99}\n\n[[lean_lib]]")
    )
    site.write("Deep", (REAL / "max_rec_depth.lean").read_text())
    assert "max-rec-depth" in site.tracker("run", "Demo.Deep").err
    assert ["maxRecDepth", "99"] in failures(site, "Demo.Deep")[0]["options"]


LAKEFILE = """\
name = "Demo"
leanOptions = {maxHeartbeats = 10, "weak.linter.all" = true, autoImplicit = false}
weakLeanArgs = ["-DmaxErrors=3", "--quiet"]

[[lean_lib]]
name = "Demo"
globs = ["Demo.+"]
leanOptions = {maxHeartbeats = 20}
moreLeanArgs = ["-DmaxRecDepth=99"]
"""


def test_a_target_s_options_go_before_its_package_s(site: Site) -> None:
    (site.root / "lean" / "lakefile.toml").write_text(LAKEFILE)
    assert given_options(load_project(site.root / "lean"), "Demo.Base") == {
        "maxHeartbeats": "20",
        "linter.all": "true",
        "autoImplicit": "false",
        "maxErrors": "3",
        "maxRecDepth": "99",
    }
