"""Builds that run side by side, are interrupted, or are seen from a language server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import Done, Project

Make = Callable[[dict[str, str]], Project]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]

# Says in `running` that it is at work, and goes on when `go` is there. Like lean, it writes its output
# under another name first.
PATIENT_LEAN = """\
#!/bin/sh
case "$1" in --*) echo /none; exit ;; esac
name=$(basename "$1" .lean)
echo $$ > "$HERE/running.$name"
: > "$3.tmp.$$"
while [ ! -e "$HERE/go.$name" ]; do sleep 0.02; done
rm "$HERE/running.$name"
mv "$3.tmp.$$" "$3"; cat "$1" > "$3"; : > "$5"; : > "$7"
"""


class Patient:
    """A project whose `lean` waits to be let go, module by module."""

    def __init__(self, project: Project) -> None:
        self.project = project
        project.write("lean", PATIENT_LEAN).chmod(0o755)
        self.env = {
            "LAKE_OVERRIDE_LEAN": "1", "LEAN": str(project.root / "lean"), "LEAN_SYSROOT": "/none",
            "LEAN_GITHASH": "0", "HERE": str(project.root), "LEAN_NUM_THREADS": "2",
        }  # fmt: skip

    def start(self, *args: str) -> subprocess.Popen[bytes]:
        return self.project.start("build", *args, env=self.env)

    def running(self) -> set[str]:
        return {file.suffix[1:] for file in self.project.root.glob("running.*") if file.read_text().strip()}

    def until(self, *names: str) -> None:
        wait(lambda: self.running() == set(names))

    def go(self, *names: str) -> None:
        for name in names:
            self.project.write(f"go.{name}", "")

    def pid(self, name: str) -> int:
        return int((self.project.root / f"running.{name}").read_text())

    def reset(self) -> None:
        for file in (*self.project.root.glob("running.*"), *self.project.root.glob("go.*")):
            file.unlink()


def wait(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def finish(process: subprocess.Popen[bytes]) -> Done:
    out, err = process.communicate(timeout=60)
    return Done(process.returncode, out.decode(), err.decode())


DIAMOND = {
    "Demo.lean": "import Demo.L\nimport Demo.R\n",
    "Demo/L.lean": "import Demo.Base\n",
    "Demo/R.lean": "import Demo.Base\n",
    "Demo/Base.lean": "",
}


def test_modules_that_do_not_need_each_other_are_built_at_a_time(make_project: Make) -> None:
    patient = Patient(make_project(DIAMOND))
    build = patient.start()
    patient.until("Base")
    patient.go("Base")
    patient.until("L", "R")
    patient.go("R")
    wait(patient.project.built("Demo.R", ".trace").exists)
    assert patient.running() == {"L"}
    patient.go("L")
    patient.until("Demo")
    patient.go("Demo")
    done = finish(build)
    assert done.code == 0
    lines = [line.split(" (")[0] for line in done.out.splitlines()]
    assert lines[:3] == ["✔ [2/6] Built Demo.Base", "✔ [3/6] Built Demo.R", "✔ [4/6] Built Demo.L"]


def test_no_more_at_a_time_than_asked_for(make_project: Make) -> None:
    patient = Patient(make_project(DIAMOND))
    patient.env["LEAN_NUM_THREADS"] = "1"
    build = patient.start()
    patient.go("Base")
    patient.until("L")
    time.sleep(0.3)
    assert patient.running() == {"L"}
    patient.go("L", "R", "Demo")
    assert finish(build).code == 0


def test_a_failure_does_not_stop_what_does_not_need_it(make_project: Make) -> None:
    project = make_project({**DIAMOND, "Demo/L.lean": "import Demo.Base\n#check nope\n"})
    done = project.lake("build")
    assert done.code == 1
    assert "Built Demo.R" in done.out
    assert "Building Demo.L" in done.out
    assert "Demo.lean" not in done.out  # blocked, and silent
    assert done.out.endswith("Some required targets logged failures:\n- Demo.L\n")


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_an_interrupted_build_leaves_nothing_behind(make_project: Make, number: signal.Signals) -> None:
    patient = Patient(make_project(DIAMOND))
    patient.go("Base")
    build = patient.start()
    patient.until("L", "R")
    pids = [patient.pid("L"), patient.pid("R")]
    build.send_signal(number)
    assert finish(build).code == -number
    if sys.platform == "linux":
        wait(lambda: not any(map(alive, pids)))
    if number != signal.SIGKILL:
        assert not list(patient.project.root.glob(".lake/**/*.tmp.*"))
    patient.reset()
    patient.go("L", "R", "Demo")
    done = finish(patient.start())
    assert done.code == 0
    assert sorted(line.split()[3] for line in done.out.splitlines()[:-1]) == ["Demo", "Demo.L", "Demo.R"]
    assert not list(patient.project.root.glob(".lake/**/*.tmp.*"))


def test_an_interrupted_rebuild_keeps_what_was_built(make_project: Make) -> None:
    patient = Patient(make_project({"Demo.lean": "-- one\n"}))
    patient.go("Demo")
    assert finish(patient.start()).code == 0
    trace = patient.project.built("Demo", ".trace").read_text()
    patient.reset()
    patient.project.write("Demo.lean", "-- two\n")
    build = patient.start()
    patient.until("Demo")
    assert not patient.project.built("Demo", ".trace").exists()
    build.send_signal(signal.SIGTERM)
    finish(build)
    assert patient.project.built("Demo", ".trace").read_text() == trace
    patient.project.write("Demo.lean", "-- one\n")
    assert finish(patient.start("--no-build")).code == 0


DEAF = """\
import os, signal, sys
sys.path.insert(0, {source!r})
from tracker.embedded.lake import build, cli

