"""Packing, without Lean: laws that hold for every project, and the cases that people ask about."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.run.schedule import Packer, Task, forecast, longest_ways, nearest


@st.composite
def projects(draw: st.DrawFn) -> list[Task]:
    tasks: list[Task] = []
    for i in range(draw(st.integers(0, 12))):
        earlier = [task.module for task in tasks]
        imports = draw(st.lists(st.sampled_from(earlier), unique=True, max_size=3)) if earlier else []
        known = draw(st.booleans())
        wall = draw(st.integers(0, 50)) * 1.0 if known else None
        tasks.append(Task(f"M{i}", tuple(imports), wall, draw(st.integers(0, 20)) if known else None))
    return tasks


slots = st.integers(1, 4)
memories = st.none() | st.integers(0, 25)


@given(projects(), slots, memories, st.data())
def test_laws_of_packing(tasks: list[Task], jobs: int, memory: int | None, data: st.DataObject) -> None:
    """Whatever ends first: each module once, after its imports, within slots and memory, lone ones alone."""
    packer = Packer(tasks, jobs, memory)
    by_name = {task.module: task for task in tasks}
    ended: list[str] = []
    running: list[str] = []
    while not packer.done:
        started = packer.take()
        for module in started:
            assert set(by_name[module].imports) <= set(ended)
        running += started
        assert running, "something always goes on"
        assert len(running) <= jobs
        together = [by_name[module] for module in running]
        if len(together) > 1:
            assert all(task.known for task in together)
            assert memory is None or sum(task.memory_bytes or 0 for task in together) <= memory
        running.remove(module := data.draw(st.sampled_from(running)))
        packer.finish(module)
        ended.append(module)
    assert sorted(ended) == sorted(by_name)


@given(projects(), slots, memories)
def test_laws_of_the_forecast(tasks: list[Task], jobs: int, memory: int | None) -> None:
    seen = forecast(tasks, jobs, memory)
    total = sum(task.wall_s or 0 for task in tasks)
    assert sorted(slot.module for slot in seen.slots) == sorted(task.module for task in tasks)
    assert max(seen.critical_s, total / jobs) <= seen.wall_s <= total
    assert seen.critical_s == max(longest_ways(tasks).values(), default=0)
    heaviest = max((task.memory_bytes or 0 for task in tasks), default=0)
    assert heaviest <= seen.peak_bytes
    assert memory is None or seen.peak_bytes <= max(memory, heaviest)
    ends = {slot.module: slot.end_s for slot in seen.slots}
    starts = {slot.module: slot.start_s for slot in seen.slots}
    assert all(ends[name] <= starts[task.module] for task in tasks for name in task.imports)
    path = seen.critical_path
    by_name = {task.module: task for task in tasks}
    assert all(one in by_name[other].imports for one, other in pairwise(path))


@given(projects())
def test_one_slot_keeps_the_order(tasks: list[Task]) -> None:
    assert [slot.module for slot in forecast(tasks).slots] == [task.module for task in tasks]


def known(name: str, wall: float, memory: int, *imports: str) -> Task:
    return Task(name, imports, wall, memory)


def test_the_longest_way_goes_first() -> None:
    tasks = [known("Short", 5, 1), known("Base", 1, 1), known("Long", 9, 1, "Base")]
    seen = forecast(tasks, 2)
    assert [slot.module for slot in seen.slots] == ["Base", "Short", "Long"]
    assert (seen.wall_s, seen.critical_path) == (10, ("Base", "Long"))


def test_memory_holds_back_what_does_not_fit() -> None:
    tasks = [known("A", 4, 12), known("B", 3, 12), known("C", 2, 8)]
    assert Packer(tasks, 3, 20).take() == ["A", "C"]
    assert (forecast(tasks, 3, 20).wall_s, forecast(tasks, 3, 20).peak_bytes) == (7, 20)


def test_what_is_over_the_whole_memory_runs_alone() -> None:
    tasks = [known("Giant", 9, 99), known("A", 1, 1), known("B", 1, 1)]
    packer = Packer(tasks, 3, 20)
    assert packer.take() == ["A", "B"]
    packer.finish("A")
    assert packer.take() == []
    packer.finish("B")
    assert packer.take() == ["Giant"]


def test_a_module_that_grows_beyond_its_record_leaves_no_room() -> None:
    packer = Packer([known("A", 9, 1), known("B", 8, 1), known("C", 7, 1)], 2, 10)
    assert packer.take() == ["A", "B"]
    packer.observe("A", 10)
    packer.finish("B")
    assert packer.take() == []


def test_what_had_to_make_room_is_done_again_alone() -> None:
    packer = Packer([known("A", 9, 1), known("B", 8, 1), known("C", 1, 1, "B")], 2, 10)
    assert packer.take() == ["A", "B"]
    packer.put_back("B")
    assert packer.take() == []
    packer.finish("A")
    assert packer.take() == ["B"]
    packer.finish("B")
    assert packer.take() == ["C"]


def test_urgent_modules_and_what_they_need_go_first() -> None:
    tasks = [known("A", 9, 1), known("B", 1, 1), known("C", 1, 1, "B")]
    assert [slot.module for slot in forecast(tasks, 1, urgent=["C"]).slots] == ["B", "C", "A"]


@pytest.mark.parametrize("tasks", [[known("A", 1, 1), known("A", 1, 1)], [known("A", 1, 1, "Nowhere")]])
def test_tasks_that_make_no_sense(tasks: list[Task]) -> None:
    with pytest.raises(ValueError, match="each module once"):
        Packer(tasks)


def test_imports_through_modules_that_are_not_checked() -> None:
    imports = {"A": [], "B": ["A"], "C": ["B"], "D": ["C", "A"]}
    assert nearest(list(imports), {"A", "C", "D"}, imports) == {"A": (), "C": ("A",), "D": ("A", "C")}
