import NetTies.Nets.ResNet.ResNetBackChains

/-! # `r34InputGradB` is the certified whole-net gradient of ResNet-34 at a batch

The eighteen-stage batched chain is the certified gradient of `resnet34ForwardBFull` at every batch
that meets no kink, for every batch size and class count. Batch normalisation couples the examples,
so the network is not the batch lift of a network at one image, and its stages are functions of the
whole batch. Stem, head and all sixteen blocks are concrete. The pool's winners are saved.

* `r34InputGradB_eq_r34B_full_vjp`, the tie: the leaf ties of the eighteen slots, then the apex of
  `ResNetStages` peeled by an equation, so nothing is left to the kernel's unfolding;
* `resnet34ForwardBFull_eq_slots`, the shape check: the network, written layer by layer, is the
  composition of the slots, by its chain and the seventeen named prefixes;
* `r34InputGradB_correct`, the reading as a sum of partial derivatives, and
  `resnet34ImagenetInputGradB_correct`, the same at the literal dimensions of ResNet-34.

Answers: the family of seven batched ties: ResNet-34. -/

namespace NetTies

variable {R : Type} [KinkedScalars R] {d : ResNetDims} {nCls : Nat}
variable (N : Nat) (w : R34Params R d nCls) (win : StemWinners N d.c1 d.s0 d.s1)

/-! ## The tie -/

/-- **The tie**: the batched reverse chain is the certified backward function of the eighteen
slots. -/
theorem r34InputGradB_eq_r34B_full_vjp (x : Vec R (N * d.img)) (hx : R34SmoothAtB N w win x)
    (dy : Vec R (N * nCls)) :
    r34InputGradB N w win x dy = (r34B_full_has_vjp_at hx.slots).backward dy := by
  have tie := r34B_full_has_vjp_at_of_leaves hx.slots
    (r34StemBBack_eq_vjp_backward N d.side d.s0 d.s1 w.stem win x hx.slots.stem)
    (r34IdBBack_eq_vjp_backward N d.s1 w.b1 _ hx.slots.b1)
    (r34IdBBack_eq_vjp_backward N d.s1 w.b2 _ hx.slots.b2)
    (r34IdBBack_eq_vjp_backward N d.s1 w.b3 _ hx.slots.b3)
    (r34DownBBack_eq_vjp_backward N d.s1 d.s2 w.b4 _ hx.slots.b4)
    (r34IdBBack_eq_vjp_backward N d.s2 w.b5 _ hx.slots.b5)
    (r34IdBBack_eq_vjp_backward N d.s2 w.b6 _ hx.slots.b6)
    (r34IdBBack_eq_vjp_backward N d.s2 w.b7 _ hx.slots.b7)
    (r34DownBBack_eq_vjp_backward N d.s2 d.s3 w.b8 _ hx.slots.b8)
    (r34IdBBack_eq_vjp_backward N d.s3 w.b9 _ hx.slots.b9)
    (r34IdBBack_eq_vjp_backward N d.s3 w.b10 _ hx.slots.b10)
    (r34IdBBack_eq_vjp_backward N d.s3 w.b11 _ hx.slots.b11)
    (r34IdBBack_eq_vjp_backward N d.s3 w.b12 _ hx.slots.b12)
    (r34IdBBack_eq_vjp_backward N d.s3 w.b13 _ hx.slots.b13)
    (r34DownBBack_eq_vjp_backward N d.s3 d.s4 w.b14 _ hx.slots.b14)
    (r34IdBBack_eq_vjp_backward N d.s4 w.b15 _ hx.slots.b15)
    (r34IdBBack_eq_vjp_backward N d.s4 w.b16 _ hx.slots.b16)
    (r34HeadBBack_eq_vjp_backward N d.s4 w.headW w.headB _) dy
  rw [r34InputGradB, tie]

/-! ## The shape check -/

/-- The network is the chain of its eighteen parts. -/
theorem resnet34ForwardBFull_eq_chain : resnet34ForwardBFull N w =
      (r34HeadB N d.s4 w.headW w.headB).fwd ⊚ (r34IdB N d.s4 w.b16).fwd ⊚
      (r34IdB N d.s4 w.b15).fwd ⊚ (r34DownB N d.s3 d.s4 w.b14).fwd ⊚ (r34IdB N d.s3 w.b13).fwd ⊚
      (r34IdB N d.s3 w.b12).fwd ⊚ (r34IdB N d.s3 w.b11).fwd ⊚ (r34IdB N d.s3 w.b10).fwd ⊚
      (r34IdB N d.s3 w.b9).fwd ⊚ (r34DownB N d.s2 d.s3 w.b8).fwd ⊚ (r34IdB N d.s2 w.b7).fwd ⊚
      (r34IdB N d.s2 w.b6).fwd ⊚ (r34IdB N d.s2 w.b5).fwd ⊚ (r34DownB N d.s1 d.s2 w.b4).fwd ⊚
      (r34IdB N d.s1 w.b3).fwd ⊚ (r34IdB N d.s1 w.b2).fwd ⊚ (r34IdB N d.s1 w.b1).fwd ⊚
      r34StemFwd N d.side d.s0 d.s1 w.stem := by
  rw [resnet34ForwardBFull, r34Layer4, r34Layer3, r34Layer2, r34Layer1]
  simp only [Map.comp_assoc]

/-- **The shape check**: the network is the composition of the slots. -/
theorem resnet34ForwardBFull_eq_slots :
    resnet34ForwardBFull N w = r34SlotsB (r34Stages N w win) := by
  rw [resnet34ForwardBFull_eq_chain]
  rw [r34SlotsB, r34Pre16, r34Pre15, r34Pre14, r34Pre13, r34Pre12, r34Pre11, r34Pre10, r34Pre9,
    r34Pre8, r34Pre7, r34Pre6, r34Pre5, r34Pre4, r34Pre3, r34Pre2, r34Pre1, r34Pre0]
  rfl

/-! ## The reading -/

/-- **The reading**: pixel `i` of the gradient is the cotangent contracted with the partial
derivatives of the network. -/
theorem r34InputGradB_correct (x : Vec R (N * d.img)) (hx : R34SmoothAtB N w win x)
    (dy : Vec R (N * nCls)) (i : Idx (N * d.img)) :
    r34InputGradB N w win x dy i = ∑ j, pdiv (resnet34ForwardBFull N w) x i j * dy j := by
  rw [r34InputGradB_eq_r34B_full_vjp N w win x hx, resnet34ForwardBFull_eq_slots N w win]
  exact (r34B_full_has_vjp_at hx.slots).correct dy i

/-- The dimensions of ResNet-34 at 224 × 224 pixels. -/
abbrev resnet34Dims : ResNetDims := ⟨64, 128, 256, 512, 7⟩

/-- **ResNet-34**: the reading at its literal dimensions; batch and class count are binders. -/
theorem resnet34ImagenetInputGradB_correct (w : R34Params R resnet34Dims nCls)
    (win : StemWinners N 64 112 56) (x : Vec R (N * (3 * (224 * 224))))
    (hx : R34SmoothAtB N w win x) (dy : Vec R (N * nCls))
    (i : Idx (N * (3 * (224 * 224)))) :
    r34InputGradB N w win x dy i = ∑ j, pdiv (resnet34ForwardBFull N w) x i j * dy j :=
  r34InputGradB_correct N w win x hx dy i

end NetTies
