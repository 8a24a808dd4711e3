import NetTies.Layers.Kinked

/-! # The twenty-one stages of MobileNetV2

MobileNetV2 at a batch is a chain of twenty-one stages: the stem, seventeen blocks, the head, the
global average pool and the classifier.
Batch normalisation couples the examples, so a stage is a function of the whole batch. This module
is about such chains with the stages as variables.

* `mnv2Pre0`, …, `mnv2Pre19`: the named prefixes, which are the saved activations;
* `mobilenetv2B_full_has_vjp_at`: the apex, twenty compositions whose inner maps are the prefixes,
  and `mobilenetv2B_full_has_vjp_at_backward`, its peel, proved here where the stages are variables;
* `mobilenetv2B_full_has_vjp_at_of_leaves`: backward functions tied slot by slot compose to it.

Answers: the family of seven batched ties: MobileNetV2's apex. -/

namespace NetTies

variable {R : Type} [CommRing R] {img e0 e1 e2 e3 e4 e5 e6 e7 e8 e9 out : Nat}

/-- The twenty-one stages, each a function of the whole batch. -/
structure Mnv2Stages (R : Type) [CommRing R] (img e0 e1 e2 e3 e4 e5 e6 e7 e8 e9 out : Nat) where
  stem : KinkedLayer R img e0
  b1 : KinkedLayer R e0 e1
  b2 : KinkedLayer R e1 e2
  b3 : KinkedLayer R e2 e2
  b4 : KinkedLayer R e2 e3
  (b5 b6 : KinkedLayer R e3 e3)
  b7 : KinkedLayer R e3 e4
  (b8 b9 b10 : KinkedLayer R e4 e4)
  b11 : KinkedLayer R e4 e5
  (b12 b13 : KinkedLayer R e5 e5)
  b14 : KinkedLayer R e5 e6
  (b15 b16 : KinkedLayer R e6 e6)
  b17 : KinkedLayer R e6 e7
  head : KinkedLayer R e7 e8
  gap : TiedLayer R e8 e9
  dns : TiedLayer R e9 out

variable (s : Mnv2Stages R img e0 e1 e2 e3 e4 e5 e6 e7 e8 e9 out)

/-! ## The named prefixes: the saved activations -/

/-- The input of `b1`. -/
abbrev mnv2Pre0 : Map R img e0 := s.stem.fwd

/-- The input of `b2`. -/
abbrev mnv2Pre1 : Map R img e1 := s.b1.fwd ⊚ mnv2Pre0 s

/-- The input of `b3`. -/
abbrev mnv2Pre2 : Map R img e2 := s.b2.fwd ⊚ mnv2Pre1 s

/-- The input of `b4`. -/
abbrev mnv2Pre3 : Map R img e2 := s.b3.fwd ⊚ mnv2Pre2 s

/-- The input of `b5`. -/
abbrev mnv2Pre4 : Map R img e3 := s.b4.fwd ⊚ mnv2Pre3 s

/-- The input of `b6`. -/
abbrev mnv2Pre5 : Map R img e3 := s.b5.fwd ⊚ mnv2Pre4 s

/-- The input of `b7`. -/
abbrev mnv2Pre6 : Map R img e3 := s.b6.fwd ⊚ mnv2Pre5 s

/-- The input of `b8`. -/
abbrev mnv2Pre7 : Map R img e4 := s.b7.fwd ⊚ mnv2Pre6 s

/-- The input of `b9`. -/
abbrev mnv2Pre8 : Map R img e4 := s.b8.fwd ⊚ mnv2Pre7 s

/-- The input of `b10`. -/
abbrev mnv2Pre9 : Map R img e4 := s.b9.fwd ⊚ mnv2Pre8 s

/-- The input of `b11`. -/
abbrev mnv2Pre10 : Map R img e4 := s.b10.fwd ⊚ mnv2Pre9 s

/-- The input of `b12`. -/
abbrev mnv2Pre11 : Map R img e5 := s.b11.fwd ⊚ mnv2Pre10 s

/-- The input of `b13`. -/
abbrev mnv2Pre12 : Map R img e5 := s.b12.fwd ⊚ mnv2Pre11 s

