/-! # Commutative rings

The scalars of the networks form a commutative ring `R`. Only these laws are used; the class is the
project's own, so the development needs no library beyond `Init`.

Answers: the scalars that all four documents compute with. -/

namespace NetTies

/-- A commutative ring. -/
class CommRing (R : Type) extends Add R, Mul R, Neg R, Zero R, One R where
  add_assoc (a b c : R) : a + b + c = a + (b + c)
  add_comm (a b : R) : a + b = b + a
  add_zero (a : R) : a + 0 = a
  add_neg (a : R) : a + -a = 0
  mul_assoc (a b c : R) : a * b * c = a * (b * c)
  mul_comm (a b : R) : a * b = b * a
  mul_one (a : R) : a * 1 = a
  mul_add (a b c : R) : a * (b + c) = a * b + a * c

export CommRing (add_assoc add_comm add_zero add_neg mul_assoc mul_comm mul_one mul_add)

variable {R : Type} [CommRing R]

/-- Subtraction is the addition of the negative. -/
instance : Sub R where
  sub a b := a + -b

theorem sub_def (a b : R) : a - b = a + -b := rfl

theorem zero_add (a : R) : 0 + a = a := by rw [add_comm, add_zero]

theorem one_mul (a : R) : 1 * a = a := by rw [mul_comm, mul_one]

theorem add_mul (a b c : R) : (a + b) * c = a * c + b * c := by
  rw [mul_comm, mul_add, mul_comm c a, mul_comm c b]

theorem add_left_comm (a b c : R) : a + (b + c) = b + (a + c) := by
  rw [← add_assoc, add_comm a b, add_assoc]

theorem mul_left_comm (a b c : R) : a * (b * c) = b * (a * c) := by
  rw [← mul_assoc, mul_comm a b, mul_assoc]

theorem mul_right_comm (a b c : R) : a * b * c = a * c * b := by
  rw [mul_assoc, mul_comm b c, ← mul_assoc]

theorem add_add_add_comm (a b c d : R) : a + b + (c + d) = a + c + (b + d) := by
  rw [add_assoc, add_left_comm b c d, ← add_assoc]

theorem add_left_cancel {a b c : R} (h : a + b = a + c) : b = c := by
  rw [← zero_add b, ← zero_add c, ← add_neg a, add_comm a (-a), add_assoc, add_assoc, h]

theorem mul_zero (a : R) : a * 0 = 0 :=
  add_left_cancel (a := a * 0) (by rw [← mul_add, add_zero, add_zero])

theorem zero_mul (a : R) : 0 * a = 0 := by rw [mul_comm, mul_zero]

/-- The negative is the only element that adds to zero. -/
theorem neg_unique {a b : R} (h : a + b = 0) : b = -a := add_left_cancel (h.trans (add_neg a).symm)

theorem neg_mul (a b : R) : -a * b = -(a * b) :=
  neg_unique (by rw [← add_mul, add_neg, zero_mul])

theorem mul_neg (a b : R) : a * -b = -(a * b) := by rw [mul_comm, neg_mul, mul_comm]

theorem neg_zero : -(0 : R) = 0 := (neg_unique (add_zero 0)).symm

theorem neg_neg (a : R) : - -a = a := (neg_unique (by rw [add_comm, add_neg])).symm

theorem neg_add (a b : R) : -(a + b) = -a + -b :=
  (neg_unique (by rw [add_add_add_comm, add_neg, add_neg, add_zero])).symm

theorem mul_sub (a b c : R) : a * (b - c) = a * b - a * c := by
  rw [sub_def, sub_def, mul_add, mul_neg]

theorem sub_mul (a b c : R) : (a - b) * c = a * c - b * c := by
  rw [sub_def, sub_def, add_mul, neg_mul]

theorem sub_self (a : R) : a - a = 0 := add_neg a

theorem sub_add_self (a b : R) : a - (a + b) = -b := by
  rw [sub_def, neg_add, ← add_assoc, add_neg, zero_add]

/-- The laws that bring a polynomial into a normal form, up to cancellation: `simp only [ring_laws]`
proves an identity that needs no `a - a = 0`. -/
theorem ring_laws :
    (∀ a b : R, a - b = a + -b) ∧ (∀ a b c : R, a * (b + c) = a * b + a * c) ∧
    (∀ a b c : R, (a + b) * c = a * c + b * c) ∧ (∀ a b : R, -(a + b) = -a + -b) ∧
    (∀ a b : R, -a * b = -(a * b)) ∧ (∀ a b : R, a * -b = -(a * b)) ∧ (∀ a : R, - -a = a) ∧
    (∀ a b c : R, a * b * c = a * (b * c)) ∧ (∀ a b : R, a * b = b * a) ∧
    (∀ a b c : R, a * (b * c) = b * (a * c)) ∧ (∀ a b c : R, a + b + c = a + (b + c)) ∧
    (∀ a b : R, a + b = b + a) ∧ (∀ a b c : R, a + (b + c) = b + (a + c)) :=
  ⟨sub_def, mul_add, add_mul, neg_add, neg_mul, mul_neg, neg_neg, mul_assoc, mul_comm, mul_left_comm,
    add_assoc, add_comm, add_left_comm⟩

end NetTies
