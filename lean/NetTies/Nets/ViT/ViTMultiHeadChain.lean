import NetTies.Nets.ViT.ViTChainClose

/-! # The cotangent chain of multi-head attention, and of the whole block

Each segment of the single-head chain, on each of `H` heads; head by head it is the closed form
(`row_vitCotDQmh` and so on). `BlockParamsV.cotIn` threads the chain through a block from the
cotangent of its output to that of its input, with the saved activations recomputed from the input,
and `vitCotXin_eq_blockBack` is its tie: the chain is the certified backward function of the block.

Answers: the attention-block chain on all heads; ViT-Tiny's step tie: saves and cotangents as
functions of a block's input. -/

namespace NetTies

variable {R : Type} [Scalars R] {T N H d M : Nat}

/-! ## Multi-head segments -/

/-- The scores of each head. -/
def vitScoresMH (H : Nat) (c : R) (Q K : Vec R (H * (T * d))) : Vec R (H * (T * T)) := fun i =>
  c * batchMapAux H matMulTFlat Q K i

/-- The weights of each head. -/
def vitWeightsMH (H : Nat) (scores : Vec R (H * (T * T))) : Vec R (H * (T * T)) :=
  batchFun H (rowSoftmax T) scores

/-- The cotangent of the weights of each head. -/
def vitCotDPmh (H : Nat) (V dO : Vec R (H * (T * d))) : Vec R (H * (T * T)) :=
  batchMapAux H vitCotDP V dO

/-- The cotangent of the unscaled scores of each head. -/
def vitCotDSmh (H : Nat) (c : R) (scores dP : Vec R (H * (T * T))) : Vec R (H * (T * T)) :=
  batchMapAux H (vitCotDS c) scores dP

/-- The cotangent of the queries of each head. -/
def vitCotDQmh (H : Nat) (K : Vec R (H * (T * d))) (dS : Vec R (H * (T * T))) :
    Vec R (H * (T * d)) := batchMapAux H vitCotDQ K dS

/-- The cotangent of the keys of each head. -/
def vitCotDKmh (H : Nat) (Q : Vec R (H * (T * d))) (dS : Vec R (H * (T * T))) :
    Vec R (H * (T * d)) := batchMapAux H vitCotDK Q dS

/-- The cotangent of the values of each head. -/
def vitCotDVmh (H : Nat) (P : Vec R (H * (T * T))) (dO : Vec R (H * (T * d))) :
    Vec R (H * (T * d)) := batchMapAux H vitCotDV P dO

theorem row_vitScoresMH (c : R) (Q K : Vec R (H * (T * d))) (h : Idx H) :
    row (vitScoresMH H c Q K) h = scoresFlat c (row Q h) (row K h) :=
  funext fun i => congrArg (fun r : Vec R (T * T) => c * r i) (row_batchMapAux matMulTFlat Q K h)

/-- The multi-head queries' cotangent is the closed form on each head. -/
theorem row_vitCotDQmh (c : R) (Q K V dO : Vec R (H * (T * d))) (h : Idx H) :
    row (vitCotDQmh H K (vitCotDSmh H c (vitScoresMH H c Q K) (vitCotDPmh H V dO))) h =
      flatten (sdpaBackQ c (row (row Q h)) (row (row K h)) (row (row V h)) (row (row dO h))) := by
  rw [vitCotDQmh, vitCotDSmh, vitCotDPmh, row_batchMapAux, row_batchMapAux, row_batchMapAux,
    row_vitScoresMH, vitCotDQ_eq_sdpaBackQ]

/-- The multi-head keys' cotangent is the closed form on each head. -/
theorem row_vitCotDKmh (c : R) (Q K V dO : Vec R (H * (T * d))) (h : Idx H) :
    row (vitCotDKmh H Q (vitCotDSmh H c (vitScoresMH H c Q K) (vitCotDPmh H V dO))) h =
      flatten (sdpaBackK c (row (row Q h)) (row (row K h)) (row (row V h)) (row (row dO h))) := by
  rw [vitCotDKmh, vitCotDSmh, vitCotDPmh, row_batchMapAux, row_batchMapAux, row_batchMapAux,
    row_vitScoresMH, vitCotDK_eq_sdpaBackK]

/-- The multi-head values' cotangent is the closed form on each head. -/
theorem row_vitCotDVmh (c : R) (Q K dO : Vec R (H * (T * d))) (h : Idx H) :
    row (vitCotDVmh H (vitWeightsMH H (vitScoresMH H c Q K)) dO) h =
      flatten (sdpaBackV c (row (row Q h)) (row (row K h)) (row (row dO h))) := by
  rw [vitCotDVmh, vitWeightsMH, row_batchMapAux, row_batchFun, row_vitScoresMH,
    vitCotDV_eq_sdpaBackV]

