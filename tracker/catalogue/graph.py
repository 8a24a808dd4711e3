"""Orders, circles and spare edges of a dependency mapping (id -> the ids it depends on)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

Dependencies = Mapping[str, Sequence[str]]

_BLOCK = 4096  # nodes whose reach is computed at once: bounds memory at any size


def topological_order(deps: Dependencies) -> tuple[str, ...]:
    """Return the ids with dependencies first, otherwise in written order. `deps` must be acyclic."""
    done: dict[str, None] = {}
    for start in deps:
        stack: list[tuple[str, Iterator[str]]] = [] if start in done else [(start, iter(deps[start]))]
        while stack:
            node, rest = stack[-1]
            unseen = next((dep for dep in rest if dep not in done), None)
            if unseen is None:
                done[node] = None
                stack.pop()
            else:
                stack.append((unseen, iter(deps[unseen])))
    return tuple(done)


def circular(deps: Dependencies) -> dict[str, list[str]]:
    """Return the part of `deps` that no topological order can reach: circles and what needs them."""
    missing = {node: len(targets) for node, targets in deps.items()}
    users: dict[str, list[str]] = {node: [] for node in deps}
    for node, targets in deps.items():
        for dep in targets:
            users[dep].append(node)
    ready = [node for node, count in missing.items() if count == 0]
    while ready:
        node = ready.pop()
        del missing[node]
        for user in users[node]:
            missing[user] -= 1
            if missing[user] == 0:
                ready.append(user)
    return {node: [dep for dep in deps[node] if dep in missing] for node in deps if node in missing}


def cycles(deps: Dependencies) -> list[list[str]]:
    """Return one shortest circle through the first id of each knot, in written order.

    A circle is a list of ids, each depending on the next and the last on the first.
    """
    knotted = circular(deps)
    if not knotted:
        return []
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph((node, dep) for node, targets in knotted.items() for dep in targets)
    place = {node: i for i, node in enumerate(deps)}
    found = []
    for component in nx.strongly_connected_components(graph):
        if len(component) > 1:
            first = min(component, key=place.__getitem__)
            found.append(
                _circle(first, {node: [d for d in knotted[node] if d in component] for node in component})
            )
    return sorted(found, key=lambda circle: place[circle[0]])


def _circle(first: str, deps: Dependencies) -> list[str]:
    came_from: dict[str, str] = {}
    queue = deque([first])
    while first not in came_from:
        node = queue.popleft()
        for dep in deps[node]:
            if dep not in came_from:
                came_from[dep] = node
                queue.append(dep)
    circle = [first]
    while came_from[circle[-1]] != first:
        circle.append(came_from[circle[-1]])
    return [first, *reversed(circle[1:])]


def redundant_edges(deps: Dependencies) -> list[tuple[str, str, str]]:
    """Return every edge that a longer path also makes, as (id, dependency, the way there).

    `deps` must be acyclic. Works on blocks of nodes, so that memory stays bounded.
    """
    order = topological_order(deps)
    found: list[tuple[str, str, str]] = []
    for start in range(0, len(order), _BLOCK):
        bit = {node: 1 << i for i, node in enumerate(order[start : start + _BLOCK])}
        reach: dict[str, int] = dict.fromkeys(order[:start], 0)
        for node in order[start:]:
            below = 0
            for dep in deps[node]:
                below |= reach[dep]
            direct = 0
            for dep in deps[node]:
                own = bit.get(dep, 0)
                direct |= own
                if own & below:
                    found.append((node, dep, next(d for d in deps[node] if reach[d] & own)))
            reach[node] = below | direct
    return found
