import NetTies.Layers.Matrix
import NetTies.Layers.Activations

/-! # Normalisation

`normalize ε x = (x - mean x) / √(var x + ε)` and the layers made of it: layer normalisation with a
scale and a shift for each entry (`vecLN`) or for all of them (`scalarLN`). The map is built from a
linear map, a dot product and `rsqrt`, which certifies it. The rendered backward function is the
closed form

  `rstd ⊙ (g - mean g - x̂ ⊙ mean (g ⊙ x̂))`,  `x̂ = normalize ε x`,

and `normalizeBack_eq_vjp` is its tie. The only hypothesis is that `ε` is positive; it makes the
argument of `rsqrt` positive at every input.

Answers: the attention-block chain: `rowLNBack`; ConvNeXt-T's batched tie: its 23 positivities. -/

namespace NetTies

variable {R : Type} [Scalars R] {n : Nat}

/-! ## Mean and centring -/

/-- The reciprocal of the number of entries. -/
def invCard (R : Type) [Scalars R] (n : Nat) : R := recip (natCast R n)

/-- The mean of the entries. -/
def mean (x : Vec R n) : R := invCard R n * (∑ i, x i)

/-- The entries less their mean. -/
def centre (x : Vec R n) : Vec R n := fun i => x i - mean x

/-- Centring is linear and its own transpose. -/
def centreLinear (R : Type) [Scalars R] (n : Nat) : Linear R n n where
  map := ⟨centre, fun x i => x i - .const (invCard R n) * (∑ i, x i)⟩
  adj := centre
  onDual_jet x v := funext fun i => by
    show jet x v i + -(.const (invCard R n) * (∑ i, jet x v i)) = _
    rw [show ∑ i, jet x v i = (⟨∑ i, x i, ∑ i, v i⟩ : Dual R) from sum_dual x v]
    exact Dual.ext rfl (show v i + -(invCard R n * (∑ i, v i) + 0 * (∑ i, x i)) = centre v i by
      rw [zero_mul, add_zero]; rfl)
  adjoint v dy := by
    show ∑ i, (v i - mean v) * dy i = ∑ i, v i * (dy i - mean dy)
    rw [sum_congr fun i => sub_mul (v i) (mean v) (dy i),
      sum_congr fun i => mul_sub (v i) (dy i) (mean dy), sum_sub, sum_sub, ← mul_sum, ← sum_mul]
    refine congrArg (fun s => ∑ i, v i * dy i - s) ?_
    show invCard R n * (∑ i, v i) * (∑ i, dy i) = (∑ i, v i) * (invCard R n * (∑ i, dy i))
    simp only [ring_laws]

/-- The mean of a centred vector is zero. -/
theorem mean_centre : {n : Nat} → (x : Vec R n) → mean (centre x) = 0
  | 0, _ => mul_zero _
  | n + 1, x => by
    show invCard R (n + 1) * (∑ i, (x i - mean x)) = 0
    rw [sum_sub, ← natCast_mul, mul_sub]
    show mean x - invCard R (n + 1) * (natCast R (n + 1) * mean x) = 0
    rw [← mul_assoc, mul_comm (invCard R (n + 1)), invCard, mul_recip (pos_natCast n), one_mul,
      sub_self]

/-- Centring twice is centring once. -/
theorem centre_centre (x : Vec R n) : centre (centre x) = centre x := funext fun i => by
  show centre x i - mean (centre x) = centre x i
  rw [mean_centre, sub_def, neg_zero, add_zero]

theorem centre_mul (c : R) (x : Vec R n) : centre (fun i => x i * c) = fun i => centre x i * c :=
  funext fun i => by
    show x i * c - invCard R n * (∑ i, x i * c) = (x i - invCard R n * (∑ i, x i)) * c
    rw [← sum_mul, sub_mul, mul_assoc]

/-! ## Variance -/

/-- The mean square of the centred entries, plus `ε`. -/
def varEps (ε : R) (x : Vec R n) : R := invCard R n * (centre x ⬝ centre x) + ε

/-- The variance plus `ε` is positive. -/
theorem pos_varEps {ε : R} (hε : 0 < ε) : {n : Nat} → (x : Vec R n) → 0 < varEps ε x
  | 0, _ => by rw [varEps, add_comm]; exact pos_add hε (by rw [dot, sum, mul_zero]; exact nonneg_zero)
  | n + 1, x => by
    rw [varEps, add_comm]
    exact pos_add hε (nonneg_mul (nonneg_of_pos (recip_pos (pos_natCast n))) (nonneg_dot_self _))

/-- The variance plus `ε`, as a layer with one output. -/
def varEpsLayer (ε : R) (n : Nat) : Layer R n 1 :=
  ((Linear.scale (invCard R n) 1).layer.comp
    (.bilin (.dot R n) (centreLinear R n).layer (centreLinear R n).layer)).bias fun _ => ε

/-! ## Normalisation -/

/-- The reciprocal of the standard deviation. -/
def rstd (ε : R) (x : Vec R n) : R := rsqrt (varEps ε x)

/-- The centred entries, divided by the standard deviation. -/
def normalize (ε : R) (x : Vec R n) : Vec R n := fun i => centre x i * rstd ε x

