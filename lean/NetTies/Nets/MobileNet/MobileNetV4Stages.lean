import NetTies.Layers.Kinked

/-! # The twenty-six stages of MobileNetV4

MobileNetV4 at a batch is a chain of twenty-six stages: the stem, the fused stage, twenty-one rows,
two head convolutions and the classifier.
Batch normalisation couples the examples, so a stage is a function of the whole batch. This module
is about such chains with the stages as variables.

* `mnv4Pre0`, …, `mnv4Pre24`: the named prefixes, which are the saved activations;
* `mnv4B_full_has_vjp_at`: the apex, twenty-five compositions whose inner maps are the prefixes, and
  `mnv4B_full_has_vjp_at_backward`, its peel, proved here where the stages are variables;
* `mnv4B_full_has_vjp_at_of_leaves`: backward functions tied slot by slot compose to it.

Answers: the family of seven batched ties: MobileNetV4's apex. -/

namespace NetTies

variable {R : Type} [CommRing R] {img e0 e1 e2 e3 e4 e5 e6 out : Nat}

/-- The twenty-six stages, each a function of the whole batch. -/
structure Mnv4Stages (R : Type) [CommRing R] (img e0 e1 e2 e3 e4 e5 e6 out : Nat) where
  stem : KinkedLayer R img e0
  fused : KinkedLayer R e0 e1
  b1 : KinkedLayer R e1 e2
  b2 : KinkedLayer R e2 e2
  b3 : KinkedLayer R e2 e3
  (b4 b5 b6 b7 b8 b9 b10 : KinkedLayer R e3 e3)
  b11 : KinkedLayer R e3 e4
  (b12 b13 b14 b15 b16 b17 b18 b19 b20 b21 : KinkedLayer R e4 e4)
  hc1 : KinkedLayer R e4 e5
  hc2 : KinkedLayer R e5 e6
  cls : TiedLayer R e6 out

variable (s : Mnv4Stages R img e0 e1 e2 e3 e4 e5 e6 out)

/-! ## The named prefixes: the saved activations -/

/-- The input of `fused`. -/
abbrev mnv4Pre0 : Map R img e0 := s.stem.fwd

/-- The input of `b1`. -/
abbrev mnv4Pre1 : Map R img e1 := s.fused.fwd ⊚ mnv4Pre0 s

/-- The input of `b2`. -/
abbrev mnv4Pre2 : Map R img e2 := s.b1.fwd ⊚ mnv4Pre1 s

/-- The input of `b3`. -/
abbrev mnv4Pre3 : Map R img e2 := s.b2.fwd ⊚ mnv4Pre2 s

/-- The input of `b4`. -/
abbrev mnv4Pre4 : Map R img e3 := s.b3.fwd ⊚ mnv4Pre3 s

/-- The input of `b5`. -/
abbrev mnv4Pre5 : Map R img e3 := s.b4.fwd ⊚ mnv4Pre4 s

/-- The input of `b6`. -/
abbrev mnv4Pre6 : Map R img e3 := s.b5.fwd ⊚ mnv4Pre5 s

/-- The input of `b7`. -/
abbrev mnv4Pre7 : Map R img e3 := s.b6.fwd ⊚ mnv4Pre6 s

/-- The input of `b8`. -/
abbrev mnv4Pre8 : Map R img e3 := s.b7.fwd ⊚ mnv4Pre7 s

/-- The input of `b9`. -/
abbrev mnv4Pre9 : Map R img e3 := s.b8.fwd ⊚ mnv4Pre8 s

/-- The input of `b10`. -/
abbrev mnv4Pre10 : Map R img e3 := s.b9.fwd ⊚ mnv4Pre9 s

/-- The input of `b11`. -/
abbrev mnv4Pre11 : Map R img e3 := s.b10.fwd ⊚ mnv4Pre10 s

/-- The input of `b12`. -/
abbrev mnv4Pre12 : Map R img e4 := s.b11.fwd ⊚ mnv4Pre11 s

