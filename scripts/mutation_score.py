"""Print the mutation score of each file from what mutmut left in `mutants/`; exit code 1 below 90 %."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter, defaultdict

LEAST = 0.9
COUNTED = ("killed", "survived", "timeout", "suspicious", "no tests", "segfault")
"""What mutmut calls the ends of a mutant that was tried; `timeout` counts as killed: a test noticed it."""


def main() -> int:
    """Read `mutmut results --all true`, one `NAME: STATUS` a line, and print a table."""
    listed = subprocess.run(
        [sys.executable, "-m", "mutmut", "results", "--all", "true"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for line in listed.splitlines():
        name, colon, status = line.strip().rpartition(": ")
        if colon and status in COUNTED:
            counts[name.partition(".x")[0]][status] += 1
    total: Counter[str] = sum(counts.values(), Counter())
    for module, count in [*sorted(counts.items()), ("all", total)]:
        score = (count["killed"] + count["timeout"]) / max(1, count.total())
        sys.stdout.write(f"{module:<32} {count.total():>5} mutants  {100 * score:5.1f} %\n")
    killed = total["killed"] + total["timeout"]
    return 0 if killed >= LEAST * max(1, total.total()) else 1


if __name__ == "__main__":
    sys.exit(main())
