"""Which toolchain is used: a real `lake` first, elan's shims looked through, nothing downloaded unasked.

elan cannot be installed here; what stands for it is its directory layout, with programs that answer
`--version` in Lean's words and leave a trace when they are run.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tracker.config import Settings, load_settings
from tracker.errors import LeanError, UsageError
from tracker.lean.toolchain import find_lake, identify, installed_toolchains
from tracker.toolchains import choose_toolchain

COMMIT = "0123456789abcdef0123456789abcdef01234567"
ANSWER = f"Lean (version 4.31.0, x86_64-unknown-linux-gnu, commit {COMMIT}, Release)"


def program(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return file


@pytest.fixture
def elan(tmp_path: Path) -> Path:
    """An elan home with shims that must never be run."""
    home = tmp_path / "elan"
    for name in ("elan", "lake", "lean"):
        program(home / "bin" / name, f"touch {tmp_path}/DOWNLOADED; exit 1")
    return home


def install(elan: Path, directory: str) -> Path:
    binaries = elan / "toolchains" / directory / "bin"
    program(binaries / "lake", "echo unused")
    program(binaries / "lean", f"echo '{ANSWER}'")
    return binaries


def project(tmp_path: Path, pin: str | None) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    if pin is not None:
        (root / "lean-toolchain").write_text(pin + "\n")
    return root


def path_of(elan: Path) -> dict[str, str]:
    return {"PATH": str(elan / "bin")}


def test_no_lake_on_path(tmp_path: Path) -> None:
    assert find_lake(tmp_path, {"PATH": str(tmp_path)}) is None


def test_the_pinned_toolchain_is_used_past_the_shim(elan: Path, tmp_path: Path) -> None:
    binaries = install(elan, "leanprover--lean4---v4.31.0")
    found = find_lake(project(tmp_path, "leanprover/lean4:v4.31.0"), path_of(elan))
    assert found is not None
    assert (found.lake, found.lean) == (binaries / "lake", binaries / "lean")
    assert found.version == "4.31.0"
    assert found.githash == COMMIT
    assert "leanprover/lean4:v4.31.0" in found.reason
    assert not (tmp_path / "DOWNLOADED").exists()


def test_a_toolchain_that_is_not_installed_is_never_downloaded(elan: Path, tmp_path: Path) -> None:
    with pytest.raises(LeanError, match=r"v4\.99\.0") as caught:
        find_lake(project(tmp_path, "leanprover/lean4:v4.99.0"), path_of(elan))
    assert caught.value.hint is not None
    assert "elan toolchain install leanprover/lean4:v4.99.0" in caught.value.hint
    assert not (tmp_path / "DOWNLOADED").exists()


def test_the_pin_of_a_directory_above(elan: Path, tmp_path: Path) -> None:
    install(elan, "leanprover--lean4---v4.31.0")
    inner = project(tmp_path, "leanprover/lean4:v4.31.0") / "inner"
    inner.mkdir()
    assert find_lake(inner, path_of(elan)) is not None


def test_override_by_environment_and_default(elan: Path, tmp_path: Path) -> None:
    install(elan, "leanprover--lean4---nightly")
    root = project(tmp_path, None)
    environment = {**path_of(elan), "ELAN_TOOLCHAIN": "leanprover/lean4:nightly"}
    assert find_lake(root, environment) is not None
    with pytest.raises(LeanError, match="pins no toolchain"):
        find_lake(root, path_of(elan))
    (elan / "settings.toml").write_text('default_toolchain = "leanprover/lean4:nightly"\n')
    assert find_lake(root, path_of(elan)) is not None


def test_a_lake_without_elan(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "lake", "echo unused")
    program(tmp_path / "bin" / "lean", f"echo '{ANSWER}'")
    found = find_lake(tmp_path, {"PATH": str(tmp_path / "bin")})
    assert found is not None
    assert found.version == "4.31.0"


def test_a_program_that_is_no_lean(tmp_path: Path) -> None:
    with pytest.raises(LeanError, match="names a version"):
        identify(program(tmp_path / "lean", "echo hello"))
    with pytest.raises(LeanError, match="did not answer"):
        identify(tmp_path / "absent")


def settings(tmp_path: Path, text: str) -> Settings:
    (tmp_path / "tracker.toml").write_text(text)
    return load_settings(tmp_path, environment={})


def test_a_real_lake_is_preferred_to_the_embedded_one(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "lake", "echo unused")
    program(tmp_path / "bin" / "lean", f"echo '{ANSWER}'")
    environment = {"PATH": str(tmp_path / "bin")}
    assert choose_toolchain(settings(tmp_path, ""), environment).name == "lake"
    asked = settings(tmp_path, '[tracker]\ntoolchain = "embedded"\n')
    assert choose_toolchain(asked, environment).name == "embedded"


def test_without_a_lake_the_embedded_one_is_used_and_says_so(tmp_path: Path) -> None:
    found = choose_toolchain(settings(tmp_path, ""), {"PATH": str(tmp_path)})
    assert (found.name, found.version) == ("embedded", "4.35.0")
    assert "no `lake` is on PATH" in found.reason


def test_nothing_of_the_embedded_one_is_on_path() -> None:
    scripts = Path(sys.executable).parent
    assert not (scripts / "lean").exists()
    assert not (scripts / "lake").exists()


def test_a_named_toolchain_and_an_unknown_one(tmp_path: Path) -> None:
    named = settings(tmp_path, '[toolchains.tight]\nembedded = true\nlean_args = ["-DmaxRecDepth=64"]\n')
    with pytest.raises(UsageError, match="tihgt"):
        choose_toolchain(_with(named, "tihgt"), {})
    found = choose_toolchain(_with(named, "tight"), {})
    assert found.lean_args == ("-DmaxRecDepth=64",)
    assert "-DmaxRecDepth=64" in found.identity, "other options, other evidence"


def _with(base: Settings, toolchain: str) -> Settings:
    from dataclasses import replace

    return replace(base, toolchain=toolchain)


def test_a_toolchain_of_elan_by_name(elan: Path, tmp_path: Path) -> None:
    binaries = install(elan, "leanprover--lean4---v4.31.0")
    install(elan, "leanprover--lean4---nightly-2026-01-31")
    for name in ("v4.31.0", "leanprover/lean4:v4.31.0"):
        asked = settings(tmp_path, f'[tracker]\ntoolchain = "{name}"\n')
        found = choose_toolchain(asked, path_of(elan))
        assert (found.name, found.lake) == ("leanprover/lean4:v4.31.0", binaries / "lake")
    assert installed_toolchains(path_of(elan)) == [
        "leanprover/lean4:nightly-2026-01-31",
        "leanprover/lean4:v4.31.0",
    ]
    missing = settings(tmp_path, '[tracker]\ntoolchain = "v4.99.0"\n')
    with pytest.raises(LeanError, match=r"elan toolchain install leanprover/lean4:v4\.99\.0"):
        choose_toolchain(missing, path_of(elan))
    assert installed_toolchains({"ELAN_HOME": str(tmp_path / "absent")}) == []
    assert not (tmp_path / "DOWNLOADED").exists()
