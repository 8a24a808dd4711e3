prelude
import Init.Data

/-! # Words, characters, arrays, strings

The runtime represents all of these in its own way; the functions marked `extern` are its own. What a
string literal means is decided here: the characters' UTF-8 encoding. -/

universe u v w

/-! ## Machine words -/

/-- The numbers below `2 ^ w`. -/
structure BitVec (w : Nat) where
  ofFin ::
  toFin : Fin (HPow.hPow 2 w)

@[implicit_reducible]
def BitVec.decEq (x y : BitVec w) : Decidable (Eq x y) where
  decide := decide (Eq x.toFin y.toFin)
  reflects_decide :=
    match instDecidableEqFin _ x.toFin y.toFin with
    | isTrue h => congrArg BitVec.ofFin h
    | isFalse h => fun h' => h (congrArg BitVec.toFin h')

instance : DecidableEq (BitVec w) := BitVec.decEq

@[match_pattern, implicit_reducible]
protected def BitVec.ofNatLT {w : Nat} (i : Nat) (p : LT.lt i (HPow.hPow 2 w)) : BitVec w where
  toFin := ⟨i, p⟩

@[match_pattern, implicit_reducible]
protected def BitVec.ofNat (n : Nat) (i : Nat) : BitVec n where
  toFin := ⟨HMod.hMod i (HPow.hPow 2 n), Nat.mod_lt _ (Nat.pow_pos (Nat.zero_lt_succ _))⟩

@[implicit_reducible]
protected def BitVec.toNat (x : BitVec w) : Nat := x.toFin.val

instance : LT (BitVec w) where
  lt x y := LT.lt x.toNat y.toNat

instance (x y : BitVec w) : Decidable (LT.lt x y) := Nat.decLt x.toNat y.toNat

instance : LE (BitVec w) where
  le x y := LE.le x.toNat y.toNat

instance (x y : BitVec w) : Decidable (LE.le x y) := Nat.decLe x.toNat y.toNat

abbrev UInt8.size : Nat := 256

structure UInt8 where
  ofBitVec ::
  toBitVec : BitVec 8

attribute [extern "lean_uint8_of_nat_mk"] UInt8.ofBitVec
attribute [extern "lean_uint8_to_nat"] UInt8.toBitVec

@[extern "lean_uint8_of_nat", implicit_reducible]
def UInt8.ofNat (n : @& Nat) : UInt8 := ⟨BitVec.ofNat 8 n⟩

@[extern "lean_uint8_dec_eq", implicit_reducible]
def UInt8.decEq (a b : UInt8) : Decidable (Eq a b) where
  decide := decide (Eq a.toBitVec b.toBitVec)
  reflects_decide :=
    match instDecidableEqBitVec a.toBitVec b.toBitVec with
    | isTrue h => congrArg UInt8.ofBitVec h
    | isFalse h => fun h' => h (congrArg UInt8.toBitVec h')

instance : DecidableEq UInt8 := UInt8.decEq

abbrev UInt32.size : Nat := 4294967296

structure UInt32 where
  ofBitVec ::
  toBitVec : BitVec 32

attribute [extern "lean_uint32_of_nat_mk"] UInt32.ofBitVec
attribute [extern "lean_uint32_to_nat"] UInt32.toBitVec

@[extern "lean_uint32_of_nat", implicit_reducible]
def UInt32.ofNatLT (n : @& Nat) (h : LT.lt n UInt32.size) : UInt32 where
  toBitVec := BitVec.ofNatLT n h

@[extern "lean_uint32_to_nat", implicit_reducible]
def UInt32.toNat (n : UInt32) : Nat := n.toBitVec.toNat

@[extern "lean_uint32_dec_eq", implicit_reducible]
def UInt32.decEq (a b : UInt32) : Decidable (Eq a b) where
  decide := decide (Eq a.toBitVec b.toBitVec)
  reflects_decide :=
    match instDecidableEqBitVec a.toBitVec b.toBitVec with
    | isTrue h => congrArg UInt32.ofBitVec h
    | isFalse h => fun h' => h (congrArg UInt32.toBitVec h')

instance : DecidableEq UInt32 := UInt32.decEq

abbrev UInt64.size : Nat := 18446744073709551616

structure UInt64 where
  ofBitVec ::
  toBitVec : BitVec 64

