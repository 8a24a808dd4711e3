"""Sentences that every face of a report says alike."""

from __future__ import annotations

from datetime import UTC, datetime

from tracker.report.summary import Status
from tracker.units import show_count


def headline(status: Status) -> str:
    """Return in one sentence whether everything is proved."""
    total = len(status.verdicts)
    proved = sum(v.proved for v in status.verdicts.values())
    if not total:
        return "The catalogue has no obligations: nothing was checked"
    if proved < total:
        return f"{number(proved)} of {_obligations(total)} {'is' if 1 in (proved, total) else 'are'} proved"
    all_ = f"All {_obligations(total)} are proved" if total > 1 else "The one obligation is proved"
    modules, claims = len(status.failed_modules), sum(not claim.holds for claim in status.claims)
    but = []
    if modules:
        but.append(show_count(modules, "module does not check", "modules do not check"))
    if claims:
        but.append(show_count(claims, "claim does not hold", "claims do not hold"))
    return f"{all_}, but {' and '.join(but)}" if but else all_


def number(count: int) -> str:
    """Return a number with its thousands apart."""
    return _apart(f"{count:,}")


def _obligations(count: int) -> str:
    return _apart(show_count(count, "obligation"))


def _apart(text: str) -> str:
    return text.replace(",", "\N{NARROW NO-BREAK SPACE}")


def moment(seconds: float) -> str:
    """Return a point in time to the minute, in UTC."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"


def times(ratio: float | None) -> str:
    """Return a ratio as people read it: `×1.25`."""
    return "–" if ratio is None else f"×{ratio:.2f}"
