"""Checks made several times for their cost, and instructions counted where that is allowed."""

from __future__ import annotations

from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Site
from tests.run.test_interruption import checked_in
from tests.store.test_history import costs
from tracker.evidence import Cost, deviation, median_cost
from tracker.lean.counter import why_not
from tracker.store.history import open_history


@given(st.lists(costs, min_size=1, max_size=6))
def test_medians_are_of_each_figure(several: list[Cost]) -> None:
    found = median_cost(several)
    assert found.wall_s == median(cost.wall_s for cost in several)
    assert found.peak_rss_bytes in [cost.peak_rss_bytes for cost in several]
    assert (found.peak_anon_bytes is None) == any(cost.peak_anon_bytes is None for cost in several)


@given(st.lists(st.floats(0, 1e6), min_size=1))
def test_laws_of_the_deviation(values: list[float]) -> None:
    assert 0 <= deviation(values) <= max(values) - min(values)
    assert deviation(values[:1] * 3) == 0


def test_a_repeated_check_is_one_record_with_the_median(site: Site) -> None:
    done = site.tracker("run", "Demo.Side", "--repeat", "3")
    assert "median of 3" in done.err
    assert checked_in(site.root / ".tracker" / "history.db") == 1
    history = open_history(site.root / ".tracker", write=False)
    assert history is not None
    check = history.evidence({}).checks["Demo.Side"]
    history.close()
    assert check.cost == median_cost(check.repeats)
    assert len({cost.wall_s for cost in check.repeats}) == 3, "three measurements, not one copied"
    assert "median of 3" in site.tracker("show", "side").out
    shown = site.tracker("show", "side", "--json").json
    assert (shown["repeats"], shown["wall_mad_s"]) == (3, check.wall_mad_s)


def test_a_check_that_fails_once_has_failed(site: Site, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A Lean that fails the second time it is asked about a module."""
    place = tmp_path_factory.mktemp("fickle")
    lean = place / "lean"
    from tracker.embedded.sysroot import ensure

    real = ensure()
    lean.write_text(
        f'#!/bin/sh\ncase "$*" in *Demo/Side.lean*) echo x >> {place}/count;'
        f' [ "$(wc -l < {place}/count)" = 2 ] && kill -SEGV $$;; esac\nexec {real.lean} "$@"\n'
    )
    lean.chmod(0o755)
    file = site.root / "tracker.toml"
    file.write_text(
        file.read_text().replace('"embedded"', '"fickle"')
        + f'[toolchains.fickle]\nlake = "{real.lake}"\nlean = "{lean}"\n'
    )
    done = site.tracker("run", "Demo.Side", "--repeat", "4", environment={"LEAN_SYSROOT": str(real.root)})
    assert "crash" in done.err, done.err
    assert len((place / "count").read_text().split()) == 2, "after a failure nothing is repeated"


def test_instructions_are_counted_or_it_is_said_why_not(site: Site) -> None:
    done = site.tracker("run", "Demo.Side", "--instructions")
    history = open_history(site.root / ".tracker", write=False)
    assert history is not None
    cost = history.evidence({}).checks["Demo.Side"].cost
    history.close()
    assert cost is not None
    if why_not():
        assert f"instructions are not counted: {why_not()}" in done.err
        assert cost.instructions is None
    else:
        assert (cost.instructions or 0) > 1_000_000
