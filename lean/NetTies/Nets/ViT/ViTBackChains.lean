import NetTies.Layers.PatchEmbed
import NetTies.Layers.Reindex

/-! # The vision transformer and its reverse chain

An image of `I` numbers is cut into `N` patches of `P`; width `D`, `k` blocks, `K` classes.
`vitForwardKV` is the network at one
image, spelled as a model's code spells it; `vitInputGradKB` is its pixel gradient at a batch of `B`
images as a training step computes it: five slots (patch embedding, tower, final normalisation, CLS
scatter, dense head), each lifted to the batch and applied at the activation saved there.

The activations are saved stage by stage (`vitSavedB0`, `vitSavedB1`, `vitSavedB2`), not as the batch
lift of a composed prefix: the two spellings agree only up to `batchMap_comp`.

Answers: ViT's batched tie: the five-slot chain. -/

namespace NetTies

variable {R : Type} [CommRing R] {I N P D K k : Nat}

/-- A vision transformer: its blocks and its final normalisation are tied layers. -/
structure ViT (R : Type) [CommRing R] (I N P D K k : Nat) where
  patches : Linear R I (N * P)
  embed : PatchEmbed R N P D
  blocks : Idx k → TiedLayer R ((N + 1) * D) ((N + 1) * D)
  norm : TiedLayer R D D
  headW : Mat R D K
  headB : Vec R K

/-- The blocks, one after the other. -/
def vitBlocks (w : ViT R I N P D K k) : Map R ((N + 1) * D) ((N + 1) * D) :=
  towerFwd k fun i => (w.blocks i).toLayer

/-- The network at one image. -/
def vitForwardKV (w : ViT R I N P D K k) : Map R I K where
  toFun x :=
    let tokens := w.embed.fwd (w.patches.map x)
    let features := batchFun (N + 1) w.norm.fwd (vitBlocks w tokens)
    dense w.headW w.headB (clsSlice features)
  onDual x :=
    let tokens := w.embed.fwd.onDual (w.patches.map.onDual x)
    let features := batchFun (N + 1) w.norm.fwd.onDual ((vitBlocks w).onDual tokens)
    dense (liftMat w.headW) (lift w.headB) (clsSlice features)

/-! ## The four stages -/

/-- Stage 0: pixels to tokens. -/
def vitEmbed (w : ViT R I N P D K k) : Layer R I ((N + 1) * D) :=
  w.embed.layer.comp w.patches.layer

/-- Stage 1: the tower of blocks. -/
def vitTower (w : ViT R I N P D K k) : Layer R ((N + 1) * D) ((N + 1) * D) :=
  tower k fun i => (w.blocks i).toLayer

/-- Stage 2: the final normalisation of each token. -/
def vitFinalLN (w : ViT R I N P D K k) : Layer R ((N + 1) * D) ((N + 1) * D) :=
  w.norm.toLayer.batch (N + 1)

/-- Stage 3: the classifier on the CLS row. -/
def vitHead (w : ViT R I N P D K k) : Layer R ((N + 1) * D) K :=
  (denseLayer w.headW w.headB).comp (clsSliceLayer R N D)

/-! ## The rendered backward slots, at one image -/

/-- The reverse of the embedding: the pixel gradient of each patch, put together. -/
def vitEmbedBack (w : ViT R I N P D K k) (dy : Vec R ((N + 1) * D)) : Vec R I :=
  w.patches.adj (w.embed.back dy)

/-- The reverse of the tower at its saved input. -/
def vitTowerBackK (w : ViT R I N P D K k) :
    Vec R ((N + 1) * D) → Vec R ((N + 1) * D) → Vec R ((N + 1) * D) :=
  towerBack k w.blocks

/-- The reverse of the final normalisation at its saved input. -/
def vitFinalLNBack (w : ViT R I N P D K k) :
    Vec R ((N + 1) * D) → Vec R ((N + 1) * D) → Vec R ((N + 1) * D) :=
  batchMapAux (N + 1) w.norm.back

/-- The reverse of the classifier: the dense head, then the scatter into the CLS row. -/
def vitHeadBack (w : ViT R I N P D K k) (dy : Vec R K) : Vec R ((N + 1) * D) :=
  clsSliceBack (denseBack w.headW dy)

/-! ## The batch -/

/-- The batched input of the tower, as a function of the batch. -/
abbrev vitSavedB0 (B : Nat) (w : ViT R I N P D K k) : Map R (B * I) (B * ((N + 1) * D)) :=
  batchMap B (vitEmbed w).fwd

/-- The batched input of the final normalisation. -/
abbrev vitSavedB1 (B : Nat) (w : ViT R I N P D K k) : Map R (B * I) (B * ((N + 1) * D)) :=
  batchMap B (vitTower w).fwd ⊚ vitSavedB0 B w

/-- The batched input of the classifier. -/
abbrev vitSavedB2 (B : Nat) (w : ViT R I N P D K k) : Map R (B * I) (B * ((N + 1) * D)) :=
  batchMap B (vitFinalLN w).fwd ⊚ vitSavedB1 B w

/-- The four batched stages, composed. -/
def vitForwardKVB (B : Nat) (w : ViT R I N P D K k) : Map R (B * I) (B * K) :=
  batchMap B (vitHead w).fwd ⊚ vitSavedB2 B w

/-- The pixel gradient of a batch, as a training step computes it. -/
def vitInputGradKB (B : Nat) (w : ViT R I N P D K k) (x : Vec R (B * I)) (dy : Vec R (B * K)) :
    Vec R (B * I) :=
  batchFun B (vitEmbedBack w)
    (batchMapAux B (vitTowerBackK w) (vitSavedB0 B w x)
      (batchMapAux B (vitFinalLNBack w) (vitSavedB1 B w x)
        (batchFun B (vitHeadBack w) dy)))

end NetTies
