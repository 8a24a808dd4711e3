import NetTies.Nets.EfficientNet.EfficientNetBackChains

/-! # `efficientnetInputGradBFull` is the certified whole-net gradient of EfficientNet-B0

The eighteen-stage batched chain is the certified gradient of `efficientnetForwardBFull` at every
batch, for every batch size and class count. Swish is smooth everywhere, so the witnesses are global
and no smooth-point hypothesis appears; the positivities of the 49 normalisations are fields of
their parameters. Stem, head and all sixteen blocks are concrete.

* `efficientnetInputGradBFull_eq_efficientnetB_full_vjp`, the tie to the apex of
  `EfficientNetStages`: the leaf ties of the eighteen slots and the peeled apex;
* `efficientnetForwardBFull_eq_slots`, the shape check: the network, written stage by stage, is the
  composition of the slots, by its chain and the seventeen named prefixes;
* `efficientnetInputGradBFull_eq_efficientnetForwardB_full_vjp`, the tie carried to the global
  witness of the network by uniqueness, and `efficientnetInputGradBFull_correct`, its reading as a
  sum of partial derivatives; `efficientnetB0InputGradB_correct` is the same at the literal
  dimensions.

Answers: the family of seven batched ties: EfficientNet-B0. -/

namespace NetTies

variable {R : Type} [Scalars R] {d : EffDims} {nCls : Nat} (N : Nat) (w : B0Weights R d nCls)

/-! ## The tie -/

/-- **The tie**: the batched reverse chain is the certified backward function of the eighteen
slots. -/
theorem efficientnetInputGradBFull_eq_efficientnetB_full_vjp (x : Vec R (N * d.img))
    (dy : Vec R (N * nCls)) : efficientnetInputGradBFull N w x dy =
      (efficientnetB_full_has_vjp (effStages N w)).backward x dy := by
  have tie := efficientnetB_full_has_vjp_of_leaves (effStages N w) x
    (stemBBack_eq_vjp_backward N w x)
    (mbNoExpBack_eq_vjp N 1 1 d.s1 d.s1 w.b1 _)
    (mbExpBack_eq_vjp N 2 0 d.s1 d.s2 w.b2 _)
    (mbResBack_eq_vjp N 1 d.s2 w.b3 _)
    (mbExpBack_eq_vjp N 2 1 d.s2 d.s3 w.b4 _)
    (mbResBack_eq_vjp N 2 d.s3 w.b5 _)
    (mbExpBack_eq_vjp N 2 0 d.s3 d.s4 w.b6 _)
    (mbResBack_eq_vjp N 1 d.s4 w.b7 _)
    (mbResBack_eq_vjp N 1 d.s4 w.b8 _)
    (mbExpBack_eq_vjp N 1 2 d.s4 d.s4 w.b9 _)
    (mbResBack_eq_vjp N 2 d.s4 w.b10 _)
    (mbResBack_eq_vjp N 2 d.s4 w.b11 _)
    (mbExpBack_eq_vjp N 2 1 d.s4 d.s5 w.b12 _)
    (mbResBack_eq_vjp N 2 d.s5 w.b13 _)
    (mbResBack_eq_vjp N 2 d.s5 w.b14 _)
    (mbResBack_eq_vjp N 2 d.s5 w.b15 _)
    (mbExpBack_eq_vjp N 1 1 d.s5 d.s5 w.b16 _)
    (headFwdBBack_eq_vjp_backward N w _) dy
  rw [efficientnetInputGradBFull, tie]

/-! ## The shape check -/

