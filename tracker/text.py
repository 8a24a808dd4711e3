"""How text is shown. Imports nothing at first: the embedded lake starts with it."""

from __future__ import annotations


def show_text(text: str) -> str:
    """Return text that may hold anything as one line that steers neither a terminal nor the log of a CI."""
    first, *rest = text.splitlines() or [""]
    line = " ".join(filter(None, (first.rstrip(), *(part.strip() for part in rest))))
    return "".join(c if c.isprintable() else " " if c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in line)


def wrapped(text: str) -> str:
    """Return a paragraph in lines of 80 columns at most, words left whole."""
    import textwrap

    return textwrap.fill(text, 80, break_long_words=False, break_on_hyphens=False)
