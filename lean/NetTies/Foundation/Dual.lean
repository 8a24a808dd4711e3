import NetTies.Foundation.Sum

/-! # Dual numbers

`Dual R` is `R[ε]` with `ε² = 0`. A layer is a program over any commutative ring; run on the dual
vector `x + ε v` it computes its value and its derivative along `v` (forward-mode differentiation).
Nothing about derivatives is assumed: the sum, product and chain rules are consequences of the ring
structure of `Dual R`.

Answers: the calculus that all four documents rest on. -/

namespace NetTies

variable {R : Type} {m n : Nat}

/-- The dual number `re + ε du`. -/
structure Dual (R : Type) where
  re : R
  du : R

namespace Dual

theorem ext {a b : Dual R} (h : a.re = b.re) (h' : a.du = b.du) : a = b :=
  congr (congrArg Dual.mk h) h'

variable [CommRing R]

instance : Add (Dual R) where
  add a b := ⟨a.re + b.re, a.du + b.du⟩

instance : Mul (Dual R) where
  mul a b := ⟨a.re * b.re, a.re * b.du + a.du * b.re⟩

instance : Neg (Dual R) where
  neg a := ⟨-a.re, -a.du⟩

instance : Zero (Dual R) where
  zero := ⟨0, 0⟩

instance : One (Dual R) where
  one := ⟨1, 0⟩

/-- The dual numbers are a commutative ring. -/
instance : CommRing (Dual R) where
  add_assoc _ _ _ := ext (add_assoc _ _ _) (add_assoc _ _ _)
  add_comm _ _ := ext (add_comm _ _) (add_comm _ _)
  add_zero _ := ext (add_zero _) (add_zero _)
  add_neg _ := ext (add_neg _) (add_neg _)
  mul_assoc a b c := ext (mul_assoc _ _ _)
    (show a.re * b.re * c.du + (a.re * b.du + a.du * b.re) * c.re
      = a.re * (b.re * c.du + b.du * c.re) + a.du * (b.re * c.re) by simp only [ring_laws])
  mul_comm a b := ext (mul_comm _ _)
    (show a.re * b.du + a.du * b.re = b.re * a.du + b.du * a.re by simp only [ring_laws])
  mul_one a := ext (mul_one _)
    (show a.re * 0 + a.du * 1 = a.du by rw [mul_zero, mul_one, zero_add])
  mul_add a b c := ext (mul_add _ _ _)
    (show a.re * (b.du + c.du) + a.du * (b.re + c.re)
      = a.re * b.du + a.du * b.re + (a.re * c.du + a.du * c.re) by simp only [ring_laws])

/-- The constant `a`: its derivative is zero. -/
def const (a : R) : Dual R := ⟨a, 0⟩

theorem re_sum : {n : Nat} → (f : Vec (Dual R) n) → (∑ i, f i).re = ∑ i, (f i).re
  | 0, _ => rfl
  | _ + 1, f => congrArg (fun s => (f .zero).re + s) (re_sum fun i => f (.succ i))

theorem du_sum : {n : Nat} → (f : Vec (Dual R) n) → (∑ i, f i).du = ∑ i, (f i).du
  | 0, _ => rfl
  | _ + 1, f => congrArg (fun s => (f .zero).du + s) (du_sum fun i => f (.succ i))

end Dual

/-- The dual vector `x + ε v`. -/
def jet (x v : Vec R n) : Vec (Dual R) n := fun i => ⟨x i, v i⟩

variable [CommRing R]

/-- A constant vector. -/
def lift (x : Vec R n) : Vec (Dual R) n := jet x 0

/-- A constant matrix. -/
def liftMat (W : Mat R m n) : Mat (Dual R) m n := fun i => lift (W i)

/-- A sum of dual numbers whose parts are known. -/
theorem sum_dual (a b : Vec R n) : ∑ i, (⟨a i, b i⟩ : Dual R) = ⟨∑ i, a i, ∑ i, b i⟩ :=
  Dual.ext (Dual.re_sum fun i => ⟨a i, b i⟩) (Dual.du_sum fun i => ⟨a i, b i⟩)

/-- The dot product of two dual vectors obeys the product rule. -/
theorem dot_jet (p u q v : Vec R n) : jet p u ⬝ jet q v = (⟨p ⬝ q, p ⬝ v + u ⬝ q⟩ : Dual R) :=
  (sum_dual (fun i => p i * q i) fun i => p i * v i + u i * q i).trans
    (Dual.ext rfl (sum_add (fun i => p i * v i) fun i => u i * q i))

end NetTies
