prelude
set_option linter.defProp false

/-! # Logic

Equality, the connectives, quotients and function extensionality: everything that does not need a
number. The names, the order of arguments and the attributes are those that the Lean binary looks
for; the order of the declarations is forced as well, since the commands below already use what
stands above them (`inductive` builds its eliminators with `PUnit`, `Eq` and `HEq`). -/

universe u v w

/- Types by which the code generator stands for what it has erased. No term of a proof has them. -/
unsafe axiom lcErased : Type
unsafe axiom lcAny : Type
unsafe axiom lcVoid : Type

set_option bootstrap.inductiveCheckResultingUniverse false in
/-- The type with one element, in every universe. -/
inductive PUnit : Sort u where
  | unit : PUnit

/-- Equality, written `a = b`. -/
inductive Eq : α → α → Prop where
  | refl (a : α) : Eq a a

/-- Replaces `a` by an equal `b` in the type of a term, where the type does not mention the proof. -/
@[simp] abbrev Eq.ndrec.{u1, u2} {α : Sort u2} {a : α} {motive : α → Sort u1} (m : motive a) {b : α}
    (h : Eq a b) : motive b :=
  Eq.rec m h

/-- Equality of terms whose types are only provably the same. -/
inductive HEq : {α : Sort u} → α → {β : Sort u} → β → Prop where
  | refl (a : α) : HEq a a

/-- A truth value that a program can look at. -/
inductive Bool : Type where
  | false : Bool
  | true : Bool

export Bool (false true)

/-! ## Functions -/

/-- The function that gives back its argument. -/
@[inline, implicit_reducible] def id {α : Sort u} (a : α) : α := a

/-- `f ∘ g`: first `g`, then `f`. -/
@[inline, implicit_reducible] def Function.comp {α : Sort u} {β : Sort v} {δ : Sort w} (f : β → δ)
    (g : α → β) : α → δ :=
  fun x => f (g x)

/-- The function on `β` with the one value `a`. -/
@[inline] def Function.const {α : Sort u} (β : Sort v) (a : α) : β → α := fun _ => a

set_option checkBinderAnnotations false in
/-- The instance that type class search finds for the expected type. -/
abbrev inferInstance {α : Sort u} [i : α] : α := i

set_option checkBinderAnnotations false in
/-- The instance that type class search finds for `α`. -/
abbrev «inferInstanceAs» (α : Sort u) [i : α] : α := i

/-- The type with one element, `()`. -/
abbrev Unit : Type := PUnit

/-- The element of `Unit`. -/
@[match_pattern] abbrev Unit.unit : Unit := PUnit.unit

/- Stand-ins that the code generator puts for proofs, casts and unreachable code; `unsafe`, so no
proof can use them. -/
unsafe axiom lcProof {α : Prop} : α
unsafe axiom lcCast {α : Sort u} {β : Sort v} (a : α) : β
unsafe axiom lcUnreachable {α : Sort u} : α

/-! ## Truth and falsehood -/

/-- The proposition that holds. -/
inductive True : Prop where
  | intro : True

/-- The proposition without a proof. -/
inductive False : Prop

/-- The type without an element. -/
inductive Empty : Type

set_option bootstrap.inductiveCheckResultingUniverse false in
/-- The type without an element, in every universe. -/
inductive PEmpty : Sort u where

/-- Negation, written `¬a`. -/
@[implicit_reducible] def Not (a : Prop) : Prop := a → False

/-- From a contradiction follows what one likes. -/
@[macro_inline] def False.elim {C : Sort u} (h : False) : C := False.rec (fun _ => C) h

/-- From a proposition and its negation follows what one likes. -/
@[macro_inline] def absurd {a : Prop} {b : Sort v} (h₁ : a) (h₂ : Not a) : b :=
  False.elim (h₂ h₁)

/-! ## Laws of equality -/

/-- Both sides are the same, up to computation. -/
@[match_pattern] def rfl {α : Sort u} {a : α} : Eq a a := Eq.refl a

@[simp] theorem id_eq (a : α) : Eq (id a) a := rfl

theorem Eq.subst {α : Sort u} {motive : α → Prop} {a b : α} (h₁ : Eq a b) (h₂ : motive a) : motive b :=
  Eq.rec (motive := fun x _ => motive x) h₂ h₁

