import NetTies.Nets.ViT.ViTParamGrad

/-! # All 200 gradient nodes are gradients of the loss

For ViT-Tiny at a batch, any differentiable loss `ℓ` of the logits, and the cotangents that descend from
the loss's own gradient: the sixteen nodes of every block, two of the final layer normalisation, two of
the classifier and four of the embedding are the gradients of the loss, each in its parameter. The
smoothed cross-entropy is one such loss (`NetTies.smoothedCE`).

Answers: ViT-Tiny's step tie, beyond it: the nodes are gradients of the loss. -/

namespace NetTies

variable {R : Type} [Scalars R] {B C h w p H d M K k : Nat}

/-- What follows a block of a tower gives the tower's output. -/
theorem towerAfter_fwd {R : Type} [CommRing R] {n : Nat} : (k : Nat) →
    (w : Idx k → TiedLayer R n n) → (x : Vec R n) → (j : Idx k) →
    (towerAfter k (fun i => (w i).toLayer) j).fwd ((w j).fwd (towerInputs k w x j)) =
      (tower k fun i => (w i).toLayer).fwd x
  | _ + 1, _, _, .zero => rfl
  | k + 1, w, x, .succ j => towerAfter_fwd k (fun i => w (.succ i)) ((w .zero).fwd x) j

namespace ViTParams

variable (cfg : ViTConfig R) (θ : ViTParams R C h w p H d M K k)
variable (sd : Option (Idx k → Vec R B × Vec R B)) (x : Vec R (B * (C * (p * h * (p * w)))))
variable (ℓ : Layer R (B * K) 1)

/-- The gradient of a loss at the logits. -/
def lossCot (z : Vec R (B * K)) : Vec R (B * K) := ℓ.vjp.backward z fun _ => 1

/-- The loss as a function of the tower's batched output. -/
def lossOfTower : Layer R (B * ((h * w + 1) * (H * d))) 1 :=
  ℓ.comp ((vitTop cfg (h * w) θ.γ θ.β θ.headW θ.headB).batch B)

/-- The loss as a function of block `j`'s batched output. -/
def lossOfBlock (j : Idx k) : Layer R (B * ((h * w + 1) * (H * d))) 1 :=
  (θ.lossOfTower cfg ℓ).comp (towerAfter k (fun i => (θ.blockB cfg sd i).toLayer) j)

/-- The loss as a function of the batched tokens. -/
def lossOfTokens : Layer R (B * ((h * w + 1) * (H * d))) 1 :=
  (θ.lossOfTower cfg ℓ).comp (tower k fun i => (θ.blockB cfg sd i).toLayer)

/-- The head of the network computes the logits. -/
theorem vitTop_fwd : ((vitTop cfg (h * w) θ.γ θ.β θ.headW θ.headB).batch B).fwd
    (θ.towerOutB cfg sd x) = θ.logitsB cfg sd x :=
  batch_ext fun e => by
    rw [logitsB, row_batchFun, clsB, row_batchFun, row_batchFun]
    exact row_batchMap _ _ e

/-- From the tower's output, the loss is that of the network's logits. -/
theorem lossOfTower_fwd : (θ.lossOfTower cfg ℓ).fwd (θ.towerOutB cfg sd x) =
    ℓ.fwd (θ.logitsB cfg sd x) := by
  rw [lossOfTower, Layer.comp_fwd, Map.comp_apply, vitTop_fwd]

/-- From block `j`'s output, the loss is that of the network's logits. -/
theorem lossOfBlock_fwd (j : Idx k) :
    (θ.lossOfBlock cfg sd ℓ j).fwd ((θ.blockB cfg sd j).fwd (θ.ib cfg sd x j)) =
      ℓ.fwd (θ.logitsB cfg sd x) := by
  rw [lossOfBlock, Layer.comp_fwd, Map.comp_apply, ib, towerAfter_fwd]
  exact θ.lossOfTower_fwd cfg sd x ℓ

