import NetTies.Layers.GlobalComp
import NetTies.Layers.Kinked

/-! # The eighteen stages of EfficientNet-B0

EfficientNet-B0 at a batch is a chain of eighteen stages: the stem, sixteen blocks and the head,
each a function of the whole batch. Swish is smooth everywhere, so every stage has a witness at
every point. This module is about such chains with the stages as variables.

* `effPre0`, …, `effPre16`: the named prefixes, which are the saved activations;
* `efficientnetB_full_has_vjp`: the apex, a global witness by seventeen compositions, and
  `efficientnetB_full_has_vjp_backward`, its peel, proved here where the stages are variables;
* `efficientnetB_full_has_vjp_of_leaves`: backward functions tied slot by slot compose to it.

Answers: the family of seven batched ties: EfficientNet-B0's apex. -/

namespace NetTies

variable {R : Type} [CommRing R] {img e0 e1 e2 e3 e4 e5 e6 e7 out : Nat}

/-- The eighteen stages, each a function of the whole batch. -/
structure EffNetStages (R : Type) [CommRing R] (img e0 e1 e2 e3 e4 e5 e6 e7 out : Nat) where
  stem : TiedLayer R img e0
  b1 : TiedLayer R e0 e1
  b2 : TiedLayer R e1 e2
  b3 : TiedLayer R e2 e2
  b4 : TiedLayer R e2 e3
  b5 : TiedLayer R e3 e3
  b6 : TiedLayer R e3 e4
  (b7 b8 : TiedLayer R e4 e4)
  b9 : TiedLayer R e4 e5
  (b10 b11 : TiedLayer R e5 e5)
  b12 : TiedLayer R e5 e6
  (b13 b14 b15 : TiedLayer R e6 e6)
  b16 : TiedLayer R e6 e7
  head : TiedLayer R e7 out

variable (s : EffNetStages R img e0 e1 e2 e3 e4 e5 e6 e7 out)

/-! ## The named prefixes: the saved activations -/

/-- The input of `b1`. -/
abbrev effPre0 : Map R img e0 := s.stem.fwd

/-- The input of `b2`. -/
abbrev effPre1 : Map R img e1 := s.b1.fwd ⊚ effPre0 s

/-- The input of `b3`. -/
abbrev effPre2 : Map R img e2 := s.b2.fwd ⊚ effPre1 s

/-- The input of `b4`. -/
abbrev effPre3 : Map R img e2 := s.b3.fwd ⊚ effPre2 s

/-- The input of `b5`. -/
abbrev effPre4 : Map R img e3 := s.b4.fwd ⊚ effPre3 s

/-- The input of `b6`. -/
abbrev effPre5 : Map R img e3 := s.b5.fwd ⊚ effPre4 s

/-- The input of `b7`. -/
abbrev effPre6 : Map R img e4 := s.b6.fwd ⊚ effPre5 s

/-- The input of `b8`. -/
abbrev effPre7 : Map R img e4 := s.b7.fwd ⊚ effPre6 s

/-- The input of `b9`. -/
abbrev effPre8 : Map R img e4 := s.b8.fwd ⊚ effPre7 s

/-- The input of `b10`. -/
abbrev effPre9 : Map R img e5 := s.b9.fwd ⊚ effPre8 s

/-- The input of `b11`. -/
abbrev effPre10 : Map R img e5 := s.b10.fwd ⊚ effPre9 s

/-- The input of `b12`. -/
abbrev effPre11 : Map R img e5 := s.b11.fwd ⊚ effPre10 s

/-- The input of `b13`. -/
abbrev effPre12 : Map R img e6 := s.b12.fwd ⊚ effPre11 s

/-- The input of `b14`. -/
abbrev effPre13 : Map R img e6 := s.b13.fwd ⊚ effPre12 s

/-- The input of `b15`. -/
abbrev effPre14 : Map R img e6 := s.b14.fwd ⊚ effPre13 s

/-- The input of `b16`. -/
abbrev effPre15 : Map R img e6 := s.b15.fwd ⊚ effPre14 s

/-- The input of `head`. -/
abbrev effPre16 : Map R img e7 := s.b16.fwd ⊚ effPre15 s

/-- The eighteen stages, composed. -/
def efficientnetSlotsB : Map R img out := s.head.fwd ⊚ effPre16 s

/-! ## The prefixes are differentiable -/

theorem effPre0_diff (x : Vec R img) : DifferentiableAt (effPre0 s) x :=
  s.stem.diff x

theorem effPre1_diff (x : Vec R img) : DifferentiableAt (effPre1 s) x :=
  (effPre0_diff s x).comp (s.b1.diff _)

theorem effPre2_diff (x : Vec R img) : DifferentiableAt (effPre2 s) x :=
  (effPre1_diff s x).comp (s.b2.diff _)

