import NetTies.Layers.Channel

/-! # The ConvNeXt block, the downsampling and towers of blocks

A block is a residual around: a 7 × 7 depthwise convolution, layer normalisation of each pixel over its
channels, a dense layer to four times the channels, GELU, a dense layer back, and a scale for each
channel. A downsampling is layer normalisation over channels, then a 2 × 2 convolution with stride 2.

Everything here is at variable channel counts and sides: the rendered backward functions, the certified
layers and their leaf ties. The network instantiates them by term, so no proof ever computes with a
literal such as 96 · 56 · 56.

Answers: ConvNeXt-T's batched tie, item 3: leaf ties at variable dimensions. -/

namespace NetTies

variable {R : Type} [Scalars R] {C C' : Nat}

/-- The parameters of a layer normalisation. -/
structure LNParams (R : Type) (C : Nat) where
  ε : R
  γ : Vec R C
  β : Vec R C

/-- The parameters of a block. -/
structure CnxBlockParams (R : Type) (C : Nat) where
  dwW : Vec R (C * (7 * 7))
  dwB : Vec R C
  ln : LNParams R C
  W₁ : Mat R C (4 * C)
  b₁ : Vec R (4 * C)
  W₂ : Mat R (4 * C) C
  b₂ : Vec R C
  scale : Vec R C

/-- The parameters of a downsampling. -/
structure CnxDownParams (R : Type) (C C' : Nat) where
  ln : LNParams R C
  W : Vec R (C' * (C * (2 * 2)))
  b : Vec R C'

/-- A 7 × 7 kernel that keeps the side `s`. -/
def cnxDwSrc (s : Nat) : Idx (s * s) → Idx (7 * 7) → Option (Idx (s * s)) :=
  planeSrc ⟨s, s, 7, 1, 3⟩ ⟨s, s, 7, 1, 3⟩

/-- A 2 × 2 kernel with stride 2, from side `s` to side `s'`. -/
def cnxDownSrc (s s' : Nat) : Idx (s' * s') → Idx (2 * 2) → Option (Idx (s * s)) :=
  planeSrc ⟨s, s', 2, 2, 0⟩ ⟨s, s', 2, 2, 0⟩

/-! ## The block -/

namespace CnxBlockParams

variable (g : GeluForm) (p : CnxBlockParams R C) (hε : 0 < p.ln.ε) (s : Nat)

/-- The depthwise convolution. -/
def depthwise : Layer R (C * (s * s)) (C * (s * s)) := depthwiseLayer C (cnxDwSrc s) p.dwW p.dwB

/-- Normalisation of each pixel. -/
def norm : Layer R (s * s * C) (s * s * C) := (vecLN p.ln.ε hε p.ln.γ p.ln.β).batch (s * s)

/-- The first dense layer at each pixel. -/
def fc1 : Layer R (s * s * C) (s * s * (4 * C)) := rowDenseLayer (s * s) p.W₁ p.b₁

/-- The second dense layer at each pixel. -/
def fc2 : Layer R (s * s * (4 * C)) (s * s * C) := rowDenseLayer (s * s) p.W₂ p.b₂

/-- The scale of each channel. -/
def layerScale : Linear R (s * s * C) (s * s * C) := (Linear.diag p.scale).batch (s * s)

/-- What happens at each pixel. -/
def pixels : Layer R (s * s * C) (s * s * C) :=
  (p.layerScale s).layer.comp ((p.fc2 s).comp ((g.layer (s * s * (4 * C))).comp
    ((p.fc1 s).comp (p.norm hε s))))

/-- The branch around which the block is a residual. -/
def branch : Layer R (C * (s * s)) (C * (s * s)) :=
  (Linear.transpose R (s * s) C).layer.comp ((p.pixels g hε s).comp
    ((Linear.transpose R C (s * s)).layer.comp (p.depthwise s)))

/-- The block as a certified layer. -/
def block : Layer R (C * (s * s)) (C * (s * s)) := (p.branch g hε s).residual

/-- The reverse of what happens at each pixel, from the saved input of the pixels. -/
def pixelsBack (u dy : Vec R (s * s * C)) : Vec R (s * s * C) :=
  let normed := (batchFun (s * s) fun t i => p.ln.γ i * normalize p.ln.ε t i + p.ln.β i) u
  let hidden := batchFun (s * s) (dense p.W₁ p.b₁) normed
  batchMapAux (s * s) (vecLNBack p.ln.ε p.ln.γ) u
    (rowDenseBack (s * s) p.W₁ (g.back hidden
      (rowDenseBack (s * s) p.W₂ (batchFun (s * s) (fun t i => p.scale i * t i) dy))))

/-- The rendered reverse of a block: the residual's cotangent and that of the branch. -/
def cnxBlockChBack (x dy : Vec R (C * (s * s))) : Vec R (C * (s * s)) :=
  dy + depthwiseBack C (cnxDwSrc s) p.dwW
    (transposeFlat (p.pixelsBack g s (transposeFlat ((p.depthwise s).fwd x)) (transposeFlat dy)))

theorem pixelsBack_eq_vjp (u dy : Vec R (s * s * C)) :
    p.pixelsBack g s u dy = (p.pixels g hε s).vjp.backward u dy := by
  rw [pixelsBack, GeluForm.back_eq_vjp, (vecLN p.ln.ε hε p.ln.γ p.ln.β).batchMapAux_eq_vjp
    (vecLNBack_eq_vjp p.ln.ε hε p.ln.γ p.ln.β)]
  rfl

/-- The leaf tie of a block. -/
theorem cnxBlockChBack_eq_vjp (x dy : Vec R (C * (s * s))) :
    p.cnxBlockChBack g s x dy = (p.block g hε s).vjp.backward x dy := by
  rw [cnxBlockChBack, p.pixelsBack_eq_vjp g hε, block, Layer.residual_backward, branch,
    Layer.comp_backward, Layer.comp_backward, Layer.comp_backward]
  rfl

/-- A block with its rendered reverse, tied. -/
def tied : TiedLayer R (C * (s * s)) (C * (s * s)) where
  toLayer := p.block g hε s
  back := p.cnxBlockChBack g s
  back_eq_vjp := p.cnxBlockChBack_eq_vjp g hε s

end CnxBlockParams

/-! ## A stage: a tower of blocks -/

/-- `k` blocks at `C` channels and side `s`, tied. -/
def cnxStage (g : GeluForm) {k : Nat} (w : Idx k → CnxBlockParams R C) (hε : ∀ i, 0 < (w i).ln.ε)
    (s : Nat) : TiedLayer R (C * (s * s)) (C * (s * s)) :=
  tiedTower k fun i => (w i).tied g (hε i) s

/-- The reverse of a stage is tied, by induction on its depth. -/
theorem cnxStageChKBack_eq_vjp (g : GeluForm) {k : Nat} (w : Idx k → CnxBlockParams R C)
    (hε : ∀ i, 0 < (w i).ln.ε) (s : Nat) (x dy : Vec R (C * (s * s))) :
    (cnxStage g w hε s).back x dy = (cnxStage g w hε s).vjp.backward x dy :=
  towerBack_eq_vjp k (fun i => (w i).tied g (hε i) s) x dy

/-! ## The downsampling -/

namespace CnxDownParams

variable (p : CnxDownParams R C C') (hε : 0 < p.ln.ε) (s s' : Nat)

/-- Normalisation over channels, then the strided convolution. -/
def layer : Layer R (C * (s * s)) (C' * (s' * s')) :=
  (convLayer C' C (cnxDownSrc s s') p.W p.b).comp (chanLN p.ln.ε hε p.ln.γ p.ln.β (s * s))

/-- The rendered reverse: the transposed convolution, then that of the normalisation. -/
def back (x : Vec R (C * (s * s))) (dy : Vec R (C' * (s' * s'))) : Vec R (C * (s * s)) :=
  chanLNBack p.ln.ε p.ln.γ (s * s) x (convBack C' C (cnxDownSrc s s') p.W dy)

/-- The leaf tie of a downsampling. -/
theorem back_eq_vjp (x : Vec R (C * (s * s))) (dy : Vec R (C' * (s' * s'))) :
    p.back s s' x dy = (p.layer hε s s').vjp.backward x dy := by
  rw [back, chanLNBack_eq_vjp p.ln.ε hε p.ln.γ p.ln.β]
  rfl

end CnxDownParams

/-! ## The batched leaf ties at variable dimensions -/

/-- Layer normalisation over channels, at a batch. -/
theorem cnxChanLNBackB_eq_vjp (B : Nat) (p : LNParams R C) (hε : 0 < p.ε) (P : Nat)
    (s dy : Vec R (B * (C * P))) : batchMapAux B (chanLNBack p.ε p.γ P) s dy =
      ((chanLN p.ε hε p.γ p.β P).batch_at B s).backward dy :=
  (chanLN p.ε hε p.γ p.β P).batchMapAux_eq_vjp (chanLNBack_eq_vjp p.ε hε p.γ p.β P) B s dy

/-- A stage, at a batch. -/
theorem cnxStageBackB_eq_vjp (B : Nat) (g : GeluForm) {k : Nat} (w : Idx k → CnxBlockParams R C)
    (hε : ∀ i, 0 < (w i).ln.ε) (s : Nat) (x dy : Vec R (B * (C * (s * s)))) :
    batchMapAux B (cnxStage g w hε s).back x dy =
      ((cnxStage g w hε s).toLayer.batch_at B x).backward dy :=
  (cnxStage g w hε s).toLayer.batchMapAux_eq_vjp (cnxStageChKBack_eq_vjp g w hε s) B x dy

/-- A downsampling, at a batch. -/
theorem cnxDownBackB_eq_vjp (B : Nat) (p : CnxDownParams R C C') (hε : 0 < p.ln.ε) (s s' : Nat)
    (x : Vec R (B * (C * (s * s)))) (dy : Vec R (B * (C' * (s' * s')))) :
    batchMapAux B (p.back s s') x dy = ((p.layer hε s s').batch_at B x).backward dy :=
  (p.layer hε s s').batchMapAux_eq_vjp (p.back_eq_vjp hε s s') B x dy

end NetTies
