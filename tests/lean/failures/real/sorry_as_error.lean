-- args: -DwarningAsError=true
-- expect: warning-as-error elaborator sorry Orchard.guess -
namespace Orchard
theorem guess : 1 = 2 := sorry
end Orchard