/-- The input of `b14`. -/
abbrev mnv2Pre13 : Map R img e5 := s.b13.fwd ⊚ mnv2Pre12 s

/-- The input of `b15`. -/
abbrev mnv2Pre14 : Map R img e6 := s.b14.fwd ⊚ mnv2Pre13 s

/-- The input of `b16`. -/
abbrev mnv2Pre15 : Map R img e6 := s.b15.fwd ⊚ mnv2Pre14 s

/-- The input of `b17`. -/
abbrev mnv2Pre16 : Map R img e6 := s.b16.fwd ⊚ mnv2Pre15 s

/-- The input of `head`. -/
abbrev mnv2Pre17 : Map R img e7 := s.b17.fwd ⊚ mnv2Pre16 s

/-- The input of `gap`. -/
abbrev mnv2Pre18 : Map R img e8 := s.head.fwd ⊚ mnv2Pre17 s

/-- The input of `dns`. -/
abbrev mnv2Pre19 : Map R img e9 := s.gap.fwd ⊚ mnv2Pre18 s

/-- The twenty-one stages, composed. -/
def mobilenetv2SlotsB : Map R img out := s.dns.fwd ⊚ mnv2Pre19 s

/-- The input meets no kink: each stage is smooth at its saved activation. -/
structure Mnv2Stages.SmoothAt (x : Vec R img) : Prop where
  stem : s.stem.Smooth x
  b1 : s.b1.Smooth (mnv2Pre0 s x)
  b2 : s.b2.Smooth (mnv2Pre1 s x)
  b3 : s.b3.Smooth (mnv2Pre2 s x)
  b4 : s.b4.Smooth (mnv2Pre3 s x)
  b5 : s.b5.Smooth (mnv2Pre4 s x)
  b6 : s.b6.Smooth (mnv2Pre5 s x)
  b7 : s.b7.Smooth (mnv2Pre6 s x)
  b8 : s.b8.Smooth (mnv2Pre7 s x)
  b9 : s.b9.Smooth (mnv2Pre8 s x)
  b10 : s.b10.Smooth (mnv2Pre9 s x)
  b11 : s.b11.Smooth (mnv2Pre10 s x)
  b12 : s.b12.Smooth (mnv2Pre11 s x)
  b13 : s.b13.Smooth (mnv2Pre12 s x)
  b14 : s.b14.Smooth (mnv2Pre13 s x)
  b15 : s.b15.Smooth (mnv2Pre14 s x)
  b16 : s.b16.Smooth (mnv2Pre15 s x)
  b17 : s.b17.Smooth (mnv2Pre16 s x)
  head : s.head.Smooth (mnv2Pre17 s x)

variable {s} {x : Vec R img}

/-! ## The prefixes are differentiable -/

theorem mnv2Pre0_diff (h : s.SmoothAt x) : DifferentiableAt (mnv2Pre0 s) x :=
  (s.stem.witness x h.stem).diff

theorem mnv2Pre1_diff (h : s.SmoothAt x) : DifferentiableAt (mnv2Pre1 s) x :=
  (mnv2Pre0_diff h).comp (s.b1.witness (mnv2Pre0 s x) h.b1).diff

theorem mnv2Pre2_diff (h : s.SmoothAt x) : DifferentiableAt (mnv2Pre2 s) x :=
  (mnv2Pre1_diff h).comp (s.b2.witness (mnv2Pre1 s x) h.b2).diff

theorem mnv2Pre3_diff (h : s.SmoothAt x) : DifferentiableAt (mnv2Pre3 s) x :=
  (mnv2Pre2_diff h).comp (s.b3.witness (mnv2Pre2 s x) h.b3).diff

theorem mnv2Pre4_diff (h : s.SmoothAt x) : DifferentiableAt (mnv2Pre4 s) x :=
  (mnv2Pre3_diff h).comp (s.b4.witness (mnv2Pre3 s x) h.b4).diff

