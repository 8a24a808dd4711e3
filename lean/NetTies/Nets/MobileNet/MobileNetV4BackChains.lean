import NetTies.Nets.MobileNet.MobileNetV4Stages
import NetTies.Nets.MobileNet.UniversalBottleneck

/-! # MobileNetV4 and its reverse chain

`mnv4InputGradB` is the pixel gradient of the convolutional medium MobileNetV4 at a batch of `N`
images, as a training step computes it: classifier, head, twenty-one rows, fused stage and stem in
reverse order, each rendered backward function at the named saved activation before its slot.
`mobilenetv4ForwardBFull` is the network as it is written down, by resolution; `mnv4Stages` are its
twenty-six slots. Of the rows, thirteen have two depthwise convolutions, four have one and four have
none. Kernels with stride 2 are padded symmetrically.

Answers: the family of seven batched ties: MobileNetV4's chain. -/

namespace NetTies

/-- Channels of the stages, widths of the head and resolution of a MobileNetV4. -/
structure Mnv4Dims where
  c0 : Nat
  c1 : Nat
  c2 : Nat
  c3 : Nat
  c4 : Nat
  h1 : Nat
  h2 : Nat
  q : Nat

namespace Mnv4Dims

/-- The side of an image. -/
abbrev side (d : Mnv4Dims) : Nat := 32 * d.q

/-- The side after the stem. -/
abbrev s1 (d : Mnv4Dims) : Nat := 16 * d.q

/-- A quarter of the side of an image. -/
abbrev s2 (d : Mnv4Dims) : Nat := 8 * d.q

/-- An eighth of the side of an image. -/
abbrev s3 (d : Mnv4Dims) : Nat := 4 * d.q

/-- A sixteenth of the side of an image. -/
abbrev s4 (d : Mnv4Dims) : Nat := 2 * d.q

/-- The side of the last activations. -/
abbrev s5 (d : Mnv4Dims) : Nat := d.q

/-- The entries of an image. -/
abbrev img (d : Mnv4Dims) : Nat := 3 * (d.side * d.side)

end Mnv4Dims

variable {R : Type} [KinkedScalars R] {d : Mnv4Dims} {nCls : Nat}

/-- The parameters of MobileNetV4 with `nCls` classes. Each of its 77 normalisations carries the
positivity of its `ε`. -/
structure Mnv4Params (R : Type) [Scalars R] (d : Mnv4Dims) (nCls : Nat) where
  stem : ConvBNParams R d.c0 3 (3 * 3)
  fused : FusedParams R d.c0 (4 * d.c0) d.c1
  b1 : UibExtraParams R d.c1 (4 * d.c1) d.c2 3 5
  b2 : UibExtraParams R d.c2 (2 * d.c2) d.c2 3 3
  b3 : UibExtraParams R d.c2 (6 * d.c2) d.c3 3 5
  b4 : UibExtraParams R d.c3 (4 * d.c3) d.c3 3 3
  b5 : UibExtraParams R d.c3 (4 * d.c3) d.c3 3 3
  b6 : UibExtraParams R d.c3 (4 * d.c3) d.c3 3 5
  b7 : UibExtraParams R d.c3 (4 * d.c3) d.c3 3 3
  b8 : UibStartParams R d.c3 (4 * d.c3) 3
  b9 : UibFfnParams R d.c3 (2 * d.c3)
  b10 : UibStartParams R d.c3 (4 * d.c3) 3
  b11 : UibExtraParams R d.c3 (6 * d.c3) d.c4 5 5
  b12 : UibExtraParams R d.c4 (4 * d.c4) d.c4 5 5
  b13 : UibExtraParams R d.c4 (4 * d.c4) d.c4 3 5
  b14 : UibExtraParams R d.c4 (4 * d.c4) d.c4 3 5
  b15 : UibFfnParams R d.c4 (4 * d.c4)
  b16 : UibStartParams R d.c4 (4 * d.c4) 3
  b17 : UibExtraParams R d.c4 (2 * d.c4) d.c4 3 5
  b18 : UibExtraParams R d.c4 (4 * d.c4) d.c4 5 5
  b19 : UibFfnParams R d.c4 (4 * d.c4)
  b20 : UibFfnParams R d.c4 (4 * d.c4)
  b21 : UibStartParams R d.c4 (2 * d.c4) 5
  hc1 : ConvBNParams R d.h1 d.c4 (1 * 1)
  hc2 : ConvBNParams R d.h2 d.h1 (1 * 1)
  clsW : Mat R (d.h2 * (1 * 1)) nCls
  clsB : Vec R nCls

