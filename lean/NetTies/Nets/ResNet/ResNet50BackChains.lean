import NetTies.Nets.ResNet.ResNet50Blocks
import NetTies.Nets.ResNet.ResNetBackChains

/-! # ResNet-50 and its reverse chain

ResNet-50 is a chain of the same eighteen slots as ResNet-34, with the same stem and head and with
bottlenecks for blocks: one with a projection, three strided, twelve identity. `r50InputGradB` is
its pixel gradient at a batch of `N` images, as a training step computes it, and
`resnet50ForwardBFull` the network as it is written down. The resolution `q` is a field of the
dimensions: images have `32 q × 32 q` pixels.

Answers: the family of seven batched ties: ResNet-50's chain. -/

namespace NetTies

namespace ResNetDims

/-- The entries of a bottleneck activation of layer 1. -/
abbrev y1 (d : ResNetDims) : Nat := 4 * d.c1 * (d.s1 * d.s1)

/-- The entries of a bottleneck activation of layer 2. -/
abbrev y2 (d : ResNetDims) : Nat := 4 * d.c2 * (d.s2 * d.s2)

/-- The entries of a bottleneck activation of layer 3. -/
abbrev y3 (d : ResNetDims) : Nat := 4 * d.c3 * (d.s3 * d.s3)

/-- The entries of a bottleneck activation of layer 4. -/
abbrev y4 (d : ResNetDims) : Nat := 4 * d.c4 * (d.s4 * d.s4)

end ResNetDims

variable {R : Type} [KinkedScalars R] {d : ResNetDims} {nCls : Nat}

/-- The parameters of ResNet-50 with `nCls` classes. Each of its 53 normalisations carries the
positivity of its `ε`. -/
structure R50Params (R : Type) [Scalars R] (d : ResNetDims) (nCls : Nat) where
  stem : ConvBNParams R d.c1 3 (7 * 7)
  b1 : R50ProjParams R d.c1 d.c1 (4 * d.c1)
  (b2 b3 : R50IdParams R (4 * d.c1) d.c1)
  b4 : R50ProjParams R (4 * d.c1) d.c2 (4 * d.c2)
  (b5 b6 b7 : R50IdParams R (4 * d.c2) d.c2)
  b8 : R50ProjParams R (4 * d.c2) d.c3 (4 * d.c3)
  (b9 b10 b11 b12 b13 : R50IdParams R (4 * d.c3) d.c3)
  b14 : R50ProjParams R (4 * d.c3) d.c4 (4 * d.c4)
  (b15 b16 : R50IdParams R (4 * d.c4) d.c4)
  headW : Mat R (4 * d.c4) nCls
  headB : Vec R nCls

/-- The eighteen slots of ResNet-50 at a batch of `N` images. -/
def r50Stages (N : Nat) (w : R50Params R d nCls) (win : StemWinners N d.c1 d.s0 d.s1) :
    ResNetStages R (N * d.img) (N * d.x1) (N * d.y1) (N * d.y2) (N * d.y3) (N * d.y4)
      (N * nCls) where
  stem := r34StemB N d.side d.s0 d.s1 w.stem win
  b1 := r50ProjB N 1 d.s1 d.s1 w.b1
  b2 := r50IdB N d.s1 w.b2
  b3 := r50IdB N d.s1 w.b3
  b4 := r50ProjB N 2 d.s1 d.s2 w.b4
  b5 := r50IdB N d.s2 w.b5
  b6 := r50IdB N d.s2 w.b6
  b7 := r50IdB N d.s2 w.b7
  b8 := r50ProjB N 2 d.s2 d.s3 w.b8
  b9 := r50IdB N d.s3 w.b9
  b10 := r50IdB N d.s3 w.b10
  b11 := r50IdB N d.s3 w.b11
  b12 := r50IdB N d.s3 w.b12
  b13 := r50IdB N d.s3 w.b13
  b14 := r50ProjB N 2 d.s3 d.s4 w.b14
  b15 := r50IdB N d.s4 w.b15
  b16 := r50IdB N d.s4 w.b16
  head := r34HeadB N d.s4 w.headW w.headB

