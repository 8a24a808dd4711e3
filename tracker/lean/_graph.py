"""Walks over import graphs, deterministic and without recursion: chains of imports are long."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Follow = Callable[[str], Iterable[str]]


def ordered(edges: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the keys so that what a key points at comes before it; members of a cycle stand anywhere."""
    order: dict[str, None] = {}
    entered: set[str] = set()
    for start in sorted(edges):
        stack = [(start, iter(edges[start]))] if start not in entered else []
        entered.add(start)
        while stack:
            name, rest = stack[-1]
            following = next((n for n in rest if n in edges and n not in entered), None)
            if following is None:
                order[name] = None
                stack.pop()
            else:
                entered.add(following)
                stack.append((following, iter(edges[following])))
    return list(order)


def reach(start: str, follow: Follow) -> frozenset[str]:
    """Return what can be reached from `start` in one step or more, without `start` itself."""
    seen: set[str] = set()
    queue = [start]
    while queue:
        new = [n for n in follow(queue.pop()) if n not in seen]
        seen.update(new)
        queue.extend(new)
    return frozenset(seen - {start})


def cycles(names: Iterable[str], follow: Follow) -> Iterator[tuple[str, ...]]:
    """Yield, for every group of names that reach each other, the shortest cycle through its first member."""
    done: set[str] = set()
    for name in sorted(names):
        if name in done:
            continue
        path = _path_back(name, follow)
        if path:
            yield path
            done.update(n for n in reach(name, follow) if name in reach(n, follow))
        done.add(name)


def _path_back(start: str, follow: Follow) -> tuple[str, ...] | None:
    parent: dict[str, str] = {}
    level = [start]
    while level:
        following = []
        for name in level:
            for imported in follow(name):
                if imported == start:
                    path = [start, name]
                    while path[-1] != start:
                        path.append(parent[path[-1]])
                    return tuple(reversed(path))
                if imported not in parent:
                    parent[imported] = name
                    following.append(imported)
        level = following
    return None
