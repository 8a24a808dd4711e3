import NetTies.Nets.EfficientNet.EfficientNetStages
import NetTies.Nets.EfficientNet.MBConv

/-! # EfficientNet-B0 and its reverse chain

`efficientnetInputGradBFull` is the pixel gradient of EfficientNet-B0 at a batch of `N` images, as a
training step computes it: the head, sixteen blocks and the stem in reverse order, each rendered
backward function at the named saved activation before its block. `efficientnetForwardBFull` is the
network as it is written down, stage by stage; `effStages` are its eighteen slots.

Padding before is that of the `SAME` convention: with stride 2 at an even side, zero for a 3 × 3
kernel and one for a 5 × 5 kernel.

Answers: the family of seven batched ties: EfficientNet-B0's chain. -/

namespace NetTies

/-- Channels `c`, squeeze widths `m`, width of the head and resolution of an EfficientNet. -/
structure EffDims where
  c0 : Nat
  c1 : Nat
  c2 : Nat
  c3 : Nat
  c4 : Nat
  c5 : Nat
  c6 : Nat
  c7 : Nat
  ch : Nat
  m0 : Nat
  m1 : Nat
  m2 : Nat
  m3 : Nat
  m4 : Nat
  m5 : Nat
  m6 : Nat
  q : Nat

namespace EffDims

/-- The side of an image. -/
abbrev side (d : EffDims) : Nat := 32 * d.q

/-- The side after the stem. -/
abbrev s1 (d : EffDims) : Nat := 16 * d.q

/-- The side of stage 2. -/
abbrev s2 (d : EffDims) : Nat := 8 * d.q

/-- The side of stage 3. -/
abbrev s3 (d : EffDims) : Nat := 4 * d.q

/-- The side of stages 4 and 5. -/
abbrev s4 (d : EffDims) : Nat := 2 * d.q

/-- The side of stages 6 and 7. -/
abbrev s5 (d : EffDims) : Nat := d.q

/-- The entries of an image. -/
abbrev img (d : EffDims) : Nat := 3 * (d.side * d.side)

end EffDims

variable {R : Type} [Scalars R] {d : EffDims} {nCls : Nat}

/-- The parameters of EfficientNet-B0 with `nCls` classes. Each of its 49 normalisations carries the
positivity of its `ε`. -/
structure B0Weights (R : Type) [Scalars R] (d : EffDims) (nCls : Nat) where
  stem : ConvBNParams R d.c0 3 (3 * 3)
  b1 : MBNoExpParams R d.c0 d.m0 d.c1 3
  b2 : MBExpParams R d.c1 (6 * d.c1) d.m1 d.c2 3
  b3 : MBExpParams R d.c2 (6 * d.c2) d.m2 d.c2 3
  b4 : MBExpParams R d.c2 (6 * d.c2) d.m2 d.c3 5
  b5 : MBExpParams R d.c3 (6 * d.c3) d.m3 d.c3 5
  b6 : MBExpParams R d.c3 (6 * d.c3) d.m3 d.c4 3
  b7 : MBExpParams R d.c4 (6 * d.c4) d.m4 d.c4 3
  b8 : MBExpParams R d.c4 (6 * d.c4) d.m4 d.c4 3
  b9 : MBExpParams R d.c4 (6 * d.c4) d.m4 d.c5 5
  b10 : MBExpParams R d.c5 (6 * d.c5) d.m5 d.c5 5
  b11 : MBExpParams R d.c5 (6 * d.c5) d.m5 d.c5 5
  b12 : MBExpParams R d.c5 (6 * d.c5) d.m5 d.c6 5
  b13 : MBExpParams R d.c6 (6 * d.c6) d.m6 d.c6 5
  b14 : MBExpParams R d.c6 (6 * d.c6) d.m6 d.c6 5
  b15 : MBExpParams R d.c6 (6 * d.c6) d.m6 d.c6 5
  b16 : MBExpParams R d.c6 (6 * d.c6) d.m6 d.c7 3
  head : ConvBNParams R d.ch d.c7 (1 * 1)
  headW : Mat R d.ch nCls
  headB : Vec R nCls

section Ends

variable (N : Nat) (w : B0Weights R d nCls)

/-- The stem: 3 × 3 convolution with stride 2, batch normalisation, swish. -/
def effStem : TiedLayer R (N * d.img) (N * (d.c0 * (d.s1 * d.s1))) :=
  cbSwish N (squareSrc 3 2 0 d.side d.s1) w.stem

