import NetTies.Nets.ViT.ViTSiteCotangents
import NetTies.Nets.ViT.ViTTiny
import NetTies.Layers.PatchEmbedGrad

/-! # The step tie of a vision transformer: the parameters of its parts

At a batch of `B` examples, every gradient node that a training step emits is the certified backward
function of its site as a function of the parameter, at the cotangent that the emitted chain delivers
there. This file has the parts: the sixteen nodes of a block (`BlockTiedGB`), two of the final layer
normalisation, two of the classifier, four of the embedding.

Saved activations and cotangents are per-example functions of a block's input (and of its output's
cotangent), lifted to the batch with the indexed lift, since with stochastic depth example `e` runs the
block at its own sites. A `ParamTied` says two things: the site as a function of the parameter gives,
at the parameter, what the network computes; and the node is the site's certified backward function.

The six dense weights of a block, and the embedding's, have a precision flag.

Answers: ViT-Tiny's step tie: the sixteen nodes of a block, and final normalisation, classifier and
embedding. -/

namespace NetTies

variable {R : Type} [Scalars R] {B N T H d M K D m n : Nat}

/-- A parameter's gradient node is tied at a site. -/
structure ParamTied (site : Layer R m n) (θ : Vec R m) (out : Vec R n)
    (node : Vec R n → Vec R m) (dy : Vec R n) : Prop where
  /-- At the parameter, the site computes what the network computes. -/
  site_eq : site.fwd θ = out
  /-- The node is the certified backward function of the site in the parameter. -/
  node_eq : node dy = site.vjp.backward θ dy

/-! ## The kinds of nodes -/

/-- The weights of a per-token dense layer, at a precision flag. -/
theorem rowDenseWTiedBAt_holds (bf16 : Bool) (W : Mat R m n) (b : Vec R n)
    (x : Vec R (B * (T * m))) (dy : Vec R (B * (T * n))) :
    ParamTied (rowDenseInWB b x) (flatten W) (batchFun B (batchFun T (dense W b)) x)
      (rowDenseWeightGradBAt bf16 (fun a => a) x) dy where
  site_eq :=
    show (flatten fun e => flatten fun t => (denseInW b (row (row x e) t)).fwd (flatten W)) =
      flatten fun e => flatten fun t => dense W b (row (row x e) t) from
    congrArg flatten (funext fun e => congrArg flatten (funext fun t =>
      denseInW_apply W b (row (row x e) t)))
  node_eq := rowDenseWeightGradBAt_id bf16 x dy

/-- The bias of a per-token dense layer. -/
theorem rowDenseBTiedB_holds (W : Mat R m n) (b : Vec R n) (x : Vec R (B * (T * m)))
    (dy : Vec R (B * (T * n))) :
    ParamTied (rowDenseInBB W x) b (batchFun B (batchFun T (dense W b)) x) rowDenseBiasGradB dy where
  site_eq := rfl
  node_eq := rfl

/-- The scale of a layer normalisation. -/
theorem vecLNGammaTiedB_holds (ε : R) (hε : 0 < ε) (γ β : Vec R D) (x dy : Vec R (B * (T * D))) :
    ParamTied (vecLNInγB ε β x) γ (batchFun B ((vecLN ε hε γ β).batch T).fwd x)
      (vecLNGammaGradB ε x) dy where
  site_eq :=
    show (flatten fun e => flatten fun t => (vecLNInγ ε β (row (row x e) t)).fwd γ) =
      flatten fun e => flatten fun t => (vecLN ε hε γ β).fwd (row (row x e) t) from
    congrArg flatten (funext fun e => congrArg flatten (funext fun t =>
      vecLNInγ_apply ε hε γ β (row (row x e) t)))
  node_eq := rfl

/-- The shift of a layer normalisation. -/
theorem vecLNBetaTiedB_holds (ε : R) (hε : 0 < ε) (γ β : Vec R D) (x dy : Vec R (B * (T * D))) :
    ParamTied (vecLNInβB ε γ x) β (batchFun B ((vecLN ε hε γ β).batch T).fwd x) vecLNBetaGradB
      dy where
  site_eq := rfl
  node_eq := rfl

