import NetTies.Nets.ViT.ViTNetTieGB

/-! # The gradient nodes of ViT-Tiny are the gradients of its loss

The step tie (`ViTNetTieGB`) ties each gradient node to its site, at the cotangent that the emitted
chain delivers there. That cotangent is the certified backward function of all that follows the site
(`ViTSiteCotangents` inside a block, `towerCots_eq_vjp` above it), so the node is the gradient of the
loss as a function of the parameter: `ParamTied.lift` composes the two.

`BlockParamsV.LossGradGB` says it of the sixteen parameters of a block, for any rest of the network
and any loss; `vit_net_lossGrad` says it of every block of ViT-Tiny and of what surrounds them, for any
differentiable loss of the logits.

Answers: ViT-Tiny's step tie, beyond it: the nodes are gradients of what follows. -/

namespace NetTies

variable {R : Type} [Scalars R] {B N T H d M K D m n o : Nat}

/-- A node that is tied at the certified cotangent of all that follows its site is the gradient of the
composition in the parameter. -/
theorem ParamTied.lift {site : Layer R m n} {θ : Vec R m} {out : Vec R n}
    {node : Vec R n → Vec R m} {dy : Vec R n} (t : ParamTied site θ out node dy) (L : Layer R n o)
    {dz : Vec R o} (h : dy = L.vjp.backward out dz) :
    ParamTied (L.comp site) θ (L.fwd out) (fun _ => node dy) dz where
  site_eq := congrArg L.fwd.toFun t.site_eq
  node_eq := by rw [t.node_eq, Layer.comp_backward, t.site_eq, ← h]

namespace BlockParamsV

variable (cfg : ViTConfig R) (p : BlockParamsV R (H * d) M) (N : Nat) (sd : Idx B → Sites R)

/-- The rest of a block at a batch, each example at its own sites and input. -/
def restB {n : Nat} (rest : Sites R → Vec R ((N + 1) * (H * d)) → Layer R n ((N + 1) * (H * d)))
    (xin : Vec R (B * ((N + 1) * (H * d)))) : Layer R (B * n) (B * ((N + 1) * (H * d))) :=
  .batchIdx B fun e => rest (sd e) (row xin e)

/-- A batch of blocks. -/
def blockB (xin : Vec R (B * ((N + 1) * (H * d)))) : Vec R (B * ((N + 1) * (H * d))) :=
  (Layer.batchIdx B fun e => p.block cfg N (sd e)).fwd xin

/-- Example `e` of a site's output, from the activation saved before it. -/
theorem row_site {m n : Nat} (f : Layer R m n) (save : BlockSaves R (N + 1) (H * d) M → Vec R m)
    (xin : Vec R (B * ((N + 1) * (H * d)))) (e : Idx B) :
    row (batchFun B f.fwd (p.savedB cfg N sd save xin)) e =
      f.fwd (save (p.saves cfg N (sd e) (row xin e))) :=
  (row_batchFun f.fwd.toFun _ e).trans (congrArg f.fwd.toFun
    (row_flatten (fun e => save (p.saves cfg N (sd e) (row xin e))) e))

/-- A site of the block whose cotangent is certified at each example: its node is the gradient, in the
parameter, of whatever follows the block. -/
theorem siteGrad {m n : Nat} {site : Layer R m (B * n)} {θ : Vec R m} {out : Vec R (B * n)}
    {node : Vec R (B * n) → Vec R m} {xin dyOut : Vec R (B * ((N + 1) * (H * d)))}
    {cot : Sites R → Vec R ((N + 1) * (H * d)) → Vec R ((N + 1) * (H * d)) → Vec R n}
    {rest : Sites R → Vec R ((N + 1) * (H * d)) → Layer R n ((N + 1) * (H * d))}
    {saved : Idx B → Vec R n}
    (t : ParamTied site θ out node (cotB N sd cot xin dyOut)) (hout : ∀ e, row out e = saved e)
    (hcot : ∀ e dy, cot (sd e) (row xin e) dy =
      (rest (sd e) (row xin e)).vjp.backward (saved e) dy)
    (hfwd : ∀ e, (rest (sd e) (row xin e)).fwd (saved e) = (p.block cfg N (sd e)).fwd (row xin e))
    (L : Layer R (B * ((N + 1) * (H * d))) o) {dz : Vec R o}
    (hdy : dyOut = L.vjp.backward (p.blockB cfg N sd xin) dz) :
    ParamTied ((L.comp (restB N sd rest xin)).comp site) θ (L.fwd (p.blockB cfg N sd xin))
      (fun _ => node (cotB N sd cot xin dyOut)) dz := by
  have fwd : (restB N sd rest xin).fwd out = p.blockB cfg N sd xin :=
    show (flatten fun e => (rest (sd e) (row xin e)).fwd (row out e)) =
      flatten fun e => (p.block cfg N (sd e)).fwd (row xin e) from
    congrArg flatten (funext fun e => by rw [hout, hfwd])
  have back : cotB N sd cot xin dyOut = (restB N sd rest xin).vjp.backward out dyOut :=
    show (flatten fun e => cot (sd e) (row xin e) (row dyOut e)) =
      flatten fun e => (rest (sd e) (row xin e)).vjp.backward (row out e) (row dyOut e) from
    congrArg flatten (funext fun e => by rw [hout, hcot])
  have lifted := t.lift (L.comp (restB N sd rest xin)) (dz := dz)
    (by rw [Layer.comp_backward, fwd, ← hdy, back])
  rw [Layer.comp_fwd, Map.comp_apply, fwd] at lifted
  exact lifted

