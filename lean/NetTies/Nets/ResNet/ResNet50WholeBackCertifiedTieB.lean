import NetTies.Nets.ResNet.ResNet50BackChains

/-! # `r50InputGradB` is the certified whole-net gradient of ResNet-50 at a batch

ResNet-50 has the eighteen slots of ResNet-34, so it takes over the apex of `ResNetStages` with its
seventeen compositions and adds none. The chain is the certified gradient of `resnet50ForwardBFull`
at every batch that meets no kink, for every batch size, class count and resolution `q`. Stem, head
and all sixteen bottlenecks are concrete.

* `r50InputGradB_eq_r34B_full_vjp`, the tie: the leaf ties of the eighteen slots and the peeled
  apex;
* `resnet50ForwardBFull_eq_slots`, the shape check, by the chain and the seventeen named prefixes;
* `r50InputGradB_correct`, the reading as a sum of partial derivatives;
  `resnet50ImagenetInputGradB_correct` and `resnet50LowResInputGradB_correct`, the same at the
  literal dimensions of ResNet-50 with 224 and with 160 pixels a side.

Answers: the family of seven batched ties: ResNet-50. -/

namespace NetTies

variable {R : Type} [KinkedScalars R] {d : ResNetDims} {nCls : Nat}
variable (N : Nat) (w : R50Params R d nCls) (win : StemWinners N d.c1 d.s0 d.s1)

/-! ## The tie -/

/-- **The tie**: the batched reverse chain is the certified backward function of the eighteen
slots. -/
theorem r50InputGradB_eq_r34B_full_vjp (x : Vec R (N * d.img)) (hx : R50SmoothAtB N w win x)
    (dy : Vec R (N * nCls)) :
    r50InputGradB N w win x dy = (r34B_full_has_vjp_at hx.slots).backward dy := by
  have tie := r34B_full_has_vjp_at_of_leaves hx.slots
    (r34StemBBack_eq_vjp_backward N d.side d.s0 d.s1 w.stem win x hx.slots.stem)
    (r50ProjBBack_eq_vjp_backward N 1 d.s1 d.s1 w.b1 _ hx.slots.b1)
    (r50IdBBack_eq_vjp_backward N d.s1 w.b2 _ hx.slots.b2)
    (r50IdBBack_eq_vjp_backward N d.s1 w.b3 _ hx.slots.b3)
    (r50ProjBBack_eq_vjp_backward N 2 d.s1 d.s2 w.b4 _ hx.slots.b4)
    (r50IdBBack_eq_vjp_backward N d.s2 w.b5 _ hx.slots.b5)
    (r50IdBBack_eq_vjp_backward N d.s2 w.b6 _ hx.slots.b6)
    (r50IdBBack_eq_vjp_backward N d.s2 w.b7 _ hx.slots.b7)
    (r50ProjBBack_eq_vjp_backward N 2 d.s2 d.s3 w.b8 _ hx.slots.b8)
    (r50IdBBack_eq_vjp_backward N d.s3 w.b9 _ hx.slots.b9)
    (r50IdBBack_eq_vjp_backward N d.s3 w.b10 _ hx.slots.b10)
    (r50IdBBack_eq_vjp_backward N d.s3 w.b11 _ hx.slots.b11)
    (r50IdBBack_eq_vjp_backward N d.s3 w.b12 _ hx.slots.b12)
    (r50IdBBack_eq_vjp_backward N d.s3 w.b13 _ hx.slots.b13)
    (r50ProjBBack_eq_vjp_backward N 2 d.s3 d.s4 w.b14 _ hx.slots.b14)
    (r50IdBBack_eq_vjp_backward N d.s4 w.b15 _ hx.slots.b15)
    (r50IdBBack_eq_vjp_backward N d.s4 w.b16 _ hx.slots.b16)
    (r34HeadBBack_eq_vjp_backward N d.s4 w.headW w.headB _) dy
  rw [r50InputGradB, tie]

/-! ## The shape check -/

