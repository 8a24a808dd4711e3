import NetTies.Nets.ResNet.ResNetBlocks
import NetTies.Nets.ResNet.ResNetStages

/-! # ResNet-34 and its reverse chain

`r34InputGradB` is the pixel gradient of ResNet-34 at a batch of `N` images, as a training step
computes it: the head, sixteen blocks and the stem in reverse order, each rendered backward function
at the named saved activation before its block. `resnet34ForwardBFull` is the network as it is
written down, layer by layer; `r34Stages` are its eighteen slots.

Channel counts are fields of a `ResNetDims`, the sides multiples of the resolution `q`: at `q = 7`
the images have 224 × 224 pixels.

Answers: the family of seven batched ties: ResNet-34's chain. -/

namespace NetTies

/-- The channels of the four layers, and the side of the last. -/
structure ResNetDims where
  c1 : Nat
  c2 : Nat
  c3 : Nat
  c4 : Nat
  q : Nat

namespace ResNetDims

/-- The side of an image. -/
abbrev side (d : ResNetDims) : Nat := 32 * d.q

/-- The side before the stem's pool. -/
abbrev s0 (d : ResNetDims) : Nat := 16 * d.q

/-- The side of layer 1. -/
abbrev s1 (d : ResNetDims) : Nat := 8 * d.q

/-- The side of layer 2. -/
abbrev s2 (d : ResNetDims) : Nat := 4 * d.q

/-- The side of layer 3. -/
abbrev s3 (d : ResNetDims) : Nat := 2 * d.q

/-- The side of layer 4. -/
abbrev s4 (d : ResNetDims) : Nat := d.q

/-- The entries of an image. -/
abbrev img (d : ResNetDims) : Nat := 3 * (d.side * d.side)

/-- The entries of an activation of layer 1. -/
abbrev x1 (d : ResNetDims) : Nat := d.c1 * (d.s1 * d.s1)

/-- The entries of an activation of layer 2. -/
abbrev x2 (d : ResNetDims) : Nat := d.c2 * (d.s2 * d.s2)

/-- The entries of an activation of layer 3. -/
abbrev x3 (d : ResNetDims) : Nat := d.c3 * (d.s3 * d.s3)

/-- The entries of an activation of layer 4. -/
abbrev x4 (d : ResNetDims) : Nat := d.c4 * (d.s4 * d.s4)

end ResNetDims

variable {R : Type} [KinkedScalars R] {d : ResNetDims} {nCls : Nat}

/-- The parameters of ResNet-34 with `nCls` classes. Each of its 36 normalisations carries the
positivity of its `ε`. -/
structure R34Params (R : Type) [Scalars R] (d : ResNetDims) (nCls : Nat) where
  stem : ConvBNParams R d.c1 3 (7 * 7)
  (b1 b2 b3 : R34IdParams R d.c1)
  b4 : R34DownParams R d.c1 d.c2
  (b5 b6 b7 : R34IdParams R d.c2)
  b8 : R34DownParams R d.c2 d.c3
  (b9 b10 b11 b12 b13 : R34IdParams R d.c3)
  b14 : R34DownParams R d.c3 d.c4
  (b15 b16 : R34IdParams R d.c4)
  headW : Mat R d.c4 nCls
  headB : Vec R nCls

/-- The eighteen slots of ResNet-34 at a batch of `N` images. -/
def r34Stages (N : Nat) (w : R34Params R d nCls) (win : StemWinners N d.c1 d.s0 d.s1) :
    ResNetStages R (N * d.img) (N * d.x1) (N * d.x1) (N * d.x2) (N * d.x3) (N * d.x4)
      (N * nCls) where
  stem := r34StemB N d.side d.s0 d.s1 w.stem win
  b1 := r34IdB N d.s1 w.b1
  b2 := r34IdB N d.s1 w.b2
  b3 := r34IdB N d.s1 w.b3
  b4 := r34DownB N d.s1 d.s2 w.b4
  b5 := r34IdB N d.s2 w.b5
  b6 := r34IdB N d.s2 w.b6
  b7 := r34IdB N d.s2 w.b7
  b8 := r34DownB N d.s2 d.s3 w.b8
  b9 := r34IdB N d.s3 w.b9
  b10 := r34IdB N d.s3 w.b10
  b11 := r34IdB N d.s3 w.b11
  b12 := r34IdB N d.s3 w.b12
  b13 := r34IdB N d.s3 w.b13
  b14 := r34DownB N d.s3 d.s4 w.b14
  b15 := r34IdB N d.s4 w.b15
  b16 := r34IdB N d.s4 w.b16
  head := r34HeadB N d.s4 w.headW w.headB

