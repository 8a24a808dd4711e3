import NetTies.Nets.MobileNet.MobileNetV2Stages
import NetTies.Nets.MobileNet.InvertedResidual

/-! # MobileNetV2 and its reverse chain

`mnv2InputGradB` is the pixel gradient of MobileNetV2 at a batch of `N` images, as a training step
computes it: classifier, pool, head, seventeen blocks and stem in reverse order, each rendered
backward function at the named saved activation before its block. `mobilenetv2ForwardBFull` is the
network as it is written down, row by row; `mnv2Stages` are its twenty-one slots.

The 3 × 3 kernels with stride 2 are padded as the `SAME` convention pads them at an even side:
nothing before, one zero after.

Answers: the family of seven batched ties: MobileNetV2's chain. -/

namespace NetTies

/-- Channels of the rows, width of the head and resolution of a MobileNetV2. -/
structure Mnv2Dims where
  c0 : Nat
  c1 : Nat
  c2 : Nat
  c3 : Nat
  c4 : Nat
  c5 : Nat
  c6 : Nat
  c7 : Nat
  ch : Nat
  q : Nat

namespace Mnv2Dims

/-- The side of an image. -/
abbrev side (d : Mnv2Dims) : Nat := 32 * d.q

/-- The side after the stem. -/
abbrev s1 (d : Mnv2Dims) : Nat := 16 * d.q

/-- A quarter of the side of an image. -/
abbrev s2 (d : Mnv2Dims) : Nat := 8 * d.q

/-- An eighth of the side of an image. -/
abbrev s3 (d : Mnv2Dims) : Nat := 4 * d.q

/-- A sixteenth of the side of an image. -/
abbrev s4 (d : Mnv2Dims) : Nat := 2 * d.q

/-- The side of the last activations. -/
abbrev s5 (d : Mnv2Dims) : Nat := d.q

/-- The entries of an image. -/
abbrev img (d : Mnv2Dims) : Nat := 3 * (d.side * d.side)

end Mnv2Dims

variable {R : Type} [KinkedScalars R] {d : Mnv2Dims} {nCls : Nat}

/-- The parameters of MobileNetV2 with `nCls` classes. Each of its 52 normalisations carries the
positivity of its `ε`. -/
structure Mnv2Params (R : Type) [Scalars R] (d : Mnv2Dims) (nCls : Nat) where
  stem : ConvBNParams R d.c0 3 (3 * 3)
  b1 : Mnv2NoExpParams R d.c0 d.c1
  b2 : Mnv2ExpParams R d.c1 (6 * d.c1) d.c2
  b3 : Mnv2ExpParams R d.c2 (6 * d.c2) d.c2
  b4 : Mnv2ExpParams R d.c2 (6 * d.c2) d.c3
  b5 : Mnv2ExpParams R d.c3 (6 * d.c3) d.c3
  b6 : Mnv2ExpParams R d.c3 (6 * d.c3) d.c3
  b7 : Mnv2ExpParams R d.c3 (6 * d.c3) d.c4
  b8 : Mnv2ExpParams R d.c4 (6 * d.c4) d.c4
  b9 : Mnv2ExpParams R d.c4 (6 * d.c4) d.c4
  b10 : Mnv2ExpParams R d.c4 (6 * d.c4) d.c4
  b11 : Mnv2ExpParams R d.c4 (6 * d.c4) d.c5
  b12 : Mnv2ExpParams R d.c5 (6 * d.c5) d.c5
  b13 : Mnv2ExpParams R d.c5 (6 * d.c5) d.c5
  b14 : Mnv2ExpParams R d.c5 (6 * d.c5) d.c6
  b15 : Mnv2ExpParams R d.c6 (6 * d.c6) d.c6
  b16 : Mnv2ExpParams R d.c6 (6 * d.c6) d.c6
  b17 : Mnv2ExpParams R d.c6 (6 * d.c6) d.c7
  head : ConvBNParams R d.ch d.c7 (1 * 1)
  dnsW : Mat R d.ch nCls
  dnsB : Vec R nCls

section Ends

variable (N : Nat) (w : Mnv2Params R d nCls)

/-- The stem: 3 × 3 convolution with stride 2, batch normalisation, ReLU6. -/
def mnv2StemB : KinkedLayer R (N * d.img) (N * (d.c0 * (d.s1 * d.s1))) :=
  cbRelu6 N (squareSrc 3 2 0 d.side d.s1) w.stem

/-- The rendered reverse of the stem. -/
def mnv2StemBBack (x : Vec R (N * d.img)) (dy : Vec R (N * (d.c0 * (d.s1 * d.s1)))) :
    Vec R (N * d.img) :=
  cbrBBack N (squareSrc 3 2 0 d.side d.s1) w.stem x dy

