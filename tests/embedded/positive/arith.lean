/-! The kernel computes with literals by its own arithmetic. On numbers written with `succ` it has to
unfold the definitions; both must come to the same. -/

section
local notation "s" => Nat.succ
local notation "z" => Nat.zero
local notation "three" => s (s (s z))
local notation "seven" => s (s (s (s (s (s (s z))))))
local notation "eleven" => s (s (s (s (s (s (s (s (s (s (s z))))))))))

set_option maxRecDepth 4000

example : Nat.add three seven = 10 := rfl
example : Nat.sub three seven = 0 := rfl
example : Nat.sub seven three = 4 := rfl
example : Nat.mul three seven = 21 := rfl
example : Nat.pow three three = 27 := rfl
example : Nat.beq three three = true := rfl
example : Nat.beq three seven = false := rfl
example : Nat.ble seven three = false := rfl
example : Nat.ble three seven = true := rfl

example : Nat.div eleven three = 3 := by with_unfolding_all rfl
example : Nat.div three eleven = 0 := by with_unfolding_all rfl
example : Nat.div three z = 0 := by with_unfolding_all rfl
example : Nat.div z three = 0 := by with_unfolding_all rfl
example : Nat.mod eleven three = 2 := by with_unfolding_all rfl
example : Nat.mod three eleven = 3 := by with_unfolding_all rfl
example : Nat.mod three z = 3 := by with_unfolding_all rfl
example : Nat.mod z three = 0 := by with_unfolding_all rfl
example : Nat.gcd (s seven) (s eleven) = 4 := by with_unfolding_all rfl
example : Nat.gcd z seven = 7 := by with_unfolding_all rfl
example : Nat.gcd seven z = 7 := by with_unfolding_all rfl
example : Nat.log2 z = 0 := by with_unfolding_all rfl
example : Nat.log2 (s z) = 0 := by with_unfolding_all rfl
example : Nat.log2 eleven = 3 := by with_unfolding_all rfl
example : Nat.land eleven seven = 3 := by with_unfolding_all rfl
example : Nat.lor eleven seven = 15 := by with_unfolding_all rfl
example : Nat.xor eleven seven = 12 := by with_unfolding_all rfl
example : Nat.land z seven = 0 := by with_unfolding_all rfl
example : Nat.lor z seven = 7 := by with_unfolding_all rfl
example : Nat.xor seven z = 7 := by with_unfolding_all rfl
example : Nat.shiftLeft seven three = 56 := by with_unfolding_all rfl
example : Nat.shiftRight eleven (s z) = 5 := by with_unfolding_all rfl
end

example : Nat.div 1000000000000 7 = 142857142857 := rfl
example : Nat.mod 1000000000000 7 = 1 := rfl
example : Nat.gcd 123456789 987654321 = 9 := rfl
example : Nat.log2 1000000 = 19 := rfl
example : Nat.land 170 204 = 136 := rfl
example : Nat.lor 170 204 = 238 := rfl
example : Nat.xor 170 204 = 102 := rfl
example : Nat.shiftLeft 1 100 = 1267650600228229401496703205376 := rfl
example : Nat.shiftRight 1267650600228229401496703205376 98 = 4 := rfl

/-! Open terms reduce as far as literals of `Fin` need. -/

example (n : Nat) : 0 % (n + 1) = 0 := rfl
example (n : Nat) : 5 % (n + 6) = 5 := rfl
example (n : Nat) : 0 / (n + 1) = 0 := by with_unfolding_all rfl

/-! A string literal is the list of its characters. -/

example : "a∃" = String.ofList ['a', '∃'] := rfl
example : "" = String.ofList [] := rfl
example : 'a' = Char.ofNat 97 := rfl
