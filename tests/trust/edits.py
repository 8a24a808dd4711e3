"""Attacks on this project's own proofs, each an edit in a copy of `lean/`, all made at once.

They sit in modules that no other imports, so that none hides another. `code` is the rule that must object to
`subject`, and `label` what `tracker status` must call it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Edit:
    """One attack: `old`, which stands once in a file below `lean/`, becomes `new`."""

    name: str
    code: str
    subject: str
    label: str
    file: str
    old: str
    new: str
    above: str = ""
    """What is put at the beginning of the file's namespace."""
    more: Mapping[str, str] = field(default_factory=dict)
    """New files."""


NETS = "NetTies/Nets/"
CONVNEXT = NETS + "ConvNeXt/ConvNeXtT.lean"
MOBILENET2 = NETS + "MobileNet/MobileNetV2WholeBackCertifiedTieB.lean"
MOBILENET4 = NETS + "MobileNet/MobileNetV4WholeBackCertifiedTieB.lean"
EFFICIENTNET = NETS + "EfficientNet/EfficientNetFullWholeBackCertifiedTie.lean"
RESNET34 = NETS + "ResNet/ResNet34BackCertifiedTieB.lean"
RESNET50 = NETS + "ResNet/ResNet50WholeBackCertifiedTieB.lean"
VIT = NETS + "ViT/ViTLossGrad.lean"
RATIONAL = "NetTies/RationalModel.lean"
CONSISTENCY = "NetTies/Consistency.lean"

ONE = "/-- The model is not the trivial ring. -/\ntheorem one_ne_zero : (1 : Ratio) ≠ 0 := fun e =>\n"
ZERO = (
    "/-- A backward function that returns zero is not a certified one. -/\n"
    "theorem no_zero_backward (h : HasVJPAt (square F3 1) fun _ => 1) : h.backward ≠ fun _ => 0 :=\n"
    "  fun zero => F3.two_ne_zero\n"
    "    ((h.correct (fun _ => 1) 0).symm.trans (congrFun (congrFun zero fun _ => 1) 0))\n"
)
EPS = """\
/-- `ε² = 0` over every ring. -/
theorem eps_mul_eps (R : Type) [CommRing R] : eps R * eps R = 0 :=
"""
NOTATION = """\
section
def Apart (_ _ : Ratio) : Prop := True
local notation:50 (priority := high) a " ≠ " b => Apart a b
theorem one_ne_zero : (1 : Ratio) ≠ 0 := True.intro
end

theorem one_ne_zero' : (1 : Ratio) ≠ 0 := fun e =>
"""
INSTANCE = """\
section
local instance {R : Type} [CommRing R] : HMul (Dual R) (Dual R) (Dual R) := ⟨fun _ _ => 0⟩
theorem eps_mul_eps (R : Type) [CommRing R] : eps R * eps R = 0 := rfl
end

theorem eps_mul_eps' (R : Type) [CommRing R] : eps R * eps R = 0 :=
"""
LIE = """\
def one? : Bool := true
@[implemented_by one?] def none? : Bool := false
theorem lie : none? = true := by decide +native
"""

SMOOTHED = """\
  rw [← lossCot_smoothedCE]
  exact vit_net_lossGrad cfg θ sd bf16 bf16ConvW (smoothedCE α t) x
"""
PRINTED = """\
  exact vit_net_lossGrad cfg θ

#print "✔ [75/75] Built NetTies.Nets.ViT.ViTLossGrad (1.0s)"
#print "Build completed successfully (75 jobs)."
"""
TRUSTED = "axiom trusted {P : Prop} : P\n"
ELSEWHERE = {
    "NetTies/Elsewhere.lean": f"import NetTies.Consistency\n\nnamespace NetTies\n\n{ZERO}\nend NetTies\n"
}
STRAY = {"Stray.lean": "theorem stray : 1 = 1 := rfl\n"}

