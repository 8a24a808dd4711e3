prelude
import Init.Symbols
import Init.Terms
import Init.Arith

/-! # Laws of logic

Propositional extensionality, decisions, and the facts that `rw`, `simp`, `injection` and `calc` build
their proofs from. -/

universe u v w

/-! ## Falsehood and inequality -/

theorem trivial : True := ⟨⟩

theorem mt {a b : Prop} (h₁ : a → b) (h₂ : ¬b) : ¬a := fun ha => h₂ (h₁ ha)

theorem not_false : ¬False := fun h => h

theorem not_not_intro {p : Prop} (h : p) : ¬¬p := fun hn => hn h

theorem proof_irrel {a : Prop} (h₁ h₂ : a) : h₁ = h₂ := rfl

theorem Not.intro {a : Prop} (h : a → False) : ¬a := h

def Not.elim {α : Sort _} (H1 : ¬a) (H2 : a) : α := absurd H2 H1

@[macro_inline] def Empty.elim {C : Sort u} (e : Empty) : C := nomatch e

@[macro_inline] def PEmpty.elim {C : Sort _} (e : PEmpty) : C := nomatch e

theorem Ne.intro {α : Sort u} {a b : α} (h : a = b → False) : a ≠ b := h

theorem Ne.elim {α : Sort u} {a b : α} (h : a ≠ b) : a = b → False := h

theorem Ne.irrefl {α : Sort u} {a : α} (h : a ≠ a) : False := h rfl

@[symm] theorem Ne.symm {α : Sort u} {a b : α} (h : a ≠ b) : b ≠ a := fun h' => h h'.symm

theorem ne_comm {α} {a b : α} : a ≠ b ↔ b ≠ a := ⟨Ne.symm, Ne.symm⟩

theorem false_of_ne {α : Sort u} {a : α} (h : a ≠ a) : False := h rfl

theorem ne_false_of_self {p : Prop} (hp : p) : p ≠ False := fun h => h ▸ hp

theorem ne_true_of_not {p : Prop} (hn : ¬p) : p ≠ True := fun h => hn (h ▸ trivial)

theorem true_ne_false : ¬True = False := ne_false_of_self trivial

theorem false_ne_true : False ≠ True := fun h => h ▸ trivial

/-! ## Equality -/

@[macro_inline] def Eq.mp {α β : Sort u} (h : α = β) (a : α) : β := h ▸ a

@[macro_inline] def Eq.mpr {α β : Sort u} (h : α = β) (b : β) : α := h ▸ b

abbrev Eq.ndrecOn.{u1, u2} {α : Sort u2} {a : α} {motive : α → Sort u1} {b : α} (h : a = b) (m : motive a) :
    motive b :=
  Eq.ndrec m h

@[elab_as_elim]
theorem Eq.substr {α : Sort u} {p : α → Prop} {a b : α} (h₁ : b = a) (h₂ : p a) : p b := h₁ ▸ h₂

@[simp] theorem cast_eq {α : Sort u} (h : α = α) (a : α) : cast h a = a := rfl

theorem Eq.comm {α : Sort u} {a b : α} : a = b ↔ b = a := ⟨Eq.symm, Eq.symm⟩

theorem eq_comm {α : Sort u} {a b : α} : a = b ↔ b = a := Eq.comm

theorem cast_heq {α β : Sort u} : (h : α = β) → (a : α) → cast h a ≍ a
  | rfl, a => HEq.refl a

theorem type_eq_of_heq {α β : Sort u} {a : α} {b : β} (h : a ≍ b) : α = β :=
  @HEq.rec α a (fun {β} _ _ => α = β) rfl β b h

@[symm] theorem HEq.symm {α β : Sort u} {a : α} {b : β} (h : a ≍ b) : b ≍ a :=
  @HEq.rec α a (fun {_} b _ => b ≍ a) (HEq.refl a) β b h

theorem HEq.trans {α β φ : Sort u} {a : α} {b : β} {c : φ} (h₁ : a ≍ b) (h₂ : b ≍ c) : a ≍ c :=
  @HEq.rec β b (fun {_} c _ => a ≍ c) h₁ φ c h₂

