import NetTies.Foundation.Jacobian

/-! # Certified vector-Jacobian products

A backward function is certified when it contracts the output cotangent with the Jacobian:
`HasVJPAt f x` at one point, `HasVJP f` at every point, `HasVJPDiffAt f x` together with
differentiability. Witnesses compose (`vjp_comp_diff_at`) in the reverse order of the maps, and a
map has only one certified backward function (`HasVJPAt.backward_unique_of_eq`), which is how a tie
is carried from one spelling of a network to another.

Answers: ViT's batched tie, items 3 and 4: `vjp_comp_diff_at` and uniqueness. -/

namespace NetTies

variable {R : Type} [CommRing R] {m n k : Nat}

/-- A backward function of `f` at the point `x`, certified against the Jacobian there. -/
structure HasVJPAt (f : Map R m n) (x : Vec R m) where
  /-- The input cotangent of an output cotangent. -/
  backward : Vec R n → Vec R m
  /-- It is the contraction with the Jacobian. -/
  correct : ∀ dy i, backward dy i = ∑ j, pdiv f x i j * dy j

/-- A backward function of `f`, certified at every point. -/
structure HasVJP (f : Map R m n) where
  /-- The input cotangent, at an input, of an output cotangent. -/
  backward : Vec R m → Vec R n → Vec R m
  /-- It is the contraction with the Jacobian. -/
  correct : ∀ x dy i, backward x dy i = ∑ j, pdiv f x i j * dy j

/-- A backward function at a point where the map is differentiable. -/
structure HasVJPDiffAt (f : Map R m n) (x : Vec R m) extends HasVJPAt f x where
  diff : DifferentiableAt f x

/-- A global witness gives one at each point. -/
def HasVJP.toHasVJPAt {f : Map R m n} (h : HasVJP f) (x : Vec R m) : HasVJPAt f x where
  backward := h.backward x
  correct := h.correct x

theorem HasVJP.toHasVJPAt_backward {f : Map R m n} (h : HasVJP f) (x : Vec R m) (dy : Vec R n) :
    (h.toHasVJPAt x).backward dy = h.backward x dy := rfl

/-- **Uniqueness**: the backward functions of two witnesses of equal maps agree. -/
theorem HasVJPAt.backward_unique_of_eq {f g : Map R m n} {x : Vec R m} (hf : HasVJPAt f x)
    (hg : HasVJPAt g x) (e : f = g) : hf.backward = hg.backward :=
  funext fun dy => funext fun i => (hf.correct dy i).trans
    ((congrArg (fun f => ∑ j, pdiv f x i j * dy j) e).trans (hg.correct dy i).symm)

/-! ## Adjoints and witnesses -/

/-- The backward function is the adjoint of the derivative. -/
theorem HasVJPAt.adjoint {f : Map R m n} {x : Vec R m} (h : HasVJPAt f x) :
    Adjoint (jvp f x) h.backward := fun v dy => by
  show ∑ j, (∑ i, v i * pdiv f x i j) * dy j = ∑ i, v i * h.backward dy i
  rw [sum_congr fun j => sum_mul (fun i => v i * pdiv f x i j) (dy j), sum_comm]
  exact sum_congr fun i => by
    rw [h.correct, mul_sum]
    exact sum_congr fun j => mul_assoc _ _ _

/-- **How layers are certified**: a map whose run on `x + ε v` is `f x + ε D v`, where `D` has the
adjoint `back`, is differentiable at `x` with the backward function `back`. -/
def HasVJPDiffAt.ofAdjoint {f : Map R m n} {x : Vec R m} (D : Vec R m → Vec R n)
    (back : Vec R n → Vec R m) (hD : ∀ v, f.onDual (jet x v) = jet (f x) (D v))
    (h : Adjoint D back) : HasVJPDiffAt f x where
  backward := back
  correct dy i := (h.back_eq_sum dy i).trans (sum_congr fun j =>
    congrArg (fun y : Vec (Dual R) n => (y j).du * dy j) (hD (delta i)).symm)
  diff := .ofAdjoint hD h

/-! ## Composition -/

/-- Backward functions compose in reverse order. -/
def vjp_comp_diff_at {f : Map R m n} {g : Map R n k} {x : Vec R m}
    (df : DifferentiableAt f x) (dg : DifferentiableAt g (f x))
    (hf : HasVJPAt f x) (hg : HasVJPAt g (f x)) : HasVJPAt (g ⊚ f) x where
  backward dz := hf.backward (hg.backward dz)
  correct dz i := by
    rw [hf.correct, sum_congr fun j => congrArg (fun s => pdiv f x i j * s) (hg.correct dz j),
      sum_congr fun j => mul_sum (pdiv f x i j) fun l => pdiv g (f x) j l * dz l, sum_comm]
    exact sum_congr fun l => by
      rw [pdiv_comp df dg, sum_mul]
      exact sum_congr fun j => (mul_assoc _ _ _).symm

/-- One level of a composed backward function, peeled off as an equation. -/
theorem vjp_comp_diff_at_backward {f : Map R m n} {g : Map R n k} {x : Vec R m}
    (df : DifferentiableAt f x) (dg : DifferentiableAt g (f x))
    (hf : HasVJPAt f x) (hg : HasVJPAt g (f x)) (dz : Vec R k) :
    (vjp_comp_diff_at df dg hf hg).backward dz = hf.backward (hg.backward dz) := rfl

/-- Witnesses at a point where both maps are differentiable compose. -/
def HasVJPDiffAt.comp {f : Map R m n} {g : Map R n k} {x : Vec R m} (hg : HasVJPDiffAt g (f x))
    (hf : HasVJPDiffAt f x) : HasVJPDiffAt (g ⊚ f) x where
  toHasVJPAt := vjp_comp_diff_at hf.diff hg.diff hf.toHasVJPAt hg.toHasVJPAt
  diff := hf.diff.comp hg.diff

/-- The witness of the map that changes nothing. -/
def HasVJPDiffAt.id (x : Vec R n) : HasVJPDiffAt (Map.id R n) x :=
  .ofAdjoint (fun v => v) (fun dy => dy) (fun _ => rfl) fun _ _ => rfl

end NetTies
