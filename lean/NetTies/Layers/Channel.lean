import NetTies.Layers.Conv
import NetTies.Layers.Norm

/-! # Layers on channels of pixels

An image is `C` channels of `P` pixels. Here are the layers that act across or along channels: layer
normalisation of each pixel over its channels (`chanLN`), batch normalisation of each channel over all
pixels of all examples (`batchNorm`, the one operation that couples examples), the global average
pool (`gap`) and the product of each channel with a number of its own, with which
squeeze-excitation (`squeezeExcite`) rescales channels by what their averages say.

Answers: ConvNeXt-T's batched tie, item 3: the channel normalisation and the pool. -/

namespace NetTies

variable {R : Type} [Scalars R] {B C P M : Nat}

/-! ## Layer normalisation over channels -/

/-- Layer normalisation of each pixel over its channels. -/
def chanLN (ε : R) (hε : 0 < ε) (γ β : Vec R C) (P : Nat) : Layer R (C * P) (C * P) :=
  (Linear.transpose R P C).layer.comp
    (((vecLN ε hε γ β).batch P).comp (Linear.transpose R C P).layer)

/-- The rendered backward function, from the saved input. -/
def chanLNBack (ε : R) (γ : Vec R C) (P : Nat) (x dy : Vec R (C * P)) : Vec R (C * P) :=
  transposeFlat (batchMapAux P (vecLNBack ε γ) (transposeFlat x) (transposeFlat dy))

/-- The leaf tie of layer normalisation over channels. -/
theorem chanLNBack_eq_vjp (ε : R) (hε : 0 < ε) (γ β : Vec R C) (P : Nat) (x dy : Vec R (C * P)) :
    chanLNBack ε γ P x dy = (chanLN ε hε γ β P).vjp.backward x dy :=
  congrArg transposeFlat ((vecLN ε hε γ β).batchMapAux_eq_vjp (vecLNBack_eq_vjp ε hε γ β) P
    (transposeFlat x) (transposeFlat dy))

/-! ## Batch normalisation -/

/-- Batch normalisation with the statistics of the batch: each channel is normalised over all pixels
of all examples. -/
def batchNorm (ε : R) (hε : 0 < ε) (γ β : Vec R C) (B P : Nat) :
    Layer R (B * (C * P)) (B * (C * P)) :=
  (Linear.mergeHeads R B C P).layer.comp
    ((Layer.batchIdx C fun c => scalarLN ε hε (γ c) (β c) (B * P)).comp
      (Linear.splitHeads R B C P).layer)

/-- Channel `c` of example `e` is normalised by the mean and the variance of that channel over the
whole batch: this is how examples are coupled. -/
theorem row_batchNorm (ε : R) (hε : 0 < ε) (γ β : Vec R C) (B P : Nat) (x : Vec R (B * (C * P)))
    (e : Idx B) (c : Idx C) : row (row ((batchNorm ε hε γ β B P).fwd x) e) c =
      row (fun i => γ c * normalize ε (row (splitHeads x) c) i + β c) e :=
  (row_mergeHeads _ e c).trans (congrArg (fun y : Vec R (B * P) => row y e)
    (row_flatten (fun c => (scalarLN ε hε (γ c) (β c) (B * P)).fwd (row (splitHeads x) c)) c))

/-- The rendered backward function, from the saved batch. -/
def batchNormBack (ε : R) (γ : Vec R C) (B P : Nat) (x dy : Vec R (B * (C * P))) :
    Vec R (B * (C * P)) :=
  mergeHeads (batchMapAuxIdx C (fun c => scalarLNBack ε (γ c)) (splitHeads x) (splitHeads dy))

/-- The leaf tie of batch normalisation. -/
theorem batchNormBack_eq_vjp (ε : R) (hε : 0 < ε) (γ β : Vec R C) (B P : Nat)
    (x dy : Vec R (B * (C * P))) :
    batchNormBack ε γ B P x dy = (batchNorm ε hε γ β B P).vjp.backward x dy :=
  congrArg mergeHeads (congrArg flatten (funext fun c =>
    scalarLNBack_eq_vjp ε hε (γ c) (β c) (row (splitHeads x) c) (row (splitHeads dy) c)))

/-! ## Global average pool -/

