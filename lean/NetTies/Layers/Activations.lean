import NetTies.Layers.Scalars

/-! # Activation functions

Sigmoid, swish, tanh and GELU in both forms, built from `exp`, `recip` and the normal distribution
function, so that their derivatives follow by the sum, product and chain rules; the closed forms that
a training step renders are then theorems about them. All of them are smooth everywhere; the functions
with kinks are in `NetTies.Layers.Kinks`.

Answers: the attention-block chain: the GELU mask in either form. -/

namespace NetTies

variable {R : Type} [Scalars R] {n : Nat}

/-! ## Sigmoid and swish -/

/-- `1 + exp (-x)`. -/
def onePlusExpNeg (R : Type) [Scalars R] : ScalarFn R :=
  ScalarFn.const R 1 + exp.comp (-ScalarFn.id R)

theorem onePlusExpNeg_pos (a : R) : 0 < onePlusExpNeg R a :=
  pos_add pos_one (nonneg_of_pos (exp_pos _))

theorem onePlusExpNeg_smooth (a : R) : (onePlusExpNeg R).Smooth a :=
  ⟨trivial, ⟨trivial, trivial⟩, exp_smooth _⟩

theorem onePlusExpNeg_deriv (a : R) : (onePlusExpNeg R).deriv a = 1 - onePlusExpNeg R a := by
  show 0 + exp.deriv (-1 * a) * (0 * a + -1 * 1) = 1 - (1 + exp (-1 * a))
  rw [exp_deriv, zero_mul, mul_one, zero_add, zero_add, sub_add_self, mul_neg, mul_one]

/-- The sigmoid function. -/
def sigmoid (R : Type) [Scalars R] : ScalarFn R := recip.comp (onePlusExpNeg R)

theorem sigmoid_smooth (a : R) : (sigmoid R).Smooth a :=
  ⟨onePlusExpNeg_smooth a, recip_smooth (onePlusExpNeg_pos a)⟩

/-- `σ' = σ (1 - σ)`. -/
theorem sigmoid_deriv (a : R) : (sigmoid R).deriv a = sigmoid R a * (1 - sigmoid R a) := by
  show recip.deriv (onePlusExpNeg R a) * (onePlusExpNeg R).deriv a
    = recip (onePlusExpNeg R a) * (1 - recip (onePlusExpNeg R a))
  have h : recip (onePlusExpNeg R a) * onePlusExpNeg R a = 1 :=
    (mul_comm _ _).trans (mul_recip (onePlusExpNeg_pos a))
  rw [recip_deriv (onePlusExpNeg_pos a), onePlusExpNeg_deriv, neg_mul, mul_assoc, mul_sub, mul_one, h,
    ← mul_neg]
  exact congrArg (fun s => recip (onePlusExpNeg R a) * s)
    (by rw [sub_def, sub_def, neg_add, neg_neg, add_comm])

/-- The swish function `x σ(x)`. -/
def swish (R : Type) [Scalars R] : ScalarFn R := ScalarFn.id R * sigmoid R

theorem swish_smooth (a : R) : (swish R).Smooth a := ⟨trivial, sigmoid_smooth a⟩

/-- `swish' = σ + x σ (1 - σ)`. -/
theorem swish_deriv (a : R) : (swish R).deriv a =
    sigmoid R a + a * (sigmoid R a * (1 - sigmoid R a)) := by
  show 1 * sigmoid R a + a * (sigmoid R).deriv a = _
  rw [one_mul, sigmoid_deriv]

/-! ## Hyperbolic tangent -/

/-- `1 + exp (2x)`. -/
def onePlusExpDouble (R : Type) [Scalars R] : ScalarFn R :=
  ScalarFn.const R 1 + exp.comp (ScalarFn.id R + ScalarFn.id R)

theorem onePlusExpDouble_pos (a : R) : 0 < onePlusExpDouble R a :=
  pos_add pos_one (nonneg_of_pos (exp_pos _))

