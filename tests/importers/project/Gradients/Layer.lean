/-! A layer and its reverse: what other files cite rightly and wrongly. -/

namespace Gradients

/-- A layer that doubles. -/
def layer (n : Nat) : Nat := n + n

theorem layer_zero : layer 0 = 0 := rfl

private theorem hidden (n : Nat) : layer n = n + n := rfl

theorem layer_eq (n : Nat) : layer n = n + n := hidden n

theorem layer_comm (n m : Nat) : layer n + m = m + layer n := sorry

axiom choice_of_step : layer 1 = 2

end Gradients
