import NetTies.Foundation.Combinators

/-! # Scalar functions with their derivatives

A `ScalarFn R` is a function on the scalars with its run on dual numbers, its derivative and the set
of points where it is smooth, that is, where the run on `a + ε b` is `f a + ε f'(a) b`. Sums,
products and compositions of scalar functions are scalar functions, by the sum, product and chain
rules. Applied to every entry of a vector, a scalar function is a layer at smooth points, with
backward function `dy ⊙ f'(x)`.

The class `Scalars R` is what is *assumed* of the scalars: an ordered commutative ring with `exp`,
`recip`, `log`, `rsqrt` and the normal distribution function, whose derivatives are data:
`exp' = exp`, and at positive points `recip' = -recip²`, `log' = recip` and `rsqrt' = -½ rsqrt³`. Over the real numbers these are
theorems of analysis; nothing here proves them.

Answers: the positivities of both batched ties; the saved slopes of the attention-block chain. -/

namespace NetTies

variable {R : Type} {n : Nat}

/-! ## Order -/

/-- A commutative ring with an order, as far as networks use it. -/
class OrderedCommRing (R : Type) extends CommRing R, LE R, LT R where
  nonneg_zero : (0 : R) ≤ 0
  nonneg_add {a b : R} : 0 ≤ a → 0 ≤ b → 0 ≤ a + b
  nonneg_mul {a b : R} : 0 ≤ a → 0 ≤ b → 0 ≤ a * b
  nonneg_mul_self (a : R) : 0 ≤ a * a
  nonneg_of_pos {a : R} : 0 < a → 0 ≤ a
  pos_one : (0 : R) < 1
  pos_add {a b : R} : 0 < a → 0 ≤ b → 0 < a + b

export OrderedCommRing (nonneg_zero nonneg_add nonneg_mul nonneg_mul_self nonneg_of_pos pos_one
  pos_add)

section Order

variable [OrderedCommRing R]

/-- The number of positions, as a scalar. -/
def natCast (R : Type) [CommRing R] (n : Nat) : R := ∑ _i : Idx n, (1 : R)

theorem nonneg_sum : {n : Nat} → {f : Vec R n} → (∀ i, 0 ≤ f i) → 0 ≤ ∑ i, f i
  | 0, _, _ => nonneg_zero
  | _ + 1, _, h => nonneg_add (h .zero) (nonneg_sum fun i => h (.succ i))

theorem pos_sum {f : Vec R (n + 1)} (h : ∀ i, 0 < f i) : 0 < ∑ i, f i :=
  pos_add (h .zero) (nonneg_sum fun i => nonneg_of_pos (h (.succ i)))

theorem pos_natCast (n : Nat) : 0 < natCast R (n + 1) := pos_sum fun _ => pos_one

theorem nonneg_dot_self (u : Vec R n) : 0 ≤ u ⬝ u := nonneg_sum fun i => nonneg_mul_self (u i)

theorem natCast_mul (n : Nat) (a : R) : natCast R n * a = ∑ _i : Idx n, a := by
  rw [natCast, sum_mul]
  exact sum_congr fun _ => one_mul a

end Order

/-! ## Scalar functions -/

/-- A function on the scalars with its derivative where it is smooth. -/
structure ScalarFn (R : Type) [CommRing R] where
  toFun : R → R
  onDual : Dual R → Dual R
  deriv : R → R
  /-- The points where `deriv` is the derivative. -/
  Smooth : R → Prop
  onDual_eq : ∀ {a : R} (b : R), Smooth a → onDual ⟨a, b⟩ = ⟨toFun a, deriv a * b⟩

namespace ScalarFn

variable [CommRing R]

instance : CoeFun (ScalarFn R) (fun _ => R → R) := ⟨ScalarFn.toFun⟩

/-- The identity. -/
def id (R : Type) [CommRing R] : ScalarFn R where
  toFun a := a
  onDual a := a
  deriv _ := 1
  Smooth _ := True
  onDual_eq b _ := Dual.ext rfl (one_mul b).symm

/-- A constant. -/
def const (R : Type) [CommRing R] (c : R) : ScalarFn R where
  toFun _ := c
  onDual _ := .const c
  deriv _ := 0
  Smooth _ := True
  onDual_eq b _ := Dual.ext rfl (zero_mul b).symm

/-- The sum rule. -/
instance : Add (ScalarFn R) where
  add f g :=
    { toFun := fun a => f a + g a
      onDual := fun z => f.onDual z + g.onDual z
      deriv := fun a => f.deriv a + g.deriv a
      Smooth := fun a => f.Smooth a ∧ g.Smooth a
      onDual_eq := fun {a} b h => by
        rw [f.onDual_eq b h.1, g.onDual_eq b h.2]
        exact Dual.ext rfl (add_mul (f.deriv a) (g.deriv a) b).symm }

/-- The product rule. -/
instance : Mul (ScalarFn R) where
  mul f g :=
    { toFun := fun a => f a * g a
      onDual := fun z => f.onDual z * g.onDual z
      deriv := fun a => f.deriv a * g a + f a * g.deriv a
      Smooth := fun a => f.Smooth a ∧ g.Smooth a
      onDual_eq := fun {a} b h => by
        rw [f.onDual_eq b h.1, g.onDual_eq b h.2]
        exact Dual.ext rfl (show f a * (g.deriv a * b) + f.deriv a * b * g a
          = (f.deriv a * g a + f a * g.deriv a) * b by simp only [ring_laws]) }

