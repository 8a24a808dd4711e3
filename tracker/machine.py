"""The machine that a figure was measured on. Figures of unlike machines are never compared silently."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass

import psutil


@dataclass(frozen=True)
class Machine:
    """What of a machine decides time and memory."""

    cpu: str
    cores: int
    memory_bytes: int
    system: str

    def __str__(self) -> str:
        return f"{self.cpu}, {self.cores} cores, {self.memory_bytes / 2**30:.0f} GiB, {self.system}"


def this_machine() -> Machine:
    """Return this machine: CPU model, usable cores, physical memory in bytes, system and architecture."""
    return Machine(
        cpu=_cpu_model(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        memory_bytes=psutil.virtual_memory().total,
        system=f"{platform.system()} {platform.machine()}",
    )


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
