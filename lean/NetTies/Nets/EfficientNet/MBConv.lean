import NetTies.Layers.ConvNorm

/-! # The blocks of EfficientNet

At a batch of `N` images, all concrete and smooth everywhere: the convolution with batch
normalisation and swish, and the inverted bottleneck with squeeze-excitation, in the forms of
EfficientNet: without expansion (`mbNoExp`), with expansion (`mbExp`, which with stride is the
strided form) and with a residual (`mbRes`). For each: the tied layer, and its rendered backward
function and leaf tie spelled from the block's saved input.

Answers: the family of seven batched ties: EfficientNet-B0's leaf ties. -/

namespace NetTies

variable {R : Type} [Scalars R] {N O C E M C' K P P' k : Nat}

/-! ## Swish and squeeze-excitation at a batch -/

/-- Swish with its rendered backward function. -/
def swishTied (R : Type) [Scalars R] (n : Nat) : TiedLayer R n n where
  toLayer := swishLayer R n
  back := swishBack
  back_eq_vjp := swishBack_eq_vjp

/-- The parameters of a squeeze-excitation: `C` averages through `M` numbers. -/
structure SEParams (R : Type) (C M : Nat) where
  W₁ : Mat R C M
  b₁ : Vec R M
  W₂ : Mat R M C
  b₂ : Vec R C

/-- Squeeze-excitation of each image. -/
def seB (N P : Nat) (p : SEParams R C M) : TiedLayer R (N * (C * P)) (N * (C * P)) :=
  .batch N
    { toLayer := squeezeExcite P p.W₁ p.b₁ p.W₂ p.b₂
      back := squeezeExciteBack P p.W₁ p.b₁ p.W₂ p.b₂
      back_eq_vjp := squeezeExciteBack_eq_vjp p.W₁ p.b₁ p.W₂ p.b₂ }

/-- The rendered reverse of squeeze-excitation, from the saved input. -/
def seBBack (N P : Nat) (p : SEParams R C M) (x dy : Vec R (N * (C * P))) : Vec R (N * (C * P)) :=
  batchMapAux N (squeezeExciteBack P p.W₁ p.b₁ p.W₂ p.b₂) x dy

/-! ## With swish -/

