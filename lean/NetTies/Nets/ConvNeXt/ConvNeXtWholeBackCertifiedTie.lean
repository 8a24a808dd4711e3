import NetTies.Nets.ConvNeXt.ConvNeXtBackChains

/-! # The certified whole-net gradient of ConvNeXt, at one image

The twelve stages as one layer, and the certified backward function of the network at every image. The
batched tie (`ConvNeXtWholeBackCertifiedTieB`) is carried to the batch lift of this witness. -/

namespace NetTies

variable {R : Type} [Scalars R] {d : CnxDims} {nC : Nat}
variable {w : ConvNeXtParams R d nC} (h : w.EpsPos)

/-- The twelve stages as one layer. -/
def convNextChain : Layer R d.img nC :=
  (cnxDense w).comp <| (cnxLNh h).comp <| (cnxGap R d).comp <| (cnxStage4 h).toLayer.comp <|
    (cnxDn3 h).comp <| (cnxStage3 h).toLayer.comp <| (cnxDn2 h).comp <|
    (cnxStage2 h).toLayer.comp <| (cnxDn1 h).comp <| (cnxStage1 h).toLayer.comp <|
    (cnxStemLN h).comp (cnxStem w)

/-- The forward map of the twelve stages is the network. -/
theorem convNextChain_fwd : (convNextChain h).fwd = convNextForwardTCh h := by
  rw [convNextChain, Layer.comp_fwd, Layer.comp_fwd, Layer.comp_fwd, Layer.comp_fwd,
    Layer.comp_fwd, Layer.comp_fwd, Layer.comp_fwd, Layer.comp_fwd, Layer.comp_fwd,
    Layer.comp_fwd, Layer.comp_fwd, convNextForwardTCh]

theorem convNextForwardTCh_differentiableAt (x : Vec R d.img) :
    DifferentiableAt (convNextForwardTCh h) x :=
  convNextChain_fwd h ▸ (convNextChain h).diff x

/-- The certified backward function of the network at every image. -/
def convNextForwardTCh_has_vjp : HasVJP (convNextForwardTCh h) :=
  convNextChain_fwd h ▸ (convNextChain h).vjp

end NetTies
