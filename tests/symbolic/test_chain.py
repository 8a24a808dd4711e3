"""The laws of chains: what a chain of n stages counts, and where its sizes meet."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tracker.symbolic.chain import Chain, Claimed, Dims, Stage, count_faults, dims_fault
from tracker.symbolic.equation import equation_fault

lengths = st.integers(1, 30)


def chain(length: int, saves: int, *, pointwise: bool = True) -> Chain:
    stages = tuple(Stage(f"b{i}", "N * D", "N * D") for i in range(length))
    return Chain(
        "net", "N * D", stages, pointwise=pointwise, saves=tuple(f"s{i}" for i in range(saves)),
        apex="apex", tie="tie", shape_check="shape",
    )  # fmt: skip


@given(lengths, st.integers(0, 40), st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_only_the_counts_of_the_length_pass(
    n: int, saves: int, composed: int, leaves: int, lifts: int
) -> None:
    faults = {fault.code for fault in count_faults(chain(n, saves), Claimed(composed, leaves, lifts))}
    wrong = {
        "chain-saves": saves != n - 1,
        "chain-compositions": composed != n - 1,
        "chain-leaves": leaves > n,
        "chain-lifts": lifts != n - 1,
    }
    assert faults == {code for code, is_wrong in wrong.items() if is_wrong}


@given(lengths)
def test_no_claim_is_right_only_where_nothing_is_composed(n: int) -> None:
    faults = {fault.code for fault in count_faults(chain(n, n - 1), Claimed())}
    assert faults == (set() if n == 1 else {"chain-compositions", "chain-lifts"})


@given(lengths, st.integers(0, 3))
def test_coupled_stages_have_no_batch_lift(n: int, lifts: int) -> None:
    coupled = chain(n, n - 1, pointwise=False)
    faults = [fault.code for fault in count_faults(coupled, Claimed(n - 1, None, lifts))]
    assert faults == ["chain-lifts"] * bool(lifts)


def codes(*sizes: str) -> list[tuple[str, str]]:
    """The findings of a chain that gives and takes these sizes in turn."""
    stages = [
        Stage(f"b{i}", given, taken, i)
        for i, (taken, given) in enumerate(zip(sizes[::2], sizes[1::2], strict=True))
    ]
    return [(fault.code, fault.path) for fault in Dims(Chain("net", sizes[0], tuple(stages))).faults()]


def test_joins() -> None:
    assert codes("N * 3", "N * 4", "N * 4", "K") == []
    assert codes("N * 3", "N * 4", "N * 5", "K") == [("chain-join", "stages[1].input")]
    assert codes("N * 3", "N * 4", "4 * N", "K") == [("two-spellings", "stages[1].input")]
    assert codes("N * 3", "N *", "4 * N", "K") == [("bad-dims", "stages[0].output")]


def test_a_faulty_size_is_reported_alone() -> None:
    made = Chain("net", "x", (Stage("a", "y", "z"),), sizes={"w": "2", "x": "w -", "y": "x"})
    dims = Dims(made)
    assert [(fault.code, fault.path) for fault in dims.faults()] == [("bad-dims", "sizes.x")]
    assert list(dims.meet("end", "one", "2", "other", "3")) == []


def size_faults(sizes: dict[str, str]) -> list[tuple[str, str]]:
    stage = Stage("a", "x", "(8 * q) * (8 * q)")
    made = Chain("net", "x", (stage,), sizes=sizes)
    return [(fault.code, fault.path) for fault in Dims(made).faults()]


def test_sizes_are_what_they_stand_for_and_use_earlier_ones_only() -> None:
    assert size_faults({"s": "8 * q", "x": "s * s"}) == []
    assert size_faults({"s": "8 * q", "x": "s ^ 2"}) == [("two-spellings", "stages[0].input")]
    assert size_faults({"x": "s * s", "s": "8 * q"}) == [("bad-dims", "sizes.x")]
    assert size_faults({"x": "x * 2"}) == [("bad-dims", "sizes.x")]


@given(st.lists(st.integers(0, 500), min_size=1, max_size=6), st.integers(-1, 1))
def test_sums_hold_or_not(parts: list[int], off: int) -> None:
    total = sum(parts) + off
    if total >= 0:
        fault = equation_fault(f"{' + '.join(map(str, parts))} = {total}", "equation")
        assert (fault is None) == (off == 0)


def test_dims() -> None:
    assert dims_fault("B * (N + 1)", "dims.input") is None
    fault = dims_fault("B *", "dims.input")
    assert fault is not None
    assert (fault.code, fault.path) == ("bad-dims", "dims.input")