section Ends

variable (N : Nat) (w : Mnv4Params R d nCls)

/-- The stem: 3 × 3 convolution with stride 2, batch normalisation, ReLU. -/
def mnv4StemB : KinkedLayer R (N * d.img) (N * (d.c0 * (d.s1 * d.s1))) :=
  cbRelu N (squareSrc 3 2 1 d.side d.s1) w.stem

/-- The rendered reverse of the stem. -/
def mnv4StemBBack (x : Vec R (N * d.img)) (dy : Vec R (N * (d.c0 * (d.s1 * d.s1)))) :
    Vec R (N * d.img) :=
  cbReluBBack N (squareSrc 3 2 1 d.side d.s1) w.stem x dy

/-- The stem meets no kink. -/
def MNV4StemSmoothAtB (x : Vec R (N * d.img)) : Prop :=
  CbReluSmoothAt N (squareSrc 3 2 1 d.side d.s1) w.stem x

/-- The stage witness of the stem. -/
def mnv4StemB_has_vjp_at {x : Vec R (N * d.img)}
    (h : MNV4StemSmoothAtB N w x) : HasVJPDiffAt (mnv4StemB N w).fwd x :=
  (mnv4StemB N w).witness x h

/-- The leaf tie of the stem. -/
theorem mnv4StemBBack_eq_vjp_backward (x : Vec R (N * d.img)) (h : (mnv4StemB N w).Smooth x)
    (dy : Vec R (N * (d.c0 * (d.s1 * d.s1)))) :
    mnv4StemBBack N w x dy = ((mnv4StemB N w).witness x h).backward dy :=
  cbReluBBack_eq_vjp_backward N (squareSrc 3 2 1 d.side d.s1) w.stem x h dy

/-- The first head convolution: 1 × 1, batch normalisation, ReLU. -/
def mnv4Hc1B : KinkedLayer R (N * (d.c4 * (d.s5 * d.s5))) (N * (d.h1 * (d.s5 * d.s5))) :=
  cbRelu N (squareSrc 1 1 0 d.s5 d.s5) w.hc1

/-- The stage witness of the first head convolution. -/
def mnv4Hc1B_has_vjp_at {x : Vec R (N * (d.c4 * (d.s5 * d.s5)))}
    (h : CbReluSmoothAt N (squareSrc 1 1 0 d.s5 d.s5) w.hc1 x) :
    HasVJPDiffAt (mnv4Hc1B N w).fwd x :=
  (mnv4Hc1B N w).witness x h

/-- The pool, then the second head convolution: 1 × 1 on one pixel, batch normalisation, ReLU. -/
def mnv4Hc2B : KinkedLayer R (N * (d.h1 * (d.s5 * d.s5))) (N * (d.h2 * (1 * 1))) :=
  (cbRelu N (squareSrc 1 1 0 1 1) w.hc2).after (mnv4PoolB R N d.h1 (d.s5 * d.s5))

/-- The second head convolution meets no kink. -/
def MNV4Hc2SmoothAtB (x : Vec R (N * (d.h1 * (d.s5 * d.s5)))) : Prop :=
  CbReluSmoothAt N (squareSrc 1 1 0 1 1) w.hc2 ((mnv4PoolB R N d.h1 (d.s5 * d.s5)).fwd x)

