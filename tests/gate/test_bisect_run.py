"""`tracker bisect` with real Lean: over the commits of a small repository, and over named toolchains."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Done, Site
from tests.gate.trysite import commit, git, make_try_site, trees
from tracker.cli.bisect import bisect as command
from tracker.errors import TrackerError, UsageError
from tracker.gate.bisect_range import toolchain_range

SIDE = "theorem Demo.side : 1 = 1 := rfl\n"
WRONG = "theorem Demo.side : 1 = 1 := Nat.zero\n"


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Seven commits: the catalogue of the third is broken, the fifth breaks `side`, the last otherwise."""
    site = make_try_site(tmp_path_factory.mktemp("bisect"))
    catalogue = site.root / "obligations" / "demo.yaml"
    whole = catalogue.read_text(encoding="utf-8")
    for message, side, obligations in (
        ("Comment", f"-- one\n{SIDE}", whole),
        ("Lose the catalogue", f"-- two\n{SIDE}", "obligations: ["),
        ("Find it again", f"-- three\n{SIDE}", whole),
        ("Break side", f"-- four\n{WRONG}", whole),
        ("Comment on it", f"-- five\n{WRONG}", whole),
        ("Break it otherwise", SIDE.replace("rfl", "unheard_of"), whole),
    ):
        site.write("Side", side)
        catalogue.write_text(obligations, encoding="utf-8")
        commit(site, message)
    return site


@pytest.fixture
def told(story: Site, tmp_path: Path) -> Site:
    """A copy of one's own of it."""
    shutil.copytree(story.root, tmp_path / "site", symlinks=True)
    return Site(tmp_path / "site")


def bisect(site: Site, *args: str) -> Done:
    return site.tracker("bisect", "--good", "HEAD~6", "--obligation", "side", *args)


def tried(stderr: str) -> list[str]:
    return [line.removeprefix("trying ") for line in stderr.splitlines() if line.startswith("trying ")]


def test_the_commit_that_broke_it(told: Site) -> None:
    done = bisect(told, "--output", "out/results.json")
    assert done.code == 0, done.err
    assert "first bad: " in done.out
    assert "Break side" in done.out.partition("first bad: ")[2].partition("\n")[0]
    assert "Find it again" in done.out.partition("last good: ")[2].partition("\n")[0]
    assert [name.partition(" ")[2] for name in tried(done.err)][:2] == ["Prove it", "Break it otherwise"]
    kept = json.loads((told.root / "out" / "results.json").read_text(encoding="utf-8"))
    assert (kept["schema_version"], kept["finished"], kept["certain"]) == (1, True, True)
    by_name = {step["name"].partition(" ")[2]: step for step in kept["steps"]}
    assert by_name["Break side"]["outcome"] == "bad"
    assert by_name["Break side"]["observations"][0]["label"] == "failed:type-error"
    assert "4.35.0" in by_name["Break side"]["toolchain"]
    assert len(kept["candidates"]) == 7
    assert git(told, "status", "--porcelain") == "?? out/"
    assert trees(told) == []


def test_the_same_again_tries_nothing_unless_afresh(told: Site) -> None:
    first = bisect(told, "--json")
    again = bisect(told, "--json")
    assert (again.code, tried(again.err)) == (0, [])
    assert again.json == first.json
    assert len(tried(bisect(told, "--fresh").err)) == len(first.json["steps"])


def test_a_search_that_was_cut_off_goes_on(told: Site) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tracker", "bisect", "--good", "HEAD~6", "--obligation", "side"],
        cwd=told.root, env={**os.environ, "PYTHONUNBUFFERED": "1"}, text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    seen = ""
    for line in process.stderr:
        seen += line
        if ": bad: " in line:
            break
    process.send_signal(signal.SIGINT)
    process.stderr.read()
    process.stderr.close()
    assert process.wait(60) == 130
    assert trees(told) == []
    rest = bisect(told, "--json")
    assert rest.code == 0
    assert "Break side" in rest.json["first_bad"]
    done = {line.removesuffix("\n") for line in tried(seen)} & set(tried(rest.err))
    assert not done, "nothing is tried twice"


