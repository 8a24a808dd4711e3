"""Measuring headroom: Lean checks a module again and again under other limits.

Many declarations of a module are searched at once: in every round each stands under a limit of its own
and Lean tells which of them failed. A declaration whose error may only follow from that of another one is
not judged in that round. At the end all are checked together at what was found.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tracker.errors import LeanError
from tracker.headroom.search import Bracket
from tracker.headroom.variant import WrittenLimit, with_limits, without, written_limits
from tracker.lean.failure import Failure, FailureClass
from tracker.lean.failures.options import DEFAULTS
from tracker.lean.ilean import Ilean
from tracker.lean.messages import declaration_ranges
from tracker.lean.scan.source import scan_source
from tracker.run.recheck import Recheck
from tracker.units import show_count
from tracker.verdict import one_line

C = FailureClass
OPTIONS: Final = ("maxRecDepth", "maxHeartbeats")
"""The options that are searched; maxHeartbeats counts in thousands of small allocations."""
_EXHAUSTED: Final = {
    "maxRecDepth": (C.MAX_REC_DEPTH, C.KERNEL_DEEP_RECURSION, C.STACK_OVERFLOW),
    "maxHeartbeats": (C.HEARTBEATS, C.KERNEL_TIMEOUT),
}
_SAYS_NOTHING: Final = (
    C.WALL_TIMEOUT, C.OUT_OF_MEMORY, C.KILLED, C.INTERRUPTED, C.DISK_FULL, C.IO_ERROR, C.THREAD_LIMIT,
    C.BAD_IMPORT, C.OLEAN_MISMATCH, C.LEAN_USAGE,
)  # fmt: skip
"""Ends of a check that have nothing to do with the limit that was tried."""
_DOUBLINGS = 12

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Headroom:
    """How much of a limit one declaration needs."""

    module: str
    declaration: str
    """Empty for the memory of the whole module."""
    option: str
    limit: int
    """In force today; 0 stands for none, as in Lean."""
    needed: int
    """The smallest value at which it was seen to pass."""
    fails_at: int
    """The largest value at which it was seen to fail; 0 where it passed at every one."""
    failure: str
    """The class of that failure; empty where there was none."""

    @property
    def use(self) -> float | None:
        """Return the part of the limit that is needed; None without a limit."""
        return self.needed / self.limit if self.limit else None


@dataclass(frozen=True)
class SetLimit:
    """A `set_option max…` that a module writes, and whether the module passes without it."""

    module: str
    option: str
    value: str
    line: int
    dead: bool


@dataclass(frozen=True)
class Unmeasured:
    """A declaration that could not be measured, and why."""

    module: str
    declaration: str
    reason: str


@dataclass(frozen=True)
class _Round:
    """What Lean said of one variant: failures by declaration, and those of no declaration."""

    failed: Mapping[str, Failure]
    whole: Failure | None


class Bench:
    """One module, and what its declarations have to do with each other."""

    def __init__(self, recheck: Recheck, index: Ilean) -> None:
        self._recheck = recheck
        self._uses = index.uses
        self.module: Final = recheck.module
        self.source: Final = recheck.source
        self._registered = {
            d.name
            for d in scan_source(self.source).declarations
            if d.kind == "instance" or d.attributes or d.is_private
        }

    def in_force(self, option: str) -> Mapping[str, int]:
        """Return the value of an option that each declaration is checked under today, by full name."""
        found = {}
        for entry in declaration_ranges(self.source):
            known = {**DEFAULTS, **self._recheck.options, **dict(entry.options)}
            text = known.get(option, "0").replace("_", "")
            found[entry.name] = int(text) if text.isdecimal() else 0
        return found

    def check(self, text: str) -> _Round:
        """Have Lean check a variant of the source."""
        failures = self._recheck.check(text).failures
        failed: dict[str, Failure] = {}
        for failure in failures:
            if failure.declaration is not None:
                failed.setdefault(failure.declaration, failure)
        return _Round(failed, next((f for f in failures if f.declaration is None), None))

    def under_memory(self, mib: int) -> Failure | None:
        """Return how the module fares under Lean's own memory limit: its failure, or None."""
        failures = self._recheck.check(self.source, ["-M", str(mib)]).failures
        if failures and not any(f.cls in _MEMORY_ENDS for f in failures):
            raise _no_answer(self.module, failures[0])
        return next((f for f in failures if f.cls in _MEMORY_ENDS), None)

    def may_follow(self, name: str, failed: Collection[str]) -> bool:
        """Return whether the failure of `name` may only follow from that of another one of `failed`.

        It may where its proof refers to that one, however indirectly, and where the other is one that Lean
        finds without its being named: an instance, or what an attribute registers.
        """
        others = [other for other in failed if other != name]
        return any(other in self._registered for other in others) or bool(
            self._rests_on(name).intersection(others)
        )

    def _rests_on(self, name: str) -> set[str]:
        seen, stack = set[str](), [name]
        while stack:
            new = set(self._uses.get(stack.pop(), ())) - seen
            seen |= new
            stack += new & self._uses.keys()
        return seen


