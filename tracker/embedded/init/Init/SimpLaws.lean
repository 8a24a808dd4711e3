prelude
import Init.Core
import Init.Tactics

/-! # Laws that `simp` uses

The propositional laws of `simp`, and the facts about conditionals that the `split` tactic and the
simplifier's own procedures name. -/

universe u v

@[simp] theorem eq_self {α : Sort u} (a : α) : (a = a) = True := eq_true rfl
@[simp] theorem ne_eq {α : Sort u} (a b : α) : (a ≠ b) = ¬(a = b) := rfl
@[simp] theorem heq_eq_eq {α : Sort u} (a b : α) : (a ≍ b) = (a = b) := propext ⟨eq_of_heq, heq_of_eq⟩

attribute [simp] cast_heq beq_iff_eq ge_iff_le gt_iff_lt
attribute [ext] Prod PProd Sigma PSigma
attribute [ext] funext propext Subtype.eq Fin.ext

/-! ## Connectives -/

@[simp] theorem and_true (p : Prop) : (p ∧ True) = p := propext ⟨(·.1), fun h => ⟨h, trivial⟩⟩
@[simp] theorem true_and (p : Prop) : (True ∧ p) = p := propext ⟨(·.2), fun h => ⟨trivial, h⟩⟩
@[simp] theorem and_false (p : Prop) : (p ∧ False) = False := eq_false (·.2)
@[simp] theorem false_and (p : Prop) : (False ∧ p) = False := eq_false (·.1)
@[simp] theorem and_self (p : Prop) : (p ∧ p) = p := propext ⟨(·.1), fun h => ⟨h, h⟩⟩
@[simp] theorem and_not_self {a : Prop} : ¬(a ∧ ¬a) := fun h => h.2 h.1
@[simp] theorem not_and_self {a : Prop} : ¬(¬a ∧ a) := fun h => h.1 h.2
@[simp] theorem and_imp {a b c : Prop} : (a ∧ b → c) ↔ (a → b → c) :=
  ⟨fun h ha hb => h ⟨ha, hb⟩, fun h h' => h h'.1 h'.2⟩
@[simp] theorem not_and {a b : Prop} : ¬(a ∧ b) ↔ (a → ¬b) := and_imp
@[simp] theorem or_true (p : Prop) : (p ∨ True) = True := eq_true (.inr trivial)
@[simp] theorem true_or (p : Prop) : (True ∨ p) = True := eq_true (.inl trivial)
@[simp] theorem or_false (p : Prop) : (p ∨ False) = p := propext ⟨fun h => h.elim id False.elim, .inl⟩
@[simp] theorem false_or (p : Prop) : (False ∨ p) = p := propext ⟨fun h => h.elim False.elim id, .inr⟩
@[simp] theorem or_self (p : Prop) : (p ∨ p) = p := propext ⟨fun h => h.elim id id, .inl⟩
@[simp] theorem iff_self (p : Prop) : (p ↔ p) = True := eq_true .rfl
@[simp] theorem iff_true (p : Prop) : (p ↔ True) = p := propext ⟨(·.2 trivial), fun h => iff_of_true h trivial⟩
@[simp] theorem true_iff (p : Prop) : (True ↔ p) = p := propext ⟨(·.1 trivial), fun h => iff_of_true trivial h⟩
@[simp] theorem iff_false (p : Prop) : (p ↔ False) = ¬p := propext ⟨(·.1), fun h => iff_of_false h id⟩
@[simp] theorem false_iff (p : Prop) : (False ↔ p) = ¬p := propext ⟨(·.2), fun h => iff_of_false id h⟩
@[simp] theorem false_implies (p : Prop) : (False → p) = True := eq_true False.elim
@[simp] theorem forall_false (p : False → Prop) : (∀ h : False, p h) = True := eq_true (fun h => h.elim)
@[simp] theorem implies_true (α : Sort u) : (α → True) = True := eq_true fun _ => trivial
@[simp] theorem true_implies (p : Prop) : (True → p) = p := propext ⟨(· trivial), fun h _ => h⟩
@[simp] theorem not_false_eq_true : (¬False) = True := eq_true not_false
@[simp] theorem not_true_eq_false : (¬True) = False := eq_false (not_not_intro trivial)
@[simp] theorem imp_false {a : Prop} : (a → False) ↔ ¬a := Iff.rfl
@[simp] theorem imp_self {a : Prop} : (a → a) ↔ True := iff_of_true id trivial
@[simp] theorem eq_iff_iff {a b : Prop} : (a = b) ↔ (a ↔ b) := iff_iff_eq.symm
@[simp] theorem not_or {p q : Prop} : ¬(p ∨ q) ↔ ¬p ∧ ¬q :=
  ⟨fun h => ⟨fun hp => h (.inl hp), fun hq => h (.inr hq)⟩, fun h h' => h'.elim h.1 h.2⟩
