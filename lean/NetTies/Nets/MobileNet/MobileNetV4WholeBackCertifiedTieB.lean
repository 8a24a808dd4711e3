import NetTies.Nets.MobileNet.MobileNetV4BackChains

/-! # `mnv4InputGradB` is the certified whole-net gradient of MobileNetV4 at a batch

The twenty-six-stage batched chain is the certified gradient of `mobilenetv4ForwardBFull` at every
batch that meets no kink, for every batch size and class count. Batch normalisation couples the
examples, so stages are functions of the whole batch. Stem, fused stage, all twenty-one rows, head
and classifier are concrete.

* `mnv4InputGradB_eq_mnv4B_full_vjp`, the tie: the leaf ties of the twenty-six slots, then the apex
  of `MobileNetV4Stages` peeled by an equation;
* `mobilenetv4ForwardBFull_eq_slots`, the shape check, by the chain and the twenty-five named
  prefixes;
* `mnv4InputGradB_correct`, the reading as a sum of partial derivatives, and
  `mobilenetv4InputGradB_correct`, the same at the literal dimensions.

Answers: the family of seven batched ties: MobileNetV4. -/

namespace NetTies

variable {R : Type} [KinkedScalars R] {d : Mnv4Dims} {nCls : Nat}
variable (N : Nat) (w : Mnv4Params R d nCls)

/-! ## The tie -/

/-- **The tie**: the batched reverse chain is the certified backward function of the twenty-six
slots. -/
theorem mnv4InputGradB_eq_mnv4B_full_vjp (x : Vec R (N * d.img)) (hx : Mnv4SmoothAtB N w x)
    (dy : Vec R (N * nCls)) :
    mnv4InputGradB N w x dy = (mnv4B_full_has_vjp_at hx.slots).backward dy := by
  have tie := mnv4B_full_has_vjp_at_of_leaves hx.slots
    (mnv4StemBBack_eq_vjp_backward N w x hx.slots.stem)
    (mnv4FusedBBack_eq_vjp_backward N d.s1 d.s2 w.fused _ hx.slots.fused)
    (uibExtraBBack_eq_vjp_backward N 2 1 2 d.s2 d.s3 w.b1 _ hx.slots.b1)
    (uibExtraResBBack_eq_vjp_backward N 1 1 d.s3 w.b2 _ hx.slots.b2)
    (uibExtraBBack_eq_vjp_backward N 2 1 2 d.s3 d.s4 w.b3 _ hx.slots.b3)
    (uibExtraResBBack_eq_vjp_backward N 1 1 d.s4 w.b4 _ hx.slots.b4)
    (uibExtraResBBack_eq_vjp_backward N 1 1 d.s4 w.b5 _ hx.slots.b5)
    (uibExtraResBBack_eq_vjp_backward N 1 2 d.s4 w.b6 _ hx.slots.b6)
    (uibExtraResBBack_eq_vjp_backward N 1 1 d.s4 w.b7 _ hx.slots.b7)
    (uibStartResBBack_eq_vjp_backward N 1 d.s4 w.b8 _ hx.slots.b8)
    (uibFfnResBBack_eq_vjp_backward N d.s4 w.b9 _ hx.slots.b9)
    (uibStartResBBack_eq_vjp_backward N 1 d.s4 w.b10 _ hx.slots.b10)
    (uibExtraBBack_eq_vjp_backward N 2 2 2 d.s4 d.s5 w.b11 _ hx.slots.b11)
    (uibExtraResBBack_eq_vjp_backward N 2 2 d.s5 w.b12 _ hx.slots.b12)
    (uibExtraResBBack_eq_vjp_backward N 1 2 d.s5 w.b13 _ hx.slots.b13)
    (uibExtraResBBack_eq_vjp_backward N 1 2 d.s5 w.b14 _ hx.slots.b14)
    (uibFfnResBBack_eq_vjp_backward N d.s5 w.b15 _ hx.slots.b15)
    (uibStartResBBack_eq_vjp_backward N 1 d.s5 w.b16 _ hx.slots.b16)
    (uibExtraResBBack_eq_vjp_backward N 1 2 d.s5 w.b17 _ hx.slots.b17)
    (uibExtraResBBack_eq_vjp_backward N 2 2 d.s5 w.b18 _ hx.slots.b18)
    (uibFfnResBBack_eq_vjp_backward N d.s5 w.b19 _ hx.slots.b19)
    (uibFfnResBBack_eq_vjp_backward N d.s5 w.b20 _ hx.slots.b20)
    (uibStartResBBack_eq_vjp_backward N 2 d.s5 w.b21 _ hx.slots.b21)
    (cbReluBBack_eq_vjp_backward N (squareSrc 1 1 0 d.s5 d.s5) w.hc1 _ hx.slots.hc1)
    (mnv4Hc2BBack_eq_vjp_backward N w _ hx.slots.hc2)
    (denseB_backward N w.clsW w.clsB (mnv4Pre24 (mnv4Stages N w) x)) dy
  rw [mnv4InputGradB, tie]

