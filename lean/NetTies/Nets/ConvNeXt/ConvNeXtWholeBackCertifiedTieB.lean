import NetTies.Nets.ConvNeXt.ConvNeXtWholeBackCertifiedTie

/-! # `convnextInputGradB` is the certified whole-net gradient of ConvNeXt at a batch

The twelve-stage batched chain is the certified gradient of `batchMap B convNextForwardTCh` at every
batch, for every `B` and every class count. ConvNeXt is smooth everywhere, so every stage has a global
witness; the hypotheses are the positivities of its layer normalisations.

* twelve batched stage witnesses, each at the saved activation of the stage before;
* twelve batched leaf ties: stages and downsamplings are instances, by term, of the ties at variable
  dimensions (`NetTies.Nets.ConvNeXt.ConvNeXtBlock`);
* `convNextForwardTChB_has_vjp_at`, the apex, by eleven compositions whose inner maps are the named
  saved activations, and `convnextInputGradB_eq_convNextForwardTChB_vjp`, the tie: twelve leaf
  rewrites, then eleven levels peeled as equations. No step is left to the kernel's unfolding: a
  witness spelled at the composed chain, or a peel that records no step, makes it evaluate the saved
  activations underneath the backward functions;
* `convNextForwardTChB_eq_chain`, the shape check, the tie carried to the global witness by
  uniqueness, and its reading as a sum of partial derivatives.

Answers: ConvNeXt-T's batched tie, items 2 to 5. -/

namespace NetTies

variable {R : Type} [Scalars R] {d : CnxDims} {nC : Nat}
variable (B : Nat) (w : ConvNeXtParams R d nC) {v : ConvNeXtParams R d nC} (h : v.EpsPos)

/-! ## The batched stage witnesses -/

/-- The witness of the stem's convolution at a batch. -/
def cnxStemB_at (x : Vec R (B * d.img)) : HasVJPAt (batchMap B (cnxStem w).fwd) x :=
  (cnxStem w).batch_at B x

/-- The witness of the stem's normalisation at a batch. -/
def cnxStemLNB_at (x : Vec R (B * d.x1)) : HasVJPAt (batchMap B (cnxStemLN h).fwd) x :=
  (cnxStemLN h).batch_at B x

/-- The witness of stage 1 at a batch. -/
def cnxStage1B_at (x : Vec R (B * d.x1)) : HasVJPAt (batchMap B (cnxStage1 h).fwd) x :=
  (cnxStage1 h).toLayer.batch_at B x

/-- The witness of downsampling 1 at a batch. -/
def cnxDn1B_at (x : Vec R (B * d.x1)) : HasVJPAt (batchMap B (cnxDn1 h).fwd) x :=
  (cnxDn1 h).batch_at B x

/-- The witness of stage 2 at a batch. -/
def cnxStage2B_at (x : Vec R (B * d.x2)) : HasVJPAt (batchMap B (cnxStage2 h).fwd) x :=
  (cnxStage2 h).toLayer.batch_at B x

/-- The witness of downsampling 2 at a batch. -/
def cnxDn2B_at (x : Vec R (B * d.x2)) : HasVJPAt (batchMap B (cnxDn2 h).fwd) x :=
  (cnxDn2 h).batch_at B x

/-- The witness of stage 3 at a batch. -/
def cnxStage3B_at (x : Vec R (B * d.x3)) : HasVJPAt (batchMap B (cnxStage3 h).fwd) x :=
  (cnxStage3 h).toLayer.batch_at B x

/-- The witness of downsampling 3 at a batch. -/
def cnxDn3B_at (x : Vec R (B * d.x3)) : HasVJPAt (batchMap B (cnxDn3 h).fwd) x :=
  (cnxDn3 h).batch_at B x

/-- The witness of stage 4 at a batch. -/
def cnxStage4B_at (x : Vec R (B * d.x4)) : HasVJPAt (batchMap B (cnxStage4 h).fwd) x :=
  (cnxStage4 h).toLayer.batch_at B x

/-- The witness of the pool at a batch. -/
def cnxGapB_at (x : Vec R (B * d.x4)) : HasVJPAt (batchMap B (cnxGap R d).fwd) x :=
  (cnxGap R d).batch_at B x

/-- The witness of the head's normalisation at a batch. -/
def cnxLNhB_at (x : Vec R (B * d.c4)) : HasVJPAt (batchMap B (cnxLNh h).fwd) x :=
  (cnxLNh h).batch_at B x

/-- The witness of the classifier at a batch. -/
def cnxDenseB_at (x : Vec R (B * d.c4)) : HasVJPAt (batchMap B (cnxDense w).fwd) x :=
  (cnxDense w).batch_at B x

