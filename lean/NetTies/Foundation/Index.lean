/-! # Index types and the flattening of a batch

`Idx n` has `n` elements. It is an inductive family, so positions are compared and taken apart by
pattern matching and no proof about an order is needed.

A batch of `B` vectors of width `n` is one vector of width `B * n`. `idxProdIdxEquiv B n` is the
bijection between the pairs (example, entry) and the positions of that vector. Its two round trips
are theorems, not `rfl`: that is why the batch lift of a composition is not the composition of the
batch lifts by definition (`NetTies.batchMap_comp`).

Answers: ViT's batched tie, item 1: the flattened batch, whose round trips are not `rfl`. -/

namespace NetTies

variable {m n B : Nat}

/-- A position among `n`. -/
inductive Idx : Nat → Type where
  | zero {n : Nat} : Idx (Nat.succ n)
  | succ {n : Nat} (i : Idx n) : Idx (Nat.succ n)

/-- A bijection, with both round trips. -/
structure Equiv (α β : Type) where
  toFun : α → β
  invFun : β → α
  symm_apply_apply : ∀ a, invFun (toFun a) = a
  apply_symm_apply : ∀ b, toFun (invFun b) = b

/-- A bijection, read backwards. -/
def Equiv.symm {α β : Type} (e : Equiv α β) : Equiv β α where
  toFun := e.invFun
  invFun := e.toFun
  symm_apply_apply := e.apply_symm_apply
  apply_symm_apply := e.symm_apply_apply

namespace Idx

/-- The first position is written `0`. -/
instance : OfNat (Idx (n + 1)) 0 where
  ofNat := .zero

/-- The position after `k` is written as the number after it. -/
instance (k : Nat) [OfNat (Idx n) k] : OfNat (Idx (n + 1)) (k + 1) where
  ofNat := .succ (OfNat.ofNat k)

/-- There is no position among none. -/
def elim0.{u} {α : Sort u} (i : Idx 0) : α := nomatch i

/-- Two positions are equal or not. -/
theorem eq_or_ne : {n : Nat} → (i j : Idx n) → i = j ∨ i ≠ j
  | _, .zero, .zero => .inl rfl
  | _, .zero, .succ _ => .inr fun e => nomatch e
  | _, .succ _, .zero => .inr fun e => nomatch e
  | _, .succ i, .succ j => (eq_or_ne i j).elim (fun e => .inl (congrArg succ e))
      fun ne => .inr fun e => ne (succ.inj e)

/-! ## Two blocks side by side -/

/-- The block of `m` positions among `m + n`. -/
def inl : {n : Nat} → Idx m → Idx (m + n)
  | 0, i => i
  | _ + 1, i => .succ (inl i)

/-- The block of `n` positions among `m + n`. -/
def inr {n : Nat} : Idx n → Idx (m + n)
  | .zero => .zero
  | .succ j => .succ (inr j)

/-- A function on `m + n` positions from one on each block. -/
def elim.{u} {α : Sort u} : {n : Nat} → (Idx m → α) → (Idx n → α) → Idx (m + n) → α
  | 0, f, _, i => f i
  | _ + 1, _, g, .zero => g .zero
  | _ + 1, f, g, .succ i => elim f (fun j => g (.succ j)) i

theorem elim_inl.{u} {α : Sort u} : {n : Nat} → (f : Idx m → α) → (g : Idx n → α) → (i : Idx m) →
    elim f g (inl i) = f i
  | 0, _, _, _ => rfl
  | _ + 1, f, g, i => elim_inl f (fun j => g (.succ j)) i

theorem elim_inr.{u} {α : Sort u} : {n : Nat} → (f : Idx m → α) → (g : Idx n → α) → (j : Idx n) →
    elim f g (inr j) = g j
  | _, _, _, .zero => rfl
  | _, f, g, .succ j => elim_inr f (fun j => g (.succ j)) j

/-- What holds in both blocks holds everywhere. -/
theorem inl_or_inr : {n : Nat} → {P : Idx (m + n) → Prop} → (∀ i, P (inl i)) → (∀ j, P (inr j)) →
    (i : Idx (m + n)) → P i
  | 0, _, hl, _, i => hl i
  | _ + 1, _, _, hr, .zero => hr .zero
  | _ + 1, P, hl, hr, .succ i =>
    inl_or_inr (P := fun i => P (.succ i)) hl (fun j => hr (.succ j)) i

