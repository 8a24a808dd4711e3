"""What a run says while it is at work, on a terminal and elsewhere, with several modules in flight."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from tests.store.test_history import a_check
from tests.store.test_queries import COST
from tracker.evidence import ModuleCheck
from tracker.lean.failure import Failure, FailureClass
from tracker.lean.process import Memory
from tracker.report.progress import ProgressLines


def check(module: str, *, passed: bool = True) -> ModuleCheck:
    failures = () if passed else (Failure(FailureClass.CRASH, "runtime", "boom"),)
    return replace(a_check(), module=module, cost=COST, passed=passed, failures=failures)


def follow(lines: ProgressLines) -> None:
    """Three modules, two at a time, one of which is put back; a fourth is blocked."""
    lines.started("Net.A", 1, 4)
    lines.started("Net.B", 2, 4)
    lines.memory("Net.B", Memory(0.1, 2**30, None))
    lines.memory("Net.Unknown", Memory(0.1, 2**30, None))
    lines.finished(check("Net.B"))
    lines.note("Net.A made room")
    lines.started("Net.A", 2, 4)
    lines.started("Net.C", 3, 4)
    lines.finished(check("Net.C", passed=False))
    lines.blocked("Net.D", "Net.C")
    lines.finished(check("Net.A"))
    lines.probing(7)
    lines.probing(7)


@pytest.mark.parametrize("terminal", [True, False])
def test_one_line_a_module_in_the_order_of_their_ends(terminal: bool) -> None:
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=100, highlight=False, color_system=None)
    with ProgressLines(console, lambda c: "over its wall budget" if c.module == "Net.B" else "") as lines:
        follow(lines)
    said = out.getvalue()
    assert "[1/4] ▲    1.50 s 0.977 KiB  Net.B  over its wall budget" in said
    assert "[2/4] ✘    1.50 s 0.977 KiB  Net.C  crash" in said
    assert "Net.D not tried: Net.C" in said
    assert "[4/4] ✔    1.50 s 0.977 KiB  Net.A" in said
    assert said.index("Net.B  over") < said.index("Net.C  crash") < said.index("not tried")
    if not terminal:
        assert "\x1b" not in said
        assert said.count("asking Lean about 7 declarations") == 2