attribute [extern "lean_uint64_of_nat_mk"] UInt64.ofBitVec
attribute [extern "lean_uint64_to_nat"] UInt64.toBitVec

@[extern "lean_uint64_of_nat", implicit_reducible]
def UInt64.ofNatLT (n : @& Nat) (h : LT.lt n UInt64.size) : UInt64 where
  toBitVec := BitVec.ofNatLT n h

instance : Inhabited UInt64 where
  default := UInt64.ofNatLT 0 (of_decide_eq_true rfl)

/-! ## Characters -/

/-- Unicode scalar values: below `0x110000`, and no surrogate. -/
abbrev Nat.isValidChar (n : Nat) : Prop := Or (LT.lt n 0xd800) (And (LT.lt 0xdfff n) (LT.lt n 0x110000))

abbrev UInt32.isValidChar (n : UInt32) : Prop := n.toNat.isValidChar

structure Char where
  val : UInt32
  valid : val.isValidChar

private theorem Char.small {n : Nat} (h : n.isValidChar) : LT.lt n UInt32.size :=
  h.elim (fun h => Nat.lt_trans h (of_decide_eq_true rfl)) (fun h => Nat.lt_trans h.right (of_decide_eq_true rfl))

@[extern "lean_uint32_of_nat", implicit_reducible]
def Char.ofNatAux (n : @& Nat) (h : n.isValidChar) : Char where
  val := ⟨BitVec.ofNatLT n (Char.small h)⟩
  valid := h

/-- The character with the code `n`; `'\0'` when there is none. -/
@[noinline, match_pattern, implicit_reducible]
def Char.ofNat (n : Nat) : Char :=
  dite n.isValidChar (fun h => Char.ofNatAux n h)
    (fun _ => ⟨⟨BitVec.ofNatLT 0 (of_decide_eq_true rfl)⟩, Or.inl (of_decide_eq_true rfl)⟩)

/-! ## Arrays -/

structure Array (α : Type u) where
  mk ::
  toList : List α

attribute [extern "lean_array_to_list"] Array.toList
attribute [extern "lean_array_mk"] Array.mk

@[match_pattern] abbrev List.toArray (xs : List α) : Array α := .mk xs

@[extern "lean_mk_empty_array_with_capacity", implicit_reducible]
def Array.emptyWithCapacity {α : Type u} (c : @& Nat) : Array α where
  toList := List.nil

@[inline, implicit_reducible] def Array.empty {α : Type u} : Array α := emptyWithCapacity 0

@[extern "lean_array_get_size", tagged_return, instance_reducible]
def Array.size {α : Type u} (a : @& Array α) : Nat := a.toList.length

@[extern "lean_array_fget_borrowed"]
unsafe opaque Array.getInternalBorrowed {α : Type u} (a : @& Array α) (i : @& Nat) (h : LT.lt i a.size) : α :=
  a.toList.get ⟨i, h⟩

@[extern "lean_array_fget", implicit_reducible]
def Array.getInternal {α : Type u} (a : @& Array α) (i : @& Nat) (h : LT.lt i a.size) : α :=
  a.toList.get ⟨i, h⟩

@[inline] abbrev Array.getD (a : Array α) (i : Nat) (v₀ : α) : α :=
  dite (LT.lt i a.size) (fun h => a.getInternal i h) (fun _ => v₀)

@[extern "lean_array_push", implicit_reducible]
def Array.push {α : Type u} (a : Array α) (v : α) : Array α where
  toList := List.concat a.toList v

/- Quotations build their nodes with these. -/
def Array.mkArray0 {α : Type u} : Array α := empty

def Array.mkArray1 {α : Type u} (a₁ : α) : Array α := empty.push a₁

def Array.mkArray2 {α : Type u} (a₁ a₂ : α) : Array α := (mkArray1 a₁).push a₂

def Array.mkArray3 {α : Type u} (a₁ a₂ a₃ : α) : Array α := (mkArray2 a₁ a₂).push a₃

def Array.mkArray4 {α : Type u} (a₁ a₂ a₃ a₄ : α) : Array α := (mkArray3 a₁ a₂ a₃).push a₄

def Array.mkArray5 {α : Type u} (a₁ a₂ a₃ a₄ a₅ : α) : Array α := (mkArray4 a₁ a₂ a₃ a₄).push a₅

