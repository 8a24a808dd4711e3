/-! A name under which the kernel computes cannot be given another meaning. -/

-- error: `Nat.add` has already been declared
def Nat.add (_ _ : Nat) : Nat := 0
-- error: `Nat.sub` has already been declared
def Nat.sub (_ _ : Nat) : Nat := 0
-- error: `Nat.mul` has already been declared
def Nat.mul (_ _ : Nat) : Nat := 0
-- error: `Nat.div` has already been declared
def Nat.div (_ _ : Nat) : Nat := 0
-- error: `Nat.mod` has already been declared
def Nat.mod (_ _ : Nat) : Nat := 0
-- error: `Nat.gcd` has already been declared
def Nat.gcd (_ _ : Nat) : Nat := 0
-- error: `Nat.beq` has already been declared
def Nat.beq (_ _ : Nat) : Bool := true
-- error: `Nat.ble` has already been declared
def Nat.ble (_ _ : Nat) : Bool := true
-- error: `Nat.land` has already been declared
def Nat.land (_ _ : Nat) : Nat := 0
-- error: `Nat.lor` has already been declared
def Nat.lor (_ _ : Nat) : Nat := 0
-- error: `Nat.xor` has already been declared
def Nat.xor (_ _ : Nat) : Nat := 0
-- error: `Nat.shiftLeft` has already been declared
def Nat.shiftLeft (_ _ : Nat) : Nat := 0
-- error: `Nat.shiftRight` has already been declared
def Nat.shiftRight (_ _ : Nat) : Nat := 0
-- error: `Nat.pow` has already been declared
def Nat.pow (_ _ : Nat) : Nat := 0
-- error: `Nat.log2` has already been declared
def Nat.log2 (_ : Nat) : Nat := 0
-- error: `String.ofList` has already been declared
def String.ofList (_ : List Char) : String := ""
-- error: `Char.ofNat` has already been declared
def Char.ofNat (_ : Nat) : Char := 'a'
