"""The command line itself: help with examples, exit codes, no traceback, JSON that is versioned."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Site
from tracker.cli.main import VERBS


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example(site: Site, verb: str) -> None:
    done = site.tracker(verb, "--help")
    assert done.code == 0
    assert f"tracker {verb}" in done.out.partition("Usage:")[2].partition("\n")[2] or verb == "doctor"


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
