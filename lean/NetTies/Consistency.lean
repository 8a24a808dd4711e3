import NetTies.Layers.KinkedActivations

/-! # The laws have models, and derivatives are not trivial

The development assumes of its scalars that they form a commutative ring. Here is one that is not
trivial, the field with three elements, so the laws contradict nothing and do not make all elements
equal (`F3.one_ne_zero`). Over it `ε ≠ 0` and `ε² = 0`, and the Jacobian of squaring, computed by
running it on dual numbers, is `2 x`, which is not zero at `1`: differentiation does not collapse
(`pdiv_square_one_ne_zero`), and a backward function that returns zero is not a certified one
(`no_zero_backward`).

Networks assume more of their scalars: an order, and functions with their derivatives. All of that
together has a model too, on one point (`pointScalars`). It shows only that these laws contradict
nothing; what they are meant for is the field of real numbers, which Lean's core library lacks.

Answers: that the calculus under all four documents is not empty. -/

namespace NetTies

/-- The field with three elements. -/
inductive F3 where
  | zero
  | one
  | two

namespace F3

/-- The sum modulo three. -/
def add : F3 → F3 → F3
  | zero, b => b
  | one, zero => one
  | one, one => two
  | one, two => zero
  | two, zero => two
  | two, one => zero
  | two, two => one

/-- The product modulo three. -/
def mul : F3 → F3 → F3
  | zero, _ => zero
  | one, b => b
  | two, zero => zero
  | two, one => two
  | two, two => one

/-- The negative modulo three. -/
def neg : F3 → F3
  | zero => zero
  | one => two
  | two => one

/-- What holds of the three elements holds of all. -/
theorem all {P : F3 → Prop} (h0 : P zero) (h1 : P one) (h2 : P two) : (a : F3) → P a
  | zero => h0
  | one => h1
  | two => h2

/-- The laws of a commutative ring, checked on all elements. -/
instance : CommRing F3 where
  add := add
  mul := mul
  neg := neg
  zero := zero
  one := one
  add_assoc := all (fun _ _ => rfl)
    (all (fun _ => rfl) (all rfl rfl rfl) (all rfl rfl rfl))
    (all (fun _ => rfl) (all rfl rfl rfl) (all rfl rfl rfl))
  add_comm := all (all rfl rfl rfl) (all rfl rfl rfl) (all rfl rfl rfl)
  add_zero := all rfl rfl rfl
  add_neg := all rfl rfl rfl
  mul_assoc := all (fun _ _ => rfl) (fun _ _ => rfl)
    (all (fun _ => rfl) (fun _ => rfl) (all rfl rfl rfl))
  mul_comm := all (all rfl rfl rfl) (all rfl rfl rfl) (all rfl rfl rfl)
  mul_one := all rfl rfl rfl
  mul_add := all (fun _ _ => rfl) (fun _ _ => rfl)
    (all (fun _ => rfl) (all rfl rfl rfl) (all rfl rfl rfl))

/-- The model is not the trivial ring. -/
theorem one_ne_zero : (1 : F3) ≠ 0 := fun h => nomatch (show one = zero from h)

theorem two_ne_zero : (1 + 1 : F3) ≠ 0 := fun h => nomatch (show two = zero from h)

end F3

/-! ## Dual numbers over the model -/

/-- The infinitesimal. -/
def eps (R : Type) [CommRing R] : Dual R := ⟨0, 1⟩

/-- `ε² = 0` over every ring. -/
theorem eps_mul_eps (R : Type) [CommRing R] : eps R * eps R = 0 :=
  Dual.ext (mul_zero 0) ((congrArg (fun a => a + 1 * 0) (zero_mul (1 : R))).trans
    ((zero_add _).trans (mul_zero 1)))

/-- `ε` is not zero over the model. -/
theorem eps_ne_zero : eps F3 ≠ 0 := fun h => F3.one_ne_zero (congrArg Dual.du h)

/-! ## Squaring -/

