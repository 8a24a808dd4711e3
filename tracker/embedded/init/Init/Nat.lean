prelude
import Init.Decide

/-! # Numbers

Natural numbers, the classes behind the arithmetical symbols, order, and `Fin n`. The functions marked
`extern` are done by the runtime (and the most of them by the kernel) with numbers of any size; the
definitions here say what they mean. -/

universe u v w

set_option genCtorIdx false in
/-- The natural numbers. -/
inductive Nat where
  | zero : Nat
  | succ (n : Nat) : Nat

instance instInhabitedNat : Inhabited Nat where
  default := Nat.zero

/-! ## The classes behind the symbols -/

/-- What the numeral `n` means in `α`. -/
class OfNat (α : Type u) (_ : Nat) where
  ofNat : α

@[default_instance 100] instance instOfNatNat (n : Nat) : OfNat Nat n where
  ofNat := n

class LE (α : Type u) where
  le : α → α → Prop

class LT (α : Type u) where
  lt : α → α → Prop

@[reducible] def GE.ge {α : Type u} [LE α] (a b : α) : Prop := LE.le b a

@[reducible] def GT.gt {α : Type u} [LT α] (a b : α) : Prop := LT.lt b a

abbrev DecidableLT (α : Type u) [LT α] := DecidableRel (LT.lt : α → α → Prop)

abbrev DecidableLE (α : Type u) [LE α] := DecidableRel (LE.le : α → α → Prop)

class Max (α : Type u) where
  max : α → α → α

export Max (max)

@[inline, instance_reducible] def maxOfLe [LE α] [DecidableRel (@LE.le α _)] : Max α where
  max x y := ite (LE.le x y) y x

class Min (α : Type u) where
  min : α → α → α

export Min (min)

@[inline, instance_reducible] def minOfLe [LE α] [DecidableRel (@LE.le α _)] : Min α where
  min x y := ite (LE.le x y) x y

/-- Relations that can be chained, as in `calc`. -/
class Trans (r : α → β → Sort u) (s : β → γ → Sort v) (t : outParam (α → γ → Sort w)) where
  trans : r a b → s b c → t a c

export Trans (trans)

instance (r : α → γ → Sort u) : Trans Eq r r where
  trans heq h := @Eq.rec _ _ (fun x _ => r x _) h _ (Eq.symm heq)

instance (r : α → β → Sort u) : Trans r Eq r where
  trans h heq := @Eq.rec _ _ (fun x _ => r _ x) h _ heq

