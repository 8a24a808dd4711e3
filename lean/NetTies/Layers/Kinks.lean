import NetTies.Layers.Scalars

/-! # Functions with kinks

`relu`, `relu6` and the maximum of two numbers are smooth away from their kinks. What is assumed of
them is what holds there: on a positive input `relu` is the identity and its mask is one, on a negative
input it is zero with mask zero; the maximum of two different numbers, with its derivative, is the
greater one. Layers made of them are certified *at a smooth point*, a hypothesis on the saved input.

Answers: the smooth-point hypotheses of the networks with kinks. -/

namespace NetTies

variable {R : Type} {n : Nat}

/-- Scalars with functions that have kinks. -/
class Kinks (R : Type) extends OrderedCommRing R where
  relu : ScalarFn R
  /-- The mask that a training step renders: one where the input is positive, else zero. -/
  mask : R → R
  mask_of_pos {a : R} : 0 < a → mask a = 1
  mask_of_neg {a : R} : a < 0 → mask a = 0
  relu_smooth {a : R} : 0 < a ∨ a < 0 → relu.Smooth a
  relu_of_pos {a : R} : 0 < a → relu a = a
  relu_of_neg {a : R} : a < 0 → relu a = 0
  relu_deriv {a : R} : 0 < a ∨ a < 0 → relu.deriv a = mask a
  max : R → R → R
  maxDual : Dual R → Dual R → Dual R
  max_left {a b : R} : b < a → max a b = a
  max_right {a b : R} : a < b → max a b = b
  maxDual_left {x y : Dual R} : y.re < x.re → maxDual x y = x
  maxDual_right {x y : Dual R} : x.re < y.re → maxDual x y = y
  max_either (a b : R) : max a b = a ∨ max a b = b
  maxDual_either (x y : Dual R) : maxDual x y = x ∨ maxDual x y = y

export Kinks (relu mask mask_of_pos mask_of_neg relu_smooth relu_of_pos relu_of_neg relu_deriv)

variable [Kinks R]

/-! ## relu -/

/-- A point where `relu` is smooth at every entry. -/
def ReluSmoothAt (x : Vec R n) : Prop := ∀ i, 0 < x i ∨ x i < 0

/-- `relu` on every entry. -/
def reluMap (R : Type) [Kinks R] (n : Nat) : Map R n n := (relu (R := R)).map n

/-- The certified backward function of `relu` at a smooth point. -/
def relu_has_vjp_at {x : Vec R n} (h : ReluSmoothAt x) : HasVJPDiffAt (reluMap R n) x :=
  relu.witness fun i => relu_smooth (h i)

/-- The rendered backward function: the cotangent masked by the sign of the saved input. -/
def reluBack (x dy : Vec R n) : Vec R n := fun i => dy i * mask (x i)

/-- The leaf tie of `relu` at a smooth point. -/
theorem reluBack_eq_vjp {x : Vec R n} (h : ReluSmoothAt x) (dy : Vec R n) :
    reluBack x dy = (relu_has_vjp_at h).backward dy :=
  funext fun i => congrArg (fun s => dy i * s) (relu_deriv (h i)).symm

/-! ## relu6 -/

/-- The number six. -/
def six (R : Type) [CommRing R] : R := 1 + 1 + 1 + 1 + 1 + 1

/-- `relu6 x = relu x - relu (x - 6)`. -/
def relu6 (R : Type) [Kinks R] : ScalarFn R :=
  relu + -(relu.comp (ScalarFn.id R + ScalarFn.const R (-six R)))

/-- A point where `relu6` is smooth at every entry: none is at `0` or at `6`. -/
def Relu6SmoothAt (x : Vec R n) : Prop :=
  ∀ i, (0 < x i ∨ x i < 0) ∧ (0 < x i - six R ∨ x i - six R < 0)

/-- The mask of `relu6`: one between `0` and `6`, else zero. -/
def mask6 (a : R) : R := mask a - mask (a - six R)

theorem mask6_between {a : R} (h : 0 < a) (h6 : a - six R < 0) : mask6 a = 1 := by
  rw [mask6, mask_of_pos h, mask_of_neg h6, sub_def, neg_zero, add_zero]

theorem mask6_above {a : R} (h : 0 < a) (h6 : 0 < a - six R) : mask6 a = 0 := by
  rw [mask6, mask_of_pos h, mask_of_pos h6, sub_self]

theorem mask6_below {a : R} (h : a < 0) (h6 : a - six R < 0) : mask6 a = 0 := by
  rw [mask6, mask_of_neg h, mask_of_neg h6, sub_self]

theorem relu6_apply (a : R) : relu6 R a = relu a - relu (a - six R) := by
  show relu a + -1 * relu (a - six R) = relu a + -relu (a - six R)
  rw [neg_mul, one_mul]

theorem relu6_deriv {a : R} (h : (0 < a ∨ a < 0) ∧ (0 < a - six R ∨ a - six R < 0)) :
    (relu6 R).deriv a = mask6 a := by
  show relu.deriv a + (0 * relu (a - six R) + -1 * (relu.deriv (a - six R) * (1 + 0))) = _
  rw [relu_deriv h.1, relu_deriv h.2, zero_mul, zero_add, add_zero, mul_one, neg_mul, one_mul]
  rfl

/-- `relu6` on every entry. -/
def relu6Map (R : Type) [Kinks R] (n : Nat) : Map R n n := (relu6 R).map n

/-- The certified backward function of `relu6` at a smooth point. -/
def relu6_has_vjp_at {x : Vec R n} (h : Relu6SmoothAt x) : HasVJPDiffAt (relu6Map R n) x :=
  (relu6 R).witness fun i => ⟨relu_smooth (h i).1, trivial, ⟨trivial, trivial⟩, relu_smooth (h i).2⟩

/-- The rendered backward function: the cotangent where the saved input is between `0` and `6`. -/
def relu6Back (x dy : Vec R n) : Vec R n := fun i => dy i * mask6 (x i)

/-- The leaf tie of `relu6` at a smooth point. -/
theorem relu6Back_eq_vjp {x : Vec R n} (h : Relu6SmoothAt x) (dy : Vec R n) :
    relu6Back x dy = (relu6_has_vjp_at h).backward dy :=
  funext fun i => congrArg (fun s => dy i * s) (relu6_deriv (h i)).symm

end NetTies