/-- The reciprocal of the standard deviation, as a map with one output. -/
def rstdMap (ε : R) (n : Nat) : Map R n 1 := rsqrt.map 1 ⊚ (varEpsLayer ε n).fwd

/-- Its witness: the variance plus `ε` is positive. -/
def rstdMap_has_vjp_at {ε : R} (hε : 0 < ε) (x : Vec R n) : HasVJPDiffAt (rstdMap ε n) x :=
  (rsqrt.witness (x := (varEpsLayer ε n).fwd x) fun _ => rsqrt_smooth (pos_varEps hε x)).comp
    ((varEpsLayer ε n).witness x)

/-- Normalisation as a layer. -/
def normalizeLayer (ε : R) (hε : 0 < ε) (n : Nat) : Layer R n n :=
  .ofWitness (.bilin (.scaleBy R n) (centreLinear R n).map (rstdMap ε n)) fun x =>
    .bilin (.scaleBy R n) ((centreLinear R n).layer.witness x) (rstdMap_has_vjp_at hε x)

theorem normalizeLayer_apply (ε : R) (hε : 0 < ε) (x : Vec R n) :
    (normalizeLayer ε hε n).fwd x = normalize ε x := rfl

/-- The rendered backward function: `rstd ⊙ (g - mean g - x̂ ⊙ mean (g ⊙ x̂))`. -/
def normalizeBack (ε : R) (x g : Vec R n) : Vec R n := fun i =>
  rstd ε x * (g i - mean g - normalize ε x i * mean fun j => g j * normalize ε x j)

/-- The leaf tie of normalisation. -/
theorem normalizeBack_eq_vjp (ε : R) (hε : 0 < ε) (x g : Vec R n) :
    normalizeBack ε x g = (normalizeLayer ε hε n).vjp.backward x g := funext fun i => by
  let c : R := invCard R n
  let u : Vec R n := centre x
  let r : R := rstd ε x
  let q : R := c * ((u ⬝ g) * rsqrt.deriv (varEps ε x))
  have hq : q + q = -(c * ((u ⬝ g) * (r * r * r))) := by
    show c * ((u ⬝ g) * rsqrt.deriv (varEps ε x)) + c * ((u ⬝ g) * rsqrt.deriv (varEps ε x)) = _
    rw [rsqrt_deriv (pos_varEps hε x), ← mul_add, ← mul_add, ← neg_add, ← mul_add]
    show c * ((u ⬝ g) * -(half R * (r * r * r + r * r * r))) = _
    rw [half_mul_double, mul_neg, mul_neg]
  have hmean : mean (fun j => g j * normalize ε x j) = c * (r * (u ⬝ g)) := by
    show c * (∑ j, g j * (u j * r)) = c * (r * (u ⬝ g))
    rw [dot, mul_sum r]
    exact congrArg (fun s => c * s) (sum_congr fun j => by simp only [ring_laws])
  show r * (g i - mean g - u i * r * mean fun j => g j * normalize ε x j) =
    centre (fun j => r * g j) i + (centre (fun j => u j * q) i + centre (fun j => u j * q) i)
  rw [centre_mul, centre_centre, hmean, ← mul_add, hq,
    show (fun j => r * g j) = fun j => g j * r from funext fun j => mul_comm r (g j), centre_mul]
  show r * (g i - mean g - u i * r * (c * (r * (u ⬝ g)))) =
    (g i - mean g) * r + u i * -(c * ((u ⬝ g) * (r * r * r)))
  simp only [ring_laws]

/-! ## Layer normalisation -/

/-- Normalisation with a scale and a shift for each entry. -/
def vecLN (ε : R) (hε : 0 < ε) (γ β : Vec R n) : Layer R n n :=
  ((Linear.diag γ).layer.comp (normalizeLayer ε hε n)).bias β

/-- The rendered backward function. -/
def vecLNBack (ε : R) (γ : Vec R n) (x dy : Vec R n) : Vec R n :=
  normalizeBack ε x fun i => γ i * dy i

theorem vecLN_apply (ε : R) (hε : 0 < ε) (γ β x : Vec R n) :
    (vecLN ε hε γ β).fwd x = fun i => γ i * normalize ε x i + β i := rfl

/-- The leaf tie of layer normalisation. -/
theorem vecLNBack_eq_vjp (ε : R) (hε : 0 < ε) (γ β x dy : Vec R n) :
    vecLNBack ε γ x dy = (vecLN ε hε γ β).vjp.backward x dy :=
  normalizeBack_eq_vjp ε hε x fun i => γ i * dy i

/-- Normalisation with one scale and one shift. -/
def scalarLN (ε : R) (hε : 0 < ε) (γ β : R) (n : Nat) : Layer R n n :=
  vecLN ε hε (fun _ => γ) fun _ => β

/-- The rendered backward function. -/
def scalarLNBack (ε γ : R) (x dy : Vec R n) : Vec R n := vecLNBack ε (fun _ => γ) x dy

/-- The leaf tie of layer normalisation with one scale and one shift. -/
theorem scalarLNBack_eq_vjp (ε : R) (hε : 0 < ε) (γ β : R) (x dy : Vec R n) :
    scalarLNBack ε γ x dy = (scalarLN ε hε γ β n).vjp.backward x dy :=
  vecLNBack_eq_vjp ε hε (fun _ => γ) (fun _ => β) x dy

end NetTies