def Array.mkArray6 {α : Type u} (a₁ a₂ a₃ a₄ a₅ a₆ : α) : Array α := (mkArray5 a₁ a₂ a₃ a₄ a₅).push a₆

def Array.mkArray7 {α : Type u} (a₁ a₂ a₃ a₄ a₅ a₆ a₇ : α) : Array α := (mkArray6 a₁ a₂ a₃ a₄ a₅ a₆).push a₇

def Array.mkArray8 {α : Type u} (a₁ a₂ a₃ a₄ a₅ a₆ a₇ a₈ : α) : Array α :=
  (mkArray7 a₁ a₂ a₃ a₄ a₅ a₆ a₇).push a₈

private def Array.pushAll {α : Type u} : Array α → List α → Array α
  | as, .nil => as
  | as, .cons b bs => pushAll (as.push b) bs

protected def Array.append {α : Type u} (as : Array α) (bs : Array α) : Array α := as.pushAll bs.toList

protected def Array.appendCore {α : Type u} (as : Array α) (bs : Array α) : Array α := as.append bs

instance : Append (Array α) := ⟨Array.append⟩

private def Array.copyFrom {α : Type u} (as : Array α) : (count i : Nat) → Array α → Array α
  | .zero, _, bs => bs
  | .succ count, i, bs =>
    dite (LT.lt i as.size)
      (fun h => copyFrom as count (HAdd.hAdd i 1) (bs.push (as.getInternal i h))) (fun _ => bs)

/-- The elements from `start` up to `stop`, without the latter. -/
def Array.extract {α : Type u} (as : Array α) (start : Nat := 0) (stop : Nat := as.size) : Array α :=
  as.copyFrom (HSub.hSub (min stop as.size) start) start empty

structure ByteArray where
  mk ::
  data : Array UInt8

attribute [extern "lean_byte_array_mk"] ByteArray.mk
attribute [extern "lean_byte_array_data"] ByteArray.data

@[extern "lean_byte_array_size", tagged_return, implicit_reducible]
def ByteArray.size : (@& ByteArray) → Nat
  | ⟨bs⟩ => bs.size

/-! ## Strings -/

/- The `k` continuation bytes that end the encoding of `v`: six binary digits each. -/
private def String.utf8Tail (v : Nat) : (k : Nat) → List UInt8 → List UInt8
  | .zero, rest => rest
  | .succ k, rest =>
    utf8Tail (HDiv.hDiv v 64) k (.cons (UInt8.ofNat (HAdd.hAdd (HMod.hMod v 64) 128)) rest)

/-- The UTF-8 encoding of a character: one byte below 128, else a first byte that says how many
follow. -/
@[implicit_reducible]
def String.utf8EncodeChar (c : Char) : List UInt8 :=
  let v := c.val.toNat
  ite (LE.le v 0x7f) (.cons (UInt8.ofNat v) .nil)
    (ite (LE.le v 0x7ff) (.cons (UInt8.ofNat (HAdd.hAdd (HDiv.hDiv v 64) 0xc0)) (utf8Tail v 1 .nil))
      (ite (LE.le v 0xffff) (.cons (UInt8.ofNat (HAdd.hAdd (HDiv.hDiv v 4096) 0xe0)) (utf8Tail v 2 .nil))
        (.cons (UInt8.ofNat (HAdd.hAdd (HDiv.hDiv v 262144) 0xf0)) (utf8Tail v 3 .nil))))

private def String.utf8EncodeAll : List Char → List UInt8
  | .nil => .nil
  | .cons c cs => List.append (utf8EncodeChar c) (utf8EncodeAll cs)

/-- The UTF-8 encoding of a text. -/
@[implicit_reducible]
noncomputable def List.utf8Encode (l : List Char) : ByteArray := ⟨⟨String.utf8EncodeAll l⟩⟩

/-- The bytes are the encoding of some text. -/
inductive ByteArray.IsValidUTF8 (b : ByteArray) : Prop
  | intro (m : List Char) (hm : Eq b (List.utf8Encode m))

/-- Text, as the bytes of its UTF-8 encoding. -/
structure String where ofByteArray ::
  toByteArray : ByteArray
  isValidUTF8 : ByteArray.IsValidUTF8 toByteArray