/-- The input of `b13`. -/
abbrev mnv4Pre13 : Map R img e4 := s.b12.fwd ⊚ mnv4Pre12 s

/-- The input of `b14`. -/
abbrev mnv4Pre14 : Map R img e4 := s.b13.fwd ⊚ mnv4Pre13 s

/-- The input of `b15`. -/
abbrev mnv4Pre15 : Map R img e4 := s.b14.fwd ⊚ mnv4Pre14 s

/-- The input of `b16`. -/
abbrev mnv4Pre16 : Map R img e4 := s.b15.fwd ⊚ mnv4Pre15 s

/-- The input of `b17`. -/
abbrev mnv4Pre17 : Map R img e4 := s.b16.fwd ⊚ mnv4Pre16 s

/-- The input of `b18`. -/
abbrev mnv4Pre18 : Map R img e4 := s.b17.fwd ⊚ mnv4Pre17 s

/-- The input of `b19`. -/
abbrev mnv4Pre19 : Map R img e4 := s.b18.fwd ⊚ mnv4Pre18 s

/-- The input of `b20`. -/
abbrev mnv4Pre20 : Map R img e4 := s.b19.fwd ⊚ mnv4Pre19 s

/-- The input of `b21`. -/
abbrev mnv4Pre21 : Map R img e4 := s.b20.fwd ⊚ mnv4Pre20 s

/-- The input of `hc1`. -/
abbrev mnv4Pre22 : Map R img e4 := s.b21.fwd ⊚ mnv4Pre21 s

/-- The input of `hc2`. -/
abbrev mnv4Pre23 : Map R img e5 := s.hc1.fwd ⊚ mnv4Pre22 s

/-- The input of `cls`. -/
abbrev mnv4Pre24 : Map R img e6 := s.hc2.fwd ⊚ mnv4Pre23 s

/-- The twenty-six stages, composed. -/
def mnv4SlotsB : Map R img out := s.cls.fwd ⊚ mnv4Pre24 s

/-- The input meets no kink: each stage is smooth at its saved activation. -/
structure Mnv4Stages.SmoothAt (x : Vec R img) : Prop where
  stem : s.stem.Smooth x
  fused : s.fused.Smooth (mnv4Pre0 s x)
  b1 : s.b1.Smooth (mnv4Pre1 s x)
  b2 : s.b2.Smooth (mnv4Pre2 s x)
  b3 : s.b3.Smooth (mnv4Pre3 s x)
  b4 : s.b4.Smooth (mnv4Pre4 s x)
  b5 : s.b5.Smooth (mnv4Pre5 s x)
  b6 : s.b6.Smooth (mnv4Pre6 s x)
  b7 : s.b7.Smooth (mnv4Pre7 s x)
  b8 : s.b8.Smooth (mnv4Pre8 s x)
  b9 : s.b9.Smooth (mnv4Pre9 s x)
  b10 : s.b10.Smooth (mnv4Pre10 s x)
  b11 : s.b11.Smooth (mnv4Pre11 s x)
  b12 : s.b12.Smooth (mnv4Pre12 s x)
  b13 : s.b13.Smooth (mnv4Pre13 s x)
  b14 : s.b14.Smooth (mnv4Pre14 s x)
  b15 : s.b15.Smooth (mnv4Pre15 s x)
  b16 : s.b16.Smooth (mnv4Pre16 s x)
  b17 : s.b17.Smooth (mnv4Pre17 s x)
  b18 : s.b18.Smooth (mnv4Pre18 s x)
  b19 : s.b19.Smooth (mnv4Pre19 s x)
  b20 : s.b20.Smooth (mnv4Pre20 s x)
  b21 : s.b21.Smooth (mnv4Pre21 s x)
  hc1 : s.hc1.Smooth (mnv4Pre22 s x)
  hc2 : s.hc2.Smooth (mnv4Pre23 s x)

variable {s} {x : Vec R img}

