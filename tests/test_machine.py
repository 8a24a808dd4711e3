"""The machine, and the container that it may be: what memory there is, and what is left of it."""

from __future__ import annotations

from pathlib import Path

import psutil

from tracker.machine import Machine, _container_limits, available_bytes, this_machine


def group(directory: Path, limit: str, current: int, cache: int) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "memory.max").write_text(f"{limit}\n")
    (directory / "memory.current").write_text(f"{current}\n")
    (directory / "memory.stat").write_text(f"anon 5\ninactive_file {cache}\nactive_file 7\n")


def limits(tmp_path: Path, own: str) -> list[tuple[int, int]]:
    (tmp_path / "own").write_text(own)
    return list(_container_limits(tmp_path / "cg", tmp_path / "own"))


def test_every_group_around_the_process_counts(tmp_path: Path) -> None:
    group(tmp_path / "cg" / "a" / "b", "1000", 700, 200)
    group(tmp_path / "cg" / "a", "max", 900, 0)
    group(tmp_path / "cg", "4000", 900, 100)
    group(tmp_path / "cg" / "other", "1", 1, 0)
    assert limits(tmp_path, "4:memory:/x\n0::/a/b\n") == [(1000, 500), (4000, 800)]
    assert limits(tmp_path, "0::/\n") == [(4000, 800)], "a container sees its own group as the root"


def test_where_there_are_no_such_groups(tmp_path: Path) -> None:
    (tmp_path / "cg" / "a").mkdir(parents=True)
    assert limits(tmp_path, "0::/a\n") == [], "no memory controller"
    assert limits(tmp_path, "4:memory:/a\n") == [], "the groups of old"
    (tmp_path / "cg" / "a" / "memory.max").write_text("garbage")
    assert limits(tmp_path, "0::/a\n") == []
    assert list(_container_limits(tmp_path / "cg", tmp_path / "absent")) == []


def test_this_machine() -> None:
    machine = this_machine()
    assert 0 < machine.memory_bytes <= psutil.virtual_memory().total
    assert 0 <= available_bytes() <= psutil.virtual_memory().total
    assert machine.cores >= 1
    assert str(machine.cores) in str(machine)


def test_one_core_is_one() -> None:
    assert str(Machine("Z80", 1, 2**30, "Linux x86_64")) == "Z80, 1 core, 1 GiB, Linux x86_64"
    assert str(Machine("Z80", 2, 2**30, "Linux x86_64")) == "Z80, 2 cores, 1 GiB, Linux x86_64"
