"""Two spellings of one apex, level by level: how the kernel's time grows with the number of stages.

    python bench/levels.py [--to 11]

Prints what `tracker levels` prints of lean/levels/. The aim: the composed spelling triples per stage, the
named one does not grow. Needs lean/ to be built: `tracker run`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--to", default="11")
    last = parser.parse_args().to
    for spelling in ("saves-composed", "saves-named"):
        print(spelling, flush=True)
        template = ROOT / "lean" / "levels" / f"{spelling}.lean.j2"
        subprocess.run(
            [sys.executable, "-m", "tracker", "levels", str(template), "--to", last], cwd=ROOT, check=True
        )


if __name__ == "__main__":
    main()