/-! ## The prefixes are differentiable -/

theorem mnv4Pre0_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre0 s) x :=
  (s.stem.witness x h.stem).diff

theorem mnv4Pre1_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre1 s) x :=
  (mnv4Pre0_diff h).comp (s.fused.witness (mnv4Pre0 s x) h.fused).diff

theorem mnv4Pre2_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre2 s) x :=
  (mnv4Pre1_diff h).comp (s.b1.witness (mnv4Pre1 s x) h.b1).diff

theorem mnv4Pre3_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre3 s) x :=
  (mnv4Pre2_diff h).comp (s.b2.witness (mnv4Pre2 s x) h.b2).diff

theorem mnv4Pre4_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre4 s) x :=
  (mnv4Pre3_diff h).comp (s.b3.witness (mnv4Pre3 s x) h.b3).diff

theorem mnv4Pre5_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre5 s) x :=
  (mnv4Pre4_diff h).comp (s.b4.witness (mnv4Pre4 s x) h.b4).diff

theorem mnv4Pre6_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre6 s) x :=
  (mnv4Pre5_diff h).comp (s.b5.witness (mnv4Pre5 s x) h.b5).diff

theorem mnv4Pre7_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre7 s) x :=
  (mnv4Pre6_diff h).comp (s.b6.witness (mnv4Pre6 s x) h.b6).diff

theorem mnv4Pre8_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre8 s) x :=
  (mnv4Pre7_diff h).comp (s.b7.witness (mnv4Pre7 s x) h.b7).diff

theorem mnv4Pre9_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre9 s) x :=
  (mnv4Pre8_diff h).comp (s.b8.witness (mnv4Pre8 s x) h.b8).diff

theorem mnv4Pre10_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre10 s) x :=
  (mnv4Pre9_diff h).comp (s.b9.witness (mnv4Pre9 s x) h.b9).diff

theorem mnv4Pre11_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre11 s) x :=
  (mnv4Pre10_diff h).comp (s.b10.witness (mnv4Pre10 s x) h.b10).diff

theorem mnv4Pre12_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre12 s) x :=
  (mnv4Pre11_diff h).comp (s.b11.witness (mnv4Pre11 s x) h.b11).diff

theorem mnv4Pre13_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre13 s) x :=
  (mnv4Pre12_diff h).comp (s.b12.witness (mnv4Pre12 s x) h.b12).diff

theorem mnv4Pre14_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre14 s) x :=
  (mnv4Pre13_diff h).comp (s.b13.witness (mnv4Pre13 s x) h.b13).diff

theorem mnv4Pre15_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre15 s) x :=
  (mnv4Pre14_diff h).comp (s.b14.witness (mnv4Pre14 s x) h.b14).diff

theorem mnv4Pre16_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre16 s) x :=
  (mnv4Pre15_diff h).comp (s.b15.witness (mnv4Pre15 s x) h.b15).diff

theorem mnv4Pre17_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre17 s) x :=
  (mnv4Pre16_diff h).comp (s.b16.witness (mnv4Pre16 s x) h.b16).diff

theorem mnv4Pre18_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre18 s) x :=
  (mnv4Pre17_diff h).comp (s.b17.witness (mnv4Pre17 s x) h.b17).diff

theorem mnv4Pre19_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre19 s) x :=
  (mnv4Pre18_diff h).comp (s.b18.witness (mnv4Pre18 s x) h.b18).diff

theorem mnv4Pre20_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre20 s) x :=
  (mnv4Pre19_diff h).comp (s.b19.witness (mnv4Pre19 s x) h.b19).diff

theorem mnv4Pre21_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre21 s) x :=
  (mnv4Pre20_diff h).comp (s.b20.witness (mnv4Pre20 s x) h.b20).diff

theorem mnv4Pre22_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre22 s) x :=
  (mnv4Pre21_diff h).comp (s.b21.witness (mnv4Pre21 s x) h.b21).diff