theorem onePlusExpDouble_smooth (a : R) : (onePlusExpDouble R).Smooth a :=
  ⟨trivial, ⟨trivial, trivial⟩, exp_smooth _⟩

/-- The hyperbolic tangent, as `1 - 2 / (1 + exp (2x))`. -/
def tanh (R : Type) [Scalars R] : ScalarFn R :=
  ScalarFn.const R 1 + ScalarFn.const R (-(1 + 1)) * recip.comp (onePlusExpDouble R)

theorem tanh_smooth (a : R) : (tanh R).Smooth a :=
  ⟨trivial, trivial, onePlusExpDouble_smooth a, recip_smooth (onePlusExpDouble_pos a)⟩

/-- `tanh' = 1 - tanh²`. -/
theorem tanh_deriv (a : R) : (tanh R).deriv a = 1 - tanh R a * tanh R a := by
  have key : ∀ e r : R, (1 + e) * r = 1 →
      0 + (0 * r + -(1 + 1) * (-(r * r) * (0 + e * (1 + 1))))
        = 1 - (1 + -(1 + 1) * r) * (1 + -(1 + 1) * r) := fun e r h => by
    have her : e * r = 1 - r := by
      rw [← h, add_mul, one_mul, sub_def, add_comm r, add_assoc, add_neg, add_zero]
    have left : 0 + (0 * r + -(1 + 1) * (-(r * r) * (0 + e * (1 + 1))))
        = (1 + 1) * ((1 + 1) * (r * (e * r))) := by
      rw [zero_mul, zero_add, zero_add, zero_add]
      simp only [ring_laws]
    have right : (1 - (1 + -(1 + 1) * r) * (1 + -(1 + 1) * r) : R)
        = (1 + 1) * ((1 + 1) * (r * (1 - r))) := by
      rw [show (1 + -(1 + 1) * r) * (1 + -(1 + 1) * r)
        = 1 + (-(1 + 1) * r + -(1 + 1) * r * (1 + -(1 + 1) * r)) by
          rw [add_mul 1, one_mul, add_assoc], sub_add_self]
      simp only [ring_laws, mul_one]
    rw [left, right, her]
  show 0 + (0 * recip (onePlusExpDouble R a) + -(1 + 1) *
    (recip.deriv (onePlusExpDouble R a) * (0 + exp.deriv (a + a) * (1 + 1)))) = _
  rw [recip_deriv (onePlusExpDouble_pos a), exp_deriv]
  exact key (exp (a + a)) (recip (onePlusExpDouble R a)) (mul_recip (onePlusExpDouble_pos a))

/-! ## GELU -/

/-- The two forms of GELU that networks use. -/
inductive GeluForm where
  /-- `x Φ(x)`, exact. -/
  | erf
  /-- `½ x (1 + tanh (√(2/π) (x + 0.044715 x³)))`. -/
  | tanh

/-- `√(2/π) (x + 0.044715 x³)`. -/
def geluInner (R : Type) [Scalars R] : ScalarFn R :=
  ScalarFn.const R geluScale * (ScalarFn.id R +
    ScalarFn.const R geluCubic * (ScalarFn.id R * (ScalarFn.id R * ScalarFn.id R)))

theorem geluInner_smooth (a : R) : (geluInner R).Smooth a :=
  ⟨trivial, trivial, trivial, trivial, trivial, trivial⟩

theorem geluInner_deriv (a : R) : (geluInner R).deriv a =
    geluScale * (1 + (1 + 1 + 1) * (geluCubic * (a * a))) := by
  show 0 * _ + geluScale * (1 + (0 * _ + geluCubic * (1 * (a * a) + a * (1 * a + a * 1)))) = _
  simp only [zero_mul, zero_add, one_mul, mul_one]
  exact congrArg (fun s => geluScale * (1 + s)) (by simp only [ring_laws, one_mul])

namespace GeluForm

