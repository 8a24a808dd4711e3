prelude
import Init.Notation

/-! # Laws

Equivalence, inequality, propositional extensionality, and the facts that `rw` and `simp` build their
proofs from. -/

universe u v w

structure Iff (a b : Prop) : Prop where
  intro ::
  mp : a → b
  mpr : b → a

infix:20 unicode(" ↔ ", " <-> ") => Iff

theorem trivial : True := ⟨⟩

theorem mt {a b : Prop} (h₁ : a → b) (h₂ : ¬b) : ¬a := fun ha => h₂ (h₁ ha)

theorem not_false : ¬False := id

theorem not_not_intro {p : Prop} (h : p) : ¬¬p := fun hn => hn h

theorem proofIrrel {a : Prop} (h₁ h₂ : a) : h₁ = h₂ := rfl

@[macro_inline] def Eq.mp {α β : Sort u} (h : α = β) (a : α) : β := h ▸ a

@[macro_inline] def Eq.mpr {α β : Sort u} (h : α = β) (b : β) : α := h ▸ b

theorem Eq.substr {α : Sort u} {p : α → Prop} {a b : α} (h₁ : b = a) (h₂ : p a) : p b := h₁ ▸ h₂

@[simp] theorem cast_eq {α : Sort u} (h : α = α) (a : α) : cast h a = a := rfl

@[reducible] def Ne {α : Sort u} (a b : α) : Prop := ¬(a = b)

infix:50 " ≠ " => Ne

macro_rules | `($x ≠ $y) => `(binrel% Ne $x $y)

theorem Ne.intro {α : Sort u} {a b : α} (h : a = b → False) : a ≠ b := h

theorem Ne.elim {α : Sort u} {a b : α} (h : a ≠ b) : a = b → False := h

theorem Ne.irrefl {α : Sort u} {a : α} (h : a ≠ a) : False := h rfl

@[symm] theorem Ne.symm {α : Sort u} {a b : α} (h : a ≠ b) : b ≠ a := fun h' => h h'.symm

theorem ne_false_of_self {p : Prop} (hp : p) : p ≠ False := fun h => h ▸ hp

theorem ne_true_of_not {p : Prop} (hn : ¬p) : p ≠ True := fun h => hn (h ▸ trivial)

theorem true_ne_false : ¬True = False := ne_false_of_self trivial

@[refl] theorem Iff.refl (a : Prop) : a ↔ a := ⟨id, id⟩

protected theorem Iff.rfl {a : Prop} : a ↔ a := Iff.refl a

@[symm] theorem Iff.symm {a b : Prop} (h : a ↔ b) : b ↔ a := ⟨h.mpr, h.mp⟩

theorem Iff.trans {a b c : Prop} (h₁ : a ↔ b) (h₂ : b ↔ c) : a ↔ c :=
  ⟨fun ha => h₂.mp (h₁.mp ha), fun hc => h₁.mpr (h₂.mpr hc)⟩

theorem Iff.of_eq {a b : Prop} (h : a = b) : a ↔ b := h ▸ Iff.rfl

protected theorem Iff.comm {a b : Prop} : (a ↔ b) ↔ (b ↔ a) := ⟨Iff.symm, Iff.symm⟩

theorem And.symm {a b : Prop} (h : a ∧ b) : b ∧ a := ⟨h.right, h.left⟩

theorem Or.symm {a b : Prop} (h : a ∨ b) : b ∨ a := h.elim .inr .inl

theorem Exists.elim {α : Sort u} {p : α → Prop} {b : Prop} (h₁ : ∃ x, p x) (h₂ : ∀ a, p a → b) : b :=
  match h₁ with
  | .intro a h => h₂ a h

/-- Equivalent propositions are equal. -/
axiom propext {a b : Prop} : (a ↔ b) → a = b

theorem Eq.propIntro {a b : Prop} (h₁ : a → b) (h₂ : b → a) : a = b := propext ⟨h₁, h₂⟩

/-! ## What `simp` builds proofs from -/

theorem of_eq_true {p : Prop} (h : p = True) : p := h ▸ trivial

