import NetTies.Layers.PatchEmbed
import NetTies.Layers.ParamGrad

/-! # Parameter gradients of the patch embedding

The tokens of a patch embedding as a function of each of its four parameters: the projection's
weights and bias, the CLS token and the position embedding. Over a batch of `B` images the parameter
is shared, so its gradient sums over the images. The CLS token is one vector read by every image: its
gradient is the bias gradient node on the CLS rows of the batch, with the sum over the batch inside.

Answers: ViT-Tiny's step tie: the embedding's four nodes and the CLS conjunct. -/

namespace NetTies

variable {R : Type} [CommRing R] {B N P D : Nat}

namespace PatchEmbed

variable (p : PatchEmbed R N P D)

/-! ## One image -/

/-- Token `t` as a function of the weights. -/
def tokenInW (x : Vec R (N * P)) : Idx (N + 1) → Layer R (P * D) D
  | .zero => .const _ (p.cls + p.pos .zero)
  | .succ t => (denseInW p.b (row x t)).bias (p.pos (.succ t))

/-- Token `t` as a function of the bias. -/
def tokenInB (x : Vec R (N * P)) : Idx (N + 1) → Layer R D D
  | .zero => .const _ (p.cls + p.pos .zero)
  | .succ t => (denseInB p.W (row x t)).bias (p.pos (.succ t))

/-- Token `t` as a function of the CLS token. -/
def tokenInCls (x : Vec R (N * P)) : Idx (N + 1) → Layer R D D
  | .zero => (Layer.id R D).bias (p.pos .zero)
  | .succ t => .const _ (dense p.W p.b (row x t) + p.pos (.succ t))

/-- What the position embedding is added to, in row `t`. -/
def tokenBase (x : Vec R (N * P)) : Idx (N + 1) → Vec R D
  | .zero => p.cls
  | .succ t => dense p.W p.b (row x t)

/-- The tokens as a function of the flattened weights. -/
def inW (x : Vec R (N * P)) : Layer R (P * D) ((N + 1) * D) := .shared (p.tokenInW x)

/-- The tokens as a function of the bias. -/
def inB (x : Vec R (N * P)) : Layer R D ((N + 1) * D) := .shared (p.tokenInB x)

/-- The tokens as a function of the CLS token. -/
def inCls (x : Vec R (N * P)) : Layer R D ((N + 1) * D) := .shared (p.tokenInCls x)

/-- The tokens as a function of the flattened position embedding. -/
def inPos (x : Vec R (N * P)) : Layer R ((N + 1) * D) ((N + 1) * D) := shift (flatten (p.tokenBase x))

theorem inW_apply (x : Vec R (N * P)) : (p.inW x).fwd (flatten p.W) = p.fwd x :=
  batch_ext fun t => (row_flatten (fun t => (p.tokenInW x t).fwd (flatten p.W)) t).trans
    ((match t with
      | .zero => rfl
      | .succ t => congrArg (fun y => y + p.pos (.succ t)) (denseInW_apply p.W p.b (row x t)) :
      (p.tokenInW x t).fwd (flatten p.W) = p.rows x t).trans (row_flatten (p.rows x) t).symm)

theorem inB_apply (x : Vec R (N * P)) : (p.inB x).fwd p.b = p.fwd x :=
  show (flatten fun t => (p.tokenInB x t).fwd p.b) = flatten (p.rows x) from
  congrArg flatten (funext fun
    | .zero => rfl
    | .succ _ => rfl)

theorem inCls_apply (x : Vec R (N * P)) : (p.inCls x).fwd p.cls = p.fwd x :=
  show (flatten fun t => (p.tokenInCls x t).fwd p.cls) = flatten (p.rows x) from
  congrArg flatten (funext fun
    | .zero => rfl
    | .succ _ => rfl)

theorem inPos_apply (x : Vec R (N * P)) : (p.inPos x).fwd (flatten p.pos) = p.fwd x :=
  show (flatten fun t => p.tokenBase x t + p.pos t) = flatten (p.rows x) from
  congrArg flatten (funext fun
    | .zero => rfl
    | .succ _ => rfl)

/-! ## A batch of images -/

/-- The tokens of a batch as a function of the flattened weights. -/
def inWB (x : Vec R (B * (N * P))) : Layer R (P * D) (B * ((N + 1) * D)) :=
  .shared fun e => p.inW (row x e)

/-- The tokens of a batch as a function of the bias. -/
def inBB (x : Vec R (B * (N * P))) : Layer R D (B * ((N + 1) * D)) :=
  .shared fun e => p.inB (row x e)