/-- The rendered reverse of the pool and the second head convolution. -/
def mnv4Hc2BBack (x : Vec R (N * (d.h1 * (d.s5 * d.s5)))) (dy : Vec R (N * (d.h2 * (1 * 1)))) :
    Vec R (N * (d.h1 * (d.s5 * d.s5))) :=
  mnv4PoolBBack N d.h1 (d.s5 * d.s5) (cbReluBBack N (squareSrc 1 1 0 1 1) w.hc2
    ((mnv4PoolB R N d.h1 (d.s5 * d.s5)).fwd x) dy)

/-- The stage witness of the pool and the second head convolution. -/
def mnv4Hc2B_has_vjp_at {x : Vec R (N * (d.h1 * (d.s5 * d.s5)))}
    (h : MNV4Hc2SmoothAtB N w x) : HasVJPDiffAt (mnv4Hc2B N w).fwd x :=
  (mnv4Hc2B N w).witness x h

/-- The leaf tie of the pool and the second head convolution. -/
theorem mnv4Hc2BBack_eq_vjp_backward (x : Vec R (N * (d.h1 * (d.s5 * d.s5))))
    (h : (mnv4Hc2B N w).Smooth x) (dy : Vec R (N * (d.h2 * (1 * 1)))) :
    mnv4Hc2BBack N w x dy = ((mnv4Hc2B N w).witness x h).backward dy :=
  KinkedLayer.after_eq_vjp (cbRelu N (squareSrc 1 1 0 1 1) w.hc2)
    (mnv4PoolB R N d.h1 (d.s5 * d.s5)) x h (mnv4PoolB_backward N (d.s5 * d.s5) x)
    (cbReluBBack_eq_vjp_backward N (squareSrc 1 1 0 1 1) w.hc2 _) dy

end Ends

/-- The twenty-six slots of MobileNetV4 (convolutional, medium) at a batch of `N` images. -/
def mnv4Stages (N : Nat) (w : Mnv4Params R d nCls) :
    Mnv4Stages R (N * d.img)
      (N * (d.c0 * (d.s1 * d.s1))) (N * (d.c1 * (d.s2 * d.s2))) (N * (d.c2 * (d.s3 * d.s3)))
      (N * (d.c3 * (d.s4 * d.s4))) (N * (d.c4 * (d.s5 * d.s5))) (N * (d.h1 * (d.s5 * d.s5)))
      (N * (d.h2 * (1 * 1))) (N * nCls) where
  stem := mnv4StemB N w
  fused := mnv4FusedB N d.s1 d.s2 w.fused
  b1 := uibExtraB N 2 1 2 d.s2 d.s3 w.b1
  b2 := uibExtraResB N 1 1 d.s3 w.b2
  b3 := uibExtraB N 2 1 2 d.s3 d.s4 w.b3
  b4 := uibExtraResB N 1 1 d.s4 w.b4
  b5 := uibExtraResB N 1 1 d.s4 w.b5
  b6 := uibExtraResB N 1 2 d.s4 w.b6
  b7 := uibExtraResB N 1 1 d.s4 w.b7
  b8 := uibStartResB N 1 d.s4 w.b8
  b9 := uibFfnResB N d.s4 w.b9
  b10 := uibStartResB N 1 d.s4 w.b10
  b11 := uibExtraB N 2 2 2 d.s4 d.s5 w.b11
  b12 := uibExtraResB N 2 2 d.s5 w.b12
  b13 := uibExtraResB N 1 2 d.s5 w.b13
  b14 := uibExtraResB N 1 2 d.s5 w.b14
  b15 := uibFfnResB N d.s5 w.b15
  b16 := uibStartResB N 1 d.s5 w.b16
  b17 := uibExtraResB N 1 2 d.s5 w.b17
  b18 := uibExtraResB N 2 2 d.s5 w.b18
  b19 := uibFfnResB N d.s5 w.b19
  b20 := uibFfnResB N d.s5 w.b20
  b21 := uibStartResB N 2 d.s5 w.b21
  hc1 := mnv4Hc1B N w
  hc2 := mnv4Hc2B N w
  cls := denseB N w.clsW w.clsB

