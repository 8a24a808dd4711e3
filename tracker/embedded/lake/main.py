"""The `lake` program, started as `python -I -S main.py ARGUMENTS` with TRACKER_SYSROOT set."""

import gc
import sys

gc.disable()  # the process is short, its data are small
sys.path.append(__file__.replace("\\", "/").rsplit("/", 4)[0])

from tracker.embedded.lake.cli import main  # noqa: E402 - only now can it be found

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