/-- The tokens of a batch as a function of the CLS token. -/
def inClsB (x : Vec R (B * (N * P))) : Layer R D (B * ((N + 1) * D)) :=
  .shared fun e => p.inCls (row x e)

/-- The tokens of a batch as a function of the flattened position embedding. -/
def inPosB (x : Vec R (B * (N * P))) : Layer R ((N + 1) * D) (B * ((N + 1) * D)) :=
  .shared fun e => p.inPos (row x e)

end PatchEmbed

/-! ## The rendered gradient nodes -/

/-- The weight gradient: the outer products of patches and patch tokens' cotangents, summed. -/
def patchEmbedWeightGradB (x : Vec R (B * (N * P))) (dy : Vec R (B * ((N + 1) * D))) :
    Vec R (P * D) :=
  flatten fun i j => ∑ e, ∑ t : Idx N, row (row x e) t i * row (row dy e) (.succ t) j

/-- The weight gradient in reduced precision: both factors are rounded. -/
def patchEmbedWeightGradBBf16 (rnd : R → R) (x : Vec R (B * (N * P)))
    (dy : Vec R (B * ((N + 1) * D))) : Vec R (P * D) :=
  flatten fun i j => ∑ e, ∑ t : Idx N, rnd (row (row x e) t i) * rnd (row (row dy e) (.succ t) j)

/-- The weight gradient at a precision flag. -/
def patchEmbedWeightGradBAt (bf16 : Bool) (rnd : R → R) (x : Vec R (B * (N * P)))
    (dy : Vec R (B * ((N + 1) * D))) : Vec R (P * D) :=
  match bf16 with
  | false => patchEmbedWeightGradB x dy
  | true => patchEmbedWeightGradBBf16 rnd x dy

/-- The bias gradient: the patch tokens' cotangents, summed. -/
def patchEmbedBiasGradB (dy : Vec R (B * ((N + 1) * D))) : Vec R D := fun j =>
  ∑ e, ∑ t : Idx N, row (row dy e) (.succ t) j

/-- The CLS gradient: the bias gradient node on the CLS rows of the batch. -/
def clsGradB (dy : Vec R (B * ((N + 1) * D))) : Vec R D := denseBiasGradB (batchFun B clsSlice dy)

/-- The gradient of the position embedding: the cotangents, summed over the batch. -/
def posEmbedGradB (dy : Vec R (B * ((N + 1) * D))) : Vec R ((N + 1) * D) := fun k => ∑ e, row dy e k

/-! ## Their ties -/

variable (p : PatchEmbed R N P D)

theorem patchEmbedWeightGradB_eq_vjp (x : Vec R (B * (N * P))) (W : Vec R (P * D))
    (dy : Vec R (B * ((N + 1) * D))) :
    patchEmbedWeightGradB x dy = (p.inWB x).vjp.backward W dy :=
  funext fun _ => sum_congr fun _ => (zero_add _).symm

/-- At the identity rounding both precisions are one node. -/
theorem patchEmbedWeightGradBAt_id (bf16 : Bool) (x : Vec R (B * (N * P)))
    (dy : Vec R (B * ((N + 1) * D))) :
    patchEmbedWeightGradBAt bf16 (fun a => a) x dy = patchEmbedWeightGradB x dy :=
  match bf16 with
  | false => rfl
  | true => rfl

theorem patchEmbedBiasGradB_eq_vjp (x : Vec R (B * (N * P))) (b : Vec R D)
    (dy : Vec R (B * ((N + 1) * D))) :
    patchEmbedBiasGradB dy = (p.inBB x).vjp.backward b dy :=
  funext fun _ => sum_congr fun _ => (zero_add _).symm

theorem clsGradB_eq_vjp (x : Vec R (B * (N * P))) (cls : Vec R D)
    (dy : Vec R (B * ((N + 1) * D))) : clsGradB dy = (p.inClsB x).vjp.backward cls dy :=
  funext fun j => sum_congr fun e => by
    rw [row_batchFun]
    show row (row dy e) .zero j = row (row dy e) .zero j + ∑ _t : Idx N, (0 : R)
    rw [sum_zero, add_zero]

theorem posEmbedGradB_eq_vjp (x : Vec R (B * (N * P))) (pos : Vec R ((N + 1) * D))
    (dy : Vec R (B * ((N + 1) * D))) :
    posEmbedGradB dy = (p.inPosB x).vjp.backward pos dy := rfl

end NetTies
