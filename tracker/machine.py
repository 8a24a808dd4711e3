"""The machine that a figure was measured on. Figures of unlike machines are never compared silently."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from tracker.units import show_count

_CGROUPS = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class Machine:
    """What of a machine decides time and memory."""

    cpu: str
    cores: int
    memory_bytes: int
    system: str

    def __str__(self) -> str:
        memory = f"{self.memory_bytes / 2**30:.0f} GiB"
        return f"{self.cpu}, {show_count(self.cores, 'core')}, {memory}, {self.system}"


def this_machine() -> Machine:
    """Return this machine: CPU model, usable cores, usable memory in bytes, system and architecture."""
    return Machine(
        cpu=_cpu_model(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        memory_bytes=min([psutil.virtual_memory().total, *(limit for limit, _ in _container_limits())]),
        system=f"{platform.system()} {platform.machine()}",
    )


def available_bytes() -> int:
    """Return the memory that can still be had: of the machine, or of the container that this runs in."""
    rooms = (limit - used for limit, used in _container_limits())
    return max(0, min([psutil.virtual_memory().available, *rooms]))


def _container_limits(
    root: Path = _CGROUPS, own: Path = Path("/proc/self/cgroup")
) -> Iterator[tuple[int, int]]:
    """Yield limit and use, in bytes, of each control group around this process (Linux, cgroup v2).

    Use is without the file cache that the kernel gives back when memory is short (`inactive_file`).
    """
    try:
        lines = own.read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    path = next((line.removeprefix("0::/") for line in lines if line.startswith("0::/")), None)
    if path is None:
        return
    for group in (root / path, *(root / path).parents):
        if not group.is_relative_to(root):
            return
        try:
            limit = (group / "memory.max").read_text(encoding="ascii").strip()
            if limit != "max":
                yield int(limit), int((group / "memory.current").read_text(encoding="ascii")) - _cache(group)
        except (OSError, ValueError):
            continue  # a group without the memory controller


def _cache(group: Path) -> int:
    with (group / "memory.stat").open(encoding="ascii") as file:
        return next((int(line.split()[1]) for line in file if line.startswith("inactive_file ")), 0)


def _cpu_model() -> str:
    """Return the model name of the first CPU (Linux: /proc/cpuinfo), else the architecture."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith(("model name", "Hardware", "CPU implementer")):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
