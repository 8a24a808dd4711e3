import NetTies.Nets.ViT.ViTStepTieGB
import NetTies.Layers.Loss

/-! # The step tie of ViT-Tiny: all 200 parameters

The parts of `ViTStepTieGB`, threaded through the real batched forward and the composed cotangents:
`ib 0` is the batch of patch embeddings, `ib (j+1)` the batch of block `j`'s outputs at its sites, then
the final layer normalisation, the CLS slice and the classifier; the loss cotangent `g` at the logits
is a binder; from it the cotangents descend, `vitCotTowerOutV` at the top, then one `cotIn` a block
down to the embedding's output.

The capstone `vit_net_tiedGB` has fifteen conjuncts: twelve blocks of sixteen parameters, the final
layer normalisation's two, the classifier's two and the embedding's four, 200 in all. The batch `B`,
the class count, the loss cotangent, the stochastic-depth masks and the two precision flags are
binders; `0 < ε` is part of the configuration. The theorem is about one replica.

Answers: ViT-Tiny's step tie: the capstone. -/

namespace NetTies

variable {R : Type} [Scalars R] {B C h w p H d M K k : Nat}

/-- The sites of block `j` for example `e`: absent, or the masks' entries. -/
def vitSites (sd : Option (Idx k → Vec R B × Vec R B)) (j : Idx k) (e : Idx B) : Sites R :=
  match sd with
  | none => .none
  | some mask => ⟨some ((mask j).fst e), some ((mask j).snd e)⟩

namespace ViTParams

variable (cfg : ViTConfig R) (θ : ViTParams R C h w p H d M K k)
variable (sd : Option (Idx k → Vec R B × Vec R B))

/-- Block `j` at a batch, each example at its own sites, tied. -/
def blockB (j : Idx k) :
    TiedLayer R (B * ((h * w + 1) * (H * d))) (B * ((h * w + 1) * (H * d))) :=
  .batchIdx B fun e => (θ.blocks j).tied cfg (h * w) (vitSites sd j e)

/-- Without stochastic depth a block's indexed lift is its batch lift. -/
theorem blockB_none (j : Idx k) : (θ.blockB (B := B) cfg none j).fwd =
    batchMap B ((θ.blocks j).block cfg (h * w) .none).fwd := rfl

/-- Without stochastic depth the chain of a block at a batch is the plain lift of its chain. -/
theorem blockB_none_back (j : Idx k) : (θ.blockB (B := B) cfg none j).back =
    batchMapAux B ((θ.blocks j).cotIn cfg (h * w) .none) := rfl

variable (x : Vec R (B * (C * (p * h * (p * w))))) (g : Vec R (B * K) → Vec R (B * K))

/-! ## The forward thread -/

/-- The patches of a batch of images. -/
def patchesB : Vec R (B * (h * w * (C * (p * p)))) :=
  batchFun B (Linear.patchify R C h w p).map x

/-- The batch of embedded images. -/
def tokensB : Vec R (B * ((h * w + 1) * (H * d))) := batchFun B θ.embed.fwd (patchesB x)

/-- The batched input of block `j`. -/
def ib (j : Idx k) : Vec R (B * ((h * w + 1) * (H * d))) :=
  towerInputs k (θ.blockB cfg sd) (θ.tokensB x) j

/-- The batched output of the tower. -/
def towerOutB : Vec R (B * ((h * w + 1) * (H * d))) :=
  (tiedTower k (θ.blockB cfg sd)).fwd (θ.tokensB x)

/-- The batched CLS rows after the final layer normalisation. -/
def clsB : Vec R (B * (H * d)) :=
  batchFun B clsSlice
    (batchFun B ((vecLN cfg.ε cfg.ε_pos θ.γ θ.β).batch (h * w + 1)).fwd (θ.towerOutB cfg sd x))

/-- The batched logits. -/
def logitsB : Vec R (B * K) := batchFun B (dense θ.headW θ.headB) (θ.clsB cfg sd x)

