/-! What this Init leaves out is missing loudly. -/

-- error: wfParam
def half (n : Nat) : Nat := if n = 0 then 0 else half (n / 2)
termination_by n

-- error: unknown tactic
-- error: unsolved goals
example (a b : Nat) (h : a < b) : a ≠ b := by omega

-- error: unknown tactic
-- error: unsolved goals
example (a b : Nat) (h : a < b) : a ≠ b := by grind

-- error: Lean.Meta.Simp.Config
-- error: Lean.Meta.Simp.Config
example (a : Nat) : a = a := by simp (config := { contextual := true })

-- error: Unknown constant `Ord`
inductive Colour where
  | red | green
deriving Ord

-- error: Unknown identifier `IO.println`
#eval IO.println "x"