/-! ## A block -/

namespace BlockParamsV

variable (cfg : ViTConfig R) (p : BlockParamsV R (H * d) M) (N : Nat) (sd : Idx B → Sites R)

/-- A saved activation of a batch, each example at its own sites. -/
def savedB (f : BlockSaves R (N + 1) (H * d) M → Vec R n) (xin : Vec R (B * ((N + 1) * (H * d)))) :
    Vec R (B * n) :=
  batchFunIdx B (fun e x => f (p.saves cfg N (sd e) x)) xin

/-- A cotangent of a batch, each example at its own sites. -/
def cotB (f : Sites R → Vec R ((N + 1) * (H * d)) → Vec R ((N + 1) * (H * d)) → Vec R n)
    (xin dyOut : Vec R (B * ((N + 1) * (H * d)))) : Vec R (B * n) :=
  batchMapAuxIdx B (fun e => f (sd e)) xin dyOut

/-- The sixteen gradient nodes of a block are tied, at its batched input and the cotangent of its
output. -/
structure TiedGB (bf16 : Bool) (xin dyOut : Vec R (B * ((N + 1) * (H * d)))) : Prop where
  ln1_scale : ParamTied (vecLNInγB cfg.ε p.β₁ xin) p.γ₁ (batchFun B (p.ln1 cfg N).fwd xin)
    (vecLNGammaGradB cfg.ε xin) (cotB N sd (p.cLn1 cfg N) xin dyOut)
  ln1_shift : ParamTied (vecLNInβB cfg.ε p.γ₁ xin) p.β₁ (batchFun B (p.ln1 cfg N).fwd xin)
    vecLNBetaGradB (cotB N sd (p.cLn1 cfg N) xin dyOut)
  query_weight : ParamTied (rowDenseInWB p.bq (p.savedB cfg N sd (·.ln1) xin)) (flatten p.Wq)
    (batchFun B (p.query N).fwd (p.savedB cfg N sd (·.ln1) xin))
    (rowDenseWeightGradBAt bf16 (fun a => a) (p.savedB cfg N sd (·.ln1) xin))
    (cotB N sd (p.cQ cfg N) xin dyOut)
  query_bias : ParamTied (rowDenseInBB p.Wq (p.savedB cfg N sd (·.ln1) xin)) p.bq
    (batchFun B (p.query N).fwd (p.savedB cfg N sd (·.ln1) xin)) rowDenseBiasGradB
    (cotB N sd (p.cQ cfg N) xin dyOut)
  key_weight : ParamTied (rowDenseInWB p.bk (p.savedB cfg N sd (·.ln1) xin)) (flatten p.Wk)
    (batchFun B (p.key N).fwd (p.savedB cfg N sd (·.ln1) xin))
    (rowDenseWeightGradBAt bf16 (fun a => a) (p.savedB cfg N sd (·.ln1) xin))
    (cotB N sd (p.cK cfg N) xin dyOut)
  key_bias : ParamTied (rowDenseInBB p.Wk (p.savedB cfg N sd (·.ln1) xin)) p.bk
    (batchFun B (p.key N).fwd (p.savedB cfg N sd (·.ln1) xin)) rowDenseBiasGradB
    (cotB N sd (p.cK cfg N) xin dyOut)
  value_weight : ParamTied (rowDenseInWB p.bv (p.savedB cfg N sd (·.ln1) xin)) (flatten p.Wv)
    (batchFun B (p.value N).fwd (p.savedB cfg N sd (·.ln1) xin))
    (rowDenseWeightGradBAt bf16 (fun a => a) (p.savedB cfg N sd (·.ln1) xin))
    (cotB N sd (p.cV cfg N) xin dyOut)
  value_bias : ParamTied (rowDenseInBB p.Wv (p.savedB cfg N sd (·.ln1) xin)) p.bv
    (batchFun B (p.value N).fwd (p.savedB cfg N sd (·.ln1) xin)) rowDenseBiasGradB
    (cotB N sd (p.cV cfg N) xin dyOut)
  out_weight : ParamTied (rowDenseInWB p.bo (p.savedB cfg N sd (·.att) xin)) (flatten p.Wo)
    (batchFun B (p.outProj N).fwd (p.savedB cfg N sd (·.att) xin))
    (rowDenseWeightGradBAt bf16 (fun a => a) (p.savedB cfg N sd (·.att) xin))
    (cotB N sd (p.cOut cfg N) xin dyOut)
  out_bias : ParamTied (rowDenseInBB p.Wo (p.savedB cfg N sd (·.att) xin)) p.bo
    (batchFun B (p.outProj N).fwd (p.savedB cfg N sd (·.att) xin)) rowDenseBiasGradB
    (cotB N sd (p.cOut cfg N) xin dyOut)
  ln2_scale : ParamTied (vecLNInγB cfg.ε p.β₂ (p.savedB cfg N sd (·.h) xin)) p.γ₂
    (batchFun B (p.ln2 cfg N).fwd (p.savedB cfg N sd (·.h) xin))
    (vecLNGammaGradB cfg.ε (p.savedB cfg N sd (·.h) xin)) (cotB N sd (p.cLn2 cfg N) xin dyOut)
  ln2_shift : ParamTied (vecLNInβB cfg.ε p.γ₂ (p.savedB cfg N sd (·.h) xin)) p.β₂
    (batchFun B (p.ln2 cfg N).fwd (p.savedB cfg N sd (·.h) xin)) vecLNBetaGradB
    (cotB N sd (p.cLn2 cfg N) xin dyOut)
  fc1_weight : ParamTied (rowDenseInWB p.b₁ (p.savedB cfg N sd (·.ln2) xin)) (flatten p.W₁)
    (batchFun B (p.fc1 N).fwd (p.savedB cfg N sd (·.ln2) xin))
    (rowDenseWeightGradBAt bf16 (fun a => a) (p.savedB cfg N sd (·.ln2) xin))
    (cotB N sd (p.cM1 cfg N) xin dyOut)
  fc1_bias : ParamTied (rowDenseInBB p.W₁ (p.savedB cfg N sd (·.ln2) xin)) p.b₁
    (batchFun B (p.fc1 N).fwd (p.savedB cfg N sd (·.ln2) xin)) rowDenseBiasGradB
    (cotB N sd (p.cM1 cfg N) xin dyOut)
  fc2_weight : ParamTied (rowDenseInWB p.b₂ (p.savedB cfg N sd (·.act) xin)) (flatten p.W₂)
    (batchFun B (p.fc2 N).fwd (p.savedB cfg N sd (·.act) xin))
    (rowDenseWeightGradBAt bf16 (fun a => a) (p.savedB cfg N sd (·.act) xin))
    (cotB N sd (cFc2 N) xin dyOut)
  fc2_bias : ParamTied (rowDenseInBB p.W₂ (p.savedB cfg N sd (·.act) xin)) p.b₂
    (batchFun B (p.fc2 N).fwd (p.savedB cfg N sd (·.act) xin)) rowDenseBiasGradB
    (cotB N sd (cFc2 N) xin dyOut)

