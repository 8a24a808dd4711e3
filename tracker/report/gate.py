"""The gate's faces for people: the terminal, and Markdown for a step summary."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from tracker.gate.explain import explanations
from tracker.gate.model import Finding, GateReport, Outcome, Result
from tracker.report.markup import Page, table, text
from tracker.report.terminal import plain
from tracker.units import show_count
from tracker.verdict import one_line

MARKS = {
    Outcome.PASS: ("✔", "blue"),
    Outcome.FAIL: ("✘", "red"),
    Outcome.WAIVED: ("▲", "yellow"),
    Outcome.NOT_COMPARABLE: ("≁", "cyan"),
}
_SHOWN = 20
_COLUMN = 9  # the least width, so that reports of most days stand under one another
GITHUB_LIMIT = 1024 * 1024
"""Bytes of a step summary; GitHub drops a longer one."""


def amount(number: float, unit: str) -> str:
    """Return a number of a measure: a share as per cent, a count as it is."""
    return f"{number * 100:.1f} %" if unit.startswith("share") else f"{number:g}"


def print_gate(report: GateReport, out: Console, against: str, *, show_all: bool = False) -> None:
    """Print every rule's result, what fails and why, and what to do about it."""
    now = report.facts.present
    run = f"run {now.run.number}" if now.run else "no run yet"
    out.print(Text(f"Lean {now.snapshot.lean} · {run} · against {against}\n"))
    heads = ("value", "limit", "margin")
    numbers = [_numbers(result) for result in report.results]
    widths = [
        max(_COLUMN, *(len(text) + 2 for text in column)) for column in zip(heads, *numbers, strict=True)
    ]
    out.print(Text(f"  {'rule':<14}{_columns(heads, widths)}", style="dim"), soft_wrap=True)
    for result, row in zip(report.results, numbers, strict=True):
        _print_row(result, _columns(row, widths), out)
    for result in report.results:
        if result.measure.findings:
            _print_findings(result, out, None if show_all else _SHOWN)
    out.print()
    out.print(Text(verdict_line(report), style="bold"))


def _columns(texts: Sequence[str], widths: Sequence[int]) -> str:
    return "".join(f"{text:>{width}}" for text, width in zip(texts, widths, strict=True))


def _print_row(result: Result, numbers: str, out: Console) -> None:
    mark, colour = MARKS[result.outcome]
    measure = result.measure
    line = Text.assemble((mark, colour), f" {result.rule.code:<14}{numbers}  {result.rule.title}")
    out.print(line, soft_wrap=True)
    for said in (*([measure.detail] if measure.detail else []), *measure.notes):
        out.print(Text(f"    {plain(said)}", style="dim"), soft_wrap=True)


def _numbers(result: Result) -> tuple[str, str, str]:
    """Return value, limit and margin; dashes where nothing was compared."""
    measure = result.measure
    if result.outcome is Outcome.NOT_COMPARABLE and not measure.value:
        return "–", "–", "–"
    value, limit, margin = (amount(n, measure.unit) for n in (measure.value, measure.limit, measure.margin))
    return value, limit, margin


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
    passed = "passes" if counts[Outcome.PASS] == 1 else "pass"
    failed = [show_count(counts[Outcome.FAIL], "fails", "fail")] if counts[Outcome.FAIL] else []
    rest = [f"{counts[o]} {o}" for o in (Outcome.WAIVED, Outcome.NOT_COMPARABLE) if counts[o]]
    head = f"{counts[Outcome.PASS]} of {show_count(len(results), 'rule')} {passed}"
    parts = ", ".join([head, *failed, *rest])
    return f"{'✔ The gate is open' if report.passed else '✘ The gate is closed'}: {parts}"


def gate_markdown(report: GateReport, against: str) -> str:
    """Return the whole report as Markdown, within what GitHub shows of a step summary."""
    page = Page(GITHUB_LIMIT)
    page.add(
        f"# {verdict_line(report)}\n\nLean {report.facts.present.snapshot.lean}, against {text(against)}\n"
    )
    rows = [_markdown_row(result) for result in report.results]
    page.add(table(("", "rule", "value", "limit", "margin", "what it demands, and what it saw"), rows))
    for result in report.results:
        if result.measure.findings:
            head = f"## {result.rule.code}: {result.rule.title}\n\n"
            cure = f"Cure: {explanations()[result.rule.code].cure}\n\n"
            items = [f"- {text(finding_line(finding))}\n" for finding in result.measure.findings]
            page.add_list(head + cure, items, "finding")
    return page.text()


def _markdown_row(result: Result) -> tuple[str, ...]:
    measure = result.measure
    said = [result.rule.title, *([measure.detail] if measure.detail else []), *measure.notes]
    mark = f"{MARKS[result.outcome][0]} {result.outcome}"
    return mark, result.rule.code, *_numbers(result), "<br>".join(map(text, said))
