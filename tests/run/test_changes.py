"""What a change to the Lean sources does to the status: each kind is told apart, what it blocks is named."""

from __future__ import annotations

import pytest

from tests.conftest import Site

ALL = ("two", "two-eq", "lemma", "main", "top", "side")


def state_after_run(site: Site) -> dict[str, str]:
    done = site.tracker("run")
    assert done.code == 1, done.out + done.err
    assert site.tracker("status").code == 1
    return site.labels()


def verdict(site: Site, obligation: str) -> dict[str, object]:
    found: dict[str, object] = site.tracker("show", obligation, "--json").json
    return found


def test_everything_is_proved_at_first(proved: Site) -> None:
    assert proved.labels() == dict.fromkeys(ALL, "proved")
    assert proved.tracker("status").code == 0


def test_a_proof_that_fails(proved: Site) -> None:
    proved.edit(
        "Mid",
        "theorem Demo.lemma (n : Nat) : n + 0 = n := rfl",
        "theorem Demo.lemma (n : Nat) : n + 0 = n := Nat.zero",
    )
    labels = state_after_run(proved)
    assert labels == {
        "two": "proved", "two-eq": "proved", "side": "proved",
        "lemma": "failed:type-error", "main": "blocked", "top": "blocked",
    }  # fmt: skip
    assert verdict(proved, "main")["blocked_by"] == ["lemma"]
    assert verdict(proved, "top")["blocked_by"] == ["lemma"]
    failure = verdict(proved, "lemma")["failure"]
    assert isinstance(failure, dict)
    assert failure["declaration"] == "Demo.lemma"
    assert "ype mismatch" in failure["message"]


def test_a_proof_replaced_by_sorry(proved: Site) -> None:
    proved.edit(
        "Mid",
        "theorem Demo.lemma (n : Nat) : n + 0 = n := rfl",
        "theorem Demo.lemma (n : Nat) : n + 0 = n := sorry",
    )
    labels = state_after_run(proved)
    assert labels["lemma"] == "sorry"
    assert labels["main"] == labels["top"] == "blocked"
    assert verdict(proved, "top")["blocked_by"] == ["lemma"]
    assert "sorryAx" in verdict(proved, "lemma")["axioms"]  # type: ignore[operator]


def test_sorry_in_a_have_with_its_warning_silenced(proved: Site) -> None:
    proved.edit(
        "Mid",
        "  rw [Demo.lemma, Demo.two_eq]",
        "  have h : Demo.two + 0 = 2 := sorry\n  exact h",
    )
    proved.write(
        "Mid", "import Demo.Base\n\nset_option warn.sorry false\n" + proved.read("Mid").partition("\n")[2]
    )
    labels = state_after_run(proved)
    assert labels["main"] == "sorry"
    assert labels["lemma"] == "proved"


def test_an_axiom_added(proved: Site) -> None:
    proved.edit(
        "Mid",
        "theorem Demo.lemma (n : Nat) : n + 0 = n := rfl",
        "axiom Demo.magic (n : Nat) : n + 0 = n\ntheorem Demo.lemma (n : Nat) : n + 0 = n := Demo.magic n",
    )
    labels = state_after_run(proved)
    assert labels["lemma"] == "axiom"
    assert "Demo.magic" in str(verdict(proved, "lemma")["reason"])
    assert labels["main"] == labels["top"] == "blocked"


def test_a_declaration_renamed(proved: Site) -> None:
    proved.write("Mid", proved.read("Mid").replace("Demo.lemma", "Demo.lemma'"))
    labels = state_after_run(proved)
    assert labels["lemma"] == "missing"
    assert labels["main"] == "blocked"
    assert verdict(proved, "top")["blocked_by"] == ["lemma"]


def test_a_declaration_moved_to_another_module(proved: Site) -> None:
    proved.edit("Mid", "theorem Demo.lemma (n : Nat) : n + 0 = n := rfl\n", "")
    proved.write("Base", proved.read("Base") + "\ntheorem Demo.lemma (n : Nat) : n + 0 = n := rfl\n")
    assert state_after_run(proved)["lemma"] == "missing"
    assert "Base.lean" in str(verdict(proved, "lemma")["reason"])


def test_a_module_deleted(proved: Site) -> None:
    (proved.root / "lean" / "Demo" / "Mid.lean").unlink()
    labels = state_after_run(proved)
    assert labels["lemma"] == labels["main"] == "unbuilt"
    assert labels["top"] == "failed:bad-import"
    assert labels["side"] == labels["two"] == "proved"


def test_a_module_in_no_target(proved: Site) -> None:
    (proved.root / "lean" / "lakefile.toml").write_text(
        'name = "Demo"\n\n[[lean_lib]]\nname = "Demo"\nglobs = ["Demo.Base", "Demo.Mid", "Demo.Top"]\n',
        encoding="utf-8",
    )
    labels = state_after_run(proved)
    assert labels["side"] == "unbuilt"
    assert "in no build target" in str(verdict(proved, "side")["reason"])
    assert labels["top"] == "proved"


def test_a_statement_weakened(proved: Site) -> None:
    proved.edit(
        "Mid",
        "theorem Demo.lemma (n : Nat) : n + 0 = n := rfl",
        "theorem Demo.lemma (n : Nat) : n + 0 = n + 0 := rfl",
    )
    proved.edit("Mid", "rw [Demo.lemma, Demo.two_eq]", "exact rfl")
    labels = state_after_run(proved)
    assert labels["lemma"] == "drifted"
    assert labels["main"] == labels["top"] == "blocked"
    assert proved.tracker("lock").code == 1
    assert proved.tracker("lock", "lemma", "--accept", "--reason", "for the test").code == 0
    assert proved.labels() == dict.fromkeys(ALL, "proved")


