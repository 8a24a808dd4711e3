"""A seeded, made-up project with its store, of any size: for tests and benchmarks that need scale, not Lean.

Nets have chains of stages, in several variants; runs come with edits, toolchain changes, failures of many
classes, costs and memory curves. Everything is written through the store's own interface.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.report.simulation import BIDI, NASTY, VERSIONS, Simulation, toolchain
from tracker.config import load_settings
from tracker.workspace import Workspace

NETS = {
    "resnet34": ("ResNet-34", 18), "resnet50": ("ResNet-50", 18), "mobilenetv2": ("MobileNetV2", 21),
    "mobilenetv4": ("MobileNetV4", 26), "efficientnet": ("EfficientNet-B0", 18),
    "convnext": ("ConvNeXt-T", 12), "vit": ("ViT-Tiny", 4),
}  # fmt: skip
VARIANTS = ("", "B", "Bf16", "Drop", "Ema", "Dp", "Lit", "Q", "In", "Sync", "V", "W")


@dataclass
class World:
    """The made-up project while it is written."""

    root: Path
    seed: int
    size: int
    nasty: bool
    nets: Sequence[str]
    obligations: list[dict[str, object]] = field(default_factory=list)
    modules: dict[str, list[int]] = field(default_factory=dict)
    where: dict[str, str] = field(default_factory=dict)
    rng: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

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
    root: Path,
    size: int = 5000,
    runs: int = 200,
    seed: int = 7,
    *,
    nasty: bool = False,
    keep_truth: bool = False,
    nets: Sequence[str] = tuple(NETS),
) -> tuple[Workspace, Simulation]:
    """Write project, catalogue and store under `root`; return the workspace over them and how it was made.

    `nasty` adds obligations whose texts try to break out of the page; `nets` chooses among `NETS`.
    """
    world = World(root, seed, size, nasty, nets)
    _obligations(world)
    _files(world)
    workspace = Workspace(load_settings(root, {}, {}))
    workspace.toolchain = toolchain(VERSIONS[-1])
    simulation = Simulation(workspace, seed, runs, keep_truth=keep_truth)
    simulation.go()
    return workspace, simulation


def _obligations(world: World) -> None:
    shared = [
        world.add(f"base-{i}", "foundation", None, f"Nets.Base.P{i // 9}", _some(world, "base-", i))
        for i in range(max(6, world.size // 40))
    ]
    if world.nasty:
        _nasty(world, shared)
    for variant in VARIANTS:
        for net in world.nets:
            if len(world.obligations) >= world.size:
                return
            _chain(world, net, variant, NETS[net][1], shared)


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
    catalogue: dict[str, Any] = {
        "nets": {name: {"title": NETS[name][0]} for name in world.nets},
        "tiers": {"T3": {"title": "Step ties"}, "T6": {"title": "Whole-net ties"}},
        "families": [
            {"id": "ties", "title": "*InputGradB_eq_*_vjp", "pattern": "Nets.*_tie"},
            {
                "id": "capstones",
                "title": "Capstones",
                "pattern": "Nets.*_capstone",
                "absent": {} if "vit-capstone" in world.where else {"vit": "its capstone is the tie itself"},
            },
        ],
        "obligations": world.obligations,
    }
    if world.nasty:
        title = "A family whose title is longer than any screen of a telephone is wide " * 3
        catalogue["families"].append({"id": "nasty", "title": title, "members": ["nasty-script"]})
    (world.root / "obligations" / "nets.yaml").write_text(
        json.dumps(catalogue, ensure_ascii=False, indent=1), encoding="utf-8"
    )
    (world.root / "tracker.toml").write_text('[tracker]\nproject = "lean"\ntoolchain = "embedded"\n')


def _deps(entry: Mapping[str, object]) -> list[str]:
    deps = entry["depends_on"]
    assert isinstance(deps, list)
    return deps