theorem mnv2Pre5_diff (h : s.SmoothAt x) : DifferentiableAt (mnv2Pre5 s) x :=
  (mnv2Pre4_diff h).comp (s.b5.witness (mnv2Pre4 s x) h.b5).diff

theorem mnv2Pre6_diff (h : s.SmoothAt x) : DifferentiableAt (mnv2Pre6 s) x :=
  (mnv2Pre5_diff h).comp (s.b6.witness (mnv2Pre5 s x) h.b6).diff

theorem mnv2Pre7_diff (h : s.SmoothAt x) : DifferentiableAt (mnv2Pre7 s) x :=
  (mnv2Pre6_diff h).comp (s.b7.witness (mnv2Pre6 s x) h.b7).diff

theorem mnv2Pre8_diff (h : s.SmoothAt x) : DifferentiableAt (mnv2Pre8 s) x :=
  (mnv2Pre7_diff h).comp (s.b8.witness (mnv2Pre7 s x) h.b8).diff

theorem mnv2Pre9_diff (h : s.SmoothAt x) : DifferentiableAt (mnv2Pre9 s) x :=
  (mnv2Pre8_diff h).comp (s.b9.witness (mnv2Pre8 s x) h.b9).diff

theorem mnv2Pre10_diff (h : s.SmoothAt x) : DifferentiableAt (mnv2Pre10 s) x :=
  (mnv2Pre9_diff h).comp (s.b10.witness (mnv2Pre9 s x) h.b10).diff

theorem mnv2Pre11_diff (h : s.SmoothAt x) : DifferentiableAt (mnv2Pre11 s) x :=
  (mnv2Pre10_diff h).comp (s.b11.witness (mnv2Pre10 s x) h.b11).diff

theorem mnv2Pre12_diff (h : s.SmoothAt x) : DifferentiableAt (mnv2Pre12 s) x :=
  (mnv2Pre11_diff h).comp (s.b12.witness (mnv2Pre11 s x) h.b12).diff

theorem mnv2Pre13_diff (h : s.SmoothAt x) : DifferentiableAt (mnv2Pre13 s) x :=
  (mnv2Pre12_diff h).comp (s.b13.witness (mnv2Pre12 s x) h.b13).diff

theorem mnv2Pre14_diff (h : s.SmoothAt x) : DifferentiableAt (mnv2Pre14 s) x :=
  (mnv2Pre13_diff h).comp (s.b14.witness (mnv2Pre13 s x) h.b14).diff

theorem mnv2Pre15_diff (h : s.SmoothAt x) : DifferentiableAt (mnv2Pre15 s) x :=
  (mnv2Pre14_diff h).comp (s.b15.witness (mnv2Pre14 s x) h.b15).diff

theorem mnv2Pre16_diff (h : s.SmoothAt x) : DifferentiableAt (mnv2Pre16 s) x :=
  (mnv2Pre15_diff h).comp (s.b16.witness (mnv2Pre15 s x) h.b16).diff

theorem mnv2Pre17_diff (h : s.SmoothAt x) : DifferentiableAt (mnv2Pre17 s) x :=
  (mnv2Pre16_diff h).comp (s.b17.witness (mnv2Pre16 s x) h.b17).diff

theorem mnv2Pre18_diff (h : s.SmoothAt x) : DifferentiableAt (mnv2Pre18 s) x :=
  (mnv2Pre17_diff h).comp (s.head.witness (mnv2Pre17 s x) h.head).diff

theorem mnv2Pre19_diff (h : s.SmoothAt x) : DifferentiableAt (mnv2Pre19 s) x :=
  (mnv2Pre18_diff h).comp (s.gap.toLayer.witness (mnv2Pre18 s x)).diff

/-! ## The apex -/