/-! ## The batched leaf ties -/

theorem cnxStemBackB_eq_vjp (x : Vec R (B * d.img)) (dy : Vec R (B * d.x1)) :
    batchFun B (cnxStemBack w) dy = (cnxStemB_at B w x).backward dy :=
  (cnxStem w).batchFun_eq_vjp (cnxStemBack_eq_vjp w) B x dy

theorem cnxStemLNBackB_eq_vjp (x dy : Vec R (B * d.x1)) :
    batchMapAux B (cnxStemLNBack v) x dy = (cnxStemLNB_at B h x).backward dy :=
  cnxChanLNBackB_eq_vjp B v.stemLN h.stem (d.s1 * d.s1) x dy

theorem cnxStage1BackB_eq_vjp (x dy : Vec R (B * d.x1)) :
    batchMapAux B (cnxStage1 h).back x dy = (cnxStage1B_at B h x).backward dy :=
  cnxStageBackB_eq_vjp B v.gelu v.stage1 h.stage1 d.s1 x dy

theorem cnxDn1BackB_eq_vjp (x : Vec R (B * d.x1)) (dy : Vec R (B * d.x2)) :
    batchMapAux B (v.down1.back d.s1 d.s2) x dy = (cnxDn1B_at B h x).backward dy :=
  cnxDownBackB_eq_vjp B v.down1 h.down1 d.s1 d.s2 x dy

theorem cnxStage2BackB_eq_vjp (x dy : Vec R (B * d.x2)) :
    batchMapAux B (cnxStage2 h).back x dy = (cnxStage2B_at B h x).backward dy :=
  cnxStageBackB_eq_vjp B v.gelu v.stage2 h.stage2 d.s2 x dy

theorem cnxDn2BackB_eq_vjp (x : Vec R (B * d.x2)) (dy : Vec R (B * d.x3)) :
    batchMapAux B (v.down2.back d.s2 d.s3) x dy = (cnxDn2B_at B h x).backward dy :=
  cnxDownBackB_eq_vjp B v.down2 h.down2 d.s2 d.s3 x dy

theorem cnxStage3BackB_eq_vjp (x dy : Vec R (B * d.x3)) :
    batchMapAux B (cnxStage3 h).back x dy = (cnxStage3B_at B h x).backward dy :=
  cnxStageBackB_eq_vjp B v.gelu v.stage3 h.stage3 d.s3 x dy

theorem cnxDn3BackB_eq_vjp (x : Vec R (B * d.x3)) (dy : Vec R (B * d.x4)) :
    batchMapAux B (v.down3.back d.s3 d.s4) x dy = (cnxDn3B_at B h x).backward dy :=
  cnxDownBackB_eq_vjp B v.down3 h.down3 d.s3 d.s4 x dy

theorem cnxStage4BackB_eq_vjp (x dy : Vec R (B * d.x4)) :
    batchMapAux B (cnxStage4 h).back x dy = (cnxStage4B_at B h x).backward dy :=
  cnxStageBackB_eq_vjp B v.gelu v.stage4 h.stage4 d.s4 x dy

theorem cnxGapBackB_eq_vjp (x : Vec R (B * d.x4)) (dy : Vec R (B * d.c4)) :
    batchFun B (gapBack (d.s4 * d.s4)) dy = (cnxGapB_at B x).backward dy := rfl

theorem cnxLNhBackB_eq_vjp (x dy : Vec R (B * d.c4)) :
    batchMapAux B (cnxLNhBack v) x dy = (cnxLNhB_at B h x).backward dy :=
  (cnxLNh h).batchMapAux_eq_vjp (cnxLNhBack_eq_vjp h) B x dy

theorem cnxDenseBackB_eq_vjp (x : Vec R (B * d.c4)) (dy : Vec R (B * nC)) :
    batchFun B (denseBack w.headW) dy = (cnxDenseB_at B w x).backward dy :=
  (cnxDense w).batchFun_eq_vjp (cnxDenseBack_eq_vjp w) B x dy

/-! ## The prefixes are differentiable -/

theorem cnxSavedB0_diff (x : Vec R (B * d.img)) : DifferentiableAt (cnxSavedB0 B w) x :=
  (cnxStem w).batch_diff B x

theorem cnxSavedB1_diff (x : Vec R (B * d.img)) : DifferentiableAt (cnxSavedB1 B h) x :=
  (cnxSavedB0_diff B v x).comp ((cnxStemLN h).batch_diff B (cnxSavedB0 B v x))

