"""The command line itself: help with examples, exit codes, no traceback, JSON that is versioned."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from tests.conftest import Site
from tracker.__main__ import main
from tracker.cli.main import VERBS


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example(site: Site, verb: str) -> None:
    done = site.tracker(verb, "--help")
    assert done.code == 0
    assert f"tracker {verb}" in done.out.partition("Usage:")[2].partition("\n")[2] or verb == "doctor"


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_can_answer_in_json(site: Site, verb: str) -> None:
    shown = site.tracker(verb, "--help").out
    if verb in ("graph", "report"):
        assert "json" in shown.partition("--format [")[2].partition("]")[0].split("|")
    else:
        assert "  --json " in shown


class _CtrlC:
    @staticmethod
    def find_spec(name: str, *_: object) -> ModuleSpec | None:
        if name == "tracker.cli.main":
            raise KeyboardInterrupt
        return None


def test_ctrl_c_while_it_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "tracker.cli.main")
    monkeypatch.setattr(sys, "meta_path", [_CtrlC, *sys.meta_path])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130


def test_the_script_is_what_catches_ctrl_c() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["scripts"] == {"tracker": "tracker.__main__:main"}


def test_a_state_that_is_no_directory(site: Site) -> None:
    (site.root / "file").write_text("text")
    for verb in (("history", "lemma"), ("diff",), ("status",)):
        done = site.tracker(*verb, "--state", "file")
        assert (done.code, done.out) == (2, "")
        assert f"error[STORE]: {site.root}/file: Not a directory\n" in done.err
    assert (site.root / "file").read_text() == "text"


_FOREIGN = "x\n::error::pwn\r##[error]\x1b[31m\x07\u2028::error::y"


def test_no_line_is_a_foreign_one(site: Site) -> None:
    quoted = _FOREIGN.encode("unicode_escape").decode().replace("\\x", "\\u00")
    config = site.root / "tracker.toml"
    good = config.read_text()
    config.write_text(f'["{quoted}"]\na = 1\n')
    by_config = site.tracker("status")
    config.write_text(good)
    catalogue = site.root / "obligations" / f"demo{_FOREIGN.replace('/', '')}.yaml"
    catalogue.write_text(f'"{quoted}": 1\nobligations:\n  - {{id: "{quoted}", "{quoted}": "{quoted}"}}\n')
    named = site.root / "::error::catalogue"
    named.mkdir()
    (named / "a.yaml").write_text("obligations: 1\n")
    by_path = site.tracker("check", named.name)
    assert "./::error::catalogue/a.yaml:1:" in by_path.out
    for done in (
        by_config,
        by_path,
        site.tracker("check"),
        site.tracker("status"),
        site.tracker("check", catalogue.name),
    ):
        assert done.code == 2
        said = done.out + done.err
        assert "error[" in said
        assert "Traceback" not in said
        assert not [line for line in said.splitlines() if line.lstrip().startswith(("::", "##["))]
        assert all(c.isprintable() or c == "\n" for c in said)


def test_help_names_the_exit_codes(site: Site) -> None:
    done = site.tracker("--help")
    assert "130 interrupted" in " ".join(done.out.split())


def test_version(site: Site) -> None:
    assert site.tracker("--version").out.startswith("tracker, version ")


def test_an_unknown_verb_names_the_nearest(site: Site) -> None:
    done = site.tracker("statsu")
    assert done.code == 2
    assert "did you mean `status`?" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("limit", [("--wall", "soon"), ("--wall", "0s"), ("--module-memory", "0")])
def test_a_bad_amount(site: Site, limit: tuple[str, str]) -> None:
    done = site.tracker("run", *limit)
    assert done.code == 2
    assert "BAD-QUANTITY" in done.err
    assert "10min" in done.err


def test_doctor_says_which_lean_and_why(proved: Site) -> None:
    done = proved.tracker("doctor")
    assert done.code == 0
    assert "Lean 4.35.0, commit eb6cafb7290e8bd5f2937522d8d804f58f02bafc" in done.out
    assert "because asked for" in done.out
    checks = {check["name"]: check for check in proved.tracker("doctor", "--json").json["checks"]}
    assert checks["toolchain"]["toolchain"] == "embedded"
    assert checks["pin"]["pin"] == "leanprover/lean4:v4.35.0"
    assert checks["store"]["runs"] == 1


def test_doctor_names_what_is_missing(site: Site) -> None:
    (site.root / "lean" / "lean-toolchain").write_text("leanprover/lean4:v4.30.0\n")
    (site.root / "tracker.toml").write_text('[tracker]\nproject = "lean"\ntoolchain = "lake"\n')
    done = site.tracker("doctor", environment={"PATH": "/nonexistent"})
    assert done.code == 3
    assert "no `lake` is on PATH" in done.out
    assert "elan" in done.out


def test_without_a_catalogue_the_cure_is_init(tmp_path: Path) -> None:
    (tmp_path / "lakefile.toml").write_text('name = "x"\n[[lean_lib]]\nname = "X"\n')
    (tmp_path / "X.lean").write_text("theorem x : 1 = 1 := rfl\n")
    fresh = Site(tmp_path)
    for verb in ("doctor", "status", "check"):
        done = fresh.tracker(verb)
        assert done.code == 2
        assert "`tracker init` writes a first" in done.out + done.err
    assert fresh.tracker("init").code == 0
    assert "1 obligation" in fresh.tracker("doctor").out


def test_status_json_is_versioned_and_complete(proved: Site) -> None:
    data = proved.tracker("status", "--json").json
    assert data["schema_version"] == 1
    assert data["passed"] is data["all_proved"] is True
    assert data["counts"] == {"proved": 6}
    assert data["toolchain"]["version"] == "4.35.0"
    assert data["modules"]["checked"] == data["modules"]["total"] == 4
    one = next(ob for ob in data["obligations"] if ob["id"] == "main")
    assert one["statement"] == "Demo.main : Demo.two + 0 = 2"
    assert one["module_cost"]["peak_rss_bytes"] > 10**7
    assert len(one["fingerprint"]) == len(one["statement_sha256"]) == 64


def test_show_by_id_by_declaration_and_by_nothing(proved: Site) -> None:
    by_id, by_decl = proved.tracker("show", "main"), proved.tracker("show", "Demo.main")
    assert by_id.out == by_decl.out
    assert by_id.code == 0
    for words in ("✔ proved  main", "Demo.two + 0 = 2", "axioms", "Demo/Mid.lean:5:9", "lemma (proved)"):
        assert words in by_id.out
    long = " ".join(f"a{i}" for i in range(60))
    (proved.root / "obligations" / "demo.yaml").write_text(
        (proved.root / "obligations" / "demo.yaml")
        .read_text()
        .replace("id: main,", f"id: main, summary: {long},")
    )
    assert f"about      {long}\n" in proved.tracker("show", "main").out  # whole lines, for grep
    done = proved.tracker("show", "mian")
    assert done.code == 2
    assert "did you mean `main`?" in done.err


def test_output_has_no_colour_unless_asked(proved: Site) -> None:
    assert "\x1b" not in proved.tracker("status").out
    assert "\x1b" in proved.tracker("status", environment={"FORCE_COLOR": "1"}).out


def test_ctrl_c_within_an_exec_is_no_death_by_signal() -> None:
    code = (
        "import sys, types, tracker.__main__ as entry\n"
        "def main(): exec('raise KeyboardInterrupt')\n"
        "sys.modules['tracker.cli.main'] = types.SimpleNamespace(main=main)\n"
        "entry.main()\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 130


@pytest.mark.parametrize(
    "args",
    [
        ("show",),
        ("history",),
        ("graph", "--focus"),
        ("why", "lemma"),
        ("impact",),
        ("lock",),
        ("headroom",),
        ("run",),
    ],
)
def test_a_name_of_no_obligation(site: Site, args: tuple[str, ...]) -> None:
    nowhere, near = site.tracker(*args, "zzzzzz"), site.tracker(*args, "lema")
    for done, cure in (
        (nowhere, "`tracker status --all` lists the obligations"),
        (near, "did you mean `lemma`?"),
    ):
        assert (done.code, done.out) == (2, "")
        assert "error[NO-SUCH-" in done.err
        assert f"hint: {cure}\n" in done.err
