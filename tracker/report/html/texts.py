"""The texts of obligations and modules: statements, docs, messages, evidence. Packed by themselves."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from tracker.catalogue.model import Obligation
from tracker.evidence import ModuleCheck
from tracker.lean.failure import Failure
from tracker.lean.failures.explain import advice
from tracker.lean.profiler import DeclarationCost
from tracker.report.html.index import Index, kib, ms
from tracker.report.html.model import Dashboard
from tracker.report.html.source import Sources
from tracker.store.queries import CheckPoint
from tracker.verdict import Verdict

_LONGEST_TEXT = 200_000
_MOST_MESSAGES = 40


def texts(board: Dashboard) -> dict[str, Any]:
    """Return the texts of every obligation and of the newest check of every module, in the page's order."""
    sources = Sources(Path(board.project.root))
    names = Index[str]()
    writer = _Texts(board, names, sources)
    modules = Index((*board.project.modules, *board.catalogue.by_module))
    return {
        "obligations": [writer.of(ob, board.status.verdicts[ob.id]) for ob in board.catalogue],
        "modules": [_check_texts(board.evidence.checks.get(name)) for name in modules.values],
        "names": names.values,
        "advice": _advice(board),
    }


class _Texts:
    """The texts of obligations."""

    def __init__(self, board: Dashboard, names: Index[str], sources: Sources) -> None:
        self._board, self._names, self._sources = board, names, sources
        self._relative = lru_cache(maxsize=None)(_relative)

    def of(self, ob: Obligation, verdict: Verdict) -> dict[str, Any]:
        """Return the texts of one obligation; what is empty is left out."""
        probe, check = verdict.probe, verdict.check
        entry = self._board.status
        past = self._past(ob, verdict)
        data: dict[str, Any] = {
            "summary": _clip(" ".join(ob.summary.split())),
            "sources": list(ob.sources),
            "tags": list(ob.tags),
            "entry": f"{self._relative(ob.source.file)}:{ob.source.line}",
            "aliases": [a.name for a in ob.aliases],
            "blockedBy": list(verdict.blocked_by), "claims": _claims(ob),
            "budget": [ms(ob.budget.wall_s), ms(ob.budget.cpu_s), kib(ob.budget.memory_bytes)]
            if ob.budget else None,
            "headroom": [
                [h.option, h.limit, h.needed, h.fails_at, h.failure]
                for h in self._board.measured.headroom_of(ob)
            ],
            "profile": _profile(self._board.measured.profile_of(ob)),
            "unlocked": ob.id in entry.unlocked, "failure": _failure(verdict.failure),
            "past": None if past is None else [past[0].run, _failure(past[1])],
        }  # fmt: skip
        if probe is not None:
            data |= {
                "lean": probe.kind, "statement": _clip(probe.statement), "axioms": list(probe.axioms),
                "digest": probe.digest, "note": _clip(probe.note),
                "uses": [[self._names(name), count] for name, count in sorted(probe.uses.items())],
                "doc": self._doc(verdict), "column": probe.location.column + 1 if probe.location else None,
            }  # fmt: skip
        if check is not None:
            data |= {"fingerprint": check.fingerprint, "checkedAt": round(check.started_at, 1)}
        return {key: value for key, value in data.items() if value not in (None, "", [], False)}

    def _doc(self, verdict: Verdict) -> str:
        location = verdict.probe.location if verdict.probe else None
        return _clip(self._sources.doc(location.file, location.line)) if location else ""

    def _past(self, ob: Obligation, verdict: Verdict) -> tuple[CheckPoint, Failure] | None:
        """Return the newest failure of the declaration, or of its module as a whole, if it is over."""
        if verdict.failure is not None:
            return None
        past = self._board.past
        found = [past.get((ob.module, ob.decl)), past.get((ob.module, ""))]
        return max((f for f in found if f), key=lambda f: f[0].id, default=None)


def _advice(board: Dashboard) -> dict[str, str]:
    classes = {str(f.cls) for series in board.records.series.values() for p in series for f in p.failures}
    return {cls: text for cls in sorted(classes) if (text := advice(cls))}


def _profile(cost: DeclarationCost | None) -> list[float] | None:
    """Return where the time of a declaration went, in ms: elaboration, kernel, compilation, linting."""
    if cost is None:
        return None
    parts = (cost.elaboration_s, cost.kernel_s, cost.compilation_s, cost.linting_s)
    return [round(part * 1000, 3) for part in parts]


def _claims(ob: Obligation) -> list[list[Any]]:
    return [[claim.name, claim.count, list(claim.decls)] for claim in ob.expected_uses()]


def _failure(failure: Failure | None) -> dict[str, Any] | None:
    if failure is None:
        return None
    pos = failure.pos
    return {
        "cls": str(failure.cls), "phase": failure.phase, "where": failure.where, "file": failure.file,
        "declaration": failure.declaration, "line": pos.line if pos else None,
        "column": pos.column + 1 if pos else None, "message": _clip(failure.message),
        "options": [list(pair) for pair in failure.options], "cause": failure.cause,
    }  # fmt: skip


def _check_texts(check: ModuleCheck | None) -> dict[str, Any] | None:
    if check is None:
        return None
    shown = sorted(check.messages, key=lambda m: ("error", "warning", "information").index(m.severity))
    return {
        "fingerprint": check.fingerprint, "checkedAt": round(check.started_at, 1), "exit": check.exit_code,
        "signal": check.signal, "limit": check.limit, "wallLimit": ms(check.wall_limit_s),
        "memoryLimit": kib(check.memory_limit_bytes), "stderr": _clip(check.stderr[-20_000:]),
        "failures": [_failure(failure) for failure in check.failures[:_MOST_MESSAGES]],
        "messages": [
            [m.severity, _clip(m.text), m.pos.line if m.pos else None, m.declaration]
            for m in shown[:_MOST_MESSAGES]
        ],
        "more": max(0, len(check.messages) - _MOST_MESSAGES),
    }  # fmt: skip


def _relative(file: str) -> str:
    """Return a path without what lies above the current directory: a page may be published."""
    try:
        return str(Path(file).resolve().relative_to(Path.cwd()))
    except ValueError:
        return Path(file).name


def _clip(text: str) -> str:
    if len(text) <= _LONGEST_TEXT:
        return text
    return f"{text[:_LONGEST_TEXT]}\n[{len(text) - _LONGEST_TEXT} further characters left out]"
