import NetTies.Layers.Kinked

/-! # The eighteen stages of a residual network

A residual network at a batch is a chain of eighteen stages: the stem, sixteen blocks and the head.
Batch normalisation couples the examples, so a stage is a function of the whole batch. This module
is about such chains with the stages as variables; ResNet-34 and ResNet-50 are instances by term.

* `r34Pre0`, …, `r34Pre16`: the named prefixes, which are the saved activations;
* `r34B_full_has_vjp_at`: the apex, seventeen compositions whose inner maps are the prefixes, and
  `r34B_full_has_vjp_at_backward`, its peel, proved here where the stages are variables;
* `r34B_full_has_vjp_at_of_leaves`: backward functions tied slot by slot compose to the apex.

Answers: the family of seven batched ties: the residual networks' apex. -/

namespace NetTies

variable {R : Type} [CommRing R] {img e0 e1 e2 e3 e4 out : Nat}

/-- The eighteen stages, each a function of the whole batch. -/
structure ResNetStages (R : Type) [CommRing R] (img e0 e1 e2 e3 e4 out : Nat) where
  stem : KinkedLayer R img e0
  b1 : KinkedLayer R e0 e1
  (b2 b3 : KinkedLayer R e1 e1)
  b4 : KinkedLayer R e1 e2
  (b5 b6 b7 : KinkedLayer R e2 e2)
  b8 : KinkedLayer R e2 e3
  (b9 b10 b11 b12 b13 : KinkedLayer R e3 e3)
  b14 : KinkedLayer R e3 e4
  (b15 b16 : KinkedLayer R e4 e4)
  head : TiedLayer R e4 out

variable (s : ResNetStages R img e0 e1 e2 e3 e4 out)

/-! ## The named prefixes: the saved activations -/

/-- The input of `b1`. -/
abbrev r34Pre0 : Map R img e0 := s.stem.fwd

/-- The input of `b2`. -/
abbrev r34Pre1 : Map R img e1 := s.b1.fwd ⊚ r34Pre0 s

/-- The input of `b3`. -/
abbrev r34Pre2 : Map R img e1 := s.b2.fwd ⊚ r34Pre1 s

/-- The input of `b4`. -/
abbrev r34Pre3 : Map R img e1 := s.b3.fwd ⊚ r34Pre2 s

/-- The input of `b5`. -/
abbrev r34Pre4 : Map R img e2 := s.b4.fwd ⊚ r34Pre3 s

/-- The input of `b6`. -/
abbrev r34Pre5 : Map R img e2 := s.b5.fwd ⊚ r34Pre4 s

/-- The input of `b7`. -/
abbrev r34Pre6 : Map R img e2 := s.b6.fwd ⊚ r34Pre5 s

/-- The input of `b8`. -/
abbrev r34Pre7 : Map R img e2 := s.b7.fwd ⊚ r34Pre6 s

/-- The input of `b9`. -/
abbrev r34Pre8 : Map R img e3 := s.b8.fwd ⊚ r34Pre7 s

/-- The input of `b10`. -/
abbrev r34Pre9 : Map R img e3 := s.b9.fwd ⊚ r34Pre8 s

/-- The input of `b11`. -/
abbrev r34Pre10 : Map R img e3 := s.b10.fwd ⊚ r34Pre9 s

/-- The input of `b12`. -/
abbrev r34Pre11 : Map R img e3 := s.b11.fwd ⊚ r34Pre10 s

/-- The input of `b13`. -/
abbrev r34Pre12 : Map R img e3 := s.b12.fwd ⊚ r34Pre11 s

/-- The input of `b14`. -/
abbrev r34Pre13 : Map R img e3 := s.b13.fwd ⊚ r34Pre12 s

/-- The input of `b15`. -/
abbrev r34Pre14 : Map R img e4 := s.b14.fwd ⊚ r34Pre13 s

/-- The input of `b16`. -/
abbrev r34Pre15 : Map R img e4 := s.b15.fwd ⊚ r34Pre14 s

