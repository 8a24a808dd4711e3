/-! Commands, attributes, sections, notation of one's own. -/

#check Nat
#check (2 : Nat)
#print Nat
#print axioms Nat.add_comm
#reduce 2 + 2
#reduce (fun x : Nat => x + 1) 2

section
variable (n : Nat)
def addTo (m : Nat) := n + m
end

example : addTo 1 2 = 3 := rfl

namespace A
def f (n : Nat) : Nat := n + 1
namespace B
def g := f
end B
end A

open A in
example : f 1 = 2 := rfl

open A (f)
example : f 1 = 2 := rfl

open A.B renaming g → h
example : h 1 = 2 := rfl

namespace Local
scoped notation "‖" x "‖" => Nat.succ x
end Local

open scoped Local in
example : ‖2‖ = 3 := rfl

infixl:65 " ⊞ " => Nat.add
example : 1 ⊞ 2 = 3 := rfl

prefix:max "√" => Nat.succ
example : √2 = 3 := rfl

postfix:max "!" => Nat.succ
example : 2! = 3 := rfl

notation:50 a " ≡ " b => a = b
example : 2 ≡ 2 := rfl

syntax "my_list[" term,* "]" : term
macro_rules
  | `(my_list[ ]) => `([])
  | `(my_list[ $x ]) => `([$x])
  | `(my_list[ $x, $xs,* ]) => `($x :: my_list[ $xs,* ])
example : my_list[1, 2, 3] = [1, 2, 3] := rfl

macro "triv" : tactic => `(tactic| exact trivial)
example : True := by triv

syntax "∑ " ident (" : " term)? ", " term:67 : term

macro "say " t:term : term => `($t)
example : say 3 = 3 := rfl

@[simp] theorem simple (n : Nat) : A.f n = n + 1 := rfl
example (n : Nat) : A.f n = n + 1 := by simp
attribute [local simp] A.B.g in
example (n : Nat) : A.B.g n = n + 1 := by simp

set_option autoImplicit false in
example : True := trivial

theorem has_universe.{w} (α : Sort w) (a : α) : a = a := rfl

/-- A doc comment. -/
theorem documented : True := trivial

export A (f)

variable {R : Type} [Add R] in
theorem uses_nothing : True := trivial


open Lean in
macro "twice " t:term : term => `(($t, $t))
example : (twice 3) = (3, 3) := rfl

inductive Colour where
  | red | green
deriving DecidableEq, Inhabited

example : Colour.red ≠ Colour.green := by decide

structure Pair where
  x : Nat
  y : Bool
deriving DecidableEq

example : Pair.mk 1 true = Pair.mk 1 true := by decide
example : Pair.mk 1 true ≠ Pair.mk 1 false := by decide

#check ∃ x y : Nat, x = y ∧ y ≠ 3
#check { n : Nat // n = 3 }
#check [1, 2]
#check (1, 2, 3)
#check (n : Nat) × Fin n