/-- The rendered reverse of the stem. -/
def stemBBack (x : Vec R (N * d.img))
    (dy : Vec R (N * (d.c0 * (d.s1 * d.s1)))) : Vec R (N * d.img) :=
  cbSwishBack N (squareSrc 3 2 0 d.side d.s1) w.stem x dy

/-- The stage witness of the stem, at every point. -/
def effStem_has_vjp : HasVJP (effStem N w).fwd := (effStem N w).vjp

/-- The leaf tie of the stem. -/
theorem stemBBack_eq_vjp_backward (x : Vec R (N * d.img))
    (dy : Vec R (N * (d.c0 * (d.s1 * d.s1)))) :
    stemBBack N w x dy = (effStem N w).vjp.backward x dy := by
  rw [stemBBack, cbSwishBack_eq_vjp]
  rfl

/-- The head: 1 × 1 convolution, batch normalisation and swish, global average pool, dense layer. -/
def effHead : TiedLayer R (N * (d.c7 * (d.s5 * d.s5))) (N * nCls) :=
  (gapDense N d.ch (d.s5 * d.s5) w.headW w.headB).comp
    (cbSwish N (squareSrc 1 1 0 d.s5 d.s5) w.head)

/-- The rendered reverse of the head. -/
def headFwdBBack (x : Vec R (N * (d.c7 * (d.s5 * d.s5)))) (dy : Vec R (N * nCls)) :
    Vec R (N * (d.c7 * (d.s5 * d.s5))) :=
  cbSwishBack N (squareSrc 1 1 0 d.s5 d.s5) w.head x (gapDenseBack N (d.s5 * d.s5) w.headW dy)

/-- The stage witness of the head, at every point. -/
def effHead_has_vjp : HasVJP (effHead N w).fwd := (effHead N w).vjp

/-- The leaf tie of the head. -/
theorem headFwdBBack_eq_vjp_backward (x : Vec R (N * (d.c7 * (d.s5 * d.s5))))
    (dy : Vec R (N * nCls)) :
    headFwdBBack N w x dy = (effHead N w).vjp.backward x dy := by
  rw [headFwdBBack, cbSwishBack_eq_vjp]
  rfl

end Ends

/-- The eighteen slots of EfficientNet-B0 at a batch of `N` images. -/
def effStages (N : Nat) (w : B0Weights R d nCls) :
    EffNetStages R (N * d.img)
      (N * (d.c0 * (d.s1 * d.s1)))
      (N * (d.c1 * (d.s1 * d.s1)))
      (N * (d.c2 * (d.s2 * d.s2)))
      (N * (d.c3 * (d.s3 * d.s3)))
      (N * (d.c4 * (d.s4 * d.s4)))
      (N * (d.c5 * (d.s4 * d.s4)))
      (N * (d.c6 * (d.s5 * d.s5)))
      (N * (d.c7 * (d.s5 * d.s5))) (N * nCls) where
  stem := effStem N w
  b1 := mbNoExp N 1 1 d.s1 d.s1 w.b1
  b2 := mbExp N 2 0 d.s1 d.s2 w.b2
  b3 := mbRes N 1 d.s2 w.b3
  b4 := mbExp N 2 1 d.s2 d.s3 w.b4
  b5 := mbRes N 2 d.s3 w.b5
  b6 := mbExp N 2 0 d.s3 d.s4 w.b6
  b7 := mbRes N 1 d.s4 w.b7
  b8 := mbRes N 1 d.s4 w.b8
  b9 := mbExp N 1 2 d.s4 d.s4 w.b9
  b10 := mbRes N 2 d.s4 w.b10
  b11 := mbRes N 2 d.s4 w.b11
  b12 := mbExp N 2 1 d.s4 d.s5 w.b12
  b13 := mbRes N 2 d.s5 w.b13
  b14 := mbRes N 2 d.s5 w.b14
  b15 := mbRes N 2 d.s5 w.b15
  b16 := mbExp N 1 1 d.s5 d.s5 w.b16
  head := effHead N w

