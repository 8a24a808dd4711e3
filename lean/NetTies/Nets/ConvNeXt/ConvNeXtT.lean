import NetTies.Nets.ConvNeXt.ConvNeXtWholeBackCertifiedTieB

/-! # ConvNeXt-T

The batched tie at the literal dimensions of ConvNeXt-T: images of 3 × 224 × 224; stages of 3, 3, 9 and
3 blocks at 96, 192, 384 and 768 channels and sides 56, 28, 14 and 7. The batch is a binder. The
hypothesis `w.EpsPos` holds the 23 positivities of the layer normalisations.

Answers: ConvNeXt-T's batched tie, item 6. -/

namespace NetTies

variable {R : Type} [Scalars R]

/-- The dimensions of ConvNeXt-T. -/
abbrev cnxT : CnxDims where
  side := 224
  c1 := 96
  s1 := 56
  n1 := 3
  c2 := 192
  s2 := 28
  n2 := 3
  c3 := 384
  s3 := 14
  n3 := 9
  c4 := 768
  s4 := 7
  n4 := 3

/-- One positivity in the stem, one in each block, one in each downsampling and one in the head: 23. -/
theorem cnxT_positivities : 1 + (cnxT.n1 + cnxT.n2 + cnxT.n3 + cnxT.n4) + 3 + 1 = 23 := rfl

/-- ConvNeXt-T with `nC` classes: the pixel gradient that a training step computes at a batch of `B`
images is the certified gradient of the network at that batch. -/
theorem convnextTInputGradB_eq_vjp (B : Nat) {nC : Nat} {w : ConvNeXtParams R cnxT nC}
    (h : w.EpsPos) (x : Vec R (B * (3 * (224 * 224)))) (dy : Vec R (B * nC)) :
    convnextInputGradB B h x dy = (convNextForwardTCh_batch_has_vjp B h).backward x dy :=
  convnextInputGradB_eq_batchMap_convNextForwardTCh_vjp B h x dy

/-- **ConvNeXt-T on ImageNet**: the same statement at 1000 classes. -/
theorem convnextImagenetInputGradB_eq_vjp (B : Nat) {w : ConvNeXtParams R cnxT 1000}
    (h : w.EpsPos) (x : Vec R (B * (3 * (224 * 224)))) (dy : Vec R (B * 1000)) :
    convnextInputGradB B h x dy = (convNextForwardTCh_batch_has_vjp B h).backward x dy :=
  convnextTInputGradB_eq_vjp B h x dy

/-- The capstone, read as a sum of partial derivatives. -/
theorem convnextImagenetInputGradB_correct (B : Nat) {w : ConvNeXtParams R cnxT 1000}
    (h : w.EpsPos) (x : Vec R (B * (3 * (224 * 224)))) (dy : Vec R (B * 1000))
    (i : Idx (B * (3 * (224 * 224)))) : convnextInputGradB B h x dy i =
      ∑ j, pdiv (batchMap B (convNextForwardTCh h)) x i j * dy j :=
  convnextInputGradB_correct B h x dy i

end NetTies