theorem mnv4Pre23_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre23 s) x :=
  (mnv4Pre22_diff h).comp (s.hc1.witness (mnv4Pre22 s x) h.hc1).diff

theorem mnv4Pre24_diff (h : s.SmoothAt x) : DifferentiableAt (mnv4Pre24 s) x :=
  (mnv4Pre23_diff h).comp (s.hc2.witness (mnv4Pre23 s x) h.hc2).diff

/-! ## The apex -/

/-- **The apex**: the certified backward function of the twenty-six stages, by 25 compositions.
Level `k` composes the witness of a stage with that of the prefix before it, whose map is named. -/
def mnv4B_full_has_vjp_at (h : s.SmoothAt x) : HasVJPAt (mnv4SlotsB s) x :=
  let p0 : HasVJPAt (mnv4Pre0 s) x := (s.stem.witness x h.stem).toHasVJPAt
  let p1 : HasVJPAt (mnv4Pre1 s) x :=
    vjp_comp_diff_at (mnv4Pre0_diff h) (s.fused.witness (mnv4Pre0 s x) h.fused).diff p0
      (s.fused.witness (mnv4Pre0 s x) h.fused).toHasVJPAt
  let p2 : HasVJPAt (mnv4Pre2 s) x :=
    vjp_comp_diff_at (mnv4Pre1_diff h) (s.b1.witness (mnv4Pre1 s x) h.b1).diff p1
      (s.b1.witness (mnv4Pre1 s x) h.b1).toHasVJPAt
  let p3 : HasVJPAt (mnv4Pre3 s) x :=
    vjp_comp_diff_at (mnv4Pre2_diff h) (s.b2.witness (mnv4Pre2 s x) h.b2).diff p2
      (s.b2.witness (mnv4Pre2 s x) h.b2).toHasVJPAt
  let p4 : HasVJPAt (mnv4Pre4 s) x :=
    vjp_comp_diff_at (mnv4Pre3_diff h) (s.b3.witness (mnv4Pre3 s x) h.b3).diff p3
      (s.b3.witness (mnv4Pre3 s x) h.b3).toHasVJPAt
  let p5 : HasVJPAt (mnv4Pre5 s) x :=
    vjp_comp_diff_at (mnv4Pre4_diff h) (s.b4.witness (mnv4Pre4 s x) h.b4).diff p4
      (s.b4.witness (mnv4Pre4 s x) h.b4).toHasVJPAt
  let p6 : HasVJPAt (mnv4Pre6 s) x :=
    vjp_comp_diff_at (mnv4Pre5_diff h) (s.b5.witness (mnv4Pre5 s x) h.b5).diff p5
      (s.b5.witness (mnv4Pre5 s x) h.b5).toHasVJPAt
  let p7 : HasVJPAt (mnv4Pre7 s) x :=
    vjp_comp_diff_at (mnv4Pre6_diff h) (s.b6.witness (mnv4Pre6 s x) h.b6).diff p6
      (s.b6.witness (mnv4Pre6 s x) h.b6).toHasVJPAt
  let p8 : HasVJPAt (mnv4Pre8 s) x :=
    vjp_comp_diff_at (mnv4Pre7_diff h) (s.b7.witness (mnv4Pre7 s x) h.b7).diff p7
      (s.b7.witness (mnv4Pre7 s x) h.b7).toHasVJPAt
  let p9 : HasVJPAt (mnv4Pre9 s) x :=
    vjp_comp_diff_at (mnv4Pre8_diff h) (s.b8.witness (mnv4Pre8 s x) h.b8).diff p8
      (s.b8.witness (mnv4Pre8 s x) h.b8).toHasVJPAt
  let p10 : HasVJPAt (mnv4Pre10 s) x :=
    vjp_comp_diff_at (mnv4Pre9_diff h) (s.b9.witness (mnv4Pre9 s x) h.b9).diff p9
      (s.b9.witness (mnv4Pre9 s x) h.b9).toHasVJPAt
  let p11 : HasVJPAt (mnv4Pre11 s) x :=
    vjp_comp_diff_at (mnv4Pre10_diff h) (s.b10.witness (mnv4Pre10 s x) h.b10).diff p10
      (s.b10.witness (mnv4Pre10 s x) h.b10).toHasVJPAt
  let p12 : HasVJPAt (mnv4Pre12 s) x :=
    vjp_comp_diff_at (mnv4Pre11_diff h) (s.b11.witness (mnv4Pre11 s x) h.b11).diff p11
      (s.b11.witness (mnv4Pre11 s x) h.b11).toHasVJPAt
  let p13 : HasVJPAt (mnv4Pre13 s) x :=
    vjp_comp_diff_at (mnv4Pre12_diff h) (s.b12.witness (mnv4Pre12 s x) h.b12).diff p12
      (s.b12.witness (mnv4Pre12 s x) h.b12).toHasVJPAt
  let p14 : HasVJPAt (mnv4Pre14 s) x :=
    vjp_comp_diff_at (mnv4Pre13_diff h) (s.b13.witness (mnv4Pre13 s x) h.b13).diff p13
      (s.b13.witness (mnv4Pre13 s x) h.b13).toHasVJPAt
  let p15 : HasVJPAt (mnv4Pre15 s) x :=
    vjp_comp_diff_at (mnv4Pre14_diff h) (s.b14.witness (mnv4Pre14 s x) h.b14).diff p14
      (s.b14.witness (mnv4Pre14 s x) h.b14).toHasVJPAt
  let p16 : HasVJPAt (mnv4Pre16 s) x :=
    vjp_comp_diff_at (mnv4Pre15_diff h) (s.b15.witness (mnv4Pre15 s x) h.b15).diff p15
      (s.b15.witness (mnv4Pre15 s x) h.b15).toHasVJPAt
  let p17 : HasVJPAt (mnv4Pre17 s) x :=
    vjp_comp_diff_at (mnv4Pre16_diff h) (s.b16.witness (mnv4Pre16 s x) h.b16).diff p16
      (s.b16.witness (mnv4Pre16 s x) h.b16).toHasVJPAt
  let p18 : HasVJPAt (mnv4Pre18 s) x :=
    vjp_comp_diff_at (mnv4Pre17_diff h) (s.b17.witness (mnv4Pre17 s x) h.b17).diff p17
      (s.b17.witness (mnv4Pre17 s x) h.b17).toHasVJPAt
  let p19 : HasVJPAt (mnv4Pre19 s) x :=
    vjp_comp_diff_at (mnv4Pre18_diff h) (s.b18.witness (mnv4Pre18 s x) h.b18).diff p18
      (s.b18.witness (mnv4Pre18 s x) h.b18).toHasVJPAt
  let p20 : HasVJPAt (mnv4Pre20 s) x :=
    vjp_comp_diff_at (mnv4Pre19_diff h) (s.b19.witness (mnv4Pre19 s x) h.b19).diff p19
      (s.b19.witness (mnv4Pre19 s x) h.b19).toHasVJPAt
  let p21 : HasVJPAt (mnv4Pre21 s) x :=
    vjp_comp_diff_at (mnv4Pre20_diff h) (s.b20.witness (mnv4Pre20 s x) h.b20).diff p20
      (s.b20.witness (mnv4Pre20 s x) h.b20).toHasVJPAt
  let p22 : HasVJPAt (mnv4Pre22 s) x :=
    vjp_comp_diff_at (mnv4Pre21_diff h) (s.b21.witness (mnv4Pre21 s x) h.b21).diff p21
      (s.b21.witness (mnv4Pre21 s x) h.b21).toHasVJPAt
  let p23 : HasVJPAt (mnv4Pre23 s) x :=
    vjp_comp_diff_at (mnv4Pre22_diff h) (s.hc1.witness (mnv4Pre22 s x) h.hc1).diff p22
      (s.hc1.witness (mnv4Pre22 s x) h.hc1).toHasVJPAt
  let p24 : HasVJPAt (mnv4Pre24 s) x :=
    vjp_comp_diff_at (mnv4Pre23_diff h) (s.hc2.witness (mnv4Pre23 s x) h.hc2).diff p23
      (s.hc2.witness (mnv4Pre23 s x) h.hc2).toHasVJPAt
  vjp_comp_diff_at (mnv4Pre24_diff h) (s.cls.toLayer.witness (mnv4Pre24 s x)).diff p24
    (s.cls.toLayer.witness (mnv4Pre24 s x)).toHasVJPAt

