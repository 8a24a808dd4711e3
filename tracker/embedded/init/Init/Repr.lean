prelude
import Init.Core

/-! # Showing values

What `#eval` and `deriving Repr` need: formats, the class `Repr`, and its instances for the types of
this Init. Formats indent by integers, which are here for their sake. -/

universe u v

/-! ## Integers -/

set_option genCtorIdx false in
/-- The integers: `ofNat n` is `n`, `negSucc n` is `-(n + 1)`. -/
inductive Int : Type where
  | ofNat : Nat → Int
  | negSucc : Nat → Int

attribute [extern "lean_nat_to_int"] Int.ofNat
attribute [extern "lean_int_neg_succ_of_nat"] Int.negSucc

instance : Coe Nat Int := ⟨Int.ofNat⟩

instance instOfNat {n : Nat} : OfNat Int n := ⟨Int.ofNat n⟩

namespace Int

def negOfNat : Nat → Int
  | 0 => 0
  | .succ m => negSucc m

set_option bootstrap.genMatcherCode false in
@[extern "lean_int_neg"] protected def neg (n : @& Int) : Int :=
  match n with
  | ofNat n => negOfNat n
  | negSucc n => ofNat (.succ n)

@[default_instance mid] instance instNegInt : Neg Int := ⟨Int.neg⟩

/-- `m - n` as an integer. -/
def subNatNat (m n : Nat) : Int :=
  match (n - m : Nat) with
  | 0 => ofNat (m - n)
  | .succ k => negSucc k

set_option bootstrap.genMatcherCode false in
@[extern "lean_int_add"] protected def add (m n : @& Int) : Int :=
  match m, n with
  | ofNat m, ofNat n => ofNat (m + n)
  | ofNat m, negSucc n => subNatNat m (.succ n)
  | negSucc m, ofNat n => subNatNat n (.succ m)
  | negSucc m, negSucc n => negSucc (.succ (m + n))

instance : Add Int := ⟨Int.add⟩

@[extern "lean_int_sub"] protected def sub (m n : @& Int) : Int := m + -n

instance : Sub Int := ⟨Int.sub⟩

set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_abs"] def natAbs (m : @& Int) : Nat :=
  match m with
  | ofNat m => m
  | negSucc m => m.succ

inductive NonNeg : Int → Prop where
  | mk (n : Nat) : NonNeg (ofNat n)

protected def le (a b : Int) : Prop := NonNeg (b - a)

instance instLEInt : LE Int := ⟨Int.le⟩

protected def lt (a b : Int) : Prop := (a + 1) ≤ b

instance instLTInt : LT Int := ⟨Int.lt⟩

private noncomputable abbrev ofNatOnly : Int → Prop := fun m => Int.rec (fun _ => True) (fun _ => False) m

private theorem isNonNeg {m : Int} (h : NonNeg m) : ofNatOnly m :=
  @NonNeg.rec (fun m _ => ofNatOnly m) (fun _ => trivial) m h

set_option bootstrap.genMatcherCode false in
private noncomputable def decNonneg : (m : Int) → Decidable (NonNeg m)
  | ofNat m => isTrue (.mk m)
  | negSucc _ => isFalse isNonNeg

@[extern "lean_int_dec_le"] instance decLe (a b : @& Int) : Decidable (a ≤ b) := decNonneg _

@[extern "lean_int_dec_lt"] instance decLt (a b : @& Int) : Decidable (a < b) := decNonneg _

end Int

attribute [gen_constructor_elims] Int

/-! ## Formats -/

namespace Std

inductive Format.FlattenBehavior where
  | allOrNone
  | fill

/-- Text with places where a line may be broken. -/
inductive Format where
  | nil : Format
  | line : Format
  | align (force : Bool) : Format
  | text : String → Format
  | nest (indent : Int) (f : Format) : Format
  | append : Format → Format → Format
  | group : Format → (behavior : Format.FlattenBehavior := Format.FlattenBehavior.allOrNone) → Format
  | tag : Nat → Format → Format

namespace Format

instance : Inhabited Format := ⟨nil⟩

instance : Append Format := ⟨Format.append⟩

instance : Coe String Format := ⟨text⟩

def fill (f : Format) : Format := group f (behavior := FlattenBehavior.fill)

@[inline] def bracket (l : String) (f : Format) (r : String) : Format :=
  group (nest (Int.ofNat l.utf8ByteSize) (l ++ f ++ r))

@[inline] def bracketFill (l : String) (f : Format) (r : String) : Format :=
  fill (nest (Int.ofNat l.utf8ByteSize) (l ++ f ++ r))

@[inline] def paren (f : Format) : Format := bracket "(" f ")"

@[inline] def sbracket (f : Format) : Format := bracket "[" f "]"

end Format

/-- Types that have a format, for readers. -/
class ToFormat (α : Type u) where
  format : α → Format

export ToFormat (format)

instance : ToFormat Format := ⟨fun f => f⟩

instance : ToFormat String := ⟨Format.text⟩

def Format.joinSep {α : Type u} [ToFormat α] : List α → Format → Format
  | [], _ => nil
  | [a], _ => format a
  | a :: as, sep => as.foldl (· ++ sep ++ format ·) (format a)

