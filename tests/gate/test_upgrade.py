"""`tracker upgrade` with real Lean: one commit under two sets of options."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.test_golden import normalised
from tests.conftest import Site
from tests.gate.trysite import commit, git, make_try_site, trees
from tracker.errors import UsageError
from tracker.gate.worktree import find_repository

GOLDEN = Path(__file__).parent / "golden"
BY_MEMORY = ("--ratio", "1.02", "--floor-time", "1h", "--floor-memory", "4MiB")
"""By its trace `loud` takes 12 to 20 MiB more at any load, others 2 MiB; times depend on the load."""


@pytest.fixture(scope="module")
def tried_once(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A project that the user has checked, and whose upgrades were tried before."""
    site = make_try_site(tmp_path_factory.mktemp("upgrade"))
    assert site.tracker("run").code == 0
    for name in ("tight", "loud"):
        done = site.tracker("upgrade", "--to", name, "--json")
        assert done.code in (0, 1), done.err
    return site


@pytest.fixture
def tried(tried_once: Site, tmp_path: Path) -> Site:
    """A copy of one's own of it: evidence and git do not mind a move."""
    shutil.copytree(tried_once.root, tmp_path / "site", symlinks=True)
    return Site(tmp_path / "site")


def ran(stderr: str) -> int:
    """Return how many modules Lean was run on."""
    return sum("✔" in line or "✘" in line for line in stderr.splitlines())


def test_the_users_evidence_is_used_and_what_was_finished_is_kept(tmp_path: Path) -> None:
    site = make_try_site(tmp_path / "site")
    assert site.tracker("run").code == 0
    before = git(site, "status", "--porcelain", "--ignored")
    first = site.tracker("upgrade", "--to", "tight", "--jobs", "2")
    assert first.code == 1
    assert ran(first.err) == 2, "Base fails, Side passes; nothing runs for the toolchain in use"
    again = site.tracker("upgrade", "--to", "tight")
    assert (again.code, ran(again.err)) == (1, 0)
    assert again.out == first.out
    assert git(site, "status", "--porcelain", "--ignored") == before
    assert trees(site) == []


def test_a_loss_comes_down_to_its_cause(tried: Site) -> None:
    done = tried.tracker("upgrade", "--to", "tight", "--json")
    found = done.json
    assert done.code == 1
    assert (found["schema_version"], found["verdict"], found["ruling"]) == (1, "loses 5", "loses")
    assert found["commit"] == git(tried, "rev-parse", "HEAD")
    [cause] = found["causes"]
    assert (cause["root"], cause["label"]) == ("deep", "failed:max-rec-depth")
    assert cause["lost"] == ["deep", "lemma", "main", "top", "two-eq"]
    assert cause["headlines"] == ["main", "top"]
    assert found["headlines"] == [
        {"id": "main", "before": "proved", "after": "blocked"},
        {"id": "top", "before": "proved", "after": "blocked"},
    ]
    fates = {ob["id"]: ob["fate"] for ob in found["obligations"]}
    assert fates == dict.fromkeys(("deep", "lemma", "main", "top", "two-eq"), "lost") | {
        "side": "proved in both"
    }
    assert found["after"]["lean_args"] == ["-DmaxRecDepth=150"]
    assert (found["before"]["proved"], found["after"]["proved"]) == (6, 1)


def test_what_costs_more_is_ranked(tried: Site) -> None:
    args = ("upgrade", "--to", "loud", *BY_MEMORY)
    done = tried.tracker(*args, "--json")
    found = done.json
    assert (done.code, found["verdict"]) == (1, "costs more")
    [worst] = found["growth"]
    assert worst["module"] == "Demo.Base", "the trace of the deep computation is what costs"
    assert worst["unit"] == "bytes"
    assert worst["after"] > worst["before"]
    assert {"two-eq", "deep"} == set(worst["obligations"])
    assert tried.tracker(*args, "--fail-on", "loss").code == 0


def test_the_other_way_round_it_is_gained(tried: Site) -> None:
    done = tried.tracker("upgrade", "--from", "tight", "--to", "embedded", "--json")
    assert (done.code, done.json["verdict"]) == (0, "safe")
    assert done.json["counts"]["gained"] == 5


