"""Which module is checked when: packed by recorded memory, the longest way to the end first.

List scheduling: whenever something ends, of the modules whose imports have ended those are started that fit
into the free slots and the free memory, in the order of the recorded time from their start to the end of the
last module that waits for them. What has no record, or is recorded above the whole memory, runs alone.
Nothing here starts a process or knows a clock; `forecast` plays the same rules with the recorded times.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Task:
    """One module to check. `imports` are those of its imports that are to be checked too."""

    module: str
    imports: tuple[str, ...] = ()
    wall_s: float | None = None
    """As recorded; None without a record."""
    memory_bytes: int | None = None
    """Peak as recorded; None without a record, or where the last check was stopped for its memory."""

    @property
    def known(self) -> bool:
        """Return whether there is a record to pack by."""
        return self.memory_bytes is not None


@dataclass(frozen=True, slots=True)
class Slot:
    """When a module is at work: seconds from the start of the schedule."""

    module: str
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Forecast:
    """How a schedule would go if everything took what it took before."""

    slots: tuple[Slot, ...]
    wall_s: float
    """From first start to last end; what has no record counts as nothing."""
    peak_bytes: int
    """The most memory in use at a time; what has no record counts as nothing."""
    unknown: tuple[str, ...]
    """Modules without a record."""
    critical_path: tuple[str, ...]
    """The chain of imports that takes the longest: no schedule is shorter."""
    critical_s: float


def longest_ways(tasks: Sequence[Task]) -> Mapping[str, float]:
    """Return by module the seconds from its start to the end of all that waits for it, none having to wait.

    `tasks` have imports before importers.
    """
    after = dict.fromkeys((task.module for task in tasks), 0.0)
    ways: dict[str, float] = {}
    for task in reversed(tasks):
        ways[task.module] = after[task.module] + (task.wall_s or 0.0)
        for module in task.imports:
            after[module] = max(after[module], ways[task.module])
    return ways


class Packer:
    """The state of a schedule: what is ready, at work and done.

    `tasks` have imports before importers; a task that is named twice or imports what is not there is a
    ValueError. `urgent` modules, and what they import, go before all others. With one slot the given order
    is kept.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        slots: int = 1,
        memory_bytes: int | None = None,
        urgent: Collection[str] = (),
    ) -> None:
        self._tasks = {task.module: task for task in tasks}
        if len(self._tasks) != len(tasks) or any(i not in self._tasks for t in tasks for i in t.imports):
            raise ValueError("each module once, and no import that is no task")
        self.slots = slots
        self._memory = memory_bytes
        self._order = _priorities(tasks, slots, urgent)
        self._waiting = {task.module: len(set(task.imports)) for task in tasks}
        self._importers: dict[str, list[str]] = {module: [] for module in self._tasks}
        for task in tasks:
            for module in set(task.imports):
                self._importers[module].append(task.module)
        self._ready = {module for module, count in self._waiting.items() if not count}
        self._in_use: dict[str, int] = {}
        self._lone: set[str] = {m for m, t in self._tasks.items() if self._must_be_alone(t)}

    def _must_be_alone(self, task: Task) -> bool:
        if self.slots == 1:
            return False  # every one is
        too_much = self._memory is not None and (task.memory_bytes or 0) > self._memory
        return not task.known or too_much

    @property
    def order(self) -> list[str]:
        """Return all modules, the most pressing first."""
        return sorted(self._tasks, key=lambda module: self._order[module])

    @property
    def done(self) -> bool:
        """Return whether everything has ended."""
        return not self._ready and not self._in_use

    @property
    def at_work(self) -> Collection[str]:
        """The modules that were taken and have not ended."""
        return self._in_use.keys()

    @property
    def memory_in_use(self) -> int:
        """Return the bytes set apart for what is at work."""
        return sum(self._in_use.values())

    def take(self) -> list[str]:
        """Return the modules to start now, most pressing first; they are at work from here on."""
        taken = []
        # Lone modules wait until nothing else could be started: so the others are halted least often.
        for module in sorted(self._ready, key=lambda m: (m in self._lone, self._order[m])):
            if self._fits(module):
                self._ready.discard(module)
                self._in_use[module] = self._tasks[module].memory_bytes or 0
                taken.append(module)
        return taken

    def _fits(self, module: str) -> bool:
        if not self._in_use:
            return True
        if module in self._lone or any(m in self._lone for m in self._in_use):
            return False
        needed = self.memory_in_use + (self._tasks[module].memory_bytes or 0)
        return len(self._in_use) < self.slots and (self._memory is None or needed <= self._memory)

    def observe(self, module: str, memory_bytes: int) -> None:
        """Note that a module at work uses this much: more than recorded is no longer free for others."""
        if module in self._in_use:
            self._in_use[module] = max(self._in_use[module], memory_bytes)

    def finish(self, module: str) -> None:
        """Note that a module at work has ended, however it ended."""
        del self._in_use[module]
        for importer in self._importers[module]:
            self._waiting[importer] -= 1
            if not self._waiting[importer]:
                self._ready.add(importer)

    def put_back(self, module: str) -> None:
        """Note that a module at work must be done again, alone."""
        del self._in_use[module]
        self._lone.add(module)
        self._ready.add(module)


