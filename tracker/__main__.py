"""`python -m tracker`."""

from tracker.cli.main import main

if __name__ == "__main__":
    main()
