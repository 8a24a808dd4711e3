import NetTies.Layers.KinkedActivations
import NetTies.Layers.MaxPool

/-! # ReLU and max pool as one layer

A window whose entries are all switched off by ReLU has no winner, yet nothing flows through it: its
entries do not change. So ReLU and the pool after it are certified together (`reluPoolLayer`), at
points where each window has a winner or only dead entries. The winners are saved by the forward
pass; the rendered backward function routes each cotangent to its window's winner and masks it.

Answers: the family of seven batched ties: the residual networks' stem. -/

namespace NetTies

variable {R : Type} [Kinks R] {m n K B : Nat}

/-- The taps of a pool on each of `B` rows. -/
def batchSrc (B : Nat) (src : Idx n → Idx K → Option (Idx m)) (p : Idx (B * n)) (k : Idx K) :
    Option (Idx (B * m)) :=
  match src p.unpair.snd k with
  | none => none
  | some q => some (.pair p.unpair.fst q)

/-- A window after ReLU meets no kink: `q` is its winner, or one of its entries, all of them dead.
-/
def WindowSmoothAt (z : Vec R m) (window : Idx K → Option (Idx m)) (q : Idx m) : Prop :=
  IsWinner (reluMap R m z) window q ∨
    ((∃ k, window k = some q) ∧ ∀ k q', window k = some q' → z q' < 0)

/-- What ReLU does to a change `v` of its input. -/
def reluTangent (z v : Vec R m) : Vec R m := fun i => mask (z i) * v i

theorem reluMap_onDual {z : Vec R m} (h : ReluSmoothAt z) (v : Vec R m) :
    (reluMap R m).onDual (jet z v) = jet (reluMap R m z) (reluTangent z v) :=
  funext fun i => (relu.onDual_eq (v i) (relu_smooth (h i))).trans
    (Dual.ext rfl (congrArg (fun d => d * v i) (relu_deriv (h i))))

/-- A dead entry is zero and does not change. -/
theorem relu_dead {z : Vec R m} {q : Idx m} (h : z q < 0) (v : Vec R m) :
    jet (reluMap R m z) (reluTangent z v) q = 0 :=
  Dual.ext (relu_of_neg h) (show mask (z q) * v q = 0 by rw [mask_of_neg h, zero_mul])

/-- The fold of entries that are all equal to `a` is `a`. -/
theorem orZero_poolFold_eq {S : Type} [Zero S] {max : S → S → S}
    (either : ∀ a b, max a b = a ∨ max a b = b) {z : Vec S m} {window : Idx K → Option (Idx m)}
    (h : ∀ k q, window k = some q → z q = 0) : orZero (poolFold max z window) = 0 := by
  cases e : poolFold max z window with
  | none => rfl
  | some a =>
    exact match poolFold_mem either z window a e with
      | ⟨k, q, hk, ha⟩ => ha.trans (h k q hk)

/-- In a smooth window the maximum changes as its winner does. -/
theorem poolFold_reluTangent {z v : Vec R m} {window : Idx K → Option (Idx m)} {q : Idx m}
    (h : WindowSmoothAt z window q) :
    orZero (poolFold Kinks.maxDual (jet (reluMap R m z) (reluTangent z v)) window) =
      (⟨orZero (poolFold Kinks.max (reluMap R m z) window), reluTangent z v q⟩ : Dual R) :=
  h.elim
    (fun win => congrFun (maxPoolMap_onDual (P' := 1) (src := fun _ => window) (win := fun _ => q)
      (fun _ => win) (reluTangent z v)) .zero)
    fun ⟨⟨k, hk⟩, dead⟩ => by
      rw [orZero_poolFold_eq Kinks.maxDual_either fun k q' e => relu_dead (dead k q' e) v,
        orZero_poolFold_eq (z := reluMap R m z) Kinks.max_either fun k q' e =>
          relu_of_neg (dead k q' e)]
      exact Dual.ext rfl
        (show 0 = mask (z q) * v q by rw [mask_of_neg (dead k q hk), zero_mul])

/-- ReLU, then the maximum of each window; `win` are the saved winners. -/
def reluPoolLayer (R : Type) [Kinks R] (src : Idx n → Idx K → Option (Idx m))
    (win : Idx n → Idx m) : KinkedLayer R m n where
  fwd := maxPoolMap R src ⊚ reluMap R m
  Smooth z := ReluSmoothAt z ∧ ∀ p, WindowSmoothAt z (src p) (win p)
  witness z h := .ofAdjoint (fun v p => reluTangent z v (win p))
    (fun dy => reluBack z (maxPoolBack win dy))
    (fun v => by
      show (maxPoolMap R src).onDual ((reluMap R m).onDual (jet z v)) = _
      rw [reluMap_onDual h.1]
      exact funext fun p => poolFold_reluTangent (h.2 p))
    (Adjoint.comp (D := reluTangent z)
      (fun v dy => sum_congr fun i =>
        show mask (z i) * v i * dy i = v i * (dy i * mask (z i)) by simp only [ring_laws])
      (maxPoolBack_adjoint win))
  back z dy := reluBack z (maxPoolBack win dy)
  back_eq_vjp _ _ _ := rfl

end NetTies
