-- args: -M 150
-- expect: kernel-memory kernel - Orchard.wide -
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
theorem wide : walk tree 24 1 = tree 24 1 := Eq.refl (tree 24 1)
end Orchard