/-- **The apex**: the certified backward function of the twenty-one stages, by 20 compositions.
Level `k` composes the witness of a stage with that of the prefix before it, whose map is named. -/
def mobilenetv2B_full_has_vjp_at (h : s.SmoothAt x) : HasVJPAt (mobilenetv2SlotsB s) x :=
  let p0 : HasVJPAt (mnv2Pre0 s) x := (s.stem.witness x h.stem).toHasVJPAt
  let p1 : HasVJPAt (mnv2Pre1 s) x :=
    vjp_comp_diff_at (mnv2Pre0_diff h) (s.b1.witness (mnv2Pre0 s x) h.b1).diff p0
      (s.b1.witness (mnv2Pre0 s x) h.b1).toHasVJPAt
  let p2 : HasVJPAt (mnv2Pre2 s) x :=
    vjp_comp_diff_at (mnv2Pre1_diff h) (s.b2.witness (mnv2Pre1 s x) h.b2).diff p1
      (s.b2.witness (mnv2Pre1 s x) h.b2).toHasVJPAt
  let p3 : HasVJPAt (mnv2Pre3 s) x :=
    vjp_comp_diff_at (mnv2Pre2_diff h) (s.b3.witness (mnv2Pre2 s x) h.b3).diff p2
      (s.b3.witness (mnv2Pre2 s x) h.b3).toHasVJPAt
  let p4 : HasVJPAt (mnv2Pre4 s) x :=
    vjp_comp_diff_at (mnv2Pre3_diff h) (s.b4.witness (mnv2Pre3 s x) h.b4).diff p3
      (s.b4.witness (mnv2Pre3 s x) h.b4).toHasVJPAt
  let p5 : HasVJPAt (mnv2Pre5 s) x :=
    vjp_comp_diff_at (mnv2Pre4_diff h) (s.b5.witness (mnv2Pre4 s x) h.b5).diff p4
      (s.b5.witness (mnv2Pre4 s x) h.b5).toHasVJPAt
  let p6 : HasVJPAt (mnv2Pre6 s) x :=
    vjp_comp_diff_at (mnv2Pre5_diff h) (s.b6.witness (mnv2Pre5 s x) h.b6).diff p5
      (s.b6.witness (mnv2Pre5 s x) h.b6).toHasVJPAt
  let p7 : HasVJPAt (mnv2Pre7 s) x :=
    vjp_comp_diff_at (mnv2Pre6_diff h) (s.b7.witness (mnv2Pre6 s x) h.b7).diff p6
      (s.b7.witness (mnv2Pre6 s x) h.b7).toHasVJPAt
  let p8 : HasVJPAt (mnv2Pre8 s) x :=
    vjp_comp_diff_at (mnv2Pre7_diff h) (s.b8.witness (mnv2Pre7 s x) h.b8).diff p7
      (s.b8.witness (mnv2Pre7 s x) h.b8).toHasVJPAt
  let p9 : HasVJPAt (mnv2Pre9 s) x :=
    vjp_comp_diff_at (mnv2Pre8_diff h) (s.b9.witness (mnv2Pre8 s x) h.b9).diff p8
      (s.b9.witness (mnv2Pre8 s x) h.b9).toHasVJPAt
  let p10 : HasVJPAt (mnv2Pre10 s) x :=
    vjp_comp_diff_at (mnv2Pre9_diff h) (s.b10.witness (mnv2Pre9 s x) h.b10).diff p9
      (s.b10.witness (mnv2Pre9 s x) h.b10).toHasVJPAt
  let p11 : HasVJPAt (mnv2Pre11 s) x :=
    vjp_comp_diff_at (mnv2Pre10_diff h) (s.b11.witness (mnv2Pre10 s x) h.b11).diff p10
      (s.b11.witness (mnv2Pre10 s x) h.b11).toHasVJPAt
  let p12 : HasVJPAt (mnv2Pre12 s) x :=
    vjp_comp_diff_at (mnv2Pre11_diff h) (s.b12.witness (mnv2Pre11 s x) h.b12).diff p11
      (s.b12.witness (mnv2Pre11 s x) h.b12).toHasVJPAt
  let p13 : HasVJPAt (mnv2Pre13 s) x :=
    vjp_comp_diff_at (mnv2Pre12_diff h) (s.b13.witness (mnv2Pre12 s x) h.b13).diff p12
      (s.b13.witness (mnv2Pre12 s x) h.b13).toHasVJPAt
  let p14 : HasVJPAt (mnv2Pre14 s) x :=
    vjp_comp_diff_at (mnv2Pre13_diff h) (s.b14.witness (mnv2Pre13 s x) h.b14).diff p13
      (s.b14.witness (mnv2Pre13 s x) h.b14).toHasVJPAt
  let p15 : HasVJPAt (mnv2Pre15 s) x :=
    vjp_comp_diff_at (mnv2Pre14_diff h) (s.b15.witness (mnv2Pre14 s x) h.b15).diff p14
      (s.b15.witness (mnv2Pre14 s x) h.b15).toHasVJPAt
  let p16 : HasVJPAt (mnv2Pre16 s) x :=
    vjp_comp_diff_at (mnv2Pre15_diff h) (s.b16.witness (mnv2Pre15 s x) h.b16).diff p15
      (s.b16.witness (mnv2Pre15 s x) h.b16).toHasVJPAt
  let p17 : HasVJPAt (mnv2Pre17 s) x :=
    vjp_comp_diff_at (mnv2Pre16_diff h) (s.b17.witness (mnv2Pre16 s x) h.b17).diff p16
      (s.b17.witness (mnv2Pre16 s x) h.b17).toHasVJPAt
  let p18 : HasVJPAt (mnv2Pre18 s) x :=
    vjp_comp_diff_at (mnv2Pre17_diff h) (s.head.witness (mnv2Pre17 s x) h.head).diff p17
      (s.head.witness (mnv2Pre17 s x) h.head).toHasVJPAt
  let p19 : HasVJPAt (mnv2Pre19 s) x :=
    vjp_comp_diff_at (mnv2Pre18_diff h) (s.gap.toLayer.witness (mnv2Pre18 s x)).diff p18
      (s.gap.toLayer.witness (mnv2Pre18 s x)).toHasVJPAt
  vjp_comp_diff_at (mnv2Pre19_diff h) (s.dns.toLayer.witness (mnv2Pre19 s x)).diff p19
    (s.dns.toLayer.witness (mnv2Pre19 s x)).toHasVJPAt