/-- The mean of each channel. -/
def gap (R : Type) [Scalars R] (C P : Nat) : Linear R (C * P) C where
  map := ⟨fun x c => invCard R P * (∑ p, row x c p),
    fun x c => .const (invCard R P) * (∑ p, row x c p)⟩
  adj dy := perChannel P fun c => invCard R P * dy c
  onDual_jet x v := funext fun c => by
    show .const (invCard R P) * (∑ p, jet (row x c) (row v c) p) = _
    rw [show ∑ p, jet (row x c) (row v c) p =
      (⟨∑ p, row x c p, ∑ p, row v c p⟩ : Dual R) from sum_dual (row x c) (row v c)]
    exact Dual.ext rfl ((congrArg (fun s => invCard R P * (∑ p, row v c p) + s)
      (zero_mul (∑ p, row x c p))).trans (add_zero _))
  adjoint v dy := by
    rw [dot_batch v]
    refine sum_congr fun c => ?_
    show invCard R P * (∑ p, row v c p) * dy c = row v c ⬝ row (perChannel P _) c
    rw [perChannel, row_flatten]
    show _ = ∑ p, row v c p * (invCard R P * dy c)
    rw [← sum_mul]
    simp only [ring_laws]

/-- The rendered backward function: the mean's share of the cotangent, at every pixel. -/
def gapBack (P : Nat) (dy : Vec R C) : Vec R (C * P) := perChannel P fun c => invCard R P * dy c

/-- The leaf tie of the global average pool. -/
theorem gapBack_eq_vjp (x : Vec R (C * P)) (dy : Vec R C) :
    gapBack P dy = (gap R C P).layer.vjp.backward x dy := rfl

/-! ## Squeeze and excitation -/

/-- Each channel times a number of its own. -/
def Bilinear.channelScale (R : Type) [CommRing R] (C P : Nat) : Bilinear R (C * P) C (C * P) where
  op x s := flatten fun c p => row x c p * s c
  onDual x s := flatten fun c p => row x c p * s c
  backL s dy := flatten fun c p => s c * row dy c p
  backR x dy c := row x c ⬝ row dy c
  onDual_jet _ _ _ _ := funext fun _ => Dual.ext rfl (add_comm _ _)
  adjointL s v dy := by
    rw [dot_batch, dot_batch v]
    simp only [row_flatten]
    exact sum_congr fun c => sum_congr fun p => mul_assoc _ _ _
  adjointR x v dy := by
    rw [dot_batch]
    simp only [row_flatten]
    exact sum_congr fun c => (sum_congr fun p =>
      show row x c p * v c * row dy c p = v c * (row x c p * row dy c p) by
        simp only [ring_laws]).trans (mul_sum (v c) fun p => row x c p * row dy c p).symm

/-- The gate of a squeeze-excitation: averages, dense, swish, dense, sigmoid. -/
def seGate (P : Nat) (W₁ : Mat R C M) (b₁ : Vec R M) (W₂ : Mat R M C) (b₂ : Vec R C) :
    Layer R (C * P) C :=
  (sigmoidLayer R C).comp ((denseLayer W₂ b₂).comp ((swishLayer R M).comp
    ((denseLayer W₁ b₁).comp (gap R C P).layer)))

/-- Squeeze-excitation: the channels scaled by their gate. -/
def squeezeExcite (P : Nat) (W₁ : Mat R C M) (b₁ : Vec R M) (W₂ : Mat R M C) (b₂ : Vec R C) :
    Layer R (C * P) (C * P) :=
  .bilin (.channelScale R C P) (Layer.id R (C * P)) (seGate P W₁ b₁ W₂ b₂)

/-- The rendered backward function: through the scaled channels, and through the gate. -/
def squeezeExciteBack (P : Nat) (W₁ : Mat R C M) (b₁ : Vec R M) (W₂ : Mat R M C) (b₂ : Vec R C)
    (x dy : Vec R (C * P)) : Vec R (C * P) :=
  let averages := (gap R C P).map x
  let hidden := dense W₁ b₁ averages
  let logits := dense W₂ b₂ fun i => swish R (hidden i)
  let gate : Vec R C := fun c => sigmoid R (logits c)
  let dGate : Vec R C := fun c => row x c ⬝ row dy c
  (flatten fun c p => gate c * row dy c p) +
    gapBack P (denseBack W₁ (swishBack hidden (denseBack W₂ (sigmoidBack logits dGate))))

/-- The leaf tie of squeeze-excitation. -/
theorem squeezeExciteBack_eq_vjp (W₁ : Mat R C M) (b₁ : Vec R M) (W₂ : Mat R M C) (b₂ : Vec R C)
    (x dy : Vec R (C * P)) : squeezeExciteBack P W₁ b₁ W₂ b₂ x dy =
      (squeezeExcite P W₁ b₁ W₂ b₂).vjp.backward x dy := by
  rw [squeezeExciteBack]
  dsimp only
  rw [swishBack_eq_vjp, sigmoidBack_eq_vjp]
  rfl

end NetTies
