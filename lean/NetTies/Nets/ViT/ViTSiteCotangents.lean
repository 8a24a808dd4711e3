import NetTies.Nets.ViT.ViTMultiHeadChain
import NetTies.Layers.ParamGrad

/-! # Every cotangent inside a block is a certified backward function

The parameters of a block read the cotangents at its inner sites. For each site this file has the rest
of the block from that site on, as a certified layer (`fromQ` is what becomes of the queries, all else
being saved), and the tie: the cotangent that the emitted chain delivers at the site is the certified
backward function of the rest of the block there. So a gradient node at a site is the gradient of the
block's output, not only of the site.

Answers: ViT-Tiny's step tie: every cotangent is a certified backward function. -/

namespace NetTies

variable {R : Type} [Scalars R] {H d M : Nat}

namespace BlockParamsV

variable (cfg : ViTConfig R) (p : BlockParamsV R (H * d) M) (N : Nat) (sd : Sites R)

/-- At the output projection's output: the cotangent of `h`, dropped. -/
def cOut (x dy : Vec R ((N + 1) * (H * d))) : Vec R ((N + 1) * (H * d)) :=
  dropScale sd.attn (p.cH cfg N sd x dy)

/-- At the second dense layer's output: the cotangent of the block's output, dropped. -/
def cFc2 (_x dy : Vec R ((N + 1) * (H * d))) : Vec R ((N + 1) * (H * d)) := dropScale sd.mlp dy

/-! ## The rest of the block from each site on -/

/-- From the output projection's output on; `x` is the block's input. -/
def fromOut (x : Vec R ((N + 1) * (H * d))) : Layer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) :=
  (p.mlpHalf cfg N sd.mlp).comp ((shift x).comp (dropSite sd.attn (Layer.id R _)))

/-- From the attention output on. -/
def fromAtt (x : Vec R ((N + 1) * (H * d))) : Layer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) :=
  (p.fromOut cfg N sd x).comp (p.outProj N)

/-- From the output of LN₁ on. -/
def fromLn1 (x : Vec R ((N + 1) * (H * d))) : Layer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) :=
  (p.fromAtt cfg N sd x).comp (p.merged N)

/-- From the queries on; keys and values are the saved ones. -/
def fromQ (x : Vec R ((N + 1) * (H * d))) : Layer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) :=
  (p.fromAtt cfg N sd x).comp (attendTokens N (Layer.id R _) (.const _ (p.saves cfg N sd x).k)
    (.const _ (p.saves cfg N sd x).v))

/-- From the keys on. -/
def fromK (x : Vec R ((N + 1) * (H * d))) : Layer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) :=
  (p.fromAtt cfg N sd x).comp (attendTokens N (.const _ (p.saves cfg N sd x).q) (Layer.id R _)
    (.const _ (p.saves cfg N sd x).v))

/-- From the values on. -/
def fromV (x : Vec R ((N + 1) * (H * d))) : Layer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) :=
  (p.fromAtt cfg N sd x).comp (attendTokens N (.const _ (p.saves cfg N sd x).q)
    (.const _ (p.saves cfg N sd x).k) (Layer.id R _))

/-- From the second dense layer's output on; `h` is the input of the second half. -/
def fromFc2 (h : Vec R ((N + 1) * (H * d))) : Layer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) :=
  (shift h).comp (dropSite sd.mlp (Layer.id R _))

/-- From the pre-activation on. -/
def fromM1 (h : Vec R ((N + 1) * (H * d))) : Layer R ((N + 1) * M) ((N + 1) * (H * d)) :=
  (fromFc2 N sd h).comp ((p.fc2 N).comp (act cfg N M))

/-- From the output of LN₂ on. -/
def fromLn2 (h : Vec R ((N + 1) * (H * d))) : Layer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) :=
  (p.fromM1 cfg N sd h).comp (p.fc1 N)

/-! ## From each site on, the block's output is computed -/

variable (x dy : Vec R ((N + 1) * (H * d)))

theorem attnHalf_fwd : x + dropScale sd.attn ((p.outProj N).fwd (p.saves cfg N sd x).att) =
    (p.attnHalf cfg N sd.attn).fwd x :=
  congrArg (fun y => x + y) (dropSite_fwd sd.attn (p.attnBranch cfg N) x).symm

theorem fromOut_fwd : (p.fromOut cfg N sd x).fwd ((p.outProj N).fwd (p.saves cfg N sd x).att) =
    (p.block cfg N sd).fwd x :=
  congrArg (p.mlpHalf cfg N sd.mlp).fwd.toFun
    ((congrArg (fun y => x + y) (dropSite_fwd sd.attn (Layer.id R _) _)).trans
      (p.attnHalf_fwd cfg N sd x))

theorem fromLn1_fwd : (p.fromLn1 cfg N sd x).fwd (p.saves cfg N sd x).ln1 =
    (p.block cfg N sd).fwd x := p.fromOut_fwd cfg N sd x

theorem fromQ_fwd : (p.fromQ cfg N sd x).fwd (p.saves cfg N sd x).q =
    (p.block cfg N sd).fwd x := p.fromOut_fwd cfg N sd x

theorem fromK_fwd : (p.fromK cfg N sd x).fwd (p.saves cfg N sd x).k =
    (p.block cfg N sd).fwd x := p.fromOut_fwd cfg N sd x

theorem fromV_fwd : (p.fromV cfg N sd x).fwd (p.saves cfg N sd x).v =
    (p.block cfg N sd).fwd x := p.fromOut_fwd cfg N sd x

