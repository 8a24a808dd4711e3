-- An instance that asks for the next one, for ever.
-- expect: heartbeats elaborator typeclass Orchard.endless - synthInstance.maxHeartbeats=5
-- expect: heartbeats elaborator typeclass Orchard.endless - synthInstance.maxHeartbeats=5
noncomputable section
namespace Orchard
class Climb (n : Nat) where
  height : Nat
instance climbOn (n : Nat) [Climb (Nat.succ n)] : Climb n := Climb.mk 0
def top (n : Nat) [Climb n] : Nat := Climb.height n
set_option synthInstance.maxHeartbeats 5 in
theorem endless : top 0 = top 0 := rfl
end Orchard
