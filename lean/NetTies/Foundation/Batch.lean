import NetTies.Foundation.VJP

/-! # The batch lift

Where no operation couples examples, a network at a batch is the network at each example.
`batchMap B f` applies `f` to each of `B` rows; `batchMapAux B back` applies a backward slot to each
row of the saved activation and of the cotangent. The indexed forms `batchMapIdx` and
`batchMapAuxIdx` let the map depend on the example, as stochastic depth does.

The batch lift of a composition is the composition of the batch lifts (`batchMap_comp`), its Jacobian
is block-diagonal (`pdiv_batchMapIdx`), and witnesses lift example by example
(`batchMap_has_vjp_at`, `batchMap_has_vjp`).

Answers: ViT's batched tie, item 1; ConvNeXt-T's, items 1 and 2; ViT-Tiny's step tie, axis 3, the
indexed lift. -/

namespace NetTies

variable {R S T : Type} {l m n k B : Nat}

/-- Example `b` of a batch. -/
def row (x : Vec S (B * n)) (b : Idx B) : Vec S n := fun j => x ((idxProdIdxEquiv B n).toFun (b, j))

/-- The batch with the given examples. -/
def flatten (rows : Idx B → Vec S n) : Vec S (B * n) := fun i =>
  rows ((idxProdIdxEquiv B n).invFun i).fst ((idxProdIdxEquiv B n).invFun i).snd

theorem row_flatten (rows : Idx B → Vec S n) (b : Idx B) : row (flatten rows) b = rows b :=
  funext fun j => congrArg (fun p : Idx B × Idx n => rows p.fst p.snd)
    ((idxProdIdxEquiv B n).symm_apply_apply (b, j))

theorem flatten_row (x : Vec S (B * n)) : flatten (row x) = x :=
  funext fun i => congrArg x ((idxProdIdxEquiv B n).apply_symm_apply i)

/-- Batches with the same examples are equal. -/
theorem batch_ext {x y : Vec S (B * n)} (h : ∀ b, row x b = row y b) : x = y :=
  (flatten_row x).symm.trans ((congrArg flatten (funext h)).trans (flatten_row y))

/-! ## The lifts -/

/-- A function applied to each example. -/
def batchFun (B : Nat) (f : Vec S m → Vec T n) (x : Vec S (B * m)) : Vec T (B * n) :=
  flatten fun b => f (row x b)

theorem row_batchFun (f : Vec S m → Vec T n) (x : Vec S (B * m)) (b : Idx B) :
    row (batchFun B f x) b = f (row x b) := row_flatten _ b

/-- Each example's own function. -/
def batchFunIdx (B : Nat) (f : Idx B → Vec S m → Vec T n) (x : Vec S (B * m)) : Vec T (B * n) :=
  flatten fun b => f b (row x b)

/-- Each example's own backward slot, applied to its saved activation and its cotangent. -/
def batchMapAuxIdx (B : Nat) (back : Idx B → Vec S l → Vec S m → Vec S n) (s : Vec S (B * l))
    (dy : Vec S (B * m)) : Vec S (B * n) :=
  flatten fun b => back b (row s b) (row dy b)

/-- A backward slot applied to each example's saved activation and cotangent. -/
def batchMapAux (B : Nat) (back : Vec S l → Vec S m → Vec S n) :
    Vec S (B * l) → Vec S (B * m) → Vec S (B * n) :=
  batchMapAuxIdx B fun _ => back

theorem row_batchMapAux (back : Vec S l → Vec S m → Vec S n) (s : Vec S (B * l))
    (dy : Vec S (B * m)) (b : Idx B) :
    row (batchMapAux B back s dy) b = back (row s b) (row dy b) :=
  row_flatten (fun b => back (row s b) (row dy b)) b

/-- Each example's own map. -/
def batchMapIdx (B : Nat) (f : Idx B → Map R m n) : Map R (B * m) (B * n) where
  toFun x := flatten fun b => f b (row x b)
  onDual x := flatten fun b => (f b).onDual (row x b)

/-- A map applied to each example. -/
def batchMap (B : Nat) (f : Map R m n) : Map R (B * m) (B * n) := batchMapIdx B fun _ => f

theorem row_batchMapIdx (f : Idx B → Map R m n) (x : Vec R (B * m)) (b : Idx B) :
    row (batchMapIdx B f x) b = f b (row x b) := row_flatten (fun b => f b (row x b)) b

theorem row_batchMap (f : Map R m n) (x : Vec R (B * m)) (b : Idx B) :
    row (batchMap B f x) b = f (row x b) := row_batchMapIdx (fun _ => f) x b

/-- The indexed lift of compositions is the composition of the indexed lifts. -/
theorem batchMapIdx_comp (B : Nat) (g : Idx B → Map R n k) (f : Idx B → Map R m n) :
    batchMapIdx B (fun b => g b ⊚ f b) = batchMapIdx B g ⊚ batchMapIdx B f :=
  Map.ext
    (fun x => congrArg flatten (funext fun b =>
      congrArg (g b).toFun (row_flatten (fun b => f b (row x b)) b).symm))
    (fun x => congrArg flatten (funext fun b =>
      congrArg (g b).onDual (row_flatten (fun b => (f b).onDual (row x b)) b).symm))

/-- **The batch lift of a composition** is the composition of the batch lifts. The two sides agree
up to the round trip of `idxProdIdxEquiv`, so this is not `rfl`. -/
theorem batchMap_comp (B : Nat) (g : Map R n k) (f : Map R m n) :
    batchMap B (g ⊚ f) = batchMap B g ⊚ batchMap B f :=
  batchMapIdx_comp B (fun _ => g) fun _ => f

/-! ## Derivatives -/