/-! ## The shape check -/

/-- The network is the chain of its twenty-six parts. -/
theorem mobilenetv4ForwardBFull_eq_chain : mobilenetv4ForwardBFull N w =
      (denseB N w.clsW w.clsB).fwd ⊚ (mnv4Hc2B N w).fwd ⊚ (mnv4Hc1B N w).fwd ⊚
        (uibStartResB N 2 d.s5 w.b21).fwd ⊚ (uibFfnResB N d.s5 w.b20).fwd ⊚
        (uibFfnResB N d.s5 w.b19).fwd ⊚ (uibExtraResB N 2 2 d.s5 w.b18).fwd ⊚
        (uibExtraResB N 1 2 d.s5 w.b17).fwd ⊚ (uibStartResB N 1 d.s5 w.b16).fwd ⊚
        (uibFfnResB N d.s5 w.b15).fwd ⊚ (uibExtraResB N 1 2 d.s5 w.b14).fwd ⊚
        (uibExtraResB N 1 2 d.s5 w.b13).fwd ⊚ (uibExtraResB N 2 2 d.s5 w.b12).fwd ⊚
        (uibExtraB N 2 2 2 d.s4 d.s5 w.b11).fwd ⊚ (uibStartResB N 1 d.s4 w.b10).fwd ⊚
        (uibFfnResB N d.s4 w.b9).fwd ⊚ (uibStartResB N 1 d.s4 w.b8).fwd ⊚
        (uibExtraResB N 1 1 d.s4 w.b7).fwd ⊚ (uibExtraResB N 1 2 d.s4 w.b6).fwd ⊚
        (uibExtraResB N 1 1 d.s4 w.b5).fwd ⊚ (uibExtraResB N 1 1 d.s4 w.b4).fwd ⊚
        (uibExtraB N 2 1 2 d.s3 d.s4 w.b3).fwd ⊚ (uibExtraResB N 1 1 d.s3 w.b2).fwd ⊚
        (uibExtraB N 2 1 2 d.s2 d.s3 w.b1).fwd ⊚ (mnv4FusedB N d.s1 d.s2 w.fused).fwd ⊚
        (mnv4StemB N w).fwd := by
  rw [mobilenetv4ForwardBFull, mnv4HeadStack, mnv4Res7b, mnv4Res7a, mnv4Res14b, mnv4Res14a,
    mnv4Res28, mnv4Fused]
  simp only [Map.comp_assoc]

/-- **The shape check**: the network is the composition of the slots. -/
theorem mobilenetv4ForwardBFull_eq_slots :
    mobilenetv4ForwardBFull N w = mnv4SlotsB (mnv4Stages N w) := by
  rw [mobilenetv4ForwardBFull_eq_chain]
  rw [mnv4SlotsB, mnv4Pre24, mnv4Pre23, mnv4Pre22, mnv4Pre21, mnv4Pre20, mnv4Pre19, mnv4Pre18,
    mnv4Pre17, mnv4Pre16, mnv4Pre15, mnv4Pre14, mnv4Pre13, mnv4Pre12, mnv4Pre11, mnv4Pre10,
    mnv4Pre9, mnv4Pre8, mnv4Pre7, mnv4Pre6, mnv4Pre5, mnv4Pre4, mnv4Pre3, mnv4Pre2, mnv4Pre1,
    mnv4Pre0]
  rfl

/-! ## The reading -/

/-- **The reading**: pixel `i` of the gradient is the cotangent contracted with the partial
derivatives of the network. -/
theorem mnv4InputGradB_correct (x : Vec R (N * d.img)) (hx : Mnv4SmoothAtB N w x)
    (dy : Vec R (N * nCls)) (i : Idx (N * d.img)) :
    mnv4InputGradB N w x dy i = ∑ j, pdiv (mobilenetv4ForwardBFull N w) x i j * dy j := by
  rw [mnv4InputGradB_eq_mnv4B_full_vjp N w x hx, mobilenetv4ForwardBFull_eq_slots]
  exact (mnv4B_full_has_vjp_at hx.slots).correct dy i

/-- The dimensions of MobileNetV4 (convolutional, medium) at 224 × 224 pixels. -/
abbrev mobilenetv4Dims : Mnv4Dims :=
  ⟨32, 48, 80, 160, 256, 960, 1280, 7⟩

/-- **MobileNetV4 (convolutional, medium)**: the reading at its literal dimensions; batch and class
count are binders. -/
theorem mobilenetv4InputGradB_correct (w : Mnv4Params R mobilenetv4Dims nCls)
    (x : Vec R (N * (3 * (224 * 224)))) (hx : Mnv4SmoothAtB N w x) (dy : Vec R (N * nCls))
    (i : Idx (N * (3 * (224 * 224)))) :
    mnv4InputGradB N w x dy i = ∑ j, pdiv (mobilenetv4ForwardBFull N w) x i j * dy j :=
  mnv4InputGradB_correct N w x hx dy i

end NetTies
