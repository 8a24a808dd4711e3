"""Probing modules that checked: many in one `lean`, one by one where they cannot be imported together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from threading import Event
from typing import NamedTuple

from tracker.errors import LeanError
from tracker.evidence import DeclarationProbe, Location
from tracker.lean.ilean import Ilean, read_ilean
from tracker.lean.lake import Lake
from tracker.lean.probe import Answer, probe_source, read_answers
from tracker.lean.process import Limits, Outcome
from tracker.lean.project import Project
from tracker.run.artifacts import artifact
from tracker.run.compiled import Compiled

_BATCH = 1000


def probe_modules(
    lake: Lake, project: Project, due: Mapping[str, Sequence[str]], limits: Limits
) -> Iterator[list[DeclarationProbe]]:
    """Yield what Lean says of each declaration of `due`, in batches; fingerprints are left empty.

    What the project's own syntax could make Lean print is held against the compiled files, which count where
    they differ. Raises LeanError when a module that checked cannot be imported or read.
    """
    places = _Places(project)
    for batch in _batches(due):
        yield from _probe(lake, project, batch, limits, places)


def _batches(due: Mapping[str, Sequence[str]]) -> Iterator[dict[str, Sequence[str]]]:
    batch: dict[str, Sequence[str]] = {}
    for module, names in due.items():
        batch[module] = names
        if sum(map(len, batch.values())) >= _BATCH:
            yield batch
            batch = {}
    if batch:
        yield batch


def _probe(
    lake: Lake, project: Project, batch: Mapping[str, Sequence[str]], limits: Limits, places: _Places
) -> Iterator[list[DeclarationProbe]]:
    modules = list(batch)
    names = list(dict.fromkeys(name for module in modules for name in batch[module]))
    with lake.scratch() as directory:
        file = directory / "Probe.lean"
        file.write_text(probe_source(modules, names), encoding="utf-8")
        with _beside(lambda stop: places.read_compiled(batch, stop)):
            outcome = lake.run_lean(file, ["--json"], limits)
    answers, stray = read_answers(modules, names, outcome.stdout)
    complete = outcome.exit_code in (0, 1) and not stray
    if not complete and len(modules) > 1:
        for module in modules:
            yield from _probe(lake, project, {module: batch[module]}, limits, places)
        return
    if not complete:
        raise _cannot_probe(modules[0], outcome, stray)
    by_name = {answer.declaration: answer for answer in answers}
    yield [places.located(module, by_name[name]) for module in modules for name in batch[module]]


@contextmanager
def _beside(work: Callable[[Event], None]) -> Iterator[None]:
    """Do work in a thread while Lean answers in its process; an interruption stops both."""
    stop = Event()
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work, stop)
        try:
            yield
        except BaseException:
            stop.set()
            raise
        future.result()


def _cannot_probe(module: str, outcome: Outcome, stray: Sequence[str]) -> LeanError:
    said = "\n".join(stray) or outcome.stderr.decode("utf-8", "replace").strip()
    ended = f"exit code {outcome.exit_code}, signal {outcome.signal}, limit {outcome.limit}"
    return LeanError(
        "PROBE",
        f"Lean could not be asked about {module} ({ended}): {said[:1000]}",
        f"`tracker run --fresh {module}` builds it anew",
    )


class _Facts(NamedTuple):
    """What the compiled module says of one declaration; no kind when it does not declare it."""

    kind: str | None
    axioms: frozenset[str]
    meaning: str
    absurd: bool
    safety: str


class _Places:
    """Where declarations of the project stand, from the `.ilean` files; each is read once."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._read: dict[str, Ilean | None] = {}
        self._compiled = Compiled(project)
        self._facts: dict[tuple[str, str], _Facts] = {}

    def read_compiled(self, batch: Mapping[str, Sequence[str]], stop: Event) -> None:
        """Read what the compiled modules say of the declarations. Raises OleanError."""
        for module, names in batch.items():
            for name in names:
                if stop.is_set():
                    return
                self._compiled_facts(module, name)

    def _compiled_facts(self, module: str, name: str) -> _Facts:
        known = self._facts.get((module, name))
        if known is None:
            read = self._compiled
            constant = read.constant(module, name)
            known = _Facts(
                constant.kind if constant else None,
                read.axioms(module, name) if constant else frozenset(),
                read.meaning(module, name) if constant else "",
                read.absurd(module, name) if constant else False,
                read.safety(module, name) if constant else "",
            )
            self._facts[module, name] = known
        return known

    def located(self, module: str, answer: Answer) -> DeclarationProbe:
        """Return the answer with the declaration's place and references."""
        answer, digest, absurd = self._verified(module, answer)
        home = self._home(module, answer.declaration) if answer.found else None
        index = self._index(home[0]) if home else None
        return DeclarationProbe(
            declaration=answer.declaration, module=module, fingerprint="", found=answer.found,
            kind=answer.kind, axioms=answer.axioms, statement=answer.statement,
            digest=digest, absurd=absurd, location=home[1] if home else None,
            uses=dict(sorted(index.uses.get(answer.declaration, {}).items())) if index else {},
            note=answer.note,
        )  # fmt: skip

    def _verified(self, module: str, answer: Answer) -> tuple[Answer, str, bool]:
        """Return the answer as the compiled module bears it out, the statement's digest, if it is void."""
        facts = self._compiled_facts(module, answer.declaration)
        if facts.kind is None or not answer.found:
            return answer, "", False
        words = ("theorem", "axiom")
        if facts.kind != answer.kind and (facts.kind in words or answer.kind in words):
            note = f"Lean printed {answer.declaration} as {answer.kind}; compiled, it is a {facts.kind}"
            return replace(answer, found=False, note=note), "", False
        kind = f"{facts.safety} {answer.kind}".lstrip()
        axioms = (*answer.axioms, *sorted(facts.axioms - set(answer.axioms)))
        return replace(answer, kind=kind, axioms=axioms), facts.meaning, facts.absurd

    def _home(self, module: str, declaration: str) -> tuple[str, Location] | None:
        """Return module and place of a declaration, looked for in `module`, then in the whole project.

        A generated declaration (a field, a constructor) stands where its parent does.
        """
        others = (m for m in self._project.modules if m != module)
        name = declaration
        while name:
            for candidate in (module, *others):
                index = self._index(candidate)
                if index is not None and name in index.names:
                    line, column = index.names[name]
                    file = self._project.modules[candidate].path
                    return candidate, Location(str(file), line, column)
            name = name.rpartition(".")[0]
        return None

    def _index(self, module: str) -> Ilean | None:
        if module not in self._read:
            file = artifact(self._project, module, ".ilean")
            self._read[module] = read_ilean(file) if file.exists() else None
        return self._read[module]
