/-! Names: quoted, rooted, dotted, with primes and subscripts; scopes of every kind. -/

namespace A.B
theorem «a b».c : True := trivial
def «theorem» : Nat := 1
def x₁' : Nat := «theorem»
def ok? : Nat := 2
def _root_.Up.here : Nat := 3
section Inner.Deep
def f (n : Nat) : Nat := n
end Inner.Deep
section
private def hidden := f 2
end
protected theorem B.same : True := trivial
mutual
def even : Nat → Bool
  | 0 => true
  | n + 1 => odd n
def odd : Nat → Bool
  | 0 => false
  | n + 1 => even n
end
noncomputable section
def g : Nat := 0
end
end A.B

namespace «one two»
  namespace C
    theorem indented : True := trivial
  end C
end «one two»

theorem top : True := trivial
