import NetTies.Layers.Norm

/-! # Parameter gradients

A layer as a function of its parameters, at a saved input: the dense layer in its weights and in its
bias, layer normalisation in its scale and in its shift. Over the tokens of all examples of a batch
the parameter is shared (`Layer.shared`), so its gradient is the sum over examples and tokens. The
rendered gradient nodes are those sums, and each is tied to the certified backward function of the
site as a function of the parameter.

The weight gradient has a precision flag: the reduced-precision node rounds both factors with a
rounding function, and at the identity rounding it is the full-precision node.

Answers: ViT-Tiny's step tie, axis 1: the gradient nodes and their precision flag. -/

namespace NetTies

variable {R : Type} {m n N T : Nat}

section Ring

variable [CommRing R]

/-! ## Weights -/

/-- The product `x W` of a dense layer, linear in the flattened weights and in the input. -/
def Bilinear.vecMat (R : Type) [CommRing R] (m n : Nat) : Bilinear R (m * n) m n where
  op W x j := ∑ i, row W i j * x i
  onDual W x j := ∑ i, row W i j * x i
  backL x dy := flatten fun i j => x i * dy j
  backR W dy i := ∑ j, row W i j * dy j
  onDual_jet W U x v := funext fun j =>
    (dot_jet (fun i => row W i j) (fun i => row U i j) x v).trans (Dual.ext rfl (add_comm _ _))
  adjointL x U dy := by
    rw [dot_batch]
    show ∑ j, (∑ i, row U i j * x i) * dy j = _
    simp only [row_flatten, sum_mul]
    rw [sum_comm]
    exact sum_congr fun i => sum_congr fun j => mul_assoc _ _ _
  adjointR W v dy := by
    show ∑ j, (∑ i, row W i j * v i) * dy j = ∑ i, v i * (∑ j, row W i j * dy j)
    simp only [sum_mul, mul_sum]
    rw [sum_comm]
    exact sum_congr fun i => sum_congr fun j => by simp only [ring_laws]

/-- A dense layer as a function of its flattened weights. -/
def denseInW (b : Vec R n) (x : Vec R m) : Layer R (m * n) n :=
  ((Bilinear.vecMat R m n).left x).layer.bias b

/-- What a parameter is added to: `y + b` as a function of `b`. -/
def shift (y : Vec R n) : Layer R n n :=
  .ofWitness (Map.const n y + Map.id R n) fun b =>
    { backward := fun dy => dy
      correct := fun dy i => by
        rw [← ((HasVJPDiffAt.const y b).add (.id b)).correct dy i]
        exact (zero_add _).symm
      diff := ((HasVJPDiffAt.const y b).add (.id b)).diff }

/-- A dense layer as a function of its bias. -/
def denseInB (W : Mat R m n) (x : Vec R m) : Layer R n n := shift fun j => ∑ i, x i * W i j

theorem denseInW_apply (W : Mat R m n) (b : Vec R n) (x : Vec R m) :
    (denseInW b x).fwd (flatten W) = dense W b x := funext fun j => by
  show ∑ i, row (flatten W) i j * x i + b j = ∑ i, x i * W i j + b j
  rw [sum_congr fun i => (congrArg (fun r : Vec R n => r j * x i) (row_flatten W i)).trans
    (mul_comm _ _)]

theorem denseInB_apply (W : Mat R m n) (b : Vec R n) (x : Vec R m) :
    (denseInB W x).fwd b = dense W b x := rfl

/-! ### For all examples of a batch -/

/-- The classifier of a batch of `N` examples as a function of its weights. -/
def denseInWB (b : Vec R n) (x : Vec R (N * m)) : Layer R (m * n) (N * n) :=
  .shared fun e => denseInW b (row x e)

/-- The classifier of a batch as a function of its bias. -/
def denseInBB (W : Mat R m n) (x : Vec R (N * m)) : Layer R n (N * n) :=
  .shared fun e => denseInB W (row x e)

/-- A per-token dense layer of a batch as a function of its weights. -/
def rowDenseInWB (b : Vec R n) (x : Vec R (N * (T * m))) : Layer R (m * n) (N * (T * n)) :=
  .shared fun e => denseInWB b (row x e)

/-- A per-token dense layer of a batch as a function of its bias. -/
def rowDenseInBB (W : Mat R m n) (x : Vec R (N * (T * m))) : Layer R n (N * (T * n)) :=
  .shared fun e => denseInBB W (row x e)

/-- The weight gradient of the classifier: the outer products, summed over the batch. -/
def denseWeightGradB (x : Vec R (N * m)) (dy : Vec R (N * n)) : Vec R (m * n) :=
  flatten fun i j => ∑ e, row x e i * row dy e j

/-- The bias gradient of the classifier: the cotangents, summed over the batch. -/
def denseBiasGradB (dy : Vec R (N * n)) : Vec R n := fun j => ∑ e, row dy e j

/-- The weight gradient of a per-token dense layer, summed over examples and tokens. -/
def rowDenseWeightGradB (x : Vec R (N * (T * m))) (dy : Vec R (N * (T * n))) : Vec R (m * n) :=
  flatten fun i j => ∑ e, ∑ t, row (row x e) t i * row (row dy e) t j

