import NetTies.Nets.ConvNeXt.ConvNeXtBackChains

/-! # `convnextInputGrad` is the certified whole-net gradient of ConvNeXt, at one image

The stages up to each activation as one layer (`cnxUpTo0`, …, `cnxUpTo10`), the whole network as one
layer with its certified backward function at every image, and the tie of the reverse chain at one
image: the leaf ties, then eleven levels peeled as equations. The batched tie
(`ConvNeXtWholeBackCertifiedTieB`) is carried to the batch lift of the same witness.

Answers: the tie at one image that ConvNeXt-T's batched tie starts from. -/

namespace NetTies

variable {R : Type} [Scalars R] {d : CnxDims} {nC : Nat}
variable (w : ConvNeXtParams R d nC) {v : ConvNeXtParams R d nC} (h : v.EpsPos)

/-! ## The stages up to each activation -/

/-- Up to the stem. -/
def cnxUpTo0 : Layer R d.img d.x1 := cnxStem w

/-- Up to the stem's normalisation. -/
def cnxUpTo1 : Layer R d.img d.x1 := (cnxStemLN h).comp (cnxUpTo0 v)

/-- Up to stage 1. -/
def cnxUpTo2 : Layer R d.img d.x1 := (cnxStage1 h).toLayer.comp (cnxUpTo1 h)

/-- Up to downsampling 1. -/
def cnxUpTo3 : Layer R d.img d.x2 := (cnxDn1 h).comp (cnxUpTo2 h)

/-- Up to stage 2. -/
def cnxUpTo4 : Layer R d.img d.x2 := (cnxStage2 h).toLayer.comp (cnxUpTo3 h)

/-- Up to downsampling 2. -/
def cnxUpTo5 : Layer R d.img d.x3 := (cnxDn2 h).comp (cnxUpTo4 h)

/-- Up to stage 3. -/
def cnxUpTo6 : Layer R d.img d.x3 := (cnxStage3 h).toLayer.comp (cnxUpTo5 h)

/-- Up to downsampling 3. -/
def cnxUpTo7 : Layer R d.img d.x4 := (cnxDn3 h).comp (cnxUpTo6 h)

/-- Up to stage 4. -/
def cnxUpTo8 : Layer R d.img d.x4 := (cnxStage4 h).toLayer.comp (cnxUpTo7 h)

/-- Up to the pool. -/
def cnxUpTo9 : Layer R d.img d.c4 := (cnxGap R d).comp (cnxUpTo8 h)

/-- Up to the head's normalisation. -/
def cnxUpTo10 : Layer R d.img d.c4 := (cnxLNh h).comp (cnxUpTo9 h)

/-- The twelve stages as one layer. -/
def convNextChain : Layer R d.img nC := (cnxDense v).comp (cnxUpTo10 h)

/-- The forward map of the twelve stages is the network. -/
theorem convNextChain_fwd : (convNextChain h).fwd = convNextForwardTCh h := by
  rw [convNextChain, Layer.comp_fwd, cnxUpTo10, Layer.comp_fwd, cnxUpTo9, Layer.comp_fwd, cnxUpTo8,
    Layer.comp_fwd, cnxUpTo7, Layer.comp_fwd, cnxUpTo6, Layer.comp_fwd, cnxUpTo5, Layer.comp_fwd,
    cnxUpTo4, Layer.comp_fwd, cnxUpTo3, Layer.comp_fwd, cnxUpTo2, Layer.comp_fwd, cnxUpTo1,
    Layer.comp_fwd, cnxUpTo0, convNextForwardTCh]

theorem convNextForwardTCh_differentiableAt (x : Vec R d.img) :
    DifferentiableAt (convNextForwardTCh h) x :=
  convNextChain_fwd h ▸ (convNextChain h).diff x

/-- The certified backward function of the network at every image. It is transported along
`convNextChain_fwd`, so it does not reduce: what is known of it is that it is correct. -/
def convNextForwardTCh_has_vjp : HasVJP (convNextForwardTCh h) :=
  convNextChain_fwd h ▸ (convNextChain h).vjp

/-! ## The chain at one image -/

/-- The pixel gradient of one image, as a training step computes it. -/
def convnextInputGrad (x : Vec R d.img) (dy : Vec R nC) : Vec R d.img :=
  cnxStemBack v <|
  cnxStemLNBack v ((cnxUpTo0 v).fwd x) <|
  (cnxStage1 h).back ((cnxUpTo1 h).fwd x) <|
  v.down1.back d.s1 d.s2 ((cnxUpTo2 h).fwd x) <|
  (cnxStage2 h).back ((cnxUpTo3 h).fwd x) <|
  v.down2.back d.s2 d.s3 ((cnxUpTo4 h).fwd x) <|
  (cnxStage3 h).back ((cnxUpTo5 h).fwd x) <|
  v.down3.back d.s3 d.s4 ((cnxUpTo6 h).fwd x) <|
  (cnxStage4 h).back ((cnxUpTo7 h).fwd x) <|
  gapBack (d.s4 * d.s4) <|
  cnxLNhBack v ((cnxUpTo9 h).fwd x) <|
  denseBack v.headW dy