/-! ## The cotangent thread -/

/-- The cotangent at the output of the final layer normalisation. -/
def cotNorm : Vec R (B * ((h * w + 1) * (H * d))) :=
  batchFun B (fun dy => clsSliceBack (denseBack θ.headW dy)) (g (θ.logitsB cfg sd x))

/-- The cotangent at the output of the tower. -/
def cotTop : Vec R (B * ((h * w + 1) * (H * d))) :=
  batchMapAux B (vitCotTowerOutV (h * w) cfg.ε θ.γ θ.headW) (θ.towerOutB cfg sd x)
    (g (θ.logitsB cfg sd x))

/-- The cotangent at the output of block `j`. -/
def cotBlock (j : Idx k) : Vec R (B * ((h * w + 1) * (H * d))) :=
  towerCots k (θ.blockB cfg sd) (θ.tokensB x) (θ.cotTop cfg sd x g) j

/-- The cotangent at the output of the embedding. -/
def cotTokens : Vec R (B * ((h * w + 1) * (H * d))) :=
  (tiedTower k (θ.blockB cfg sd)).back (θ.tokensB x) (θ.cotTop cfg sd x g)

/-- The sixteen nodes of block `j`, at its input and its output's cotangent in the threads. -/
def BlockTied (bf16 : Bool) (j : Idx k) : Prop :=
  (θ.blocks j).TiedGB cfg (h * w) (vitSites sd j) bf16 (θ.ib cfg sd x j) (θ.cotBlock cfg sd x g j)

/-- Without stochastic depth the statement is the drop-free one. -/
theorem blockTied_none (bf16 : Bool) (j : Idx k) : θ.BlockTied cfg none x g bf16 j =
    (θ.blocks j).TiedGB cfg (h * w) (fun _ => .none) bf16 (θ.ib cfg none x j)
      (θ.cotBlock cfg none x g j) := rfl

/-! ## Every threaded cotangent is a certified backward function -/

/-- The cotangent at the tower's output is the certified gradient of the head there. -/
theorem cotTop_eq_vjp : θ.cotTop cfg sd x g =
    ((vitTop cfg (h * w) θ.γ θ.β θ.headW θ.headB).batch_at B (θ.towerOutB cfg sd x)).backward
      (g (θ.logitsB cfg sd x)) :=
  vitCotTowerOutB_eq_vjp cfg θ.γ θ.β θ.headW θ.headB _ _

/-- The cotangent at a block's output is the certified gradient of the blocks above it there. -/
theorem cotBlock_eq_vjp (j : Idx k) : θ.cotBlock cfg sd x g j =
    (towerAfter k (fun i => (θ.blockB cfg sd i).toLayer) j).vjp.backward
      ((θ.blockB cfg sd j).fwd (θ.ib cfg sd x j)) (θ.cotTop cfg sd x g) :=
  towerCots_eq_vjp k (θ.blockB cfg sd) _ _ j

/-- The cotangent at the embedding's output is the certified gradient of the whole tower there. -/
theorem cotTokens_eq_vjp : θ.cotTokens cfg sd x g =
    (tower k fun j => (θ.blockB cfg sd j).toLayer).vjp.backward (θ.tokensB x)
      (θ.cotTop cfg sd x g) :=
  towerBack_eq_vjp k (θ.blockB cfg sd) _ _

/-! ## The parameters of the whole network -/

/-- All parameters, at any depth. -/
theorem net_tiedGB (bf16 bf16ConvW : Bool) :
    (∀ j, θ.BlockTied cfg sd x g bf16 j) ∧
    FinalLNTiedGB cfg (h * w) θ.γ θ.β (θ.towerOutB cfg sd x) (θ.cotNorm cfg sd x g) ∧
    HeadTiedGB θ.headW θ.headB (θ.clsB cfg sd x) (g (θ.logitsB cfg sd x)) ∧
    EmbedTiedGB (bf16 && bf16ConvW) θ.embed (patchesB x) (θ.cotTokens cfg sd x g) :=
  ⟨fun j => (θ.blocks j).vit_block_tiedGB cfg (h * w) (vitSites sd j) bf16 _ _,
    vit_finalLN_tiedGB cfg θ.γ θ.β _ _, vit_head_tiedGB θ.headW θ.headB _ _,
    vit_embed_tiedGB (bf16 && bf16ConvW) θ.embed _ _⟩

