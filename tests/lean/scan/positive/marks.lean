/-! Proofs that are none. -/

theorem a : 1 = 1 := sorry

theorem b : 1 = 1 := by
  have : 2 = 2 := by sorry
  rfl

theorem c : 1 = 1 ∧ 2 = 2 := ⟨by admit, sorry⟩

theorem d : 1 = 1 := by
  set_option maxRecDepth 100 in
  set_option synthInstance.maxHeartbeats 0 in
  rfl

theorem e : 1 = 1 := @sorryAx _ false

set_option maxRecDepth 700

theorem f : True := trivial
