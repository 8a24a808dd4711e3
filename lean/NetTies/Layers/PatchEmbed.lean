import NetTies.Layers.Dense

/-! # The patch embedding and the CLS row

`N` patches of `P` pixels become `N + 1` tokens of width `D`: the CLS token, then the projected
patches, each with its position embedding. The pixel gradient sends each patch token's cotangent back
through the projection; the CLS row has no pixel. The classifier reads the CLS row only, so its
backward function scatters the cotangent into that row.

Answers: ViT's batched tie, item 2: the patch embedding and the CLS row. -/

namespace NetTies

variable {R S : Type} [CommRing R] [CommRing S] {N P D : Nat}

/-! ## The CLS row -/

/-- The CLS token is the first row. -/
def clsSlice (x : Vec S ((N + 1) * D)) : Vec S D := row x .zero

/-- The cotangent of the CLS row, and none for the other rows. -/
def clsRow (dy : Vec R D) : Idx (N + 1) → Vec R D
  | .zero => dy
  | .succ _ => 0

/-- The cotangent of the tokens from that of the CLS row. -/
def clsSliceBack (dy : Vec R D) : Vec R ((N + 1) * D) := flatten (clsRow dy)

theorem clsSliceBack_adjoint :
    Adjoint (R := R) (clsSlice (N := N) (D := D)) clsSliceBack := fun v dy => by
  rw [clsSliceBack, dot_batch, sum_congr fun t => congrArg (dot (row v t)) (row_flatten (clsRow dy) t)]
  show row v .zero ⬝ dy = row v .zero ⬝ dy + ∑ t : Idx N, row v (.succ t) ⬝ 0
  rw [sum_congr fun t : Idx N => dot_zero (row v (.succ t)), sum_zero, add_zero]

/-- The slice of the CLS row. -/
def clsSliceLayer (R : Type) [CommRing R] (N D : Nat) : Layer R ((N + 1) * D) D :=
  .ofWitness ⟨clsSlice, clsSlice⟩ fun _ =>
    .ofAdjoint clsSlice clsSliceBack (fun _ => rfl) clsSliceBack_adjoint

/-- The leaf tie of the CLS slice. -/
theorem clsSliceBack_eq_vjp (x : Vec R ((N + 1) * D)) (dy : Vec R D) :
    clsSliceBack dy = (clsSliceLayer R N D).vjp.backward x dy := rfl

/-! ## The patch embedding -/

/-- The parameters of the patch embedding. -/
structure PatchEmbed (S : Type) (N P D : Nat) where
  W : Mat S P D
  b : Vec S D
  cls : Vec S D
  pos : Mat S (N + 1) D

namespace PatchEmbed

/-- Row `t` of the tokens. -/
def rows (p : PatchEmbed S N P D) (x : Vec S (N * P)) : Idx (N + 1) → Vec S D
  | .zero => p.cls + p.pos .zero
  | .succ t => dense p.W p.b (row x t) + p.pos (.succ t)

/-- The parameters as constants. -/
def lift (p : PatchEmbed R N P D) : PatchEmbed (Dual R) N P D where
  W := liftMat p.W
  b := NetTies.lift p.b
  cls := NetTies.lift p.cls
  pos := liftMat p.pos

/-- `N` patches of `P` pixels become `N + 1` tokens. -/
def fwd (p : PatchEmbed R N P D) : Map R (N * P) ((N + 1) * D) where
  toFun x := flatten (p.rows x)
  onDual x := flatten (p.lift.rows x)

/-- Row `t` of the derivative along `v`. -/
def tangentRows (p : PatchEmbed R N P D) (v : Vec R (N * P)) : Idx (N + 1) → Vec R D
  | .zero => 0
  | .succ t => fun j => ∑ i, row v t i * p.W i j

/-- The pixel gradient: each token's cotangent through the projection. -/
def back (p : PatchEmbed R N P D) (dy : Vec R ((N + 1) * D)) : Vec R (N * P) :=
  flatten fun t => denseBack p.W (row dy (.succ t))

theorem rows_jet (p : PatchEmbed R N P D) (x v : Vec R (N * P)) : (t : Idx (N + 1)) →
    p.lift.rows (jet x v) t = jet (p.rows x t) (p.tangentRows v t)
  | .zero => funext fun _ => Dual.ext rfl (add_zero 0)
  | .succ t => by
    show (denseMap p.W p.b).onDual (jet (row x t) (row v t)) + NetTies.lift (p.pos (.succ t)) = _
    rw [denseMap_onDual]
    exact funext fun _ => Dual.ext rfl (add_zero _)

theorem fwd_onDual (p : PatchEmbed R N P D) (x v : Vec R (N * P)) :
    p.fwd.onDual (jet x v) = jet (p.fwd x) (flatten (p.tangentRows v)) :=
  show flatten (p.lift.rows (jet x v)) = flatten fun t => jet (p.rows x t) (p.tangentRows v t) from
  congrArg flatten (funext (p.rows_jet x v))

theorem back_adjoint (p : PatchEmbed R N P D) :
    Adjoint (fun v => flatten (p.tangentRows v)) p.back := fun v dy => by
  rw [dot_batch, dot_batch v, sum_congr fun t =>
    congrArg (fun u => u ⬝ row dy t) (row_flatten (p.tangentRows v) t)]
  show 0 ⬝ row dy .zero + ∑ t, p.tangentRows v (.succ t) ⬝ row dy (.succ t) = _
  rw [zero_dot, zero_add]
  exact sum_congr fun t => by
    rw [back, row_flatten]
    exact denseBack_adjoint p.W (row v t) (row dy (.succ t))

/-- The patch embedding. -/
def layer (p : PatchEmbed R N P D) : Layer R (N * P) ((N + 1) * D) :=
  .ofWitness p.fwd fun x => .ofAdjoint _ p.back (p.fwd_onDual x) p.back_adjoint

/-- The leaf tie of the patch embedding. -/
theorem back_eq_vjp (p : PatchEmbed R N P D) (x : Vec R (N * P)) (dy : Vec R ((N + 1) * D)) :
    p.back dy = p.layer.vjp.backward x dy := rfl

end PatchEmbed

end NetTies
