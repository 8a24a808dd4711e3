import NetTies.Layers.Conv
import NetTies.Layers.KinkedActivations

/-! # ReLU and max pool as one layer

A window reads positions through taps, as a stencil does; padding reads zero. Where one read is larger
than all others, the gradient of the maximum is routed to it. A window whose reads are all switched
off by ReLU has no unique maximum, yet nothing flows through it: its reads do not change. So ReLU and
the pool are certified together (`reluPoolLayer`), and dead windows are smooth points.

`PoolScalars` adds to the scalars the maximum of a window of numbers. Its gradient, the unit vector of
the largest entry where that entry is larger than all others, is data like every scalar derivative. -/

namespace NetTies

variable {R S : Type} {m n K B : Nat}

/-! ## Functions of a window -/

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

/-- Kinked scalars with the maximum of a window. -/
class PoolScalars (R : Type) extends KinkedScalars R where
  maxOf (K : Nat) : WindowFn R K
  maxOf_smooth {K : Nat} {v : Vec R K} {i : Idx K} : IsStrictMax v i → (maxOf K).Smooth v
  maxOf_eq {K : Nat} {v : Vec R K} {i : Idx K} : IsStrictMax v i → maxOf K v = v i
  maxOf_grad {K : Nat} {v : Vec R K} {i : Idx K} : IsStrictMax v i → (maxOf K).grad v = delta i

export PoolScalars (maxOf maxOf_smooth maxOf_eq maxOf_grad)

/-! ## Taps -/

/-- What the taps of output position `p` read. -/
def windowOf [CommRing S] (src : Idx n → Idx K → Option (Idx m)) (x : Vec S m) (p : Idx n) :
    Vec S K := fun k => pick x (src p k)

/-- The taps of a pool on each of `B` rows. -/
def batchSrc (B : Nat) (src : Idx n → Idx K → Option (Idx m)) (p : Idx (B * n)) (k : Idx K) :
    Option (Idx (B * m)) :=
  match src p.unpair.snd k with
  | none => none
  | some q => some (.pair p.unpair.fst q)

section

variable [CommRing R]

/-- The transpose of reading through taps with weights of each output position's own. -/
def routeBack (src : Idx n → Idx K → Option (Idx m)) (G : Mat R n K) (dy : Vec R n) : Vec R m :=
  fun q => ∑ p, ∑ k, G p k * hit (src p k) q * dy p

theorem routeBack_adjoint (src : Idx n → Idx K → Option (Idx m)) (G : Mat R n K) :
    Adjoint (fun v : Vec R m => fun p => G p ⬝ windowOf src v p) (routeBack src G) := fun v dy => by
  show ∑ p, (∑ k, G p k * pick v (src p k)) * dy p =
    ∑ q, v q * (∑ p, ∑ k, G p k * hit (src p k) q * dy p)
  simp only [pick_eq_sum, sum_mul, mul_sum]
  rw [sum_comm (fun q p => ∑ k, v q * (G p k * hit (src p k) q * dy p))]
  refine sum_congr fun p => ?_
  rw [sum_comm]
  exact sum_congr fun q => sum_congr fun k => by simp only [ring_laws]

theorem windowOf_jet (src : Idx n → Idx K → Option (Idx m)) (x v : Vec R m) (p : Idx n) :
    windowOf src (jet x v) p = jet (windowOf src x p) (windowOf src v p) :=
  funext fun k => pick_jet x v (src p k)

end

variable [PoolScalars R]

/-! ## The pool after a ReLU -/

/-- The maximum of each window. -/
def stemPoolMap (R : Type) [PoolScalars R] (src : Idx n → Idx K → Option (Idx m)) : Map R m n where
  toFun x p := maxOf K (windowOf src x p)
  onDual x p := (maxOf K).onDual (windowOf src x p)

