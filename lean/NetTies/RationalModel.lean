import NetTies.Layers.Scalars

/-! # A model of the scalars that is not trivial

The rational numbers, built from pairs of natural numbers over positive ones, satisfy all laws of the
class `Scalars` (`Ratio.scalars`), and `1 ≠ 0` in them (`Ratio.one_ne_zero`): the theorems about smooth
networks are not theorems about the zero ring only. Derivatives are data, so the functions here are not
the real ones (`exp` is constantly one, and its derivative is said to be one); the model shows that the
laws do not make all scalars equal, not what they are meant for.

Answers: that the hypotheses under all four documents are not empty. -/

namespace NetTies

/-- A fraction: the difference of two natural numbers over a positive one. -/
structure Frac where
  pos : Nat
  neg : Nat
  den : Nat
  den_pos : 0 < den

namespace Frac

theorem ext {a b : Frac} (hp : a.pos = b.pos) (hn : a.neg = b.neg) (hd : a.den = b.den) : a = b := by
  cases a; cases b; cases hp; cases hn; cases hd; rfl

/-- Two fractions are the same number. -/
def Same (a b : Frac) : Prop := a.pos * b.den + b.neg * a.den = b.pos * a.den + a.neg * b.den

/-- The sum. -/
def add (a b : Frac) : Frac :=
  ⟨a.pos * b.den + b.pos * a.den, a.neg * b.den + b.neg * a.den, a.den * b.den,
    Nat.mul_pos a.den_pos b.den_pos⟩

/-- The product. -/
def mul (a b : Frac) : Frac :=
  ⟨a.pos * b.pos + a.neg * b.neg, a.pos * b.neg + a.neg * b.pos, a.den * b.den,
    Nat.mul_pos a.den_pos b.den_pos⟩

/-- The negative. -/
def opp (a : Frac) : Frac := ⟨a.neg, a.pos, a.den, a.den_pos⟩

/-- A natural number over a positive one. -/
def over (p d : Nat) (h : 0 < d) : Frac := ⟨p, 0, d, h⟩

theorem add_comm (a b : Frac) : a.add b = b.add a :=
  ext (Nat.add_comm _ _) (Nat.add_comm _ _) (Nat.mul_comm _ _)

theorem mul_comm (a b : Frac) : a.mul b = b.mul a := by
  refine ext ?_ ?_ (Nat.mul_comm _ _)
  · show a.pos * b.pos + a.neg * b.neg = b.pos * a.pos + b.neg * a.neg
    rw [Nat.mul_comm a.pos, Nat.mul_comm a.neg]
  · show a.pos * b.neg + a.neg * b.pos = b.pos * a.neg + b.neg * a.pos
    rw [Nat.mul_comm a.pos, Nat.mul_comm a.neg, Nat.add_comm]

