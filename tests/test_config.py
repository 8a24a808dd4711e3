"""Settings: precedence, places, and errors that name file, key and cure."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tracker.config import load_settings
from tracker.errors import UsageError


def write(directory: Path, text: str) -> None:
    (directory / "tracker.toml").write_text(text, encoding="utf-8")


def test_defaults(tmp_path: Path) -> None:
    settings = load_settings(tmp_path, environment={})
    assert settings.project == tmp_path
    assert settings.catalogue == (tmp_path / "obligations",)
    assert settings.state == tmp_path / ".tracker"
    assert (settings.toolchain, settings.wall_s, settings.memory_bytes) == ("auto", 1800.0, None)


def test_a_directory_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tracker.toml").mkdir()
    with pytest.raises(UsageError, match=r"tracker\.toml"):
        load_settings(tmp_path, environment={})


def test_a_lake_project_under_lean_is_found_without_a_file(tmp_path: Path) -> None:
    (tmp_path / "lean").mkdir()
    (tmp_path / "lean" / "lakefile.toml").write_text('name = "x"')
    assert load_settings(tmp_path, environment={}).project == tmp_path / "lean"


def test_found_upwards_and_relative_to_the_file(tmp_path: Path) -> None:
    write(tmp_path, '[tracker]\nproject = "proofs"\n[limits]\nwall = "90s"\nmemory = "2GiB"\n')
    (below := tmp_path / "a" / "b").mkdir(parents=True)
    settings = load_settings(below, environment={})
    assert settings.project == tmp_path / "proofs"
    assert (settings.wall_s, settings.memory_bytes) == (90.0, 2 * 2**30)


def test_flag_before_environment_before_file(tmp_path: Path) -> None:
    write(tmp_path, '[tracker]\ntoolchain = "lake"\n')
    environment = {"TRACKER_TOOLCHAIN": "embedded"}
    assert load_settings(tmp_path, environment={}).toolchain == "lake"
    assert load_settings(tmp_path, environment=environment).toolchain == "embedded"
    assert load_settings(tmp_path, {"toolchain": "auto"}, environment).toolchain == "auto"


def test_a_path_on_the_command_line_is_relative_to_the_user(tmp_path: Path) -> None:
    write(tmp_path, "")
    (below := tmp_path / "below").mkdir()
    assert load_settings(below, {"project": "x"}, {}).project == below / "x"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[tracker]\nprojekt = 'x'", "did you mean `project`?"),
        ("[trackers]\n", "unknown key `trackers`"),
        ("[tracker]\nproject = 3", "must be a string"),
        ("tracker = 3", "must be a table"),
        ("[limits]\nwall = 'soon'", "soon"),
        ("[limits]\nwall = '0s'", "leaves nothing"),
        ("[limits]\nmemory = 0", "leaves nothing"),
        ("[budgets]\ndefault = {wall = '0min'}", "leaves nothing"),
        ("[limits]\nmemory = '3 GB of it'", "no amount|not a number"),
        ("[toolchains.x]\nlake = 'a'", "both `lake` and `lean`"),
        ("[toolchains.x]\nlake = 'a'\nlean = 'b'\nembedded = true", "either"),
        ("[toolchains.x]\nembedded = true\nlean_args = 'no'", "list of strings"),
        ("[toolchains]\nx = 3", "must be a table"),
        ("not toml", "tracker.toml"),
    ],
)
def test_errors_name_the_file_and_the_cure(tmp_path: Path, text: str, expected: str) -> None:
    write(tmp_path, text)
    with pytest.raises(UsageError, match=r"tracker\.toml") as caught:
        load_settings(tmp_path, environment={})

    assert re.search(expected, str(caught.value))
    assert caught.value.exit_code == 2


def test_named_toolchains(tmp_path: Path) -> None:
    write(
        tmp_path,
        '[toolchains.tight]\nembedded = true\nlean_args = ["-DmaxRecDepth=64"]\n'
        '[toolchains.next]\nlake = "bin/lake"\nlean = "bin/lean"\n',
    )
    entries = load_settings(tmp_path, environment={}).toolchains
    assert entries["tight"].embedded
    assert entries["tight"].lean_args == ("-DmaxRecDepth=64",)
    assert entries["next"].lake == tmp_path / "bin" / "lake"


GATE_ERRORS = [
    ("[gate]\nratio = 2", "unknown key `ratio`"),
    ("[gate]\ntime_ratio = 0.5", "time_ratio must be a number from 1"),
    ("[gate]\ntime_ratio = nan", "time_ratio must be a number from 1"),
    ("[gate]\nheadroom = true", "headroom must be a number"),
    ("[gate]\nmemory_floor = 'much'", "memory_floor"),
    ("[gate]\nratchet = 'no'", "ratchet must be true or false"),
    ("[gate]\nunlike_machines = 'ignore'", "unlike_machines must be"),
    ("[gate]\nignore = 'A.*'", "ignore must be a list of strings"),
    ("[gate]\nbaseline = 3", "baseline must be a string"),
    ("[gate]\nwaiver = 3", r"\[\[gate.waiver\]\]"),
    ("[[gate.waiver]]\ncode = 'GATE-TIME'", "number 1 needs `subject`"),
    (
        "[[gate.waiver]]\ncode = 'T'\nsubject = 'a'\nreason = ' '\nowner = 'me'\nexpires = 2027-01-01",
        "needs `reason`",
    ),
    (
        "[[gate.waiver]]\ncode = 'GATE-TIME'\nsubject = 'a'\nreason = 'x'\nowner = 'me'\nexpires = 'soon'",
        "needs `expires`, a date",
    ),
    ("[[gate.waiver]]\nuntil = 2027-01-01", "unknown key `until`"),
]


@pytest.mark.parametrize(("text", "expected"), GATE_ERRORS)
def test_errors_in_the_gate_section(tmp_path: Path, text: str, expected: str) -> None:
    write(tmp_path, text)
    with pytest.raises(UsageError, match=r"tracker\.toml") as caught:
        load_settings(tmp_path, environment={})
    assert re.search(expected, str(caught.value))


def test_the_gate_section(tmp_path: Path) -> None:
    write(
        tmp_path,
        "[gate]\nbaseline = 'b.jsonl'\ntime_floor = '3s'\nheadroom = 0\nwitness = ['lake', 'check']\n"
        "[[gate.waiver]]\ncode = 'GATE-TIME'\nsubject = 'A.*'\nreason = 'r'\nowner = 'o'\n"
        "expires = 2027-01-31\n",
    )
    gate = load_settings(tmp_path, environment={}).gate
    assert (gate.baseline, gate.time_floor_s, gate.headroom) == (tmp_path / "b.jsonl", 3.0, 0.0)
    assert gate.witness == ("lake", "check")
    assert [str(waiver.expires) for waiver in gate.waivers] == ["2027-01-31"]


def test_a_toolchain_that_takes_the_kernel_out_is_refused(tmp_path: Path) -> None:
    write(tmp_path, '[toolchains.quick]\nembedded = true\nlean_args = ["-D", "debug.skipKernelTC=true"]\n')
    with pytest.raises(UsageError, match="takes the kernel out"):
        load_settings(tmp_path, environment={})
