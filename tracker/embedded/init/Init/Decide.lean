prelude
import Init.Logic

/-! # Truth values and decisions

`Bool` and its operations, inhabited types, the axiom of choice, and `Decidable`: a truth value
together with the proof that it is the right one. -/

universe u v w

theorem Bool.eq_false_of_ne_true : {b : Bool} → Not (Eq b true) → Eq b false
  | true, h => absurd rfl h
  | false, _ => rfl

theorem Bool.eq_true_of_ne_false : {b : Bool} → Not (Eq b false) → Eq b true
  | true, _ => rfl
  | false, h => absurd rfl h

/-! ## Inhabited types -/

/-- Types with an element to fall back on. -/
class Inhabited (α : Sort u) where
  default : α

export Inhabited (default)

/-- Types that have an element; unlike `Inhabited`, nobody says which. -/
class inductive Nonempty (α : Sort u) : Prop where
  | intro (val : α) : Nonempty α

/-- The axiom of choice: an element of any type that has one. -/
axiom Classical.choice {α : Sort u} : Nonempty α → α

protected theorem Nonempty.elim {α : Sort u} {p : Prop} (h₁ : Nonempty α) (h₂ : α → p) : p :=
  Nonempty.rec (motive := fun _ => p) h₂ h₁

instance instNonemptyOfInhabited {α : Sort u} [Inhabited α] : Nonempty α := ⟨default⟩

noncomputable def Classical.ofNonempty {α : Sort u} [Nonempty α] : α := Classical.choice inferInstance

instance instNonemptyForall {α : Sort u} {β : Sort v} [Nonempty β] : Nonempty (α → β) :=
  ⟨fun _ => Classical.ofNonempty⟩

instance Pi.instNonempty {α : Sort u} {β : α → Sort v} [(a : α) → Nonempty (β a)] :
    Nonempty ((a : α) → β a) :=
  ⟨fun _ => Classical.ofNonempty⟩

instance : Inhabited (Sort u) where
  default := PUnit

instance (α : Sort u) {β : Sort v} [Inhabited β] : Inhabited (α → β) where
  default := fun _ => default

instance Pi.instInhabited {α : Sort u} {β : α → Sort v} [(a : α) → Inhabited (β a)] :
    Inhabited ((a : α) → β a) where
  default := fun _ => default

instance instInhabitedBool : Inhabited Bool where
  default := false

/-! ## Types in higher universes -/

/-- A type, or a proposition, one universe up. -/
structure PLift (α : Sort u) : Type u where
  up ::
  down : α

/-- A type in a higher universe. -/
structure ULift.{r, s} (α : Type s) : Type (max s r) where
  up ::
  down : α

/-- A type, or a proposition, in a higher universe. -/
structure PULift.{r, s} (α : Sort s) : Sort (max s r 1) where
  up ::
  down : α

/-- Types that have an element, as a type. -/
def NonemptyType := Subtype fun α : Type u => Nonempty α

abbrev NonemptyType.type (type : NonemptyType.{u}) : Type u := type.val

instance : Inhabited NonemptyType.{u} where
  default := ⟨PUnit, ⟨⟨⟩⟩⟩

/-! ## Boolean operations -/

/-- `bif c then x else y`. -/
@[macro_inline, implicit_reducible] def cond {α : Sort u} (c : Bool) (x y : α) : α :=
  match c with
  | true => x
  | false => y

@[implicit_reducible] noncomputable def Bool.or (x y : Bool) : Bool := Bool.rec y true x

@[implicit_reducible] noncomputable def Bool.and (x y : Bool) : Bool := Bool.rec false y x

@[implicit_reducible] noncomputable def Bool.not (x : Bool) : Bool := Bool.rec true false x

@[macro_inline] def Bool.Internal.or (x y : Bool) : Bool :=
  match x with
  | true => true
  | false => y

@[macro_inline] def Bool.Internal.and (x y : Bool) : Bool :=
  match x with
  | false => false
  | true => y

@[inline] def Bool.Internal.not : Bool → Bool
  | true => false
  | false => true

/- What the three are compiled to. -/
@[csimp] theorem Bool.and_eq_internalAnd : Eq Bool.and Bool.Internal.and :=
  funext fun x => match x with
    | true => rfl
    | false => rfl

@[csimp] theorem Bool.or_eq_internalOr : Eq Bool.or Bool.Internal.or :=
  funext fun x => match x with
    | true => rfl
    | false => rfl

@[csimp] theorem Bool.not_eq_internalNot : Eq Bool.not Bool.Internal.not :=
  funext fun x => match x with
    | true => rfl
    | false => rfl

export Bool (or and not)

@[inline, implicit_reducible] def Bool.beq (a b : Bool) : Bool :=
  match b with
  | false => not a
  | true => a

/-- What a truth value says of a proposition: that it holds, or that it does not. -/
abbrev Bool.Reflects : Bool → Prop → Prop
  | false, p => Not p
  | true, p => p

/-! ## Decidable propositions -/

/-- A truth value for `p`, and the proof that it is the right one. -/
class Decidable (p : Prop) where
  intro ::
  decide : Bool
  reflects_decide (p) : decide.Reflects p

attribute [implicit_reducible] Decidable.decide