theorem heq_of_heq_of_eq {α β : Sort u} {a : α} {b b' : β} (h₁ : a ≍ b) (h₂ : b = b') : a ≍ b' := h₂ ▸ h₁

theorem heq_of_eq_of_heq {α β : Sort u} {a a' : α} {b : β} (h₁ : a = a') (h₂ : a' ≍ b) : a ≍ b := h₁ ▸ h₂

theorem eqRec_heq {α : Sort u} {φ : α → Sort v} {a a' : α} :
    (h : a = a') → (p : φ a) → Eq.recOn (motive := fun x _ => φ x) h p ≍ p
  | rfl, p => HEq.refl p

theorem heq_of_eqRec_eq {α β : Sort u} {a : α} {b : β} (h₁ : α = β)
    (h₂ : Eq.rec (motive := fun α _ => α) a h₁ = b) : a ≍ b :=
  match β, h₁, b, h₂ with
  | _, rfl, _, rfl => HEq.refl a

/-! ## Connectives -/

@[refl] theorem Iff.refl (a : Prop) : a ↔ a := ⟨fun h => h, fun h => h⟩

protected theorem Iff.rfl {a : Prop} : a ↔ a := Iff.refl a

@[symm] theorem Iff.symm {a b : Prop} (h : a ↔ b) : b ↔ a := ⟨h.mpr, h.mp⟩

theorem Iff.trans {a b c : Prop} (h₁ : a ↔ b) (h₂ : b ↔ c) : a ↔ c :=
  ⟨fun ha => h₂.mp (h₁.mp ha), fun hc => h₁.mpr (h₂.mpr hc)⟩

instance : Trans Iff Iff Iff where
  trans := Iff.trans

theorem Iff.of_eq {a b : Prop} (h : a = b) : a ↔ b := h ▸ Iff.rfl

theorem iff_of_eq {a b : Prop} (h : a = b) : a ↔ b := Iff.of_eq h

theorem Iff.comm {a b : Prop} : (a ↔ b) ↔ (b ↔ a) := ⟨Iff.symm, Iff.symm⟩

theorem iff_comm {a b : Prop} : (a ↔ b) ↔ (b ↔ a) := Iff.comm

theorem iff_of_true {a b : Prop} (ha : a) (hb : b) : a ↔ b := ⟨fun _ => hb, fun _ => ha⟩

theorem iff_of_false {a b : Prop} (ha : ¬a) (hb : ¬b) : a ↔ b := ⟨fun h => absurd h ha, fun h => absurd h hb⟩

theorem not_congr {a b : Prop} (h : a ↔ b) : ¬a ↔ ¬b := ⟨mt h.2, mt h.1⟩

theorem iff_not_self {a : Prop} (h : a ↔ ¬a) : False :=
  have hn : ¬a := fun ha => h.mp ha ha
  hn (h.mpr hn)

@[symm] theorem And.symm {a b : Prop} (h : a ∧ b) : b ∧ a := ⟨h.right, h.left⟩

theorem And.comm {a b : Prop} : a ∧ b ↔ b ∧ a := ⟨And.symm, And.symm⟩

theorem and_comm {a b : Prop} : a ∧ b ↔ b ∧ a := And.comm

abbrev And.elim {a b : Prop} {α : Sort _} (f : a → b → α) (h : a ∧ b) : α := f h.left h.right

@[symm] theorem Or.symm {a b : Prop} (h : a ∨ b) : b ∨ a := h.elim .inr .inl

theorem Or.comm {a b : Prop} : a ∨ b ↔ b ∨ a := ⟨Or.symm, Or.symm⟩

theorem or_comm {a b : Prop} : a ∨ b ↔ b ∨ a := Or.comm

theorem Or.imp {a b c d : Prop} (f : a → c) (g : b → d) (h : a ∨ b) : c ∨ d :=
  h.elim (fun ha => .inl (f ha)) (fun hb => .inr (g hb))

theorem Exists.elim {α : Sort u} {p : α → Prop} {b : Prop} (h₁ : ∃ x, p x) (h₂ : ∀ a, p a → b) : b :=
  match h₁ with
  | .intro a h => h₂ a h

/-! ## Extensionality -/

/-- Equivalent propositions are equal. -/
axiom propext {a b : Prop} : (a ↔ b) → a = b

theorem Eq.propIntro {a b : Prop} (h₁ : a → b) (h₂ : b → a) : a = b := propext ⟨h₁, h₂⟩

theorem iff_iff_eq {a b : Prop} : (a ↔ b) ↔ a = b := ⟨propext, Iff.of_eq⟩

theorem Iff.subst {a b : Prop} {p : Prop → Prop} (h₁ : a ↔ b) (h₂ : p a) : p b := propext h₁ ▸ h₂

theorem Function.comp_def {α β δ} (f : β → δ) (g : α → β) : f ∘ g = fun x => f (g x) := rfl

theorem Lean.injEq_helper {P Q R : Prop} (f : P → Q → R) : P ∧ Q → R := fun h => f h.left h.right

theorem Nat.succ.inj {m n : Nat} (h : m.succ = n.succ) : m = n := congrArg Nat.pred h

theorem Nat.succ.injEq (u v : Nat) : (u.succ = v.succ) = (u = v) :=
  Eq.propIntro Nat.succ.inj (congrArg Nat.succ)

/- For the types that were made before there was what these theorems are stated with. -/
gen_injective_theorems% Fin
gen_injective_theorems% Prod
gen_injective_theorems% PProd
gen_injective_theorems% MProd
gen_injective_theorems% Sum
gen_injective_theorems% PSum
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
gen_injective_theorems% BitVec
gen_injective_theorems% UInt8
gen_injective_theorems% UInt32
gen_injective_theorems% UInt64
gen_injective_theorems% Char
gen_injective_theorems% String

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

theorem implies_congr {p₁ p₂ : Sort u} {q₁ q₂ : Sort v} (h₁ : p₁ = p₂) (h₂ : q₁ = q₂) :
    (p₁ → q₁) = (p₂ → q₂) :=
  h₁ ▸ h₂ ▸ rfl

theorem iff_congr {p₁ p₂ q₁ q₂ : Prop} (h₁ : p₁ ↔ p₂) (h₂ : q₁ ↔ q₂) : (p₁ ↔ q₁) ↔ (p₂ ↔ q₂) :=
  propext h₁ ▸ propext h₂ ▸ Iff.rfl

theorem implies_dep_congr_ctx {p₁ p₂ q₁ : Prop} (h₁ : p₁ = p₂) {q₂ : p₂ → Prop}
    (h₂ : (h : p₂) → q₁ = q₂ h) : (p₁ → q₁) = ((h : p₂) → q₂ h) :=
  propext ⟨fun f hp => (h₂ hp).mp (f (h₁.mpr hp)), fun f hp => (h₂ (h₁.mp hp)).mpr (f (h₁.mp hp))⟩

theorem implies_congr_ctx {p₁ p₂ q₁ q₂ : Prop} (h₁ : p₁ = p₂) (h₂ : p₂ → q₁ = q₂) :
    (p₁ → q₁) = (p₂ → q₂) :=
  implies_dep_congr_ctx h₁ h₂

theorem forall_congr {α : Sort u} {p q : α → Prop} (h : ∀ a, p a = q a) : (∀ a, p a) = (∀ a, q a) :=
  congrArg (fun p : α → Prop => ∀ a, p a) (funext h)

theorem forall_prop_domain_congr {p₁ p₂ : Prop} {q₁ : p₁ → Prop} {q₂ : p₂ → Prop} (h₁ : p₁ = p₂)
    (h₂ : ∀ a : p₂, q₁ (h₁.substr a) = q₂ a) : (∀ a : p₁, q₁ a) = (∀ a : p₂, q₂ a) :=
  match p₂, h₁, q₂, h₂ with
  | _, rfl, _, h₂ => forall_congr h₂

theorem let_congr {α : Sort u} {β : Sort v} {a a' : α} {b b' : α → β} (h₁ : a = a')
    (h₂ : ∀ x, b x = b' x) : (let x := a; b x) = (let x := a'; b' x) :=
  h₁ ▸ (funext h₂ : b = b') ▸ rfl

theorem let_val_congr {α : Sort u} {β : Sort v} {a a' : α} (b : α → β) (h : a = a') :
    (let x := a; b x) = (let x := a'; b x) :=
  h ▸ rfl

theorem let_body_congr {α : Sort u} {β : α → Sort v} {b b' : (a : α) → β a} (a : α)
    (h : ∀ x, b x = b' x) : (let x := a; b x) = (let x := a; b' x) :=
  h a

/- The same for `have`, whose value the type of the body may not mention. -/
theorem have_unused {α : Sort u} {β : Sort v} (a : α) {b b' : β} (h : b = b') : (have _ := a; b) = b' := h

theorem have_unused_dep {α : Sort u} {β : Sort v} (a : α) {b : α → β} {b' : β} (h : ∀ x, b x = b') :
    (have x := a; b x) = b' :=
  h a

theorem have_congr {α : Sort u} {β : Sort v} {a a' : α} {f f' : α → β} (h₁ : a = a')
    (h₂ : ∀ x, f x = f' x) : (have x := a; f x) = (have x := a'; f' x) :=
  let_congr h₁ h₂

theorem have_body_congr_dep {α : Sort u} {β : α → Sort v} (a : α) {f f' : (x : α) → β x}
    (h : ∀ x, f x = f' x) : (have x := a; f x) = (have x := a; f' x) :=
  h a

theorem have_val_congr {α : Sort u} {β : Sort v} {a a' : α} {f : α → β} (h : a = a') :
    (have x := a; f x) = (have x := a'; f x) :=
  h ▸ rfl

theorem have_body_congr {α : Sort u} {β : Sort v} (a : α) {f f' : α → β} (h : ∀ x, f x = f' x) :
    (have x := a; f x) = (have x := a; f' x) :=
  h a

/-! ## Decisions -/

instance : Decidable True := isTrue trivial

instance : Decidable False := isFalse not_false

@[macro_inline] instance {p q} [Decidable p] [Decidable q] : Decidable (p → q) :=
  if hp : p then
    if hq : q then isTrue (fun _ => hq) else isFalse (fun h => hq (h hp))
  else isTrue (fun h => absurd h hp)

instance {p q} [Decidable p] [Decidable q] : Decidable (p ↔ q) :=
  if hp : p then
    if hq : q then isTrue ⟨fun _ => hq, fun _ => hp⟩ else isFalse (fun h => hq (h.mp hp))
  else
    if hq : q then isFalse (fun h => hp (h.mpr hq)) else isTrue ⟨fun h => absurd h hp, fun h => absurd h hq⟩

instance {p q : Prop} [d : Decidable (p ↔ q)] : Decidable (p = q) :=
  match d with
  | isTrue h => isTrue (propext h)
  | isFalse h => isFalse (fun h' => h (h' ▸ Iff.rfl))

instance {α : Sort u} [DecidableEq α] (a b : α) : Decidable (a ≠ b) :=
  inferInstanceAs (Decidable (¬a = b))

namespace Decidable
variable {p q : Prop}

@[macro_inline] def byCases {q : Sort u} [dec : Decidable p] (h1 : p → q) (h2 : ¬p → q) : q :=
  match dec with
  | isTrue h => h1 h
  | isFalse h => h2 h

theorem em (p : Prop) [Decidable p] : p ∨ ¬p := byCases .inl .inr

set_option linter.unusedVariables.funArgs false in
theorem byContradiction [dec : Decidable p] (h : ¬p → False) : p := byCases id (fun hn => (h hn).elim)

theorem of_not_not [Decidable p] (h : ¬¬p) : p := byContradiction h

theorem not_and_iff_or_not {p q : Prop} [_d₁ : Decidable p] [_d₂ : Decidable q] : ¬(p ∧ q) ↔ ¬p ∨ ¬q :=
  ⟨fun h => byCases (fun hp => .inr fun hq => h ⟨hp, hq⟩) .inl, fun h h' => h.elim (· h'.1) (· h'.2)⟩

end Decidable

@[inline] def decidable_of_decidable_of_iff {p q : Prop} [Decidable p] (h : p ↔ q) : Decidable q :=
  if hp : p then isTrue (h.mp hp) else isFalse (fun hq => hp (h.mpr hq))

@[inline] def decidable_of_decidable_of_eq {p q : Prop} [Decidable p] (h : p = q) : Decidable q :=
  decidable_of_decidable_of_iff (p := p) (h ▸ Iff.rfl)

@[inline] def decidable_of_iff {b : Prop} (a : Prop) (h : a ↔ b) [Decidable a] : Decidable b :=
  decidable_of_decidable_of_iff h

theorem ite_eq_left {c : Prop} {h : Decidable c} (hc : c) {α : Sort u} {t e : α} : (ite c t e) = t :=
  match h with
  | isTrue _ => rfl
  | isFalse hn => absurd hc hn

theorem ite_eq_right {c : Prop} {h : Decidable c} (hnc : ¬c) {α : Sort u} {t e : α} : (ite c t e) = e :=
  match h with
  | isTrue hc => absurd hc hnc
  | isFalse _ => rfl

theorem dite_eq_left {c : Prop} {h : Decidable c} (hc : c) {α : Sort u} {t : c → α} {e : ¬c → α} :
    (dite c t e) = t hc :=
  match h with
  | isTrue _ => rfl
  | isFalse hn => absurd hc hn

theorem dite_eq_right {c : Prop} {h : Decidable c} (hnc : ¬c) {α : Sort u} {t : c → α} {e : ¬c → α} :
    (dite c t e) = e hnc :=
  match h with
  | isTrue hc => absurd hc hnc
  | isFalse _ => rfl

/- The names of these four before Lean 4.34. -/
theorem if_pos {c : Prop} {h : Decidable c} (hc : c) {α : Sort u} {t e : α} : (ite c t e) = t :=
  ite_eq_left hc

theorem if_neg {c : Prop} {h : Decidable c} (hnc : ¬c) {α : Sort u} {t e : α} : (ite c t e) = e :=
  ite_eq_right hnc

theorem dif_pos {c : Prop} {h : Decidable c} (hc : c) {α : Sort u} {t : c → α} {e : ¬c → α} :
    (dite c t e) = t hc :=
  dite_eq_left hc

theorem dif_neg {c : Prop} {h : Decidable c} (hnc : ¬c) {α : Sort u} {t : c → α} {e : ¬c → α} :
    (dite c t e) = e hnc :=
  dite_eq_right hnc

theorem dif_eq_if (c : Prop) {h : Decidable c} {α : Sort u} (t : α) (e : α) :
    dite c (fun _ => t) (fun _ => e) = ite c t e :=
  rfl

instance {c t e : Prop} [dC : Decidable c] [dT : Decidable t] [dE : Decidable e] :
    Decidable (if c then t else e) :=
  match dC with
  | isTrue _ => dT
  | isFalse _ => dE

theorem Bool.of_not_eq_true : {b : Bool} → ¬(b = true) → b = false
  | true, h => absurd rfl h
  | false, _ => rfl

theorem Bool.of_not_eq_false : {b : Bool} → ¬(b = false) → b = true
  | true, _ => rfl
  | false, h => absurd rfl h

theorem Bool.false_ne_true : ¬false = true := nofun

theorem Bool.true_ne_false : ¬true = false := nofun

/- An equality that a program computes, and that is one. -/
class ReflBEq (α) [BEq α] : Prop where
  protected rfl {a : α} : a == a

theorem BEq.rfl {α} [BEq α] [ReflBEq α] {a : α} : a == a := ReflBEq.rfl

class LawfulBEq (α : Type u) [BEq α] : Prop extends ReflBEq α where
  eq_of_beq : {a b : α} → a == b → a = b

export LawfulBEq (eq_of_beq)

instance {α} [DecidableEq α] : LawfulBEq α where
  eq_of_beq := of_decide_eq_true
  rfl := of_decide_eq_self_eq_true _

theorem beq_iff_eq {α} [BEq α] [LawfulBEq α] {a b : α} : a == b ↔ a = b :=
  ⟨eq_of_beq, fun h => h ▸ BEq.rfl⟩

/-! ## At most one element -/

class Subsingleton (α : Sort u) : Prop where
  intro ::
  allEq : (a b : α) → a = b

protected theorem Subsingleton.elim {α : Sort u} [h : Subsingleton α] : (a b : α) → a = b := h.allEq

protected theorem Subsingleton.helim {α β : Sort u} [h₁ : Subsingleton α] (h₂ : α = β) (a : α) (b : β) :
    a ≍ b :=
  match β, h₂, b with
  | _, rfl, b => heq_of_eq (Subsingleton.elim a b)

instance (p : Prop) : Subsingleton p := ⟨fun _ _ => rfl⟩

instance : Subsingleton Empty := ⟨fun e _ => e.elim⟩

instance : Subsingleton PEmpty := ⟨fun e _ => e.elim⟩

theorem PUnit.subsingleton (a b : PUnit) : a = b := rfl

theorem PUnit.eq_punit (a : PUnit) : a = ⟨⟩ := rfl

instance : Subsingleton PUnit := ⟨PUnit.subsingleton⟩

instance (p : Prop) : Subsingleton (Decidable p) where
  allEq
    | isTrue _, isTrue _ => rfl
    | isTrue h, isFalse h' => absurd h h'
    | isFalse h, isTrue h' => absurd h' h
    | isFalse _, isFalse _ => rfl

instance Pi.instSubsingleton {α : Sort u} {β : α → Sort v} [∀ a, Subsingleton (β a)] :
    Subsingleton (∀ a, β a) where
  allEq f g := funext fun a => Subsingleton.elim (f a) (g a)

/-! ## Elements and equality of compound types -/

instance : Inhabited PUnit := ⟨⟨⟩⟩

instance : Inhabited Prop := ⟨True⟩

instance {α β} [Inhabited α] [Inhabited β] : Inhabited (α × β) := ⟨(default, default)⟩

instance {α β} [h1 : Nonempty α] [h2 : Nonempty β] : Nonempty (α × β) :=
  h1.elim fun a => h2.elim fun b => ⟨(a, b)⟩

instance : DecidableEq Empty := fun e => e.elim

instance : DecidableEq PUnit := fun _ _ => isTrue rfl

instance {α β} [DecidableEq α] [DecidableEq β] : DecidableEq (α × β) := fun (a, b) (a', b') =>
  match decEq a a', decEq b b' with
  | isTrue ha, isTrue hb => isTrue (ha ▸ hb ▸ rfl)
  | isTrue _, isFalse hb => isFalse fun h => hb (congrArg Prod.snd h)
  | isFalse ha, _ => isFalse fun h => ha (congrArg Prod.fst h)

instance {α} [DecidableEq α] : DecidableEq (Option α)
  | none, none => isTrue rfl
  | none, some _ => isFalse nofun
  | some _, none => isFalse nofun
  | some a, some b => match decEq a b with
    | isTrue h => isTrue (congrArg some h)
    | isFalse h => isFalse fun h' => h (Option.some.inj h')

instance {α β} [DecidableEq α] [DecidableEq β] : DecidableEq (α ⊕ β)
  | .inl a, .inl b => match decEq a b with
    | isTrue h => isTrue (congrArg Sum.inl h)
    | isFalse h => isFalse fun h' => h (Sum.inl.inj h')
  | .inr a, .inr b => match decEq a b with
    | isTrue h => isTrue (congrArg Sum.inr h)
    | isFalse h => isFalse fun h' => h (Sum.inr.inj h')
  | .inl _, .inr _ => isFalse nofun
  | .inr _, .inl _ => isFalse nofun

protected theorem Subtype.eq {α : Type u} {p : α → Prop} : ∀ {a1 a2 : { x // p x }}, a1.val = a2.val → a1 = a2
  | ⟨_, _⟩, ⟨_, _⟩, rfl => rfl

instance {α : Type u} {p : α → Prop} [DecidableEq α] : DecidableEq { x : α // p x } := fun a b =>
  match decEq a.val b.val with
  | isTrue h => isTrue (Subtype.eq h)
  | isFalse h => isFalse fun h' => h (congrArg Subtype.val h')

protected theorem PSigma.eta {α : Sort u} {β : α → Sort v} {a₁ a₂ : α} {b₁ : β a₁} {b₂ : β a₂} (h₁ : a₁ = a₂)
    (h₂ : Eq.ndrec b₁ h₁ = b₂) : PSigma.mk a₁ b₁ = PSigma.mk a₂ b₂ :=
  match a₂, h₁, b₂, h₂ with
  | _, rfl, _, rfl => rfl

def Prod.map {α₁ : Type u₁} {α₂ : Type u₂} {β₁ : Type v₁} {β₂ : Type v₂} (f : α₁ → α₂) (g : β₁ → β₂) :
    α₁ × β₁ → α₂ × β₂
  | (a, b) => (f a, g b)

protected def Sum.elim {α : Type u} {β : Type v} {γ : Sort w} (f : α → γ) (g : β → γ) : α ⊕ β → γ
  | .inl a => f a
  | .inr b => g b

def Fin.elim0 {α : Sort v} : Fin 0 → α
  | ⟨_, h⟩ => absurd h (Nat.not_lt_zero _)

protected theorem Fin.ext {n : Nat} {a b : Fin n} (h : (a : Nat) = b) : a = b := Fin.eq_of_val_eq h

def Fin.last (n : Nat) : Fin (n + 1) := ⟨n, Nat.lt_succ_self n⟩

protected def Fin.succ {n : Nat} : Fin n → Fin (n + 1)
  | ⟨i, h⟩ => ⟨i + 1, Nat.succ_le_succ h⟩

/-! ## Numerals -/

instance Zero.toOfNat0 {α : Type u} [Zero α] : OfNat α (nat_lit 0) where
  ofNat := Zero.zero

instance One.toOfNat1 {α : Type u} [One α] : OfNat α (nat_lit 1) where
  ofNat := One.one

/- `induction` and `cases` on numbers speak of `0` and `n + 1`. -/

@[elab_as_elim, induction_eliminator]
protected def Nat.recAux {motive : Nat → Sort u} (zero : motive 0)
    (succ : ∀ n, motive n → motive (n + 1)) : (t : Nat) → motive t
  | 0 => zero
  | n + 1 => succ n (Nat.recAux zero succ n)

@[elab_as_elim, cases_eliminator]
protected abbrev Nat.casesAuxOn {motive : Nat → Sort u} (t : Nat) (zero : motive 0)
    (succ : ∀ n, motive (n + 1)) : motive t :=
  Nat.casesOn t zero succ

/-! ## Order -/

theorem ge_iff_le {α} [LE α] {x y : α} : x ≥ y ↔ y ≤ x := Iff.rfl

theorem gt_iff_lt {α} [LT α] {x y : α} : x > y ↔ y < x := Iff.rfl

instance Nat.instDvdNat : Dvd Nat := ⟨fun a b => ∃ c, b = a * c⟩

inductive List.Mem {α : Type u} (a : α) : List α → Prop
  | head (as : List α) : List.Mem a (a :: as)
  | tail (b : α) {as : List α} : List.Mem a as → List.Mem a (b :: as)

instance {α : Type u} : Membership α (List α) where
  mem l a := List.Mem a l

instance : Trans (α := Nat) (· < ·) (· < ·) (· < ·) := ⟨Nat.lt_trans⟩
instance : Trans (α := Nat) (· ≤ ·) (· ≤ ·) (· ≤ ·) := ⟨Nat.le_trans⟩
instance : Trans (α := Nat) (· < ·) (· ≤ ·) (· < ·) := ⟨Nat.lt_of_lt_of_le⟩
instance : Trans (α := Nat) (· ≤ ·) (· < ·) (· < ·) := ⟨Nat.lt_of_le_of_lt⟩