/-- The function of a form. -/
def fn (R : Type) [Scalars R] : GeluForm → ScalarFn R
  | erf => ScalarFn.id R * normCdf (R := R)
  | tanh => ScalarFn.const R (half R) * (ScalarFn.id R *
      (ScalarFn.const R 1 + (NetTies.tanh R).comp (geluInner R)))

/-- The derivative of a form, as a training step renders it. -/
def scalarDeriv : GeluForm → R → R
  | erf, x => normCdf x + x * (invSqrtTwoPi * exp (-(half R * (x * x))))
  | tanh, x =>
    let t := NetTies.tanh R (geluInner R x)
    half R * (1 + t + x * ((1 - t * t) * (geluScale * (1 + (1 + 1 + 1) * (geluCubic * (x * x))))))

theorem fn_smooth : (g : GeluForm) → (a : R) → (g.fn R).Smooth a
  | erf, a => ⟨trivial, normCdf_smooth a⟩
  | tanh, a => ⟨trivial, trivial, trivial, geluInner_smooth a, tanh_smooth _⟩

/-- The rendered derivative is the derivative, in both forms. -/
theorem scalarDeriv_eq : (g : GeluForm) → (a : R) → (g.fn R).deriv a = g.scalarDeriv a
  | erf, a => by
    show 1 * normCdf a + a * normCdf.deriv a = _
    rw [one_mul, normCdf_deriv]
    rfl
  | tanh, a => by
    show 0 * _ + half R * (1 * (1 + NetTies.tanh R (geluInner R a)) +
      a * (0 + (NetTies.tanh R).deriv (geluInner R a) * (geluInner R).deriv a)) = _
    rw [zero_mul, zero_add, zero_add, one_mul, tanh_deriv, geluInner_deriv]
    rfl

/-- The layer of a form. -/
def layer (g : GeluForm) (n : Nat) : Layer R n n := (g.fn R).layer g.fn_smooth n

/-- The rendered backward function: `dy ⊙ g'(x)` at the saved input. -/
def back (g : GeluForm) (x dy : Vec R n) : Vec R n := fun i => dy i * g.scalarDeriv (x i)

/-- The leaf tie of GELU. -/
theorem back_eq_vjp (g : GeluForm) (x dy : Vec R n) :
    g.back x dy = (g.layer n).vjp.backward x dy :=
  funext fun i => congrArg (fun s => dy i * s) (g.scalarDeriv_eq (x i)).symm

end GeluForm

/-! ## The layers of sigmoid and swish -/

/-- The sigmoid layer. -/
def sigmoidLayer (R : Type) [Scalars R] (n : Nat) : Layer R n n := (sigmoid R).layer sigmoid_smooth n

/-- The swish layer. -/
def swishLayer (R : Type) [Scalars R] (n : Nat) : Layer R n n := (swish R).layer swish_smooth n

/-- `dy ⊙ σ(x) (1 - σ(x))`. -/
def sigmoidBack (x dy : Vec R n) : Vec R n := fun i =>
  dy i * (sigmoid R (x i) * (1 - sigmoid R (x i)))

/-- `dy ⊙ (σ(x) + x σ(x) (1 - σ(x)))`. -/
def swishBack (x dy : Vec R n) : Vec R n := fun i =>
  dy i * (sigmoid R (x i) + x i * (sigmoid R (x i) * (1 - sigmoid R (x i))))

theorem sigmoidBack_eq_vjp (x dy : Vec R n) :
    sigmoidBack x dy = (sigmoidLayer R n).vjp.backward x dy :=
  funext fun i => congrArg (fun s => dy i * s) (sigmoid_deriv (x i)).symm

theorem swishBack_eq_vjp (x dy : Vec R n) :
    swishBack x dy = (swishLayer R n).vjp.backward x dy :=
  funext fun i => congrArg (fun s => dy i * s) (swish_deriv (x i)).symm

end NetTies
