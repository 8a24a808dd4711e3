import NetTies.Foundation.Algebra
import NetTies.Foundation.Index

/-! # Vectors, finite sums, the Kronecker delta and the dot product

`Vec R n` has `n` entries in `R`. The laws of finite sums are those that gradients need: linearity,
the exchange of two sums, the sum over a flattened batch, and the evaluation of a sum against a
Kronecker delta. `u ⬝ v` is the dot product; two maps are adjoint when they can be moved from one
side of it to the other, and that is how all backward functions of the project are certified.

Answers: the `∑ pdiv` readings of both batched ties. -/

namespace NetTies

variable {R S : Type} {m n k B : Nat}

/-- A vector with `n` entries. -/
abbrev Vec (S : Type) (n : Nat) : Type := Idx n → S

/-- A matrix with `m` rows and `n` columns. -/
abbrev Mat (S : Type) (m n : Nat) : Type := Idx m → Idx n → S

/-- Vectors are added entry by entry. -/
instance [Add S] : Add (Idx n → S) where
  add x y i := x i + y i

/-- The zero vector. -/
instance [Zero S] : Zero (Idx n → S) where
  zero _ := 0

theorem vec_add_apply [Add S] (x y : Vec S n) (i : Idx n) : (x + y) i = x i + y i := rfl

theorem vec_zero_apply [Zero S] (i : Idx n) : (0 : Vec S n) i = 0 := rfl

variable [CommRing R]

theorem vec_add_assoc (x y z : Vec R n) : x + y + z = x + (y + z) :=
  funext fun i => add_assoc (x i) (y i) (z i)

theorem vec_add_comm (x y : Vec R n) : x + y = y + x := funext fun i => add_comm (x i) (y i)

theorem vec_add_zero (x : Vec R n) : x + 0 = x := funext fun i => add_zero (x i)

theorem vec_zero_add (x : Vec R n) : 0 + x = x := funext fun i => zero_add (x i)

/-! ## Sums -/

/-- The sum of the entries of a vector. -/
def sum : {n : Nat} → Vec R n → R
  | 0, _ => 0
  | _ + 1, f => f .zero + sum fun i => f (.succ i)

/-- `∑ i, f i` is the sum of the entries `f i`. -/
scoped syntax:67 "∑ " ident optional(" : " term) ", " term:67 : term
scoped macro_rules
  | `(∑ $i:ident, $b) => `(sum fun $i => $b)
  | `(∑ $i:ident : $t, $b) => `(sum fun $i : $t => $b)

/-- Sums are printed as they are written. -/
@[scoped app_unexpander sum] def unexpandSum : Lean.PrettyPrinter.Unexpander
  | `($_ fun $i:ident => $b) => `(∑ $i:ident, $b)
  | _ => throw ()

theorem sum_succ (f : Vec R (n + 1)) : ∑ i, f i = f .zero + ∑ i, f (.succ i) := rfl

theorem sum_congr {f g : Vec R n} (h : ∀ i, f i = g i) : ∑ i, f i = ∑ i, g i :=
  congrArg sum (funext h)

theorem sum_zero : {n : Nat} → ∑ _i : Idx n, (0 : R) = 0
  | 0 => rfl
  | n + 1 => (zero_add _).trans (sum_zero (n := n))

theorem sum_add : {n : Nat} → (f g : Vec R n) → ∑ i, (f i + g i) = ∑ i, f i + ∑ i, g i
  | 0, _, _ => (add_zero 0).symm
  | _ + 1, f, g => by
    rw [sum_succ, sum_succ, sum_succ, sum_add (fun i => f (.succ i)) fun i => g (.succ i),
      add_add_add_comm]

theorem mul_sum (c : R) : {n : Nat} → (f : Vec R n) → c * (∑ i, f i) = ∑ i, c * f i
  | 0, _ => mul_zero c
  | _ + 1, f => by rw [sum_succ, sum_succ, mul_add, mul_sum c fun i => f (.succ i)]

theorem sum_mul (f : Vec R n) (c : R) : (∑ i, f i) * c = ∑ i, f i * c := by
  rw [mul_comm, mul_sum]
  exact sum_congr fun i => mul_comm c (f i)

theorem sum_neg : {n : Nat} → (f : Vec R n) → ∑ i, -f i = -(∑ i, f i)
  | 0, _ => neg_zero.symm
  | _ + 1, f => by rw [sum_succ, sum_succ, sum_neg fun i => f (.succ i), neg_add]

