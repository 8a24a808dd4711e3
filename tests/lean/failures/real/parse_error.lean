-- expect: parse-error parser - Orchard.twice -
-- expect: parse-error parser - Orchard.open_bracket -
-- expect: parse-error parser end_of_file - -
namespace Orchard
theorem twice : 1 = 1 := := rfl
theorem open_bracket (a : Nat : a = a := rfl
theorem fine : 1 = 1 := rfl
/- this comment never ends
