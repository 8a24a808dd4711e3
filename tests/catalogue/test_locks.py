"""Locked statements: the file, the drift as people read it, and acceptance with a reason."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pexpect
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Site
from tracker.errors import UsageError
from tracker.locks import LockedStatement, describe_drift, lock_text, read_lock

HEADER = '{"format": "tracker statements 1", "lean": "4.35.0"}\n'
OLD = '{"id": "a", "decl": "N.a", "kind": "theorem", "sha256": "00", "statement": "N.a : 1 = 1"}\n'

texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=20)
entries = st.builds(LockedStatement, texts, texts, texts, texts, texts, texts)


@given(st.lists(entries, unique_by=lambda e: e.id, max_size=5))
def test_what_is_written_is_read(written: list[LockedStatement]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "statements.lock")
        file.write_text(lock_text("4.35.0", written), encoding="utf-8")
        assert sorted(read_lock(file).entries.values(), key=lambda e: e.id) == sorted(
            written, key=lambda e: e.id
        )
        assert len(file.read_text(encoding="utf-8").split("\n")) == len(written) + 2


def test_a_file_without_reasons_is_read_and_written_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "statements.lock"
    file.write_text(HEADER + OLD, encoding="utf-8")
    lock = read_lock(file)
    assert lock.entries["a"].reason == ""
    assert lock_text("4.35.0", lock.entries.values()) == HEADER + OLD


@pytest.mark.parametrize("change", ['"reason": 1', '"reason": "x", "why": "y"'])
def test_a_wrong_reason_is_refused(tmp_path: Path, change: str) -> None:
    file = tmp_path / "statements.lock"
    file.write_text(HEADER + OLD.replace("}", f", {change}}}"), encoding="utf-8")
    with pytest.raises(UsageError, match=r"statements\.lock:2"):
        read_lock(file)


@pytest.mark.parametrize("line", ["", "[]", "null", "3", "<<<<<<< HEAD", "[" * 100_000, "\xff"])
@pytest.mark.parametrize("before", ["", HEADER + OLD])
def test_what_is_no_entry_is_named_with_its_line_and_cure(tmp_path: Path, before: str, line: str) -> None:
    file = tmp_path / "statements.lock"
    file.write_text(before + line + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match=rf"statements\.lock:{before.count(chr(10)) + 1}: ") as caught:
        read_lock(file)
    assert caught.value.code == "LOCK-UNREADABLE"
    assert "delete it" in str(caught.value.hint)


def described(old: str, new: str, **changes: str) -> list[str]:
    first = LockedStatement("a", "N.a", "theorem", "00", old)
    fields = {"id": "a", "decl": "N.a", "kind": "theorem", "sha256": "11", "statement": new} | changes
    return list(describe_drift(first, LockedStatement(**fields)))


def test_a_drift_shows_both_lines_and_what_differs() -> None:
    old = "N.a (n : Nat)\n  (h : 0 < n) :\n  n + 0 = n"
    assert described(old, old.replace("0 < n", "0 ≤ n")) == [
        "  N.a (n : Nat)",
        "-   (h : 0 < n) :",
        "           ^",
        "+   (h : 0 ≤ n) :",
        "           ^",
        "    n + 0 = n",
    ]
    assert described(old, "N.a (n : Nat) :\n  n = n") == [
        "- N.a (n : Nat)",
        "-   (h : 0 < n) :",
        "-   n + 0 = n",
        "+ N.a (n : Nat) :",
        "+   n = n",
    ]


def test_a_drift_that_reads_the_same_says_so() -> None:
    assert described("N.a : 1 = 1", "N.a : 1 = 1")[-1].startswith("it reads the same, but a definition")
    assert described("N.a : 1 = 1", "N.a : 1 = 1", kind="def") == [
        "it was a theorem, now it is a def",
        "  N.a : 1 = 1",
    ]
    assert described("N.a : 1 = 1", "N.b : 1 = 1", decl="N.b")[0] == "renamed from N.a"


@given(texts, texts)
def test_a_drift_shows_all_that_is_new_and_all_that_is_gone(old: str, new: str) -> None:
    if old == new:
        return
    lines = described(old, new)
    assert {line[2:] for line in lines if line.startswith("- ")} >= set(old.splitlines()) - set(
        new.splitlines()
    )
    assert {line[2:] for line in lines if line.startswith("+ ")} >= set(new.splitlines()) - set(
        old.splitlines()
    )


def weakened(proved: Site) -> Site:
    proved.edit("Mid", "(n : Nat) : n + 0 = n", "{n : Nat} : n + 0 = n")
    assert proved.tracker("run").code == 1
    return proved


def test_a_drift_is_accepted_with_a_reason_only(proved: Site) -> None:
    site = weakened(proved)
    file = site.root / "obligations" / "statements.lock"
    before = file.read_bytes()
    refused = site.tracker("lock", "--accept")
    assert refused.code == 2
    assert "error[NO-REASON]" in refused.err
    assert "--reason" in refused.err
    assert "- Demo.lemma (n : Nat) : n + 0 = n\n               ^       ^\n" in refused.err
    assert site.tracker("lock", "--accept", "--reason", "  ").code == 2
    assert "--reason goes with --accept" in site.tracker("lock", "--reason", "x").err
    assert file.read_bytes() == before
    accepted = site.tracker("lock", "--accept", "--reason", "n is known\nfrom the goal", "--json")
    assert accepted.code == 0, accepted.err
    assert accepted.json["accepted"] == ["lemma"]
    assert [d["id"] for d in accepted.json["diffs"]] == ["lemma"]
    after = file.read_bytes()
    changed = [json.loads(line) for line in after.splitlines() if line not in before.splitlines()]
    assert [(line["id"], line["reason"]) for line in changed] == [("lemma", "n is known from the goal")]
    assert "accepted because: n is known from the goal" in " ".join(site.tracker("show", "lemma").out.split())
    assert site.tracker("show", "lemma", "--json").json["locked"]["reason"] == "n is known from the goal"
    assert site.labels()["lemma"] == "proved"
    site.edit("Mid", "{n : Nat} : n + 0 = n", "(n : Nat) : n + 0 = n")
    assert site.tracker("run").code == 1
    again = site.tracker("lock")
    assert again.code == 1
    assert "the locked one was accepted because: n is known from the goal" in again.err
    assert site.tracker("lock").code == 1


def test_the_reason_is_asked_for_at_a_terminal(proved: Site) -> None:
    site = weakened(proved)
    command = [sys.executable, ["-m", "tracker", "lock", "--accept"]]
    child = pexpect.spawn(*command, cwd=str(site.root), encoding="utf-8", timeout=60)
    child.expect("Why accept 1 statement")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    child = pexpect.spawn(*command, cwd=str(site.root), encoding="utf-8", timeout=60)
    child.expect("Why accept 1 statement")
    child.sendline("asked")
    child.expect("0 locked, 1 accepted, 0 drifted")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert read_lock(site.root / "obligations" / "statements.lock").entries["lemma"].reason == "asked"


def test_what_only_reads_otherwise_is_no_drift_and_is_written_anew(proved: Site) -> None:
    """A lock's text that somebody edited, and a bound variable that got another name."""
    file = proved.root / "obligations" / "statements.lock"
    before = file.read_text(encoding="utf-8")
    edited = before.replace('"Demo.side : 1 = 1"', '"Demo.side : ∀ n : Nat, n = 1"')
    assert edited != before
    file.write_text(edited, encoding="utf-8")
    proved.edit("Mid", "(n : Nat) : n + 0 = n", "(m : Nat) : m + 0 = m")
    assert proved.tracker("run").code == 0
    rule = next(r for r in proved.tracker("gate", "--json").json["rules"] if r["code"] == "GATE-DRIFT")
    assert [note.partition(":")[0] for note in rule["notes"]] == ["lemma", "side"]
    assert rule["findings"] == []
    found = proved.tracker("lock")
    assert found.code == 0
    assert found.out.endswith("0 locked, 0 accepted, 0 drifted, 2 reprinted\n")
    assert "- Demo.side : ∀ n : Nat, n = 1" in found.err
    assert "+ Demo.side : 1 = 1" in found.err
    assert file.read_text(encoding="utf-8") == before.replace(
        "Demo.lemma (n : Nat) : n + 0 = n", "Demo.lemma (m : Nat) : m + 0 = m"
    )
    assert proved.tracker("lock", "--json").json["reprinted"] == []


def test_nothing_is_asked_where_nothing_drifted(proved: Site) -> None:
    assert proved.tracker("lock", "--accept").code == 0