theorem sum_sub (f g : Vec R n) : ∑ i, (f i - g i) = ∑ i, f i - ∑ i, g i :=
  (sum_add f fun i => -g i).trans (congrArg (fun s => ∑ i, f i + s) (sum_neg g))

theorem sum_comm : {m n : Nat} → (f : Mat R m n) → ∑ i, ∑ j, f i j = ∑ j, ∑ i, f i j
  | 0, _, _ => sum_zero.symm
  | _ + 1, _, f =>
    (congrArg (fun s => ∑ j, f .zero j + s) (sum_comm fun i j => f (.succ i) j)).trans
      (sum_add (f .zero) fun j => ∑ i, f (.succ i) j).symm

/-- A sum over two blocks side by side. -/
theorem sum_split : {n : Nat} → (f : Vec R (m + n)) →
    ∑ i, f i = ∑ i, f (.inl i) + ∑ j, f (.inr j)
  | 0, _ => (add_zero _).symm
  | n + 1, f => by
    show f .zero + ∑ i : Idx (m + n), f (.succ i) = _ + (f .zero + ∑ j : Idx n, f (.succ (.inr j)))
    rw [sum_split fun i : Idx (m + n) => f (.succ i), add_left_comm]
    rfl

/-- A sum over a batch is the sum over its examples of the sums over their entries. -/
theorem sum_pair : {n : Nat} → (f : Vec R (B * n)) →
    ∑ i, f i = ∑ b : Idx B, ∑ j : Idx n, f (.pair b j)
  | 0, _ => sum_zero.symm
  | n + 1, f =>
    ((sum_split (m := B * n) f).trans
      (congrArg (fun s => s + ∑ b : Idx B, f (.inr b)) (sum_pair fun i => f (.inl i)))).trans
      ((add_comm _ _).trans (sum_add (fun b => f (.inr b)) fun b => ∑ j, f (.inl (.pair b j))).symm)

/-! ## The Kronecker delta -/

/-- One on the diagonal, zero elsewhere. -/
def delta : {n : Nat} → Idx n → Idx n → R
  | _, .zero, .zero => 1
  | _, .zero, .succ _ => 0
  | _, .succ _, .zero => 0
  | _, .succ i, .succ j => delta i j

theorem delta_comm : {n : Nat} → (i j : Idx n) → delta (R := R) i j = delta j i
  | _, .zero, .zero => rfl
  | _, .zero, .succ _ => rfl
  | _, .succ _, .zero => rfl
  | _, .succ i, .succ j => delta_comm i j

theorem sum_delta_mul : {n : Nat} → (i : Idx n) → (f : Vec R n) → ∑ j, delta i j * f j = f i
  | _, .zero, f => by
    show 1 * f .zero + ∑ j, 0 * f (.succ j) = f .zero
    rw [one_mul, sum_congr fun j => zero_mul (f (.succ j)), sum_zero, add_zero]
  | _, .succ i, f => by
    show 0 * f .zero + ∑ j, delta i j * f (.succ j) = f (.succ i)
    rw [zero_mul, zero_add, sum_delta_mul i fun j => f (.succ j)]

theorem sum_mul_delta (j : Idx n) (f : Vec R n) : ∑ i, f i * delta i j = f j :=
  (sum_congr fun i => (mul_comm (f i) (delta i j)).trans
    (congrArg (fun e => e * f i) (delta_comm i j))).trans (sum_delta_mul j f)

theorem delta_inl : {n : Nat} → (i j : Idx m) →
    delta (R := R) (Idx.inl (n := n) i) (.inl j) = delta i j
  | 0, _, _ => rfl
  | n + 1, i, j => delta_inl (n := n) i j

theorem delta_inr : {n : Nat} → (i j : Idx n) →
    delta (R := R) (Idx.inr (m := m) i) (.inr j) = delta i j
  | _, .zero, .zero => rfl
  | _, .zero, .succ _ => rfl
  | _, .succ _, .zero => rfl
  | _, .succ i, .succ j => delta_inr i j

theorem delta_inl_inr (i : Idx m) : {n : Nat} → (j : Idx n) →
    delta (R := R) (Idx.inl i) (.inr j) = 0
  | _, .zero => rfl
  | _, .succ j => delta_inl_inr i j

