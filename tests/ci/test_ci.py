"""What is offered for CI: the very scripts that it contains are run, with real tracker and real Lean."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.ci.runner import Runner, Step, obeyed, stub_python, write_program
from tests.conftest import Site
from tests.gate.trysite import commit, make_try_site, trees

ROOT = Path(__file__).parents[2]
WORKFLOWS = [
    ROOT / ".github" / "workflows" / "ci.yml",
    ROOT / ".github" / "workflows" / "upgrade.yml",
    ROOT / "examples" / "ci" / "github.yml",
]
ACTION = ROOT / "action.yml"
RUN = "Have Lean check what changed"
BIN = Path(sys.executable).parent


def load(file: Path) -> Any:
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def steps_of(file: Path) -> list[dict[str, Any]]:
    data = load(file)
    if "runs" in data:
        return list(data["runs"]["steps"])
    return [step for job in data["jobs"].values() for step in job["steps"]]


@pytest.fixture(scope="module")
def based_once(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A project with evidence and a committed baseline."""
    site = make_try_site(tmp_path_factory.mktemp("ci"))
    assert site.tracker("run").code == 0
    assert site.tracker("gate", "--update-baseline", "--yes").code == 0
    commit(site, "Baseline")
    return site


@pytest.fixture
def based(based_once: Site, tmp_path: Path) -> Site:
    shutil.copytree(based_once.root, tmp_path / "site", symlinks=True)
    return Site(tmp_path / "site")


def act(
    site: Site, tmp_path: Path, last: str = "Say how it ended", **inputs: str
) -> tuple[Runner, dict[str, Step]]:
    """Run the composite action as GitHub would, up to the step `last`."""
    stub_python(tmp_path / "programs", tmp_path / "pip.log")
    data = load(ACTION)
    given = {name: str(facts.get("default", "")) for name, facts in data["inputs"].items()} | inputs
    runner = Runner(
        site.root, tmp_path / "work", tmp_path / "programs", given, {"github.action_path": str(ROOT)}
    )
    steps = data["runs"]["steps"]
    count = [step["name"] for step in steps].index(last) + 1
    return runner, {step.name: step for step in runner.run(steps[:count])}


def outputs(runner: Runner) -> dict[str, str]:
    """Return the action's outputs, by what action.yml says they are."""
    return {name: runner.value(facts["value"]) for name, facts in load(ACTION)["outputs"].items()}


def test_the_action_lets_pass_what_is_proved(based: Site, tmp_path: Path) -> None:
    runner, steps = act(based, tmp_path, embedded="true")
    assert {name: step.code for name, step in steps.items() if step.code} == {}, steps
    found = outputs(runner)
    assert (found["result"], found["proved"], found["obligations"]) == ("pass", "6", "6")
    files = {file.name for file in Path(found["files"]).iterdir()}
    assert files >= {"index.html", "report.json", "report.md", "badge.json", "gate.sarif", "gate.xml"}
    assert "The gate is open" in runner.summary.read_text(encoding="utf-8")
    log = (tmp_path / "pip.log").read_text()
    assert f"-c {ROOT}/constraints.txt {ROOT}[embedded]" in log


def test_the_action_stops_what_is_lost_and_says_where(based: Site, tmp_path: Path) -> None:
    based.edit("Side", "rfl", "Nat.zero")
    runner, steps = act(based, tmp_path, targets="side\nDemo.Top\n", jobs="2")
    assert outputs(runner)["result"] == "fail"
    assert (steps["Hold it against the baseline"].code, steps["Say how it ended"].code) == (0, 1)
    annotations = steps["Hold it against the baseline"].commands
    assert any(
        line.startswith("::error title=GATE-LOST side,file=lean/Demo/Side.lean") for line in annotations
    )
    assert outputs(runner)["proved"] == "5"


def test_without_the_gate_the_status_decides(based: Site, tmp_path: Path) -> None:
    (based.root / "reports" / "baseline.jsonl").unlink()
    runner, steps = act(based, tmp_path, gate="false", artifact="")
    assert outputs(runner)["result"] == "pass"
    assert steps["Hold it against the baseline"].code is None
    assert steps["Keep the report"].code is None


def test_what_cannot_be_told_is_no_pass(based: Site, tmp_path: Path) -> None:
    runner, steps = act(based, tmp_path, toolchain="no-such")
    assert outputs(runner)["result"] == "error"
    assert steps[RUN].code == 2
    assert steps["Write the report"].code is None
    assert steps["Say how it ended"].code == 2


