"""Counting: a child's work is counted from its start to its end, and where there is no counter it is said."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tracker.lean.counter import SOFTWARE, TASK_CLOCK, open_counter, read_counter, why_not

BURN = "sum(range(3_000_000))"
IN_A_CHILD = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BURN!r}])"


def counter() -> int:
    """Return a counter of nanoseconds: every Linux has it; virtual machines often lack the processor's."""
    try:
        return open_counter(SOFTWARE, TASK_CLOCK)
    except OSError as error:
        pytest.skip(f"no counters here: {error}")


@pytest.mark.parametrize("script", [BURN, IN_A_CHILD])
def test_children_are_counted_and_nobody_else(script: str) -> None:
    descriptor = counter()
    sum(range(1_000_000))
    assert read_counter(descriptor) == 0, "this process is not"
    before = os.times()
    subprocess.run([sys.executable, "-c", script], check=True)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    counted = read_counter(descriptor) / 1e9
    os.close(descriptor)
    assert 0.5 * used < counted < 2 * used + 0.05


def test_either_it_counts_or_it_says_why() -> None:
    if why_not():
        with pytest.raises(OSError, match=r".+"):
            open_counter()
    else:
        descriptor = open_counter()
        subprocess.run(["true"], check=True)
        assert read_counter(descriptor) > 1000