/-- The delta of two positions of a batch is the product of the deltas of example and entry. -/
theorem delta_pair (b c : Idx B) : {n : Nat} → (i j : Idx n) →
    delta (R := R) (.pair b i) (.pair c j) = delta b c * delta i j
  | _, .zero, .zero => (delta_inr b c).trans (mul_one _).symm
  | _, .zero, .succ j =>
    (delta_comm _ _).trans ((delta_inl_inr (.pair c j) b).trans (mul_zero _).symm)
  | _, .succ i, .zero => (delta_inl_inr (.pair b i) c).trans (mul_zero _).symm
  | _, .succ i, .succ j => (delta_inl _ _).trans (delta_pair b c i j)

/-! ## The dot product -/

/-- The dot product of two vectors. -/
def dot (u v : Vec R n) : R := ∑ i, u i * v i

@[inherit_doc] scoped infixl:68 " ⬝ " => dot

theorem dot_comm (u v : Vec R n) : u ⬝ v = v ⬝ u := sum_congr fun i => mul_comm (u i) (v i)

theorem dot_add (u v w : Vec R n) : u ⬝ (v + w) = u ⬝ v + u ⬝ w :=
  (sum_congr fun i => mul_add (u i) (v i) (w i)).trans
    (sum_add (fun i => u i * v i) fun i => u i * w i)

theorem add_dot (u v w : Vec R n) : (u + v) ⬝ w = u ⬝ w + v ⬝ w := by
  rw [dot_comm, dot_add, dot_comm w u, dot_comm w v]

theorem dot_zero (u : Vec R n) : u ⬝ 0 = 0 := (sum_congr fun i => mul_zero (u i)).trans sum_zero

theorem zero_dot (u : Vec R n) : 0 ⬝ u = 0 := (dot_comm 0 u).trans (dot_zero u)

theorem delta_dot (i : Idx n) (u : Vec R n) : delta i ⬝ u = u i := sum_delta_mul i u

theorem dot_delta (u : Vec R n) (i : Idx n) : u ⬝ delta i = u i := (dot_comm u _).trans (delta_dot i u)

/-- Vectors with the same dot products are equal. -/
theorem vec_ext_dot {u v : Vec R n} (h : ∀ w, w ⬝ u = w ⬝ v) : u = v :=
  funext fun i => (delta_dot i u).symm.trans ((h (delta i)).trans (delta_dot i v))

/-- `D` and `back` are adjoint: a change along `v` meets the cotangent `dy` after `D` as it meets
`back dy` before. -/
def Adjoint (D : Vec R m → Vec R n) (back : Vec R n → Vec R m) : Prop :=
  ∀ v dy, D v ⬝ dy = v ⬝ back dy

/-- A map with an adjoint is the linear map of its values on the deltas. -/
theorem Adjoint.eq_sum {D : Vec R m → Vec R n} {back : Vec R n → Vec R m} (h : Adjoint D back)
    (v : Vec R m) (j : Idx n) : D v j = ∑ i, v i * D (delta i) j := by
  rw [← dot_delta (D v) j, h]
  exact sum_congr fun i => by rw [← delta_dot i (back (delta j)), ← h, dot_delta]

/-- The adjoint, entry by entry. -/
theorem Adjoint.back_eq_sum {D : Vec R m → Vec R n} {back : Vec R n → Vec R m} (h : Adjoint D back)
    (dy : Vec R n) (i : Idx m) : back dy i = ∑ j, D (delta i) j * dy j :=
  (delta_dot i (back dy)).symm.trans (h (delta i) dy).symm

/-- A map has at most one adjoint. -/
theorem Adjoint.unique {D : Vec R m → Vec R n} {b b' : Vec R n → Vec R m} (h : Adjoint D b)
    (h' : Adjoint D b') (dy : Vec R n) : b dy = b' dy :=
  vec_ext_dot fun v => (h v dy).symm.trans (h' v dy)

theorem Adjoint.comp {D : Vec R m → Vec R n} {b : Vec R n → Vec R m} {E : Vec R n → Vec R k}
    {c : Vec R k → Vec R n} (h : Adjoint D b) (h' : Adjoint E c) :
    Adjoint (fun v => E (D v)) fun dy => b (c dy) := fun v dy => (h' (D v) dy).trans (h v (c dy))

end NetTies