/-- The batch meets no kink: the stem's ReLU and pool, and the 48 ReLUs of the bottlenecks. -/
structure R50SmoothAtB (N : Nat) (w : R50Params R d nCls) (win : StemWinners N d.c1 d.s0 d.s1)
    (x : Vec R (N * d.img)) : Prop where
  stem : R34StemSmoothAt N d.side d.s0 w.stem x
  pool : StemPoolSmoothAt N d.side d.s0 d.s1 w.stem win x
  b1 : R50ProjSmoothAt N 1 d.s1 d.s1 w.b1 (r34Pre0 (r50Stages N w win) x)
  b2 : R50IdSmoothAt N d.s1 w.b2 (r34Pre1 (r50Stages N w win) x)
  b3 : R50IdSmoothAt N d.s1 w.b3 (r34Pre2 (r50Stages N w win) x)
  b4 : R50ProjSmoothAt N 2 d.s1 d.s2 w.b4 (r34Pre3 (r50Stages N w win) x)
  b5 : R50IdSmoothAt N d.s2 w.b5 (r34Pre4 (r50Stages N w win) x)
  b6 : R50IdSmoothAt N d.s2 w.b6 (r34Pre5 (r50Stages N w win) x)
  b7 : R50IdSmoothAt N d.s2 w.b7 (r34Pre6 (r50Stages N w win) x)
  b8 : R50ProjSmoothAt N 2 d.s2 d.s3 w.b8 (r34Pre7 (r50Stages N w win) x)
  b9 : R50IdSmoothAt N d.s3 w.b9 (r34Pre8 (r50Stages N w win) x)
  b10 : R50IdSmoothAt N d.s3 w.b10 (r34Pre9 (r50Stages N w win) x)
  b11 : R50IdSmoothAt N d.s3 w.b11 (r34Pre10 (r50Stages N w win) x)
  b12 : R50IdSmoothAt N d.s3 w.b12 (r34Pre11 (r50Stages N w win) x)
  b13 : R50IdSmoothAt N d.s3 w.b13 (r34Pre12 (r50Stages N w win) x)
  b14 : R50ProjSmoothAt N 2 d.s3 d.s4 w.b14 (r34Pre13 (r50Stages N w win) x)
  b15 : R50IdSmoothAt N d.s4 w.b15 (r34Pre14 (r50Stages N w win) x)
  b16 : R50IdSmoothAt N d.s4 w.b16 (r34Pre15 (r50Stages N w win) x)

/-- The clauses are the smooth points of the slots. -/
theorem R50SmoothAtB.slots {N : Nat} {w : R50Params R d nCls}
    {win : StemWinners N d.c1 d.s0 d.s1} {x : Vec R (N * d.img)}
    (h : R50SmoothAtB N w win x) : (r50Stages N w win).SmoothAt x :=
  ⟨⟨h.stem, h.pool⟩, h.b1, h.b2, h.b3, h.b4, h.b5, h.b6, h.b7, h.b8, h.b9, h.b10, h.b11, h.b12,
    h.b13, h.b14, h.b15, h.b16⟩