/-- The stem meets no kink. -/
def MNV2StemSmoothAtB (x : Vec R (N * d.img)) : Prop :=
  Relu6SmoothAt ((convBN N (squareSrc 3 2 0 d.side d.s1) w.stem).fwd x)

/-- The stage witness of the stem. -/
def mnv2StemB_has_vjp_at {x : Vec R (N * d.img)}
    (h : MNV2StemSmoothAtB N w x) : HasVJPDiffAt (mnv2StemB N w).fwd x :=
  (mnv2StemB N w).witness x h

/-- The leaf tie of the stem. -/
theorem mnv2StemBBack_eq_vjp_backward (x : Vec R (N * d.img)) (h : (mnv2StemB N w).Smooth x)
    (dy : Vec R (N * (d.c0 * (d.s1 * d.s1)))) :
    mnv2StemBBack N w x dy = ((mnv2StemB N w).witness x h).backward dy :=
  cbrBBack_eq_vjp_backward N (squareSrc 3 2 0 d.side d.s1) w.stem x h dy

/-- The head: 1 × 1 convolution, batch normalisation, ReLU6. -/
def mnv2HeadB : KinkedLayer R (N * (d.c7 * (d.s5 * d.s5))) (N * (d.ch * (d.s5 * d.s5))) :=
  cbRelu6 N (squareSrc 1 1 0 d.s5 d.s5) w.head

/-- The head meets no kink. -/
def MNV2HeadSmoothAtB (x : Vec R (N * (d.c7 * (d.s5 * d.s5)))) : Prop :=
  Relu6SmoothAt ((convBN N (squareSrc 1 1 0 d.s5 d.s5) w.head).fwd x)

/-- The stage witness of the head. -/
def mnv2HeadB_has_vjp_at {x : Vec R (N * (d.c7 * (d.s5 * d.s5)))}
    (h : MNV2HeadSmoothAtB N w x) : HasVJPDiffAt (mnv2HeadB N w).fwd x :=
  (mnv2HeadB N w).witness x h

end Ends

/-- The twenty-one slots of MobileNetV2 at a batch of `N` images. -/
def mnv2Stages (N : Nat) (w : Mnv2Params R d nCls) :
    Mnv2Stages R (N * d.img)
      (N * (d.c0 * (d.s1 * d.s1))) (N * (d.c1 * (d.s1 * d.s1))) (N * (d.c2 * (d.s2 * d.s2)))
      (N * (d.c3 * (d.s3 * d.s3))) (N * (d.c4 * (d.s4 * d.s4))) (N * (d.c5 * (d.s4 * d.s4)))
      (N * (d.c6 * (d.s5 * d.s5))) (N * (d.c7 * (d.s5 * d.s5))) (N * (d.ch * (d.s5 * d.s5)))
      (N * d.ch) (N * nCls) where
  stem := mnv2StemB N w
  b1 := mnv2NoExpB N 1 1 d.s1 d.s1 w.b1
  b2 := mnv2ExpB N 2 0 d.s1 d.s2 w.b2
  b3 := mnv2ResB N d.s2 w.b3
  b4 := mnv2ExpB N 2 0 d.s2 d.s3 w.b4
  b5 := mnv2ResB N d.s3 w.b5
  b6 := mnv2ResB N d.s3 w.b6
  b7 := mnv2ExpB N 2 0 d.s3 d.s4 w.b7
  b8 := mnv2ResB N d.s4 w.b8
  b9 := mnv2ResB N d.s4 w.b9
  b10 := mnv2ResB N d.s4 w.b10
  b11 := mnv2ExpB N 1 1 d.s4 d.s4 w.b11
  b12 := mnv2ResB N d.s4 w.b12
  b13 := mnv2ResB N d.s4 w.b13
  b14 := mnv2ExpB N 2 0 d.s4 d.s5 w.b14
  b15 := mnv2ResB N d.s5 w.b15
  b16 := mnv2ResB N d.s5 w.b16
  b17 := mnv2ExpB N 1 1 d.s5 d.s5 w.b17
  head := mnv2HeadB N w
  gap := gapB R N d.ch (d.s5 * d.s5)
  dns := denseB N w.dnsW w.dnsB

