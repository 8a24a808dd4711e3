"""The report as Markdown, for a GitHub step summary: it keeps within the size that GitHub shows at all.

GitHub drops a summary of more than 1,024 KiB. So the most telling parts come first, and lists end with
"and N more" where room runs out.
"""

from __future__ import annotations

from collections.abc import Sequence

from tracker.report.html.causes import Cause, Place
from tracker.report.html.changes import Comparison, state_of
from tracker.report.html.costs import ModuleCost, ModuleShift, ToolchainComparison
from tracker.report.html.matrix import Cell, Matrix, count_states
from tracker.report.html.model import Dashboard
from tracker.report.html.states import LOOKS
from tracker.report.html.words import headline, moment, times
from tracker.report.markup import Page as _Page
from tracker.report.markup import code as _code
from tracker.report.markup import fenced as _fenced
from tracker.report.markup import table as _table
from tracker.report.markup import text as _text
from tracker.units import show_bytes, show_count, show_seconds
from tracker.verdict import State

GITHUB_LIMIT = 1024 * 1024
"""Bytes of a step summary that GitHub accepts."""
_MOST_PLACES = 5
_MOST_NAMES = 5
_HEAVIEST = 8


def report_markdown(board: Dashboard, limit: int = GITHUB_LIMIT) -> str:
    """Return the report in at most `limit` bytes of UTF-8."""
    page = _Page(limit)
    page.add(_head(board))
    if board.status.verdicts:
        page.add("## Nets by kind\n\n" + _matrix(board.matrix, "net"))
        for families in board.families:
            page.add("## Families\n\n" + _matrix(families, "family"))
    for comparison in (board.since_last_run, board.since_baseline):
        if comparison is not None:
            page.add(_changes(comparison))
    if board.causes:
        page.add_list("## What stands in the way\n\n", [_cause(cause) for cause in board.causes], "cause")
    if board.comparison is not None:
        page.add(_toolchains(board.comparison))
    for part in filter(None, (_heaviest(board.costs), _nearest(board), _dearest(board))):
        page.add(part)
    rest = [v for v in board.status.verdicts.values() if not v.proved]
    if rest:
        rows = [f"| {_mark(v.state)} {_text(v.label)} | {_code(v.id)} | {_text(v.reason)} |\n" for v in rest]
        page.add_list(
            "## Not proved\n\n| state | obligation | why |\n| :-- | :-- | :-- |\n", rows, "obligation"
        )
    return page.text()


def _head(board: Dashboard) -> str:
    status, run = board.status, board.run
    tool = status.toolchain
    lines = [f"# {_mark(State.PROVED if status.passed else State.FAILED)} {headline(status)}\n"]
    about = f"{_text(board.title)}, Lean {tool.version} ({_text(tool.name)}, commit `{tool.githash[:12]}`)"
    if run is not None:
        commit = f", commit `{run.commit[:10]}`{' with changes' if run.dirty else ''}" if run.commit else ""
        state = {"running": ", under way", "interrupted": ", cut off"}.get(run.state, "")
        about += f"; run {run.number}, {moment(run.ended_at or run.started_at)} UTC{state}{commit}"
    lines.append(about + ".")
    if board.complete_since is not None:
        since = board.complete_since
        lines.append(f"Complete since run {since.number}, {moment(since.started_at)} UTC.")
    counts = count_states(status.verdicts.values())
    if counts:
        lines.append(" · ".join(f"{_mark(state)} {count} {state}" for state, count in counts.items()))
    totals = status.totals
    lines.append(
        f"{totals.checked} of {show_count(totals.modules, 'module')} checked, {totals.passed} passed; "
        f"wall {show_seconds(totals.wall_s)}, CPU {show_seconds(totals.cpu_s)}, "
        f"peak {show_bytes(totals.peak_rss_bytes)}."
    )
    if status.claims:
        wrong = [claim for claim in status.claims if not claim.holds]
        failing = show_count(len(wrong), "fails", "fail") if wrong else "none fails"
        lines.append(f"{show_count(len(status.claims), 'claim')} counted in the sources: {failing}.")
        lines += [
            f"- {_code(c.id)}: {show_count(c.claimed, 'use')} of {_code(c.claim)} claimed, "
            f"{c.counted} counted"
            for c in wrong[:_MOST_NAMES]
        ]
    return "\n\n".join(lines) + "\n"


def _matrix(matrix: Matrix, first: str) -> str:
    head = [first, *(_text(title) for _, title in matrix.columns), "all"]
    rows = [
        [_text(row.title), *(_cell(cell) for cell in row.cells), _cell(row.whole)] for row in matrix.rows
    ]  # fmt: skip
    return _table(head, rows)


def _cell(cell: Cell) -> str:
    if cell.state is None:
        return _text(cell.note) or "–"
    if cell.proved == cell.total:
        return f"{_mark(State.PROVED)} {cell.total}"
    return f"{_mark(cell.state)} {cell.proved}/{cell.total} ({cell.words})"


def _changes(comparison: Comparison) -> str:
    lines = [f"## Changed since {_text(comparison.title)}\n"]
    lines += [
        f"- {_mark_of(c.before)} {_text(c.before)} → {_mark_of(c.after)} {_text(c.after)}: "
        f"{len(c.ids)} ({_names(c.ids)})" for c in comparison.changes
    ]  # fmt: skip
    if comparison.new:
        lines.append(f"- {comparison.new} new in the catalogue")
    if comparison.gone:
        lines.append(f"- {len(comparison.gone)} gone from the catalogue ({_names(comparison.gone)})")
    return "\n".join(lines if len(lines) > 1 else [*lines, "Nothing."]) + "\n"


