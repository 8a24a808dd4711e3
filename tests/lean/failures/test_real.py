"""What the real Lean says, and what becomes of it.

Each file of `real/` is an ordinary Lean file; lines at its beginning say what is expected:

    -- args: ARGUMENTS for lean
    -- exit: EXIT CODE, negative for a signal (default 1 when a failure is expected, else 0)
    -- expect: CLASS PHASE WHERE DECLARATION CAUSE [OPTION=VALUE …]     (`-` none, `*` any, `_` a blank)
    -- sorry: DECLARATIONS
"""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.lean.failures.conftest import Lean
from tracker.embedded.sysroot import ensure
from tracker.lean.failure import Failure, FailureClass, classify_check, sorry_declarations
from tracker.lean.messages import Message, RawLine, attribute, declaration_ranges, read_messages
from tracker.lean.process import Limits, Supervisor

REAL = Path(__file__).parent / "real"
C = FailureClass


def said(result: subprocess.CompletedProcess[bytes], source: str) -> list[Message | RawLine]:
    entries = list(read_messages(io.BytesIO(result.stdout)))
    messages = attribute([e for e in entries if isinstance(e, Message)], declaration_ranges(source))
    return [*messages, *(e for e in entries if isinstance(e, RawLine))]


def judged(result: subprocess.CompletedProcess[bytes], source: str) -> tuple[Failure, ...]:
    code = result.returncode
    return classify_check(
        said(result, source),
        result.stderr.decode(),
        code if code >= 0 else None,
        -code if code < 0 else None,
        declarations=declaration_ranges(source),
        all_options=True,
    )


def matches(expected: str, failure: Failure) -> bool:
    cls, phase, where, declaration, cause, *options = expected.split()
    shown = (
        str(failure.cls),
        failure.phase,
        failure.where.replace(" ", "_") or "-",
        failure.declaration or "-",
        failure.cause or "-",
    )
    wanted = (cls, phase, where, declaration, cause)
    same = all(w in ("*", s) for w, s in zip(wanted, shown, strict=True))
    return same and {tuple(option.split("=")) for option in options} <= set(failure.options)


@pytest.mark.parametrize("path", sorted(REAL.glob("*.lean")), ids=lambda path: path.stem)
def test_what_lean_says_of_a_file(path: Path, lean: Lean) -> None:
    source = path.read_text(encoding="utf-8")
    directives = dict(re.findall(r"^-- (args|exit|sorry): (.*)$", source, re.MULTILINE))
    expected = re.findall(r"^-- expect: (.*)$", source, re.MULTILINE)
    result = lean(*directives.get("args", "").split(), path)
    failures = judged(result, source)
    assert result.returncode == int(directives.get("exit", 1 if expected else 0)), result.stdout.decode()
    assert len(failures) == len(expected), failures
    for line, failure in zip(expected, failures, strict=True):
        assert matches(line, failure), (line, failure)
    messages = [m for m in said(result, source) if isinstance(m, Message)]
    if "sorry" in directives:
        assert sorry_declarations(messages) == tuple(directives["sorry"].split())


def test_the_kernels_own_word_names_the_declaration(lean: Lean) -> None:
    path = REAL / "kernel_timeout.lean"
    result = lean("-Dtrace.Kernel=true", path)
    messages = [m for m in read_messages(io.BytesIO(result.stdout)) if isinstance(m, Message)]
    named = [m.declaration for m in attribute(messages, ()) if m.severity == "error"]
    assert named == ["Orchard.slow"]


def test_options_of_the_command_line_are_shown(lean: Lean) -> None:
    path = REAL / "max_rec_depth.lean"
    source = path.read_text(encoding="utf-8")
    result = lean("-DmaxRecDepth=300", path)
    [failure] = classify_check(said(result, source), "", 1, options={"maxRecDepth": "300"})
    assert failure.options == (("maxRecDepth", "300"),)


# imports and artefacts

BASE = "theorem Base.fact : 1 = 1 := rfl\n"
TOP = "import Base\ntheorem Top.fact : 1 = 1 := Base.fact\n"


@pytest.fixture
def compiled(tmp_path: Path, lean: Lean) -> Path:
    """A directory with Base.lean compiled and Top.lean that imports it."""
    (tmp_path / "Base.lean").write_text(BASE)
    (tmp_path / "Top.lean").write_text(TOP)
    result = lean("-o", "Base.olean", "Base.lean", cwd=tmp_path)
    assert result.returncode == 0, result.stdout
    return tmp_path


