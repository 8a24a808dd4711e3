import NetTies.Nets.ViT.ViTWholeBackCertifiedTie

/-! # `vitInputGradKB` is the certified whole-net gradient of a vision transformer at a batch

The batched reverse chain is the certified gradient of `batchMap B (vitForwardKV w)` at every batch,
for every `B`. A vision transformer is smooth everywhere, so every stage has a global witness and its
batched witness is the lift of that one at each row; no smooth-point hypothesis appears.

* the batched leaf ties: the patch embedding needs none (its backward is the same term); each of the
  others is one rewrite of the per-example tie at a row, then `rfl`;
* `vitKVB_has_vjp_at`, the four-stage apex, and `vitInputGradKB_eq_vitKVB_vjp`, the tie;
* `vitForwardKVB_eq_chain`, the shape check: the four batched stages are the batch lift of the
  network, so the tie is about that network;
* `vitInputGradKB_eq_batchMap_vitForwardKV_vjp`, the tie carried to the global witness by uniqueness,
  and `vitInputGradKB_correct`, its reading as a sum of partial derivatives.

Answers: ViT's batched tie, items 2 to 4. -/

namespace NetTies

variable {R : Type} [CommRing R] {I N P D K k : Nat} (B : Nat)

/-! ## The batched leaf ties -/

theorem vitHeadBackB_eq_vjp (w : ViT R I N P D K k) (s : Vec R (B * ((N + 1) * D)))
    (dy : Vec R (B * K)) :
    batchFun B (vitHeadBack w) dy = ((vitHead w).batch_at B s).backward dy :=
  (vitHead w).batchFun_eq_vjp (vitHeadBack_eq_classifier_vjp w) B s dy

theorem vitFinalLNBackB_eq_vjp (w : ViT R I N P D K k) (s dy : Vec R (B * ((N + 1) * D))) :
    batchMapAux B (vitFinalLNBack w) s dy = ((vitFinalLN w).batch_at B s).backward dy :=
  (vitFinalLN w).batchMapAux_eq_vjp (vitFinalLNBack_eq_vjp w) B s dy

theorem vitTowerBackKB_eq_vjp (w : ViT R I N P D K k) (s dy : Vec R (B * ((N + 1) * D))) :
    batchMapAux B (vitTowerBackK w) s dy = ((vitTower w).batch_at B s).backward dy :=
  (vitTower w).batchMapAux_eq_vjp (vitTowerBackK_eq_vjp w) B s dy

theorem vitEmbedBackB_eq_vjp (w : ViT R I N P D K k) (x : Vec R (B * I))
    (dy : Vec R (B * ((N + 1) * D))) :
    batchFun B (vitEmbedBack w) dy = ((vitEmbed w).batch_at B x).backward dy := rfl

/-! ## The apex and the tie -/

theorem vitSavedB1_diff (w : ViT R I N P D K k) (x : Vec R (B * I)) :
    DifferentiableAt (vitSavedB1 B w) x :=
  ((vitEmbed w).batch_diff B x).comp ((vitTower w).batch_diff B (vitSavedB0 B w x))

theorem vitSavedB2_diff (w : ViT R I N P D K k) (x : Vec R (B * I)) :
    DifferentiableAt (vitSavedB2 B w) x :=
  (vitSavedB1_diff B w x).comp ((vitFinalLN w).batch_diff B (vitSavedB1 B w x))

/-- **The apex**: the certified backward function of the four batched stages. Each level's inner map
is the saved activation of that level. -/
def vitKVB_has_vjp_at (w : ViT R I N P D K k) (x : Vec R (B * I)) :
    HasVJPAt (vitForwardKVB B w) x :=
  vjp_comp_diff_at (f := vitSavedB2 B w) (g := batchMap B (vitHead w).fwd)
    (vitSavedB2_diff B w x) ((vitHead w).batch_diff B (vitSavedB2 B w x))
    (vjp_comp_diff_at (f := vitSavedB1 B w) (g := batchMap B (vitFinalLN w).fwd)
      (vitSavedB1_diff B w x) ((vitFinalLN w).batch_diff B (vitSavedB1 B w x))
      (vjp_comp_diff_at (f := vitSavedB0 B w) (g := batchMap B (vitTower w).fwd)
        ((vitEmbed w).batch_diff B x) ((vitTower w).batch_diff B (vitSavedB0 B w x))
        ((vitEmbed w).batch_at B x)
        ((vitTower w).batch_at B (vitSavedB0 B w x)))
      ((vitFinalLN w).batch_at B (vitSavedB1 B w x)))
    ((vitHead w).batch_at B (vitSavedB2 B w x))

/-- **The tie**: the batched reverse chain is the certified backward function. -/
theorem vitInputGradKB_eq_vitKVB_vjp (w : ViT R I N P D K k) (x : Vec R (B * I))
    (dy : Vec R (B * K)) : vitInputGradKB B w x dy = (vitKVB_has_vjp_at B w x).backward dy := by
  rw [vitInputGradKB, vitHeadBackB_eq_vjp B w (vitSavedB2 B w x), vitFinalLNBackB_eq_vjp,
    vitTowerBackKB_eq_vjp]
  rfl

/-! ## The shape check, the carried tie and the reading -/

/-- **The shape check**: the batch lift of the network is the composition of the four batched
stages. -/
theorem vitForwardKVB_eq_chain (w : ViT R I N P D K k) :
    batchMap B (vitForwardKV w) = vitForwardKVB B w := by
  rw [vitForwardKV_eq_chain, batchMap_comp, batchMap_comp, batchMap_comp]
  rfl

/-- The global witness of the network at a batch. -/
def vitForwardKV_batch_has_vjp (w : ViT R I N P D K k) : HasVJP (batchMap B (vitForwardKV w)) :=
  batchMap_has_vjp B (vitForwardKV_differentiableAt w) (vitForwardKV_has_vjp w)

/-- The tie, carried to the global witness of the batch lift of the network. -/
theorem vitInputGradKB_eq_batchMap_vitForwardKV_vjp (w : ViT R I N P D K k)
    (x : Vec R (B * I)) (dy : Vec R (B * K)) :
    vitInputGradKB B w x dy = (vitForwardKV_batch_has_vjp B w).backward x dy := by
  rw [vitInputGradKB_eq_vitKVB_vjp, (vitKVB_has_vjp_at B w x).backward_unique_of_eq
    ((vitForwardKV_batch_has_vjp B w).toHasVJPAt x) (vitForwardKVB_eq_chain B w).symm,
    HasVJP.toHasVJPAt_backward]

/-- **The reading**: pixel `i` of the gradient is the cotangent contracted with the partial
derivatives of the network. -/
theorem vitInputGradKB_correct (w : ViT R I N P D K k) (x : Vec R (B * I)) (dy : Vec R (B * K))
    (i : Idx (B * I)) :
    vitInputGradKB B w x dy i = ∑ j, pdiv (batchMap B (vitForwardKV w)) x i j * dy j := by
  rw [vitInputGradKB_eq_batchMap_vitForwardKV_vjp]
  exact (vitForwardKV_batch_has_vjp B w).correct x dy i

end NetTies