def test_a_broken_catalogue_ends_it_before_lean(based: Site, tmp_path: Path) -> None:
    (based.root / "obligations" / "demo.yaml").write_text("obligations: [")
    runner, steps = act(based, tmp_path)
    assert steps["Check the catalogue"].code == 2
    assert steps[RUN].code is None
    assert outputs(runner)["result"] == "error"


ATTACK = """\
#eval IO.println "::error file=x::injected"
theorem Demo.side : 1 = 1 := by
  skip
  exact (Nat.zero : «\n::add-mask::proved\n::set-output name=result::pass»)
"""


def test_a_log_cannot_issue_commands(based: Site, tmp_path: Path) -> None:
    based.write("Side", ATTACK)
    (based.root / "obligations" / "demo.yaml").write_text(
        (based.root / "obligations" / "demo.yaml").read_text() + "# ::warning::x\n"
    )
    target = 'side\n"; echo "::error::shell" #\n$(touch pwned)'
    runner, steps = act(based, tmp_path, last=RUN, targets=target)
    assert steps[RUN].code == 2, "the last two are no targets"
    assert not (based.root / "pwned").exists()
    runner, steps = act(based, tmp_path / "again")
    assert outputs(runner)["result"] == "fail"
    for step in steps.values():
        for command in step.commands:
            assert re.match(r"::(error|warning) title=(GATE-[A-Z]+ |tracker gate)", command), command
            assert "\n" not in command


def test_a_catalogue_cannot_issue_commands(based: Site, tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "obligations" / "##[error]x.yaml").write_text('"##[error]\\n::error::pwn": 1\n')
    (site / "obligations").rename(site / "##[error]")
    config = site / "tracker.toml"
    config.write_text(config.read_text().replace("[tracker]", '[tracker]\ncatalogue = "##[error]"', 1))
    runner, steps = act(based, tmp_path)
    assert steps["Check the catalogue"].code == 2
    assert "unknown-field" in steps["Check the catalogue"].out
    assert outputs(runner)["result"] == "error"
    assert [command for step in steps.values() for command in step.commands] == []


def test_the_token_is_another_each_time(based: Site, tmp_path: Path) -> None:
    tokens = set()
    for place in ("one", "two"):
        _, steps = act(based, tmp_path / place, last=RUN)
        tokens |= set(re.findall(r"::stop-commands::(\w+)", steps[RUN].out))
    assert len(tokens) == 2
    assert min(map(len, tokens)) == 64


def test_what_github_obeys() -> None:
    assert obeyed("a\n::error::x\n::stop-commands::t\n::error::y\n::t::\n ::warning a=b::z\n##[x]") == [
        "::error::x", " ::warning a=b::z", "##[x]",
    ]  # fmt: skip


def elan_stub(programs: Path, installed: Path) -> None:
    """Put an `elan` there that installs what it is asked for, unless that was never released."""
    write_program(
        programs, "elan",
        f'echo "$3" >> {installed}\ncase "$3" in *nightly*) [ "$3" = "$(head -n 2 {installed} | tail -n 1)" ]'
        " && exit 1 ;; esac\nexit 0",
    )  # fmt: skip


def try_upgrade(site: Site, tmp_path: Path, **inputs: str) -> tuple[Runner, dict[str, Step]]:
    """Run the nightly workflow but for what downloads elan."""
    programs = tmp_path / "programs"
    stub_python(programs, tmp_path / "pip.log")
    elan_stub(programs, tmp_path / "elan.log")
    runner = Runner(site.root, tmp_path / "work", programs, {"toolchain": "", **inputs})
    steps = [s for s in steps_of(WORKFLOWS[1]) if s.get("name") != "Install elan"]
    return runner, {step.name: step for step in runner.run(steps)}


def test_the_nightly_try_names_what_would_be_lost(based: Site, tmp_path: Path) -> None:
    runner, steps = try_upgrade(based, tmp_path, toolchain="tight")
    assert steps["Try it"].code == 1, steps["Try it"].out
    assert "loses 5" in runner.summary.read_text(encoding="utf-8")
    assert (based.root / "upgrade" / "upgrade.json").exists()
    assert steps["Try it"].commands == []
    assert trees(based) == []


def test_the_nightly_try_takes_the_newest_nightly_that_there_is(based: Site, tmp_path: Path) -> None:
    _, steps = try_upgrade(based, tmp_path)
    asked = (tmp_path / "elan.log").read_text().split()
    assert asked[0] == "leanprover/lean4:v4.35.0"
    nights = asked[1:]
    assert len(nights) == 2, "the first of them was never released"
    assert nights == sorted(nights, reverse=True)
    assert all(re.fullmatch(r"leanprover/lean4:nightly-\d{4}-\d\d-\d\d", name) for name in nights)
    assert steps["Try it"].code == 3, "it is not really there"