/-- The softmax of all heads, with its rendered backward function. -/
theorem vitCotDSmh_eq_vjp (c : R) (scores dP : Vec R (H * ((N + 1) * (N + 1)))) :
    vitCotDSmh H c scores dP = fun i => c * ((weightsLayer R N).batch H).vjp.backward scores dP i :=
  batch_ext fun h => by
    rw [vitCotDSmh, row_batchMapAux]
    funext i
    show c * rowSoftmaxBack (N + 1) (row scores h) (row dP h) i =
      c * row (((weightsLayer R N).batch H).vjp.backward scores dP) h i
    rw [Layer.batch_backward, row_batchMapAux, rowSoftmaxBack_eq_vjp]
    rfl

/-- The tie of multi-head attention: the cotangents of queries, keys and values, each through its own
layer, are added. -/
theorem attendTokens_backward {n : Nat} (q k v : Layer R n ((N + 1) * (H * d))) (u : Vec R n)
    (dA : Vec R ((N + 1) * (H * d))) :
    (attendTokens N q k v).vjp.backward u dA =
      let Q := splitHeads (q.fwd u)
      let K := splitHeads (k.fwd u)
      let V := splitHeads (v.fwd u)
      let S := vitScoresMH H (attnScale R d) Q K
      let dS := vitCotDSmh H (attnScale R d) S (vitCotDPmh H V (splitHeads dA))
      q.vjp.backward u (mergeHeads (vitCotDQmh H K dS)) +
        k.vjp.backward u (mergeHeads (vitCotDKmh H Q dS)) +
        v.vjp.backward u (mergeHeads (vitCotDVmh H (vitWeightsMH H S) (splitHeads dA))) := by
  dsimp only
  rw [vitCotDSmh_eq_vjp]
  rfl

/-! ## The saved activations of a block -/

/-- The nine activations that a block saves, as functions of its input and its sites. -/
structure BlockSaves (R : Type) (T D M : Nat) where
  ln1 : Vec R (T * D)
  q : Vec R (T * D)
  k : Vec R (T * D)
  v : Vec R (T * D)
  att : Vec R (T * D)
  h : Vec R (T * D)
  ln2 : Vec R (T * D)
  m1 : Vec R (T * M)
  act : Vec R (T * M)

namespace BlockParamsV

variable (cfg : ViTConfig R) (p : BlockParamsV R (H * d) M) (N : Nat) (sd : Sites R)

/-- The saved activations, recomputed from the input. -/
def saves (x : Vec R ((N + 1) * (H * d))) : BlockSaves R (N + 1) (H * d) M where
  ln1 := (p.ln1 cfg N).fwd x
  q := (p.query N).fwd ((p.ln1 cfg N).fwd x)
  k := (p.key N).fwd ((p.ln1 cfg N).fwd x)
  v := (p.value N).fwd ((p.ln1 cfg N).fwd x)
  att := (p.merged N).fwd ((p.ln1 cfg N).fwd x)
  h := (p.attnHalf cfg N sd.attn).fwd x
  ln2 := (p.ln2 cfg N).fwd ((p.attnHalf cfg N sd.attn).fwd x)
  m1 := (p.fc1 N).fwd ((p.ln2 cfg N).fwd ((p.attnHalf cfg N sd.attn).fwd x))
  act := (act cfg N M).fwd ((p.fc1 N).fwd ((p.ln2 cfg N).fwd ((p.attnHalf cfg N sd.attn).fwd x)))

/-! ## The cotangents, as functions of the input and of the output's cotangent -/

/-- At the pre-activation of the MLP. -/
def cM1 (x dy : Vec R ((N + 1) * (H * d))) : Vec R ((N + 1) * M) :=
  vitCotM1 cfg.gelu p.W₂ (p.saves cfg N sd x).m1 (dropScale sd.mlp dy)

/-- At the output of LN₂. -/
def cLn2 (x dy : Vec R ((N + 1) * (H * d))) : Vec R ((N + 1) * (H * d)) :=
  vitCotLn2 p.W₁ (p.cM1 cfg N sd x dy)

/-- At `h`. -/
def cH (x dy : Vec R ((N + 1) * (H * d))) : Vec R ((N + 1) * (H * d)) :=
  vitCotH cfg.ε p.γ₂ (p.saves cfg N sd x).h (p.cLn2 cfg N sd x dy) dy

/-- At the attention output, before the output projection. -/
def cAtt (x dy : Vec R ((N + 1) * (H * d))) : Vec R ((N + 1) * (H * d)) :=
  vitCotAtt p.Wo (dropScale sd.attn (p.cH cfg N sd x dy))

