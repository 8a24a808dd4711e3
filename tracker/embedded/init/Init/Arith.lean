prelude
import Init.Nat

/-! # The kernel's arithmetic

On literals the kernel does not unfold `Nat.add`, `sub`, `mul`, `div`, `mod`, `gcd`, `pow`, `log2`,
`land`, `lor`, `xor`, `shiftLeft`, `shiftRight`, `beq` and `ble`: it computes by its own arithmetic,
whatever a declaration of that name says. So each must say what that arithmetic does (`n / 0 = 0`,
`n % 0 = n`), and none may be left undeclared: a file could give the name another meaning, and the
kernel would then prove both. -/

private def Nat.gcdFuel : (fuel m n : Nat) → Nat
  | .zero, _, n => n
  | .succ fuel, m, n => ite (Eq m 0) n (gcdFuel fuel (HMod.hMod n m) m)

/-- The greatest common divisor, by Euclid's algorithm. -/
@[extern "lean_nat_gcd"]
def Nat.gcd (m n : @& Nat) : Nat := gcdFuel m m n

private def Nat.log2Fuel : (fuel n : Nat) → Nat
  | .zero, _ => 0
  | .succ fuel, n => ite (LE.le 2 n) (succ (log2Fuel fuel (HDiv.hDiv n 2))) 0

/-- The position of the highest binary digit. -/
@[extern "lean_nat_log2"]
def Nat.log2 (n : @& Nat) : Nat := log2Fuel n n

private def Nat.bitwiseFuel (f : Bool → Bool → Bool) : (fuel n m : Nat) → Nat
  | .zero, _, m => cond (f false true) m 0
  | .succ fuel, n, m =>
    ite (Eq n 0) (cond (f false true) m 0) (ite (Eq m 0) (cond (f true false) n 0)
      (HAdd.hAdd (HMul.hMul 2 (bitwiseFuel f fuel (HDiv.hDiv n 2) (HDiv.hDiv m 2)))
        (cond (f (decide (Eq (HMod.hMod n 2) 1)) (decide (Eq (HMod.hMod m 2) 1))) 1 0)))

/-- Combines binary digits by `f`, which should take two zeros to zero. -/
def Nat.bitwise (f : Bool → Bool → Bool) (n m : Nat) : Nat := bitwiseFuel f n n m

@[extern "lean_nat_land"]
def Nat.land (n m : @& Nat) : Nat := bitwise (fun a b => cond a b false) n m

@[extern "lean_nat_lor"]
def Nat.lor (n m : @& Nat) : Nat := bitwise (fun a b => cond a true b) n m

@[extern "lean_nat_lxor"]
def Nat.xor (n m : @& Nat) : Nat := bitwise (fun a b => cond a (cond b false true) b) n m

@[extern "lean_nat_shiftl"]
def Nat.shiftLeft : (@& Nat) → (@& Nat) → Nat
  | n, .zero => n
  | n, .succ m => shiftLeft (HMul.hMul 2 n) m

@[extern "lean_nat_shiftr"]
def Nat.shiftRight : (@& Nat) → (@& Nat) → Nat
  | n, .zero => n
  | n, .succ m => HDiv.hDiv (shiftRight n m) 2