/-- From the tokens, the loss is that of the network's logits. -/
theorem lossOfTokens_fwd : (θ.lossOfTokens cfg sd ℓ).fwd (θ.tokensB x) =
    ℓ.fwd (θ.logitsB cfg sd x) := by
  rw [lossOfTokens, Layer.comp_fwd, Map.comp_apply]
  exact θ.lossOfTower_fwd cfg sd x ℓ

/-- The cotangent at the tower's output is the gradient of the loss there. -/
theorem cotTop_eq_lossGrad : θ.cotTop cfg sd x (lossCot ℓ) =
    (θ.lossOfTower cfg ℓ).vjp.backward (θ.towerOutB cfg sd x) fun _ => 1 := by
  rw [lossOfTower, Layer.comp_backward, vitTop_fwd, cotTop_eq_vjp, lossCot]
  rfl

/-- The cotangent at block `j`'s output is the gradient of the loss there. -/
theorem cotBlock_eq_lossGrad (j : Idx k) : θ.cotBlock cfg sd x (lossCot ℓ) j =
    (θ.lossOfBlock cfg sd ℓ j).vjp.backward
      ((θ.blockB cfg sd j).fwd (θ.ib cfg sd x j)) fun _ => 1 := by
  rw [lossOfBlock, Layer.comp_backward, ib, towerAfter_fwd, cotBlock_eq_vjp, cotTop_eq_lossGrad]
  rfl

/-- The cotangent at the embedding's output is the gradient of the loss there. -/
theorem cotTokens_eq_lossGrad : θ.cotTokens cfg sd x (lossCot ℓ) =
    (θ.lossOfTokens cfg sd ℓ).vjp.backward (θ.tokensB x) fun _ => 1 := by
  rw [lossOfTokens, Layer.comp_backward, cotTokens_eq_vjp, cotTop_eq_lossGrad]
  rfl

/-- **The gradients of block `j`**: its sixteen nodes are the gradients of the loss. -/
theorem block_lossGrad (bf16 : Bool) (j : Idx k) :
    (θ.blocks j).LossGradGB cfg (h * w) (vitSites sd j) bf16 (θ.ib cfg sd x j)
      (θ.cotBlock cfg sd x (lossCot ℓ) j) (θ.lossOfBlock cfg sd ℓ j) fun _ => 1 :=
  (θ.blocks j).vit_block_lossGrad cfg (h * w) (vitSites sd j) bf16 _ _ _
    (θ.cotBlock_eq_lossGrad cfg sd x ℓ j)

/-- The loss as a function of the batched output of the final layer normalisation. -/
def lossOfNorm : Layer R (B * ((h * w + 1) * (H * d))) 1 :=
  ℓ.comp (((denseLayer θ.headW θ.headB).comp (clsSliceLayer R (h * w) (H * d))).batch B)

/-- The batched output of the final layer normalisation. -/
def normOutB : Vec R (B * ((h * w + 1) * (H * d))) :=
  batchFun B ((vecLN cfg.ε cfg.ε_pos θ.γ θ.β).batch (h * w + 1)).fwd (θ.towerOutB cfg sd x)

/-- The cotangent at the output of the final layer normalisation is the gradient of the loss there. -/
theorem cotNorm_eq_lossGrad : θ.cotNorm cfg sd x (lossCot ℓ) =
    (θ.lossOfNorm ℓ).vjp.backward (θ.normOutB cfg sd x) fun _ => 1 := by
  have logits : (((denseLayer θ.headW θ.headB).comp (clsSliceLayer R (h * w) (H * d))).batch B).fwd
      (θ.normOutB cfg sd x) = θ.logitsB cfg sd x :=
    batch_ext fun e => by
      rw [logitsB, row_batchFun, clsB, row_batchFun]
      exact row_batchMap _ _ e
  rw [lossOfNorm, Layer.comp_backward, logits, cotNorm, lossCot]
  rfl