def test_the_class_of_the_bad_end_and_another_in_the_way(told: Site) -> None:
    done = bisect(told, "--bad", "HEAD~1", "--oracle", "class", "--json")
    assert (done.code, done.json["oracle"]["cls"]) == (0, "failed:type-error")
    assert "Break side" in done.json["first_bad"]
    other = bisect(told, "--oracle", "class", "--json")
    assert other.json["oracle"]["cls"] == "failed:unknown-name"
    assert (other.code, other.json["certain"]) == (1, False)
    assert [name.partition(" ")[2] for name in other.json["suspects"]] == [
        "Break side", "Comment on it", "Break it otherwise",
    ]  # fmt: skip


def test_what_cannot_be_tested_is_stepped_around(told: Site) -> None:
    git(told, "checkout", "-q", "-b", "blind", "HEAD~6")
    catalogue = told.root / "obligations" / "demo.yaml"
    whole = catalogue.read_text(encoding="utf-8")
    told.write("Side", WRONG)
    catalogue.write_text("obligations: [", encoding="utf-8")
    commit(told, "Lose the catalogue")
    catalogue.write_text(whole, encoding="utf-8")
    commit(told, "Find it again")
    done = told.tracker("bisect", "--good", "main~6", "--obligation", "side")
    assert done.code == 1
    assert "first bad is one of 2; the others are untestable" in done.out
    assert "CATALOGUE" in done.out


def test_a_module_that_is_gone_is_bad(told: Site) -> None:
    git(told, "checkout", "-q", "-b", "gone", "HEAD~6")
    (told.root / "lean" / "Demo" / "Side.lean").unlink()
    commit(told, "Remove side")
    done = told.tracker("bisect", "--good", "main~6", "--obligation", "side")
    assert done.code == 0
    assert "side is unbuilt" in done.out


def test_four_toolchains(tmp_path: Path) -> None:
    site = make_try_site(tmp_path / "site")
    args = ("bisect", "--obligation", "top", "--toolchains")
    done = site.tracker(*args, "wide,ample,tight,tiny", "--json")
    assert done.code == 0, done.err
    found = done.json
    assert (found["last_good"], found["first_bad"]) == ("ample", "tight")
    labels = {step["name"]: step["observations"][0]["label"] for step in found["steps"]}
    assert (labels["wide"], labels["tight"]) == ("proved", "blocked")
    # A cost: by its trace the noisy one takes 9 % more memory or more, at any load of the machine.
    args = ("bisect", "--obligation", "deep", "--oracle", "memory", "--toolchains", "wide,ample,loud")
    costly = site.tracker(*args, "--band", "0.02", "--json")
    assert costly.code == 0, costly.err
    assert costly.json["first_bad"] == "loud"
    assert costly.json["oracle"]["threshold"] > 0
    ends = [
        s["observations"][0]["peak_rss_bytes"]["count"] for s in costly.json["steps"] if s["name"] != "ample"
    ]
    assert min(ends) >= 3, "the threshold is made of medians"
    alike = site.tracker(*args, "--band", "0.5")
    assert alike.code == 2
    assert re.search(r"the bad end costs \d+ MiB, the good one \d+ MiB: no more than noise", alike.err)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--good", "HEAD~1"), "the good end is bad"),
        (("--good", "HEAD~6", "--bad", "HEAD~5"), "the bad end is good"),
        (("--good", "HEAD~4", "--bad", "HEAD"), "the good end is untestable"),
    ],
)
def test_an_end_that_is_not_what_it_must_be(story: Site, tmp_path: Path, args: list[str], said: str) -> None:
    done = story.tracker("bisect", "--obligation", "side", *args, "--state", str(tmp_path / "state"))
    assert (done.code, done.out) == (2, "")
    assert said in done.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--good", "HEAD", "--bad", "HEAD~6"), "not an ancestor"),
        (("--good", "HEAD", "--bad", "HEAD"), "HEAD and HEAD are one commit"),
        (("--good", "HEAD"), "HEAD and HEAD are one commit"),
        (("--good", "HEAD~99"), "git knows no commit"),
        ((), "over commits or over toolchains"),
        (("--toolchains", "wide,wide"), "named twice"),
        (("--toolchains", "wide,tigth"), "no toolchain is called"),
        (("--toolchains", "wide..tight"), "no range"),
        (("--toolchains", "wide,v4.99.0"), "not installed"),
        (("--toolchains", "v4.30.0..v4.36.0"), "elan has 0 toolchains"),
        (("--toolchains", "wide,tight", "--bad", "HEAD"), "--bad goes with --good"),
        (("--good", "HEAD~6", "--class", "x"), "--oracle class"),
        (("--good", "HEAD~6", "--threshold", "1s"), "--oracle time"),
        (("--good", "HEAD~6", "--oracle", "time", "--threshold", "soon"), "--threshold"),
        (("--good", "HEAD~6", "--oracle", "time", "--obligation", "deep"), "share no threshold"),
    ],
)
def test_what_is_asked_wrongly(
    story: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str], said: str
) -> None:
    monkeypatch.chdir(story.root)
    monkeypatch.setenv("ELAN_HOME", str(tmp_path))
    words = ["--obligation", "side", "--state", str(tmp_path / "state"), *args]
    with pytest.raises(TrackerError, match=re.escape(said)):
        command.main(words, standalone_mode=False)