@[match_pattern] abbrev Decidable.isFalse (h : Not p) : Decidable p := ⟨false, h⟩

@[match_pattern] abbrev Decidable.isTrue (h : p) : Decidable p := ⟨true, h⟩

/-- Cases on a decision are its two outcomes. -/
@[cases_eliminator, induction_eliminator, elab_as_elim]
abbrev Decidable.falseTrueCases {p : Prop} {motive : Decidable p → Sort u}
    (isFalse : ∀ h, motive (isFalse h)) (isTrue : ∀ h, motive (isTrue h)) (t : Decidable p) : motive t :=
  t.casesOn fun b => b.casesOn isFalse isTrue

export Decidable (isTrue isFalse decide)

abbrev DecidablePred {α : Sort u} (r : α → Prop) := (a : α) → Decidable (r a)

abbrev DecidableRel {α : Sort u} {β : Sort v} (r : α → β → Prop) := (a : α) → (b : β) → Decidable (r a b)

abbrev DecidableEq (α : Sort u) := (a b : α) → Decidable (Eq a b)

def decEq {α : Sort u} [inst : DecidableEq α] (a b : α) : Decidable (Eq a b) := inst a b

/- `Bool.noConfusion` needs numbers; until there are some, a proposition tells the two values apart. -/
private theorem Bool.apart (h : Eq true false) : False :=
  @Eq.rec Bool true (fun b _ => cond b True False) True.intro false h

theorem Bool.ne_false_of_eq_true {b : Bool} (h : Eq b true) : Not (Eq b false) :=
  fun h' => Bool.apart (Eq.trans (Eq.symm h) h')

theorem Bool.ne_true_of_eq_false {b : Bool} (h : Eq b false) : Not (Eq b true) :=
  fun h' => Bool.apart (Eq.trans (Eq.symm h') h)

set_option linter.unusedVariables false in
theorem decide_eq_true : [inst : Decidable p] → p → Eq (decide p) true
  | isTrue _, _ => rfl
  | isFalse h, hp => absurd hp h

theorem decide_eq_false : [Decidable p] → Not p → Eq (decide p) false
  | isTrue h, hn => absurd h hn
  | isFalse _, _ => rfl

theorem of_decide_eq_true [inst : Decidable p] : Eq (decide p) true → p := fun h =>
  match (generalizing := false) inst with
  | isTrue hp => hp
  | isFalse hn => absurd h (Bool.ne_true_of_eq_false (decide_eq_false hn))

theorem of_decide_eq_false [inst : Decidable p] : Eq (decide p) false → Not p := fun h =>
  match (generalizing := false) inst with
  | isTrue hp => absurd h (Bool.ne_false_of_eq_true (decide_eq_true hp))
  | isFalse hn => hn

theorem of_decide_eq_self_eq_true [inst : DecidableEq α] (a : α) : Eq (decide (Eq a a)) true :=
  decide_eq_true rfl

@[macro_inline]
instance instDecidableAnd {p q} [dp : Decidable p] [dq : Decidable q] : Decidable (And p q) where
  decide := and (decide p) (decide q)
  reflects_decide :=
    match dp, dq with
    | isTrue hp, isTrue hq => ⟨hp, hq⟩
    | isTrue _, isFalse hq => fun h => hq h.right
    | isFalse hp, _ => fun h => hp h.left

@[macro_inline] instance instDecidableOr [dp : Decidable p] [dq : Decidable q] : Decidable (Or p q) where
  decide := or (decide p) (decide q)
  reflects_decide :=
    match dp, dq with
    | isTrue hp, _ => .inl hp
    | isFalse _, isTrue hq => .inr hq
    | isFalse hp, isFalse hq => fun h => h.elim hp hq

@[inline] instance instDecidableNot [dp : Decidable p] : Decidable (Not p) where
  decide := not (decide p)
  reflects_decide :=
    match dp with
    | isTrue hp => fun hn => hn hp
    | isFalse hn => hn

@[inline, implicit_reducible] def Bool.decEq (a b : Bool) : Decidable (Eq a b) where
  decide := a.beq b
  reflects_decide :=
    match a, b with
    | true, true => rfl
    | true, false => fun h => Bool.apart h
    | false, true => fun h => Bool.apart (Eq.symm h)
    | false, false => rfl

@[macro_inline] instance instDecidableEqBool : DecidableEq Bool := Bool.decEq

/-- Types with an equality that a program can compute, `a == b`. -/
class BEq (α : Type u) where
  beq : α → α → Bool

instance (priority := 500) instBEqOfDecidableEq [DecidableEq α] : BEq α where
  beq a b := decide (Eq a b)

/-- `a != b`. -/
@[inline] def bne {α : Type u} [BEq α] (a b : α) : Bool := not (BEq.beq a b)

/-! ## Case distinctions in terms -/

/-- `if h : c then t h else e h`. -/
@[macro_inline, implicit_reducible]
def dite {α : Sort u} (c : Prop) [h : Decidable c] (t : c → α) (e : Not c → α) : α :=
  h.decide.casesOn e t h.reflects_decide

/-- `if c then t else e`. -/
@[macro_inline, implicit_reducible]
def ite {α : Sort u} (c : Prop) [h : Decidable c] (t e : α) : α :=
  dite c (fun _ => t) (fun _ => e)