/-- Squaring every entry. -/
def square (R : Type) [CommRing R] (n : Nat) : Map R n n where
  toFun x j := x j * x j
  onDual x j := x j * x j

/-- The Jacobian of squaring, over every ring: `2 x` on the diagonal, zero elsewhere. -/
theorem pdiv_square {R : Type} [CommRing R] {n : Nat} (x : Vec R n) (i j : Idx n) :
    pdiv (square R n) x i j = x j * delta i j + delta i j * x j := rfl

/-- The derivative of squaring at `1` is `2`. -/
theorem pdiv_square_one : pdiv (square F3 1) (fun _ => 1) 0 0 = 1 + 1 := rfl

/-- Differentiation does not collapse. -/
theorem pdiv_square_one_ne_zero : pdiv (square F3 1) (fun _ => 1) 0 0 ≠ 0 := F3.two_ne_zero

/-- A backward function that returns zero is not a certified one. -/
theorem no_zero_backward (h : HasVJPAt (square F3 1) fun _ => 1) : h.backward ≠ fun _ => 0 :=
  fun zero => F3.two_ne_zero
    ((h.correct (fun _ => 1) 0).symm.trans (congrFun (congrFun zero fun _ => 1) 0))

/-! ## All laws together -/

/-- One point. -/
structure Point where

namespace Point

instance : CommRing Point where
  add _ _ := ⟨⟩
  mul _ _ := ⟨⟩
  neg _ := ⟨⟩
  zero := ⟨⟩
  one := ⟨⟩
  add_assoc _ _ _ := rfl
  add_comm _ _ := rfl
  add_zero _ := rfl
  add_neg _ := rfl
  mul_assoc _ _ _ := rfl
  mul_comm _ _ := rfl
  mul_one _ := rfl
  mul_add _ _ _ := rfl

instance : OrderedCommRing Point where
  le _ _ := True
  lt _ _ := True
  nonneg_zero := trivial
  nonneg_add _ _ := trivial
  nonneg_mul _ _ := trivial
  nonneg_mul_self _ := trivial
  nonneg_of_pos _ := trivial
  pos_one := trivial
  pos_add _ _ := trivial

/-- The only function on the point. -/
def fn : ScalarFn Point where
  toFun _ := ⟨⟩
  onDual _ := ⟨⟨⟩, ⟨⟩⟩
  deriv _ := ⟨⟩
  Smooth _ := True
  onDual_eq _ _ := rfl

end Point

/-- The laws of smooth and of kinked scalars hold on the point, all together. -/
instance pointScalars : KinkedScalars Point where
  exp := Point.fn
  exp_smooth _ := trivial
  exp_deriv _ := rfl
  exp_pos _ := trivial
  recip := Point.fn
  recip_smooth _ := trivial
  recip_deriv _ := rfl
  recip_pos _ := trivial
  mul_recip _ := rfl
  log := Point.fn
  log_smooth _ := trivial
  log_deriv _ := rfl
  rsqrt := Point.fn
  rsqrt_smooth _ := trivial
  rsqrt_deriv _ := rfl
  invSqrtTwoPi := ⟨⟩
  normCdf := Point.fn
  normCdf_smooth _ := trivial
  normCdf_deriv _ := rfl
  geluScale := ⟨⟩
  geluCubic := ⟨⟩
  relu := Point.fn
  mask _ := ⟨⟩
  mask_of_pos _ := rfl
  mask_of_neg _ := rfl
  relu_smooth _ := trivial
  relu_of_pos _ := rfl
  relu_of_neg _ := rfl
  relu_deriv _ := rfl
  max _ _ := ⟨⟩
  maxDual _ _ := ⟨⟨⟩, ⟨⟩⟩
  max_left _ := rfl
  max_right _ := rfl
  maxDual_left _ := rfl
  maxDual_right _ := rfl
  max_either _ _ := .inl rfl
  maxDual_either _ _ := .inl rfl

end NetTies