/-- At the unscaled scores of each head. -/
def cS (x dy : Vec R ((N + 1) * (H * d))) : Vec R (H * ((N + 1) * (N + 1))) :=
  vitCotDSmh H (attnScale R d)
    (vitScoresMH H (attnScale R d) (splitHeads (p.saves cfg N sd x).q)
      (splitHeads (p.saves cfg N sd x).k))
    (vitCotDPmh H (splitHeads (p.saves cfg N sd x).v) (splitHeads (p.cAtt cfg N sd x dy)))

/-- At the queries. -/
def cQ (x dy : Vec R ((N + 1) * (H * d))) : Vec R ((N + 1) * (H * d)) :=
  mergeHeads (vitCotDQmh H (splitHeads (p.saves cfg N sd x).k) (p.cS cfg N sd x dy))

/-- At the keys. -/
def cK (x dy : Vec R ((N + 1) * (H * d))) : Vec R ((N + 1) * (H * d)) :=
  mergeHeads (vitCotDKmh H (splitHeads (p.saves cfg N sd x).q) (p.cS cfg N sd x dy))

/-- At the values. -/
def cV (x dy : Vec R ((N + 1) * (H * d))) : Vec R ((N + 1) * (H * d)) :=
  mergeHeads (vitCotDVmh H
    (vitWeightsMH H (vitScoresMH H (attnScale R d) (splitHeads (p.saves cfg N sd x).q)
      (splitHeads (p.saves cfg N sd x).k)))
    (splitHeads (p.cAtt cfg N sd x dy)))

/-- At the output of LN₁: the three-way fan-in. -/
def cLn1 (x dy : Vec R ((N + 1) * (H * d))) : Vec R ((N + 1) * (H * d)) :=
  vitCotLn1 p.Wq p.Wk p.Wv (p.cQ cfg N sd x dy) (p.cK cfg N sd x dy) (p.cV cfg N sd x dy)

/-- **The chain of a block**: the cotangent of its input. -/
def cotIn (x dy : Vec R ((N + 1) * (H * d))) : Vec R ((N + 1) * (H * d)) :=
  vitCotXin cfg.ε p.γ₁ x (p.cLn1 cfg N sd x dy) (p.cH cfg N sd x dy)

/-! ## The tie of the block -/

/-- The cotangent of `h` is the certified backward function of the second half. -/
theorem cH_eq_vjp (x dy : Vec R ((N + 1) * (H * d))) : p.cH cfg N sd x dy =
    (p.mlpHalf cfg N sd.mlp).vjp.backward ((p.attnHalf cfg N sd.attn).fwd x) dy := by
  rw [mlpHalf, Layer.residual_backward, dropSite_backward, mlpBranch, Layer.comp_backward,
    Layer.comp_backward, Layer.comp_backward, fc2, ← rowDenseBack_eq_vjp, act,
    ← GeluForm.back_eq_vjp, cH, vitCotH, rowLNBack_eq_vjp (N + 1) cfg.ε cfg.ε_pos p.γ₂ p.β₂, cLn2,
    vitCotLn2, cM1, vitCotM1, saves, Layer.comp_fwd, Map.comp_apply, fc1, ← rowDenseBack_eq_vjp, ln2]

/-- The cotangent at LN₁'s output is the certified backward function of the attention. -/
theorem cLn1_eq_vjp (x dy : Vec R ((N + 1) * (H * d))) : p.cLn1 cfg N sd x dy =
    (p.merged N).vjp.backward ((p.ln1 cfg N).fwd x)
      (rowDenseBack (N + 1) p.Wo (dropScale sd.attn (p.cH cfg N sd x dy))) := by
  rw [merged, attendTokens_backward]
  dsimp only
  rw [cLn1, vitCotLn1, cQ, cK, cV, cS, cAtt, vitCotAtt, saves, query, key, value,
    ← rowDenseBack_eq_vjp, ← rowDenseBack_eq_vjp, ← rowDenseBack_eq_vjp]

/-- **The tie**: the chain of a block is its certified backward function. -/
theorem vitCotXin_eq_blockBack (x dy : Vec R ((N + 1) * (H * d))) :
    p.cotIn cfg N sd x dy = (p.block cfg N sd).vjp.backward x dy := by
  rw [block, Layer.comp_backward, ← cH_eq_vjp, attnHalf, Layer.residual_backward,
    dropSite_backward, attnBranch, Layer.comp_backward, Layer.comp_backward, outProj,
    ← rowDenseBack_eq_vjp, cotIn, vitCotXin, rowLNBack_eq_vjp (N + 1) cfg.ε cfg.ε_pos p.γ₁ p.β₁,
    cLn1_eq_vjp, ln1]

/-- A block with its rendered chain, tied. -/
def tied : TiedLayer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) where
  toLayer := p.block cfg N sd
  back := p.cotIn cfg N sd
  back_eq_vjp := p.vitCotXin_eq_blockBack cfg N sd

end BlockParamsV

end NetTies
