"""`bin/lean` is the `lean` command: arguments, streams, exit status, signals, server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tracker.embedded.sysroot import Sysroot

from .conftest import Lean

SLOW = """\
#check Nat
#check Bool
set_option maxHeartbeats 0
set_option maxRecDepth 1000000
def f : Nat → Nat → Nat | 0, n => n | k + 1, n => f k (f k n)
theorem slow : f 60 0 = 0 := by with_unfolding_all rfl
"""


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    path = tmp_path / "slow.lean"
    path.write_text(SLOW, encoding="utf-8")
    return path


def source(tmp_path: Path, text: str, name: str = "x.lean") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_prints_where_it_is(sysroot: Sysroot, lean: Lean) -> None:
    root = os.fsencode(sysroot.root)
    assert lean("--print-prefix").stdout == root + b"\n"
    assert lean("--print-libdir").stdout == root + b"/lib/lean\n"
    assert lean("--print-prefix", "--json").stdout == root + b"\n"
    assert lean("--print-p").stdout == root + b"\n"  # getopt takes unambiguous beginnings


def test_wrong_option_beside_the_prefix(lean: Lean) -> None:
    result = lean("--print-prefix", "--no-such-option")
    assert result.returncode == 1
    assert b"unrecognized option '--no-such-option'" in result.stderr
    assert not result.stdout


def test_says_its_version(sysroot: Sysroot, lean: Lean) -> None:
    version = lean("--version").stdout.decode()
    assert version.startswith(f"Lean (version {sysroot.version}, ")
    assert f", commit {sysroot.githash}, Release)" in version
    assert lean("--githash").stdout.decode() == f"{sysroot.githash}\n"
    assert lean("--short-version").stdout.decode() == f"{sysroot.version}\n"


def test_exit_status(tmp_path: Path, lean: Lean) -> None:
    assert lean(source(tmp_path, "example : True := trivial")).returncode == 0
    assert lean(source(tmp_path, "example : False := trivial")).returncode == 1
    assert lean(source(tmp_path, "example : False := sorry")).returncode == 0
    missing = lean(tmp_path / "nowhere.lean")
    assert missing.returncode == 1
    assert b"nowhere.lean" in missing.stderr
    assert lean().returncode == 1
    assert lean("--no-such-option").returncode == 1


def test_messages_go_to_standard_output(tmp_path: Path, lean: Lean) -> None:
    result = lean(source(tmp_path, "#check Nat\nexample : False := trivial"))
    assert result.stdout.startswith(b"Nat : Type\n")
    assert b": error:" in result.stdout
    assert result.stderr == b""
    lines = lean("--json", tmp_path / "x.lean").stdout.splitlines()
    assert [json.loads(line)["severity"] for line in lines] == ["information", "error"]


def test_standard_input(lean: Lean) -> None:
    result = lean("--stdin", stdin=None, input=b"#check Nat\n")
    assert (result.returncode, result.stdout) == (0, b"Nat : Type\n")


def test_closed_standard_output(sysroot: Sysroot, tmp_path: Path) -> None:
    path = source(tmp_path, "#check Nat")
    result = subprocess.run(
        ["/bin/sh", "-c", '"$0" "$1" >&-', sysroot.lean, path], capture_output=True, timeout=60, check=False
    )
    assert result.returncode in (0, 1)
    assert b"Traceback" not in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_full_standard_output(sysroot: Sysroot, tmp_path: Path) -> None:
    path = source(tmp_path, "#check Nat")
    with open("/dev/full", "wb") as full:
        result = subprocess.run(
            [sysroot.lean, path], stdout=full, stderr=subprocess.PIPE, timeout=60, check=False
        )
    assert result.returncode == 1
    assert b"no space left" in result.stderr.lower()


def test_arguments_that_are_no_text(tmp_path: Path, lean: Lean) -> None:
    """Bytes reach Lean as they are; it is Lean that reads each bad one as U+FFFD."""
    odd = b"/\xff\xe9 '\"$x*.lean"
    result = lean(os.fsencode(tmp_path) + odd)
    assert result.returncode == 1
    assert odd.replace(b"\xff\xe9", "\ufffd\ufffd".encode()) in result.stderr


def test_arguments_with_blanks_and_quotes(tmp_path: Path, lean: Lean) -> None:
    path = source(tmp_path, "#check Nat", "a 'b\" $HOME *.lean")
    assert lean(path).stdout == b"Nat : Type\n"
    assert lean("-D", "pp.unicode=true", path).stdout == b"Nat : Type\n"


def test_working_directory(tmp_path: Path, lean: Lean) -> None:
    source(tmp_path, "def a := 1", "A.lean")
    source(tmp_path, "import A\n#check a", "B.lean")
    assert lean("-o", "A.olean", "A.lean", cwd=tmp_path).returncode == 0
    environment = {**os.environ, "LEAN_PATH": "."}
    assert lean("B.lean", cwd=tmp_path, env=environment).stdout == b"a : Nat\n"


def test_search_path_is_kept(tmp_path: Path, lean: Lean, clean_environment: dict[str, str]) -> None:
    """What LEAN_PATH names comes before the sysroot, as before Lean's own library."""
    path = source(tmp_path, "#check Nat")
    assert lean(path, env=clean_environment).returncode == 0
    shadow = tmp_path / "shadow"
    shadow.mkdir()
    (shadow / "Init.olean").write_bytes(b"not an olean")
    result = lean(path, env={**clean_environment, "LEAN_PATH": str(shadow)})
    assert result.returncode == 1
    assert b"shadow/Init.olean" in result.stdout + result.stderr