/-- The batch meets no kink: the stem's ReLU and pool, and the 32 ReLUs of the blocks. -/
structure R34SmoothAtB (N : Nat) (w : R34Params R d nCls) (win : StemWinners N d.c1 d.s0 d.s1)
    (x : Vec R (N * d.img)) : Prop where
  stem : R34StemSmoothAt N d.side d.s0 w.stem x
  pool : StemPoolSmoothAt N d.side d.s0 d.s1 w.stem win x
  b1 : R34IdSmoothAt N d.s1 w.b1 (r34Pre0 (r34Stages N w win) x)
  b2 : R34IdSmoothAt N d.s1 w.b2 (r34Pre1 (r34Stages N w win) x)
  b3 : R34IdSmoothAt N d.s1 w.b3 (r34Pre2 (r34Stages N w win) x)
  b4 : R34DownSmoothAt N d.s1 d.s2 w.b4 (r34Pre3 (r34Stages N w win) x)
  b5 : R34IdSmoothAt N d.s2 w.b5 (r34Pre4 (r34Stages N w win) x)
  b6 : R34IdSmoothAt N d.s2 w.b6 (r34Pre5 (r34Stages N w win) x)
  b7 : R34IdSmoothAt N d.s2 w.b7 (r34Pre6 (r34Stages N w win) x)
  b8 : R34DownSmoothAt N d.s2 d.s3 w.b8 (r34Pre7 (r34Stages N w win) x)
  b9 : R34IdSmoothAt N d.s3 w.b9 (r34Pre8 (r34Stages N w win) x)
  b10 : R34IdSmoothAt N d.s3 w.b10 (r34Pre9 (r34Stages N w win) x)
  b11 : R34IdSmoothAt N d.s3 w.b11 (r34Pre10 (r34Stages N w win) x)
  b12 : R34IdSmoothAt N d.s3 w.b12 (r34Pre11 (r34Stages N w win) x)
  b13 : R34IdSmoothAt N d.s3 w.b13 (r34Pre12 (r34Stages N w win) x)
  b14 : R34DownSmoothAt N d.s3 d.s4 w.b14 (r34Pre13 (r34Stages N w win) x)
  b15 : R34IdSmoothAt N d.s4 w.b15 (r34Pre14 (r34Stages N w win) x)
  b16 : R34IdSmoothAt N d.s4 w.b16 (r34Pre15 (r34Stages N w win) x)

/-- The clauses are the smooth points of the slots. -/
theorem R34SmoothAtB.slots {N : Nat} {w : R34Params R d nCls}
    {win : StemWinners N d.c1 d.s0 d.s1} {x : Vec R (N * d.img)}
    (h : R34SmoothAtB N w win x) : (r34Stages N w win).SmoothAt x :=
  ⟨⟨h.stem, h.pool⟩, h.b1, h.b2, h.b3, h.b4, h.b5, h.b6, h.b7, h.b8, h.b9, h.b10, h.b11, h.b12,
    h.b13, h.b14, h.b15, h.b16⟩

