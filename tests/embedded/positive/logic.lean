/-! Connectives, quantifiers, equality, in terms and with their symbols. -/

universe u v

variable {p q r : Prop} {α : Type u} {β : Type v}

theorem swap (h : p ∧ q) : q ∧ p := ⟨h.2, h.1⟩

theorem or_swap : p ∨ q → q ∨ p
  | .inl h => .inr h
  | .inr h => .inl h

theorem swap_iff : p ∧ q ↔ q ∧ p := ⟨swap, swap⟩

theorem contra (h : p → q) (hn : ¬q) : ¬p := fun hp => hn (h hp)

theorem ascii (h : p /\ q) : p \/ q := Or.inl h.left

theorem two : ∃ x y : Nat, x ≠ y := ⟨0, 1, nofun⟩

theorem typed : ∃ (n : Nat) (b : Bool), n = 2 ∧ b = true := ⟨2, true, rfl, rfl⟩

theorem one_binder : ∃ (T : Type), T = Nat := ⟨Nat, rfl⟩

theorem use_exists (f : Nat → Prop) : (∃ n, f n) → ¬∀ n, ¬f n := fun ⟨n, hn⟩ h => h n hn

theorem chain {a b c : α} (h₁ : a = b) (h₂ : c = b) : a = c := h₁.trans h₂.symm

theorem rewrite_term {a b : α} (P : α → Prop) (h : a = b) (ha : P a) : P b := h ▸ ha

theorem apply_same (f : α → β) {a b : α} (h : a = b) : f a = f b := congrArg f h

theorem pointwise (f g : α → β) (h : ∀ x, f x = g x) : f = g := funext h

theorem ext_prop (h : p ↔ q) : p = q := propext h

theorem heq_same (a : α) : a ≍ a := HEq.rfl

theorem from_false (h : False) : p := h.elim

theorem nothing (h : p) (hn : ¬p) : q := absurd h hn

theorem arrows : (p → q → r) ↔ (p ∧ q → r) := ⟨fun f h => f h.1 h.2, fun f hp hq => f ⟨hp, hq⟩⟩

theorem dep : ∀ h : p, (fun _ : p => True) h := fun _ => trivial

example : (p ↔ p) := Iff.rfl
example (h : p <-> q) : q <-> p := h.symm
example : (fun x : Nat => x) = id := rfl
example : (id ∘ id : Nat → Nat) = id := rfl
example (f : α → β) : f ∘ id = f := rfl
example : Function.const Nat true 3 = true := rfl
example (hp : p) (hq : q) : p ∧ q := And.intro hp hq
example (h : p ∧ q ∧ r) : r := h.2.2
example (h : p ∧ q) : q := let ⟨_, hq⟩ := h; hq
example (h : p ∧ q) : q := have ⟨_, hq⟩ := h; hq
example (h : p) : p ∨ q := show p ∨ q from Or.inl h
example (h : p) : p ∨ q := suffices h' : p from Or.inl h'; h
example (h : p ∧ q) : q ∧ p := by exact And.symm h

/-- Choice is one of the three axioms. -/
noncomputable def pick (α : Type u) [Nonempty α] : α := Classical.choice inferInstance