/-- The rendered backward function of the pool: each window's cotangent, routed to its maximum. -/
def stemPoolBack (src : Idx n → Idx K → Option (Idx m)) (x : Vec R m) (dy : Vec R n) : Vec R m :=
  routeBack src (fun p => (maxOf K).grad (windowOf src x p)) dy

/-- Where a window has a largest read, its cotangent goes there and nowhere else. -/
theorem maxOf_grad_dot {v : Vec R K} {i : Idx K} (h : IsStrictMax v i) (u : Vec R K) :
    (maxOf K).grad v ⬝ u = u i := by
  rw [maxOf_grad h, delta_dot]

/-- A window meets no kink: one read is larger than all others, or ReLU switches all of them off. -/
def WindowSmoothAt (src : Idx n → Idx K → Option (Idx m)) (z : Vec R m) (p : Idx n) : Prop :=
  (∃ k, IsStrictMax (windowOf src (reluMap R m z) p) k) ∨
    ∀ k q, src p k = some q → z q < 0

theorem pick_eq_zero {u : Vec R m} : (s : Option (Idx m)) → (∀ q, s = some q → u q = 0) →
    pick u s = 0
  | none, _ => rfl
  | some q, h => h q rfl

/-- In a smooth window the maximum changes as its gradient says. -/
theorem maxOf_onDual {src : Idx n → Idx K → Option (Idx m)} {z : Vec R m} {p : Idx n}
    (h : WindowSmoothAt src z p) (v : Vec R m) :
    (maxOf K).onDual (jet (windowOf src (reluMap R m z) p)
        (windowOf src (fun i => mask (z i) * v i) p)) =
      ⟨maxOf K (windowOf src (reluMap R m z) p),
        (maxOf K).grad (windowOf src (reluMap R m z) p) ⬝
          windowOf src (fun i => mask (z i) * v i) p⟩ :=
  h.elim (fun ⟨_, hk⟩ => (maxOf K).onDual_eq _ (maxOf_smooth hk)) fun dead => by
    have still : windowOf src (fun i => mask (z i) * v i) p = 0 :=
      funext fun k => pick_eq_zero _ fun q e => by
        rw [mask_of_neg (dead k q e), zero_mul]
    rw [still, dot_zero]
    exact (maxOf K).onDual_lift _

/-- ReLU, then the maximum of each window. -/
def reluPoolLayer (R : Type) [PoolScalars R] (src : Idx n → Idx K → Option (Idx m)) :
    KinkedLayer R m n where
  fwd := stemPoolMap R src ⊚ reluMap R m
  Smooth z := ReluSmoothAt z ∧ ∀ p, WindowSmoothAt src z p
  witness z h := .ofAdjoint
    (fun v p => (maxOf K).grad (windowOf src (reluMap R m z) p) ⬝
      windowOf src (fun i => mask (z i) * v i) p)
    (fun dy => reluBack z (stemPoolBack src (reluMap R m z) dy))
    (fun v => funext fun p => by
      show (maxOf K).onDual (windowOf src ((reluMap R m).onDual (jet z v)) p) = _
      rw [show (reluMap R m).onDual (jet z v) = jet (reluMap R m z) fun i => mask (z i) * v i from
        funext fun i => (relu.onDual_eq (v i) (relu_smooth (h.1 i))).trans
          (Dual.ext rfl (congrArg (fun d => d * v i) (relu_deriv (h.1 i)))), windowOf_jet]
      exact maxOf_onDual (h.2 p) v)
    (Adjoint.comp (D := fun v i => mask (z i) * v i)
      (fun v dy => sum_congr fun i =>
        show mask (z i) * v i * dy i = v i * (dy i * mask (z i)) by
          simp only [ring_laws])
      (routeBack_adjoint src fun p =>
        (maxOf K).grad (windowOf src (reluMap R m z) p)))
  back z dy := reluBack z (stemPoolBack src (reluMap R m z) dy)
  back_eq_vjp _ _ _ := rfl

end NetTies