@[symm] theorem Eq.symm {α : Sort u} {a b : α} (h : Eq a b) : Eq b a :=
  Eq.subst (motive := fun x => Eq x a) h (Eq.refl a)

/-- `Eq.ndrec` along an equation read from right to left. -/
@[simp] abbrev Eq.ndrec_symm.{u1, u2} {α : Sort u2} {a : α} {motive : α → Sort u1} (m : motive a) {b : α}
    (h : Eq b a) : motive b :=
  Eq.ndrec m h.symm

theorem Eq.trans {α : Sort u} {a b c : α} (h₁ : Eq a b) (h₂ : Eq b c) : Eq a c :=
  Eq.subst h₂ h₁

/-- A term of one type as a term of an equal type. -/
@[macro_inline, implicit_reducible] def cast {α β : Sort u} (h : Eq α β) (a : α) : β :=
  Eq.rec (motive := fun γ _ => γ) a h

theorem congrArg {α : Sort u} {β : Sort v} {a₁ a₂ : α} (f : α → β) (h : Eq a₁ a₂) : Eq (f a₁) (f a₂) :=
  Eq.subst (motive := fun x => Eq (f a₁) (f x)) h rfl

theorem congrFun {α : Sort u} {β : α → Sort v} {f g : (x : α) → β x} (h : Eq f g) (a : α) :
    Eq (f a) (g a) :=
  @Eq.rec ((x : α) → β x) f (fun k _ => Eq (f a) (k a)) (Eq.refl (f a)) g h

theorem congrFun' {α : Sort u} {β : Sort v} {f g : α → β} (h : Eq f g) (a : α) : Eq (f a) (g a) :=
  congrFun h a

theorem congr {α : Sort u} {β : Sort v} {f₁ f₂ : α → β} {a₁ a₂ : α} (h₁ : Eq f₁ f₂) (h₂ : Eq a₁ a₂) :
    Eq (f₁ a₁) (f₂ a₂) :=
  Eq.trans (congrFun h₁ a₁) (congrArg f₂ h₂)

/-! ## Quotients

The kernel knows `Quot`, its introduction `Quot.mk`, and the two eliminations `Quot.lift` and
`Quot.ind`; `init_quot` gives them their names. The axiom says that related elements become equal. -/

init_quot

/-- Elements that `r` relates have the same image in the quotient. -/
axiom Quot.sound : ∀ {α : Sort u} {r : α → α → Prop} {a b : α}, r a b → Eq (Quot.mk r a) (Quot.mk r b)

/- What is left of a quotient after erasure. -/
unsafe axiom Quot.lcInv {α : Sort u} {r : α → α → Prop} (q : Quot r) : α

/-- `Quot.lift` with the element of the quotient first. -/
protected abbrev Quot.liftOn {α : Sort u} {β : Sort v} {r : α → α → Prop} (q : Quot r) (f : α → β)
    (c : (a b : α) → r a b → Eq (f a) (f b)) : β :=
  Quot.lift f c q

/-- Functions that agree at every point are equal. The quotient of the functions by pointwise
equality still can be applied to a point; hence so can an equation in that quotient. -/
theorem funext {α : Sort u} {β : α → Sort v} {f g : (x : α) → β x} (h : ∀ x, Eq (f x) (g x)) : Eq f g :=
  let agree (f g : (x : α) → β x) : Prop := ∀ x, Eq (f x) (g x)
  let apply (q : Quot agree) (x : α) : β x := Quot.liftOn (β := β x) q (fun k => k x) (fun _ _ same => same x)
  congrArg (f := apply) (Quot.sound (r := agree) h)

/-! ## Equality across types -/

@[match_pattern] protected def HEq.rfl {α : Sort u} {a : α} : HEq a a := HEq.refl a

