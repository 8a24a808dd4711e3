import NetTies.Nets.ConvNeXt.ConvNeXtBlock

/-! # The ConvNeXt network and its reverse chain

The network is twelve stages: a 4 × 4 convolution with stride 4, its normalisation, four stages of
blocks with a downsampling between them, the global average pool, the head's normalisation and the
classifier. `convNextForwardTCh` is that chain at one image; `convnextInputGradB` is its pixel gradient
at a batch of `B` images as a training step computes it, every slot the per-example slot lifted at the
batched saved activation.

The eleven saved activations `cnxSavedB0`, …, `cnxSavedB10` are maps of the batch, saved stage by
stage. Channel counts, sides and depths are the fields of a `CnxDims`; ConvNeXt-T is one of them.

Answers: ConvNeXt-T's batched tie, item 1. -/

namespace NetTies

/-- Channels, sides and depths of the four stages, and the side of the image. -/
structure CnxDims where
  side : Nat
  c1 : Nat
  s1 : Nat
  n1 : Nat
  c2 : Nat
  s2 : Nat
  n2 : Nat
  c3 : Nat
  s3 : Nat
  n3 : Nat
  c4 : Nat
  s4 : Nat
  n4 : Nat

namespace CnxDims

/-- The entries of an image. -/
abbrev img (d : CnxDims) : Nat := 3 * (d.side * d.side)

/-- The entries of an activation of stage 1. -/
abbrev x1 (d : CnxDims) : Nat := d.c1 * (d.s1 * d.s1)

/-- The entries of an activation of stage 2. -/
abbrev x2 (d : CnxDims) : Nat := d.c2 * (d.s2 * d.s2)

/-- The entries of an activation of stage 3. -/
abbrev x3 (d : CnxDims) : Nat := d.c3 * (d.s3 * d.s3)

/-- The entries of an activation of stage 4. -/
abbrev x4 (d : CnxDims) : Nat := d.c4 * (d.s4 * d.s4)

end CnxDims

variable {R : Type} [Scalars R] {d : CnxDims} {nC : Nat}

/-- The parameters of a ConvNeXt network with `nC` classes, and its form of GELU. -/
structure ConvNeXtParams (R : Type) (d : CnxDims) (nC : Nat) where
  gelu : GeluForm
  stemW : Vec R (d.c1 * (3 * (4 * 4)))
  stemB : Vec R d.c1
  stemLN : LNParams R d.c1
  stage1 : Idx d.n1 → CnxBlockParams R d.c1
  down1 : CnxDownParams R d.c1 d.c2
  stage2 : Idx d.n2 → CnxBlockParams R d.c2
  down2 : CnxDownParams R d.c2 d.c3
  stage3 : Idx d.n3 → CnxBlockParams R d.c3
  down3 : CnxDownParams R d.c3 d.c4
  stage4 : Idx d.n4 → CnxBlockParams R d.c4
  headLN : LNParams R d.c4
  headW : Mat R d.c4 nC
  headB : Vec R nC

/-- The positivities of the layer normalisations: one in the stem, one in each block, one in each
downsampling, one in the head. -/
structure ConvNeXtParams.EpsPos (w : ConvNeXtParams R d nC) : Prop where
  stem : 0 < w.stemLN.ε
  stage1 : ∀ i, 0 < (w.stage1 i).ln.ε
  down1 : 0 < w.down1.ln.ε
  stage2 : ∀ i, 0 < (w.stage2 i).ln.ε
  down2 : 0 < w.down2.ln.ε
  stage3 : ∀ i, 0 < (w.stage3 i).ln.ε
  down3 : 0 < w.down3.ln.ε
  stage4 : ∀ i, 0 < (w.stage4 i).ln.ε
  head : 0 < w.headLN.ε

/-! ## The twelve stages -/

section Stages

variable (w : ConvNeXtParams R d nC) {v : ConvNeXtParams R d nC} (h : v.EpsPos)