/-- **The chain**: the pixel gradient of a batch, as a training step computes it. -/
def r34InputGradB (N : Nat) (w : R34Params R d nCls) (win : StemWinners N d.c1 d.s0 d.s1)
    (x : Vec R (N * d.img)) (dy : Vec R (N * nCls)) : Vec R (N * d.img) :=
  r34StemBBack N d.side d.s0 d.s1 w.stem win x <|
  r34IdBBack N d.s1 w.b1 (r34Pre0 (r34Stages N w win) x) <|
  r34IdBBack N d.s1 w.b2 (r34Pre1 (r34Stages N w win) x) <|
  r34IdBBack N d.s1 w.b3 (r34Pre2 (r34Stages N w win) x) <|
  r34DownBBack N d.s1 d.s2 w.b4 (r34Pre3 (r34Stages N w win) x) <|
  r34IdBBack N d.s2 w.b5 (r34Pre4 (r34Stages N w win) x) <|
  r34IdBBack N d.s2 w.b6 (r34Pre5 (r34Stages N w win) x) <|
  r34IdBBack N d.s2 w.b7 (r34Pre6 (r34Stages N w win) x) <|
  r34DownBBack N d.s2 d.s3 w.b8 (r34Pre7 (r34Stages N w win) x) <|
  r34IdBBack N d.s3 w.b9 (r34Pre8 (r34Stages N w win) x) <|
  r34IdBBack N d.s3 w.b10 (r34Pre9 (r34Stages N w win) x) <|
  r34IdBBack N d.s3 w.b11 (r34Pre10 (r34Stages N w win) x) <|
  r34IdBBack N d.s3 w.b12 (r34Pre11 (r34Stages N w win) x) <|
  r34IdBBack N d.s3 w.b13 (r34Pre12 (r34Stages N w win) x) <|
  r34DownBBack N d.s3 d.s4 w.b14 (r34Pre13 (r34Stages N w win) x) <|
  r34IdBBack N d.s4 w.b15 (r34Pre14 (r34Stages N w win) x) <|
  r34IdBBack N d.s4 w.b16 (r34Pre15 (r34Stages N w win) x) <|
  r34HeadBBack N d.s4 w.headW dy

/-! ## The network as it is written down -/

section Forward

variable (N : Nat) (w : R34Params R d nCls) (win : StemWinners N d.c1 d.s0 d.s1)

/-- Layer 1: three identity blocks. -/
def r34Layer1 : Map R (N * d.x1) (N * d.x1) :=
  (r34IdB N d.s1 w.b3).fwd ⊚ (r34IdB N d.s1 w.b2).fwd ⊚ (r34IdB N d.s1 w.b1).fwd

/-- Layer 2: a downsampling block and three identity blocks. -/
def r34Layer2 : Map R (N * d.x1) (N * d.x2) :=
  (r34IdB N d.s2 w.b7).fwd ⊚ (r34IdB N d.s2 w.b6).fwd ⊚ (r34IdB N d.s2 w.b5).fwd ⊚
    (r34DownB N d.s1 d.s2 w.b4).fwd

/-- Layer 3: a downsampling block and five identity blocks. -/
def r34Layer3 : Map R (N * d.x2) (N * d.x3) :=
  (r34IdB N d.s3 w.b13).fwd ⊚ (r34IdB N d.s3 w.b12).fwd ⊚ (r34IdB N d.s3 w.b11).fwd ⊚
    (r34IdB N d.s3 w.b10).fwd ⊚ (r34IdB N d.s3 w.b9).fwd ⊚ (r34DownB N d.s2 d.s3 w.b8).fwd

/-- Layer 4: a downsampling block and two identity blocks. -/
def r34Layer4 : Map R (N * d.x3) (N * d.x4) :=
  (r34IdB N d.s4 w.b16).fwd ⊚ (r34IdB N d.s4 w.b15).fwd ⊚ (r34DownB N d.s3 d.s4 w.b14).fwd

/-- **The network at a batch**: the stem, four layers and the head. -/
def resnet34ForwardBFull : Map R (N * d.img) (N * nCls) :=
  (r34HeadB N d.s4 w.headW w.headB).fwd ⊚ r34Layer4 N w ⊚ r34Layer3 N w ⊚ r34Layer2 N w ⊚
    r34Layer1 N w ⊚ r34StemFwd N d.side d.s0 d.s1 w.stem

end Forward

end NetTies
