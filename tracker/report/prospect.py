"""What `tracker run --dry-run` says: what a run would do, how long, with how much memory, what is unknown."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from tracker.report.terminal import plain
from tracker.run.session import Prospect
from tracker.units import show_bytes, show_count, show_seconds

_SHOWN = 200


def prospect_json(prospect: Prospect) -> dict[str, Any]:
    """Return the prospect for programs. Seconds and bytes; what is unknown counts as nothing in the sums."""
    plan, seen = prospect.plan, prospect.forecast
    return {
        "schema_version": 1,
        "modules": list(plan.modules),
        "todo": list(plan.todo),
        "probes": {module: list(names) for module, names in plan.probes.items()},
        "jobs": prospect.jobs,
        "memory_bytes": prospect.memory_bytes,
        "machine": str(prospect.machine),
        "estimate": {
            "wall_s": seen.wall_s,
            "peak_bytes": seen.peak_bytes,
            "critical_s": seen.critical_s,
            "critical_path": list(seen.critical_path),
            "unknown": list(seen.unknown),
            "foreign": list(prospect.foreign),
            "slots": [
                {"module": slot.module, "start_s": slot.start_s, "end_s": slot.end_s} for slot in seen.slots
            ],
        },
    }


def print_prospect(prospect: Prospect, out: Console) -> None:
    """Print the prospect for people, modules in the order of their starts."""
    plan, seen = prospect.plan, prospect.forecast
    out.print(f"{len(plan.todo)} of {show_count(len(plan.modules), 'module')} would be checked")
    unknown = set(seen.unknown)
    for slot in seen.slots[:_SHOWN]:
        when = f"{'':>9} {'?':>9}" if slot.module in unknown else _when(slot.start_s, slot.end_s)
        out.print(Text(f"  {when}  {plain(slot.module)}"), soft_wrap=True)
    if len(seen.slots) > _SHOWN:
        out.print(f"  … and {len(seen.slots) - _SHOWN} more (--json lists all)")
    asked = sum(map(len, plan.probes.values()))
    out.print(f"Lean would be asked about {show_count(asked, 'declaration')}")
    if plan.todo:
        _print_estimate(prospect, out)


def _when(start_s: float, end_s: float) -> str:
    return f"+{show_seconds(start_s):>8} {show_seconds(end_s - start_s):>9}"


def _print_estimate(prospect: Prospect, out: Console) -> None:
    seen = prospect.forecast
    known = len(prospect.plan.todo) - len(seen.unknown)
    if known:
        way = f", the longest chain of imports alone {show_seconds(seen.critical_s)}"
        least = "at least " if seen.unknown else ""
        out.print(
            f"estimate with -j {prospect.jobs}: {least}{show_seconds(seen.wall_s)}{way}; "
            f"peak {least}{show_bytes(seen.peak_bytes)} of {show_bytes(prospect.memory_bytes)}",
            soft_wrap=True,
        )
    if seen.unknown:
        alone = ", each runs alone" if prospect.jobs > 1 else ""
        out.print(f"{show_count(len(seen.unknown), 'module')} without a record{alone}", soft_wrap=True)
    if prospect.foreign:
        foreign = show_count(len(prospect.foreign), "module")
        out.print(f"{foreign} recorded on another machine", soft_wrap=True)
