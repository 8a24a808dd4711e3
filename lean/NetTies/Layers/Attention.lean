import NetTies.Layers.Softmax

/-! # Scaled dot-product attention

`SDPA(Q, K, V) = softmax (c Q Kᵀ) V` for `T` tokens of width `d`, and on each of `H` heads. It is a
product of layers (`attend`), so when `Q`, `K` and `V` are layers reading one input, its certified
backward function is the three-way fan-in of their cotangents.

The closed forms `sdpaBackQ`, `sdpaBackK` and `sdpaBackV` are the backward functions of attention in
each of its three arguments, written as sums; each is certified (`sdpaBackQ_correct` and so on).

Answers: the attention-block chain: the closed forms `sdpaBackQ`, `sdpaBackK`, `sdpaBackV`. -/

namespace NetTies

variable {R : Type} [Scalars R] {m a s d T H : Nat}

/-! ## Attention as a product of layers -/

/-- Scores, their scale, a row function, and the product with the values. -/
def attend (score : Bilinear R a a s) (c : R) (σ : Layer R s s) (apply : Bilinear R s a a)
    (q k v : Layer R m a) : Layer R m a :=
  .bilin apply (σ.comp ((Linear.scale c s).layer.comp (.bilin score q k))) v

/-- The backward function of attention: the cotangents of queries, keys and values are added where
they read the same input. -/
theorem attend_backward (score : Bilinear R a a s) (c : R) (σ : Layer R s s)
    (apply : Bilinear R s a a) (q k v : Layer R m a) (x : Vec R m) (dO : Vec R a) :
    (attend score c σ apply q k v).vjp.backward x dO =
      let S : Vec R s := fun i => c * score.op (q.fwd x) (k.fwd x) i
      let dS : Vec R s := fun i => c * σ.vjp.backward S (apply.backL (v.fwd x) dO) i
      q.vjp.backward x (score.backL (k.fwd x) dS) + k.vjp.backward x (score.backR (q.fwd x) dS) +
        v.vjp.backward x (apply.backR (σ.fwd S) dO) := rfl

/-- The softmax of each row of scores. -/
def weightsLayer (R : Type) [Scalars R] (T : Nat) : Layer R ((T + 1) * (T + 1)) ((T + 1) * (T + 1)) :=
  (softmaxLayer R T).batch (T + 1)

/-- Attention of one head, as a product of the layers of queries, keys and values. -/
def sdpaLayer (c : R) (q k v : Layer R m ((T + 1) * d)) : Layer R m ((T + 1) * d) :=
  attend (.matMulT R (T + 1) d (T + 1)) c (weightsLayer R T) (.matMul R (T + 1) (T + 1) d) q k v

/-- Attention of `H` heads. -/
def mhsaLayer (H : Nat) (c : R) (q k v : Layer R m (H * ((T + 1) * d))) :
    Layer R m (H * ((T + 1) * d)) :=
  attend ((Bilinear.matMulT R (T + 1) d (T + 1)).batch H) c ((weightsLayer R T).batch H)
    ((Bilinear.matMul R (T + 1) (T + 1) d).batch H) q k v

/-! ## The closed forms -/

/-- The scaled scores: `c ∑ₜ Q i t K j t`. -/
def sdpaScores (c : R) (Q K : Mat R T d) : Mat R T T := fun i j => c * (∑ t, Q i t * K j t)

/-- The weights: the softmax of each row of scores. -/
def sdpaWeights (c : R) (Q K : Mat R T d) : Mat R T T := fun i => softmax (sdpaScores c Q K i)

/-- The cotangent of the weights: `dP = dO Vᵀ`. -/
def sdpaDWeights (V dO : Mat R T d) : Mat R T T := fun i j => ∑ t, dO i t * V j t

/-- The cotangent of the unscaled scores: `dP` through the softmax, times the scale. -/
def sdpaDScaled (c : R) (Q K V dO : Mat R T d) : Mat R T T := fun i j =>
  c * softmaxBack (sdpaScores c Q K i) (sdpaDWeights V dO i) j

