"""A seeded, made-up project with its store, of any size: for tests and benchmarks that need scale, not Lean.

Nets have chains of stages, in several variants; runs come with edits, toolchain changes, failures of many
classes, costs and memory curves. Everything is written through the store's own interface.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from tracker.catalogue.load import load_catalogue
from tracker.catalogue.model import Catalogue
from tracker.config import load_settings
from tracker.evidence import Cost, DeclarationProbe, Location, ModuleCheck
from tracker.lean.failure import Failure, FailureClass
from tracker.lean.failures.fingerprint import fingerprint
from tracker.lean.messages import Message, Position
from tracker.lean.process import Memory
from tracker.lean.project import load_project
from tracker.lean.toolchain import Toolchain
from tracker.run.fingerprint import fingerprints
from tracker.store.history import open_history
from tracker.workspace import Workspace

NETS = {
    "resnet34": ("ResNet-34", 18), "resnet50": ("ResNet-50", 18), "mobilenetv2": ("MobileNetV2", 21),
    "mobilenetv4": ("MobileNetV4", 26), "efficientnet": ("EfficientNet-B0", 18),
    "convnext": ("ConvNeXt-T", 12), "vit": ("ViT-Tiny", 4),
}  # fmt: skip
VARIANTS = ("", "B", "Bf16", "Drop", "Ema", "Dp", "Lit", "Q", "In", "Sync")
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


def toolchain(version: str) -> Toolchain:
    """Return a toolchain that is only a name: nothing is started."""
    commit = hashlib.sha256(version.encode()).hexdigest()[:40]
    return Toolchain("embedded", Path("lake"), Path("lean"), version, commit, "made up")


@dataclass
class World:
    """The made-up project while it is written."""

    root: Path
    seed: int
    size: int
    runs: int
    nasty: bool
    obligations: list[dict[str, object]] = field(default_factory=list)
    modules: dict[str, list[int]] = field(default_factory=dict)
    where: dict[str, str] = field(default_factory=dict)
    rng: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)  # noqa: S311 - made up, not secret

    def add(
        self, ident: str, kind: str, net: str | None, module: str, deps: list[str], **more: object
    ) -> str:
        stem = ident.replace("-", "_")
        entry: dict[str, object] = {
            "id": ident, "kind": kind, "decl": f"Nets.{stem}", "module": module,
            "depends_on": list(dict.fromkeys(deps)), **more,
        }  # fmt: skip
        if net:
            entry["net"] = net
        self.modules.setdefault(module, []).append(len(self.obligations))
        self.where[ident] = module
        self.obligations.append(entry)
        return ident


def write_world(
    root: Path, size: int = 5000, runs: int = 200, seed: int = 7, *, nasty: bool = False
) -> Workspace:
    """Write project, catalogue and store under `root` and return the workspace over them.

    `nasty` adds obligations whose texts try to break out of the page.
    """
    world = World(root, seed, size, runs, nasty)
    _obligations(world)
    _files(world)
    settings = load_settings(root, {}, {})
    workspace = Workspace(settings)
    workspace.__dict__["toolchain"] = toolchain(VERSIONS[-1])
    _store(world, workspace)
    return workspace


def _obligations(world: World) -> None:
    shared = [
        world.add(f"base-{i}", "foundation", None, f"Nets.Base.P{i // 9}", _some(world, "base-", i))
        for i in range(max(6, world.size // 40))
    ]
    if world.nasty:
        _nasty(world, shared)
    for variant in VARIANTS:
        for net, (_, stages) in NETS.items():
            if len(world.obligations) >= world.size:
                return
            _chain(world, net, variant, stages, shared)


def _some(world: World, prefix: str, before: int) -> list[str]:
    count = min(before, world.rng.randint(0, 2))
    return [f"{prefix}{world.rng.randrange(before)}" for _ in range(count)]


def _nasty(world: World, shared: list[str]) -> None:
    module = "Nets.Base.Nasty"
    world.add("nasty-script", "foundation", None, module, shared[:1], summary=NASTY)
    world.add("nasty-bidi", "foundation", None, module, shared[:1], summary=BIDI)
    world.add("nasty-big", "foundation", None, module, shared[:1], summary="b" * 100_000)
    world.add("nasty-" + "long-name-" * 24, "foundation", None, module, shared[:1])


def _chain(world: World, net: str, variant: str, stages: int, shared: list[str]) -> None:
    def name(role: str, number: int | None = None) -> str:
        return f"{net}{variant}-{role}" + ("" if number is None else f"-{number}")

    def module(part: str) -> str:
        return f"Nets.{net.title()}.{part}{variant or 'One'}"

    tier = "T3" if variant in ("Bf16", "Drop", "Ema", "Dp") else "T6"
    common = {"tier": tier}
    add = world.add
    saves = [
        add(name("chain", i), "chain-def", net, module(f"Chains{i // 8}"),
            [world.rng.choice(shared), *([name("chain", i - 1)] if i else [])], **common)
        for i in range(stages)
    ]  # fmt: skip
    leaves = [
        add(name("leaf", i), "leaf-tie", net, module(f"Leaf{i // 5}"),
            [saves[i], *world.rng.sample(shared, 2)], summary=f"Leaf tie of stage {i}.", **common)
        for i in range(stages)
    ]  # fmt: skip
    witnesses = [
        add(name("witness", i), "stage-witness", net, module(f"Witness{i // 6}"),
            [saves[i], leaves[i], world.rng.choice(shared)], **common)
        for i in range(stages)
    ]  # fmt: skip
    steps = [
        add(name("step", i), "step-tie", net, module(f"Step{i // 4}"), [leaves[i], saves[i]], tier="T3")
        for i in range(0, stages, 2)
    ]
    apex = add(
        name("apex"), "apex", net, module("Apex"), witnesses,
        claims={"vjp_comp_diff_at": stages - 1}, budget={"wall": "90s", "memory": "6GiB"}, **common,
    )  # fmt: skip
    tie = add(name("tie"), "tie", net, module("Tie"), [apex, *leaves[:4]], budget={"wall": "60s"}, **common)
    shape = add(name("shape"), "shape-check", net, module("Tie"), [*saves[-2:], shared[0]], **common)
    reading = add(name("reading"), "reading", net, module("Reading"), [tie], **common)
    add(name("capstone"), "capstone", net, module("Capstone"), [tie, shape, reading, *steps[-2:]], **common)


def _files(world: World) -> None:
    lean = world.root / "lean"
    (lean / "Nets").mkdir(parents=True)
    (lean / "lakefile.toml").write_text('name = "Nets"\n\n[[lean_lib]]\nname = "Nets"\nglobs = ["Nets.+"]\n')
    (lean / "lean-toolchain").write_text(f"leanprover/lean4:v{VERSIONS[-1]}\n")
    for module, members in world.modules.items():
        if module == "Nets.Resnet50.CapstoneB":
            continue  # a module that the catalogue names and nobody wrote
        file = lean / (module.replace(".", "/") + ".lean")
        file.parent.mkdir(parents=True, exist_ok=True)
        needed = {world.where[str(d)] for i in members for d in _deps(world.obligations[i])} - {module}
        lines = [f"import {name}" for name in sorted(needed)]
        for i in members:
            lines += ["", f"/-- What {world.obligations[i]['id']} says, in words. -/",
                      f"theorem {world.obligations[i]['decl']} : True := trivial"]  # fmt: skip
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    (world.root / "obligations").mkdir()
    catalogue = {
        "nets": {name: {"title": title} for name, (title, _) in NETS.items()},
        "tiers": {"T3": {"title": "Step ties"}, "T6": {"title": "Whole-net ties"}},
        "families": [
            {"id": "ties", "title": "*InputGradB_eq_*_vjp", "pattern": "Nets.*_tie"},
            {
                "id": "capstones",
                "title": "Capstones",
                "pattern": "Nets.*_capstone",
                "absent": {"vit": "its capstone is the tie itself"} if world.size < 560 else {},
            },
        ],
        "obligations": world.obligations,
    }
    (world.root / "obligations" / "nets.yaml").write_text(
        json.dumps(catalogue, ensure_ascii=False, indent=1), encoding="utf-8"
    )
    (world.root / "tracker.toml").write_text('[tracker]\nproject = "lean"\ntoolchain = "embedded"\n')


def _deps(entry: Mapping[str, object]) -> list[str]:
    deps = entry["depends_on"]
    assert isinstance(deps, list)
    return deps


@dataclass
class _Clock:
    now: float = START

    def time(self) -> float:
        return self.now


class _Simulation:
    """Runs one after another over a project whose sources and toolchain change."""

    def __init__(self, world: World, workspace: Workspace) -> None:
        self.world = world
        self.rng = random.Random(world.seed + 1)  # noqa: S311 - made up, not secret
        self.project = load_project(workspace.settings.project)
        loaded = load_catalogue(workspace.settings.catalogue)
        assert loaded.catalogue is not None, loaded.diagnostics
        self.catalogue: Catalogue = loaded.catalogue
        self.modules = list(self.project.modules)
        self.real = fingerprints(self.project, toolchain(VERSIONS[-1]))
        self.edits = self._edits()
        self.final = {m: sum(m in edited for edited in self.edits) for m in self.modules}
        self.version = dict.fromkeys(self.modules, 0)
        self.lean = VERSIONS[0]
        self.checked: dict[str, tuple[str, bool]] = {}
        self.base = {m: self._base_cost(m) for m in self.modules}
        self.clock = _Clock()

    def _edits(self) -> list[set[str]]:
        late = self.modules[len(self.modules) // 3 :]
        return [set(self.rng.sample(late, min(len(late), 3))) for _ in range(self.world.runs)]

    def _base_cost(self, module: str) -> tuple[float, float]:
        heavy = {"Apex": 18.0, "Tie": 9.0, "Capst": 3.0}.get(module.split(".")[-1][:5].rstrip("OBDQSLI"), 0.4)
        return heavy * self.rng.lognormvariate(0, 0.5), heavy * 60 * self.rng.lognormvariate(0, 0.4) + 210

    def lean_at(self, run: int) -> str:
        step = max(1, self.world.runs // len(VERSIONS))
        return VERSIONS[min(len(VERSIONS) - 1, run // step)]

    def prints(self) -> dict[str, str]:
        """Return the fingerprints of now; the real ones for what is as it will be in the end."""
        found: dict[str, str] = {}
        last = self.lean == VERSIONS[-1]
        settled: dict[str, bool] = {}
        for module in self.modules:
            imports = self.project.imports(module)
            settled[module] = (
                last and self.version[module] == self.final[module] and all(settled[i] for i in imports)
            )
            text = f"{module} {self.version[module]} {self.lean} {[found[i] for i in imports]}"
            found[module] = (
                self.real[module] if settled[module] else hashlib.sha256(text.encode()).hexdigest()
            )
        return found

    def go(self) -> None:
        state = self.world.root / ".tracker"
        with patch("tracker.store.history.time", self.clock):
            history = open_history(state, write=True)
            assert history is not None
            history._db.execute("PRAGMA synchronous = OFF")
            for run in range(self.world.runs):
                self.clock.now = START + run * 86_400 + self.rng.random() * 3600
                self.lean = self.lean_at(run)
                for module in self.edits[run]:
                    self.version[module] += 1
                self._run(history, run)
            history.close()

    def _run(self, history: object, run: int) -> None:
        from tracker.store.history import History

        assert isinstance(history, History)
        tool = toolchain(self.lean)
        number = history.begin_run(
            tool.name, tool.identity, MACHINE, hashlib.sha1(str(run).encode()).hexdigest(), run % 5 == 0
        )  # noqa: S324
        prints = self.prints()
        failed: set[str] = set()
        count = 0
        for module in self.modules:
            if self.project.closure(module) & failed:
                failed.add(module)
                continue
            last = self.checked.get(module)
            if last and last[0] == prints[module]:
                if not last[1]:
                    failed.add(module)
                continue
            if run == self.world.runs - 1 and count and self.rng.random() < 0.02:
                continue  # what the last run did not come to
            check = self._check(module, prints[module], run)
            self.checked[module] = (check.fingerprint, check.passed)
            history.add_check(number, check)
            count += 1
            if check.passed:
                history.add_probes(number, list(self._probes(module, prints[module])))
            else:
                failed.add(module)
        history.end_run(number, "interrupted" if run % 37 == 36 else "finished")

    def _check(self, module: str, mark: str, run: int) -> ModuleCheck:
        wall, memory = self.base[module]
        if "Apex" in module and self.lean == VERSIONS[-1] and "Convnext" in module:
            wall, memory = wall * 14, memory * 5
        wall *= self.rng.lognormvariate(0, 0.06)
        memory *= self.rng.lognormvariate(0, 0.02)
        failures = self._failures(module, run)
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

    def _failures(self, module: str, run: int) -> tuple[Failure, ...]:
        rate = 0.004 if self.final[module] else 0.002
        if "Base" in module or self.rng.random() > rate * (4 if self.lean != self.lean_at(run - 1) else 1):
            return ()
        members = self.catalogue.by_module.get(module, ())
        cls = self.rng.choice(list(TEXTS))
        text = TEXTS[cls]
        if cls is FailureClass.OUT_OF_MEMORY or not members:
            return (Failure(cls, "runtime", text, fingerprint=fingerprint(cls, "", text)),)
        victim = self.rng.choice(members)
        phase = "kernel" if "kernel" in cls else "elaborator"
        file = str(self.project.modules[module].path)
        root = Failure(
            cls, phase, text, "whnf" if cls is FailureClass.HEARTBEATS else "", victim.decl, file,
            Position(self.rng.randint(5, 90), 2), (("maxHeartbeats", "200000"),),
            fingerprint(cls, "", text),
        )  # fmt: skip
        others = [ob for ob in members if victim.id in ob.depends_on]
        lost = [f"Unknown identifier `{victim.decl}`" for _ in others]
        return (
            root,
            *(Failure(FailureClass.UNKNOWN_NAME, "elaborator", lost[i], "", ob.decl, file, Position(95 + i, 0),
                      (), fingerprint(FailureClass.UNKNOWN_NAME, "", lost[i]), victim.decl)
              for i, ob in enumerate(others)),
        )  # fmt: skip

    def _probes(self, module: str, mark: str) -> Iterator[DeclarationProbe]:
        path = str(self.project.modules[module].path)
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
                declaration=ob.decl, module=module, fingerprint=mark, found=0.996 < odd < 0.9965 or odd < 0.995,
                kind="def" if ob.kind == "chain-def" else "theorem", axioms=axioms, statement=statement,
                canonical=f"theorem {ob.decl} : {statement}",
                digest=hashlib.sha256(statement.encode()).hexdigest(),
                location=Location(path, 4 + 3 * line, 8), uses=uses,
            )  # fmt: skip


def _statement(ident: str, decl: str) -> str:
    if ident == "nasty-script":
        return f'"{NASTY}" = {NASTY}'
    if ident == "nasty-bidi":
        return f"∀ s, s = «{BIDI}»"
    if ident == "nasty-big":
        return "∀ n, " + "n + 0 = n ∧ " * 8_400 + "True"
    return (
        f"{decl} : ∀ (B nC : Nat) (w : Weights nC) {{ε : ℝ}}, 0 < ε → ∀ (x : Vec (B * (3 * 224 * 224)))\n"
        f"  (dy : Vec (B * nC)),\n"
        f"  {decl}InputGradB B w ε x dy = (Nets.forwardB_has_vjp_at B w ε x).backward\n"
        f"    (fun i => ∑ j, pdiv (batchMap B (forwardKV w)) x i j * dy j)"
    )


def _curve(rng: random.Random, wall: float, memory: float) -> Iterator[Memory]:
    points = max(3, min(40, int(wall * 4)))
    for i in range(points):
        share = (i / (points - 1)) ** 0.6 * rng.uniform(0.9, 1.0) if i < points - 1 else 1.0
        rss = int(max(120, memory * share) * MIB)
        yield Memory(wall * i / (points - 1), rss, int(rss * 0.7))


def _store(world: World, workspace: Workspace) -> None:
    _Simulation(world, workspace).go()
