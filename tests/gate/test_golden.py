"""The wording of the gate. `UPDATE_GOLDEN=1 pytest tests/gate/test_golden.py` writes it anew."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from rich.console import Console

from tests.gate import facts as f
from tracker.gate.evaluate import evaluate
from tracker.gate.model import Facts
from tracker.report.gate import gate_markdown, print_gate

GOLDEN = Path(__file__).parent / "golden"
BROKEN = f.changed(
    f.obligation(label="failed:kernel-timeout", reason="(kernel) deterministic timeout"),
    f.obligation("main", label="blocked", reason="depends on lemma (failed:kernel-timeout)"),
    f.module("Demo.Top", costs=f.costs(9.0, 1400), warnings=2, limits={"maxHeartbeats": float("inf")}),
    f.module("Demo.New"),
)
UNLIKE = f.changed(*(f.module(name, costs=f.costs(40.0, machine=f.OTHER_CPU)) for name in f.NORMAL.modules))
CASES = {
    "open": f.facts(),
    "closed": f.facts(BROKEN, waivers=(f.waiver("GATE-TIME", "Demo.*"),)),
    "no-baseline": f.facts(before=None),
    "unlike-machine": f.facts(UNLIKE),
    "far-over": f.facts(f.changed(f.module("Demo.Top", costs=f.costs(987654.0), allowed_wall_s=1.0))),
}


def terminal(facts: Facts) -> str:
    out = io.StringIO()
    print_gate(evaluate(facts), Console(file=out, width=80, highlight=False), "reports/baseline.jsonl")
    return out.getvalue()


@pytest.mark.parametrize("name", CASES)
def test_wording(name: str) -> None:
    for suffix, said in (
        ("txt", terminal(CASES[name])),
        ("md", gate_markdown(evaluate(CASES[name]), "reports/baseline.jsonl")),
    ):
        file = GOLDEN / f"{name}.{suffix}"
        if os.environ.get("UPDATE_GOLDEN"):
            file.parent.mkdir(exist_ok=True)
            file.write_text(said, encoding="utf-8")
        assert said == file.read_text(encoding="utf-8")