MEMORY: Final = "memory"
"""Measured of a module, in MiB: the smallest `lean -M` under which it passes."""
_MEMORY_ENDS: Final = (C.OUT_OF_MEMORY, C.KERNEL_MEMORY)


def measure_memory(
    bench: Bench, peak_mib: int, limit_mib: int, precision: float, progress: Progress
) -> Headroom:
    """Return the smallest memory limit of Lean's own (`-M`) under which the module passes, in MiB.

    The search begins at the recorded peak, `peak_mib`; `limit_mib` is what the module may use today, 0
    without a limit. Lean looks at its limit now and then only, so that the need may be below the peak. Raises
    LeanError when Lean ends for another reason.
    """
    bracket, cls = Bracket(0, max(peak_mib, 1)), ""
    for _ in range(_DOUBLINGS):
        if (failure := bench.under_memory(bracket.high)) is None:
            break
        bracket, cls = Bracket(bracket.high, 2 * bracket.high), str(failure.cls)
    while not bracket.settled(precision):
        progress(f"{bench.module}: memory")
        value = bracket.guess()
        failure = bench.under_memory(value)
        bracket = bracket.passed(value) if failure is None else bracket.failed(value)
        cls = cls if failure is None else str(failure.cls)
    return Headroom(bench.module, "", MEMORY, limit_mib, bracket.high, bracket.low, cls)


def measure(
    bench: Bench, declarations: Sequence[str], option: str, precision: float, progress: Progress
) -> tuple[list[Headroom], list[Unmeasured]]:
    """Return what each declaration of the module needs of an option, and which could not be measured.

    `precision` is the ratio at which the search ends. Raises LeanError when Lean gives no answer.
    """
    return _Search(bench, option, precision, progress).run(declarations)


