import NetTies.Foundation.Combinators

/-! # Layers with kinks

A `KinkedLayer` is a map that is differentiable at its *smooth points*, with the backward function
that a training step renders and the leaf tie of that function at every smooth point. Layers without
kinks (`TiedLayer`) are the case in which every point is smooth.

Kinked layers compose, are added to tied ones and have residuals; the smooth points of the result
are spelled out by each construction, so the hypothesis of a network is the conjunction of the
conditions at its kinks, each at the activation that reaches the kink.

Answers: the smooth-point hypotheses of the networks with kinks. -/

namespace NetTies

variable {R : Type} [CommRing R] {m n k : Nat}

/-- A map with kinks: a witness and the tie of its rendered backward function at smooth points. -/
structure KinkedLayer (R : Type) [CommRing R] (m n : Nat) where
  fwd : Map R m n
  /-- The inputs at which no kink is met. -/
  Smooth : Vec R m → Prop
  witness : ∀ x, Smooth x → HasVJPDiffAt fwd x
  /-- The rendered backward function: saved input, output cotangent. -/
  back : Vec R m → Vec R n → Vec R m
  /-- The leaf tie. -/
  back_eq_vjp : ∀ x (h : Smooth x) dy, back x dy = (witness x h).backward dy

/-- Composition is associative. -/
theorem Map.comp_assoc {R : Type} {l m n k : Nat} (h : Map R n k) (g : Map R m n) (f : Map R l m) :
    (h ⊚ g) ⊚ f = h ⊚ (g ⊚ f) := Map.ext (fun _ => rfl) fun _ => rfl

namespace TiedLayer

/-- A layer around which its input is passed on. -/
def residual (f : TiedLayer R n n) : TiedLayer R n n where
  toLayer := f.toLayer.residual
  back x dy := dy + f.back x dy
  back_eq_vjp x dy := by
    rw [f.back_eq_vjp]
    rfl

end TiedLayer

namespace KinkedLayer

/-- A layer without kinks. -/
def ofTied (f : TiedLayer R m n) : KinkedLayer R m n where
  fwd := f.fwd
  Smooth _ := True
  witness x _ := f.toLayer.witness x
  back := f.back
  back_eq_vjp x _ dy := f.back_eq_vjp x dy

/-- `f`, then `g`. -/
def comp (g : KinkedLayer R n k) (f : KinkedLayer R m n) : KinkedLayer R m k where
  fwd := g.fwd ⊚ f.fwd
  Smooth x := f.Smooth x ∧ g.Smooth (f.fwd x)
  witness x h := (g.witness (f.fwd x) h.2).comp (f.witness x h.1)
  back x dy := f.back x (g.back (f.fwd x) dy)
  back_eq_vjp x h dy := by
    rw [f.back_eq_vjp x h.1, g.back_eq_vjp (f.fwd x) h.2]
    rfl

/-- A layer without kinks, then one with kinks. -/
def after (g : KinkedLayer R n k) (f : TiedLayer R m n) : KinkedLayer R m k where
  fwd := g.fwd ⊚ f.fwd
  Smooth x := g.Smooth (f.fwd x)
  witness x h := (g.witness (f.fwd x) h).comp (f.toLayer.witness x)
  back x dy := f.back x (g.back (f.fwd x) dy)
  back_eq_vjp x h dy := by
    rw [f.back_eq_vjp, g.back_eq_vjp (f.fwd x) h]
    rfl

/-- A layer with kinks, then one without. -/
def thenTied (f : KinkedLayer R m n) (g : TiedLayer R n k) : KinkedLayer R m k where
  fwd := g.fwd ⊚ f.fwd
  Smooth := f.Smooth
  witness x h := (g.toLayer.witness (f.fwd x)).comp (f.witness x h)
  back x dy := f.back x (g.back (f.fwd x) dy)
  back_eq_vjp x h dy := by
    rw [g.back_eq_vjp, f.back_eq_vjp x h]
    rfl

/-- A branch beside a layer without kinks, both reading the same input. -/
def beside (f : KinkedLayer R m n) (g : TiedLayer R m n) : KinkedLayer R m n where
  fwd := g.fwd + f.fwd
  Smooth := f.Smooth
  witness x h := (g.toLayer.witness x).add (f.witness x h)
  back x dy := g.back x dy + f.back x dy
  back_eq_vjp x h dy := by
    rw [g.back_eq_vjp, f.back_eq_vjp x h]
    rfl

/-- A branch around which its input is passed on. -/
def residual (f : KinkedLayer R n n) : KinkedLayer R n n where
  fwd := Map.id R n + f.fwd
  Smooth := f.Smooth
  witness x h := (HasVJPDiffAt.id x).add (f.witness x h)
  back x dy := dy + f.back x dy
  back_eq_vjp x h dy := by
    rw [f.back_eq_vjp x h]
    rfl

/-! ### Ties of composites

The tie of a composite from the ties of its parts, where a part's rendered backward function is a
definition of its own. -/

theorem after_eq_vjp (g : KinkedLayer R n k) (f : TiedLayer R m n) (x : Vec R m)
    (h : (g.after f).Smooth x) {fb : Vec R n → Vec R m} {gb : Vec R k → Vec R n}
    (hf : ∀ dy, fb dy = f.vjp.backward x dy)
    (hg : ∀ h dy, gb dy = (g.witness (f.fwd x) h).backward dy) (dy : Vec R k) :
    fb (gb dy) = ((g.after f).witness x h).backward dy := by
  rw [hf, hg h]
  rfl

theorem residual_eq_vjp (f : KinkedLayer R n n) (x : Vec R n) (h : f.residual.Smooth x)
    {fb : Vec R n → Vec R n} (hf : ∀ h dy, fb dy = (f.witness x h).backward dy) (dy : Vec R n) :
    dy + fb dy = (f.residual.witness x h).backward dy := by
  rw [hf h]
  rfl

end KinkedLayer

end NetTies
