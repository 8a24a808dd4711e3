"""Which option values a failure should show: those its message names, else those in force there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from tracker.lean.failures.model import FailureClass

C = FailureClass

DEFAULTS: Mapping[str, str] = {
    "maxRecDepth": "512",
    "maxHeartbeats": "200000",
    "synthInstance.maxHeartbeats": "20000",
    "synthInstance.maxSize": "128",
}
"""Lean's own values (4.35): in force where it is known that nothing else was set."""

_RELEVANT: Mapping[FailureClass, tuple[str, ...]] = {
    C.MAX_REC_DEPTH: ("maxRecDepth",),
    C.KERNEL_DEEP_RECURSION: ("maxRecDepth",),
    C.STACK_OVERFLOW: ("maxRecDepth",),
    C.HEARTBEATS: ("maxHeartbeats",),
    C.KERNEL_TIMEOUT: ("maxHeartbeats",),
    C.INSTANCE_MISSING: ("synthInstance.maxHeartbeats", "synthInstance.maxSize"),
}
_LOOKED_AT = 1 << 14
_ALWAYS = ("debug.skipKernelTC", "warningAsError", "maxErrors")


@cache
def _spent() -> re.Pattern[str]:
    return re.compile(r"maximum number of heartbeats \((\d+)\)(?:.*?set_option ([\w.]+) <num>)?", re.DOTALL)


def named_options(text: str) -> dict[str, str]:
    """Return the option that a message says was used up, with the value it reports."""
    found = _spent().search(text[:_LOOKED_AT])
    return {found[2] or "maxHeartbeats": found[1]} if found else {}


def in_force(cls: FailureClass, where: str, given: Mapping[str, str], *, complete: bool) -> dict[str, str]:
    """Return the options that bear on this class: as given, and Lean's defaults if `given` is `complete`."""
    relevant = _RELEVANT.get(cls, ())
    if cls is C.HEARTBEATS and where == "typeclass":
        relevant = ("synthInstance.maxHeartbeats",)
    known = {**DEFAULTS, **given} if complete else given
    return {name: known[name] for name in (*relevant, *_ALWAYS) if name in known}
