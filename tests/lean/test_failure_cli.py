"""`tracker classify`, from the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parent / "failures"
APEX = EXAMPLES / "positive" / "kernel-timeout" / "apex.log"


def classify(*args: str | Path, data: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "tracker", "classify", *args],
        input=data,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONUTF8": "1"},
    )


def as_json(*args: str | Path, data: bytes | None = None) -> Any:
    return json.loads(classify("--json", *args, data=data).stdout)


def test_a_failure_with_place_and_advice() -> None:
    done = classify(APEX)
    text = done.stdout.decode()
    assert done.returncode == 1
    assert text.startswith("kernel-timeout: the kernel used up the heartbeats")
    assert "  Harbor/Whole/Apex.lean:58:9\n" in text, "columns count from 1 on the screen"
    assert "others found: " in text
    assert "leanprover/lean4#14803" in text
    assert text.endswith("1 root cause in 1 module (1 kernel-timeout); the log is whole\n")


def test_consequences_stand_below_their_root() -> None:
    text = classify(EXAMPLES / "positive" / "bad-import" / "header_then_noise.log").stdout.decode()
    assert "  4 more follow from it:\n    examples/Pendulum.lean:6:1  unknown-name\n" in text
    assert "1 root cause in 1 module (1 bad-import); 4 more follow from them" in text


def test_the_same_failure_many_times_is_one_group() -> None:
    log = "".join(f"A{i}.lean:3:0: error: unsolved goals\n⊢ x{i}\n" for i in range(30)).encode()
    text = classify("-", data=log).stdout.decode()
    assert "a tactic failed or left goals open, 30 times" in text
    assert "and 10 more" in text


def test_a_success() -> None:
    done = classify(EXAMPLES / "negative" / "success_replayed.log")
    assert (done.returncode, done.stdout) == (0, b"no failure found\n")


def test_a_log_cut_short_is_no_success() -> None:
    done = classify("-", data=b"\xe2\x9c\x94 [1/9] Built A (1.0s)\n")
    assert done.returncode == 1
    assert "the log ends before Lake's last line" in done.stdout.decode()


@pytest.mark.parametrize("data", [b"", b"some text\n", b"\x00\xff\xfe"])
def test_what_is_no_log_is_no_success(data: bytes) -> None:
    done = classify("-", data=data)
    assert done.returncode == 1
    assert "nothing in it looks like the output of Lake or Lean" in done.stdout.decode()


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    done = classify(tmp_path / "none.log")
    assert done.returncode == 2
    assert b"error[unreadable-log]" in done.stderr
    assert b"hint: " in done.stderr
    assert classify(tmp_path).returncode == 2


def test_json() -> None:
    found = as_json(APEX)
    assert found["schema_version"] == 1
    assert (found["complete"], found["passed"], found["unclassified"]) == (True, False, 0)
    [failure] = found["failures"]
    assert (failure["class"], failure["phase"], failure["module"]) == (
        "kernel-timeout",
        "kernel",
        "Harbor.Whole.Apex",
    )
    assert (failure["file"], failure["line"], failure["column"]) == ("Harbor/Whole/Apex.lean", 58, 8)
    assert failure["log_line"] == 1
    assert failure["message"] == "(kernel) deterministic timeout"


def test_unclassified_text_is_whole_and_counted() -> None:
    found = as_json(EXAMPLES / "positive" / "unclassified" / "cut_at_both_ends.log")
    assert found["unclassified"] == 3
    assert found["failures"][0]["message"] == "the moon is in the wrong quarter\nfor this tide"


def test_long_messages_are_shortened_unless_asked_for() -> None:
    log = b"A.lean:3:0: error: unsolved goals\n" + b"h : x\n" * 50
    assert "(39 more lines)" in classify("-", data=log).stdout.decode()
    assert classify("--whole", "-", data=log).stdout.decode().count("h : x") == 50


def test_markdown_cannot_be_broken_out_of() -> None:
    log = b"A.lean:3:0: error: unsolved goals\n```\n# not a heading\n````\n"
    text = classify("--format", "markdown", "-", data=log).stdout.decode()
    assert "`````text\nunsolved goals\n```\n# not a heading\n````\n`````\n" in text


def test_a_log_cannot_steer_the_terminal() -> None:
    log = "A.lean:3:0: error: unsolved goals\x07 \x08\u202eevil\n".encode()
    out = classify("-", data=log).stdout.decode()
    assert not {"\x07", "\x08", "\x1b", "\u202e"} & set(out)


def test_stored_logs_of_lake() -> None:
    assert classify(EXAMPLES / "negative" / "module.trace").returncode == 0


def test_help_shows_examples() -> None:
    assert b"lake build 2>&1 | tracker classify -" in classify("--help").stdout


def project(tmp_path: Path) -> Path:
    directory = tmp_path / "harbor"
    (directory / "Harbor").mkdir(parents=True)
    (directory / "Harbor" / "A.lean").write_text("def Harbor.base := x\n\ntheorem Harbor.top : base := rfl\n")
    (tmp_path / "secret.lean").write_text("theorem secret : x := y\n")
    return directory


@pytest.mark.parametrize("prefix", ["", "././", "/elsewhere/harbor/", "C:\\harbor\\"])
def test_sources_of_the_project_tell_declarations_and_cascades(tmp_path: Path, prefix: str) -> None:
    log = (
        "✖ [1/1] Building Harbor.A\n"
        f"error: {prefix}Harbor/A.lean:1:19: Unknown identifier `x`\n"
        f"error: {prefix}Harbor/A.lean:3:21: Unknown identifier `base`\n"
        "error: Lean exited with code 1\n"
    )
    found = as_json("--project", project(tmp_path), "-", data=log.encode())["failures"]
    assert [(f["declaration"], f["cause"]) for f in found] == [
        ("Harbor.base", None),
        ("Harbor.top", "Harbor.base"),
    ]


@pytest.mark.parametrize("named", ["../secret.lean", "{}/secret.lean", "link.lean"])
def test_a_log_cannot_make_the_tracker_read_elsewhere(tmp_path: Path, named: str) -> None:
    directory = project(tmp_path)
    (directory / "link.lean").symlink_to(tmp_path / "secret.lean")
    log = f"{named.format(tmp_path)}:1:8: error: unsolved goals\n"
    [failure] = as_json("--project", directory, "-", data=log.encode())["failures"]
    assert failure["declaration"] is None


def test_failures_of_one_kind_that_differ_are_told_apart() -> None:
    log = b"A.lean:3:0: error: Unknown identifier `keel`\nA.lean:9:0: error: Unknown identifier `mast`\n"
    text = classify("-", data=log).stdout.decode()
    assert "A.lean:3:1  Unknown identifier `keel`\n  A.lean:9:1  Unknown identifier `mast`\n" in text