/-- The input of `head`. -/
abbrev r34Pre16 : Map R img e4 := s.b16.fwd ⊚ r34Pre15 s

/-- The eighteen stages, composed. -/
def r34SlotsB : Map R img out := s.head.fwd ⊚ r34Pre16 s

/-- The input meets no kink: each stage is smooth at its saved activation. -/
structure ResNetStages.SmoothAt (x : Vec R img) : Prop where
  stem : s.stem.Smooth x
  b1 : s.b1.Smooth (r34Pre0 s x)
  b2 : s.b2.Smooth (r34Pre1 s x)
  b3 : s.b3.Smooth (r34Pre2 s x)
  b4 : s.b4.Smooth (r34Pre3 s x)
  b5 : s.b5.Smooth (r34Pre4 s x)
  b6 : s.b6.Smooth (r34Pre5 s x)
  b7 : s.b7.Smooth (r34Pre6 s x)
  b8 : s.b8.Smooth (r34Pre7 s x)
  b9 : s.b9.Smooth (r34Pre8 s x)
  b10 : s.b10.Smooth (r34Pre9 s x)
  b11 : s.b11.Smooth (r34Pre10 s x)
  b12 : s.b12.Smooth (r34Pre11 s x)
  b13 : s.b13.Smooth (r34Pre12 s x)
  b14 : s.b14.Smooth (r34Pre13 s x)
  b15 : s.b15.Smooth (r34Pre14 s x)
  b16 : s.b16.Smooth (r34Pre15 s x)

variable {s} {x : Vec R img}

/-! ## The prefixes are differentiable -/

theorem r34Pre0_diff (h : s.SmoothAt x) : DifferentiableAt (r34Pre0 s) x :=
  (s.stem.witness x h.stem).diff

theorem r34Pre1_diff (h : s.SmoothAt x) : DifferentiableAt (r34Pre1 s) x :=
  (r34Pre0_diff h).comp (s.b1.witness (r34Pre0 s x) h.b1).diff

theorem r34Pre2_diff (h : s.SmoothAt x) : DifferentiableAt (r34Pre2 s) x :=
  (r34Pre1_diff h).comp (s.b2.witness (r34Pre1 s x) h.b2).diff

theorem r34Pre3_diff (h : s.SmoothAt x) : DifferentiableAt (r34Pre3 s) x :=
  (r34Pre2_diff h).comp (s.b3.witness (r34Pre2 s x) h.b3).diff

theorem r34Pre4_diff (h : s.SmoothAt x) : DifferentiableAt (r34Pre4 s) x :=
  (r34Pre3_diff h).comp (s.b4.witness (r34Pre3 s x) h.b4).diff

theorem r34Pre5_diff (h : s.SmoothAt x) : DifferentiableAt (r34Pre5 s) x :=
  (r34Pre4_diff h).comp (s.b5.witness (r34Pre4 s x) h.b5).diff

theorem r34Pre6_diff (h : s.SmoothAt x) : DifferentiableAt (r34Pre6 s) x :=
  (r34Pre5_diff h).comp (s.b6.witness (r34Pre5 s x) h.b6).diff

theorem r34Pre7_diff (h : s.SmoothAt x) : DifferentiableAt (r34Pre7 s) x :=
  (r34Pre6_diff h).comp (s.b7.witness (r34Pre6 s x) h.b7).diff

theorem r34Pre8_diff (h : s.SmoothAt x) : DifferentiableAt (r34Pre8 s) x :=
  (r34Pre7_diff h).comp (s.b8.witness (r34Pre7 s x) h.b8).diff

theorem r34Pre9_diff (h : s.SmoothAt x) : DifferentiableAt (r34Pre9 s) x :=
  (r34Pre8_diff h).comp (s.b9.witness (r34Pre8 s x) h.b9).diff

