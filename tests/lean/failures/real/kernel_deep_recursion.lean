-- Unary recursion through an irreducible definition: the kernel descends once per successor.
-- expect: kernel-deep-recursion kernel - Orchard.deep -
noncomputable section
namespace Orchard
def once (b : Bool) : Bool := b
def twice (b : Bool) : Bool := once b
def thrice (b : Bool) : Bool := twice b
def turn (b : Bool) : Bool := Bool.rec (motive := fun _ => Bool) false true (thrice b)

@[irreducible] def chain (n : Nat) : Bool :=
  Nat.rec (motive := fun _ => Bool) true (fun _ below => turn below) n

def start (f : Nat → Bool) (n : Nat) : Bool := f n

theorem deep : start chain 100000 = chain 100000 := Eq.refl (chain 100000)
end Orchard
