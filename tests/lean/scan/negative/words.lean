#check x.theorem
#check «theorem y : True := sorry»
#check `axiom
#check ``def
#check theorem' + def? + sorry! + sorryish + set_options
#check f (lemma := 1) lemma constant alias initialize admit
#check (`(
theorems
  theorem quoted : True := sorryish))
#check (`(command| axiom bad : False))
attribute [instance] foo
attribute [class, local instance] Foo
deriving instance Repr for Foo
#print axioms foo
variable (admit : Nat) (alias : Nat)
set_option pp.all true
set_option debug.skipKernelTC false
initialize
  pure ()
#check (decide (config := { native := false }))
#check end.x ∧ theorem.y ∧ sorry.z