/-- The taps of the stem: 4 × 4 with stride 4. -/
def cnxStemSrc (d : CnxDims) : Idx (d.s1 * d.s1) → Idx (4 * 4) → Option (Idx (d.side * d.side)) :=
  planeSrc ⟨d.side, d.s1, 4, 4, 0⟩ ⟨d.side, d.s1, 4, 4, 0⟩

/-- The convolution of the stem. -/
def cnxStem : Layer R d.img d.x1 := convLayer d.c1 3 (cnxStemSrc d) w.stemW w.stemB

/-- The normalisation of the stem. -/
def cnxStemLN : Layer R d.x1 d.x1 := chanLN v.stemLN.ε h.stem v.stemLN.γ v.stemLN.β (d.s1 * d.s1)

/-- The blocks of stage 1. -/
def cnxStage1 : TiedLayer R d.x1 d.x1 := cnxStage v.gelu v.stage1 h.stage1 d.s1

/-- Downsampling 1. -/
def cnxDn1 : Layer R d.x1 d.x2 := v.down1.layer h.down1 d.s1 d.s2

/-- The blocks of stage 2. -/
def cnxStage2 : TiedLayer R d.x2 d.x2 := cnxStage v.gelu v.stage2 h.stage2 d.s2

/-- Downsampling 2. -/
def cnxDn2 : Layer R d.x2 d.x3 := v.down2.layer h.down2 d.s2 d.s3

/-- The blocks of stage 3. -/
def cnxStage3 : TiedLayer R d.x3 d.x3 := cnxStage v.gelu v.stage3 h.stage3 d.s3

/-- Downsampling 3. -/
def cnxDn3 : Layer R d.x3 d.x4 := v.down3.layer h.down3 d.s3 d.s4

/-- The blocks of stage 4. -/
def cnxStage4 : TiedLayer R d.x4 d.x4 := cnxStage v.gelu v.stage4 h.stage4 d.s4

/-- The global average pool. -/
def cnxGap (R : Type) [Scalars R] (d : CnxDims) : Layer R d.x4 d.c4 :=
  (gap R d.c4 (d.s4 * d.s4)).layer

/-- The normalisation of the head. -/
def cnxLNh : Layer R d.c4 d.c4 := vecLN v.headLN.ε h.head v.headLN.γ v.headLN.β

/-- The classifier. -/
def cnxDense : Layer R d.c4 nC := denseLayer w.headW w.headB

/-- **The network at one image**: the chain of its twelve stages. -/
def convNextForwardTCh : Map R d.img nC :=
  (cnxDense v).fwd ⊚ (cnxLNh h).fwd ⊚ (cnxGap R d).fwd ⊚ (cnxStage4 h).fwd ⊚ (cnxDn3 h).fwd ⊚
    (cnxStage3 h).fwd ⊚ (cnxDn2 h).fwd ⊚ (cnxStage2 h).fwd ⊚ (cnxDn1 h).fwd ⊚ (cnxStage1 h).fwd ⊚
    (cnxStemLN h).fwd ⊚ (cnxStem v).fwd

end Stages

/-! ## The eleven saved activations of a batch -/

section Batch

variable (B : Nat) (w : ConvNeXtParams R d nC) {v : ConvNeXtParams R d nC} (h : v.EpsPos)

/-- The batched input of the stem's normalisation. -/
abbrev cnxSavedB0 : Map R (B * d.img) (B * d.x1) := batchMap B (cnxStem w).fwd

/-- The batched input of stage 1. -/
abbrev cnxSavedB1 : Map R (B * d.img) (B * d.x1) := batchMap B (cnxStemLN h).fwd ⊚ cnxSavedB0 B v

/-- The batched input of downsampling 1. -/
abbrev cnxSavedB2 : Map R (B * d.img) (B * d.x1) := batchMap B (cnxStage1 h).fwd ⊚ cnxSavedB1 B h