/-- The batch meets no kink: the 38 ReLUs of stem, fused stage, rows and head. -/
structure Mnv4SmoothAtB (N : Nat) (w : Mnv4Params R d nCls) (x : Vec R (N * d.img)) : Prop where
  stem : MNV4StemSmoothAtB N w x
  fused : Mnv4FusedSmoothAt N d.s1 d.s2 w.fused (mnv4Pre0 (mnv4Stages N w) x)
  b1 : UibExtraSmoothAt N 2 1 2 d.s2 d.s3 w.b1 (mnv4Pre1 (mnv4Stages N w) x)
  b2 : UibExtraResSmoothAt N 1 1 d.s3 w.b2 (mnv4Pre2 (mnv4Stages N w) x)
  b3 : UibExtraSmoothAt N 2 1 2 d.s3 d.s4 w.b3 (mnv4Pre3 (mnv4Stages N w) x)
  b4 : UibExtraResSmoothAt N 1 1 d.s4 w.b4 (mnv4Pre4 (mnv4Stages N w) x)
  b5 : UibExtraResSmoothAt N 1 1 d.s4 w.b5 (mnv4Pre5 (mnv4Stages N w) x)
  b6 : UibExtraResSmoothAt N 1 2 d.s4 w.b6 (mnv4Pre6 (mnv4Stages N w) x)
  b7 : UibExtraResSmoothAt N 1 1 d.s4 w.b7 (mnv4Pre7 (mnv4Stages N w) x)
  b8 : UibStartResSmoothAt N 1 d.s4 w.b8 (mnv4Pre8 (mnv4Stages N w) x)
  b9 : UibFfnResSmoothAt N d.s4 w.b9 (mnv4Pre9 (mnv4Stages N w) x)
  b10 : UibStartResSmoothAt N 1 d.s4 w.b10 (mnv4Pre10 (mnv4Stages N w) x)
  b11 : UibExtraSmoothAt N 2 2 2 d.s4 d.s5 w.b11 (mnv4Pre11 (mnv4Stages N w) x)
  b12 : UibExtraResSmoothAt N 2 2 d.s5 w.b12 (mnv4Pre12 (mnv4Stages N w) x)
  b13 : UibExtraResSmoothAt N 1 2 d.s5 w.b13 (mnv4Pre13 (mnv4Stages N w) x)
  b14 : UibExtraResSmoothAt N 1 2 d.s5 w.b14 (mnv4Pre14 (mnv4Stages N w) x)
  b15 : UibFfnResSmoothAt N d.s5 w.b15 (mnv4Pre15 (mnv4Stages N w) x)
  b16 : UibStartResSmoothAt N 1 d.s5 w.b16 (mnv4Pre16 (mnv4Stages N w) x)
  b17 : UibExtraResSmoothAt N 1 2 d.s5 w.b17 (mnv4Pre17 (mnv4Stages N w) x)
  b18 : UibExtraResSmoothAt N 2 2 d.s5 w.b18 (mnv4Pre18 (mnv4Stages N w) x)
  b19 : UibFfnResSmoothAt N d.s5 w.b19 (mnv4Pre19 (mnv4Stages N w) x)
  b20 : UibFfnResSmoothAt N d.s5 w.b20 (mnv4Pre20 (mnv4Stages N w) x)
  b21 : UibStartResSmoothAt N 2 d.s5 w.b21 (mnv4Pre21 (mnv4Stages N w) x)
  hc1 : CbReluSmoothAt N (squareSrc 1 1 0 d.s5 d.s5) w.hc1 (mnv4Pre22 (mnv4Stages N w) x)
  hc2 : MNV4Hc2SmoothAtB N w (mnv4Pre23 (mnv4Stages N w) x)