def test_an_obligation_that_is_nowhere(story: Site, tmp_path: Path) -> None:
    done = story.tracker("bisect", "--good", "HEAD~6", "--obligation", "sied", "--state", str(tmp_path / "s"))
    assert done.code == 2
    assert "the catalogue has no sied there" in done.err


def test_what_a_commit_says_does_not_steer_the_terminal(told: Site) -> None:
    commit(told, "Paint it \x1b[31mred\x07")
    commit(told, "Leave it so")
    done = told.tracker("bisect", "--good", "HEAD~1", "--obligation", "sied")
    assert done.code == 2
    assert "Paint it \N{REPLACEMENT CHARACTER}[31mred\N{REPLACEMENT CHARACTER}\n" in done.err
    assert all(c.isprintable() or c == "\n" for c in done.err)


def test_garbage_in_the_file_of_steps(told: Site) -> None:
    assert bisect(told, "--bad", "HEAD~5").code == 2
    [file] = (told.root / ".tracker" / "bisect").glob("*/results.json")
    file.write_text('{"schema_version": 1, "steps": [3]}', encoding="utf-8")
    done = bisect(told, "--bad", "HEAD~5")
    assert (done.code, "BISECT-STATE" in done.err) == (2, True)


def test_ranges_of_what_elan_has(tmp_path: Path) -> None:
    names = (
        "v4.9.0", "v4.30.0", "v4.30.0-rc2", "v4.30.1", "v4.31.0-rc1", "nightly-2026-01-31",
        "nightly-2025-12-01", "nightly-2026-02-01",
    )  # fmt: skip
    for name in names:
        (tmp_path / "toolchains" / f"leanprover--lean4---{name}").mkdir(parents=True)
    (tmp_path / "toolchains" / "mine").mkdir()
    environment = {"ELAN_HOME": str(tmp_path)}

    def chosen(text: str) -> list[str]:
        return [candidate.toolchain for candidate in toolchain_range(text, "c", environment)]

    assert chosen("v4.30.0-rc1..v4.31.0") == ["v4.30.0-rc2", "v4.30.0", "v4.30.1", "v4.31.0-rc1"]
    assert chosen("nightly-2025-12-01..nightly-2026-01-31") == ["nightly-2025-12-01", "nightly-2026-01-31"]
    assert chosen("mine, v4.9.0..v4.30.0") == ["mine", "v4.9.0", "v4.30.0-rc2", "v4.30.0"]
    with pytest.raises(UsageError, match="no range"):
        chosen("v4.30.0..nightly-2026-01-31")
