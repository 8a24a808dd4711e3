"""The terminal's face of a status: fits 80 columns, says by symbol and word what it says by colour."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from tracker.catalogue.families import holes
from tracker.catalogue.model import Catalogue
from tracker.evidence import ModuleCheck
from tracker.lean.failure import Failure
from tracker.report.summary import Status, blocked_dependants
from tracker.units import show_bytes, show_count, show_seconds
from tracker.verdict import State, Verdict, one_line

# Symbol and colour of a state; blue and orange stay apart for every kind of colour vision.
MARKS = {
    State.PROVED: ("✔", "blue"),
    State.OVER_BUDGET: ("▲", "yellow"),
    State.OBSOLETE: ("◌", "cyan"),
    State.UNCHECKED: ("?", "cyan"),
    State.BLOCKED: ("⊘", "magenta"),
    State.DRIFTED: ("≠", "yellow"),
    State.SORRY: ("!", "yellow"),
    State.AXIOM: ("!", "yellow"),
    State.FAILED: ("✘", "red"),
    State.MISSING: ("∅", "red"),
    State.UNBUILT: ("∅", "red"),
}
_SHOWN_DEPENDANTS = 4
_ROOMY = 120  # columns from which on long titles of nets and kinds are not cut


def plain(text: str) -> str:
    """Return untrusted text without control characters, so that it cannot steer the terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


def print_status(status: Status, catalogue: Catalogue, out: Console, *, show_all: bool = False) -> None:
    """Print the whole status."""
    _headline(status, out)
    if not status.verdicts:
        out.print("The catalogue has no obligations: nothing was checked.")
        return
    out.print(_matrix(status, catalogue, cut=out.width < _ROOMY))
    _unproved(status, catalogue, out)
    _failed_modules(status, out)
    if show_all:
        _proved(status, out)
    _costs(status, out)
    _remarks(status, catalogue, out)


def _headline(status: Status, out: Console) -> None:
    tool, run = status.toolchain, status.run
    out.print(f"[bold]Lean {tool.version}[/] ({escape(tool.name)}, commit {tool.githash[:12]})", end="")
    if run is None:
        out.print(" · no run yet: `tracker run` has Lean check the project")
    else:
        cut = " [bold](cut off)[/]" if run.state == "interrupted" else ""
        commit = f" · {run.commit[:10]}{'+changes' if run.dirty else ''}" if run.commit else ""
        out.print(f" · run {run.number}{cut}, {_ago(run.ended_at or run.started_at)}{commit}")
    counts = Counter(v.state for v in status.verdicts.values())
    total = len(status.verdicts)
    if total:
        share = 100 * counts[State.PROVED] // total
        words = ", ".join(f"{counts[s]} {s}" for s in State if counts[s])
        mark = MARKS[State.PROVED if status.passed else State.FAILED][0]
        out.print(f"{mark} {show_count(total, 'obligation')}: {words} (coverage {share} %)\n")


def _matrix(status: Status, catalogue: Catalogue, *, cut: bool) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("net", no_wrap=True, max_width=20 if cut else None)
    table.add_column("kind", no_wrap=True, max_width=22 if cut else None)
    table.add_column("proved", justify="right", no_wrap=True)
    table.add_column("not proved", overflow="fold")
    last = None
    for cell in status.cells:
        net = _net_title(cell.net, catalogue)
        rest = [(label, n) for label, n in cell.counts.items() if label != State.PROVED]
        table.add_row(
            Text(net if net != last else ""),
            Text(catalogue.kinds[cell.kind].title.lower()),
            _marked(State.PROVED if not rest else State.UNCHECKED, f"{cell.proved}/{cell.total}", bool(rest)),
            Text(", ".join(f"{n} {label}" for label, n in rest)),
        )
        last = net
    return table


def _net_title(net: str | None, catalogue: Catalogue) -> str:
    if net is None:
        return "(all nets)"
    return catalogue.nets[net].title if net in catalogue.nets else net


def _marked(state: State, text: str, incomplete: bool) -> Text:
    symbol, colour = ("✘", "red") if incomplete else MARKS[state]
    return Text(f"{text} {symbol}", style=colour)


def _unproved(status: Status, catalogue: Catalogue, out: Console) -> None:
    """Print what is not proved: causes with what they block; what is only blocked stands under its cause."""
    causes = [v for v in status.verdicts.values() if not v.proved and v.state is not State.BLOCKED]
    known = {v.id for v in causes} | {c.module for c in status.failed_modules}
    known |= {f.declaration for c in status.failed_modules for f in c.failures if f.declaration}
    orphans = [
        v for v in status.verdicts.values() if v.state is State.BLOCKED and not set(v.blocked_by) & known
    ]
    for verdict in [*causes, *orphans]:
        symbol, colour = MARKS[verdict.state]
        out.print()
        out.print(Text.assemble((f"{symbol} {verdict.label}", f"bold {colour}"), f"  {verdict.id}"))
        ob = catalogue[verdict.id]
        place = _place(verdict) or ob.module
        out.print(Text(f"  {plain(ob.decl)}  ({place})", overflow="fold"))
        out.print(Text(f"  {plain(verdict.reason)}", overflow="fold"))
        _print_blocked(blocked_dependants(status.verdicts, verdict.id), out)