attribute [extern "lean_string_to_utf8"] String.toByteArray
attribute [extern "lean_string_from_utf8_unchecked"] String.ofByteArray

/-- The string of some characters. The kernel reads a string literal as such a list. -/
@[extern "lean_string_mk", implicit_reducible]
def String.ofList (data : List Char) : String := ⟨List.utf8Encode data, .intro data rfl⟩

@[extern "lean_string_dec_eq", instance_reducible]
def String.decEq (s₁ s₂ : @& String) : Decidable (Eq s₁ s₂) :=
  match s₁, s₂ with
  | ⟨⟨⟨bs₁⟩⟩, _⟩, ⟨⟨⟨bs₂⟩⟩, _⟩ =>
    match List.hasDecEq bs₁ bs₂ with
    | isTrue h => isTrue (match bs₁, bs₂, h with | _, _, .refl _ => rfl)
    | isFalse h => isFalse fun h' => h (congrArg (fun s : String => s.toByteArray.data.toList) h')

instance : DecidableEq String := String.decEq

private theorem List.append_thrice {α : Type u} (as bs cs : List α) :
    Eq (List.append (List.append as bs) cs) (List.append as (List.append bs cs)) :=
  List.rec (motive := fun as => Eq (List.append (List.append as bs) cs) (List.append as (List.append bs cs)))
    rfl (fun a _ ih => congrArg (List.cons a) ih) as

private theorem String.utf8EncodeAll_append (a b : List Char) :
    Eq (utf8EncodeAll (List.append a b)) (List.append (utf8EncodeAll a) (utf8EncodeAll b)) :=
  List.rec
    (motive := fun a => Eq (utf8EncodeAll (List.append a b)) (List.append (utf8EncodeAll a) (utf8EncodeAll b)))
    rfl (fun c cs ih => Eq.trans (congrArg (List.append (utf8EncodeChar c)) ih)
      (Eq.symm (List.append_thrice (utf8EncodeChar c) (utf8EncodeAll cs) (utf8EncodeAll b)))) a

private theorem ByteArray.IsValidUTF8.append {bs cs : List UInt8} :
    ByteArray.IsValidUTF8 ⟨⟨bs⟩⟩ → ByteArray.IsValidUTF8 ⟨⟨cs⟩⟩ → ByteArray.IsValidUTF8 ⟨⟨List.append bs cs⟩⟩
  | .intro m hm, .intro n hn => .intro (List.append m n) (
      congrArg (fun l => ByteArray.mk (Array.mk l)) (Eq.trans
        (congr (congrArg List.append (congrArg (fun x : ByteArray => x.data.toList) hm))
          (congrArg (fun x : ByteArray => x.data.toList) hn))
        (Eq.symm (String.utf8EncodeAll_append m n))))

/-- `s ++ t`: the bytes of `s`, then those of `t`. -/
@[extern "lean_string_append"]
protected def String.append : String → (@& String) → String
  | ⟨⟨⟨bs⟩⟩, hs⟩, ⟨⟨⟨cs⟩⟩, ht⟩ => ⟨⟨⟨List.append bs cs⟩⟩, hs.append ht⟩

instance : Append String := ⟨String.append⟩

instance : Inhabited String := ⟨""⟩

/-- A position in a string, in bytes. -/
structure String.Pos.Raw where
  byteIdx : Nat := 0

/-- A piece of a string. -/
structure Substring.Raw where
  str : String
  startPos : String.Pos.Raw
  stopPos : String.Pos.Raw

@[extern "lean_string_utf8_byte_size", tagged_return, implicit_reducible]
def String.utf8ByteSize (s : @& String) : Nat := s.toByteArray.size

/-- The whole string as a piece of itself. -/
def String.toRawSubstring' (s : String) : Substring.Raw := ⟨s, ⟨0⟩, ⟨s.utf8ByteSize⟩⟩

class Hashable (α : Sort u) where
  hash : α → UInt64

export Hashable (hash)

@[extern "lean_uint64_mix_hash"]
opaque mixHash (u₁ u₂ : UInt64) : UInt64

@[extern "lean_string_hash"]
protected opaque String.hash (s : @& String) : UInt64

instance : Hashable String where
  hash := String.hash
