import NetTies.Foundation.Sum

/-! # Cure: prove at variable dimensions, instantiate by term

The statement of `Hazards.LiteralDimsBad`, proved once at a variable width. At the literal width it is
an instance, so nothing computes with the numeral. -/

namespace NetTies.Hazards

variable {R : Type} [CommRing R] {m : Nat}

/-- The same statement as in `Hazards.LiteralDimsBad`. -/
theorem leaf (i j : Idx m) :
    delta (R := R) (Idx.inl (n := 96 * 56 * 56) i) (.inl j) = delta i j := delta_inl i j

end NetTies.Hazards