@[simp] theorem not_exists {α : Sort u} {p : α → Prop} : (¬∃ x, p x) ↔ ∀ x, ¬p x :=
  ⟨fun h x hx => h ⟨x, hx⟩, fun h h' => h'.elim h⟩
@[simp] theorem exists_const {b : Prop} (α : Sort u) [i : Nonempty α] : (∃ _ : α, b) ↔ b :=
  ⟨fun h => h.elim fun _ h => h, fun h => i.elim fun a => ⟨a, h⟩⟩
@[simp] theorem exists_false {α : Sort u} : ¬∃ _a : α, False := fun h => h.elim fun _ h => h
@[simp] theorem forall_const {b : Prop} (α : Sort u) [i : Nonempty α] : (α → b) ↔ b :=
  ⟨fun h => i.elim h, fun h _ => h⟩
@[simp] theorem exists_eq {α : Sort u} {a' : α} : ∃ a, a = a' := ⟨_, rfl⟩
@[simp] theorem exists_eq' {α : Sort u} {a' : α} : ∃ a, a' = a := ⟨_, rfl⟩
@[simp] theorem exists_eq_left {α : Sort u} {p : α → Prop} {a' : α} : (∃ a, a = a' ∧ p a) ↔ p a' :=
  ⟨fun h => h.elim fun _ h => h.1 ▸ h.2, fun h => ⟨a', rfl, h⟩⟩

theorem and_assoc {a b c : Prop} : (a ∧ b) ∧ c ↔ a ∧ b ∧ c :=
  ⟨fun h => ⟨h.1.1, h.1.2, h.2⟩, fun h => ⟨⟨h.1, h.2.1⟩, h.2.2⟩⟩

theorem or_assoc {a b c : Prop} : (a ∨ b) ∨ c ↔ a ∨ b ∨ c :=
  ⟨fun h => h.elim (fun h => h.elim .inl (fun h => .inr (.inl h))) (fun h => .inr (.inr h)),
    fun h => h.elim (fun h => .inl (.inl h)) (fun h => h.elim (fun h => .inl (.inr h)) .inr)⟩

theorem and_congr {a b c d : Prop} (h₁ : a ↔ c) (h₂ : b ↔ d) : a ∧ b ↔ c ∧ d :=
  propext h₁ ▸ propext h₂ ▸ Iff.rfl

theorem or_congr {a b c d : Prop} (h₁ : a ↔ c) (h₂ : b ↔ d) : a ∨ b ↔ c ∨ d :=
  propext h₁ ▸ propext h₂ ▸ Iff.rfl

theorem exists_congr {α : Sort u} {p q : α → Prop} (h : ∀ a, p a ↔ q a) : (∃ a, p a) ↔ ∃ a, q a :=
  ⟨fun h' => h'.elim fun a ha => ⟨a, (h a).mp ha⟩, fun h' => h'.elim fun a ha => ⟨a, (h a).mpr ha⟩⟩

/-! ## Conditionals -/

theorem Eq.mpr_prop {p q : Prop} (h₁ : p = q) (h₂ : q) : p := h₁ ▸ h₂
theorem Eq.mpr_not {p q : Prop} (h₁ : p = q) (h₂ : ¬q) : ¬p := h₁ ▸ h₂

@[congr]
theorem ite_congr {α : Sort u} {b c : Prop} {x y u v : α} {s : Decidable b} [Decidable c] (h₁ : b = c)
    (h₂ : c → x = u) (h₃ : ¬c → y = v) : ite b x y = ite c u v :=
  if hc : c then
    (ite_eq_left (h₁.mpr_prop hc)).trans ((h₂ hc).trans (ite_eq_left hc).symm)
  else
    (ite_eq_right (h₁.mpr_not hc)).trans ((h₃ hc).trans (ite_eq_right hc).symm)

