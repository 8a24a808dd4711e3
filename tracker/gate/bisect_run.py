"""Bisecting with Lean: candidates are tried in a scratch tree, every step's evidence is kept in a file.

`bisect/KEY/results.json` under the state directory holds the question, the candidates and the steps so far.
KEY is a hash of question and candidates, so that the same command goes on where it was cut off.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from tracker.config import Settings
from tracker.errors import CatalogueError, LeanError, ProjectError, TrackerError, UsageError
from tracker.gate.bisect import (
    Judgement,
    Observation,
    Oracle,
    Outcome,
    Turn,
    next_position,
)
from tracker.gate.bisect_range import Candidate
from tracker.gate.snapshot import Figure
from tracker.gate.trial import Place, Trial, measure_again, read_trial, relocate, run_trial
from tracker.gate.upgrade_run import Listening, Packages, move_tree_pins
from tracker.gate.worktree import Repository, scratch_trees
from tracker.lean.scan.pins import read_pins
from tracker.machine import this_machine
from tracker.run.plan import is_transient
from tracker.toolchains import choose_toolchain
from tracker.verdict import Verdict
from tracker.workspace import Workspace

SCHEMA_VERSION = 1
_ENDS_MEASURED = 3
"""How often the cost of an end is measured where the threshold is made of it."""

Axis = Literal["toolchains", "commits"]


@dataclass(frozen=True)
class BisectRequest:
    """What is searched for, and among what.

    Where the oracle has a threshold of 0, or no class, it is taken from the ends.
    """

    axis: Axis
    candidates: tuple[Candidate, ...]
    oracle: Oracle
    packages: Packages = "refuse"
    fresh: bool = False
    """Whether the steps of an earlier search are forgotten."""


@dataclass(frozen=True)
class Step:
    """One candidate tried: what was seen, and by what."""

    position: int
    name: str
    observations: tuple[Observation, ...]
    untestable: str = ""
    """Why nothing could be seen, if so."""
    toolchain: str = ""
    """The identity of the Lean that was used."""
    machine: str = ""
    started_at: float = 0.0
    duration_s: float = 0.0


@dataclass(frozen=True)
class Bisection:
    """A search as far as it is: the question as it was settled, its steps by position, and the answer."""

    request: BisectRequest
    oracle: Oracle
    steps: Mapping[int, Step]
    turn: Turn | None
    file: Path

    def judge(self, position: int) -> Judgement:
        """Return what a step says under the settled question."""
        return _judge(self.oracle, self.steps[position])

    @property
    def suspects(self) -> tuple[Candidate, ...]:
        """Return the candidates of which one is the first bad one; one alone when that is certain."""
        return tuple(self.request.candidates[p] for p in self.turn.suspects) if self.turn else ()


def bisect(
    settings: Settings, repository: Repository, request: BisectRequest, listen: Listening,
    say: Callable[[str], None],
) -> Bisection:  # fmt: skip
    """Return where it turned bad. Every step is kept at once; `say` hears of each.

    Raises UsageError when an end is not what it must be, LeanError when a toolchain that was named is not
    installed, StoreError; KeyboardInterrupt leaves what was finished for the next call.
    """
    if request.axis == "toolchains":  # before anything takes time: that each of them is there
        for candidate in request.candidates:
            choose_toolchain(replace(settings, toolchain=candidate.toolchain), on_progress=say)
    search = _Search(settings, repository, request, listen, say)
    file = settings.state / "bisect" / _key(request, settings) / "results.json"
    found = Bisection(request, request.oracle, {}, None, file)
    if not request.fresh:
        found = replace(found, steps=_read_steps(file, len(request.candidates)))
    with scratch_trees(repository, settings.state) as trees:
        tree = trees.add(request.candidates[0].commit, "bisect")
        place = Place(settings, repository.root, tree)
        while found.turn is None:
            found = replace(found, oracle=_settled(found))
            step = _next(found)
            if isinstance(step, int):
                tried = search.step(place, step, found.oracle)
                found = replace(found, steps={**found.steps, step: tried})
                _write(found)  # before it is told: what was told is kept
                judged = _judge(_settled(found), tried)
                say(f"{tried.name}: {judged.outcome}: {judged.reason}")
            else:
                found = replace(found, turn=step)
                _write(found)
    return found


def _next(found: Bisection) -> int | Turn:
    """Return the next position, the ends first where the question is made of them."""
    count = len(found.request.candidates)
    for end in (0, count - 1):
        if count > 1 and end not in found.steps and not _is_settled(found.oracle):
            return end
    judged = {position: found.judge(position) for position in found.steps}
    try:
        return next_position({p: judgement.outcome for p, judgement in judged.items()}, count)
    except UsageError as error:
        ends = [f"{found.steps[p].name}: {judged[p].reason}" for p in (0, count - 1) if p in judged]
        raise UsageError(error.code, "; ".join([error.message, *ends]), error.hint) from error


def _is_settled(oracle: Oracle) -> bool:
    return oracle.kind == "label" or bool(oracle.cls if oracle.kind == "class" else oracle.threshold)


def _settled(found: Bisection) -> Oracle:
    """Return the oracle with what it leaves open taken from the ends, once both are known."""
    oracle, last = found.oracle, len(found.request.candidates) - 1
    if _is_settled(oracle) or not {0, last} <= set(found.steps):
        return oracle
    good, bad = found.steps[0].observations, found.steps[last].observations
    if oracle.kind == "class":
        label = next((o.label for o in bad if not o.proved), "")
        return replace(oracle, cls=label or "failed")
    figures = [oracle.figure(o) for side in (good, bad) for o in side[:1]]
    if len(figures) < 2 or figures[0] is None or figures[1] is None:
        why = "; ".join(found.steps[p].untestable for p in (0, last))
        raise UsageError("BISECT-ENDS", f"the cost of an end is not known {why}".strip(), "choose other ends")
    return replace(oracle, threshold=oracle.threshold_between(figures[0], figures[1]))


def _judge(oracle: Oracle, step: Step) -> Judgement:
    if step.untestable:
        return Judgement(Outcome.UNTESTABLE, step.untestable)
    if not _is_settled(oracle):
        return Judgement(Outcome.UNTESTABLE, "measured; the other end is not known yet")
    return oracle.judge(step.observations)


@dataclass
class _Search:
    """Tries one candidate after the other in one scratch tree."""

    settings: Settings
    repository: Repository
    request: BisectRequest
    listen: Listening
    say: Callable[[str], None]
    _tree_commit: str = field(default="", init=False)

    def step(self, place: Place, position: int, oracle: Oracle) -> Step:
        """Try one candidate. What is wrong with it makes it untestable, and is no error of the search."""
        candidate, started = self.request.candidates[position], time.time()
        self.say(f"trying {candidate.name}")
        done = Step(
            position, candidate.name, (), machine=str(this_machine()), started_at=started
        )  # fmt: skip
        try:
            workspace = self._workspace(place, candidate)
            observed = self._observe(workspace, oracle)
            done = replace(done, observations=observed, toolchain=workspace.toolchain.identity)
        except (CatalogueError, LeanError, ProjectError) as error:
            done = replace(done, untestable=_one_line(error))
        except UsageError as error:
            if error.code in ("GIT", "PACKAGES", "NO-SUCH-TOOLCHAIN", "NO-REPOSITORY"):
                raise
            done = replace(done, untestable=_one_line(error))
        return replace(done, duration_s=time.time() - started)

    def _workspace(self, place: Place, candidate: Candidate) -> Workspace:
        self.repository.move_tree(place.tree, candidate.commit)
        moved = relocate(self.settings, place.repository, place.tree)
        # What a commit pins decides which Lean `auto` means there.
        toolchain = choose_toolchain(replace(moved, toolchain=candidate.toolchain), on_progress=self.say)
        if self.request.axis == "toolchains" and toolchain.version not in read_pins(str(place.tree)).versions:
            move_tree_pins(place, toolchain, self.request.packages, self.say)
        return place.workspace(toolchain)

    def _observe(self, workspace: Workspace, oracle: Oracle) -> tuple[Observation, ...]:
        catalogue = workspace.catalogue
        known = [ident for ident in oracle.ids if ident in catalogue]
        if not known:
            return tuple(_absent(ident) for ident in oracle.ids)
        built = [ident for ident in known if catalogue[ident].module in workspace.project.modules]
        if not built:
            return _observations(oracle, read_trial("", workspace))
        with self.listen() as listener:
            trial = run_trial("", workspace, self.settings.state, listener, built)
            while self._wants_more(oracle, seen := _observations(oracle, trial)):
                modules = {catalogue[o.id].module for o in seen if o.proved}
                measure_again(workspace, sorted(modules), listener)
                trial = read_trial("", workspace, built)
        return seen

    def _wants_more(self, oracle: Oracle, seen: Sequence[Observation]) -> bool:
        if _is_settled(oracle):
            return oracle.wants_more(seen)
        figures = [oracle.figure(o) for o in seen if o.proved]
        return any(f is not None and f.count < min(_ENDS_MEASURED, oracle.repeats) for f in figures)


def _observations(oracle: Oracle, trial: Trial) -> tuple[Observation, ...]:
    return tuple(
        _observation(ident, trial.verdicts[ident], trial) if ident in trial.verdicts else _absent(ident)
        for ident in oracle.ids
    )


def _observation(ident: str, verdict: Verdict, trial: Trial) -> Observation:
    module = trial.snapshot.modules.get(trial.catalogue[ident].module)
    costs = module.costs if module else None
    check = verdict.check
    return Observation(
        ident, verdict.label, verdict.reason,
        transient=check is not None and not check.passed and is_transient(check),
        cpu_s=costs.cpu_s if costs else None,
        peak_rss_bytes=costs.peak_rss_bytes if costs else None,
    )  # fmt: skip


def _absent(ident: str) -> Observation:
    return Observation(ident, "", f"the catalogue has no {ident} there")


def _one_line(error: TrackerError) -> str:
    return f"{error.code}: {' '.join(error.message.split())}"


def _key(request: BisectRequest, settings: Settings) -> str:
    """Return what tells this search from others: question and candidates, and for costs the machine."""
    oracle = request.oracle
    costs = str(this_machine()) if oracle.kind in ("time", "memory") else ""
    entries = [repr(settings.toolchains.get(c.toolchain)) for c in request.candidates]
    candidates = [asdict(candidate) for candidate in request.candidates]
    parts = (request.axis, request.packages, asdict(oracle), candidates, entries, costs)
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def bisection_json(found: Bisection) -> dict[str, Any]:
    """Return everything that is known of a search, as it is kept in its file."""
    steps = []
    for position in sorted(found.steps):
        judged = found.judge(position)
        steps.append(
            {"outcome": str(judged.outcome), "reason": judged.reason, "close": judged.close}
            | asdict(found.steps[position])
        )
    turn = found.turn
    return {
        "schema_version": SCHEMA_VERSION,
        "axis": found.request.axis,
        "oracle": asdict(found.oracle),
        "candidates": [asdict(candidate) for candidate in found.request.candidates],
        "steps": steps,
        "finished": turn is not None,
        "certain": turn is not None and turn.certain,
        "last_good": found.request.candidates[turn.good].name if turn else None,
        "first_bad": found.request.candidates[turn.bad].name if turn else None,
        "suspects": [candidate.name for candidate in found.suspects],
    }


def _write(found: Bisection) -> None:
    """Keep the search as it is: whole, or as it was before. Raises UsageError."""
    draft = found.file.with_suffix(".new")
    try:
        found.file.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(json.dumps(bisection_json(found), ensure_ascii=False, indent=1), encoding="utf-8")
        draft.replace(found.file)
    except OSError as error:
        raise UsageError("OUTPUT", f"{found.file}: {error.strerror}", "choose another --state") from error


def _read_steps(file: Path, count: int) -> dict[int, Step]:
    """Return the steps of an earlier search, without those that may go otherwise when tried again.

    Raises UsageError for garbage.
    """
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if data["schema_version"] != SCHEMA_VERSION:
            return {}
        steps = [_step(entry) for entry in data["steps"]]
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError("BISECT-STATE", f"{file}: {error}", "--fresh starts anew") from error
    firm = [s for s in steps if not s.untestable and not any(o.transient for o in s.observations)]
    return {step.position: step for step in firm if 0 <= step.position < count}


def _step(entry: Mapping[str, Any]) -> Step:
    own = {key: value for key, value in entry.items() if key not in ("outcome", "reason", "close")}
    seen = tuple(
        Observation(**{**o, "cpu_s": _figure(o["cpu_s"]), "peak_rss_bytes": _figure(o["peak_rss_bytes"])})
        for o in own.pop("observations")
    )
    return Step(**own, observations=seen)


def _figure(data: Mapping[str, Any] | None) -> Figure | None:
    return Figure(**data) if data else None
