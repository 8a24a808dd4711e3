"""`tracker` and `python -m tracker`: small, since Ctrl-C may come while the rest is still being imported."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit with its code; with 130 when it is interrupted, also on the way there."""
    try:
        from tracker.cli.main import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        # Python remembers a Ctrl-C that passed through an `exec`, such as that of a dataclass, and would die
        # of SIGINT at its end in spite of our code; the next `exec` has it forget.
        exec("")  # noqa: S102


if __name__ == "__main__":
    main()