/-- From the output of LN₂ on, as a function of the block's input. -/
def restLn2 (s : Sites R) (x : Vec R ((N + 1) * (H * d))) :
    Layer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) := p.fromLn2 cfg N s (p.saves cfg N s x).h

/-- From the pre-activation on, as a function of the block's input. -/
def restM1 (s : Sites R) (x : Vec R ((N + 1) * (H * d))) :
    Layer R ((N + 1) * M) ((N + 1) * (H * d)) := p.fromM1 cfg N s (p.saves cfg N s x).h

/-- From the second dense layer's output on, as a function of the block's input. -/
def restFc2 (s : Sites R) (x : Vec R ((N + 1) * (H * d))) :
    Layer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) := fromFc2 N s (p.saves cfg N s x).h

/-- At a site of the block: the node at the delivered cotangent is the gradient, in the parameter, of
the site, then the rest of the block, then the layer `L` that follows the block. -/
abbrev SiteGrad (xin dyOut : Vec R (B * ((N + 1) * (H * d))))
    (L : Layer R (B * ((N + 1) * (H * d))) o) (dz : Vec R o) {m n : Nat}
    (rest : Sites R → Vec R ((N + 1) * (H * d)) → Layer R n ((N + 1) * (H * d)))
    (cot : Sites R → Vec R ((N + 1) * (H * d)) → Vec R ((N + 1) * (H * d)) → Vec R n)
    (site : Layer R m (B * n)) (θ : Vec R m) (node : Vec R (B * n) → Vec R m) : Prop :=
  ParamTied ((L.comp (restB N sd rest xin)).comp site) θ (L.fwd (p.blockB cfg N sd xin))
    (fun _ => node (cotB N sd cot xin dyOut)) dz

