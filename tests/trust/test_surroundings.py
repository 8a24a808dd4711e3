"""Attacks on what surrounds the proofs: baseline, catalogue, lakefile, settings, store, clock, witness.

None of them needs Lean: the gate judges the evidence that is there.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from tests.conftest import Site
from tests.trust.conftest import findings_of, must
from tracker.gate.baseline import baseline_text, read_baseline
from tracker.gate.snapshot import Costs, Figure


def replaced(name: str, old: str, new: str) -> Callable[[Site], None]:
    """Return an attack that replaces a text once in a file below the site's root."""

    def attack(site: Site) -> None:
        file = site.root / name
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new, 1))

    return attack


def appended(name: str, more: str) -> Callable[[Site], None]:
    def attack(site: Site) -> None:
        file = site.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text((file.read_text() if file.exists() else "") + more)

    return attack


def removed(name: str) -> Callable[[Site], None]:
    def attack(site: Site) -> None:
        target = site.root / name
        shutil.rmtree(target) if target.is_dir() else target.unlink()

    return attack


def without_line(name: str, part: str) -> Callable[[Site], None]:
    def attack(site: Site) -> None:
        file = site.root / name
        kept = [line for line in file.read_text().splitlines() if part not in line]
        assert len(kept) < len(file.read_text().splitlines())
        file.write_text("\n".join(kept) + "\n")

    return attack


def sql(statement: str) -> Callable[[Site], None]:
    def attack(site: Site) -> None:
        with sqlite3.connect(site.root / ".tracker" / "history.db") as db:
            assert db.execute(statement).rowcount
        db.close()

    return attack


def all_of(*attacks: Callable[[Site], None]) -> Callable[[Site], None]:
    def attack(site: Site) -> None:
        for part in attacks:
            part(site)

    return attack


def loosened(argument: str) -> Callable[[Site], None]:
    entry = f'[toolchains.loose]\nembedded = true\nlean_args = ["{argument}"]\n'
    return all_of(replaced("tracker.toml", '"embedded"', '"loose"'), appended("tracker.toml", entry))


def cheaper(change: Callable[[Costs], Costs]) -> Callable[[Site], None]:
    """Return an attack after which the baseline remembers other costs: what is now is beyond them."""

    def attack(site: Site) -> None:
        baseline = read_baseline(site.root / BASELINE)
        assert baseline is not None
        modules = dict(baseline.snapshot.modules)
        costs = modules["Demo.Side"].costs
        assert costs is not None
        modules["Demo.Side"] = replace(modules["Demo.Side"], costs=change(costs))
        text = baseline_text(replace(baseline.snapshot, modules=modules))
        (site.root / BASELINE).write_text(text)

    return attack


BASELINE, LAKEFILE, DEMO = "reports/baseline.jsonl", "lean/lakefile.toml", "obligations/demo.yaml"
WAIVER = (
    '\n[[gate.waiver]]\ncode = "GATE-UNSEEN"\nsubject = "*"\nreason = "later"\nowner = "ada"\n'
    "expires = 2040-01-01\n"
)
STRICT = '\n[gate]\ntime_floor = "10ms"\nmemory_floor = "1MiB"\nunlike_machines = "fail"\n'
WITNESS = f'\n[gate]\nwitness = ["{sys.executable}", "-c", "pass"]\n'


@dataclass(frozen=True)
class Case:
    """An attack, the rule that must object, and to what."""

    name: str
    code: str
    subject: str
    do: Callable[[Site], None]


