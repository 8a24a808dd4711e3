"""The gate from the command line, over evidence of real Lean: from the first baseline to an accepted loss."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pexpect
import psutil
import pytest

from tests.conftest import Done, Site
from tests.gate import facts as f
from tracker.cli.gate import _today
from tracker.gate.explain import explanations

LEMMA = "theorem Demo.lemma (n : Nat) : n + 0 = n := rfl"
BASELINE = "reports/baseline.jsonl"


def text(site: Site) -> str:
    return (site.root / BASELINE).read_text()


def failed(done: Done) -> set[str]:
    return {rule["code"] for rule in done.json["rules"] if rule["outcome"] == "fail"}


@pytest.fixture(scope="module")
def broken_once(proved_once: Site, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A project in whose baseline all is proved, and whose lemma has failed since."""
    root = tmp_path_factory.mktemp("broken")
    shutil.copytree(proved_once.root, root, dirs_exist_ok=True)
    site = Site(root)
    assert site.tracker("gate", "--update-baseline", "--yes").code == 0
    site.edit("Mid", LEMMA, LEMMA.replace("rfl", "Nat.zero"))
    assert site.tracker("run").code == 1
    return site


@pytest.fixture
def broken(broken_once: Site, tmp_path: Path) -> Site:
    shutil.copytree(broken_once.root, tmp_path, dirs_exist_ok=True)
    return Site(tmp_path)


def test_the_first_baseline(proved: Site) -> None:
    done = proved.tracker("gate", "--json")
    assert done.code == 1
    assert failed(done) == {"GATE-BASELINE"}
    asked = proved.tracker("gate", "--update-baseline")
    assert asked.code == 2
    assert "--yes" in asked.err
    assert not (proved.root / BASELINE).exists()
    written = proved.tracker("gate", "--update-baseline", "--yes")
    assert written.code == 0
    assert "6 obligations, 4 modules; commit it" in written.out
    assert proved.tracker("gate").code == 0
    before = text(proved)
    again = proved.tracker("gate", "--update-baseline", "--yes")
    assert again.code == 0
    assert "it says already what is" in again.out
    assert text(proved) == before


def test_it_asks_on_a_terminal(proved: Site) -> None:
    for answer, written in (("n", False), ("y", True)):
        child = pexpect.spawn(
            sys.executable, ["-m", "tracker", "gate", "--update-baseline"], cwd=str(proved.root), timeout=60
        )
        child.expect(r"Write .*\?")
        child.sendline(answer)
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == (0 if written else 1)
        assert (proved.root / BASELINE).exists() is written


def test_a_loss_closes_the_gate_and_names_its_cause_first(broken: Site) -> None:
    done = broken.tracker("gate")
    assert done.code == 1
    assert "✘ GATE-LOST" in done.out
    lost = done.out.partition("GATE-LOST failed")[2]
    assert lost.index("lemma: was proved, is failed:type-error") < lost.index("main: was proved, is blocked")
    assert "Demo/Mid.lean:3" in lost
    assert "Cure: Mend the proof" in lost
    assert "✔ GATE-SORRY" in done.out, "what passes is shown too"
    assert "Traceback" not in done.err


def test_a_loss_is_written_only_with_a_reason(broken: Site) -> None:
    before = text(broken)
    refused = broken.tracker("gate", "--update-baseline", "--yes")
    assert refused.code == 1
    assert "--accept-losses REASON" in refused.err
    assert "lemma: lost: proved → failed:type-error" in refused.out
    assert text(broken) == before
    accepted = broken.tracker("gate", "--update-baseline", "--yes", "--accept-losses", "waits for v4.36")
    assert accepted.code == 0, accepted.err
    lines = [json.loads(line) for line in text(broken).splitlines()]
    assert next(line for line in lines if line.get("obligation") == "lemma")["note"] == "waits for v4.36"
    assert "note" not in next(line for line in lines if line.get("obligation") == "two")
    assert broken.tracker("gate").code == 0, "what is known does not fail again"
    broken.edit("Mid", "Nat.zero", "rfl")
    assert broken.tracker("run").code == 0
    gained = broken.tracker("gate", "--json")
    assert failed(gained) == {"GATE-RATCHET"}
    assert broken.tracker("gate", "--update-baseline", "--yes").code == 0
    assert broken.tracker("gate").code == 0
    assert '"note"' not in text(broken), "a reason ends with its loss"


def test_nothing_is_written_without_evidence(proved: Site) -> None:
    proved.write("Side", proved.read("Side") + "-- a remark\n")
    done = proved.tracker("gate", "--update-baseline", "--yes", "--accept-losses", "no matter")
    assert done.code == 1
    assert "`tracker run` first" in done.err
    assert not (proved.root / BASELINE).exists()


