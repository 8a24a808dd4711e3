"""What the file system can do to a catalogue."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tracker.catalogue import files, yamltext
from tracker.catalogue.load import load_catalogue

TIE = "defaults: {kind: tie, module: M}\nobligations: [%s]\n"


def findings(path: Path | list[Path], root: Path) -> list[str]:
    return [str(d).split("\n")[0] for d in load_catalogue(path, root=root).diagnostics]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert findings(tmp_path / "no.yaml", tmp_path) == [
        "no.yaml:1:1: error[unreadable]: the file cannot be read: no such file or directory"
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_forbidden_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(TIE % "tie")
    file.chmod(0)
    assert "permission denied" in findings(tmp_path, tmp_path)[0]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.yaml")
    assert findings(tmp_path, tmp_path) == ["a.yaml:1:1: error[unreadable]: this is not a regular file"]


def test_a_link_to_itself_ends(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to("a.yaml")
    assert findings(tmp_path, tmp_path) == ["a.yaml:1:1: error[symlink-loop]: this link leads back to itself"]


def test_a_link_to_a_directory_above_ends(tmp_path: Path) -> None:
    deeper = tmp_path / "catalogue" / "deeper"
    deeper.mkdir(parents=True)
    (tmp_path / "catalogue" / "a.yaml").write_text(TIE % "tie")
    (deeper / "up").symlink_to("..")
    assert findings(tmp_path / "catalogue", tmp_path) == [
        "catalogue/deeper/up:1:1: error[symlink-loop]: this link leads back to a directory that contains it"
    ]


def test_a_broken_link_is_named_only_where_it_looks_like_a_catalogue(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(TIE % "tie")
    (tmp_path / "note").symlink_to("nowhere")
    assert findings(tmp_path, tmp_path) == []
    (tmp_path / "b.yaml").symlink_to("nowhere")
    assert "error[unreadable]" in findings(tmp_path, tmp_path)[0]


def test_a_file_reached_twice_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(TIE % "tie")
    (tmp_path / "b.yaml").symlink_to("a.yaml")
    result = load_catalogue([tmp_path, tmp_path / "a.yaml"], root=tmp_path)
    assert result.diagnostics == ()
    assert result.files == ("a.yaml",)


def test_files_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("c.yml", "a/z.yaml", "b.yaml"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(TIE % f"tie_{file.stem}")
    result = load_catalogue(tmp_path, root=tmp_path)
    assert result.files == ("a/z.yaml", "b.yaml", "c.yml")
    assert result.catalogue is not None
    assert list(result.catalogue.obligations) == ["tie_z", "tie_b", "tie_c"]


def test_hidden_and_other_files_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(TIE % "tie")
    (tmp_path / "statements.lock").write_text("not: [yaml")
    (tmp_path / ".draft.yaml").write_text("not: [yaml")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x.yaml").write_text("not: [yaml")
    assert findings(tmp_path, tmp_path) == []


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 2**20)
    (tmp_path / "a.yaml").write_text("#" * (2**20 + 1))
    assert findings(tmp_path, tmp_path) == ["a.yaml:1:1: error[too-large]: the file is larger than 1 MiB"]


def test_a_file_with_too_many_values_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yamltext, "MAX_NODES", 1000)
    (tmp_path / "a.yaml").write_text("\n".join(["- []"] * 2000))
    assert findings(tmp_path, tmp_path) == [
        "a.yaml:1001:3: error[yaml-limit]: the file has more than 1,000 nodes"
    ]


def test_a_path_that_cannot_be_one_is_named(tmp_path: Path) -> None:
    assert "error[unreadable]" in findings(Path("a\0b.yaml"), tmp_path)[0]


def test_what_an_unreadable_file_would_have_said_is_not_reported_as_missing(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"\xff")
    (tmp_path / "b.yaml").write_text(
        "defaults: {kind: tie, module: M}\nobligations: [{id: tie, depends_on: [base]}]\n"
    )
    assert findings(tmp_path, tmp_path) == [
        "a.yaml:1:1: error[bad-encoding]: byte 0xff at offset 0 is not UTF-8"
    ]


def test_paths_are_shown_relative_to_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.yaml").write_text(TIE % "tie")
    monkeypatch.chdir(tmp_path)
    assert load_catalogue(tmp_path).files == ("a.yaml",)
    assert load_catalogue("a.yaml").files == ("a.yaml",)
    monkeypatch.chdir("/")
    assert load_catalogue(tmp_path, root=tmp_path / "elsewhere").files == ((tmp_path / "a.yaml").as_posix(),)