class HAdd (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hAdd : α → β → γ

class HSub (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hSub : α → β → γ

class HMul (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hMul : α → β → γ

class HDiv (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hDiv : α → β → γ

class HMod (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hMod : α → β → γ

class HPow (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hPow : α → β → γ

class HSMul (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hSMul : α → β → γ

class HAppend (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hAppend : α → β → γ

class HOrElse (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hOrElse : α → (Unit → β) → γ

class HAndThen (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hAndThen : α → (Unit → β) → γ

class Zero (α : Type u) where
  zero : α

class One (α : Type u) where
  one : α

class Add (α : Type u) where
  add : α → α → α

class Sub (α : Type u) where
  sub : α → α → α

class Mul (α : Type u) where
  mul : α → α → α

class Neg (α : Type u) where
  neg : α → α

class Div (α : Type u) where
  div : α → α → α

class Inv (α : Type u) where
  inv : α → α

class Mod (α : Type u) where
  mod : α → α → α

/-- Divisibility, written `a ∣ b`. -/
class Dvd (α : Type _) where
  dvd : α → α → Prop

class Pow (α : Type u) (β : Type v) where
  pow : α → β → α

/-- Powers whose exponent is a natural number unless one says otherwise. -/
class NatPow (α : Type u) where
  protected pow : α → Nat → α

/-- Powers whose exponent has the type of the base unless one says otherwise. -/
class HomogeneousPow (α : Type u) where
  protected pow : α → α → α

class SMul (M : Type u) (α : Type v) where
  smul : M → α → α

class Append (α : Type u) where
  append : α → α → α

class OrElse (α : Type u) where
  orElse : α → (Unit → α) → α

class AndThen (α : Type u) where
  andThen : α → (Unit → α) → α

@[default_instance] instance instHAdd [Add α] : HAdd α α α where
  hAdd a b := Add.add a b

@[default_instance] instance instHSub [Sub α] : HSub α α α where
  hSub a b := Sub.sub a b

@[default_instance] instance instHMul [Mul α] : HMul α α α where
  hMul a b := Mul.mul a b

@[default_instance] instance instHDiv [Div α] : HDiv α α α where
  hDiv a b := Div.div a b

@[default_instance] instance instHMod [Mod α] : HMod α α α where
  hMod a b := Mod.mod a b

@[default_instance] instance instHPow [Pow α β] : HPow α β α where
  hPow a b := Pow.pow a b

@[default_instance] instance instPowNat [NatPow α] : Pow α Nat where
  pow a n := NatPow.pow a n

@[default_instance] instance [HomogeneousPow α] : Pow α α where
  pow a b := HomogeneousPow.pow a b

@[default_instance] instance instHSMul {α β} [SMul α β] : HSMul α β β where
  hSMul := SMul.smul

instance (priority := 1100) {α : Type u} [Mul α] : SMul α α where
  smul x y := Mul.mul x y

@[default_instance] instance [Append α] : HAppend α α α where
  hAppend a b := Append.append a b

@[default_instance] instance [OrElse α] : HOrElse α α α where
  hOrElse a b := OrElse.orElse a b

@[default_instance] instance [AndThen α] : HAndThen α α α where
  hAndThen a b := AndThen.andThen a b

/-- Membership, written `a ∈ s`. -/
class Membership (α : outParam (Type u)) (γ : Type v) where
  mem : γ → α → Prop

attribute [implicit_reducible] Membership.mem

/-! ## Arithmetic -/

set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_add", instance_reducible]
protected def Nat.add : (@& Nat) → (@& Nat) → Nat
  | n, .zero => n
  | n, .succ m => .succ (Nat.add n m)

instance instAddNat : Add Nat where
  add := Nat.add

attribute [match_pattern] Nat.add Add.add HAdd.hAdd Neg.neg Mul.mul HMul.hMul Inv.inv

set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_mul", instance_reducible]
protected def Nat.mul : (@& Nat) → (@& Nat) → Nat
  | _, 0 => 0
  | n, .succ m => Nat.add (Nat.mul n m) n

instance instMulNat : Mul Nat where
  mul := Nat.mul

set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_pow"]
protected def Nat.pow (n : @& Nat) : (@& Nat) → Nat
  | 0 => 1
  | .succ m => Nat.mul (Nat.pow n m) n

instance instNatPowNat : NatPow Nat := ⟨Nat.pow⟩

set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_pred", implicit_reducible]
def Nat.pred : (@& Nat) → Nat
  | 0 => 0
  | .succ n => n

set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_sub", instance_reducible]
protected def Nat.sub : (@& Nat) → (@& Nat) → Nat
  | n, 0 => n
  | n, .succ m => pred (Nat.sub n m)

instance instSubNat : Sub Nat where
  sub := Nat.sub

set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_dec_eq"]
def Nat.beq : (@& Nat) → (@& Nat) → Bool
  | .zero, .zero => true
  | .zero, .succ _ => false
  | .succ _, .zero => false
  | .succ n, .succ m => beq n m

set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_dec_le"]
def Nat.ble : (@& Nat) → (@& Nat) → Bool
  | .zero, _ => true
  | .succ _, .zero => false
  | .succ n, .succ m => ble n m

private theorem Nat.beq_same (n : Nat) : Eq (Nat.beq n n) true :=
  Nat.rec (motive := fun n => Eq (Nat.beq n n) true) rfl (fun _ ih => ih) n

/-- Terms that a map to the numbers tells apart are not equal. The binary proves with it that
constructors differ. -/
theorem noConfusion_of_Nat {α : Sort u} (f : α → Nat) {a b : α} (h : Eq a b) :
    (Nat.beq (f a) (f b)).rec False True :=
  have same : Eq (Nat.beq (f a) (f b)) true := Eq.subst (motive := fun n => Eq (Nat.beq (f a) n) true)
    (congrArg f h) (Nat.beq_same (f a))
  @Eq.rec Bool true (fun t _ => @Bool.rec (fun _ => Prop) False True t) True.intro _ (Eq.symm same)

theorem Nat.eq_of_beq_eq_true : {n m : Nat} → Eq (beq n m) true → Eq n m
  | .zero, .zero, _ => rfl
  | .zero, .succ _, h => absurd rfl (Bool.ne_false_of_eq_true h)
  | .succ _, .zero, h => absurd rfl (Bool.ne_false_of_eq_true h)
  | .succ n, .succ m, h => congrArg succ (@eq_of_beq_eq_true n m h)

theorem Nat.ne_of_beq_eq_false {n m : Nat} (h : Eq (beq n m) false) : Not (Eq n m) := fun same =>
  Bool.ne_false_of_eq_true (Eq.subst (motive := fun k => Eq (beq n k) true) same (Nat.beq_same n)) h

@[reducible, extern "lean_nat_dec_eq"]
protected def Nat.decEq (n m : @& Nat) : Decidable (Eq n m) where
  decide := beq n m
  reflects_decide :=
    match h : beq n m with
    | true => eq_of_beq_eq_true h
    | false => ne_of_beq_eq_false h

@[inline] instance instDecidableEqNat : DecidableEq Nat := Nat.decEq

/- Constructor indices and no-confusion, now that there is what they are made of. -/
attribute [gen_constructor_elims] Bool
attribute [gen_constructor_elims] Nat

/-! ## Order -/

/-- `n ≤ m` for numbers. -/
protected inductive Nat.le (n : Nat) : Nat → Prop
  | refl : Nat.le n n
  | step {m} : Nat.le n m → Nat.le n (succ m)

instance instLENat : LE Nat where
  le := Nat.le

/-- `n < m` for numbers says that `n + 1 ≤ m`. -/
@[implicit_reducible] protected def Nat.lt (n m : Nat) : Prop := Nat.le (succ n) m

instance instLTNat : LT Nat where
  lt := Nat.lt

theorem Nat.le_succ_of_le (h : LE.le n m) : LE.le n (succ m) := Nat.le.step h

protected theorem Nat.le_refl (n : Nat) : LE.le n n := Nat.le.refl

theorem Nat.le_succ (n : Nat) : LE.le n (succ n) := Nat.le.step Nat.le.refl

theorem Nat.zero_le : (n : Nat) → LE.le 0 n
  | .zero => Nat.le.refl
  | .succ n => Nat.le.step (zero_le n)

protected theorem Nat.le_trans {n m k : Nat} (h : LE.le n m) : LE.le m k → LE.le n k
  | .refl => h
  | .step h' => .step (Nat.le_trans h h')

theorem Nat.succ_le_succ {n m : Nat} : LE.le n m → LE.le (succ n) (succ m)
  | .refl => .refl
  | .step h => .step (succ_le_succ h)

theorem Nat.pred_le : (n : Nat) → LE.le (pred n) n
  | .zero => .refl
  | .succ n => le_succ n

theorem Nat.pred_le_pred {n m : Nat} : LE.le n m → LE.le (pred n) (pred m)
  | .refl => .refl
  | .step h => Nat.le_trans (pred_le n) h

theorem Nat.le_of_succ_le_succ {n m : Nat} (h : LE.le (succ n) (succ m)) : LE.le n m := pred_le_pred h

theorem Nat.not_succ_le_zero (n : Nat) : LE.le (succ n) 0 → False := nofun

theorem Nat.not_lt_zero (n : Nat) : Not (LT.lt n 0) := not_succ_le_zero n

theorem Nat.zero_lt_succ (n : Nat) : LT.lt 0 (succ n) := succ_le_succ (zero_le n)

theorem Nat.succ_pos (n : Nat) : LT.lt 0 (succ n) := zero_lt_succ n

theorem Nat.not_succ_le_self : (n : Nat) → Not (LE.le (succ n) n)
  | .zero => not_succ_le_zero _
  | .succ n => fun h => not_succ_le_self n (le_of_succ_le_succ h)

protected theorem Nat.lt_irrefl (n : Nat) : Not (LT.lt n n) := not_succ_le_self n

protected theorem Nat.lt_add_one (n : Nat) : LT.lt n (HAdd.hAdd n 1) := Nat.le_refl (succ n)

theorem Nat.lt_succ_self (n : Nat) : LT.lt n (succ n) := Nat.le_refl (succ n)

theorem Nat.le_of_lt_succ {m n : Nat} (h : LT.lt m (succ n)) : LE.le m n := le_of_succ_le_succ h

theorem Nat.lt_succ_of_le {n m : Nat} (h : LE.le n m) : LT.lt n (succ m) := succ_le_succ h

protected theorem Nat.lt_trans {n m k : Nat} (h₁ : LT.lt n m) (h₂ : LT.lt m k) : LT.lt n k :=
  Nat.le_trans (Nat.le.step h₁) h₂

protected theorem Nat.lt_of_lt_of_le {n m k : Nat} (h₁ : LT.lt n m) (h₂ : LE.le m k) : LT.lt n k :=
  Nat.le_trans h₁ h₂

protected theorem Nat.lt_of_le_of_lt {n m k : Nat} (h₁ : LE.le n m) (h₂ : LT.lt m k) : LT.lt n k :=
  Nat.le_trans (succ_le_succ h₁) h₂

protected theorem Nat.eq_or_lt_of_le {n m : Nat} : LE.le n m → Or (Eq n m) (LT.lt n m)
  | .refl => .inl rfl
  | .step h => .inr (succ_le_succ h)

protected theorem Nat.lt_or_ge (n : Nat) : (m : Nat) → Or (LT.lt n m) (GE.ge n m)
  | .zero => .inr (zero_le n)
  | .succ m =>
    match Nat.lt_or_ge n m with
    | .inl h => .inl (.step h)
    | .inr h =>
      match Nat.eq_or_lt_of_le h with
      | .inl h => .inl (h ▸ Nat.le_refl _)
      | .inr h => .inr h

protected theorem Nat.le_antisymm {n m : Nat} (h₁ : LE.le n m) (h₂ : LE.le m n) : Eq n m :=
  match Nat.eq_or_lt_of_le h₁ with
  | .inl h => h
  | .inr h => absurd (Nat.lt_of_lt_of_le h h₂) (Nat.lt_irrefl n)

protected theorem Nat.lt_of_le_of_ne {n m : Nat} (h₁ : LE.le n m) (h₂ : Not (Eq n m)) : LT.lt n m :=
  (Nat.eq_or_lt_of_le h₁).resolve_left h₂

protected theorem Nat.lt_of_not_le {a b : Nat} (h : Not (LE.le a b)) : LT.lt b a :=
  (Nat.lt_or_ge b a).resolve_right h

theorem Nat.le_of_ble_eq_true : {n m : Nat} → Eq (Nat.ble n m) true → LE.le n m
  | .zero, _, _ => zero_le _
  | .succ _, .succ _, h => succ_le_succ (le_of_ble_eq_true h)

theorem Nat.ble_self_eq_true : (n : Nat) → Eq (Nat.ble n n) true
  | .zero => rfl
  | .succ n => ble_self_eq_true n

theorem Nat.ble_succ_eq_true : {n m : Nat} → Eq (Nat.ble n m) true → Eq (Nat.ble n (succ m)) true
  | .zero, _, _ => rfl
  | .succ n, .succ _, h => ble_succ_eq_true (n := n) h

theorem Nat.ble_eq_true_of_le {n m : Nat} : LE.le n m → Eq (Nat.ble n m) true
  | .refl => ble_self_eq_true n
  | .step h => ble_succ_eq_true (ble_eq_true_of_le h)

theorem Nat.not_le_of_not_ble_eq_true {n m : Nat} (h : Not (Eq (Nat.ble n m) true)) : Not (LE.le n m) :=
  fun h' => h (ble_eq_true_of_le h')

@[extern "lean_nat_dec_le"]
instance Nat.decLe (n m : @& Nat) : Decidable (LE.le n m) where
  decide := ble n m
  reflects_decide :=
    match h : ble n m with
    | true => le_of_ble_eq_true h
    | false => not_le_of_not_ble_eq_true (Bool.ne_true_of_eq_false h)

@[extern "lean_nat_dec_lt"]
instance Nat.decLt (n m : @& Nat) : Decidable (LT.lt n m) := decLe (succ n) m

instance : Min Nat := minOfLe
instance : Max Nat := maxOfLe

theorem Nat.succ_sub_succ_eq_sub (n m : Nat) : Eq (HSub.hSub (succ n) (succ m)) (HSub.hSub n m) :=
  Nat.rec (motive := fun m => Eq (HSub.hSub (succ n) (succ m)) (HSub.hSub n m)) rfl
    (fun _ ih => congrArg pred ih) m

theorem Nat.sub_le (n : Nat) : (m : Nat) → LE.le (HSub.hSub n m) n
  | .zero => .refl
  | .succ m => Nat.le_trans (pred_le _) (sub_le n m)

theorem Nat.sub_lt : {n m : Nat} → LT.lt 0 n → LT.lt 0 m → LT.lt (HSub.hSub n m) n
  | .zero, _, h, _ => absurd h (Nat.lt_irrefl 0)
  | .succ _, .zero, _, h => absurd h (Nat.lt_irrefl 0)
  | .succ n, .succ m, _, _ => succ_sub_succ_eq_sub n m ▸ lt_succ_of_le (sub_le n m)

/-! ## Division

`Init.Arith` says what the kernel has to do with it. -/

private def Nat.divFuel (d : Nat) : (fuel n : Nat) → Nat
  | .zero, _ => 0
  | .succ fuel, n => ite (And (LT.lt 0 d) (LE.le d n)) (succ (divFuel d fuel (HSub.hSub n d))) 0

private def Nat.modFuel (d : Nat) : (fuel n : Nat) → Nat
  | .zero, n => n
  | .succ fuel, n => ite (And (LT.lt 0 d) (LE.le d n)) (modFuel d fuel (HSub.hSub n d)) n

/-- `n / d`, by at most `n` subtractions. -/
@[extern "lean_nat_div", irreducible]
protected def Nat.div (n d : @& Nat) : Nat := divFuel d n n

instance Nat.instDiv : Div Nat := ⟨Nat.div⟩

/-- What `n / d` leaves. -/
@[extern "lean_nat_mod"]
protected def Nat.mod (n d : @& Nat) : Nat := modFuel d n n

instance Nat.instMod : Mod Nat := ⟨Nat.mod⟩

private theorem Nat.modFuel_lt {d : Nat} (pos : LT.lt 0 d) :
    (fuel n : Nat) → LE.le n fuel → LT.lt (modFuel d fuel n) d
  | .zero, _, h => Nat.lt_of_le_of_lt h pos
  | .succ fuel, n, h =>
    show LT.lt (ite (And (LT.lt 0 d) (LE.le d n)) (modFuel d fuel (HSub.hSub n d)) n) d from
    match (generalizing := false) instDecidableAnd (dp := Nat.decLt 0 d) (dq := Nat.decLe d n) with
    | isTrue both => modFuel_lt pos fuel _
        (le_of_lt_succ (Nat.lt_of_lt_of_le (sub_lt (Nat.lt_of_lt_of_le pos both.right) pos) h))
    | isFalse no => Nat.lt_of_not_le fun h => no ⟨pos, h⟩

theorem Nat.mod_lt (n : Nat) {d : Nat} (pos : LT.lt 0 d) : LT.lt (HMod.hMod n d) d :=
  modFuel_lt pos n n (Nat.le_refl n)

protected theorem Nat.add_pos_right {m : Nat} (n : Nat) (h : LT.lt 0 m) : LT.lt 0 (HAdd.hAdd n m) :=
  match m, h with
  | .succ _, _ => zero_lt_succ _

protected theorem Nat.mul_pos {n m : Nat} (hn : LT.lt 0 n) (hm : LT.lt 0 m) : LT.lt 0 (HMul.hMul n m) :=
  match m, hm with
  | .succ _, _ => Nat.add_pos_right _ hn

protected theorem Nat.pow_pos {a : Nat} : {n : Nat} → LT.lt 0 a → LT.lt 0 (HPow.hPow a n)
  | .zero, _ => zero_lt_succ _
  | .succ _, h => Nat.mul_pos (Nat.pow_pos h) h

/-! ## Positions -/

/-- The natural numbers below `n`. -/
@[pp_using_anonymous_constructor]
structure Fin (n : Nat) where
  mk ::
  val : Nat
  isLt : LT.lt val n

attribute [coe] Fin.val

theorem Fin.eq_of_val_eq {n} : ∀ {i j : Fin n}, Eq i.val j.val → Eq i j
  | ⟨_, _⟩, ⟨_, _⟩, rfl => rfl

theorem Fin.val_eq_of_eq {n} {i j : Fin n} (h : Eq i j) : Eq i.val j.val := congrArg Fin.val h

instance (n : Nat) : DecidableEq (Fin n) := fun i j => {
  decide := decide (Eq i.val j.val)
  reflects_decide :=
    match instDecidableEqNat i.val j.val with
    | isTrue h => Fin.eq_of_val_eq h
    | isFalse h => fun h' => h (Fin.val_eq_of_eq h')
}

instance {n} : LT (Fin n) where
  lt a b := LT.lt a.val b.val

instance {n} : LE (Fin n) where
  le a b := LE.le a.val b.val

instance Fin.decLt {n} (a b : Fin n) : Decidable (LT.lt a b) := Nat.decLt ..

instance Fin.decLe {n} (a b : Fin n) : Decidable (LE.le a b) := Nat.decLe ..
