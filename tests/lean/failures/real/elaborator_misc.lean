-- expect: termination elaborator - Orchard.forever -
-- expect: unresolved-hole elaborator - * -
-- expect: unresolved-hole elaborator - * -
-- expect: unresolved-hole elaborator - * -
-- expect: redeclared elaborator - Orchard.once -
-- expect: instance-missing elaborator - Orchard.homeless -
-- expect: tactic-failed elaborator unsolved_goals Orchard.open_goal -
namespace Orchard
def forever (n : Nat) : Nat := forever n
theorem hole : Eq _ _ := rfl
theorem once : 1 = 1 := rfl
theorem once : 2 = 2 := rfl
class Home (α : Type) where
  door : α
def enter (α : Type) [Home α] : α := Home.door
noncomputable def homeless := enter Nat
theorem open_goal : 1 = 2 := by
end Orchard
