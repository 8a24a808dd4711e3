/-! The three axioms are Lean's own, and every other one is told. -/

axiom bad : 2 = 3

theorem uses_bad : 3 = 2 := bad.symm

-- info: 'uses_bad' depends on axioms: [bad]
#print axioms uses_bad

-- info: 'propext' depends on axioms: [propext]
#print axioms propext

-- info: 'funext' depends on axioms: [Quot.sound]
#print axioms funext

-- info: 'Classical.em' depends on axioms: [propext, Classical.choice, Quot.sound]
#print axioms Classical.em

theorem native : 2 + 2 = 4 := by decide +native

-- info: 'native' depends on axioms: [native._native
#print axioms native

-- info: 'Nat.add_comm' does not depend on any axioms
#print axioms Nat.add_comm

-- info: 'Nat.mod_lt' does not depend on any axioms
#print axioms Nat.mod_lt

-- info: 'Nat.mul_assoc' does not depend on any axioms
#print axioms Nat.mul_assoc

-- error: it uses unsafe declaration
theorem by_unsafe_axiom : 2 = 3 := lcProof

-- error: it uses unsafe declaration
def by_unsafe_cast : Nat := unsafeCast true

-- warning: declaration uses `sorry`
theorem by_the_axiom_of_sorry : 2 = 3 := sorryAx _ false