/-- The chain rule: `g`, then `f`. -/
def comp (f g : ScalarFn R) : ScalarFn R where
  toFun a := f (g a)
  onDual z := f.onDual (g.onDual z)
  deriv a := f.deriv (g a) * g.deriv a
  Smooth a := g.Smooth a ∧ f.Smooth (g a)
  onDual_eq {a} b h := by
    rw [g.onDual_eq b h.1, f.onDual_eq _ h.2]
    exact Dual.ext rfl (mul_assoc _ _ _).symm

/-- The negative of a function. -/
instance : Neg (ScalarFn R) where
  neg f := const R (-1) * f

/-! ### As a layer -/

/-- The function applied to each entry. -/
def map (f : ScalarFn R) (n : Nat) : Map R n n where
  toFun x i := f (x i)
  onDual x i := f.onDual (x i)

/-- The rendered backward function: the cotangent masked by the derivative at the saved input. -/
def back (f : ScalarFn R) (x dy : Vec R n) : Vec R n := fun i => dy i * f.deriv (x i)

/-- The witness at a point where every entry is smooth. -/
def witness (f : ScalarFn R) {x : Vec R n} (h : ∀ i, f.Smooth (x i)) : HasVJPDiffAt (f.map n) x :=
  .ofAdjoint (fun v i => f.deriv (x i) * v i) (f.back x)
    (fun v => funext fun i => f.onDual_eq (v i) (h i))
    fun v dy => sum_congr fun i => show f.deriv (x i) * v i * dy i = v i * (dy i * f.deriv (x i)) by
      simp only [ring_laws]

/-- The layer of a function that is smooth everywhere. -/
def layer (f : ScalarFn R) (h : ∀ a, f.Smooth a) (n : Nat) : Layer R n n :=
  .ofWitness (f.map n) fun x => f.witness fun i => h (x i)

/-- The leaf tie of an entrywise layer. -/
theorem back_eq_vjp (f : ScalarFn R) (h : ∀ a, f.Smooth a) (x dy : Vec R n) :
    f.back x dy = (f.layer h n).vjp.backward x dy := rfl

end ScalarFn

/-! ## The scalars of smooth networks -/

/-- The scalars: an ordered commutative ring with the functions that networks use. The derivatives
are data. -/
class Scalars (R : Type) extends OrderedCommRing R where
  /-- The exponential function. -/
  exp : ScalarFn R
  exp_smooth (a : R) : exp.Smooth a
  exp_deriv (a : R) : exp.deriv a = exp a
  exp_pos (a : R) : 0 < exp a
  /-- The reciprocal, used at positive points only. -/
  recip : ScalarFn R
  recip_smooth {a : R} : 0 < a → recip.Smooth a
  recip_deriv {a : R} : 0 < a → recip.deriv a = -(recip a * recip a)
  recip_pos {a : R} : 0 < a → 0 < recip a
  mul_recip {a : R} : 0 < a → a * recip a = 1
  /-- The logarithm, used at positive points only. -/
  log : ScalarFn R
  log_smooth {a : R} : 0 < a → log.Smooth a
  log_deriv {a : R} : 0 < a → log.deriv a = recip a
  /-- The reciprocal square root, used at positive points only. -/
  rsqrt : ScalarFn R
  rsqrt_smooth {a : R} : 0 < a → rsqrt.Smooth a
  rsqrt_deriv {a : R} : 0 < a → rsqrt.deriv a = -(recip (1 + 1) * (rsqrt a * rsqrt a * rsqrt a))
  /-- The reciprocal of `√(2π)`. -/
  invSqrtTwoPi : R
  /-- The distribution function of the normal distribution. -/
  normCdf : ScalarFn R
  normCdf_smooth (a : R) : normCdf.Smooth a
  normCdf_deriv (a : R) : normCdf.deriv a = invSqrtTwoPi * exp (-(recip (1 + 1) * (a * a)))
  /-- The constant `√(2/π)` of the tanh form of GELU. -/
  geluScale : R
  /-- The constant `0.044715` of the tanh form of GELU. -/
  geluCubic : R

export Scalars (exp exp_smooth exp_deriv exp_pos recip recip_smooth recip_deriv recip_pos mul_recip
  log log_smooth log_deriv rsqrt rsqrt_smooth rsqrt_deriv invSqrtTwoPi normCdf normCdf_smooth
  normCdf_deriv geluScale geluCubic)

variable [Scalars R]

/-- One half. -/
def half (R : Type) [Scalars R] : R := recip (1 + 1)

theorem pos_two : (0 : R) < 1 + 1 := pos_add pos_one (nonneg_of_pos pos_one)

theorem half_add_half : half R + half R = 1 := by
  rw [half, ← mul_one (recip (1 + 1 : R)), ← mul_add, mul_comm]
  exact mul_recip pos_two

theorem half_mul_double (a : R) : half R * (a + a) = a := by
  rw [mul_add, ← add_mul, half_add_half, one_mul]

end NetTies
