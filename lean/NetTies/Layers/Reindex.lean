import NetTies.Layers.LinearMaps

/-! # Permutations of entries, and patches

A bijection of positions is a linear layer whose transpose is its inverse (`Linear.reindex`).
`patchify` cuts an image of `C` channels into `h × w` patches of `p × p` pixels: pixel `a` of patch
row `i` is pixel row `p i + a`, which is the position `pair a i` among `p * h` (`Idx.val_pair`).

Answers: ViT's batched tie, item 2: the patches of an image. -/

namespace NetTies

variable {R S : Type} [CommRing R] {m n C h w p : Nat}

/-! ## The delta of a bijection -/

theorem delta_self : {n : Nat} → (i : Idx n) → delta (R := R) i i = 1
  | _, .zero => rfl
  | _, .succ i => delta_self i

theorem delta_of_ne : {n : Nat} → {i j : Idx n} → i ≠ j → delta (R := R) i j = 0
  | _, .zero, .zero, h => absurd rfl h
  | _, .zero, .succ _, _ => rfl
  | _, .succ _, .zero, _ => rfl
  | _, .succ i, .succ j, h => delta_of_ne (i := i) (j := j) fun e => h (congrArg Idx.succ e)

theorem delta_equiv (e : Equiv (Idx n) (Idx m)) (j : Idx n) (i : Idx m) :
    delta (R := R) (e.toFun j) i = delta j (e.invFun i) :=
  (Idx.eq_or_ne j (e.invFun i)).elim
    (fun h => by rw [h, e.apply_symm_apply, delta_self, delta_self])
    fun h => by
      rw [delta_of_ne h, delta_of_ne fun e' => h ?_]
      rw [← e', e.symm_apply_apply]

/-- A sum over all positions does not change under a bijection. -/
theorem sum_equiv (e : Equiv (Idx n) (Idx m)) (f : Vec R m) : ∑ j, f (e.toFun j) = ∑ i, f i := by
  rw [sum_congr fun j => (sum_delta_mul (e.toFun j) f).symm, sum_comm]
  exact sum_congr fun i => by
    rw [← sum_mul, sum_congr fun j => delta_equiv e j i,
      sum_congr fun j => (mul_one (delta j (e.invFun i))).symm,
      sum_congr fun j => congrArg (fun d => d * (1 : R)) (delta_comm j (e.invFun i)),
      sum_delta_mul (e.invFun i) fun _ => 1, one_mul]

/-- The entries in another order; the transpose is the inverse order. -/
def Linear.reindex (R : Type) [CommRing R] (e : Equiv (Idx n) (Idx m)) : Linear R m n where
  map := ⟨fun x j => x (e.toFun j), fun x j => x (e.toFun j)⟩
  adj dy i := dy (e.invFun i)
  onDual_jet _ _ := rfl
  adjoint v dy := by
    show ∑ j, v (e.toFun j) * dy j = ∑ i, v i * dy (e.invFun i)
    rw [← sum_equiv e]
    exact sum_congr fun j => by rw [e.symm_apply_apply]

/-! ## Patches -/

/-- Pixel `(a, b)` of channel `c` of patch `(i, j)` is pixel `(p i + a, p j + b)` of channel `c`. -/
def patchEquiv (C h w p : Nat) :
    Equiv (Idx (h * w * (C * (p * p)))) (Idx (C * (p * h * (p * w)))) where
  toFun k :=
    let patch := (Idx.unpair k).fst.unpair
    let pixel := (Idx.unpair k).snd.unpair
    .pair pixel.fst (.pair (.pair pixel.snd.unpair.fst patch.fst)
      (.pair pixel.snd.unpair.snd patch.snd))
  invFun k :=
    let pixel := (Idx.unpair k).snd.unpair
    let y := pixel.fst.unpair
    let x := pixel.snd.unpair
    .pair (.pair y.snd x.snd) (.pair (Idx.unpair k).fst (.pair y.fst x.fst))
  symm_apply_apply k := by simp only [Idx.unpair_pair, Idx.pair_unpair]
  apply_symm_apply k := by simp only [Idx.unpair_pair, Idx.pair_unpair]

/-- An image cut into patches; the transpose puts them together again. -/
def Linear.patchify (R : Type) [CommRing R] (C h w p : Nat) :
    Linear R (C * (p * h * (p * w))) (h * w * (C * (p * p))) :=
  .reindex R (patchEquiv C h w p)

end NetTies
