import NetTies.Foundation.Layer

/-! # The dense layer

`y = x W + b`, its input gradient `dx = W dy`, and the per-token form in which each row of a matrix
of tokens goes through the same dense layer. The leaf ties are `rfl`: the rendered backward is the
adjoint that certifies the layer.

Answers: the attention-block chain: `rowDenseBack`. -/

namespace NetTies

variable {R S : Type} [CommRing R] [CommRing S] {m n : Nat}

/-- `y = x W + b`. -/
def dense (W : Mat S m n) (b : Vec S n) (x : Vec S m) : Vec S n := fun j => ∑ i, x i * W i j + b j

/-- The input gradient of a dense layer: `dx = W dy`. -/
def denseBack (W : Mat R m n) (dy : Vec R n) : Vec R m := fun i => ∑ j, W i j * dy j

/-- The derivative of a dense layer along `v` is `v W`, and its adjoint is `denseBack`. -/
theorem denseBack_adjoint (W : Mat R m n) :
    Adjoint (fun v : Vec R m => fun j => ∑ i, v i * W i j) (denseBack W) := fun v dy => by
  show ∑ j, (∑ i, v i * W i j) * dy j = ∑ i, v i * (∑ j, W i j * dy j)
  rw [sum_congr fun j => sum_mul (fun i => v i * W i j) (dy j), sum_comm]
  exact sum_congr fun i => by
    rw [mul_sum]
    exact sum_congr fun j => mul_assoc (v i) (W i j) (dy j)

/-- A dense layer as a map: the weights are constants. -/
def denseMap (W : Mat R m n) (b : Vec R n) : Map R m n where
  toFun := dense W b
  onDual := dense (liftMat W) (lift b)

theorem denseMap_onDual (W : Mat R m n) (b : Vec R n) (x v : Vec R m) :
    (denseMap W b).onDual (jet x v) = jet (dense W b x) fun j => ∑ i, v i * W i j :=
  funext fun j => by
    show jet x v ⬝ jet (fun i => W i j) 0 + (⟨b j, 0⟩ : Dual R) = _
    rw [dot_jet, dot_zero, zero_add]
    exact Dual.ext rfl (add_zero _)

/-- The dense layer. -/
def denseLayer (W : Mat R m n) (b : Vec R n) : Layer R m n :=
  .ofWitness (denseMap W b) fun x =>
    .ofAdjoint _ (denseBack W) (denseMap_onDual W b x) (denseBack_adjoint W)

/-- The leaf tie of the dense layer. -/
theorem denseBack_eq_vjp (W : Mat R m n) (b : Vec R n) (x : Vec R m) (dy : Vec R n) :
    denseBack W dy = (denseLayer W b).vjp.backward x dy := rfl

/-! ## Per token -/

/-- The dense layer at each of `N` tokens. -/
def rowDenseLayer (N : Nat) (W : Mat R m n) (b : Vec R n) : Layer R (N * m) (N * n) :=
  (denseLayer W b).batch N

/-- The input gradient at each token. -/
def rowDenseBack (N : Nat) (W : Mat R m n) (dy : Vec R (N * n)) : Vec R (N * m) :=
  batchFun N (denseBack W) dy

/-- The leaf tie of the per-token dense layer. -/
theorem rowDenseBack_eq_vjp (N : Nat) (W : Mat R m n) (b : Vec R n) (x : Vec R (N * m))
    (dy : Vec R (N * n)) : rowDenseBack N W dy = (rowDenseLayer N W b).vjp.backward x dy := rfl

end NetTies