def _cause(cause: Cause) -> str:
    phase = f" in the {cause.phase}" if cause.phase else ""
    blocks = f", blocks {len(cause.blocked)}" if cause.blocked else ""
    places = show_count(len(cause.places), "place")
    lines = [f"### {_mark(cause.state)} {_text(cause.label)}{phase}: {places}{blocks}\n"]
    if cause.message:
        lines.append(_fenced(cause.message))
    lines += [f"- {_place(place, cause)}" for place in cause.places[:_MOST_PLACES]]
    if len(cause.places) > _MOST_PLACES:
        lines.append(f"- and {len(cause.places) - _MOST_PLACES} more")
    if cause.blocked:
        lines.append(f"\nBlocks {_names(cause.blocked)}.")
    if cause.advice:
        lines.append(f"\n> {cause.advice}")
    return "\n".join(lines) + "\n\n"


def _place(place: Place, cause: Cause) -> str:
    name = place.obligation or place.declaration or place.module
    where = f"{place.file}:{place.line}:{place.column}" if place.file and place.line else place.module
    why = f": {_text(place.reason)}" if place.reason and not cause.message else ""
    return f"{_code(name)} ({_code(where)}){why}"


def _toolchains(two: ToolchainComparison) -> str:
    lines = [f"## Lean {two.old.version} → {two.new.version}\n", f"{two.kept} proved under both."]
    if two.lost:
        lines.append(f"**{len(two.lost)} no longer proved**: {_names(two.lost)}.")
    if two.gained:
        lines.append(f"{len(two.gained)} proved only now: {_names(two.gained)}.")
    if not two.same_machine:
        lines.append("Costs are not compared: the runs were made on different machines.")
    text = "\n".join(lines) + "\n"
    if not two.cliffs:
        return text
    rows = [_shift(shift) for shift in two.cliffs[:_HEAVIEST]]
    more = len(two.cliffs) - _HEAVIEST
    return (
        f"{text}\nPass under both, but slower or heavier:\n\n"
        + _table(["module", "wall", "", "peak", ""], rows, right=1)
        + (f"\nand {more} more\n" if more > 0 else "")
    )


def _shift(shift: ModuleShift) -> list[str]:
    old, new = shift.old.cost, shift.new.cost
    assert old is not None
    assert new is not None
    return [
        _code(shift.module),
        f"{show_seconds(old.wall_s)} → {show_seconds(new.wall_s)}", times(shift.wall_ratio),
        f"{show_bytes(old.peak_rss_bytes)} → {show_bytes(new.peak_rss_bytes)}", times(shift.memory_ratio),
    ]  # fmt: skip


def _heaviest(costs: Sequence[ModuleCost]) -> str:
    if not costs:
        return ""
    chosen = {c.module: c for c in sorted(costs, key=lambda c: -c.cost.wall_s)[:_HEAVIEST]}
    chosen |= {c.module: c for c in sorted(costs, key=lambda c: -c.cost.peak_rss_bytes)[:_HEAVIEST]}
    rows = [
        [
            _code(c.module), show_seconds(c.cost.wall_s), show_seconds(c.cost.cpu_s),
            show_bytes(c.cost.peak_rss_bytes), _share(c.budget_share),
        ]
        for c in sorted(chosen.values(), key=lambda c: -c.cost.wall_s)
    ]  # fmt: skip
    return "## Heaviest modules\n\n" + _table(["module", "wall", "CPU", "peak", "of budget"], rows, right=1)


def _nearest(board: Dashboard) -> str:
    found = board.measured.by_use(board.catalogue)
    if not found:
        return ""
    rows = [
        [_code(ob.id), _code(near.option), f"{near.needed:,}", f"{near.limit:,}", _share(near.use)]
        for ob, near in found[:_MOST_NAMES]
    ]
    all_ = show_count(len(board.catalogue), "obligation")
    return f"## Nearest to a limit\n\nMeasured: {len(found)} of {all_}.\n\n" + _table(
        ["obligation", "limit", "needs", "of", "use"], rows, right=2
    )


def _dearest(board: Dashboard) -> str:
    found = board.measured.by_time(board.catalogue)
    if not found:
        return ""
    rows = [
        [
            _code(ob.id), show_seconds(cost.elaboration_s), show_seconds(cost.kernel_s),
            show_seconds(cost.compilation_s + cost.linting_s),
        ]
        for ob, cost in found[:_MOST_NAMES]
    ]  # fmt: skip
    all_ = show_count(len(board.catalogue), "obligation")
    return f"## Dearest declarations\n\nProfiled: {len(found)} of {all_}.\n\n" + _table(
        ["obligation", "elaboration", "kernel", "other"], rows, right=1
    )


def _share(share: float | None) -> str:
    if share is None:
        return "–"
    return "< 1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %{' ▲' if share > 1 else ''}"


def _mark(state: State) -> str:
    return LOOKS[state].mark


def _mark_of(label: str) -> str:
    return _mark(state_of(label))


def _names(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _MOST_NAMES} more" if len(ids) > _MOST_NAMES else ""
    return ", ".join(_code(ident) for ident in ids[:_MOST_NAMES]) + more