/-- The apex, peeled: the backward functions of the stages in reverse order, each at its named
prefix. -/
theorem mnv4B_full_has_vjp_at_backward (h : s.SmoothAt x) (dy : Vec R out) :
    (mnv4B_full_has_vjp_at h).backward dy =
      (s.stem.witness x h.stem).backward (
      (s.fused.witness (mnv4Pre0 s x) h.fused).backward (
      (s.b1.witness (mnv4Pre1 s x) h.b1).backward (
      (s.b2.witness (mnv4Pre2 s x) h.b2).backward (
      (s.b3.witness (mnv4Pre3 s x) h.b3).backward (
      (s.b4.witness (mnv4Pre4 s x) h.b4).backward (
      (s.b5.witness (mnv4Pre5 s x) h.b5).backward (
      (s.b6.witness (mnv4Pre6 s x) h.b6).backward (
      (s.b7.witness (mnv4Pre7 s x) h.b7).backward (
      (s.b8.witness (mnv4Pre8 s x) h.b8).backward (
      (s.b9.witness (mnv4Pre9 s x) h.b9).backward (
      (s.b10.witness (mnv4Pre10 s x) h.b10).backward (
      (s.b11.witness (mnv4Pre11 s x) h.b11).backward (
      (s.b12.witness (mnv4Pre12 s x) h.b12).backward (
      (s.b13.witness (mnv4Pre13 s x) h.b13).backward (
      (s.b14.witness (mnv4Pre14 s x) h.b14).backward (
      (s.b15.witness (mnv4Pre15 s x) h.b15).backward (
      (s.b16.witness (mnv4Pre16 s x) h.b16).backward (
      (s.b17.witness (mnv4Pre17 s x) h.b17).backward (
      (s.b18.witness (mnv4Pre18 s x) h.b18).backward (
      (s.b19.witness (mnv4Pre19 s x) h.b19).backward (
      (s.b20.witness (mnv4Pre20 s x) h.b20).backward (
      (s.b21.witness (mnv4Pre21 s x) h.b21).backward (
      (s.hc1.witness (mnv4Pre22 s x) h.hc1).backward (
      (s.hc2.witness (mnv4Pre23 s x) h.hc2).backward (
      (s.cls.toLayer.witness (mnv4Pre24 s x)).backward dy))))))))))))))))))))))))) := rfl