theorem heq_of_eq (h : Eq a a') : HEq a a' :=
  Eq.subst (motive := fun x => HEq a x) h (HEq.refl a)

theorem eq_of_heq {α : Sort u} {a a' : α} (h : HEq a a') : Eq a a' :=
  have general : {β : Sort u} → {b : β} → HEq a b → (types : Eq α β) → Eq (cast types a) b :=
    fun {β} {b} h =>
      @HEq.rec α a (fun {β} b _ => (types : Eq α β) → Eq (cast types a) b) (fun _ => Eq.refl a) β b h
  general h rfl

/-- `Eq.ndrec` along an equation across types that are the same after all. -/
abbrev HEq.homo_ndrec.{u1, u2} {α : Sort u2} {a : α} {motive : α → Sort u1} (m : motive a) {b : α}
    (h : HEq a b) : motive b :=
  Eq.ndrec m (eq_of_heq h)

/-- The same, along an equation read from right to left. -/
abbrev HEq.homo_ndrec_symm.{u1, u2} {α : Sort u2} {a : α} {motive : α → Sort u1} (m : motive a) {b : α}
    (h : HEq b a) : motive b :=
  Eq.ndrec_symm m (eq_of_heq h)

/-! ## Pairs and connectives -/

/-- Pairs, written `α × β`; their elements are `(a, b)`. -/
structure Prod (α : Type u) (β : Type v) where
  mk ::
  fst : α
  snd : β

attribute [unbox] Prod

/-- Pairs in any universe; structural recursion collects its results in them. -/
structure PProd (α : Sort u) (β : Sort v) where
  fst : α
  snd : β

/-- Pairs of types in one universe. -/
structure MProd (α β : Type u) where
  fst : α
  snd : β

/-- Conjunction, written `a ∧ b`. -/
@[pp_using_anonymous_constructor]
structure And (a b : Prop) : Prop where
  intro ::
  left : a
  right : b

/-- Disjunction, written `a ∨ b`. -/
inductive Or (a b : Prop) : Prop where
  | inl (h : a) : Or a b
  | inr (h : b) : Or a b

/-- Equivalence, written `a ↔ b`. -/
structure Iff (a b : Prop) : Prop where
  intro ::
  mp : a → b
  mpr : b → a

/-- There is a `w` with `p w`; written `∃ w, p w`. -/
inductive Exists {α : Sort u} (p : α → Prop) : Prop where
  | intro (w : α) (h : p w) : Exists p

/-- Inequality, written `a ≠ b`. -/
@[reducible] def Ne {α : Sort u} (a b : α) : Prop := Not (Eq a b)

/-- Types with an equivalence, written `a ≈ b`. -/
class HasEquiv (α : Sort u) where
  Equiv : α → α → Sort v

theorem Or.intro_left (b : Prop) (h : a) : Or a b := Or.inl h

theorem Or.intro_right (a : Prop) (h : b) : Or a b := Or.inr h

theorem Or.elim {c : Prop} (h : Or a b) (left : a → c) (right : b → c) : c :=
  Or.rec (motive := fun _ => c) left right h

theorem Or.resolve_left (h : Or a b) (na : Not a) : b := Or.elim h (fun ha => absurd ha na) (fun hb => hb)

theorem Or.resolve_right (h : Or a b) (nb : Not b) : a := Or.elim h (fun ha => ha) (fun hb => absurd hb nb)

theorem Or.neg_resolve_left (h : Or (Not a) b) (ha : a) : b := Or.elim h (absurd ha) (fun hb => hb)

theorem Or.neg_resolve_right (h : Or a (Not b)) (nb : b) : a := Or.elim h (fun ha => ha) (absurd nb)

/-- The elements of `α` with the property `p`, written `{ x // p x }`. -/
@[pp_using_anonymous_constructor]
structure Subtype {α : Sort u} (p : α → Prop) where
  val : α
  property : p val

/-! ## Marks on types that only the elaborator reads -/

set_option linter.unusedVariables.funArgs false in
/-- The type of an argument `(x : α := default)`. -/
@[reducible] def optParam (α : Sort u) (default : α) : Sort u := α

/-- Marks a parameter of a class that follows from the others. -/
@[reducible] def outParam (α : Sort u) : Sort u := α

/-- Marks a parameter of a class that every instance fixes. -/
@[reducible] def semiOutParam (α : Sort u) : Sort u := α

set_option linter.unusedVariables.funArgs false in
/-- The pattern `x@h:p`. -/
@[reducible] def namedPattern {α : Sort u} (x a : α) (h : Eq x a) : α := a

/-- The axiom behind `sorry`; Lean warns of each declaration that uses it. -/
@[extern "lean_sorry", never_extract]
axiom sorryAx (α : Sort u) (synthetic : Bool) : α
