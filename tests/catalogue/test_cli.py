"""`tracker check` and `tracker explain`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from tests.catalogue.conftest import HERE
from tracker.catalogue.codes import CODES
from tracker.cli.check import check
from tracker.cli.explain import CATALOGUE_CODES, CodeTable, Explained, explain, make_explain
from tracker.errors import UsageError
from tracker.lean.failures.explain import explanations as classes

NEGATIVE = HERE / "negative"


def run(command: click.Command, *args: str | Path) -> Result:
    """Run a command as the group does: what it returns is the exit code."""
    runner = CliRunner()
    result = runner.invoke(command, [str(a) for a in args], standalone_mode=False)
    result.exit_code = result.return_value if isinstance(result.return_value, int) else result.exit_code
    return result


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "obligations").mkdir()
    (tmp_path / "obligations" / "core.yaml").write_text(
        "defaults: {kind: tie, module: M}\nobligations: [tie]\n"
    )
    return tmp_path


def test_a_sound_catalogue_passes(place: Path) -> None:
    result = run(check)
    assert (result.exit_code, result.output) == (0, "✔ 1 obligation in 1 file\n")


def test_the_catalogue_is_found_from_below_a_tracker_toml(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "tracker.toml").write_text("[tracker]\n")
    (place / "deep" / "er").mkdir(parents=True)
    monkeypatch.chdir(place / "deep" / "er")
    assert run(check).exit_code == 0


def test_errors_end_with_2_and_are_all_printed(place: Path) -> None:
    result = run(check, NEGATIVE / "unknown-dependency" / "misspelt.yaml")
    assert result.exit_code == 2
    assert result.output.count("error[unknown-dependency]") == 5
    assert "  hint: did you mean `batchMap_comp`?\n" in result.output
    assert result.output.endswith("✘ 5 errors in 1 file; `tracker explain CODE` explains each\n")


def test_warnings_fail_only_when_asked_to(place: Path) -> None:
    case = NEGATIVE / "isolated" / "alone.yaml"
    assert run(check, case).exit_code == 0
    assert run(check, case).output.endswith("▲ 3 obligations in 1 file, 1 warning\n")
    assert run(check, case, "--strict").exit_code == 2


def test_information_is_shown_only_when_asked_for(place: Path) -> None:
    case = NEGATIVE / "redundant-edge" / "spare.yaml"
    assert "redundant-edge" not in run(check, case).output
    shown = run(check, case, "--info", "--strict")
    assert "info[redundant-edge]" in shown.output
    assert shown.exit_code == 0


def test_json(place: Path) -> None:
    data = json.loads(run(check, NEGATIVE / "cycle" / "two-knots.yaml", "--json").stdout)
    assert (data["schema_version"], data["ok"], data["obligations"], data["errors"]) == (1, False, None, 2)
    first = data["diagnostics"][0]
    assert first["code"] == "cycle"
    assert first["file"].endswith("two-knots.yaml")
    assert (first["line"], first["column"]) == (3, 26)
    good = json.loads(run(check, "--json").stdout)
    assert (good["ok"], good["obligations"], good["files"]) == (True, 1, ["obligations/core.yaml"])


def test_no_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    error = run(check).exception
    assert isinstance(error, UsageError)
    assert (error.code, error.exit_code) == ("no-catalogue", 2)
    assert "there is no catalogue at" in error.message


def test_no_colour_where_nobody_sees_it(place: Path) -> None:
    case = str(NEGATIVE / "cycle" / "two-knots.yaml")
    command = [sys.executable, "-c", "from tracker.cli.check import check; check()", case]
    quiet = {k: v for k, v in os.environ.items() if k not in {"FORCE_COLOR", "NO_COLOR"}}

    def output(environment: Mapping[str, str]) -> str:
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stdout

    assert "\x1b" not in output(quiet)
    assert "\x1b" in output({**quiet, "FORCE_COLOR": "1"})
    assert "\x1b" not in output({**quiet, "FORCE_COLOR": "1", "NO_COLOR": "1"})


def test_hostile_text_cannot_steer_the_terminal(place: Path) -> None:
    (place / "obligations" / "core.yaml").write_text(
        'defaults: {kind: tie, module: M}\nobligations: [{id: "a\\e[31mb\\r"}]\n'
    )
    output = run(check).output
    assert "\x1b" not in output
    assert "\r" not in output


def test_help_has_examples() -> None:
    text = run(check, "--help").output
    assert "tracker check --json" in text
    assert "Exit code 0" in text


@pytest.mark.parametrize("code", CODES)
def test_each_code_is_explained(code: str) -> None:
    result = run(explain, code)
    assert result.exit_code == 0
    assert result.output.startswith(f"{CODES[code].severity}[{code}]")


@pytest.mark.parametrize(
    "spelling", ["cycle", "CYCLE", "error[cycle]", "error[cycle]:", " cycle ", "failed:cycle"]
)
def test_a_code_may_be_pasted_as_it_was_printed(spelling: str) -> None:
    assert run(explain, spelling).output.startswith("error[cycle]: ")


def test_an_unknown_code_gets_a_suggestion() -> None:
    error = run(explain, "unknown-dependancy").exception
    assert isinstance(error, UsageError)
    assert error.exit_code == 2
    assert error.hint == "did you mean `unknown-dependency`?"


def test_without_a_code_all_are_listed() -> None:
    output = run(explain).output
    assert all(f"  {code} " in output for code in CODES)
    data = json.loads(run(explain, "--json").stdout)
    by_table = {(entry["table"], entry["code"]) for entry in data["codes"]}
    assert by_table >= {("catalogue", c) for c in CODES} | {("failures", str(c)) for c in classes()}


class _Heartbeats:
    title = "too many heartbeats"

    def text(self) -> str:
        return "Lean gave up."


def test_other_tables_can_be_added() -> None:
    def table() -> Mapping[str, Explained]:
        return {"heartbeats": _Heartbeats(), "cycle": _Heartbeats()}

    both = make_explain((CATALOGUE_CODES, CodeTable("failures", table)))
    assert run(both, "failed:heartbeats").output == "Lean gave up.\n"
    assert "\nfailures\n  heartbeats " in run(both).output
    assert run(both, "cycle").output.endswith("\n\nLean gave up.\n")
