/-! What `#eval` says. -/

-- info: 4
#eval 2 + 2
-- info: "a\nb"
#eval "a\nb"
-- info: 'x'
#eval 'x'
-- info: [1, 2, 3]
#eval [1, 2, 3]
-- info: (1, true, "x")
#eval (1, true, "x")
-- info: some (some 3)
#eval some (some 3)
-- info: true
#eval 2 = 2 ∧ ¬ 3 < 2
-- info: 2
#eval (⟨2, by decide⟩ : Fin 3)
-- info: -3
#eval (-3 : Int)

def fib : Nat → Nat
  | 0 => 0
  | 1 => 1
  | n + 2 => fib n + fib (n + 1)

-- info: 832040
#eval fib 30

structure Point where
  x : Nat
  y : Bool
deriving Repr, DecidableEq, Inhabited, BEq

-- info: { x := 1, y := true }
#eval Point.mk 1 true

inductive Tree (α : Type) where
  | leaf
  | node (l : Tree α) (a : α) (r : Tree α)
deriving Repr, DecidableEq, Inhabited, BEq

-- info: Tree.node (Tree.leaf) 3 (Tree.leaf)
#eval Tree.node .leaf 3 .leaf
-- info: false
#eval Tree.node .leaf 3 .leaf == .leaf

-- error: Aborting evaluation since the expression depends on the 'sorry' axiom
-- warning: declaration uses `sorry`
#eval (sorry : Nat)

-- error: could not synthesize a `Repr` or `ToString` instance
#eval fun n : Nat => n