/-- The network is the chain of its eighteen parts. -/
theorem resnet50ForwardBFull_eq_chain : resnet50ForwardBFull N w =
      (r34HeadB N d.s4 w.headW w.headB).fwd ⊚ (r50IdB N d.s4 w.b16).fwd ⊚
      (r50IdB N d.s4 w.b15).fwd ⊚ (r50ProjB N 2 d.s3 d.s4 w.b14).fwd ⊚ (r50IdB N d.s3 w.b13).fwd ⊚
      (r50IdB N d.s3 w.b12).fwd ⊚ (r50IdB N d.s3 w.b11).fwd ⊚ (r50IdB N d.s3 w.b10).fwd ⊚
      (r50IdB N d.s3 w.b9).fwd ⊚ (r50ProjB N 2 d.s2 d.s3 w.b8).fwd ⊚ (r50IdB N d.s2 w.b7).fwd ⊚
      (r50IdB N d.s2 w.b6).fwd ⊚ (r50IdB N d.s2 w.b5).fwd ⊚ (r50ProjB N 2 d.s1 d.s2 w.b4).fwd ⊚
      (r50IdB N d.s1 w.b3).fwd ⊚ (r50IdB N d.s1 w.b2).fwd ⊚ (r50ProjB N 1 d.s1 d.s1 w.b1).fwd ⊚
      r34StemFwd N d.side d.s0 d.s1 w.stem := by
  rw [resnet50ForwardBFull, r50Layer4, r50Layer3, r50Layer2, r50Layer1]
  simp only [Map.comp_assoc]

/-- **The shape check**: the network is the composition of the slots. -/
theorem resnet50ForwardBFull_eq_slots :
    resnet50ForwardBFull N w = r34SlotsB (r50Stages N w win) := by
  rw [resnet50ForwardBFull_eq_chain]
  rw [r34SlotsB, r34Pre16, r34Pre15, r34Pre14, r34Pre13, r34Pre12, r34Pre11, r34Pre10, r34Pre9,
    r34Pre8, r34Pre7, r34Pre6, r34Pre5, r34Pre4, r34Pre3, r34Pre2, r34Pre1, r34Pre0]
  rfl

/-! ## The reading -/

/-- **The reading**: pixel `i` of the gradient is the cotangent contracted with the partial
derivatives of the network. -/
theorem r50InputGradB_correct (x : Vec R (N * d.img)) (hx : R50SmoothAtB N w win x)
    (dy : Vec R (N * nCls)) (i : Idx (N * d.img)) :
    r50InputGradB N w win x dy i = ∑ j, pdiv (resnet50ForwardBFull N w) x i j * dy j := by
  rw [r50InputGradB_eq_r34B_full_vjp N w win x hx, resnet50ForwardBFull_eq_slots N w win]
  exact (r34B_full_has_vjp_at hx.slots).correct dy i

/-- The dimensions of ResNet-50 at `32 q × 32 q` pixels; outer widths are four times the inner. -/
abbrev resnet50Dims (q : Nat) : ResNetDims := ⟨64, 128, 256, 512, q⟩

/-- **ResNet-50** at 224 × 224 pixels. -/
theorem resnet50ImagenetInputGradB_correct (w : R50Params R (resnet50Dims 7) nCls)
    (win : StemWinners N 64 112 56) (x : Vec R (N * (3 * (224 * 224))))
    (hx : R50SmoothAtB N w win x) (dy : Vec R (N * nCls)) (i : Idx (N * (3 * (224 * 224)))) :
    r50InputGradB N w win x dy i = ∑ j, pdiv (resnet50ForwardBFull N w) x i j * dy j :=
  r50InputGradB_correct N w win x hx dy i

/-- **ResNet-50** at 160 × 160 pixels. -/
theorem resnet50LowResInputGradB_correct (w : R50Params R (resnet50Dims 5) nCls)
    (win : StemWinners N 64 80 40) (x : Vec R (N * (3 * (160 * 160))))
    (hx : R50SmoothAtB N w win x) (dy : Vec R (N * nCls)) (i : Idx (N * (3 * (160 * 160)))) :
    r50InputGradB N w win x dy i = ∑ j, pdiv (resnet50ForwardBFull N w) x i j * dy j :=
  r50InputGradB_correct N w win x hx dy i

end NetTies
