/-! Errors are those that Lean gives, at their place. -/

-- error: Unknown identifier `nowhere`
example : Nat := nowhere

-- error: Unknown constant `Nat.nowhere`
example : Nat := Nat.nowhere

-- error: unexpected token
example : Nat := )

-- error: failed to synthesize
example (p : Prop) : Bool := if p then true else false

-- error: arg #1 of 
inductive Bad where
  | mk : (Bad → Nat) → Bad

-- error: can only eliminate into `Prop`
def choose (h : ∃ _ : Nat, True) : Nat := match h with | ⟨n, _⟩ => n

-- error: Type mismatch
example : Type := Type

-- error: Application type mismatch
example : Nat := Nat.succ true

-- error: has already been declared
theorem trivial : True := True.intro

-- error: unknown tactic
-- error: unsolved goals
example : True := by omega