/-- The batch meets no kink: the 35 ReLU6 of stem, blocks and head. -/
structure Mnv2SmoothAtB (N : Nat) (w : Mnv2Params R d nCls) (x : Vec R (N * d.img)) : Prop where
  stem : MNV2StemSmoothAtB N w x
  b1 : Mnv2NoExpSmoothAt N 1 1 d.s1 d.s1 w.b1 (mnv2Pre0 (mnv2Stages N w) x)
  b2 : Mnv2ExpSmoothAt N 2 0 d.s1 d.s2 w.b2 (mnv2Pre1 (mnv2Stages N w) x)
  b3 : Mnv2ResSmoothAt N d.s2 w.b3 (mnv2Pre2 (mnv2Stages N w) x)
  b4 : Mnv2ExpSmoothAt N 2 0 d.s2 d.s3 w.b4 (mnv2Pre3 (mnv2Stages N w) x)
  b5 : Mnv2ResSmoothAt N d.s3 w.b5 (mnv2Pre4 (mnv2Stages N w) x)
  b6 : Mnv2ResSmoothAt N d.s3 w.b6 (mnv2Pre5 (mnv2Stages N w) x)
  b7 : Mnv2ExpSmoothAt N 2 0 d.s3 d.s4 w.b7 (mnv2Pre6 (mnv2Stages N w) x)
  b8 : Mnv2ResSmoothAt N d.s4 w.b8 (mnv2Pre7 (mnv2Stages N w) x)
  b9 : Mnv2ResSmoothAt N d.s4 w.b9 (mnv2Pre8 (mnv2Stages N w) x)
  b10 : Mnv2ResSmoothAt N d.s4 w.b10 (mnv2Pre9 (mnv2Stages N w) x)
  b11 : Mnv2ExpSmoothAt N 1 1 d.s4 d.s4 w.b11 (mnv2Pre10 (mnv2Stages N w) x)
  b12 : Mnv2ResSmoothAt N d.s4 w.b12 (mnv2Pre11 (mnv2Stages N w) x)
  b13 : Mnv2ResSmoothAt N d.s4 w.b13 (mnv2Pre12 (mnv2Stages N w) x)
  b14 : Mnv2ExpSmoothAt N 2 0 d.s4 d.s5 w.b14 (mnv2Pre13 (mnv2Stages N w) x)
  b15 : Mnv2ResSmoothAt N d.s5 w.b15 (mnv2Pre14 (mnv2Stages N w) x)
  b16 : Mnv2ResSmoothAt N d.s5 w.b16 (mnv2Pre15 (mnv2Stages N w) x)
  b17 : Mnv2ExpSmoothAt N 1 1 d.s5 d.s5 w.b17 (mnv2Pre16 (mnv2Stages N w) x)
  head : MNV2HeadSmoothAtB N w (mnv2Pre17 (mnv2Stages N w) x)

/-- The clauses are the smooth points of the slots. -/
theorem Mnv2SmoothAtB.slots {N : Nat} {w : Mnv2Params R d nCls} {x : Vec R (N * d.img)}
    (h : Mnv2SmoothAtB N w x) : (mnv2Stages N w).SmoothAt x :=
  ⟨h.stem, h.b1, h.b2, h.b3, h.b4, h.b5, h.b6, h.b7, h.b8, h.b9, h.b10, h.b11, h.b12, h.b13,
    h.b14, h.b15, h.b16, h.b17, h.head⟩

/-- **The chain**: the pixel gradient of a batch, as a training step computes it. -/
def mnv2InputGradB (N : Nat) (w : Mnv2Params R d nCls) (x : Vec R (N * d.img))
    (dy : Vec R (N * nCls)) : Vec R (N * d.img) :=
  mnv2StemBBack N w x <|
  mnv2NoExpBBack N 1 1 d.s1 d.s1 w.b1 (mnv2Pre0 (mnv2Stages N w) x) <|
  mnv2ExpBBack N 2 0 d.s1 d.s2 w.b2 (mnv2Pre1 (mnv2Stages N w) x) <|
  mnv2ResBBack N d.s2 w.b3 (mnv2Pre2 (mnv2Stages N w) x) <|
  mnv2ExpBBack N 2 0 d.s2 d.s3 w.b4 (mnv2Pre3 (mnv2Stages N w) x) <|
  mnv2ResBBack N d.s3 w.b5 (mnv2Pre4 (mnv2Stages N w) x) <|
  mnv2ResBBack N d.s3 w.b6 (mnv2Pre5 (mnv2Stages N w) x) <|
  mnv2ExpBBack N 2 0 d.s3 d.s4 w.b7 (mnv2Pre6 (mnv2Stages N w) x) <|
  mnv2ResBBack N d.s4 w.b8 (mnv2Pre7 (mnv2Stages N w) x) <|
  mnv2ResBBack N d.s4 w.b9 (mnv2Pre8 (mnv2Stages N w) x) <|
  mnv2ResBBack N d.s4 w.b10 (mnv2Pre9 (mnv2Stages N w) x) <|
  mnv2ExpBBack N 1 1 d.s4 d.s4 w.b11 (mnv2Pre10 (mnv2Stages N w) x) <|
  mnv2ResBBack N d.s4 w.b12 (mnv2Pre11 (mnv2Stages N w) x) <|
  mnv2ResBBack N d.s4 w.b13 (mnv2Pre12 (mnv2Stages N w) x) <|
  mnv2ExpBBack N 2 0 d.s4 d.s5 w.b14 (mnv2Pre13 (mnv2Stages N w) x) <|
  mnv2ResBBack N d.s5 w.b15 (mnv2Pre14 (mnv2Stages N w) x) <|
  mnv2ResBBack N d.s5 w.b16 (mnv2Pre15 (mnv2Stages N w) x) <|
  mnv2ExpBBack N 1 1 d.s5 d.s5 w.b17 (mnv2Pre16 (mnv2Stages N w) x) <|
  cbrBBack N (squareSrc 1 1 0 d.s5 d.s5) w.head (mnv2Pre17 (mnv2Stages N w) x) <|
  batchFun N (gapBack (d.s5 * d.s5)) <|
  batchFun N (denseBack w.dnsW) dy

