-- not for Lean alone: words of Mathlib and of large runtimes
import Mathlib
namespace Lib
@[to_additive (attr := simp) add_thing, simps!]
lemma mul_thing : True := trivial
alias thing := mul_thing
alias ⟨there, _⟩ := Iff.rfl
protected alias ⟨_root_.Up.one, two⟩ := Iff.rfl
irreducible_def big : Nat := 10
initialize table : IO.Ref Nat ← IO.mkRef 0
initialize
  IO.println "x"
register_option lib.deep : Nat := { defValue := 1 }
theorem fast : 2 ^ 10 = 1024 := by native_decide
theorem fast' : 2 ^ 10 = 1024 := by decide +native
theorem faster : 2 ^ 10 = 1024 := Lean.ofReduceBool _ _ rfl
set_option debug.skipKernelTC true in
theorem unchecked : 1 = 2 := by exact foo
deriving instance Repr for Nat
end Lib
theorem outside : True := trivial
