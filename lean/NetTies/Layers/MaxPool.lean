import NetTies.Layers.Kinks
import NetTies.Layers.Conv

/-! # Max pooling at a smooth point

An output position reads the greatest of the input positions in its window; taps outside the image are
left out. A point is smooth for the pool when every window has one entry greater than all others: the
window's *winner*. There the pool is differentiable, its derivative reads the winners' derivatives, and
its rendered backward function sends each output cotangent to the winner of its window.

Answers: the stem's pool of the residual networks. -/

namespace NetTies

variable {R S : Type} {K P P' : Nat}

/-- The greatest entry of a window, if it has one. -/
def poolFold (max : S → S → S) (z : Vec S P) : {K : Nat} → (Idx K → Option (Idx P)) → Option S
  | 0, _ => none
  | _ + 1, window =>
    match window .zero, poolFold max z fun k => window (.succ k) with
    | none, rest => rest
    | some q, none => some (z q)
    | some q, some rest => some (max (z q) rest)

/-- An entry or zero. -/
def orZero [Zero S] : Option S → S
  | none => 0
  | some a => a

/-- `q` is the winner of a window: it is read, and every other entry that is read is less. -/
def IsWinner [LT R] (x : Vec R P) (window : Idx K → Option (Idx P)) (q : Idx P) : Prop :=
  (∃ k, window k = some q) ∧ ∀ k q', window k = some q' → q' = q ∨ x q' < x q

/-! ## The fold finds the winner -/

/-- The fold gives one of the entries read. -/
theorem poolFold_mem {max : S → S → S} (either : ∀ a b, max a b = a ∨ max a b = b) (z : Vec S P) :
    {K : Nat} → (window : Idx K → Option (Idx P)) → (m : S) → poolFold max z window = some m →
      ∃ k q, window k = some q ∧ m = z q
  | 0, _, _, h => nomatch h
  | _ + 1, window, m, h => by
    rw [poolFold] at h
    cases h0 : window .zero with
    | none =>
      rw [h0] at h
      exact match poolFold_mem either z _ m h with
        | ⟨k, q, hk, hm⟩ => ⟨.succ k, q, hk, hm⟩
    | some q0 =>
      cases hr : poolFold max z fun k => window (.succ k) with
      | none =>
        rw [h0, hr] at h
        exact ⟨.zero, q0, h0, (Option.some.inj h).symm⟩
      | some rest =>
        rw [h0, hr] at h
        exact match either (z q0) rest with
          | .inl e => ⟨.zero, q0, h0, (Option.some.inj h).symm.trans e⟩
          | .inr e => match poolFold_mem either z _ rest hr with
            | ⟨k, q, hk, hm⟩ => ⟨.succ k, q, hk, (Option.some.inj h).symm.trans (e.trans hm)⟩

/-- The fold gives the winner's entry, if the winner beats what is less. -/
theorem poolFold_winner {max : S → S → S} (either : ∀ a b, max a b = a ∨ max a b = b)
    {z : Vec S P} {q : Idx P} {Less : Idx P → Prop} (left : ∀ q', Less q' → max (z q) (z q') = z q)
    (right : ∀ q', Less q' → max (z q') (z q) = z q) :
    {K : Nat} → (window : Idx K → Option (Idx P)) → (∃ k, window k = some q) →
      (∀ k q', window k = some q' → q' = q ∨ Less q') → poolFold max z window = some (z q)
  | 0, _, ⟨k, _⟩, _ => k.elim0
  | _ + 1, window, ⟨k, hk⟩, hall => by
    have self : max (z q) (z q) = z q := (either (z q) (z q)).elim (fun e => e) fun e => e
    have tail : (∃ k, window (.succ k) = some q) →
        poolFold max z (fun k => window (.succ k)) = some (z q) := fun h =>
      poolFold_winner either left right _ h fun k => hall (.succ k)
    rw [poolFold]
    cases h0 : window .zero with
    | none =>
      exact tail (match k, hk with
        | .zero, hk => nomatch h0.symm.trans hk
        | .succ k, hk => ⟨k, hk⟩)
    | some q0 =>
      refine (Idx.eq_or_ne q0 q).elim (fun e => ?_) fun ne => ?_
      · cases hr : poolFold max z fun k => window (.succ k) with
        | none => exact congrArg (fun i => some (z i)) e
        | some rest =>
          refine congrArg some ?_
          rw [e]
          exact match poolFold_mem either z _ rest hr with
            | ⟨k, q', hk', hm⟩ => (hall (.succ k) q' hk').elim
              (fun e' => by rw [hm, e', self]) fun less => by rw [hm, left q' less]
      · rw [tail (match k, hk with
          | .zero, hk => absurd (Option.some.inj (h0.symm.trans hk)) ne
          | .succ k, hk => ⟨k, hk⟩)]
        exact congrArg some ((hall .zero q0 h0).elim (fun e => absurd e ne) (right q0))

/-! ## The layer -/

variable [Kinks R]

/-- The greatest entry of each window of one channel. -/
def maxPoolMap (R : Type) [Kinks R] (src : Idx P' → Idx K → Option (Idx P)) : Map R P P' where
  toFun x p := orZero (poolFold Kinks.max x (src p))
  onDual x p := orZero (poolFold Kinks.maxDual x (src p))

/-- Every window has a winner. -/
def MaxPoolSmoothAt (src : Idx P' → Idx K → Option (Idx P)) (win : Idx P' → Idx P)
    (x : Vec R P) : Prop := ∀ p, IsWinner x (src p) (win p)

/-- The rendered backward function: each output cotangent goes to the winner of its window. -/
def maxPoolBack (win : Idx P' → Idx P) (dy : Vec R P') : Vec R P := fun q =>
  ∑ p, delta (win p) q * dy p

theorem maxPoolMap_apply {src : Idx P' → Idx K → Option (Idx P)} {win : Idx P' → Idx P}
    {x : Vec R P} (h : MaxPoolSmoothAt src win x) (p : Idx P') :
    maxPoolMap R src x p = x (win p) :=
  congrArg orZero (poolFold_winner Kinks.max_either (Less := fun q' => x q' < x (win p))
    (fun _ => Kinks.max_left) (fun _ => Kinks.max_right) (src p) (h p).1 (h p).2)

theorem maxPoolMap_onDual {src : Idx P' → Idx K → Option (Idx P)} {win : Idx P' → Idx P}
    {x : Vec R P} (h : MaxPoolSmoothAt src win x) (v : Vec R P) :
    (maxPoolMap R src).onDual (jet x v) = jet (maxPoolMap R src x) fun p => v (win p) :=
  funext fun p => (congrArg orZero (poolFold_winner Kinks.maxDual_either (z := jet x v)
    (Less := fun q' => x q' < x (win p))
    (fun q' => Kinks.maxDual_left (x := jet x v (win p)) (y := jet x v q'))
    (fun q' => Kinks.maxDual_right (x := jet x v q') (y := jet x v (win p))) (src p) (h p).1
    (h p).2)).trans
      (Dual.ext (maxPoolMap_apply h p).symm rfl)

theorem maxPoolBack_adjoint (win : Idx P' → Idx P) :
    Adjoint (fun v : Vec R P => fun p => v (win p)) (maxPoolBack win) := fun v dy => by
  show ∑ p, v (win p) * dy p = ∑ q, v q * (∑ p, delta (win p) q * dy p)
  simp only [mul_sum]
  rw [sum_comm]
  exact sum_congr fun p => by
    rw [← sum_delta_mul (win p) v, sum_mul]
    exact sum_congr fun q => by simp only [ring_laws]

/-- The certified backward function of max pooling at a smooth point. -/
def maxPool_has_vjp_at {src : Idx P' → Idx K → Option (Idx P)} {win : Idx P' → Idx P}
    {x : Vec R P} (h : MaxPoolSmoothAt src win x) : HasVJPDiffAt (maxPoolMap R src) x :=
  .ofAdjoint _ (maxPoolBack win) (maxPoolMap_onDual h) (maxPoolBack_adjoint win)

/-- The leaf tie of max pooling at a smooth point. -/
theorem maxPoolBack_eq_vjp {src : Idx P' → Idx K → Option (Idx P)} {win : Idx P' → Idx P}
    {x : Vec R P} (h : MaxPoolSmoothAt src win x) (dy : Vec R P') :
    maxPoolBack win dy = (maxPool_has_vjp_at h).backward dy := rfl

/-- Max pooling of each channel of an image. -/
def maxPoolChannels (R : Type) [Kinks R] (C : Nat) (src : Idx P' → Idx K → Option (Idx P)) :
    Map R (C * P) (C * P') := batchMap C (maxPoolMap R src)

/-- Its witness where every window of every channel has a winner. -/
def maxPoolChannels_has_vjp_at {C : Nat} {src : Idx P' → Idx K → Option (Idx P)}
    {win : Idx C → Idx P' → Idx P} {x : Vec R (C * P)}
    (h : ∀ c, MaxPoolSmoothAt src (win c) (row x c)) :
    HasVJPDiffAt (maxPoolChannels R C src) x :=
  .batchMapIdx fun c => maxPool_has_vjp_at (h c)

end NetTies