/-- The apex, peeled: the backward functions of the stages in reverse order, each at its named
prefix. -/
theorem mobilenetv2B_full_has_vjp_at_backward (h : s.SmoothAt x) (dy : Vec R out) :
    (mobilenetv2B_full_has_vjp_at h).backward dy =
      (s.stem.witness x h.stem).backward (
      (s.b1.witness (mnv2Pre0 s x) h.b1).backward (
      (s.b2.witness (mnv2Pre1 s x) h.b2).backward (
      (s.b3.witness (mnv2Pre2 s x) h.b3).backward (
      (s.b4.witness (mnv2Pre3 s x) h.b4).backward (
      (s.b5.witness (mnv2Pre4 s x) h.b5).backward (
      (s.b6.witness (mnv2Pre5 s x) h.b6).backward (
      (s.b7.witness (mnv2Pre6 s x) h.b7).backward (
      (s.b8.witness (mnv2Pre7 s x) h.b8).backward (
      (s.b9.witness (mnv2Pre8 s x) h.b9).backward (
      (s.b10.witness (mnv2Pre9 s x) h.b10).backward (
      (s.b11.witness (mnv2Pre10 s x) h.b11).backward (
      (s.b12.witness (mnv2Pre11 s x) h.b12).backward (
      (s.b13.witness (mnv2Pre12 s x) h.b13).backward (
      (s.b14.witness (mnv2Pre13 s x) h.b14).backward (
      (s.b15.witness (mnv2Pre14 s x) h.b15).backward (
      (s.b16.witness (mnv2Pre15 s x) h.b16).backward (
      (s.b17.witness (mnv2Pre16 s x) h.b17).backward (
      (s.head.witness (mnv2Pre17 s x) h.head).backward (
      (s.gap.toLayer.witness (mnv2Pre18 s x)).backward (
      (s.dns.toLayer.witness (mnv2Pre19 s x)).backward dy)))))))))))))))))))) := rfl