def _place(verdict: Verdict) -> str | None:
    failure = verdict.failure
    if failure is not None and failure.pos is not None:
        return f"{failure.file}:{failure.pos.line}:{failure.pos.column + 1}"
    if verdict.probe is not None and verdict.probe.location is not None:
        return f"{verdict.probe.location.file}:{verdict.probe.location.line}"
    return None


def _print_blocked(ids: list[str], out: Console) -> None:
    if ids:
        shown = ", ".join(ids[:_SHOWN_DEPENDANTS])
        more = f" and {len(ids) - _SHOWN_DEPENDANTS} more" if len(ids) > _SHOWN_DEPENDANTS else ""
        out.print(Text(f"  blocks {len(ids)}: {shown}{more}", overflow="fold"))


def _failed_modules(status: Status, out: Console) -> None:
    """Print what failed in modules and is no obligation, one failure a declaration."""
    told = {(v.check.module, v.failure.label) for v in status.verdicts.values() if v.failure and v.check}
    for check in status.failed_modules:
        for failure in check.failures:
            if failure.cause is None and (check.module, failure.label) not in told:
                told.add((check.module, failure.label))
                _print_failure(check, failure, status, out)


def _print_failure(check: ModuleCheck, failure: Failure, status: Status, out: Console) -> None:
    symbol, colour = MARKS[State.FAILED]
    name = failure.declaration or check.module
    pos = failure.pos
    place = f"{failure.file}:{pos.line}:{pos.column + 1}" if pos else check.module
    out.print()
    out.print(Text.assemble((f"{symbol} failed:{failure.cls}", f"bold {colour}"), f"  {plain(name)}"))
    out.print(Text(f"  ({plain(place)}; no obligation)", overflow="fold"))
    out.print(Text(f"  {plain(one_line(failure.message))}", overflow="fold"))
    blocked = [v.id for v in status.verdicts.values() if {name, check.module} & set(v.blocked_by)]
    _print_blocked(blocked, out)


def _proved(status: Status, out: Console) -> None:
    out.print()
    for verdict in status.verdicts.values():
        symbol, colour = MARKS[verdict.state]
        cost = verdict.check.cost if verdict.check else None
        price = f"  {show_seconds(cost.wall_s)}, {show_bytes(cost.peak_rss_bytes)}" if cost else ""
        out.print(Text.assemble((f"{symbol} {verdict.label:<12}", colour), f" {verdict.id}{price}"))


def _costs(status: Status, out: Console) -> None:
    totals = status.totals
    out.print()
    out.print(
        f"{totals.checked} of {show_count(totals.modules, 'module')} checked, {totals.passed} passed; "
        f"wall {show_seconds(totals.wall_s)}, CPU {show_seconds(totals.cpu_s)}, "
        f"peak {show_bytes(totals.peak_rss_bytes)}"
    )
    _extreme("slowest ", totals.slowest, out)
    _extreme("heaviest", totals.heaviest, out)


def _extreme(word: str, check: ModuleCheck | None, out: Console) -> None:
    if check is not None and check.cost is not None:
        cost = check.cost
        out.print(
            Text(
                f"  {word} {check.module}  {show_seconds(cost.wall_s)}, {show_bytes(cost.peak_rss_bytes)}",
                overflow="fold",
            )
        )


def _remarks(status: Status, catalogue: Catalogue, out: Console) -> None:
    wrong = [claim for claim in status.claims if not claim.holds]
    if status.claims:
        word = "all hold" if not wrong else show_count(len(wrong), "does not hold", "do not hold")
        out.print(f"{show_count(len(status.claims), 'claim')} counted in the sources: {word}")
    for claim in wrong:
        uses = show_count(claim.claimed, "use")
        out.print(
            Text.assemble(
                ("≠ claim", "bold yellow"),
                f"  {claim.id}: {uses} of {claim.claim} claimed, {claim.counted} counted",
                overflow="fold",
            )
        )
    for family in catalogue.families.values():
        if gaps := holes(family, catalogue):
            text = f"  {family.id}: no member for {', '.join(gaps)}, and no reason under `absent:`"
            out.print(Text.assemble(("∅ hole", "bold yellow"), text, overflow="fold"))
    if status.unlocked:
        many = show_count(len(status.unlocked), "statement is", "statements are")
        out.print(f"{many} not locked: `tracker lock` records what they say today")
    if status.unlisted:
        out.print(Text(f"in no build target: {_few(status.unlisted)}", overflow="fold"))


def _few(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:3]) + (f" and {len(listed) - 3} more" if len(listed) > 3 else "")


def _ago(then: float) -> str:
    seconds = time.time() - then
    if seconds < -60:
        return "in the future: was the clock set back?"
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit} ago"
    return "just now"