/-! ## The network as it is written down -/

section Forward

variable (N : Nat) (w : Mnv2Params R d nCls)

/-- Row 1: one block without expansion. -/
def mnv2Row1 : Map R (N * (d.c0 * (d.s1 * d.s1))) (N * (d.c1 * (d.s1 * d.s1))) :=
  (mnv2NoExpB N 1 1 d.s1 d.s1 w.b1).fwd

/-- Row 2: a strided block and a residual one. -/
def mnv2Row2 : Map R (N * (d.c1 * (d.s1 * d.s1))) (N * (d.c2 * (d.s2 * d.s2))) :=
  (mnv2ResB N d.s2 w.b3).fwd ⊚ (mnv2ExpB N 2 0 d.s1 d.s2 w.b2).fwd

/-- Row 3: a strided block and two residual ones. -/
def mnv2Row3 : Map R (N * (d.c2 * (d.s2 * d.s2))) (N * (d.c3 * (d.s3 * d.s3))) :=
  (mnv2ResB N d.s3 w.b6).fwd ⊚ (mnv2ResB N d.s3 w.b5).fwd ⊚ (mnv2ExpB N 2 0 d.s2 d.s3 w.b4).fwd

/-- Row 4: a strided block and three residual ones. -/
def mnv2Row4 : Map R (N * (d.c3 * (d.s3 * d.s3))) (N * (d.c4 * (d.s4 * d.s4))) :=
  (mnv2ResB N d.s4 w.b10).fwd ⊚ (mnv2ResB N d.s4 w.b9).fwd ⊚ (mnv2ResB N d.s4 w.b8).fwd ⊚
    (mnv2ExpB N 2 0 d.s3 d.s4 w.b7).fwd

/-- Row 5: a block that widens and two residual ones. -/
def mnv2Row5 : Map R (N * (d.c4 * (d.s4 * d.s4))) (N * (d.c5 * (d.s4 * d.s4))) :=
  (mnv2ResB N d.s4 w.b13).fwd ⊚ (mnv2ResB N d.s4 w.b12).fwd ⊚ (mnv2ExpB N 1 1 d.s4 d.s4 w.b11).fwd

/-- Row 6: a strided block and two residual ones. -/
def mnv2Row6 : Map R (N * (d.c5 * (d.s4 * d.s4))) (N * (d.c6 * (d.s5 * d.s5))) :=
  (mnv2ResB N d.s5 w.b16).fwd ⊚ (mnv2ResB N d.s5 w.b15).fwd ⊚ (mnv2ExpB N 2 0 d.s4 d.s5 w.b14).fwd

/-- Row 7: a block that widens. -/
def mnv2Row7 : Map R (N * (d.c6 * (d.s5 * d.s5))) (N * (d.c7 * (d.s5 * d.s5))) :=
  (mnv2ExpB N 1 1 d.s5 d.s5 w.b17).fwd

/-- The top: head, global average pool and classifier. -/
def mnv2Top : Map R (N * (d.c7 * (d.s5 * d.s5))) (N * nCls) :=
  (denseB N w.dnsW w.dnsB).fwd ⊚ (gapB R N d.ch (d.s5 * d.s5)).fwd ⊚ (mnv2HeadB N w).fwd

/-- **The network at a batch**. -/
def mobilenetv2ForwardBFull : Map R (N * d.img) (N * nCls) :=
  mnv2Top N w ⊚ mnv2Row7 N w ⊚ mnv2Row6 N w ⊚ mnv2Row5 N w ⊚ mnv2Row4 N w ⊚ mnv2Row3 N w ⊚
    mnv2Row2 N w ⊚ mnv2Row1 N w ⊚ (mnv2StemB N w).fwd

end Forward

end NetTies
