import NetTies.Nets.MobileNet.MobileNetBackChains

/-! # `mnv2InputGradB` is the certified whole-net gradient of MobileNetV2 at a batch

The twenty-one-stage batched chain is the certified gradient of `mobilenetv2ForwardBFull` at every
batch that meets no kink, for every batch size and class count. Batch normalisation couples the
examples, so stages are functions of the whole batch. Stem, head, pool, classifier and all seventeen
blocks are concrete.

* `mnv2InputGradB_eq_mobilenetv2B_full_vjp`, the tie: the leaf ties of the twenty-one slots, then
  the apex of `MobileNetV2Stages` peeled by an equation;
* `mobilenetv2ForwardBFull_eq_slots`, the shape check, by the chain and the twenty named prefixes;
* `mnv2InputGradB_correct`, the reading as a sum of partial derivatives, and
  `mobilenetv2InputGradB_correct`, the same at the literal dimensions.

Answers: the family of seven batched ties: MobileNetV2. -/

namespace NetTies

variable {R : Type} [KinkedScalars R] {d : Mnv2Dims} {nCls : Nat}
variable (N : Nat) (w : Mnv2Params R d nCls)

/-! ## The tie -/

/-- **The tie**: the batched reverse chain is the certified backward function of the twenty-one
slots. -/
theorem mnv2InputGradB_eq_mobilenetv2B_full_vjp (x : Vec R (N * d.img)) (hx : Mnv2SmoothAtB N w x)
    (dy : Vec R (N * nCls)) :
    mnv2InputGradB N w x dy = (mobilenetv2B_full_has_vjp_at hx.slots).backward dy := by
  have tie := mobilenetv2B_full_has_vjp_at_of_leaves hx.slots
    (mnv2StemBBack_eq_vjp_backward N w x hx.slots.stem)
    (mnv2NoExpBBack_eq_vjp_backward N 1 1 d.s1 d.s1 w.b1 _ hx.slots.b1)
    (mnv2ExpBBack_eq_vjp_backward N 2 0 d.s1 d.s2 w.b2 _ hx.slots.b2)
    (mnv2ResBBack_eq_vjp_backward N d.s2 w.b3 _ hx.slots.b3)
    (mnv2ExpBBack_eq_vjp_backward N 2 0 d.s2 d.s3 w.b4 _ hx.slots.b4)
    (mnv2ResBBack_eq_vjp_backward N d.s3 w.b5 _ hx.slots.b5)
    (mnv2ResBBack_eq_vjp_backward N d.s3 w.b6 _ hx.slots.b6)
    (mnv2ExpBBack_eq_vjp_backward N 2 0 d.s3 d.s4 w.b7 _ hx.slots.b7)
    (mnv2ResBBack_eq_vjp_backward N d.s4 w.b8 _ hx.slots.b8)
    (mnv2ResBBack_eq_vjp_backward N d.s4 w.b9 _ hx.slots.b9)
    (mnv2ResBBack_eq_vjp_backward N d.s4 w.b10 _ hx.slots.b10)
    (mnv2ExpBBack_eq_vjp_backward N 1 1 d.s4 d.s4 w.b11 _ hx.slots.b11)
    (mnv2ResBBack_eq_vjp_backward N d.s4 w.b12 _ hx.slots.b12)
    (mnv2ResBBack_eq_vjp_backward N d.s4 w.b13 _ hx.slots.b13)
    (mnv2ExpBBack_eq_vjp_backward N 2 0 d.s4 d.s5 w.b14 _ hx.slots.b14)
    (mnv2ResBBack_eq_vjp_backward N d.s5 w.b15 _ hx.slots.b15)
    (mnv2ResBBack_eq_vjp_backward N d.s5 w.b16 _ hx.slots.b16)
    (mnv2ExpBBack_eq_vjp_backward N 1 1 d.s5 d.s5 w.b17 _ hx.slots.b17)
    (cbrBBack_eq_vjp_backward N (squareSrc 1 1 0 d.s5 d.s5) w.head _ hx.slots.head)
    (gapB_backward N (d.s5 * d.s5) (mnv2Pre18 (mnv2Stages N w) x))
    (denseB_backward N w.dnsW w.dnsB (mnv2Pre19 (mnv2Stages N w) x)) dy
  rw [mnv2InputGradB, tie]

/-! ## The shape check -/

