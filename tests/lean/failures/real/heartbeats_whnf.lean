-- Two trees that differ in their order of branches: unfolding them is what costs.
-- expect: heartbeats elaborator whnf Orchard.slow -
noncomputable section
namespace Orchard
def left (depth : Nat) : Nat → Bool :=
  Nat.rec (motive := fun _ => Nat → Bool) (fun _ => true)
    (fun _ below path => Bool.rec (motive := fun _ => Bool) false (below (Nat.succ (path + path)))
      (below (path + path))) depth
def right (depth : Nat) : Nat → Bool :=
  Nat.rec (motive := fun _ => Nat → Bool) (fun _ => true)
    (fun _ below path => Bool.rec (motive := fun _ => Bool) false (below (path + path))
      (below (Nat.succ (path + path)))) depth

set_option maxHeartbeats 200 in
theorem slow : left 24 1 = right 24 1 := Eq.refl (right 24 1)
end Orchard
