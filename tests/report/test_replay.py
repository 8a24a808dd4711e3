"""Past runs replayed: the labels are those that the tracker itself gave at the time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.report.synthetic import write_world
from tracker.evidence import Run
from tracker.report.html.model import gather
from tracker.report.html.replay import Replay, Step


@pytest.mark.parametrize("seed", range(6))
def test_every_moment_is_replayed_as_it_was_judged_then(tmp_path: Path, seed: int) -> None:
    workspace, simulation = write_world(tmp_path, 330, 12, seed, keep_truth=True)
    past = gather(workspace).records.replay
    assert len(past.steps) == 12
    for number, labels in simulation.truth.items():
        assert past.after(number) == labels, f"run {number}"
    seen = {label for labels in simulation.truth.values() for label in labels.values()}
    assert {"proved", "blocked"} < seen, "the made-up history is worth the test"


def test_the_newest_moment_is_the_present_verdict(tmp_path: Path) -> None:
    workspace, _ = write_world(tmp_path, 330, 9)
    board = gather(workspace)
    now = {ident: verdict.label for ident, verdict in board.status.verdicts.items()}
    assert board.records.replay.after(board.records.runs[-1].number) == now


def test_sources_edited_after_the_newest_run_make_its_evidence_obsolete_now_but_not_then(
    tmp_path: Path,
) -> None:
    workspace, _ = write_world(tmp_path, 330, 9)
    before = gather(workspace)
    file = tmp_path / "lean" / "Nets" / "Base" / "P0.lean"
    file.write_text(file.read_text(encoding="utf-8") + "\n-- edited\n", encoding="utf-8")
    for name in ("project", "fingerprints"):
        workspace.__dict__.pop(name)
    after = gather(workspace)
    proved = [ident for ident, v in before.status.verdicts.items() if v.proved]
    assert all(after.status.verdicts[ident].label in ("obsolete", "blocked") for ident in proved)
    assert after.records.replay.steps == before.records.replay.steps


RUN = Run(1, 0.0, 1.0, "finished", "embedded", "4.35.0 abc", "m", None, False, 1, 0)


def steps(*changes: dict[str, str]) -> Replay:
    start = {"a": "unchecked", "b": "unchecked"}
    return Replay(tuple(Step(replace(RUN, number=i), c) for i, c in enumerate(changes, 1)), start)


def test_since_when_everything_is_proved() -> None:
    past = steps({"a": "proved"}, {"b": "proved"}, {}, {"a": "sorry"}, {"a": "proved"}, {})
    assert past.proved_counts() == [1, 2, 2, 1, 2, 2]
    assert (past.complete_since() or RUN).number == 5
    assert (past.last_complete() or RUN).number == 6
    assert {ident: run.number for ident, run in past.since().items()} == {"a": 5, "b": 2}


def test_what_was_once_complete_and_is_not_now() -> None:
    past = steps({"a": "proved", "b": "proved"}, {"b": "failed:crash"})
    assert past.complete_since() is None
    assert (past.last_complete() or RUN).number == 1


def test_an_empty_catalogue_was_never_complete() -> None:
    past = Replay((Step(RUN, {}),), {})
    assert past.complete_since() is None
    assert past.last_complete() is None