theorem cnxSavedB2_diff (x : Vec R (B * d.img)) : DifferentiableAt (cnxSavedB2 B h) x :=
  (cnxSavedB1_diff B h x).comp ((cnxStage1 h).batch_diff B (cnxSavedB1 B h x))

theorem cnxSavedB3_diff (x : Vec R (B * d.img)) : DifferentiableAt (cnxSavedB3 B h) x :=
  (cnxSavedB2_diff B h x).comp ((cnxDn1 h).batch_diff B (cnxSavedB2 B h x))

theorem cnxSavedB4_diff (x : Vec R (B * d.img)) : DifferentiableAt (cnxSavedB4 B h) x :=
  (cnxSavedB3_diff B h x).comp ((cnxStage2 h).batch_diff B (cnxSavedB3 B h x))

theorem cnxSavedB5_diff (x : Vec R (B * d.img)) : DifferentiableAt (cnxSavedB5 B h) x :=
  (cnxSavedB4_diff B h x).comp ((cnxDn2 h).batch_diff B (cnxSavedB4 B h x))

theorem cnxSavedB6_diff (x : Vec R (B * d.img)) : DifferentiableAt (cnxSavedB6 B h) x :=
  (cnxSavedB5_diff B h x).comp ((cnxStage3 h).batch_diff B (cnxSavedB5 B h x))

theorem cnxSavedB7_diff (x : Vec R (B * d.img)) : DifferentiableAt (cnxSavedB7 B h) x :=
  (cnxSavedB6_diff B h x).comp ((cnxDn3 h).batch_diff B (cnxSavedB6 B h x))

theorem cnxSavedB8_diff (x : Vec R (B * d.img)) : DifferentiableAt (cnxSavedB8 B h) x :=
  (cnxSavedB7_diff B h x).comp ((cnxStage4 h).batch_diff B (cnxSavedB7 B h x))

theorem cnxSavedB9_diff (x : Vec R (B * d.img)) : DifferentiableAt (cnxSavedB9 B h) x :=
  (cnxSavedB8_diff B h x).comp ((cnxGap R d).batch_diff B (cnxSavedB8 B h x))

theorem cnxSavedB10_diff (x : Vec R (B * d.img)) : DifferentiableAt (cnxSavedB10 B h) x :=
  (cnxSavedB9_diff B h x).comp ((cnxLNh h).batch_diff B (cnxSavedB9 B h x))

/-! ## The apex and the tie -/

/-- **The apex**: the certified backward function of the twelve batched stages, by eleven
compositions. The inner map of each level is the saved activation it is named after, and the stage's
witness is at that activation. -/
def convNextForwardTChB_has_vjp_at (x : Vec R (B * d.img)) :
    HasVJPAt (convNextForwardTChB B h) x :=
  vjp_comp_diff_at (f := cnxSavedB10 B h)
    (cnxSavedB10_diff B h x) ((cnxDense v).batch_diff B (cnxSavedB10 B h x))
    (vjp_comp_diff_at (f := cnxSavedB9 B h)
      (cnxSavedB9_diff B h x) ((cnxLNh h).batch_diff B (cnxSavedB9 B h x))
      (vjp_comp_diff_at (f := cnxSavedB8 B h)
        (cnxSavedB8_diff B h x) ((cnxGap R d).batch_diff B (cnxSavedB8 B h x))
        (vjp_comp_diff_at (f := cnxSavedB7 B h)
          (cnxSavedB7_diff B h x) ((cnxStage4 h).batch_diff B (cnxSavedB7 B h x))
          (vjp_comp_diff_at (f := cnxSavedB6 B h)
            (cnxSavedB6_diff B h x) ((cnxDn3 h).batch_diff B (cnxSavedB6 B h x))
            (vjp_comp_diff_at (f := cnxSavedB5 B h)
              (cnxSavedB5_diff B h x) ((cnxStage3 h).batch_diff B (cnxSavedB5 B h x))
              (vjp_comp_diff_at (f := cnxSavedB4 B h)
                (cnxSavedB4_diff B h x) ((cnxDn2 h).batch_diff B (cnxSavedB4 B h x))
                (vjp_comp_diff_at (f := cnxSavedB3 B h)
                  (cnxSavedB3_diff B h x) ((cnxStage2 h).batch_diff B (cnxSavedB3 B h x))
                  (vjp_comp_diff_at (f := cnxSavedB2 B h)
                    (cnxSavedB2_diff B h x) ((cnxDn1 h).batch_diff B (cnxSavedB2 B h x))
                    (vjp_comp_diff_at (f := cnxSavedB1 B h)
                      (cnxSavedB1_diff B h x) ((cnxStage1 h).batch_diff B (cnxSavedB1 B h x))
                      (vjp_comp_diff_at (f := cnxSavedB0 B v)
                        (cnxSavedB0_diff B v x) ((cnxStemLN h).batch_diff B (cnxSavedB0 B v x))
                        (cnxStemB_at B v x)
                        (cnxStemLNB_at B h (cnxSavedB0 B v x)))
                      (cnxStage1B_at B h (cnxSavedB1 B h x)))
                    (cnxDn1B_at B h (cnxSavedB2 B h x)))
                  (cnxStage2B_at B h (cnxSavedB3 B h x)))
                (cnxDn2B_at B h (cnxSavedB4 B h x)))
              (cnxStage3B_at B h (cnxSavedB5 B h x)))
            (cnxDn3B_at B h (cnxSavedB6 B h x)))
          (cnxStage4B_at B h (cnxSavedB7 B h x)))
        (cnxGapB_at B (cnxSavedB8 B h x)))
      (cnxLNhB_at B h (cnxSavedB9 B h x)))
    (cnxDenseB_at B v (cnxSavedB10 B h x))

