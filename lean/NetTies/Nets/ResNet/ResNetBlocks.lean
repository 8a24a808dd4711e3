import NetTies.Layers.ConvNorm
import NetTies.Nets.ResNet.StemPool

/-! # The stem, the head and the basic blocks of a residual network

At a batch of `N` images, all concrete: convolutions without bias, batch normalisation over the
whole batch, ReLU, and the 3 × 3 max pool of the stem, with the winners of its windows saved by the
forward pass. For each part: the layer with its smooth points, the rendered backward function
spelled from the part's saved input, and its leaf tie. Sides and channel counts are variables;
networks instantiate them by term.

Answers: the family of seven batched ties: ResNet-34's leaf ties. -/

namespace NetTies

variable {R : Type} [KinkedScalars R] {C C' k : Nat}

/-! ## The stem -/

/-- The taps of the stem's pool: 3 × 3 with stride 2, on each channel of each image. -/
def stemPoolSrc (N C s s' : Nat) :
    Idx (N * (C * (s' * s'))) → Idx (3 * 3) → Option (Idx (N * (C * (s * s)))) :=
  batchSrc N (batchSrc C (squareSrc 3 2 1 s s'))

/-- The pre-activation of the stem: 7 × 7 convolution with stride 2, batch normalisation. -/
def r34StemPre (N s₀ s₁ : Nat) (p : ConvBNParams R C 3 (7 * 7)) :
    TiedLayer R (N * (3 * (s₀ * s₀))) (N * (C * (s₁ * s₁))) :=
  convBN N (squareSrc 7 2 3 s₀ s₁) p

/-- The saved winners of the stem's pool, one for each window. -/
abbrev StemWinners (N C s₁ s₂ : Nat) : Type := Idx (N * (C * (s₂ * s₂))) → Idx (N * (C * (s₁ * s₁)))

section Stem

variable (N s₀ s₁ s₂ : Nat) (p : ConvBNParams R C 3 (7 * 7)) (win : StemWinners N C s₁ s₂)

/-- The stem as a map: its pre-activation, ReLU, the maximum of each window. -/
def r34StemFwd : Map R (N * (3 * (s₀ * s₀))) (N * (C * (s₂ * s₂))) :=
  (maxPoolMap R (stemPoolSrc N C s₁ s₂) ⊚ reluMap R (N * (C * (s₁ * s₁)))) ⊚
    (r34StemPre N s₀ s₁ p).fwd

/-- The stem, certified where the pool has the saved winners. -/
def r34StemB : KinkedLayer R (N * (3 * (s₀ * s₀))) (N * (C * (s₂ * s₂))) :=
  (reluPoolLayer R (stemPoolSrc N C s₁ s₂) win).after (r34StemPre N s₀ s₁ p)

/-- No entry of the stem's pre-activation is at the kink of ReLU. -/
def R34StemSmoothAt (x : Vec R (N * (3 * (s₀ * s₀)))) : Prop :=
  ReluSmoothAt ((r34StemPre N s₀ s₁ p).fwd x)

/-- Every window of the stem's pool has the saved winner, or only dead entries. -/
def StemPoolSmoothAt (x : Vec R (N * (3 * (s₀ * s₀)))) : Prop :=
  ∀ i, WindowSmoothAt ((r34StemPre N s₀ s₁ p).fwd x) (stemPoolSrc N C s₁ s₂ i) (win i)

/-- The rendered reverse of the stem: the pool, the mask, the normalisation, the convolution. -/
def r34StemBBack (x : Vec R (N * (3 * (s₀ * s₀)))) (dy : Vec R (N * (C * (s₂ * s₂)))) :
    Vec R (N * (3 * (s₀ * s₀))) :=
  let z := (r34StemPre N s₀ s₁ p).fwd x
  convBNBack N (squareSrc 7 2 3 s₀ s₁) p x (reluBack z (maxPoolBack win dy))

/-- The stage witness of the stem. -/
def r34StemB_has_vjp_at {x : Vec R (N * (3 * (s₀ * s₀)))} (h : R34StemSmoothAt N s₀ s₁ p x)
    (hp : StemPoolSmoothAt N s₀ s₁ s₂ p win x) : HasVJPDiffAt (r34StemB N s₀ s₁ s₂ p win).fwd x :=
  (r34StemB N s₀ s₁ s₂ p win).witness x ⟨h, hp⟩

/-- The leaf tie of the stem. -/
theorem r34StemBBack_eq_vjp_backward (x : Vec R (N * (3 * (s₀ * s₀))))
    (h : (r34StemB N s₀ s₁ s₂ p win).Smooth x) (dy : Vec R (N * (C * (s₂ * s₂)))) :
    r34StemBBack N s₀ s₁ s₂ p win x dy =
      ((r34StemB N s₀ s₁ s₂ p win).witness x h).backward dy :=
  (r34StemB N s₀ s₁ s₂ p win).back_eq_vjp x h dy

end Stem

/-! ## The head -/

/-- The head: global average pool and dense layer. -/
def r34HeadB (N s : Nat) (W : Mat R C k) (b : Vec R k) : TiedLayer R (N * (C * (s * s))) (N * k) :=
  gapDense N C (s * s) W b

/-- The rendered reverse of the head. -/
def r34HeadBBack (N s : Nat) (W : Mat R C k) (dy : Vec R (N * k)) : Vec R (N * (C * (s * s))) :=
  batchFun N (fun dy => gapBack (s * s) (denseBack W dy)) dy

/-- The stage witness of the head, at every point. -/
def r34HeadB_has_vjp (N s : Nat) (W : Mat R C k) (b : Vec R k) : HasVJP (r34HeadB N s W b).fwd :=
  (r34HeadB N s W b).vjp

/-- The leaf tie of the head. -/
theorem r34HeadBBack_eq_vjp_backward (N s : Nat) (W : Mat R C k) (b : Vec R k)
    (x : Vec R (N * (C * (s * s)))) (dy : Vec R (N * k)) :
    r34HeadBBack N s W dy = (r34HeadB N s W b).vjp.backward x dy := rfl

/-! ## The identity block -/

/-- The parameters of an identity block: two 3 × 3 convolutions. -/
structure R34IdParams (R : Type) [Scalars R] (C : Nat) where
  conv1 : ConvBNParams R C C (3 * 3)
  conv2 : ConvBNParams R C C (3 * 3)

section Id

variable (N s : Nat) (p : R34IdParams R C)

/-- The branch of an identity block: conv-BN-ReLU, conv-BN. -/
def r34IdBranch : KinkedLayer R (N * (C * (s * s))) (N * (C * (s * s))) :=
  (cbRelu N (squareSrc 3 1 1 s s) p.conv1).thenTied (convBN N (squareSrc 3 1 1 s s) p.conv2)

/-- The identity block: the input is added to the branch, then ReLU. -/
def r34IdB : KinkedLayer R (N * (C * (s * s))) (N * (C * (s * s))) :=
  (reluLayer R (N * (C * (s * s)))).comp (r34IdBranch N s p).residual

/-- The two ReLUs of an identity block meet no kink. -/
def R34IdSmoothAt (x : Vec R (N * (C * (s * s)))) : Prop :=
  ReluSmoothAt ((convBN N (squareSrc 3 1 1 s s) p.conv1).fwd x) ∧
    ReluSmoothAt (x + (r34IdBranch N s p).fwd x)

/-- The rendered reverse of an identity block: the cotangent of the sum, passed on and added to that
of the branch. -/
def r34IdBBack (x dy : Vec R (N * (C * (s * s)))) : Vec R (N * (C * (s * s))) :=
  let z := (convBN N (squareSrc 3 1 1 s s) p.conv1).fwd x
  let a := (cbRelu N (squareSrc 3 1 1 s s) p.conv1).fwd x
  let dSum := reluBack (x + (r34IdBranch N s p).fwd x) dy
  dSum + convBNBack N (squareSrc 3 1 1 s s) p.conv1 x
    (reluBack z (convBNBack N (squareSrc 3 1 1 s s) p.conv2 a dSum))

/-- The stage witness of an identity block. -/
def r34IdB_has_vjp_at {x : Vec R (N * (C * (s * s)))}
    (h : R34IdSmoothAt N s p x) : HasVJPDiffAt (r34IdB N s p).fwd x :=
  (r34IdB N s p).witness x h

/-- The leaf tie of an identity block. -/
theorem r34IdBBack_eq_vjp_backward (x : Vec R (N * (C * (s * s)))) (h : (r34IdB N s p).Smooth x)
    (dy : Vec R (N * (C * (s * s)))) :
    r34IdBBack N s p x dy = ((r34IdB N s p).witness x h).backward dy :=
  (r34IdB N s p).back_eq_vjp x h dy

end Id

/-! ## The downsampling block -/

/-- The parameters of a downsampling block: two 3 × 3 convolutions and the projection. -/
structure R34DownParams (R : Type) [Scalars R] (C C' : Nat) where
  conv1 : ConvBNParams R C' C (3 * 3)
  conv2 : ConvBNParams R C' C' (3 * 3)
  proj : ConvBNParams R C' C (1 * 1)

section Down

variable (N s s' : Nat) (p : R34DownParams R C C')

/-- The branch of a downsampling block: strided conv-BN-ReLU, conv-BN. -/
def r34DownBranch : KinkedLayer R (N * (C * (s * s))) (N * (C' * (s' * s'))) :=
  (cbRelu N (squareSrc 3 2 1 s s') p.conv1).thenTied (convBN N (squareSrc 3 1 1 s' s') p.conv2)

/-- The projection: 1 × 1 convolution with stride 2, batch normalisation. -/
def r34Proj : TiedLayer R (N * (C * (s * s))) (N * (C' * (s' * s'))) :=
  convBN N (squareSrc 1 2 0 s s') p.proj

/-- The downsampling block: the projection is added to the branch, then ReLU. -/
def r34DownB : KinkedLayer R (N * (C * (s * s))) (N * (C' * (s' * s'))) :=
  (reluLayer R (N * (C' * (s' * s')))).comp ((r34DownBranch N s s' p).beside (r34Proj N s s' p))

/-- The two ReLUs of a downsampling block meet no kink. -/
def R34DownSmoothAt (x : Vec R (N * (C * (s * s)))) : Prop :=
  ReluSmoothAt ((convBN N (squareSrc 3 2 1 s s') p.conv1).fwd x) ∧
    ReluSmoothAt ((r34Proj N s s' p).fwd x + (r34DownBranch N s s' p).fwd x)

/-- The rendered reverse of a downsampling block: the cotangent of the sum flows back through the
projection and through the branch. -/
def r34DownBBack (x : Vec R (N * (C * (s * s)))) (dy : Vec R (N * (C' * (s' * s')))) :
    Vec R (N * (C * (s * s))) :=
  let z := (convBN N (squareSrc 3 2 1 s s') p.conv1).fwd x
  let a := (cbRelu N (squareSrc 3 2 1 s s') p.conv1).fwd x
  let dSum := reluBack ((r34Proj N s s' p).fwd x + (r34DownBranch N s s' p).fwd x) dy
  convBNBack N (squareSrc 1 2 0 s s') p.proj x dSum +
    convBNBack N (squareSrc 3 2 1 s s') p.conv1 x
      (reluBack z (convBNBack N (squareSrc 3 1 1 s' s') p.conv2 a dSum))

/-- The stage witness of a downsampling block. -/
def r34DownB_has_vjp_at {x : Vec R (N * (C * (s * s)))}
    (h : R34DownSmoothAt N s s' p x) : HasVJPDiffAt (r34DownB N s s' p).fwd x :=
  (r34DownB N s s' p).witness x h

/-- The leaf tie of a downsampling block. -/
theorem r34DownBBack_eq_vjp_backward (x : Vec R (N * (C * (s * s))))
    (h : (r34DownB N s s' p).Smooth x) (dy : Vec R (N * (C' * (s' * s')))) :
    r34DownBBack N s s' p x dy = ((r34DownB N s s' p).witness x h).backward dy :=
  (r34DownB N s s' p).back_eq_vjp x h dy

end Down

end NetTies
