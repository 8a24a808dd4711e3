/-! Each tactic, at least once. -/

universe u
variable {p q r : Prop} {α : Type u}

example (hp : p) : p := by exact hp
example : p → q → p := by intro hp _; exact hp
example : p → q → p := by intros hp hq; exact hp
example (h : p → q) (hp : p) : q := by apply h; exact hp
example (h : p → q) (hp : p) : q := by refine h ?_; exact hp
example (hp : p) (hq : q) : p ∧ q := by refine ⟨?_, ?_⟩ <;> assumption
example (hp : p) (hq : q) : p ∧ q := by
  constructor
  · exact hp
  · exact hq
example (hp : p) (hq : q) : p ∧ q := by
  constructor
  case left => exact hp
  case right => exact hq
example (hp : p) (hq : q) : p ∧ q := by
  constructor
  next => exact hp
  next => exact hq
example (hp : p) (hq : q) : p ∧ q := by
  constructor
  all_goals assumption
example (hp : p) : p ∨ q := by left; exact hp
example (hq : q) : p ∨ q := by right; exact hq
example : ∃ n : Nat, n = 3 := by exists 3
example : ∃ n : Nat, n = 3 := ⟨_, rfl⟩
example (h : False) : p := by exfalso; exact h
example (h : False) : p := by contradiction
example (hp : p) (hn : ¬p) : q := by contradiction
example (n : Nat) (h : n + 1 = 0) : p := by contradiction
example (a : α) : a = a := by rfl
example (a b : α) (h : a = b) : b = a := by rw [h]
example (a b : α) (h : a = b) : b = a := by rewrite [h]; rfl
example (a b c : α) (h : a = b) (h' : b = c) : a = c := by rw [h, ← h']
example (a b : Nat) (h : a = b) (h' : a + 0 = 3) : b = 3 := by rw [h] at h'; exact h'
example (a b : Nat) (h : a = b) (h' : a = 3) (h'' : a = 4) : b = 3 ∧ b = 4 := by
  rw [h] at h' h''; exact ⟨h', h''⟩
example (a b : α) (h : a = b) : b = a := by simp only [h]
example (a : Nat) : a + 0 = a := by simp only [Nat.add_zero]
example (a : Nat) (h : a + 0 = 3) : a = 3 := by simp only [Nat.add_zero] at h; exact h
example (f : Nat → Nat) (h : ∀ n, f n = n) : f (f 2) = 2 := by simp only [h]
example (f : Nat → Nat) (h : ∀ n, 0 < n → f n = n) (m : Nat) (hm : 0 < m) : f m = m := by
  simp (disch := assumption) only [h]
example (hp : p) : p ∧ True := by simp [hp]
example (h : p ∧ q) : q ∧ p := by simp_all
example (a b : Nat) (h : a = b) (h' : b = 2) : a = 2 := by simp_all
example (f : Nat → Nat) : (fun x => f x) 2 = f 2 := by dsimp
example (f : Nat → Nat) : (fun x => f x) 2 = f 2 := by dsimp only
def twice (n : Nat) : Nat := n + n
example : twice 2 = 4 := by unfold twice; rfl
example : twice 2 = 4 := by delta twice; rfl
example (h : twice 2 = 4) : 2 + 2 = 4 := by unfold twice at h; exact h
example (n : Nat) : twice n = n + n := by simp only [twice]
example (a b : Nat) (h : a = b) : b = a := by subst h; rfl
example (a b : Nat) (h : a.succ = b.succ) : a = b := by injection h
example (a b : Nat) (h : a.succ = b.succ) : b = a := by injection h with h'; exact h'.symm
example (f g : Nat → Nat) (h : ∀ x, f x = g x) : f = g := by funext x; exact h x
example (f : Nat → Nat → Nat) : (fun x y => f x y) = f := by funext x y; rfl
example (f : Nat → Nat) (a b : Nat) (h : a = b) : f a = f b := by congr
example (f : Nat → Nat → Nat) (a b c d : Nat) (h : a = b) (h' : c = d) : f a c = f b d := by
  congr
example (hp : p) : p := by first | contradiction | exact hp
example (hp : p) : p := by try contradiction
                           exact hp
example (h : p ∧ p ∧ p ∧ p) : p ∧ p ∧ p ∧ p := by
  repeat (first | assumption | constructor)
example (hp : p) (hq : q) : p ∧ q := by
  constructor
  any_goals assumption
example (h : p ∨ q) : q ∨ p := by
  cases h with
  | inl h => exact .inr h
  | inr h => exact .inl h
example (h : p ∨ q) : q ∨ p := by
  cases h
  · right; assumption
  · left; assumption
example (h : ∃ n : Nat, n = 3 ∧ p) : p := by
  cases h with
  | intro n h => exact h.2
example (h : ∃ n : Nat, n = 3 ∧ p) : p := by
  obtain ⟨n, _, hp⟩ := h
  exact hp
example (h : (p ∧ q) ∨ r) : r ∨ q := by
  rcases h with ⟨hp, hq⟩ | hr
  · exact .inr hq
  · exact .inl hr
example : p ∧ q → q := by
  rintro ⟨_, hq⟩
  exact hq
example (n : Nat) : n + 0 = n := by show n = n; rfl
example (n : Nat) : n + 0 = n := by change n = n; rfl
example (n : Nat) (h : n + 0 = 2) : n = 2 := by change n = 2 at h; exact h
example (hp : p) (f : p → q) : q := by
  have hq : q := f hp
  exact hq
example (hp : p) (f : p → q) : q := by
  have hq := f hp
  exact hq
example (hp : p) (f : p → q) : q := by
  have : q := by
    apply f
    exact hp
  exact this
example (hp : p) (f : p → q) : q := by
  suffices hp' : p from f hp'
  exact hp
example : ∃ n : Nat, n * 2 = 6 := by
  let n := 3
  exact ⟨n, rfl⟩
example (h : p ∧ q) : q := by
  let ⟨_, hq⟩ := h
  exact hq
example (h : ∀ n : Nat, n = n → p) : p := by
  specialize h 3 rfl
  exact h
example (h : p) (f : p → q) : q := by
  replace h := f h
  exact h
example : ∀ x y : Nat, x = y → y = x := by
  intro x y
  intro
  rename_i h
  exact h.symm
example (a b : Nat) (h : a + b = 3) : (a + b) * 2 = 6 := by
  generalize a + b = c at h
  subst h; rfl
example (n : Nat) : (if n = 0 then 1 else 1) = 1 := by
  split
  · rfl
  · rfl
example (o : Option Nat) : (match o with | none => 0 | some _ => 0) = 0 := by
  split <;> rfl
example (a b c : Nat) (h₁ : a = b) (h₂ : b = c) : a = c := by
  calc
    a = b := h₁
    _ = c := h₂
example (a b c : Nat) (h₁ : a ≤ b) (h₂ : b = c) : a ≤ c := calc
  a ≤ b := h₁
  _ = c := h₂
example (a b c : Nat) (h₁ : a ≤ b) (h₂ : b ≤ c) : a ≤ c := calc
  a ≤ b := h₁
  _ ≤ c := h₂
example (a b c : Nat) (h : a = b) (h' : b + c = 3) : a + c = 3 := by
  conv => lhs; rw [h]
  exact h'
example (a b : Nat) (h : a = b) : b = a + 0 := by
  conv =>
    rhs
    rw [h]
  rfl
example (f : Nat → Nat → Nat) (a b : Nat) (h : a = b) : f a a = f b a := by
  conv =>
    lhs
    arg 1
    rw [h]
example : 2 + 2 = 4 ∧ ¬ 2 = 3 ∧ (1 ≤ 2 ∨ False) := by decide
example (h : 2 = 3) : p := by nomatch h
example : ¬ 2 = 3 := by nofun
example (h : ¬True) : p := by exact absurd trivial h
example (p : Nat → Prop) (h : ∀ n, p n) (h' : ∀ n, p n → p (n + 1)) : p 2 := by
  apply h'
  refine h' _ ?_
  exact h 0
example : (fun (p : Nat × Nat) => (p.1, p.2)) = id := by
  ext ⟨a, b⟩
  · rfl
  · rfl
example (f g : Nat → Nat) (h : ∀ x, f x = g x) : f = g := by
  ext x
  exact h x
example (p : Prop) : p ∨ ¬p := by
  by_cases h : p
  · exact .inl h
  · exact .inr h
example (x y : Nat) (h : x + 2 = y + 2) : x = y := by simp at h; exact h
example (x : Nat) : x + 2 ≤ x + 5 := by simp
example (n : Nat) (h : n + 1 = 0) : False := by simp at h
example (f : Nat → Nat) (a b : Nat) (h : a = b) : f a = f b := by rw (occs := .pos [1]) [h]
example (x : Nat) : x = 2 → x = 2 ∧ True := by simp +contextual
example : 2 + 2 = 4 := by decide +kernel
example (h : 1 ∈ [2, 1]) : 1 ∈ [2, 1] := by
  cases h with
  | tail _ h => exact .tail _ h
example (f : Nat → Nat) (h : ∀ n, f n = n) : f (f (f 1)) = 1 := by
  repeat rw [h]
example (x : Nat) : x = x := by
  induction x with
  | zero | succ => rfl
example (x y : Nat) : x + y = y + x := by
  induction x generalizing y with
  | zero => rw [Nat.zero_add, Nat.add_zero]
  | succ x ih => rw [Nat.succ_add, ih, Nat.add_succ]
example (hp : p) : p := by
  skip
  (exact hp)
  done
example (hp : p) (hq : q) : q ∧ p := by
  constructor
  rotate_left
  · exact hp
  · exact hq
example (hp : p) : p := by with_reducible exact hp
example (h : p) : True ∧ p := by
  refine ⟨trivial, ?_⟩
  assumption
example (n : Nat) (h : n ≠ n) : p := by contradiction
example : True := by trivial
example (h : p) : p := by revert h; intro h; exact h
example (h : p) (_h' : q) : p := by clear _h'; exact h
example (a b : Nat) (h : a = b) : b = a := by symm; exact h
set_option maxRecDepth 200 in
example (a : Nat) : a = a := by rfl
