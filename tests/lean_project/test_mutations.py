"""Non-vacuity: a wrong save, a missing residual or a transposed weight is rejected by the tie it breaks.

Each entry of mutations.yaml changes one text in one module. The modules between it and the one that holds
the tie must still check; the tie must not, with an error of its own, not for want of time.

A capstone that is an instance, by term, of a tie or of a reading is guarded by the mutations of that one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.lean_project.conftest import Built, module_path
from tracker.lean.failure import FailureClass, classify_message

MUTATIONS: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "mutations.yaml").read_text(encoding="utf-8")
)
NETS = {"resnet34", "resnet50", "mobilenetv2", "mobilenetv4", "efficientnet_b0", "convnext_t", "vit_tiny"}
KINDS = {"wrong-save", "wrong-weight", "transposed", "missing-term", "missing-stage", "wrong-scale"}
BUDGET = ("-DmaxHeartbeats=20000",)
"""A tenth of Lean's default: what stands below a broken tie must not be searched for long."""
NO_REJECTION = {
    FailureClass.HEARTBEATS, FailureClass.KERNEL_TIMEOUT, FailureClass.MAX_REC_DEPTH,
    FailureClass.STACK_OVERFLOW, FailureClass.OUT_OF_MEMORY, FailureClass.PARSE_ERROR,
    FailureClass.BAD_IMPORT, FailureClass.UNKNOWN_NAME,
}  # fmt: skip
"""A tie that fails for one of these reasons has not seen through the mutation."""


def between(built: Built, mutated: str, tie: str) -> list[str]:
    """The modules to check anew, in the order of their imports: the mutated one to the tie's."""
    path = {module for module in built.imports(tie) if mutated in built.imports(module)}
    return sorted(path, key=lambda module: len(built.imports(module)))


def test_mutations_name_what_they_break() -> None:
    assert {mutation["net"] for mutation in MUTATIONS} == NETS
    assert {mutation["kind"] for mutation in MUTATIONS} == KINDS
    ids = [mutation["id"] for mutation in MUTATIONS]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=[mutation["id"] for mutation in MUTATIONS])
def test_a_mutation_is_rejected(built: Built, tmp_path: Path, mutation: Mapping[str, Any]) -> None:
    mutated, tie = mutation["module"], mutation["rejected_in"]
    source = built.source(mutated)
    assert source.count(mutation["old"]) == 1, "the text to change must stand in the module exactly once"
    modules = between(built, mutated, tie)
    lib = tmp_path / "lib"
    built.overlay(lib, modules)
    for module in modules:
        text = source.replace(mutation["old"], mutation["new"]) if module == mutated else built.source(module)
        file = tmp_path / module_path(module, ".lean")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        budget = BUDGET if module == tie else ()
        checked = built.check(file, lib, lib / module_path(module, ".olean"), *budget)
        if module != tie:
            assert checked.exit_code == 0, f"{module} must not notice: {checked.errors}"
    rejected = [error for error in checked.errors if error.declaration == f"NetTies.{mutation['at']}"]
    assert rejected, checked.errors
    assert not NO_REJECTION & {classify_message(error).cls for error in rejected}
