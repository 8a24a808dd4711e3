"""Runs over a made-up project: edits, toolchain changes, failures, costs; written into a real store."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tracker.catalogue.model import Obligation
from tracker.evidence import Cost, DeclarationProbe, Location, ModuleCheck
from tracker.lean.failure import Failure, FailureClass, Phase
from tracker.lean.failures.fingerprint import fingerprint
from tracker.lean.messages import Message, Position
from tracker.lean.process import Memory
from tracker.lean.toolchain import Toolchain
from tracker.run.fingerprint import fingerprints
from tracker.store.history import History, open_history
from tracker.store.measurements import Measurement, add_measurements
from tracker.workspace import Workspace

VERSIONS = ("4.32.2", "4.33.1", "4.34.0", "4.35.0")
MACHINE = "AMD EPYC 7763, 4 cores, 16 GiB, Linux x86_64"
START = 1_767_225_600.0  # 2026-01-01
MIB = 2**20
NASTY = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
BIDI = "user\u202e\u2066// if admin\u2069\u2066"
TEXTS = {
    FailureClass.KERNEL_TIMEOUT: "(kernel) deterministic timeout",
    FailureClass.MAX_REC_DEPTH: (
        "maximum recursion depth has been reached\n"
        "use `set_option maxRecDepth <num>` to increase limit\n"
        "use `set_option diagnostics true` to get diagnostic information"
    ),
    FailureClass.HEARTBEATS: (
        "(deterministic) timeout at `whnf`, maximum number of heartbeats (200000) has been reached\n\n"
        "Note: Use `set_option maxHeartbeats <num>` to set the limit."
    ),
    FailureClass.TYPE_ERROR: (
        "Type mismatch\n  h\nhas type\n  {a} = {b}\nbut is expected to have type\n  {b} = {a}"
    ),
    FailureClass.TACTIC_FAILED: (
        "unsolved goals\nB nC : Nat\nx : Vec (B * (3 * 224 * 224))\n"
        "⊢ (cnxSavedB3 B w ∘ batchMap B stem) x = cnxSavedB4 B w x"
    ),
    FailureClass.UNKNOWN_NAME: "Unknown identifier `vjp_comp_diff_att`",
    FailureClass.OUT_OF_MEMORY: "stopped by the tracker: resident memory passed its limit",
    FailureClass.UNCLASSIFIED: "internal exception #7",
}

FATES = {
    "Nets.Vit.Step0One": FailureClass.MAX_REC_DEPTH,
    "Nets.Resnet34.Leaf3One": FailureClass.HEARTBEATS,
    "Nets.Mobilenetv2.Leaf3One": FailureClass.HEARTBEATS,
    "Nets.Mobilenetv4.Step2One": FailureClass.OUT_OF_MEMORY,
    "Nets.Resnet50.Step1One": FailureClass.UNCLASSIFIED,
}
"""What fails under the newest toolchain, and of what."""


def toolchain(version: str) -> Toolchain:
    """Return a toolchain that is only a name: nothing is started."""
    commit = hashlib.sha256(version.encode()).hexdigest()[:40]
    return Toolchain("embedded", Path("lake"), Path("lean"), version, commit, "made up")


@dataclass
class _Clock:
    now: float = START

    def time(self) -> float:
        return self.now


class Simulation:
    """Runs one after another over a project whose sources and toolchain change.

    With `keep_truth`, `truth` holds the labels that the tracker itself gave after each run.
    """

    def __init__(self, workspace: Workspace, seed: int, runs: int, *, keep_truth: bool = False) -> None:
        self.workspace = workspace
        self.rng = random.Random(seed + 1)
        self.runs = runs
        self.project = workspace.project
        self.catalogue = workspace.catalogue
        self.modules = list(self.project.modules)
        self.closures = {module: self.project.closure(module) for module in self.modules}
        self.real = fingerprints(self.project, toolchain(VERSIONS[-1]))
        self.edits = self._edits()
        self.final = {m: sum(m in edited for edited in self.edits) for m in self.modules}
        self.version = dict.fromkeys(self.modules, 0)
        self.lean = VERSIONS[0]
        self.checked: dict[str, tuple[str, bool]] = {}
        self.base = {m: self._base_cost(m) for m in self.modules}
        self.clock = _Clock()
        self.keep_truth = keep_truth
        self.truth: dict[int, dict[str, str]] = {}

    def _edits(self) -> list[set[str]]:
        late = self.modules[len(self.modules) // 3 :]
        return [set(self.rng.sample(late, min(len(late), 3))) for _ in range(self.runs)]

    def _base_cost(self, module: str) -> tuple[float, float]:
        part = module.rpartition(".")[2]
        heavy = next(
            (s for word, s in (("Apex", 18.0), ("Tie", 9.0), ("Caps", 3.0)) if part.startswith(word)), 0.4
        )
        return heavy * self.rng.lognormvariate(0, 0.5), heavy * 60 * self.rng.lognormvariate(0, 0.4) + 210

    def lean_at(self, run: int) -> str:
        step = max(1, self.runs // len(VERSIONS))
        return VERSIONS[min(len(VERSIONS) - 1, run // step)]

    def prints(self) -> dict[str, str]:
        """Return the fingerprints of now; the real ones for what is as it will be in the end."""
        found: dict[str, str] = {}
        settled: dict[str, bool] = {}
        for module in self.modules:
            imports = self.project.imports(module)
            same = self.lean == VERSIONS[-1] and self.version[module] == self.final[module]
            settled[module] = same and all(settled[i] for i in imports)
            text = f"{module} {self.version[module]} {self.lean} {[found[i] for i in imports]}"
            made_up = hashlib.sha256(text.encode()).hexdigest()
            found[module] = self.real[module] if settled[module] else made_up
        return found

    def go(self) -> None:
        with patch("tracker.store.history.time", self.clock):
            history = open_history(self.workspace.settings.state, write=True)
            history._db.execute("PRAGMA synchronous = OFF")
            for run in range(self.runs):
                self.clock.now = START + run * 86_400 + self.rng.random() * 3600
                self.lean = self.lean_at(run)
                for module in self.edits[run]:
                    self.version[module] += 1
                self._run(history, run)
            add_measurements(history, self._measurements())
            history.close()

    def _run(self, history: History, run: int) -> None:
        tool = toolchain(self.lean)
        commit = hashlib.sha256(str(run).encode()).hexdigest()[:40]
        number = history.begin_run(tool.name, tool.identity, MACHINE, commit, run % 5 == 0)
        prints = self.prints()
        failed: set[str] = set()
        for position, module in enumerate(self.modules):
            if self.closures[module] & failed:
                failed.add(module)
                continue
            last = self.checked.get(module)
            cut_off = run == self.runs - 1 and position > 10 and self.rng.random() < 0.01
            if (last and last[0] == prints[module]) or cut_off:
                if last and not last[1]:
                    failed.add(module)
                continue
            check = self._check(module, prints[module])
            self.checked[module] = (check.fingerprint, check.passed)
            history.add_check(number, check)
            if check.passed:
                history.add_probes(number, list(self._probes(module, prints[module])))
            else:
                failed.add(module)
        history.end_run(number, "interrupted" if run % 37 == 36 else "finished")
        if self.keep_truth:
            found = self.workspace.verdicts(history.evidence(prints))
            self.truth[number] = {ident: verdict.label for ident, verdict in found.items()}

    def _check(self, module: str, mark: str) -> ModuleCheck:
        wall, memory = self.base[module]
        if "Apex" in module and self.lean == VERSIONS[-1] and "Convnext" in module:
            wall, memory = wall * 14, memory * 5
        wall *= self.rng.lognormvariate(0, 0.06)
        memory *= self.rng.lognormvariate(0, 0.02)
        failures = self._failures(module)
        started = self.clock.now
        self.clock.now += wall
        cost = Cost(wall, wall * 0.9, wall * 0.06, int(memory * MIB), int(memory * MIB * 0.7), 4000, 2)
        messages = tuple(
            Message("error", f.message, f.file, f.pos, None, "[anonymous]", f.declaration) for f in failures
        )
        return ModuleCheck(
            module=module, fingerprint=mark, passed=not failures, started_at=started, cost=cost,
            exit_code=1 if failures else 0, signal=None, limit=None, wall_limit_s=600.0,
            memory_limit_bytes=8 * 2**30, olean_digest=None if failures else mark[::-1], messages=messages,
            failures=failures, curve=tuple(_curve(self.rng, wall, memory)),
            lake_output="", stderr="",
        )  # fmt: skip

    def _failures(self, module: str) -> tuple[Failure, ...]:
        rate = 0.003
        cls = FATES.get(module) if self.lean == VERSIONS[-1] else None
        if cls is None and ("Base" in module or self.rng.random() > rate):
            return ()
        members = self.catalogue.by_module.get(module, ())
        cls = cls or self.rng.choice(list(TEXTS))
        text = TEXTS[cls]
        if cls is FailureClass.OUT_OF_MEMORY or not members:  # the module as a whole
            return (Failure(cls, "runtime", text, fingerprint=fingerprint(cls, "", text)),)
        victim = self.rng.choice(members)
        phase: Phase = "kernel" if "kernel" in cls else "elaborator"
        file = str(self.project.modules[module].path)
        root = Failure(
            cls, phase, text, "whnf" if cls is FailureClass.HEARTBEATS else "", victim.decl, file,
            Position(self.rng.randint(5, 90), 2), (("maxHeartbeats", "200000"),),
            fingerprint(cls, "", text),
        )  # fmt: skip
        others = [ob for ob in members if victim.id in ob.depends_on]
        return (root, *(_lost(ob, victim, file, 95 + i) for i, ob in enumerate(others)))

    def _probes(self, module: str, mark: str) -> Iterator[DeclarationProbe]:
        path = str(self.project.modules[module].path)
        imports = len(self.project.modules[module].imports)
        for line, ob in enumerate(self.catalogue.by_module.get(module, ())):
            odd = self.rng.random()
            axioms: tuple[str, ...] = ("propext", "Quot.sound")
            if odd < 0.002:
                axioms = (*axioms, "sorryAx")
            elif odd < 0.003:
                axioms = (*axioms, "Nets.fast._native.native_decide.ax_1")
            statement = _statement(ob.id, ob.decl)
            uses = {self.catalogue[d].decl: self.rng.randint(1, 3) for d in ob.depends_on}
            uses |= dict(ob.claims) | {"Eq": 4, "Nets.Vec": 7, "HMul.hMul": 3}
            if odd > 0.998:
                uses.popitem()
            yield DeclarationProbe(
                declaration=ob.decl, module=module, fingerprint=mark, found=odd < 0.995,
                kind="def" if ob.kind == "chain-def" else "theorem", axioms=axioms, statement=statement,
                digest=hashlib.sha256(statement.encode()).hexdigest(),
                location=Location(path, imports + 3 * (line + 1), 8), uses=uses, absurd=0.99 < odd < 0.992,
            )  # fmt: skip

    def _measurements(self) -> Iterator[Measurement]:
        """Yield what was measured of two declarations; one of them has a limit that is none."""
        depth = {"limit": 512, "needed": 480, "fails_at": 470, "failure": "max-rec-depth"}
        beats = {"limit": 0, "needed": 20_000, "fails_at": 19_800, "failure": "heartbeats"}
        times = {"elaboration_s": 2.5, "kernel_s": 0.054, "compilation_s": 0.25, "linting_s": 0.125}
        for ob in filter(None, map(self.catalogue.find, ("vit-apex", "vit-leaf-1"))):
            easy = ob.id != "vit-apex"
            bodies: dict[str, dict[str, Any]] = {
                "maxRecDepth": depth | ({"needed": 60, "fails_at": 59} if easy else {}),
                "maxHeartbeats": beats | ({} if easy else {"limit": 200_000}),
                "": times | ({"elaboration_s": 0.25} if easy else {}),
            }
            for option, body in bodies.items():
                yield Measurement(
                    ob.module, ob.decl, self.real[ob.module], "headroom" if option else "profile", option,
                    MACHINE, self.clock.now, body,
                )  # fmt: skip


def _lost(ob: Obligation, victim: Obligation, file: str, line: int) -> Failure:
    text = f"Unknown identifier `{victim.decl}`"
    cls = FailureClass.UNKNOWN_NAME
    return Failure(
        cls, "elaborator", text, "", ob.decl, file, Position(line, 0), (), fingerprint(cls, "", text),
        victim.decl,
    )  # fmt: skip


def _statement(ident: str, decl: str) -> str:
    if ident == "nasty-script":
        return f'"{NASTY}" = {NASTY}'
    if ident == "nasty-bidi":
        return f"∀ s, s = «{BIDI}»"
    if ident == "nasty-big":
        return "∀ n, " + "n + 0 = n ∧ " * 8_400 + "True"
    salt = hashlib.sha256(ident.encode()).hexdigest()
    odd = " ".join(f"h{salt[i : i + 2]}" for i in range(0, 40, 2))  # texts of a real project do not repeat
    return (
        f"{decl} : ∀ ({odd} : Dim) (B nC : Nat) (w : Weights nC) {{ε : ℝ}}, 0 < ε →\n"
        f"  ∀ (x : Vec (B * (3 * 224 * 224))) (dy : Vec (B * nC)),\n"
        f"  {decl}InputGradB B w ε x dy = (Nets.forwardB_has_vjp_at B w ε x).backward\n"
        f"    (fun i => ∑ j, pdiv (batchMap B (forwardKV w)) x i j * dy j)"
    )


def _curve(rng: random.Random, wall: float, memory: float) -> Iterator[Memory]:
    points = max(3, min(40, int(wall * 4)))
    for i in range(points):
        share = (i / (points - 1)) ** 0.6 * rng.uniform(0.9, 1.0) if i < points - 1 else 1.0
        rss = int(max(120, memory * share) * MIB)
        yield Memory(wall * i / (points - 1), rss, int(rss * 0.7))