/-- The cotangent of the queries: `dQ = dS K`. -/
def sdpaBackQ (c : R) (Q K V dO : Mat R T d) : Mat R T d := fun i t =>
  ∑ j, sdpaDScaled c Q K V dO i j * K j t

/-- The cotangent of the keys: `dK = dSᵀ Q`. -/
def sdpaBackK (c : R) (Q K V dO : Mat R T d) : Mat R T d := fun j t =>
  ∑ i, sdpaDScaled c Q K V dO i j * Q i t

/-- The cotangent of the values: `dV = Pᵀ dO`. -/
def sdpaBackV (c : R) (Q K dO : Mat R T d) : Mat R T d := fun j t =>
  ∑ i, sdpaWeights c Q K i j * dO i t

/-! ### Row by row, the matrix products are the closed forms -/

/-- The scaled scores, as matrix products spell them. -/
def scoresFlat (c : R) (Q K : Vec R (T * d)) : Vec R (T * T) := fun i => c * matMulTFlat Q K i

/-- The cotangent of the unscaled scores, as matrix products spell it. -/
def dScaledFlat (c : R) (Q K V dO : Vec R (T * d)) : Vec R (T * T) := fun i =>
  c * rowSoftmaxBack T (scoresFlat c Q K) (matMulFlat dO (transposeFlat V)) i

theorem row_scoresFlat (c : R) (Q K : Vec R (T * d)) (i : Idx T) :
    row (scoresFlat c Q K) i = sdpaScores c (row Q) (row K) i :=
  funext fun j => congrArg (fun r : Vec R T => c * r j) (row_matMulTFlat Q K i)

theorem row_weightsFlat (c : R) (Q K : Vec R (T * d)) (i : Idx T) :
    row (rowSoftmax T (scoresFlat c Q K)) i = sdpaWeights c (row Q) (row K) i :=
  (row_batchFun softmax _ i).trans (congrArg softmax (row_scoresFlat c Q K i))

theorem row_dWeightsFlat (V dO : Vec R (T * d)) (i : Idx T) :
    row (matMulFlat dO (transposeFlat V)) i = sdpaDWeights (row V) (row dO) i := by
  rw [row_matMulFlat]
  simp only [row_transposeFlat]
  rfl

theorem row_dScaledFlat (c : R) (Q K V dO : Vec R (T * d)) (i : Idx T) :
    row (dScaledFlat c Q K V dO) i = sdpaDScaled c (row Q) (row K) (row V) (row dO) i :=
  funext fun j => by
    show c * row (rowSoftmaxBack T (scoresFlat c Q K) (matMulFlat dO (transposeFlat V))) i j = _
    rw [row_rowSoftmaxBack, row_scoresFlat, row_dWeightsFlat]
    rfl

theorem sdpaBackQ_flat (c : R) (Q K V dO : Vec R (T * d)) :
    matMulFlat (dScaledFlat c Q K V dO) K = flatten (sdpaBackQ c (row Q) (row K) (row V) (row dO)) := by
  rw [matMulFlat]
  simp only [row_dScaledFlat]
  rfl

theorem sdpaBackK_flat (c : R) (Q K V dO : Vec R (T * d)) :
    matMulFlat (transposeFlat (dScaledFlat c Q K V dO)) Q =
      flatten (sdpaBackK c (row Q) (row K) (row V) (row dO)) := by
  rw [matMulFlat]
  simp only [row_transposeFlat, row_dScaledFlat]
  rfl

theorem sdpaBackV_flat (c : R) (Q K dO : Vec R (T * d)) :
    matMulFlat (transposeFlat (rowSoftmax T (scoresFlat c Q K))) dO =
      flatten (sdpaBackV c (row Q) (row K) (row dO)) := by
  rw [matMulFlat]
  simp only [row_transposeFlat, row_weightsFlat]
  rfl