theorem r34Pre10_diff (h : s.SmoothAt x) : DifferentiableAt (r34Pre10 s) x :=
  (r34Pre9_diff h).comp (s.b10.witness (r34Pre9 s x) h.b10).diff

theorem r34Pre11_diff (h : s.SmoothAt x) : DifferentiableAt (r34Pre11 s) x :=
  (r34Pre10_diff h).comp (s.b11.witness (r34Pre10 s x) h.b11).diff

theorem r34Pre12_diff (h : s.SmoothAt x) : DifferentiableAt (r34Pre12 s) x :=
  (r34Pre11_diff h).comp (s.b12.witness (r34Pre11 s x) h.b12).diff

theorem r34Pre13_diff (h : s.SmoothAt x) : DifferentiableAt (r34Pre13 s) x :=
  (r34Pre12_diff h).comp (s.b13.witness (r34Pre12 s x) h.b13).diff

theorem r34Pre14_diff (h : s.SmoothAt x) : DifferentiableAt (r34Pre14 s) x :=
  (r34Pre13_diff h).comp (s.b14.witness (r34Pre13 s x) h.b14).diff

theorem r34Pre15_diff (h : s.SmoothAt x) : DifferentiableAt (r34Pre15 s) x :=
  (r34Pre14_diff h).comp (s.b15.witness (r34Pre14 s x) h.b15).diff

theorem r34Pre16_diff (h : s.SmoothAt x) : DifferentiableAt (r34Pre16 s) x :=
  (r34Pre15_diff h).comp (s.b16.witness (r34Pre15 s x) h.b16).diff

/-! ## The apex -/