/-- The sixteen gradient nodes of a block are the gradients, each in its parameter, of the layer `L`
that follows the block. -/
structure LossGradGB (bf16 : Bool) (xin dyOut : Vec R (B * ((N + 1) * (H * d))))
    (L : Layer R (B * ((N + 1) * (H * d))) o) (dz : Vec R o) : Prop where
  ln1_scale : p.SiteGrad cfg N sd xin dyOut L dz (p.fromLn1 cfg N) (p.cLn1 cfg N)
    (vecLNInγB cfg.ε p.β₁ xin) p.γ₁
    (vecLNGammaGradB cfg.ε xin)
  ln1_shift : p.SiteGrad cfg N sd xin dyOut L dz (p.fromLn1 cfg N) (p.cLn1 cfg N)
    (vecLNInβB cfg.ε p.γ₁ xin) p.β₁
    vecLNBetaGradB
  query_weight : p.SiteGrad cfg N sd xin dyOut L dz (p.fromQ cfg N) (p.cQ cfg N)
    (rowDenseInWB p.bq (p.savedB cfg N sd (·.ln1) xin)) (flatten p.Wq)
    (rowDenseWeightGradBAt bf16 (fun a => a) (p.savedB cfg N sd (·.ln1) xin))
  query_bias : p.SiteGrad cfg N sd xin dyOut L dz (p.fromQ cfg N) (p.cQ cfg N)
    (rowDenseInBB p.Wq (p.savedB cfg N sd (·.ln1) xin)) p.bq
    rowDenseBiasGradB
  key_weight : p.SiteGrad cfg N sd xin dyOut L dz (p.fromK cfg N) (p.cK cfg N)
    (rowDenseInWB p.bk (p.savedB cfg N sd (·.ln1) xin)) (flatten p.Wk)
    (rowDenseWeightGradBAt bf16 (fun a => a) (p.savedB cfg N sd (·.ln1) xin))
  key_bias : p.SiteGrad cfg N sd xin dyOut L dz (p.fromK cfg N) (p.cK cfg N)
    (rowDenseInBB p.Wk (p.savedB cfg N sd (·.ln1) xin)) p.bk
    rowDenseBiasGradB
  value_weight : p.SiteGrad cfg N sd xin dyOut L dz (p.fromV cfg N) (p.cV cfg N)
    (rowDenseInWB p.bv (p.savedB cfg N sd (·.ln1) xin)) (flatten p.Wv)
    (rowDenseWeightGradBAt bf16 (fun a => a) (p.savedB cfg N sd (·.ln1) xin))
  value_bias : p.SiteGrad cfg N sd xin dyOut L dz (p.fromV cfg N) (p.cV cfg N)
    (rowDenseInBB p.Wv (p.savedB cfg N sd (·.ln1) xin)) p.bv
    rowDenseBiasGradB
  out_weight : p.SiteGrad cfg N sd xin dyOut L dz (p.fromOut cfg N) (p.cOut cfg N)
    (rowDenseInWB p.bo (p.savedB cfg N sd (·.att) xin)) (flatten p.Wo)
    (rowDenseWeightGradBAt bf16 (fun a => a) (p.savedB cfg N sd (·.att) xin))
  out_bias : p.SiteGrad cfg N sd xin dyOut L dz (p.fromOut cfg N) (p.cOut cfg N)
    (rowDenseInBB p.Wo (p.savedB cfg N sd (·.att) xin)) p.bo
    rowDenseBiasGradB
  ln2_scale : p.SiteGrad cfg N sd xin dyOut L dz (p.restLn2 cfg N) (p.cLn2 cfg N)
    (vecLNInγB cfg.ε p.β₂ (p.savedB cfg N sd (·.h) xin)) p.γ₂
    (vecLNGammaGradB cfg.ε (p.savedB cfg N sd (·.h) xin))
  ln2_shift : p.SiteGrad cfg N sd xin dyOut L dz (p.restLn2 cfg N) (p.cLn2 cfg N)
    (vecLNInβB cfg.ε p.γ₂ (p.savedB cfg N sd (·.h) xin)) p.β₂
    vecLNBetaGradB
  fc1_weight : p.SiteGrad cfg N sd xin dyOut L dz (p.restM1 cfg N) (p.cM1 cfg N)
    (rowDenseInWB p.b₁ (p.savedB cfg N sd (·.ln2) xin)) (flatten p.W₁)
    (rowDenseWeightGradBAt bf16 (fun a => a) (p.savedB cfg N sd (·.ln2) xin))
  fc1_bias : p.SiteGrad cfg N sd xin dyOut L dz (p.restM1 cfg N) (p.cM1 cfg N)
    (rowDenseInBB p.W₁ (p.savedB cfg N sd (·.ln2) xin)) p.b₁
    rowDenseBiasGradB
  fc2_weight : p.SiteGrad cfg N sd xin dyOut L dz (p.restFc2 cfg N) (cFc2 N)
    (rowDenseInWB p.b₂ (p.savedB cfg N sd (·.act) xin)) (flatten p.W₂)
    (rowDenseWeightGradBAt bf16 (fun a => a) (p.savedB cfg N sd (·.act) xin))
  fc2_bias : p.SiteGrad cfg N sd xin dyOut L dz (p.restFc2 cfg N) (cFc2 N)
    (rowDenseInBB p.W₂ (p.savedB cfg N sd (·.act) xin)) p.b₂
    rowDenseBiasGradB

