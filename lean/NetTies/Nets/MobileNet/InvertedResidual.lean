import NetTies.Layers.ConvNorm

/-! # The blocks of MobileNetV2

At a batch of `N` images, all concrete: inverted bottlenecks with ReLU6 and a linear projection, in
the forms without expansion (`mnv2NoExpB`), with expansion (`mnv2ExpB`, with stride the strided
form) and with a residual (`mnv2ResB`). For each: the layer with its smooth points, the rendered
backward function spelled from the block's saved input, and its leaf tie.

Answers: the family of seven batched ties: MobileNetV2's leaf ties. -/

namespace NetTies

variable {R : Type} [KinkedScalars R] {O C E C' K P P' k : Nat}

/-! ## Convolution, normalisation, ReLU6 -/

/-- The rendered reverse of convolution, normalisation and ReLU6. -/
def cbrBBack (N : Nat) (src : Idx P' → Idx K → Option (Idx P)) (p : ConvBNParams R O C K)
    (x : Vec R (N * (C * P))) (dy : Vec R (N * (O * P'))) : Vec R (N * (C * P)) :=
  convBNBack N src p x (relu6Back ((convBN N src p).fwd x) dy)

/-- The leaf tie of convolution, normalisation and ReLU6. -/
theorem cbrBBack_eq_vjp_backward (N : Nat) (src : Idx P' → Idx K → Option (Idx P))
    (p : ConvBNParams R O C K) (x : Vec R (N * (C * P))) (h : (cbRelu6 N src p).Smooth x)
    (dy : Vec R (N * (O * P'))) :
    cbrBBack N src p x dy = ((cbRelu6 N src p).witness x h).backward dy :=
  (cbRelu6 N src p).back_eq_vjp x h dy

/-! ## Without expansion -/

/-- The parameters of a bottleneck without expansion. -/
structure Mnv2NoExpParams (R : Type) [Scalars R] (C C' : Nat) where
  dw : DwBNParams R C (3 * 3)
  proj : ConvBNParams R C' C (1 * 1)

section NoExp

variable (N r pad s s' : Nat) (p : Mnv2NoExpParams R C C')

/-- Depthwise convolution and ReLU6, then the linear projection. -/
def mnv2NoExpB : KinkedLayer R (N * (C * (s * s))) (N * (C' * (s' * s'))) :=
  (dbRelu6 N (squareSrc 3 r pad s s') p.dw).thenTied (convBN N (squareSrc 1 1 0 s' s') p.proj)

/-- The ReLU6 meets no kink. -/
def Mnv2NoExpSmoothAt (x : Vec R (N * (C * (s * s)))) : Prop :=
  Relu6SmoothAt ((dwBN N (squareSrc 3 r pad s s') p.dw).fwd x)

/-- The rendered reverse. -/
def mnv2NoExpBBack (x : Vec R (N * (C * (s * s)))) (dy : Vec R (N * (C' * (s' * s')))) :
    Vec R (N * (C * (s * s))) :=
  let z := (dwBN N (squareSrc 3 r pad s s') p.dw).fwd x
  let a := (dbRelu6 N (squareSrc 3 r pad s s') p.dw).fwd x
  dwBNBack N (squareSrc 3 r pad s s') p.dw x
    (relu6Back z (convBNBack N (squareSrc 1 1 0 s' s') p.proj a dy))

/-- The stage witness. -/
def mnv2NoExpB_has_vjp_at {x : Vec R (N * (C * (s * s)))}
    (h : Mnv2NoExpSmoothAt N r pad s s' p x) : HasVJPDiffAt (mnv2NoExpB N r pad s s' p).fwd x :=
  (mnv2NoExpB N r pad s s' p).witness x h

/-- The leaf tie. -/
theorem mnv2NoExpBBack_eq_vjp_backward (x : Vec R (N * (C * (s * s))))
    (h : (mnv2NoExpB N r pad s s' p).Smooth x) (dy : Vec R (N * (C' * (s' * s')))) :
    mnv2NoExpBBack N r pad s s' p x dy = ((mnv2NoExpB N r pad s s' p).witness x h).backward dy :=
  (mnv2NoExpB N r pad s s' p).back_eq_vjp x h dy

end NoExp

/-! ## With expansion -/

/-- The parameters of a bottleneck that expands `C` channels to `E`. -/
structure Mnv2ExpParams (R : Type) [Scalars R] (C E C' : Nat) where
  expand : ConvBNParams R E C (1 * 1)
  dw : DwBNParams R E (3 * 3)
  proj : ConvBNParams R C' E (1 * 1)

section Exp

variable (N r pad s s' : Nat) (p : Mnv2ExpParams R C E C')

/-- Expansion and depthwise convolution, each with ReLU6, then the linear projection. -/
def mnv2ExpB : KinkedLayer R (N * (C * (s * s))) (N * (C' * (s' * s'))) :=
  ((dbRelu6 N (squareSrc 3 r pad s s') p.dw).comp
    (cbRelu6 N (squareSrc 1 1 0 s s) p.expand)).thenTied (convBN N (squareSrc 1 1 0 s' s') p.proj)

/-- The two ReLU6 meet no kink. -/
def Mnv2ExpSmoothAt (x : Vec R (N * (C * (s * s)))) : Prop :=
  Relu6SmoothAt ((convBN N (squareSrc 1 1 0 s s) p.expand).fwd x) ∧
    Relu6SmoothAt ((dwBN N (squareSrc 3 r pad s s') p.dw).fwd
      ((cbRelu6 N (squareSrc 1 1 0 s s) p.expand).fwd x))

/-- The rendered reverse. -/
def mnv2ExpBBack (x : Vec R (N * (C * (s * s)))) (dy : Vec R (N * (C' * (s' * s')))) :
    Vec R (N * (C * (s * s))) :=
  let z1 := (convBN N (squareSrc 1 1 0 s s) p.expand).fwd x
  let a1 := (cbRelu6 N (squareSrc 1 1 0 s s) p.expand).fwd x
  let z2 := (dwBN N (squareSrc 3 r pad s s') p.dw).fwd a1
  let a2 := (dbRelu6 N (squareSrc 3 r pad s s') p.dw).fwd a1
  let dA2 := convBNBack N (squareSrc 1 1 0 s' s') p.proj a2 dy
  let dA1 := dwBNBack N (squareSrc 3 r pad s s') p.dw a1 (relu6Back z2 dA2)
  convBNBack N (squareSrc 1 1 0 s s) p.expand x (relu6Back z1 dA1)

/-- The stage witness. -/
def mnv2ExpB_has_vjp_at {x : Vec R (N * (C * (s * s)))}
    (h : Mnv2ExpSmoothAt N r pad s s' p x) : HasVJPDiffAt (mnv2ExpB N r pad s s' p).fwd x :=
  (mnv2ExpB N r pad s s' p).witness x h

/-- The leaf tie. -/
theorem mnv2ExpBBack_eq_vjp_backward (x : Vec R (N * (C * (s * s))))
    (h : (mnv2ExpB N r pad s s' p).Smooth x) (dy : Vec R (N * (C' * (s' * s')))) :
    mnv2ExpBBack N r pad s s' p x dy = ((mnv2ExpB N r pad s s' p).witness x h).backward dy :=
  (mnv2ExpB N r pad s s' p).back_eq_vjp x h dy

end Exp

/-! ## With a residual -/

section Res

variable (N s : Nat) (p : Mnv2ExpParams R C E C)

/-- The residual form: the input is added to the projection. -/
def mnv2ResB : KinkedLayer R (N * (C * (s * s))) (N * (C * (s * s))) :=
  (mnv2ExpB N 1 1 s s p).residual

/-- The two ReLU6 of the branch meet no kink. -/
def Mnv2ResSmoothAt (x : Vec R (N * (C * (s * s)))) : Prop := Mnv2ExpSmoothAt N 1 1 s s p x

/-- The rendered reverse: the cotangent, passed on and added to that of the branch. -/
def mnv2ResBBack (x dy : Vec R (N * (C * (s * s)))) : Vec R (N * (C * (s * s))) :=
  dy + mnv2ExpBBack N 1 1 s s p x dy

/-- The stage witness. -/
def mnv2ResB_has_vjp_at {x : Vec R (N * (C * (s * s)))}
    (h : Mnv2ResSmoothAt N s p x) : HasVJPDiffAt (mnv2ResB N s p).fwd x :=
  (mnv2ResB N s p).witness x h

/-- The leaf tie. -/
theorem mnv2ResBBack_eq_vjp_backward (x : Vec R (N * (C * (s * s))))
    (h : (mnv2ResB N s p).Smooth x) (dy : Vec R (N * (C * (s * s)))) :
    mnv2ResBBack N s p x dy = ((mnv2ResB N s p).witness x h).backward dy :=
  (mnv2ResB N s p).back_eq_vjp x h dy

end Res

end NetTies