/-- The bias gradient of a per-token dense layer, summed over examples and tokens. -/
def rowDenseBiasGradB (dy : Vec R (N * (T * n))) : Vec R n := fun j => ∑ e, ∑ t, row (row dy e) t j

theorem denseWeightGradB_eq_vjp (b : Vec R n) (x : Vec R (N * m)) (W : Vec R (m * n))
    (dy : Vec R (N * n)) :
    denseWeightGradB x dy = (denseInWB b x).vjp.backward W dy := rfl

theorem denseBiasGradB_eq_vjp (W : Mat R m n) (x : Vec R (N * m)) (b : Vec R n)
    (dy : Vec R (N * n)) : denseBiasGradB dy = (denseInBB W x).vjp.backward b dy := rfl

theorem rowDenseWeightGradB_eq_vjp (b : Vec R n) (x : Vec R (N * (T * m))) (W : Vec R (m * n))
    (dy : Vec R (N * (T * n))) :
    rowDenseWeightGradB x dy = (rowDenseInWB b x).vjp.backward W dy := rfl

theorem rowDenseBiasGradB_eq_vjp (W : Mat R m n) (x : Vec R (N * (T * m))) (b : Vec R n)
    (dy : Vec R (N * (T * n))) :
    rowDenseBiasGradB dy = (rowDenseInBB W x).vjp.backward b dy := rfl

/-! ### Precision -/

/-- The weight gradient in reduced precision: both factors are rounded. -/
def rowDenseWeightGradBBf16 (rnd : R → R) (x : Vec R (N * (T * m))) (dy : Vec R (N * (T * n))) :
    Vec R (m * n) :=
  flatten fun i j => ∑ e, ∑ t, rnd (row (row x e) t i) * rnd (row (row dy e) t j)

/-- The weight gradient at a precision flag. -/
def rowDenseWeightGradBAt (bf16 : Bool) (rnd : R → R) (x : Vec R (N * (T * m)))
    (dy : Vec R (N * (T * n))) : Vec R (m * n) :=
  match bf16 with
  | false => rowDenseWeightGradB x dy
  | true => rowDenseWeightGradBBf16 rnd x dy

/-- At the identity rounding both precisions are one node. -/
theorem rowDenseWeightGradBAt_id (bf16 : Bool) (x : Vec R (N * (T * m)))
    (dy : Vec R (N * (T * n))) :
    rowDenseWeightGradBAt bf16 (fun a => a) x dy = rowDenseWeightGradB x dy :=
  match bf16 with
  | false => rfl
  | true => rfl

end Ring

/-! ## Layer normalisation -/

variable [Scalars R]

/-- Layer normalisation as a function of its scale. -/
def vecLNInγ (ε : R) (β x : Vec R n) : Layer R n n := (Linear.diag (normalize ε x)).layer.bias β

/-- Layer normalisation as a function of its shift. -/
def vecLNInβ (ε : R) (γ x : Vec R n) : Layer R n n := shift fun i => γ i * normalize ε x i

theorem vecLNInγ_apply (ε : R) (hε : 0 < ε) (γ β x : Vec R n) :
    (vecLNInγ ε β x).fwd γ = (vecLN ε hε γ β).fwd x :=
  funext fun i => congrArg (fun s => s + β i) (mul_comm (normalize ε x i) (γ i))

theorem vecLNInβ_apply (ε : R) (hε : 0 < ε) (γ β x : Vec R n) :
    (vecLNInβ ε γ x).fwd β = (vecLN ε hε γ β).fwd x := rfl

/-- The normalisation of all tokens of a batch as a function of the scale. -/
def vecLNInγB (ε : R) (β : Vec R n) (x : Vec R (N * (T * n))) : Layer R n (N * (T * n)) :=
  .shared fun e => .shared fun t => vecLNInγ ε β (row (row x e) t)

/-- The normalisation of all tokens of a batch as a function of the shift. -/
def vecLNInβB (ε : R) (γ : Vec R n) (x : Vec R (N * (T * n))) : Layer R n (N * (T * n)) :=
  .shared fun e => .shared fun t => vecLNInβ ε γ (row (row x e) t)

/-- The gradient of the scale, summed over examples and tokens. -/
def vecLNGammaGradB (ε : R) (x dy : Vec R (N * (T * n))) : Vec R n := fun i =>
  ∑ e, ∑ t, normalize ε (row (row x e) t) i * row (row dy e) t i

/-- The gradient of the shift, summed over examples and tokens. -/
def vecLNBetaGradB (dy : Vec R (N * (T * n))) : Vec R n := fun i => ∑ e, ∑ t, row (row dy e) t i

theorem vecLNGammaGradB_eq_vjp (ε : R) (β : Vec R n) (x : Vec R (N * (T * n))) (γ : Vec R n)
    (dy : Vec R (N * (T * n))) :
    vecLNGammaGradB ε x dy = (vecLNInγB ε β x).vjp.backward γ dy := rfl

theorem vecLNBetaGradB_eq_vjp (ε : R) (γ : Vec R n) (x : Vec R (N * (T * n))) (β : Vec R n)
    (dy : Vec R (N * (T * n))) :
    vecLNBetaGradB dy = (vecLNInβB ε γ x).vjp.backward β dy := rfl

end NetTies