/-- **The sixteen nodes of a block.** -/
theorem vit_block_tiedGB (bf16 : Bool) (xin dyOut : Vec R (B * ((N + 1) * (H * d)))) :
    p.TiedGB cfg N sd bf16 xin dyOut where
  ln1_scale := vecLNGammaTiedB_holds cfg.ε cfg.ε_pos p.γ₁ p.β₁ xin _
  ln1_shift := vecLNBetaTiedB_holds cfg.ε cfg.ε_pos p.γ₁ p.β₁ xin _
  query_weight := rowDenseWTiedBAt_holds bf16 p.Wq p.bq _ _
  query_bias := rowDenseBTiedB_holds p.Wq p.bq _ _
  key_weight := rowDenseWTiedBAt_holds bf16 p.Wk p.bk _ _
  key_bias := rowDenseBTiedB_holds p.Wk p.bk _ _
  value_weight := rowDenseWTiedBAt_holds bf16 p.Wv p.bv _ _
  value_bias := rowDenseBTiedB_holds p.Wv p.bv _ _
  out_weight := rowDenseWTiedBAt_holds bf16 p.Wo p.bo _ _
  out_bias := rowDenseBTiedB_holds p.Wo p.bo _ _
  ln2_scale := vecLNGammaTiedB_holds cfg.ε cfg.ε_pos p.γ₂ p.β₂ _ _
  ln2_shift := vecLNBetaTiedB_holds cfg.ε cfg.ε_pos p.γ₂ p.β₂ _ _
  fc1_weight := rowDenseWTiedBAt_holds bf16 p.W₁ p.b₁ _ _
  fc1_bias := rowDenseBTiedB_holds p.W₁ p.b₁ _ _
  fc2_weight := rowDenseWTiedBAt_holds bf16 p.W₂ p.b₂ _ _
  fc2_bias := rowDenseBTiedB_holds p.W₂ p.b₂ _ _

