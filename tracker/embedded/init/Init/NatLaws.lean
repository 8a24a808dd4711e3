prelude
import Init.SimpLaws

/-! # Laws of numbers

The semiring laws and the order of the natural numbers, under the names that they have in Lean. -/

namespace Nat

@[simp] protected theorem add_zero (n : Nat) : n + 0 = n := rfl
theorem add_succ (n m : Nat) : n + succ m = succ (n + m) := rfl
theorem add_one (n : Nat) : n + 1 = succ n := rfl
theorem succ_eq_add_one (n : Nat) : succ n = n + 1 := rfl
@[simp] protected theorem mul_zero (n : Nat) : n * 0 = 0 := rfl
theorem mul_succ (n m : Nat) : n * succ m = n * m + n := rfl
@[simp] theorem pred_zero : pred 0 = 0 := rfl
@[simp] theorem pred_succ (n : Nat) : pred n.succ = n := rfl
@[simp] protected theorem sub_zero (n : Nat) : n - 0 = n := rfl
theorem sub_succ (n m : Nat) : n - succ m = pred (n - m) := rfl
@[simp] theorem pow_zero (b : Nat) : b ^ 0 = 1 := rfl
theorem pow_succ {b n : Nat} : b ^ (n + 1) = b ^ n * b := rfl

@[simp] protected theorem zero_add : (n : Nat) → 0 + n = n
  | 0 => rfl
  | n + 1 => congrArg succ (Nat.zero_add n)

theorem succ_add : (n m : Nat) → succ n + m = succ (n + m)
  | _, 0 => rfl
  | n, m + 1 => congrArg succ (succ_add n m)

protected theorem add_comm : (n m : Nat) → n + m = m + n
  | n, 0 => (Nat.zero_add n).symm
  | n, m + 1 => (congrArg succ (Nat.add_comm n m)).trans (succ_add m n).symm

protected theorem add_assoc : (n m k : Nat) → n + m + k = n + (m + k)
  | _, _, 0 => rfl
  | n, m, k + 1 => congrArg succ (Nat.add_assoc n m k)

protected theorem add_left_comm (n m k : Nat) : n + (m + k) = m + (n + k) := by
  rw [← Nat.add_assoc, Nat.add_comm n m, Nat.add_assoc]

protected theorem add_right_comm (n m k : Nat) : n + m + k = n + k + m := by
  rw [Nat.add_assoc, Nat.add_comm m k, ← Nat.add_assoc]

protected theorem add_left_cancel {n m k : Nat} : n + m = n + k → m = k := by
  induction n with
  | zero => rw [Nat.zero_add, Nat.zero_add]; exact id
  | succ n ih => rw [succ_add, succ_add]; exact fun h => ih (succ.inj h)

protected theorem add_right_cancel {n m k : Nat} (h : n + m = k + m) : n = k :=
  Nat.add_left_cancel (Nat.add_comm m n ▸ Nat.add_comm m k ▸ h)

@[simp] protected theorem zero_mul : (n : Nat) → 0 * n = 0
  | 0 => rfl
  | n + 1 => Nat.zero_mul n

theorem succ_mul (n m : Nat) : succ n * m = n * m + m := by
  induction m with
  | zero => rfl
  | succ m ih => rw [mul_succ, mul_succ, ih, add_succ, add_succ, Nat.add_right_comm]

protected theorem mul_comm (n m : Nat) : n * m = m * n := by
  induction m with
  | zero => rw [Nat.mul_zero, Nat.zero_mul]
  | succ m ih => rw [mul_succ, succ_mul, ih]

@[simp] protected theorem mul_one (n : Nat) : n * 1 = n := Nat.zero_add n

@[simp] protected theorem one_mul (n : Nat) : 1 * n = n := by rw [Nat.mul_comm, Nat.mul_one]

protected theorem left_distrib (n m k : Nat) : n * (m + k) = n * m + n * k := by
  induction k with
  | zero => rfl
  | succ k ih => rw [add_succ, mul_succ, mul_succ, ih, Nat.add_assoc]

protected theorem right_distrib (n m k : Nat) : (n + m) * k = n * k + m * k := by
  rw [Nat.mul_comm, Nat.left_distrib, Nat.mul_comm k n, Nat.mul_comm k m]

protected theorem mul_add (n m k : Nat) : n * (m + k) = n * m + n * k := Nat.left_distrib n m k

protected theorem add_mul (n m k : Nat) : (n + m) * k = n * k + m * k := Nat.right_distrib n m k