/-- The eight gradient nodes around the tower are the gradients of the loss, each in its parameter. -/
structure EndsLossGrad (bf16 : Bool) : Prop where
  norm_scale : ParamTied ((θ.lossOfNorm ℓ).comp (vecLNInγB cfg.ε θ.β (θ.towerOutB cfg sd x))) θ.γ
    ((θ.lossOfNorm ℓ).fwd (θ.normOutB cfg sd x))
    (fun _ => vecLNGammaGradB cfg.ε (θ.towerOutB cfg sd x) (θ.cotNorm cfg sd x (lossCot ℓ)))
    fun _ => 1
  norm_shift : ParamTied ((θ.lossOfNorm ℓ).comp (vecLNInβB cfg.ε θ.γ (θ.towerOutB cfg sd x))) θ.β
    ((θ.lossOfNorm ℓ).fwd (θ.normOutB cfg sd x))
    (fun _ => vecLNBetaGradB (θ.cotNorm cfg sd x (lossCot ℓ))) fun _ => 1
  head_weight : ParamTied (ℓ.comp (denseInWB θ.headB (θ.clsB cfg sd x))) (flatten θ.headW)
    (ℓ.fwd (θ.logitsB cfg sd x))
    (fun _ => denseWeightGradB (θ.clsB cfg sd x) (lossCot ℓ (θ.logitsB cfg sd x))) fun _ => 1
  head_bias : ParamTied (ℓ.comp (denseInBB θ.headW (θ.clsB cfg sd x))) θ.headB
    (ℓ.fwd (θ.logitsB cfg sd x))
    (fun _ => denseBiasGradB (lossCot ℓ (θ.logitsB cfg sd x))) fun _ => 1
  embed_weight : ParamTied ((θ.lossOfTokens cfg sd ℓ).comp (θ.embed.inWB (patchesB x)))
    (flatten θ.embed.W) ((θ.lossOfTokens cfg sd ℓ).fwd (θ.tokensB x))
    (fun _ => patchEmbedWeightGradBAt bf16 (fun a => a) (patchesB x)
      (θ.cotTokens cfg sd x (lossCot ℓ))) fun _ => 1
  embed_bias : ParamTied ((θ.lossOfTokens cfg sd ℓ).comp (θ.embed.inBB (patchesB x))) θ.embed.b
    ((θ.lossOfTokens cfg sd ℓ).fwd (θ.tokensB x))
    (fun _ => patchEmbedBiasGradB (θ.cotTokens cfg sd x (lossCot ℓ))) fun _ => 1
  embed_cls : ParamTied ((θ.lossOfTokens cfg sd ℓ).comp (θ.embed.inClsB (patchesB x))) θ.embed.cls
    ((θ.lossOfTokens cfg sd ℓ).fwd (θ.tokensB x))
    (fun _ => clsGradB (θ.cotTokens cfg sd x (lossCot ℓ))) fun _ => 1
  embed_pos : ParamTied ((θ.lossOfTokens cfg sd ℓ).comp (θ.embed.inPosB (patchesB x)))
    (flatten θ.embed.pos) ((θ.lossOfTokens cfg sd ℓ).fwd (θ.tokensB x))
    (fun _ => posEmbedGradB (θ.cotTokens cfg sd x (lossCot ℓ))) fun _ => 1