/-- The clauses are the smooth points of the slots. -/
theorem Mnv4SmoothAtB.slots {N : Nat} {w : Mnv4Params R d nCls} {x : Vec R (N * d.img)}
    (h : Mnv4SmoothAtB N w x) : (mnv4Stages N w).SmoothAt x :=
  ⟨h.stem, h.fused, h.b1.smooth, h.b2.smooth, h.b3.smooth, h.b4.smooth, h.b5.smooth,
    h.b6.smooth, h.b7.smooth, h.b8.smooth, h.b9.smooth, h.b10.smooth, h.b11.smooth,
    h.b12.smooth, h.b13.smooth, h.b14.smooth, h.b15.smooth, h.b16.smooth, h.b17.smooth,
    h.b18.smooth, h.b19.smooth, h.b20.smooth, h.b21.smooth, h.hc1, h.hc2⟩

/-- **The chain**: the pixel gradient of a batch, as a training step computes it. -/
def mnv4InputGradB (N : Nat) (w : Mnv4Params R d nCls) (x : Vec R (N * d.img))
    (dy : Vec R (N * nCls)) : Vec R (N * d.img) :=
  mnv4StemBBack N w x <|
  mnv4FusedBBack N d.s1 d.s2 w.fused (mnv4Pre0 (mnv4Stages N w) x) <|
  uibExtraBBack N 2 1 2 d.s2 d.s3 w.b1 (mnv4Pre1 (mnv4Stages N w) x) <|
  uibExtraResBBack N 1 1 d.s3 w.b2 (mnv4Pre2 (mnv4Stages N w) x) <|
  uibExtraBBack N 2 1 2 d.s3 d.s4 w.b3 (mnv4Pre3 (mnv4Stages N w) x) <|
  uibExtraResBBack N 1 1 d.s4 w.b4 (mnv4Pre4 (mnv4Stages N w) x) <|
  uibExtraResBBack N 1 1 d.s4 w.b5 (mnv4Pre5 (mnv4Stages N w) x) <|
  uibExtraResBBack N 1 2 d.s4 w.b6 (mnv4Pre6 (mnv4Stages N w) x) <|
  uibExtraResBBack N 1 1 d.s4 w.b7 (mnv4Pre7 (mnv4Stages N w) x) <|
  uibStartResBBack N 1 d.s4 w.b8 (mnv4Pre8 (mnv4Stages N w) x) <|
  uibFfnResBBack N d.s4 w.b9 (mnv4Pre9 (mnv4Stages N w) x) <|
  uibStartResBBack N 1 d.s4 w.b10 (mnv4Pre10 (mnv4Stages N w) x) <|
  uibExtraBBack N 2 2 2 d.s4 d.s5 w.b11 (mnv4Pre11 (mnv4Stages N w) x) <|
  uibExtraResBBack N 2 2 d.s5 w.b12 (mnv4Pre12 (mnv4Stages N w) x) <|
  uibExtraResBBack N 1 2 d.s5 w.b13 (mnv4Pre13 (mnv4Stages N w) x) <|
  uibExtraResBBack N 1 2 d.s5 w.b14 (mnv4Pre14 (mnv4Stages N w) x) <|
  uibFfnResBBack N d.s5 w.b15 (mnv4Pre15 (mnv4Stages N w) x) <|
  uibStartResBBack N 1 d.s5 w.b16 (mnv4Pre16 (mnv4Stages N w) x) <|
  uibExtraResBBack N 1 2 d.s5 w.b17 (mnv4Pre17 (mnv4Stages N w) x) <|
  uibExtraResBBack N 2 2 d.s5 w.b18 (mnv4Pre18 (mnv4Stages N w) x) <|
  uibFfnResBBack N d.s5 w.b19 (mnv4Pre19 (mnv4Stages N w) x) <|
  uibFfnResBBack N d.s5 w.b20 (mnv4Pre20 (mnv4Stages N w) x) <|
  uibStartResBBack N 2 d.s5 w.b21 (mnv4Pre21 (mnv4Stages N w) x) <|
  cbReluBBack N (squareSrc 1 1 0 d.s5 d.s5) w.hc1 (mnv4Pre22 (mnv4Stages N w) x) <|
  mnv4Hc2BBack N w (mnv4Pre23 (mnv4Stages N w) x) <|
  batchFun N (denseBack w.clsW) dy

