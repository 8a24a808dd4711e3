import NetTies.Layers.Channel
import NetTies.Layers.KinkedActivations

/-! # Convolution and batch normalisation at a batch

The layers of the networks with batch normalisation, as functions of the whole batch: a convolution
or a depthwise convolution at each example, then batch normalisation over all examples (`convBN`,
`dwBN`), with an activation after it, and the head, global average pool and dense layer at each
example (`gapDense`). The convolutions carry no bias: the shift of the normalisation takes its
place.

A `BNParams` carries the positivity of its `ε`. The rendered backward functions are spelled here
from the saved input of the pair; each has its leaf tie.

Answers: the leaf ties of the five networks with batch normalisation. -/

namespace NetTies

variable {R : Type} [Scalars R] {N O C K P P' k : Nat}

/-- The parameters of a batch normalisation. -/
structure BNParams (R : Type) [Scalars R] (C : Nat) where
  ε : R
  γ : Vec R C
  β : Vec R C
  ε_pos : 0 < ε

/-- The parameters of a convolution without bias and its normalisation. -/
structure ConvBNParams (R : Type) [Scalars R] (O C K : Nat) where
  W : Vec R (O * (C * K))
  bn : BNParams R O

/-- The parameters of a depthwise convolution without bias and its normalisation. -/
structure DwBNParams (R : Type) [Scalars R] (C K : Nat) where
  W : Vec R (C * K)
  bn : BNParams R C

/-! ## Convolutions without bias, at a batch -/

/-- Convolution at each example. -/
def convB (N O C : Nat) (src : Idx P' → Idx K → Option (Idx P)) (W : Vec R (O * (C * K))) :
    TiedLayer R (N * (C * P)) (N * (O * P')) where
  toLayer := ((Bilinear.matrix O C (.stencil src)).right W).layer.batch N
  back _ dy := batchFun N (convBack O C src W) dy
  back_eq_vjp _ _ := rfl

/-- Depthwise convolution at each example. -/
def depthwiseB (N C : Nat) (src : Idx P' → Idx K → Option (Idx P)) (W : Vec R (C * K)) :
    TiedLayer R (N * (C * P)) (N * (C * P')) where
  toLayer := (((Bilinear.stencil src).batch C).right W).layer.batch N
  back _ dy := batchFun N (depthwiseBack C src W) dy
  back_eq_vjp _ _ := rfl

/-- Batch normalisation of the batch. -/
def batchNormB (N P : Nat) (p : BNParams R C) : TiedLayer R (N * (C * P)) (N * (C * P)) where
  toLayer := batchNorm p.ε p.ε_pos p.γ p.β N P
  back := batchNormBack p.ε p.γ N P
  back_eq_vjp := batchNormBack_eq_vjp p.ε p.ε_pos p.γ p.β N P

/-! ## With their normalisation -/

/-- Convolution, then batch normalisation. -/
def convBN (N : Nat) (src : Idx P' → Idx K → Option (Idx P)) (p : ConvBNParams R O C K) :
    TiedLayer R (N * (C * P)) (N * (O * P')) :=
  (batchNormB N P' p.bn).comp (convB N O C src p.W)

/-- The rendered backward function of convolution and normalisation, from the saved input. -/
def convBNBack (N : Nat) (src : Idx P' → Idx K → Option (Idx P)) (p : ConvBNParams R O C K)
    (x : Vec R (N * (C * P))) (dy : Vec R (N * (O * P'))) : Vec R (N * (C * P)) :=
  let conv := (convB N O C src p.W).fwd x
  batchFun N (convBack O C src p.W) (batchNormBack p.bn.ε p.bn.γ N P' conv dy)

/-- The leaf tie of convolution and normalisation. -/
theorem convBNBack_eq_vjp (src : Idx P' → Idx K → Option (Idx P)) (p : ConvBNParams R O C K)
    (x : Vec R (N * (C * P))) (dy : Vec R (N * (O * P'))) :
    convBNBack N src p x dy = (convBN N src p).vjp.backward x dy :=
  (convBN N src p).back_eq_vjp x dy

/-- Depthwise convolution, then batch normalisation. -/
def dwBN (N : Nat) (src : Idx P' → Idx K → Option (Idx P)) (p : DwBNParams R C K) :
    TiedLayer R (N * (C * P)) (N * (C * P')) :=
  (batchNormB N P' p.bn).comp (depthwiseB N C src p.W)

/-- The rendered backward function of depthwise convolution and normalisation. -/
def dwBNBack (N : Nat) (src : Idx P' → Idx K → Option (Idx P)) (p : DwBNParams R C K)
    (x : Vec R (N * (C * P))) (dy : Vec R (N * (C * P'))) : Vec R (N * (C * P)) :=
  let conv := (depthwiseB N C src p.W).fwd x
  batchFun N (depthwiseBack C src p.W) (batchNormBack p.bn.ε p.bn.γ N P' conv dy)

/-- The leaf tie of depthwise convolution and normalisation. -/
theorem dwBNBack_eq_vjp (src : Idx P' → Idx K → Option (Idx P)) (p : DwBNParams R C K)
    (x : Vec R (N * (C * P))) (dy : Vec R (N * (C * P'))) :
    dwBNBack N src p x dy = (dwBN N src p).vjp.backward x dy := (dwBN N src p).back_eq_vjp x dy

/-! ## The head -/

/-- Global average pool, then a dense layer, at each example. -/
def gapDense (N C P : Nat) (W : Mat R C k) (b : Vec R k) : TiedLayer R (N * (C * P)) (N * k) where
  toLayer := ((denseLayer W b).comp (gap R C P).layer).batch N
  back _ dy := batchFun N (fun dy => gapBack P (denseBack W dy)) dy
  back_eq_vjp _ _ := rfl

/-- The rendered backward function of the head. -/
def gapDenseBack (N P : Nat) (W : Mat R C k) (dy : Vec R (N * k)) : Vec R (N * (C * P)) :=
  batchFun N (fun dy => gapBack P (denseBack W dy)) dy

/-- The leaf tie of the head. -/
theorem gapDenseBack_eq_vjp (W : Mat R C k) (b : Vec R k) (x : Vec R (N * (C * P)))
    (dy : Vec R (N * k)) : gapDenseBack N P W dy = (gapDense N C P W b).vjp.backward x dy := rfl

/-- The global average pool at each example. -/
def gapB (R : Type) [Scalars R] (N C P : Nat) : TiedLayer R (N * (C * P)) (N * C) where
  toLayer := (gap R C P).layer.batch N
  back _ dy := batchFun N (gapBack P) dy
  back_eq_vjp _ _ := rfl

/-- The leaf tie of the pool. -/
theorem gapB_backward (N P : Nat) (x : Vec R (N * (C * P))) (dy : Vec R (N * C)) :
    batchFun N (gapBack P) dy = (gapB R N C P).vjp.backward x dy := rfl

/-- A dense layer at each example. -/
def denseB (N : Nat) (W : Mat R C k) (b : Vec R k) : TiedLayer R (N * C) (N * k) where
  toLayer := (denseLayer W b).batch N
  back _ dy := batchFun N (denseBack W) dy
  back_eq_vjp _ _ := rfl

/-- The leaf tie of the dense layer. -/
theorem denseB_backward (N : Nat) (W : Mat R C k) (b : Vec R k) (x : Vec R (N * C))
    (dy : Vec R (N * k)) : batchFun N (denseBack W) dy = (denseB N W b).vjp.backward x dy := rfl

/-! ## Taps in the plane -/

/-- A kernel of side `t` with stride `r` and `pad` zeros before, from side `s` to side `s'`. -/
def squareSrc (t r pad s s' : Nat) : Idx (s' * s') → Idx (t * t) → Option (Idx (s * s)) :=
  planeSrc ⟨s, s', t, r, pad⟩ ⟨s, s', t, r, pad⟩

/-! ## With an activation -/

section Kinks

variable {R : Type} [KinkedScalars R]

/-- Convolution, normalisation, ReLU. -/
def cbRelu (N : Nat) (src : Idx P' → Idx K → Option (Idx P)) (p : ConvBNParams R O C K) :
    KinkedLayer R (N * (C * P)) (N * (O * P')) :=
  (reluLayer R (N * (O * P'))).after (convBN N src p)

/-- Convolution, normalisation, ReLU6. -/
def cbRelu6 (N : Nat) (src : Idx P' → Idx K → Option (Idx P)) (p : ConvBNParams R O C K) :
    KinkedLayer R (N * (C * P)) (N * (O * P')) :=
  (relu6Layer R (N * (O * P'))).after (convBN N src p)

/-- Depthwise convolution, normalisation, ReLU. -/
def dbRelu (N : Nat) (src : Idx P' → Idx K → Option (Idx P)) (p : DwBNParams R C K) :
    KinkedLayer R (N * (C * P)) (N * (C * P')) :=
  (reluLayer R (N * (C * P'))).after (dwBN N src p)

/-- Depthwise convolution, normalisation, ReLU6. -/
def dbRelu6 (N : Nat) (src : Idx P' → Idx K → Option (Idx P)) (p : DwBNParams R C K) :
    KinkedLayer R (N * (C * P)) (N * (C * P')) :=
  (relu6Layer R (N * (C * P'))).after (dwBN N src p)

end Kinks

end NetTies