protected theorem mul_assoc (n m k : Nat) : n * m * k = n * (m * k) := by
  induction k with
  | zero => rfl
  | succ k ih => rw [mul_succ, mul_succ, Nat.mul_add, ih]

protected theorem mul_left_comm (n m k : Nat) : n * (m * k) = m * (n * k) := by
  rw [← Nat.mul_assoc, Nat.mul_comm n m, Nat.mul_assoc]

/-! ## Order -/

protected theorem le_of_lt {n m : Nat} (h : n < m) : n ≤ m := Nat.le_trans (le_succ n) h
theorem le_of_eq {n m : Nat} (h : n = m) : n ≤ m := h ▸ Nat.le_refl n
protected theorem le_total (m n : Nat) : m ≤ n ∨ n ≤ m := (Nat.lt_or_ge m n).imp Nat.le_of_lt id
protected theorem lt_of_not_ge {a b : Nat} (h : ¬b ≥ a) : b < a := Nat.lt_of_not_le h
protected theorem not_le {n m : Nat} : ¬n ≤ m ↔ m < n :=
  ⟨Nat.lt_of_not_le, fun h h' => Nat.lt_irrefl _ (Nat.lt_of_lt_of_le h h')⟩
protected theorem not_lt {n m : Nat} : ¬n < m ↔ m ≤ n :=
  ⟨fun h => (Nat.lt_or_ge n m).resolve_left h, fun h h' => Nat.lt_irrefl _ (Nat.lt_of_lt_of_le h' h)⟩
protected theorem ne_of_gt {a b : Nat} (h : b < a) : a ≠ b := fun h' => Nat.lt_irrefl b (h' ▸ h)
theorem ne_of_lt {a b : Nat} (h : a < b) : a ≠ b := fun h' => Nat.lt_irrefl b (h' ▸ h)
protected theorem pos_of_ne_zero {n : Nat} (h : n ≠ 0) : 0 < n :=
  match n, h with
  | 0, h => absurd rfl h
  | n + 1, _ => zero_lt_succ n
theorem eq_zero_of_le_zero {n : Nat} (h : n ≤ 0) : n = 0 := Nat.le_antisymm h (zero_le n)
theorem lt_succ_iff {m n : Nat} : m < succ n ↔ m ≤ n := ⟨le_of_lt_succ, lt_succ_of_le⟩
theorem succ_le {n m : Nat} : succ n ≤ m ↔ n < m := Iff.rfl
theorem lt_iff_add_one_le {m n : Nat} : m < n ↔ m + 1 ≤ n := Iff.rfl
theorem zero_lt_of_lt {a : Nat} : {n : Nat} → a < n → 0 < n
  | 0, h => absurd h (not_lt_zero a)
  | n + 1, _ => zero_lt_succ n
@[simp] theorem succ_ne_zero (n : Nat) : succ n ≠ 0 := nofun
@[simp] theorem zero_lt_one : 0 < (1 : Nat) := zero_lt_succ 0

theorem le_add_right : (n k : Nat) → n ≤ n + k
  | n, 0 => Nat.le_refl n
  | n, k + 1 => le_succ_of_le (le_add_right n k)

theorem le_add_left (n m : Nat) : n ≤ m + n := Nat.add_comm n m ▸ le_add_right n m

protected theorem add_le_add_left {n m : Nat} (h : n ≤ m) (k : Nat) : k + n ≤ k + m := by
  induction h with
  | refl => exact Nat.le_refl _
  | step _ ih => exact le_succ_of_le ih

protected theorem add_le_add_right {n m : Nat} (h : n ≤ m) (k : Nat) : n + k ≤ m + k := by
  rw [Nat.add_comm n k, Nat.add_comm m k]; exact Nat.add_le_add_left h k

protected theorem add_le_add {a b c d : Nat} (h₁ : a ≤ b) (h₂ : c ≤ d) : a + c ≤ b + d :=
  Nat.le_trans (Nat.add_le_add_right h₁ c) (Nat.add_le_add_left h₂ b)

protected theorem add_lt_add_left {n m : Nat} (h : n < m) (k : Nat) : k + n < k + m :=
  Nat.add_le_add_left (n := succ n) h k

protected theorem mul_le_mul_left {m n : Nat} (k : Nat) (h : m ≤ n) : k * m ≤ k * n := by
  induction h with
  | refl => exact Nat.le_refl _
  | step _ ih => exact Nat.le_trans ih (le_add_right _ k)