theorem of_eq_false {p : Prop} (h : p = False) : ¬p := fun hp => h ▸ hp

theorem eq_true {p : Prop} (h : p) : p = True := propext ⟨fun _ => trivial, fun _ => h⟩

theorem eq_false {p : Prop} (h : ¬p) : p = False := propext ⟨h, False.elim⟩

theorem eq_false' {p : Prop} (h : p → False) : p = False := eq_false h

theorem eq_true_of_decide {p : Prop} [Decidable p] (h : decide p = true) : p = True :=
  eq_true (of_decide_eq_true h)

theorem eq_false_of_decide {p : Prop} {_ : Decidable p} (h : decide p = false) : p = False :=
  eq_false (of_decide_eq_false h)

@[simp] theorem eq_self {α : Sort u} (a : α) : (a = a) = True := eq_true rfl

@[simp] theorem iff_self (p : Prop) : (p ↔ p) = True := eq_true .rfl

theorem implies_congr {p₁ p₂ : Sort u} {q₁ q₂ : Sort v} (h₁ : p₁ = p₂) (h₂ : q₁ = q₂) :
    (p₁ → q₁) = (p₂ → q₂) :=
  h₁ ▸ h₂ ▸ rfl

theorem implies_dep_congr_ctx {p₁ p₂ q₁ : Prop} (h₁ : p₁ = p₂) {q₂ : p₂ → Prop}
    (h₂ : (h : p₂) → q₁ = q₂ h) : (p₁ → q₁) = ((h : p₂) → q₂ h) :=
  propext ⟨fun f hp => (h₂ hp).mp (f (h₁.mpr hp)), fun f hp => (h₂ (h₁.mp hp)).mpr (f (h₁.mp hp))⟩

theorem implies_congr_ctx {p₁ p₂ q₁ q₂ : Prop} (h₁ : p₁ = p₂) (h₂ : p₂ → q₁ = q₂) :
    (p₁ → q₁) = (p₂ → q₂) :=
  implies_dep_congr_ctx h₁ h₂

theorem forall_congr {α : Sort u} {p q : α → Prop} (h : ∀ a, p a = q a) : (∀ a, p a) = (∀ a, q a) :=
  congrArg (fun p : α → Prop => ∀ a, p a) (funext h)

@[simp] theorem ne_eq {α : Sort u} (a b : α) : (a ≠ b) = ¬(a = b) := rfl

theorem iff_of_true {a b : Prop} (ha : a) (hb : b) : a ↔ b := ⟨fun _ => hb, fun _ => ha⟩

theorem Lean.injEq_helper {P Q R : Prop} (f : P → Q → R) : P ∧ Q → R := fun h => f h.left h.right

/-! ## Numerals -/

instance Zero.toOfNat0 {α : Type u} [Zero α] : OfNat α (nat_lit 0) where
  ofNat := Zero.zero

instance One.toOfNat1 {α : Type u} [One α] : OfNat α (nat_lit 1) where
  ofNat := One.one

def Sum.elim {α : Type u} {β : Type v} {γ : Sort w} (f : α → γ) (g : β → γ) : Sum α β → γ
  | .inl a => f a
  | .inr b => g b

theorem Bool.false_ne_true : ¬false = true := nofun

theorem Bool.true_ne_false : ¬true = false := nofun

/- The types above this line were made before there was what these theorems are stated with. -/
gen_injective_theorems% Fin
gen_injective_theorems% Prod
gen_injective_theorems% PProd
gen_injective_theorems% MProd
gen_injective_theorems% Sum
gen_injective_theorems% Option
gen_injective_theorems% List
gen_injective_theorems% Except
gen_injective_theorems% Subtype
gen_injective_theorems% Sigma
gen_injective_theorems% PSigma
gen_injective_theorems% PLift
gen_injective_theorems% ULift
gen_injective_theorems% PULift
gen_injective_theorems% Array
gen_injective_theorems% Char
gen_injective_theorems% UInt8
gen_injective_theorems% UInt32
gen_injective_theorems% UInt64
gen_injective_theorems% BitVec