theorem row_jet (x v : Vec R (B * n)) (b : Idx B) : row (jet x v) b = jet (row x b) (row v b) := rfl

variable [CommRing R]

/-- A dot product over a batch is the sum over its examples. -/
theorem dot_batch (u v : Vec R (B * n)) : u ⬝ v = ∑ b : Idx B, row u b ⬝ row v b :=
  sum_pair fun i => u i * v i

/-- Adjoint functions, one pair an example, are adjoint on the batch. -/
theorem Adjoint.batch {D : Idx B → Vec R m → Vec R n} {back : Idx B → Vec R n → Vec R m}
    (h : ∀ b, Adjoint (D b) (back b)) :
    Adjoint (fun v => flatten fun b => D b (row v b)) fun dy => flatten fun b => back b (row dy b) :=
  fun v dy => by
    rw [dot_batch, dot_batch]
    exact sum_congr fun b => by rw [row_flatten, row_flatten, h b]

/-- The run of a batch lift on dual numbers. -/
theorem batchMapIdx_onDual {f : Idx B → Map R m n} {x : Vec R (B * m)}
    (df : ∀ b, DifferentiableAt (f b) (row x b)) (v : Vec R (B * m)) :
    (batchMapIdx B f).onDual (jet x v) =
      jet (batchMapIdx B f x) (flatten fun b => jvp (f b) (row x b) (row v b)) :=
  show (flatten fun b => (f b).onDual (jet (row x b) (row v b))) =
    flatten fun b => jet (f b (row x b)) (jvp (f b) (row x b) (row v b)) from
  congrArg flatten (funext fun b => df b (row v b))

/-- The contraction with the Jacobian, as a witness of itself. -/
def HasVJPAt.ofJacobian (f : Map R m n) (x : Vec R m) : HasVJPAt f x where
  backward dy i := ∑ j, pdiv f x i j * dy j
  correct _ _ := rfl

theorem DifferentiableAt.batchMapIdx {f : Idx B → Map R m n} {x : Vec R (B * m)}
    (df : ∀ b, DifferentiableAt (f b) (row x b)) : DifferentiableAt (batchMapIdx B f) x :=
  .ofAdjoint (batchMapIdx_onDual df)
    (.batch fun b => (HasVJPAt.ofJacobian (f b) (row x b)).adjoint)

theorem DifferentiableAt.batchMap {f : Map R m n} {x : Vec R (B * m)}
    (df : ∀ b, DifferentiableAt f (row x b)) : DifferentiableAt (batchMap B f) x :=
  .batchMapIdx df

/-- The Jacobian of a batch lift is block-diagonal: entry `j` of example `c` depends on entry `i` of
example `b` only if `b = c`. -/
theorem pdiv_batchMapIdx {f : Idx B → Map R m n} {x : Vec R (B * m)}
    (df : ∀ b, DifferentiableAt (f b) (row x b)) (b c : Idx B) (i : Idx m) (j : Idx n) :
    pdiv (batchMapIdx B f) x (.pair b i) (.pair c j) = delta b c * pdiv (f c) (row x c) i j := by
  have h : row (delta (R := R) (.pair b i)) c = fun j => delta b c * delta i j :=
    funext fun j => delta_pair b c i j
  show ((batchMapIdx B f).onDual (jet x (delta (.pair b i))) (.pair c j)).du = _
  rw [batchMapIdx_onDual df]
  show row (flatten fun c => jvp (f c) (row x c) (row (delta (.pair b i)) c)) c j = _
  rw [row_flatten, h]
  show ∑ i', delta b c * delta i i' * pdiv (f c) (row x c) i' j = _
  rw [sum_congr fun i' => mul_assoc (delta b c) (delta i i') (pdiv (f c) (row x c) i' j),
    ← mul_sum, sum_delta_mul]

/-! ## Witnesses -/

/-- The indexed lift of certified backward functions, example by example. -/
def batchMapIdx_has_vjp_at {f : Idx B → Map R m n} {x : Vec R (B * m)}
    (df : ∀ b, DifferentiableAt (f b) (row x b)) (h : ∀ b, HasVJPAt (f b) (row x b)) :
    HasVJPAt (batchMapIdx B f) x :=
  (HasVJPDiffAt.ofAdjoint _ (fun dy => flatten fun b => (h b).backward (row dy b))
    (batchMapIdx_onDual df) (.batch fun b => (h b).adjoint)).toHasVJPAt

/-- The batch lift of a certified backward function, example by example. -/
def batchMap_has_vjp_at {f : Map R m n} {x : Vec R (B * m)}
    (df : ∀ b, DifferentiableAt f (row x b)) (h : ∀ b, HasVJPAt f (row x b)) :
    HasVJPAt (batchMap B f) x :=
  batchMapIdx_has_vjp_at df h

/-- The batch lift of a global witness. -/
def batchMap_has_vjp {f : Map R m n} (B : Nat) (df : ∀ x, DifferentiableAt f x) (h : HasVJP f) :
    HasVJP (batchMap B f) where
  backward := batchMapAux B h.backward
  correct x := (batchMap_has_vjp_at (fun b => df (row x b)) fun b =>
    h.toHasVJPAt (row x b)).correct

/-- Differentiable witnesses lift. -/
def HasVJPDiffAt.batchMapIdx {f : Idx B → Map R m n} {x : Vec R (B * m)}
    (h : ∀ b, HasVJPDiffAt (f b) (row x b)) : HasVJPDiffAt (batchMapIdx B f) x where
  toHasVJPAt := batchMapIdx_has_vjp_at (fun b => (h b).diff) fun b => (h b).toHasVJPAt
  diff := .batchMapIdx fun b => (h b).diff

end NetTies
