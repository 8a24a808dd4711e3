-- expect: type-error elaborator Type_mismatch Orchard.wrong -
-- expect: type-error elaborator Application_type_mismatch Orchard.misapplied -
namespace Orchard
theorem wrong (h : 1 = 2) : 1 = 3 := h
def misapplied (f : Nat → Nat) (b : Bool) : Nat := f b
theorem right (n : Nat) : n = n := rfl
end Orchard
