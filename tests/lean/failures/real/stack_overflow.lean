-- args: -s 600
-- exit: -6
-- expect: stack-overflow runtime - - -
noncomputable section
set_option maxRecDepth 1000000000
set_option maxHeartbeats 0
def chain (n : Nat) : Bool :=
  Nat.rec (motive := fun _ => Bool) true
    (fun _ below => Bool.rec (motive := fun _ => Bool) false true below) n
theorem deep : chain 1000000 = true := Eq.refl true