@[congr]
theorem dite_congr {α : Sort u} {b c : Prop} {_ : Decidable b} [Decidable c] {x : b → α} {u : c → α}
    {y : ¬b → α} {v : ¬c → α} (h₁ : b = c) (h₂ : (h : c) → x (h₁.mpr_prop h) = u h)
    (h₃ : (h : ¬c) → y (h₁.mpr_not h) = v h) : dite b x y = dite c u v :=
  if hc : c then
    (dite_eq_left (h₁.mpr_prop hc)).trans ((h₂ hc).trans (dite_eq_left hc).symm)
  else
    (dite_eq_right (h₁.mpr_not hc)).trans ((h₃ hc).trans (dite_eq_right hc).symm)

theorem ite_cond_congr {α : Sort u} {s : Prop} {c : Prop} {x y : α} {_ : Decidable s} {_ : Decidable c}
    (h : s = c) : ite s x y = ite c x y :=
  ite_congr h (fun _ => rfl) (fun _ => rfl)

theorem dite_cond_congr {α : Sort u} {s c : Prop} {_ : Decidable s} {_ : Decidable c} {x : s → α} {y : ¬s → α}
    (h : s = c) : dite s x y = dite c (fun h' => x (h.mpr_prop h')) (fun h' => y (h.mpr_not h')) :=
  dite_congr h (fun _ => rfl) (fun _ => rfl)

@[simp] theorem dite_eq_ite {α : Sort u} {P : Prop} {a b : α} [Decidable P] :
    (dite P (fun _ => a) fun _ => b) = ite P a b :=
  rfl

@[simp] theorem ite_true {α : Sort u} (a b : α) : (if True then a else b) = a := rfl
@[simp] theorem ite_false {α : Sort u} (a b : α) : (if False then a else b) = b := rfl
@[simp] theorem dite_true {α : Sort u} {t : True → α} {e : ¬True → α} : (dite True t e) = t True.intro := rfl
@[simp] theorem dite_false {α : Sort u} {t : False → α} {e : ¬False → α} : (dite False t e) = e not_false := rfl
@[simp] theorem ite_self {α : Sort u} {c : Prop} {d : Decidable c} (a : α) : ite c a a = a :=
  match d with
  | isTrue _ => rfl
  | isFalse _ => rfl

theorem ite_eq_left_of_eq_true {α : Sort u} {c : Prop} {_ : Decidable c} (a b : α) (h : c = True) :
    (if c then a else b) = a :=
  ite_eq_left (of_eq_true h)

theorem ite_eq_right_of_eq_false {α : Sort u} {c : Prop} {_ : Decidable c} (a b : α) (h : c = False) :
    (if c then a else b) = b :=
  ite_eq_right (of_eq_false h)

theorem dite_eq_left_of_eq_true {α : Sort u} {c : Prop} {_ : Decidable c} {t : c → α} {e : ¬c → α}
    (h : c = True) :
    (dite c t e) = t (of_eq_true h) :=
  dite_eq_left (of_eq_true h)

theorem dite_eq_right_of_eq_false {α : Sort u} {c : Prop} {_ : Decidable c} {t : c → α} {e : ¬c → α}
    (h : c = False) :
    (dite c t e) = e (of_eq_false h) :=
  dite_eq_right (of_eq_false h)

/-! ## Booleans and decisions -/

@[simp] theorem Bool.or_false (b : Bool) : (b || false) = b := by cases b <;> rfl
@[simp] theorem Bool.or_true (b : Bool) : (b || true) = true := by cases b <;> rfl
@[simp] theorem Bool.false_or (b : Bool) : (false || b) = b := rfl
@[simp] theorem Bool.true_or (b : Bool) : (true || b) = true := rfl
@[simp] theorem Bool.or_self (b : Bool) : (b || b) = b := by cases b <;> rfl
@[simp] theorem Bool.and_false (b : Bool) : (b && false) = false := by cases b <;> rfl
@[simp] theorem Bool.and_true (b : Bool) : (b && true) = b := by cases b <;> rfl
@[simp] theorem Bool.false_and (b : Bool) : (false && b) = false := rfl
@[simp] theorem Bool.true_and (b : Bool) : (true && b) = b := rfl
@[simp] theorem Bool.and_self (b : Bool) : (b && b) = b := by cases b <;> rfl
@[simp] theorem Bool.not_not (b : Bool) : (!!b) = b := by cases b <;> rfl
@[simp] theorem Bool.not_true : (!true) = false := rfl
@[simp] theorem Bool.not_false : (!false) = true := rfl
@[simp] theorem Bool.not_eq_true (b : Bool) : (¬(b = true)) = (b = false) :=
  propext ⟨Bool.of_not_eq_true, fun h h' => Bool.ne_true_of_eq_false h h'⟩