/-- **The chain**: the pixel gradient of a batch, as a training step computes it. -/
def r50InputGradB (N : Nat) (w : R50Params R d nCls) (win : StemWinners N d.c1 d.s0 d.s1)
    (x : Vec R (N * d.img)) (dy : Vec R (N * nCls)) : Vec R (N * d.img) :=
  r34StemBBack N d.side d.s0 d.s1 w.stem win x <|
  r50ProjBBack N 1 d.s1 d.s1 w.b1 (r34Pre0 (r50Stages N w win) x) <|
  r50IdBBack N d.s1 w.b2 (r34Pre1 (r50Stages N w win) x) <|
  r50IdBBack N d.s1 w.b3 (r34Pre2 (r50Stages N w win) x) <|
  r50ProjBBack N 2 d.s1 d.s2 w.b4 (r34Pre3 (r50Stages N w win) x) <|
  r50IdBBack N d.s2 w.b5 (r34Pre4 (r50Stages N w win) x) <|
  r50IdBBack N d.s2 w.b6 (r34Pre5 (r50Stages N w win) x) <|
  r50IdBBack N d.s2 w.b7 (r34Pre6 (r50Stages N w win) x) <|
  r50ProjBBack N 2 d.s2 d.s3 w.b8 (r34Pre7 (r50Stages N w win) x) <|
  r50IdBBack N d.s3 w.b9 (r34Pre8 (r50Stages N w win) x) <|
  r50IdBBack N d.s3 w.b10 (r34Pre9 (r50Stages N w win) x) <|
  r50IdBBack N d.s3 w.b11 (r34Pre10 (r50Stages N w win) x) <|
  r50IdBBack N d.s3 w.b12 (r34Pre11 (r50Stages N w win) x) <|
  r50IdBBack N d.s3 w.b13 (r34Pre12 (r50Stages N w win) x) <|
  r50ProjBBack N 2 d.s3 d.s4 w.b14 (r34Pre13 (r50Stages N w win) x) <|
  r50IdBBack N d.s4 w.b15 (r34Pre14 (r50Stages N w win) x) <|
  r50IdBBack N d.s4 w.b16 (r34Pre15 (r50Stages N w win) x) <|
  r34HeadBBack N d.s4 w.headW dy

/-! ## The network as it is written down -/

section Forward

variable (N : Nat) (w : R50Params R d nCls)

/-- Layer 1: a projection and two identity bottlenecks. -/
def r50Layer1 : Map R (N * d.x1) (N * d.y1) :=
  (r50IdB N d.s1 w.b3).fwd ⊚ (r50IdB N d.s1 w.b2).fwd ⊚ (r50ProjB N 1 d.s1 d.s1 w.b1).fwd

/-- Layer 2: a strided and three identity bottlenecks. -/
def r50Layer2 : Map R (N * d.y1) (N * d.y2) :=
  (r50IdB N d.s2 w.b7).fwd ⊚ (r50IdB N d.s2 w.b6).fwd ⊚ (r50IdB N d.s2 w.b5).fwd ⊚
    (r50ProjB N 2 d.s1 d.s2 w.b4).fwd

/-- Layer 3: a strided and five identity bottlenecks. -/
def r50Layer3 : Map R (N * d.y2) (N * d.y3) :=
  (r50IdB N d.s3 w.b13).fwd ⊚ (r50IdB N d.s3 w.b12).fwd ⊚ (r50IdB N d.s3 w.b11).fwd ⊚
    (r50IdB N d.s3 w.b10).fwd ⊚ (r50IdB N d.s3 w.b9).fwd ⊚ (r50ProjB N 2 d.s2 d.s3 w.b8).fwd

/-- Layer 4: a strided and two identity bottlenecks. -/
def r50Layer4 : Map R (N * d.y3) (N * d.y4) :=
  (r50IdB N d.s4 w.b16).fwd ⊚ (r50IdB N d.s4 w.b15).fwd ⊚ (r50ProjB N 2 d.s3 d.s4 w.b14).fwd

/-- **The network at a batch**: the stem, four layers and the head. -/
def resnet50ForwardBFull : Map R (N * d.img) (N * nCls) :=
  (r34HeadB N d.s4 w.headW w.headB).fwd ⊚ r50Layer4 N w ⊚ r50Layer3 N w ⊚ r50Layer2 N w ⊚
    r50Layer1 N w ⊚ r34StemFwd N d.side d.s0 d.s1 w.stem

end Forward

end NetTies
