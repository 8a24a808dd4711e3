import NetTies.Layers.Kinked
import NetTies.Layers.Kinks

/-! # ReLU and ReLU6 as layers with kinks

The activations of `NetTies.Layers.Kinks` as kinked layers: their smooth points, rendered masks and
leaf ties. `KinkedScalars` is what a network with kinks and normalisations assumes of the scalars.

Answers: the smooth-point hypotheses of the networks with kinks. -/

namespace NetTies

variable {R : Type} {n : Nat}

/-- The scalars of networks with kinks and normalisations. -/
class KinkedScalars (R : Type) extends Scalars R, Kinks R

/-- ReLU on every entry. -/
def reluLayer (R : Type) [Kinks R] (n : Nat) : KinkedLayer R n n where
  fwd := reluMap R n
  Smooth := ReluSmoothAt
  witness _ h := relu_has_vjp_at h
  back := reluBack
  back_eq_vjp _ h dy := reluBack_eq_vjp h dy

/-- ReLU6 on every entry. -/
def relu6Layer (R : Type) [Kinks R] (n : Nat) : KinkedLayer R n n where
  fwd := relu6Map R n
  Smooth := Relu6SmoothAt
  witness _ h := relu6_has_vjp_at h
  back := relu6Back
  back_eq_vjp _ h dy := relu6Back_eq_vjp h dy

/-- Where the saved pre-activation is positive, ReLU passes the cotangent on. -/
theorem reluBack_of_pos [Kinks R] (z dy : Vec R n) {i : Idx n} (h : 0 < z i) :
    reluBack z dy i = dy i := by
  rw [reluBack, mask_of_pos h, mul_one]

/-- Where it is negative, ReLU stops the cotangent. -/
theorem reluBack_of_neg [Kinks R] (z dy : Vec R n) {i : Idx n} (h : z i < 0) :
    reluBack z dy i = 0 := by
  rw [reluBack, mask_of_neg h, mul_zero]

end NetTies