def test_a_waived_loss_opens_the_gate(broken: Site) -> None:
    config = broken.root / "tracker.toml"
    waivers = "".join(
        f'[[gate.waiver]]\ncode = "{code}"\nsubject = "*"\nreason = "upstream"\nowner = "ada"\n'
        "expires = 2099-01-01\n"
        for code in ("GATE-LOST", "GATE-COVERAGE")
    )
    config.write_text(config.read_text() + waivers)
    done = broken.tracker("gate")
    assert done.code == 0, done.out
    assert "▲ GATE-LOST" in done.out
    assert "waived until 2099-01-01: upstream, ada" in done.out


@pytest.mark.parametrize("form", ["junit", "sarif", "github", "markdown", "json"])
def test_exports_to_a_file_and_to_the_terminal(broken: Site, form: str) -> None:
    printed = broken.tracker("gate", "--format", form)
    assert printed.code == 1
    assert "GATE-LOST" in printed.out
    written = broken.tracker("gate", "--format", form, "-o", "out")
    assert (written.code, written.out) == (1, "")
    assert (broken.root / "out").read_text() == printed.out
    if form in ("sarif", "github"):
        assert "lean/Demo/Mid.lean" in printed.out


@pytest.mark.parametrize(
    "arguments",
    [
        ("--yes",),
        ("--accept-losses", "x"),
        ("--adopt-costs",),
        ("--update-baseline", "--json"),
        ("--update-baseline", "--against", "main"),
        ("--against", ""),
        ("--against", " "),
        ("-o", "x"),
        ("--format", "pdf"),
        ("--witness",),
        ("--format", "json", "-o", "no/such/place"),
    ],
)
def test_usage_errors(proved: Site, arguments: tuple[str, ...]) -> None:
    done = proved.tracker("gate", *arguments)
    assert done.code == 2
    assert "rror" in done.err
    assert "Traceback" not in done.err


def test_no_lean_is_exit_code_3(proved: Site) -> None:
    (proved.root / "tracker.toml").write_text('[tracker]\nproject = "lean"\ntoolchain = "lake"\n')
    done = proved.tracker("gate", environment={"PATH": "/nonexistent"})
    assert done.code == 3
    assert "LEAN-MISSING" in done.err


def test_codes_are_explained_and_listed(site: Site) -> None:
    done = site.tracker("explain", "gate-time")
    assert done.code == 0
    assert done.out.startswith("GATE-TIME: no module is slower\n")
    assert "Cure: " in done.out
    listed = site.tracker("explain").out
    assert all(f"  {code} " in listed for code in explanations())


def test_the_clock_set_back_does_not_set_today_back() -> None:
    looked = f.facts()
    assert looked.present.run is not None
    assert _today(looked.present) == datetime.now(UTC).date()
    future = replace(looked.present.run, started_at=4_102_444_800.0)
    assert _today(replace(looked.present, run=future)).isoformat() == "2100-01-01"


def test_diff_of_two_runs(broken: Site) -> None:
    done = broken.tracker("diff")
    assert done.code == 0
    assert "lemma: lost: proved → failed:type-error" in done.out
    data = broken.tracker("diff", "1", "2", "--json").json
    found = {(d["subject"], d["change"]) for d in data["differences"]}
    assert {("lemma", "lost"), ("main", "lost"), ("Demo.Mid", "lost")} <= found
    assert not {subject for subject, _ in found} & {"two", "side"}
    assert (data["before"]["number"], data["after"]["number"]) == (1, 2)
    back = broken.tracker("diff", "2", "1", "--json").json
    assert ("lemma", "gained") in {(d["subject"], d["change"]) for d in back["differences"]}
    assert broken.tracker("diff", "1", "1").out.endswith("0 differences\n")
    for numbers, said in (
        (("0", "2"), "two runs are needed, and 0 and 2 are both run 2"),
        (("--", "-7", "2"), "there is no run -7"),
        (("1", "9"), "there is no run 9"),
    ):
        refused = broken.tracker("diff", *numbers)
        assert refused.code == 2
        assert f"error[NO-SUCH-RUN]: {said}\n" in refused.err


def test_diff_shows_how_a_statement_changed(proved: Site) -> None:
    proved.edit("Mid", LEMMA, "theorem Demo.lemma (n : Nat) : n + 0 = n + 0 := rfl")
    proved.edit("Mid", "rw [Demo.lemma, Demo.two_eq]", "exact rfl")
    assert proved.tracker("run").code == 1
    done = proved.tracker("diff")
    assert "    -Demo.lemma (n : Nat) : n + 0 = n\n" in done.out
    assert "    +Demo.lemma (n : Nat) : n + 0 = n + 0\n" in done.out