def top(lean: Lean, directory: Path) -> tuple[Failure, ...]:
    return judged(lean("Top.lean", cwd=directory, env={**os.environ, "LEAN_PATH": str(directory)}), TOP)


def test_an_import_that_works(compiled: Path, lean: Lean) -> None:
    assert top(lean, compiled) == ()


def test_an_import_that_was_not_built(compiled: Path, lean: Lean) -> None:
    (compiled / "Base.olean").unlink()
    root = Failure(C.KERNEL_TIMEOUT, "kernel", "(kernel) deterministic timeout", declaration="Base.fact")
    [failure] = top(lean, compiled)
    assert (failure.cls, failure.cause, failure.declaration) == (C.BAD_IMPORT, None, None)
    [caused] = classify_check(
        [Message("error", failure.message, "Top.lean", failure.pos)], "", 1, earlier={"Base": root}
    )
    assert caused.cause == "Base.fact"


def test_an_olean_of_another_version(compiled: Path, lean: Lean) -> None:
    data = bytearray((compiled / "Base.olean").read_bytes())
    data[40:80] = b"0" * 40  # the commit of the Lean that wrote it
    (compiled / "Base.olean").write_bytes(data)
    [failure] = top(lean, compiled)
    assert (failure.cls, failure.where) == (C.OLEAN_MISMATCH, "incompatible header")


def test_an_olean_that_is_none(compiled: Path, lean: Lean) -> None:
    (compiled / "Base.olean").write_bytes(b"not an olean at all" * 100)
    [failure] = top(lean, compiled)
    assert (failure.cls, failure.where) == (C.OLEAN_MISMATCH, "invalid header")


def test_a_cut_off_olean_crashes_lean_silently(compiled: Path, lean: Lean) -> None:
    data = (compiled / "Base.olean").read_bytes()
    (compiled / "Base.olean").write_bytes(data[: len(data) // 2])
    [failure] = top(lean, compiled)
    assert failure.cls is C.CRASH
    assert failure.where in ("SIGSEGV", "SIGBUS")


def test_modules_that_import_each_other_are_not_built(tmp_path: Path, lean: Lean) -> None:
    (tmp_path / "Base.lean").write_text("import Top\n")
    (tmp_path / "Top.lean").write_text(TOP)
    [failure] = top(lean, tmp_path)
    assert failure.cls is C.BAD_IMPORT, "only Lake can see that it is a cycle"


def test_a_file_that_is_not_there(tmp_path: Path, lean: Lean) -> None:
    [failure] = judged(lean("Nowhere.lean", cwd=tmp_path), "")
    assert (failure.cls, failure.where) == (C.BAD_IMPORT, "no such module")


# ends from outside

SLOW = (
    (REAL / "kernel_timeout.lean").read_text(encoding="utf-8").replace("set_option maxHeartbeats 400 in", "")
)


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    path = tmp_path / "Slow.lean"
    path.write_text(SLOW.replace("24", "30"))
    return path


def test_killed_from_outside(slow: Path) -> None:
    child = subprocess.Popen([ensure().lean, "--json", slow], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.5)
    os.kill(child.pid, signal.SIGKILL)
    out, err = child.communicate()
    [failure] = judged(subprocess.CompletedProcess([], child.returncode, out, err), SLOW)
    assert (failure.cls, failure.where) == (C.KILLED, "SIGKILL")


@pytest.mark.parametrize(
    ("limits", "cls", "where"),
    [
        (Limits(wall_s=0.7), C.WALL_TIMEOUT, "wall limit"),
        (Limits(memory_bytes=60 << 20), C.OUT_OF_MEMORY, "memory limit"),
    ],
)
def test_stopped_by_a_limit(slow: Path, limits: Limits, cls: FailureClass, where: str) -> None:
    with Supervisor() as supervisor:
        outcome = supervisor.run([str(ensure().lean), "--json", slow.name], cwd=slow.parent, limits=limits)
    messages = read_messages(io.BytesIO(outcome.stdout))
    failures = classify_check(
        messages, outcome.stderr.decode(), outcome.exit_code, outcome.signal, outcome.limit
    )
    assert [(failure.cls, failure.where) for failure in failures] == [(cls, where)]
