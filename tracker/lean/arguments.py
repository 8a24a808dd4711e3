"""Options on the command line of `lean`: `-Dname=value`, also as two words, or behind other letters."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_OPTION = re.compile(r"-[A-Za-z]*?D(.*)", re.DOTALL)


def options_of(args: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield name and value of each option that is set, without the `weak.` that Lake puts before some."""
    words = iter(args)
    for word in words:
        if match := _OPTION.fullmatch(word):
            name, equals, value = (match[1] or next(words, "")).strip().partition("=")
            if equals:
                yield name.removeprefix("weak."), value