theorem effPre3_diff (x : Vec R img) : DifferentiableAt (effPre3 s) x :=
  (effPre2_diff s x).comp (s.b3.diff _)

theorem effPre4_diff (x : Vec R img) : DifferentiableAt (effPre4 s) x :=
  (effPre3_diff s x).comp (s.b4.diff _)

theorem effPre5_diff (x : Vec R img) : DifferentiableAt (effPre5 s) x :=
  (effPre4_diff s x).comp (s.b5.diff _)

theorem effPre6_diff (x : Vec R img) : DifferentiableAt (effPre6 s) x :=
  (effPre5_diff s x).comp (s.b6.diff _)

theorem effPre7_diff (x : Vec R img) : DifferentiableAt (effPre7 s) x :=
  (effPre6_diff s x).comp (s.b7.diff _)

theorem effPre8_diff (x : Vec R img) : DifferentiableAt (effPre8 s) x :=
  (effPre7_diff s x).comp (s.b8.diff _)

theorem effPre9_diff (x : Vec R img) : DifferentiableAt (effPre9 s) x :=
  (effPre8_diff s x).comp (s.b9.diff _)

theorem effPre10_diff (x : Vec R img) : DifferentiableAt (effPre10 s) x :=
  (effPre9_diff s x).comp (s.b10.diff _)

theorem effPre11_diff (x : Vec R img) : DifferentiableAt (effPre11 s) x :=
  (effPre10_diff s x).comp (s.b11.diff _)

theorem effPre12_diff (x : Vec R img) : DifferentiableAt (effPre12 s) x :=
  (effPre11_diff s x).comp (s.b12.diff _)

theorem effPre13_diff (x : Vec R img) : DifferentiableAt (effPre13 s) x :=
  (effPre12_diff s x).comp (s.b13.diff _)

theorem effPre14_diff (x : Vec R img) : DifferentiableAt (effPre14 s) x :=
  (effPre13_diff s x).comp (s.b14.diff _)

theorem effPre15_diff (x : Vec R img) : DifferentiableAt (effPre15 s) x :=
  (effPre14_diff s x).comp (s.b15.diff _)

theorem effPre16_diff (x : Vec R img) : DifferentiableAt (effPre16 s) x :=
  (effPre15_diff s x).comp (s.b16.diff _)

/-! ## The apex -/

/-- **The apex**: the certified backward function of the eighteen stages, by 17 compositions.
Level `k` composes the witness of a stage with that of the prefix before it, whose map is named. -/
def efficientnetB_full_has_vjp : HasVJP (efficientnetSlotsB s) :=
  let p0 : HasVJP (effPre0 s) := s.stem.vjp
  let p1 : HasVJP (effPre1 s) :=
    vjp_comp (effPre0_diff s) s.b1.diff p0 s.b1.vjp
  let p2 : HasVJP (effPre2 s) :=
    vjp_comp (effPre1_diff s) s.b2.diff p1 s.b2.vjp
  let p3 : HasVJP (effPre3 s) :=
    vjp_comp (effPre2_diff s) s.b3.diff p2 s.b3.vjp
  let p4 : HasVJP (effPre4 s) :=
    vjp_comp (effPre3_diff s) s.b4.diff p3 s.b4.vjp
  let p5 : HasVJP (effPre5 s) :=
    vjp_comp (effPre4_diff s) s.b5.diff p4 s.b5.vjp
  let p6 : HasVJP (effPre6 s) :=
    vjp_comp (effPre5_diff s) s.b6.diff p5 s.b6.vjp
  let p7 : HasVJP (effPre7 s) :=
    vjp_comp (effPre6_diff s) s.b7.diff p6 s.b7.vjp
  let p8 : HasVJP (effPre8 s) :=
    vjp_comp (effPre7_diff s) s.b8.diff p7 s.b8.vjp
  let p9 : HasVJP (effPre9 s) :=
    vjp_comp (effPre8_diff s) s.b9.diff p8 s.b9.vjp
  let p10 : HasVJP (effPre10 s) :=
    vjp_comp (effPre9_diff s) s.b10.diff p9 s.b10.vjp
  let p11 : HasVJP (effPre11 s) :=
    vjp_comp (effPre10_diff s) s.b11.diff p10 s.b11.vjp
  let p12 : HasVJP (effPre12 s) :=
    vjp_comp (effPre11_diff s) s.b12.diff p11 s.b12.vjp
  let p13 : HasVJP (effPre13 s) :=
    vjp_comp (effPre12_diff s) s.b13.diff p12 s.b13.vjp
  let p14 : HasVJP (effPre14 s) :=
    vjp_comp (effPre13_diff s) s.b14.diff p13 s.b14.vjp
  let p15 : HasVJP (effPre15 s) :=
    vjp_comp (effPre14_diff s) s.b15.diff p14 s.b15.vjp
  let p16 : HasVJP (effPre16 s) :=
    vjp_comp (effPre15_diff s) s.b16.diff p15 s.b16.vjp
  vjp_comp (effPre16_diff s) s.head.diff p16 s.head.vjp