def test_memory_limit(tmp_path: Path, lean: Lean) -> None:
    text = """\
def big : Nat → List Nat | 0 => [1] | n + 1 => big n ++ big n
example : big 40 = [] := by decide +kernel
"""
    result = lean("-M", "60", source(tmp_path, text))
    assert result.returncode == 1
    assert b"memory" in result.stdout + result.stderr


def test_run(tmp_path: Path, lean: Lean) -> None:
    """Without a `main` there is nothing to run, and Lean says so itself."""
    result = lean("--run", source(tmp_path, "def a := 1"), "--print-prefix")
    assert result.returncode == 1
    assert b"main" in result.stdout + result.stderr


def test_stack_overflow_is_an_abort(tmp_path: Path, lean: Lean) -> None:
    depth = 20000
    text = "set_option maxRecDepth 1000000\nexample : Nat := " + "(" * depth + "0" + ")" * depth + "\n"
    result = lean("-s", "512", source(tmp_path, text))
    assert result.returncode == -signal.SIGABRT
    assert b"Stack overflow detected" in result.stderr


def started(lean: Path, path: Path, **keywords: object) -> subprocess.Popen[bytes]:
    """Start Lean on a slow file and wait until it has said its first two lines."""
    process: subprocess.Popen[bytes] = subprocess.Popen(  # type: ignore[call-overload]
        [lean, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **keywords
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"Nat : Type\n"
    assert process.stdout.readline() == b"Bool : Type\n"
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_death_by_signal(sysroot: Sysroot, slow: Path, number: signal.Signals) -> None:
    """The lines before the slow theorem have left the process, and the death is seen as what it was."""
    with started(sysroot.lean, slow) as process:
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == -number
    assert errors == b""


def test_ignored_interrupt_stays_ignored(sysroot: Sysroot, slow: Path) -> None:
    """As under nohup: what the parent ignores, Lean ignores."""

    def ignore() -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    with started(sysroot.lean, slow, preexec_fn=ignore) as process:
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
        assert process.poll() is None
        process.kill()


def test_killed_before_the_end_of_a_file(sysroot: Sysroot, slow: Path, tmp_path: Path) -> None:
    """Standard output is a file here; its lines are there before the process ends."""
    output = tmp_path / "output"
    with output.open("wb") as file, subprocess.Popen([sysroot.lean, slow], stdout=file) as process:
        deadline = time.monotonic() + 60
        while output.read_bytes() != b"Nat : Type\nBool : Type\n" and time.monotonic() < deadline:
            time.sleep(0.05)
        process.kill()
    assert output.read_bytes() == b"Nat : Type\nBool : Type\n"


def test_broken_runtime(sysroot: Sysroot, tmp_path: Path) -> None:
    launcher = Path(sys.modules["tracker.embedded.sysroot"].__file__ or "").with_name("launcher.py")
    result = subprocess.run(
        [sys.executable, "-I", "-S", launcher, tmp_path, tmp_path, "--version"],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 127
    assert result.stderr.startswith(b"lean: cannot load the Lean runtime: ")
    assert result.stderr.count(b"\n") == 1


class Server:
    """A Lean language server, spoken to in JSON-RPC."""

    def __init__(self, lean: Path, directory: Path) -> None:
        self.process = subprocess.Popen(
            [lean, "--server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=directory,
        )

    def send(self, **message: object) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def receive(self) -> dict[str, object]:
        assert self.process.stdout is not None
        length = 0
        while (line := self.process.stdout.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        assert length, "the server has closed its output"
        message: dict[str, object] = json.loads(self.process.stdout.read(length))
        return message

    def receive_until(self, **wanted: object) -> dict[str, object]:
        while True:
            message = self.receive()
            if all(message.get(key) == value for key, value in wanted.items()):
                return message

    def diagnostics(self) -> list[str]:
        """The messages of the next publication that has some."""
        while True:
            message = self.receive_until(method="textDocument/publishDiagnostics")
            found = message["params"]["diagnostics"]  # type: ignore[index]
            if found:
                return [d["message"] for d in found]


@pytest.fixture
def server(sysroot: Sysroot, tmp_path: Path) -> Iterator[Server]:
    server = Server(sysroot.lean, tmp_path)
    server.send(id=1, method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}})
    assert "capabilities" in str(server.receive_until(id=1)["result"])
    server.send(method="initialized", params={})
    yield server
    server.process.kill()
    server.process.communicate()


def opened(uri: str, text: str) -> dict[str, object]:
    return {"textDocument": {"uri": uri, "languageId": "lean4", "version": 1, "text": text}}


def test_server(server: Server, tmp_path: Path) -> None:
    """The watchdog, which looks for itself at the place of its executable, starts its worker."""
    uri = (tmp_path / "a.lean").as_uri()
    server.send(method="textDocument/didOpen", params=opened(uri, "example : Nat := true\n"))
    assert any("Type mismatch" in text for text in server.diagnostics())
    server.send(
        id=2,
        method="textDocument/hover",
        params={"textDocument": {"uri": uri}, "position": {"line": 0, "character": 10}},
    )
    assert "natural numbers" in json.dumps(server.receive_until(id=2)["result"], ensure_ascii=False)
    server.send(id=3, method="shutdown", params=None)
    server.receive_until(id=3)
    server.send(method="exit", params=None)
    assert server.process.wait(timeout=60) == 0


def test_crash_of_a_worker(server: Server, tmp_path: Path) -> None:
    """A worker that overflows its stack ends alone; the server says so and lives."""
    depth = 100000
    crash = "set_option maxRecDepth 1000000\nexample : Nat := " + "(" * depth + "0" + ")" * depth + "\n"
    server.send(method="textDocument/didOpen", params=opened((tmp_path / "crash.lean").as_uri(), crash))
    message = server.receive_until(method="textDocument/publishDiagnostics")
    while "crash" not in json.dumps(message).lower().replace("crash.lean", ""):
        message = server.receive_until(method="textDocument/publishDiagnostics")
    uri = (tmp_path / "b.lean").as_uri()
    server.send(method="textDocument/didOpen", params=opened(uri, "example : Nat := true\n"))
    assert any("Type mismatch" in text for text in server.diagnostics())