/-- **The apex**: the certified backward function of the eighteen stages, by 17 compositions.
Level `k` composes the witness of a stage with that of the prefix before it, whose map is named. -/
def r34B_full_has_vjp_at (h : s.SmoothAt x) : HasVJPAt (r34SlotsB s) x :=
  let p0 : HasVJPAt (r34Pre0 s) x := (s.stem.witness x h.stem).toHasVJPAt
  let p1 : HasVJPAt (r34Pre1 s) x :=
    vjp_comp_diff_at (r34Pre0_diff h) (s.b1.witness (r34Pre0 s x) h.b1).diff p0
      (s.b1.witness (r34Pre0 s x) h.b1).toHasVJPAt
  let p2 : HasVJPAt (r34Pre2 s) x :=
    vjp_comp_diff_at (r34Pre1_diff h) (s.b2.witness (r34Pre1 s x) h.b2).diff p1
      (s.b2.witness (r34Pre1 s x) h.b2).toHasVJPAt
  let p3 : HasVJPAt (r34Pre3 s) x :=
    vjp_comp_diff_at (r34Pre2_diff h) (s.b3.witness (r34Pre2 s x) h.b3).diff p2
      (s.b3.witness (r34Pre2 s x) h.b3).toHasVJPAt
  let p4 : HasVJPAt (r34Pre4 s) x :=
    vjp_comp_diff_at (r34Pre3_diff h) (s.b4.witness (r34Pre3 s x) h.b4).diff p3
      (s.b4.witness (r34Pre3 s x) h.b4).toHasVJPAt
  let p5 : HasVJPAt (r34Pre5 s) x :=
    vjp_comp_diff_at (r34Pre4_diff h) (s.b5.witness (r34Pre4 s x) h.b5).diff p4
      (s.b5.witness (r34Pre4 s x) h.b5).toHasVJPAt
  let p6 : HasVJPAt (r34Pre6 s) x :=
    vjp_comp_diff_at (r34Pre5_diff h) (s.b6.witness (r34Pre5 s x) h.b6).diff p5
      (s.b6.witness (r34Pre5 s x) h.b6).toHasVJPAt
  let p7 : HasVJPAt (r34Pre7 s) x :=
    vjp_comp_diff_at (r34Pre6_diff h) (s.b7.witness (r34Pre6 s x) h.b7).diff p6
      (s.b7.witness (r34Pre6 s x) h.b7).toHasVJPAt
  let p8 : HasVJPAt (r34Pre8 s) x :=
    vjp_comp_diff_at (r34Pre7_diff h) (s.b8.witness (r34Pre7 s x) h.b8).diff p7
      (s.b8.witness (r34Pre7 s x) h.b8).toHasVJPAt
  let p9 : HasVJPAt (r34Pre9 s) x :=
    vjp_comp_diff_at (r34Pre8_diff h) (s.b9.witness (r34Pre8 s x) h.b9).diff p8
      (s.b9.witness (r34Pre8 s x) h.b9).toHasVJPAt
  let p10 : HasVJPAt (r34Pre10 s) x :=
    vjp_comp_diff_at (r34Pre9_diff h) (s.b10.witness (r34Pre9 s x) h.b10).diff p9
      (s.b10.witness (r34Pre9 s x) h.b10).toHasVJPAt
  let p11 : HasVJPAt (r34Pre11 s) x :=
    vjp_comp_diff_at (r34Pre10_diff h) (s.b11.witness (r34Pre10 s x) h.b11).diff p10
      (s.b11.witness (r34Pre10 s x) h.b11).toHasVJPAt
  let p12 : HasVJPAt (r34Pre12 s) x :=
    vjp_comp_diff_at (r34Pre11_diff h) (s.b12.witness (r34Pre11 s x) h.b12).diff p11
      (s.b12.witness (r34Pre11 s x) h.b12).toHasVJPAt
  let p13 : HasVJPAt (r34Pre13 s) x :=
    vjp_comp_diff_at (r34Pre12_diff h) (s.b13.witness (r34Pre12 s x) h.b13).diff p12
      (s.b13.witness (r34Pre12 s x) h.b13).toHasVJPAt
  let p14 : HasVJPAt (r34Pre14 s) x :=
    vjp_comp_diff_at (r34Pre13_diff h) (s.b14.witness (r34Pre13 s x) h.b14).diff p13
      (s.b14.witness (r34Pre13 s x) h.b14).toHasVJPAt
  let p15 : HasVJPAt (r34Pre15 s) x :=
    vjp_comp_diff_at (r34Pre14_diff h) (s.b15.witness (r34Pre14 s x) h.b15).diff p14
      (s.b15.witness (r34Pre14 s x) h.b15).toHasVJPAt
  let p16 : HasVJPAt (r34Pre16 s) x :=
    vjp_comp_diff_at (r34Pre15_diff h) (s.b16.witness (r34Pre15 s x) h.b16).diff p15
      (s.b16.witness (r34Pre15 s x) h.b16).toHasVJPAt
  vjp_comp_diff_at (r34Pre16_diff h) (s.head.toLayer.witness (r34Pre16 s x)).diff p16
    (s.head.toLayer.witness (r34Pre16 s x)).toHasVJPAt

/-- The apex, peeled: the backward functions of the stages in reverse order, each at its named
prefix. -/
theorem r34B_full_has_vjp_at_backward (h : s.SmoothAt x) (dy : Vec R out) :
    (r34B_full_has_vjp_at h).backward dy =
      (s.stem.witness x h.stem).backward (
      (s.b1.witness (r34Pre0 s x) h.b1).backward (
      (s.b2.witness (r34Pre1 s x) h.b2).backward (
      (s.b3.witness (r34Pre2 s x) h.b3).backward (
      (s.b4.witness (r34Pre3 s x) h.b4).backward (
      (s.b5.witness (r34Pre4 s x) h.b5).backward (
      (s.b6.witness (r34Pre5 s x) h.b6).backward (
      (s.b7.witness (r34Pre6 s x) h.b7).backward (
      (s.b8.witness (r34Pre7 s x) h.b8).backward (
      (s.b9.witness (r34Pre8 s x) h.b9).backward (
      (s.b10.witness (r34Pre9 s x) h.b10).backward (
      (s.b11.witness (r34Pre10 s x) h.b11).backward (
      (s.b12.witness (r34Pre11 s x) h.b12).backward (
      (s.b13.witness (r34Pre12 s x) h.b13).backward (
      (s.b14.witness (r34Pre13 s x) h.b14).backward (
      (s.b15.witness (r34Pre14 s x) h.b15).backward (
      (s.b16.witness (r34Pre15 s x) h.b16).backward (
      (s.head.toLayer.witness (r34Pre16 s x)).backward dy))))))))))))))))) := rfl

