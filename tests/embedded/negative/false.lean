/-! False statements do not pass. -/

-- error: Not a definitional equality
-- error: Type mismatch
theorem wrong_rfl : 2 + 2 = 5 := rfl

-- error: is false
theorem wrong_decide : 2 + 2 = 5 := by decide

-- error: is false
theorem wrong_le : 5 ≤ 3 := by decide

-- error: is false
theorem wrong_kernel : Nat.gcd 4 6 = 3 := by decide +kernel

-- error: Tactic `rfl` failed
theorem wrong_rfl_tactic (n : Nat) : n + 1 = n := by rfl

-- error: Missing cases
theorem not_impossible (n : Nat) (h : n = n) : False := nomatch h

-- error: Missing cases
theorem not_empty (i : Fin 1) : False := nomatch i

-- error: Tactic `contradiction` failed
theorem no_contradiction (n : Nat) (h : n = 0) : False := by contradiction

-- error: Application type mismatch
theorem no_confusion_same (h : Nat.succ 1 = Nat.succ 1) : False := Nat.noConfusion h id

-- error: Not a definitional equality
-- error: Type mismatch
theorem strings : "a" = "b" := rfl

-- error: Not a definitional equality
-- error: Type mismatch
theorem characters : 'a' = 'b' := rfl

-- error: unsolved goals
theorem unfinished (p q : Prop) (hp : p) : p ∧ q := by
  constructor
  · exact hp

-- error: Type mismatch
theorem wrong_type (p q : Prop) (hp : p) : q := hp

-- error: fail to show termination
theorem circular (p : Prop) : p := circular p

-- error: simp_all made no progress
theorem wrong_simp (p q : Prop) (h : p ∨ q) : p := by simp_all
