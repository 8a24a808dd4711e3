/-! Structures, classes, inductive types, instances, axioms, opaque constants. -/

structure P where
  x : Nat
  y : Nat := 0

class C (α : Type) where
  one : α

class inductive D : Prop where
  | mk : D

inductive T where
  | leaf
  | node (l r : T)

instance : C Nat where
  one := 1

instance named : C Bool := ⟨true⟩

instance (priority := low) slow : C P := ⟨{ x := 1 }⟩

instance (priority := low) {α β : Type} [C α] [C β] : C (α × β) := ⟨(C.one, C.one)⟩

axiom ax : 1 = 1

opaque hole : Nat

abbrev Short := Nat

example : True := trivial
