/-! Variants of the tactics: places, patterns, equations, blocks. -/

universe u
variable {p q r : Prop} {α : Type u}

example (a b c : Nat) (h : a = b) (h' : a = c) : b = c := by
  rw [h] at *
  exact h'
example (a b : Nat) (h : a + 0 = b) (h' : b = 3) : a = 3 := by
  simp only [Nat.add_zero, h'] at h ⊢
  exact h
example (a b : Nat) (h : a = b) : b = a := by simp [← h]
example (a b : Nat) (h : a = b) (h' : b = 3) : a = 3 := by simp [*]
example (f : Nat → Nat) (h : ∀ n, f n = n) (h' : f 2 = 3) : False := by
  simp [h] at h'
def dbl (n : Nat) : Nat := n + n
example (n : Nat) : dbl n = n + n := by dsimp only [dbl]
example (n : Nat) (h : dbl n = 3) : n + n = 3 := by simp only [dbl] at h; exact h
example (a b c : Nat) (h : b = a) (h' : a = c) : b = c := by subst_vars; rfl
example (a b : Nat) (h : some a = some b) : a = b := by injections
example (a b : Nat) (l m : List Nat) (h : a :: l = b :: m) : l = m := by
  injection h
example (a b : Nat) (h : a = b) : b = a := by
  rcases h with rfl
  rfl
example (a b : Nat) (h : a = b) : b = a := by
  obtain rfl := h
  rfl
example : ∃ n : Nat, n = 2 := by
  obtain ⟨n, hn⟩ : ∃ n : Nat, n = 2 := ⟨2, rfl⟩
  exact ⟨n, hn⟩
example (h : p ∧ q) : q := by
  match h with
  | ⟨_, hq⟩ => exact hq
example : p ∧ q → q := by
  intro ⟨_, hq⟩
  exact hq
example : ∀ n : Nat, n = 0 ∨ 0 < n := by
  intro
  | 0 => exact .inl rfl
  | n + 1 => exact .inr (Nat.zero_lt_succ n)
example (o : Option Nat) : o = none ∨ ∃ n, o = some n := by
  cases h : o with
  | none => exact .inl rfl
  | some n => exact .inr ⟨n, rfl⟩
example (a b : Nat) : a + b = b + a := by
  generalize h : a + b = c
  rw [← h, Nat.add_comm]
example (n : Nat) (h : (if n = 0 then 1 else 2) = 1) : n = 0 := by
  split at h
  · assumption
  · contradiction
example (n : Nat) (f : Nat → Nat) (h : f (n + 0) = 3) : f n = 3 := by
  conv at h =>
    lhs
    arg 1
    rw [Nat.add_zero]
  exact h
example (f : Nat → Nat → Nat) (a b : Nat) (h : a = b) : f a (f a a) = f a (f b a) := by
  conv in f a a => rw [h]
  rw [h]
example (f : Nat → Nat) (h : ∀ x, f x = x) : (fun x => f x) = id := by
  conv => lhs; ext x; rw [h]
  rfl
example : p → q → p ∧ q := by
  intro hp hq
  constructor
  case' left => skip
  case right => exact hq
  case left => exact hp
example : p → q → p ∧ q := by
  intros
  constructor
  next hp _ => exact hp
  next _ hq => exact hq
example : ∃ a b : Nat, a + b = 5 := by exists 2, 3
example (n : Nat) : n = n := by
  induction n using Nat.rec with
  | zero => rfl
  | succ n _ => rfl
example : p ∨ ¬p := by
  classical
  exact Decidable.em p
example (hp : p) : p := by
  fail_if_success contradiction
  exact hp
example (h : p ∧ q) : q ∧ p := by
  have ⟨hp, hq⟩ := h
  exact ⟨hq, hp⟩
example (f : Nat → Nat) (x : Nat) (h : ∀ y, f y = 0) : f x = 0 := by
  have := h x
  simpa using this
example (f : Nat → Nat) (x : Nat) (h : f (x + 0) = 0) : f x = 0 := by
  simpa only [Nat.add_zero] using h
example (a b : Nat) (h : a = b) : a = b := by
  set_option maxRecDepth 300 in exact h
namespace Open
theorem here : True := trivial
end Open
example : True := by
  open Open in exact here
example : (2 : Nat) = 2 ∧ True := by
  refine ⟨?first, ?second⟩
  case first => rfl
  case second => trivial
example (a b c : Nat) (h : a ≤ b) (h' : b < c) : a < c := calc
  a ≤ b := h
  _ < c := h'
example (hpq : p ↔ q) (hqr : q ↔ r) : p ↔ r := calc
  p ↔ q := hpq
  _ ↔ r := hqr
example (hpq : p ↔ q) (hp : p) : q := by
  rw [hpq] at hp
  exact hp
example (h : p ↔ q) : (p ∧ r) = (q ∧ r) := by rw [h]
example (n : Nat) : 0 + n = n := by
  rw [show 0 + n = n from Nat.zero_add n]
example (f : Nat → Nat) (h : ∀ n, f n = n + 1) : f 1 = 2 ∧ f 2 = 3 := by
  and_intros <;> rw [h]
example (f g : Nat → Nat) (h : ∀ x, f x = g x) (a : Nat) : f a = g a := by
  let rec go : (n : Nat) → f n = g n := h
  exact go a
example (i : Fin 0) : False := by cases i with | mk i h => exact Nat.not_lt_zero i h
example (i : Fin 0) : False := i.elim0
example (x y : Nat) (h : (x, y) = (1, 2)) : x = 1 := by
  simp only [Prod.mk.injEq] at h
  exact h.1
example : (fun n : Nat => n + 0) = fun n => n := by
  funext n
  rw [Nat.add_zero]
example (s : Nat) (h : s = 2 ∨ s = 3) : s ≤ 3 := by
  rcases h with h | h <;> subst h <;> decide
example (h : ∀ n : Nat, n = 0) : False := by
  have := h 1
  contradiction
example (hp : p) : p := by
  trace_state
  exact hp
section
variable [Add α]
omit [Add α] in
theorem omitted (a : α) : a = a := rfl
end