/-- Convolution, normalisation, swish. -/
def cbSwish (N : Nat) (src : Idx P' → Idx K → Option (Idx P)) (p : ConvBNParams R O C K) :
    TiedLayer R (N * (C * P)) (N * (O * P')) :=
  (swishTied R (N * (O * P'))).comp (convBN N src p)

/-- The rendered reverse of convolution, normalisation and swish. -/
def cbSwishBack (N : Nat) (src : Idx P' → Idx K → Option (Idx P)) (p : ConvBNParams R O C K)
    (x : Vec R (N * (C * P))) (dy : Vec R (N * (O * P'))) : Vec R (N * (C * P)) :=
  convBNBack N src p x (swishBack ((convBN N src p).fwd x) dy)

/-- The leaf tie of convolution, normalisation and swish. -/
theorem cbSwishBack_eq_vjp (src : Idx P' → Idx K → Option (Idx P)) (p : ConvBNParams R O C K)
    (x : Vec R (N * (C * P))) (dy : Vec R (N * (O * P'))) :
    cbSwishBack N src p x dy = (cbSwish N src p).vjp.backward x dy :=
  (cbSwish N src p).back_eq_vjp x dy

/-- Depthwise convolution, normalisation, swish. -/
def dbSwish (N : Nat) (src : Idx P' → Idx K → Option (Idx P)) (p : DwBNParams R C K) :
    TiedLayer R (N * (C * P)) (N * (C * P')) :=
  (swishTied R (N * (C * P'))).comp (dwBN N src p)

/-- The rendered reverse of depthwise convolution, normalisation and swish. -/
def dbSwishBack (N : Nat) (src : Idx P' → Idx K → Option (Idx P)) (p : DwBNParams R C K)
    (x : Vec R (N * (C * P))) (dy : Vec R (N * (C * P'))) : Vec R (N * (C * P)) :=
  dwBNBack N src p x (swishBack ((dwBN N src p).fwd x) dy)

/-! ## The inverted bottleneck without expansion -/

/-- The parameters of an inverted bottleneck without expansion; the kernel has side `t`. -/
structure MBNoExpParams (R : Type) [Scalars R] (C M C' t : Nat) where
  dw : DwBNParams R C (t * t)
  se : SEParams R C M
  proj : ConvBNParams R C' C (1 * 1)

section NoExp

variable {t : Nat} (N r pad s s' : Nat) (p : MBNoExpParams R C M C' t)

/-- Depthwise convolution and swish, squeeze-excitation, projection. -/
def mbNoExp : TiedLayer R (N * (C * (s * s))) (N * (C' * (s' * s'))) :=
  (convBN N (squareSrc 1 1 0 s' s') p.proj).comp
    ((seB N (s' * s') p.se).comp (dbSwish N (squareSrc t r pad s s') p.dw))

/-- The rendered reverse. -/
def mbNoExpBack (x : Vec R (N * (C * (s * s)))) (dy : Vec R (N * (C' * (s' * s')))) :
    Vec R (N * (C * (s * s))) :=
  let a := (dbSwish N (squareSrc t r pad s s') p.dw).fwd x
  let e := (seB N (s' * s') p.se).fwd a
  dbSwishBack N (squareSrc t r pad s s') p.dw x
    (seBBack N (s' * s') p.se a (convBNBack N (squareSrc 1 1 0 s' s') p.proj e dy))

/-- The stage witness, at every point. -/
def mbNoExp_has_vjp : HasVJP (mbNoExp N r pad s s' p).fwd := (mbNoExp N r pad s s' p).vjp

/-- The leaf tie. -/
theorem mbNoExpBack_eq_vjp (x : Vec R (N * (C * (s * s)))) (dy : Vec R (N * (C' * (s' * s')))) :
    mbNoExpBack N r pad s s' p x dy = (mbNoExp N r pad s s' p).vjp.backward x dy :=
  (mbNoExp N r pad s s' p).back_eq_vjp x dy

end NoExp

/-! ## The inverted bottleneck with expansion -/

/-- The parameters of an inverted bottleneck that expands `C` channels to `E`. -/
structure MBExpParams (R : Type) [Scalars R] (C E M C' t : Nat) where
  expand : ConvBNParams R E C (1 * 1)
  rest : MBNoExpParams R E M C' t

section Exp

variable {t : Nat} (N r pad s s' : Nat) (p : MBExpParams R C E M C' t)

/-- Expansion and swish, then the bottleneck without expansion. -/
def mbExp : TiedLayer R (N * (C * (s * s))) (N * (C' * (s' * s'))) :=
  (mbNoExp N r pad s s' p.rest).comp (cbSwish N (squareSrc 1 1 0 s s) p.expand)

/-- The rendered reverse. -/
def mbExpBack (x : Vec R (N * (C * (s * s)))) (dy : Vec R (N * (C' * (s' * s')))) :
    Vec R (N * (C * (s * s))) :=
  cbSwishBack N (squareSrc 1 1 0 s s) p.expand x
    (mbNoExpBack N r pad s s' p.rest ((cbSwish N (squareSrc 1 1 0 s s) p.expand).fwd x) dy)

/-- The stage witness, at every point. -/
def mbExp_has_vjp : HasVJP (mbExp N r pad s s' p).fwd := (mbExp N r pad s s' p).vjp

/-- The leaf tie. -/
theorem mbExpBack_eq_vjp (x : Vec R (N * (C * (s * s)))) (dy : Vec R (N * (C' * (s' * s')))) :
    mbExpBack N r pad s s' p x dy = (mbExp N r pad s s' p).vjp.backward x dy :=
  (mbExp N r pad s s' p).back_eq_vjp x dy

end Exp

section Res

variable {t : Nat} (N pad s : Nat) (p : MBExpParams R C E M C t)

/-- The residual form: the input is added. -/
def mbRes : TiedLayer R (N * (C * (s * s))) (N * (C * (s * s))) :=
  (mbExp N 1 pad s s p).residual

/-- The rendered reverse: the cotangent, passed on and added to that of the branch. -/
def mbResBack (x dy : Vec R (N * (C * (s * s)))) : Vec R (N * (C * (s * s))) :=
  dy + mbExpBack N 1 pad s s p x dy

/-- The stage witness, at every point. -/
def mbRes_has_vjp : HasVJP (mbRes N pad s p).fwd := (mbRes N pad s p).vjp

/-- The leaf tie. -/
theorem mbResBack_eq_vjp (x dy : Vec R (N * (C * (s * s)))) :
    mbResBack N pad s p x dy = (mbRes N pad s p).vjp.backward x dy :=
  (mbRes N pad s p).back_eq_vjp x dy

end Res

end NetTies