@[simp] protected theorem sub_self : (n : Nat) → n - n = 0
  | 0 => rfl
  | n + 1 => (succ_sub_succ_eq_sub n n).trans (Nat.sub_self n)

theorem succ_sub_succ (n m : Nat) : succ n - succ m = n - m := succ_sub_succ_eq_sub n m

protected theorem add_sub_cancel (n : Nat) : (m : Nat) → n + m - m = n
  | 0 => rfl
  | m + 1 => (succ_sub_succ_eq_sub (n + m) m).trans (Nat.add_sub_cancel n m)

protected theorem add_sub_cancel_left (n m : Nat) : n + m - n = m := by
  rw [Nat.add_comm, Nat.add_sub_cancel]

protected theorem sub_eq_zero_of_le {n m : Nat} (h : n ≤ m) : n - m = 0 := by
  induction h with
  | refl => exact Nat.sub_self n
  | step _ ih => rw [sub_succ, ih]; rfl

protected theorem le_of_sub_eq_zero : {n m : Nat} → n - m = 0 → n ≤ m
  | _, 0, h => Nat.le_of_eq h
  | 0, m + 1, _ => zero_le (m + 1)
  | n + 1, m + 1, h => succ_le_succ (Nat.le_of_sub_eq_zero ((succ_sub_succ n m).symm.trans h))

theorem succ_pred_eq_of_pos : {n : Nat} → 0 < n → succ (pred n) = n
  | _ + 1, _ => rfl

theorem succ_sub {m n : Nat} (h : n ≤ m) : succ m - n = succ (m - n) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    have pos : 0 < m - n := Nat.pos_of_ne_zero fun h0 =>
      Nat.lt_irrefl n (Nat.lt_of_lt_of_le h (Nat.le_of_sub_eq_zero h0))
    rw [sub_succ, sub_succ, ih (Nat.le_of_lt h)]
    exact (succ_pred_eq_of_pos pos).symm

protected theorem add_sub_of_le {a b : Nat} (h : a ≤ b) : a + (b - a) = b := by
  induction h with
  | refl => rw [Nat.sub_self]; rfl
  | step h ih => exact (congrArg (a + ·) (succ_sub h)).trans (congrArg succ ih)

protected theorem sub_add_cancel {n m : Nat} (h : m ≤ n) : n - m + m = n := by
  rw [Nat.add_comm, Nat.add_sub_of_le h]

/-! ## Cancellation -/

@[simp] protected theorem add_left_cancel_iff {m k n : Nat} : n + m = n + k ↔ m = k :=
  ⟨Nat.add_left_cancel, fun h => h ▸ rfl⟩

@[simp] protected theorem add_right_cancel_iff {m k n : Nat} : m + n = k + n ↔ m = k :=
  ⟨Nat.add_right_cancel, fun h => h ▸ rfl⟩

protected theorem le_of_add_le_add_left {a b c : Nat} (h : a + b ≤ a + c) : b ≤ c := by
  induction a with
  | zero => rw [Nat.zero_add, Nat.zero_add] at h; exact h
  | succ a ih => rw [← succ_eq_add_one, succ_add, succ_add] at h; exact ih (le_of_succ_le_succ h)

@[simp] protected theorem add_le_add_iff_left {m k n : Nat} : n + m ≤ n + k ↔ m ≤ k :=
  ⟨Nat.le_of_add_le_add_left, fun h => Nat.add_le_add_left h n⟩

@[simp] protected theorem add_le_add_iff_right {m k n : Nat} : m + n ≤ k + n ↔ m ≤ k := by
  rw [Nat.add_comm m n, Nat.add_comm k n]; exact Nat.add_le_add_iff_left

@[simp] protected theorem add_lt_add_iff_left {k n m : Nat} : k + n < k + m ↔ n < m :=
  Nat.add_le_add_iff_left (m := n + 1)

@[simp] protected theorem add_lt_add_iff_right {k n m : Nat} : n + k < m + k ↔ n < m := by
  rw [Nat.add_comm n k, Nat.add_comm m k]; exact Nat.add_lt_add_iff_left

@[simp] protected theorem le_zero_eq (a : Nat) : (a ≤ 0) = (a = 0) :=
  propext ⟨eq_zero_of_le_zero, Nat.le_of_eq⟩

/-! ## What the simplifier's own procedures for `+` name

Each takes a literal away from both sides. -/

namespace Simproc