theorem Same.add {a a' : Frac} (h : Same a a') (b : Frac) : Same (a.add b) (a'.add b) := by
  have key : ∀ p n d p' n' d' q m e : Nat, p * d' + n' * d = p' * d + n * d' →
      (p * e + q * d) * (d' * e) + (n' * e + m * d') * (d * e) =
        (p' * e + q * d') * (d * e) + (n * e + m * d) * (d' * e) := fun p n d p' n' d' q m e h => by
    have l : (p * e + q * d) * (d' * e) + (n' * e + m * d') * (d * e) =
        (p * d' + n' * d) * (e * e) + (q + m) * (d * d' * e) := by
      simp only [Nat.mul_add, Nat.mul_comm, Nat.mul_left_comm, Nat.add_assoc, Nat.add_comm,
        Nat.add_left_comm]
    have r : (p' * e + q * d') * (d * e) + (n * e + m * d) * (d' * e) =
        (p' * d + n * d') * (e * e) + (q + m) * (d * d' * e) := by
      simp only [Nat.mul_add, Nat.mul_comm, Nat.mul_left_comm, Nat.add_assoc, Nat.add_comm,
        Nat.add_left_comm]
    rw [l, r, h]
  exact key _ _ _ _ _ _ _ _ _ h

theorem Same.mul {a a' : Frac} (h : Same a a') (b : Frac) : Same (a.mul b) (a'.mul b) := by
  have key : ∀ p n d p' n' d' q m e : Nat, p * d' + n' * d = p' * d + n * d' →
      (p * q + n * m) * (d' * e) + (p' * m + n' * q) * (d * e) =
        (p' * q + n' * m) * (d * e) + (p * m + n * q) * (d' * e) := fun p n d p' n' d' q m e h => by
    have l : (p * q + n * m) * (d' * e) + (p' * m + n' * q) * (d * e) =
        (p * d' + n' * d) * (q * e) + (p' * d + n * d') * (m * e) := by
      simp only [Nat.mul_add, Nat.mul_comm, Nat.mul_left_comm, Nat.add_assoc, Nat.add_comm,
        Nat.add_left_comm]
    have r : (p' * q + n' * m) * (d * e) + (p * m + n * q) * (d' * e) =
        (p' * d + n * d') * (q * e) + (p * d' + n' * d) * (m * e) := by
      simp only [Nat.mul_add, Nat.mul_comm, Nat.mul_left_comm, Nat.add_assoc, Nat.add_comm,
        Nat.add_left_comm]
    rw [l, r, h]
  exact key _ _ _ _ _ _ _ _ _ h

theorem Same.opp {a a' : Frac} (h : Same a a') : Same a.opp a'.opp :=
  show a.neg * a'.den + a'.pos * a.den = a'.neg * a.den + a.pos * a'.den from
  (Nat.add_comm _ _).trans (h.symm.trans (Nat.add_comm _ _))

theorem same_mul_add (a b c : Frac) : Same (a.mul (b.add c)) ((a.mul b).add (a.mul c)) := by
  have factor : ∀ p n q m r s d e f : Nat, (p * q + n * m) * (d * f) + (p * r + n * s) * (d * e) =
      (p * (q * f + r * e) + n * (m * f + s * e)) * d := fun p n q m r s d e f => by
    simp only [Nat.mul_add, Nat.mul_comm, Nat.mul_left_comm, Nat.add_assoc, Nat.add_left_comm]
  have den : ∀ d e f : Nat, d * e * (d * f) = d * (d * (e * f)) := fun d e f => by
    simp only [Nat.mul_assoc, Nat.mul_left_comm]
  show (a.pos * (b.pos * c.den + c.pos * b.den) + a.neg * (b.neg * c.den + c.neg * b.den)) *
        (a.den * b.den * (a.den * c.den)) +
      ((a.pos * b.neg + a.neg * b.pos) * (a.den * c.den) +
        (a.pos * c.neg + a.neg * c.pos) * (a.den * b.den)) * (a.den * (b.den * c.den)) =
      ((a.pos * b.pos + a.neg * b.neg) * (a.den * c.den) +
        (a.pos * c.pos + a.neg * c.neg) * (a.den * b.den)) * (a.den * (b.den * c.den)) +
      (a.pos * (b.neg * c.den + c.neg * b.den) + a.neg * (b.pos * c.den + c.pos * b.den)) *
        (a.den * b.den * (a.den * c.den))
  rw [factor, factor, den, Nat.mul_assoc _ a.den, Nat.mul_assoc _ a.den]

end Frac

/-- The rational numbers. -/
def Ratio : Type := Quot Frac.Same

namespace Ratio

/-- The sum. -/
def add : Ratio → Ratio → Ratio :=
  Quot.lift (fun a => Quot.lift (fun b => Quot.mk _ (a.add b)) fun b b' h => by
      rw [a.add_comm b, a.add_comm b']; exact Quot.sound (h.add a))
    fun a a' h => funext (Quot.ind fun b => Quot.sound (h.add b))

/-- The product. -/
def mul : Ratio → Ratio → Ratio :=
  Quot.lift (fun a => Quot.lift (fun b => Quot.mk _ (a.mul b)) fun b b' h => by
      rw [a.mul_comm b, a.mul_comm b']; exact Quot.sound (h.mul a))
    fun a a' h => funext (Quot.ind fun b => Quot.sound (h.mul b))

/-- The negative. -/
def opp : Ratio → Ratio := Quot.lift (fun a => Quot.mk _ a.opp) fun _ _ h => Quot.sound h.opp

/-- The number of a fraction. -/
def mk (a : Frac) : Ratio := Quot.mk _ a

theorem mk_eq {a b : Frac} (hp : a.pos = b.pos) (hn : a.neg = b.neg) (hd : a.den = b.den) :
    mk a = mk b := congrArg mk (Frac.ext hp hn hd)

/-- The rational numbers are a commutative ring. -/
instance : CommRing Ratio where
  add := add
  mul := mul
  neg := opp
  zero := mk (.over 0 1 Nat.zero_lt_one)
  one := mk (.over 1 1 Nat.zero_lt_one)
  add_assoc := Quot.ind fun a => Quot.ind fun b => Quot.ind fun c => mk_eq
    (show (a.pos * b.den + b.pos * a.den) * c.den + c.pos * (a.den * b.den) =
        a.pos * (b.den * c.den) + (b.pos * c.den + c.pos * b.den) * a.den by
      simp only [Nat.mul_add, Nat.mul_comm, Nat.mul_left_comm, Nat.add_assoc])
    (show (a.neg * b.den + b.neg * a.den) * c.den + c.neg * (a.den * b.den) =
        a.neg * (b.den * c.den) + (b.neg * c.den + c.neg * b.den) * a.den by
      simp only [Nat.mul_add, Nat.mul_comm, Nat.mul_left_comm, Nat.add_assoc])
    (Nat.mul_assoc _ _ _)
  add_comm := Quot.ind fun a => Quot.ind fun b => congrArg mk (a.add_comm b)
  add_zero := Quot.ind fun a => mk_eq
    (show a.pos * 1 + 0 * a.den = a.pos by rw [Nat.mul_one, Nat.zero_mul, Nat.add_zero])
    (show a.neg * 1 + 0 * a.den = a.neg by rw [Nat.mul_one, Nat.zero_mul, Nat.add_zero])
    (Nat.mul_one _)
  add_neg := Quot.ind fun a => Quot.sound
    (show (a.pos * a.den + a.neg * a.den) * 1 + 0 * (a.den * a.den) =
        0 * (a.den * a.den) + (a.neg * a.den + a.pos * a.den) * 1 by
      rw [Nat.zero_mul, Nat.add_zero, Nat.zero_add, Nat.add_comm])
  mul_assoc := Quot.ind fun a => Quot.ind fun b => Quot.ind fun c => mk_eq
    (show (a.pos * b.pos + a.neg * b.neg) * c.pos + (a.pos * b.neg + a.neg * b.pos) * c.neg =
        a.pos * (b.pos * c.pos + b.neg * c.neg) + a.neg * (b.pos * c.neg + b.neg * c.pos) by
      simp only [Nat.mul_add, Nat.add_mul, Nat.mul_assoc, Nat.add_assoc, Nat.add_comm,
        Nat.add_left_comm])
    (show (a.pos * b.pos + a.neg * b.neg) * c.neg + (a.pos * b.neg + a.neg * b.pos) * c.pos =
        a.pos * (b.pos * c.neg + b.neg * c.pos) + a.neg * (b.pos * c.pos + b.neg * c.neg) by
      simp only [Nat.mul_add, Nat.add_mul, Nat.mul_assoc, Nat.add_assoc, Nat.add_comm,
        Nat.add_left_comm])
    (Nat.mul_assoc _ _ _)
  mul_comm := Quot.ind fun a => Quot.ind fun b => congrArg mk (a.mul_comm b)
  mul_one := Quot.ind fun a => mk_eq
    (show a.pos * 1 + a.neg * 0 = a.pos by rw [Nat.mul_one, Nat.mul_zero, Nat.add_zero])
    (show a.pos * 0 + a.neg * 1 = a.neg by rw [Nat.mul_one, Nat.mul_zero, Nat.zero_add])
    (Nat.mul_one _)
  mul_add := Quot.ind fun a => Quot.ind fun b => Quot.ind fun c => Quot.sound
    (Frac.same_mul_add a b c)

/-- Zero or a natural number over a positive one. -/
def Nonneg (a : Ratio) : Prop := ∃ p d h, a = mk (.over p d h)

/-- A positive natural number over a positive one. -/
def Pos (a : Ratio) : Prop := ∃ p d h, a = mk (.over (p + 1) d h)

theorem exists_inv {a : Ratio} : Pos a → ∃ b, Pos b ∧ a * b = 1
  | ⟨p, d + 1, _, e⟩ => ⟨mk (.over (d + 1) (p + 1) (Nat.zero_lt_succ p)), ⟨d, p + 1, _, rfl⟩, by
    rw [e]
    exact Quot.sound (show ((p + 1) * (d + 1) + 0 * 0) * 1 + 0 * ((d + 1) * (p + 1)) =
      1 * ((d + 1) * (p + 1)) + ((p + 1) * 0 + 0 * (d + 1)) * 1 by
      rw [Nat.mul_one, Nat.mul_one, Nat.one_mul, Nat.zero_mul, Nat.zero_mul, Nat.zero_mul]
      exact Nat.mul_comm _ _)⟩

theorem cancel {a k d : Nat} (h : 0 < d) (e : (a + k) * d = a * d) : k = 0 :=
  match k with
  | 0 => rfl
  | k + 1 => absurd (Nat.add_left_cancel ((Nat.add_mul a (k + 1) d).symm.trans e))
      (Nat.ne_of_gt (Nat.mul_pos (Nat.zero_lt_succ k) h))

theorem cancel_mul {a b d : Nat} (h : 0 < d) (e : a * d = b * d) : a = b :=
  (Nat.le_total a b).elim
    (fun l => by
      rw [← Nat.add_sub_of_le l] at e ⊢
      rw [cancel h e.symm, Nat.add_zero])
    (fun l => by
      rw [← Nat.add_sub_of_le l] at e ⊢
      rw [cancel h e, Nat.add_zero])

/-- The number is zero. -/
def IsZero : Ratio → Prop := Quot.lift (fun a => a.pos = a.neg) fun a b h => propext
  ⟨fun e => by
    rw [Frac.Same, e, Nat.add_comm] at h
    exact (cancel_mul a.den_pos (Nat.add_right_cancel h)).symm,
  fun e => by
    rw [Frac.Same, e, Nat.add_comm] at h
    exact cancel_mul b.den_pos (Nat.add_left_cancel h)⟩

/-- The model is not the trivial ring. -/
theorem one_ne_zero : (1 : Ratio) ≠ 0 := fun e =>
  absurd (show (1 : Nat) = 0 from show IsZero 1 from e ▸ (rfl : (0 : Nat) = 0)) (Nat.succ_ne_zero 0)

/-! ## Order -/

theorem Nonneg.add {a b : Ratio} : Nonneg a → Nonneg b → Nonneg (a + b)
  | ⟨p, d, h, e⟩, ⟨q, d', h', e'⟩ => ⟨p * d' + q * d, d * d', Nat.mul_pos h h', by
    rw [e, e']
    exact mk_eq rfl (show 0 * d' + 0 * d = 0 by rw [Nat.zero_mul, Nat.zero_mul]) rfl⟩

theorem Nonneg.mul {a b : Ratio} : Nonneg a → Nonneg b → Nonneg (a * b)
  | ⟨p, d, h, e⟩, ⟨q, d', h', e'⟩ => ⟨p * q, d * d', Nat.mul_pos h h', by
    rw [e, e']
    exact mk_eq (show p * q + 0 * 0 = p * q from rfl) (show p * 0 + 0 * q = 0 by rw [Nat.zero_mul]; rfl)
      rfl⟩

theorem nonneg_square : (a : Ratio) → Nonneg (a * a) := Quot.ind fun a => by
  have square : ∀ p n k d : Nat, p * p + n * n = k * k + (p * n + n * p) →
      (p * p + n * n) * d + 0 * d = k * k * d + (p * n + n * p) * d := fun p n k d e => by
    rw [e, Nat.zero_mul, Nat.add_zero, Nat.add_mul]
  have up : ∀ n k : Nat, (n + k) * (n + k) + n * n = k * k + ((n + k) * n + n * (n + k)) := fun n k => by
    simp only [Nat.mul_add, Nat.mul_comm, Nat.add_assoc, Nat.add_comm, Nat.add_left_comm]
  have found : ∀ k, a.pos * a.pos + a.neg * a.neg = k * k + (a.pos * a.neg + a.neg * a.pos) →
      Nonneg (mk a * mk a) := fun k e =>
    ⟨k * k, a.den * a.den, Nat.mul_pos a.den_pos a.den_pos, Quot.sound (square _ _ _ _ e)⟩
  exact (Nat.le_total a.pos a.neg).elim
    (fun l => found (a.neg - a.pos) (by
      have e := up a.pos (a.neg - a.pos)
      rw [Nat.add_sub_of_le l] at e
      rw [Nat.add_comm, e, Nat.add_comm (a.neg * a.pos)]))
    (fun l => found (a.pos - a.neg) (by
      have e := up a.neg (a.pos - a.neg)
      rw [Nat.add_sub_of_le l] at e
      exact e))

theorem Pos.nonneg {a : Ratio} : Pos a → Nonneg a
  | ⟨p, d, h, e⟩ => ⟨p + 1, d, h, e⟩

theorem Pos.add {a b : Ratio} : Pos a → Nonneg b → Pos (a + b)
  | ⟨p, d, h, e⟩, ⟨q, d' + 1, h', e'⟩ => ⟨(p + 1) * d' + p + q * d, d * (d' + 1), Nat.mul_pos h h', by
    rw [e, e']
    exact mk_eq (Nat.succ_add ((p + 1) * d' + p) (q * d))
      (show 0 * (d' + 1) + 0 * d = 0 by rw [Nat.zero_mul, Nat.zero_mul]) rfl⟩

theorem sub_zero (a : Ratio) : a + -0 = a := by rw [neg_zero, add_zero]

/-- They are ordered. -/
instance : OrderedCommRing Ratio where
  le a b := Nonneg (b + -a)
  lt a b := Pos (b + -a)
  nonneg_zero := (sub_zero 0).symm ▸ ⟨0, 1, Nat.zero_lt_one, rfl⟩
  nonneg_add {a b} h h' := show Nonneg (a + b + -0) by
    rw [sub_zero]; exact Nonneg.add (sub_zero a ▸ h) (sub_zero b ▸ h')
  nonneg_mul {a b} h h' := show Nonneg (a * b + -0) by
    rw [sub_zero]; exact Nonneg.mul (sub_zero a ▸ h) (sub_zero b ▸ h')
  nonneg_mul_self a := show Nonneg (a * a + -0) by rw [sub_zero]; exact nonneg_square a
  nonneg_of_pos h := Pos.nonneg h
  pos_one := show Pos (1 + -0) by rw [sub_zero]; exact ⟨0, 1, Nat.zero_lt_one, rfl⟩
  pos_add {a b} h h' := show Pos (a + b + -0) by
    rw [sub_zero]; exact Pos.add (sub_zero a ▸ h) (sub_zero b ▸ h')

/-! ## Functions -/

/-- Any function with any derivative. -/
def datum (f f' : Ratio → Ratio) : ScalarFn Ratio where
  toFun := f
  onDual z := ⟨f z.re, f' z.re * z.du⟩
  deriv := f'
  Smooth _ := True
  onDual_eq _ _ := rfl

theorem inv_total (a : Ratio) : ∃ b, Pos a → Pos b ∧ a * b = 1 :=
  (Classical.em (Pos a)).elim (fun h => (exists_inv h).elim fun b hb => ⟨b, fun _ => hb⟩)
    fun h => ⟨0, fun h' => absurd h' h⟩

/-- The reciprocal of a positive number. -/
noncomputable def inv (a : Ratio) : Ratio := Classical.choose (inv_total a)

theorem inv_spec {a : Ratio} (h : 0 < a) : Pos (inv a) ∧ a * inv a = 1 :=
  Classical.choose_spec (inv_total a) (sub_zero a ▸ h)

/-- **The model**: all laws of the scalars of smooth networks hold in the rational numbers. -/
noncomputable instance scalars : Scalars Ratio where
  exp := datum (fun _ => 1) fun _ => 1
  exp_smooth _ := trivial
  exp_deriv _ := rfl
  exp_pos _ := pos_one
  recip := datum inv fun a => -(inv a * inv a)
  recip_smooth _ := trivial
  recip_deriv _ := rfl
  recip_pos {a} h := show Pos (inv a + -0) by rw [sub_zero]; exact (inv_spec h).1
  mul_recip h := (inv_spec h).2
  log := datum (fun _ => 0) inv
  log_smooth _ := trivial
  log_deriv _ := rfl
  rsqrt := datum (fun _ => 1) fun _ => -(inv (1 + 1) * (1 * 1 * 1))
  rsqrt_smooth _ := trivial
  rsqrt_deriv _ := rfl
  invSqrtTwoPi := 1
  normCdf := datum (fun _ => 0) fun _ => 1 * 1
  normCdf_smooth _ := trivial
  normCdf_deriv _ := rfl
  geluScale := 1
  geluCubic := 1

end Ratio

end NetTies
