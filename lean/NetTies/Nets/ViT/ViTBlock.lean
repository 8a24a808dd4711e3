import NetTies.Layers.Attention
import NetTies.Layers.Norm

/-! # The transformer block

`N + 1` tokens of `H` heads of width `d`; the hidden layer has width `M`:

  `h = x + Wo · SDPA(Wq · LN₁ x, Wk · LN₁ x, Wv · LN₁ x)`,
  `out = h + W₂ · gelu (W₁ · LN₂ h)`,

with vector layer normalisation, GELU in either form, and attention scaled by `1/√d`. With stochastic
depth an example scales the output of each branch by a number of its own (`dropSite`); without it
the block is the same term. `block` is the block as a certified layer and `blockForward` the formula
above; they agree by `rfl`. The only hypothesis is `0 < ε`.

Answers: the attention-block chain: the block; ViT-Tiny's step tie: stochastic depth. -/

namespace NetTies

variable {R : Type} [Scalars R] {m n N H d M : Nat}

/-! ## Stochastic depth -/

/-- A branch whose output an example may scale. -/
def dropSite (site : Option R) (f : Layer R m n) : Layer R m n :=
  match site with
  | none => f
  | some a => (Linear.scale a n).layer.comp f

/-- The scale itself, on an activation or on its cotangent. -/
def dropScale (site : Option R) (x : Vec R n) : Vec R n :=
  match site with
  | none => x
  | some a => fun i => a * x i

theorem dropSite_fwd (site : Option R) (f : Layer R m n) (x : Vec R m) :
    (dropSite site f).fwd x = dropScale site (f.fwd x) :=
  match site with
  | none => rfl
  | some _ => rfl

theorem dropSite_backward (site : Option R) (f : Layer R m n) (x : Vec R m) (dy : Vec R n) :
    (dropSite site f).vjp.backward x dy = f.vjp.backward x (dropScale site dy) :=
  match site with
  | none => rfl
  | some _ => rfl

/-- The two sites of a block: the scale of the attention branch and that of the MLP branch. -/
structure Sites (R : Type) where
  attn : Option R
  mlp : Option R

/-- A block without stochastic depth. -/
def Sites.none : Sites R := ⟨.none, .none⟩

/-! ## The parameters -/

/-- The sixteen parameters of a block: width `D`, hidden width `M`. -/
structure BlockParamsV (R : Type) (D M : Nat) where
  γ₁ : Vec R D
  β₁ : Vec R D
  Wq : Mat R D D
  bq : Vec R D
  Wk : Mat R D D
  bk : Vec R D
  Wv : Mat R D D
  bv : Vec R D
  Wo : Mat R D D
  bo : Vec R D
  γ₂ : Vec R D
  β₂ : Vec R D
  W₁ : Mat R D M
  b₁ : Vec R M
  W₂ : Mat R M D
  b₂ : Vec R D

/-- The scale of attention: the reciprocal square root of the width of a head. -/
def attnScale (R : Type) [Scalars R] (d : Nat) : R := rsqrt (natCast R d)

/-- Multi-head attention of queries, keys and values that are tokens of heads. -/
def attendTokens (N : Nat) (q k v : Layer R n ((N + 1) * (H * d))) :
    Layer R n ((N + 1) * (H * d)) :=
  (Linear.mergeHeads R (N + 1) H d).layer.comp (mhsaLayer H (attnScale R d)
    ((Linear.splitHeads R (N + 1) H d).layer.comp q)
    ((Linear.splitHeads R (N + 1) H d).layer.comp k)
    ((Linear.splitHeads R (N + 1) H d).layer.comp v))

/-- What all blocks of a network share: `ε > 0` and the form of GELU. -/
structure ViTConfig (R : Type) [Scalars R] where
  ε : R
  ε_pos : 0 < ε
  gelu : GeluForm

namespace BlockParamsV

variable (cfg : ViTConfig R) (p : BlockParamsV R (H * d) M) (N : Nat)

/-! ## The layers of a block -/

/-- Layer normalisation of each token, before attention. -/
def ln1 : Layer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) :=
  (vecLN cfg.ε cfg.ε_pos p.γ₁ p.β₁).batch (N + 1)

