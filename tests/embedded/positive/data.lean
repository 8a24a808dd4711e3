/-! Structures, inductive types, matching, classes and instances. -/

universe u v

structure Point where
  x : Nat
  y : Nat := 0

def origin : Point := { x := 0 }
def shifted : Point := { origin with x := 3 }

example : shifted.x = 3 := rfl
example : shifted.y = 0 := rfl
example : origin = ⟨0, 0⟩ := rfl
example (p q : Point) (h : p.x = q.x) (h' : p.y = q.y) : p = q := by
  cases p; cases q; subst h; subst h'; rfl

structure Point3 extends Point where
  z : Nat

example (p : Point3) : p.x = p.toPoint.x := rfl

inductive Tree (α : Type u) where
  | leaf : Tree α
  | node (l : Tree α) (a : α) (r : Tree α) : Tree α

namespace Tree
variable {α : Type u} {β : Type v}

def size : Tree α → Nat
  | leaf => 0
  | node l _ r => size l + 1 + size r

def map (f : α → β) : Tree α → Tree β
  | leaf => leaf
  | node l a r => node (map f l) (f a) (map f r)

def mirror : Tree α → Tree α
  | leaf => leaf
  | node l a r => node (mirror r) a (mirror l)

theorem size_map (f : α → β) (t : Tree α) : size (map f t) = size t := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr => simp only [map, size, ihl, ihr]

theorem mirror_mirror (t : Tree α) : mirror (mirror t) = t := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr => rw [mirror, mirror, ihl, ihr]

theorem node_inj {l r l' r' : Tree α} {a a' : α} (h : node l a r = node l' a' r') : a = a' := by
  injection h

theorem leaf_ne (l r : Tree α) (a : α) : leaf ≠ node l a r := nofun

end Tree

class Group (G : Type u) extends Mul G, One G, Inv G where
  mul_assoc (a b c : G) : a * b * c = a * (b * c)
  one_mul (a : G) : 1 * a = a
  inv_mul (a : G) : a⁻¹ * a = 1

namespace Group
variable {G : Type u} [Group G]

theorem mul_left_cancel {a b c : G} (h : a * b = a * c) : b = c := by
  have := congrArg (a⁻¹ * ·) h
  simp only [← mul_assoc, inv_mul, one_mul] at this
  exact this

end Group

class Shape (α : Type u) where
  area : α → Nat
  name : String := "shape"

instance : Shape Point where
  area p := p.x * p.y

instance {α : Type u} {β : Type v} [Shape α] [Shape β] : Shape (α × β) where
  area p := Shape.area p.1 + Shape.area p.2

example : Shape.area (Point.mk 2 3, Point.mk 4 5) = 26 := rfl

def swap {α : Type u} {β : Type v} : α × β → β × α
  | (a, b) => (b, a)

example : swap (1, true) = (true, 1) := rfl
example : (1, 2, 3).2.2 = 3 := rfl

def get? {α : Type u} : List α → Nat → Option α
  | [], _ => none
  | a :: _, 0 => some a
  | _ :: as, n + 1 => get? as n

example : get? [10, 20, 30] 1 = some 20 := rfl
example : [1, 2] ++ [3] = [1, 2, 3] := rfl
example : [1, 2, 3].length = 3 := rfl
example : [1, 2, 3].map (· + 1) = [2, 3, 4] := rfl

def pos : { n : Nat // 0 < n } := ⟨3, by decide⟩
example : pos.val = 3 := rfl
example (x : { n : Nat // n = 2 }) : (x : Nat) = 2 := x.property

def i : Fin 3 := ⟨2, by decide⟩
example : i.val = 2 := rfl
example (a b : Fin 3) (h : a.val = b.val) : a = b := Fin.eq_of_val_eq h

def either {α β γ : Type u} (f : α → γ) (g : β → γ) : α ⊕ β → γ
  | .inl a => f a
  | .inr b => g b

def total : (Σ n, Fin n) → Nat
  | ⟨n, i⟩ => n + i.val

example : total ⟨3, i⟩ = 5 := rfl

def dep : (n : Nat) × Fin (n + 1) := ⟨2, ⟨0, by decide⟩⟩

def unit : Unit := ()
example (u : Unit) : u = () := rfl

def fromEmpty {α : Sort u} (e : Empty) : α := nomatch e

inductive Vec (α : Type u) : Nat → Type u where
  | nil : Vec α 0
  | cons {n : Nat} (a : α) (v : Vec α n) : Vec α (n + 1)

def Vec.head {α : Type u} {n : Nat} : Vec α (n + 1) → α
  | .cons a _ => a

def Vec.zip {α : Type u} {β : Type v} : {n : Nat} → Vec α n → Vec β n → Vec (α × β) n
  | _, .nil, .nil => .nil
  | _, .cons a v, .cons b w => .cons (a, b) (zip v w)

mutual
inductive Even : Nat → Prop where
  | zero : Even 0
  | succ {n : Nat} : Odd n → Even (n + 1)
inductive Odd : Nat → Prop where
  | succ {n : Nat} : Even n → Odd (n + 1)
end

example : Even 2 := .succ (.succ .zero)

mutual
def evenb : Nat → Bool
  | 0 => true
  | n + 1 => oddb n
def oddb : Nat → Bool
  | 0 => false
  | n + 1 => evenb n
end

example : evenb 6 = true := rfl

instance : Inhabited Point := ⟨origin⟩
example : (default : Point) = origin := rfl

opaque secret : Nat
axiom choice_of_mine : secret = 3
abbrev N := Nat
example : N := 3

protected def Point.sum (p : Point) : Nat := p.x + p.y
private def hidden : Nat := 4
@[reducible] def Alias := Nat
@[irreducible] def sealed : Nat := 5
@[inline] def inlined (n : Nat) : Nat := n
def slow (n : Nat) : Nat := n
@[implemented_by slow] def model (n : Nat) : Nat := n

example : Point.sum { x := 1, y := 2 } = 3 := rfl
example : hidden = 4 := rfl

example : (if 2 = 2 then "yes" else "no") = "yes" := rfl
example : (bif true then 1 else 2) = 1 := rfl
example : (if let some n := some 3 then n else 0) = 3 := rfl
example : (3 |> Nat.succ) = 4 := rfl