def test_what_seems_to_cost_more_is_measured_as_often_as_asked(tried: Site) -> None:
    with (tried.root / "tracker.toml").open("a", encoding="utf-8") as file:
        file.write("\n[gate]\ndeviations = 0\n")  # two measurements may lie far apart, and all be noise
    done = tried.tracker("upgrade", "--to", "loud", *BY_MEMORY, "--repeat", "2", "--json")
    assert done.json["ruling"] == "costs more"
    measured = [line for line in done.err.splitlines() if "Demo.Base" in line]
    assert len(measured) == 2, "once more on each side"


def test_markdown_into_a_file(tried: Site) -> None:
    done = tried.tracker("upgrade", "--to", "tight", "--format", "markdown", "-o", "up/date.md")
    assert (done.code, done.out) == (1, "")
    text = (tried.root / "up" / "date.md").read_text(encoding="utf-8")
    assert text.startswith("# ✘ `embedded` → `tight`: loses 5\n")
    assert "### ✘ `deep`: failed:max-rec-depth" in text
    assert "Takes along 4: `lemma`, `main`, `top`, `two-eq`." in text
    assert "| `main` | proved | blocked |" in text


def test_only_the_commit_is_tried_unless_asked_otherwise(tried: Site) -> None:
    tried.edit("Side", "1 = 1", "1 = 2")
    tried.write("Extra", "theorem Demo.extra : 2 = 2 := rfl\n")
    done = tried.tracker("upgrade", "--from", "wide", "--to", "embedded")
    assert (done.code, "✔ safe" in done.out) == (0, True)
    assert "without 2 uncommitted files; --dirty tries them too" in done.out
    dirty = tried.tracker("upgrade", "--from", "wide", "--to", "embedded", "--dirty", "--json")
    side = next(ob for ob in dirty.json["obligations"] if ob["id"] == "side")
    assert (side["before"], side["fate"]) == ("failed:type-error", "not proved in both")
    assert dirty.json["dirty"] is True
    assert dirty.json["uncommitted"] == ["lean/Demo/Extra.lean", "lean/Demo/Side.lean"]
    assert "1 = 2" in tried.read("Side")


def test_what_was_not_tried_for_a_month_is_removed(tried: Site) -> None:
    kept = tried.root / ".tracker" / "upgrade"
    [loud] = kept.glob("loud-*")
    month_ago = time.time() - 31 * 86_400
    os.utime(loud, (month_ago, month_ago))
    done = tried.tracker("upgrade", "--to", "tight")
    assert f"removed what was kept of {loud.name}" in done.err
    assert sorted(path.name.partition("-")[0] for path in kept.iterdir()) == ["embedded", "tight"]


def test_the_wording(tried: Site) -> None:
    for form, end in (("text", "txt"), ("markdown", "md")):
        said = normalised(tried.tracker("upgrade", "--to", "tight", "--format", form).out)
        said = re.sub(r"\b[0-9a-f]{10}(?=( |&#32;)Prove it)", "COMMIT", said)
        file = GOLDEN / f"upgrade-tight.{end}"
        if os.environ.get("UPDATE_GOLDEN"):
            file.parent.mkdir(exist_ok=True)
            file.write_text(said, encoding="utf-8")
        assert said == file.read_text(encoding="utf-8")


def test_targets_leave_the_rest_out_of_the_comparison(tried: Site) -> None:
    shutil.rmtree(tried.root / ".tracker" / "upgrade")
    done = tried.tracker("upgrade", "--to", "wide", "main", "--json")
    assert (done.code, done.json["verdict"]) == (0, "safe"), "what was not asked about is not lost"
    assert [ob["id"] for ob in done.json["obligations"]] == ["deep", "lemma", "main", "two-eq"]
    assert ran(done.err) == 2, "Base and Mid"


def test_another_commit(tried: Site) -> None:
    first = git(tried, "rev-parse", "HEAD")
    tried.edit("Side", "1 = 1", "1 = 2")
    commit(tried, "Break it")
    done = tried.tracker("upgrade", "--ref", first, "--to", "wide", "--json")
    assert (done.code, done.json["commit"]) == (0, first)