/-- **The tie**: the batched reverse chain is the certified backward function. -/
theorem convnextInputGradB_eq_convNextForwardTChB_vjp (x : Vec R (B * d.img))
    (dy : Vec R (B * nC)) :
    convnextInputGradB B h x dy = (convNextForwardTChB_has_vjp_at B h x).backward dy := by
  rw [convnextInputGradB, cnxStemBackB_eq_vjp B v x, cnxStemLNBackB_eq_vjp B h,
    cnxStage1BackB_eq_vjp, cnxDn1BackB_eq_vjp, cnxStage2BackB_eq_vjp, cnxDn2BackB_eq_vjp,
    cnxStage3BackB_eq_vjp, cnxDn3BackB_eq_vjp, cnxStage4BackB_eq_vjp,
    cnxGapBackB_eq_vjp B (cnxSavedB8 B h x), cnxLNhBackB_eq_vjp B h,
    cnxDenseBackB_eq_vjp B v (cnxSavedB10 B h x)]
  rw [convNextForwardTChB_has_vjp_at, vjp_comp_diff_at_backward, vjp_comp_diff_at_backward,
    vjp_comp_diff_at_backward, vjp_comp_diff_at_backward, vjp_comp_diff_at_backward,
    vjp_comp_diff_at_backward, vjp_comp_diff_at_backward, vjp_comp_diff_at_backward,
    vjp_comp_diff_at_backward, vjp_comp_diff_at_backward, vjp_comp_diff_at_backward]

/-! ## The shape check, the carried tie and the reading -/

/-- **The shape check**: the batch lift of the network is the composition of the twelve batched
stages. -/
theorem convNextForwardTChB_eq_chain :
    batchMap B (convNextForwardTCh h) = convNextForwardTChB B h := by
  rw [convNextForwardTCh, batchMap_comp, batchMap_comp, batchMap_comp, batchMap_comp, batchMap_comp,
    batchMap_comp, batchMap_comp, batchMap_comp, batchMap_comp, batchMap_comp, batchMap_comp,
    convNextForwardTChB]

/-- The global witness of the network at a batch. -/
def convNextForwardTCh_batch_has_vjp : HasVJP (batchMap B (convNextForwardTCh h)) :=
  batchMap_has_vjp B (convNextForwardTCh_differentiableAt h) (convNextForwardTCh_has_vjp h)

/-- The tie, carried to the global witness of the batch lift of the network. -/
theorem convnextInputGradB_eq_batchMap_convNextForwardTCh_vjp (x : Vec R (B * d.img))
    (dy : Vec R (B * nC)) :
    convnextInputGradB B h x dy = (convNextForwardTCh_batch_has_vjp B h).backward x dy := by
  rw [convnextInputGradB_eq_convNextForwardTChB_vjp,
    (convNextForwardTChB_has_vjp_at B h x).backward_unique_of_eq
      ((convNextForwardTCh_batch_has_vjp B h).toHasVJPAt x) (convNextForwardTChB_eq_chain B h).symm,
    HasVJP.toHasVJPAt_backward]

/-- **The reading**: pixel `i` of the gradient is the cotangent contracted with the partial
derivatives of the network. -/
theorem convnextInputGradB_correct (x : Vec R (B * d.img)) (dy : Vec R (B * nC))
    (i : Idx (B * d.img)) :
    convnextInputGradB B h x dy i =
      ∑ j, pdiv (batchMap B (convNextForwardTCh h)) x i j * dy j := by
  rw [convnextInputGradB_eq_batchMap_convNextForwardTCh_vjp]
  exact (convNextForwardTCh_batch_has_vjp B h).correct x dy i

end NetTies
