import NetTies.Foundation.Dual

/-! # Maps between vectors, their Jacobians and the chain rule

A `Map R m n` is a program run in two ways: on the scalars, and on dual numbers. The entry
`pdiv f x i j` of its Jacobian is computed by running it on the dual vector `x + ε δᵢ`. The map is
*differentiable* at `x` when the run on `x + ε v` has the value `f x` and the derivative that the
Jacobian gives, along every `v`. That compositions of differentiable maps are differentiable, and
that Jacobians multiply, is proved here for every commutative ring.

This is algebraic differentiation. What it says about real analysis rests on the scalar functions,
whose derivatives are data (`NetTies.Layers.Scalars`).

Answers: the `pdiv` of both batched ties. -/

namespace NetTies

variable {R : Type} {m n k : Nat}

/-- A program from `m` to `n` numbers, run on the scalars and on dual numbers. -/
structure Map (R : Type) (m n : Nat) where
  /-- The run on the scalars. -/
  toFun : Vec R m → Vec R n
  /-- The run on dual numbers. -/
  onDual : Vec (Dual R) m → Vec (Dual R) n

instance : CoeFun (Map R m n) (fun _ => Vec R m → Vec R n) := ⟨Map.toFun⟩

namespace Map

theorem ext {f g : Map R m n} (h : ∀ x, f x = g x) (h' : ∀ x, f.onDual x = g.onDual x) : f = g :=
  congr (congrArg Map.mk (funext h)) (funext h')

/-- The map that changes nothing. -/
def id (R : Type) (n : Nat) : Map R n n where
  toFun x := x
  onDual x := x

/-- `f`, then `g`. -/
def comp (g : Map R n k) (f : Map R m n) : Map R m k where
  toFun x := g (f x)
  onDual x := g.onDual (f.onDual x)

end Map

@[inherit_doc] scoped infixr:90 " ⊚ " => Map.comp

theorem Map.comp_apply (g : Map R n k) (f : Map R m n) (x : Vec R m) : (g ⊚ f) x = g (f x) := rfl

variable [CommRing R]

/-- The partial derivative of output `j` by input `i` at `x`. -/
def pdiv (f : Map R m n) (x : Vec R m) (i : Idx m) (j : Idx n) : R :=
  (f.onDual (jet x (delta i)) j).du

/-- The derivative along `v` that the Jacobian gives. -/
def jvp (f : Map R m n) (x v : Vec R m) : Vec R n := fun j => ∑ i, v i * pdiv f x i j

/-- At `x`, the run of `f` on dual numbers is its value and the derivative of its Jacobian. -/
def DifferentiableAt (f : Map R m n) (x : Vec R m) : Prop :=
  ∀ v, f.onDual (jet x v) = jet (f x) (jvp f x v)

theorem jvp_delta (f : Map R m n) (x : Vec R m) (i : Idx m) : jvp f x (delta i) = pdiv f x i :=
  funext fun j => sum_delta_mul i fun i' => pdiv f x i' j

/-- A derivative along each direction that has an adjoint is the derivative of the Jacobian. -/
theorem jvp_eq_of_adjoint {f : Map R m n} {x : Vec R m} {D : Vec R m → Vec R n}
    {back : Vec R n → Vec R m} (hD : ∀ v, f.onDual (jet x v) = jet (f x) (D v))
    (h : Adjoint D back) (v : Vec R m) : jvp f x v = D v :=
  funext fun j => (sum_congr fun i => congrArg (fun y : Vec (Dual R) n => v i * (y j).du)
    (hD (delta i))).trans (h.eq_sum v j).symm

/-- A map whose run on dual numbers has an adjoint derivative is differentiable. -/
theorem DifferentiableAt.ofAdjoint {f : Map R m n} {x : Vec R m} {D : Vec R m → Vec R n}
    {back : Vec R n → Vec R m} (hD : ∀ v, f.onDual (jet x v) = jet (f x) (D v))
    (h : Adjoint D back) : DifferentiableAt f x := fun v => by
  rw [hD, jvp_eq_of_adjoint hD h]

/-- **The chain rule**: Jacobians multiply. -/
theorem pdiv_comp {f : Map R m n} {g : Map R n k} {x : Vec R m} (hf : DifferentiableAt f x)
    (hg : DifferentiableAt g (f x)) (i : Idx m) (l : Idx k) :
    pdiv (g ⊚ f) x i l = ∑ j, pdiv f x i j * pdiv g (f x) j l := by
  show (g.onDual (f.onDual (jet x (delta i))) l).du = _
  rw [hf, jvp_delta, hg]
  rfl

/-- The chain rule, along a direction. -/
theorem jvp_comp {f : Map R m n} {g : Map R n k} {x : Vec R m} (hf : DifferentiableAt f x)
    (hg : DifferentiableAt g (f x)) (v : Vec R m) :
    jvp (g ⊚ f) x v = jvp g (f x) (jvp f x v) := by
  funext l
  show ∑ i, v i * pdiv (g ⊚ f) x i l = ∑ j, (∑ i, v i * pdiv f x i j) * pdiv g (f x) j l
  rw [sum_congr fun j => sum_mul (fun i => v i * pdiv f x i j) (pdiv g (f x) j l), sum_comm]
  exact sum_congr fun i => by
    rw [pdiv_comp hf hg, mul_sum]
    exact sum_congr fun j => (mul_assoc _ _ _).symm

/-- A composition of differentiable maps is differentiable. -/
theorem DifferentiableAt.comp {f : Map R m n} {g : Map R n k} {x : Vec R m}
    (hf : DifferentiableAt f x) (hg : DifferentiableAt g (f x)) : DifferentiableAt (g ⊚ f) x := by
  intro v
  show g.onDual (f.onDual (jet x v)) = _
  rw [hf, hg, jvp_comp hf hg]
  rfl

theorem differentiableAt_id (x : Vec R n) : DifferentiableAt (Map.id R n) x :=
  .ofAdjoint (D := fun v => v) (back := fun dy => dy) (fun _ => rfl) fun _ _ => rfl

end NetTies