/-- The network is the chain of its eighteen parts. -/
theorem efficientnetForwardBFull_eq_chain : efficientnetForwardBFull N w =
      (effHead N w).fwd ⊚ (mbExp N 1 1 d.s5 d.s5 w.b16).fwd ⊚ (mbRes N 2 d.s5 w.b15).fwd ⊚
        (mbRes N 2 d.s5 w.b14).fwd ⊚ (mbRes N 2 d.s5 w.b13).fwd ⊚
        (mbExp N 2 1 d.s4 d.s5 w.b12).fwd ⊚ (mbRes N 2 d.s4 w.b11).fwd ⊚
        (mbRes N 2 d.s4 w.b10).fwd ⊚ (mbExp N 1 2 d.s4 d.s4 w.b9).fwd ⊚
        (mbRes N 1 d.s4 w.b8).fwd ⊚ (mbRes N 1 d.s4 w.b7).fwd ⊚ (mbExp N 2 0 d.s3 d.s4 w.b6).fwd ⊚
        (mbRes N 2 d.s3 w.b5).fwd ⊚ (mbExp N 2 1 d.s2 d.s3 w.b4).fwd ⊚ (mbRes N 1 d.s2 w.b3).fwd ⊚
        (mbExp N 2 0 d.s1 d.s2 w.b2).fwd ⊚ (mbNoExp N 1 1 d.s1 d.s1 w.b1).fwd ⊚
        (effStem N w).fwd := by
  rw [efficientnetForwardBFull, effStage7, effStage6, effStage5, effStage4, effStage3, effStage2,
    effStage1]
  simp only [Map.comp_assoc]

/-- **The shape check**: the network is the composition of the slots. -/
theorem efficientnetForwardBFull_eq_slots :
    efficientnetForwardBFull N w = efficientnetSlotsB (effStages N w) := by
  rw [efficientnetForwardBFull_eq_chain]
  rw [efficientnetSlotsB, effPre16, effPre15, effPre14, effPre13, effPre12, effPre11, effPre10,
    effPre9, effPre8, effPre7, effPre6, effPre5, effPre4, effPre3, effPre2, effPre1, effPre0]
  rfl

/-! ## The carried tie and the reading -/

/-- The certified backward function of the network at every batch, transported along the shape
check: what is known of it is that it is correct. -/
def efficientnetForwardB_full_has_vjp : HasVJP (efficientnetForwardBFull N w) :=
  efficientnetForwardBFull_eq_slots N w ▸ efficientnetB_full_has_vjp (effStages N w)

/-- The tie, carried to the global witness of the network. -/
theorem efficientnetInputGradBFull_eq_efficientnetForwardB_full_vjp (x : Vec R (N * d.img))
    (dy : Vec R (N * nCls)) : efficientnetInputGradBFull N w x dy =
      (efficientnetForwardB_full_has_vjp N w).backward x dy :=
  (efficientnetInputGradBFull_eq_efficientnetB_full_vjp N w x dy).trans (congrFun
    ((efficientnetB_full_has_vjp (effStages N w)).backward_unique_of_eq
      (efficientnetForwardB_full_has_vjp N w) (efficientnetForwardBFull_eq_slots N w).symm x) dy)

/-- **The reading**: pixel `i` of the gradient is the cotangent contracted with the partial
derivatives of the network. -/
theorem efficientnetInputGradBFull_correct (x : Vec R (N * d.img)) (dy : Vec R (N * nCls))
    (i : Idx (N * d.img)) : efficientnetInputGradBFull N w x dy i =
      ∑ j, pdiv (efficientnetForwardBFull N w) x i j * dy j := by
  rw [efficientnetInputGradBFull_eq_efficientnetForwardB_full_vjp]
  exact (efficientnetForwardB_full_has_vjp N w).correct x dy i

/-- The dimensions of EfficientNet-B0 at 224 × 224 pixels. -/
abbrev efficientnetB0Dims : EffDims :=
  ⟨32, 16, 24, 40, 80, 112, 192, 320, 1280, 8, 4, 6, 10, 20, 28, 48, 7⟩

/-- **EfficientNet-B0**: the reading at its literal dimensions; batch and class count are binders.
-/
theorem efficientnetB0InputGradB_correct (w : B0Weights R efficientnetB0Dims nCls)
    (x : Vec R (N * (3 * (224 * 224)))) (dy : Vec R (N * nCls))
    (i : Idx (N * (3 * (224 * 224)))) : efficientnetInputGradBFull N w x dy i =
      ∑ j, pdiv (efficientnetForwardBFull N w) x i j * dy j :=
  efficientnetInputGradBFull_correct N w x dy i

end NetTies