end ViTParams

/-- 12 blocks of 16 parameters, and 2 + 2 + 4 around them. -/
theorem vitTiny_parameters : 12 * 16 + 2 + 2 + 4 = 200 := rfl

/-- **The step tie of ViT-Tiny**: each of its 200 gradient nodes, at a batch of `B` images, is the
certified gradient of its site at the cotangent that the emitted chain delivers there. -/
theorem vit_net_tiedGB {nC : Nat} (cfg : ViTConfig R) (θ : ViTTinyParams R nC)
    (sd : Option (Idx 12 → Vec R B × Vec R B)) (bf16 bf16ConvW : Bool)
    (g : Vec R (B * nC) → Vec R (B * nC)) (x : Vec R (B * (3 * (224 * 224)))) :
    θ.BlockTied cfg sd x g bf16 0 ∧ θ.BlockTied cfg sd x g bf16 1 ∧
    θ.BlockTied cfg sd x g bf16 2 ∧ θ.BlockTied cfg sd x g bf16 3 ∧
    θ.BlockTied cfg sd x g bf16 4 ∧ θ.BlockTied cfg sd x g bf16 5 ∧
    θ.BlockTied cfg sd x g bf16 6 ∧ θ.BlockTied cfg sd x g bf16 7 ∧
    θ.BlockTied cfg sd x g bf16 8 ∧ θ.BlockTied cfg sd x g bf16 9 ∧
    θ.BlockTied cfg sd x g bf16 10 ∧ θ.BlockTied cfg sd x g bf16 11 ∧
    FinalLNTiedGB cfg (14 * 14) θ.γ θ.β (θ.towerOutB cfg sd x) (θ.cotNorm cfg sd x g) ∧
    HeadTiedGB θ.headW θ.headB (θ.clsB cfg sd x) (g (θ.logitsB cfg sd x)) ∧
    EmbedTiedGB (bf16 && bf16ConvW) θ.embed (ViTParams.patchesB x) (θ.cotTokens cfg sd x g) :=
  have tied := θ.net_tiedGB cfg sd x g bf16 bf16ConvW
  ⟨tied.1 0, tied.1 1, tied.1 2, tied.1 3, tied.1 4, tied.1 5, tied.1 6, tied.1 7, tied.1 8,
    tied.1 9, tied.1 10, tied.1 11, tied.2⟩

/-- The loss cotangent of the network: the smoothed cross-entropy at a general target. It is the
certified gradient of that loss at the logits. -/
theorem vit_lossCot_is_smoothedCE_grad {nC : Nat} (cfg : ViTConfig R)
    (θ : ViTTinyParams R (nC + 1)) (sd : Option (Idx 12 → Vec R B × Vec R B)) (α : R)
    (t : Vec R (B * (nC + 1))) (x : Vec R (B * (3 * (224 * 224)))) :
    smoothedLossCotGraphDiv α t (θ.logitsB cfg sd x) =
      (smoothedCE α t).vjp.backward (θ.logitsB cfg sd x) fun _ => 1 :=
  smoothedLossCotGraphDiv_eq_vjp α t _

/-- Stochastic depth off: block `j`'s batched forward is the batch lift of the plain block. -/
theorem vit_net_drop_free {nC : Nat} (cfg : ViTConfig R) (θ : ViTTinyParams R nC) (j : Idx 12) :
    (θ.blockB (B := B) cfg none j).fwd =
      batchMap B ((θ.blocks j).block cfg (14 * 14) .none).fwd := rfl

end NetTies