class Deaf:
    def __del__(self):
        os.kill(os.getpid(), signal.{signal})
        for _ in range(1000): pass  # the handler runs here, and what it raises is dropped

start = build.Builder._start
def deaf(self, node):
    start(self, node)
    Deaf()
build.Builder._start = deaf
sys.exit(cli.main(["build"]))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_whose_exception_is_dropped_is_not_lost(make_project: Make, number: signal.Signals) -> None:
    patient = Patient(make_project({"Demo.lean": ""}))
    program = DEAF.format(source=str(Path(__file__).parents[3]), signal=number.name)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=patient.project.root, env={**os.environ, **patient.env},
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert b"Exception ignored" in done.stderr
    assert done.returncode == -number
    running = patient.project.root / "running.Demo"
    assert not (running.exists() and running.read_text().strip() and alive(patient.pid("Demo")))


def test_a_killed_build_is_never_taken_for_the_old_one(make_project: Make) -> None:
    """The trace of the old source and the output of the new one would agree with each other."""
    patient = Patient(make_project({"Demo.lean": "-- one\n"}))
    patient.go("Demo")
    assert finish(patient.start()).code == 0
    patient.reset()
    patient.project.write("Demo.lean", "-- two\n")
    build = patient.start()
    patient.until("Demo")
    patient.project.built("Demo", ".olean").write_text("-- two\n")
    build.kill()
    finish(build)
    patient.reset()
    patient.project.write("Demo.lean", "-- one\n")
    assert finish(patient.start("--no-build")).code == 3


def test_lean_that_failed_after_writing_does_not_get_the_old_trace_back(make_project: Make) -> None:
    patient = Patient(make_project({"Demo.lean": "-- one\n"}))
    patient.go("Demo")
    assert finish(patient.start()).code == 0
    patient.project.write("Demo.lean", "-- two\n")
    patient.project.write("lean", PATIENT_LEAN + "exit 1\n")
    assert finish(patient.start()).code == 1
    assert not patient.project.built("Demo", ".trace").exists()


def test_a_source_that_changes_while_it_is_built(make_project: Make) -> None:
    patient = Patient(make_project({"Demo.lean": "-- one\n"}))
    build = patient.start()
    patient.until("Demo")
    patient.project.write("Demo.lean", "-- two\n")
    patient.go("Demo")
    done = finish(build)
    assert done.code == 0
    assert "warning: Demo.lean: changed while it was built; it will be built again\n" in done.out
    assert finish(patient.start("--no-build")).code == 3
    assert "changed" not in finish(patient.start()).out
    assert finish(patient.start("--no-build")).code == 0


def test_two_builds_at_once(make_project: Make) -> None:
    project = make_project(DIAMOND)
    both = [project.start("build") for _ in range(2)]
    assert [finish(build).code for build in both] == [0, 0]
    assert project.lake("build", "--no-build", "--rehash").code == 0
    assert not list(project.root.glob(".lake/**/*.tmp.*"))


def test_the_embedded_and_another_toolchain_do_not_share_results(make_project: Make) -> None:
    project = make_project({"Demo.lean": ""})
    assert project.lake("build").code == 0
    assert project.lake("build", "--no-build").code == 0
    patient = Patient(project)
    patient.env["LEAN_GITHASH"] = project.sysroot.githash
    assert finish(patient.start("--no-build")).code == 3