def test_a_definition_changed_under_its_statement(proved: Site) -> None:
    proved.edit("Base", "def Demo.two : Nat := 2", "def Demo.two : Nat := 1 + 1")
    assert state_after_run(proved)["two"] == "drifted"


def test_evidence_is_obsolete_until_the_next_run(proved: Site) -> None:
    proved.write("Base", "-- a remark\n" + proved.read("Base"))
    assert proved.labels() == {**dict.fromkeys(ALL, "obsolete"), "side": "proved"}
    assert proved.tracker("status").code == 1
    assert proved.tracker("run").code == 0


def test_touching_a_file_changes_nothing(proved: Site) -> None:
    (proved.root / "lean" / "Demo" / "Base.lean").touch()
    plan = proved.tracker("run", "--dry-run", "--json").json
    assert plan["todo"] == []
    assert plan["probes"] == {}


def test_only_what_a_change_reaches_is_checked_again(proved: Site) -> None:
    proved.write("Mid", "-- a remark\n" + proved.read("Mid"))
    assert proved.tracker("run", "--dry-run", "--json").json["todo"] == ["Demo.Mid", "Demo.Top"]


def test_an_import_cycle(proved: Site) -> None:
    proved.write("Base", "import Demo.Top\n" + proved.read("Base"))
    labels = state_after_run(proved)
    assert labels["top"] == labels["two"] == "blocked"
    assert "cycle" in str(verdict(proved, "top")["reason"])
    assert labels["side"] == "proved"


def test_an_olean_swapped_for_another_is_checked_again(proved: Site) -> None:
    built = proved.root / "lean" / ".lake" / "build" / "lib" / "lean" / "Demo"
    (built / "Mid.olean").write_bytes((built / "Side.olean").read_bytes())
    assert proved.tracker("run", "--dry-run", "--json").json["todo"] == ["Demo.Mid"]
    assert proved.tracker("run").code == 0


def test_build_directory_deleted(proved: Site) -> None:
    import shutil

    shutil.rmtree(proved.root / "lean" / ".lake")
    assert proved.tracker("status").code == 0, "evidence does not depend on build output"
    assert proved.tracker("run", "--fresh").code == 0


def test_fresh_checks_everything_again(proved: Site) -> None:
    plan = proved.tracker("run", "--fresh", "--dry-run", "--json").json
    assert len(plan["todo"]) == 4


def test_a_claim_is_counted_in_the_source(proved: Site) -> None:
    file = proved.root / "obligations" / "demo.yaml"
    claimed = file.read_text().replace(
        "depends_on: [lemma, two-eq]", "depends_on: [lemma, two-eq], claims: {lemma: 2}"
    )
    file.write_text(claimed)
    done = proved.tracker("status", "--json")
    assert done.code == 1
    assert done.json["claims"] == {
        "counted": 1,
        "false": [{"id": "main", "claim": "Demo.lemma", "claimed": 2, "counted": 1}],
    }
    file.write_text(claimed.replace("lemma: 2", "lemma: 1"))
    assert proved.tracker("status").code == 0


def test_the_kernel_told_not_to_check(proved: Site) -> None:
    proved.edit(
        "Mid",
        "theorem Demo.lemma (n : Nat) : n + 0 = n := rfl",
        "set_option debug.skipKernelTC true\ntheorem Demo.lemma (n : Nat) : n + 0 = n := rfl",
    )
    labels = state_after_run(proved)
    assert labels["lemma"] == labels["main"] == "failed:kernel-skipped"
    assert labels["top"] == "blocked"


@pytest.mark.parametrize(
    "said",
    [
        "[leanOptions]\ndebug.skipKernelTC = true\n",
        '[leanOptions]\n"debug.skip\\u004bernelTC" = true\n',
        'moreLeanArgs = ["-D", "debug.skip\\u004bernelTC=true"]\n',
    ],
)
def test_the_kernel_told_not_to_check_by_the_lakefile(proved: Site, said: str) -> None:
    file = proved.root / "lean" / "lakefile.toml"
    file.write_text(f"{said}\n{file.read_text()}" if said[0] == "m" else f"{file.read_text()}\n{said}")
    assert set(state_after_run(proved).values()) == {"failed:kernel-skipped", "blocked"}


def test_a_file_that_a_text_names(proved: Site) -> None:
    """`include_str` puts it in; whoever reads it by another word names it too."""
    data = proved.root / "lean" / "Demo" / "data.txt"
    proved.write("Side", 'def Demo.name : String := "data.txt"\n' + proved.read("Side"))
    assert proved.tracker("run").code == 0
    data.write_text("four")
    assert proved.labels()["side"] == "obsolete"
    assert proved.tracker("run").code == 0
    data.write_text("five")
    assert [label for ident, label in proved.labels().items() if ident != "side"] == ["proved"] * 5
    assert proved.labels()["side"] == "obsolete"


def test_the_option_named_in_a_comment_is_no_harm(proved: Site) -> None:
    proved.write("Side", "-- debug.skipKernelTC is not used here\n" + proved.read("Side"))
    assert proved.tracker("run").code == 0


def test_a_library_outside_the_default_targets_is_checked_when_asked_for(proved: Site) -> None:
    file = proved.root / "lean" / "lakefile.toml"
    file.write_text(file.read_text() + '\n[[lean_lib]]\nname = "Hazards"\n')
    (proved.root / "lean" / "Hazards.lean").write_text("theorem Hazards.no : 1 = 2 := rfl\n")
    assert proved.tracker("run").code == 0
    assert "Hazards" not in proved.tracker("run", "--dry-run").out
    done = proved.tracker("run", "Hazards")
    assert "type-error" in done.err