/-- **How a chain is tied**: backward functions that are tied slot by slot compose to the apex. -/
theorem mobilenetv2B_full_has_vjp_at_of_leaves (h : s.SmoothAt x)
    {f0 : Vec R e0 → Vec R img}
    {f1 : Vec R e1 → Vec R e0}
    {f2 : Vec R e2 → Vec R e1}
    {f3 : Vec R e2 → Vec R e2}
    {f4 : Vec R e3 → Vec R e2}
    {f5 f6 : Vec R e3 → Vec R e3}
    {f7 : Vec R e4 → Vec R e3}
    {f8 f9 f10 : Vec R e4 → Vec R e4}
    {f11 : Vec R e5 → Vec R e4}
    {f12 f13 : Vec R e5 → Vec R e5}
    {f14 : Vec R e6 → Vec R e5}
    {f15 f16 : Vec R e6 → Vec R e6}
    {f17 : Vec R e7 → Vec R e6}
    {f18 : Vec R e8 → Vec R e7}
    {f19 : Vec R e9 → Vec R e8}
    {f20 : Vec R out → Vec R e9}
    (stem : ∀ dy, f0 dy = (s.stem.witness x h.stem).backward dy)
    (b1 : ∀ dy, f1 dy = (s.b1.witness (mnv2Pre0 s x) h.b1).backward dy)
    (b2 : ∀ dy, f2 dy = (s.b2.witness (mnv2Pre1 s x) h.b2).backward dy)
    (b3 : ∀ dy, f3 dy = (s.b3.witness (mnv2Pre2 s x) h.b3).backward dy)
    (b4 : ∀ dy, f4 dy = (s.b4.witness (mnv2Pre3 s x) h.b4).backward dy)
    (b5 : ∀ dy, f5 dy = (s.b5.witness (mnv2Pre4 s x) h.b5).backward dy)
    (b6 : ∀ dy, f6 dy = (s.b6.witness (mnv2Pre5 s x) h.b6).backward dy)
    (b7 : ∀ dy, f7 dy = (s.b7.witness (mnv2Pre6 s x) h.b7).backward dy)
    (b8 : ∀ dy, f8 dy = (s.b8.witness (mnv2Pre7 s x) h.b8).backward dy)
    (b9 : ∀ dy, f9 dy = (s.b9.witness (mnv2Pre8 s x) h.b9).backward dy)
    (b10 : ∀ dy, f10 dy = (s.b10.witness (mnv2Pre9 s x) h.b10).backward dy)
    (b11 : ∀ dy, f11 dy = (s.b11.witness (mnv2Pre10 s x) h.b11).backward dy)
    (b12 : ∀ dy, f12 dy = (s.b12.witness (mnv2Pre11 s x) h.b12).backward dy)
    (b13 : ∀ dy, f13 dy = (s.b13.witness (mnv2Pre12 s x) h.b13).backward dy)
    (b14 : ∀ dy, f14 dy = (s.b14.witness (mnv2Pre13 s x) h.b14).backward dy)
    (b15 : ∀ dy, f15 dy = (s.b15.witness (mnv2Pre14 s x) h.b15).backward dy)
    (b16 : ∀ dy, f16 dy = (s.b16.witness (mnv2Pre15 s x) h.b16).backward dy)
    (b17 : ∀ dy, f17 dy = (s.b17.witness (mnv2Pre16 s x) h.b17).backward dy)
    (head : ∀ dy, f18 dy = (s.head.witness (mnv2Pre17 s x) h.head).backward dy)
    (gap : ∀ dy, f19 dy = (s.gap.toLayer.witness (mnv2Pre18 s x)).backward dy)
    (dns : ∀ dy, f20 dy = (s.dns.toLayer.witness (mnv2Pre19 s x)).backward dy)
    (dy : Vec R out) :
    (f0 <| f1 <| f2 <| f3 <| f4 <| f5 <| f6 <| f7 <| f8 <| f9 <| f10 <| f11 <| f12 <| f13 <| f14 <|
    f15 <| f16 <| f17 <| f18 <| f19 <| f20 dy) =
      (mobilenetv2B_full_has_vjp_at h).backward dy := by
  rw [stem, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15, b16, b17, head, gap,
    dns, mobilenetv2B_full_has_vjp_at_backward]

end NetTies