end Std

open Std (Format ToFormat)

/-! ## Values -/

/-- Types whose values can be written down as Lean would read them. -/
class Repr (α : Type u) where
  reprPrec : α → Nat → Format

export Repr (reprPrec)

abbrev repr {α : Type u} [Repr α] (a : α) : Format := reprPrec a 0

abbrev reprArg {α : Type u} [Repr α] (a : α) : Format := reprPrec a max_prec

def Repr.addAppParen (f : Format) (prec : Nat) : Format := if prec ≥ max_prec then Format.paren f else f

def Nat.digitChar (n : Nat) : Char :=
  match n with
  | 0 => '0' | 1 => '1' | 2 => '2' | 3 => '3' | 4 => '4' | 5 => '5' | 6 => '6' | 7 => '7'
  | 8 => '8' | 9 => '9' | 10 => 'a' | 11 => 'b' | 12 => 'c' | 13 => 'd' | 14 => 'e' | 15 => 'f'
  | _ => '*'

def Nat.toDigitsCore (base : Nat) : Nat → Nat → List Char → List Char
  | 0, _, ds => ds
  | fuel + 1, n, ds =>
    if n / base = 0 then digitChar (n % base) :: ds
    else toDigitsCore base fuel (n / base) (digitChar (n % base) :: ds)

def Nat.toDigits (base : Nat) (n : Nat) : List Char := toDigitsCore base (n + 1) n []

protected def Nat.repr (n : Nat) : String := String.ofList (toDigits 10 n)

@[extern "lean_native"] protected opaque String.quote (s : String) : String

@[extern "lean_native"] protected opaque Char.quote (c : Char) : String

instance : Repr Nat := ⟨fun n _ => n.repr⟩

instance (n : Nat) : Repr (Fin n) := ⟨fun i _ => repr i.val⟩

instance : Repr Int where
  reprPrec
    | .ofNat n, _ => n.repr
    | .negSucc n, prec => Repr.addAppParen ("-" ++ (n + 1).repr) prec

instance : Repr String := ⟨fun s _ => s.quote⟩

instance : Repr Char := ⟨fun c _ => c.quote⟩

instance : Repr Bool := ⟨fun b _ => bif b then "true" else "false"⟩

instance : Repr Unit := ⟨fun _ _ => "()"⟩

instance : Repr Empty := ⟨nofun⟩

instance {p : Prop} : Repr (Decidable p) where
  reprPrec
    | .isTrue _, prec => Repr.addAppParen "isTrue _" prec
    | .isFalse _, prec => Repr.addAppParen "isFalse _" prec

instance {α : Type u} [Repr α] : Repr (Option α) where
  reprPrec
    | none, _ => "none"
    | some a, prec => Repr.addAppParen ("some " ++ reprArg a) prec

instance {α : Type u} {β : Type v} [Repr α] [Repr β] : Repr (α ⊕ β) where
  reprPrec
    | .inl a, prec => Repr.addAppParen ("Sum.inl " ++ reprArg a) prec
    | .inr b, prec => Repr.addAppParen ("Sum.inr " ++ reprArg b) prec

/-- Tuples are shown without inner brackets. -/
class ReprTuple (α : Type u) where
  reprTuple : α → List Format → List Format

export ReprTuple (reprTuple)

instance {α : Type u} [Repr α] : ReprTuple α := ⟨fun a rest => rest ++ [repr a]⟩

instance {α : Type u} {β : Type v} [Repr α] [ReprTuple β] : ReprTuple (α × β) where
  reprTuple | (a, b), before => reprTuple b (before ++ [repr a])

instance {α : Type u} {β : Type v} [Repr α] [ReprTuple β] : Repr (α × β) where
  reprPrec | (a, b), _ => Format.bracket "(" (Format.joinSep (reprTuple b [repr a]) ("," ++ Format.line)) ")"

instance {α : Type u} {β : α → Type v} [Repr α] [(x : α) → Repr (β x)] : Repr (Sigma β) where
  reprPrec | ⟨a, b⟩, _ => Format.bracket "⟨" (repr a ++ ", " ++ repr b) "⟩"

instance {α : Type u} {p : α → Prop} [Repr α] : Repr (Subtype p) := ⟨fun s prec => reprPrec s.val prec⟩

private def showList {α : Type u} [Repr α] (bracket : String → Format → String → Format) : List α → Format
  | [] => "[]"
  | as => bracket "[" (Format.joinSep (as.map repr) ("," ++ Format.line)) "]"

instance {α : Type u} [Repr α] : Repr (List α) := ⟨fun as _ => showList Format.bracket as⟩

/-- Types whose values are so short that a list of them fills its lines. -/
class ReprAtom (α : Type u)

instance {α : Type u} [Repr α] [ReprAtom α] : Repr (List α) := ⟨fun as _ => showList Format.bracketFill as⟩

instance : ReprAtom Bool := ⟨⟩
instance : ReprAtom Nat := ⟨⟩
instance : ReprAtom Int := ⟨⟩
instance : ReprAtom Char := ⟨⟩
instance : ReprAtom String := ⟨⟩
