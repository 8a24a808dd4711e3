import NetTies.Foundation.Combinators

/-! # Linear layers

The linear maps of the networks, each with its transpose: multiplication by constants, the sum of the
entries and its transpose the broadcast, the transposition of a matrix, the exchange of heads and
tokens, and the batch of a linear map. A linear layer's rendered backward is its transpose, so its
leaf tie is `rfl` (`Linear.adj_eq_vjp`).

Answers: the attention-block chain: `transposeFlat`, and the split into heads. -/

namespace NetTies

variable {R S : Type} [CommRing R] [CommRing S] {m n H T d B : Nat}

/-- The leaf tie of every linear layer. -/
theorem Linear.adj_eq_vjp (A : Linear R m n) (x : Vec R m) (dy : Vec R n) :
    A.adj dy = A.layer.vjp.backward x dy := rfl

namespace Linear

/-! ## Constants -/

/-- Each entry times a constant of its own. -/
def diag (γ : Vec R n) : Linear R n n where
  map := ⟨fun x i => γ i * x i, fun x i => .const (γ i) * x i⟩
  adj dy i := γ i * dy i
  onDual_jet x v := funext fun i => Dual.ext rfl
    (show γ i * v i + 0 * x i = γ i * v i by rw [zero_mul, add_zero])
  adjoint v dy := sum_congr fun i =>
    show γ i * v i * dy i = v i * (γ i * dy i) by simp only [ring_laws]

/-- All entries times one constant. -/
def scale (c : R) (n : Nat) : Linear R n n := diag fun _ => c

/-! ## Sum and broadcast -/

/-- The sum of all entries. -/
def sumAll (R : Type) [CommRing R] (n : Nat) : Linear R n 1 where
  map := ⟨fun x _ => ∑ i, x i, fun x _ => ∑ i, x i⟩
  adj dy _ := dy .zero
  onDual_jet x v := funext fun _ => sum_dual x v
  adjoint v dy := (add_zero _).trans (sum_mul v (dy .zero))

/-- One number in all entries. -/
def broadcast (R : Type) [CommRing R] (n : Nat) : Linear R 1 n where
  map := ⟨fun x _ => x .zero, fun x _ => x .zero⟩
  adj dy _ := ∑ i, dy i
  onDual_jet _ _ := rfl
  adjoint v dy := (mul_sum (v .zero) dy).symm.trans (add_zero _).symm

/-! ## Batches -/

/-- A linear map on each of `B` rows. -/
def batchIdx (A : Idx B → Linear R m n) : Linear R (B * m) (B * n) where
  map := batchMapIdx B fun b => (A b).map
  adj dy := flatten fun b => (A b).adj (row dy b)
  onDual_jet x v :=
    show (flatten fun b => (A b).map.onDual (jet (row x b) (row v b))) =
      flatten fun b => jet ((A b).map (row x b)) ((A b).map (row v b)) from
    congrArg flatten (funext fun b => (A b).onDual_jet (row x b) (row v b))
  adjoint := .batch fun b => (A b).adjoint

/-- The same linear map on each of `B` rows. -/
def batch (B : Nat) (A : Linear R m n) : Linear R (B * m) (B * n) := batchIdx fun _ => A

end Linear

/-! ## Transposition, heads and tokens -/

/-- The transpose of a flattened matrix. -/
def transposeFlat (a : Vec S (m * n)) : Vec S (n * m) := flatten fun j i => row a i j

omit [CommRing S] in
theorem row_transposeFlat (a : Vec S (m * n)) (j : Idx n) :
    row (transposeFlat a) j = fun i => row a i j := row_flatten (fun j i => row a i j) j

omit [CommRing S] in
theorem transposeFlat_transposeFlat (a : Vec S (m * n)) : transposeFlat (transposeFlat a) = a :=
  batch_ext fun i => by
    rw [row_transposeFlat]
    exact funext fun j => congrFun (row_transposeFlat a j) i

theorem transposeFlat_adjoint : Adjoint (R := R) (transposeFlat (m := m) (n := n)) transposeFlat :=
  fun v dy => by
    rw [dot_batch, dot_batch]
    simp only [row_transposeFlat]
    exact sum_comm fun j i => row v i j * row dy j i

/-- Transposition; its own transpose. -/
def Linear.transpose (R : Type) [CommRing R] (m n : Nat) : Linear R (m * n) (n * m) where
  map := ⟨transposeFlat, transposeFlat⟩
  adj := transposeFlat
  onDual_jet _ _ := rfl
  adjoint := transposeFlat_adjoint

/-- `T` tokens of `H` heads become `H` heads of `T` tokens. -/
def splitHeads (x : Vec S (T * (H * d))) : Vec S (H * (T * d)) :=
  flatten fun h => flatten fun t => row (row x t) h

/-- `H` heads of `T` tokens become `T` tokens of `H` heads. -/
def mergeHeads (y : Vec S (H * (T * d))) : Vec S (T * (H * d)) :=
  flatten fun t => flatten fun h => row (row y h) t

omit [CommRing S] in
theorem row_splitHeads (x : Vec S (T * (H * d))) (h : Idx H) (t : Idx T) :
    row (row (splitHeads x) h) t = row (row x t) h := by
  rw [splitHeads, row_flatten, row_flatten]

omit [CommRing S] in
theorem row_mergeHeads (y : Vec S (H * (T * d))) (t : Idx T) (h : Idx H) :
    row (row (mergeHeads y) t) h = row (row y h) t := by
  rw [mergeHeads, row_flatten, row_flatten]

omit [CommRing S] in
theorem mergeHeads_splitHeads (x : Vec S (T * (H * d))) : mergeHeads (splitHeads x) = x :=
  batch_ext fun t => batch_ext fun h => by rw [row_mergeHeads, row_splitHeads]

theorem splitHeads_adjoint :
    Adjoint (R := R) (splitHeads (T := T) (H := H) (d := d)) mergeHeads := fun v dy => by
  rw [dot_batch, dot_batch v, sum_congr fun h => dot_batch (row (splitHeads v) h) (row dy h),
    sum_congr fun t => dot_batch (row v t) (row (mergeHeads dy) t), sum_comm]
  simp only [row_splitHeads, row_mergeHeads]

theorem mergeHeads_adjoint :
    Adjoint (R := R) (mergeHeads (T := T) (H := H) (d := d)) splitHeads := fun v dy => by
  rw [dot_comm, ← splitHeads_adjoint, dot_comm]

/-- Tokens of heads to heads of tokens. -/
def Linear.splitHeads (R : Type) [CommRing R] (T H d : Nat) :
    Linear R (T * (H * d)) (H * (T * d)) where
  map := ⟨NetTies.splitHeads, NetTies.splitHeads⟩
  adj := NetTies.mergeHeads
  onDual_jet _ _ := rfl
  adjoint := splitHeads_adjoint

/-- Heads of tokens to tokens of heads. -/
def Linear.mergeHeads (R : Type) [CommRing R] (T H d : Nat) :
    Linear R (H * (T * d)) (T * (H * d)) where
  map := ⟨NetTies.mergeHeads, NetTies.mergeHeads⟩
  adj := NetTies.splitHeads
  onDual_jet _ _ := rfl
  adjoint := mergeHeads_adjoint

end NetTies