class _Search:
    """The brackets of a module's declarations for one option, closed round by round."""

    def __init__(self, bench: Bench, option: str, precision: float, progress: Progress) -> None:
        self._bench = bench
        self._option = option
        self._precision = precision
        self._progress = progress
        self._force = bench.in_force(option)
        self._brackets: dict[str, Bracket] = {}
        self._classes: dict[str, str] = {}
        self._lost: dict[str, str] = {}
        self._sound: dict[str, int] = {}
        """A limit for each, under which it was seen to pass: what it stands under while others are tried."""

    def run(self, declarations: Sequence[str]) -> tuple[list[Headroom], list[Unmeasured]]:
        for name in declarations:
            if name in self._force:
                self._brackets[name] = Bracket(0, self._ceiling(name))
            else:
                self._lost[name] = "its source does not write it as a declaration of its own"
        self._begin()
        self._narrow()
        while reopened := self._confirm():
            self._brackets |= reopened
            self._narrow()
        module, option = self._bench.module, self._option
        found = [
            Headroom(module, name, option, self._force[name], b.high, b.low, self._classes.get(name, ""))
            for name, b in self._brackets.items()
        ]
        return found, [Unmeasured(module, name, reason) for name, reason in self._lost.items()]

    def _ceiling(self, name: str) -> int:
        return self._force[name] or int(DEFAULTS[self._option])

    def _begin(self) -> None:
        """Make sure that each passes at the upper end; raise that end where there is no limit today."""
        for _ in range(_DOUBLINGS):
            due = {n: b.high for n, b in self._brackets.items() if n not in self._sound}
            for name, failure in self._outcomes(due).items():
                if failure is None:
                    self._sound[name] = due[name]
                elif self._force[name] or failure.cls not in _EXHAUSTED[self._option]:
                    self._drop(name, failure)
                else:
                    self._classes[name] = str(failure.cls)
                    self._brackets[name] = Bracket(due[name], 2 * due[name])
        for name in [n for n in self._brackets if n not in self._sound]:
            del self._brackets[name]
            self._lost[name] = "no limit was found under which it passes"

    def _drop(self, name: str, failure: Failure) -> None:
        del self._brackets[name]
        self._lost[name] = f"it does not pass with a limit put before it: {one_line(failure.message)}"

    def _narrow(self) -> None:
        while active := {n: b for n, b in self._brackets.items() if not b.settled(self._precision)}:
            self._progress(f"{self._bench.module}: {self._option}, {len(active)} left")
            tried = {name: bracket.guess() for name, bracket in active.items()}
            for name, failure in self._outcomes(tried).items():
                if failure is None:
                    self._brackets[name] = self._brackets[name].passed(tried[name])
                    self._sound[name] = self._brackets[name].high
                else:
                    self._brackets[name] = self._brackets[name].failed(tried[name])
                    self._classes[name] = str(failure.cls)

    def _confirm(self) -> dict[str, Bracket]:
        """Return the brackets of those that do not pass when all are checked at what was found."""
        found = {name: bracket.high for name, bracket in self._brackets.items()}
        failed = {name for name, failure in self._outcomes(found).items() if failure is not None}
        for name in [n for n in failed if found[n] >= self._ceiling(n)]:
            failed.remove(name)
            del self._brackets[name], self._sound[name]
            self._lost[name] = "it passed and failed under one and the same limit"
        self._sound |= {name: self._ceiling(name) for name in failed}
        return {name: Bracket(found[name], self._ceiling(name)) for name in failed}

    def _outcomes(self, tried: Mapping[str, int]) -> dict[str, Failure | None]:
        """Return how each fares under the limit tried: its failure, or None; those undecided are left out.

        At least one is decided. Raises LeanError when Lean ended in a way that says nothing of limits.
        """
        if not tried:
            return {}
        text = with_limits(self._bench.source, {**self._sound, **tried}, self._option)
        heard = self._bench.check(text)
        if heard.whole is not None and len(tried) > 1:
            return self._by_halves(tried)
        if heard.whole is not None:
            if heard.whole.cls in _SAYS_NOTHING:
                raise _no_answer(self._bench.module, heard.whole)
            return {name: heard.failed.get(name, heard.whole) for name in tried}
        decided = {
            name: heard.failed.get(name)
            for name in tried
            if name not in heard.failed or not self._bench.may_follow(name, heard.failed)
        }
        if decided:
            return decided
        first = next(iter(tried))
        return self._outcomes({first: tried[first]}) if len(tried) > 1 else {first: heard.failed[first]}

    def _by_halves(self, tried: Mapping[str, int]) -> dict[str, Failure | None]:
        """Return the outcomes of a round in which the whole module failed: one of them ended it."""
        items = list(tried.items())
        middle = len(items) // 2
        return self._outcomes(dict(items[:middle])) | self._outcomes(dict(items[middle:]))


def _no_answer(module: str, failure: Failure) -> LeanError:
    return LeanError(
        "HEADROOM",
        f"{module} could not be checked under other limits: {failure.cls}: {failure.message[:500]}",
        "`tracker run` must pass on it first; raise --wall or --memory where a limit ended it",
    )


def dead_limits(bench: Bench, progress: Progress) -> list[SetLimit]:
    """Return every limit that the module raises, and whether it passes just as well without it.

    Those that lower a limit are a choice and are left out. Where all are dead together one check tells.
    """
    raised = [w for w in written_limits(bench.source) if _raises(w)]
    if not raised:
        return []
    progress(f"{bench.module}: without its {show_count(len(raised), 'raised limit')}")
    if _passes(bench, raised):
        alive: list[WrittenLimit] = []
    elif len(raised) == 1:
        alive = raised
    else:
        alive = [w for w in raised if not _passes(bench, [w])]
    return [SetLimit(bench.module, w.option, w.value, w.line, w not in alive) for w in raised]


def _raises(limit: WrittenLimit) -> bool:
    value = int(limit.value.replace("_", ""))
    default = DEFAULTS.get(limit.option)
    return default is None or value == 0 or value > int(default)


def _passes(bench: Bench, limits: Sequence[WrittenLimit]) -> bool:
    heard = bench.check(without(bench.source, limits))
    return not heard.failed and heard.whole is None
