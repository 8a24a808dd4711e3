/-! Natural numbers: literals, arithmetic, order, recursion, induction. -/

example : 2 + 2 = 4 := rfl
example : 7 * 6 = 42 := rfl
example : 10 - 3 = 7 := rfl
example : 3 - 10 = 0 := rfl
example : 2 ^ 10 = 1024 := rfl
example : 100 / 7 = 14 := rfl
example : 100 % 7 = 2 := rfl
example : 123456789 * 987654321 = 121932631112635269 := rfl
example : Nat.gcd 48 36 = 12 := rfl
example : Nat.succ 4 = 5 := rfl
example : (0 : Nat) = Nat.zero := rfl
example : 0xff = 255 := rfl
example : 3 < 5 := by decide
example : 3 ≤ 3 := Nat.le_refl 3
example : ¬ 5 < 3 := by decide
example : 5 > 3 := by decide
example : 5 >= 3 := by decide
example : 3 ≠ 4 := by decide
example : max 3 4 = 4 := rfl
example : min 3 4 = 3 := rfl

def double : Nat → Nat
  | 0 => 0
  | n + 1 => double n + 1 + 1

example : double 21 = 42 := rfl

theorem double_succ (n : Nat) : double (n + 1) = double n + 1 + 1 := rfl

theorem double_eq (n : Nat) : double n = n + n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [double, ih, ← Nat.add_assoc, Nat.add_right_comm n 1 n]

theorem goal_is_in_plus_one (n : Nat) : n + 1 ≠ 0 := by
  cases n with
  | zero => show 0 + 1 ≠ 0; exact nofun
  | succ n => show n + 1 + 1 ≠ 0; exact nofun

theorem add_comm' (m n : Nat) : m + n = n + m := by
  induction n with
  | zero => rw [Nat.add_zero, Nat.zero_add]
  | succ n ih => rw [Nat.add_succ, Nat.succ_add, ih]

def fib : Nat → Nat
  | 0 => 0
  | 1 => 1
  | n + 2 => fib n + fib (n + 1)

example : fib 20 = 6765 := rfl

def ack : Nat → Nat → Nat
  | 0, n => n + 1
  | m + 1, n => go m n
where
  go (m : Nat) : Nat → Nat
    | 0 => m
    | n + 1 => go m n

def isEven : Nat → Bool
  | 0 => true
  | 1 => false
  | n + 2 => isEven n

example : isEven 10 = true := rfl
example : isEven 11 = false := rfl

theorem le_trans' {a b c : Nat} (h₁ : a ≤ b) (h₂ : b ≤ c) : a ≤ c := Nat.le_trans h₁ h₂

def pred? : Nat → Option Nat
  | 0 => none
  | n + 1 => some n

def collatz (n : Nat) : Nat := if n % 2 = 0 then n / 2 else 3 * n + 1

example : collatz 6 = 3 := rfl
example : collatz 7 = 22 := rfl

def safePred (n : Nat) (h : 0 < n) : Nat :=
  match n, h with
  | n + 1, _ => n

def clamp (n : Nat) : Nat := if h : 0 < n then safePred n h else 0

example : clamp 5 = 4 := rfl
example : clamp 0 = 0 := rfl

example (a b c : Nat) : a * (b + c) = a * b + a * c := Nat.mul_add a b c
example (a b c : Nat) : a + b + c = a + (b + c) := Nat.add_assoc a b c
example (a b : Nat) : a * b = b * a := Nat.mul_comm a b
example (a b c : Nat) : a * b * c = a * (b * c) := Nat.mul_assoc a b c