/-- **The chain**: the pixel gradient of a batch, as a training step computes it. -/
def efficientnetInputGradBFull (N : Nat) (w : B0Weights R d nCls) (x : Vec R (N * d.img))
    (dy : Vec R (N * nCls)) : Vec R (N * d.img) :=
  stemBBack N w x <|
  mbNoExpBack N 1 1 d.s1 d.s1 w.b1 (effPre0 (effStages N w) x) <|
  mbExpBack N 2 0 d.s1 d.s2 w.b2 (effPre1 (effStages N w) x) <|
  mbResBack N 1 d.s2 w.b3 (effPre2 (effStages N w) x) <|
  mbExpBack N 2 1 d.s2 d.s3 w.b4 (effPre3 (effStages N w) x) <|
  mbResBack N 2 d.s3 w.b5 (effPre4 (effStages N w) x) <|
  mbExpBack N 2 0 d.s3 d.s4 w.b6 (effPre5 (effStages N w) x) <|
  mbResBack N 1 d.s4 w.b7 (effPre6 (effStages N w) x) <|
  mbResBack N 1 d.s4 w.b8 (effPre7 (effStages N w) x) <|
  mbExpBack N 1 2 d.s4 d.s4 w.b9 (effPre8 (effStages N w) x) <|
  mbResBack N 2 d.s4 w.b10 (effPre9 (effStages N w) x) <|
  mbResBack N 2 d.s4 w.b11 (effPre10 (effStages N w) x) <|
  mbExpBack N 2 1 d.s4 d.s5 w.b12 (effPre11 (effStages N w) x) <|
  mbResBack N 2 d.s5 w.b13 (effPre12 (effStages N w) x) <|
  mbResBack N 2 d.s5 w.b14 (effPre13 (effStages N w) x) <|
  mbResBack N 2 d.s5 w.b15 (effPre14 (effStages N w) x) <|
  mbExpBack N 1 1 d.s5 d.s5 w.b16 (effPre15 (effStages N w) x) <|
  headFwdBBack N w (effPre16 (effStages N w) x) dy

/-! ## The network as it is written down -/

section Forward

variable (N : Nat) (w : B0Weights R d nCls)

/-- Stage 1: one block without expansion. -/
def effStage1 : Map R (N * (d.c0 * (d.s1 * d.s1))) (N * (d.c1 * (d.s1 * d.s1))) :=
  (mbNoExp N 1 1 d.s1 d.s1 w.b1).fwd

/-- Stage 2: a strided block and a residual one. -/
def effStage2 : Map R (N * (d.c1 * (d.s1 * d.s1))) (N * (d.c2 * (d.s2 * d.s2))) :=
  (mbRes N 1 d.s2 w.b3).fwd ⊚ (mbExp N 2 0 d.s1 d.s2 w.b2).fwd

/-- Stage 3: a strided block and a residual one. -/
def effStage3 : Map R (N * (d.c2 * (d.s2 * d.s2))) (N * (d.c3 * (d.s3 * d.s3))) :=
  (mbRes N 2 d.s3 w.b5).fwd ⊚ (mbExp N 2 1 d.s2 d.s3 w.b4).fwd

/-- Stage 4: a strided block and two residual ones. -/
def effStage4 : Map R (N * (d.c3 * (d.s3 * d.s3))) (N * (d.c4 * (d.s4 * d.s4))) :=
  (mbRes N 1 d.s4 w.b8).fwd ⊚ (mbRes N 1 d.s4 w.b7).fwd ⊚ (mbExp N 2 0 d.s3 d.s4 w.b6).fwd

/-- Stage 5: a block that widens and two residual ones. -/
def effStage5 : Map R (N * (d.c4 * (d.s4 * d.s4))) (N * (d.c5 * (d.s4 * d.s4))) :=
  (mbRes N 2 d.s4 w.b11).fwd ⊚ (mbRes N 2 d.s4 w.b10).fwd ⊚ (mbExp N 1 2 d.s4 d.s4 w.b9).fwd

/-- Stage 6: a strided block and three residual ones. -/
def effStage6 : Map R (N * (d.c5 * (d.s4 * d.s4))) (N * (d.c6 * (d.s5 * d.s5))) :=
  (mbRes N 2 d.s5 w.b15).fwd ⊚ (mbRes N 2 d.s5 w.b14).fwd ⊚ (mbRes N 2 d.s5 w.b13).fwd ⊚
    (mbExp N 2 1 d.s4 d.s5 w.b12).fwd

/-- Stage 7: a block that widens. -/
def effStage7 : Map R (N * (d.c6 * (d.s5 * d.s5))) (N * (d.c7 * (d.s5 * d.s5))) :=
  (mbExp N 1 1 d.s5 d.s5 w.b16).fwd

/-- **The network at a batch**: the stem, seven stages and the head. -/
def efficientnetForwardBFull : Map R (N * d.img) (N * nCls) :=
  (effHead N w).fwd ⊚ effStage7 N w ⊚ effStage6 N w ⊚ effStage5 N w ⊚ effStage4 N w ⊚
    effStage3 N w ⊚ effStage2 N w ⊚ effStage1 N w ⊚ (effStem N w).fwd

end Forward

end NetTies