theorem add_eq_gt (a : Nat) {b c : Nat} (h : b > c) : (a + b = c) = False :=
  eq_false fun h' => Nat.lt_irrefl c (Nat.lt_of_lt_of_le h (h' ▸ le_add_left b a))

theorem eq_add_gt (a : Nat) {b c : Nat} (h : c > a) : (a = b + c) = False :=
  (propext Eq.comm).trans (add_eq_gt b h)

theorem add_eq_add_le (a c : Nat) {b d : Nat} (h : b ≤ d) : (a + b = c + d) = (a = c + (d - b)) := by
  rw [← propext (Nat.add_right_cancel_iff (n := b) (m := a)), Nat.add_assoc, Nat.sub_add_cancel h]

theorem add_eq_add_ge (a c : Nat) {b d : Nat} (h : b ≥ d) : (a + b = c + d) = (a + (b - d) = c) := by
  rw [← propext (Nat.add_right_cancel_iff (n := d) (k := c)), Nat.add_assoc, Nat.sub_add_cancel h]

theorem add_eq_le (a : Nat) {b c : Nat} (h : b ≤ c) : (a + b = c) = (a = c - b) := by
  rw [← propext (Nat.add_right_cancel_iff (n := b) (m := a)), Nat.sub_add_cancel h]

theorem eq_add_le {a : Nat} (b : Nat) {c : Nat} (h : c ≤ a) : (a = b + c) = (b = a - c) :=
  (propext Eq.comm).trans (add_eq_le b h)

theorem add_le_add_le (a c : Nat) {b d : Nat} (h : b ≤ d) : (a + b ≤ c + d) = (a ≤ c + (d - b)) := by
  rw [← propext (Nat.add_le_add_iff_right (n := b) (m := a)), Nat.add_assoc, Nat.sub_add_cancel h]

theorem add_le_add_ge (a c : Nat) {b d : Nat} (h : b ≥ d) : (a + b ≤ c + d) = (a + (b - d) ≤ c) := by
  rw [← propext (Nat.add_le_add_iff_right (n := d) (k := c)), Nat.add_assoc, Nat.sub_add_cancel h]

theorem add_le_le (a : Nat) {b c : Nat} (h : b ≤ c) : (a + b ≤ c) = (a ≤ c - b) := by
  rw [← propext (Nat.add_le_add_iff_right (n := b) (m := a)), Nat.sub_add_cancel h]

theorem add_le_gt (a : Nat) {b c : Nat} (h : b > c) : (a + b ≤ c) = False :=
  eq_false fun h' => Nat.lt_irrefl c (Nat.lt_of_lt_of_le h (Nat.le_trans (le_add_left b a) h'))

theorem le_add_le (a : Nat) {b c : Nat} (h : a ≤ c) : (a ≤ b + c) = True :=
  eq_true (Nat.le_trans h (le_add_left c b))

theorem le_add_ge {a : Nat} (b : Nat) {c : Nat} (h : a ≥ c) : (a ≤ b + c) = (a - c ≤ b) := by
  rw [← propext (Nat.add_le_add_iff_right (n := c) (k := b)), Nat.sub_add_cancel h]

theorem add_lt_lt (a : Nat) {b c : Nat} (h : b < c) : (a + b < c) = (a < c - b) := by
  rw [← propext (Nat.add_lt_add_iff_right (k := b) (n := a)), Nat.sub_add_cancel (Nat.le_of_lt h)]

theorem add_lt_ge (a : Nat) {b c : Nat} (h : b ≥ c) : (a + b < c) = False :=
  eq_false fun h' => Nat.lt_irrefl c (Nat.lt_of_le_of_lt (Nat.le_trans h (le_add_left b a)) h')

theorem lt_add_ge {a : Nat} (b : Nat) {c : Nat} (h : a ≥ c) : (a < b + c) = (a - c < b) := by
  rw [← propext (Nat.add_lt_add_iff_right (k := c) (m := b)), Nat.sub_add_cancel h]

theorem add_lt_add_le (a c : Nat) {b d : Nat} (h : b ≤ d) : (a + b < c + d) = (a < c + (d - b)) := by
  rw [← propext (Nat.add_lt_add_iff_right (k := b) (n := a)), Nat.add_assoc, Nat.sub_add_cancel h]

theorem add_lt_add_ge (a c : Nat) {b d : Nat} (h : b ≥ d) : (a + b < c + d) = (a + (b - d) < c) := by
  rw [← propext (Nat.add_lt_add_iff_right (k := d) (m := c)), Nat.add_assoc, Nat.sub_add_cancel h]

end Simproc

end Nat
