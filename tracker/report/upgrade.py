"""A tried upgrade on the terminal: the verdict, cliffs, causes of losses, headline results, counts."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tracker.gate.compare import Change
from tracker.gate.upgrade import Fate, Growth, Ruling, Upgrade
from tracker.gate.upgrade_pins import describe_moves
from tracker.gate.upgrade_run import TriedUpgrade
from tracker.report.terminal import plain
from tracker.units import show_bytes, show_count, show_seconds

RULINGS = {
    Ruling.SAFE: ("✔", "blue"),
    Ruling.COSTS: ("▲", "yellow"),
    Ruling.LOSES: ("✘", "red"),
    Ruling.NOTHING: ("∅", "red"),
}
_SHOWN = 10
_REMARKS = {
    Change.DEPRECATIONS: "more deprecation warnings",
    Change.WARNINGS: "more warnings",
    Change.UNMEASURED: "no longer measured",
    Change.UNLIKE: "measured on unlike machines, so that their times are not compared",
}


def print_upgrade(tried: TriedUpgrade, out: Console, *, show_all: bool = False) -> None:
    """Print the whole comparison; with `show_all`, every obligation that is not proved as before."""
    found, limit = tried.upgrade, None if show_all else _SHOWN
    _head(tried, out)
    for line in describe_moves(tried.moves):
        out.print(Text(f"pin  {plain(line)}"), soft_wrap=True)
    _growth(found, out, limit)
    _causes(found, out, limit)
    _headlines(found, out, limit)
    _counts(found, out)
    if show_all:
        _changed(found, out)
    for line in remarks(found):
        out.print(Text(line), soft_wrap=True)


def _head(tried: TriedUpgrade, out: Console) -> None:
    found = tried.upgrade
    mark, colour = RULINGS[found.ruling]
    out.print(Text(f"{mark} {found.verdict}", style=f"bold {colour}"))
    out.print(Text(f"  before  {plain(side(found, after=False))}"), soft_wrap=True)
    out.print(Text(f"  after   {plain(side(found, after=True))}"), soft_wrap=True)
    out.print(Text(f"  commit  {plain(tried_words(tried))}"), soft_wrap=True)


def side(found: Upgrade, *, after: bool) -> str:
    """Return one side in words: its name, which Lean that is, and how much it proves."""
    trial = found.after if after else found.before
    obligations = trial.snapshot.obligations.values()
    proved = sum(ob.proved for ob in obligations)
    tool = trial.toolchain
    args = f" {' '.join(tool.lean_args)}" if tool.lean_args else ""
    return (
        f"{trial.name}: Lean {tool.version} ({tool.githash[:12]}){args}: {proved}/{len(obligations)} proved"
    )


def tried_words(tried: TriedUpgrade) -> str:
    """Return what was tried in words: the commit, with or without the uncommitted changes."""
    words = f"{tried.commit.sha[:10]} {tried.commit.subject}"
    if not tried.changes:
        return words
    how = "with" if tried.dirty else "without"
    cure = "" if tried.dirty else "; --dirty tries them too"
    return f"{words}, {how} {show_count(len(tried.changes), 'uncommitted file')}{cure}"


def amount(growth: Growth) -> tuple[str, str, str]:
    """Return before, after and factor of a growth in words."""
    show = show_seconds if growth.unit == "CPU s" else (lambda size: show_bytes(round(size)))
    return show(growth.before), show(growth.after), f"{growth.factor:.3g}×"


def _growth(found: Upgrade, out: Console, limit: int | None) -> None:
    if not found.growth:
        return
    out.print("\nstill checks, at more cost; the worst first", style="bold")
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    for growth in found.growth[:limit]:
        before, after, factor = amount(growth)
        what = "CPU" if growth.unit == "CPU s" else "memory"
        table.add_row(
            Text("▲▲" if growth.cliff else "▲", style="yellow"), factor, f"{what} {before} → {after}",
            Text(plain(growth.module)), Text(", ".join(growth.headlines)),
        )  # fmt: skip
    out.print(table)
    _more(len(found.growth), limit, out)


def _causes(found: Upgrade, out: Console, limit: int | None) -> None:
    if not found.causes:
        return
    out.print(f"\n{causes_title(found)}", style="bold")
    for cause in found.causes[:limit]:
        falls = [ident for ident in cause.lost if ident != cause.root]
        out.print(Text.assemble(("✘ ", "red"), plain(f"{cause.root}  {cause.label}")), soft_wrap=True)
        out.print(Text(f"    {plain(cause.reason)}"), soft_wrap=True)
        if falls:
            shown = falls if limit is None else falls[:limit]
            rest = f" and {len(falls) - len(shown)} more" if len(shown) < len(falls) else ""
            out.print(Text(f"    takes along {len(falls)}: {', '.join(shown)}{rest}"), soft_wrap=True)
    _more(len(found.causes), limit, out)


def causes_title(found: Upgrade) -> str:
    """Return how many are lost, and from how many causes, in words."""
    return f"{found.counts[Fate.LOST]} lost, from {show_count(len(found.causes), 'cause')}"


def _headlines(found: Upgrade, out: Console, limit: int | None) -> None:
    changed = [found.fates[i] for i in found.headlines if found.fates[i].before != found.fates[i].after]
    lost = sum(fate.fate is Fate.LOST for fate in changed)
    out.print(f"\nheadline results: {len(found.headlines)}, {lost} lost", style="bold")
    for fate in changed[:limit]:
        out.print(Text(f"  {fate.id}: {fate.before or 'absent'} → {fate.after or 'absent'}"), soft_wrap=True)
    _more(len(changed), limit, out)


def _counts(found: Upgrade, out: Console) -> None:
    out.print(f"\n{show_count(len(found.fates), 'obligation')}", style="bold")
    for fate, count in found.counts.items():
        if count:
            out.print(Text(f"  {count:>5}  {fate}"))
    total = found.total
    (cpu, cpu_after), (peak, peak_after) = total.cpu_s, total.peak_bytes
    if total.modules:
        out.print(
            f"{show_count(total.modules, 'module')} measured on both sides: CPU {show_seconds(cpu)} → "
            f"{show_seconds(cpu_after)}, peak {show_bytes(round(peak))} → {show_bytes(round(peak_after))}"
        )


def _changed(found: Upgrade, out: Console) -> None:
    out.print("")
    for fate in found.fates.values():
        if fate.fate is not Fate.PROVED:
            labels = f"{fate.before or 'absent'} → {fate.after or 'absent'}"
            out.print(Text(f"  {fate.fate}: {fate.id}  {labels}"), soft_wrap=True)


def remarks(found: Upgrade) -> Iterator[str]:
    """Yield a line about each kind of difference of modules that decides nothing but should be known."""
    failed = {d.subject for d in found.differing(Change.LOST)}
    for change, words in _REMARKS.items():
        if modules := [d.subject for d in found.differing(change) if d.subject not in failed]:
            rest = f" and {len(modules) - _SHOWN} more" if len(modules) > _SHOWN else ""
            yield f"{show_count(len(modules), 'module')} {words}: {', '.join(modules[:_SHOWN])}{rest}"


def _more(count: int, limit: int | None, out: Console) -> None:
    if limit is not None and count > limit:
        out.print(f"  and {count - limit} more: --all")
