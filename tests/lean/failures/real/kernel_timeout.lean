-- The kernel's work doubles with every level of the tree; the elaborator gives up on the irreducible side at once.
-- expect: kernel-timeout kernel - Orchard.slow -
noncomputable section
namespace Orchard
def once (b : Bool) : Bool := b
def twice (b : Bool) : Bool := once b
def thrice (b : Bool) : Bool := twice b

@[irreducible] def tree (depth : Nat) : Nat → Bool :=
  Nat.rec (motive := fun _ => Nat → Bool) (fun _ => thrice true)
    (fun _ below path => Bool.rec (motive := fun _ => Bool) false (below (Nat.succ (path + path)))
      (below (path + path))) depth

def walk (f : Nat → Nat → Bool) (depth path : Nat) : Bool := f depth path

set_option maxHeartbeats 400 in
theorem slow : walk tree 24 1 = tree 24 1 := Eq.refl (tree 24 1)

theorem after : 1 = 1 := rfl
end Orchard
