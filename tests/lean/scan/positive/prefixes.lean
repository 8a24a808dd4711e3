/-! What may stand before a declaration, and two on one line. -/

@[simp] theorem a : True ∧ True ↔ True := ⟨fun _ => trivial, fun _ => ⟨trivial, trivial⟩⟩

/-- Doc. -/
@[reducible, inline]
private
def b : Nat := 1

set_option maxRecDepth 16384 in
/-- Doc with `theorem fake : True` in it. -/
theorem c : True := trivial

open Nat in theorem d : True := trivial theorem e : True := trivial

@[reducible] /- why -/ protected def F.g -- the name came first
    : Nat := 2

section
set_option maxHeartbeats 400_000
variable (n : Nat) in
theorem
    h : n = n := rfl
end