def test_elan_is_taken_by_its_hash_only(tmp_path: Path) -> None:
    """The download is replaced; what comes is not what was pinned, so nothing of it may run."""
    for file in WORKFLOWS[1:]:
        programs = tmp_path / file.stem / "programs"
        write_program(
            programs, "curl", 'while [ "$1" != --output ]; do shift; done; echo evil > "$2"; exit 0'
        )
        step = next(s for s in steps_of(file) if "elan" in s.get("name", "").split())
        runner = Runner(tmp_path, tmp_path / file.stem / "work", programs, {})
        [done] = runner.run([step])
        assert done.code != 0
        assert "FAILED" in done.out
        assert not (runner.temp / "elan-init").exists()


def test_gitlab(based: Site, tmp_path: Path) -> None:
    job = load(ROOT / "examples" / "ci" / "gitlab-ci.yml")["proofs"]
    programs = tmp_path / "programs"
    stub_python(programs, tmp_path / "pip.log")

    def script(root: Path) -> int:
        for line in [*job["before_script"], *job["script"]]:
            done = subprocess.run(
                ["bash", "-eo", "pipefail", "-c", line], cwd=root, capture_output=True, check=False,
                env={"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(Path.home()), **job["variables"]},
            )  # fmt: skip
            if done.returncode:
                return done.returncode
        return 0

    assert script(based.root) == 0
    assert (based.root / "gate.xml").exists()
    assert (based.root / "site" / "index.html").exists()
    assert job["variables"]["TRACKER"] in (tmp_path / "pip.log").read_text()
    based.edit("Side", "rfl", "Nat.zero")
    assert script(based.root) == 1


def test_the_hook_needs_no_lean(based: Site) -> None:
    [hook] = load(ROOT / ".pre-commit-hooks.yaml")
    wanted = re.compile(hook["files"])
    assert wanted.search("obligations/vit/net.yaml")
    assert wanted.search("sub/obligations.yml")
    assert wanted.search("tracker.toml")
    assert not wanted.search("lean/Demo/Side.lean")
    assert hook["pass_filenames"] is False
    words = hook["entry"].split()
    assert words[0] == "tracker"
    without = {"PATH": "/nonexistent", "TRACKER_TOOLCHAIN": "lake"}  # any use of Lean would end with 3
    assert based.tracker(*words[1:], environment=without).code == 0
    (based.root / "obligations" / "demo.yaml").write_text("obligations:\n  - {id: a, kind: tie}\n")
    assert based.tracker(*words[1:], environment=without).code == 2
    ids = [
        h["id"]
        for r in load(ROOT / "examples" / "ci" / "pre-commit-config.yaml")["repos"]
        for h in r["hooks"]
    ]
    assert ids == [hook["id"]]


@pytest.mark.parametrize(
    ("file", "schema"),
    [
        *((file, "github-workflows") for file in WORKFLOWS),
        (ACTION, "github-actions"),
        (ROOT / "examples" / "ci" / "gitlab-ci.yml", "gitlab-ci"),
    ],
)
def test_its_form_is_the_published_one(file: Path, schema: str) -> None:
    done = subprocess.run(
        [BIN / "check-jsonschema", "--builtin-schema", f"vendor.{schema}", file],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_zizmor_finds_nothing() -> None:
    done = subprocess.run(
        [BIN / "zizmor", "--offline", "--no-progress", "--persona", "pedantic", ACTION, *WORKFLOWS],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("file", [ACTION, *WORKFLOWS], ids=lambda file: file.name)
def test_least_rights_and_pins(file: Path) -> None:
    data = load(file)
    if file != ACTION:
        assert data["permissions"] == {"contents": "read"}
        assert all("timeout-minutes" in job and "permissions" not in job for job in data["jobs"].values())
    text = file.read_text(encoding="utf-8")
    assert "secrets." not in text.replace("secrets.token_hex", "")
    assert "pull_request_target" not in text
    for step in steps_of(file):
        assert "${{" not in step.get("run", "")
        if file == ACTION and "run" in step:
            assert step["shell"] == "bash"
        uses = step.get("uses", "./")
        if uses != "./":
            assert re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40}", uses)
            assert re.search(rf"{re.escape(uses)} # \S", text), "a person must see which version it is"
        if "actions/checkout" in uses:
            assert step["with"]["persist-credentials"] is False
