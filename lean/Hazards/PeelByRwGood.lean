import NetTies.Foundation.Algebra

/-! # Cure: peel by `rw`, every step an equation

The apex and the tie of `Hazards.PeelUnfoldsBad`. The levels are peeled by `rw`, and each composed
prefix is rewritten to its saved activation by an equation that is proved from the one before it, so
the kernel checks one stage at a time. -/

namespace NetTies.Hazards

variable {R : Type} [CommRing R]

/-- An activation. -/
abbrev Act (R : Type) : Type := Nat → R

/-- A stage: each entry reads three neighbours of the saved activation. -/
def stage (x : Act R) : Act R := fun i => x (i + 0) + x (i + 1) + x (i + 2)

/-- `f`, then `g`. -/
def after (g f : Act R → Act R) (x : Act R) : Act R := g (f x)

@[inherit_doc] local infixr:90 " ∘ₐ " => after

omit [CommRing R] in
theorem after_apply (g f : Act R → Act R) (x : Act R) : (g ∘ₐ f) x = g (f x) := rfl

/-- A backward function at a saved activation. -/
structure Wit (p : Act R) where
  backward : Act R → Act R

/-- The backward function of a stage at `p`. -/
def wit (p : Act R) : Wit p := ⟨fun dy i => p i * dy i⟩

/-- Backward functions compose in reverse order. -/
def Wit.comp {p q : Act R} (a : Wit p) (b : Wit q) : Wit p := ⟨fun dz => a.backward (b.backward dz)⟩

omit [CommRing R] in
theorem Wit.comp_backward {p q : Act R} (a : Wit p) (b : Wit q) (dz : Act R) :
    (a.comp b).backward dz = a.backward (b.backward dz) := rfl

/-! ## The saved activations, named stage by stage -/

abbrev saved0 (x : Act R) : Act R := x
abbrev saved1 (x : Act R) : Act R := stage (saved0 x)
abbrev saved2 (x : Act R) : Act R := stage (saved1 x)
abbrev saved3 (x : Act R) : Act R := stage (saved2 x)
abbrev saved4 (x : Act R) : Act R := stage (saved3 x)
abbrev saved5 (x : Act R) : Act R := stage (saved4 x)
abbrev saved6 (x : Act R) : Act R := stage (saved5 x)
abbrev saved7 (x : Act R) : Act R := stage (saved6 x)
abbrev saved8 (x : Act R) : Act R := stage (saved7 x)
abbrev saved9 (x : Act R) : Act R := stage (saved8 x)
abbrev saved10 (x : Act R) : Act R := stage (saved9 x)
abbrev saved11 (x : Act R) : Act R := stage (saved10 x)

/-- The chain of 12 stages, each backward function at its saved activation. -/
def inputGrad (x dy : Act R) : Act R :=
  (wit (saved0 x)).backward <|
  (wit (saved1 x)).backward <|
  (wit (saved2 x)).backward <|
  (wit (saved3 x)).backward <|
  (wit (saved4 x)).backward <|
  (wit (saved5 x)).backward <|
  (wit (saved6 x)).backward <|
  (wit (saved7 x)).backward <|
  (wit (saved8 x)).backward <|
  (wit (saved9 x)).backward <|
  (wit (saved10 x)).backward <|
  (wit (saved11 x)).backward dy

/-! ## The prefixes, composed -/

abbrev chain1 : Act R → Act R := stage
abbrev chain2 : Act R → Act R := stage ∘ₐ chain1
abbrev chain3 : Act R → Act R := stage ∘ₐ chain2
abbrev chain4 : Act R → Act R := stage ∘ₐ chain3
abbrev chain5 : Act R → Act R := stage ∘ₐ chain4
abbrev chain6 : Act R → Act R := stage ∘ₐ chain5
abbrev chain7 : Act R → Act R := stage ∘ₐ chain6
abbrev chain8 : Act R → Act R := stage ∘ₐ chain7
abbrev chain9 : Act R → Act R := stage ∘ₐ chain8
abbrev chain10 : Act R → Act R := stage ∘ₐ chain9
abbrev chain11 : Act R → Act R := stage ∘ₐ chain10

/-- The apex, with its points at the composed prefixes. -/
def apex (x : Act R) : Wit x :=
  (wit x).comp <|
  (wit (chain1 x)).comp <|
  (wit (chain2 x)).comp <|
  (wit (chain3 x)).comp <|
  (wit (chain4 x)).comp <|
  (wit (chain5 x)).comp <|
  (wit (chain6 x)).comp <|
  (wit (chain7 x)).comp <|
  (wit (chain8 x)).comp <|
  (wit (chain9 x)).comp <|
  (wit (chain10 x)).comp <|
  wit (chain11 x)

/-! ## Each composed prefix is the saved activation, as an equation -/

theorem chain1_eq (x : Act R) : chain1 x = saved1 x := rfl
theorem chain2_eq (x : Act R) : chain2 x = saved2 x := congrArg stage (chain1_eq x)
theorem chain3_eq (x : Act R) : chain3 x = saved3 x := congrArg stage (chain2_eq x)
theorem chain4_eq (x : Act R) : chain4 x = saved4 x := congrArg stage (chain3_eq x)
theorem chain5_eq (x : Act R) : chain5 x = saved5 x := congrArg stage (chain4_eq x)
theorem chain6_eq (x : Act R) : chain6 x = saved6 x := congrArg stage (chain5_eq x)
theorem chain7_eq (x : Act R) : chain7 x = saved7 x := congrArg stage (chain6_eq x)
theorem chain8_eq (x : Act R) : chain8 x = saved8 x := congrArg stage (chain7_eq x)
theorem chain9_eq (x : Act R) : chain9 x = saved9 x := congrArg stage (chain8_eq x)
theorem chain10_eq (x : Act R) : chain10 x = saved10 x := congrArg stage (chain9_eq x)
theorem chain11_eq (x : Act R) : chain11 x = saved11 x := congrArg stage (chain10_eq x)

set_option maxHeartbeats 2000 in
/-- The tie. -/
theorem tie (x dy : Act R) : inputGrad x dy = (apex x).backward dy := by
  rw [inputGrad, apex, Wit.comp_backward, Wit.comp_backward, Wit.comp_backward,
    Wit.comp_backward, Wit.comp_backward, Wit.comp_backward, Wit.comp_backward,
    Wit.comp_backward, Wit.comp_backward, Wit.comp_backward, Wit.comp_backward]
  rw [chain11_eq, chain10_eq, chain9_eq, chain8_eq, chain7_eq, chain6_eq, chain5_eq, chain4_eq,
    chain3_eq, chain2_eq, chain1_eq]

end NetTies.Hazards
