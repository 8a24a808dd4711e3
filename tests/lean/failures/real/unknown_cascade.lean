-- Three declarations fail on their own; what names them follows from them.
-- expect: parse-error parser - Orchard.base -
-- expect: unknown-name elaborator identifier Orchard.Color -
-- expect: unknown-name elaborator identifier Orchard.other -
-- expect: unknown-name elaborator constant - -
-- expect: unknown-name elaborator identifier Orchard.uses Orchard.base
-- expect: unknown-name elaborator identifier Orchard.paints Orchard.Color
-- expect: unknown-name elaborator identifier Orchard.dips Orchard.Color
set_option autoImplicit false
namespace Orchard
def base (n : Nat : Nat := n
theorem uses : base 1 = 1 := rfl
inductive Color where
  | red : Colour
theorem paints (c : Color) : c = c := rfl
theorem dips : Color.red = 1 := rfl
theorem other : missing := True.intro
#check Nat.nowhere
theorem fine : 1 = 1 := rfl
end Orchard
