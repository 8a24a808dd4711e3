prelude
import Init.Nat

/-! # Data

Options, lists, sums, machine words, characters, strings, arrays. -/

universe u v w

inductive Option (α : Type u) where
  | none : Option α
  | some (val : α) : Option α

attribute [unbox] Option

export Option (none some)

instance {α} : Inhabited (Option α) where
  default := none

@[macro_inline, implicit_reducible] def Option.getD (opt : Option α) (dflt : α) : α :=
  match opt with
  | some x => x
  | none => dflt

@[inline, implicit_reducible] protected def Option.map (f : α → β) : Option α → Option β
  | some x => some (f x)
  | none => none

inductive List (α : Type u) where
  | nil : List α
  | cons (head : α) (tail : List α) : List α

instance {α} : Inhabited (List α) where
  default := List.nil

@[instance_reducible] def List.length : List α → Nat
  | nil => 0
  | cons _ as => HAdd.hAdd (length as) 1

@[implicit_reducible]
def List.get {α : Type u} : (as : List α) → Fin as.length → α
  | cons a _, ⟨0, _⟩ => a
  | cons _ as, ⟨.succ i, h⟩ => get as ⟨i, Nat.le_of_succ_le_succ h⟩

@[specialize]
def List.foldl {α : Type u} {β : Type v} (f : α → β → α) : (init : α) → List β → α
  | a, nil => a
  | a, cons b l => foldl f (f a b) l

@[implicit_reducible]
def List.concat {α : Type u} : List α → α → List α
  | nil, b => cons b nil
  | cons a as, b => cons a (concat as b)

@[implicit_reducible]
protected def List.append : (xs ys : List α) → List α
  | nil, bs => bs
  | cons a as, bs => cons a (List.append as bs)

@[specialize, implicit_reducible] def List.map (f : α → β) : (l : List α) → List β
  | nil => nil
  | cons a as => cons (f a) (map f as)

@[implicit_reducible]
protected def List.beq {α : Type u} [BEq α] : (a b : List α) → Bool
  | nil, nil => true
  | cons a as, cons b bs => and (BEq.beq a b) (List.beq as bs)
  | _, _ => false

@[instance_reducible]
protected def List.hasDecEq {α : Type u} [DecidableEq α] : (a b : List α) → Decidable (Eq a b)
  | nil, nil => isTrue rfl
  | nil, cons _ _ => isFalse nofun
  | cons _ _, nil => isFalse nofun
  | cons a as, cons b bs =>
    match decEq a b with
    | isFalse h => isFalse fun h' => List.noConfusion rfl (heq_of_eq h') fun h'' _ => h (eq_of_heq h'')
    | isTrue h =>
      match List.hasDecEq as bs with
      | isFalse hs => isFalse fun h' => List.noConfusion rfl (heq_of_eq h') fun _ h'' => hs (eq_of_heq h'')
      | isTrue hs => isTrue (congr (congrArg cons h) hs)

instance {α : Type u} [DecidableEq α] : DecidableEq (List α) := List.hasDecEq

instance : Append (List α) where
  append := List.append

/-- The disjoint union of two types. -/
inductive Sum (α : Type u) (β : Type v) where
  | inl (val : α) : Sum α β
  | inr (val : β) : Sum α β

/-- The disjoint union of two types in any universe. -/
inductive PSum (α : Sort u) (β : Sort v) where
  | inl (val : α) : PSum α β
  | inr (val : β) : PSum α β

/-- Pairs whose second part has a type that depends on the first. -/
@[pp_using_anonymous_constructor]
structure Sigma {α : Type u} (β : α → Type v) where
  fst : α
  snd : β fst

attribute [unbox] Sigma

/-- `Sigma` in any universe. -/
@[pp_using_anonymous_constructor]
structure PSigma {α : Sort u} (β : α → Sort v) where
  fst : α
  snd : β fst