/-! ## The network as it is written down -/

section Forward

variable (N : Nat) (w : Mnv4Params R d nCls)

/-- The fused stage. -/
def mnv4Fused : Map R (N * (d.c0 * (d.s1 * d.s1))) (N * (d.c1 * (d.s2 * d.s2))) :=
  (mnv4FusedB N d.s1 d.s2 w.fused).fwd

/-- The rows at an eighth of the side. -/
def mnv4Res28 : Map R (N * (d.c1 * (d.s2 * d.s2))) (N * (d.c2 * (d.s3 * d.s3))) :=
  (uibExtraResB N 1 1 d.s3 w.b2).fwd ⊚ (uibExtraB N 2 1 2 d.s2 d.s3 w.b1).fwd

/-- The first rows at a sixteenth of the side. -/
def mnv4Res14a : Map R (N * (d.c2 * (d.s3 * d.s3))) (N * (d.c3 * (d.s4 * d.s4))) :=
  (uibExtraResB N 1 2 d.s4 w.b6).fwd ⊚ (uibExtraResB N 1 1 d.s4 w.b5).fwd ⊚
    (uibExtraResB N 1 1 d.s4 w.b4).fwd ⊚ (uibExtraB N 2 1 2 d.s3 d.s4 w.b3).fwd

/-- The other rows at a sixteenth of the side. -/
def mnv4Res14b : Map R (N * (d.c3 * (d.s4 * d.s4))) (N * (d.c3 * (d.s4 * d.s4))) :=
  (uibStartResB N 1 d.s4 w.b10).fwd ⊚ (uibFfnResB N d.s4 w.b9).fwd ⊚
    (uibStartResB N 1 d.s4 w.b8).fwd ⊚ (uibExtraResB N 1 1 d.s4 w.b7).fwd

/-- The first rows at the last side. -/
def mnv4Res7a : Map R (N * (d.c3 * (d.s4 * d.s4))) (N * (d.c4 * (d.s5 * d.s5))) :=
  (uibFfnResB N d.s5 w.b15).fwd ⊚ (uibExtraResB N 1 2 d.s5 w.b14).fwd ⊚
    (uibExtraResB N 1 2 d.s5 w.b13).fwd ⊚ (uibExtraResB N 2 2 d.s5 w.b12).fwd ⊚
    (uibExtraB N 2 2 2 d.s4 d.s5 w.b11).fwd

/-- The other rows at the last side. -/
def mnv4Res7b : Map R (N * (d.c4 * (d.s5 * d.s5))) (N * (d.c4 * (d.s5 * d.s5))) :=
  (uibStartResB N 2 d.s5 w.b21).fwd ⊚ (uibFfnResB N d.s5 w.b20).fwd ⊚
    (uibFfnResB N d.s5 w.b19).fwd ⊚ (uibExtraResB N 2 2 d.s5 w.b18).fwd ⊚
    (uibExtraResB N 1 2 d.s5 w.b17).fwd ⊚ (uibStartResB N 1 d.s5 w.b16).fwd

/-- The head: two convolutions, the pool between them, and the classifier. -/
def mnv4HeadStack : Map R (N * (d.c4 * (d.s5 * d.s5))) (N * nCls) :=
  (denseB N w.clsW w.clsB).fwd ⊚ (mnv4Hc2B N w).fwd ⊚ (mnv4Hc1B N w).fwd

/-- **The network at a batch**. -/
def mobilenetv4ForwardBFull : Map R (N * d.img) (N * nCls) :=
  mnv4HeadStack N w ⊚ mnv4Res7b N w ⊚ mnv4Res7a N w ⊚ mnv4Res14b N w ⊚ mnv4Res14a N w ⊚
    mnv4Res28 N w ⊚ mnv4Fused N w ⊚ (mnv4StemB N w).fwd

end Forward

end NetTies