def test_history_of_an_obligation(broken: Site) -> None:
    done = broken.tracker("history", "lemma")
    assert done.code == 0
    data = broken.tracker("history", "Demo.lemma", "--json").json
    assert data["id"] == "lemma"
    assert [(run["run"], run["label"]) for run in data["runs"]] == [(1, "proved"), (2, "failed:type-error")]
    assert all(run["label_changed"] for run in data["runs"])
    assert data["runs"][0]["cpu_s"] > 0
    assert "→ failed:type-error" in done.out
    still = broken.tracker("history", "side", "--json").json
    assert [run["run"] for run in still["runs"]] == [1], "the second run said nothing of it"


def test_history_knows_older_names(proved: Site) -> None:
    file = proved.root / "obligations" / "demo.yaml"
    file.write_text(
        file.read_text().replace(
            "{id: lemma, kind: leaf-tie, decl: Demo.lemma,",
            "{id: lemma, kind: leaf-tie, decl: Demo.add_zero, aliases: [Demo.lemma],",
        )
    )
    data = proved.tracker("history", "Demo.lemma", "--json").json
    assert data["decl"] == "Demo.add_zero"
    assert data["aliases"] == {"Demo.lemma": 1}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("diff", "1", "9"), "two runs are needed, and there is only run 1"),
        (("diff",), "two runs are needed, and there is only run 1"),
        (("diff", "0", "1"), "two runs are needed, and there is only run 1"),
        (("diff", "9", "9"), "there is no run 9"),
        (("history", "lemna"), "did you mean `lemma`?"),
    ],
)
def test_what_is_not_there(proved: Site, arguments: tuple[str, ...], said: str) -> None:
    done = proved.tracker(*arguments)
    assert done.code == 2
    assert said in done.err


def test_without_any_run(site: Site) -> None:
    for verb in (("diff",), ("history", "lemma")):
        done = site.tracker(*verb)
        assert done.code == 2
        assert "tracker run" in done.err
    assert failed(site.tracker("gate", "--json")) >= {"GATE-EMPTY", "GATE-MISSING", "GATE-BASELINE"}


def test_doctor_says_how_to_add_a_second_witness(proved: Site) -> None:
    def witness() -> dict[str, object]:
        checks = proved.tracker("doctor", "--json").json["checks"]
        found = next(check for check in checks if check["name"] == "witness")
        assert isinstance(found, dict)
        return found

    assert witness() == {"name": "witness", "state": "ok", "configured": [], "found": []}
    toolchain = next(c for c in proved.tracker("doctor", "--json").json["checks"] if c["name"] == "toolchain")
    tools = proved.root / "bin"
    tools.mkdir()
    for name in ("lean", "lake"):
        (tools / name).write_text(f'#!/bin/sh\nexec {toolchain[name]} "$@"\n')
        (tools / name).chmod(0o755)
    config = proved.root / "tracker.toml"
    config.write_text(
        '[tracker]\nproject = "lean"\ntoolchain = "mine"\n[toolchains.mine]\n'
        'lake = "bin/lake"\nlean = "bin/lean"\n'
    )
    assert witness()["found"] == ["lake check"]
    (tools / "leanchecker").touch()
    assert witness()["found"] == ["lake check", str(tools / "leanchecker")]
    assert 'write witness = ["lake", "check"] under [gate]' in proved.tracker("doctor").out
    config.write_text(config.read_text() + '[gate]\nwitness = ["lake", "check"]\n')
    assert witness()["configured"] == ["lake", "check"]


def test_ctrl_c_while_the_witness_looks_leaves_nothing(proved: Site) -> None:
    mark = f"asleep-in-{proved.root.name}"
    config = proved.root / "tracker.toml"
    program = f"import time; time.sleep(300)  # {mark}"
    config.write_text(config.read_text() + f"[gate]\nwitness = ['{sys.executable}', '-c', '{program}']\n")

    def witnesses() -> list[psutil.Process]:
        return [p for p in psutil.process_iter(["cmdline"]) if program in (p.info["cmdline"] or [])]

    command = [sys.executable, "-m", "tracker", "gate", "--witness"]
    with subprocess.Popen(command, cwd=proved.root, stderr=subprocess.PIPE, text=True) as child:
        deadline = time.monotonic() + 60
        while not witnesses():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        said = child.communicate(timeout=60)[1]
    assert child.returncode == 130
    assert "interrupted" in said
    assert "Traceback" not in said
    assert witnesses() == []
    assert not (proved.root / ".tracker" / "witness.json").exists()


def test_the_report_shows_what_changed_since_the_baseline(broken: Site) -> None:
    since = broken.tracker("report", "--format", "json").json["since_baseline"]
    assert since["with"].startswith("the baseline")
    changes = {name: (c["before"], c["after"]) for c in since["changes"] for name in c["obligations"]}
    assert changes["lemma"] == ("proved", "failed:type-error")
    assert set(changes) == {"lemma", "main", "top"}
