"""Did you mean: the nearest known name to an unknown one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_MOST = 2_000  # candidates compared closely; more would make a long list of faults slow


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like `name`, or None where none is near."""
    folded: dict[str, str] = {}
    for candidate in known:
        folded.setdefault(candidate.casefold(), candidate)
    target = name.casefold()
    if target in folded:
        return folded[target]
    slack = max(2, len(target) // 3)
    near = [key for key in folded if abs(len(key) - len(target)) <= slack]
    if len(near) > _MOST:
        pairs = {target[i : i + 2] for i in range(len(target) - 1)}
        near.sort(key=lambda key: -sum(pair in key for pair in pairs))
        near = near[:_MOST]
    found = get_close_matches(target, near, n=1, cutoff=0.7 if len(target) > 4 else 0.6)
    if found:
        return folded[found[0]]
    return _by_last_part(target, folded)


def _by_last_part(target: str, folded: dict[str, str]) -> str | None:
    """A name whose last part is right, such as `foo` for `Proofs.foo`, if there is just one."""
    last = target.rsplit(".", 1)[-1]
    found = [full for key, full in folded.items() if key.rsplit(".", 1)[-1] == last]
    return found[0] if len(found) == 1 else None


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """Return a hint that names the nearest known name, or None."""
    found = nearest(name, known)
    return f"did you mean `{found}`?" if found else None


def listed_hint(name: str, known: Iterable[str]) -> str:
    """Return a hint for a name of no obligation: the nearest known one, else where they are listed."""
    return did_you_mean(name, known) or "`tracker status --all` lists the obligations"