/-- **The gradients of a block's parameters**, when the cotangent of its output is the certified
backward function of what follows. -/
theorem vit_block_lossGrad (bf16 : Bool) (xin dyOut : Vec R (B * ((N + 1) * (H * d))))
    (L : Layer R (B * ((N + 1) * (H * d))) o) {dz : Vec R o}
    (hdy : dyOut = L.vjp.backward (p.blockB cfg N sd xin) dz) :
    p.LossGradGB cfg N sd bf16 xin dyOut L dz :=
  have t := p.vit_block_tiedGB cfg N sd bf16 xin dyOut
  {
  ln1_scale := siteGrad cfg p N sd t.ln1_scale
    (row_batchFun (p.ln1 cfg N).fwd.toFun xin)
    (fun e => p.cLn1_eq_rest_vjp cfg N (sd e) (row xin e))
    (fun e => p.fromLn1_fwd cfg N (sd e) (row xin e)) L hdy
  ln1_shift := siteGrad cfg p N sd t.ln1_shift
    (row_batchFun (p.ln1 cfg N).fwd.toFun xin)
    (fun e => p.cLn1_eq_rest_vjp cfg N (sd e) (row xin e))
    (fun e => p.fromLn1_fwd cfg N (sd e) (row xin e)) L hdy
  query_weight := siteGrad cfg p N sd t.query_weight
    (p.row_site cfg N sd (p.query N) (·.ln1) xin)
    (fun e => p.cQ_eq_vjp cfg N (sd e) (row xin e))
    (fun e => p.fromQ_fwd cfg N (sd e) (row xin e)) L hdy
  query_bias := siteGrad cfg p N sd t.query_bias
    (p.row_site cfg N sd (p.query N) (·.ln1) xin)
    (fun e => p.cQ_eq_vjp cfg N (sd e) (row xin e))
    (fun e => p.fromQ_fwd cfg N (sd e) (row xin e)) L hdy
  key_weight := siteGrad cfg p N sd t.key_weight
    (p.row_site cfg N sd (p.key N) (·.ln1) xin)
    (fun e => p.cK_eq_vjp cfg N (sd e) (row xin e))
    (fun e => p.fromK_fwd cfg N (sd e) (row xin e)) L hdy
  key_bias := siteGrad cfg p N sd t.key_bias
    (p.row_site cfg N sd (p.key N) (·.ln1) xin)
    (fun e => p.cK_eq_vjp cfg N (sd e) (row xin e))
    (fun e => p.fromK_fwd cfg N (sd e) (row xin e)) L hdy
  value_weight := siteGrad cfg p N sd t.value_weight
    (p.row_site cfg N sd (p.value N) (·.ln1) xin)
    (fun e => p.cV_eq_vjp cfg N (sd e) (row xin e))
    (fun e => p.fromV_fwd cfg N (sd e) (row xin e)) L hdy
  value_bias := siteGrad cfg p N sd t.value_bias
    (p.row_site cfg N sd (p.value N) (·.ln1) xin)
    (fun e => p.cV_eq_vjp cfg N (sd e) (row xin e))
    (fun e => p.fromV_fwd cfg N (sd e) (row xin e)) L hdy
  out_weight := siteGrad cfg p N sd t.out_weight
    (p.row_site cfg N sd (p.outProj N) (·.att) xin)
    (fun e => p.cOut_eq_vjp cfg N (sd e) (row xin e))
    (fun e => p.fromOut_fwd cfg N (sd e) (row xin e)) L hdy
  out_bias := siteGrad cfg p N sd t.out_bias
    (p.row_site cfg N sd (p.outProj N) (·.att) xin)
    (fun e => p.cOut_eq_vjp cfg N (sd e) (row xin e))
    (fun e => p.fromOut_fwd cfg N (sd e) (row xin e)) L hdy
  ln2_scale := siteGrad cfg p N sd (rest := p.restLn2 cfg N) t.ln2_scale
    (p.row_site cfg N sd (p.ln2 cfg N) (·.h) xin)
    (fun e => p.cLn2_eq_vjp cfg N (sd e) (row xin e))
    (fun e => p.fromLn2_fwd cfg N (sd e) (row xin e)) L hdy
  ln2_shift := siteGrad cfg p N sd (rest := p.restLn2 cfg N) t.ln2_shift
    (p.row_site cfg N sd (p.ln2 cfg N) (·.h) xin)
    (fun e => p.cLn2_eq_vjp cfg N (sd e) (row xin e))
    (fun e => p.fromLn2_fwd cfg N (sd e) (row xin e)) L hdy
  fc1_weight := siteGrad cfg p N sd (rest := p.restM1 cfg N) t.fc1_weight
    (p.row_site cfg N sd (p.fc1 N) (·.ln2) xin)
    (fun e => p.cM1_eq_vjp cfg N (sd e) (row xin e))
    (fun e => p.fromM1_fwd cfg N (sd e) (row xin e)) L hdy
  fc1_bias := siteGrad cfg p N sd (rest := p.restM1 cfg N) t.fc1_bias
    (p.row_site cfg N sd (p.fc1 N) (·.ln2) xin)
    (fun e => p.cM1_eq_vjp cfg N (sd e) (row xin e))
    (fun e => p.fromM1_fwd cfg N (sd e) (row xin e)) L hdy
  fc2_weight := siteGrad cfg p N sd (rest := p.restFc2 cfg N) t.fc2_weight
    (p.row_site cfg N sd (p.fc2 N) (·.act) xin)
    (fun e dy => cFc2_eq_vjp N (sd e) (row xin e) dy _ _)
    (fun e => p.fromFc2_fwd cfg N (sd e) (row xin e)) L hdy
  fc2_bias := siteGrad cfg p N sd (rest := p.restFc2 cfg N) t.fc2_bias
    (p.row_site cfg N sd (p.fc2 N) (·.act) xin)
    (fun e dy => cFc2_eq_vjp N (sd e) (row xin e) dy _ _)
    (fun e => p.fromFc2_fwd cfg N (sd e) (row xin e)) L hdy }

end BlockParamsV

end NetTies
