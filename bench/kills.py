"""200 runs killed at random moments, in each way of driving Lake: whether anything is lost or left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
TEST = "tests/run/test_interruption.py::test_kills_at_random_moments"


def main() -> None:
    """Print how many kills there were and whether all was well; end with pytest's exit code."""
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    each = -(-kills // 3)
    begin = time.monotonic()
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", TEST]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "KILLS": str(each)}, check=False)
    verdict = "nothing lost, nothing left" if done.returncode == 0 else "FAILED"
    print(f"{3 * each} kills in {time.monotonic() - begin:.0f} s: {verdict}")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
