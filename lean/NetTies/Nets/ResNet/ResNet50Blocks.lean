import NetTies.Nets.ResNet.ResNetBlocks

/-! # The bottleneck blocks of ResNet-50

A bottleneck is three convolutions, 1 × 1 to the inner width, 3 × 3, 1 × 1 to the outer width, each
with batch normalisation, ReLU after the first two and after the sum. The sum is with the input
(`r50IdB`) or with a projection of it (`r50ProjB`), whose stride is that of the 3 × 3 convolution.
For each: the layer with its smooth points, the rendered backward function and its leaf tie.

Answers: the family of seven batched ties: ResNet-50's leaf ties. -/

namespace NetTies

variable {R : Type} [KinkedScalars R] {C M C' : Nat}

/-! ## The identity bottleneck -/

/-- The parameters of an identity bottleneck of outer width `C` and inner width `M`. -/
structure R50IdParams (R : Type) [Scalars R] (C M : Nat) where
  conv1 : ConvBNParams R M C (1 * 1)
  conv2 : ConvBNParams R M M (3 * 3)
  conv3 : ConvBNParams R C M (1 * 1)

section Id

variable (N s : Nat) (p : R50IdParams R C M)

/-- The branch of an identity bottleneck. -/
def r50IdBranch : KinkedLayer R (N * (C * (s * s))) (N * (C * (s * s))) :=
  ((cbRelu N (squareSrc 3 1 1 s s) p.conv2).comp
    (cbRelu N (squareSrc 1 1 0 s s) p.conv1)).thenTied (convBN N (squareSrc 1 1 0 s s) p.conv3)

/-- The identity bottleneck. -/
def r50IdB : KinkedLayer R (N * (C * (s * s))) (N * (C * (s * s))) :=
  (reluLayer R (N * (C * (s * s)))).comp (r50IdBranch N s p).residual

/-- The three ReLUs of an identity bottleneck meet no kink. -/
def R50IdSmoothAt (x : Vec R (N * (C * (s * s)))) : Prop :=
  (ReluSmoothAt ((convBN N (squareSrc 1 1 0 s s) p.conv1).fwd x) ∧
    ReluSmoothAt ((convBN N (squareSrc 3 1 1 s s) p.conv2).fwd
      ((cbRelu N (squareSrc 1 1 0 s s) p.conv1).fwd x))) ∧
    ReluSmoothAt (x + (r50IdBranch N s p).fwd x)

/-- The rendered reverse of an identity bottleneck. -/
def r50IdBBack (x dy : Vec R (N * (C * (s * s)))) : Vec R (N * (C * (s * s))) :=
  let z1 := (convBN N (squareSrc 1 1 0 s s) p.conv1).fwd x
  let a1 := (cbRelu N (squareSrc 1 1 0 s s) p.conv1).fwd x
  let z2 := (convBN N (squareSrc 3 1 1 s s) p.conv2).fwd a1
  let a2 := (cbRelu N (squareSrc 3 1 1 s s) p.conv2).fwd a1
  let dSum := reluBack (x + (r50IdBranch N s p).fwd x) dy
  let dA2 := convBNBack N (squareSrc 1 1 0 s s) p.conv3 a2 dSum
  let dA1 := convBNBack N (squareSrc 3 1 1 s s) p.conv2 a1 (reluBack z2 dA2)
  dSum + convBNBack N (squareSrc 1 1 0 s s) p.conv1 x (reluBack z1 dA1)

/-- The stage witness of an identity bottleneck. -/
def r50IdB_has_vjp_at {x : Vec R (N * (C * (s * s)))}
    (h : R50IdSmoothAt N s p x) : HasVJPDiffAt (r50IdB N s p).fwd x :=
  (r50IdB N s p).witness x h

/-- The leaf tie of an identity bottleneck. -/
theorem r50IdBBack_eq_vjp_backward (x : Vec R (N * (C * (s * s)))) (h : (r50IdB N s p).Smooth x)
    (dy : Vec R (N * (C * (s * s)))) :
    r50IdBBack N s p x dy = ((r50IdB N s p).witness x h).backward dy :=
  (r50IdB N s p).back_eq_vjp x h dy

end Id

/-! ## The bottleneck with a projection -/

/-- The parameters of a bottleneck with a projection, from width `C` to `C'`. -/
structure R50ProjParams (R : Type) [Scalars R] (C M C' : Nat) where
  conv1 : ConvBNParams R M C (1 * 1)
  conv2 : ConvBNParams R M M (3 * 3)
  conv3 : ConvBNParams R C' M (1 * 1)
  proj : ConvBNParams R C' C (1 * 1)

section Proj

variable (N r s s' : Nat) (p : R50ProjParams R C M C')

/-- The branch of a bottleneck with stride `r`. -/
def r50ProjBranch : KinkedLayer R (N * (C * (s * s))) (N * (C' * (s' * s'))) :=
  ((cbRelu N (squareSrc 3 r 1 s s') p.conv2).comp
    (cbRelu N (squareSrc 1 1 0 s s) p.conv1)).thenTied (convBN N (squareSrc 1 1 0 s' s') p.conv3)

/-- The projection: 1 × 1 convolution with stride `r`, batch normalisation. -/
def r50Proj : TiedLayer R (N * (C * (s * s))) (N * (C' * (s' * s'))) :=
  convBN N (squareSrc 1 r 0 s s') p.proj

/-- The bottleneck with a projection. -/
def r50ProjB : KinkedLayer R (N * (C * (s * s))) (N * (C' * (s' * s'))) :=
  (reluLayer R (N * (C' * (s' * s')))).comp
    ((r50ProjBranch N r s s' p).beside (r50Proj N r s s' p))

/-- The three ReLUs of a bottleneck with a projection meet no kink. -/
def R50ProjSmoothAt (x : Vec R (N * (C * (s * s)))) : Prop :=
  (ReluSmoothAt ((convBN N (squareSrc 1 1 0 s s) p.conv1).fwd x) ∧
    ReluSmoothAt ((convBN N (squareSrc 3 r 1 s s') p.conv2).fwd
      ((cbRelu N (squareSrc 1 1 0 s s) p.conv1).fwd x))) ∧
    ReluSmoothAt ((r50Proj N r s s' p).fwd x + (r50ProjBranch N r s s' p).fwd x)

/-- The rendered reverse of a bottleneck with a projection. -/
def r50ProjBBack (x : Vec R (N * (C * (s * s)))) (dy : Vec R (N * (C' * (s' * s')))) :
    Vec R (N * (C * (s * s))) :=
  let z1 := (convBN N (squareSrc 1 1 0 s s) p.conv1).fwd x
  let a1 := (cbRelu N (squareSrc 1 1 0 s s) p.conv1).fwd x
  let z2 := (convBN N (squareSrc 3 r 1 s s') p.conv2).fwd a1
  let a2 := (cbRelu N (squareSrc 3 r 1 s s') p.conv2).fwd a1
  let dSum := reluBack ((r50Proj N r s s' p).fwd x + (r50ProjBranch N r s s' p).fwd x) dy
  let dA2 := convBNBack N (squareSrc 1 1 0 s' s') p.conv3 a2 dSum
  let dA1 := convBNBack N (squareSrc 3 r 1 s s') p.conv2 a1 (reluBack z2 dA2)
  convBNBack N (squareSrc 1 r 0 s s') p.proj x dSum +
    convBNBack N (squareSrc 1 1 0 s s) p.conv1 x (reluBack z1 dA1)

/-- The stage witness of a bottleneck with a projection. -/
def r50ProjB_has_vjp_at {x : Vec R (N * (C * (s * s)))}
    (h : R50ProjSmoothAt N r s s' p x) : HasVJPDiffAt (r50ProjB N r s s' p).fwd x :=
  (r50ProjB N r s s' p).witness x h

/-- The leaf tie of a bottleneck with a projection. -/
theorem r50ProjBBack_eq_vjp_backward (x : Vec R (N * (C * (s * s))))
    (h : (r50ProjB N r s s' p).Smooth x) (dy : Vec R (N * (C' * (s' * s')))) :
    r50ProjBBack N r s s' p x dy = ((r50ProjB N r s s' p).witness x h).backward dy :=
  (r50ProjB N r s s' p).back_eq_vjp x h dy

end Proj

end NetTies