/-- The batched input of stage 2. -/
abbrev cnxSavedB3 : Map R (B * d.img) (B * d.x2) := batchMap B (cnxDn1 h).fwd ⊚ cnxSavedB2 B h

/-- The batched input of downsampling 2. -/
abbrev cnxSavedB4 : Map R (B * d.img) (B * d.x2) := batchMap B (cnxStage2 h).fwd ⊚ cnxSavedB3 B h

/-- The batched input of stage 3. -/
abbrev cnxSavedB5 : Map R (B * d.img) (B * d.x3) := batchMap B (cnxDn2 h).fwd ⊚ cnxSavedB4 B h

/-- The batched input of downsampling 3. -/
abbrev cnxSavedB6 : Map R (B * d.img) (B * d.x3) := batchMap B (cnxStage3 h).fwd ⊚ cnxSavedB5 B h

/-- The batched input of stage 4. -/
abbrev cnxSavedB7 : Map R (B * d.img) (B * d.x4) := batchMap B (cnxDn3 h).fwd ⊚ cnxSavedB6 B h

/-- The batched input of the pool. -/
abbrev cnxSavedB8 : Map R (B * d.img) (B * d.x4) := batchMap B (cnxStage4 h).fwd ⊚ cnxSavedB7 B h

/-- The batched input of the head's normalisation. -/
abbrev cnxSavedB9 : Map R (B * d.img) (B * d.c4) := batchMap B (cnxGap R d).fwd ⊚ cnxSavedB8 B h

/-- The batched input of the classifier. -/
abbrev cnxSavedB10 : Map R (B * d.img) (B * d.c4) := batchMap B (cnxLNh h).fwd ⊚ cnxSavedB9 B h

/-- The twelve batched stages, composed. -/
def convNextForwardTChB : Map R (B * d.img) (B * nC) := batchMap B (cnxDense v).fwd ⊚ cnxSavedB10 B h

/-! ## The rendered chain -/

/-- The rendered reverse of the stem's convolution. -/
def cnxStemBack : Vec R d.x1 → Vec R d.img := convBack d.c1 3 (cnxStemSrc d) w.stemW

/-- The rendered reverse of the stem's normalisation, from its saved input. -/
def cnxStemLNBack : Vec R d.x1 → Vec R d.x1 → Vec R d.x1 :=
  chanLNBack w.stemLN.ε w.stemLN.γ (d.s1 * d.s1)

/-- The rendered reverse of the head's normalisation, from its saved input. -/
def cnxLNhBack : Vec R d.c4 → Vec R d.c4 → Vec R d.c4 := vecLNBack w.headLN.ε w.headLN.γ

/-- **The chain**: the pixel gradient of a batch, as a training step computes it. -/
def convnextInputGradB (x : Vec R (B * d.img)) (dy : Vec R (B * nC)) : Vec R (B * d.img) :=
  batchFun B (cnxStemBack v) <|
  batchMapAux B (cnxStemLNBack v) (cnxSavedB0 B v x) <|
  batchMapAux B (cnxStage1 h).back (cnxSavedB1 B h x) <|
  batchMapAux B (v.down1.back d.s1 d.s2) (cnxSavedB2 B h x) <|
  batchMapAux B (cnxStage2 h).back (cnxSavedB3 B h x) <|
  batchMapAux B (v.down2.back d.s2 d.s3) (cnxSavedB4 B h x) <|
  batchMapAux B (cnxStage3 h).back (cnxSavedB5 B h x) <|
  batchMapAux B (v.down3.back d.s3 d.s4) (cnxSavedB6 B h x) <|
  batchMapAux B (cnxStage4 h).back (cnxSavedB7 B h x) <|
  batchFun B (gapBack (d.s4 * d.s4)) <|
  batchMapAux B (cnxLNhBack v) (cnxSavedB9 B h x) <|
  batchFun B (denseBack v.headW) dy

end Batch

end NetTies
