"""Reading a large foreign project against merely reading and decoding its files.

    python bench/scan.py [--files 573] [--lines 236000]

Writes a Lake project of that size (documented theorems and definitions, tactic proofs, namespaces, nested
comments, strings, raised limits, a few sorries), reads it as `tracker scan` does, with one process and with
two, and prints CPU and wall seconds (of three runs the best) and the ratio of CPU to reading and decoding.
The aim is a wall time of at most 2 s with two processes on two idle cores. Where other work shares them, the
CPU time of this process and half of its children's is what it would be.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tracker.lean.scan.project import scan_project

LIMIT = 2.0  # s of wall time on two cores
HEADER = """\
/-!
# Part {index}

Layers as in `Orchard.Part{before}`, and what `Orchard.Part{index}.layer_1` says of them.
-/

namespace Orchard.Part{index}

open Nat

variable {{n m k : Nat}}
"""
THEOREM = """
/-- The backward pass of layer {i} is the transpose of its Jacobian: `Orchard.Part{index}.layer_{i}` at a
point where the forward pass is differentiable (see the notes on `layer` /- nested -/). -/
{prefix}theorem layer_{i}_has_vjp (x : Vec (n * {a} * {a})) (h : DifferentiableAt (layer_{i} x) x) :
    HasVjpAt (layer_{i} (n := n)) (fun dy => layer_{i}_back x dy) x := by
  -- one composition, one leaf
  have h₁ : ∀ i : Idx (n * {a}), (fst x) i = x (pair i 0) := fun i => by simp [fst, pair]
  refine (vjp_comp_diff_at (conv_has_vjp_at _) ?_ h).congr ?_ fun dy => ?_
  · rw [batchMap_comp, layer_{i}, Nat.mul_assoc]
    exact (h₁ _).trans (by simp only [Function.comp, pair_fst, map_map])
  · calc layer_{i}_back x dy = transpose (jacobian (layer_{i} x)) dy := rfl
      _ = dense_back (w.layer "conv{i}") dy := by rw [← transpose_mul, h₁]
      _ = _ := {end}
"""
DEFINITION = """
/-- Layer {i}. -/
@[simp] def layer_{i} (w : Weights ⟨{a}, {a}⟩) : Vec (n * {a}) → Vec (n * {a})
  | x => fun i => if i.val < {a} then w.k * x i + w.b else x (i.cast (by omega))

def layer_{i}_back (x dy : Vec (n * {a})) : Vec (n * {a}) :=
  fun i => sum fun j => jac (layer_{i} x) i j * dy j
"""


def part(chance: random.Random, index: int, lines: int) -> str:
    pieces = ([f"import Orchard.Part{index - 1}\n"] if index else []) + ["import Mathlib.Data.Real.Basic\n"]
    pieces.append(HEADER.format(index=index, before=max(index - 1, 0)))
    count, i = sum(p.count("\n") for p in pieces), 0
    while count < lines - 2:
        i += 1
        limit = "set_option maxRecDepth 16384 in\n" if chance.random() < 0.03 else ""
        end = "sorry" if chance.random() < 0.002 else "by ring_nf"
        fields = {"i": i, "index": index, "a": chance.randrange(2, 300), "prefix": limit, "end": end}
        piece = DEFINITION.format(**fields) + THEOREM.format(**fields)
        pieces.append(piece)
        count += piece.count("\n")
    return "".join([*pieces, f"\nend Orchard.Part{index}\n"])


def write_project(root: Path, files: int, lines: int) -> None:
    chance = random.Random(11)
    (root / "lakefile.toml").write_text(
        'name = "orchard"\n[[lean_lib]]\nname = "Orchard"\nglobs = ["Orchard.+"]\n'
    )
    (root / "lean-toolchain").write_text("leanprover/lean4:v4.35.0\n")
    (root / "Orchard").mkdir()
    for index in range(files):
        text = part(chance, index, lines // files)
        (root / "Orchard" / f"Part{index}.lean").write_text(text, encoding="utf-8")


class Cost(NamedTuple):
    """Seconds: CPU of this process, CPU of its children, wall."""

    own: float
    children: float
    wall: float

    @property
    def idle(self) -> float:
        """The wall time that two idle cores would need."""
        return self.own + self.children / 2


def cpu(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def once(work: Callable[[], object]) -> Cost:
    start = cpu(resource.RUSAGE_SELF), cpu(resource.RUSAGE_CHILDREN), time.perf_counter()
    work()
    return Cost(
        cpu(resource.RUSAGE_SELF) - start[0],
        cpu(resource.RUSAGE_CHILDREN) - start[1],
        time.perf_counter() - start[2],
    )


def best(work: Callable[[], object]) -> Cost:
    """Return the run of three that took least CPU."""
    return min((once(work) for _ in range(3)), key=lambda cost: cost.own + cost.children)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=573)
    parser.add_argument("--lines", type=int, default=236_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        write_project(root, options.files, options.lines)
        paths = sorted(root.rglob("*.lean"))
        plain = best(lambda: [path.read_bytes().decode() for path in paths])
        found = scan_project(directory, 1)
        size = sum(path.stat().st_size for path in paths)
        print(
            f"{len(found.files)} files, {found.lines:,} lines, {size / 1e6:.1f} MB, "
            f"{sum(found.kinds().values()):,} declarations, {len(found.marks('sorry'))} sorries, "
            f"{sum(limit.times for limit in found.limits())} limits, {len(found.citations)} citations broken"
        )
        print(f"read and decode    CPU {plain.own:.2f} s, wall {plain.wall:.2f} s")
        for jobs in (1, 2):
            cost = best(partial(scan_project, directory, jobs))
            used = cost.own + cost.children
            label = f"scan, {jobs} process{'es' * (jobs > 1)}"
            print(f"{label:19}CPU {used:.2f} s, wall {cost.wall:.2f} s, ratio {used / plain.own:.1f}")
    print(f"two idle cores: {cost.idle:.2f} s, allowed {LIMIT:.0f} s")
    return int(cost.idle > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
