import Gradients.Layer

namespace Gradients

def net (n : Nat) : Nat := layer (layer n)

theorem helper (n : Nat) : net n = layer (layer n) := rfl

theorem net_eq (n : Nat) : net n = layer n + layer n := by
  rw [helper n, layer_eq (layer n)]

theorem net_zero : net 0 = 0 := rfl

end Gradients