/-- **How a chain is tied**: backward functions that are tied slot by slot compose to the apex. -/
theorem r34B_full_has_vjp_at_of_leaves (h : s.SmoothAt x)
    {f0 : Vec R e0 → Vec R img}
    {f1 : Vec R e1 → Vec R e0}
    {f2 f3 : Vec R e1 → Vec R e1}
    {f4 : Vec R e2 → Vec R e1}
    {f5 f6 f7 : Vec R e2 → Vec R e2}
    {f8 : Vec R e3 → Vec R e2}
    {f9 f10 f11 f12 f13 : Vec R e3 → Vec R e3}
    {f14 : Vec R e4 → Vec R e3}
    {f15 f16 : Vec R e4 → Vec R e4}
    {f17 : Vec R out → Vec R e4}
    (stem : ∀ dy, f0 dy = (s.stem.witness x h.stem).backward dy)
    (b1 : ∀ dy, f1 dy = (s.b1.witness (r34Pre0 s x) h.b1).backward dy)
    (b2 : ∀ dy, f2 dy = (s.b2.witness (r34Pre1 s x) h.b2).backward dy)
    (b3 : ∀ dy, f3 dy = (s.b3.witness (r34Pre2 s x) h.b3).backward dy)
    (b4 : ∀ dy, f4 dy = (s.b4.witness (r34Pre3 s x) h.b4).backward dy)
    (b5 : ∀ dy, f5 dy = (s.b5.witness (r34Pre4 s x) h.b5).backward dy)
    (b6 : ∀ dy, f6 dy = (s.b6.witness (r34Pre5 s x) h.b6).backward dy)
    (b7 : ∀ dy, f7 dy = (s.b7.witness (r34Pre6 s x) h.b7).backward dy)
    (b8 : ∀ dy, f8 dy = (s.b8.witness (r34Pre7 s x) h.b8).backward dy)
    (b9 : ∀ dy, f9 dy = (s.b9.witness (r34Pre8 s x) h.b9).backward dy)
    (b10 : ∀ dy, f10 dy = (s.b10.witness (r34Pre9 s x) h.b10).backward dy)
    (b11 : ∀ dy, f11 dy = (s.b11.witness (r34Pre10 s x) h.b11).backward dy)
    (b12 : ∀ dy, f12 dy = (s.b12.witness (r34Pre11 s x) h.b12).backward dy)
    (b13 : ∀ dy, f13 dy = (s.b13.witness (r34Pre12 s x) h.b13).backward dy)
    (b14 : ∀ dy, f14 dy = (s.b14.witness (r34Pre13 s x) h.b14).backward dy)
    (b15 : ∀ dy, f15 dy = (s.b15.witness (r34Pre14 s x) h.b15).backward dy)
    (b16 : ∀ dy, f16 dy = (s.b16.witness (r34Pre15 s x) h.b16).backward dy)
    (head : ∀ dy, f17 dy = (s.head.toLayer.witness (r34Pre16 s x)).backward dy)
    (dy : Vec R out) :
    (f0 <| f1 <| f2 <| f3 <| f4 <| f5 <| f6 <| f7 <| f8 <| f9 <| f10 <| f11 <| f12 <| f13 <| f14 <|
    f15 <| f16 <| f17 dy) =
      (r34B_full_has_vjp_at h).backward dy := by
  rw [stem, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15, b16, head,
    r34B_full_has_vjp_at_backward]

end NetTies
