import NetTies.Nets.ViT.ViTMultiHeadChain
import NetTies.Nets.ViT.ViTWholeBackCertifiedTieB

/-! # ViT-Tiny

The vision transformer with concrete blocks: `k` transformer blocks of `H` heads of width `d`, hidden
width `M`, a final vector layer normalisation, and patches of `p × p` pixels. The batched tie
specialises to it by instantiation, and the capstone is its statement at the literal dimensions of
ViT-Tiny: images of 3 × 224 × 224, patches of 16 × 16, 197 tokens, twelve blocks of 3 heads of width
64, hidden width 768. The batch and the class count are binders. The only hypothesis, `0 < ε`, is part
of the configuration.

Answers: ViT's batched tie, item 5. -/

namespace NetTies

variable {R : Type} [Scalars R] {C h w p H d M K k : Nat}

/-- The parameters of a vision transformer. -/
structure ViTParams (R : Type) (C h w p H d M K k : Nat) where
  embed : PatchEmbed R (h * w) (C * (p * p)) (H * d)
  blocks : Idx k → BlockParamsV R (H * d) M
  γ : Vec R (H * d)
  β : Vec R (H * d)
  headW : Mat R (H * d) K
  headB : Vec R K

/-- The final layer normalisation with its rendered backward function, tied. -/
def tiedVecLN (cfg : ViTConfig R) {D : Nat} (γ β : Vec R D) : TiedLayer R D D where
  toLayer := vecLN cfg.ε cfg.ε_pos γ β
  back := vecLNBack cfg.ε γ
  back_eq_vjp := vecLNBack_eq_vjp cfg.ε cfg.ε_pos γ β

/-- The network with these parameters. -/
def ViTParams.net (cfg : ViTConfig R) (θ : ViTParams R C h w p H d M K k) :
    ViT R (C * (p * h * (p * w))) (h * w) (C * (p * p)) (H * d) K k where
  patches := .patchify R C h w p
  embed := θ.embed
  blocks i := (θ.blocks i).tied cfg (h * w) .none
  norm := tiedVecLN cfg θ.γ θ.β
  headW := θ.headW
  headB := θ.headB

/-- The parameters of ViT-Tiny with `nC` classes. -/
abbrev ViTTinyParams (R : Type) (nC : Nat) : Type := ViTParams R 3 14 14 16 3 64 768 nC 12

/-- **ViT-Tiny**: the pixel gradient that a training step computes at a batch of `B` images is the
certified gradient of the network at that batch. -/
theorem vitTinyInputGradB_eq_vitTiny_vjp (cfg : ViTConfig R) (B nC : Nat) (θ : ViTTinyParams R nC)
    (x : Vec R (B * (3 * (224 * 224)))) (dy : Vec R (B * nC)) :
    vitInputGradKB B (θ.net cfg) x dy = (vitForwardKV_batch_has_vjp B (θ.net cfg)).backward x dy :=
  vitInputGradKB_eq_batchMap_vitForwardKV_vjp B (θ.net cfg) x dy

/-- The capstone, read as a sum of partial derivatives. -/
theorem vitTinyInputGradB_correct (cfg : ViTConfig R) (B nC : Nat) (θ : ViTTinyParams R nC)
    (x : Vec R (B * (3 * (224 * 224)))) (dy : Vec R (B * nC)) (i : Idx (B * (3 * (224 * 224)))) :
    vitInputGradKB B (θ.net cfg) x dy i =
      ∑ j, pdiv (batchMap B (vitForwardKV (θ.net cfg))) x i j * dy j :=
  vitInputGradKB_correct B (θ.net cfg) x dy i

end NetTies