def test_progress_on_a_terminal(make_project: Make) -> None:
    import pexpect

    project = make_project({"Demo.lean": "theorem t : 1 = 1 := sorry\n"})
    child = pexpect.spawn(
        str(project.sysroot.lake), ["build"], cwd=str(project.root), env=project.environment(),
        encoding="utf-8", timeout=60,
    )  # fmt: skip
    child.expect(r"[⣾⣷⣯⣟⡿⢿⣻⣽] \[2/3\] Running Demo \(\+ 0 more\)")
    child.expect_exact("\x1b[2K\r\x1b[1;33m⚠ [2/3] Built Demo\x1b[m\r\n")
    child.expect_exact("\x1b[1;33mwarning:\x1b[m Demo.lean:1:8: declaration uses `sorry`\r\n")
    child.expect_exact("Build completed successfully (3 jobs).\r\n")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_nothing_slow_is_imported_by_a_build_without_work(make_project: Make) -> None:
    """The program is started once per module: what it imports is paid for every time."""
    project = make_project({"Demo.lean": "import Demo.A\n", "Demo/A.lean": ""})
    assert project.lake("build").code == 0
    main = Path(sys.modules["tracker.embedded"].__path__[0]) / "lake" / "main.py"
    code = (
        f"import sys\n__file__ = {str(main)!r}\nsys.argv = ['lake', 'build', '+Demo']\n"
        "try: exec(compile(open(__file__).read(), __file__, 'exec'))\n"
        "except SystemExit as end: assert end.code == 0\n"
        "print('\\n'.join(sys.modules))"
    )
    environment = project.environment({"TRACKER_SYSROOT": str(project.sysroot.root)})
    bare = subprocess.run(
        [sys.executable, "-I", "-S", "-c", "import sys; print('\\n'.join(sys.modules))"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], cwd=project.root, env=environment, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    ours = {name for name in done.stdout.split("\n") if name} - set(bare)
    standard = {name for name in ours if not name.startswith(("tracker", "Build"))}
    assert standard <= {
        "os", "os.path", "posixpath", "genericpath", "stat", "_stat", "_collections_abc", "_blake2", "heapq",
        "_heapq", "__future__", "gc",
    }  # fmt: skip


class Server:
    """A client of `lake serve`, message by message."""

    def __init__(self, project: Project) -> None:
        self.process = project.start("serve")
        self.diagnostics: list[dict[str, Any]] = []

    def send(self, **message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        message: dict[str, Any] = json.loads(self.process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            self.diagnostics = message["params"]["diagnostics"]
        return message

    def ask(self, number: int, method: str, params: Any) -> Any:
        self.send(id=number, method=method, params=params)
        while True:
            message = self.receive()
            if message.get("id") == number and "method" not in message:
                return message["result"]


def test_the_language_server_sees_the_project(make_project: Make) -> None:
    project = make_project(
        {"Demo.lean": "import Demo.A\n#check a\n", "Demo/A.lean": "theorem a : 1 = 1 := rfl\n"}
    )
    server = Server(project)
    assert "hoverProvider" in server.ask(1, "initialize", {"capabilities": {}})["capabilities"]
    server.send(method="initialized", params={})
    file = project.root / "Demo.lean"
    document = {"uri": file.as_uri(), "languageId": "lean4", "version": 1, "text": file.read_text()}
    server.send(method="textDocument/didOpen", params={"textDocument": document})
    server.ask(2, "textDocument/waitForDiagnostics", {"uri": file.as_uri(), "version": 1})
    assert [d["message"] for d in server.diagnostics] == ["a : 1 = 1"]
    assert project.built("Demo.A", ".olean").exists()
    server.ask(3, "shutdown", None)
    server.send(method="exit")
    server.process.communicate(timeout=60)
    assert server.process.returncode == 0


def test_a_broken_lakefile_leaves_a_plain_server(make_project: Make) -> None:
    project = make_project({"lakefile.toml": "name = 1\n"})
    server = Server(project)
    assert server.ask(1, "initialize", {"capabilities": {}})
    server.send(method="initialized", params={})
    server.ask(2, "shutdown", None)
    server.send(method="exit")
    _, err = server.process.communicate(timeout=60)
    assert "package configuration has errors, falling back to plain `lean --server`" in err.decode()


def test_the_build_outlives_its_reader(make_project: Make) -> None:
    project = make_project({"Demo.lean": "#check 1\n"})
    read, write = os.pipe()
    os.close(read)
    process = subprocess.Popen(
        [project.sysroot.lake, "build"],
        cwd=project.root,
        env=project.environment(),
        stdout=write,
        stderr=write,
    )
    os.close(write)
    assert process.wait(timeout=60) == 0
    assert project.built("Demo", ".trace").exists()


def test_another_init_is_another_toolchain(
    make_project: Make, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """One commit of Lean, another Init: nothing that the one has built is good for the other."""
    project = make_project({"Demo.lean": ""})
    assert project.lake("build").code == 0
    changed = tmp_path_factory.mktemp("sysroot")
    manifest = json.loads((project.sysroot.root / "manifest.json").read_text())
    manifest["files"]["lib/lean/Init.olean"][2] = "0" * 64
    (changed / "manifest.json").write_text(json.dumps(manifest, indent=0))
    same = {"LAKE_OVERRIDE_LEAN": "1", "LEAN": str(project.sysroot.lean)}
    assert project.lake("build", "--no-build", env=same).code == 0
    assert project.lake("build", "--no-build", env={**same, "LEAN_SYSROOT": str(changed)}).code == 3