CASES = (
    Case("a baseline edited", "GATE-BASELINE", "line 2", replaced(BASELINE, '"proved"', '"blocked"')),
    Case("a line of the baseline removed", "GATE-RATCHET", "lemma",
         without_line(BASELINE, '"obligation": "lemma"')),
    Case("a line of the baseline doubled", "GATE-BASELINE", "line 12",
         lambda site: appended(BASELINE, (site.root / BASELINE).read_text().splitlines()[1] + "\n")(site)),
    Case("the baseline deleted", "GATE-BASELINE", "baseline", removed(BASELINE)),
    Case("a conflict of a merge left over", "GATE-BASELINE", "line 12", appended(BASELINE, "<<<<<<< HEAD\n")),
    Case("an obligation dropped", "GATE-LOST", "side", without_line(DEMO, "id: side")),
    Case("unproved obligations added", "GATE-COVERAGE", "all",
         appended(DEMO, "  - {id: new, kind: foundation, decl: Demo.new, module: Demo.Side}\n")),
    Case("an obligation made to name another declaration", "GATE-DRIFT", "side",
         replaced(DEMO, "decl: Demo.side", "decl: Demo.side'")),
    Case("a claim that is false", "GATE-CLAIMS", "main",
         replaced(DEMO, "depends_on: [lemma, two-eq]", "depends_on: [lemma, two-eq], claims: {lemma: 2}")),
    Case("a source edited after the run", "GATE-MISSING", "Demo.Side",
         appended("lean/Demo/Side.lean", "\n-- x\n")),
    Case("the evidence deleted", "GATE-EMPTY", "modules", removed(".tracker")),
    Case("a module taken out of every target", "GATE-UNSEEN", "side",
         replaced(LAKEFILE, '["Demo.+"]', '["Demo.Base", "Demo.Mid", "Demo.Top"]')),
    Case("a module taken out of the default targets", "GATE-UNSEEN", "Extra.A",
         all_of(appended(LAKEFILE, '\n[[lean_lib]]\nname = "Extra"\nglobs = ["Extra.+"]\n'),
                appended("lean/Extra/A.lean", "theorem Extra.a : 1 = 1 := rfl\n"))),
    Case("a file in no target", "GATE-UNSEEN", "Lost.lean",
         appended("lean/Lost.lean", "axiom Lost.a : 1 = 2\n")),
    Case("a limit raised for the whole lakefile", "GATE-LIMITS", "Demo.Base",
         appended(LAKEFILE, "\n[leanOptions]\nmaxRecDepth = 100000\n")),
    Case("a limit raised by the toolchain's options", "GATE-LIMITS", "Demo.Base",
         loosened("-DmaxHeartbeats=0")),
    Case("evidence of another toolchain", "GATE-MISSING", "side",
         loosened("-DmaxRecDepth=600")),
    Case("a budget that is nearly used up", "GATE-HEADROOM", "Demo.Side",
         replaced(DEMO, "module: Demo.Side", "module: Demo.Side, budget: {memory: 150MiB}")),
    Case("a waiver for what cannot be waived", "GATE-WAIVER", "GATE-BASELINE *",
         appended("tracker.toml", WAIVER.replace("UNSEEN", "BASELINE"))),
    Case("a waiver for nothing", "GATE-WAIVER", "GATE-UNSEEN *", appended("tracker.toml", WAIVER)),
    Case("a waiver revived by setting the clock back", "GATE-WAIVER", "GATE-UNSEEN *",
         all_of(appended("tracker.toml", WAIVER), appended("lean/Lost.lean", "axiom Lost.a : 1 = 2\n"),
                sql("UPDATE run SET started_at = 2240611200"))),  # a run of 2041
    Case("a module that became slower", "GATE-TIME", "Demo.Side",
         all_of(appended("tracker.toml", STRICT), cheaper(lambda c: replace(c, cpu_s=Figure(0.001))))),
    Case("a module that became heavier", "GATE-MEMORY", "Demo.Side",
         all_of(appended("tracker.toml", STRICT), cheaper(lambda c: replace(c, peak_rss_bytes=Figure(1e6))))),
    Case("figures of another machine", "GATE-MACHINE", "Demo.Side",
         all_of(appended("tracker.toml", STRICT), cheaper(lambda c: replace(c, machine="Cray-1")))),
    Case("a second witness that was not asked", "GATE-WITNESS", f"{sys.executable} -c pass",
         appended("tracker.toml", WITNESS)),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_attack_on_the_surroundings(gated: Site, case: Case) -> None:
    case.do(gated)
    done = must(gated.tracker("gate", "--json"), 1)
    assert case.subject in findings_of(done)[case.code]


def test_without_an_attack_the_gate_is_open(gated: Site) -> None:
    assert gated.tracker("gate").code == 0


def git(site: Site, *args: str) -> None:
    named = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", *named, *args], cwd=site.root, check=True, capture_output=True)


def test_a_baseline_weakened_with_seals_that_fit(gated: Site) -> None:
    """Whoever drops an obligation and its line passes on disk; the baseline of the branch's root tells."""
    git(gated, "init", "-q", "-b", "main")
    git(gated, "add", "reports")
    git(gated, "commit", "-qm", "first")
    without_line(DEMO, "id: side")(gated)
    without_line(BASELINE, '"obligation": "side"')(gated)
    assert gated.tracker("gate").code == 0
    done = must(gated.tracker("gate", "--against", "main", "--json"), 1)
    assert findings_of(done)["GATE-LOST"] == ["side"]
    assert gated.tracker("gate", "--against", "nowhere").code == 2


def test_a_baseline_weakened_for_a_later_time(gated: Site) -> None:
    """Nothing is lost yet; but once it has landed, others compare with it."""
    git(gated, "init", "-q", "-b", "main")
    git(gated, "add", "reports")
    git(gated, "commit", "-qm", "first")
    assert gated.tracker("gate", "--against", "main").code == 0
    without_line(BASELINE, '"obligation": "side"')(gated)
    done = must(gated.tracker("gate", "--against", "main", "--json"), 1)
    assert findings_of(done) == {"GATE-RATCHET": ["side"]}
    removed(BASELINE)(gated)
    done = must(gated.tracker("gate", "--against", "main", "--json"), 1)
    assert findings_of(done) == {"GATE-BASELINE": ["baseline"]}


def test_a_witness_answer_that_is_edited_old_or_bad(gated: Site) -> None:
    appended("tracker.toml", WITNESS)(gated)
    must(gated.tracker("gate", "--witness"), 0)
    must(gated.tracker("gate"), 0)
    file = gated.root / ".tracker" / "witness.json"
    kept = file.read_text()
    file.write_text(json.dumps(json.loads(kept) | {"exit_code": 1}))
    assert "STORE-EDITED" in must(gated.tracker("gate"), 2).err
    file.write_text(kept)
    appended("lean/Demo/Side.lean", "\n-- x\n")(gated)
    assert "GATE-WITNESS" in findings_of(gated.tracker("gate", "--json"))
    replaced("tracker.toml", '"pass"', '"print(42); raise SystemExit(3)"')(gated)
    done = must(gated.tracker("gate", "--witness", "--json"), 1)
    rule = next(rule for rule in done.json["rules"] if rule["code"] == "GATE-WITNESS")
    assert rule["findings"][0]["message"] == "it ended with exit code 3: 42"


def test_a_witness_that_does_not_exist(gated: Site) -> None:
    appended("tracker.toml", '\n[gate]\nwitness = ["/nonexistent/checker"]\n')(gated)
    assert "could not be started" in must(gated.tracker("gate", "--witness"), 3).err


@pytest.mark.parametrize(
    ("code", "more"),
    [
        ("duplicate-decl", "  - {id: again, kind: foundation, decl: Demo.side, module: Demo.Side}\n"),
        ("duplicate-id", "  - {id: side, kind: foundation, decl: Demo.other, module: Demo.Side}\n"),
        ("family-empty", "families:\n  - {id: none, pattern: '*_vjp_tie'}\n"),
        (
            "sorry-allowed",
            "  - {id: a, kind: tie, decl: A.a, module: A, allowed_axioms: [sorryAx]}\n",
        ),
        (
            "cycle",
            (
                "  - {id: a, kind: tie, decl: A.a, module: A, depends_on: [b]}\n"
                "  - {id: b, kind: tie, decl: A.b, module: A, depends_on: [a]}\n"
            ),
        ),
    ],
)
def test_a_catalogue_that_hides_something_is_refused(gated: Site, code: str, more: str) -> None:
    appended(DEMO, more)(gated)
    for verb in ("status", "gate"):
        done = must(gated.tracker(verb), 2)
        assert f"[{code}]" in done.err
