/-! `sorry` is always told, wherever it stands. -/

-- warning: declaration uses `sorry`
theorem direct : 2 = 3 := sorry

-- warning: declaration uses `sorry`
theorem tactic : 2 = 3 := by sorry

-- warning: declaration uses `sorry`
theorem admitted : 2 = 3 := by admit

-- warning: declaration uses `sorry`
theorem inside (p : Prop) : p := by
  have h : p := sorry
  exact h

-- warning: declaration uses `sorry`
def data : Nat := sorry

-- info: 'direct' depends on axioms: [sorryAx]
#print axioms direct

theorem user : 3 = 2 := direct.symm

-- info: 'user' depends on axioms: [sorryAx]
#print axioms user
