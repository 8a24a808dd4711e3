prelude
import Init.Printing
import Init.Conv
import Init.NatLaws
import Init.Classical
import Init.Repr

/-! # The small Init of the embedded toolchain

`README.md` beside this file says what it is, and what of it the Lean binary dictates. -/