theorem ends_lossGrad (bf16 : Bool) : θ.EndsLossGrad cfg sd x ℓ bf16 where
  norm_scale := (vit_finalLN_tiedGB cfg θ.γ θ.β _ _).scale.lift _ (θ.cotNorm_eq_lossGrad cfg sd x ℓ)
  norm_shift := (vit_finalLN_tiedGB cfg θ.γ θ.β _ _).shift.lift _ (θ.cotNorm_eq_lossGrad cfg sd x ℓ)
  head_weight := (vit_head_tiedGB θ.headW θ.headB (θ.clsB cfg sd x) _).weight.lift ℓ rfl
  head_bias := (vit_head_tiedGB θ.headW θ.headB (θ.clsB cfg sd x) _).bias.lift ℓ rfl
  embed_weight := (vit_embed_tiedGB bf16 θ.embed (patchesB x) _).weight.lift _
    (θ.cotTokens_eq_lossGrad cfg sd x ℓ)
  embed_bias := (vit_embed_tiedGB bf16 θ.embed (patchesB x) _).bias.lift _
    (θ.cotTokens_eq_lossGrad cfg sd x ℓ)
  embed_cls := (vit_embed_tiedGB bf16 θ.embed (patchesB x) _).cls.lift _
    (θ.cotTokens_eq_lossGrad cfg sd x ℓ)
  embed_pos := (vit_embed_tiedGB bf16 θ.embed (patchesB x) _).pos.lift _
    (θ.cotTokens_eq_lossGrad cfg sd x ℓ)

end ViTParams

/-- For the smoothed cross-entropy, the loss cotangent is the rendered chain of operations. -/
theorem lossCot_smoothedCE {n : Nat} (α : R) (t : Vec R (B * (n + 1))) :
    ViTParams.lossCot (smoothedCE α t) = smoothedLossCotGraphDiv α t :=
  funext fun z => (smoothedLossCotGraphDiv_eq_vjp α t z).symm

/-- **The gradients of ViT-Tiny's loss**: at a batch of `B` images, the emitted gradient nodes of all
200 parameters are the gradients of the loss, each in its parameter: sixteen in each of twelve blocks,
and eight around them. -/
theorem vit_net_lossGrad {nC : Nat} (cfg : ViTConfig R) (θ : ViTTinyParams R nC)
    (sd : Option (Idx 12 → Vec R B × Vec R B)) (bf16 bf16ConvW : Bool) (ℓ : Layer R (B * nC) 1)
    (x : Vec R (B * (3 * (224 * 224)))) :
    (∀ j : Idx 12, (θ.blocks j).LossGradGB cfg (14 * 14) (vitSites sd j) bf16 (θ.ib cfg sd x j)
      (θ.cotBlock cfg sd x (ViTParams.lossCot ℓ) j) (θ.lossOfBlock cfg sd ℓ j) fun _ => 1) ∧
    θ.EndsLossGrad cfg sd x ℓ (bf16 && bf16ConvW) :=
  ⟨θ.block_lossGrad cfg sd x ℓ bf16, θ.ends_lossGrad cfg sd x ℓ (bf16 && bf16ConvW)⟩

/-- **The gradients of ViT-Tiny's smoothed loss**: the same for the cross-entropy at a general target
`t`, smoothed by `α`, where the loss cotangent is the rendered chain of operations. -/
theorem vit_net_smoothedLossGrad {nC : Nat} (cfg : ViTConfig R) (θ : ViTTinyParams R (nC + 1))
    (sd : Option (Idx 12 → Vec R B × Vec R B)) (bf16 bf16ConvW : Bool) (α : R)
    (t : Vec R (B * (nC + 1))) (x : Vec R (B * (3 * (224 * 224)))) :
    (∀ j : Idx 12, (θ.blocks j).LossGradGB cfg (14 * 14) (vitSites sd j) bf16 (θ.ib cfg sd x j)
      (θ.cotBlock cfg sd x (smoothedLossCotGraphDiv α t) j)
      (θ.lossOfBlock cfg sd (smoothedCE α t) j) fun _ => 1) ∧
    θ.EndsLossGrad cfg sd x (smoothedCE α t) (bf16 && bf16ConvW) := by
  rw [← lossCot_smoothedCE]
  exact vit_net_lossGrad cfg θ sd bf16 bf16ConvW (smoothedCE α t) x

end NetTies
