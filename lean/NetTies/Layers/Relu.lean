import NetTies.Layers.Activations
import NetTies.Layers.Kinked

/-! # ReLU and ReLU6

`relu` is smooth where its argument is positive or negative, and its derivative there is the mask: one
or zero. `relu6 a = relu a - relu (a - 6)` has two kinks, at zero and at six.

`KinkedScalars` is what networks with kinks and normalisations assume of the scalars: smooth scalars,
`relu`, and the maximum of a window of numbers, whose gradient is the unit vector of its largest entry
where that entry is larger than all others. As for every scalar function, these derivatives are data. -/

namespace NetTies

variable {R : Type} {n : Nat}

/-- A function of several numbers with its gradient where it is smooth. -/
structure WindowFn (R : Type) [CommRing R] (K : Nat) where
  toFun : Vec R K → R
  onDual : Vec (Dual R) K → Dual R
  grad : Vec R K → Vec R K
  /-- The points where `grad` is the gradient. -/
  Smooth : Vec R K → Prop
  onDual_eq : ∀ {v : Vec R K} (u : Vec R K), Smooth v → onDual (jet v u) = ⟨toFun v, grad v ⬝ u⟩
  /-- Constants go to constants, at kinks too. -/
  onDual_lift : ∀ v : Vec R K, onDual (lift v) = .const (toFun v)

instance [CommRing R] {K : Nat} : CoeFun (WindowFn R K) (fun _ => Vec R K → R) := ⟨WindowFn.toFun⟩

/-- Entry `i` is larger than all others. -/
def IsStrictMax [LT R] {K : Nat} (v : Vec R K) (i : Idx K) : Prop := ∀ j, j ≠ i → v j < v i

/-- The scalars of networks with kinks and normalisations. -/
class KinkedScalars (R : Type) extends Scalars R, Kinks R where
  /-- The maximum of a window. -/
  maxOf (K : Nat) : WindowFn R K
  maxOf_smooth {K : Nat} {v : Vec R K} {i : Idx K} : IsStrictMax v i → (maxOf K).Smooth v
  maxOf_eq {K : Nat} {v : Vec R K} {i : Idx K} : IsStrictMax v i → maxOf K v = v i
  maxOf_grad {K : Nat} {v : Vec R K} {i : Idx K} : IsStrictMax v i → (maxOf K).grad v = delta i

export KinkedScalars (maxOf maxOf_smooth maxOf_eq maxOf_grad)

/-- No entry of a pre-activation is at the kink of `relu`. -/
def ReluSmoothAt [KinkedScalars R] (z : Vec R n) : Prop := ∀ i, 0 < z i ∨ z i < 0

section Relu

variable [KinkedScalars R]

/-- ReLU on every entry. -/
def reluLayer (R : Type) [KinkedScalars R] (n : Nat) : KinkedLayer R n n where
  fwd := (Kinks.relu (R := R)).map n
  Smooth := ReluSmoothAt
  witness _ h := Kinks.relu.witness fun i => Kinks.relu_smooth (h i)
  back := Kinks.relu.back
  back_eq_vjp _ _ _ := rfl

/-- The rendered backward function: the cotangent behind the mask of the saved pre-activation. -/
def reluBack (z dy : Vec R n) : Vec R n := Kinks.relu.back z dy

theorem reluBack_of_pos (z dy : Vec R n) {i : Idx n} (h : 0 < z i) : reluBack z dy i = dy i := by
  show dy i * Kinks.relu.deriv (z i) = dy i
  rw [Kinks.relu_deriv_of_pos h, mul_one]

theorem reluBack_of_neg (z dy : Vec R n) {i : Idx n} (h : z i < 0) : reluBack z dy i = 0 := by
  show dy i * Kinks.relu.deriv (z i) = 0
  rw [Kinks.relu_deriv_of_neg h, mul_zero]

/-- The leaf tie of ReLU. -/
theorem reluBack_eq_vjp (z : Vec R n) (h : ReluSmoothAt z) (dy : Vec R n) :
    reluBack z dy = ((reluLayer R n).witness z h).backward dy := rfl

/-! ## ReLU6 -/

/-- Six. -/
def six (R : Type) [KinkedScalars R] : R := 1 + 1 + 1 + 1 + 1 + 1

/-- `relu a - relu (a - 6)`. -/
def relu6 (R : Type) [KinkedScalars R] : ScalarFn R :=
  Kinks.relu + -Kinks.relu.comp (ScalarFn.id R + ScalarFn.const R (-six R))

/-- No entry of a pre-activation is at a kink of `relu6`. -/
def Relu6SmoothAt (z : Vec R n) : Prop :=
  ∀ i, (0 < z i ∨ z i < 0) ∧ (0 < z i + -six R ∨ z i + -six R < 0)

theorem relu6_smooth {a : R} (h : 0 < a ∨ a < 0) (h' : 0 < a + -six R ∨ a + -six R < 0) :
    (relu6 R).Smooth a :=
  ⟨Kinks.relu_smooth h, trivial, ⟨trivial, trivial⟩, Kinks.relu_smooth h'⟩

/-- `relu6' = relu'(a) - relu'(a - 6)`. -/
theorem relu6_deriv (a : R) :
    (relu6 R).deriv a = Kinks.relu.deriv a - Kinks.relu.deriv (a + -six R) := by
  show Kinks.relu.deriv a + (0 * _ + -1 * (Kinks.relu.deriv (a + -six R) * (1 + 0))) = _
  rw [zero_mul, zero_add, add_zero, mul_one, neg_mul, one_mul]
  rfl

/-- Between the kinks the mask is one. -/
theorem relu6_deriv_inside {a : R} (h : 0 < a) (h' : a + -six R < 0) : (relu6 R).deriv a = 1 := by
  rw [relu6_deriv, Kinks.relu_deriv_of_pos h, Kinks.relu_deriv_of_neg h', sub_def, neg_zero, add_zero]

/-- Above six the mask is zero. -/
theorem relu6_deriv_above {a : R} (h : 0 < a) (h' : 0 < a + -six R) : (relu6 R).deriv a = 0 := by
  rw [relu6_deriv, Kinks.relu_deriv_of_pos h, Kinks.relu_deriv_of_pos h', sub_self]

/-- ReLU6 on every entry. -/
def relu6Layer (R : Type) [KinkedScalars R] (n : Nat) : KinkedLayer R n n where
  fwd := (relu6 R).map n
  Smooth := Relu6SmoothAt
  witness _ h := (relu6 R).witness fun i => relu6_smooth (h i).1 (h i).2
  back := (relu6 R).back
  back_eq_vjp _ _ _ := rfl

/-- The rendered backward function: the cotangent behind the mask of the saved pre-activation. -/
def relu6Back (z dy : Vec R n) : Vec R n := (relu6 R).back z dy

/-- The leaf tie of ReLU6. -/
theorem relu6Back_eq_vjp (z : Vec R n) (h : Relu6SmoothAt z) (dy : Vec R n) :
    relu6Back z dy = ((relu6Layer R n).witness z h).backward dy := rfl

end Relu

end NetTies