def test_a_module_without_obligations_is_a_loss_too(tried: Site) -> None:
    text = (tried.root / "obligations" / "demo.yaml").read_text(encoding="utf-8")
    kept = [line for line in text.splitlines() if "id: side" in line or line == "obligations:"]
    (tried.root / "obligations" / "demo.yaml").write_text("\n".join(kept) + "\n", encoding="utf-8")
    commit(tried, "Only one is named")
    done = tried.tracker("upgrade", "--to", "tight", "--json")
    assert (done.code, done.json["verdict"]) == (1, "loses 3 modules")


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("--to", "embedded"), 2, "SAME-TOOLCHAIN"),
        (("--to", "tigth"), 2, "NO-SUCH-TOOLCHAIN"),
        (("--to", "v4.99.0"), 3, "elan toolchain install leanprover/lean4:v4.99.0"),
        (("--to", "tight", "--ref", "--exec=x"), 2, "NO-SUCH-COMMIT"),
        (("--to", "tight", "--ref", "HEAD~9"), 2, "NO-SUCH-COMMIT"),
        (("--to", "tight", "--wall", "soon"), 2, "--wall"),
        ((), 2, "--to"),
    ],
)
def test_what_is_asked_wrongly(
    tried_once: Site, tmp_path: Path, args: tuple[str, ...], code: int, said: str
) -> None:
    done = tried_once.tracker("upgrade", *args, environment={"ELAN_HOME": str(tmp_path)})
    assert (done.code, done.out) == (code, "")
    assert said in done.err


def test_outside_of_git_there_is_nothing_to_try(tried: Site) -> None:
    shutil.rmtree(tried.root / ".git")
    done = tried.tracker("upgrade", "--to", "tight", environment={"GIT_CEILING_DIRECTORIES": str(tried.root)})
    assert done.code == 2
    assert "NO-REPOSITORY" in done.err


def test_what_git_says_of_a_repository_that_it_does_not_trust(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(UsageError, match=r"(?s)NO-REPOSITORY.*safe\.directory") as caught:
        find_repository(tmp_path)
    assert "no git repository" not in str(caught.value)


def test_within_a_git_hook_the_users_index_is_left_alone(tried: Site) -> None:
    before = git(tried, "status", "--porcelain")
    environment = {"GIT_DIR": str(tried.root / ".git"), "GIT_INDEX_FILE": str(tried.root / ".git" / "index")}
    assert tried.tracker("upgrade", "--to", "tight", environment=environment).code == 1
    assert git(tried, "status", "--porcelain") == before
    assert trees(tried) == []


def start(site: Site, *args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tracker", "upgrade", *args],
        cwd=site.root, env={**os.environ, "PYTHONUNBUFFERED": "1"}, text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def wait_for(process: subprocess.Popen[str], text: str) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if text in line:
            return
    raise AssertionError(f"it ended without saying {text!r}")


def test_ctrl_c_leaves_nothing_but_what_was_finished(tmp_path: Path) -> None:
    site = make_try_site(tmp_path / "site")
    process = start(site, "--to", "wide")
    wait_for(process, "Demo.Base")
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert process.stderr is not None
    process.stderr.close()
    assert trees(site) == []

    # Killed without a chance to tidy up: the next start does it, and goes on from what was finished.
    process = start(site, "--to", "wide")
    wait_for(process, "Demo.")
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(60)
    process.stderr.close() if process.stderr else None
    assert trees(site) != []
    busy = time.monotonic() + 30
    while (done := site.tracker("upgrade", "--to", "wide", "--json")).code == 2:  # a `lean` still ends
        assert time.monotonic() < busy, done.err
    assert (done.code, json.loads(done.out)["verdict"]) == (0, "safe")
    assert ran(done.err) <= 6, "of eight checks two were finished before"
    assert trees(site) == []


def test_two_at_once_are_refused(tried: Site) -> None:
    process = start(tried, "--to", "wide")
    wait_for(process, "before:")
    second = tried.tracker("upgrade", "--to", "loud")
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert (second.code, "TREES-LOCKED" in second.err) == (2, True)