/-- **How a chain is tied**: backward functions that are tied slot by slot compose to the apex. -/
theorem mnv4B_full_has_vjp_at_of_leaves (h : s.SmoothAt x)
    {f0 : Vec R e0 → Vec R img}
    {f1 : Vec R e1 → Vec R e0}
    {f2 : Vec R e2 → Vec R e1}
    {f3 : Vec R e2 → Vec R e2}
    {f4 : Vec R e3 → Vec R e2}
    {f5 f6 f7 f8 f9 f10 f11 : Vec R e3 → Vec R e3}
    {f12 : Vec R e4 → Vec R e3}
    {f13 f14 f15 f16 f17 f18 f19 f20 f21 f22 : Vec R e4 → Vec R e4}
    {f23 : Vec R e5 → Vec R e4}
    {f24 : Vec R e6 → Vec R e5}
    {f25 : Vec R out → Vec R e6}
    (stem : ∀ dy, f0 dy = (s.stem.witness x h.stem).backward dy)
    (fused : ∀ dy, f1 dy = (s.fused.witness (mnv4Pre0 s x) h.fused).backward dy)
    (b1 : ∀ dy, f2 dy = (s.b1.witness (mnv4Pre1 s x) h.b1).backward dy)
    (b2 : ∀ dy, f3 dy = (s.b2.witness (mnv4Pre2 s x) h.b2).backward dy)
    (b3 : ∀ dy, f4 dy = (s.b3.witness (mnv4Pre3 s x) h.b3).backward dy)
    (b4 : ∀ dy, f5 dy = (s.b4.witness (mnv4Pre4 s x) h.b4).backward dy)
    (b5 : ∀ dy, f6 dy = (s.b5.witness (mnv4Pre5 s x) h.b5).backward dy)
    (b6 : ∀ dy, f7 dy = (s.b6.witness (mnv4Pre6 s x) h.b6).backward dy)
    (b7 : ∀ dy, f8 dy = (s.b7.witness (mnv4Pre7 s x) h.b7).backward dy)
    (b8 : ∀ dy, f9 dy = (s.b8.witness (mnv4Pre8 s x) h.b8).backward dy)
    (b9 : ∀ dy, f10 dy = (s.b9.witness (mnv4Pre9 s x) h.b9).backward dy)
    (b10 : ∀ dy, f11 dy = (s.b10.witness (mnv4Pre10 s x) h.b10).backward dy)
    (b11 : ∀ dy, f12 dy = (s.b11.witness (mnv4Pre11 s x) h.b11).backward dy)
    (b12 : ∀ dy, f13 dy = (s.b12.witness (mnv4Pre12 s x) h.b12).backward dy)
    (b13 : ∀ dy, f14 dy = (s.b13.witness (mnv4Pre13 s x) h.b13).backward dy)
    (b14 : ∀ dy, f15 dy = (s.b14.witness (mnv4Pre14 s x) h.b14).backward dy)
    (b15 : ∀ dy, f16 dy = (s.b15.witness (mnv4Pre15 s x) h.b15).backward dy)
    (b16 : ∀ dy, f17 dy = (s.b16.witness (mnv4Pre16 s x) h.b16).backward dy)
    (b17 : ∀ dy, f18 dy = (s.b17.witness (mnv4Pre17 s x) h.b17).backward dy)
    (b18 : ∀ dy, f19 dy = (s.b18.witness (mnv4Pre18 s x) h.b18).backward dy)
    (b19 : ∀ dy, f20 dy = (s.b19.witness (mnv4Pre19 s x) h.b19).backward dy)
    (b20 : ∀ dy, f21 dy = (s.b20.witness (mnv4Pre20 s x) h.b20).backward dy)
    (b21 : ∀ dy, f22 dy = (s.b21.witness (mnv4Pre21 s x) h.b21).backward dy)
    (hc1 : ∀ dy, f23 dy = (s.hc1.witness (mnv4Pre22 s x) h.hc1).backward dy)
    (hc2 : ∀ dy, f24 dy = (s.hc2.witness (mnv4Pre23 s x) h.hc2).backward dy)
    (cls : ∀ dy, f25 dy = (s.cls.toLayer.witness (mnv4Pre24 s x)).backward dy)
    (dy : Vec R out) :
    (f0 <| f1 <| f2 <| f3 <| f4 <| f5 <| f6 <| f7 <| f8 <| f9 <| f10 <| f11 <| f12 <| f13 <| f14 <|
    f15 <| f16 <| f17 <| f18 <| f19 <| f20 <| f21 <| f22 <| f23 <| f24 <| f25 dy) =
      (mnv4B_full_has_vjp_at h).backward dy := by
  rw [stem, fused, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15, b16, b17, b18,
    b19, b20, b21, hc1, hc2, cls, mnv4B_full_has_vjp_at_backward]

end NetTies
