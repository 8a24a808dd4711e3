import NetTies.Nets.ViT.ViTBackChains

/-! # The whole-net gradient of a vision transformer, at one image

The per-example ties of the stages, the network as the chain of its four stages, and the certified
backward function of the network. The batched tie (`ViTWholeBackCertifiedTieB`) rewrites with these
at each row.

Answers: the tie at one image that ViT's batched tie starts from. -/

namespace NetTies

variable {R : Type} [CommRing R] {I N P D K k : Nat}

/-! ## The per-example leaf ties -/

theorem vitTowerBackK_eq_vjp (w : ViT R I N P D K k) (x dy : Vec R ((N + 1) * D)) :
    vitTowerBackK w x dy = (vitTower w).vjp.backward x dy := towerBack_eq_vjp k w.blocks x dy

theorem vitFinalLNBack_eq_vjp (w : ViT R I N P D K k) (x dy : Vec R ((N + 1) * D)) :
    vitFinalLNBack w x dy = (vitFinalLN w).vjp.backward x dy :=
  (w.norm.batch (N + 1)).back_eq_vjp x dy

theorem vitHeadBack_eq_classifier_vjp (w : ViT R I N P D K k) (x : Vec R ((N + 1) * D))
    (dy : Vec R K) : vitHeadBack w dy = (vitHead w).vjp.backward x dy := rfl

/-! ## The network and its certified backward function -/

/-- The network is the chain of its four stages. -/
theorem vitForwardKV_eq_chain (w : ViT R I N P D K k) : vitForwardKV w =
    (vitHead w).fwd ⊚ (vitFinalLN w).fwd ⊚ (vitTower w).fwd ⊚ (vitEmbed w).fwd := by
  rw [vitTower, tower_fwd]
  rfl

/-- The four stages as one layer. -/
def vitChain (w : ViT R I N P D K k) : Layer R I K :=
  (vitHead w).comp ((vitFinalLN w).comp ((vitTower w).comp (vitEmbed w)))

theorem vitForwardKV_differentiableAt (w : ViT R I N P D K k) (x : Vec R I) :
    DifferentiableAt (vitForwardKV w) x :=
  vitForwardKV_eq_chain w ▸ (vitChain w).diff x

/-- The certified backward function of the network at every image. It is transported along
`vitForwardKV_eq_chain`, so it does not reduce: what is known of it is that it is correct. -/
def vitForwardKV_has_vjp (w : ViT R I N P D K k) : HasVJP (vitForwardKV w) :=
  vitForwardKV_eq_chain w ▸ (vitChain w).vjp

/-- The pixel gradient of one image, as a training step computes it. -/
def vitInputGradK (w : ViT R I N P D K k) (x : Vec R I) (dy : Vec R K) : Vec R I :=
  let tokens := (vitEmbed w).fwd x
  let features := (vitTower w).fwd tokens
  vitEmbedBack w (vitTowerBackK w tokens (vitFinalLNBack w features (vitHeadBack w dy)))

/-- The tie at one image. -/
theorem vitInputGradK_eq_vitForwardKV_vjp (w : ViT R I N P D K k) (x : Vec R I)
    (dy : Vec R K) : vitInputGradK w x dy = (vitForwardKV_has_vjp w).backward x dy := by
  have chain : vitInputGradK w x dy = (vitChain w).vjp.backward x dy := by
    rw [vitInputGradK, vitTowerBackK_eq_vjp, vitFinalLNBack_eq_vjp]
    rfl
  rw [chain]
  exact congrFun (((vitChain w).vjp.toHasVJPAt x).backward_unique_of_eq
    ((vitForwardKV_has_vjp w).toHasVJPAt x) (vitForwardKV_eq_chain w).symm) dy

end NetTies
