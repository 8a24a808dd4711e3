/-
Copyright. /- nested -/ import No
-/
-- import No
import A /- import No -/ import B
/- /-/ -/ -/
import C
