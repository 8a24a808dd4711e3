import NetTies.Layers.ConvNorm

/-! # The blocks of MobileNetV4

At a batch of `N` images, all concrete, with ReLU: the fused bottleneck of the second stage, and the
universal inverted bottleneck in the forms of the convolutional medium network: with two depthwise
convolutions (`uibExtraB`, whose second one carries the stride, and its residual `uibExtraResB`),
with one before the expansion (`uibStartResB`) and with none (`uibFfnResB`). A depthwise convolution
before the expansion has no activation. For each: the layer with its smooth points, the rendered
backward function and its leaf tie; and the head's pool, which keeps the plane of one pixel.

Answers: the family of seven batched ties: MobileNetV4's leaf ties. -/

namespace NetTies

variable {R : Type} [KinkedScalars R] {O C E C' K P P' k t₁ t₂ : Nat}

/-! ## Convolution, normalisation, ReLU -/

/-- The rendered reverse of convolution, normalisation and ReLU. -/
def cbReluBBack (N : Nat) (src : Idx P' → Idx K → Option (Idx P)) (p : ConvBNParams R O C K)
    (x : Vec R (N * (C * P))) (dy : Vec R (N * (O * P'))) : Vec R (N * (C * P)) :=
  convBNBack N src p x (reluBack ((convBN N src p).fwd x) dy)

/-- The leaf tie of convolution, normalisation and ReLU. -/
theorem cbReluBBack_eq_vjp_backward (N : Nat) (src : Idx P' → Idx K → Option (Idx P))
    (p : ConvBNParams R O C K) (x : Vec R (N * (C * P))) (h : (cbRelu N src p).Smooth x)
    (dy : Vec R (N * (O * P'))) :
    cbReluBBack N src p x dy = ((cbRelu N src p).witness x h).backward dy :=
  (cbRelu N src p).back_eq_vjp x h dy

/-- The smooth points of convolution, normalisation and ReLU. -/
def CbReluSmoothAt (N : Nat) (src : Idx P' → Idx K → Option (Idx P)) (p : ConvBNParams R O C K)
    (x : Vec R (N * (C * P))) : Prop := ReluSmoothAt ((convBN N src p).fwd x)

/-! ## The fused bottleneck -/

/-- The parameters of a fused bottleneck: a full convolution to `E` channels, and the projection. -/
structure FusedParams (R : Type) [Scalars R] (C E C' : Nat) where
  conv : ConvBNParams R E C (3 * 3)
  proj : ConvBNParams R C' E (1 * 1)

section Fused

variable (N s s' : Nat) (p : FusedParams R C E C')

/-- Strided convolution and ReLU, then the linear projection. -/
def mnv4FusedB : KinkedLayer R (N * (C * (s * s))) (N * (C' * (s' * s'))) :=
  (cbRelu N (squareSrc 3 2 1 s s') p.conv).thenTied (convBN N (squareSrc 1 1 0 s' s') p.proj)

/-- The ReLU meets no kink. -/
def Mnv4FusedSmoothAt (x : Vec R (N * (C * (s * s)))) : Prop :=
  ReluSmoothAt ((convBN N (squareSrc 3 2 1 s s') p.conv).fwd x)

/-- The rendered reverse. -/
def mnv4FusedBBack (x : Vec R (N * (C * (s * s)))) (dy : Vec R (N * (C' * (s' * s')))) :
    Vec R (N * (C * (s * s))) :=
  let a := (cbRelu N (squareSrc 3 2 1 s s') p.conv).fwd x
  cbReluBBack N (squareSrc 3 2 1 s s') p.conv x
    (convBNBack N (squareSrc 1 1 0 s' s') p.proj a dy)

/-- The stage witness. -/
def mnv4FusedB_has_vjp_at {x : Vec R (N * (C * (s * s)))}
    (h : Mnv4FusedSmoothAt N s s' p x) : HasVJPDiffAt (mnv4FusedB N s s' p).fwd x :=
  (mnv4FusedB N s s' p).witness x h

/-- The leaf tie. -/
theorem mnv4FusedBBack_eq_vjp_backward (x : Vec R (N * (C * (s * s))))
    (h : (mnv4FusedB N s s' p).Smooth x) (dy : Vec R (N * (C' * (s' * s')))) :
    mnv4FusedBBack N s s' p x dy = ((mnv4FusedB N s s' p).witness x h).backward dy :=
  (mnv4FusedB N s s' p).back_eq_vjp x h dy

end Fused

/-! ## No depthwise convolution -/

/-- The parameters of the expansion and the projection. -/
structure UibFfnParams (R : Type) [Scalars R] (C E : Nat) where
  expand : ConvBNParams R E C (1 * 1)
  proj : ConvBNParams R C E (1 * 1)

section Ffn

variable (N s : Nat) (p : UibFfnParams R C E)

/-- Expansion and ReLU, then the linear projection. -/
def uibFfnB : KinkedLayer R (N * (C * (s * s))) (N * (C * (s * s))) :=
  (cbRelu N (squareSrc 1 1 0 s s) p.expand).thenTied (convBN N (squareSrc 1 1 0 s s) p.proj)

/-- The rendered reverse of expansion and projection. -/
def uibFfnBBack (x dy : Vec R (N * (C * (s * s)))) : Vec R (N * (C * (s * s))) :=
  let a := (cbRelu N (squareSrc 1 1 0 s s) p.expand).fwd x
  cbReluBBack N (squareSrc 1 1 0 s s) p.expand x (convBNBack N (squareSrc 1 1 0 s s) p.proj a dy)

/-- The block: the input is added. -/
def uibFfnResB : KinkedLayer R (N * (C * (s * s))) (N * (C * (s * s))) := (uibFfnB N s p).residual

/-- The ReLU meets no kink. -/
def UibFfnResSmoothAt (x : Vec R (N * (C * (s * s)))) : Prop :=
  ReluSmoothAt ((convBN N (squareSrc 1 1 0 s s) p.expand).fwd x)

/-- The rendered reverse. -/
def uibFfnResBBack (x dy : Vec R (N * (C * (s * s)))) : Vec R (N * (C * (s * s))) :=
  dy + uibFfnBBack N s p x dy

variable {N s p} in
/-- The clause says that the block is smooth. -/
theorem UibFfnResSmoothAt.smooth {x : Vec R (N * (C * (s * s)))} (h : UibFfnResSmoothAt N s p x) :
    (uibFfnResB N s p).Smooth x := h

/-- The stage witness. -/
def uibFfnResB_has_vjp_at {x : Vec R (N * (C * (s * s)))}
    (h : UibFfnResSmoothAt N s p x) : HasVJPDiffAt (uibFfnResB N s p).fwd x :=
  (uibFfnResB N s p).witness x h.smooth

/-- The leaf tie. -/
theorem uibFfnResBBack_eq_vjp_backward (x : Vec R (N * (C * (s * s))))
    (h : (uibFfnResB N s p).Smooth x) (dy : Vec R (N * (C * (s * s)))) :
    uibFfnResBBack N s p x dy = ((uibFfnResB N s p).witness x h).backward dy :=
  (uibFfnResB N s p).back_eq_vjp x h dy

end Ffn

/-! ## One depthwise convolution, before the expansion -/

/-- The parameters with a depthwise convolution of side `t₁` before the expansion. -/
structure UibStartParams (R : Type) [Scalars R] (C E t₁ : Nat) where
  dw : DwBNParams R C (t₁ * t₁)
  ffn : UibFfnParams R C E

section Start

variable (N pad s : Nat) (p : UibStartParams R C E t₁)

/-- The block: depthwise convolution, expansion, projection, and the input is added. -/
def uibStartResB : KinkedLayer R (N * (C * (s * s))) (N * (C * (s * s))) :=
  ((uibFfnB N s p.ffn).after (dwBN N (squareSrc t₁ 1 pad s s) p.dw)).residual

/-- The ReLU meets no kink. -/
def UibStartResSmoothAt (x : Vec R (N * (C * (s * s)))) : Prop :=
  UibFfnResSmoothAt N s p.ffn ((dwBN N (squareSrc t₁ 1 pad s s) p.dw).fwd x)

/-- The rendered reverse. -/
def uibStartResBBack (x dy : Vec R (N * (C * (s * s)))) : Vec R (N * (C * (s * s))) :=
  let a := (dwBN N (squareSrc t₁ 1 pad s s) p.dw).fwd x
  dy + dwBNBack N (squareSrc t₁ 1 pad s s) p.dw x (uibFfnBBack N s p.ffn a dy)

variable {N pad s p} in
/-- The clause says that the block is smooth. -/
theorem UibStartResSmoothAt.smooth {x : Vec R (N * (C * (s * s)))}
    (h : UibStartResSmoothAt N pad s p x) :
    (uibStartResB N pad s p).Smooth x := h

/-- The stage witness. -/
def uibStartResB_has_vjp_at {x : Vec R (N * (C * (s * s)))}
    (h : UibStartResSmoothAt N pad s p x) : HasVJPDiffAt (uibStartResB N pad s p).fwd x :=
  (uibStartResB N pad s p).witness x h.smooth

/-- The leaf tie. -/
theorem uibStartResBBack_eq_vjp_backward (x : Vec R (N * (C * (s * s))))
    (h : (uibStartResB N pad s p).Smooth x) (dy : Vec R (N * (C * (s * s)))) :
    uibStartResBBack N pad s p x dy = ((uibStartResB N pad s p).witness x h).backward dy :=
  (uibStartResB N pad s p).back_eq_vjp x h dy

end Start

/-! ## Two depthwise convolutions -/

/-- The parameters of expansion, depthwise convolution of side `t₂` and projection. -/
structure UibExpParams (R : Type) [Scalars R] (C E C' t₂ : Nat) where
  expand : ConvBNParams R E C (1 * 1)
  dw2 : DwBNParams R E (t₂ * t₂)
  proj : ConvBNParams R C' E (1 * 1)

section Exp

variable (N r pad₂ s s' : Nat) (p : UibExpParams R C E C' t₂)

/-- Expansion and ReLU, depthwise convolution with stride `r` and ReLU, projection. -/
def uibExpB : KinkedLayer R (N * (C * (s * s))) (N * (C' * (s' * s'))) :=
  ((dbRelu N (squareSrc t₂ r pad₂ s s') p.dw2).comp
    (cbRelu N (squareSrc 1 1 0 s s) p.expand)).thenTied (convBN N (squareSrc 1 1 0 s' s') p.proj)

/-- The two ReLUs meet no kink. -/
def UibExpSmoothAt (x : Vec R (N * (C * (s * s)))) : Prop :=
  ReluSmoothAt ((convBN N (squareSrc 1 1 0 s s) p.expand).fwd x) ∧
    ReluSmoothAt ((dwBN N (squareSrc t₂ r pad₂ s s') p.dw2).fwd
      ((cbRelu N (squareSrc 1 1 0 s s) p.expand).fwd x))

/-- The rendered reverse. -/
def uibExpBBack (x : Vec R (N * (C * (s * s)))) (dy : Vec R (N * (C' * (s' * s')))) :
    Vec R (N * (C * (s * s))) :=
  let a1 := (cbRelu N (squareSrc 1 1 0 s s) p.expand).fwd x
  let z2 := (dwBN N (squareSrc t₂ r pad₂ s s') p.dw2).fwd a1
  let a2 := (dbRelu N (squareSrc t₂ r pad₂ s s') p.dw2).fwd a1
  let dA2 := convBNBack N (squareSrc 1 1 0 s' s') p.proj a2 dy
  cbReluBBack N (squareSrc 1 1 0 s s) p.expand x
    (dwBNBack N (squareSrc t₂ r pad₂ s s') p.dw2 a1 (reluBack z2 dA2))

/-- The stage witness. -/
def uibExpB_has_vjp_at {x : Vec R (N * (C * (s * s)))}
    (h : UibExpSmoothAt N r pad₂ s s' p x) : HasVJPDiffAt (uibExpB N r pad₂ s s' p).fwd x :=
  (uibExpB N r pad₂ s s' p).witness x h

/-- The leaf tie. -/
theorem uibExpBBack_eq_vjp_backward (x : Vec R (N * (C * (s * s))))
    (h : (uibExpB N r pad₂ s s' p).Smooth x) (dy : Vec R (N * (C' * (s' * s')))) :
    uibExpBBack N r pad₂ s s' p x dy = ((uibExpB N r pad₂ s s' p).witness x h).backward dy :=
  (uibExpB N r pad₂ s s' p).back_eq_vjp x h dy

end Exp

/-- The parameters with depthwise convolutions of sides `t₁` and `t₂`. -/
structure UibExtraParams (R : Type) [Scalars R] (C E C' t₁ t₂ : Nat) where
  dw1 : DwBNParams R C (t₁ * t₁)
  rest : UibExpParams R C E C' t₂

section Extra

variable (N r pad₁ pad₂ s s' : Nat) (p : UibExtraParams R C E C' t₁ t₂)

/-- Depthwise convolution, then expansion, depthwise convolution with stride `r` and projection. -/
def uibExtraB : KinkedLayer R (N * (C * (s * s))) (N * (C' * (s' * s'))) :=
  (uibExpB N r pad₂ s s' p.rest).after (dwBN N (squareSrc t₁ 1 pad₁ s s) p.dw1)

/-- The two ReLUs meet no kink. -/
def UibExtraSmoothAt (x : Vec R (N * (C * (s * s)))) : Prop :=
  UibExpSmoothAt N r pad₂ s s' p.rest ((dwBN N (squareSrc t₁ 1 pad₁ s s) p.dw1).fwd x)

/-- The rendered reverse. -/
def uibExtraBBack (x : Vec R (N * (C * (s * s)))) (dy : Vec R (N * (C' * (s' * s')))) :
    Vec R (N * (C * (s * s))) :=
  dwBNBack N (squareSrc t₁ 1 pad₁ s s) p.dw1 x
    (uibExpBBack N r pad₂ s s' p.rest ((dwBN N (squareSrc t₁ 1 pad₁ s s) p.dw1).fwd x) dy)

variable {N r pad₁ pad₂ s s' p} in
/-- The clause says that the block is smooth. -/
theorem UibExtraSmoothAt.smooth {x : Vec R (N * (C * (s * s)))}
    (h : UibExtraSmoothAt N r pad₁ pad₂ s s' p x) :
    (uibExtraB N r pad₁ pad₂ s s' p).Smooth x := h

/-- The stage witness. -/
def uibExtraB_has_vjp_at {x : Vec R (N * (C * (s * s)))}
    (h : UibExtraSmoothAt N r pad₁ pad₂ s s' p x) :
    HasVJPDiffAt (uibExtraB N r pad₁ pad₂ s s' p).fwd x :=
  (uibExtraB N r pad₁ pad₂ s s' p).witness x h.smooth

/-- The leaf tie. -/
theorem uibExtraBBack_eq_vjp_backward (x : Vec R (N * (C * (s * s))))
    (h : (uibExtraB N r pad₁ pad₂ s s' p).Smooth x) (dy : Vec R (N * (C' * (s' * s')))) :
    uibExtraBBack N r pad₁ pad₂ s s' p x dy =
      ((uibExtraB N r pad₁ pad₂ s s' p).witness x h).backward dy :=
  KinkedLayer.after_eq_vjp (uibExpB N r pad₂ s s' p.rest)
    (dwBN N (squareSrc t₁ 1 pad₁ s s) p.dw1) x h (dwBNBack_eq_vjp _ p.dw1 x)
    (uibExpBBack_eq_vjp_backward N r pad₂ s s' p.rest _) dy

end Extra

section ExtraRes

variable (N pad₁ pad₂ s : Nat) (p : UibExtraParams R C E C t₁ t₂)

/-- The residual form: the input is added. -/
def uibExtraResB : KinkedLayer R (N * (C * (s * s))) (N * (C * (s * s))) :=
  (uibExtraB N 1 pad₁ pad₂ s s p).residual

/-- The two ReLUs of the branch meet no kink. -/
def UibExtraResSmoothAt (x : Vec R (N * (C * (s * s)))) : Prop :=
  UibExtraSmoothAt N 1 pad₁ pad₂ s s p x

/-- The rendered reverse: the cotangent, passed on and added to that of the branch. -/
def uibExtraResBBack (x dy : Vec R (N * (C * (s * s)))) : Vec R (N * (C * (s * s))) :=
  dy + uibExtraBBack N 1 pad₁ pad₂ s s p x dy

variable {N pad₁ pad₂ s p} in
/-- The clause says that the block is smooth. -/
theorem UibExtraResSmoothAt.smooth {x : Vec R (N * (C * (s * s)))}
    (h : UibExtraResSmoothAt N pad₁ pad₂ s p x) :
    (uibExtraResB N pad₁ pad₂ s p).Smooth x := h

/-- The stage witness. -/
def uibExtraResB_has_vjp_at {x : Vec R (N * (C * (s * s)))}
    (h : UibExtraResSmoothAt N pad₁ pad₂ s p x) :
    HasVJPDiffAt (uibExtraResB N pad₁ pad₂ s p).fwd x :=
  (uibExtraResB N pad₁ pad₂ s p).witness x h.smooth

/-- The leaf tie. -/
theorem uibExtraResBBack_eq_vjp_backward (x : Vec R (N * (C * (s * s))))
    (h : (uibExtraResB N pad₁ pad₂ s p).Smooth x) (dy : Vec R (N * (C * (s * s)))) :
    uibExtraResBBack N pad₁ pad₂ s p x dy =
      ((uibExtraResB N pad₁ pad₂ s p).witness x h).backward dy :=
  KinkedLayer.residual_eq_vjp (uibExtraB N 1 pad₁ pad₂ s s p) x h
    (uibExtraBBack_eq_vjp_backward N 1 pad₁ pad₂ s s p x) dy

end ExtraRes

/-! ## The head's pool -/

/-- The mean of a plane, as a plane of one pixel. -/
def meanPixel (R : Type) [Scalars R] (P : Nat) : Linear R P (1 * 1) :=
  (Linear.scale (invCard R P) 1).comp (Linear.sumAll R P)

/-- The global average pool of each image; it keeps planes of one pixel. -/
def mnv4PoolB (R : Type) [Scalars R] (N C P : Nat) :
    TiedLayer R (N * (C * P)) (N * (C * (1 * 1))) where
  toLayer := ((meanPixel R P).batch C).layer.batch N
  back _ dy := batchFun N (batchFun C fun (m : Vec R 1) _ => invCard R P * m .zero) dy
  back_eq_vjp _ _ := rfl

/-- The rendered reverse of the pool: the mean's share of the cotangent, at every pixel. -/
def mnv4PoolBBack (N C P : Nat) (dy : Vec R (N * (C * (1 * 1)))) : Vec R (N * (C * P)) :=
  batchFun N (batchFun C fun (m : Vec R 1) _ => invCard R P * m .zero) dy

/-- The leaf tie of the pool. -/
theorem mnv4PoolB_backward (N P : Nat) (x : Vec R (N * (C * P)))
    (dy : Vec R (N * (C * (1 * 1)))) :
    mnv4PoolBBack N C P dy = (mnv4PoolB R N C P).vjp.backward x dy := rfl

end NetTies