/-- The queries, tokens of heads. -/
def query : Layer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) := rowDenseLayer (N + 1) p.Wq p.bq

/-- The keys, tokens of heads. -/
def key : Layer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) := rowDenseLayer (N + 1) p.Wk p.bk

/-- The values, tokens of heads. -/
def value : Layer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) := rowDenseLayer (N + 1) p.Wv p.bv

/-- The attention outputs, tokens of heads: multi-head attention of the queries, keys and values. -/
def merged : Layer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) :=
  attendTokens N (p.query N) (p.key N) (p.value N)

/-- The output projection. -/
def outProj : Layer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) := rowDenseLayer (N + 1) p.Wo p.bo

/-- Layer normalisation of each token, before the MLP. -/
def ln2 : Layer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) :=
  (vecLN cfg.ε cfg.ε_pos p.γ₂ p.β₂).batch (N + 1)

/-- The first dense layer of the MLP. -/
def fc1 : Layer R ((N + 1) * (H * d)) ((N + 1) * M) := rowDenseLayer (N + 1) p.W₁ p.b₁

/-- The activation of the MLP. -/
def act (M : Nat) : Layer R ((N + 1) * M) ((N + 1) * M) := cfg.gelu.layer ((N + 1) * M)

/-- The second dense layer of the MLP. -/
def fc2 : Layer R ((N + 1) * M) ((N + 1) * (H * d)) := rowDenseLayer (N + 1) p.W₂ p.b₂

/-! ## The block -/

/-- The attention branch. -/
def attnBranch : Layer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) :=
  (p.outProj N).comp ((p.merged N).comp (p.ln1 cfg N))

/-- The MLP branch. -/
def mlpBranch : Layer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) :=
  (p.fc2 N).comp ((act cfg N M).comp ((p.fc1 N).comp (p.ln2 cfg N)))

/-- The first half: `x` plus its attention branch. -/
def attnHalf (site : Option R) : Layer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) :=
  (dropSite site (p.attnBranch cfg N)).residual

/-- The second half: `h` plus its MLP branch. -/
def mlpHalf (site : Option R) : Layer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) :=
  (dropSite site (p.mlpBranch cfg N)).residual

/-- The block as a certified layer. -/
def block (sd : Sites R) : Layer R ((N + 1) * (H * d)) ((N + 1) * (H * d)) :=
  (p.mlpHalf cfg N sd.mlp).comp (p.attnHalf cfg N sd.attn)

/-- Multi-head attention as a formula: scores, weights and outputs of each head. -/
def headsForward (q k v : Vec R (H * ((N + 1) * d))) : Vec R (H * ((N + 1) * d)) :=
  let scores : Vec R (H * ((N + 1) * (N + 1))) := fun i =>
    attnScale R d * batchMapAux H matMulTFlat q k i
  batchMapAux H matMulFlat (batchFun H (rowSoftmax (N + 1)) scores) v

/-- The block as a formula, without stochastic depth. -/
def blockForward (x : Vec R ((N + 1) * (H * d))) : Vec R ((N + 1) * (H * d)) :=
  let u := batchFun (N + 1) (fun t i => p.γ₁ i * normalize cfg.ε t i + p.β₁ i) x
  let q := splitHeads (batchFun (N + 1) (dense p.Wq p.bq) u)
  let k := splitHeads (batchFun (N + 1) (dense p.Wk p.bk) u)
  let v := splitHeads (batchFun (N + 1) (dense p.Wv p.bv) u)
  let h := x + batchFun (N + 1) (dense p.Wo p.bo) (mergeHeads (headsForward N q k v))
  let u := batchFun (N + 1) (fun t i => p.γ₂ i * normalize cfg.ε t i + p.β₂ i) h
  let a := batchFun (N + 1) (dense p.W₁ p.b₁) u
  h + batchFun (N + 1) (dense p.W₂ p.b₂) fun i => cfg.gelu.fn R (a i)

/-- The certified layer computes the formula. -/
theorem block_apply (x : Vec R ((N + 1) * (H * d))) :
    (p.block cfg N .none).fwd x = p.blockForward cfg N x := rfl

end BlockParamsV

end NetTies