/-! ## A batch -/

/-- The position of entry `j` of example `b`. -/
def pair (b : Idx B) : {n : Nat} → Idx n → Idx (B * n)
  | _, .zero => inr b
  | _, .succ j => inl (pair b j)

/-- The example and the entry at a position. -/
def unpair : {n : Nat} → Idx (B * n) → Idx B × Idx n
  | 0, i => elim0 i
  | n + 1, i => elim (m := B * n) (fun i => ((unpair i).fst, .succ (unpair i).snd))
      (fun b => (b, .zero)) i

theorem unpair_inl (i : Idx (B * n)) :
    unpair (n := n + 1) (inl i) = ((unpair i).fst, .succ (unpair i).snd) := elim_inl _ _ i

theorem unpair_inr (b : Idx B) : unpair (n := n + 1) (inr (m := B * n) b) = (b, .zero) :=
  elim_inr _ _ b

theorem unpair_pair (b : Idx B) : {n : Nat} → (j : Idx n) → unpair (pair b j) = (b, j)
  | _, .zero => unpair_inr b
  | _, .succ j => (unpair_inl (pair b j)).trans
      (congrArg (fun p : Idx B × Idx _ => (p.fst, succ p.snd)) (unpair_pair b j))

theorem pair_unpair : {n : Nat} → (i : Idx (B * n)) → pair (unpair i).fst (unpair i).snd = i
  | 0, i => elim0 i
  | n + 1, i =>
    inl_or_inr (P := fun i : Idx (B * (n + 1)) => pair (unpair i).fst (unpair i).snd = i)
      (fun i => by rw [unpair_inl]; exact congrArg inl (pair_unpair i))
      (fun b => by rw [unpair_inr]; rfl) i

/-! ## Numbers of positions -/

/-- The number of a position. -/
def val : {n : Nat} → Idx n → Nat
  | _, .zero => 0
  | _, .succ i => i.val + 1

theorem val_inl : {n : Nat} → (i : Idx m) → (inl (n := n) i).val = i.val + n
  | 0, _ => rfl
  | n + 1, i => congrArg Nat.succ (val_inl (n := n) i)

theorem val_inr : {n : Nat} → (j : Idx n) → (inr (m := m) j).val = j.val
  | _, .zero => rfl
  | _, .succ j => congrArg Nat.succ (val_inr j)

private theorem zero_add_nat : (k : Nat) → 0 + k = k
  | 0 => rfl
  | k + 1 => congrArg Nat.succ (zero_add_nat k)

private theorem succ_add_nat (i : Nat) : (k : Nat) → i + 1 + k = i + k + 1
  | 0 => rfl
  | k + 1 => congrArg Nat.succ (succ_add_nat i k)

private theorem add_right_comm_nat (i j : Nat) : (k : Nat) → i + j + k = i + k + j
  | 0 => rfl
  | k + 1 => (congrArg Nat.succ (add_right_comm_nat i j k)).trans (succ_add_nat (i + k) j).symm

/-- Position `pair b j` of a batch of `B` is number `B j + b`: the examples are interleaved. -/
theorem val_pair (b : Idx B) : {n : Nat} → (j : Idx n) → (pair b j).val = B * j.val + b.val
  | _, .zero => (val_inr b).trans (zero_add_nat b.val).symm
  | _, .succ j => (val_inl (pair b j)).trans
      ((congrArg (fun k => k + B) (val_pair b j)).trans (add_right_comm_nat (B * j.val) b.val B))

end Idx

/-- The pairs (example, entry) are the positions of the flattened batch. -/
def idxProdIdxEquiv (B n : Nat) : Equiv (Idx B × Idx n) (Idx (B * n)) where
  toFun p := Idx.pair p.fst p.snd
  invFun := Idx.unpair
  symm_apply_apply p := Idx.unpair_pair p.fst p.snd
  apply_symm_apply := Idx.pair_unpair

end NetTies