theorem cnxStemBack_eq_vjp (x : Vec R d.img) (dy : Vec R d.x1) :
    cnxStemBack w dy = (cnxStem w).vjp.backward x dy :=
  convBack_eq_vjp (cnxStemSrc d) w.stemW w.stemB x dy

theorem cnxStemLNBack_eq_vjp (x dy : Vec R d.x1) :
    cnxStemLNBack v x dy = (cnxStemLN h).vjp.backward x dy :=
  chanLNBack_eq_vjp v.stemLN.ε h.stem v.stemLN.γ v.stemLN.β (d.s1 * d.s1) x dy

theorem cnxLNhBack_eq_vjp (x dy : Vec R d.c4) :
    cnxLNhBack v x dy = (cnxLNh h).vjp.backward x dy :=
  vecLNBack_eq_vjp v.headLN.ε h.head v.headLN.γ v.headLN.β x dy

theorem cnxDn1Back_eq_vjp (x : Vec R d.x1) (dy : Vec R d.x2) :
    v.down1.back d.s1 d.s2 x dy = (cnxDn1 h).vjp.backward x dy :=
  v.down1.back_eq_vjp h.down1 d.s1 d.s2 x dy

theorem cnxDn2Back_eq_vjp (x : Vec R d.x2) (dy : Vec R d.x3) :
    v.down2.back d.s2 d.s3 x dy = (cnxDn2 h).vjp.backward x dy :=
  v.down2.back_eq_vjp h.down2 d.s2 d.s3 x dy

theorem cnxDn3Back_eq_vjp (x : Vec R d.x3) (dy : Vec R d.x4) :
    v.down3.back d.s3 d.s4 x dy = (cnxDn3 h).vjp.backward x dy :=
  v.down3.back_eq_vjp h.down3 d.s3 d.s4 x dy

theorem cnxGapBack_eq_vjp (x : Vec R d.x4) (dy : Vec R d.c4) :
    gapBack (d.s4 * d.s4) dy = (cnxGap R d).vjp.backward x dy := rfl

theorem cnxDenseBack_eq_vjp (x : Vec R d.c4) (dy : Vec R nC) :
    denseBack w.headW dy = (cnxDense w).vjp.backward x dy := rfl

/-- The chain is the backward function of the twelve stages. -/
theorem convnextInputGrad_eq_chain_vjp (x : Vec R d.img) (dy : Vec R nC) :
    convnextInputGrad h x dy = (convNextChain h).vjp.backward x dy := by
  rw [convnextInputGrad, cnxStemBack_eq_vjp v x, cnxStemLNBack_eq_vjp h,
    (cnxStage1 h).back_eq_vjp, cnxDn1Back_eq_vjp h, (cnxStage2 h).back_eq_vjp, cnxDn2Back_eq_vjp h,
    (cnxStage3 h).back_eq_vjp, cnxDn3Back_eq_vjp h, (cnxStage4 h).back_eq_vjp,
    cnxGapBack_eq_vjp ((cnxUpTo8 h).fwd x), cnxLNhBack_eq_vjp h,
    cnxDenseBack_eq_vjp v ((cnxUpTo10 h).fwd x)]
  rw [convNextChain, Layer.comp_backward, cnxUpTo10, Layer.comp_backward, cnxUpTo9,
    Layer.comp_backward, cnxUpTo8, Layer.comp_backward, cnxUpTo7, Layer.comp_backward, cnxUpTo6,
    Layer.comp_backward, cnxUpTo5, Layer.comp_backward, cnxUpTo4, Layer.comp_backward, cnxUpTo3,
    Layer.comp_backward, cnxUpTo2, Layer.comp_backward, cnxUpTo1, Layer.comp_backward, cnxUpTo0]

/-- The tie at one image. -/
theorem convnextInputGrad_eq_convNextForwardTCh_vjp (x : Vec R d.img) (dy : Vec R nC) :
    convnextInputGrad h x dy = (convNextForwardTCh_has_vjp h).backward x dy := by
  rw [convnextInputGrad_eq_chain_vjp, ← HasVJP.toHasVJPAt_backward,
    ((convNextChain h).vjp.toHasVJPAt x).backward_unique_of_eq
      ((convNextForwardTCh_has_vjp h).toHasVJPAt x) (convNextChain_fwd h),
    HasVJP.toHasVJPAt_backward]

end NetTies