theorem fromFc2_fwd : (fromFc2 N sd (p.saves cfg N sd x).h).fwd
    ((p.fc2 N).fwd (p.saves cfg N sd x).act) = (p.block cfg N sd).fwd x :=
  congrArg (fun y => (p.saves cfg N sd x).h + y)
    ((dropSite_fwd sd.mlp (Layer.id R _) _).trans
      (dropSite_fwd sd.mlp (p.mlpBranch cfg N) (p.saves cfg N sd x).h).symm)

theorem fromM1_fwd : (p.fromM1 cfg N sd (p.saves cfg N sd x).h).fwd (p.saves cfg N sd x).m1 =
    (p.block cfg N sd).fwd x := p.fromFc2_fwd cfg N sd x

theorem fromLn2_fwd : (p.fromLn2 cfg N sd (p.saves cfg N sd x).h).fwd (p.saves cfg N sd x).ln2 =
    (p.block cfg N sd).fwd x := p.fromFc2_fwd cfg N sd x

/-! ## The ties -/

theorem cFc2_eq_vjp (h y : Vec R ((N + 1) * (H * d))) :
    cFc2 N sd x dy = (fromFc2 N sd h).vjp.backward y dy :=
  (dropSite_backward sd.mlp (Layer.id R _) y dy).symm

theorem cM1_eq_vjp : p.cM1 cfg N sd x dy =
    (p.fromM1 cfg N sd (p.saves cfg N sd x).h).vjp.backward (p.saves cfg N sd x).m1 dy := by
  rw [fromM1, Layer.comp_backward, ← cFc2_eq_vjp N sd x, Layer.comp_backward, fc2,
    ← rowDenseBack_eq_vjp, act, ← GeluForm.back_eq_vjp, cM1, vitCotM1, cFc2]

theorem cLn2_eq_vjp : p.cLn2 cfg N sd x dy =
    (p.fromLn2 cfg N sd (p.saves cfg N sd x).h).vjp.backward (p.saves cfg N sd x).ln2 dy := by
  rw [cLn2, cM1_eq_vjp, fromLn2, Layer.comp_backward, vitCotLn2, saves, fc1, ← rowDenseBack_eq_vjp]

theorem cOut_eq_vjp : p.cOut cfg N sd x dy = (p.fromOut cfg N sd x).vjp.backward
    ((p.outProj N).fwd (p.saves cfg N sd x).att) dy := by
  rw [fromOut, Layer.comp_backward, Layer.comp_backward, dropSite_backward, cOut, cH_eq_vjp,
    ← attnHalf_fwd, Layer.comp_fwd, Map.comp_apply, dropSite_fwd]
  rfl

theorem cAtt_eq_vjp : p.cAtt cfg N sd x dy =
    (p.fromAtt cfg N sd x).vjp.backward (p.saves cfg N sd x).att dy := by
  rw [fromAtt, Layer.comp_backward, ← cOut_eq_vjp, outProj, ← rowDenseBack_eq_vjp, cAtt, vitCotAtt, cOut]

theorem cLn1_eq_rest_vjp : p.cLn1 cfg N sd x dy =
    (p.fromLn1 cfg N sd x).vjp.backward (p.saves cfg N sd x).ln1 dy := by
  rw [cLn1_eq_vjp, fromLn1, Layer.comp_backward]
  exact congrArg _ (p.cAtt_eq_vjp cfg N sd x dy)

theorem cQ_eq_vjp : p.cQ cfg N sd x dy =
    (p.fromQ cfg N sd x).vjp.backward (p.saves cfg N sd x).q dy := by
  have rest : p.cAtt cfg N sd x dy = (p.fromAtt cfg N sd x).vjp.backward
      ((attendTokens N (Layer.id R _) (.const _ (p.saves cfg N sd x).k)
        (.const _ (p.saves cfg N sd x).v)).fwd (p.saves cfg N sd x).q) dy :=
    p.cAtt_eq_vjp cfg N sd x dy
  rw [fromQ, Layer.comp_backward, ← rest, attendTokens_backward, cQ, cS]
  exact ((vec_add_zero _).trans (vec_add_zero _)).symm

theorem cK_eq_vjp : p.cK cfg N sd x dy =
    (p.fromK cfg N sd x).vjp.backward (p.saves cfg N sd x).k dy := by
  have rest : p.cAtt cfg N sd x dy = (p.fromAtt cfg N sd x).vjp.backward
      ((attendTokens N (.const _ (p.saves cfg N sd x).q) (Layer.id R _)
        (.const _ (p.saves cfg N sd x).v)).fwd (p.saves cfg N sd x).k) dy :=
    p.cAtt_eq_vjp cfg N sd x dy
  rw [fromK, Layer.comp_backward, ← rest, attendTokens_backward, cK, cS]
  exact ((vec_add_zero _).trans (vec_zero_add _)).symm

theorem cV_eq_vjp : p.cV cfg N sd x dy =
    (p.fromV cfg N sd x).vjp.backward (p.saves cfg N sd x).v dy := by
  have rest : p.cAtt cfg N sd x dy = (p.fromAtt cfg N sd x).vjp.backward
      ((attendTokens N (.const _ (p.saves cfg N sd x).q) (.const _ (p.saves cfg N sd x).k)
        (Layer.id R _)).fwd (p.saves cfg N sd x).v) dy :=
    p.cAtt_eq_vjp cfg N sd x dy
  rw [fromV, Layer.comp_backward, ← rest, attendTokens_backward, cV]
  exact ((congrArg (fun z => z + _) (vec_add_zero 0)).trans (vec_zero_add _)).symm

end BlockParamsV

end NetTies
