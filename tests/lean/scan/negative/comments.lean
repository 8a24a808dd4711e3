/- theorem a : 1 = 2 := sorry /- nested axiom b : False -/
theorem still_inside : True := by native_decide -/
-- theorem c : True := sorry
/-- def d := 1 -/
/-! axiom e : False
namespace X
-/
/- a string that does not open: " -/
-- nor here: "
/--/
#check Nat -- /- no opening
/- -- -/
#check Nat
