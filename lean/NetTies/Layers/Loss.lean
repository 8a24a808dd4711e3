import NetTies.Layers.Norm
import NetTies.Layers.Softmax

/-! # The smoothed cross-entropy loss

The mean over `N` examples of the cross-entropy of the softmax of the logits against a smoothed target
`(1 - α) t + α / K`, at a general target `t`. `smoothedLossCotGraphDiv` is the chain of operations by
which a training step computes its cotangent at the logits: exponentials, division by their sum,
subtraction of the target, `α t` added back, a constant shift by `-α / K`, and division by `N`.
`smoothedLossCotGraphDiv_eq_vjp` ties it to the certified gradient of the loss.

Answers: ViT-Tiny's step tie, axis 2: the smoothed loss at a general target. -/

namespace NetTies

variable {R : Type} [Scalars R] {N K : Nat}

/-- The smoothed target. -/
def smoothTarget (α : R) (t : Vec R K) : Vec R K := fun i => (1 - α) * t i + α * invCard R K

/-- The logarithm of the sum of the exponentials. -/
def logSumExp (R : Type) [Scalars R] (K : Nat) : Layer R (K + 1) 1 :=
  .ofWitness (log.map 1 ⊚ (Linear.sumAll R (K + 1)).map ⊚ exp.map (K + 1)) fun z =>
    (log.witness (x := ((Linear.sumAll R (K + 1)).map ⊚ exp.map (K + 1)) z) fun _ =>
        log_smooth (pos_sum fun i => exp_pos (z i))).comp
      (((Linear.sumAll R (K + 1)).layer.witness _).comp (exp.witness fun i => exp_smooth (z i)))

/-- The cross-entropy of one example: `log ∑ exp z - t ⬝ z`. -/
def crossEntropy (t : Vec R (K + 1)) : Layer R (K + 1) 1 :=
  (logSumExp R K).add ((Bilinear.dot R (K + 1)).right fun i => -t i).layer

/-- The mean of the smoothed cross-entropies of a batch. -/
def smoothedCE (α : R) (t : Vec R (N * (K + 1))) : Layer R (N * (K + 1)) 1 :=
  (Linear.scale (invCard R N) 1).layer.comp ((Linear.sumAll R (N * 1)).layer.comp
    (Layer.batchIdx N fun e => crossEntropy (smoothTarget α (row t e))))

/-- The rendered cotangent of the logits. -/
def smoothedLossCotGraphDiv (α : R) (t z : Vec R (N * K)) : Vec R (N * K) :=
  let p := rowSoftmax N z
  let subB : Vec R (N * K) := fun i => p i - t i
  let scaleB : Vec R (N * K) := fun i => α * t i
  let addVB : Vec R (N * K) := subB + scaleB
  let shiftB : Vec R (N * K) := fun i => addVB i - α * invCard R K
  fun i => invCard R N * shiftB i

theorem crossEntropy_backward (t z : Vec R (K + 1)) (c : R) (i : Idx (K + 1)) :
    (crossEntropy t).vjp.backward z (fun _ => c) i = c * (softmax z i - t i) := by
  show c * log.deriv (∑ l, exp (z l)) * exp.deriv (z i) + -t i * c = _
  rw [log_deriv (pos_sum fun l => exp_pos (z l)), exp_deriv]
  show c * recip (∑ l, exp (z l)) * exp (z i) + -t i * c =
    c * (exp (z i) * recip (∑ l, exp (z l)) - t i)
  simp only [ring_laws]

/-- The rendered cotangent is the certified gradient of the loss. -/
theorem smoothedLossCotGraphDiv_eq_vjp (α : R) (t z : Vec R (N * (K + 1))) :
    smoothedLossCotGraphDiv α t z = (smoothedCE α t).vjp.backward z fun _ => 1 :=
  batch_ext fun e => funext fun i => by
    show invCard R N * (row (rowSoftmax N z) e i - row t e i + α * row t e i -
        α * invCard R (K + 1)) =
      row (flatten fun e => (crossEntropy (smoothTarget α (row t e))).vjp.backward (row z e)
        (fun _ => invCard R N * 1)) e i
    rw [row_flatten, crossEntropy_backward, rowSoftmax, row_batchFun, mul_one]
    refine congrArg (fun s => invCard R N * s) ?_
    show softmax (row z e) i - row t e i + α * row t e i - α * invCard R (K + 1) =
      softmax (row z e) i - ((1 - α) * row t e i + α * invCard R (K + 1))
    simp only [ring_laws, one_mul]

end NetTies
