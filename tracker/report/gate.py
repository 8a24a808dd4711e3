"""The gate's faces for people: the terminal, and Markdown for a step summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.text import Text

from tracker.gate.explain import explanations
from tracker.gate.model import Finding, GateReport, Measure, Outcome, Result
from tracker.report.terminal import plain
from tracker.verdict import one_line

MARKS = {
    Outcome.PASS: ("✔", "blue"),
    Outcome.FAIL: ("✘", "red"),
    Outcome.WAIVED: ("▲", "yellow"),
    Outcome.NOT_COMPARABLE: ("≁", "cyan"),
}
_SHOWN = 20
_MOST_BYTES = 1024 * 1024
"""Of a step summary; GitHub drops a longer one."""


def amount(number: float, unit: str) -> str:
    """Return a number of a measure: a share as per cent, a count as it is."""
    return f"{number * 100:.1f} %" if unit.startswith("share") else f"{number:g}"


def print_gate(report: GateReport, out: Console, against: str, *, show_all: bool = False) -> None:
    """Print every rule's result, what fails and why, and what to do about it."""
    now = report.facts.present
    run = f"run {now.run.number}" if now.run else "no run yet"
    out.print(Text(f"Lean {now.snapshot.lean} · {run} · against {against}\n"))
    out.print(Text(f"  {'rule':<14}{'value':>9}{'limit':>9}{'margin':>9}", style="dim"))
    for result in report.results:
        _print_row(result, out)
    for result in report.results:
        if result.measure.findings:
            _print_findings(result, out, None if show_all else _SHOWN)
    out.print()
    out.print(Text(verdict_line(report), style="bold"))


def _print_row(result: Result, out: Console) -> None:
    mark, colour = MARKS[result.outcome]
    measure = result.measure
    numbers = "".join(f"{amount(n, measure.unit):>9}" for n in _numbers(measure))
    line = Text.assemble((mark, colour), f" {result.rule.code:<14}{numbers}  {result.rule.title}")
    out.print(line, soft_wrap=True)
    for text in (*([measure.detail] if measure.detail else []), *measure.notes):
        out.print(Text(f"    {plain(text)}", style="dim"), soft_wrap=True)


def _numbers(measure: Measure) -> tuple[float, float, float]:
    return measure.value, measure.limit, measure.margin


def _print_findings(result: Result, out: Console, most: int | None) -> None:
    findings = result.measure.findings
    word = "waived" if result.outcome is Outcome.WAIVED else "failed"
    out.print()
    out.print(Text(f"{result.rule.code} {word}: {result.rule.title}", style="bold"))
    for finding in findings[:most]:
        out.print(Text(f"  {plain(finding_line(finding))}"), soft_wrap=True)
    if most is not None and len(findings) > most:
        out.print(Text(f"  and {len(findings) - most} more: `tracker gate --all`"))
    out.print(Text(f"  Cure: {explanations()[result.rule.code].cure}", style="dim"), soft_wrap=True)


def finding_line(finding: Finding) -> str:
    """Return a finding in one line: subject, message, place, and the waiver that covers it."""
    place = f" ({finding.file}{f':{finding.line}' if finding.line else ''})" if finding.file else ""
    waiver = finding.waiver
    waived = f" [waived until {waiver.expires}: {waiver.reason}, {waiver.owner}]" if waiver else ""
    return one_line(f"{finding.subject}: {finding.message}") + place + waived


def verdict_line(report: GateReport) -> str:
    """Return the gate's answer in one line."""
    results = report.results
    counts = {o: sum(result.outcome is o for result in results) for o in Outcome}
    rest = [f"{counts[o]} {o}" for o in (Outcome.FAIL, Outcome.WAIVED, Outcome.NOT_COMPARABLE) if counts[o]]
    parts = ", ".join([f"{counts[Outcome.PASS]} of {len(results)} rules pass", *rest])
    return f"{'✔ The gate is open' if report.passed else '✘ The gate is closed'}: {parts}"


def gate_markdown(report: GateReport, against: str) -> str:
    """Return the whole report as Markdown, within what GitHub shows of a step summary."""
    head = (
        f"# {verdict_line(report)}\n\nLean {report.facts.present.snapshot.lean}, against {_code(against)}\n\n"
    )
    table = "| | rule | value | limit | margin | |\n| :-- | :-- | --: | --: | --: | :-- |\n"
    table += "".join(_markdown_row(result) for result in report.results)
    return _within(head + table, _markdown_findings(report))


def _markdown_row(result: Result) -> str:
    measure = result.measure
    numbers = " | ".join(amount(n, measure.unit) for n in _numbers(measure))
    detail = "<br>".join(_cell(text) for text in (result.rule.title, measure.detail, *measure.notes) if text)
    return f"| {MARKS[result.outcome][0]} {result.outcome} | {result.rule.code} | {numbers} | {detail} |\n"


def _markdown_findings(report: GateReport) -> Iterator[str]:
    for result in report.results:
        if result.measure.findings:
            yield f"\n## {result.rule.code}: {result.rule.title}\n\n"
            yield f"Cure: {explanations()[result.rule.code].cure}\n\n"
            yield from (f"- {_cell(finding_line(finding))}\n" for finding in result.measure.findings)


def _within(text: str, blocks: Iterable[str]) -> str:
    room = _MOST_BYTES - len(text.encode("utf-8")) - 200
    parts = [text]
    left_out = 0
    for block in blocks:
        size = len(block.encode("utf-8"))
        if left_out or size > room:
            left_out += 1
            continue
        parts.append(block)
        room -= size
    more = f"\nand {left_out} more lines: `tracker gate --all` shows them\n" if left_out else ""
    return "".join(parts) + more


def _cell(text: str) -> str:
    """Return untrusted text as Markdown that shows it, and nothing else."""
    flat = plain(" ".join(text.split()))
    escaped = "".join(f"\\{c}" if c in "\\`*_[]|#~$!" else c for c in flat)
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("@", "&#64;")


def _code(text: str) -> str:
    return f"`{plain(text).replace('`', '')}`"