/-! ## The closed forms are certified -/

/-- The cotangent of the scores, with the certified backward function of the softmax. -/
theorem dScaledFlat_eq_vjp (c : R) (Q K V dO : Vec R ((T + 1) * d)) :
    dScaledFlat c Q K V dO = fun i => c * (weightsLayer R T).vjp.backward (scoresFlat c Q K)
      (matMulFlat dO (transposeFlat V)) i :=
  funext fun i => congrArg (fun s : Vec R ((T + 1) * (T + 1)) => c * s i)
    (rowSoftmaxBack_eq_vjp (T + 1) (scoresFlat c Q K) (matMulFlat dO (transposeFlat V)))

/-- The certified backward function of one head is the fan-in of the closed forms. -/
theorem sdpaLayer_backward (c : R) (q k v : Layer R m ((T + 1) * d)) (x : Vec R m)
    (dO : Vec R ((T + 1) * d)) : (sdpaLayer c q k v).vjp.backward x dO =
      q.vjp.backward x (flatten
        (sdpaBackQ c (row (q.fwd x)) (row (k.fwd x)) (row (v.fwd x)) (row dO))) +
      k.vjp.backward x (flatten
        (sdpaBackK c (row (q.fwd x)) (row (k.fwd x)) (row (v.fwd x)) (row dO))) +
      v.vjp.backward x (flatten (sdpaBackV c (row (q.fwd x)) (row (k.fwd x)) (row dO))) := by
  rw [← sdpaBackQ_flat, ← sdpaBackK_flat, ← sdpaBackV_flat, dScaledFlat_eq_vjp]
  rfl

/-- Attention as a function of the queries. -/
def sdpaInQ (c : R) (K V : Vec R ((T + 1) * d)) : Layer R ((T + 1) * d) ((T + 1) * d) :=
  sdpaLayer c (Layer.id R _) (.const _ K) (.const _ V)

/-- Attention as a function of the keys. -/
def sdpaInK (c : R) (Q V : Vec R ((T + 1) * d)) : Layer R ((T + 1) * d) ((T + 1) * d) :=
  sdpaLayer c (.const _ Q) (Layer.id R _) (.const _ V)

/-- Attention as a function of the values. -/
def sdpaInV (c : R) (Q K : Vec R ((T + 1) * d)) : Layer R ((T + 1) * d) ((T + 1) * d) :=
  sdpaLayer c (.const _ Q) (.const _ K) (Layer.id R _)

/-- `sdpaBackQ` is the certified backward function of attention in the queries. -/
theorem sdpaBackQ_correct (c : R) (Q K V dO : Vec R ((T + 1) * d)) :
    flatten (sdpaBackQ c (row Q) (row K) (row V) (row dO)) =
      (sdpaInQ c K V).vjp.backward Q dO := by
  rw [sdpaInQ, sdpaLayer_backward]
  exact ((vec_add_zero _).trans (vec_add_zero _)).symm

/-- `sdpaBackK` is the certified backward function of attention in the keys. -/
theorem sdpaBackK_correct (c : R) (Q K V dO : Vec R ((T + 1) * d)) :
    flatten (sdpaBackK c (row Q) (row K) (row V) (row dO)) =
      (sdpaInK c Q V).vjp.backward K dO := by
  rw [sdpaInK, sdpaLayer_backward]
  exact ((vec_add_zero _).trans (vec_zero_add _)).symm

/-- `sdpaBackV` is the certified backward function of attention in the values. -/
theorem sdpaBackV_correct (c : R) (Q K V dO : Vec R ((T + 1) * d)) :
    flatten (sdpaBackV c (row Q) (row K) (row dO)) = (sdpaInV c Q K).vjp.backward V dO := by
  rw [sdpaInV, sdpaLayer_backward]
  exact ((congrArg (fun z => z + _) (vec_add_zero 0)).trans (vec_zero_add _)).symm

end NetTies