EDITS = (
    Edit("sorry in a tie", "GATE-SORRY", "convnextTInputGradB_eq_vjp", "sorry", CONVNEXT,
         "  convnextInputGradB_eq_batchMap_convNextForwardTCh_vjp B h x dy\n", "  sorry\n"),
    Edit("sorry below a capstone", "GATE-SORRY", "convnextImagenetInputGradB_eq_vjp", "blocked", CONVNEXT,
         "  convnextTInputGradB_eq_vjp B h x dy\n", "  id (convnextTInputGradB_eq_vjp B h x dy)\n"),
    Edit("sorry in a have of a reading", "GATE-SORRY", "mnv4InputGradB_correct", "sorry", MOBILENET4,
         "  exact (mnv4B_full_has_vjp_at hx.slots).correct dy i\n",
         "  have all (P : Prop) : P := sorry\n  exact all _\n"),
    Edit("a new axiom below a reading", "GATE-AXIOM", "mnv2InputGradB_correct", "axiom", MOBILENET2,
         "  exact (mobilenetv2B_full_has_vjp_at hx.slots).correct dy i\n", "  exact trusted\n",
         above=TRUSTED),
    Edit("a count by compiled code", "GATE-AXIOM", "cnxT_positivities", "axiom", CONVNEXT,
         "+ 3 + 1 = 23 := rfl\n", "+ 3 + 1 = 23 := by decide +native\n"),
    Edit("a reading by compiled code that lies", "GATE-AXIOM", "r34InputGradB_correct", "axiom", RESNET34,
         "  exact (r34B_full_has_vjp_at hx.slots).correct dy i\n",
         "  exact absurd (lie : false = true) Bool.false_ne_true\n", above=LIE),
    Edit("a capstone that supposes False", "GATE-AXIOM", "convnextImagenetInputGradB_correct", "axiom",
         CONVNEXT, "theorem convnextImagenetInputGradB_correct",
         "theorem convnextImagenetInputGradB_correct (_ : False)"),
    Edit("a statement made trivial", "GATE-DRIFT", "eps_ne_zero", "drifted", CONSISTENCY,
         "eps F3 ≠ 0 := fun h => F3.one_ne_zero (congrArg Dual.du h)", "eps F3 = eps F3 := rfl"),
    Edit("other dimensions below a capstone", "GATE-DRIFT", "mobilenetv4InputGradB_correct", "blocked",
         MOBILENET4, "160, 256, 960", "160, 256, 96"),
    Edit("a local instance by which all products are zero", "GATE-DRIFT", "eps_mul_eps", "drifted",
         CONSISTENCY, EPS, INSTANCE),
    Edit("notation that reprints a law", "GATE-DRIFT", "Ratio.one_ne_zero", "drifted", RATIONAL,
         ONE, NOTATION),
    Edit("a theorem renamed", "GATE-LOST", "pdiv_square_one_ne_zero", "missing", CONSISTENCY,
         "theorem pdiv_square_one_ne_zero :", "theorem pdiv_square_one_ne_zero' :"),
    Edit("a theorem moved to another module", "GATE-LOST", "no_zero_backward", "missing", CONSISTENCY,
         ZERO, "", more=ELSEWHERE),
    Edit("a capstone after #exit", "GATE-LOST", "resnet34ImagenetInputGradB_correct", "missing", RESNET34,
         "/-- **ResNet-34**:", "#exit\n\n/-- **ResNet-34**:"),
    Edit("a capstone made opaque", "GATE-LOST", "resnet50ImagenetInputGradB_correct", "missing", RESNET50,
         "theorem resnet50ImagenetInputGradB_correct", "opaque resnet50ImagenetInputGradB_correct"),
    Edit("a capstone in a namespace of the same name", "GATE-LOST", "resnet50LowResInputGradB_correct",
         "missing", RESNET50, "theorem resnet50LowRes", "theorem NetTies.resnet50LowRes"),
    Edit("a module that the kernel is told not to check", "GATE-LOST", "efficientnetB0InputGradB_correct",
         "failed:kernel-skipped", EFFICIENTNET, "", "", above="set_option debug.skipKernelTC true\n"),
    Edit("a failing proof that prints success", "GATE-LOST", "vit_net_smoothedLossGrad", "failed:type-error",
         VIT, SMOOTHED, PRINTED),
    Edit("a limit raised for a module", "GATE-LIMITS", "NetTies.Nets.ResNet.ResNet50WholeBackCertifiedTieB",
         "", RESNET50, "", "", above="set_option maxRecDepth 4000\n"),
    Edit("a sorry in no obligation", "GATE-WARNINGS", "NetTies.RationalModel", "", RATIONAL, "", "",
         above="theorem aside : 1 = 2 := sorry\n"),
    Edit("a file in no target", "GATE-UNSEEN", "Stray.lean", "", RATIONAL, "", "", more=STRAY),
)  # fmt: skip