def _priorities(
    tasks: Sequence[Task], slots: int, urgent: Collection[str]
) -> Mapping[str, tuple[bool, float, int]]:
    ways = longest_ways(tasks) if slots > 1 else {}
    pressing = set(urgent)
    for task in reversed(tasks):
        if task.module in pressing:
            pressing.update(task.imports)
    return {t.module: (t.module not in pressing, -ways.get(t.module, 0.0), n) for n, t in enumerate(tasks)}


def forecast(
    tasks: Sequence[Task],
    slots: int = 1,
    memory_bytes: int | None = None,
    urgent: Collection[str] = (),
) -> Forecast:
    """Return how the schedule of these tasks would go by the recorded times and peaks."""
    packer = Packer(tasks, slots, memory_bytes, urgent)
    walls = {task.module: task.wall_s or 0.0 for task in tasks}
    ends: list[tuple[float, int, str]] = []
    spans: list[Slot] = []
    now, peak = 0.0, 0
    while not packer.done:
        for module in packer.take():
            spans.append(Slot(module, now, now + walls[module]))
            heapq.heappush(ends, (now + walls[module], len(spans), module))
        peak = max(peak, packer.memory_in_use)
        now, _, module = heapq.heappop(ends)
        packer.finish(module)
    path = _critical_path(tasks)
    return Forecast(
        tuple(spans), now, peak, tuple(task.module for task in tasks if not task.known),
        path, sum(walls[module] for module in path),
    )  # fmt: skip


def _critical_path(tasks: Sequence[Task]) -> tuple[str, ...]:
    ways = longest_ways(tasks)
    importers: dict[str, list[str]] = {task.module: [] for task in tasks}
    for task in tasks:
        for module in task.imports:
            importers[module].append(task.module)
    path: list[str] = []
    candidates = [task.module for task in tasks if not task.imports]
    while candidates:
        module = max(candidates, key=lambda m: ways[m])
        path.append(module)
        candidates = importers[module]
    return tuple(path)


def nearest(modules: Sequence[str], chosen: Collection[str], imports: Mapping[str, Sequence[str]]) -> Mapping[
    str, tuple[str, ...]
]:  # fmt: skip
    """Return for each chosen module the chosen ones that it imports, directly or through others not chosen.

    `modules` have imports before importers; `imports` are the direct ones.
    """
    wanted = set(chosen)
    below: dict[str, set[str]] = {}
    for module in modules:
        found: set[str] = set()
        for name in imports[module]:
            found |= {name} if name in wanted else below.get(name, set())
        below[module] = found
    return {module: tuple(sorted(below[module])) for module in modules if module in wanted}