/-- The network is the chain of its twenty-one parts. -/
theorem mobilenetv2ForwardBFull_eq_chain : mobilenetv2ForwardBFull N w =
      (denseB N w.dnsW w.dnsB).fwd ⊚ (gapB R N d.ch (d.s5 * d.s5)).fwd ⊚ (mnv2HeadB N w).fwd ⊚
        (mnv2ExpB N 1 1 d.s5 d.s5 w.b17).fwd ⊚ (mnv2ResB N d.s5 w.b16).fwd ⊚
        (mnv2ResB N d.s5 w.b15).fwd ⊚ (mnv2ExpB N 2 0 d.s4 d.s5 w.b14).fwd ⊚
        (mnv2ResB N d.s4 w.b13).fwd ⊚ (mnv2ResB N d.s4 w.b12).fwd ⊚
        (mnv2ExpB N 1 1 d.s4 d.s4 w.b11).fwd ⊚ (mnv2ResB N d.s4 w.b10).fwd ⊚
        (mnv2ResB N d.s4 w.b9).fwd ⊚ (mnv2ResB N d.s4 w.b8).fwd ⊚
        (mnv2ExpB N 2 0 d.s3 d.s4 w.b7).fwd ⊚ (mnv2ResB N d.s3 w.b6).fwd ⊚
        (mnv2ResB N d.s3 w.b5).fwd ⊚ (mnv2ExpB N 2 0 d.s2 d.s3 w.b4).fwd ⊚
        (mnv2ResB N d.s2 w.b3).fwd ⊚ (mnv2ExpB N 2 0 d.s1 d.s2 w.b2).fwd ⊚
        (mnv2NoExpB N 1 1 d.s1 d.s1 w.b1).fwd ⊚ (mnv2StemB N w).fwd := by
  rw [mobilenetv2ForwardBFull, mnv2Top, mnv2Row7, mnv2Row6, mnv2Row5, mnv2Row4, mnv2Row3,
    mnv2Row2, mnv2Row1]
  simp only [Map.comp_assoc]

/-- **The shape check**: the network is the composition of the slots. -/
theorem mobilenetv2ForwardBFull_eq_slots :
    mobilenetv2ForwardBFull N w = mobilenetv2SlotsB (mnv2Stages N w) := by
  rw [mobilenetv2ForwardBFull_eq_chain]
  rw [mobilenetv2SlotsB, mnv2Pre19, mnv2Pre18, mnv2Pre17, mnv2Pre16, mnv2Pre15, mnv2Pre14,
    mnv2Pre13, mnv2Pre12, mnv2Pre11, mnv2Pre10, mnv2Pre9, mnv2Pre8, mnv2Pre7, mnv2Pre6, mnv2Pre5,
    mnv2Pre4, mnv2Pre3, mnv2Pre2, mnv2Pre1, mnv2Pre0]
  rfl

/-! ## The reading -/

/-- **The reading**: pixel `i` of the gradient is the cotangent contracted with the partial
derivatives of the network. -/
theorem mnv2InputGradB_correct (x : Vec R (N * d.img)) (hx : Mnv2SmoothAtB N w x)
    (dy : Vec R (N * nCls)) (i : Idx (N * d.img)) :
    mnv2InputGradB N w x dy i = ∑ j, pdiv (mobilenetv2ForwardBFull N w) x i j * dy j := by
  rw [mnv2InputGradB_eq_mobilenetv2B_full_vjp N w x hx, mobilenetv2ForwardBFull_eq_slots]
  exact (mobilenetv2B_full_has_vjp_at hx.slots).correct dy i

/-- The dimensions of MobileNetV2 at 224 × 224 pixels. -/
abbrev mobilenetv2Dims : Mnv2Dims :=
  ⟨32, 16, 24, 32, 64, 96, 160, 320, 1280, 7⟩

/-- **MobileNetV2**: the reading at its literal dimensions; batch and class count are binders. -/
theorem mobilenetv2InputGradB_correct (w : Mnv2Params R mobilenetv2Dims nCls)
    (x : Vec R (N * (3 * (224 * 224)))) (hx : Mnv2SmoothAtB N w x) (dy : Vec R (N * nCls))
    (i : Idx (N * (3 * (224 * 224)))) :
    mnv2InputGradB N w x dy i = ∑ j, pdiv (mobilenetv2ForwardBFull N w) x i j * dy j :=
  mnv2InputGradB_correct N w x hx dy i

end NetTies
