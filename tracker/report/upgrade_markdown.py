"""A tried upgrade as Markdown, for the text of a pull request: it stays below GitHub's limit of that."""

from __future__ import annotations

from tracker.gate.rollup import Cause
from tracker.gate.upgrade import Fate, Growth, ObligationFate, Upgrade
from tracker.gate.upgrade_pins import PinMoves, describe_moves
from tracker.gate.upgrade_run import TriedUpgrade
from tracker.report.markup import Page, code, fenced, table, text
from tracker.report.upgrade import RULINGS, amount, causes_title, remarks, side, tried_words
from tracker.units import show_bytes, show_seconds

PULL_REQUEST_LIMIT = 65_536
"""Characters that GitHub takes as the text of a pull request or a comment."""
_NAMES = 8


def upgrade_markdown(tried: TriedUpgrade, limit: int = PULL_REQUEST_LIMIT) -> str:
    """Return the report in at most `limit` bytes of UTF-8, the most telling parts first."""
    found, page = tried.upgrade, Page(limit)
    page.add(_head(tried))
    if found.growth:
        rows = [f"| {' | '.join(_grown(growth))} |\n" for growth in found.growth]
        page.add_list(
            "## Still checks, at more cost\n\n" + table(["", "factor", "what", "module", "headlines"], []),
            rows, "module",
        )  # fmt: skip
    if found.causes:
        page.add_list(f"## {causes_title(found)}\n\n", [_cause(cause) for cause in found.causes], "cause")
    _headlines(page, found)
    if tried.moves.moved or tried.moves.left:
        page.add(_pins(tried.moves))
    _list(page, "Statements that print differently", found.having(Fate.PRINTS))
    _list(page, "Proved on more axioms", found.having(Fate.AXIOMS))
    _list(page, "Not proved, in another way than before", found.having(Fate.CLASS))
    _list(page, "Gained", found.having(Fate.GAINED))
    return page.text()


def _head(tried: TriedUpgrade) -> str:
    found = tried.upgrade
    mark = RULINGS[found.ruling][0]
    names = f"{code(found.before.name)} → {code(found.after.name)}"
    counts = " · ".join(f"{count} {fate}" for fate, count in found.counts.items() if count)
    (cpu, cpu_after), (peak, peak_after) = found.total.cpu_s, found.total.peak_bytes
    lines = [
        f"# {mark} {names}: {found.verdict}",
        f"- before: {text(side(found, after=False))}",
        f"- after: {text(side(found, after=True))}",
        f"- commit: {text(tried_words(tried))}",
        f"- obligations: {counts}",
        f"- CPU {show_seconds(cpu)} → {show_seconds(cpu_after)}",
        f"- peak {show_bytes(round(peak))} → {show_bytes(round(peak_after))}",
        *(f"- {text(line)}" for line in remarks(found)),
    ]
    return f"{lines[0]}\n\n" + "\n".join(lines[1:]) + "\n"


def _grown(growth: Growth) -> list[str]:
    before, after, factor = amount(growth)
    what = "CPU" if growth.unit == "CPU s" else "memory"
    return [
        "▲▲" if growth.cliff else "▲", factor, f"{what} {before} → {after}", code(growth.module),
        _names(growth.headlines),
    ]  # fmt: skip


def _cause(cause: Cause) -> str:
    falls = [ident for ident in cause.lost if ident != cause.root]
    lines = [f"### ✘ {code(cause.root)}: {text(cause.label)}\n"]
    if cause.reason:
        lines.append(fenced(cause.reason))
    if falls:
        lines.append(f"Takes along {len(falls)}: {_names(falls)}.")
    return "\n".join(lines) + "\n\n"


def _headlines(page: Page, found: Upgrade) -> None:
    fates = [found.fates[ident] for ident in found.headlines]
    changed = [fate for fate in fates if fate.before != fate.after]
    lost = sum(fate.fate is Fate.LOST for fate in changed)
    title = f"## Headline results: {len(fates)}, {lost} lost\n\n"
    if changed:
        page.add_list(title + table(["obligation", "before", "after"], []), _rows(changed), "result")
    else:
        page.add(title + "All are as before.\n")


def _rows(fates: list[ObligationFate]) -> list[str]:
    return [f"| {code(f.id)} | {text(f.before or 'absent')} | {text(f.after or 'absent')} |\n" for f in fates]


def _list(page: Page, title: str, fates: list[ObligationFate]) -> None:
    if fates:
        head = f"## {title}: {len(fates)}\n\n" + table(["obligation", "before", "after"], [])
        page.add_list(head, _rows(fates), "obligation")


def _pins(moves: PinMoves) -> str:
    return "## Pins\n\n" + "".join(f"- {text(line)}\n" for line in describe_moves(moves))


def _names(ids: tuple[str, ...] | list[str]) -> str:
    more = f" and {len(ids) - _NAMES} more" if len(ids) > _NAMES else ""
    return ", ".join(code(ident) for ident in ids[:_NAMES]) + more
