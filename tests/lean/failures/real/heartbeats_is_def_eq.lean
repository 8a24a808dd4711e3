-- Two towers of definitions that agree at every leaf, each leaf reached by another path: nothing is computed,
-- only compared.
-- expect: heartbeats elaborator isDefEq Orchard.slow -
noncomputable section
namespace Orchard
axiom mul : Nat → Nat → Nat
axiom p : Nat → Nat
axiom q : Nat → Nat
def a0 (x : Nat) : Nat := x
def b0 (x : Nat) : Nat := x
def a1 (x : Nat) : Nat := mul (a0 (p x)) (a0 (q x))
def b1 (x : Nat) : Nat := mul (b0 (p x)) (b0 (q x))
def a2 (x : Nat) : Nat := mul (a1 (p x)) (a1 (q x))
def b2 (x : Nat) : Nat := mul (b1 (p x)) (b1 (q x))
def a3 (x : Nat) : Nat := mul (a2 (p x)) (a2 (q x))
def b3 (x : Nat) : Nat := mul (b2 (p x)) (b2 (q x))
def a4 (x : Nat) : Nat := mul (a3 (p x)) (a3 (q x))
def b4 (x : Nat) : Nat := mul (b3 (p x)) (b3 (q x))
def a5 (x : Nat) : Nat := mul (a4 (p x)) (a4 (q x))
def b5 (x : Nat) : Nat := mul (b4 (p x)) (b4 (q x))
def a6 (x : Nat) : Nat := mul (a5 (p x)) (a5 (q x))
def b6 (x : Nat) : Nat := mul (b5 (p x)) (b5 (q x))
def a7 (x : Nat) : Nat := mul (a6 (p x)) (a6 (q x))
def b7 (x : Nat) : Nat := mul (b6 (p x)) (b6 (q x))
def a8 (x : Nat) : Nat := mul (a7 (p x)) (a7 (q x))
def b8 (x : Nat) : Nat := mul (b7 (p x)) (b7 (q x))
set_option maxHeartbeats 50 in
theorem slow (x : Nat) : a8 x = b8 x := Eq.refl (a8 x)
end Orchard