/-- The cotangent that a block delivers at its batched input is its certified backward function. -/
theorem vitBlockCotInB_eq_vjp (xin dyOut : Vec R (B * ((N + 1) * (H * d)))) :
    cotB N sd (p.cotIn cfg N) xin dyOut =
      (Layer.batchIdx B fun e => p.block cfg N (sd e)).vjp.backward xin dyOut :=
  congrArg flatten (funext fun e =>
    p.vitCotXin_eq_blockBack cfg N (sd e) (row xin e) (row dyOut e))

/-- Without stochastic depth the indexed lift of a block is its batch lift. -/
theorem block_batchIdx_none :
    (batchMapIdx B fun _ => (p.block cfg N .none).fwd) = batchMap B (p.block cfg N .none).fwd := rfl

end BlockParamsV

/-! ## The head -/

/-- The cotangent at the tower's output: the classifier's, scattered into the CLS row, through the
final layer normalisation. -/
def vitCotTowerOutV (N : Nat) (ε : R) (γ : Vec R D) (W : Mat R D K) (h : Vec R ((N + 1) * D))
    (dy : Vec R K) : Vec R ((N + 1) * D) :=
  rowLNBack (N + 1) ε γ h (clsSliceBack (denseBack W dy))

/-- The final layer normalisation and the classifier as one layer. -/
def vitTop (cfg : ViTConfig R) (N : Nat) (γ β : Vec R D) (W : Mat R D K) (b : Vec R K) :
    Layer R ((N + 1) * D) K :=
  ((denseLayer W b).comp (clsSliceLayer R N D)).comp ((vecLN cfg.ε cfg.ε_pos γ β).batch (N + 1))

theorem vitCotTowerOutV_eq_vjp (cfg : ViTConfig R) (γ β : Vec R D) (W : Mat R D K) (b : Vec R K)
    (h : Vec R ((N + 1) * D)) (dy : Vec R K) :
    vitCotTowerOutV N cfg.ε γ W h dy = (vitTop cfg N γ β W b).vjp.backward h dy := by
  rw [vitCotTowerOutV, rowLNBack_eq_vjp (N + 1) cfg.ε cfg.ε_pos γ β]
  rfl

/-- The cotangent delivered at the tower's batched output is a certified backward function. -/
theorem vitCotTowerOutB_eq_vjp (cfg : ViTConfig R) (γ β : Vec R D) (W : Mat R D K) (b : Vec R K)
    (h : Vec R (B * ((N + 1) * D))) (dy : Vec R (B * K)) :
    batchMapAux B (vitCotTowerOutV N cfg.ε γ W) h dy =
      ((vitTop cfg N γ β W b).batch_at B h).backward dy :=
  (vitTop cfg N γ β W b).batchMapAux_eq_vjp (vitCotTowerOutV_eq_vjp cfg γ β W b) B h dy