@[simp] theorem Bool.not_eq_false (b : Bool) : (¬(b = false)) = (b = true) :=
  propext ⟨Bool.of_not_eq_false, fun h h' => Bool.ne_false_of_eq_true h h'⟩
@[simp] theorem Bool.and_eq_true (a b : Bool) : ((a && b) = true) = (a = true ∧ b = true) := by
  cases a <;> cases b <;> decide
@[simp] theorem Bool.or_eq_true (a b : Bool) : ((a || b) = true) = (a = true ∨ b = true) := by
  cases a <;> cases b <;> decide
@[simp] theorem cond_true {α : Sort u} (a b : α) : cond true a b = a := rfl
@[simp] theorem cond_false {α : Sort u} (a b : α) : cond false a b = b := rfl
@[simp] theorem decide_eq_true_eq {p : Prop} [Decidable p] : (decide p = true) = p :=
  propext ⟨of_decide_eq_true, decide_eq_true⟩
@[simp] theorem decide_eq_false_iff_not {p : Prop} {_ : Decidable p} : (decide p = false) ↔ ¬p :=
  ⟨of_decide_eq_false, decide_eq_false⟩
@[simp] theorem decide_true (h : Decidable True) : @decide True h = true := decide_eq_true trivial
@[simp] theorem decide_false (h : Decidable False) : @decide False h = false := decide_eq_false not_false

/-! ## Functions, pairs, options, lists -/

@[simp] theorem Function.comp_apply {α β δ} {f : β → δ} {g : α → β} {x : α} : Function.comp f g x = f (g x) := rfl
@[simp] theorem Function.const_apply {α β} {y : β} {x : α} : Function.const α y x = y := rfl
@[simp] theorem Function.comp_id {α β} (f : α → β) : f ∘ id = f := rfl
@[simp] theorem Function.id_comp {α β} (f : α → β) : id ∘ f = f := rfl
@[simp] theorem List.length_nil {α : Type u} : ([] : List α).length = 0 := rfl
@[simp] theorem List.length_cons {α : Type u} {a : α} {as : List α} : (a :: as).length = as.length + 1 := rfl
@[simp] theorem List.nil_append {α : Type u} (as : List α) : [] ++ as = as := rfl
@[simp] theorem List.cons_append {α : Type u} {a : α} {as bs : List α} : (a :: as) ++ bs = a :: (as ++ bs) := rfl
@[simp] theorem List.append_nil {α : Type u} (as : List α) : as ++ [] = as := by
  induction as with
  | nil => rfl
  | cons a as ih => rw [List.cons_append, ih]
@[simp] theorem List.append_assoc {α : Type u} (as bs cs : List α) : (as ++ bs) ++ cs = as ++ (bs ++ cs) := by
  induction as with
  | nil => rfl
  | cons a as ih => rw [List.cons_append, List.cons_append, ih, List.cons_append]
@[simp] theorem List.map_nil {α : Type u} {β : Type v} {f : α → β} : List.map f [] = [] := rfl
@[simp] theorem List.map_cons {α : Type u} {β : Type v} {f : α → β} {a : α} {l : List α} :
    List.map f (a :: l) = f a :: List.map f l := rfl

namespace Lean.Meta

/-- Which of the places that match a rewrite are rewritten: `rw (occs := .pos [1]) [h]`. -/
inductive Occurrences where
  | all
  | pos (idxs : List Nat)
  | neg (idxs : List Nat)

instance : Coe (List Nat) Occurrences := ⟨.pos⟩

end Lean.Meta
