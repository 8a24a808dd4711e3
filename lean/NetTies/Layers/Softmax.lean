import NetTies.Layers.Matrix
import NetTies.Layers.Activations

/-! # Softmax

`softmax z = exp z / ∑ exp z`, a product of two layers built from `exp`, `recip` and a sum, so its
certified backward function follows by the product and chain rules. The rendered one is the closed
form `p ⊙ (dy - ∑ p dy)` at the weights `p` recomputed from the saved scores; `softmaxBack_eq_vjp` is
their tie. A softmax needs at least one entry: then the sum of exponentials is positive.

Answers: the attention-block chain: `rowSoftmaxBack`. -/

namespace NetTies

variable {R : Type} [Scalars R] {n : Nat}

/-- The exponentials, divided by their sum. -/
def softmax (z : Vec R n) : Vec R n := fun j => exp (z j) * recip (∑ l, exp (z l))

/-- Softmax as a map: the exponentials times the reciprocal of their sum. -/
def softmaxMap (R : Type) [Scalars R] (n : Nat) : Map R n n :=
  .bilin (.scaleBy R n) (exp.map n) (recip.map 1 ⊚ (Linear.sumAll R n).map ⊚ exp.map n)

theorem softmaxMap_apply (z : Vec R n) : softmaxMap R n z = softmax z := rfl

/-- The softmax layer. -/
def softmaxLayer (R : Type) [Scalars R] (n : Nat) : Layer R (n + 1) (n + 1) :=
  .ofWitness (softmaxMap R (n + 1)) fun z =>
    .bilin (.scaleBy R (n + 1)) (exp.witness fun i => exp_smooth (z i))
      ((recip.witness (x := ((Linear.sumAll R (n + 1)).map ⊚ exp.map (n + 1)) z) fun _ =>
          recip_smooth (pos_sum fun i => exp_pos (z i))).comp
        (((Linear.sumAll R (n + 1)).layer.witness _).comp (exp.witness fun i => exp_smooth (z i))))

/-- The rendered backward function: `p ⊙ (dy - ∑ p dy)`. -/
def softmaxBack (z dy : Vec R n) : Vec R n := fun i => softmax z i * (dy i - softmax z ⬝ dy)

/-- The leaf tie of softmax. -/
theorem softmaxBack_eq_vjp (z dy : Vec R (n + 1)) :
    softmaxBack z dy = (softmaxLayer R n).vjp.backward z dy := funext fun i => by
  let e : Vec R (n + 1) := fun i => exp (z i)
  let r : R := recip (∑ l, e l)
  have hdot : softmax z ⬝ dy = r * (e ⬝ dy) :=
    (sum_congr fun j => show e j * r * dy j = r * (e j * dy j) by simp only [ring_laws]).trans
      (mul_sum r fun j => e j * dy j).symm
  show e i * r * (dy i - softmax z ⬝ dy) =
    r * dy i * exp.deriv (z i) + (e ⬝ dy) * recip.deriv (∑ l, e l) * exp.deriv (z i)
  rw [hdot, exp_deriv, recip_deriv (pos_sum fun i => exp_pos (z i))]
  show e i * r * (dy i - r * (e ⬝ dy)) = r * dy i * e i + (e ⬝ dy) * -(r * r) * e i
  simp only [ring_laws]

/-! ## On rows -/

/-- Softmax on each of `m` rows of scores. -/
def rowSoftmax (m : Nat) (s : Vec R (m * n)) : Vec R (m * n) := batchFun m softmax s

/-- The rendered backward function on each row, from the saved scores. -/
def rowSoftmaxBack (m : Nat) (s dp : Vec R (m * n)) : Vec R (m * n) := batchMapAux m softmaxBack s dp

theorem row_rowSoftmaxBack (m : Nat) (s dp : Vec R (m * n)) (i : Idx m) :
    row (rowSoftmaxBack m s dp) i = softmaxBack (row s i) (row dp i) :=
  row_batchMapAux softmaxBack s dp i

/-- The tie of the rowwise softmax. -/
theorem rowSoftmaxBack_eq_vjp (m : Nat) (s dp : Vec R (m * (n + 1))) :
    rowSoftmaxBack m s dp = ((softmaxLayer R n).batch m).vjp.backward s dp :=
  (softmaxLayer R n).batchMapAux_eq_vjp softmaxBack_eq_vjp m s dp

end NetTies
