import NetTies.Foundation.Sum

/-! # Hazard: `rfl` at literal dimensions

Both sides compute to the same term, and at a small width `rfl` says so. At `96 · 56 · 56` it walks
down the numeral, one step a unit. `Hazards.LiteralDimsGood` is the cure. -/

-- expect: maximum recursion depth has been reached

namespace NetTies.Hazards

variable {R : Type} [CommRing R] {m : Nat}

/-- At width 8 the two sides compute to the same term. -/
theorem leaf8 (i j : Idx m) : delta (R := R) (Idx.inl (n := 8) i) (.inl j) = delta i j := rfl

/-- At the width of an activation of ConvNeXt they would too, but `rfl` does not get there. -/
theorem leaf (i j : Idx m) :
    delta (R := R) (Idx.inl (n := 96 * 56 * 56) i) (.inl j) = delta i j := rfl

end NetTies.Hazards
