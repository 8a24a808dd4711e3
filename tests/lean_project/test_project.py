"""The project as a whole: it builds without a warning, holds no `sorry`, and rests on Lean's axioms only."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.lean_project.conftest import SOURCES, Built
from tracker.lean.messages import Message

AXIOMS = {"propext", "Classical.choice", "Quot.sound"}
CAPSTONES = {
    "NetTies.Nets.ResNet.ResNet34BackCertifiedTieB": (
        "r34InputGradB_eq_r34B_full_vjp", "resnet34ForwardBFull_eq_slots", "r34InputGradB_correct",
        "resnet34ImagenetInputGradB_correct",
    ),
    "NetTies.Nets.ResNet.ResNet50WholeBackCertifiedTieB": (
        "r50InputGradB_eq_r34B_full_vjp", "resnet50ForwardBFull_eq_slots", "r50InputGradB_correct",
        "resnet50ImagenetInputGradB_correct", "resnet50LowResInputGradB_correct",
    ),
    "NetTies.Nets.MobileNet.MobileNetV2WholeBackCertifiedTieB": (
        "mnv2InputGradB_eq_mobilenetv2B_full_vjp", "mobilenetv2ForwardBFull_eq_slots",
        "mnv2InputGradB_correct", "mobilenetv2InputGradB_correct",
    ),
    "NetTies.Nets.MobileNet.MobileNetV4WholeBackCertifiedTieB": (
        "mnv4InputGradB_eq_mnv4B_full_vjp", "mobilenetv4ForwardBFull_eq_slots", "mnv4InputGradB_correct",
        "mobilenetv4InputGradB_correct",
    ),
    "NetTies.Nets.EfficientNet.EfficientNetFullWholeBackCertifiedTie": (
        "efficientnetInputGradBFull_eq_efficientnetForwardB_full_vjp", "efficientnetForwardBFull_eq_slots",
        "efficientnetInputGradBFull_correct", "efficientnetB0InputGradB_correct",
    ),
    "NetTies.Nets.ConvNeXt.ConvNeXtT": (
        "convnextInputGradB_eq_convNextForwardTChB_vjp", "convNextForwardTChB_eq_chain",
        "convnextInputGradB_eq_batchMap_convNextForwardTCh_vjp", "convnextInputGradB_correct",
        "convnextImagenetInputGradB_eq_vjp", "convnextImagenetInputGradB_correct",
    ),
    "NetTies.Nets.ViT.ViTTiny": (
        "vitInputGradKB_eq_vitKVB_vjp", "vitForwardKVB_eq_chain",
        "vitInputGradKB_eq_batchMap_vitForwardKV_vjp", "vitTinyInputGradB_eq_vitTiny_vjp",
        "vitTinyInputGradB_correct", "BlockParamsV.vitCotXin_eq_blockBack",
    ),
    "NetTies.Nets.ViT.ViTLossGrad": (
        "vit_net_tiedGB", "vit_net_lossGrad", "vit_net_smoothedLossGrad",
    ),
    "NetTies.Consistency": ("pdiv_square_one_ne_zero", "eps_ne_zero", "no_zero_backward"),
    "NetTies.RationalModel": ("Ratio.scalars", "Ratio.one_ne_zero"),
}  # fmt: skip
FORBIDDEN = re.compile(r"\b(?:sorry|admit|axiom|native_decide|skipKernelTC)\b")
DEPENDS = re.compile(r"'NetTies\.(.+)' (?:depends on axioms: \[([^\]]*)\]|does not depend on any axioms)")


def test_the_build_says_nothing_but_success(built: Built) -> None:
    assert "warning" not in built.log
    assert "error" not in built.log


def test_no_source_holds_a_sorry_or_an_axiom() -> None:
    for file in SOURCES.rglob("*.lean"):
        if ".lake" not in file.parts:
            assert not FORBIDDEN.findall(file.read_text("utf-8")), file


def test_capstones_rest_on_the_axioms_of_lean(built: Built, tmp_path: Path) -> None:
    names = [name for group in CAPSTONES.values() for name in group]
    probe = tmp_path / "Probe.lean"
    probe.write_text(
        "".join(f"import {module}\n" for module in CAPSTONES)
        + "".join(f"#print axioms NetTies.{name}\n" for name in names),
        encoding="utf-8",
    )
    checked = built.check(probe)
    assert checked.exit_code == 0, checked.errors
    said = [DEPENDS.match(m.text) for m in checked.messages if isinstance(m, Message)]
    found = {match[1]: set((match[2] or "").replace("\n", " ").split(", ")) - {""} for match in said if match}
    assert set(found) == set(names)
    assert all(axioms <= AXIOMS for axioms in found.values()), found


@pytest.mark.parametrize("room", ["Foundation", "Layers", "Nets"])
def test_modules_open_with_a_doc_comment_and_stay_short(room: str) -> None:
    for file in (SOURCES / "NetTies" / room).rglob("*.lean"):
        text = file.read_text(encoding="utf-8")
        body = re.sub(r"^(?:import .*\n)*\n?", "", text)
        assert body.startswith("/-! # "), file
        assert text.count("\n") < 400, file
