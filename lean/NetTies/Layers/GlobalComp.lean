import NetTies.Foundation.VJP

/-! # Composition of global witnesses

Where a network is smooth everywhere its stages have witnesses at every point, and these compose to
a witness at every point (`vjp_comp`). Two global witnesses of one map have the same backward
function (`HasVJP.backward_unique_of_eq`).

Answers: the global witnesses of EfficientNet-B0. -/

namespace NetTies

variable {R : Type} [CommRing R] {m n k : Nat}

/-- Global witnesses compose. -/
def vjp_comp {f : Map R m n} {g : Map R n k} (df : ∀ x, DifferentiableAt f x)
    (dg : ∀ y, DifferentiableAt g y) (hf : HasVJP f) (hg : HasVJP g) : HasVJP (g ⊚ f) where
  backward x dz := hf.backward x (hg.backward (f x) dz)
  correct x :=
    (vjp_comp_diff_at (df x) (dg (f x)) (hf.toHasVJPAt x) (hg.toHasVJPAt (f x))).correct

/-- **Uniqueness**: the backward functions of two global witnesses of equal maps agree. -/
theorem HasVJP.backward_unique_of_eq {f g : Map R m n} (hf : HasVJP f) (hg : HasVJP g) (e : f = g)
    (x : Vec R m) : hf.backward x = hg.backward x :=
  (hf.toHasVJPAt x).backward_unique_of_eq (hg.toHasVJPAt x) e

end NetTies