/-- The apex, peeled: backward functions in reverse order, each at its named prefix. -/
theorem efficientnetB_full_has_vjp_backward (x : Vec R img) (dy : Vec R out) :
    (efficientnetB_full_has_vjp s).backward x dy =
      (s.stem.vjp.backward x <| s.b1.vjp.backward (effPre0 s x) <|
      s.b2.vjp.backward (effPre1 s x) <| s.b3.vjp.backward (effPre2 s x) <|
      s.b4.vjp.backward (effPre3 s x) <| s.b5.vjp.backward (effPre4 s x) <|
      s.b6.vjp.backward (effPre5 s x) <| s.b7.vjp.backward (effPre6 s x) <|
      s.b8.vjp.backward (effPre7 s x) <| s.b9.vjp.backward (effPre8 s x) <|
      s.b10.vjp.backward (effPre9 s x) <| s.b11.vjp.backward (effPre10 s x) <|
      s.b12.vjp.backward (effPre11 s x) <| s.b13.vjp.backward (effPre12 s x) <|
      s.b14.vjp.backward (effPre13 s x) <| s.b15.vjp.backward (effPre14 s x) <|
      s.b16.vjp.backward (effPre15 s x) <| s.head.vjp.backward (effPre16 s x) <| dy) := rfl

/-- **How a chain is tied**: backward functions that are tied slot by slot compose to the apex. -/
theorem efficientnetB_full_has_vjp_of_leaves (x : Vec R img)
    {f0 : Vec R e0 → Vec R img}
    {f1 : Vec R e1 → Vec R e0}
    {f2 : Vec R e2 → Vec R e1}
    {f3 : Vec R e2 → Vec R e2}
    {f4 : Vec R e3 → Vec R e2}
    {f5 : Vec R e3 → Vec R e3}
    {f6 : Vec R e4 → Vec R e3}
    {f7 f8 : Vec R e4 → Vec R e4}
    {f9 : Vec R e5 → Vec R e4}
    {f10 f11 : Vec R e5 → Vec R e5}
    {f12 : Vec R e6 → Vec R e5}
    {f13 f14 f15 : Vec R e6 → Vec R e6}
    {f16 : Vec R e7 → Vec R e6}
    {f17 : Vec R out → Vec R e7}
    (stem : ∀ dy, f0 dy = s.stem.vjp.backward x dy)
    (b1 : ∀ dy, f1 dy = s.b1.vjp.backward (effPre0 s x) dy)
    (b2 : ∀ dy, f2 dy = s.b2.vjp.backward (effPre1 s x) dy)
    (b3 : ∀ dy, f3 dy = s.b3.vjp.backward (effPre2 s x) dy)
    (b4 : ∀ dy, f4 dy = s.b4.vjp.backward (effPre3 s x) dy)
    (b5 : ∀ dy, f5 dy = s.b5.vjp.backward (effPre4 s x) dy)
    (b6 : ∀ dy, f6 dy = s.b6.vjp.backward (effPre5 s x) dy)
    (b7 : ∀ dy, f7 dy = s.b7.vjp.backward (effPre6 s x) dy)
    (b8 : ∀ dy, f8 dy = s.b8.vjp.backward (effPre7 s x) dy)
    (b9 : ∀ dy, f9 dy = s.b9.vjp.backward (effPre8 s x) dy)
    (b10 : ∀ dy, f10 dy = s.b10.vjp.backward (effPre9 s x) dy)
    (b11 : ∀ dy, f11 dy = s.b11.vjp.backward (effPre10 s x) dy)
    (b12 : ∀ dy, f12 dy = s.b12.vjp.backward (effPre11 s x) dy)
    (b13 : ∀ dy, f13 dy = s.b13.vjp.backward (effPre12 s x) dy)
    (b14 : ∀ dy, f14 dy = s.b14.vjp.backward (effPre13 s x) dy)
    (b15 : ∀ dy, f15 dy = s.b15.vjp.backward (effPre14 s x) dy)
    (b16 : ∀ dy, f16 dy = s.b16.vjp.backward (effPre15 s x) dy)
    (head : ∀ dy, f17 dy = s.head.vjp.backward (effPre16 s x) dy)
    (dy : Vec R out) :
    (f0 <| f1 <| f2 <| f3 <| f4 <| f5 <| f6 <| f7 <| f8 <| f9 <| f10 <| f11 <| f12 <| f13 <| f14 <|
    f15 <| f16 <| f17 dy) =
      (efficientnetB_full_has_vjp s).backward x dy := by
  rw [stem, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15, b16, head,
    efficientnetB_full_has_vjp_backward]

end NetTies
