/-! Impossible cases are proved to be so; none of them hides a `sorry`. -/

theorem fin_zero (i : Fin 0) : 2 = 3 := i.elim0

theorem fin_zero_match : Fin 0 → 2 = 3
  | ⟨_, h⟩ => absurd h (Nat.not_lt_zero _)

theorem fin_zero_nomatch (i : Fin 0) : 2 = 3 := nomatch i

theorem succ_zero (n : Nat) (h : n + 1 = 0) : 2 = 3 := nomatch h

theorem nil_cons (a : Nat) (l : List Nat) (h : [] = a :: l) : 2 = 3 := nomatch h

theorem true_false (h : true = false) : 2 = 3 := Bool.noConfusion h

inductive Colour where
  | red | green | blue

theorem colours (h : Colour.red = Colour.blue) : 2 = 3 := Colour.noConfusion h

theorem colours_nomatch (h : Colour.red = Colour.blue) : 2 = 3 := nomatch h

inductive Idx : Nat → Type where
  | zero {n : Nat} : Idx (n + 1)
  | succ {n : Nat} (i : Idx n) : Idx (n + 1)

theorem family (i : Idx 0) : 2 = 3 := nomatch i

theorem family_cases (i : Idx 0) : 2 = 3 := by cases i

def family_fun : Idx 1 → Nat
  | .zero => 0

-- info: 'fin_zero_match' does not depend on any axioms
#print axioms fin_zero_match

-- info: 'fin_zero_nomatch' does not depend on any axioms
#print axioms fin_zero_nomatch

-- info: 'succ_zero' does not depend on any axioms
#print axioms succ_zero

-- info: 'nil_cons' does not depend on any axioms
#print axioms nil_cons

-- info: 'true_false' does not depend on any axioms
#print axioms true_false

-- info: 'colours' does not depend on any axioms
#print axioms colours

-- info: 'colours_nomatch' does not depend on any axioms
#print axioms colours_nomatch

-- info: 'family' does not depend on any axioms
#print axioms family

-- info: 'family_cases' does not depend on any axioms
#print axioms family_cases

-- info: 'family_fun' does not depend on any axioms
#print axioms family_fun