/-- The two gradient nodes of the final layer normalisation are tied. -/
structure FinalLNTiedGB (cfg : ViTConfig R) (N : Nat) (γ β : Vec R D)
    (h dy : Vec R (B * ((N + 1) * D))) : Prop where
  scale : ParamTied (vecLNInγB cfg.ε β h) γ
    (batchFun B ((vecLN cfg.ε cfg.ε_pos γ β).batch (N + 1)).fwd h) (vecLNGammaGradB cfg.ε h) dy
  shift : ParamTied (vecLNInβB cfg.ε γ h) β
    (batchFun B ((vecLN cfg.ε cfg.ε_pos γ β).batch (N + 1)).fwd h) vecLNBetaGradB dy

theorem vit_finalLN_tiedGB (cfg : ViTConfig R) (γ β : Vec R D) (h dy : Vec R (B * ((N + 1) * D))) :
    FinalLNTiedGB cfg N γ β h dy where
  scale := vecLNGammaTiedB_holds cfg.ε cfg.ε_pos γ β h dy
  shift := vecLNBetaTiedB_holds cfg.ε cfg.ε_pos γ β h dy

/-- The two gradient nodes of the classifier are tied. -/
structure HeadTiedGB (W : Mat R D K) (b : Vec R K) (x : Vec R (B * D)) (dy : Vec R (B * K)) :
    Prop where
  weight : ParamTied (denseInWB b x) (flatten W) (batchFun B (dense W b) x) (denseWeightGradB x) dy
  bias : ParamTied (denseInBB W x) b (batchFun B (dense W b) x) denseBiasGradB dy

theorem vit_head_tiedGB (W : Mat R D K) (b : Vec R K) (x : Vec R (B * D)) (dy : Vec R (B * K)) :
    HeadTiedGB W b x dy where
  weight :=
    { site_eq := show (flatten fun e => (denseInW b (row x e)).fwd (flatten W)) =
          flatten fun e => dense W b (row x e) from
        congrArg flatten (funext fun e => denseInW_apply W b (row x e))
      node_eq := rfl }
  bias :=
    { site_eq := rfl
      node_eq := rfl }

/-! ## The embedding -/

/-- The four gradient nodes of the patch embedding are tied. The CLS token is read by every image: its
node sums the cotangents of their CLS rows. -/
structure EmbedTiedGB {P : Nat} (bf16 : Bool) (p : PatchEmbed R N P D) (x : Vec R (B * (N * P)))
    (dy : Vec R (B * ((N + 1) * D))) : Prop where
  weight : ParamTied (p.inWB x) (flatten p.W) (batchFun B p.fwd x)
    (patchEmbedWeightGradBAt bf16 (fun a => a) x) dy
  bias : ParamTied (p.inBB x) p.b (batchFun B p.fwd x) patchEmbedBiasGradB dy
  cls : ParamTied (p.inClsB x) p.cls (batchFun B p.fwd x) clsGradB dy
  pos : ParamTied (p.inPosB x) (flatten p.pos) (batchFun B p.fwd x) posEmbedGradB dy

theorem vit_embed_tiedGB {P : Nat} (bf16 : Bool) (p : PatchEmbed R N P D)
    (x : Vec R (B * (N * P))) (dy : Vec R (B * ((N + 1) * D))) : EmbedTiedGB bf16 p x dy where
  weight :=
    { site_eq := congrArg flatten (funext fun e => p.inW_apply (row x e))
      node_eq := (patchEmbedWeightGradBAt_id bf16 x dy).trans
        (patchEmbedWeightGradB_eq_vjp p x (flatten p.W) dy) }
  bias :=
    { site_eq := congrArg flatten (funext fun e => p.inB_apply (row x e))
      node_eq := patchEmbedBiasGradB_eq_vjp p x p.b dy }
  cls :=
    { site_eq := congrArg flatten (funext fun e => p.inCls_apply (row x e))
      node_eq := clsGradB_eq_vjp p x p.cls dy }
  pos :=
    { site_eq := congrArg flatten (funext fun e => p.inPos_apply (row x e))
      node_eq := posEmbedGradB_eq_vjp p x (flatten p.pos) dy }

end NetTies
